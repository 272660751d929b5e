//! Containment of shingles: shared shingles over those of the text that has fewer (Kupietz fn. 2,
//! Broder's containment).
//!
//! Only the contained text may be removed. A bound on both sides would lose pairs, as the longer
//! text may have any number of other, rarer shingles: the shorter text probes those of its shingles
//! among which the rarest shared one must be, against all shingles of the longer text
//! (`JOINS.md`).

use super::bound::{Bound, Outlined, Partners, Prefix, Verify};
use super::counts::Counts;
use super::marks::Marks;
use super::outline::{self, Apart, Outline};
use super::pair_measure::{Collection, Columns, Compares, Facts, PairMeasure, of_smaller};
use super::resemblance::sets;
use super::shingles::Shingles;
use crate::block::Text;
use crate::pair::{Pair, Sizes};
use crate::threshold::{Score, Threshold};

/// The measure.
pub(super) struct Containment;

impl PairMeasure for Containment {
    fn facts(&self) -> Facts {
        let says = "shared distinct shingles / those of the text with fewer";
        Facts {
            says,
            compares: Compares::Sets,
            is_strict: false,
            is_directed: true,
            is_rounded: false,
        }
    }

    fn score(&self, pair: &Pair, sizes: Sizes) -> Score {
        of_smaller(self.shares(pair, sizes))
    }

    fn shares(&self, pair: &Pair, sizes: Sizes) -> (Score, Score) {
        let share = |group: u32, part: u32| match sizes.sets[group as usize] {
            // As under resemblance: equal texts whose shingles were not counted.
            0 => Score::ONE,
            size => Score {
                part: part.into(),
                whole: size.into(),
            },
        };
        (share(pair.a, pair.in_a), share(pair.b, pair.in_b))
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
        Some(of_smaller(counts.shingle_containment()))
    }

    fn bound(&self, threshold: Threshold, of: &Collection) -> Option<Box<dyn Bound>> {
        Some(Box::new(Contained {
            threshold,
            n: of.n,
            singly: of.singly,
        }))
    }
}

/// Containment at a threshold.
struct Contained {
    threshold: Threshold,
    n: usize,
    /// Whether features are single shingles.
    singly: bool,
}

impl Prefix for Contained {
    fn suffixes(&self, text: Text, marks: &mut Marks, out: &mut [u32]) {
        Shingles::distinct(self.n).suffixes(text, marks, out);
    }

    fn indexes(&self, _: u32, _: u32) -> bool {
        true
    }

    fn probes(&self, suffix: u32, size: u32, _: i32) -> bool {
        u64::from(suffix) >= self.threshold.least(u64::from(size))
    }

    fn partners(&self, _: u32) -> Partners {
        Partners::Later
    }

    fn least_key(&self, _: u32, size: u32) -> i32 {
        self.threshold.least(u64::from(size)).min(i32::MAX as u64) as i32
    }
}

impl Outlined for Contained {
    fn has_bitmaps(&self) -> bool {
        self.singly
    }

    fn apart(&self, text: Text) -> Option<Apart> {
        Apart::within(self.threshold, text, 0)
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

impl Verify for Contained {
    fn shared(&self, a: Text, b: Text, _: &mut Marks) -> Option<(u32, u32)> {
        let shared = Shingles::common(a, b, self.threshold.least(u64::from(a.set().min(b.set()))))?;
        Some((shared, shared))
    }

    fn shingles(&self) -> Option<Shingles> {
        Some(Shingles::distinct(self.n))
    }

    fn admits(&self, (shared, _): (u32, u32), (a, b): (u32, u32)) -> bool {
        self.threshold
            .admits(u64::from(shared), u64::from(a.min(b)))
    }
}
