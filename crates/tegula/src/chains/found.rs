//! A chain, where it was found.

/// A chain in a text.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    /// The first position of its first class, which identifies it.
    pub(super) chain: u64,
    pub(super) group: u32,
    /// The first of its shingles in the text.
    pub(super) at: u32,
    /// The number of its shingles.
    pub(super) length: u32,
    /// Whether they have numbers in them that matter.
    pub(super) has_number: bool,
    /// Whether the chain begins here at the position that identifies it.
    pub(super) is_head: bool,
    /// Whether the text represents all equal ones.
    pub(super) counts: bool,
}
