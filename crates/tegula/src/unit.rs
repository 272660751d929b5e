//! The records and units of a run: flat columns, in input order.

use crate::budget::Reservation;
use crate::field::FieldColumn;
use crate::record::{Level, NoDates, Place};
use crate::text::segment::Part;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// All readable records, in input order.
#[derive(Debug, Default)]
pub struct Records {
    /// Index of the file in the source.
    pub file: Vec<u32>,
    /// Counted from 1 in its file.
    pub number: Vec<u64>,
    /// Offset of the record in the file, after decompression.
    pub byte_start: Vec<u64>,
    /// Bytes of the record in the file, after decompression.
    pub byte_len: Vec<u64>,
    /// The first unit of each record, followed by the number of units.
    pub first_unit: Vec<u32>,
    ids: String,
    id_ends: Vec<u64>,
    /// Suffix number of a repeated id (2, 3, ...), by record.
    repeats: Vec<(u32, u32)>,
    /// The requested metadata fields.
    pub fields: Vec<FieldColumn>,
    /// Those in which no text was found.
    pub blank: Blank,
    /// Values that were no dates, for which those of the files stand.
    pub no_dates: NoDates,
}

/// Records in which no text was found: nothing in them was compared but their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Blank {
    /// Their number.
    pub count: u64,
    /// The first of them.
    pub first: Option<u32>,
}

impl Blank {
    /// Adds a record.
    pub fn add(&mut self, record: usize) {
        self.count += 1;
        self.first.get_or_insert(record as u32);
    }
}

impl Records {
    /// The number of records.
    pub fn len(&self) -> usize {
        self.number.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.number.is_empty()
    }

    /// Appends a record's id; empty if the input has none.
    pub fn push_id(&mut self, id: &str) {
        self.ids.push_str(id);
        self.id_ends.push(self.ids.len() as u64);
    }

    /// The id from the input; empty if there is none.
    pub fn given_id(&self, record: usize) -> &str {
        let start = if record == 0 {
            0
        } else {
            self.id_ends[record - 1] as usize
        };
        &self.ids[start..self.id_ends[record] as usize]
    }

    /// The number of records with the id of an earlier one.
    pub fn repeated_ids(&self) -> usize {
        self.repeats.len()
    }

    /// Finds repeated ids, so that they can be shown with a suffix.
    pub(crate) fn find_repeated_ids(&mut self) {
        self.repeats = self.repeated(0..self.len() as u32);
    }

    /// As [`Records::find_repeated_ids`], where what is shown says whether a record is from `first` on.
    fn find_repeated_ids_apart(&mut self, first: u32) {
        let mut repeats = self.repeated(0..first);
        repeats.extend(self.repeated(first..self.len() as u32));
        self.repeats = repeats;
    }

    /// Those of some records that have the id of an earlier one, in order, each with the number after
    /// its id.
    fn repeated(&self, records: Range<u32>) -> Vec<(u32, u32)> {
        // By hash first: most ids are unique and need no comparison.
        let given = records.filter(|record| !self.given_id(*record as usize).is_empty());
        let mut hashes: Vec<(u64, u32)> = given
            .map(|r| (xxh3_64(self.given_id(r as usize).as_bytes()), r))
            .collect();
        hashes.sort_unstable();
        let several = hashes
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|of_one| of_one.len() > 1);
        let mut order: Vec<u32> = several.flatten().map(|(_, record)| *record).collect();
        order.sort_by(|a, b| {
            self.given_id(*a as usize)
                .cmp(self.given_id(*b as usize))
                .then(a.cmp(b))
        });
        let mut repeats = Vec::new();
        let mut count = 1;
        for pair in order.windows(2) {
            count = if self.given_id(pair[0] as usize) == self.given_id(pair[1] as usize) {
                count + 1
            } else {
                1
            };
            if count > 1 {
                let id = self.given_id(pair[1] as usize);
                // An id with a suffix may be that of another record; equal hashes only skip a number.
                let is_given = |count: u32| {
                    let hash = xxh3_64(format!("{id}~{count}").as_bytes());
                    hashes
                        .binary_search_by_key(&hash, |(hash, _)| *hash)
                        .is_ok()
                };
                while is_given(count) {
                    count += 1;
                }
                repeats.push((pair[1], count));
            }
        }
        repeats.sort_unstable();
        repeats
    }

    /// The index of the record `number` of `file`.
    pub fn find(&self, file: u32, number: u64) -> Option<usize> {
        let of = |at: usize| (self.file[at], self.number[at]);
        // If no record was skipped, those of the first file are at their numbers.
        let guess = number.saturating_sub(1) as usize;
        if guess < self.len() && of(guess) == (file, number) {
            return Some(guess);
        }
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = from.midpoint(to);
            match of(middle).cmp(&(file, number)) {
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        None
    }

    /// The records of a file.
    pub(crate) fn of_file(&self, file: u32) -> Range<usize> {
        let start = self.file.partition_point(|at| *at < file);
        start..start + self.file[start..].partition_point(|at| *at == file)
    }

    /// Where a record is in its file.
    pub(crate) fn place(&self, record: usize) -> Place {
        let start = self.byte_start[record];
        Place {
            number: self.number[record],
            bytes: start..start.saturating_add(self.byte_len[record]),
        }
    }

    fn heap_bytes(&self) -> u64 {
        (self.file.capacity() * 4
            + (self.number.capacity()
                + self.byte_start.capacity()
                + self.byte_len.capacity()
                + self.id_ends.capacity())
                * 8
            + self.first_unit.capacity() * 4
            + self.ids.capacity()) as u64
            + self.fields.iter().map(FieldColumn::heap_bytes).sum::<u64>()
    }
}

