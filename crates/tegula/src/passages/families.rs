//! Families: all places of the same passage.

use super::{List, Passage};
use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::partition::Partitions;
use crate::union_find::UnionFind;
use std::ops::Range;

/// Which passages belong to one family, and where they are.
///
/// The two sides of a passage are in one family, and so are two places of a text that overlap by at
/// least four fifths of the longer: a lower limit would link one formula to the next.
pub struct Families {
    /// The family of each passage, from 0 in the order of the passages.
    pub of: Vec<u32>,
    /// The number of families.
    pub count: usize,
    /// The places of each family, by unit, if they are wanted; overlapping places of one text are
    /// merged.
    pub places: Vec<Vec<Place>>,
    _held: Reservation,
}

/// A place of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The unit.
    pub unit: u32,
    /// Its tokens.
    pub tokens: Range<u32>,
    /// Its code points.
    pub chars: Range<u32>,
}

/// A side of a passage, in the order of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Row {
    unit: u32,
    tokens: [u32; 2],
    passage: u32,
    chars: [u32; 2],
}

/// Partitions of sides, by unit.
const PARTITIONS: usize = 256;
/// Sides that are collected for a partition.
const BUFFER: usize = 64;
const WHAT: &str = "the families of the passages";

impl Families {
    /// Joins passages of this many units.
    ///
    /// # Errors
    /// If scratch cannot be written, or the memory ceiling leaves no room for the family of each
    /// passage, 8 bytes, and the places, if they are wanted.
    pub fn new(context: &Context, passages: &List, units: usize, places: bool) -> Result<Self> {
        let sides = Partitions::new(context, PARTITIONS, BUFFER);
        let mut writer = sides.writer();
        let mut number = 0;
        passages.for_each(|passage: &Passage| {
            for side in [&passage.a, &passage.b] {
                let row = Row {
                    unit: side.unit,
                    tokens: [side.tokens.start, side.tokens.end],
                    passage: number,
                    chars: [side.chars.start, side.chars.end],
                };
                writer.push(side.unit as usize * PARTITIONS / units.max(1), row)?;
            }
            number += 1;
            Ok(())
        })?;
        drop(writer);
        sides.seal()?;
        let mut held = context.budget.reserve(8 * passages.len() as u64, WHAT)?;
        let sets = joined(context, &sides, passages.len())?;
        let (of, count) = numbered(sets, passages.len());
        let places = if places {
            places_of(context, &sides, (&of, count), &mut held)?
        } else {
            Vec::new()
        };
        Ok(Self {
            of,
            count,
            places,
            _held: held,
        })
    }
}

/// The places of each family.
fn places_of(
    context: &Context,
    sides: &Partitions<Row>,
    (of, count): (&[u32], usize),
    held: &mut Reservation,
) -> Result<Vec<Vec<Place>>> {
    // Lists may have grown to twice what they hold.
    const EACH: u64 = 2 * size_of::<Place>() as u64;
    const WHAT: &str = "the places of the passages";
    held.grow((size_of::<Vec<Place>>() * count) as u64, WHAT)?;
    let mut all = vec![Vec::new(); count];
    for partition in 0..PARTITIONS {
        let (rows, _rows) = sorted(context, sides, partition)?;
        held.grow(EACH * rows.len() as u64, WHAT)?;
        let mut merged = 0;
        for row in rows {
            let places: &mut Vec<Place> = &mut all[of[row.passage as usize] as usize];
            match places.last_mut() {
                Some(last) if last.unit == row.unit && last.tokens.end > row.tokens[0] => {
                    last.tokens.end = last.tokens.end.max(row.tokens[1]);
                    last.chars.end = last.chars.end.max(row.chars[1]);
                    merged += 1;
                }
                _ => places.push(Place {
                    unit: row.unit,
                    tokens: row.tokens[0]..row.tokens[1],
                    chars: row.chars[0]..row.chars[1],
                }),
            }
        }
        held.shrink(EACH * merged);
    }
    Ok(all)
}

/// The sides in a partition, by place, and their memory.
fn sorted(
    context: &Context,
    sides: &Partitions<Row>,
    partition: usize,
) -> Result<(Vec<Row>, Reservation)> {
    context.check()?;
    let bytes = size_of::<Row>() as u64 * sides.rows(partition);
    let held = context.budget.reserve(bytes, WHAT)?;
    let mut rows = sides.look(partition)?;
    rows.sort_unstable();
    Ok((rows, held))
}

/// The passages, joined by their places.
fn joined(context: &Context, sides: &Partitions<Row>, passages: usize) -> Result<UnionFind> {
    let mut sets = UnionFind::new(passages);
    // Among the places before, those that may still overlap with the next ones.
    let mut open: Vec<Row> = Vec::new();
    for partition in 0..PARTITIONS {
        let (rows, _held) = sorted(context, sides, partition)?;
        for row in rows {
            let [start, end] = row.tokens;
            open.retain(|other| other.unit == row.unit && other.tokens[1] > start);
            let mut is_held = false;
            for other in &open {
                let shared = end.min(other.tokens[1]) - start;
                let longer = (end - start).max(other.tokens[1] - other.tokens[0]);
                if 5 * u64::from(shared) >= 4 * u64::from(longer) {
                    sets.union(row.passage, other.passage);
                    is_held |= other.tokens == row.tokens;
                }
            }
            // One of equal places represents all of them.
            if !is_held {
                open.push(row);
            }
        }
    }
    Ok(sets)
}

/// The number of the family of each passage, and how many there are.
fn numbered(mut sets: UnionFind, passages: usize) -> (Vec<u32>, usize) {
    let mut of = vec![u32::MAX; passages];
    let mut count = 0;
    for at in 0..passages {
        let first = sets.find(at as u32) as usize;
        if of[first] == u32::MAX {
            of[first] = count;
            count += 1;
        }
        of[at] = of[first];
    }
    (of, count as usize)
}
