//! Containment estimated from sketches: the share of A contained in B, |A ∩ B| / |A| (Broder 1997 §2).

use crate::threshold::Score;

/// The containment of A in B from an estimated resemblance r = `matches / minima` and the sizes of both sets: their intersection is r/(1 +
/// r) of the sum of their sizes. An estimate, at most 1; its error is that of r times (|A| + |B|)/|A|, so it is unreliable for a short text
/// in a long one.
///
/// `size_a` must be above 0 and `matches` at most `minima`.
pub fn from_resemblance(matches: u32, minima: u32, size_a: u64, size_b: u64) -> Score {
    let (matches, minima) = (u128::from(matches), u128::from(minima));
    let part = matches * (u128::from(size_a) + u128::from(size_b));
    let whole = (minima + matches) * u128::from(size_a);
    fraction(part.min(whole), whole)
}

/// The containment of A in B from samples of both by the same modulus, ascending and distinct: the share of A's sample that is also in B's.
/// An estimate, with a standard error of √(c(1−c)/|sample of A|).
pub fn from_samples(a: &[u64], b: &[u64]) -> Score {
    let mut rest = b;
    let shared = a.iter().filter(|id| {
        rest = &rest[rest.partition_point(|other| other < id)..];
        rest.first() == Some(id)
    });
    Score { part: shared.count() as u64, whole: a.len().max(1) as u64 }
}

/// Halves both until they fit; sizes beyond 2^50 lose their last digits.
fn fraction(part: u128, whole: u128) -> Score {
    let shift = (128 - whole.leading_zeros()).saturating_sub(64);
    Score { part: (part >> shift) as u64, whole: ((whole >> shift) as u64).max(1) }
}

#[cfg(test)]
mod tests {
    use super::super::modulo::Modulo;
    use super::super::{minwise, scattered};
    use super::*;

    #[test]
    fn worked_by_hand() {
        // |A| = 40, |B| = 100, 35 shared: r = 35/105 = 1/3, containment 35/40.
        assert_eq!(from_resemblance(100, 300, 40, 100), Score { part: 35, whole: 40 });
        assert_eq!(from_resemblance(300, 300, 40, 40), Score::ONE);
        // More agreement than sizes allow is cut at 1.
        assert_eq!(from_resemblance(200, 300, 10, 100), Score::ONE);
        assert_eq!(from_resemblance(0, 300, 10, 100), Score { part: 0, whole: 1 });
        assert_eq!(from_resemblance(1, 3, 1 << 63, 1 << 63), Score { part: 1, whole: 2 });
        assert_eq!(from_samples(&[2, 5, 9], &[1, 2, 3, 9, 11]), Score { part: 2, whole: 3 });
        assert_eq!(from_samples(&[], &[1]), Score { part: 0, whole: 1 });
    }

    #[test]
    fn both_estimates_come_near_the_truth() {
        // A has 3000 shingles, 2400 of them in B, which has 5000: containment 0.8, resemblance 2400/5600.
        let all = scattered(6, 5600);
        let (a, b) = (&all[..3000], &all[600..]);
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let modulo = Modulo::new(4).unwrap();
        modulo.sample(a, &mut left);
        modulo.sample(b, &mut right);
        let sampled = from_samples(&left, &right).as_f64();
        assert!((sampled - 0.8).abs() < 4.0 * (0.8_f64 * 0.2 / 750.0).sqrt(), "{sampled}");
        let family = minwise::MinWise::new(1024, 0);
        let (mut left, mut right) = (Vec::new(), Vec::new());
        family.minima(a, &mut left);
        family.minima(b, &mut right);
        let estimated = from_resemblance(minwise::agreement(&left, &right), 1024, 3000, 5000).as_f64();
        let s = 2400.0 / 5600.0_f64;
        // The derivative of r/(1 + r) · 8000/3000 at s carries the error of r over.
        let deviation = (s * (1.0 - s) / 1024.0).sqrt() * 8.0 / 3.0 / (1.0 + s).powi(2);
        assert!((estimated - 0.8).abs() < 4.0 * deviation, "{estimated} ± {deviation}");
    }
}
