//! Displays scores.

use crate::threshold::Score;
use std::fmt;

/// As a decimal number, truncated so that only equal texts show 1: at most four places, or the
/// precision of the format.
///
/// ```
/// let score = tegula::Score { part: 2, whole: 3 };
/// assert_eq!(format!("{score} {score:.2}"), "0.6666 0.66");
/// ```
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = f.precision().unwrap_or(4).min(15);
        let one = 10_u128.pow(places as u32);
        let value = u128::from(self.part) * one / u128::from(self.whole.max(1));
        let (whole, rest) = (value / one, value % one);
        if places == 0 || (f.precision().is_none() && rest == 0) {
            return write!(f, "{whole}");
        }
        let text = format!("{whole}.{rest:0places$}");
        f.write_str(if f.precision().is_none() {
            text.trim_end_matches('0')
        } else {
            &text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_cut_off() {
        let of = |part, whole| Score { part, whole };
        assert_eq!(of(1, 1).to_string(), "1");
        assert_eq!(of(0, 7).to_string(), "0");
        assert_eq!(of(99_999, 100_000).to_string(), "0.9999");
        assert_eq!(of(1, 2).to_string(), "0.5");
        assert_eq!(format!("{:.3} {:.0}", of(1, 2), of(2, 3)), "0.500 0");
        assert_eq!(of(u64::MAX, u64::MAX).to_string(), "1");
    }
}
