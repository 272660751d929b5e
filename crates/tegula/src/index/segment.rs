//! A segment: some units with their features, and the records that they are in. It never changes.
//!
//! Units are numbered by size class, so that the sizes of those that may match are a range of numbers;
//! of equal classes, in the order in which they were added. Records are numbered in that order.

use super::bits::{Bytes, word};
use super::blocks::{Blocks, Records, Stored};
use super::dictionary::{Dictionary, Numbers, key_of};
use super::pages::{PageWriter, Pages};
use super::primer::Primer;
use crate::error::Result;
use crate::hash::{self, Fingerprint};
use crate::lookup::Size;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The sections of a file, in order.
pub(super) mod section {
    /// Blocks of records, and their table.
    pub(in crate::index) const BLOCKS: usize = 0;
    /// The tokens of texts that are not kept.
    pub(in crate::index) const VOCABULARY: usize = 2;
    /// Size classes.
    pub(in crate::index) const CLASSES: usize = 3;
    /// The record of each unit, and where it is in it.
    pub(in crate::index) const PLACES: usize = 4;
    /// Signatures by unit, if these are compared.
    pub(in crate::index) const SIGNATURES: usize = 5;
    /// Units by feature, and the places of buckets.
    pub(in crate::index) const FEATURES: usize = 6;
    /// Records by id.
    pub(in crate::index) const IDS: usize = 8;
    /// How much there is.
    pub(in crate::index) const HEAD: usize = 10;
    /// How many there are.
    pub(in crate::index) const COUNT: usize = 11;
}

/// Units of similar size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    /// The number of the first unit.
    pub(super) first: u32,
    /// The minimum of each size.
    pub(super) least: Size,
    /// The maximum of each.
    pub(super) most: Size,
}

/// Bytes of a class in its section.
const CLASS: usize = 44;

impl Class {
    /// The class of a size: sizes of a class differ by 3% at most.
    pub(super) fn of(size: Size, covers: bool) -> u64 {
        let by = match size.weight {
            0 if covers => u64::from(size.tokens),
            0 => u64::from(size.shingles),
            weight => weight,
        };
        let shift = by.max(1).ilog2().saturating_sub(5);
        u64::from(shift) << 32 | by >> shift
    }

    fn write(&self, out: &mut Vec<u8>) {
        let Self { first, least, most } = self;
        let numbers = [
            *first,
            least.shingles,
            most.shingles,
            least.tokens,
            most.tokens,
            least.repeats,
            most.repeats,
        ];
        for number in numbers {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for weight in [least.weight, most.weight] {
            out.extend_from_slice(&weight.to_le_bytes());
        }
    }

    fn read(bytes: &[u8]) -> Self {
        let number = |at: usize| word(bytes, 4 * at) as u32;
        let size = |at: usize, weight: usize| Size {
            shingles: number(1 + at),
            tokens: number(3 + at),
            repeats: number(5 + at),
            weight: word(bytes, weight),
        };
        Self {
            first: number(0),
            least: size(0, 28),
            most: size(1, 36),
        }
    }
}

/// A unit, as a segment stores it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Unit {
    /// Its record.
    pub(super) record: u32,
    /// Its number in the record, from 1, and its bytes in the record's text; 0 for a whole text.
    pub(super) part: [u32; 3],
    /// Its signature, if these are compared.
    pub(super) signature: u64,
}

/// A unit with the least and the greatest size that it may have.
pub(super) type Sized = (Unit, (Size, Size));

/// Receives units.
pub(super) type Receive<'r> = &'r mut dyn FnMut(Sized) -> Result<()>;

