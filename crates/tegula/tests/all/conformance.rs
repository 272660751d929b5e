//! What every recipe must do, whatever its method: one suite over all cards.

use crate::common::{Memory, Setting, edited, expanded, run, settings};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tegula::cluster::Clusters;
use tegula::constraint::Constraints;
use tegula::decide::{Decision, Keep, Policy};
use tegula::engine::Tuning;
use tegula::evidence::Findings;
use tegula::recipe::{Keys, Lengths, Measure, Recipe, cards};
use tegula::sketch::minwise::MinWiseKeys;
use tegula::sketch::super_shingle::SuperShingleKeys;
use tegula::threshold::{Score, Threshold};

/// Pairs of units with their scores.
type Scored = BTreeMap<(u32, u32), (u64, u64)>;

/// Texts over a small vocabulary with words of several classes, many of them edits of others.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let words = vec![
        "the", "rose", "is", "a", "garden", "he", "two", "very", "Ärger", "of", "blue", "house",
    ];
    edited(
        (words, 0..24),
        1..8,
        (0..7, 0..24),
        |kind, at, copy| match kind {
            0 => {}
            1 => copy.truncate(at),
            2 | 3 if !copy.is_empty() => copy[at] = "window",
            4 => copy.insert(at, "never"),
            5 if !copy.is_empty() => {
                copy.remove(at);
            }
            _ => copy.extend_from_within(..at),
        },
    )
}

/// All recipes that find pairs, in every measure that their keys can be given, at low thresholds,
/// with keys that do not depend on them.
fn recipes() -> Vec<Recipe> {
    let mut recipes: Vec<Recipe> = cards()
        .map(tegula::recipe::Card::recipe)
        .filter(|r| !r.measure.is_in_order())
        .map(|recipe| recipe.with("unit", "document").unwrap())
        .collect();
    let named = |name: &str| Recipe::named(name).unwrap();
    recipes.push(named("sketch").with("measure", "agreement").unwrap());
    recipes.push(named("super-shingle").with("measure", "agreement").unwrap());
    let minima = "{ type = 'min-wise', minima = 60, bands = 60, rows = 1 }";
    let keyed = |name: &str, keys: &str| named(name).with("keys", keys).unwrap();
    recipes.push(keyed("ssr-containment", minima).estimated().unwrap());
    recipes.push(keyed(
        "ssr",
        "{ type = 'super-modulo', modulus = 2, size = 2 }",
    ));
    recipes.push(keyed(
        "copies",
        "{ type = 'terms', count = 3, by = 'rocchio' }",
    ));
    recipes.push(named("i-match").with("measure", "resemblance").unwrap());
    recipes.push(
        named("simhash")
            .with("ngram", "1")
            .unwrap()
            .with("keys.weights", "tf-idf")
            .unwrap(),
    );
    recipes.push(
        named("sketch-mod")
            .with("measure", "resemblance-containment")
            .unwrap(),
    );
    recipes.push(
        named("revisions")
            .with("weights", "{ type = 'uncommon', most = 2 }")
            .unwrap(),
    );
    recipes.push(
        named("cosine")
            .with("keys", "{ type = 'terms', count = 3 }")
            .unwrap(),
    );
    recipes.push(
        named("simfinder")
            .with("keys", "{ type = 'words', size = 2 }")
            .unwrap(),
    );
    recipes.push(
        named("ssr")
            .with("select", "{ type = 'winnow', window = 3 }")
            .unwrap(),
    );
    recipes.push(
        named("ssr")
            .with("select", "{ type = 'every', nth = 2 }")
            .unwrap(),
    );
    recipes.push(
        named("ssr")
            .with("select", "{ type = 'modulo', modulus = 3 }")
            .unwrap(),
    );
    recipes.push(
        named("simfinder")
            .with("weights.length", "false")
            .unwrap()
            .with("weights.frequent", "high")
            .unwrap(),
    );
    for recipe in &mut recipes {
        if matches!(recipe.ngram, 4 | 5) {
            recipe.ngram = 2;
        }
        let low = if recipe.measure == Measure::Hamming {
            (48, 64)
        } else {
            (3, 10)
        };
        if recipe.measure != Measure::Equality {
            recipe.threshold = Threshold::new(low.0, low.1).unwrap();
        }
        match &mut recipe.keys {
            Some(Keys::MinWise(keys)) => {
                *keys = MinWiseKeys {
                    minima: 24,
                    bands: 8,
                    rows: 3,
                }
            }
            Some(Keys::SuperShingle(keys)) => {
                *keys = SuperShingleKeys {
                    minima: 24,
                    size: 4,
                }
            }
            Some(Keys::Modulo(keys)) => keys.modulus = 3,
            Some(Keys::Grams(keys)) => keys.features = 6,
            _ => {}
        }
        recipe.check().unwrap();
    }
    recipes
}

