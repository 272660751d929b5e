//! Classes: finds the positions with the same shingle, partition by partition.

use super::row::{Bits, Hashed, Row};
use crate::hash::mix;

/// A position of a shingle that occurs more than once, packed: the first position of its class; the
/// position in its range; and a signature of the whole class relative to the first, whose lowest bit
/// says whether the shingle has a number. Equal signatures mean that two classes have the same
/// positions, up to a shift; where this turns out wrong, chains are split.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub(crate) struct Member([u32; 3]);

impl Member {
    /// Bits of a position in a range, at most.
    pub(crate) const RANGE: u32 = 64 - Bits::MOST;

    #[inline]
    fn new(position: u64, first: u64, signature: u32, range: u32) -> Self {
        let within = (position & !(u64::MAX << range)) as u32;
        Self([
            first as u32,
            within | ((first >> 32) as u32) << Self::RANGE,
            signature,
        ])
    }

    /// Its place in its range of positions.
    #[inline]
    pub(super) fn within(self) -> usize {
        (self.0[1] & !(u32::MAX << Self::RANGE)) as usize
    }

    /// The same, in a range that begins so many positions before its own.
    pub(crate) fn after(self, positions: u32) -> Self {
        let [first, place, signature] = self.0;
        Self([first, place + positions, signature])
    }

    /// The number of its range of 2^`range` positions in its own range, and the member in that one.
    pub(crate) fn divided(self, range: u32) -> (u32, Self) {
        let at = self.within() as u32 >> range;
        let [first, place, signature] = self.0;
        (at, Self([first, place - (at << range), signature]))
    }

    /// The first position of its class.
    #[inline]
    pub(super) fn first(self) -> u64 {
        u64::from(self.0[1] >> Self::RANGE) << 32 | u64::from(self.0[0])
    }

    /// The signature.
    #[inline]
    pub(super) fn signature(self) -> u32 {
        self.0[2]
    }
}

/// A thread's buffers.
#[derive(Default)]
pub(crate) struct Tables<R> {
    counts: Vec<u8>,
    starts: Vec<u32>,
    repeated: Vec<R>,
    sorted: Vec<R>,
}

/// Buckets up to this length use insertion sort; longer ones use the standard library.
const SHORT: usize = 24;

/// The maximum number of rows of a partition to sort into a buffer; more, as caused by ubiquitous
/// shingles, are sorted in place.
const MOST: usize = 1 << 18;

/// Finds the classes among the rows of a partition, which come in pieces, and passes on each member
/// with the number of its range of 2^`range` positions.
pub(crate) fn share<'r, R: Row, E>(
    rows: impl Iterator<Item = &'r [R]> + Clone,
    (bits, range, signature_bits): (Bits, u32, u32),
    tables: &mut Tables<R>,
    mut f: impl FnMut(usize, Member) -> Result<(), E>,
) -> Result<(), E> {
    let rows = sorted(rows, bits, tables);
    let mask = u32::MAX >> (32 - signature_bits.clamp(1, 32));
    for class in rows
        .chunk_by(|a, b| a.is_like(*b, bits))
        .filter(|class| class.len() > 1)
    {
        let first = class[0].position(bits);
        let places = class.iter().map(|row| row.position(bits) - first);
        let sum = places.fold(class.len() as u64, |sum, place| {
            sum.wrapping_add(mix(place))
        });
        // Shingles with a number and without are never in one chain.
        let signature = (mix(sum) as u32 & mask) << 1 | u32::from(class[0].has_number(bits));
        class.iter().try_for_each(|row| {
            let position = row.position(bits);
            let member = Member::new(position, first, signature, range);
            f((position >> range) as usize, member)
        })?;
    }
    Ok(())
}

/// The rows of a partition whose hash occurs more than once, sorted, and a few others.
pub(crate) fn sorted<'t, 'r, R: Row>(
    rows: impl Iterator<Item = &'r [R]> + Clone,
    bits: Bits,
    tables: &'t mut Tables<R>,
) -> &'t [R] {
    let Tables {
        counts,
        starts,
        repeated,
        sorted,
    } = tables;
    keep_repeated(rows, counts, repeated);
    if repeated.len() > MOST {
        repeated.sort_unstable_by_key(|row| row.order(bits));
        return repeated;
    }
    sort(repeated, bits, starts, sorted);
    sorted
}

