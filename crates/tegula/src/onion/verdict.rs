//! The verdict on a paragraph.

/// The verdict on a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is kept.
    Kept,
    /// It is removed: more than the threshold of it was previously seen.
    Duplicate,
    /// It is removed because its neighbours are.
    Smoothed,
}

/// The decision on a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Its tokens in previously seen n-grams.
    pub seen: u32,
    /// Whether it is kept, and why not.
    pub fate: Fate,
}

impl Verdict {
    /// Whether the paragraph is kept.
    pub fn is_kept(self) -> bool {
        self.fate == Fate::Kept
    }
}