/// How tables grow while an input is read: once the part that was read says how large they will be,
/// not to twice their size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Growth {
    /// The bytes of the input read so far.
    pub(crate) read: u64,
    /// All of them.
    pub(crate) all: u64,
}

impl Growth {
    /// How much room to add to a table with so many values for so many more.
    fn more(self, len: usize, capacity: usize, more: usize) -> usize {
        let needed = len + more;
        if needed <= capacity {
            return 0;
        }
        let whole =
            needed as u128 * u128::from(self.all.max(self.read)) / u128::from(self.read.max(1));
        // A little more than expected, so that a larger rest does not move the table again.
        let expected = usize::try_from(whole.saturating_mul(33) / 32).unwrap_or(usize::MAX);
        expected.clamp(needed + needed / 8, needed.saturating_mul(2)) - len
    }

    /// Makes room in a column for so many more values.
    pub(crate) fn make_room<T>(self, column: &mut Vec<T>, more: usize) {
        column.reserve_exact(self.more(column.len(), column.capacity(), more));
    }
}

/// All units, in input order, and the records that contain them.
#[derive(Debug)]
pub struct Units {
    /// What a unit is.
    pub level: Level,
    /// Names of the files, for ids.
    pub files: Vec<String>,
    /// The records.
    pub records: Records,
    /// Tokens of each unit; 0 for a unit compared by its raw text.
    pub tokens: Vec<u32>,
    /// The fingerprint of the token sequence.
    pub digest: Vec<u128>,
    /// Bytes of each unit's text.
    pub text_bytes: Vec<u32>,
    /// Each unit's range in its record's text; empty at [`Level::Document`].
    pub parts: Vec<PartRange>,
    /// Ids that the input gives units inside records.
    pub own_ids: OwnIds,
    /// The number of each unit in its record, from 1; empty if no unit was skipped.
    pub ordinals: Vec<u32>,
    /// The tokens of each unit's text as balances count them; empty if these are those that are compared
    /// ([`Units::text_tokens`]).
    pub in_balance: Vec<u32>,
    /// The bits after the first 128 of each digest; empty if there are none.
    pub digest_tails: Vec<u32>,
    /// The memory that they take.
    pub(crate) held: Option<Reservation>,
}

/// Ids of some units.
#[derive(Debug, Default)]
pub struct OwnIds {
    /// The units, ascending, each with the end of its id in the text.
    units: Vec<(u32, u64)>,
    text: String,
}

impl OwnIds {
    /// Sets the id of a unit, which must be after all units with an id.
    pub fn push(&mut self, unit: u32, id: &str) {
        self.text.push_str(id);
        self.units.push((unit, self.text.len() as u64));
    }

    /// The id of a unit, if it has one.
    pub fn get(&self, unit: u32) -> Option<&str> {
        let place = self
            .units
            .binary_search_by_key(&unit, |(unit, _)| *unit)
            .ok()?;
        Some(self.at(place))
    }

    fn at(&self, place: usize) -> &str {
        let start = if place == 0 {
            0
        } else {
            self.units[place - 1].1 as usize
        };
        &self.text[start..self.units[place].1 as usize]
    }

