//! How the units of a source are read: segmented, normalised, shingled. Both passes over the text do it in the same way.

use crate::hash::{Fingerprint, Width};
use crate::rabin::Rabin;
use crate::record::{Batch, Level, Record, Source};
use crate::shingle::Shingler;
use crate::text::fingerprints::fingerprints;
use crate::text::normalise::{Normaliser, Tokens};
use crate::text::segment::{self, Part};
use crate::text::words::Words;

/// A source, and what is done with its texts.
pub(crate) struct Reading<'a> {
    pub(crate) source: &'a dyn Source,
    pub(crate) level: Level,
    pub(crate) normaliser: &'a Normaliser,
    pub(crate) width: Width,
    /// Whether equal units are always in one group, so that one of them stands for all.
    pub(crate) collapse: bool,
    /// `None` where the method needs no shingles.
    pub(crate) shingles: Option<Shingles>,
}

/// Buffers of one thread, used again for each unit.
#[derive(Default)]
pub(crate) struct Buffers {
    pub(crate) parts: Vec<Part>,
    pub(crate) tokens: Vec<Fingerprint>,
    pub(crate) ids: Vec<u64>,
    /// For each shingle whether it may repeat.
    pub(crate) may_repeat: Vec<bool>,
    words: Words,
    spelled: Tokens,
}

impl Reading<'_> {
    /// The units of a record, into `parts`.
    pub(crate) fn parts(&self, batch: &Batch, record: &Record, parts: &mut Vec<Part>) {
        parts.clear();
        segment::parts(batch.text_of(record), batch.segments_of(record), self.level, parts);
    }

    /// The fingerprints of a unit's tokens, into the buffers; returns their number, 0 for a unit compared by its raw text.
    pub(crate) fn tokens(&self, text: &str, buffers: &mut Buffers) -> usize {
        fingerprints(self.normaliser, &mut buffers.words, text, &mut buffers.tokens)
    }
}

/// Shingles, and what they are told apart by.
pub(crate) struct Shingles {
    pub(crate) shingler: Shingler,
    pub(crate) rabin: Option<Rabin>,
}

impl Shingles {
    /// The ids of the shingles of the tokens in the buffers, into the buffers.
    pub(crate) fn ids(&self, normaliser: &Normaliser, text: &str, buffers: &mut Buffers) {
        match &self.rabin {
            None => self.shingler.ids(&buffers.tokens, &mut buffers.ids),
            Some(rabin) => {
                normaliser.tokens(text, &mut buffers.spelled);
                buffers.ids.clear();
                rabin.shingles(buffers.spelled.iter(), self.shingler.n(), &mut buffers.ids);
                // Remainders are small numbers: spread them, as partitions and filter words are chosen by the upper bits. No two become one.
                buffers.ids.iter_mut().for_each(|id| *id = crate::hash::mix(*id));
                if buffers.spelled.is_empty() {
                    // Raw text has no fingerprint of characters; its hash stands for it.
                    self.shingler.ids(&buffers.tokens, &mut buffers.ids);
                }
            }
        }
    }
}
