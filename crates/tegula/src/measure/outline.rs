//! Outlines: summaries of a text in a few numbers, which give an upper bound on the overlap of two
//! texts without a full comparison.

use crate::block::Text;
use crate::threshold::Threshold;
use rayon::prelude::*;
use std::ops::Range;

/// The outline of a text: 64 numbers of 16 bits, or the bitmap of a set.
pub type Outline = [u64];

/// The least words of an outline.
pub(super) const WORDS: usize = 16;

/// The most words of a set's outline, which distinguishes sets of some ten thousand features.
const MOST_WORDS: usize = 1024;

/// The features of a set in 128 bits; each feature sets one bit.
pub type Bitmap128 = [u64; 2];

/// The maximum distance of a set from a partner: `own` for each feature only in this set, `others`
/// for each only in the partner, `most` in total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Apart {
    /// The cost of a feature only in this set.
    pub own: u32,
    /// The cost of a feature only in the partner.
    pub others: u32,
    /// The maximum total cost.
    pub most: u64,
}

impl Apart {
    /// For a text that may lack as much of its features in a partner as the threshold allows, minus
    /// `others` for each feature only in the partner.
    pub(super) fn within(threshold: Threshold, text: Text, others: u64) -> Option<Self> {
        let (p, q) = (threshold.numerator(), threshold.denominator());
        let most = (q * text.ranks().len() as u64).checked_sub(p * u64::from(text.set()))?;
        Some(Self {
            own: q as u32,
            others: others as u32,
            most,
        })
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

    /// Whether a set with this outline may have a partner with the other one.
    pub(crate) fn may_meet(self, outline: &Outline, other: &Outline) -> bool {
        let (only, only_other) = alone(outline, other);
        u64::from(self.own) * u64::from(only) + u64::from(self.others) * u64::from(only_other)
            <= self.most
    }
}

/// Bitmaps compared, and outlines fetched, at once.
const AT_ONCE: usize = 32;

/// The outlines of texts.
#[derive(Debug, Default)]
pub(crate) struct Outlines {
    words: Vec<u64>,
    /// The end of each text's words, after a 0.
    ends: Vec<usize>,
}

impl Outlines {
    /// Bytes for each text, beyond those of large sets.
    pub(crate) const BYTES: u64 = 8 * (WORDS as u64 + 1);

    /// The outlines of so many texts, each of so many `words` as `fill` writes over zeros.
    pub(crate) fn new(
        texts: usize,
        words: impl Fn(usize) -> usize,
        fill: impl Fn(usize, &mut Outline) + Sync,
    ) -> Self {
        /// Texts per step of a thread.
        const STEP: usize = 128;
        let mut ends = vec![0];
        for at in 0..texts {
            ends.push(ends[at] + words(at));
        }
        let mut words = vec![0; ends[texts]];
        let mut jobs: Vec<(Range<usize>, &mut [u64])> = Vec::new();
        let mut rest = &mut words[..];
        for from in (0..texts).step_by(STEP) {
            let some = from..(from + STEP).min(texts);
            let (own, later) = rest.split_at_mut(ends[some.end] - ends[some.start]);
            jobs.push((some, own));
            rest = later;
        }
        jobs.into_par_iter().for_each(|(some, mut out)| {
            for at in some {
                let (own, later) = out.split_at_mut(ends[at + 1] - ends[at]);
                fill(at, own);
                out = later;
            }
        });
        Self { words, ends }
    }

    /// The outline of a text, if there are any.
    pub(crate) fn of(&self, at: usize) -> Option<&Outline> {
        Some(&self.words[*self.ends.get(at)?..*self.ends.get(at + 1)?])
    }

