//! Edit distance: the minimum number of insertions, deletions and replacements of characters that
//! turn one text into the other (Flamming, "Levenshtein-Distanz"), and its ratio, for scoring pairs
//! found by other means.
//!
//! *Useful for* rescoring pairs of short texts. *Not useful for* finding pairs: it has no keys, and
//! its time grows with the product of both lengths divided by 64.

use crate::threshold::{Score, Threshold};
use rapidfuzz::distance::levenshtein;

/// The distance of two texts, in characters.
pub fn distance(a: &str, b: &str) -> u64 {
    levenshtein::distance(a.chars(), b.chars()) as u64
}

/// The distance, if it is at most `limit`; stops early if it is not, so that with a small limit the
/// time is proportional to the length of the longer text.
pub fn within(a: &str, b: &str, limit: u64) -> Option<u64> {
    let args =
        levenshtein::Args::default().score_cutoff(usize::try_from(limit).unwrap_or(usize::MAX));
    levenshtein::distance_with_args(a.chars(), b.chars(), &args).map(|distance| distance as u64)
}

/// The ratio, 1 − distance / characters of the longer text, if it is at or above the threshold. Two
/// empty texts are equal.
pub fn ratio(a: &str, b: &str, threshold: Threshold) -> Option<Score> {
    let longer = a.chars().count().max(b.chars().count()) as u64;
    if longer == 0 {
        return Some(Score::ONE);
    }
    within(a, b, longer - threshold.least(longer)).map(|distance| Score {
        part: longer - distance,
        whole: longer,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, cell by cell.
    fn oracle(a: &str, b: &str) -> u64 {
        let b: Vec<char> = b.chars().collect();
        let mut row: Vec<u64> = (0..=b.len() as u64).collect();
        for (i, x) in a.chars().enumerate() {
            let mut before = row[0];
            row[0] = i as u64 + 1;
            for (j, y) in b.iter().enumerate() {
                let replaced = before + u64::from(x != *y);
                before = row[j + 1];
                row[j + 1] = replaced.min(row[j] + 1).min(before + 1);
            }
        }
        row[b.len()]
    }

    #[test]
    fn juli_and_kulio_are_two_apart() {
        // Flamming: J becomes K, o is appended.
        assert_eq!(distance("Juli", "Kulio"), 2);
        assert_eq!(within("Juli", "Kulio", 1), None);
        assert_eq!(
            ratio("Juli", "Kulio", "0.6".parse().unwrap()),
            Some(Score { part: 3, whole: 5 })
        );
        assert_eq!(ratio("Juli", "Kulio", "0.61".parse().unwrap()), None);
    }

    #[test]
    fn characters_count_and_not_bytes() {
        assert_eq!(distance("übel", "ubel"), 1);
        assert_eq!(distance("", "漢字"), 2);
        assert_eq!(ratio("", "", "1".parse().unwrap()), Some(Score::ONE));
        assert_eq!(ratio("", "a", "0.001".parse().unwrap()), None);
    }

    proptest! {
        #[test]
        fn the_distance_is_that_of_the_definition(a in "[ab字]{0,90}", b in "[ab字]{0,90}", limit in 0..100_u64) {
            let truth = oracle(&a, &b);
            prop_assert_eq!(distance(&a, &b), truth);
            prop_assert_eq!(within(&a, &b, limit), (truth <= limit).then_some(truth));
        }

        #[test]
        fn a_ratio_is_given_where_it_reaches_the_threshold(a in "[abc]{0,12}", b in "[abc]{0,12}", numerator in 1..=20_u32) {
            let threshold = Threshold::new(numerator, 20).unwrap();
            let longer = a.len().max(b.len()) as u64;
            let part = longer - oracle(&a, &b);
            let expected = longer == 0 || threshold.admits(part, longer);
            prop_assert_eq!(ratio(&a, &b, threshold).is_some(), expected);
        }
    }
}