/// The same with clusters instead of every pair, where the recipe can.
fn transitive() -> Vec<Recipe> {
    let can = recipes().into_iter().map(|recipe| Recipe {
        transitive: true,
        ..recipe
    });
    can.filter(|recipe| recipe.check().is_ok()).collect()
}

fn found(texts: &[String], recipe: &Recipe) -> Findings {
    run(
        &Memory::new(texts, 3),
        recipe,
        &Constraints::default(),
        settings()[0],
    )
}

fn clusters(found: &Findings, threshold: Threshold) -> BTreeSet<BTreeSet<u32>> {
    let clusters = Clusters::new(found, threshold).unwrap();
    let mut members: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for unit in 0..found.units.len() as u32 {
        let cluster = clusters.of_group[found.groups.of_unit[unit as usize] as usize];
        if cluster != Clusters::NONE {
            members.entry(cluster).or_default().insert(unit);
        }
    }
    members.into_values().collect()
}

/// Equal as fractions.
fn same(a: &Scored, b: &Scored) -> bool {
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|((p, s), (q, t))| p == q && s.0 * t.1 == t.0 * s.1)
}

#[test]
fn every_recipe_is_in_the_suite() {
    let names: BTreeSet<String> = recipes().into_iter().map(|recipe| recipe.recipe).collect();
    for card in cards() {
        // Two recipes have no pairs: onion.rs, onion_source.rs and repeated.rs test them.
        assert!(
            names.contains(&card.name) || card.recipe().measure.is_in_order(),
            "{}",
            card.name
        );
    }
    assert!(transitive().len() >= 7);
}

