//! The witness rule, against a plain greedy choice over brute-force pairs.

use crate::common::{Memory, Setting, expanded, oracle_score, run, run_for, settings};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use tegula::cluster::Clusters;
use tegula::constraint::Constraints;
use tegula::context::Context;
use tegula::decide::{Decision, Fate, Keep, Policy, Standing};
use tegula::engine::Tuning;
use tegula::recipe::Recipe;
use tegula::scratch::Scratch;

fn texts() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec!["a", "b", "c", "d"]);
    let text = prop::collection::vec(word, 0..9).prop_map(|words| words.join(" "));
    prop::collection::vec(text, 1..14)
}

/// Texts most of which are made from a few others.
fn copies() -> impl Strategy<Value = Vec<String>> {
    let word = || prop::sample::select(vec!["a", "b", "c", "d", "e", "f", "g"]);
    let base = prop::collection::vec(prop::collection::vec(word(), 6..12), 1..3);
    let edits = prop::collection::vec(
        (
            any::<prop::sample::Index>(),
            any::<prop::sample::Index>(),
            word(),
            0..4_u8,
        ),
        1..40,
    );
    (base, edits).prop_map(|(bases, edits)| {
        let copy = |(base, at, word, kind): &(
            prop::sample::Index,
            prop::sample::Index,
            &'static str,
            u8,
        )| {
            let mut text = base.get(&bases).clone();
            let at = at.index(text.len());
            match kind {
                0 => text[at] = word,
                1 => text.insert(at, word),
                2 => text.truncate(at + 1),
                _ => text.extend_from_within(at..),
            }
            text.join(" ")
        };
        edits.iter().map(copy).collect()
    })
}

/// Texts of one small vocabulary, nearly all of which match, in one direction or both.
fn crowds() -> impl Strategy<Value = Vec<String>> {
    let words: Vec<String> = (0..14).map(|at| format!("w{at}")).collect();
    let text = prop::sample::subsequence(words, 5..=14).prop_map(|words| words.join(" "));
    prop::collection::vec(text, 20..60)
}

/// Messages that share links and numbers, which are masked.
fn messages() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec![
        "http://a.example/1",
        "0171 2345678",
        "win",
        "now",
        "call",
        "13:53",
        "hello there",
        "25%",
    ]);
    prop::collection::vec(
        prop::collection::vec(word, 1..7).prop_map(|words| words.join(" ")),
        1..30,
    )
}

