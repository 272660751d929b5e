//! The input of the next stage: a source without the units that earlier stages removed.

use crate::decide::Decision;
use crate::error::Result;
use crate::evidence::Findings;
use crate::field::Expected;
use crate::record::{
    Batch, Chunk, Chunks, Fetched, LargeRecord, Level, Source, SourceFile, Wanted,
};
use std::ops::Range;
use std::sync::Arc;

/// Records and parts of records that stages removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RemovedUnits {
    /// File and number of whole records, ascending.
    records: Vec<(u32, u64)>,
    /// File and number of a record, and bytes of its text, ascending.
    parts: Vec<(u32, u64, Range<usize>)>,
}

impl RemovedUnits {
    /// Removes the units that a stage did not keep; the references of a collection are always kept.
    pub fn add(&mut self, found: &Findings, decision: &Decision) {
        let units = &found.units;
        for record in 0..units.records.len() {
            let (file, number) = (units.records.file[record], units.records.number[record]);
            let all = units.of_record(record);
            let removed = all.clone().filter(|unit| !decision.keeps(*unit));
            if units.level == Level::Document {
                self.records.extend(removed.map(|_| (file, number)));
            } else {
                self.parts.extend(
                    removed.map(|unit| (file, number, units.parts[unit as usize].part().text)),
                );
            }
        }
        self.records.sort_unstable();
        self.parts
            .sort_unstable_by_key(|(file, number, range)| (*file, *number, range.start, range.end));
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> u64 {
        (self.records.capacity() * size_of::<(u32, u64)>()
            + self.parts.capacity() * size_of::<(u32, u64, Range<usize>)>()) as u64
    }

    fn is_removed(&self, file: u32, number: u64) -> bool {
        self.records.binary_search(&(file, number)).is_ok()
    }

    fn parts_of(&self, file: u32, number: u64) -> &[(u32, u64, Range<usize>)] {
        let from = self
            .parts
            .partition_point(|(f, n, _)| (*f, *n) < (file, number));
        let to = from + self.parts[from..].partition_point(|(f, n, _)| (*f, *n) == (file, number));
        &self.parts[from..to]
    }
}

/// A source without the removed units. Files, numbers and offsets in texts are those of the source.
pub struct StageInput<'a> {
    source: &'a dyn Source,
    removed: Arc<RemovedUnits>,
}

impl<'a> StageInput<'a> {
    /// `source` without the units in `removed`.
    pub fn new(source: &'a dyn Source, removed: RemovedUnits) -> Self {
        Self {
            source,
            removed: Arc::new(removed),
        }
    }
}

impl Source for StageInput<'_> {
    fn files(&self) -> &[SourceFile] {
        self.source.files()
    }

    fn text_bytes(&self) -> u64 {
        self.source.text_bytes()
    }

    fn field_names(&self) -> &[String] {
        self.source.field_names()
    }

    fn expected(&self, field: &str) -> Expected {
        self.source.expected(field)
    }

    fn chunks(&self) -> Result<Chunks<'_>> {
        Ok(self.rest_of(self.source.chunks()?))
    }

    fn fetch<'b>(&'b self, wanted: Wanted<'b>) -> Result<Fetched<'b>> {
        let Fetched { chunks, bytes } = self.source.fetch(wanted)?;
        Ok(Fetched {
            chunks: self.rest_of(chunks),
            bytes,
        })
    }
}

impl StageInput<'_> {
    /// Chunks of the source without the removed units.
    pub fn rest_of<'b>(&'b self, chunks: Chunks<'b>) -> Chunks<'b> {
        let rest = |chunk: Box<dyn Chunk>| -> Box<dyn Chunk> {
            Box::new(Rest {
                chunk,
                removed: self.removed.clone(),
            })
        };
        Box::new(chunks.map(move |chunk| chunk.map(rest)))
    }
}

struct Rest {
    chunk: Box<dyn Chunk>,
    removed: Arc<RemovedUnits>,
}

impl Chunk for Rest {
    fn file(&self) -> u32 {
        self.chunk.file()
    }

    fn disk_bytes(&self) -> u64 {
        self.chunk.disk_bytes()
    }

    fn large(&self) -> Option<LargeRecord> {
        self.chunk.large()
    }

    fn read(&self, batch: &mut Batch) {
        self.read_some(&|_| true, batch);
    }

    fn read_some(&self, wanted: &dyn Fn(u64) -> bool, batch: &mut Batch) {
        let (first, first_bad) = (batch.records.len(), batch.bad.len());
        let file = self.file();
        let is_in = |number: u64| wanted(number) && !self.removed.is_removed(file, number);
        self.chunk.read_some(&is_in, batch);
        // The first stage has reported them.
        batch.bad.truncate(first_bad);
        let mut kept = first;
        for at in first..batch.records.len() {
            let number = batch.records[at].number;
            if self.removed.is_removed(file, number) {
                continue;
            }
            let parts = self.removed.parts_of(file, number).iter();
            batch
                .out
                .extend(parts.map(|(_, _, range)| (kept as u32, range.clone())));
            batch.records.swap(kept, at);
            kept += 1;
        }
        batch.records.truncate(kept);
    }
}
