//! Spelled phrases, before they are listed.

use super::found::{Order, order};

/// A phrase with all its figures.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Row {
    /// Where it begins on the tape.
    pub(super) place: u64,
    /// Its deviation of proportions, times its occurrences and all tokens.
    pub(super) deviation: u64,
    /// Its association, in steps of 2^-[`BITS`](super::frequencies::BITS).
    pub(super) association: i64,
    /// Where its spelling begins, in bytes.
    pub(super) text: u64,
    /// Where its shares begin: by number in a chunk, then in bytes.
    pub(super) shares: u64,
    pub(super) text_bytes: u32,
    pub(super) share_count: u32,
    /// Its tokens.
    pub(super) length: u32,
    pub(super) occurrences: u32,
    pub(super) texts: u32,
    /// The text of its first occurrence.
    pub(super) unit: u32,
    /// Where that begins and ends in the record, in code points.
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Row {
    /// Its place in the list.
    pub(super) fn order(&self) -> Order {
        order(self.length, self.occurrences, self.place)
    }
}

/// The phrases that occur first in a chunk.
#[derive(Default)]
pub(super) struct Spelled {
    /// The texts in which they are.
    pub(super) text: String,
    /// Value, texts and occurrences.
    pub(super) shares: Vec<[u32; 3]>,
    /// Their places in `text` and `shares` are from the beginning of these.
    pub(super) rows: Vec<Row>,
}