/// Writes classes, places and signatures of units; `each` passes all of them on in the order of their
/// classes, as often as it is called.
pub(super) fn write_units(
    file: &mut PageWriter,
    kind: Kind,
    each: impl Fn(Receive<'_>) -> Result<()>,
) -> Result<()> {
    let mut class: Option<(u64, Class)> = None;
    let (mut bytes, mut number) = (Vec::new(), 0);
    each(&mut |(_, (least, most))| {
        let of = Class::of(least, kind.covers);
        match &mut class {
            Some((same, class)) if *same == of => {
                (class.least, class.most) = (class.least.and(least), class.most.or(most));
            }
            other => {
                let first = number;
                if let Some((_, done)) = other.replace((of, Class { first, least, most })) {
                    done.write(&mut bytes);
                }
            }
        }
        number += 1;
        Ok(())
    })?;
    if let Some((_, last)) = class {
        last.write(&mut bytes);
    }
    file.put(&bytes)?;
    file.end_section();
    each(&mut |(unit, _)| {
        file.put(&unit.record.to_le_bytes())?;
        if kind.has_parts {
            for number in unit.part {
                file.put(&number.to_le_bytes())?;
            }
        }
        Ok(())
    })?;
    file.end_section();
    if kind.signs {
        each(&mut |(unit, _)| file.put(&unit.signature.to_le_bytes()))?;
    }
    file.end_section();
    Ok(())
}

/// What the units of an index are like.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own"
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    /// Whether units are parts of records.
    pub(super) has_parts: bool,
    /// Whether covered tokens are compared.
    pub(super) covers: bool,
    /// Whether signatures are.
    pub(super) signs: bool,
    /// Whether texts are kept.
    pub(super) texts: bool,
}

/// How much a segment holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Amount {
    /// Units.
    pub(super) units: u32,
    /// Records.
    pub(super) records: u32,
    /// Bytes of text.
    pub(super) text: u64,
}

impl Amount {
    /// Writes the last section.
    pub(super) fn write(&self, file: &mut PageWriter) -> Result<()> {
        for number in [self.units.into(), self.records.into(), self.text] {
            file.put(&number.to_le_bytes())?;
        }
        file.end_section();
        Ok(())
    }
}

/// A segment that is open.
pub(super) struct Segment {
    /// Its file.
    pub(super) pages: Pages,
    /// A number that no other open segment has.
    pub(super) key: u64,
    /// How much it holds.
    pub(super) amount: Amount,
    /// The classes, ascending by first unit.
    pub(super) classes: Vec<Class>,
    /// Units by feature.
    pub(super) features: Dictionary,
    ids: Dictionary,
    /// The records.
    pub(super) blocks: Blocks,
    kind: Kind,
}

impl Segment {
    /// Opens the segment of this length.
    ///
    /// # Errors
    /// If it cannot be opened, or is damaged.
    pub(super) fn open(
        path: PathBuf,
        length: u64,
        kind: Kind,
        primer: Option<Arc<Primer>>,
    ) -> Result<Self> {
        static KEYS: AtomicU64 = AtomicU64::new(0);
        let pages = Pages::open(path, length, section::COUNT)?;
        let head = pages.whole(section::HEAD)?;
        let amount = Amount {
            units: word(head, 0) as u32,
            records: word(head, 8) as u32,
            text: word(head, 16),
        };
        let classes = pages.whole(section::CLASSES)?.chunks_exact(CLASS);
        let classes: Vec<Class> = classes.map(Class::read).collect();
        let segment = Self {
            features: Dictionary::open(&pages, section::FEATURES)?,
            ids: Dictionary::open(&pages, section::IDS)?,
            blocks: Blocks::open(&pages, section::BLOCKS, primer)?,
            pages,
            key: KEYS.fetch_add(1, Ordering::Relaxed),
            amount,
            classes,
            kind,
        };
        let units = amount.units as usize;
        let signatures = if kind.signs { 8 * units } else { 0 };
        let fits = segment.classes.first().is_none_or(|class| class.first == 0)
            && segment.pages.len(section::PLACES) == segment.place() * units
            && segment.pages.len(section::SIGNATURES) == signatures;
        if fits {
            Ok(segment)
        } else {
            Err(segment
                .pages
                .damaged("a segment of this index", "one of another"))
        }
    }

