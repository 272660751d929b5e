//! Rescored pairs: known answers, and brute force over random texts.

use crate::common::{Memory, run, settings};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tegula::constraint::Constraints;
use tegula::engine::rescore::{levenshtein_ratio, unmasked_score};
use tegula::evidence::Findings;
use tegula::evidence::Millionths;
use tegula::recipe::{Recipe, Unmasked};
use tegula::threshold::Score;

/// By pair of units: the score, the Levenshtein ratio and the score without masks, the last two in
/// millionths.
type Looked = BTreeMap<(u32, u32), (f64, Option<u64>, Option<u64>)>;

fn looked(found: &Findings) -> Looked {
    let mut all = BTreeMap::new();
    let millionths =
        |value: Option<Millionths>| value.map(|value| (value.as_f64() * 1e6).round() as u64);
    let mut put = |group_a: u32, group_b: u32, a: u32, b: u32, score: f64| {
        let seen = found
            .pairs()
            .unwrap()
            .rescored
            .as_ref()
            .and_then(|look| look.of(group_a, group_b));
        let seen = seen.map_or((None, None), |seen| {
            (millionths(seen.levenshtein), millionths(seen.unmasked))
        });
        assert!(
            all.insert((a.min(b), a.max(b)), (score, seen.0, seen.1))
                .is_none(),
            "{a} and {b} came twice"
        );
    };
    let groups = &found.groups;
    found
        .pairs()
        .unwrap()
        .for_each(|pair| {
            let score = found.pairs().unwrap().score(&pair).as_f64();
            for a in groups.members(pair.a) {
                groups
                    .members(pair.b)
                    .iter()
                    .for_each(|b| put(pair.a, pair.b, *a, *b, score));
            }
            Ok(())
        })
        .unwrap();
    for group in 0..groups.len() as u32 {
        let members = groups.members(group);
        for (at, a) in members.iter().enumerate() {
            members[at + 1..]
                .iter()
                .for_each(|b| put(group, group, *a, *b, 1.0));
        }
    }
    all
}

fn find(texts: &[impl AsRef<str>], recipe: &Recipe) -> Looked {
    looked(&run(
        &Memory::new(texts, 2),
        recipe,
        &Constraints::default(),
        settings()[0],
    ))
}

fn set(recipe: &Recipe, fields: &[(&str, &str)]) -> Recipe {
    fields.iter().fold(recipe.clone(), |recipe, (key, value)| {
        recipe.with(key, value).unwrap()
    })
}

fn messages() -> Recipe {
    Recipe::named("messages").unwrap()
}

/// Flamming's example: Juli becomes Kulio by two edits, and 3 of 5 characters stay.
#[test]
fn juli_and_kulio_pass_up_to_three_fifths() {
    let recipe = set(&messages(), &[("ngram", "1"), ("threshold", "0.5")]);
    let passes = |ratio| find(&["Juli", "Kulio"], &set(&recipe, &[("levenshtein", ratio)]));
    assert_eq!(
        passes("0.6"),
        BTreeMap::from([((0, 1), (0.5, Some(600_000), Some(500_000)))])
    );
    assert_eq!(passes("0.61"), BTreeMap::new());
}

#[test]
fn messages_that_differ_in_what_is_masked_are_a_pair_and_not_one_text() {
    let texts = [
        "Your code is 123456, see http://a.example/x",
        "Your code is 123456, see http://b.example/y",
        "your code is 123456, see http://a.example/x",
    ];
    let show = set(&messages(), &[("unmasked", "show")]);
    let found = find(&texts, &show);
    let (score, ratio, unmasked) = found[&(0, 1)];
    assert_eq!((score, ratio), (1.0, None));
    let expected = unmasked_score(&show, texts[0], texts[1]).unwrap().unwrap();
    assert_eq!(unmasked, Some(expected.part * 1_000_000 / expected.whole));
    assert!(unmasked < Some(900_000), "{unmasked:?}");
    // Equal in everything: one group.
    assert_eq!(found[&(0, 2)], (1.0, None, Some(1_000_000)));
    assert_eq!(
        find(&texts, &set(&show, &[("unmasked", "0.95")]))
            .into_keys()
            .collect::<Vec<_>>(),
        [(0, 2)]
    );
    let ignored = find(&texts, &set(&show, &[("unmasked", "ignore")]));
    assert_eq!(
        ignored.into_values().collect::<Vec<_>>(),
        [(1.0, None, None); 3]
    );
}

#[test]
fn two_phone_numbers_are_two_messages_where_the_threshold_says_so() {
    let texts = ["Call me at 13800138000", "Call me at 13699245511"];
    let strict = set(&messages(), &[("unmasked", "0.8")]);
    assert!(find(&texts, &strict).is_empty());
    let found = find(&texts, &set(&strict, &[("unmasked", "show")]));
    let (score, ratio, unmasked) = found[&(0, 1)];
    assert_eq!((score, ratio), (1.0, None));
    assert!(unmasked < Some(800_000), "{unmasked:?}");
}

