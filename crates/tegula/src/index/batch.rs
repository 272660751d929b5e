//! Units on their way to a segment: their records are written as they come, their features are held.

use super::blocks::BlockWriter;
use super::dictionary::{DictionaryWriter, KEY_BITS, key_of};
use super::pages::PageWriter;
use super::primer::Primer;
use super::segment::{Amount, Class, Kind, Unit, id_key, write_units};
use super::vocabulary::Vocabulary;
use crate::error::Result;
use crate::hash::Fingerprint;
use crate::lookup::Size;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Bits of a key that choose a partition of rows.
const PARTITION_BITS: u32 = 8;
/// Bits of a row's key.
const REST_BITS: u32 = KEY_BITS - PARTITION_BITS;

/// A feature of a unit: the lower bits of its key, then the unit.
type Row = u64;

/// The features of units, by partition.
#[derive(Default)]
pub(super) struct Rows(Vec<Vec<Row>>);

/// A segment that is being written.
pub(super) struct Batch {
    file: PageWriter,
    kind: Kind,
    blocks: BlockWriter,
    vocabulary: Vocabulary,
    units: Vec<(Unit, Size)>,
    rows: Vec<Vec<Row>>,
    ids: Vec<u64>,
    /// Records that others have replaced: their units are left out.
    replaced: Vec<u32>,
    text: u64,
    held: u64,
}

impl Batch {
    /// An empty segment, with the memory of rows of another.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub(super) fn create(
        path: PathBuf,
        kind: Kind,
        primer: Option<Arc<Primer>>,
        Rows(mut rows): Rows,
    ) -> Result<Self> {
        rows.resize(1 << PARTITION_BITS, Vec::new());
        let held = rows.iter().map(|rows| 8 * rows.capacity() as u64).sum();
        Ok(Self {
            file: PageWriter::create(path)?,
            kind,
            blocks: BlockWriter::new(primer, kind.texts)?,
            vocabulary: Vocabulary::default(),
            units: Vec::new(),
            rows,
            ids: Vec::new(),
            replaced: Vec::new(),
            text: 0,
            held,
        })
    }

    /// The records so far, which is the number of the next.
    pub(super) fn records(&self) -> u32 {
        self.blocks.records()
    }

    /// The units so far.
    pub(super) fn units(&self) -> u32 {
        self.units.len() as u32
    }

    /// Bytes that it takes in memory until it is written, and while it is.
    pub(super) fn heap_bytes(&self) -> u64 {
        let units = self.units.capacity() * (size_of::<(Unit, Size)>() + 12);
        self.held
            + units as u64
            + 16 * self.ids.len() as u64
            + self.vocabulary.heap_bytes()
            + self.blocks.heap_bytes()
    }

    /// Appends the tokens of a unit to a body.
    pub(super) fn write_tokens(
        &mut self,
        tokens: &[Fingerprint],
        has_tokens: bool,
        body: &mut Vec<u8>,
    ) {
        self.vocabulary.write(tokens, has_tokens, body);
    }

    /// Adds a record with so many bytes of text; units that follow are its.
    pub(super) fn push_record(&mut self, id: &str, text: u64, record: &[u8]) -> Result<()> {
        self.ids
            .push(id_key(id) << RECORD_BITS | u64::from(self.records()));
        self.text += text;
        self.blocks.push(&mut self.file, record)
    }

    /// Adds a unit with its distinct features.
    pub(super) fn push_unit(&mut self, unit: (Unit, Size), features: impl Iterator<Item = u64>) {
        let number = self.units.len() as u64;
        self.units.push(unit);
        for feature in features {
            let key = key_of(feature);
            let rows = &mut self.rows[(key >> REST_BITS) as usize];
            if rows.len() == rows.capacity() {
                self.held += 8 * rows.len().max(4) as u64;
            }
            rows.push((key & ((1 << REST_BITS) - 1)) << 32 | number);
        }
    }

    /// Leaves out a record that was added before.
    pub(super) fn replace(&mut self, record: u32) {
        self.replaced.push(record);
    }

    /// With what its blocks are compressed, if a primer was given or could be made.
    pub(super) fn primer(&self) -> Option<&Arc<Primer>> {
        self.blocks.primer()
    }

    /// Records that were left out.
    pub(super) fn replaced(&self) -> &[u32] {
        &self.replaced
    }

    /// Writes the segment and waits until the disk has it; returns what it holds, its length, and the
    /// memory of its rows.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn finish(self) -> Result<(Amount, u64, Rows)> {
        let Self {
            mut file,
            kind,
            blocks,
            vocabulary,
            units,
            mut rows,
            mut ids,
            text,
            ..
        } = self;
        let amount = Amount {
            units: units.len() as u32,
            records: blocks.records(),
            text,
        };
        blocks.finish(&mut file)?;
        vocabulary.finish(&mut file)?;
        let mut order: Vec<u32> = (0..amount.units).collect();
        order.sort_by_cached_key(|at| Class::of(units[*at as usize].1, kind.covers));
        write_units(&mut file, kind, |receive| {
            let mut units = order.iter().map(|at| units[*at as usize]);
            units.try_for_each(|(unit, size)| receive((unit, (size, size))))
        })?;
        let mut numbers = vec![0_u32; units.len()];
        for (number, at) in (0..).zip(&order) {
            numbers[*at as usize] = number;
        }
        drop((units, order));
        let keys: u64 = rows
            .par_iter_mut()
            .map_init(Vec::new, |spare, rows| {
                for row in rows.iter_mut() {
                    let number = numbers[(*row & u64::from(u32::MAX)) as usize];
                    *row = *row >> 32 << 32 | u64::from(number);
                }
                sort(rows, amount.units, spare);
                rows.dedup();
                rows.chunk_by(|a, b| a >> 32 == b >> 32).count() as u64
            })
            .sum();
        let mut features = DictionaryWriter::new(keys, amount.units.into());
        let mut of_key = Vec::new();
        for (partition, rows) in (0_u64..).zip(&mut rows) {
            for equal in rows.chunk_by(|a, b| a >> 32 == b >> 32) {
                of_key.clear();
                of_key.extend(equal.iter().map(|row| *row as u32));
                let key = partition << REST_BITS | equal[0] >> 32;
                features.push(&mut file, key, &of_key)?;
            }
            rows.clear();
        }
        features.finish(&mut file)?;
        write_ids(&mut file, &mut ids, amount.records)?;
        amount.write(&mut file)?;
        let length = file.finish()?;
        Ok((amount, length, Rows(rows)))
    }
}

