//! Texts in memory as a source.

use super::Record;
use crate::date::DateFormat;
use crate::error::{Error, Result};
use crate::field::{Expected, FieldNeed};
use crate::large::Scales;
use crate::record::{Batch, Chunk, Chunks, LargeRecord, Source, SourceFile};

/// Records in memory: one file, whose name is given. What is borrowed stays where it is; while a chunk is read, it is copied.
pub(super) struct Memory<'a> {
    records: Vec<Record<'a>>,
    /// The fields that the run needs.
    names: Vec<String>,
    file: [SourceFile; 1],
    /// Whether each character is a token.
    characters: bool,
}

/// Bytes of text in a chunk: enough that threads seldom wait for the next.
const CHUNK: usize = 1 << 18;
/// Shorter texts fit any chunk's share of memory, whatever their tokens are.
const SURELY_SMALL: usize = 1 << 16;

impl<'a> Memory<'a> {
    pub(super) fn new(name: &str, records: Vec<Record<'a>>, names: Vec<String>, characters: bool) -> Self {
        let bytes = records.iter().map(|record| record.text().len() as u64).sum();
        let file = SourceFile { path: name.into(), name: name.to_owned(), bytes };
        Self { records, names, file: [file], characters }
    }

    /// Bytes of the list, without the texts, which are the caller's.
    pub(super) fn heap_bytes(&self) -> u64 {
        (self.records.capacity() * size_of::<Record>()) as u64
    }

    /// Refuses fields that no record has, and those none of whose values can be used.
    ///
    /// # Errors
    /// Names the field, and those that records have.
    pub(super) fn check(&self, needs: &[FieldNeed], dates: &DateFormat) -> Result<()> {
        if self.records.is_empty() {
            return Ok(());
        }
        for need in needs {
            let expected = Expected { holds: need.holds.clone(), dates: dates.clone() };
            let mut values = self.records.iter().filter_map(|record| record.value(&need.name)).peekable();
            match values.peek().copied() {
                None => return Err(self.has_none(&need.name)),
                Some(first) if !values.any(|value| expected.fits(value)) => {
                    expected.check(&need.name, first)?;
                    return Err(expected.nothing_fits(&need.name, first));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn has_none(&self, name: &str) -> Error {
        let mut had: Vec<&str> = self.records.iter().flat_map(Record::names).collect();
        had.sort_unstable();
        had.dedup();
        let had = if had.is_empty() { "none".to_owned() } else { had.join(", ") };
        Error::usage(format!("field '{name}': expected records that have it, found none"))
            .hint(format!("the fields that records have are: {had}"))
    }

    /// The large record at a place, where it is one.
    fn large(&self, at: usize) -> Option<LargeRecord> {
        let text = self.records[at].text();
        if text.len() < SURELY_SMALL {
            return None;
        }
        let mut scales = Scales::new(self.characters);
        scales.add(text.as_bytes());
        let (memory, tokens) = (scales.memory(), scales.tokens());
        (memory > 0).then_some(LargeRecord { number: at as u64 + 1, memory, tokens })
    }

    /// The chunk that begins at a place, and where the next one does.
    fn piece(&self, start: usize) -> (Piece, usize) {
        let mut piece = Piece { batch: Batch::default(), large: self.large(start) };
        let mut at = start;
        while at < self.records.len() {
            let alone = at > start && (piece.large.is_some() || self.records[at].text().len() >= SURELY_SMALL);
            if alone || piece.batch.text.len() >= CHUNK {
                break;
            }
            piece.batch.push(at as u64 + 1, &self.records[at], &self.names);
            at += 1;
        }
        (piece, at)
    }
}

impl Source for Memory<'_> {
    fn files(&self) -> &[SourceFile] {
        &self.file
    }

    fn text_bytes(&self) -> u64 {
        self.file[0].bytes
    }

    fn field_names(&self) -> &[String] {
        &self.names
    }

    fn chunks(&self) -> Result<Chunks<'_>> {
        let mut next = 0;
        let pieces = std::iter::from_fn(move || {
            (next < self.records.len()).then(|| {
                let (piece, behind) = self.piece(next);
                next = behind;
                Ok(Box::new(piece) as Box<dyn Chunk>)
            })
        });
        Ok(Box::new(pieces))
    }
}

/// Some consecutive records.
struct Piece {
    batch: Batch,
    large: Option<LargeRecord>,
}

impl Chunk for Piece {
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
            let mark = batch.begin();
            batch.text.push_str(own.text_of(record));
            let id = own.id_of(record);
            batch.ids.push_str(id.unwrap_or_default());
            batch.fields.extend_from_slice(own.fields_of(record));
            batch.finish(&mark, record.number, record.bytes.clone(), id.is_some());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_hold_all_records_once_and_large_ones_are_alone() {
        let short = "a few words ".repeat(2000);
        let long = "words ".repeat(1 << 20);
        let texts = [&short, "", &long, &short, &long, &short, &short, ""];
        let memory = Memory::new("texts", texts.iter().map(Record::from).collect(), vec!["f".into()], false);
        let mut batch = Batch::default();
        for chunk in memory.chunks().unwrap() {
            let chunk = chunk.unwrap();
            let before = batch.records.len();
            chunk.read(&mut batch);
            assert!(chunk.large().is_none() || batch.records.len() == before + 1);
            assert_eq!(chunk.large().is_some(), batch.text_of(&batch.records[before]).len() > 1 << 20);
        }
        let read: Vec<&str> = batch.records.iter().map(|record| batch.text_of(record)).collect();
        assert_eq!(read, texts);
        assert!(batch.records.iter().map(|record| record.number).eq(1..=8));
    }
}