/// May `u` go because `v` stays? For undirected measures whenever they match.
fn is_removable(
    measure: tegula::recipe::Measure,
    u: &str,
    v: &str,
    n: usize,
    t: (u64, u64),
) -> bool {
    let (part, whole) = oracle_score(measure, u, v, n);
    part * t.1 >= t.0 * whole
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn the_kept_set_is_the_greedy_one_and_every_copy_has_its_best_witness(
        texts in texts(),
        keep in prop::sample::select(vec!["longest", "shortest", "first", "last"]),
        name in prop::sample::select(vec!["ssr", "sscr", "exact"]),
    ) {
        let recipe = Recipe::named(name).unwrap().with("ngram", "2").unwrap().with("threshold", "0.5").unwrap();
        let policy = Policy { keep: Keep::new(vec![keep.parse().unwrap()]).unwrap(), ..Policy::default() };
        let length = |u: usize| texts[u].split_whitespace().count();
        let mut order: Vec<usize> = (0..texts.len()).collect();
        match keep {
            "longest" => order.sort_by_key(|u| (usize::MAX - length(*u), *u)),
            "shortest" => order.sort_by_key(|u| (length(*u), *u)),
            "last" => order.reverse(),
            _ => {}
        }
        let matches = |u: usize, v: usize| is_removable(recipe.measure, &texts[u], &texts[v], 2, (1, 2));
        let mut kept = vec![false; texts.len()];
        for u in &order {
            kept[*u] = (0..texts.len()).all(|v| !kept[v] || !matches(*u, v));
        }
        for setting in settings() {
            let found = run(&Memory::new(&texts, 2), &recipe, &Constraints::default(), setting);
            let decision = Decision::new(&found, &policy, recipe.threshold).unwrap();
            for u in 0..texts.len() {
                match decision.fate(u as u32) {
                    Fate::Kept => prop_assert!(kept[u], "{u} of {texts:?}"),
                    Fate::Unwitnessed { .. } | Fate::PreviouslySeen { .. } | Fate::Chained { .. } => prop_assert!(false, "only under other recipes and policies"),
                    Fate::Duplicate { witness, score } => {
                        prop_assert!(!kept[u] && kept[witness as usize], "{u} of {texts:?}");
                        let best = (0..texts.len())
                            .filter(|v| kept[*v] && matches(u, *v))
                            .max_by(|a, b| {
                                let (x, y) = (oracle_score(recipe.measure, &texts[u], &texts[*a], 2), oracle_score(recipe.measure, &texts[u], &texts[*b], 2));
                                (x.0 * y.1).cmp(&(y.0 * x.1)).then(b.cmp(a))
                            })
                            .unwrap();
                        prop_assert_eq!(best, witness as usize);
                        let (part, whole) = oracle_score(recipe.measure, &texts[u], &texts[best], 2);
                        prop_assert_eq!(part * score.whole, score.part * whole);
                    }
                }
            }
        }
    }

    #[test]
    fn what_stays_does_not_depend_on_whether_all_pairs_are_listed(
        texts in prop_oneof![texts(), copies(), messages(), crowds()],
        keep in prop::sample::select(vec!["longest", "shortest", "first", "last"]),
        name in prop::sample::select(vec!["copies", "ssr", "sscr", "ssr-containment", "sscr-containment", "cosine", "messages"]),
        threshold in prop::sample::select(vec!["0.3", "0.5", "0.75"]),
        listed in prop::sample::select(vec![(0, 0), (3, 0), (0, 1)]),
        together in 1..6_usize,
        other in 1..7_usize,
    ) {
        let recipe = Recipe::named(name).unwrap().with("threshold", threshold).unwrap();
        let recipe = if ["cosine", "messages"].contains(&name) { recipe } else { recipe.with("ngram", "2").unwrap() };
        let policy = Policy { keep: Keep::new(vec![keep.parse().unwrap()]).unwrap(), ..Policy::default() };
        let source = Memory::new(&texts, 2);
        let all = run(&source, &recipe, &Constraints::default(), settings()[0]);
        let expected = Decision::new(&all, &policy, recipe.threshold).unwrap();
        let mut seen = None;
        for setting in [settings()[0], settings()[other]] {
            let setting = Setting { tuning: Tuning { listed, together, ..setting.tuning }, ..setting };
            let found = run_for(&source, &recipe, &policy, setting);
            let decision = Decision::new(&found, &policy, recipe.threshold).unwrap();
            for unit in 0..texts.len() as u32 {
                prop_assert_eq!(decision.fate(unit), expected.fate(unit), "{} of {:?} under {:?}", unit, texts, setting);
            }
            let pairs = expanded(&found);
            let group = |unit: u32| found.groups.of_unit[unit as usize];
            let stays = |unit: u32| found.groups.members(group(unit)).iter().any(|unit| expected.keeps(*unit));
            let is_listed = |a: u32, b: u32| found.pairs().unwrap().settled.is_none() || group(a) == group(b) || stays(a) != stays(b);
            let expected: BTreeMap<_, _> = expanded(&all).into_iter().filter(|((a, b), _)| is_listed(*a, *b)).collect();
            prop_assert_eq!(&pairs, &expected);
            let listing = found.pairs().unwrap().settled.as_ref().map(|kept| kept.pairs);
            prop_assert!(listing.is_none_or(|pairs| pairs > listed.0));
            prop_assert_eq!(*seen.get_or_insert(listing), listing);
        }
    }

    #[test]
    fn only_contained_texts_go_and_no_two_kept_ones_match(
        texts in texts(),
        keep in prop::sample::select(vec!["longest", "shortest", "first", "last"]),
        name in prop::sample::select(vec!["ssr-containment", "sscr-containment"]),
    ) {
        let recipe = Recipe::named(name).unwrap().with("ngram", "2").unwrap().with("threshold", "0.7").unwrap();
        let policy = Policy { keep: Keep::new(vec![keep.parse().unwrap()]).unwrap(), ..Policy::default() };
        let found = run(&Memory::new(&texts, 2), &recipe, &Constraints::default(), settings()[0]);
        let decision = Decision::new(&found, &policy, recipe.threshold).unwrap();
        let matches = |u: usize, v: usize| is_removable(recipe.measure, &texts[u], &texts[v], 2, (7, 10));
        for u in 0..texts.len() {
            match decision.fate(u as u32) {
                Fate::Kept => {
                    for v in 0..texts.len() {
                        prop_assert!(v == u || !decision.keeps(v as u32) || !matches(u, v), "{u} and {v} of {texts:?}");
                    }
                }
                Fate::Duplicate { witness, .. } => prop_assert!(decision.keeps(witness) && matches(u, witness as usize)),
                Fate::Unwitnessed { .. } | Fate::PreviouslySeen { .. } | Fate::Chained { .. } => prop_assert!(false),
            }
        }
    }

    #[test]
    fn where_no_copy_is_kept_values_to_keep_per_are_still_apart(
        texts in texts(),
        values in prop::collection::vec(prop::sample::select(vec!["x", "y"]), 14),
        per in any::<bool>(),
        name in prop::sample::select(vec!["ssr", "sscr", "exact"]),
    ) {
        let recipe = Recipe::named(name).unwrap().with("ngram", "2").unwrap().with("threshold", "0.5").unwrap();
        let mut source = Memory::new(&texts, 2);
        source.field = values.iter().take(texts.len()).map(|value| Some((*value).to_owned())).collect();
        let policy = Policy { keep: Keep::new(vec!["none".parse().unwrap()]).unwrap(), keep_per: per.then(|| "f".parse().unwrap()), ..Policy::default() };
        let found = run(&source, &recipe, &Constraints::default(), settings()[0]);
        let decision = Decision::new(&found, &policy, recipe.threshold).unwrap();
        for u in 0..texts.len() {
            let rival = |v: &usize| *v != u && (!per || values[*v] == values[u]);
            let has_copy = (0..texts.len()).filter(rival).any(|v| is_removable(recipe.measure, &texts[u], &texts[v], 2, (1, 2)));
            prop_assert_eq!(decision.keeps(u as u32), !has_copy, "{} of {:?}", u, texts);
        }
    }

    #[test]
    fn copies_kept_besides_are_the_first_of_each_value_then_the_first_of_all(
        texts in prop_oneof![texts(), copies()],
        values in prop::collection::vec(prop::sample::select(vec!["x", "y", "z"]), 40),
        keep in prop::sample::select(vec!["longest", "shortest", "first", "last"]),
        (each, up_to) in (any::<bool>(), 1..5_u32),
        (per, name) in (any::<bool>(), prop::sample::select(vec!["ssr", "sscr", "exact"])),
        references in 0..3_usize,
    ) {
        let recipe = Recipe::named(name).unwrap().with("ngram", "2").unwrap().with("threshold", "0.5").unwrap();
        let own = texts.len().saturating_sub(references).max(1);
        let mut source = Memory::in_two_files(&texts, own, 2);
        source.field = values.iter().take(texts.len()).map(|value| Some((*value).to_owned())).collect();
        let constraints = Constraints { references_from: (own < texts.len()).then_some(1), ..Constraints::default() };
        let keep = Keep::new(vec![keep.parse().unwrap()]).unwrap();
        let plain = Policy { keep, keep_per: per.then(|| "f".parse().unwrap()), ..Policy::default() };
        let policy = Policy {
            keep_each: each.then(|| "f".parse().unwrap()),
            keep_up_to: NonZeroU32::new(up_to),
            ..plain.clone()
        };
        let rival = |u: usize, v: usize| !per || values[u] == values[v];
        let goes_for = |u: usize, v: usize| {
            u != v && rival(u, v) && is_removable(recipe.measure, &texts[u], &texts[v], 2, (1, 2))
        };
        let mut last: Option<Vec<Fate>> = None;
        for setting in [settings()[0], settings()[4]] {
            let found = run(&source, &recipe, &constraints, setting);
            let clusters = Clusters::new(&found, recipe.threshold).unwrap();
            let cluster = |u: usize| clusters.get(found.groups.of_unit[u]).map_or(u as u32, |cluster| cluster.first);
            let base = Decision::new(&found, &plain, recipe.threshold).unwrap();
            let mut kept: Vec<bool> = (0..texts.len()).map(|u| base.keeps(u as u32)).collect();
            let order = plain.keep.order(&found.units).unwrap();
            let mut candidates: Vec<usize> = (0..own)
                .filter(|u| !kept[*u] && (own..texts.len()).all(|v| !goes_for(*u, v)))
                .collect();
            candidates.sort_by_key(|u| order[*u]);
            for u in candidates.iter().filter(|_| each) {
                let same = (0..own).filter(|v| kept[*v] && cluster(*v) == cluster(*u) && values[*v] == values[*u]);
                kept[*u] = same.count() == 0;
            }
            for u in &candidates {
                let others = (0..own).filter(|v| kept[*v] && cluster(*v) == cluster(*u));
                kept[*u] |= others.count() < up_to as usize;
            }
            let decision = Decision::new(&found, &policy, recipe.threshold).unwrap();
            let fates: Vec<Fate> = (0..texts.len() as u32).map(|u| decision.fate(u)).collect();
            for u in 0..texts.len() {
                prop_assert_eq!(kept[u], fates[u] == Fate::Kept, "{} of {:?}", u, texts);
                let Fate::Duplicate { witness, score } = fates[u] else { continue };
                let witness = witness as usize;
                prop_assert!(kept[witness] && goes_for(u, witness), "{u} for {witness} of {texts:?}");
                let of = |v: usize| oracle_score(recipe.measure, &texts[u], &texts[v], 2);
                let (part, whole) = of(witness);
                prop_assert_eq!(part * score.whole, score.part * whole);
                let better = |v: &usize| kept[*v] && goes_for(u, *v) && of(*v).0 * whole > part * of(*v).1;
                prop_assert!(!(0..texts.len()).any(|t| better(&t)), "{u} of {texts:?}");
            }
            prop_assert!(last.replace(fates.clone()).is_none_or(|before| before == fates));

            let context = Context::new(2, 256 << 20, Scratch::system());
            let standing = Standing::new(&context, (&found, &clusters), (&decision, &policy)).unwrap();
            let mut stood_for: Vec<u32> = (0..texts.len() as u32).flat_map(|u| standing.stands_for(u)).collect();
            stood_for.sort_unstable();
            let removed: Vec<u32> = (0..texts.len() as u32).filter(|u| !decision.keeps(*u)).collect();
            prop_assert_eq!(stood_for, removed);
            for u in (0..texts.len()).filter(|u| kept[*u] && clusters.get(found.groups.of_unit[*u]).is_some()) {
                let before = (0..texts.len()).filter(|v| kept[*v] && cluster(*v) == cluster(u) && order[*v] < order[u]);
                prop_assert_eq!(standing.rank(u as u32), Some(before.count() as u32 + 1));
            }
        }
    }

    #[test]
    fn clusters_are_components_with_all_their_edges(texts in texts()) {
        let recipe = Recipe::named("sscr").unwrap().with("ngram", "2").unwrap().with("threshold", "0.5").unwrap();
        let found = run(&Memory::new(&texts, 2), &recipe, &Constraints::default(), settings()[0]);
        let clusters = Clusters::new(&found, recipe.threshold).unwrap();
        let matches = |u: usize, v: usize| is_removable(recipe.measure, &texts[u], &texts[v], 2, (1, 2));
        let mut label: Vec<usize> = (0..texts.len()).collect();
        for _ in 0..texts.len() {
            for u in 0..texts.len() {
                for v in 0..texts.len() {
                    if matches(u, v) {
                        label[u] = label[u].min(label[v]);
                    }
                }
            }
        }
        for u in 0..texts.len() {
            let size = label.iter().filter(|l| **l == label[u]).count();
            let cluster = clusters.get(found.groups.of_unit[u]);
            prop_assert_eq!(cluster.is_some(), size > 1);
            if let Some(cluster) = cluster {
                prop_assert_eq!((cluster.first as usize, cluster.size as usize), (label[u], size));
                let inside: Vec<usize> = (0..texts.len()).filter(|v| label[*v] == label[u]).collect();
                let edges = inside.iter().enumerate().flat_map(|(i, a)| inside[i + 1..].iter().map(move |b| (*a, *b))).filter(|(a, b)| matches(*a, *b)).count();
                prop_assert_eq!(cluster.edges, edges as u64);
            }
        }
    }
}

