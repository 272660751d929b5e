//! Bounds: which features of a text are indexed, which are probed, and which entries can belong to
//! a pair.
//!
//! Features are ranked, rarest first, and sorted by rank in each text. Let S(c) be the sum over the
//! features of a text from rank c on: shingles, covered tokens, or weights. If c is the rarest
//! feature that two texts share, all shared features have rank c or later, so their sum is at most
//! S(c) of either text. A join therefore examines a pair at its rarest common feature, asks the
//! bound of the measure whether it [may](Prefix::may) reach the threshold there, and if so
//! [compares](Verify::shared) the two. `JOINS.md` has the proofs.
//!
//! A bound uses only single texts and single entries. So the same bound serves a single machine,
//! which joins blocks with blocks, and a distributed join, which collects all entries of a feature
//! in one place ([`crate::join`]).

use super::marks::Marks;
use super::outline::{Apart, Outline};
use super::shingles::Shingles;
use crate::block::{Block, Text};

/// Which indexed texts may be partners of a probing text; texts are ordered by size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partners {
    /// Earlier ones of at least this size.
    Earlier(u32),
    /// Later ones.
    Later,
    /// All others of at least this size.
    Others(u32),
}

impl Partners {
    /// Whether texts of sizes `index` (smallest, largest), which all come before those of sizes
    /// `probe`, after them or among them, may contain their partners; `self` describes the smallest
    /// probing text.
    pub fn reaches(self, index: (u32, u32), probe: (u32, u32)) -> bool {
        match self {
            Self::Earlier(least) => index.0 <= probe.1 && index.1 >= least,
            Self::Later => index.1 >= probe.0,
            Self::Others(least) => index.1 >= least,
        }
    }
}

/// What selects candidates: which features of a text are indexed and probed, and which of the entries
/// met there may be partners (prefix filtering).
pub trait Prefix: Send + Sync {
    /// The size by which texts are ordered, in a block and in the collection.
    fn sizes<'a>(&self, block: &'a Block) -> &'a [u32] {
        &block.set_sizes
    }

    /// Writes S of each feature of a text to `out`; equal features get the value of the first of
    /// them.
    fn suffixes(&self, text: Text, marks: &mut Marks, out: &mut [u32]);

    /// Whether a feature with this S is indexed for a text of this size. S falls with rank: after
    /// the first that is not indexed, none is.
    fn indexes(&self, suffix: u32, size: u32) -> bool;

    /// Whether a text of this size probes a feature with this S; `top` is the largest key of the
    /// entries it can meet.
    fn probes(&self, suffix: u32, size: u32, top: i32) -> bool;

    /// Which indexed texts are partners of one of this size.
    fn partners(&self, size: u32) -> Partners;

    /// The part of S stored in an entry.
    fn key(&self, suffix: u32, _size: u32) -> i32 {
        suffix.min(i32::MAX as u32) as i32
    }

    /// The least key of the entries that may be partners of a text of this size, if the rarest
    /// feature they share has this S in it.
    fn least_key(&self, _suffix: u32, _size: u32) -> i32 {
        i32::MIN
    }

    /// Whether the entries of a feature are sorted by key, descending; otherwise they are in the
    /// order of their texts.
    fn sorts_by_key(&self) -> bool {
        false
    }

    /// The largest size of such a partner.
    fn largest(&self, _suffix: u32, _size: u32) -> u32 {
        u32::MAX
    }

    /// Whether a text with this suffix and size may reach the threshold with one that has this key,
    /// which is not too small, and this size in its entry.
    fn may(&self, _suffix_and_size: (u32, u32), _key_and_size: (i32, u32)) -> bool {
        true
    }
}

/// What rejects candidates before their features are compared: bitmaps and outlines of texts. By
/// default nothing does.
pub trait Outlined: Send + Sync {
    /// Whether entries store bitmaps of their texts, for [`Outlined::apart`].
    fn has_bitmaps(&self) -> bool {
        false
    }

    /// The maximum distance of a text from a partner, by the features of both.
    fn apart(&self, _text: Text) -> Option<Apart> {
        None
    }

    /// Whether outlines save enough to justify their memory.
    fn is_outlined(&self) -> bool {
        false
    }

    /// The words of the outline of a text.
    fn outline_words(&self, _text: Text) -> usize {
        0
    }

    /// Writes the outline of a text over zeros.
    fn outline(&self, _text: Text, _out: &mut Outline) {}

    /// Whether texts `a` and `b` with these outlines may reach the threshold.
    fn may_meet(&self, _outlines: (&Outline, &Outline), _a: Text, _b: Text) -> bool {
        true
    }
}

/// What verifies candidates: their overlap, by features or in their tokens.
pub trait Verify: Send + Sync {
    /// The overlap of two texts by their features, as a pair stores it for `a` and `b`, if it
    /// reaches the threshold. If features are chains, or stand for several shingles, it may exceed
    /// the true overlap, but is never below it.
    fn shared(&self, a: Text, b: Text, marks: &mut Marks) -> Option<(u32, u32)>;

    /// How the true overlap of two texts is counted in their tokens; none if features give it
    /// exactly.
    fn shingles(&self) -> Option<Shingles> {
        None
    }

    /// Whether this overlap of two texts of these sizes reaches the threshold.
    fn admits(&self, shared: (u32, u32), sizes: (u32, u32)) -> bool;
}

/// The bound of a measure at a threshold.
pub trait Bound: Prefix + Outlined + Verify {}

impl<T: Prefix + Outlined + Verify> Bound for T {}
