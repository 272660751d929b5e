//! Every complete recipe finds what brute force finds, under every setting that must not matter.

use crate::common::{
    Memory, context, edited, expanded, job, lowered, oracle, rarity_oracle, run, settings,
    shingle_counts,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tegula::constraint::Constraints;
use tegula::engine::bad_records::FailOnBad;
use tegula::engine::{Job, find};
use tegula::recipe::{FingerprintKind, Measure, Recipe};

const RECIPES: [&str; 4] = ["sscr", "ssr", "sscr-containment", "ssr-containment"];

/// Texts over a small vocabulary, many of them edits, halves, repetitions and copies of others.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let words = vec!["a", "b", "c", "d", "e", "ä", "2", "is"];
    edited(
        (words, 0..30),
        1..8,
        (0..8, 0..16),
        |kind, at, copy| match kind {
            0 => {}
            1 => copy.truncate(at),
            2 if !copy.is_empty() => copy[at] = "x",
            3 => copy.insert(at, "y"),
            4 => copy.extend(["x"; 12]),
            5 => {
                let again = copy.clone();
                copy.extend(again);
            }
            6 if !copy.is_empty() => {
                copy.remove(at);
            }
            _ => *copy = copy.split_off(at),
        },
    )
}

/// Scores may be reduced differently; compare as fractions.
fn same(
    found: &BTreeMap<(u32, u32), (u64, u64)>,
    truth: &BTreeMap<(u32, u32), (u64, u64)>,
) -> bool {
    found.len() == truth.len()
        && found
            .iter()
            .zip(truth)
            .all(|((p, s), (q, t))| p == q && s.0 * t.1 == t.0 * s.1)
}