#[test]
fn of_equal_references_the_earliest_is_the_witness() {
    let source = Memory::in_two_files(
        &[
            "one two three four five six",
            "one two three",
            "one two three",
        ],
        1,
        2,
    );
    let constraints = Constraints {
        references_from: Some(1),
        ..Constraints::default()
    };
    for (name, keep) in [("ssr", "last"), ("sscr", "first"), ("simfinder", "last")] {
        let recipe = Recipe::named(name)
            .unwrap()
            .with("threshold", "0.1")
            .unwrap();
        let recipe = match name {
            "simfinder" => recipe
                .with("keys", "{ type = 'words', size = 2 }")
                .and_then(|recipe| recipe.with("transitive", "true"))
                .unwrap(),
            _ => recipe.with("ngram", "2").unwrap(),
        };
        let policy = Policy {
            keep: Keep::new(vec![keep.parse().unwrap()]).unwrap(),
            ..Policy::default()
        };
        let found = run(&source, &recipe, &constraints, settings()[0]);
        let decision = Decision::new(&found, &policy, recipe.threshold).unwrap();
        assert!(
            matches!(decision.fate(0), Fate::Duplicate { witness: 1, .. }),
            "{name}: {:?}",
            decision.fate(0)
        );
        assert!(decision.keeps(1) && decision.keeps(2));
    }
}

