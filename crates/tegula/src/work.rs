//! Measures work in figures that are the same on every machine.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the work of a run. The figures depend on the input and the recipe, and on the memory
/// ceiling where it changes what is done; the number of threads changes hardly anything, by the order
/// of equally rare features.
#[derive(Debug, Default)]
pub struct Work {
    read: AtomicU64,
    tokens: AtomicU64,
    rows: AtomicU64,
    moved: AtomicU64,
    features: AtomicU64,
    distinct: AtomicU64,
    met: AtomicU64,
    compared: AtomicU64,
    verified: AtomicU64,
}

/// The work done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Done {
    /// Bytes of input read, counting repeated reads.
    pub read_bytes: u64,
    /// Tokens of the texts read, counting repeated reads.
    pub tokens: u64,
    /// Rows in which texts enter a search: one for each shingle, term or key.
    pub rows: u64,
    /// Bytes of all rows that stages pass to later ones, in memory or on scratch.
    pub moved_bytes: u64,
    /// Features joined: runs, shingles, terms, or keys; for Onion the n-grams that are judged.
    pub features: u64,
    /// How many different ones these are; not counted for Onion.
    pub distinct_features: u64,
    /// Distinct pairs of texts found in the posting list of a feature.
    pub met: u64,
    /// Pairs that were compared, as they may reach the threshold, and candidates that share keys.
    pub compared: u64,
    /// Pairs whose score was then determined, from their tokens, features or signatures.
    pub verified: u64,
}

fn add(count: &AtomicU64, more: u64) {
    count.fetch_add(more, Ordering::Relaxed);
}

impl Work {
    /// Adds bytes of input read.
    pub(crate) fn read(&self, bytes: u64) {
        add(&self.read, bytes);
    }

    /// Adds tokens of texts read.
    pub(crate) fn tokens(&self, count: u64) {
        add(&self.tokens, count);
    }

    /// Adds rows of shingles, terms or keys.
    pub(crate) fn rows(&self, count: u64) {
        add(&self.rows, count);
    }

    /// Adds bytes of rows that a stage passes on.
    pub(crate) fn moved(&self, bytes: u64) {
        add(&self.moved, bytes);
    }

    /// Adds features to be joined, and how many different ones these are.
    pub(crate) fn features(&self, count: u64, distinct: u64) {
        add(&self.features, count);
        add(&self.distinct, distinct);
    }

    /// Adds pairs found, and pairs of them compared.
    pub(crate) fn pairs(&self, met: u64, compared: u64) {
        add(&self.met, met);
        add(&self.compared, compared);
    }

    /// Adds pairs whose score was determined.
    pub(crate) fn verified(&self, count: u64) {
        add(&self.verified, count);
    }

    /// The work done so far.
    pub fn done(&self) -> Done {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Done {
            read_bytes: of(&self.read),
            tokens: of(&self.tokens),
            rows: of(&self.rows),
            moved_bytes: of(&self.moved),
            features: of(&self.features),
            distinct_features: of(&self.distinct),
            met: of(&self.met),
            compared: of(&self.compared),
            verified: of(&self.verified),
        }
    }
}
