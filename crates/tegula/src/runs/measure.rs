//! Measures over runs: what is indexed, what probes, which two entries may match, and what two texts share.
//!
//! Let S(c) be what the runs of a text from rank c on come to: their shingles, or the tokens that they cover. If c is the rarest run that
//! two texts share, all they share has rank c or later, so that it is at most S(c) of either. `docs/joins.md`, §17, has the proofs.

use super::features::{Feature, Texts};
use crate::join::Bitmap;
use crate::recipe::Measure;
use crate::threshold::Threshold;
use std::cmp::Ordering;

/// A pair measure over runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunMeasure {
    kind: Kind,
    threshold: Threshold,
    n: u32,
    /// How far keys are shifted to fit 32 bits.
    shift: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Resemblance,
    Containment,
    Coverage,
    CoverageContainment,
}

/// Which indexed texts are partners of one that probes; texts are in order of size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Partners {
    /// Earlier ones of at least this size.
    Earlier(u32),
    /// Later ones.
    Later,
    /// All others of at least this size.
    Others(u32),
}

/// Marks on the tokens of two texts.
#[derive(Debug, Default)]
pub(super) struct Marks {
    a: Bitmap,
    b: Bitmap,
}

impl RunMeasure {
    /// The measure, with pairs from `threshold` on; `longest` is the largest number of tokens.
    pub(super) fn new(measure: Measure, threshold: Threshold, n: usize, longest: u32) -> Self {
        let kind = match measure {
            Measure::Coverage => Kind::Coverage,
            Measure::CoverageContainment => Kind::CoverageContainment,
            Measure::ResemblanceContainment => Kind::Containment,
            _ => Kind::Resemblance,
        };
        let bits = 64 - (threshold.denominator() * u64::from(longest)).leading_zeros();
        Self { kind, threshold, n: n as u32, shift: bits.saturating_sub(30) }
    }

    fn covers_tokens(self) -> bool {
        matches!(self.kind, Kind::Coverage | Kind::CoverageContainment)
    }

    /// What texts are ordered by.
    pub(super) fn size(self, texts: &Texts, text: usize) -> u32 {
        if self.covers_tokens() { texts.lengths[text] } else { texts.sets[text] }
    }

    /// Tokens that a run covers in a text of so many tokens.
    fn cover(self, feature: &Feature, tokens: u32) -> usize {
        (feature.length + self.n.min(tokens) - 1) as usize
    }

    /// S of each feature of a text. Features of one run have that of the first of them.
    pub(super) fn suffixes(self, texts: &Texts, text: usize, marks: &mut Marks, out: &mut [u32]) {
        let (features, tokens) = (texts.of(text), texts.lengths[text]);
        let mut sum = 0;
        if self.covers_tokens() {
            marks.a.clear(tokens as usize);
        }
        for (feature, out) in features.iter().zip(out.iter_mut()).rev() {
            sum += if self.covers_tokens() {
                marks.a.mark_all(feature.at as usize, self.cover(feature, tokens))
            } else {
                feature.length
            };
            *out = sum;
        }
        for at in 1..features.len() {
            if features[at].run == features[at - 1].run {
                out[at] = out[at - 1];
            }
        }
    }

    /// Whether a run with this S is indexed for a text of this size.
    pub(super) fn indexes(self, suffix: u32, size: u32) -> bool {
        let (p, q) = (self.threshold.numerator(), self.threshold.denominator());
        let (suffix, size) = (u64::from(suffix), u64::from(size));
        match self.kind {
            // A partner that probes is at least as large.
            Kind::Resemblance => suffix >= self.least(size, size),
            // A partner that probes is no longer.
            Kind::Coverage => i128::from(q * suffix) >= (2 * i128::from(p) - i128::from(q)) * i128::from(size),
            Kind::Containment | Kind::CoverageContainment => true,
        }
    }

    /// Shingles that two texts need to share.
    fn least(self, a: u64, b: u64) -> u64 {
        let (p, q) = (u128::from(self.threshold.numerator()), u128::from(self.threshold.denominator()));
        (p * u128::from(a + b)).div_ceil(p + q) as u64
    }

    /// Whether a run with this S probes for a text of this size; `top` is the largest key of the index.
    pub(super) fn probes(self, suffix: u32, size: u32, top: i32) -> bool {
        match self.kind {
            Kind::Coverage => self.key(suffix, size) + top >= 0,
            _ => u64::from(suffix) >= self.threshold.least(u64::from(size)),
        }
    }