/// Keeps the rows whose hash may occur more than once.
fn keep_repeated<'r, R: Row>(
    rows: impl Iterator<Item = &'r [R]> + Clone,
    counts: &mut Vec<u8>,
    repeated: &mut Vec<R>,
) {
    let all: usize = rows.clone().map(<[R]>::len).sum();
    // Four counters per row, so that few single ones collide.
    let bits = (4 * all).next_power_of_two().trailing_zeros().clamp(6, 20);
    counts.clear();
    counts.resize(1 << bits, 0);
    let counter = |row: R| (row.hash() >> (64 - bits)) as usize;
    for row in rows.clone().flatten() {
        let count = &mut counts[counter(*row)];
        *count = count.saturating_add(1);
    }
    // Branchless, as a branch would be mispredicted half the time.
    let mut length = 0;
    for piece in rows {
        repeated.resize(repeated.len().max(length + piece.len()), R::default());
        for row in piece {
            repeated[length] = *row;
            length += usize::from(counts[counter(*row)] > 1);
        }
    }
    repeated.truncate(length);
}

/// Sorts rows into `sorted`.
pub(super) fn sort<R: Hashed>(rows: &[R], width: Bits, starts: &mut Vec<u32>, sorted: &mut Vec<R>) {
    let bits = (rows.len() / 4)
        .next_power_of_two()
        .trailing_zeros()
        .clamp(2, 18);
    let bucket = |row: R| (row.hash() >> (64 - bits)) as usize;
    starts.clear();
    starts.resize((1 << bits) + 1, 0);
    for row in rows {
        starts[bucket(*row) + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    sorted.clear();
    sorted.resize(rows.len(), R::default());
    for row in rows {
        let next = &mut starts[bucket(*row)];
        sorted[*next as usize] = *row;
        *next += 1;
    }
    // Each start is now its bucket's end.
    let mut at = 0;
    for end in &starts[..1 << bits] {
        let rows = &mut sorted[at..*end as usize];
        if rows.len() > SHORT {
            rows.sort_unstable_by_key(|row| row.order(width));
        } else {
            insert_all(rows, width);
        }
        at = *end as usize;
    }
}

/// Sorts a few rows.
fn insert_all<R: Hashed>(rows: &mut [R], bits: Bits) {
    for at in 1..rows.len() {
        let row = rows[at];
        let mut to = at;
        while to > 0 && rows[to - 1].order(bits) > row.order(bits) {
            rows[to] = rows[to - 1];
            to -= 1;
        }
        rows[to] = row;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn members_keep_their_parts() {
        let last = (1 << Bits::MOST) - 1;
        for (position, first) in [(0, 0), (last, 7), (1 << 33 | 5, last)] {
            let member = Member::new(position, first, u32::MAX, 20);
            assert_eq!(member.within() as u64, position & 0xf_ffff);
            assert_eq!((member.first(), member.signature()), (first, u32::MAX));
        }
    }

    #[test]
    fn classes_are_those_of_a_map_whatever_the_order() {
        for count in [5000, 4 * MOST as u64] {
            let mut rows: Vec<u64> = (0..count)
                .map(|at| mix(at % 700 * (at % 3)) >> 32 << 32 | at)
                .collect();
            rows.sort_unstable_by_key(|row| mix(*row));
            let mut map: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
            for row in &rows {
                map.entry(row >> 32).or_default().push(*row as u32);
            }
            let mut wanted: Vec<(u32, u32)> = Vec::new();
            for places in map.values().filter(|places| places.len() > 1) {
                let first = places.iter().min().unwrap();
                wanted.extend(places.iter().map(|place| (*place, *first)));
            }
            wanted.sort_unstable();
            let mut found = Vec::new();
            let bits = Bits::new(0, 32);
            share(
                std::iter::once(&rows[..]),
                (bits, 20, 32),
                &mut Tables::default(),
                |range, member| {
                    let position = (range << 20 | member.within()) as u32;
                    found.push((position, member.first() as u32));
                    Ok::<(), ()>(())
                },
            )
            .unwrap();
            found.sort_unstable();
            assert_eq!(found, wanted);
        }
        let none = |_, _| Err(());
        share::<u64, ()>(
            std::iter::empty(),
            (Bits::new(0, 32), 20, 32),
            &mut Tables::default(),
            none,
        )
        .unwrap();
    }
}
