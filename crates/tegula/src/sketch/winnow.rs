//! Winnowing: the minimum of each window of w consecutive shingles, the rightmost among equals
//! (Schleimer, Wilkerson and Aiken 2003).
//!
//! **Guarantee.** Let two texts share a run of at least w + n − 1 tokens, n being the tokens in a
//! shingle. The run contains w consecutive shingles, so both texts have a window with the same ids
//! in the same order. The selection of a window depends only on its ids: both texts select the same
//! shingle, and it is in the run.
//!
//! Of shingles in random order, 2/(w + 1) are selected on average. A text of fewer than w shingles
//! counts as one window.

/// The selected positions, ascending; `window` is w, and 0 counts as 1. `out` is cleared first.
///
/// Costs about two comparisons per shingle for mixed ids, and `window` if every id is above the
/// previous one.
pub fn positions(ids: &[u64], window: usize, out: &mut Vec<u32>) {
    out.clear();
    let window = window.clamp(1, ids.len().max(1));
    let mut least = 0;
    for last in 0..ids.len() {
        let first = (last + 1).saturating_sub(window);
        if ids[last] <= ids[least] {
            least = last;
        } else if least < first {
            least = (first..=last)
                .rev()
                .min_by_key(|at| ids[*at])
                .unwrap_or(last);
        }
        if last + 1 >= window && out.last() != Some(&(least as u32)) {
            out.push(least as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scattered;
    use super::*;
    use crate::hash::{self, Fingerprint, Width};
    use crate::shingle::Shingler;
    use proptest::prelude::*;

    fn select(ids: &[u64], window: usize) -> Vec<u32> {
        let mut out = vec![9];
        positions(ids, window, &mut out);
        out
    }

    #[test]
    fn the_papers_example_selects_its_fingerprints() {
        // Schleimer et al. 2003, fig. 2: hashes of 5-grams of "adorunrunrunadorunrun", windows of
        // 4.
        let hashes = [
            77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98,
        ];
        let chosen: Vec<u64> = select(&hashes, 4)
            .iter()
            .map(|at| hashes[*at as usize])
            .collect();
        assert_eq!(chosen, [17, 17, 8, 39, 17]);
        assert_eq!(select(&hashes, 4), [3, 6, 8, 11, 15]);
    }

    #[test]
    fn short_texts_are_one_window() {
        assert_eq!(select(&[3, 1, 1, 2], 9), [2]);
        assert_eq!(select(&[5], 4), [0]);
        assert!(select(&[], 4).is_empty());
        assert_eq!(select(&[3, 1, 2], 0), [0, 1, 2]);
    }

    #[test]
    fn the_density_is_two_in_a_window_and_one() {
        let ids = scattered(4, 50_000);
        for window in [4, 10, 50] {
            let share = select(&ids, window).len() as f64 / ids.len() as f64;
            let expected = 2.0 / (window as f64 + 1.0);
            assert!((share / expected - 1.0).abs() < 0.05, "{window}: {share}");
        }
    }

    proptest! {
        #[test]
        fn every_window_has_its_rightmost_least(ids in prop::collection::vec(0..12_u64, 0..60), window in 1..12_usize) {
            let mut expected: Vec<u32> = Vec::new();
            for (start, ids) in ids.windows(window.min(ids.len()).max(1)).enumerate() {
                let at = (0..ids.len()).rev().min_by_key(|at| ids[*at]).unwrap();
                expected.push((start + at) as u32);
            }
            expected.dedup();
            prop_assert_eq!(select(&ids, window), expected);
        }

        #[test]
        fn a_shared_run_shares_a_selected_shingle(
            words in prop::collection::vec(0..6_u8, 80),
            before in 0..30_usize,
            n in 1..6_usize,
            window in 1..12_usize,
            more in 0..4_usize,
        ) {
            // The run is the minimum that the guarantee requires, and a little more.
            let run = &words[..window + n - 1 + more];
            let tokens = |words: &[u8], salt: u8| -> Vec<Fingerprint> { words.iter().map(|w| hash::token(&[*w, salt])).collect() };
            let text = |ahead: &[u8], salt: u8, behind: &[u8]| [tokens(ahead, salt), tokens(run, 0), tokens(behind, salt)].concat();
            let shingler = Shingler::new(n, Width::FULL);
            let chosen = |text: &[Fingerprint]| -> Vec<u64> {
                let mut ids = Vec::new();
                shingler.ids(text, &mut ids);
                select(&ids, window).iter().map(|at| ids[*at as usize]).collect()
            };
            let left = chosen(&text(&words[..before], 1, &words[40..]));
            let right = chosen(&text(&words[50..], 2, &words[..before / 2]));
            prop_assert!(left.iter().any(|id| right.contains(id)));
        }
    }
}
