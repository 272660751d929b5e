//! Counts what two texts share.

use super::Side;
use crate::measure::Counts;

/// The mark of an ignored shingle.
const IGNORED: u8 = 4;

/// Counts what two texts share.
pub(super) fn count(a: &Side, b: &Side) -> Counts {
    let count = a
        .shingles
        .iter()
        .chain(&b.shingles)
        .max()
        .map_or(0, |last| *last as usize + 1);
    let mut seen = vec![0_u8; count];
    for (side, bit) in [(a, 1), (b, 2)] {
        for (at, shingle) in side.shingles.iter().enumerate() {
            seen[*shingle as usize] |= if side.counts(at) { bit } else { bit | IGNORED };
        }
    }
    let having = |bits: u8| seen.iter().filter(|held| **held & bits == bits).count() as u64;
    let covered = |side: &Side| {
        let (mut sum, mut end) = (0, 0);
        for (at, shingle) in side.shingles.iter().enumerate() {
            if seen[*shingle as usize] == 3 {
                sum += (end.max(at)..at + side.cover())
                    .filter(|token| !side.is_ignored(*token))
                    .count();
                end = at + side.cover();
            }
        }
        sum as u64
    };
    Counts {
        equal: a.words == b.words,
        common: having(3) - having(3 | IGNORED),
        ignored: having(3 | IGNORED),
        set_a: having(1),
        set_b: having(2),
        covered_a: covered(a),
        covered_b: covered(b),
        tokens_a: a.len() as u64,
        tokens_b: b.len() as u64,
    }
}