#[test]
fn chains_keep_what_has_no_kept_neighbour() {
    // a ~ b ~ c, but not a ~ c: without the middle both ends stay.
    let texts = [
        "1 2 3 4 5 6 7 8 9 10",
        "3 4 5 6 7 8 9 10 11 12",
        "5 6 7 8 9 10 11 12 13 14",
    ];
    let recipe = Recipe::named("sscr")
        .unwrap()
        .with("ngram", "2")
        .unwrap()
        .with("threshold", "0.8")
        .unwrap();
    let found = run(
        &Memory::new(&texts, 1),
        &recipe,
        &Constraints::default(),
        settings()[0],
    );
    let kept = |keep: &str| {
        let policy = Policy {
            keep: Keep::new(vec![keep.parse().unwrap()]).unwrap(),
            ..Policy::default()
        };
        let decision = Decision::new(&found, &policy, recipe.threshold).unwrap();
        (0..3).map(|u| decision.keeps(u)).collect::<Vec<_>>()
    };
    assert_eq!(kept("first"), [true, false, true]);
    assert_eq!(kept("none"), [false, false, false]);
    let clusters = Clusters::new(&found, recipe.threshold).unwrap();
    assert_eq!(clusters.list.len(), 1);
    assert!((clusters.list[0].density().unwrap() - 2.0 / 3.0).abs() < 1e-9);
}

