//! Synthetic shingle ids for tests.

use crate::hash;

/// `count` ids, different from those of any other `text`.
pub(crate) fn scattered(text: u64, count: u64) -> Vec<u64> {
    (0..count).map(|i| hash::mix(text << 32 | i)).collect()
}

/// Pairs of texts of one shape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pairs {
    /// Shingles in both texts.
    pub(crate) shared: u64,
    /// Shingles only in each text.
    pub(crate) own: u64,
    /// Whether ids are consecutive numbers instead of hashes.
    pub(crate) sequential: bool,
}

impl Pairs {
    pub(crate) fn resemblance(&self) -> f64 {
        self.shared as f64 / (self.shared + 2 * self.own) as f64
    }

    /// The pair of the given number: its texts share nothing with other pairs.
    pub(crate) fn pair(&self, number: u64) -> (Vec<u64>, Vec<u64>) {
        let all = self.shared + 2 * self.own;
        let ids: Vec<u64> = (number * all..(number + 1) * all)
            .map(|i| if self.sequential { i } else { hash::mix(i) })
            .collect();
        let (shared, own) = (self.shared as usize, self.own as usize);
        let right = [&ids[..shared], &ids[shared + own..]].concat();
        (ids[..shared + own].to_vec(), right)
    }
}
