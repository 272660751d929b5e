//! The whole sequence of steps, with bytes between all of them, against the engine.

mod sequence;

use super::*;
use crate::Dedup;
use crate::constraint::Constraints;
use crate::hash::mix;
use crate::recipe::{Card, Recipe};
use crate::statistics::{ShingleWriter, Statistics};
use sequence::{Sequence, id, sent};

fn recipe_of(name: &str) -> Recipe {
    Card::named(name).unwrap().recipe()
}

/// Texts with copies, parts and repeats, some longer than a block of positions.
fn texts(seed: u64, count: usize) -> Vec<String> {
    let word = |seed: u64| format!("w{}", mix(seed) % 5000);
    let mut all: Vec<Vec<String>> = Vec::new();
    for at in 0..count as u64 {
        let draw = |step: u64| mix(seed ^ (at << 20) ^ step);
        let length = if draw(1) % 37 == 0 {
            70_000
        } else {
            draw(2) % 90
        };
        let mut words: Vec<String> = (0..length).map(|place| word(draw(3) ^ place)).collect();
        if at > 0 && draw(4) % 2 == 0 {
            let other = &all[(draw(5) % at) as usize];
            let from = (draw(6) as usize % (other.len() + 1)) / 3;
            words.truncate(draw(7) as usize % 20);
            words.extend_from_slice(&other[from..]);
        }
        if draw(8) % 5 == 0 {
            let again = words.clone();
            words.extend(again);
        }
        for edit in 0..draw(9) % 4 {
            if !words.is_empty() {
                let place = draw(10 + edit) as usize % words.len();
                words[place] = word(draw(20 + edit));
            }
        }
        all.push(words);
    }
    all.iter().map(|words| words.join(" ")).collect()
}

/// The sequence against the engine: the number of pairs, and whether chains were split.
fn same<'t, T: Into<crate::Record<'t>> + Clone>(
    what: &str,
    sequence: &Sequence,
    dedup: &Dedup,
    texts: &[String],
    records: &[T],
) -> (usize, bool) {
    let found = sequence.run(texts);
    let wanted = dedup
        .pairs(records.iter().cloned())
        .unwrap()
        .to_vec()
        .unwrap();
    // References are numbered after the texts.
    let second = |pair: &crate::Pair| {
        let before = if pair.with_reference {
            records.len()
        } else {
            0
        };
        before + pair.b
    };
    let mut wanted: Vec<(u64, u64)> = wanted
        .iter()
        .map(|pair| (id(pair.a), id(second(pair))))
        .collect();
    let mut pairs: Vec<(u64, u64)> = found.matches.iter().map(|pair| pair.ids()).collect();
    wanted.sort_unstable();
    pairs.sort_unstable();
    assert_eq!(pairs, wanted, "{what}");
    for (keep, found) in ["first", "longest"].into_iter().zip(found.removed) {
        let dedup = dedup.clone().keep(keep).unwrap();
        let outcome = dedup.run(records.iter().cloned()).unwrap();
        let removed: Vec<u64> = outcome.removed().map(|removed| id(removed.index)).collect();
        assert_eq!(found, removed, "{what}, {keep}");
    }
    (pairs.len(), found.is_split)
}

#[test]
fn steps_with_bytes_between_them_equal_the_engine() {
    let (mut pairs, mut splits) = (0, 0);
    let none = Constraints::default();
    for (seed, count) in [(1, 3), (2, 60), (3, 150), (4, 80)] {
        let texts = texts(seed, count);
        for recipe in [
            "copies",
            "ssr",
            "sscr",
            "ssr-containment",
            "sscr-containment",
        ] {
            // Among so many tokens rows are wider.
            const OTHERS: u64 = 1 << 40;
            for (n, bits, batch, signature_bits, others) in [
                (5, 4, 7, 32, 0),
                (3, 12, 1000, 32, OTHERS),
                (2, 12, 20, 3, 0),
            ] {
                let mut settings = recipe_of(recipe);
                (settings.ngram, settings.threshold) = (n, "0.5".parse().unwrap());
                let sequence = Sequence {
                    bits,
                    batch,
                    signature_bits,
                    others,
                    ..Sequence::of(&settings, &none, &[])
                };
                let dedup = Dedup::toml(&settings.to_toml().unwrap()).unwrap();
                let what = format!("{recipe}, {n} tokens, collection {seed}");
                let (found, is_split) = same(&what, &sequence, &dedup, &texts, &texts);
                pairs += found;
                splits += usize::from(is_split);
            }
        }
    }
    assert!(pairs > 1000 && splits > 4, "{pairs} pairs, {splits} splits");
}

