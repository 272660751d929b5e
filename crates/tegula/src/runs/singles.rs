//! Single shingles as features: where runs would hardly be longer than one, as with the characters
//! of short texts; where shingles are selected; and where the exact number of texts that have one
//! matters.

use super::classes::{Tables, sorted};
use super::row::{Bits, Full, Row};
use super::texts::Texts;
use crate::block::{Lists, Postings};
use crate::error::Result;
use crate::partition::Partitions;

/// Single shingles by partition.
pub(super) struct Singles<'a> {
    pub(super) rows: Partitions<Full>,
    pub(super) bits: Bits,
    pub(super) texts: &'a Texts,
    /// Distinct shingles by group.
    pub(super) sets: Vec<u32>,
    /// Whether shingles with one id share a feature even if their checks differ.
    pub(super) collide: bool,
    /// Whether features have positions.
    pub(super) positions: bool,
}

impl Postings for Singles<'_> {
    fn count(&self) -> usize {
        self.rows.count()
    }

    fn largest(&self) -> u64 {
        self.rows.largest()
    }

    fn lists(&self, partition: usize, lists: &mut Lists) -> Result<()> {
        let bits = self.bits;
        let (rows, mut tables) = (self.rows.take_pieces(partition)?, Tables::default());
        let mut found: Vec<[u32; 2]> = Vec::new();
        for class in sorted(rows.iter(), bits, &mut tables)
            .chunk_by(|a, b| {
                if self.collide {
                    a.has_id_of(*b, bits)
                } else {
                    a.is_like(*b, bits)
                }
            })
            .filter(|class| class.len() > 1)
        {
            found.clear();
            let places = class.iter().map(|row| self.texts.find(row.position(bits)));
            let counting = places.filter(|place| self.texts.represents(place.text));
            found.extend(counting.map(|place| [self.texts.group(place.text), place.at]));
            found.sort_unstable();
            let df = found.chunk_by(|a, b| a[0] == b[0]).count() as u32;
            if self.positions {
                lists.add(df, found.iter().copied());
            } else {
                lists.add(df, found.iter().map(|[group, _]| [*group]));
            }
        }
        Ok(())
    }

    fn sizes(&mut self) -> (Vec<u32>, Vec<u64>) {
        (std::mem::take(&mut self.sets), Vec::new())
    }
}
