//! The pairs of a result that count, beside the gold standard.

use super::counting::Counting;
use super::found::Pair;
use super::gold::Gold;
use super::ids::Ids;
use super::resample::{ByGroup, Sampled};
use tegula::hash;

/// The pairs that count, and the gold standard.
pub(super) struct Judged<'a> {
    pub(super) gold: &'a Gold,
    pub(super) pairs: &'a [Pair],
    pub(super) counting: Counting,
    pub(super) ids: &'a Ids,
    pub(super) resamples: u32,
}

impl Judged<'_> {
    /// The scores of all resamples, if there are any.
    pub(super) fn sampled(&self, counts: &ByGroup) -> Option<Sampled> {
        (self.resamples > 0).then(|| counts.sampled(self.resamples, |group| self.key(group)))
    }

    /// The hash of a group, by which it is drawn.
    pub(super) fn key(&self, group: u32) -> u64 {
        hash::token(self.ids.name(group).as_bytes()).id
    }
}
