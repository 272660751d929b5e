//! The texts of single records, to explain a decision.

use crate::block::{Block, Plan};
use crate::collection::Collection;
use crate::memory;
use crate::store::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use tegula::error::{Error, Result};
use tegula::record::{Batch, Chunk, Source};

/// A record to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The file's index in the collection.
    pub file: u32,
    /// The record's number in it.
    pub number: u64,
    /// Its bytes in the file after decompression, if known: then an uncompressed file need not be
    /// read from the start.
    pub bytes: Option<Range<u64>>,
}

/// The texts of some records, in the requested order; `None` for one that is missing or bad.
pub fn texts(collection: &Collection, wanted: &[Wanted]) -> Result<Vec<Option<String>>> {
    let mut found: Vec<Option<String>> = vec![None; wanted.len()];
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|index| (wanted[*index].file, wanted[*index].number));
    for same_file in order.chunk_by(|a, b| wanted[*a].file == wanted[*b].file) {
        let file = wanted[same_file[0]].file;
        if file as usize >= collection.files().len() {
            continue;
        }
        if let Some(layout) = collection.layout(file) {
            for index in same_file {
                let number = wanted[*index].number;
                found[*index] = memory::text(layout, collection.options(), number)?;
            }
            continue;
        }
        let mut scan = Vec::new();
        let seekable = collection.can_be_cut(file);
        let mut plan = None;
        for index in same_file {
            match &wanted[*index].bytes {
                Some(bytes) if seekable => {
                    let plan = match &plan {
                        Some(plan) => plan,
                        None => plan.insert(Arc::clone(collection.stream(file)?.plan())),
                    };
                    found[*index] = seek(plan, wanted[*index].number, bytes.clone())?;
                }
                _ => scan.push(*index),
            }
        }
        read_through(collection, file, wanted, &scan, &mut found)?;
    }
    Ok(found)
}

/// Reads one record at its place.
fn seek(plan: &Arc<Plan>, number: u64, bytes: Range<u64>) -> Result<Option<String>> {
    let path: &Path = &plan.path;
    let failed = |error| Error::io("read", path, error);
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(bytes.start)).map_err(failed)?;
    let mut raw = Vec::new();
    file.take(bytes.end.saturating_sub(bytes.start))
        .read_to_end(&mut raw)
        .map_err(failed)?;
    let block = Block::of_record(plan, number, bytes.start, raw);
    Ok(first_text(&block, number))
}

fn first_text(chunk: &dyn Chunk, number: u64) -> Option<String> {
    let mut batch = Batch::default();
    chunk.read(&mut batch);
    let record = batch
        .records
        .iter()
        .find(|record| record.number == number)?;
    Some(batch.text_of(record).to_owned())
}

/// Reads a file up to the last wanted record.
fn read_through(
    collection: &Collection,
    file: u32,
    wanted: &[Wanted],
    scan: &[usize],
    found: &mut [Option<String>],
) -> Result<()> {
    let mut scan = scan.iter().peekable();
    if scan.peek().is_none() {
        return Ok(());
    }
    let mut batch = Batch::default();
    for chunk in collection.file_chunks(file)? {
        batch.clear();
        chunk?.read(&mut batch);
        let last = batch.records.last().map_or(0, |record| record.number);
        while let Some(index) = scan.next_if(|index| wanted[**index].number <= last) {
            let number = wanted[*index].number;
            let place = batch
                .records
                .binary_search_by_key(&number, |record| record.number);
            if let Ok(place) = place {
                found[*index] = Some(batch.text_of(&batch.records[place]).to_owned());
            }
        }
        if scan.peek().is_none() {
            break;
        }
    }
    Ok(())
}
