//! Groups records into chunks.

use super::Record;
use crate::error::Result;
use crate::large::Scales;
use crate::record::{self, Batch, Chunk, LargeRecord};
use std::borrow::Borrow;

/// Bytes of text in a chunk: large enough that threads rarely wait for the next.
const CHUNK: usize = 1 << 18;
/// Shorter texts fit a chunk's share of memory, whatever their tokens.
const SURELY_SMALL: usize = 1 << 16;

/// The chunks of some records, with their values of the fields `names`; a large record gets its own
/// chunk. `characters` says whether each character is a token.
pub(super) fn chunks_of<'t, R: Borrow<Record<'t>>>(
    records: impl Iterator<Item = Result<R>>,
    names: &[String],
    characters: bool,
) -> impl Iterator<Item = Result<Box<dyn Chunk>>> {
    let mut records = records.peekable();
    let mut number = 0;
    std::iter::from_fn(move || {
        let mut piece = TextChunk::default();
        loop {
            let fits = |next: &Result<R>| match next {
                Ok(next) => piece.takes(next.borrow().text()),
                // It ends the run, after the records before it.
                Err(_) => piece.batch.records.is_empty(),
            };
            match records.next_if(fits) {
                Some(Ok(next)) => {
                    number += 1;
                    piece.push(number, next.borrow(), names, characters);
                }
                Some(Err(error)) => return Some(Err(error)),
                None if piece.batch.records.is_empty() => return None,
                None => return Some(Ok(Box::new(piece) as Box<dyn Chunk>)),
            }
        }
    })
}

/// Some consecutive records.
#[derive(Default)]
pub(crate) struct TextChunk {
    batch: Batch,
    large: Option<LargeRecord>,
}

impl TextChunk {
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.batch.records.is_empty()
    }

    /// Whether a text can be appended.
    pub(crate) fn takes(&self, text: &str) -> bool {
        let has_room =
            self.large.is_none() && self.batch.text.len() < CHUNK && text.len() < SURELY_SMALL;
        self.is_empty() || has_room
    }

    fn push(&mut self, number: u64, record: &Record<'_>, names: &[String], characters: bool) {
        self.weigh(number, record.text(), characters);
        self.batch.push(number, record, names);
    }

    /// Appends a record of another batch.
    pub(crate) fn push_of(&mut self, other: &Batch, record: &record::Record, characters: bool) {
        self.weigh(record.number, other.text_of(record), characters);
        self.batch.push_of(other, record);
    }

    /// Notes a text that takes more memory than a chunk of usual size.
    fn weigh(&mut self, number: u64, text: &str, characters: bool) {
        if text.len() >= SURELY_SMALL {
            let mut scales = Scales::new(characters);
            scales.add(text.as_bytes());
            let (memory, tokens) = (scales.memory(), scales.tokens());
            self.large = (memory > 0).then_some(LargeRecord {
                number,
                memory,
                tokens,
            });
        }
    }
}

impl Chunk for TextChunk {
    fn file(&self) -> u32 {
        0
    }

    fn disk_bytes(&self) -> u64 {
        self.batch.text.len() as u64
    }

    fn large(&self) -> Option<LargeRecord> {
        self.large
    }

    fn read(&self, batch: &mut Batch) {
        self.read_some(&|_| true, batch);
    }

    fn read_some(&self, wanted: &dyn Fn(u64) -> bool, batch: &mut Batch) {
        let own = &self.batch;
        for record in own.records.iter().filter(|record| wanted(record.number)) {
            batch.push_of(own, record);
        }
    }
}
