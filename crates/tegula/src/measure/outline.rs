//! Outlines: summaries of a text in a few numbers, which give an upper bound on the overlap of two
//! texts without a full comparison.

use crate::block::Text;
use crate::threshold::Threshold;

/// The outline of a text: 64 numbers of 16 bits, or the bitmap of a set.
pub type Outline = [u64];

/// The least words of an outline.
pub(super) const WORDS: usize = 16;

/// The most words of a set's outline, which tells sets of some ten thousand features apart.
const MOST_WORDS: usize = 1024;

/// The features of a set in 128 bits; each feature sets one bit.
pub type Bitmap128 = [u64; 2];

/// The maximum distance of a set from a partner: `own` for each feature only in this set, `others`
/// for each only in the partner, `most` in total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Apart {
    /// The cost of a feature only in this set.
    pub own: u64,
    /// The cost of a feature only in the partner.
    pub others: u64,
    /// The maximum total cost.
    pub most: u64,
}

impl Apart {
    /// For a text that may lack as much of its features in a partner as the threshold allows, minus
    /// `others` for each feature only in the partner.
    pub(super) fn within(threshold: Threshold, text: Text, others: u64) -> Option<Self> {
        let (p, own) = (threshold.numerator(), threshold.denominator());
        let most = (own * text.ranks().len() as u64).checked_sub(p * u64::from(text.set()))?;
        Some(Self { own, others, most })
    }

    /// Passes to `f` the indices of bitmaps of possible partners of a set with this bitmap.
    pub(crate) fn near(self, bitmap: Bitmap128, bitmaps: &[Bitmap128], mut f: impl FnMut(usize)) {
        for (number, some) in bitmaps.chunks(AT_ONCE).enumerate() {
            let mut distances = [u64::MAX; AT_ONCE];
            if distances_to(bitmap, some, (self.own, self.others), &mut distances) > self.most {
                continue;
            }
            for (at, _) in distances
                .iter()
                .enumerate()
                .filter(|(_, distance)| **distance <= self.most)
            {
                f(number * AT_ONCE + at);
            }
        }
    }
}

/// Bitmaps compared at once.
const AT_ONCE: usize = 32;

/// Lower bounds on the distances from one bitmap to others, and their minimum.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx512vpopcntdq",
    "x86_64+avx2+popcnt"
))]
fn distances_to(
    bitmap: Bitmap128,
    some: &[Bitmap128],
    (own, others): (u64, u64),
    out: &mut [u64; AT_ONCE],
) -> u64 {
    for (distance, other) in out.iter_mut().zip(some) {
        let only = (bitmap[0] & !other[0]).count_ones() + (bitmap[1] & !other[1]).count_ones();
        let only_other =
            (other[0] & !bitmap[0]).count_ones() + (other[1] & !bitmap[1]).count_ones();
        *distance = own * u64::from(only) + others * u64::from(only_other);
    }
    out.iter().copied().fold(u64::MAX, u64::min)
}

/// The bitmap of a set of features, with a bit for each.
pub(crate) fn bitmap(ranks: &[u32]) -> Bitmap128 {
    let mut bitmap = [0; 2];
    for rank in ranks {
        let bit = rank.wrapping_mul(0x9E37_79B1) >> 25;
        bitmap[bit as usize / 64] |= 1 << (bit % 64);
    }
    bitmap
}

/// The words of the outline of a set of so many features: four bits or more for each.
pub(super) fn words_of_set(features: usize) -> usize {
    (features / 16).next_power_of_two().clamp(WORDS, MOST_WORDS)
}

/// Writes the outline of a set of features, with a bit for each.
pub(super) fn of_set(ranks: &[u32], outline: &mut Outline) {
    let mask = 64 * outline.len() as u32 - 1;
    for rank in ranks {
        // Spreads consecutive ranks. Half of an outline on the other half is the outline of half
        // the size.
        let mixed = rank.wrapping_mul(0x9E37_79B1);
        let bit = (mixed ^ mixed >> 15) & mask;
        outline[bit as usize / 64] |= 1 << (bit % 64);
    }
}

