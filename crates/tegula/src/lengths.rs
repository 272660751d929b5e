//! Pairs by the lengths of their texts, so that short texts can be compared by another recipe than
//! long ones.

use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// Which pairs are compared, by the lengths of their texts in bytes of UTF-8. [`Lengths::UpTo`] and
/// [`Lengths::Above`] with the same limit have all pairs between them, and none in common.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Lengths {
    /// All pairs.
    #[default]
    All,
    /// Those of two short texts: texts above this length are not compared.
    UpTo(u32),
    /// Those of which one text at least is above this length: short texts are not compared with
    /// each other.
    Above(u32),
}

impl Lengths {
    /// Whether all pairs are compared.
    pub fn are_all(&self) -> bool {
        *self == Self::All
    }

    /// Whether a text of this length is compared with no other.
    #[inline]
    pub fn leave_out(self, bytes: u32) -> bool {
        matches!(self, Self::UpTo(limit) if bytes > limit)
    }

    /// Whether a text of this length is not compared with others like it.
    #[inline]
    pub(crate) fn part(self, bytes: u32) -> bool {
        matches!(self, Self::Above(limit) if bytes <= limit)
    }
}

impl FromStr for Lengths {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let limit = |limit: &str| limit.strip_suffix(" bytes")?.trim().parse().ok();
        let found = match text.trim() {
            "all" => Some(Self::All),
            text => {
                let short = text.strip_prefix("up to ").and_then(limit);
                let long = text.strip_prefix("above ").and_then(limit);
                short.map(Self::UpTo).or(long.map(Self::Above))
            }
        };
        found.ok_or_else(|| {
            Error::of("lengths")
                .expected(
                    "\"all\", \"up to 300 bytes\" or \"above 300 bytes\" (with another number)",
                )
                .found(format!("'{text}'"))
        })
    }
}

impl fmt::Display for Lengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::UpTo(limit) => write!(f, "up to {limit} bytes"),
            Self::Above(limit) => write!(f, "above {limit} bytes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_one_of_two_lengths() {
        let of = |text: &str| text.parse::<Lengths>().unwrap();
        let (short, long) = (of("up to 9 bytes"), of(" above 9 bytes"));
        assert_eq!((short, long), (Lengths::UpTo(9), Lengths::Above(9)));
        for lengths in [short, long, of("all")] {
            assert_eq!(of(&lengths.to_string()), lengths);
        }
        for (a, b) in [(0, 9), (9, 9), (9, 10), (10, 11)] {
            let in_short = !short.leave_out(a) && !short.leave_out(b);
            let in_long = !(long.part(a) && long.part(b));
            assert!(in_short != in_long, "{a} {b}");
        }
        assert!(!Lengths::All.leave_out(u32::MAX) && !Lengths::All.part(0));
    }

    #[test]
    fn wrong_lengths_are_refused() {
        for text in [
            "",
            "up to 9",
            "above bytes",
            "below 9 bytes",
            "up to -1 bytes",
        ] {
            let error = text.parse::<Lengths>().unwrap_err();
            assert!(error.message().starts_with("lengths: "), "{text}");
        }
    }
}
