//! Tokens in shared shingles, counted in sequences of shingles of which a kept text stores 64 bits each.

use crate::hash::Hashed;
use crate::lookup::{Reading, Size};
use crate::shingle::Shingler;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// The shingles of the text being judged, in order.
#[derive(Default)]
pub(super) struct Sequence {
    shingles: Vec<u64>,
    /// The number of each among the distinct ones.
    numbers: HashMap<u64, usize, BuildHasherDefault<Hashed>>,
    /// The last candidate that has each distinct shingle.
    seen: Vec<Option<u32>>,
    tokens: usize,
}

impl Sequence {
    /// The shingles.
    pub(super) fn shingles(&self) -> &[u64] {
        &self.shingles
    }

    /// Reads those of a text.
    pub(super) fn read(&mut self, text: &Reading) {
        let occurrences = text.occurrences();
        self.tokens = text.size.tokens as usize;
        self.shingles.clear();
        self.shingles.resize(occurrences.len(), 0);
        self.numbers.clear();
        self.seen.clear();
        self.seen.resize(text.distinct().len(), None);
        for (number, equal) in occurrences.chunk_by(|a, b| a.0 == b.0).enumerate() {
            for (shingle, at) in equal {
                let whole = shingle.whole();
                self.shingles[*at as usize] = whole;
                self.numbers.insert(whole, number);
            }
        }
    }

    /// Tokens of a kept text and of this one that are in shingles of both.
    pub(super) fn covered(
        &mut self,
        candidate: u32,
        (sequence, size): (&[u64], Size),
        shingler: &Shingler,
    ) -> (u32, u32) {
        let Self {
            shingles,
            numbers,
            seen,
            tokens,
        } = self;
        let in_kept = covered(sequence, shingler.cover(size.tokens as usize), |shingle| {
            let number = numbers.get(&shingle);
            if let Some(number) = number {
                seen[*number] = Some(candidate);
            }
            number.is_some()
        });
        let own = covered(shingles, shingler.cover(*tokens), |shingle| {
            let number = numbers.get(&shingle);
            number.is_some_and(|number| seen[*number] == Some(candidate))
        });
        (in_kept, own)
    }
}

/// Tokens in shingles of a sequence that `counts`, each of `cover` tokens.
fn covered(sequence: &[u64], cover: usize, mut counts: impl FnMut(u64) -> bool) -> u32 {
    let (mut tokens, mut end) = (0, 0);
    for (at, shingle) in sequence.iter().enumerate() {
        if counts(*shingle) {
            tokens += at + cover - end.max(at);
            end = at + cover;
        }
    }
    tokens as u32
}
