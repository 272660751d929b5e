//! Repeated passages against a plain definition: which tokens are cut, and where they stand.

use crate::common::{Memory, job, with_ids_of};
use proptest::prelude::*;
use std::collections::HashMap;
use tegula::constraint::Constraints;
use tegula::context::{Budget, Context};
use tegula::decide::{Decision, Keep, Policy};
use tegula::engine;
use tegula::engine::bad_records::FailOnBad;
use tegula::evidence::Findings;
use tegula::recipe::Recipe;
use tegula::scratch::Scratch;

fn spelled(text: &[u8]) -> String {
    let words = text
        .iter()
        .map(|token| ["a", "bé", "ccc", "dd", "e", "f"][*token as usize % 6]);
    words.collect::<Vec<_>>().join(" ")
}

fn policy(keep: &str) -> Policy {
    Policy {
        keep: Keep::new(vec![keep.parse().unwrap()]).unwrap(),
        ..Policy::default()
    }
}

fn found(
    source: &Memory,
    n: usize,
    keep: &str,
    constraints: &Constraints,
    (threads, memory, id_bits): (usize, u64, u32),
) -> (Findings, Decision) {
    let context = Context::new(threads, Budget::OVERHEAD + memory, Scratch::system());
    let recipe = Recipe::named("passages")
        .unwrap()
        .with("ngram", &n.to_string())
        .unwrap();
    let job = job(source, &recipe, constraints, with_ids_of(id_bits));
    let policy = policy(keep);
    let found = engine::find_to_decide(&context, job, &policy, &mut FailOnBad).unwrap();
    let decision = Decision::new(&found, &policy, recipe.threshold).unwrap();
    (found, decision)
}

/// By text, whether each token is cut.
fn cut(found: &Findings, decision: &Decision) -> Vec<Vec<bool>> {
    let units = &found.units;
    (0..units.records.len())
        .map(|record| {
            let of_text = units.of_record(record);
            of_text
                .flat_map(|unit| {
                    let tokens = units.tokens[unit as usize] as usize;
                    std::iter::repeat_n(!decision.keeps(unit), tokens)
                })
                .collect()
        })
        .collect()
}

/// The definition, sequence by sequence: it is cut if an equal one that ends before it is kept.
fn defined(texts: &[Vec<u8>], order: &[usize], n: usize) -> Vec<Vec<bool>> {
    defined_but(texts, order, n, |_| false)
}

/// The same, except for references, of which nothing is cut.
fn defined_but(
    texts: &[Vec<u8>],
    order: &[usize],
    n: usize,
    is_reference: impl Fn(usize) -> bool,
) -> Vec<Vec<bool>> {
    let mut cut: Vec<Vec<bool>> = texts.iter().map(|text| vec![false; text.len()]).collect();
    // The places of each sequence that went before.
    let mut before: HashMap<&[u8], Vec<(usize, usize)>> = HashMap::new();
    for text in order.iter().copied() {
        for (at, sequence) in texts[text].windows(n).enumerate() {
            let places = before.entry(sequence).or_default();
            let stands = places.iter().any(|(other, from)| {
                let is_before = *other != text || from + n <= at;
                is_before && !cut[*other][*from..from + n].contains(&true)
            });
            if stands && !is_reference(text) {
                cut[text][at..at + n].fill(true);
            }
            places.push((text, at));
        }
    }
    cut
}

fn check(texts: &[Vec<u8>], found: &Findings, decision: &Decision) -> Result<(), TestCaseError> {
    let units = &found.units;
    let spelled: Vec<String> = texts.iter().map(|text| spelled(text)).collect();
    let part = |unit: u32| {
        let record = units.record_of(unit);
        let part = units.parts[unit as usize].part();
        (record, part)
    };
    // Pieces cover their texts, and cuts are disjoint.
    for (record, text) in spelled.iter().enumerate() {
        let mut end = 0;
        for unit in units.of_record(record) {
            let part = units.parts[unit as usize].part();
            prop_assert!(part.cut.start >= end && part.text.end <= part.cut.end);
            end = part.cut.end;
        }
        prop_assert!(end <= text.len());
    }
    let chars = |record: usize, range: &std::ops::Range<u32>| -> String {
        let all = spelled[record].chars();
        all.skip(range.start as usize).take(range.len()).collect()
    };
    for span in &found.spans().unwrap().list {
        let (record, own) = part(span.unit);
        let text = chars(record, &span.chars);
        prop_assert_eq!(&text, &spelled[record][own.text.clone()]);
        let source = span.source.as_ref().unwrap();
        prop_assert!(decision.keeps(source.unit));
        prop_assert_eq!(text, chars(units.record_of(source.unit), &source.chars));
        // The kept stretch contains it.
        let (record, kept) = part(source.unit);
        let within = &spelled[record][kept.text.clone()];
        let before = spelled[record][..kept.text.start].chars().count() as u32;
        let end = before + within.chars().count() as u32;
        prop_assert!(before <= source.chars.start && source.chars.end <= end);
        prop_assert_eq!(decision.fate(span.unit).because_of(), Some(source.unit));
    }
    Ok(())
}

