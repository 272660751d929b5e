//! What a score loses for numbers that only one of two texts has: the members of a series, such as
//! the same regulation of another year, differ in those at the beginning and in many others.

use crate::error::{Error, Result};
use crate::text::numbers::Spelled;
use crate::threshold::Threshold;
use std::fmt;
use std::str::FromStr;

/// What a score loses, as in `missing_numbers = "0.3 for all of first 30, 0.16 for 1 in 100"`: 0.3 if
/// all numbers among the first 30 tokens are missing, and its share of that if some are; and 0.16 for
/// each missing number per 100 tokens of the shorter text.
///
/// A number that both texts have counts as often as in the text that has it less often, and the whole
/// is the numbers of the text with fewer: where one has none, none is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MissingNumbers {
    first: Option<(Threshold, u32)>,
    rate: Option<(Threshold, u32)>,
}

impl MissingNumbers {
    /// What a score that loses all of it loses: the unit of what is lost.
    pub const ALL: u32 = 1_000_000_000;

    /// Whether nothing is lost.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The tokens at the beginning whose numbers count on their own.
    pub fn first(&self) -> u32 {
        self.first.map_or(0, |(_, first)| first)
    }

    /// What the score of two texts loses, in billionths, the shorter of which has so many tokens: both
    /// parts are rounded down.
    pub(crate) fn loss(&self, a: Spelled<&[u8]>, b: Spelled<&[u8]>, tokens: u32) -> u32 {
        let (first, all) = (a.missing_first(b), a.missing(b));
        let of = |cost: Threshold, part: u64, whole: u64| {
            let part = u128::from(cost.numerator()) * u128::from(part) * u128::from(Self::ALL);
            let whole = u128::from(cost.denominator()) * u128::from(whole.max(1));
            (part / whole).min(u128::from(Self::ALL)) as u32
        };
        let at_first = self.first.map_or(0, |(cost, _)| {
            of(cost, first.missing.into(), first.of.into())
        });
        let everywhere = self.rate.map_or(0, |(cost, per)| {
            let missing = u64::from(all.missing) * u64::from(per);
            of(cost, missing, tokens.into())
        });
        (at_first + everywhere).min(Self::ALL)
    }
}

impl FromStr for MissingNumbers {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::of("missing_numbers")
                .expected("what a score loses, such as \"0.3 for all of first 30, 0.16 for 1 in 100\", or one of the two")
                .found(format!("'{text}'"))
        };
        let mut found = Self::default();
        if text.trim() == "none" {
            return Ok(found);
        }
        for part in text.split(',') {
            let (cost, of) = part.split_once(" for ").ok_or_else(wrong)?;
            let cost = cost.trim().parse().map_err(|_| wrong())?;
            let (place, tokens) = if let Some(tokens) = of.trim().strip_prefix("all of first ") {
                (&mut found.first, tokens)
            } else {
                let tokens = of.trim().strip_prefix("1 in ").ok_or_else(wrong)?;
                (&mut found.rate, tokens)
            };
            let tokens = tokens.trim().parse::<u32>().map_err(|_| wrong())?;
            if tokens == 0 || place.replace((cost, tokens)).is_some() {
                return Err(wrong());
            }
        }
        Ok(found)
    }
}

impl fmt::Display for MissingNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("none");
        }
        if let Some((cost, first)) = self.first {
            write!(f, "{cost} for all of first {first}")?;
        }
        if let Some((cost, tokens)) = self.rate {
            let comma = if self.first.is_some() { ", " } else { "" };
            write!(f, "{comma}{cost} for 1 in {tokens}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::digits::Digits;
    use crate::text::normalise::{Normalisation, Normaliser};

    /// What a score loses, in thousandths.
    fn loss(rule: &str, a: &str, b: &str) -> u32 {
        let rule: MissingNumbers = rule.parse().unwrap();
        let normaliser = Normaliser::new(&Normalisation::default()).unwrap();
        let spell = |text| Spelled::of(&normaliser, &mut Digits::default(), text, rule.first());
        let tokens = |text: &str| text.split_whitespace().count() as u32;
        let (shorter, a, b) = (tokens(a).min(tokens(b)), spell(a), spell(b));
        let both = rule.loss(a.borrowed(), b.borrowed(), shorter);
        assert_eq!(both, rule.loss(b.borrowed(), a.borrowed(), shorter));
        both / 1_000_000
    }

    #[test]
    fn a_series_has_other_numbers_at_the_beginning_and_many_others() {
        let rule = "0.3 for all of first 4, 0.1 for 1 in 10";
        // Two of two at the beginning, and three of three in eight tokens.
        let of = |year: u32, amount: u32| format!("of {year} and {year} is it {amount} euros");
        assert_eq!(loss(rule, &of(2014, 80), &of(2015, 95)), 300 + 375);
        // A number that was added is not missing in the text with fewer.
        assert_eq!(loss(rule, "of 2014 is", "of 2014 is 3 4 5"), 0);
        assert_eq!(loss(rule, "of 7 and 9 is", "of 7 and 8 is"), 150 + 200);
        // Of nothing, nothing is missing.
        assert_eq!(loss(rule, "no number", "one of 4"), 0);
        assert_eq!(loss("none", "1 2 3", "4 5 6"), 0);
        // Each number counts as often as both have it.
        assert_eq!(loss("1 for all of first 9", "5 5 6 6", "5 7 5 8"), 500);
        assert_eq!(loss("1 for all of first 9", "5 5 5 5", "5 5 6 7"), 500);
        // No more than all is lost.
        assert_eq!(loss("0.9 for 1 in 10", "1 2 3", "4 5 6"), 1000);
    }

    #[test]
    fn rules_are_parsed_and_printed() {
        for text in [
            "none",
            "1/3 for all of first 30",
            "0.16 for 1 in 50",
            "0.3 for all of first 30, 0.16 for 1 in 100",
        ] {
            assert_eq!(text.parse::<MissingNumbers>().unwrap().to_string(), text);
        }
        let turned: MissingNumbers = "20% for 1 in 7,0.5 for all of first 9".parse().unwrap();
        assert_eq!(
            turned,
            "0.5 for all of first 9, 0.2 for 1 in 7".parse().unwrap()
        );
        for text in [
            "",
            "0.5",
            "2 for 1 in 3",
            "0.5 for all of first",
            "0.5 for all of first 0",
            "0.5 for 1 in 0",
            "0.5 for 2 in 9",
            "0.5 for 1 in 5, 0.5 for 1 in 6",
            "0.5 for all of first 3, 0.5 for all of first 4",
            "0.5 for all of first 3,",
        ] {
            let error = text.parse::<MissingNumbers>().unwrap_err();
            assert!(error.message().starts_with("missing_numbers: "), "{text}");
        }
    }
}
