//! Measures work in figures that are the same on every machine.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the work of a run. The figures depend on the input, the recipe and the memory ceiling,
/// not on the machine or its threads.
#[derive(Debug, Default)]
pub struct Work {
    read: AtomicU64,
    features: AtomicU64,
    met: AtomicU64,
    compared: AtomicU64,
}

/// The work done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Done {
    /// Bytes of input read, counting repeated reads.
    pub read_bytes: u64,
    /// Features joined: runs, shingles, terms, or keys.
    pub features: u64,
    /// Distinct pairs of texts found in the posting list of a feature.
    pub met: u64,
    /// Pairs that were compared, as they may reach the threshold, and candidates that share keys.
    pub compared: u64,
}

impl Work {
    /// Adds bytes of input read.
    pub(crate) fn read(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Adds features to be joined.
    pub(crate) fn features(&self, count: u64) {
        self.features.fetch_add(count, Ordering::Relaxed);
    }

    /// Adds pairs found, and pairs of them compared.
    pub(crate) fn pairs(&self, met: u64, compared: u64) {
        self.met.fetch_add(met, Ordering::Relaxed);
        self.compared.fetch_add(compared, Ordering::Relaxed);
    }

    /// The work done so far.
    pub fn done(&self) -> Done {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Done {
            read_bytes: of(&self.read),
            features: of(&self.features),
            met: of(&self.met),
            compared: of(&self.compared),
        }
    }
}
