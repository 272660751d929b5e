//! Thresholds and scores as fractions of integers: floats decide nothing.

use crate::declare::{Holds, Parsed};
use crate::error::{Error, Result};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The denominator of scores that are not fractions of counts.
pub(crate) const BILLION: u32 = 1_000_000_000;

/// A threshold between 0 and 1, as an exact fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Threshold {
    numerator: u32,
    denominator: u32,
}

impl Threshold {
    /// 0.5.
    pub const HALF: Self = Self {
        numerator: 1,
        denominator: 2,
    };

    /// 0.75.
    pub const THREE_QUARTERS: Self = Self {
        numerator: 3,
        denominator: 4,
    };

    /// `numerator / denominator`, reduced.
    ///
    /// # Errors
    /// If it is not above 0 and at most 1.
    pub fn new(numerator: u32, denominator: u32) -> Result<Self> {
        if numerator == 0 || numerator > denominator {
            return Err(Error::of("threshold")
                .expected("a number above 0 and at most 1")
                .found(format!("{numerator}/{denominator}")));
        }
        let divisor = gcd(numerator, denominator);
        Ok(Self {
            numerator: numerator / divisor,
            denominator: denominator / divisor,
        })
    }

    /// The numerator of the reduced fraction.
    pub fn numerator(self) -> u64 {
        u64::from(self.numerator)
    }

    /// The denominator of the reduced fraction.
    pub fn denominator(self) -> u64 {
        u64::from(self.denominator)
    }

    /// Whether `part / whole` is at or above the threshold; 0 / 0 is not.
    #[inline]
    pub fn admits(self, part: u64, whole: u64) -> bool {
        whole > 0
            && u128::from(part) * u128::from(self.denominator)
                >= u128::from(self.numerator) * u128::from(whole)
    }

    /// Whether `part / whole` is strictly above the threshold; 0 / 0 is not.
    #[inline]
    pub fn exceeded_by(self, part: u64, whole: u64) -> bool {
        u128::from(part) * u128::from(self.denominator)
            > u128::from(self.numerator) * u128::from(whole)
    }

    /// The smallest part of `whole` that is at or above the threshold.
    #[inline]
    pub fn least(self, whole: u64) -> u64 {
        (u128::from(self.numerator) * u128::from(whole)).div_ceil(u128::from(self.denominator))
            as u64
    }

    /// Rounded down to billionths, and at least one: for scores that are rounded, too.
    pub(crate) fn in_billionths(self) -> Self {
        let part = self.numerator() * u64::from(BILLION) / self.denominator();
        let part = part.max(1) as u32;
        let divisor = gcd(part, BILLION);
        Self {
            numerator: part / divisor,
            denominator: BILLION / divisor,
        }
    }

    /// As a float, for display and tables.
    pub fn as_f64(self) -> f64 {
        f64::from(self.numerator) / f64::from(self.denominator)
    }
}

/// Digits after the point, so that numerators and denominators fit in 32 bits.
const DECIMALS: usize = 9;

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Parsed for Threshold {
    const HOLDS: Holds = Holds::Any;

    fn parsed(text: &str) -> Result<Self> {
        text.parse()
    }
}

