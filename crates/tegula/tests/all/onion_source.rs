//! Onion over a source: every setting gives what sets of words give, with references, fields, short
//! units and stages.

use crate::common::{Memory, context, job, run, settings};
use proptest::prelude::*;
use std::collections::BTreeSet;
use tegula::constraint::Constraints;
use tegula::decide::{Decision, Fate, Policy};
use tegula::engine;
use tegula::engine::bad_records::FailOnBad;
use tegula::onion;
use tegula::recipe::Recipe;
use tegula::stage_input::{RemovedUnits, StageInput};

/// Whether each paragraph is removed, and how many of its words were previously seen; `of` gives the
/// texts that are not compared with each other.
fn brute_force(
    texts: &[String],
    n: usize,
    of: impl Fn(usize) -> u8,
    exact: bool,
    smooth: bool,
) -> Vec<(u32, bool)> {
    let mut kept: BTreeSet<(u8, Vec<String>)> = BTreeSet::new();
    let mut out = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let class = of(number);
        let mut here: BTreeSet<(u8, Vec<String>)> = BTreeSet::new();
        let (mut all, mut verdicts, mut grams) = (Vec::<String>::new(), Vec::new(), Vec::new());
        for paragraph in text
            .split("\n\n")
            .filter(|paragraph| !paragraph.trim().is_empty())
        {
            let words: Vec<String> = paragraph.split_whitespace().map(str::to_owned).collect();
            let start = all.len();
            let mut seen = vec![false; words.len()];
            let mut mine = Vec::new();
            all.extend(words.iter().cloned());
            for end in start + 1..=all.len() {
                if end >= n {
                    let gram = (class, all[end - n..end].to_vec());
                    if kept.contains(&gram) || here.contains(&gram) {
                        seen[(end - n).max(start) - start..end - start].fill(true);
                    }
                    here.insert(gram.clone());
                    mine.push(gram);
                }
            }
            if exact && words.len() < n {
                let gram = (class, words.clone());
                if kept.contains(&gram) || here.contains(&gram) {
                    seen.fill(true);
                }
                here.insert(gram.clone());
                mine.push(gram);
            }
            let count = seen.iter().filter(|seen| **seen).count();
            verdicts.push((words.len(), count as u32, 2 * count > words.len()));
            grams.push(mine);
        }
        // The default stub is longer than any text here: whatever is kept between others, or at
        // an edge beside one, is removed too.
        let whole: usize = verdicts.iter().map(|(words, ..)| words).sum();
        let all_are_removed = smooth && whole <= 20;
        for ((_, seen, is_removed), mine) in verdicts.iter().zip(grams) {
            let is_removed = *is_removed || all_are_removed;
            if !is_removed {
                kept.extend(mine);
            }
            out.push((*seen, is_removed));
        }
    }
    out
}

fn recipe(n: usize, exact: bool, smooth: bool) -> Recipe {
    let recipe = Recipe::named("onion")
        .unwrap()
        .with("ngram", &n.to_string())
        .unwrap()
        .with("unit", "paragraph")
        .unwrap();
    let recipe = recipe
        .with("onion.smooth", if smooth { "true" } else { "false" })
        .unwrap();
    recipe
        .with("onion.short", if exact { "exact" } else { "ngrams" })
        .unwrap()
}

