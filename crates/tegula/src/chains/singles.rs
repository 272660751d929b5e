//! Single shingles as features: where chains would hardly be longer than one, as with the characters
//! of short texts; where shingles are selected; and where the exact number of texts that have one
//! matters, or each has a weight of its own.

use super::classes::{Tables, sorted};
use super::row::{Bits, Full, Row};
use super::texts::Texts;
use super::weights::Weights;
use crate::block::{Lists, Postings};
use crate::error::Result;
use crate::partition::{Partitions, Pieces};

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
    /// Set if they have weights.
    pub(super) weights: Option<Weights<'a>>,
}

impl Singles<'_> {
    /// Calls `f` with a row of each shingle of a partition that occurs more than once, in order of
    /// id; how many groups have it; and its occurrences: the group, and the position in the text.
    pub(super) fn each(&self, rows: &Pieces<Full>, mut f: impl FnMut(Full, u32, &[[u32; 2]])) {
        let (bits, mut tables) = (self.bits, Tables::default());
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
            f(class[0], df, &found);
        }
    }
}

impl Postings for Singles<'_> {
    fn count(&self) -> usize {
        self.rows.count()
    }

    fn largest(&self) -> u64 {
        self.rows.largest()
    }

    fn lists(&self, partition: usize, lists: &mut Lists) -> Result<()> {
        let rows = self.rows.take_pieces(partition)?;
        let Some(weights) = &self.weights else {
            self.each(&rows, |_, df, found| {
                if self.positions {
                    lists.add(df, found.iter().copied());
                } else {
                    lists.add(df, found.iter().map(|[group, _]| [*group]));
                }
            });
            return Ok(());
        };
        // Frequencies are given, so that shingles of a single text also weigh less than others.
        let rarity = weights.rarity;
        let feature = |row: Full| {
            let times = if row.has_number(self.bits) {
                rarity.weights.numbers()
            } else {
                1
            };
            (times, rarity.weight_of(row.id(self.bits, partition), 1))
        };
        for row in rows.iter().flatten() {
            let (times, weight) = feature(*row);
            if weight < weights.single {
                let text = self.texts.find(row.position(self.bits)).text;
                if self.texts.represents(text) {
                    weights.add(self.texts.group(text), times, weight);
                }
            }
        }
        self.each(&rows, |row, df, found| {
            let (times, weight) = feature(row);
            lists.add(df, found.iter().map(|[group, _]| [*group, times * weight]));
        });
        Ok(())
    }

    fn sizes(&mut self) -> (Vec<u32>, Vec<u64>) {
        let sets = std::mem::take(&mut self.sets);
        match self.weights.take() {
            Some(weights) => weights.of_texts(&sets),
            None => (sets, Vec::new()),
        }
    }
}
