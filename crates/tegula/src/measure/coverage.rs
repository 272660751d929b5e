//! Coverage: tokens covered by shared shingles over all tokens of both (sscr; Kupietz §2.4).
//!
//! Let S_X(c) be the tokens of X covered by its shingles of rank c or later. If c is the rarest
//! shingle that X and Y share, cov_X ≤ S_X(c) and cov_Y ≤ S_Y(c), and a pair at threshold t needs
//! S_X(c) + S_Y(c) ≥ t·(n_X + n_Y). The bound separates: each entry keeps s_Y = S_Y(c) − t·n_Y,
//! entries are sorted by it, and a scan ends where s_Y < t·n_X − S_X(c). As S falls with rank, a
//! pair refused at c would be refused at every later shingle. Of a pair, the longer one is indexed,
//! and as it needs coverage of at least (2t − 1)·n itself, only as far as S allows that.
//! `JOINS.md` has the proof.

use super::bound::{Bound, Outlined, Partners, Prefix, Verify};
use super::counts::Counts;
use super::marks::Marks;
use super::pair_measure::{Collection, Columns, Compares, Facts, PairMeasure, ratio_of};
use super::shingles::Shingles;
use crate::block::{Block, Text};
use crate::pair::{Pair, Sizes};
use crate::threshold::{Score, Threshold};

/// The measure.
pub(super) struct Coverage;

impl PairMeasure for Coverage {
    fn facts(&self) -> Facts {
        let says = "tokens in shared shingles / all tokens of both";
        Facts {
            says,
            compares: Compares::Sequences,
            is_strict: false,
            is_directed: false,
            is_rounded: false,
        }
    }

    fn score(&self, pair: &Pair, sizes: Sizes) -> Score {
        Score {
            part: u64::from(pair.in_a) + u64::from(pair.in_b),
            whole: u64::from(sizes.lengths[pair.a as usize])
                + u64::from(sizes.lengths[pair.b as usize]),
        }
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
        Some(counts.sscr())
    }

    fn bound(&self, threshold: Threshold, of: &Collection) -> Option<Box<dyn Bound>> {
        Some(Box::new(Covering::new(threshold, of)))
    }
}

/// The columns of a measure of covered tokens.
pub(super) fn sequences(pair: &Pair, sizes: Sizes) -> Columns {
    let (a, b) = (
        sizes.lengths[pair.a as usize],
        sizes.lengths[pair.b as usize],
    );
    Columns {
        covered_a: Some(pair.in_a),
        covered_b: Some(pair.in_b),
        sscr: Some(Coverage.score(pair, sizes).as_f64()),
        containment_a: Some(ratio_of(pair.in_a, a)),
        containment_b: Some(ratio_of(pair.in_b, b)),
        ..Columns::default()
    }
}

/// Coverage at a threshold.
struct Covering {
    threshold: Threshold,
    n: usize,
    p: i64,
    q: i64,
    /// The right shift that fits keys into 32 bits.
    shift: u32,
}

impl Covering {
    fn new(threshold: Threshold, of: &Collection) -> Self {
        let (p, q) = (threshold.numerator() as i64, threshold.denominator() as i64);
        let bits = 64 - (q as u64 * u64::from(of.longest)).leading_zeros();
        Self {
            threshold,
            n: of.n,
            p,
            q,
            shift: bits.saturating_sub(30),
        }
    }
}

impl Prefix for Covering {
    fn sizes<'a>(&self, block: &'a Block) -> &'a [u32] {
        &block.lengths
    }

    fn suffixes(&self, text: Text, marks: &mut Marks, out: &mut [u32]) {
        Shingles::covering(self.n).suffixes(text, marks, out);
    }

    fn indexes(&self, suffix: u32, size: u32) -> bool {
        // A probing partner is not longer.
        self.q * i64::from(suffix) >= (2 * self.p - self.q) * i64::from(size)
    }

    fn probes(&self, suffix: u32, size: u32, top: i32) -> bool {
        self.key(suffix, size) + top >= 0
    }

    fn partners(&self, _: u32) -> Partners {
        Partners::Later
    }

    /// q·S − p·n in 32 bits, rounded up if it must be scaled: a rounded key can only add
    /// candidates, never refuse one.
    fn key(&self, suffix: u32, size: u32) -> i32 {
        let value = self.q * i64::from(suffix) - self.p * i64::from(size);
        ((value + ((1 << self.shift) - 1)) >> self.shift) as i32
    }

    fn sorts_by_key(&self) -> bool {
        true
    }

    /// The sum of two keys is not negative.
    fn least_key(&self, suffix: u32, size: u32) -> i32 {
        -self.key(suffix, size)
    }
}

impl Outlined for Covering {}

impl Verify for Covering {
    fn shared(&self, a: Text, b: Text, marks: &mut Marks) -> Option<(u32, u32)> {
        let sizes = (a.tokens(), b.tokens());
        Shingles::covering(self.n)
            .covered(a, b, marks, |in_a, in_b| self.admits((in_a, in_b), sizes))
    }

    fn shingles(&self) -> Option<Shingles> {
        Some(Shingles::covering(self.n))
    }

    fn admits(&self, (in_a, in_b): (u32, u32), (a, b): (u32, u32)) -> bool {
        self.threshold.admits(
            u64::from(in_a) + u64::from(in_b),
            u64::from(a) + u64::from(b),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_never_refuse_what_the_sums_admit() {
        for threshold in ["0.8", "0.5", "1", "0.333333", "1/3", "0.9999999"] {
            for (x, n_x, y, n_y) in [
                (8, 10, 8, 10),
                (1, 2, 1, 1),
                (4_000_000, 4_000_000, 1, 9),
                (3_999_999_999, 4_000_000_000, 5, 5),
            ] {
                let of = Collection {
                    n: 5,
                    longest: n_x.max(n_y),
                    ..Collection::default()
                };
                let join = Covering::new(threshold.parse().unwrap(), &of);
                if join.admits((x, y), (n_x, n_y)) {
                    let sum = join.key(x, n_x) + join.key(y, n_y);
                    assert!(sum >= 0, "{threshold} {x}/{n_x} {y}/{n_y}");
                }
            }
        }
    }
}