fn seen(found: &tegula::evidence::Findings) -> Vec<(u32, bool)> {
    let coverage = found.coverage().unwrap();
    coverage
        .tokens
        .iter()
        .zip(&coverage.fates)
        .map(|(tokens, fate)| (*tokens, *fate != onion::Fate::Kept))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_setting_gives_what_sets_of_words_give(
        texts in prop::collection::vec("([ab] ){1,4}(\n\n([abc] ){1,5}){0,3}", 1..9),
        n in 1..4_usize,
        (exact, smooth) in any::<(bool, bool)>(),
        per_chunk in 1..4_usize,
    ) {
        let source = Memory::new(&texts, per_chunk);
        let expected = brute_force(&texts, n, |_| 0, exact, smooth);
        for setting in settings() {
            let found = run(&source, &recipe(n, exact, smooth), &Constraints::default(), setting);
            prop_assert_eq!(seen(&found), expected.clone(), "{:?}", setting);
        }
    }

    #[test]
    fn texts_with_different_values_never_meet(
        texts in prop::collection::vec("([ab] ){1,4}(\n\n([ab] ){1,5}){0,2}", 1..9),
        n in 1..4_usize,
    ) {
        let mut source = Memory::new(&texts, 2);
        for (at, field) in source.field.iter_mut().enumerate() {
            *field = (at % 3 > 0).then(|| (at % 3).to_string());
        }
        let constraints = Constraints { within: vec!["f".parse().unwrap()], ..Constraints::default() };
        let expected = brute_force(&texts, n, |number| (number % 3) as u8, true, false);
        for setting in settings() {
            prop_assert_eq!(seen(&run(&source, &recipe(n, true, false), &constraints, setting)), expected.clone());
        }
    }

    #[test]
    fn paragraphs_that_are_too_short_might_as_well_not_be_there(
        texts in prop::collection::vec("([ab] ){1,4}(\n\n([ab] ){1,5}){0,3}", 1..9),
        (n, min_tokens) in (1..4_usize, 1..5_u32),
        (exact, smooth) in any::<(bool, bool)>(),
    ) {
        let is_long = |paragraph: &&str| paragraph.split_whitespace().count() >= min_tokens as usize;
        let left: Vec<String> =
            texts.iter().map(|text| text.split("\n\n").filter(is_long).collect::<Vec<_>>().join("\n\n")).collect();
        let expected = brute_force(&left, n, |_| 0, exact, smooth);
        let constraints = Constraints { min_tokens, ..Constraints::default() };
        for setting in settings() {
            let found = run(&Memory::new(&texts, 2), &recipe(n, exact, smooth), &constraints, setting);
            let (long, short): (Vec<_>, Vec<_>) =
                seen(&found).into_iter().zip(&found.units.tokens).partition(|(_, tokens)| **tokens >= min_tokens);
            prop_assert!(short.iter().all(|(seen, _)| *seen == (0, false)));
            prop_assert_eq!(long.into_iter().map(|(seen, _)| seen).collect::<Vec<_>>(), expected.clone(), "{:?}", setting);
        }
    }

    #[test]
    fn texts_that_differ_in_one_of_several_fields_never_meet(texts in prop::collection::vec("[ab] [ab] [ab]", 1..9)) {
        let mut source = Memory::new(&texts, 2);
        for (at, field) in source.field.iter_mut().enumerate() {
            *field = Some(format!("200{}-0{}-01", at % 2, at % 3 + 1));
        }
        // The same field by two of its parts: together they are the month.
        let both = ["f:year", "f:month"].map(|key| key.parse().unwrap()).to_vec();
        let one = vec!["f:month".parse().unwrap()];
        let recipe = recipe(2, true, false).with("unit", "document").unwrap();
        let of = |within| Constraints { within, ..Constraints::default() };
        let setting = settings()[0];
        prop_assert_eq!(seen(&run(&source, &recipe, &of(both), setting)), seen(&run(&source, &recipe, &of(one), setting)));
    }

    #[test]
    fn a_sweep_gives_what_single_runs_give(texts in prop::collection::vec("([ab] ){1,4}(\n\n([abc] ){1,9}){0,3}", 1..9)) {
        let source = Memory::new(&texts, 2);
        let recipe = recipe(2, true, false);
        let constraints = Constraints::default();
        for setting in settings() {
            let thresholds = ["0.2", "0.5", "0.9"].map(|t| t.parse().unwrap());
            let job = job(&source, &recipe, &constraints, setting.tuning);
            let mut swept = Vec::new();
            engine::sweep(&context(setting), job, &thresholds, &mut FailOnBad, &mut |_, _, _, coverage| {
                swept.push(coverage.fates.clone());
                Ok(())
            })
            .unwrap();
            for (threshold, fates) in thresholds.iter().zip(&swept) {
                let single = Recipe { threshold: *threshold, ..recipe.clone() };
                let found = run(&source, &single, &constraints, setting);
                prop_assert_eq!(&found.coverage().unwrap().fates, fates);
            }
        }
    }
}

