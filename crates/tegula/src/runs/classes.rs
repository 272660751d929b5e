//! Classes: finds the positions with the same shingle, partition by partition.

use crate::hash::mix;

/// A position of a shingle that occurs more than once: the position, the first of its class, and a
/// signature of the whole class relative to that. Equal signatures mean that two classes have the
/// same positions, up to a shift; if this turns out wrong, the runs are built again
/// ([`super::features`]).
pub(super) type Member = [u32; 3];

/// A thread's buffers.
#[derive(Default)]
pub(crate) struct Tables {
    counts: Vec<u8>,
    starts: Vec<u32>,
    sorted: Vec<u64>,
}

/// Buckets up to this length use insertion sort; longer ones use the standard library.
const SHORT: usize = 24;

/// The maximum number of rows of a partition to sort into a buffer; more, as caused by ubiquitous
/// shingles, are sorted in place.
const MOST: usize = 1 << 18;

/// Finds the classes among the rows of a partition, which it reorders, and passes on each member.
pub(super) fn share<E>(
    rows: &mut [u64],
    signature_bits: u32,
    tables: &mut Tables,
    mut f: impl FnMut(Member) -> Result<(), E>,
) -> Result<(), E> {
    let rows = sorted(rows, tables);
    let mask = u32::MAX >> (32 - signature_bits.clamp(1, 32));
    for class in rows
        .chunk_by(|a, b| a >> 32 == b >> 32)
        .filter(|class| class.len() > 1)
    {
        let first = class[0] as u32;
        let places = class.iter().map(|row| u64::from(*row as u32 - first));
        let sum = places.fold(class.len() as u64, |sum, place| {
            sum.wrapping_add(mix(place))
        });
        let signature = mix(sum) as u32 & mask;
        class
            .iter()
            .try_for_each(|row| f([*row as u32, first, signature]))?;
    }
    Ok(())
}

/// The rows of a partition whose hash occurs more than once, sorted, and a few others; `rows` are
/// reordered.
pub(crate) fn sorted<'a>(rows: &'a mut [u64], tables: &'a mut Tables) -> &'a [u64] {
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
fn repeated<'a>(rows: &'a mut [u64], counts: &mut Vec<u8>) -> &'a mut [u64] {
    // Four counters per row, so that few single ones collide.
    let bits = (4 * rows.len())
        .next_power_of_two()
        .trailing_zeros()
        .clamp(6, 20);
    counts.clear();
    counts.resize(1 << bits, 0);
    let counter = |row: u64| (row >> (64 - bits)) as usize;
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
fn sort(rows: &[u64], starts: &mut Vec<u32>, sorted: &mut Vec<u64>) {
    let bits = (rows.len() / 4)
        .next_power_of_two()
        .trailing_zeros()
        .clamp(2, 18);
    let bucket = |row: u64| (row >> (64 - bits)) as usize;
    starts.clear();
    starts.resize((1 << bits) + 1, 0);
    for row in rows {
        starts[bucket(*row) + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    sorted.clear();
    sorted.resize(rows.len(), 0);
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
fn insert_all(rows: &mut [u64]) {
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
        share(&mut [], 32, &mut Tables::default(), |_| Err(())).unwrap();
    }
}