    /// Removes ids shared by several units, as they identify none of them.
    fn drop_repeated(&mut self) {
        let mut order: Vec<u32> = (0..self.units.len() as u32).collect();
        order.sort_unstable_by(|a, b| self.at(*a as usize).cmp(self.at(*b as usize)));
        let mut repeated: Vec<u32> = Vec::new();
        for run in order.chunk_by(|a, b| self.at(*a as usize) == self.at(*b as usize)) {
            if run.len() > 1 {
                repeated.extend_from_slice(run);
            }
        }
        if repeated.is_empty() {
            return;
        }
        repeated.sort_unstable();
        let mut kept = Self::default();
        for (place, (unit, _)) in self.units.iter().enumerate() {
            if repeated.binary_search(&(place as u32)).is_err() {
                kept.push(*unit, self.at(place));
            }
        }
        *self = kept;
    }

    fn heap_bytes(&self) -> u64 {
        (self.units.capacity() * size_of::<(u32, u64)>() + self.text.capacity()) as u64
    }
}

/// A [`Part`] in four numbers.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct PartRange {
    start: u32,
    length: u32,
    cut_start: u32,
    cut_length: u32,
}

impl From<&Part> for PartRange {
    fn from(part: &Part) -> Self {
        Self {
            start: part.text.start as u32,
            length: part.text.len() as u32,
            cut_start: part.cut.start as u32,
            cut_length: part.cut.len() as u32,
        }
    }
}

impl PartRange {
    /// The ranges.
    pub fn part(self) -> Part {
        let (start, cut) = (self.start as usize, self.cut_start as usize);
        Part {
            text: start..start + self.length as usize,
            cut: cut..cut + self.cut_length as usize,
        }
    }
}

impl Units {
    /// An empty table.
    pub fn new(level: Level, files: Vec<String>, fields: Vec<FieldColumn>) -> Self {
        let records = Records {
            fields,
            ..Records::default()
        };
        Self {
            level,
            files,
            records,
            tokens: Vec::new(),
            digest: Vec::new(),
            text_bytes: Vec::new(),
            parts: Vec::new(),
            own_ids: OwnIds::default(),
            ordinals: Vec::new(),
            in_balance: Vec::new(),
            digest_tails: Vec::new(),
            held: None,
        }
    }

    /// The number of units.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The tokens of a unit's text as balances count them: with those that the recipe drops, and each
    /// character once.
    pub fn text_tokens(&self, unit: u32) -> u32 {
        let in_balance = self.in_balance.get(unit as usize);
        *in_balance.unwrap_or(&self.tokens[unit as usize])
    }

    /// The record that contains a unit.
    pub fn record_of(&self, unit: u32) -> usize {
        if self.level == Level::Document {
            return unit as usize;
        }
        self.records
            .first_unit
            .partition_point(|first| *first <= unit)
            - 1
    }

    /// The units of a record.
    pub fn of_record(&self, record: usize) -> std::ops::Range<u32> {
        let end = self
            .records
            .first_unit
            .get(record + 1)
            .copied()
            .unwrap_or(self.len() as u32);
        self.records.first_unit[record]..end
    }

    /// Whether a unit is a record in which no text was found.
    pub fn is_blank(&self, unit: u32) -> bool {
        self.tokens[unit as usize] == 0 && self.text_bytes[unit as usize] == 0
    }

    /// Writes a record's id to `out`: the input's, with `~2` if it was already used once, otherwise
    /// `FILE:ROW`.
    pub fn write_record_id(&self, record: usize, out: &mut String) {
        let given = self.records.given_id(record);
        if given.is_empty() {
            let _ = write!(
                out,
                "{}:{}",
                self.files[self.records.file[record] as usize], self.records.number[record]
            );
            return;
        }
        out.push_str(given);
        if let Ok(at) = self
            .records
            .repeats
            .binary_search_by_key(&(record as u32), |(r, _)| *r)
        {
            let _ = write!(out, "~{}", self.records.repeats[at].1);
        }
    }

    /// Finds repeated ids: those of records are shown with a suffix, those of units inside records
    /// are not used.
    pub(crate) fn settle_ids(&mut self) {
        self.records.find_repeated_ids();
        self.own_ids.drop_repeated();
    }

    /// Shows ids from record `first` on, those of references, as they are even if inputs have the same.
    pub(crate) fn settle_ids_apart(&mut self, first: usize) {
        self.records.find_repeated_ids_apart(first as u32);
    }