#[test]
fn the_first_copy_is_the_source_and_its_paragraph_is_named() {
    let texts = [
        "one two three four five six\n\nseven eight",
        "zero\n\none two three four five six seven",
    ];
    let source = Memory::new(&texts, 1);
    let found = run(
        &source,
        &recipe(3, false, false),
        &Constraints::default(),
        settings()[0],
    );
    let decision = Decision::new(&found, &Policy::default(), found_threshold()).unwrap();
    assert_eq!([0, 1, 2].map(|unit| decision.keeps(unit)), [true; 3]);
    let Fate::PreviouslySeen {
        source,
        score,
        smoothed,
    } = decision.fate(3)
    else {
        panic!("{:?}", decision.fate(3))
    };
    // Seven stands in the second paragraph of the first text, but the n-gram that ends there is
    // previously seen.
    assert_eq!(
        (source, score.part, score.whole, smoothed),
        (Some(0), 7, 7, false)
    );
    let coverage = found.coverage().unwrap();
    assert_eq!(
        coverage
            .sources_of(3)
            .iter()
            .map(|s| (s.source, s.tokens))
            .collect::<Vec<_>>(),
        [(0, 6), (1, 1)]
    );
    assert!(coverage.sources_of(0).is_empty());
}

fn found_threshold() -> tegula::threshold::Threshold {
    "0.5".parse().unwrap()
}

#[test]
fn a_stage_sees_what_is_left_and_counts_as_in_the_original() {
    let texts = [
        "a b c d e f\n\ng h i j k l",
        "x\n\na b c d e f\n\ny",
        "a b c d e f\n\ng h i j k l",
    ];
    let source = Memory::new(&texts, 2);
    let constraints = Constraints::default();
    for setting in settings() {
        let whole = Recipe {
            unit: tegula::record::Level::Document,
            ..recipe(3, false, false)
        };
        let first = run(&source, &whole, &constraints, setting);
        let decision = Decision::new(&first, &Policy::default(), whole.threshold).unwrap();
        // Six of the eight tokens of the second text were seen in the first.
        assert_eq!(
            [0, 1, 2].map(|unit| decision.keeps(unit)),
            [true, false, false]
        );
        let strict = Recipe {
            threshold: "0.8".parse().unwrap(),
            ..whole
        };
        let first = run(&source, &strict, &constraints, setting);
        let decision = Decision::new(&first, &Policy::default(), strict.threshold).unwrap();
        assert_eq!(
            [0, 1, 2].map(|unit| decision.keeps(unit)),
            [true, true, false]
        );
        let mut taken = RemovedUnits::default();
        taken.add(&first, &decision);
        let rest = StageInput::new(&source, taken.clone());
        let parts = recipe(3, false, false);
        let second = job(&rest, &parts, &constraints, setting.tuning);
        let second = engine::find(&context(setting), second, &mut FailOnBad).unwrap();
        let decision = Decision::new(&second, &Policy::default(), parts.threshold).unwrap();
        let kept = |units: &tegula::unit::Units, decision: &Decision| -> Vec<String> {
            (0..units.len() as u32)
                .filter(|unit| decision.keeps(*unit))
                .map(|unit| units.id(unit))
                .collect()
        };
        assert_eq!(
            kept(&second.units, &decision),
            ["memory:1#p1", "memory:1#p2", "memory:2#p1", "memory:2#p3"]
        );
        taken.add(&second, &decision);
        let rest = StageInput::new(&source, taken);
        let plain = Recipe::named("plain")
            .unwrap()
            .with("unit", "sentence")
            .unwrap();
        let third = job(&rest, &plain, &constraints, setting.tuning);
        let third = engine::find(&context(setting), third, &mut FailOnBad).unwrap();
        let decision = Decision::new(&third, &Policy::default(), plain.threshold).unwrap();
        assert_eq!(
            kept(&third.units, &decision),
            ["memory:1#s1", "memory:1#s2", "memory:2#s1", "memory:2#s3"]
        );
    }
}