/// An upper bound on the common features of two sets of these `sizes`. A bit set in only one
/// implies at least one feature that the other lacks.
pub(super) fn shared_at_most(a: &Outline, b: &Outline, sizes: (usize, usize)) -> usize {
    let (only_a, only_b) = if a.len() >= b.len() {
        alone(a, b)
    } else {
        let (only_b, only_a) = alone(b, a);
        (only_a, only_b)
    };
    sizes
        .0
        .saturating_sub(only_a as usize)
        .min(sizes.1.saturating_sub(only_b as usize))
}

/// The number of bits set only in each; `a`, which is as large as `b` or larger, is folded to the
/// size of `b`.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl+avx512vpopcntdq+avx512bitalg+popcnt",
    "x86_64+popcnt"
))]
fn alone(a: &Outline, b: &Outline) -> (u32, u32) {
    let (mut only_a, mut only_b) = (0, 0);
    if a.len() == b.len() {
        for (a, b) in a.iter().zip(b) {
            only_a += (a & !b).count_ones();
            only_b += (b & !a).count_ones();
        }
        return (only_a, only_b);
    }
    for (at, word) in b.iter().enumerate() {
        let folded = a[at..]
            .iter()
            .step_by(b.len())
            .fold(0, |all, word| all | word);
        only_a += (folded & !word).count_ones();
        only_b += (word & !folded).count_ones();
    }
    (only_a, only_b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    /// An outline of one of five sizes.
    fn outline(ranks: &[u32], size: u64) -> Vec<u64> {
        let mut outline = vec![0; WORDS << (size % 5)];
        of_set(ranks, &mut outline);
        outline
    }

    #[test]
    fn sets_share_no_more_than_their_outlines_say() {
        for round in 0..500_u64 {
            let set = |salt: u64, size: u64, kinds: u64| {
                let mut ranks: Vec<u32> = (0..size)
                    .map(|at| (mix(round << 20 | salt << 10 | at) % kinds) as u32)
                    .collect();
                ranks.sort_unstable();
                ranks.dedup();
                ranks
            };
            let kinds = 1 + mix(round) % 5000;
            let (a, b) = (set(1, round % 90, kinds), set(2, 3 * (round % 31), kinds));
            let shared = a.iter().filter(|rank| b.contains(rank)).count();
            let [of_a, of_b] = [outline(&a, round), outline(&b, round / 3)];
            let most = shared_at_most(&of_a, &of_b, (a.len(), b.len()));
            assert!(
                (shared..=a.len().min(b.len())).contains(&most),
                "{shared} {most}"
            );
            assert_eq!(shared_at_most(&of_a, &of_a, (a.len(), a.len())), a.len());
            let half = outline(&a, round / 3);
            assert_eq!(shared_at_most(&of_a, &half, (a.len(), a.len())), a.len());
        }
        // Bitmaps reject no pair whose difference is within the limit.
        for round in 0..300_u64 {
            let sets: Vec<Vec<u32>> = (0..=round % 70)
                .map(|set| {
                    (0..20)
                        .map(|at| (mix(round << 30 | set << 10 | at) % 60) as u32)
                        .collect()
                })
                .collect();
            let bitmaps: Vec<Bitmap128> = sets.iter().map(|set| bitmap(set)).collect();
            let apart = Apart {
                own: 1 + round % 3,
                others: round % 2,
                most: round % 40,
            };
            let mut near = Vec::new();
            apart.near(bitmaps[0], &bitmaps, |at| near.push(at));
            let alone = |a: &[u32], b: &[u32]| {
                let mut alone: Vec<&u32> = a.iter().filter(|rank| !b.contains(rank)).collect();
                alone.sort_unstable();
                alone.dedup();
                alone.len() as u64
            };
            let is_near = |set: &Vec<u32>| {
                apart.own * alone(&sets[0], set) + apart.others * alone(set, &sets[0]) <= apart.most
            };
            assert!(
                sets.iter()
                    .enumerate()
                    .filter(|(_, set)| is_near(set))
                    .all(|(at, _)| near.contains(&at))
            );
            assert!(near.is_sorted() && near.iter().all(|at| *at < sets.len()));
        }
        let apart: Vec<u32> = (0..40).collect();
        let others: Vec<u32> = (100..140).collect();
        let (a, b) = (outline(&apart, 0), outline(&others, 0));
        assert!(shared_at_most(&a, &b, (40, 40)) < 5);
    }
}