/// Fewer rows are sorted by comparing them.
const FEW: usize = 512;
/// Bits by which rows are distributed at once.
const DIGIT: u32 = 9;

/// Sorts rows of units below a limit: by digits, from the last, which for numbers that are evenly
/// distributed takes a third of the time of comparisons.
fn sort(rows: &mut Vec<Row>, units: u32, spare: &mut Vec<Row>) {
    if rows.len() < FEW {
        return rows.sort_unstable();
    }
    spare.resize(rows.len(), 0);
    let of_unit = (units.max(2) - 1).ilog2() + 1;
    let digits = |from: u32, bits: u32| (from..from + bits).step_by(DIGIT as usize);
    for shift in digits(0, of_unit).chain(digits(32, REST_BITS)) {
        let digit = |row: Row| (row >> shift & ((1 << DIGIT) - 1)) as usize;
        let mut places = [0_u32; 1 << DIGIT];
        for row in rows.iter() {
            places[digit(*row)] += 1;
        }
        let mut sum = 0;
        for place in &mut places {
            sum += std::mem::replace(place, sum);
        }
        for row in rows.iter() {
            let place = &mut places[digit(*row)];
            spare[*place as usize] = *row;
            *place += 1;
        }
        std::mem::swap(rows, spare);
    }
}

/// Bits of a record's number beside its key.
const RECORD_BITS: u32 = 30;
/// The most records and units of a segment.
pub(super) const MOST: u32 = 1 << 23;

/// Writes the dictionary of ids: keys of ids, each followed by the number of its record.
pub(super) fn write_ids(file: &mut PageWriter, ids: &mut [u64], records: u32) -> Result<()> {
    ids.sort_unstable();
    let mut writer = DictionaryWriter::new(ids.len() as u64, records.into());
    let mut of_key = Vec::new();
    for equal in ids.chunk_by(|a, b| a >> RECORD_BITS == b >> RECORD_BITS) {
        of_key.clear();
        of_key.extend(
            equal
                .iter()
                .map(|row| (row & ((1 << RECORD_BITS) - 1)) as u32),
        );
        writer.push(file, equal[0] >> RECORD_BITS, &of_key)?;
    }
    writer.finish(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn rows_are_sorted_by_key_and_unit() {
        for (count, units) in [(3, 7), (600, 1), (600, 2), (70_000, 5000), (4000, MOST)] {
            let row = |at: u64| {
                let key = mix(at) & ((1 << REST_BITS) - 1);
                let unit = mix(at ^ 5) % u64::from(units);
                (key << 32) | unit
            };
            let mut rows: Vec<Row> = (0..count).map(row).collect();
            let mut truth = rows.clone();
            truth.sort_unstable();
            sort(&mut rows, units, &mut Vec::new());
            assert_eq!(rows, truth);
        }
    }
}