#[test]
fn equal_texts_score_one_also_where_a_constraint_parts_them() {
    let long = "a garden is a garden and a rose is a rose whatever the two of them are called in the house";
    let texts: Vec<&str> = ["hi", "the the", "!!!", "12", "a rose is a rose", long]
        .iter()
        .flat_map(|text| [*text; 3])
        .collect();
    let mut source = Memory::new(&texts, 2);
    source.field = (0..texts.len())
        .map(|at| Some(["x", "y", "y"][at % 3].to_owned()))
        .collect();
    let across = Constraints {
        across: Some("f".parse().unwrap()),
        ..Constraints::default()
    };
    let within = Constraints {
        window: None,
        within: vec!["f".parse().unwrap()],
        ..Constraints::default()
    };
    let mut own = cards()
        .map(tegula::recipe::Card::recipe)
        .filter(|r| !r.measure.is_in_order())
        .collect::<Vec<_>>();
    own.extend(recipes());
    own.extend(transitive());
    for recipe in own {
        let found = run(&source, &recipe, &across, settings()[0]);
        let mut equal = 0;
        found
            .pairs()
            .unwrap()
            .for_each(|pair| {
                let [a, b] = [pair.a, pair.b]
                    .map(|group| texts[found.groups.first[group as usize] as usize]);
                if a == b {
                    let score = found.pairs().unwrap().score(&pair);
                    assert!(
                        score.part == score.whole && score.part > 0,
                        "{a}: {score:?} by {}",
                        recipe.to_toml().unwrap()
                    );
                    assert!(
                        found
                            .pairs()
                            .unwrap()
                            .admitted(&pair, recipe.threshold)
                            .is_some(),
                        "{}",
                        recipe.recipe
                    );
                    equal += 1;
                }
                Ok(())
            })
            .unwrap();
        // The two texts with one value are one group, which is a pair with the third.
        assert_eq!(equal, texts.len() / 3, "{}", recipe.to_toml().unwrap());
        let found = run(&source, &recipe, &within, settings()[0]);
        let split = |pair: tegula::pair::Pair| {
            let value = |group: u32| found.groups.first[group as usize].is_multiple_of(3);
            assert_eq!(value(pair.a), value(pair.b), "{}", recipe.recipe);
            Ok(())
        };
        found.pairs().unwrap().for_each(split).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, ..ProptestConfig::default() })]

    #[test]
    fn positions_of_the_most_bits_change_nothing(texts in texts()) {
        let source = Memory::new(&texts, 3);
        for recipe in recipes() {
            let of = |position_bits| {
                let tuning = Tuning { position_bits, ..Tuning::default() };
                let setting = Setting { tuning, ..settings()[0] };
                expanded(&run(&source, &recipe, &Constraints::default(), setting))
            };
            prop_assert_eq!(of(44), of(32), "{}", recipe.to_toml().unwrap());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, ..ProptestConfig::default() })]

    #[test]
    fn settings_change_nothing(texts in texts(), per_chunk in 1..5_usize) {
        let source = Memory::new(&texts, per_chunk);
        for recipe in recipes().into_iter().chain(transitive()) {
            let truth = run(&source, &recipe, &Constraints::default(), settings()[0]);
            let pairs = expanded(&truth);
            for setting in settings().into_iter().skip(1) {
                let other = run(&source, &recipe, &Constraints::default(), setting);
                prop_assert_eq!(&expanded(&other), &pairs, "{} {:?}", recipe.to_toml().unwrap(), setting);
                prop_assert_eq!(other.notes.candidates, truth.notes.candidates, "{} {:?}", recipe.to_toml().unwrap(), setting);
            }
        }
    }

    #[test]
    fn texts_that_are_too_short_might_as_well_not_be_there(texts in texts(), min_tokens in 1..12_u32) {
        let constraints = Constraints { min_tokens, ..Constraints::default() };
        for recipe in recipes().into_iter().chain(transitive()) {
            for setting in [settings()[0], settings()[3]] {
                let all = run(&Memory::new(&texts, 3), &recipe, &constraints, setting);
                let long: Vec<u32> =
                    (0..all.units.len() as u32).filter(|unit| all.units.tokens[*unit as usize] >= min_tokens).collect();
                let left: Vec<&String> = long.iter().map(|unit| &texts[*unit as usize]).collect();
                let alone = run(&Memory::new(&left, 3), &recipe, &Constraints::default(), setting);
                let original = |unit: u32| long[unit as usize];
                let expected: Scored =
                    expanded(&alone).into_iter().map(|((a, b), score)| ((original(a), original(b)), score)).collect();
                prop_assert!(same(&expanded(&all), &expected), "{} {setting:?}", recipe.recipe);
                let kept = |found: &Findings| -> Vec<bool> {
                    let decision = Decision::new(found, &Policy::default(), recipe.threshold).unwrap();
                    (0..found.units.len() as u32).map(|unit| decision.keeps(unit)).collect()
                };
                let (mut expected, alone) = (vec![true; texts.len()], kept(&alone));
                long.iter().zip(alone).for_each(|(unit, keeps)| expected[*unit as usize] = keeps);
                prop_assert_eq!(kept(&all), expected, "{} {:?}", &recipe.recipe, setting);
            }
        }
    }

    #[test]
    fn pairs_of_some_lengths_are_those_of_all(texts in texts(), limit in 1..90_u32) {
        for recipe in recipes().into_iter().filter(|recipe| recipe.check_effect("lengths").is_ok()) {
            let of = |lengths| Recipe { lengths, ..recipe.clone() };
            let is_short = |unit: u32| texts[unit as usize].len() <= limit as usize;
            for setting in [settings()[0], settings()[3]] {
                let memory = Memory::new(&texts, 3);
                let search = |recipe: &Recipe| run(&memory, recipe, &Constraints::default(), setting);
                // Long texts might as well not be there.
                let short: Vec<u32> = (0..texts.len() as u32).filter(|unit| is_short(*unit)).collect();
                let left: Vec<&String> = short.iter().map(|unit| &texts[*unit as usize]).collect();
                let alone = run(&Memory::new(&left, 3), &recipe, &Constraints::default(), setting);
                let original = |unit: u32| short[unit as usize];
                let expected: Scored =
                    expanded(&alone).into_iter().map(|((a, b), score)| ((original(a), original(b)), score)).collect();
                prop_assert!(same(&expanded(&search(&of(Lengths::UpTo(limit)))), &expected), "{} {setting:?}", recipe.recipe);
                // The others are the pairs with a long text.
                let found = search(&of(Lengths::Above(limit)));
                let mut expected = expanded(&search(&recipe));
                expected.retain(|(a, b), _| !is_short(*a) || !is_short(*b));
                let pairs = expanded(&found);
                prop_assert!(same(&pairs, &expected), "{} {setting:?}", recipe.recipe);
                let decision = Decision::new(&found, &Policy::default(), recipe.threshold).unwrap();
                for unit in 0..texts.len() as u32 {
                    if let Some(witness) = decision.fate(unit).because_of() {
                        prop_assert!(decision.keeps(witness) && pairs.contains_key(&(unit.min(witness), unit.max(witness))));
                        prop_assert!(!is_short(witness), "a short witness may be removed by a later stage");
                    }
                }
                if !recipe.measure.is_directed() {
                    let both_kept = pairs.keys().find(|(a, b)| decision.keeps(*a) && decision.keeps(*b));
                    prop_assert_eq!(both_kept, None, "{} {:?}", &recipe.recipe, setting);
                }
            }
        }
    }

    #[test]
    fn the_order_of_the_texts_changes_nothing(texts in texts(), keys in prop::collection::vec(any::<u32>(), 40)) {
        let mut order: Vec<u32> = (0..texts.len() as u32).collect();
        order.sort_by_key(|at| keys[*at as usize]);
        let moved: Vec<String> = order.iter().map(|at| texts[*at as usize].clone()).collect();
        for recipe in recipes().into_iter().chain(transitive()) {
            let (here, there) = (found(&texts, &recipe), found(&moved, &recipe));
            let back = |at: u32| order[at as usize];
            let of = clusters(&there, recipe.threshold).into_iter().map(|cluster| cluster.into_iter().map(back).collect());
            prop_assert_eq!(clusters(&here, recipe.threshold), of.collect::<BTreeSet<BTreeSet<u32>>>(), "{}", recipe.recipe);
            if !recipe.transitive {
                let of = expanded(&there).into_iter();
                let pairs: Scored = of.map(|((a, b), score)| ((back(a).min(back(b)), back(a).max(back(b))), score)).collect();
                prop_assert!(same(&expanded(&here), &pairs), "{}", recipe.to_toml().unwrap());
            }
        }
    }

    #[test]
    fn a_higher_threshold_leaves_the_pairs_that_reach_it(texts in texts(), percent in 31..=100_u32) {
        for recipe in recipes().into_iter().filter(|recipe| recipe.measure != Measure::Equality) {
            let numerator = if recipe.measure == Measure::Hamming { percent.max(75) } else { percent };
            let high = Recipe { threshold: Threshold::new(numerator, 100).unwrap(), ..recipe.clone() };
            let of_group = found(&texts, &recipe).groups.of_unit;
            let mut low = expanded(&found(&texts, &recipe));
            // Equal texts are a pair at any threshold.
            low.retain(|(a, b), score| {
                of_group[*a as usize] == of_group[*b as usize] || recipe.measure.admits(high.threshold, Score { part: score.0, whole: score.1 })
            });
            prop_assert_eq!(expanded(&found(&texts, &high)), low, "{}", high.to_toml().unwrap());
        }
    }

    #[test]
    fn evidence_cut_at_a_higher_threshold_is_decided_as_that_of_a_fresh_run(
        texts in texts(),
        values in prop::collection::vec(prop::sample::select(vec!["x", "y"]), 40),
        (own, percent) in (1..40_usize, 31..=100_u32),
        (across, references) in any::<(bool, bool)>(),
        per in any::<bool>(),
        keep in prop::sample::select(vec!["longest", "last", "none"]),
    ) {
        let mut source = Memory::in_two_files(&texts, own.min(texts.len()), 3);
        source.field = values.iter().take(texts.len()).map(|value| Some((*value).to_owned())).collect();
        source.field.resize(texts.len(), None);
        let field = || "f".parse().unwrap();
        let constraints = Constraints {
            across: across.then(field),
            references_from: references.then_some(1),
            ..Constraints::default()
        };
        let policy = Policy { keep: Keep::new(vec![keep.parse().unwrap()]).unwrap(), keep_per: per.then(field), ..Policy::default() };
        for recipe in recipes().into_iter().filter(|recipe| recipe.measure != Measure::Equality) {
            let numerator = if recipe.measure == Measure::Hamming { percent.max(75) } else { percent };
            let high = Recipe { threshold: Threshold::new(numerator, 100).unwrap(), ..recipe.clone() };
            let stored = run(&source, &recipe, &constraints, settings()[0]);
            let fresh = run(&source, &high, &constraints, settings()[0]);
            let of = |found: &Findings| Decision::new(found, &policy, high.threshold).unwrap();
            let (again, anew) = (of(&stored), of(&fresh));
            for unit in 0..texts.len() as u32 {
                prop_assert_eq!(again.fate(unit), anew.fate(unit), "{} of {:?} by {}", unit, texts, high.to_toml().unwrap());
            }
            prop_assert_eq!(clusters(&stored, high.threshold), clusters(&fresh, high.threshold), "{}", high.recipe);
            let scored = stored.pairs().unwrap();
            let admitted = |pair| scored.admitted(&pair, high.threshold);
            let mut reached = 0;
            scored.for_each(|pair| {
                if let Some(score) = admitted(pair) {
                    assert!(score.part <= score.whole, "{}: {score:?}", recipe.recipe);
                    let turned = scored.scoring().turned(&pair);
                    assert_eq!(scored.score(&turned), score, "{}", recipe.recipe);
                    reached += 1;
                }
                Ok(())
            }).unwrap();
            prop_assert_eq!(reached, fresh.pairs().unwrap().pairs.len(), "{}", recipe.recipe);
        }
    }

    #[test]
    fn what_survives_loses_nothing_in_a_second_run(texts in texts()) {
        let onion = Recipe::named("onion").unwrap().with("ngram", "2").unwrap().with("onion.smooth", "false").unwrap();
        for recipe in recipes().into_iter().chain(transitive()).chain([onion]).filter(|recipe| !recipe.needs_statistics() && !recipe.measure.needs_rarity()) {
            let first = found(&texts, &recipe);
            let decision = Decision::new(&first, &Policy::default(), recipe.threshold).unwrap();
            let kept: Vec<String> = (0..).zip(&texts).filter(|(at, _)| decision.keeps(*at)).map(|(_, text)| text.clone()).collect();
            prop_assert!(!kept.is_empty());
            let second = found(&kept, &recipe);
            let decision = Decision::new(&second, &Policy::default(), recipe.threshold).unwrap();
            prop_assert!((0..kept.len() as u32).all(|unit| decision.keeps(unit)), "{}", recipe.to_toml().unwrap());
        }
    }

    #[test]
    fn clusters_are_the_same_whether_or_not_each_pair_is_compared(texts in texts()) {
        for recipe in transitive() {
            let some = found(&texts, &recipe);
            let all = found(&texts, &Recipe { transitive: false, ..recipe.clone() });
            prop_assert_eq!(clusters(&some, recipe.threshold), clusters(&all, recipe.threshold), "{}", recipe.recipe);
            let (some_pairs, all_pairs) = (expanded(&some), expanded(&all));
            prop_assert!(some_pairs.iter().all(|(pair, score)| all_pairs.get(pair) == Some(score)));
            let (some, all) = (some.notes.candidates.unwrap(), all.notes.candidates.unwrap());
            prop_assert_eq!((some.generated, all.skipped), (all.generated, 0));
            prop_assert_eq!(some.compared + some.skipped, some.generated, "{}", recipe.recipe);
        }
    }
}