#[test]
fn thresholds_are_refused_where_there_are_no_pairs_to_look_at_or_some_are_skipped() {
    let refused = |recipe: Recipe, key: &str, value: &str| {
        recipe.with(key, value).unwrap_err().message().contains(key)
    };
    assert!(refused(
        Recipe::named("exact").unwrap(),
        "levenshtein",
        "0.9"
    ));
    let transitive = set(
        &Recipe::named("simfinder").unwrap(),
        &[("transitive", "true")],
    );
    assert!(refused(transitive.clone(), "levenshtein", "0.9"));
    assert_eq!(
        set(&transitive, &[("unmasked", "show")]).unmasked,
        Unmasked::Show
    );
    for value in ["0", "2", "never"] {
        assert!(refused(messages(), "unmasked", value), "{value}");
    }
}

/// The definition of the edit distance, cell by cell.
fn distance(a: &[char], b: &[char]) -> u64 {
    let mut table = vec![vec![0_u64; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                (i + j) as u64
            } else {
                let replaced = table[i - 1][j - 1] + u64::from(a[i - 1] != b[j - 1]);
                replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1)
            };
        }
    }
    table[a.len()][b.len()]
}

/// Words in lower case with single spaces between.
fn plain(text: &str) -> Vec<char> {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn pairs_are_those_whose_edit_distance_a_plain_table_gives(
        texts in prop::collection::vec("((aa|ab|bac|cba|dé|e) {1,2}){1,9}", 2..9),
        numerator in 8..=20_u32,
    ) {
        let base = set(&Recipe::named("ssr").unwrap(), &[("ngram", "2"), ("threshold", "0.2")]);
        let all = find(&texts, &base);
        let recipe = set(&base, &[("levenshtein", &format!("{numerator}/20"))]);
        let mut truth = BTreeMap::new();
        for ((a, b), (score, ..)) in all {
            let (left, right) = (plain(&texts[a as usize]), plain(&texts[b as usize]));
            let longer = left.len().max(right.len()) as u64;
            let part = longer - distance(&left, &right);
            if part * 20 >= u64::from(numerator) * longer {
                truth.insert((a, b), (score, Some(part * 1_000_000 / longer), None));
            }
            let normaliser = recipe.check().unwrap();
            let shown = levenshtein_ratio(&normaliser, &texts[a as usize], &texts[b as usize]);
            prop_assert_eq!(shown, Score { part, whole: longer });
        }
        for setting in settings() {
            let found = looked(&run(&Memory::new(&texts, 2), &recipe, &Constraints::default(), setting));
            prop_assert_eq!(&found, &truth, "{:?}", setting);
        }
    }

    #[test]
    fn scores_without_masks_are_those_of_plain_sets(
        texts in prop::collection::vec("((one|two|ann@b\\.de|www\\.a\\.de|www\\.b\\.de|08001234567|08007654321) ){1,8}", 2..9),
        numerator in 1..=20_u32,
        words in any::<bool>(),
    ) {
        let preset = if words { "message-words" } else { "messages" };
        let steps = tegula::text::normalise::Normalisation::preset(preset).unwrap();
        let shown = Recipe { normalise: steps, unmasked: Unmasked::Show, ngram: 2, ..Recipe::named("ssr").unwrap() };
        let shown = set(&shown, &[("threshold", "0.3")]);
        let recipe = set(&shown, &[("unmasked", &format!("{numerator}/20"))]);
        // All pairs under masks: those of a run that does not look beneath.
        let masked = find(&texts, &set(&shown, &[("unmasked", "ignore")]));
        // Texts have no marks but `.` and `@`, which part words and are characters of their own.
        let shingles = |text: &str| -> BTreeSet<Vec<String>> {
            let tokens: Vec<String> = if words {
                text.split([' ', '.', '@']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
            } else {
                text.chars().filter(|c| *c != ' ').map(String::from).collect()
            };
            tokens.windows(2.min(tokens.len())).map(<[String]>::to_vec).collect()
        };
        let mut truth = BTreeMap::new();
        for ((a, b), (score, ..)) in masked {
            let (left, right) = (shingles(&texts[a as usize]), shingles(&texts[b as usize]));
            let (part, whole) = (left.intersection(&right).count() as u64, left.union(&right).count() as u64);
            truth.insert((a, b), (score, part, whole));
        }
        for setting in settings() {
            let source = Memory::new(&texts, 2);
            let all = looked(&run(&source, &shown, &Constraints::default(), setting));
            let expected: Looked =
                truth.iter().map(|(pair, (score, part, whole))| (*pair, (*score, None, Some(part * 1_000_000 / whole)))).collect();
            prop_assert_eq!(&all, &expected, "{:?}", setting);
            let some = looked(&run(&source, &recipe, &Constraints::default(), setting));
            let passes = |part: u64, whole: u64| part * 20 >= u64::from(numerator) * whole;
            // Pairs without a mask are left to the recipe's own threshold.
            let normaliser = recipe.check().unwrap();
            let masked = |unit: u32| {
                let mut any = false;
                normaliser.for_each(&texts[unit as usize], |token| any |= token.starts_with('‹'));
                any
            };
            let stays = |pair: &(u32, u32)| {
                passes(truth[pair].1, truth[pair].2) || !(masked(pair.0) || masked(pair.1))
            };
            let expected: Looked = expected.into_iter().filter(|(pair, _)| stays(pair)).collect();
            prop_assert_eq!(&some, &expected, "{:?}", setting);
        }
    }
}
