//! Shares of copies estimated from a stratified sample, with intervals.
//!
//! The share of a stratum has the interval of Wilson (1927), with the correction for finite
//! populations: a stratum that was judged completely has no uncertainty. Intervals of sums over
//! strata follow by the method of variance estimates recovery (Zou and Donner 2008), which with one
//! stratum is Wilson's own; those of ratios of such sums are the ratios at which the difference of
//! both sides may be 0.

use crate::evaluate::Interval;

/// The normal quantile of 95 % intervals.
const Z: f64 = 1.959_963_984_540_054;
/// Halvings of an interval: as many as a double has digits.
const STEPS: usize = 60;

/// A judged stratum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    /// Its pairs.
    pub(super) pairs: u64,
    /// Those judged.
    pub(super) judged: u64,
    /// Those of them that are copies.
    pub(super) copies: u64,
}

/// An estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimated {
    /// The estimate.
    pub(super) value: f64,
    /// Its interval.
    pub(super) interval: Interval,
}

impl Sample {
    /// The share of copies; for a stratum without answers, anything is possible.
    pub(super) fn share(self) -> Estimated {
        if self.judged == 0 {
            return Estimated {
                value: 0.5,
                interval: Interval {
                    low: 0.0,
                    high: 1.0,
                },
            };
        }
        let p = self.copies as f64 / self.judged as f64;
        if self.judged >= self.pairs {
            return Estimated {
                value: p,
                interval: Interval { low: p, high: p },
            };
        }
        let (all, judged) = (self.pairs as f64, self.judged as f64);
        let n = judged * (all - 1.0) / (all - judged);
        let below = 1.0 + Z * Z / n;
        let middle = (p + Z * Z / (2.0 * n)) / below;
        let half = Z / below * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        Estimated {
            value: p,
            interval: Interval {
                low: if self.copies == 0 { 0.0 } else { middle - half },
                high: if self.copies == self.judged {
                    1.0
                } else {
                    middle + half
                },
            },
        }
    }
}

/// The sum of shares, each with a weight.
pub(super) fn sum(samples: &[Sample], weight: impl Fn(usize) -> f64) -> Estimated {
    let (mut value, mut down, mut up) = (0.0, 0.0, 0.0);
    for (at, sample) in samples.iter().enumerate() {
        let (weight, share) = (weight(at), sample.share());
        let ends = share.interval;
        let (low, high) = if weight < 0.0 {
            (ends.high, ends.low)
        } else {
            (ends.low, ends.high)
        };
        value += weight * share.value;
        down += (weight * (share.value - low)).powi(2);
        up += (weight * (high - share.value)).powi(2);
    }
    Estimated {
        value,
        interval: Interval {
            low: value - down.sqrt(),
            high: value + up.sqrt(),
        },
    }
}

/// The ratio of two sums of shares, which lies between `from` and `to`; none if the second may as
/// well be 0.
pub(super) fn ratio(
    samples: &[Sample],
    above: impl Fn(usize) -> f64,
    below: impl Fn(usize) -> f64,
    (from, to): (f64, f64),
) -> Option<Estimated> {
    let whole = sum(samples, &below).value;
    if whole <= 0.0 {
        return None;
    }
    let left = |ratio: f64| sum(samples, |at| above(at) - ratio * below(at)).interval;
    let border = |is_below: &dyn Fn(f64) -> bool| {
        let (mut low, mut high) = (from, to);
        for _ in 0..STEPS {
            let middle = f64::midpoint(low, high);
            if is_below(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        f64::midpoint(low, high)
    };
    let value = sum(samples, &above).value / whole;
    Some(Estimated {
        value,
        interval: Interval {
            low: border(&|ratio| left(ratio).low > 0.0).min(value),
            high: border(&|ratio| left(ratio).high >= 0.0).max(value),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(pairs: u64, judged: u64, copies: u64) -> Sample {
        Sample {
            pairs,
            judged,
            copies,
        }
    }

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 5e-5
    }

    #[test]
    fn shares_have_the_interval_of_wilson() {
        // Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (copies, judged, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let found = sample(u64::MAX, judged, copies).share().interval;
            assert!(
                close(found.low, low) && close(found.high, high),
                "{found:?}"
            );
            let one = [sample(u64::MAX, judged, copies)];
            let same = sum(&one, |_| 1.0).interval;
            assert!(close(same.low, low) && close(same.high, high), "{same:?}");
        }
    }

    #[test]
    fn what_is_judged_whole_is_known() {
        let found = sample(20, 20, 15).share();
        let known = Interval {
            low: 0.75,
            high: 0.75,
        };
        assert_eq!((found.value, found.interval), (0.75, known));
        let most = sample(21, 20, 15).share().interval;
        assert!(most.high - most.low < 0.1, "{most:?}");
        let none = sample(20, 0, 0).share().interval;
        assert_eq!((none.low, none.high), (0.0, 1.0));
    }

    #[test]
    fn sums_weigh_their_strata() {
        let samples = [sample(900, 50, 50), sample(100, 50, 25)];
        let found = sum(&samples, |at| samples[at].pairs as f64 / 1000.0);
        assert!(close(found.value, 0.95));
        assert!(
            close(found.interval.high, 0.95 + 0.1 * 0.09664),
            "{found:?}"
        );
        assert!(found.interval.low > 0.87 && found.interval.low < 0.9);
        let less = sum(&samples, |at| -(samples[at].pairs as f64) / 1000.0);
        assert!(close(less.interval.low, -found.interval.high));
        assert!(close(less.interval.high, -found.interval.low));
    }

    #[test]
    fn a_ratio_of_known_counts_is_known() {
        let samples = [sample(30, 30, 30), sample(20, 20, 10)];
        let recall = |samples: &[Sample]| {
            ratio(
                samples,
                |at| {
                    if at == 0 {
                        samples[0].pairs as f64
                    } else {
                        0.0
                    }
                },
                |at| samples[at].pairs as f64,
                (0.0, 1.0),
            )
        };
        let found = recall(&samples).unwrap();
        assert!(close(found.value, 0.75));
        assert!(close(found.interval.low, 0.75) && close(found.interval.high, 0.75));
        // The ratio of two shares of 0.5: a delta method gives 0.5 ± 0.098.
        let wide = [sample(100_000, 100, 50), sample(100_000, 100, 50)];
        let found = recall(&wide).unwrap();
        assert!((found.interval.low - 0.43).abs() < 0.01, "{found:?}");
        assert!((found.interval.high - 0.57).abs() < 0.01, "{found:?}");
        assert_eq!(recall(&[sample(9, 9, 0), sample(9, 9, 0)]), None);
    }
}