#[test]
fn a_cluster_of_twenty_is_compared_nineteen_times() {
    let texts: Vec<String> = (0..20)
        .map(|i| format!("the rose in the garden of house number {i}x"))
        .collect();
    let recipe = Recipe::named("simfinder")
        .unwrap()
        .with("transitive", "true")
        .unwrap()
        .with("threshold", "0.3")
        .unwrap();
    let recipe = recipe.with("keys", "{ type = 'words', size = 2 }").unwrap();
    for setting in settings() {
        let found = run(
            &Memory::new(&texts, 3),
            &recipe,
            &Constraints::default(),
            setting,
        );
        let candidates = found.notes.candidates.unwrap();
        assert_eq!(
            (
                candidates.generated,
                candidates.compared,
                candidates.skipped
            ),
            (190, 19, 171),
            "{setting:?}"
        );
        assert_eq!(
            (
                clusters(&found, recipe.threshold).len(),
                found.pairs().unwrap().pairs.len()
            ),
            (1, 19)
        );
    }
}

#[test]
fn frequent_keys_generate_no_candidates_if_the_recipe_says_so() {
    // Five texts share "all of them"; two of these share "only two" besides.
    let texts = [
        "a1 all of them only two",
        "a2 all of them only two",
        "a3 all of them",
        "a4 all of them",
        "a5 all of them",
    ];
    let texts = texts.map(str::to_owned);
    let recipe = Recipe::named("ssr")
        .unwrap()
        .with("ngram", "1")
        .unwrap()
        .with("threshold", "0.1")
        .unwrap();
    let recipe = recipe.with("keys", "{ type = 'words', size = 2 }").unwrap();
    for (common, candidates) in [("0", 10), ("5", 10), ("4", 1), ("2", 1), ("1", 0)] {
        let recipe = recipe.with("common", common).unwrap();
        for setting in settings() {
            let found = run(
                &Memory::new(&texts, 2),
                &recipe,
                &Constraints::default(),
                setting,
            );
            assert_eq!(
                found.notes.candidates.unwrap().generated,
                candidates,
                "{common} {setting:?}"
            );
        }
    }
}
