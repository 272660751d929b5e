//! Phrases against all sequences of all lengths, counted one by one.
#![allow(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "tests end where something is wrong"
)]

use crate::common::{Memory, job, with_ids_of};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashSet};
use tegula::constraint::Constraints;
use tegula::context::{Budget, Context};
use tegula::engine::bad_records::FailOnBad;
use tegula::phrases::{self, Counted, Phrase, Wanted};
use tegula::recipe::Recipe;
use tegula::scratch::Scratch;

/// A phrase with owned strings.
#[derive(Debug, Clone, PartialEq)]
struct Listed {
    text: String,
    tokens: u32,
    texts: u32,
    occurrences: u32,
    dp: Near,
    association: Near,
    id: String,
    start: u64,
    end: u64,
    by: Vec<(String, u32, u32)>,
}

/// A number that equals those near it.
#[derive(Debug, Clone, Copy)]
struct Near(f64);

impl PartialEq for Near {
    fn eq(&self, other: &Self) -> bool {
        (self.0 - other.0).abs() < 1e-5
    }
}

impl From<&Phrase<'_>> for Listed {
    fn from(phrase: &Phrase) -> Self {
        Self {
            text: phrase.text.to_owned(),
            tokens: phrase.tokens,
            texts: phrase.texts,
            occurrences: phrase.occurrences,
            dp: Near(phrase.dp),
            association: Near(phrase.association),
            id: phrase.id.to_owned(),
            start: phrase.start,
            end: phrase.end,
            by: phrase
                .by
                .iter()
                .map(|(value, texts, occurrences)| ((*value).to_owned(), *texts, *occurrences))
                .collect(),
        }
    }
}

/// The words of a text, lower case, with their places in characters.
fn words(text: &str) -> Vec<(String, usize, usize)> {
    let chars: Vec<char> = text.chars().collect();
    let mut words = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let from = at;
        while at < chars.len() && chars[at].is_alphanumeric() {
            at += 1;
        }
        if at > from {
            let word: String = chars[from..at].iter().collect();
            words.push((word.to_lowercase(), from, at));
        } else {
            at += 1;
        }
    }
    words
}

/// Gries' deviation of proportions, by its definition.
fn dp(counts: &[usize], sizes: &[usize]) -> f64 {
    let sum = |numbers: &[usize]| numbers.iter().sum::<usize>() as f64;
    let (found, all) = (sum(counts), sum(sizes));
    let differences = counts
        .iter()
        .zip(sizes)
        .map(|(count, size)| (*count as f64 / found - *size as f64 / all).abs());
    differences.sum::<f64>() / 2.0
}

