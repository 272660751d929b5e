//! Containment of tokens: tokens of the shorter text covered by shared shingles over its tokens
//! (Kupietz fn. 2).
//!
//! Only the contained text may be removed. In the contained text A the rarest common shingle c has
//! S_A(c) ≥ t·n_A, which limits the shingles to probe; the other text is indexed by all its
//! shingles. If sizes are equal, either may be the contained one (`JOINS.md`).

use super::bound::{Bound, Outlined, Partners, Prefix, Verify};
use super::counts::Counts;
use super::coverage::sequences;
use super::marks::Marks;
use super::pair_measure::{Collection, Columns, Compares, Facts, PairMeasure, of_smaller};
use super::shingles::Shingles;
use crate::block::{Block, Text};
use crate::pair::{Pair, Sizes};
use crate::threshold::{Score, Threshold};

/// The measure.
pub(super) struct CoverageContainment;

impl PairMeasure for CoverageContainment {
    fn facts(&self) -> Facts {
        let says = "tokens in shared shingles / tokens of the shorter text";
        Facts {
            says,
            compares: Compares::Sequences,
            is_strict: false,
            is_directed: true,
            is_rounded: false,
        }
    }

    fn score(&self, pair: &Pair, sizes: Sizes) -> Score {
        of_smaller(self.shares(pair, sizes))
    }

    fn shares(&self, pair: &Pair, sizes: Sizes) -> (Score, Score) {
        let share = |group: u32, part: u32| Score {
            part: part.into(),
            whole: sizes.lengths[group as usize].into(),
        };
        (share(pair.a, pair.in_a), share(pair.b, pair.in_b))
    }

    fn whole(&self, group: u32, sizes: Sizes) -> u32 {
        sizes.lengths[group as usize]
    }

    fn columns(&self, pair: &Pair, sizes: Sizes) -> Columns {
        sequences(pair, sizes)
    }

    fn parts(&self, columns: &Columns) -> Option<(u32, u32)> {
        Some((columns.covered_a?, columns.covered_b?))
    }

    fn of_texts(&self, counts: &Counts) -> Option<Score> {
        Some(of_smaller(counts.token_containment()))
    }

    fn bound(&self, threshold: Threshold, of: &Collection) -> Option<Box<dyn Bound>> {
        Some(Box::new(Contained { threshold, n: of.n }))
    }
}

/// Containment at a threshold.
struct Contained {
    threshold: Threshold,
    n: usize,
}

impl Prefix for Contained {
    fn sizes<'a>(&self, block: &'a Block) -> &'a [u32] {
        &block.lengths
    }

    fn suffixes(&self, text: Text, marks: &mut Marks, out: &mut [u32]) {
        Shingles::covering(self.n).suffixes(text, marks, out);
    }

    fn indexes(&self, _: u32, _: u32) -> bool {
        true
    }

    fn probes(&self, suffix: u32, size: u32, _: i32) -> bool {
        u64::from(suffix) >= self.threshold.least(u64::from(size))
    }

    fn partners(&self, size: u32) -> Partners {
        Partners::Others(size)
    }
}

impl Outlined for Contained {}

impl Verify for Contained {
    fn shared(&self, a: Text, b: Text, marks: &mut Marks) -> Option<(u32, u32)> {
        let sizes = (a.tokens(), b.tokens());
        Shingles::covering(self.n)
            .covered(a, b, marks, |in_a, in_b| self.admits((in_a, in_b), sizes))
    }

    fn shingles(&self) -> Option<Shingles> {
        Some(Shingles::covering(self.n))
    }

    fn admits(&self, (in_a, in_b): (u32, u32), (a, b): (u32, u32)) -> bool {
        let admits =
            |part: u32, whole: u32| self.threshold.admits(u64::from(part), u64::from(whole));
        // The smaller one is contained; if sizes are equal, either may be.
        (a <= b && admits(in_a, a)) || (b <= a && admits(in_b, b))
    }
}
