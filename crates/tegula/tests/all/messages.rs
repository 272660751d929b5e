//! The recipe for short messages: known answers, and brute force over characters.

use crate::common::{Memory, expanded, run, settings};
use proptest::prelude::*;
use std::collections::BTreeSet;
use tegula::constraint::Constraints;
use tegula::recipe::Recipe;

/// Pairs of texts with shared and all shingles, by sets of three characters without white space, of two
/// where at least a third of the letters are Chinese; scores are fractions.
fn brute_force(texts: &[String]) -> Vec<(u32, u32, u64, u64)> {
    let characters = |text: &String| {
        text.chars()
            .filter(|c| !c.is_whitespace())
            .collect::<Vec<char>>()
    };
    let set = |text: &String| -> BTreeSet<(Vec<char>, bool)> {
        let all = characters(text);
        let letters = all.iter().filter(|c| c.is_alphanumeric());
        let dense = letters.clone().filter(|c| !c.is_ascii()).count();
        let is_dense = dense > 0 && 3 * dense >= letters.count();
        let spelled = all.windows(if is_dense { 2 } else { 3 });
        // Each pair counts twice, so that all counts are those of the recipe.
        let twice = spelled.flat_map(|some| [false, is_dense].map(|again| (some.to_vec(), again)));
        twice.collect()
    };
    let sets: Vec<_> = texts.iter().map(set).collect();
    let mut pairs = Vec::new();
    for (b, right) in sets.iter().enumerate() {
        for (a, left) in sets[..b].iter().enumerate() {
            let shared = left.intersection(right).count() as u64;
            let all = left.union(right).count() as u64;
            if characters(&texts[a]) == characters(&texts[b]) && !characters(&texts[a]).is_empty() {
                pairs.push((a as u32, b as u32, 1, 1));
            } else if shared > 0 && 2 * shared >= all {
                pairs.push((a as u32, b as u32, shared, all));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

fn found(texts: &[impl AsRef<str>], recipe: &Recipe) -> Vec<(u32, u32, f64)> {
    let source = Memory::new(texts, 2);
    let findings = run(&source, recipe, &Constraints::default(), settings()[0]);
    expanded(&findings)
        .into_iter()
        .map(|((a, b), (part, whole))| (a, b, part as f64 / whole as f64))
        .collect()
}

/// The lecture notes' example of near duplicates: seven of fourteen shingles.
#[test]
fn a_time_stamp_does_not_hide_a_message() {
    let recipe = Recipe::named("messages").unwrap();
    for stamp in ["<13:53>", "<13:53:07>"] {
        let texts = ["Hallo Welt", &format!("{stamp}Hallo Welt")];
        assert_eq!(found(&texts, &recipe), [(0, 1, 1.0)]);
    }
    // As in the notes, which keep it.
    let recipe = recipe.with("normalise.timestamps", "keep").unwrap();
    let recipe = recipe.with("threshold", "0.5").unwrap();
    assert_eq!(
        found(&["Hallo Welt", "<13:53>Hallo Welt"], &recipe),
        [(0, 1, 0.5)]
    );
    assert!(found(&["Hallo Welt", "<13:53:07>Hallo Welt"], &recipe).is_empty());
    // Shingles of five words see nothing there.
    assert!(
        found(
            &["Hallo Welt", "<13:53>Hallo Welt"],
            &Recipe::named("sscr").unwrap()
        )
        .is_empty()
    );
}

#[test]
fn disguised_copies_are_equal_with_masks_and_differ_without() {
    let texts = [
        "Free money! Call 13800138000 now, see http://t.cn/A6x",
        "Ｆｒｅｅ mоnеу！ Call 1 3 9 9 9 1 3 8 0 0 0 now, see www.example.com/x",
        "Fr\u{200B}ee money! Call 一三六零零一三八零零零 now, see https://example.org",
    ];
    let recipe = Recipe::named("messages")
        .unwrap()
        .with("unmasked", "ignore")
        .unwrap();
    assert_eq!(
        found(&texts, &recipe),
        [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0)]
    );
    let unmasked = Recipe {
        normalise: recipe.normalise.unmasked(),
        ..recipe
    };
    assert!(
        found(&texts, &unmasked)
            .iter()
            .all(|(_, _, score)| *score < 0.8)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Without signs that may stand for letters.
    #[test]
    fn pairs_are_those_of_brute_force(
        texts in prop::collection::vec("(ab|bc|cd|de| |東京|大学|;|\\?){0,8}", 1..8)
    ) {
        let recipe = Recipe::named("messages").unwrap().with("threshold", "0.5").unwrap();
        let source = Memory::new(&texts, 2);
        let truth: Vec<_> = brute_force(&texts);
        for setting in settings() {
            let findings = run(&source, &recipe, &Constraints::default(), setting);
            let mut found: Vec<_> = expanded(&findings).into_iter().map(|((a, b), (part, whole))| (a, b, part, whole)).collect();
            found.retain(|(a, ..)| !texts[*a as usize].trim().is_empty());
            prop_assert_eq!(found.len(), truth.len(), "{:?} {:?}", found, truth);
            for ((a, b, part, whole), (c, d, shared, all)) in found.into_iter().zip(truth.iter().copied()) {
                prop_assert_eq!((a, b), (c, d));
                prop_assert_eq!(part * all, shared * whole);
            }
        }
    }

    #[test]
    fn thresholds_by_length_and_numbers_part_what_brute_force_parts(
        texts in prop::collection::vec(prop::collection::vec("a|b|c|d|e|7|12", 0..14), 1..9)
    ) {
        let texts: Vec<String> = texts.iter().map(|words| words.join(" ")).collect();
        let source = Memory::new(&texts, 2);
        let usual = Recipe::named("ssr").unwrap().with("ngram", "1").unwrap().with("threshold", "0.3").unwrap();
        let stricter = usual.with("thresholds", "\"0.7 up to 4, 0.5 up to 8\"").unwrap().with("distinct", "[\"numbers\"]").unwrap();
        let words = |text: u32| texts[text as usize].split_whitespace();
        let numbers = |text: u32| {
            let mut found: Vec<&str> = words(text).filter(|word| word.parse::<u32>().is_ok()).collect();
            found.sort_unstable();
            found
        };
        for setting in settings() {
            let all = expanded(&run(&source, &usual, &Constraints::default(), setting));
            let found = expanded(&run(&source, &stricter, &Constraints::default(), setting));
            let truth: Vec<_> = all
                .into_iter()
                .filter(|((a, b), (part, whole))| {
                    let least = match words(*a).count().min(words(*b).count()).max(1) {
                        ..=4 => 7,
                        5..=8 => 5,
                        _ => 3,
                    };
                    10 * part >= least * whole && numbers(*a) == numbers(*b)
                })
                .collect();
            prop_assert_eq!(found.into_iter().collect::<Vec<_>>(), truth);
        }
    }
}
