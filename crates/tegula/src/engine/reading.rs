//! How the units of a source are read: segmented, normalised, shingled. Both passes over the text do it in the same way.

use crate::context::make_room;
use crate::date::DateFormat;
use crate::error::Result;
use crate::field::FieldKey;
use crate::hash::{self, Fingerprint, Sequence, Width};
use crate::rabin::Rabin;
use crate::recipe::Select;
use crate::record::{Batch, LargeRecord, Level, Record, Source, Tagged};
use crate::shingle::Shingler;
use crate::sketch::modulo::Modulo;
use crate::sketch::{every, winnow};
use crate::statistics::{Counter, Pending};
use crate::text::classes::{Class, Classes};
use crate::text::digest::{self, Digest, Digested};
use crate::text::fingerprints::fingerprints;
use crate::text::normalise::{Normaliser, Tokens};
use crate::text::segment::{self, Part};
use crate::text::words::Words;

/// A source, and what is done with its texts.
pub(crate) struct Reading<'a> {
    pub(crate) source: &'a dyn Source,
    pub(crate) level: Level,
    /// Whether units that break off go on in the next one.
    pub(crate) mend: bool,
    /// What whole units are told apart by.
    pub(crate) digest: Digest,
    pub(crate) normaliser: &'a Normaliser,
    /// The same steps without masks, where units that differ only in what is masked are told apart.
    pub(crate) unmasked: Option<&'a Normaliser>,
    pub(crate) width: Width,
    /// Whether equal units are always in one group, so that one of them stands for all.
    pub(crate) collapse: bool,
    /// Units of fewer tokens are compared with none.
    pub(crate) min_tokens: u32,
    /// Whether the tokens that a format marks count where there are some.
    pub(crate) own_tokens: bool,
    /// What is looked for more than once.
    pub(crate) features: Features,
    /// Where terms are counted, with the classes of words where they matter.
    pub(crate) count: Option<(&'a Counter, Option<&'a Classes>)>,
}

/// What of the tokens a method looks for.
#[expect(clippy::large_enum_variant, reason = "there is one for each run")]
pub(crate) enum Features {
    /// Whole units only.
    Whole,
    /// The shingles of each unit.
    Shingles(Shingles),
    /// The n-grams of each record, which run on from unit to unit.
    Ngrams(Ngrams),
}

impl Features {
    /// The shingles of units, if it is those.
    pub(crate) fn shingles(&self) -> Option<&Shingles> {
        match self {
            Self::Shingles(shingles) => Some(shingles),
            _ => None,
        }
    }
}

/// Buffers of one thread, used again for each unit.
#[derive(Default)]
pub(crate) struct Buffers {
    pub(crate) parts: Vec<Part>,
    pub(crate) tokens: Vec<Fingerprint>,
    /// For each part its place in the record, from 1, where some are out.
    pub(crate) ordinals: Vec<u32>,
    /// The tokens of the record so far, where n-grams run on.
    pub(crate) record: Vec<Fingerprint>,
    pub(crate) ids: Vec<u64>,
    /// The positions of the shingles whose ids these are, where not all are looked at.
    pub(crate) places: Vec<u32>,
    /// For each shingle whether it may repeat.
    pub(crate) may_repeat: Vec<bool>,
    words: Words,
    joined: String,
    spelled: Tokens,
}

impl Buffers {
    /// Makes room for a large record, so that buffers need not double while they grow.
    ///
    /// # Errors
    /// When the system has no such memory.
    pub(crate) fn make_room(&mut self, record: LargeRecord) -> Result<()> {
        let tokens = record.tokens as usize;
        self.tokens.clear();
        self.ids.clear();
        make_room(&mut self.tokens, tokens, "the tokens of a long record")?;
        make_room(&mut self.ids, tokens, "the shingles of a long record")
    }
}