    /// Which texts are partners of one of this size.
    pub(super) fn partners(self, size: u32) -> Partners {
        match self.kind {
            Kind::Resemblance => Partners::Earlier(self.threshold.least(u64::from(size)) as u32),
            Kind::Containment | Kind::Coverage => Partners::Later,
            Kind::CoverageContainment => Partners::Others(size),
        }
    }

    /// Whether entries are sorted by key, the largest first, so that a scan ends where the sum of two keys is below 0.
    pub(super) fn sorts_by_key(self) -> bool {
        self.kind == Kind::Coverage
    }

    /// What an entry keeps: under coverage q·S − p·n in 32 bits, rounded up where it must be scaled, as a rounded key can only add
    /// candidates; else S.
    pub(super) fn key(self, suffix: u32, size: u32) -> i32 {
        if self.kind != Kind::Coverage {
            return suffix.min(i32::MAX as u32) as i32;
        }
        let (p, q) = (self.threshold.numerator() as i64, self.threshold.denominator() as i64);
        let value = q * i64::from(suffix) - p * i64::from(size);
        ((value + ((1 << self.shift) - 1)) >> self.shift) as i32
    }

    /// Whether a text of size `a` with the suffix `of_a` may match one of size `b` with the key of its entry, where this is the rarest run
    /// that both have.
    pub(super) fn may(self, (of_a, a): (u32, u32), (key, b): (i32, u32)) -> bool {
        match self.kind {
            Kind::Resemblance => u64::from(of_a.min(key as u32)) >= self.least(u64::from(a), u64::from(b)),
            Kind::Containment => u64::from(of_a.min(key as u32)) >= self.threshold.least(u64::from(a)),
            Kind::Coverage | Kind::CoverageContainment => true,
        }
    }

    /// What two texts share by their runs, in each of them, if that may be enough: never less than they truly share.
    pub(super) fn bound(self, texts: &Texts, suffixes: &[u32], (a, b): (usize, usize), marks: &mut Marks) -> Option<(u32, u32)> {
        let (in_a, in_b) = (texts.range(a), texts.range(b));
        let (of_a, of_b) = (texts.of(a), texts.of(b));
        let (rest_a, rest_b) = (&suffixes[in_a], &suffixes[in_b]);
        if self.covers_tokens() {
            self.covered(texts, (a, b), (of_a, rest_a), (of_b, rest_b), marks)
        } else {
            self.common((texts.sets[a], texts.sets[b]), (of_a, rest_a), (of_b, rest_b))
        }
    }

    fn common(self, (size_a, size_b): (u32, u32), a: (&[Feature], &[u32]), b: (&[Feature], &[u32])) -> Option<(u32, u32)> {
        let needed = match self.kind {
            Kind::Resemblance => self.least(u64::from(size_a), u64::from(size_b)),
            _ => self.threshold.least(u64::from(size_a.min(size_b))),
        };
        let (mut i, mut j, mut shared) = (0, 0, 0_u32);
        while i < a.0.len() && j < b.0.len() {
            let (x, y) = (a.0[i].run, b.0[j].run);
            // What is left of the text whose run the other does not have.
            let left = match x.cmp(&y) {
                Ordering::Less => {
                    i += 1;
                    a.1.get(i)
                }
                Ordering::Greater => {
                    j += 1;
                    b.1.get(j)
                }
                Ordering::Equal => {
                    // A text has a run twice only where two of its shingles share a hash.
                    while i < a.0.len() && j < b.0.len() && a.0[i].run == x && b.0[j].run == x {
                        shared += a.0[i].length.max(b.0[j].length);
                        (i, j) = (i + 1, j + 1);
                    }
                    continue;
                }
            };
            if left.is_some_and(|left| u64::from(shared + left) < needed) {
                return None;
            }
        }
        (u64::from(shared) >= needed).then_some((shared, shared))
    }

