//! Groups of equal units: collapsed before any quadratic step, so that a template in 10⁵ copies
//! costs no more than one text.

use crate::constraint::{Allowed, Origin};
use crate::unit::Units;

/// Units with equal token sequences (and the same partners by constraint), numbered by their first
/// member.
#[derive(Debug, Default)]
pub struct Groups {
    /// The group of each unit.
    pub of_unit: Vec<u32>,
    /// The first member of each group, which represents it.
    pub first: Vec<u32>,
    starts: Vec<u32>,
    members: Vec<u32>,
    /// Whether members of one group are duplicates of each other: false under `--across`.
    pub alike: bool,
    /// Whether each group consists of units that are not compared with each other: references, or
    /// short texts under a limit of length. Empty if there are none.
    apart: Vec<bool>,
}

impl Groups {
    /// Groups the units by digest.
    pub fn new(units: &Units, allowed: &Allowed) -> Self {
        let count = units.len() as u32;
        let origin = |unit: u32| {
            if allowed.all() {
                Origin::default()
            } else {
                allowed.origin(units.record_of(unit))
            }
        };
        let key = |unit: u32| (units.digest[unit as usize], origin(unit), unit);
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_unstable_by(|a, b| {
            units.digest[*a as usize]
                .cmp(&units.digest[*b as usize])
                .then_with(|| key(*a).cmp(&key(*b)))
        });
        // First the earliest member for each unit, then numbers in the order of the earliest
        // members.
        let mut of_unit = vec![0; count as usize];
        let mut first_of_run = 0;
        for (at, unit) in order.iter().enumerate() {
            let previous = if at == 0 { None } else { Some(order[at - 1]) };
            // A unit that is not compared forms a separate group.
            let same = !allowed.leave_out(units, *unit)
                && previous.is_some_and(|p| {
                    units.digest[p as usize] == units.digest[*unit as usize]
                        && origin(p) == origin(*unit)
                });
            if !same {
                first_of_run = *unit;
            }
            of_unit[*unit as usize] = first_of_run;
        }
        drop(order);
        let mut groups = Self::from_first_members(of_unit, allowed.inside_groups());
        if !allowed.all() {
            groups.apart = groups
                .first
                .iter()
                .map(|unit| allowed.part_equals(units.record_of(*unit)))
                .collect();
        }
        groups
    }

    /// A group for each of `count` units.
    pub(crate) fn single(count: usize) -> Self {
        Self::from_first_members((0..count as u32).collect(), true)
    }

    /// Groups from the earliest member of each unit's group.
    fn from_first_members(mut of_unit: Vec<u32>, alike: bool) -> Self {
        let mut first = Vec::new();
        for unit in 0..of_unit.len() {
            if of_unit[unit] as usize == unit {
                of_unit[unit] = first.len() as u32;
                first.push(unit as u32);
            } else {
                // The earliest member comes first and already has its number.
                of_unit[unit] = of_unit[of_unit[unit] as usize];
            }
        }
        let mut starts = vec![0_u32; first.len() + 1];
        for group in &of_unit {
            starts[*group as usize + 1] += 1;
        }
        for group in 0..first.len() {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut members = vec![0; of_unit.len()];
        for (unit, group) in of_unit.iter().enumerate() {
            members[next[*group as usize] as usize] = unit as u32;
            next[*group as usize] += 1;
        }
        Self {
            of_unit,
            first,
            starts,
            members,
            alike,
            apart: Vec::new(),
        }
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// The members of a group, in input order.
    pub fn members(&self, group: u32) -> &[u32] {
        &self.members
            [self.starts[group as usize] as usize..self.starts[group as usize + 1] as usize]
    }

    /// Whether the members of a group are duplicates of each other.
    pub fn are_alike(&self, group: u32) -> bool {
        self.alike && !self.apart.get(group as usize).copied().unwrap_or(false)
    }

    /// Whether this is so for all groups.
    pub(crate) fn are_all_alike(&self) -> bool {
        self.alike && !self.apart.contains(&true)
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> u64 {
        4 * (self.of_unit.capacity()
            + self.first.capacity()
            + self.starts.capacity()
            + self.members.capacity()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Level;

    #[test]
    fn equal_units_share_a_group_numbered_by_the_first() {
        let mut units = Units::new(Level::Document, Vec::new(), Vec::new());
        for digest in [7, 3, 7, 9, 3, 7] {
            units.digest.push(digest);
            units.tokens.push(1);
            units.text_bytes.push(1);
        }
        let groups = Groups::new(&units, &Allowed::default());
        assert_eq!(groups.of_unit, [0, 1, 0, 2, 1, 0]);
        assert_eq!(groups.first, [0, 1, 3]);
        assert_eq!(groups.members(0), [0, 2, 5]);
        assert_eq!(groups.members(2), [3]);
    }
}