/// Sets a constraint.
type Set = fn(Dedup<'static>) -> Dedup<'static>;

#[test]
fn steps_under_constraints_equal_the_engine() {
    let (mut pairs, count) = (0, 90);
    let texts = short_texts(7, count);
    let place = |at: usize| {
        let draw = mix(at as u64);
        let source = ["a", "b", "c"][draw as usize % 3];
        (source, format!("2020-01-{:02}", 1 + draw / 3 % 28))
    };
    let references = texts.len() - 30;
    let cases: [(&str, Set); 6] = [
        ("within", |dedup| dedup.within("source").unwrap()),
        ("across", |dedup| dedup.across("source").unwrap()),
        ("window", |dedup| dedup.window("date", 6).unwrap()),
        ("both", |dedup| {
            let dedup = dedup.within("date:month").unwrap();
            dedup.across("source").unwrap().window("date", 20).unwrap()
        }),
        ("short", |dedup| dedup.min_tokens(12)),
        ("references", |dedup| dedup),
    ];
    for recipe in [
        "copies",
        "ssr",
        "revisions",
        "sketch",
        "simfinder",
        "messages",
    ] {
        let settings = recipe_of(recipe);
        let settings = settings.with("threshold", "0.4").unwrap();
        let transitive = (recipe == "simfinder").to_string();
        let settings = settings.with("transitive", &transitive).unwrap();
        for (case, set) in &cases {
            let dedup = Dedup::toml(&settings.to_toml().unwrap()).unwrap();
            let dedup = set(dedup);
            let constraints = dedup.constraints.clone();
            let refer = *case == "references";
            let records = texts.iter().enumerate().map(|(at, text)| {
                let (source, date) = place(at);
                let record = crate::Record::new(text.clone());
                record.field("source", source).field("date", date)
            });
            let mut records: Vec<crate::Record> = records.collect();
            let dates = crate::date::DateFormat::default();
            let origins: Vec<Origin> = (0..texts.len())
                .map(|at| {
                    let (source, date) = place(at);
                    let value =
                        |name: &str| Some(if name == "source" { source } else { &date[..] });
                    constraints.origin(value, &dates, refer && at >= references)
                })
                .collect();
            let dedup = if refer {
                dedup.against(records.split_off(references))
            } else {
                dedup
            };
            let sequence = Sequence::of(&settings, &constraints, &origins);
            let what = format!("{recipe}, {case}");
            let (found, _) = same(&what, &sequence, &dedup, &texts, &records);
            assert!(found > 0, "{what}");
            pairs += found;
        }
    }
    assert!(pairs > 500, "{pairs} pairs");
}

#[test]
fn damaged_columns_and_others_are_refused() {
    let rows = [Place::new(7, 0), Place::new(1 << 40, 1)];
    let bytes = to_bytes(&rows);
    assert_eq!(sent(&rows), rows);
    assert!(from_bytes::<Posting>(&bytes).is_err());
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        assert!(
            from_bytes::<Place>(&damaged).is_err() && from_bytes::<Place>(&bytes[..at]).is_err()
        );
    }
}

/// Short texts, some with links, numbers and amounts in which their copies may differ.
fn short_texts(seed: u64, count: usize) -> Vec<String> {
    let mut texts = texts(seed, count);
    texts.retain(|text| text.len() < 2000);
    for (at, text) in (0..).zip(&mut texts) {
        match mix(seed ^ at << 8) % 5 {
            0 => text
                .push_str([" call 030 1000000 now", " call 030 1000001 now"][mix(at) as usize % 2]),
            1 => text.push_str(
                [" see http://example.org/0", " see http://example.org/1"][mix(at) as usize % 2],
            ),
            _ => {}
        }
    }
    let again: Vec<String> = texts.iter().step_by(9).cloned().collect();
    texts.extend(again);
    texts.extend(["", "", "…", "w1 w1 w1", "w1 w1"].map(String::from));
    texts
}

