//! Runs of words, identified by their fingerprints.

use crate::run::{Run, Text};
use std::ops::Range;
use tegula::error::Result;
use tegula::hash::{self, Fingerprint, Sequence};
use tegula::text::normalise::{Normaliser, Tokens};

/// The maximum number of words in a run.
pub(super) const LONGEST: usize = 7;

/// A run of words: 64 bits and 61 more of its fingerprint, and its length.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable,
)]
#[repr(C)]
pub(super) struct Gram {
    id: u64,
    check: u64,
}

impl Gram {
    fn new(fingerprint: Fingerprint, words: usize) -> Self {
        Self {
            id: fingerprint.id,
            check: fingerprint.check & !7 | words as u64,
        }
    }

    /// The number of its words.
    pub(super) fn words(self) -> usize {
        (self.check & 7) as usize
    }

    /// Bits for choosing a partition.
    pub(super) fn spread(self) -> u64 {
        self.id >> 32
    }
}

/// The location of a run of words: its record's text, the bytes of its first and its last word.
pub(super) struct Hit<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: Range<usize>,
    tokens: &'a Tokens,
    places: Range<usize>,
}

impl Hit<'_> {
    /// The words after normalisation.
    pub(super) fn words(&self) -> String {
        let words: Vec<&str> = self
            .tokens
            .iter()
            .skip(self.places.start)
            .take(self.places.len())
            .collect();
        words.join(" ")
    }
}

/// Splits texts into runs of words.
pub(super) struct Grams {
    normaliser: Normaliser,
    longest: usize,
    tokens: Tokens,
    hashes: Vec<Fingerprint>,
    removed: Vec<bool>,
}

impl Grams {
    pub(super) fn new(run: &Run, longest: usize) -> Result<Self> {
        let normaliser = run.stages()[0].recipe()?.check()?;
        Ok(Self {
            normaliser,
            longest,
            tokens: Tokens::default(),
            hashes: Vec::new(),
            removed: Vec::new(),
        })
    }

    /// Calls `visit` with each run of words of a text, shorter ones first if several begin at a
    /// word, and whether any word of it was removed.
    pub(super) fn for_each(
        &mut self,
        text: &Text,
        mut visit: impl FnMut(Gram, bool, &Hit) -> Result<()>,
    ) -> Result<()> {
        for (_, unit) in text.units {
            let Some(words) = text.text.get(unit.clone()) else {
                continue;
            };
            self.normaliser.tokens(words, &mut self.tokens);
            self.hashes.clear();
            self.hashes.extend(
                self.tokens
                    .iter()
                    .map(|token| hash::token(token.as_bytes())),
            );
            self.removed.clear();
            self.removed.extend(
                self.tokens
                    .spans
                    .iter()
                    .map(|span| text.is_removed(unit.start + span.start)),
            );
            for start in 0..self.hashes.len() {
                let mut sequence = Sequence::default();
                let mut is_removed = false;
                for end in start + 1..=self.hashes.len().min(start + self.longest) {
                    sequence.push(self.hashes[end - 1]);
                    is_removed |= self.removed[end - 1];
                    let spans = &self.tokens.spans;
                    let bytes = unit.start + spans[start].start..unit.start + spans[end - 1].end;
                    let hit = Hit {
                        text: text.text,
                        bytes,
                        tokens: &self.tokens,
                        places: start..end,
                    };
                    visit(Gram::new(sequence.finish(), end - start), is_removed, &hit)?;
                }
            }
        }
        Ok(())
    }
}