fn texts() -> impl Strategy<Value = Vec<Vec<u8>>> {
    // Texts are made of a few pieces, so that passages overlap and meet in many ways.
    let pieces = prop::collection::vec(prop::collection::vec(0..6_u8, 1..9), 1..5);
    let picks = prop::collection::vec(prop::collection::vec(0..100_usize, 0..7), 1..8);
    (pieces, picks).prop_map(|(pieces, picks)| {
        let text = |picks: &Vec<usize>| {
            picks
                .iter()
                .flat_map(|pick| pieces[pick % pieces.len()].clone())
                .collect()
        };
        picks.iter().map(text).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_cut_is_what_the_definition_says(texts in texts(), n in 1..6_usize, last in any::<bool>()) {
        let source = Memory::new(&texts.iter().map(|text| spelled(text)).collect::<Vec<_>>(), 3);
        let keep = if last { "last" } else { "first" };
        let mut order: Vec<usize> = (0..texts.len()).collect();
        if last {
            order.reverse();
        }
        let expected = defined(&texts, &order, n);
        let unbound = Constraints::default();
        for means in [(1, 1 << 24, 64), (3, 1 << 22, 64), (2, 1 << 24, 3)] {
            let (found, decision) = found(&source, n, keep, &unbound, means);
            prop_assert_eq!(&cut(&found, &decision), &expected, "{:?}", means);
            check(&texts, &found, &decision)?;
        }
    }

    #[test]
    fn without_a_kept_copy_all_that_repeats_is_cut(texts in texts(), n in 1..6_usize) {
        let source = Memory::new(&texts.iter().map(|text| spelled(text)).collect::<Vec<_>>(), 3);
        let (found, decision) = found(&source, n, "none", &Constraints::default(), (2, 1 << 24, 64));
        let mut expected: Vec<Vec<bool>> = texts.iter().map(|text| vec![false; text.len()]).collect();
        for (a, one) in texts.iter().enumerate() {
            for (at, sequence) in one.windows(n).enumerate() {
                let again = texts.iter().enumerate().any(|(b, other)| {
                    other.windows(n).enumerate().any(|(from, found)| {
                        found == sequence && (a != b || from.abs_diff(at) >= n)
                    })
                });
                if again {
                    expected[a][at..at + n].fill(true);
                }
            }
        }
        prop_assert_eq!(cut(&found, &decision), expected);
    }

    #[test]
    fn references_stay_and_values_part(texts in texts(), n in 1..5_usize, own in 0..8_usize) {
        let spelled: Vec<String> = texts.iter().map(|text| spelled(text)).collect();
        let own = own.min(texts.len());
        let source = Memory::in_two_files(&spelled, own, 2);
        let constraints = Constraints { references_from: Some(1), ..Constraints::default() };
        let (kept, decision) = found(&source, n, "first", &constraints, (2, 1 << 24, 64));
        // References come first, and nothing of them is cut.
        let order: Vec<usize> = (own..texts.len()).chain(0..own).collect();
        let expected = defined_but(&texts, &order, n, |text| text >= own);
        prop_assert_eq!(cut(&kept, &decision), expected);

        // Texts with one value are as if alone.
        let mut source = Memory::new(&spelled, 2);
        for (at, value) in source.field.iter_mut().enumerate() {
            *value = Some((at % 2).to_string());
        }
        let within = Constraints { within: vec!["f".parse().unwrap()], ..Constraints::default() };
        let (kept, decision) = found(&source, n, "first", &within, (2, 1 << 24, 64));
        let mut expected: Vec<Vec<bool>> = texts.iter().map(|text| vec![false; text.len()]).collect();
        for value in 0..2 {
            let order: Vec<usize> = (value..texts.len()).step_by(2).collect();
            let alone = defined(&texts, &order, n);
            for text in order {
                expected[text].clone_from(&alone[text]);
            }
        }
        prop_assert_eq!(cut(&kept, &decision), expected);
    }
}
