//! From records to what a segment stores of them, on any thread.

use super::blocks::Stored;
use super::segment::Unit;
use crate::hash::Fingerprint;
use crate::lookup::{Reader, Reading, Room, Size};
use crate::record::{BadRecord, Batch, Chunk, Level};
use crate::text::segment::{self, Part};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Extracts the features of records.
pub(super) struct Extractor<'a> {
    pub(super) reader: &'a Reader,
    pub(super) level: Level,
    pub(super) rejoin: bool,
    /// Whether texts are kept; otherwise their tokens are.
    pub(super) texts: bool,
    /// Names of files, by which records without an id are known.
    pub(super) names: &'a [String],
    /// The column of each field that is kept, if the records have it.
    pub(super) columns: &'a [Option<usize>],
    /// What was taken, to be filled again.
    pub(super) taken: Mutex<Vec<Extracted>>,
}

/// The buffers of one thread.
#[derive(Default)]
pub(super) struct Buffers {
    batch: Batch,
    room: Room,
    reading: Reading,
    parts: Vec<Part>,
}

/// A record.
pub(super) struct Fresh {
    /// Its file, and its number there.
    pub(super) place: (u32, u64),
    /// Its id.
    pub(super) id: String,
    /// Bytes of its text.
    pub(super) text: u64,
    /// As it is stored, in the bytes of all; without its body if texts are not kept.
    pub(super) stored: Range<usize>,
    /// Its units, among all.
    pub(super) units: Range<usize>,
}

/// A unit of a record.
pub(super) struct FreshUnit {
    /// Its place; the record is not known yet.
    pub(super) unit: Unit,
    pub(super) size: Size,
    /// Its distinct features, among all.
    pub(super) features: Range<usize>,
    /// Its tokens among all, and whether it has any, if texts are not kept.
    pub(super) tokens: (Range<usize>, bool),
}

/// Some records.
#[derive(Default)]
pub(super) struct Extracted {
    pub(super) records: Vec<Fresh>,
    pub(super) units: Vec<FreshUnit>,
    pub(super) stored: Vec<u8>,
    pub(super) features: Vec<u64>,
    pub(super) tokens: Vec<Fingerprint>,
    pub(super) bad: Vec<BadRecord>,
}

impl Extracted {
    /// Removes everything, but keeps the memory.
    fn clear(&mut self) {
        self.records.clear();
        self.units.clear();
        self.stored.clear();
        self.features.clear();
        self.tokens.clear();
        self.bad.clear();
    }

    /// Whether keeping the memory costs little.
    fn is_small(&self) -> bool {
        self.stored.capacity() + 8 * self.features.capacity() + 16 * self.tokens.capacity() < LARGE
    }
}

/// More memory than this is not kept.
const LARGE: usize = 1 << 24;

impl Extractor<'_> {
    fn idle(&self) -> MutexGuard<'_, Vec<Extracted>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes back the memory of what was extracted.
    pub(super) fn done(&self, mut extracted: Extracted) {
        if extracted.is_small() {
            extracted.clear();
            self.idle().push(extracted);
        }
    }

    /// Reads a chunk.
    pub(super) fn extract(&self, buffers: &mut Buffers, chunk: &dyn Chunk) -> Extracted {
        let Buffers {
            batch,
            room,
            reading,
            parts,
        } = buffers;
        batch.clear();
        chunk.read(batch);
        let mut out = self.idle().pop().unwrap_or_default();
        out.bad = std::mem::take(&mut batch.bad);
        for record in &batch.records {
            let text = batch.text_of(record);
            let id = match batch.id_of(record).filter(|id| !id.is_empty()) {
                Some(id) => id.to_owned(),
                None => format!("{}:{}", self.names[chunk.file() as usize], record.number),
            };
            let from = out.stored.len();
            let values = batch.fields_of(record);
            let value = |column: &Option<usize>| values.get((*column)?)?.as_deref();
            let fields = self.columns.iter().map(value);
            let body = if self.texts { text.as_bytes() } else { &[] };
            Stored::write(&id, fields, body, &mut out.stored);
            parts.clear();
            segment::parts(
                text,
                batch.segments_of(record),
                self.level,
                self.rejoin,
                parts,
            );
            let first = out.units.len();
            for (ordinal, part) in (1..).zip(parts.iter()) {
                let part = &part.text;
                let has_tokens = self.reader.read(&text[part.clone()], room, reading);
                let features = out.features.len();
                out.features
                    .extend(reading.distinct().map(|feature| feature.id));
                let tokens = out.tokens.len();
                if !self.texts {
                    out.tokens.extend_from_slice(room.tokens());
                }
                let place = [ordinal, part.start as u32, part.len() as u32];
                out.units.push(FreshUnit {
                    unit: Unit {
                        record: 0,
                        part: if self.level == Level::Document {
                            [0; 3]
                        } else {
                            place
                        },
                        signature: reading.signature.unwrap_or_default(),
                    },
                    size: reading.size,
                    features: features..out.features.len(),
                    tokens: (tokens..out.tokens.len(), has_tokens),
                });
            }
            out.records.push(Fresh {
                place: (chunk.file(), record.number),
                id,
                text: text.len() as u64,
                stored: from..out.stored.len(),
                units: first..out.units.len(),
            });
        }
        out
    }
}