    /// A unit's id: that of the input if it is unique; otherwise its record's, with `#p3`, `#l4`,
    /// `#s17` or `#q2` for the third paragraph, fourth line, seventeenth sentence or second passage.
    pub fn id(&self, unit: u32) -> String {
        if let Some(own) = self.own_ids.get(unit) {
            return own.to_owned();
        }
        let record = self.record_of(unit);
        let mut id = String::new();
        self.write_record_id(record, &mut id);
        let ordinal = self
            .ordinals
            .get(unit as usize)
            .copied()
            .unwrap_or(unit - self.records.first_unit[record] + 1);
        let is_whole = match self.level {
            Level::Document => true,
            // A text without passages to distinguish has its own name.
            Level::Passage => self.of_record(record).len() == 1,
            Level::Paragraph | Level::Line | Level::Sentence => false,
        };
        if !is_whole {
            let _ = write!(id, "{}{ordinal}", self.level.mark());
        }
        id
    }

    /// Makes room for this many more records, units, and bytes of ids.
    pub(crate) fn make_room(
        &mut self,
        growth: Growth,
        (records, units, ids): (usize, usize, usize),
    ) {
        let Records {
            file,
            number,
            byte_start,
            byte_len,
            first_unit,
            ids: text,
            id_ends,
            ..
        } = &mut self.records;
        for column in [number, byte_start, byte_len, id_ends] {
            growth.make_room(column, records);
        }
        for column in [file, first_unit] {
            growth.make_room(column, records);
        }
        text.reserve_exact(growth.more(text.len(), text.capacity(), ids));
        growth.make_room(&mut self.tokens, units);
        growth.make_room(&mut self.text_bytes, units);
        growth.make_room(&mut self.digest, units);
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> u64 {
        self.records.heap_bytes()
            + self.own_ids.heap_bytes()
            + ((self.tokens.capacity() + self.text_bytes.capacity()) * 4
                + self.digest.capacity() * 16
                + self.parts.capacity() * 16
                + (self.ordinals.capacity() + self.in_balance.capacity()) * 4
                + self.digest_tails.capacity() * 4) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_grow_to_what_the_input_suggests() {
        let growth = |read| Growth { read, all: 1000 };
        assert_eq!(growth(10).more(5, 20, 15), 0);
        assert_eq!(growth(10).more(32, 32, 32), 96); // Twice its size, at most.
        assert_eq!(growth(800).more(800, 800, 0), 0);
        assert_eq!(growth(800).more(736, 736, 64), 1031 - 736); // 1,000 and a thirty-second part.
        assert_eq!(growth(2000).more(800, 800, 80), 80 + 110); // More input than expected.
        let mut column = vec![0_u8; 100];
        growth(900).make_room(&mut column, 10);
        assert!((123..=126).contains(&column.capacity()));
    }

    #[test]
    fn units_have_ids_of_their_own_where_they_are_the_only_ones_to_bear_them() {
        let mut units = Units::new(Level::Sentence, vec!["a.conllu".into()], Vec::new());
        units.records.file.push(0);
        units.records.number.push(1);
        units.records.first_unit.push(0);
        units.records.push_id("d");
        units.tokens.extend([1; 5]);
        for (unit, id) in [(0, "s-1"), (1, "s"), (3, "s"), (4, "s-4")] {
            units.own_ids.push(unit, id);
        }
        units.settle_ids();
        assert_eq!(
            (0..5).map(|unit| units.id(unit)).collect::<Vec<_>>(),
            ["s-1", "d#s2", "d#s3", "d#s4", "s-4"]
        );
    }

    #[test]
    fn ids_are_given_made_up_or_suffixed() {
        let mut units = Units::new(Level::Document, vec!["a.txt".into()], Vec::new());
        for (number, id) in ["x", "", "x", "x~2", "x"].iter().enumerate() {
            units.records.file.push(0);
            units.records.number.push(number as u64 + 1);
            units.records.first_unit.push(number as u32);
            units.records.push_id(id);
            units.tokens.push(1);
        }
        units.records.find_repeated_ids();
        let ids: Vec<String> = (0..5).map(|u| units.id(u)).collect();
        assert_eq!(ids, ["x", "a.txt:2", "x~3", "x~2", "x~4"]);
        assert_eq!(units.records.repeated_ids(), 2);
        let mut apart = units;
        apart.settle_ids_apart(2);
        let ids: Vec<String> = (0..5).map(|u| apart.id(u)).collect();
        assert_eq!(ids, ["x", "a.txt:2", "x", "x~2", "x~3"]);
        let units = apart;
        assert_eq!(units.records.find(0, 4), Some(3));
        assert_eq!(units.records.find(1, 4), None);
        assert_eq!(units.records.of_file(0), 0..5);
        assert_eq!(units.records.of_file(1), 5..5);
    }
}