impl FromStr for Threshold {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::of("threshold")
                .expected("a number above 0 and at most 1, such as 0.8, 80% or 4/5")
                .found(format!("'{text}'"))
        };
        let text = text.trim();
        if let Some((a, b)) = text.split_once('/') {
            let (a, b) = (
                a.trim().parse().map_err(|_| wrong())?,
                b.trim().parse().map_err(|_| wrong())?,
            );
            return Self::new(a, b).map_err(|_| wrong());
        }
        let (number, mut scale) = text
            .strip_suffix('%')
            .map_or((text, 1_u64), |n| (n.trim(), 100));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits = format!("{}{fraction}", if whole.is_empty() { "0" } else { whole });
        if !digits.bytes().all(|b| b.is_ascii_digit()) || (whole.is_empty() && fraction.is_empty())
        {
            return Err(wrong());
        }
        if fraction.len() > DECIMALS {
            return Err(Error::of("threshold")
                .expected(format!("at most {DECIMALS} decimal places"))
                .found(format!("'{text}'")));
        }
        scale *= 10_u64.pow(fraction.len() as u32);
        let value: u64 = digits.parse().map_err(|_| wrong())?;
        match (u32::try_from(value), u32::try_from(scale)) {
            (Ok(value), Ok(scale)) => Self::new(value, scale).map_err(|_| wrong()),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As a decimal if it has no more places than the parser accepts.
        if 10_000_000 % self.denominator == 0 {
            write!(f, "{}", self.as_f64())
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

impl serde::Serialize for Threshold {
    fn serialize<S: serde::Serializer>(
        &self,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Threshold {
    fn deserialize<D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Threshold;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number above 0 and at most 1")
            }
            fn visit_str<E: serde::de::Error>(
                self,
                text: &str,
            ) -> std::result::Result<Threshold, E> {
                text.parse().map_err(E::custom)
            }
            fn visit_f64<E: serde::de::Error>(
                self,
                number: f64,
            ) -> std::result::Result<Threshold, E> {
                number.to_string().parse().map_err(E::custom)
            }
            fn visit_i64<E: serde::de::Error>(
                self,
                number: i64,
            ) -> std::result::Result<Threshold, E> {
                number.to_string().parse().map_err(E::custom)
            }
            fn visit_u64<E: serde::de::Error>(
                self,
                number: u64,
            ) -> std::result::Result<Threshold, E> {
                number.to_string().parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// A score: part of a whole, both counts. Compared as a fraction.
#[derive(Debug, Clone, Copy)]
pub struct Score {
    /// The amount that is shared.
    pub part: u64,
    /// The total amount; above 0.
    pub whole: u64,
}

impl Score {
    /// The score of equal units.
    pub const ONE: Self = Self { part: 1, whole: 1 };

    /// As a float, for display and tables.
    pub fn as_f64(self) -> f64 {
        self.part as f64 / self.whole as f64
    }
}

impl PartialEq for Score {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Score {}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        (u128::from(self.part) * u128::from(other.whole))
            .cmp(&(u128::from(other.part) * u128::from(self.whole)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_parsed_as_fractions() {
        for (text, numerator, denominator) in [
            ("0.8", 4, 5),
            ("1", 1, 1),
            ("80%", 4, 5),
            ("4/5", 4, 5),
            (".5", 1, 2),
            ("0.30", 3, 10),
            ("12.5%", 1, 8),
            ("1.0", 1, 1),
        ] {
            assert_eq!(
                text.parse::<Threshold>().unwrap(),
                Threshold {
                    numerator,
                    denominator
                },
                "{text}"
            );
        }
        for text in [
            "0",
            "1.1",
            "",
            ".",
            "-1",
            "a",
            "1/0",
            "0/3",
            "NaN",
            "0.1234567891",
            "5/4",
            "+1",
        ] {
            assert!(text.parse::<Threshold>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_score_at_the_threshold_is_admitted() {
        let t: Threshold = "0.3".parse().unwrap();
        assert!(t.admits(3, 10) && !t.admits(2, 10) && !t.admits(0, 0));
        assert_eq!((t.least(10), t.least(11)), (3, 4));
        assert_eq!(t.to_string(), "0.3");
    }

    #[test]
    fn what_is_printed_is_read_again() {
        for (text, printed) in [
            ("80%", "0.8"),
            ("2/3", "2/3"),
            ("0.0000001", "0.0000001"),
            ("0.0100021%", "100021/1000000000"),
        ] {
            let threshold: Threshold = text.parse().unwrap();
            assert_eq!(threshold.to_string(), printed);
            assert_eq!(printed.parse::<Threshold>().unwrap(), threshold);
        }
    }
}