    fn covered(
        self,
        texts: &Texts,
        (a, b): (usize, usize),
        (of_a, rest_a): (&[Feature], &[u32]),
        (of_b, rest_b): (&[Feature], &[u32]),
        marks: &mut Marks,
    ) -> Option<(u32, u32)> {
        let (tokens_a, tokens_b) = (texts.lengths[a], texts.lengths[b]);
        marks.a.clear(tokens_a as usize);
        marks.b.clear(tokens_b as usize);
        let (mut i, mut j, mut in_a, mut in_b) = (0, 0, 0_u32, 0_u32);
        let enough = |in_a: u32, in_b: u32| self.admits((in_a, in_b), (tokens_a, tokens_b));
        while i < of_a.len() && j < of_b.len() {
            let (x, y) = (of_a[i].run, of_b[j].run);
            if x == y {
                while i < of_a.len() && of_a[i].run == x {
                    in_a += marks.a.mark_all(of_a[i].at as usize, self.cover(&of_a[i], tokens_a));
                    i += 1;
                }
                while j < of_b.len() && of_b[j].run == x {
                    in_b += marks.b.mark_all(of_b[j].at as usize, self.cover(&of_b[j], tokens_b));
                    j += 1;
                }
            } else {
                if x < y {
                    i += 1;
                } else {
                    j += 1;
                }
                let (Some(more_a), Some(more_b)) = (rest_a.get(i), rest_b.get(j)) else { break };
                if !enough(in_a + more_a, in_b + more_b) {
                    return None;
                }
            }
        }
        enough(in_a, in_b).then_some((in_a, in_b))
    }

    /// Whether so much of two texts of these sizes is enough.
    pub(super) fn admits(self, (in_a, in_b): (u32, u32), (size_a, size_b): (u32, u32)) -> bool {
        let (part_a, part_b) = (u64::from(in_a), u64::from(in_b));
        let (size_a, size_b) = (u64::from(size_a), u64::from(size_b));
        match self.kind {
            Kind::Resemblance => self.threshold.admits(part_a, (size_a + size_b).saturating_sub(part_a)),
            Kind::Coverage => self.threshold.admits(part_a + part_b, size_a + size_b),
            // The smaller is the contained one; of two of one size either may be.
            Kind::Containment | Kind::CoverageContainment => {
                (size_a <= size_b && self.threshold.admits(part_a, size_a))
                    || (size_b <= size_a && self.threshold.admits(part_b, size_b))
            }
        }
    }

    /// Whether the tokens under all shared runs of two texts are equal, so that they share what the runs say. Where they are not, all
    /// shingles have to be compared.
    pub(super) fn is_true(self, texts: &Texts, (a, b): (usize, usize), (of_a, of_b): (&[u64], &[u64])) -> bool {
        let (features_a, features_b) = (texts.of(a), texts.of(b));
        let (mut i, mut j) = (0, 0);
        let window = |tokens: &[u64], feature: &Feature| {
            let from = feature.at as usize;
            from..from + self.cover(feature, tokens.len() as u32)
        };
        while i < features_a.len() && j < features_b.len() {
            let (x, y) = (&features_a[i], &features_b[j]);
            if x.run < y.run {
                i += 1;
                continue;
            }
            if y.run < x.run {
                j += 1;
                continue;
            }
            let example = &of_a[window(of_a, x)];
            let (mut times_a, mut times_b) = (0, 0);
            while i < features_a.len() && features_a[i].run == x.run {
                if of_a[window(of_a, &features_a[i])] != *example {
                    return false;
                }
                (i, times_a) = (i + 1, times_a + 1);
            }
            while j < features_b.len() && features_b[j].run == x.run {
                if of_b[window(of_b, &features_b[j])] != *example {
                    return false;
                }
                (j, times_b) = (j + 1, times_b + 1);
            }
            if !self.covers_tokens() && times_a + times_b > 2 {
                return false;
            }
        }
        true
    }

    /// What two texts share, from their tokens alone.
    pub(super) fn counted(self, (of_a, of_b): (&[u64], &[u64]), marks: &mut Marks) -> (u32, u32) {
        let shingles = |tokens: &[u64]| self.n.min(tokens.len() as u32).max(1) as usize;
        let (n_a, n_b) = (shingles(of_a), shingles(of_b));
        let set = |tokens, n| -> std::collections::HashSet<&[u64]> { <[u64]>::windows(tokens, n).collect() };
        let (set_a, set_b) = (set(of_a, n_a), set(of_b, n_b));
        if !self.covers_tokens() {
            let shared = set_a.intersection(&set_b).count() as u32;
            return (shared, shared);
        }
        let covered = |tokens: &[u64], n: usize, other: &std::collections::HashSet<&[u64]>, marks: &mut Bitmap| {
            marks.clear(tokens.len());
            tokens.windows(n).enumerate().filter(|(_, window)| other.contains(window)).map(|(at, _)| marks.mark_all(at, n)).sum()
        };
        (covered(of_a, n_a, &set_b, &mut marks.a), covered(of_b, n_b, &set_a, &mut marks.b))
    }
}