    /// Keeps those of these texts whose outlines meet a condition.
    pub(crate) fn retain(&self, texts: &mut Vec<u32>, f: impl Fn(u32, &Outline) -> bool) {
        let mut kept = 0;
        for from in (0..texts.len()).step_by(AT_ONCE) {
            let some = from..(from + AT_ONCE).min(texts.len());
            // Outlines are anywhere in memory. Nothing depends on this sum, so the processor waits
            // for several of them at the same time.
            let first = |text: &u32| self.of(*text as usize).and_then(|outline| outline.first());
            let sum = texts[some.clone()]
                .iter()
                .filter_map(first)
                .fold(0, |sum, word| sum ^ word);
            std::hint::black_box(sum);
            for at in some {
                let text = texts[at];
                texts[kept] = text;
                kept += usize::from(
                    self.of(text as usize)
                        .is_none_or(|outline| f(text, outline)),
                );
            }
        }
        texts.truncate(kept);
    }
}

/// Lower bounds on the distances from one bitmap to others, and their minimum.
#[cfg_attr(
    not(feature = "without-avx512"),
    multiversion::multiversion(targets(
        "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx512vpopcntdq",
        "x86_64+avx2+popcnt"
    ))
)]
#[cfg_attr(
    feature = "without-avx512",
    multiversion::multiversion(targets("x86_64+avx2+popcnt"))
)]
fn distances_to(
    bitmap: Bitmap128,
    some: &[Bitmap128],
    (own, others): (u32, u32),
    out: &mut [u64; AT_ONCE],
) -> u64 {
    for (distance, other) in out.iter_mut().zip(some) {
        let only = (bitmap[0] & !other[0]).count_ones() + (bitmap[1] & !other[1]).count_ones();
        let only_other =
            (other[0] & !bitmap[0]).count_ones() + (other[1] & !bitmap[1]).count_ones();
        *distance = u64::from(own) * u64::from(only) + u64::from(others) * u64::from(only_other);
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

/// The words of the outline of a set of so many features: four bits or more for each, eight for
/// small sets.
pub(super) fn words_of_set(features: usize) -> usize {
    let least = if features <= 64 { 8 } else { WORDS };
    (features / 16).next_power_of_two().clamp(least, MOST_WORDS)
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

/// The number of bits set only in each; the larger one is folded to the size of the smaller.
#[inline]
fn alone(a: &Outline, b: &Outline) -> (u32, u32) {
    if a.len() >= b.len() {
        folded_alone(a, b)
    } else {
        let (only_b, only_a) = folded_alone(b, a);
        (only_a, only_b)
    }
}

/// The same, with `a` at least as large as `b`.
#[cfg_attr(
    not(feature = "without-avx512"),
    multiversion::multiversion(targets(
        "x86_64+avx512f+avx512bw+avx512vl+avx512vpopcntdq+avx512bitalg+popcnt",
        "x86_64+popcnt"
    ))
)]
#[cfg_attr(
    feature = "without-avx512",
    multiversion::multiversion(targets("x86_64+popcnt"))
)]
fn folded_alone(a: &Outline, b: &Outline) -> (u32, u32) {
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
    fn outlines_and_bitmaps_reject_no_pair_within_the_distance() {
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
            let only = |a: &[u32], b: &[u32]| a.iter().filter(|rank| !b.contains(rank)).count();
            let [of_a, of_b] = [outline(&a, round), outline(&b, round / 3)];
            let (only_a, only_b) = alone(&of_a, &of_b);
            assert!(only_a as usize <= only(&a, &b) && only_b as usize <= only(&b, &a));
            assert_eq!(alone(&of_a, &outline(&a, round / 3)), (0, 0));
        }
        let sets: Vec<Vec<u32>> = (0..100_u64)
            .map(|set| {
                (0..30)
                    .map(|at| (mix(set << 10 | at) % 60) as u32)
                    .collect()
            })
            .collect();
        let words = |at: usize| if at.is_multiple_of(3) { 8 } else { 16 };
        let outlines = Outlines::new(sets.len(), words, |at, out| of_set(&sets[at], out));
        let apart = Apart {
            own: 2,
            others: 1,
            most: 40,
        };
        let mut kept: Vec<u32> = (0..100).rev().collect();
        let of_0 = outlines.of(0).unwrap();
        outlines.retain(&mut kept, |_, other| apart.may_meet(of_0, other));
        let is_near = |other: &u32| {
            let (own, other) = alone(
                outlines.of(0).unwrap(),
                outlines.of(*other as usize).unwrap(),
            );
            2 * own + other <= 40
        };
        let near: Vec<u32> = (0..100).rev().filter(is_near).collect();
        assert!(kept == near && near.len() > 1 && near.len() < 100);
    }

    #[test]
    fn bitmaps_far_apart_are_rejected() {
        // No pair whose difference is within the limit.
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
                own: 1 + (round % 3) as u32,
                others: (round % 2) as u32,
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
                u64::from(apart.own) * alone(&sets[0], set)
                    + u64::from(apart.others) * alone(set, &sets[0])
                    <= apart.most
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
        let (only, _) = alone(&outline(&apart, 0), &outline(&others, 0));
        assert!(only > 20);
    }
}