/// The phrases of a collection, by their definition.
fn oracle(source: &Memory, wanted: &Wanted) -> Vec<Listed> {
    let texts: Vec<_> = source.texts.iter().map(|text| words(text)).collect();
    let mut places: BTreeMap<Vec<&str>, Vec<(usize, usize)>> = BTreeMap::new();
    let mut frequencies: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, text) in texts.iter().enumerate() {
        let tokens: Vec<&str> = text.iter().map(|word| word.0.as_str()).collect();
        for from in 0..tokens.len() {
            *frequencies.entry(tokens[from]).or_default() += 1;
            for to in from + 1..=tokens.len() {
                let of = places.entry(tokens[from..to].to_vec()).or_default();
                of.push((number, from));
            }
        }
    }
    let all: usize = texts.iter().map(Vec::len).sum();
    let mut found = Vec::new();
    for (tokens, of) in &places {
        let length = tokens.len();
        // An end of a text is a token that occurs nowhere else.
        let beside = |ahead: bool| {
            let tokens = of.iter().map(|(text, from)| {
                let at = if ahead {
                    Some(from + length)
                } else {
                    from.checked_sub(1)
                };
                let word = at.and_then(|at| texts[*text].get(at));
                word.map_or(format!("{text} {from}"), |word| word.0.clone())
            });
            tokens.collect::<HashSet<_>>().len()
        };
        let mut by_text = vec![0; texts.len()];
        for (text, _) in of {
            by_text[*text] += 1;
        }
        let have = by_text.iter().filter(|count| **count > 0).count();
        if length < wanted.min_tokens as usize
            || length > wanted.max_tokens.unwrap_or(u32::MAX) as usize
            || have < wanted.min_texts as usize
            || of.len() < wanted.min_occurrences as usize
            || beside(true) < 2
            || beside(false) < 2
        {
            continue;
        }
        let (text, from) = of[0];
        let (start, end) = (texts[text][from].1, texts[text][from + length - 1].2);
        let expected: f64 = tokens
            .iter()
            .map(|token| (frequencies[token] as f64 / all as f64).log2())
            .sum();
        let mut by: BTreeMap<String, (Vec<usize>, u32)> = BTreeMap::new();
        let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
        for number in 0..texts.len() {
            let value = source.field[number].clone().unwrap_or("(missing)".into());
            let of = by.entry(value.clone()).or_default();
            *sizes.entry(value).or_default() += texts[number].len();
            if by_text[number] > 0 {
                of.0.push(number);
                of.1 += by_text[number] as u32;
            }
        }
        let (counts, sizes) = if wanted.by.is_some() {
            (
                by.values().map(|of| of.1 as usize).collect(),
                sizes.into_values().collect(),
            )
        } else {
            by.clear();
            (by_text, texts.iter().map(Vec::len).collect::<Vec<_>>())
        };
        let phrase = Listed {
            text: source.texts[text]
                .chars()
                .skip(start)
                .take(end - start)
                .collect(),
            tokens: length as u32,
            texts: have as u32,
            occurrences: of.len() as u32,
            dp: Near(dp(&counts, &sizes)),
            association: Near((of.len() as f64 / all as f64).log2() - expected),
            id: format!("memory:{}", text + 1),
            start: start as u64,
            end: end as u64,
            by: by
                .into_iter()
                .filter(|(_, of)| of.1 > 0)
                .map(|(value, of)| (value, of.0.len() as u32, of.1))
                .collect(),
        };
        found.push(((text, from), phrase));
    }
    found.sort_by_key(|(place, phrase)| {
        (
            std::cmp::Reverse(phrase.tokens),
            std::cmp::Reverse(phrase.occurrences),
            *place,
        )
    });
    let top = wanted.top.unwrap_or(u64::MAX) as usize;
    found
        .into_iter()
        .take(top)
        .map(|(_, phrase)| phrase)
        .collect()
}

/// The phrases that the library finds.
fn run(
    source: &Memory,
    wanted: &Wanted,
    (threads, memory, id_bits): (usize, u64, u32),
) -> tegula::Result<(Vec<Listed>, Counted, u64)> {
    let context = Context::new(threads, memory, Scratch::system());
    let recipe = Recipe::named(Recipe::DEFAULT).unwrap();
    let none = Constraints::default();
    let job = job(source, &recipe, &none, with_ids_of(id_bits));
    let mut listed = Vec::new();
    let counted = phrases::find(&context, job, wanted, &mut FailOnBad, &mut |phrase| {
        listed.push(Listed::from(phrase));
        Ok(())
    })?;
    assert_eq!(counted.phrases, listed.len() as u64);
    Ok((listed, counted, context.scratch.written()))
}

/// Threads, memory, and bits of fingerprints: with 72 KiB above the overhead the tape is on scratch,
/// and with few bits different sequences come together.
const SETTINGS: [(usize, u64, u32); 4] = [
    (1, 1 << 30, 64),
    (2, 1 << 30, 3),
    (7, 1 << 30, 64),
    (2, Budget::OVERHEAD + (72 << 10), 64),
];

fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec!["a", "A", "b", "ß", "żb", "c", "b"]);
    let between = prop::sample::select(vec![" ", ", ", " – ", "\n"]);
    prop::collection::vec((word, between), 0..14).prop_map(|words| {
        words
            .into_iter()
            .flat_map(|(word, between)| [word, between])
            .collect()
    })
}

/// Texts, some of which are copies of earlier ones, whole or with more around them.
fn collection() -> impl Strategy<Value = Vec<String>> {
    let copy = (any::<prop::sample::Index>(), "[ab ]{0,4}", "[ab ]{0,4}");
    let copies = prop::collection::vec(copy, 0..4);
    (prop::collection::vec(text(), 1..6), copies).prop_map(|(mut texts, copies)| {
        for (of, before, after) in copies {
            let copy = format!("{before} {} {after}", of.get(&texts));
            texts.push(copy);
        }
        texts
    })
}

fn choices() -> impl Strategy<Value = Wanted> {
    let most = prop::option::of(0_u32..4);
    let top = prop::option::weighted(0.3, 1_u64..9);
    (1_u32..5, most, 1_u32..4, 2_u32..4, top, any::<bool>()).prop_map(
        |(min_tokens, more, min_texts, min_occurrences, top, by)| Wanted {
            min_tokens,
            max_tokens: more.map(|more| min_tokens + more),
            min_texts,
            min_occurrences,
            top,
            by: by.then(|| "f".parse().unwrap()),
        },
    )
}

