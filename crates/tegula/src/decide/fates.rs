//! The verdict on each unit, where kept units take little more than one bit.

use crate::threshold::Score;

/// The verdict on one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is kept.
    Kept,
    /// It is a duplicate of the kept unit `witness`.
    Duplicate {
        /// The best-scoring kept neighbour.
        witness: u32,
        /// Its score.
        score: Score,
    },
    /// It has a duplicate, and no copy is kept (`--keep none`); the score is its best.
    Unwitnessed {
        /// The best score against any other.
        score: Score,
    },
    /// It is linked to the kept unit `survivor` by a chain of pairs; the two were not compared
    /// (transitive recipes).
    Chained {
        /// The kept unit of the cluster.
        survivor: u32,
    },
    /// Removed because too much of it was previously seen (Onion); there is no witness.
    PreviouslySeen {
        /// The unit in which most of it was first seen, if known.
        source: Option<u32>,
        /// Previously seen tokens over all tokens.
        score: Score,
        /// Whether it is removed only because it is short and next to removed ones.
        smoothed: bool,
    },
}

impl Fate {
    /// The unit because of which it is removed, if there is one.
    pub fn because_of(self) -> Option<u32> {
        match self {
            Self::Duplicate { witness, .. } => Some(witness),
            Self::Chained { survivor } => Some(survivor),
            Self::PreviouslySeen { source, .. } => source,
            Self::Kept | Self::Unwitnessed { .. } => None,
        }
    }
}

/// Some of the numbers from 0 on, each with its place among them.
#[derive(Debug, Default)]
pub(super) struct Marked {
    words: Vec<u64>,
    /// How many are marked before each word.
    before: Vec<u32>,
    count: u32,
}

impl Marked {
    fn push(&mut self, at: usize, is_marked: bool) {
        if at.is_multiple_of(64) {
            self.words.push(0);
            self.before.push(self.count);
        }
        if let (true, Some(word)) = (is_marked, self.words.last_mut()) {
            *word |= 1 << (at % 64);
            self.count += 1;
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.count as usize
    }

    /// The place of a number among those that are marked, if it is.
    pub(super) fn place(&self, number: u32) -> Option<usize> {
        let (at, bit) = (number as usize / 64, number % 64);
        let word = self.words[at];
        let earlier = (word & ((1 << bit) - 1)).count_ones();
        (word >> bit & 1 == 1).then(|| (self.before[at] + earlier) as usize)
    }
}

impl FromIterator<bool> for Marked {
    fn from_iter<I: IntoIterator<Item = bool>>(marks: I) -> Self {
        let mut marked = Self::default();
        for (at, is_marked) in marks.into_iter().enumerate() {
            marked.push(at, is_marked);
        }
        marked
    }
}

/// The verdicts of all units, in their order.
#[derive(Debug, Default)]
pub(super) struct Fates {
    removed: Marked,
    of_removed: Vec<Fate>,
}

impl Fates {
    /// The verdict on a unit.
    pub(super) fn of(&self, unit: u32) -> Fate {
        self.removed
            .place(unit)
            .map_or(Fate::Kept, |place| self.of_removed[place])
    }

    /// The verdict on a unit that is removed.
    pub(super) fn of_removed(&mut self, unit: u32) -> Option<&mut Fate> {
        let place = self.removed.place(unit)?;
        self.of_removed.get_mut(place)
    }
}

impl FromIterator<Fate> for Fates {
    fn from_iter<I: IntoIterator<Item = Fate>>(all: I) -> Self {
        let mut fates = Self::default();
        for (at, fate) in all.into_iter().enumerate() {
            let is_removed = fate != Fate::Kept;
            fates.removed.push(at, is_removed);
            if is_removed {
                fates.of_removed.push(fate);
            }
        }
        fates
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn verdicts_are_those_that_were_given() {
        for (count, every) in [(0, 1), (1, 1), (64, 3), (65, 1), (1000, 7), (4096, 64)] {
            let given: Vec<Fate> = (0..count)
                .map(|unit| match mix(u64::from(unit)) % every {
                    0 => Fate::Chained { survivor: unit },
                    _ => Fate::Kept,
                })
                .collect();
            let mut fates: Fates = given.iter().copied().collect();
            let removed = given.iter().filter(|fate| **fate != Fate::Kept).count();
            assert_eq!(fates.removed.count(), removed);
            for (unit, fate) in (0..).zip(&given) {
                assert_eq!(fates.of(unit), *fate);
                assert_eq!(fates.of_removed(unit).is_some(), *fate != Fate::Kept);
            }
        }
    }
}