#[test]
fn templates_with_hundreds_of_copies_are_decided_on_as_if_all_pairs_were_listed() {
    let mut state = 7_u64;
    let mut below = move |end: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    let texts: Vec<String> = (0..250)
        .map(|_| {
            let base = below(4);
            let mut words: Vec<String> = (0..30 + 5 * base)
                .map(|place| format!("b{base}x{}", place % 33))
                .collect();
            for _ in 0..below(8) {
                let at = below(words.len() as u64) as usize;
                match below(4) {
                    0 => words.truncate(at.max(10)),
                    1 => words.insert(at, format!("n{}", below(50))),
                    _ => words[at] = format!("n{}", below(50)),
                }
            }
            words.join(" ")
        })
        .collect();
    let source = Memory::new(&texts, 50);
    for name in ["copies", "sscr", "cosine"] {
        let recipe = Recipe::named(name)
            .unwrap()
            .with("threshold", "0.6")
            .unwrap();
        for keep in ["longest", "shortest", "first"] {
            let policy = Policy {
                keep: Keep::new(vec![keep.parse().unwrap()]).unwrap(),
                ..Policy::default()
            };
            let all = run(&source, &recipe, &Constraints::default(), settings()[0]);
            let expected = Decision::new(&all, &policy, recipe.threshold).unwrap();
            let listed = all.pairs().unwrap().pairs.len();
            assert!(listed > 200, "{name}: {listed} pairs");
            for setting in settings() {
                let setting = Setting {
                    tuning: Tuning {
                        listed: (200, 0),
                        ..setting.tuning
                    },
                    ..setting
                };
                let found = run_for(&source, &recipe, &policy, setting);
                let decision = Decision::new(&found, &policy, recipe.threshold).unwrap();
                let differs = (0..texts.len() as u32)
                    .find(|unit| decision.fate(*unit) != expected.fate(*unit));
                assert_eq!(differs, None, "{name} {keep} {setting:?}");
            }
        }
    }
}

#[test]
fn a_circle_among_colliding_shingles_is_decided_on_as_it_is_in_the_texts() {
    let texts = [
        "f g a",
        "f g a a c f a a c f",
        "a b f f a f a b a a",
        "e b f f a f g b a a",
    ];
    let recipe = Recipe::named("sscr-containment")
        .unwrap()
        .with("threshold", "0.3")
        .unwrap()
        .with("ngram", "2")
        .unwrap();
    let policy = Policy {
        keep: Keep::new(vec!["shortest".parse().unwrap()]).unwrap(),
        ..Policy::default()
    };
    let source = Memory::new(&texts, 2);
    let all = run(&source, &recipe, &Constraints::default(), settings()[0]);
    let expected = Decision::new(&all, &policy, recipe.threshold).unwrap();
    for setting in settings() {
        let setting = Setting {
            tuning: Tuning {
                listed: (0, 0),
                together: 1,
                ..setting.tuning
            },
            ..setting
        };
        let decision = Decision::new(
            &run_for(&source, &recipe, &policy, setting),
            &policy,
            recipe.threshold,
        )
        .unwrap();
        assert!(
            (0..4).all(|unit| decision.fate(unit) == expected.fate(unit)),
            "{setting:?}"
        );
    }
}
