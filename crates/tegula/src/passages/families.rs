//! Families: all places of the same passage.

use super::{Passage, Side};
use crate::union_find::UnionFind;
use std::ops::Range;

/// Which passages belong to one family, and where they are.
///
/// The two sides of a passage are in one family, and so are two places of a text that overlap by at
/// least four fifths of the longer: a lower limit would link one formula to the next.
pub struct Families {
    /// The family of each passage, from 0 in the order of the passages.
    pub of: Vec<u32>,
    /// The places of each family, by unit; overlapping places of one text are merged.
    pub places: Vec<Vec<Place>>,
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

impl Families {
    /// Joins passages.
    pub fn new(passages: &[Passage]) -> Self {
        let mut sides: Vec<(&Side, u32)> = Vec::with_capacity(2 * passages.len());
        for (at, passage) in passages.iter().enumerate() {
            sides.extend([(&passage.a, at as u32), (&passage.b, at as u32)]);
        }
        sides.sort_unstable_by_key(|(side, at)| {
            (side.unit, side.tokens.start, side.tokens.end, *at)
        });
        let mut sets = UnionFind::new(passages.len());
        // Among the places before, those that may still overlap with the next ones.
        let mut open: Vec<(&Side, u32)> = Vec::new();
        for (side, passage) in &sides {
            let tokens = &side.tokens;
            open.retain(|(other, _)| other.unit == side.unit && other.tokens.end > tokens.start);
            let mut is_held = false;
            for (other, of) in &open {
                let shared = tokens.end.min(other.tokens.end) - tokens.start;
                if 5 * shared as usize >= 4 * tokens.len().max(other.tokens.len()) {
                    sets.union(*passage, *of);
                    is_held |= other.tokens == *tokens;
                }
            }
            // One of equal places represents all of them.
            if !is_held {
                open.push((side, *passage));
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
        let mut places: Vec<Vec<Place>> = vec![Vec::new(); count as usize];
        for (side, passage) in sides {
            let places = &mut places[of[passage as usize] as usize];
            match places.last_mut() {
                Some(last) if last.unit == side.unit && last.tokens.end > side.tokens.start => {
                    last.tokens.end = last.tokens.end.max(side.tokens.end);
                    last.chars.end = last.chars.end.max(side.chars.end);
                }
                _ => places.push(Place {
                    unit: side.unit,
                    tokens: side.tokens.clone(),
                    chars: side.chars.clone(),
                }),
            }
        }
        Self { of, places }
    }
}
