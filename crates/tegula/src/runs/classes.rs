//! Classes: finds the positions with the same shingle, partition by partition.

use crate::hash::mix;

/// A position of a shingle that occurs more than once: the position, the first of its class, and a
/// signature of the whole class relative to that, whose lowest bit says whether the shingle has a
/// number. Equal signatures mean that two classes have the
/// same positions, up to a shift; if this turns out wrong, the runs are built again
/// ([`super::features`]).
pub(super) type Member = [u32; 3];

/// An occurrence of a shingle: bits of its hash, above its position.
pub(crate) trait Row: Copy + Default + Ord + bytemuck::Pod + Send {
    /// Bits of the hash, from the highest on; the lowest may be others.
    fn bits(self) -> u64;

    /// Whether the hashes of two are equal.
    fn is_like(self, other: Self) -> bool;

    /// The position.
    fn position(self) -> u32;

    /// Whether the shingle has a number in it, if that matters.
    fn has_number(self) -> bool;
}

impl Row for u64 {
    fn bits(self) -> u64 {
        self
    }

    fn is_like(self, other: Self) -> bool {
        self >> 32 == other >> 32
    }

    fn position(self) -> u32 {
        self as u32
    }

    fn has_number(self) -> bool {
        false
    }
}

/// A row with 31 further bits of hash: the hash; the check, and whether the shingle has a number; the
/// position.
pub(crate) type Wide = [u32; 3];

impl Row for Wide {
    fn bits(self) -> u64 {
        u64::from(self[0]) << 32 | u64::from(self[1])
    }

    fn is_like(self, other: Self) -> bool {
        self[..2] == other[..2]
    }

    fn position(self) -> u32 {
        self[2]
    }

    fn has_number(self) -> bool {
        self[1] & 1 == 1
    }
}

/// A thread's buffers.
#[derive(Default)]
pub(crate) struct Tables<R> {
    counts: Vec<u8>,
    starts: Vec<u32>,
    sorted: Vec<R>,
}

/// Buckets up to this length use insertion sort; longer ones use the standard library.
const SHORT: usize = 24;

/// The maximum number of rows of a partition to sort into a buffer; more, as caused by ubiquitous
/// shingles, are sorted in place.
const MOST: usize = 1 << 18;

/// Finds the classes among the rows of a partition, which it reorders, and passes on each member.
pub(super) fn share<R: Row, E>(
    rows: &mut [R],
    signature_bits: u32,
    tables: &mut Tables<R>,
    mut f: impl FnMut(Member) -> Result<(), E>,
) -> Result<(), E> {
    let rows = sorted(rows, tables);
    let mask = u32::MAX >> (32 - signature_bits.clamp(1, 32));
    for class in rows
        .chunk_by(|a, b| a.is_like(*b))
        .filter(|class| class.len() > 1)
    {
        let first = class[0].position();
        let places = class.iter().map(|row| u64::from(row.position() - first));
        let sum = places.fold(class.len() as u64, |sum, place| {
            sum.wrapping_add(mix(place))
        });
        // Shingles with a number and without are never in one run.
        let signature = (mix(sum) as u32 & mask) << 1 | u32::from(class[0].has_number());
        class
            .iter()
            .try_for_each(|row| f([row.position(), first, signature]))?;
    }
    Ok(())
}

/// The rows of a partition whose hash occurs more than once, sorted, and a few others; `rows` are
/// reordered.
pub(crate) fn sorted<'a, R: Row>(rows: &'a mut [R], tables: &'a mut Tables<R>) -> &'a [R] {
    let Tables {
        counts,
        starts,
        sorted,
    } = tables;
    let repeated = repeated(rows, counts);
    if repeated.len() > MOST {
        repeated.sort_unstable();
        return repeated;
    }
    sort(repeated, starts, sorted);
    sorted
}

/// Moves rows whose hash may occur more than once to the front, and returns them.
fn repeated<'a, R: Row>(rows: &'a mut [R], counts: &mut Vec<u8>) -> &'a mut [R] {
    // Four counters per row, so that few single ones collide.
    let bits = (4 * rows.len())
        .next_power_of_two()
        .trailing_zeros()
        .clamp(6, 20);
    counts.clear();
    counts.resize(1 << bits, 0);
    let counter = |row: R| (row.bits() >> (64 - bits)) as usize;
    for row in &*rows {
        let count = &mut counts[counter(*row)];
        *count = count.saturating_add(1);
    }
    // Branchless, as a branch would be mispredicted half the time.
    let mut length = 0;
    for at in 0..rows.len() {
        let row = rows[at];
        rows[length] = row;
        length += usize::from(counts[counter(row)] > 1);
    }
    &mut rows[..length]
}

/// Sorts rows into `sorted`.
fn sort<R: Row>(rows: &[R], starts: &mut Vec<u32>, sorted: &mut Vec<R>) {
    let bits = (rows.len() / 4)
        .next_power_of_two()
        .trailing_zeros()
        .clamp(2, 18);
    let bucket = |row: R| (row.bits() >> (64 - bits)) as usize;
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
            rows.sort_unstable();
        } else {
            insert_all(rows);
        }
        at = *end as usize;
    }
}

/// Sorts a few rows.
fn insert_all<R: Ord + Copy>(rows: &mut [R]) {
    for at in 1..rows.len() {
        let row = rows[at];
        let mut to = at;
        while to > 0 && rows[to - 1] > row {
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
            share(&mut rows, 32, &mut Tables::default(), |member| {
                found.push((member[0], member[1]));
                Ok::<(), ()>(())
            })
            .unwrap();
            found.sort_unstable();
            assert_eq!(found, wanted);
        }
        share::<u64, ()>(&mut [], 32, &mut Tables::default(), |_| Err(())).unwrap();
    }
}