/// A recipe of weighted shingles, and nothing else by which pairs are dropped.
fn rarity(measure: &str, n: usize, threshold: &str, (numbers, most): (u64, u64)) -> Recipe {
    let recipe = Recipe::named("revisions").unwrap();
    let weights = match most {
        0 => format!("{{ type = 'rarity', numbers = {numbers} }}"),
        _ => format!("{{ type = 'uncommon', most = {most} }}"),
    };
    [
        ("measure", measure),
        ("ngram", &n.to_string()),
        ("threshold", threshold),
        ("thresholds", "'none'"),
        ("missing_numbers", "'none'"),
        ("weights", &weights),
    ]
    .iter()
    .fold(recipe, |recipe, (field, value)| {
        recipe.with(field, value).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn complete_recipes_equal_brute_force(
        texts in texts(),
        n in 1..=10_usize,
        threshold in prop::sample::select(vec![("0.1", (1, 10)), ("0.3", (3, 10)), ("0.5", (1, 2)), ("0.8", (4, 5)), ("0.95", (19, 20)), ("1", (1, 1))]),
        per_chunk in 1..5_usize,
    ) {
        let source = Memory::new(&texts, per_chunk);
        for name in RECIPES {
            let recipe = Recipe::named(name).unwrap().with("ngram", &n.to_string()).unwrap().with("threshold", threshold.0).unwrap();
            let truth = oracle(&texts, recipe.measure, n, threshold.1, |_, _| true);
            for setting in settings() {
                let found = expanded(&run(&source, &recipe, &Constraints::default(), setting));
                prop_assert!(same(&found, &truth), "{name} {setting:?}\nfound {found:?}\ntruth {truth:?}");
            }
        }
    }

    #[test]
    fn frequent_shingles_find_no_pairs_but_count(
        texts in texts(),
        n in 1..=4_usize,
        most in 1..6_u32,
        threshold in prop::sample::select(vec![("0.1", (1, 10)), ("0.5", (1, 2)), ("0.8", (4, 5))]),
        per_chunk in 1..5_usize,
    ) {
        let source = Memory::new(&texts, per_chunk);
        let words: Vec<Vec<String>> = texts.iter().map(|text| text.split_whitespace().map(str::to_lowercase).collect()).collect();
        let distinct: BTreeSet<_> = words.iter().collect();
        let mut having: BTreeMap<&[String], u32> = BTreeMap::new();
        for words in distinct {
            for shingle in words.windows(n).collect::<BTreeSet<_>>() {
                *having.entry(shingle).or_default() += 1;
            }
        }
        let rare = |at: usize| words[at].windows(n).filter(|shingle| having[shingle] <= most).collect::<BTreeSet<_>>();
        for name in RECIPES {
            let recipe = Recipe::named(name).unwrap().with("ngram", &n.to_string()).unwrap().with("threshold", threshold.0).unwrap();
            let recipe = recipe.with("common", &most.to_string()).unwrap();
            let truth = oracle(&texts, recipe.measure, n, threshold.1, |a, b| words[a] == words[b] || !rare(a).is_disjoint(&rare(b)));
            for setting in settings() {
                let found = expanded(&run(&source, &recipe, &Constraints::default(), setting));
                prop_assert!(same(&found, &truth), "{name} {setting:?}\nfound {found:?}\ntruth {truth:?}");
            }
        }
    }

    #[test]
    fn rarity_equals_brute_force(
        texts in texts(),
        n in 1..=6_usize,
        threshold in prop::sample::select(vec![("0.1", (1, 10)), ("0.5", (1, 2)), ("2/3", (2, 3)), ("0.8", (4, 5)), ("1", (1, 1))]),
        numbers in prop::sample::select(vec![(1, 0), (3, 0), (8, 0), (1, 1), (1, 2), (1, 3)]),
        (lost, first, rate) in prop::sample::select(vec![
            ("none", (0, 0), 0),
            ("1/8 for 1 in 10", (0, 0), 1),
            ("0.5 for all of first 3", (4, 3), 0),
            ("1/4 for all of first 5, 1/4 for 1 in 10", (2, 5), 2),
        ]),
        per_chunk in 1..5_usize,
    ) {
        let source = Memory::new(&texts, per_chunk);
        for measure in ["rarity-containment", "rarity-dice", "rarity-mean"] {
            let recipe = rarity(measure, n, threshold.0, numbers);
            let recipe = recipe.with("missing_numbers", &format!("'{lost}'")).unwrap();
            let truth = rarity_oracle(&texts, &texts, recipe.measure, n, threshold.1, numbers);
            let truth = lowered(&texts, truth, (first, rate), threshold.1);
            for setting in settings() {
                let found = expanded(&run(&source, &recipe, &Constraints::default(), setting));
                prop_assert!(same(&found, &truth), "{measure} {setting:?}\nfound {found:?}\ntruth {truth:?}");
            }
        }
    }

    #[test]
    fn rarity_in_another_collection_equals_brute_force(
        (texts, others) in (texts(), texts()),
        n in 1..=4_usize,
        threshold in prop::sample::select(vec![("0.2", (1, 5)), ("4/7", (4, 7)), ("0.8", (4, 5))]),
        numbers in prop::sample::select(vec![(1, 0), (4, 0), (1, 2)]),
        per_chunk in 1..5_usize,
        is_part in any::<bool>(),
    ) {
        let collection = if is_part { [&texts[..texts.len() / 2], &others].concat() } else { others };
        let (source, counted) = (Memory::new(&texts, per_chunk), Memory::new(&collection, per_chunk));
        for measure in ["rarity-containment", "rarity-dice", "rarity-mean"] {
            let recipe = rarity(measure, n, threshold.0, numbers);
            let truth = rarity_oracle(&texts, &collection, recipe.measure, n, threshold.1, numbers);
            for setting in settings() {
                let statistics = shingle_counts(&counted, &recipe, setting);
                let constraints = Constraints::default();
                let job = Job { statistics: Some(&statistics), ..job(&source, &recipe, &constraints, setting.tuning) };
                let found = expanded(&find(&context(setting), job, &mut FailOnBad).unwrap());
                prop_assert!(same(&found, &truth), "{measure} {setting:?}\nfound {found:?}\ntruth {truth:?}");
            }
        }
    }

    #[test]
    fn constraints_equal_a_filter_on_brute_force(
        texts in texts(),
        values in prop::collection::vec(prop::option::of(0..3_u8), 40),
        kind in 0..3_u8,
    ) {
        let mut source = Memory::new(&texts, 3);
        source.field = (0..texts.len()).map(|i| values[i % values.len()].map(|v| format!("2020-01-{:02}", 1 + 2 * v))).collect();
        let mut constraints = Constraints::default();
        let key: tegula::field::FieldKey = "f".parse().unwrap();
        let value = |i: usize| values[i % values.len()];
        match kind {
            0 => constraints.within.push(key),
            1 => constraints.across = Some(key),
            _ => constraints.window = Some((key, 2)),
        }
        let allow = |a: usize, b: usize| match kind {
            0 => value(a) == value(b),
            1 => value(a) != value(b),
            _ => match (value(a), value(b)) {
                (Some(a), Some(b)) => a.abs_diff(b) <= 1,
                (a, b) => a == b,
            },
        };
        for name in ["sscr", "ssr-containment", "exact"] {
            let recipe = Recipe::named(name).unwrap().with("ngram", "3").unwrap().with("threshold", "0.5").unwrap();
            let truth = oracle(&texts, recipe.measure, 3, (1, 2), allow);
            for setting in settings() {
                let found = expanded(&run(&source, &recipe, &constraints, setting));
                prop_assert!(same(&found, &truth), "{name} {setting:?}\nfound {found:?}\ntruth {truth:?}");
            }
        }
    }

    #[test]
    fn rabin_bounds_lose_nothing_and_validation_leaves_nothing_false(texts in texts(), n in 1..6_usize) {
        // A small prime makes most fingerprints collide.
        let source = Memory::new(&texts, 3);
        for name in RECIPES {
            let recipe = Recipe::named(name).unwrap().with("ngram", &n.to_string()).unwrap().with("threshold", "0.7").unwrap();
            let mut recipe = recipe.with("normalise", "{ digits = 'number', boundaries = 'alphanumeric', case = 'upper', non_ascii = 'delete' }").unwrap();
            let truth = expanded(&run(&source, &recipe, &Constraints::default(), settings()[0]));
            recipe.fingerprint = FingerprintKind::Rabin { modulus: 13 };
            for setting in settings() {
                let found = run(&source, &recipe, &Constraints::default(), setting);
                prop_assert!(found.notes.validation.is_some());
                let found = expanded(&found);
                prop_assert!(same(&found, &truth), "{name} {setting:?}\nfound {found:?}\ntruth {truth:?}");
            }
        }
    }
}

#[test]
fn the_papers_example_has_its_figures() {
    // Kupietz, example 1, with UND (22 tokens) and without (21); the printed WOCHEN stands for the
    // text's WOCHE.
    let with = [
        "dieter rulff freier journalist berlin langen jahren taz zuletzt leitender redakteur wochenzeitung wochen interesse gilt seit langem entwicklung deutschen innen und parteipolitik",
        "dieter rulff freier journalist berlin vielen jahren taz zuletzt leitender redakteur zeitung wochen interesse gilt seit langem entwicklung deutschen innen und parteipolitik",
    ];
    let without: Vec<String> = with.iter().map(|t| t.replace(" und ", " ")).collect();
    for (texts, ssr, sscr) in [
        (with.map(str::to_owned).to_vec(), (8, 28), (40, 44)),
        (without, (7, 27), (38, 42)),
    ] {
        for (name, expected) in [("ssr", ssr), ("sscr", sscr)] {
            let recipe = Recipe::named(name)
                .unwrap()
                .with("threshold", "0.1")
                .unwrap();
            for setting in settings() {
                let found = expanded(&run(
                    &Memory::new(&texts, 1),
                    &recipe,
                    &Constraints::default(),
                    setting,
                ));
                assert_eq!(found[&(0, 1)], expected, "{name}");
            }
        }
    }
}

#[test]
fn coverage_can_be_below_resemblance_where_shingles_repeat() {
    // Kupietz claims sscr ≥ ssr; ten shared words before a thousand repeated ones show that it does
    // not hold.
    let shared = "a b c d e f g h i j";
    let texts = [format!("{shared}{}", " x".repeat(1000)), shared.to_owned()];
    for (name, expected) in [("ssr", (6, 11)), ("sscr", (20, 1020))] {
        let recipe = Recipe::named(name)
            .unwrap()
            .with("threshold", "0.001")
            .unwrap();
        let found = expanded(&run(
            &Memory::new(&texts, 1),
            &recipe,
            &Constraints::default(),
            settings()[0],
        ));
        assert_eq!(found[&(0, 1)], expected, "{name}");
    }
}

#[test]
fn a_template_in_many_copies_stays_linear() {
    let texts: Vec<String> = (0..20_000)
        .map(|i| {
            if i % 1000 == 0 {
                format!("text number {i} stands alone")
            } else {
                "the same words in every copy".into()
            }
        })
        .collect();
    let recipe = Recipe::named("sscr").unwrap();
    let found = run(
        &Memory::new(&texts, 100),
        &recipe,
        &Constraints::default(),
        settings()[0],
    );
    assert_eq!(found.groups.len(), 21);
    assert_eq!(found.pairs().unwrap().pairs.len(), 0);
    assert_eq!(
        found.pairs().unwrap().scoring().measure(),
        Measure::Coverage
    );
}
