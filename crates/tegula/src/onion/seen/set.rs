//! What a judge asks of a seen-set, and the state of an n-gram in it.

use crate::error::Result;

/// The location of an n-gram in a seen-set.
pub type Place = u64;

/// The result of looking up an n-gram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Its place, valid until the set grows.
    pub(in crate::onion) place: Place,
    /// Whether it was previously seen, in this document or an earlier one.
    pub(in crate::onion) is_seen: bool,
}

/// What a judge remembers of n-grams.
pub trait SeenSet {
    /// Identifies an n-gram.
    type Key: Copy;

    /// Reserves memory for the n-grams of a document, so that no place changes while they are
    /// looked up.
    ///
    /// # Errors
    /// If there is none under the memory ceiling.
    fn reserve(&mut self, keys: impl Iterator<Item = Self::Key>) -> Result<()>;

    /// Prefetches the places of some n-grams: bare loads overlap far better than loads with
    /// dependent work.
    fn touch(&self, keys: impl Iterator<Item = Self::Key>);

    /// Looks up an n-gram in `unit` of a document, and records that it was seen there. `None` if it
    /// is not remembered.
    fn look(&mut self, key: Self::Key, unit: u32) -> Option<Found>;

    /// Ends the document for an n-gram of `unit`: if that unit is kept, it is now previously seen;
    /// otherwise it counts as unseen, unless another unit of the document or an earlier one
    /// contains it.
    fn end(&mut self, place: Place, unit: u32, kept: bool);

    /// The unit that first contained an n-gram, if units are stored.
    fn unit(&self, place: Place) -> Option<u32>;

    /// The number of n-grams.
    fn held(&self) -> u64;
}

/// The state of an n-gram in a set; 0 is that of one that was never looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Not seen in any paragraph that counts.
    Unseen = 1,
    /// Seen in the current document.
    Here = 2,
    /// Seen in a kept paragraph of an earlier document.
    Earlier = 3,
}

/// The bits of a state.
pub(super) const STATE: u32 = 3;

impl State {
    /// Whether an n-gram with these lowest bits was previously seen.
    #[inline]
    pub(super) fn is_seen(bits: u32) -> bool {
        bits & STATE > Self::Unseen as u32
    }

    /// The state after a document, of one whose unit is kept or not.
    #[inline]
    pub(super) fn after(kept: bool) -> Self {
        if kept { Self::Earlier } else { Self::Unseen }
    }
}
