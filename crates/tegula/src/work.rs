//! Work: what a run did, in figures that are the same on every machine.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts what a run does. The figures depend on the input, the recipe and the memory ceiling, and not on the machine or its threads.
#[derive(Debug, Default)]
pub struct Work {
    read: AtomicU64,
    features: AtomicU64,
    met: AtomicU64,
    compared: AtomicU64,
}

/// What a run has done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Done {
    /// Bytes of input that were read, as often as they were.
    pub read_bytes: u64,
    /// Features that were joined: runs, shingles, terms, or keys.
    pub features: u64,
    /// Pairs of texts that were met in the list of a feature, each once.
    pub met: u64,
    /// Those that were compared, as they may reach the threshold, and candidates that share keys.
    pub compared: u64,
}

impl Work {
    /// So many bytes of input were read.
    pub(crate) fn read(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many features will be joined.
    pub(crate) fn features(&self, count: u64) {
        self.features.fetch_add(count, Ordering::Relaxed);
    }

    /// So many pairs were met, and so many of them compared.
    pub(crate) fn pairs(&self, met: u64, compared: u64) {
        self.met.fetch_add(met, Ordering::Relaxed);
        self.compared.fetch_add(compared, Ordering::Relaxed);
    }

    /// What was done so far.
    pub fn done(&self) -> Done {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Done { read_bytes: of(&self.read), features: of(&self.features), met: of(&self.met), compared: of(&self.compared) }
    }
}
