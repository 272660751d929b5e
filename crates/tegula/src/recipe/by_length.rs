//! Thresholds for short texts: with one word of five changed, it is another message.

use crate::error::{Error, Result};
use crate::threshold::Threshold;
use std::fmt;
use std::str::FromStr;

/// Higher thresholds for pairs with a short text, as in `thresholds = "0.8 up to 20, 0.6 up to 60"`:
/// by the tokens of the shorter text. Longer texts have the threshold of the recipe, which is
/// always the minimum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ByLength {
    steps: [Option<(u32, Threshold)>; ByLength::MOST],
}

impl ByLength {
    /// The maximum number of thresholds.
    pub const MOST: usize = 8;

    /// No thresholds.
    pub const NONE: Self = Self {
        steps: [None; Self::MOST],
    };

    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        self.steps[0].is_none()
    }

    /// The threshold of a pair whose shorter text has this many tokens, if it is above `usual`.
    pub fn of(&self, tokens: u32, usual: Threshold) -> Option<Threshold> {
        let (_, threshold) = self
            .steps
            .iter()
            .flatten()
            .find(|(up_to, _)| tokens <= *up_to)?;
        usual
            .exceeded_by(threshold.numerator(), threshold.denominator())
            .then_some(*threshold)
    }
}

impl FromStr for ByLength {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = |found: &str| {
            Error::of("thresholds")
                .expected("thresholds with ascending numbers of tokens, such as \"0.8 up to 20, 0.6 up to 60\"")
                .found(format!("'{found}'"))
        };
        let mut found = Self::default();
        if text.trim() == "none" {
            return Ok(found);
        }
        let mut last = 0;
        for (at, part) in text.split(',').enumerate() {
            let (threshold, tokens) = part.split_once("up to").ok_or_else(|| wrong(part))?;
            let threshold = threshold.parse().map_err(|_| wrong(part))?;
            let tokens = tokens.trim().parse().map_err(|_| wrong(part))?;
            if tokens <= last {
                return Err(wrong(text));
            }
            last = tokens;
            *found.steps.get_mut(at).ok_or_else(|| {
                Error::of("thresholds")
                    .expected(format!("at most {}", Self::MOST))
                    .found("more")
            })? = Some((tokens, threshold));
        }
        Ok(found)
    }
}

impl fmt::Display for ByLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("none");
        }
        for (at, (tokens, threshold)) in self.steps.iter().flatten().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{threshold} up to {tokens}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shorter_a_text_the_higher_may_its_threshold_be() {
        let by: ByLength = "0.8 up to 20,2/3 up to 60".parse().unwrap();
        assert_eq!(by.to_string(), "0.8 up to 20, 2/3 up to 60");
        let of = |tokens| {
            by.of(tokens, Threshold::HALF)
                .map(|found| found.to_string())
        };
        assert_eq!(of(1).as_deref(), Some("0.8"));
        assert_eq!(of(20).as_deref(), Some("0.8"));
        assert_eq!(of(21).as_deref(), Some("2/3"));
        assert_eq!(of(61), None);
        // The recipe's own threshold remains the lowest.
        let high = "0.7".parse().unwrap();
        assert_eq!((by.of(30, high), by.of(5, high).is_some()), (None, true));
        assert!(ByLength::default().is_none() && "none".parse::<ByLength>().unwrap().is_none());
    }

    #[test]
    fn wrong_thresholds_are_refused() {
        for text in [
            "",
            "0.8",
            "0.8 up to",
            "2 up to 5",
            "0.8 up to 20, 0.6 up to 20",
            "0.8 up to 0",
            "0.8 up to 20,",
        ] {
            let error = text.parse::<ByLength>().unwrap_err();
            assert!(error.message().starts_with("thresholds: "), "{text}");
        }
        let many = (1..10)
            .map(|at| format!("0.8 up to {at}"))
            .collect::<Vec<_>>()
            .join(",");
        assert!(
            many.parse::<ByLength>()
                .unwrap_err()
                .message()
                .contains("at most 8")
        );
    }
}
