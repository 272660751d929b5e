//! The texts of a collection by position.

use super::row::Bits;
use super::rows::{NONE, Placed};
use crate::group::Groups;

/// All texts with rows, in order of position.
pub(crate) struct Texts {
    bits: Bits,
    /// Where each text begins, as [`Bits::start`] reads it, and its group.
    owners: Vec<(u32, u32)>,
    /// By text, whether it represents the equal ones of its group.
    represents: Vec<bool>,
    /// The texts by group.
    by_group: Vec<u32>,
    /// By 2^`step` positions the first text that begins there or later.
    firsts: Vec<u32>,
    step: u32,
}

/// The place of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The text.
    pub(super) text: usize,
    /// The shingle in it, from 0.
    pub(super) at: u32,
}

impl Texts {
    /// Bytes per unit.
    pub(crate) const BYTES: u64 = 20;

    /// Of the units with rows. Units of one group have equal texts, and one of them represents all.
    pub(crate) fn new(groups: &Groups, placed: &Placed, bits: Bits) -> Self {
        let mut owners: Vec<(u32, u32)> = placed
            .starts
            .iter()
            .zip(&groups.of_unit)
            .filter(|(start, _)| **start != NONE)
            .map(|(start, group)| (*start, *group))
            .collect();
        owners.sort_unstable();
        let mut seen = vec![false; groups.len()];
        let represents = owners
            .iter()
            .map(|(_, group)| !std::mem::replace(&mut seen[*group as usize], true))
            .collect();
        Self {
            bits,
            owners,
            represents,
            by_group: Vec::new(),
            firsts: Vec::new(),
            step: 0,
        }
    }

    /// Each separately, for texts that begin here; its start is also its group.
    pub(crate) fn each(bits: Bits, starts: impl Iterator<Item = u32>) -> Self {
        let mut owners: Vec<(u32, u32)> = starts.map(|start| (start, start)).collect();
        owners.sort_unstable();
        Self {
            bits,
            represents: vec![true; owners.len()],
            owners,
            by_group: Vec::new(),
            firsts: Vec::new(),
            step: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.owners.len()
    }

    /// The first position of a text.
    pub(crate) fn start(&self, text: usize) -> u64 {
        self.bits.start(self.owners[text].0)
    }

    /// The group of a text.
    pub(crate) fn group(&self, text: usize) -> u32 {
        self.owners[text].1
    }

    /// Whether a text represents the equal ones of its group.
    pub(super) fn represents(&self, text: usize) -> bool {
        self.represents[text]
    }

    /// Prepares [`Texts::starts_of`].
    pub(super) fn order(&mut self) {
        self.by_group = (0..self.len() as u32).collect();
        self.by_group
            .sort_unstable_by_key(|text| self.owners[*text as usize].1);
    }

    /// The first positions of all texts of a group, after [`Texts::order`].
    pub(crate) fn starts_of(&self, group: u32) -> impl Iterator<Item = u64> {
        let group_of = |text: &u32| self.group(*text as usize);
        let first = self.by_group.partition_point(|text| group_of(text) < group);
        let texts = self.by_group[first..].iter();
        texts
            .take_while(move |text| group_of(text) == group)
            .map(|text| self.start(*text as usize))
    }

    /// Prepares [`Texts::find`].
    pub(super) fn index(&mut self) {
        let Some(last) = self.len().checked_sub(1) else {
            return;
        };
        let positions = self.start(last) + 1;
        self.step = (positions / self.len() as u64).max(1).ilog2();
        self.firsts = Vec::with_capacity((positions >> self.step) as usize + 1);
        for text in 0..self.len() {
            while (self.firsts.len() as u64) << self.step <= self.start(text) {
                self.firsts.push(text as u32);
            }
        }
    }

    /// The text with a position, after [`Texts::index`].
    #[inline]
    pub(super) fn find(&self, position: u64) -> Place {
        let step = (position >> self.step) as usize;
        // The text before may reach here, and others may begin in the same step.
        let mut text = self
            .firsts
            .get(step)
            .map_or(self.len(), |first| *first as usize);
        while text < self.len() && self.start(text) <= position {
            text += 1;
        }
        let text = text.saturating_sub(1);
        Place {
            text,
            at: (position - self.start(text)) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_found_in_their_texts() {
        for position_bits in [32, 36] {
            let bits = Bits::new(4, position_bits);
            let starts = [0, 1, 2, 7, 300, 70_000, 70_001];
            let mut texts = Texts {
                bits,
                owners: (0..)
                    .zip(starts)
                    .map(|(group, start)| (start, group))
                    .collect(),
                represents: vec![true; starts.len()],
                by_group: Vec::new(),
                firsts: Vec::new(),
                step: 0,
            };
            texts.index();
            texts.order();
            for text in 0..starts.len() {
                let start = bits.start(starts[text]);
                assert_eq!(texts.starts_of(text as u32).collect::<Vec<_>>(), [start]);
                let end = starts
                    .get(text + 1)
                    .map_or(start + 40, |next| bits.start(*next));
                for position in [start, u64::midpoint(start, end), end - 1] {
                    let place = Place {
                        text,
                        at: (position - start) as u32,
                    };
                    assert_eq!(texts.find(position), place);
                }
            }
        }
        Texts {
            bits: Bits::new(4, 32),
            owners: Vec::new(),
            represents: Vec::new(),
            by_group: Vec::new(),
            firsts: Vec::new(),
            step: 0,
        }
        .index();
    }
}