    /// Bytes of the place of a unit.
    fn place(&self) -> usize {
        if self.kind.has_parts { 16 } else { 4 }
    }

    /// The units of a class.
    pub(super) fn units_of(&self, class: usize) -> Range<u32> {
        let first = |class: usize| self.classes.get(class).map(|class| class.first);
        first(class).unwrap_or(self.amount.units)..first(class + 1).unwrap_or(self.amount.units)
    }

    /// The class of a unit.
    pub(super) fn class_of(&self, unit: u32) -> usize {
        self.classes
            .partition_point(|class| class.first <= unit)
            .saturating_sub(1)
    }

    /// A unit.
    pub(super) fn unit(&self, unit: u32) -> Result<Unit> {
        let (at, length) = (unit as usize, self.place());
        let place = self
            .pages
            .get(section::PLACES, at * length..(at + 1) * length)?;
        let number = |at: usize| word(place, at) as u32;
        Ok(Unit {
            record: number(0),
            part: if self.kind.has_parts {
                [number(4), number(8), number(12)]
            } else {
                [0; 3]
            },
            signature: self.signature(unit)?,
        })
    }

    /// The signature of a unit; 0 if there are none.
    pub(super) fn signature(&self, unit: u32) -> Result<u64> {
        if !self.kind.signs {
            return Ok(0);
        }
        let at = 8 * unit as usize;
        Ok(word(self.pages.get(section::SIGNATURES, at..at + 8)?, 0))
    }

    /// The units that have a feature, or another with the same hash.
    pub(super) fn with_feature(&self, feature: Fingerprint) -> Result<Option<Numbers<'_>>> {
        self.features.get(&self.pages, key_of(feature.id))
    }

    /// A record.
    pub(super) fn record<'r>(&self, record: u32, room: &'r mut Records) -> Result<Stored<'r>> {
        self.blocks.record((&self.pages, self.key), record, room)
    }

    /// The records with an id, ascending.
    pub(super) fn with_id(&self, id: &str, room: &mut Records) -> Result<Vec<u32>> {
        let numbers = self.ids.get(&self.pages, id_key(id))?;
        let mut found = Vec::new();
        for record in numbers.into_iter().flat_map(|numbers| numbers.from(0)) {
            if self.record(record, room)?.id == id {
                found.push(record);
            }
        }
        Ok(found)
    }

    /// The records by id.
    pub(super) fn ids(&self) -> Dictionary {
        self.ids
    }

    /// The tokens of a body, and whether these are tokens; none if the record is damaged.
    pub(super) fn tokens(
        &self,
        body: &[u8],
        part: usize,
    ) -> Result<Option<(Vec<Fingerprint>, bool)>> {
        let mut bytes = Bytes(body);
        for _ in 0..part {
            let Some(length) = bytes.length() else {
                return Ok(None);
            };
            if bytes.take(length).is_none() {
                return Ok(None);
            }
        }
        let Some(mut of_unit) = bytes
            .length()
            .and_then(|length| bytes.take(length))
            .map(Bytes)
        else {
            return Ok(None);
        };
        let has_tokens = of_unit.number() == Some(1);
        let mut tokens = Vec::with_capacity(of_unit.0.len());
        while !of_unit.0.is_empty() {
            let Some(number) = of_unit.length() else {
                return Ok(None);
            };
            let at = number.saturating_mul(16);
            let word_of = |at| -> Result<u64> {
                Ok(word(self.pages.at_most(section::VOCABULARY, at, 8)?, 0))
            };
            tokens.push(Fingerprint {
                id: word_of(at)?,
                check: word_of(at.saturating_add(8))?,
            });
        }
        Ok(Some((tokens, has_tokens)))
    }
}

/// The key of an id.
pub(super) fn id_key(id: &str) -> u64 {
    key_of(hash::token(id.as_bytes()).id)
}
