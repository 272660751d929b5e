//! Resemblance: shared shingles over all distinct shingles of both (ssr; Kupietz §2.3, Broder's
//! resemblance).
//!
//! |A ∩ B| / |A ∪ B| ≥ t implies |A ∩ B| ≥ ⌈t·|A|⌉ for either, and if |A| ≤ |B|, even ⌈2t/(1+t)·|A|⌉, so the smaller text is indexed by
//! fewer features (AllPairs and PPJoin; `JOINS.md`).

use super::bound::{Bound, Outlined, Partners, Prefix, Verify};
use super::counts::Counts;
use super::marks::Marks;
use super::outline::{self, Apart, Outline};
use super::pair_measure::{Collection, Columns, Compares, Facts, PairMeasure, ratio_of};
use super::shingles::Shingles;
use crate::block::Text;
use crate::pair::{Pair, Sizes};
use crate::threshold::{Score, Threshold};

/// The measure.
pub(super) struct Resemblance;

impl PairMeasure for Resemblance {
    fn facts(&self) -> Facts {
        Facts {
            says: "shared distinct shingles / all distinct shingles",
            compares: Compares::Sets,
            is_strict: false,
            is_directed: false,
            is_rounded: false,
        }
    }

    fn score(&self, pair: &Pair, sizes: Sizes) -> Score {
        let both = u64::from(sizes.sets[pair.a as usize]) + u64::from(sizes.sets[pair.b as usize]);
        if both == 0 {
            // Equal texts without a key in common with others: their shingles were not counted.
            return Score::ONE;
        }
        Score {
            part: u64::from(pair.in_a),
            whole: both - u64::from(pair.in_a),
        }
    }

    fn whole(&self, group: u32, sizes: Sizes) -> u32 {
        sizes.sets[group as usize]
    }

    fn columns(&self, pair: &Pair, sizes: Sizes) -> Columns {
        sets(pair, sizes)
    }

    fn parts(&self, columns: &Columns) -> Option<(u32, u32)> {
        Some((columns.common?, columns.common?))
    }

    fn of_texts(&self, counts: &Counts) -> Option<Score> {
        Some(counts.ssr())
    }

    fn bound(&self, threshold: Threshold, of: &Collection) -> Option<Box<dyn Bound>> {
        Some(Box::new(Resembling {
            threshold,
            n: of.n,
            singly: of.singly,
        }))
    }
}

/// The columns of a measure of shingle sets.
pub(super) fn sets(pair: &Pair, sizes: Sizes) -> Columns {
    let (a, b) = (sizes.sets[pair.a as usize], sizes.sets[pair.b as usize]);
    if a == 0 {
        return Columns {
            ssr: Some(1.0),
            containment_a: Some(1.0),
            containment_b: Some(1.0),
            ..Columns::default()
        };
    }
    Columns {
        common: Some(pair.in_a),
        size_a: Some(a),
        size_b: Some(b),
        ssr: Some(Resemblance.score(pair, sizes).as_f64()),
        containment_a: Some(ratio_of(pair.in_a, a)),
        containment_b: Some(ratio_of(pair.in_a, b)),
        ..Columns::default()
    }
}

/// Resemblance at a threshold.
struct Resembling {
    threshold: Threshold,
    n: usize,
    /// Whether features are single shingles.
    singly: bool,
}

impl Resembling {
    /// The number of common shingles that sets of these sizes need: o / (a + b − o) ≥ p/q.
    fn least(&self, a: u64, b: u64) -> u64 {
        let (p, q) = (
            u128::from(self.threshold.numerator()),
            u128::from(self.threshold.denominator()),
        );
        (p * u128::from(a + b)).div_ceil(p + q) as u64
    }
}

impl Prefix for Resembling {
    fn suffixes(&self, text: Text, marks: &mut Marks, out: &mut [u32]) {
        Shingles::distinct(self.n).suffixes(text, marks, out);
    }

    fn indexes(&self, suffix: u32, size: u32) -> bool {
        // A probing partner is at least as large.
        u64::from(suffix) >= self.least(u64::from(size), u64::from(size))
    }

    fn probes(&self, suffix: u32, size: u32, _: i32) -> bool {
        u64::from(suffix) >= self.threshold.least(u64::from(size))
    }

    fn partners(&self, size: u32) -> Partners {
        Partners::Earlier(self.threshold.least(u64::from(size)) as u32)
    }

    /// The largest size of a partner, for either text.
    fn key(&self, suffix: u32, size: u32) -> i32 {
        self.largest(suffix, size).min(i32::MAX as u32) as i32
    }

    fn least_key(&self, _: u32, size: u32) -> i32 {
        size.min(i32::MAX as u32) as i32
    }

    /// S ≥ p·(a + b) / (p + q), solved for b.
    fn largest(&self, suffix: u32, size: u32) -> u32 {
        let (p, q) = (self.threshold.numerator(), self.threshold.denominator());
        let both = u128::from(suffix) * u128::from(p + q) / u128::from(p.max(1));
        both.saturating_sub(size.into()).min(u32::MAX.into()) as u32
    }
}

impl Outlined for Resembling {
    fn has_bitmaps(&self) -> bool {
        self.singly
    }

    fn apart(&self, text: Text) -> Option<Apart> {
        Apart::within(self.threshold, text, self.threshold.numerator())
    }

    fn is_outlined(&self) -> bool {
        self.singly
    }

    fn outline_words(&self, text: Text) -> usize {
        outline::words_of_set(text.ranks().len())
    }

    fn outline(&self, text: Text, out: &mut Outline) {
        outline::of_set(text.ranks(), out);
    }
}

impl Verify for Resembling {
    fn shared(&self, a: Text, b: Text, _: &mut Marks) -> Option<(u32, u32)> {
        let shared = Shingles::common(a, b, self.least(u64::from(a.set()), u64::from(b.set())))?;
        Some((shared, shared))
    }

    fn shingles(&self) -> Option<Shingles> {
        Some(Shingles::distinct(self.n))
    }

    fn admits(&self, (shared, _): (u32, u32), (a, b): (u32, u32)) -> bool {
        let (shared, both) = (u64::from(shared), u64::from(a) + u64::from(b));
        self.threshold.admits(shared, both.saturating_sub(shared))
    }
}