proptest! {
    #[test]
    fn phrases_are_all_maximal_repeats(
        texts in collection(),
        wanted in choices(),
        values in prop::collection::vec(prop::option::of(prop::sample::select(vec!["x", "y", "z"])), 9),
        per_chunk in 1_usize..4,
    ) {
        let mut source = Memory::new(&texts, per_chunk);
        for (field, value) in source.field.iter_mut().zip(values) {
            *field = value.map(str::to_owned);
        }
        let expected = oracle(&source, &wanted);
        for setting in SETTINGS {
            let (found, ..) = run(&source, &wanted, setting).unwrap();
            prop_assert_eq!(&found, &expected, "{:?} {:?}", wanted, setting);
        }
    }
}

#[test]
fn the_tape_is_on_scratch_under_the_last_setting() {
    let source = Memory::new(&["a b c d", "a b c e"], 1);
    let (found, counted, _) = run(&source, &Wanted::default(), SETTINGS[0]).unwrap();
    let (again, _, written) = run(&source, &Wanted::default(), SETTINGS[3]).unwrap();
    assert_eq!(found, again);
    assert_eq!(found[0].text, "a b c");
    assert_eq!((counted.texts, counted.tokens, counted.phrases), (2, 8, 1));
    assert!(written > 4 << 12);
}

#[test]
fn of_two_equal_texts_there_is_one_phrase() {
    let text = "One, two: THREE four\nfive six. one two – three Seven";
    let source = Memory::new(&[text, text], 1);
    let (found, ..) = run(&source, &Wanted::default(), SETTINGS[0]).unwrap();
    let shown: Vec<_> = found
        .iter()
        .map(|phrase| (phrase.text.as_str(), phrase.texts, phrase.occurrences))
        .collect();
    assert_eq!(shown, [(text, 2, 2), ("One, two: THREE", 2, 4)]);
}

#[test]
fn chinese_phrases_are_sequences_of_characters() {
    let source = Memory::new(
        &[
            "他说：今天天气很好。",
            "“今天天气很好”，她说。",
            "今天不好。",
        ],
        1,
    );
    let (found, ..) = run(&source, &Wanted::default(), SETTINGS[0]).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].text.as_str(), found[0].tokens),
        ("今天天气很好", 6)
    );
    assert_eq!((found[0].start, found[0].end), (3, 9));
}

#[test]
fn a_hundred_long_copies_are_read_from_their_beginnings_only() {
    // 4,000 tokens in 100 texts; read from every token on, they would be 800 million.
    let word = |number: u32| format!("w{} ", number * 7919 % 1000);
    let passage: String = (0..4000).map(word).collect();
    let texts: Vec<String> = (0..100)
        .map(|text| format!("t{text} {passage}e{text}"))
        .collect();
    let source = Memory::new(&texts, 1);
    let (found, ..) = run(&source, &Wanted::default(), SETTINGS[0]).unwrap();
    // A thousand words, four times: the later periods are parts of the whole.
    let shown: Vec<_> = found
        .iter()
        .map(|phrase| (phrase.tokens, phrase.occurrences))
        .collect();
    assert_eq!(shown, [(4000, 100), (3000, 200), (2000, 300), (1000, 400)]);
}

#[test]
fn parameters_without_phrases_are_refused() {
    let source = Memory::new(&["a b c d", "a b c e"], 1);
    let of = |change: fn(&mut Wanted)| {
        let mut wanted = Wanted::default();
        change(&mut wanted);
        let error = run(&source, &wanted, SETTINGS[0]).unwrap_err();
        error.to_string()
    };
    assert_eq!(
        of(|it| it.min_tokens = 0),
        "min_tokens: expected at least 1, found 0"
    );
    assert_eq!(
        of(|it| it.min_occurrences = 1),
        "min_occurrences: expected at least 2, found 1"
    );
    assert_eq!(
        of(|it| it.max_tokens = Some(2)),
        "max_tokens: expected at least min_tokens, 3, found 2"
    );
    assert!(of(|it| it.by = Some("g".parse().unwrap())).contains("'g'"));
    let none = Memory::new(&Vec::<String>::new(), 1);
    assert_eq!(
        run(&none, &Wanted::default(), SETTINGS[0]).unwrap().1,
        Counted::default()
    );
}
