//! Families: places of the same passage, in however many texts.

use super::Passage;
use crate::union_find::UnionFind;

/// Which passages are of one family.
///
/// The two sides of a passage are in one family, and so are two places of a text that overlap by at
/// least half of the longer.
pub struct Families {
    /// The family of each passage, from 0 in the order of the passages.
    pub of: Vec<u32>,
    /// The number of families.
    pub count: u32,
}

impl Families {
    /// Joins passages.
    pub fn new(passages: &[Passage]) -> Self {
        let mut sides: Vec<(u32, u32, u32, u32)> = Vec::with_capacity(2 * passages.len());
        for (at, passage) in passages.iter().enumerate() {
            for side in [&passage.a, &passage.b] {
                sides.push((side.unit, side.tokens.start, side.tokens.end, at as u32));
            }
        }
        sides.sort_unstable();
        let mut sets = UnionFind::new(passages.len());
        // Among the places before, those that may still overlap with the next ones by half.
        let mut open: Vec<(u32, u32, u32, u32)> = Vec::new();
        for side in sides {
            let (unit, start, end, passage) = side;
            open.retain(|(other, _, until, _)| *other == unit && *until > start);
            let mut is_held = false;
            for (_, from, until, other) in &open {
                let shared = end.min(*until) - start;
                if 2 * shared >= (end - start).max(until - from) {
                    sets.union(passage, *other);
                    is_held |= (*from, *until) == (start, end);
                }
            }
            // One of equal places stands for all of them.
            if !is_held {
                open.push(side);
            }
        }
        let mut of = vec![u32::MAX; passages.len()];
        let mut count = 0;
        for at in 0..passages.len() {
            let first = sets.find(at as u32) as usize;
            if of[first] == u32::MAX {
                of[first] = count;
                count += 1;
            }
            of[at] = of[first];
        }
        Self { of, count }
    }
}