impl Reading<'_> {
    /// Whether a unit with so many tokens is too short to be compared.
    pub(crate) fn is_short(&self, tokens: u32) -> bool {
        tokens < self.min_tokens
    }

    /// The units of the record at `at` of the batch, into the buffers.
    pub(crate) fn parts(&self, batch: &Batch, at: usize, buffers: &mut Buffers) {
        let Buffers { parts, ordinals, .. } = buffers;
        let record = &batch.records[at];
        parts.clear();
        ordinals.clear();
        segment::parts(batch.text_of(record), batch.segments_of(record), self.level, self.mend, parts);
        if !batch.out.is_empty() {
            let from = batch.out.partition_point(|(record, _)| (*record as usize) < at);
            let to = from + batch.out[from..].partition_point(|(record, _)| *record as usize == at);
            let out = &batch.out[from..to];
            let is_out = |part: &Part| out.iter().any(|(_, range)| range.start <= part.text.start && part.text.end <= range.end);
            ordinals.extend((1..).zip(parts.iter()).filter(|(_, part)| !is_out(part)).map(|(ordinal, _)| ordinal));
            parts.retain(|part| !is_out(part));
        }
    }

    /// The digest of a unit, of whose tokens the fingerprints are in the buffers.
    pub(crate) fn digest(&self, text: &str, buffers: &mut Buffers) -> Digested {
        self.digest.of(self.normaliser, text, &mut buffers.joined).unwrap_or_else(|| {
            let mut sequence = Sequence::default();
            buffers.tokens.iter().for_each(|token| sequence.push(*token));
            let mut fingerprint = sequence.finish();
            fingerprint.id = self.width.cut(fingerprint.id);
            let masked = fingerprint.digest();
            let head = match self.unmasked {
                Some(unmasked) => digest::with_unmasked(masked, &buffers.tokens, unmasked, text),
                None => masked,
            };
            Digested { head, tail: 0 }
        })
    }

    /// Counts a unit's terms, of which `tokens` are in the buffers; `tags` are the classes of its words from where it begins in its record.
    pub(crate) fn count(&self, text: &str, tags: (&[Tagged], usize), tokens: usize, buffers: &Buffers, pending: &mut Pending) {
        match &self.count {
            None => return,
            Some(_) if tokens == 0 => {}
            Some((_, Some(classes))) => classes.for_each_tagged(text, tags.0, tags.1, |token, class| {
                pending.push(hash::token(token.as_bytes()).id, class);
            }),
            Some((_, None)) => buffers.tokens.iter().for_each(|token| pending.push(token.id, Class::default())),
        }
        pending.end_unit();
    }

    /// The fingerprints of the tokens of a record's part, into the buffers: those that the format marks where they are what counts and
    /// there are any. Returns their number, 0 for a unit compared by its raw text.
    pub(crate) fn tokens_of(&self, batch: &Batch, record: &Record, part: &Part, buffers: &mut Buffers) -> usize {
        let own = if self.own_tokens { batch.tokens_of(record) } else { &[] };
        let from = own.partition_point(|token| token.at < part.text.start);
        let to = from + own[from..].partition_point(|token| token.at < part.text.end);
        if from == to {
            return self.tokens(&batch.text_of(record)[part.text.clone()], buffers);
        }
        buffers.tokens.clear();
        buffers.tokens.extend(own[from..to].iter().map(|token| token.fingerprint));
        to - from
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
    pub(crate) select: Select,
    /// Where the selection is by modulus.
    pub(crate) modulo: Option<Modulo>,
}

impl Shingles {
    /// The ids of the shingles of the tokens in the buffers, into the buffers.
    pub(crate) fn ids(&self, normaliser: &Normaliser, text: &str, buffers: &mut Buffers) {
        match &self.rabin {
            None => {
                self.shingler.ids(&buffers.tokens, &mut buffers.ids);
                self.select(buffers);
            }
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

    /// Leaves only the ids that are looked at, with their positions.
    fn select(&self, buffers: &mut Buffers) {
        let Buffers { ids, places, .. } = buffers;
        places.clear();
        match self.select {
            Select::All => return,
            Select::Every { nth } => every::positions(ids.len() as u32, nth, places),
            Select::Modulo { .. } => {
                if let Some(modulo) = &self.modulo {
                    modulo.positions(ids, places);
                }
            }
            Select::Winnow { window } => winnow::positions(ids, window as usize, places),
        }
        for (to, place) in places.iter().enumerate() {
            ids[to] = ids[*place as usize];
        }
        ids.truncate(places.len());
    }
}

/// N-grams that run on from unit to unit of a record.
pub(crate) struct Ngrams {
    pub(crate) shingler: Shingler,
    /// The places of fields among those that are read, and how they are looked at: n-grams of records with different values never meet.
    pub(crate) within: Vec<(usize, FieldKey, DateFormat)>,
}

impl Ngrams {
    /// What sets the n-grams of this record apart from those of others.
    pub(crate) fn salt(&self, batch: &Batch, record: &Record) -> Fingerprint {
        if self.within.is_empty() {
            return Fingerprint::default();
        }
        let mut salt = Sequence::default();
        for (field, key, dates) in &self.within {
            let value = batch.fields_of(record).get(*field).and_then(Option::as_deref);
            let part = value.and_then(|value| key.of(value, dates));
            salt.push(hash::token(part.as_deref().unwrap_or(crate::field::MISSING).as_bytes()));
        }
        salt.finish()
    }

    /// The ids of the n-grams of the record in the buffers, into the buffers: one that ends at token `i` stands at `i + 1 - n`.
    pub(crate) fn ids(&self, salt: Fingerprint, buffers: &mut Buffers) {
        buffers.ids.clear();
        if buffers.record.len() >= self.shingler.n() {
            self.shingler.ids(&buffers.record, &mut buffers.ids);
            if salt != Fingerprint::default() {
                buffers.ids.iter_mut().for_each(|id| *id = self.shingler.cut(hash::mix(*id ^ salt.id)));
            }
        }
    }
}