#[test]
fn steps_over_features_and_keys_equal_the_engine() {
    let (mut pairs, none) = (0, Constraints::default());
    for (seed, count) in [(1, 3), (5, 70), (6, 130)] {
        let texts = short_texts(seed, count);
        for (recipe, fields) in [
            ("cosine", &[("threshold", "0.4")][..]),
            ("cosine", &[("threshold", "0.5"), ("weights.present", "5")]),
            (
                "cosine",
                &[("measure", "weighted-resemblance"), ("threshold", "0.3")],
            ),
            ("messages", &[("unmasked", "ignore"), ("threshold", "0.4")]),
            ("messages", &[("threshold", "0.4")]),
            ("messages", &[("unmasked", "0.6"), ("threshold", "0.4")]),
            ("messages", &[("distinct", "all"), ("threshold", "0.4")]),
            (
                "ssr",
                &[
                    ("shared_numbers", "0.5 of first 9 or all but 1 in 20"),
                    ("threshold", "0.3"),
                ],
            ),
            ("ssr", &[("levenshtein", "0.6"), ("threshold", "0.4")]),
            (
                "sscr",
                &[("thresholds", "0.9 up to 40"), ("threshold", "0.3")],
            ),
            ("ssr", &[("common", "3"), ("threshold", "0.3")]),
            ("sscr", &[("common", "2"), ("threshold", "0.3")]),
            ("cosine", &[("common", "4"), ("threshold", "0.3")]),
            ("sketch", &[("common", "2"), ("threshold", "0.3")]),
            ("revisions", &[("threshold", "0.4")]),
            (
                "revisions",
                &[
                    ("weights", "{ type = 'rarity', numbers = 4 }"),
                    ("measure", "rarity-containment"),
                ],
            ),
            (
                "ssr",
                &[("fingerprint.modulus", "10007"), ("threshold", "0.4")],
            ),
            (
                "sscr",
                &[("fingerprint.modulus", "10007"), ("threshold", "0.4")],
            ),
            ("cops", &[("threshold", "0.5")]),
            ("ssr", &[("ngram", "1"), ("threshold", "0.4")]),
            (
                "ssr",
                &[
                    ("select", "{ type = 'winnow', window = 3 }"),
                    ("threshold", "0.5"),
                ],
            ),
            (
                "ssr",
                &[
                    ("select", "{ type = 'modulo', modulus = 3 }"),
                    ("threshold", "0.5"),
                ],
            ),
            ("sscr", &[("ngram", "1"), ("threshold", "0.4")]),
            ("sketch", &[("threshold", "0.5")]),
            ("sketch", &[("measure", "agreement"), ("threshold", "0.5")]),
            (
                "sketch",
                &[
                    (
                        "keys",
                        "{ type = 'min-wise', minima = 112, bands = 28, rows = 4 }",
                    ),
                    ("least_keys", "3"),
                ],
            ),
            ("sketch", &[("measure", "coverage"), ("threshold", "0.4")]),
            ("sketch-mod", &[("threshold", "0.4")]),
            ("sketch-mod", &[("least_keys", "2"), ("threshold", "0.4")]),
            ("super-shingle", &[("threshold", "0.4")]),
            ("simhash", &[("threshold", "0.9")]),
            ("i-match", &[]),
            ("simfinder", &[("transitive", "true"), ("threshold", "0.2")]),
            (
                "simfinder",
                &[
                    ("transitive", "false"),
                    ("unmasked", "ignore"),
                    ("threshold", "0.3"),
                ],
            ),
        ] {
            let start = recipe_of(recipe);
            let set =
                |recipe: Recipe, (key, value): &(&str, &str)| recipe.with(key, value).unwrap();
            let settings = fields.iter().fold(start, set);
            let dedup = Dedup::toml(&settings.to_toml().unwrap()).unwrap();
            let what = format!("{recipe} {fields:?}, collection {seed}");
            let sequence = Sequence::of(&settings, &none, &[]);
            let (found, _) = same(&what, &sequence, &dedup, &texts, &texts);
            assert!(count < 10 || found > 0, "{what}");
            pairs += found;
        }
    }
    assert!(pairs > 1000, "{pairs} pairs");
}

#[test]
fn recipes_without_steps_are_refused() {
    for recipe in ["exact", "onion", "passages"] {
        let (recipe, none) = (recipe_of(recipe), Statistics::default());
        let method = Method::new(&recipe, &none, &Constraints::default()).map(drop);
        assert!(method.is_err(), "{}", recipe.recipe);
    }
}

#[test]
fn given_frequencies_decide_what_texts_weigh() {
    let (texts, others) = (short_texts(3, 40), short_texts(4, 40));
    let recipe = recipe_of("revisions").with("ngram", "2").unwrap();
    let (none, nothing) = (Constraints::default(), Statistics::default());
    // How many of the other texts have each feature, in a file.
    let method = Method::new(&recipe, &nothing, &none).unwrap();
    let search = Search::new(&method, Extent::default(), 4).unwrap();
    let occurrences = |search: &Search, texts: &[String]| -> (Vec<Text>, Vec<Occurrence>) {
        let texts = (0..).zip(texts.iter().map(String::as_str));
        let batch = search.features(0, texts).unwrap();
        (
            batch.texts,
            batch.occurrences.into_values().flatten().collect(),
        )
    };
    let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
    for row in occurrences(&search, &others).1 {
        *counts.entry(row.feature().id).or_default() += 1;
    }
    let mut file = Vec::new();
    let mut writer = ShingleWriter::begin(&mut file, 40, "", 2).unwrap();
    for (id, texts) in counts.iter().filter(|(_, texts)| **texts > 1) {
        writer.put(*id, *texts).unwrap();
    }
    writer.end().unwrap();
    let statistics = Statistics::read(&file[..], "", Some(2)).unwrap();
    let method = Method::new(&recipe, &statistics, &none).unwrap();
    let search = Search::new(
        &method,
        Extent {
            texts: 7,
            longest: 90,
            tokens: 630,
        },
        4,
    )
    .unwrap();
    let (mut weighed, rows) = occurrences(&search, &texts);
    let rarity = Rarity::new(7, 1, &statistics);
    let weight = |row: &Occurrence| {
        row.number * rarity.weight(counts.get(&row.feature().id).copied().unwrap_or(1))
    };
    let (_, _, lighter) = search.listed(&rows);
    search.weigh(&mut weighed, &lighter);
    let mut common = 0;
    for text in &weighed {
        let own = rows.iter().filter(|row| row.text() as u32 == text.start);
        let total: u64 = own.clone().map(|row| u64::from(weight(row))).sum();
        assert_eq!(text.total(), total);
        common += own
            .filter(|row| counts.contains_key(&row.feature().id))
            .count();
    }
    assert!(common > 40, "{common}");
}
