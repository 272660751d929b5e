//! The numbers that the texts of a pair must share: the members of a series, such as the same regulation
//! of another year, differ in those at the beginning and in many others.

use crate::error::{Error, Result};
use crate::text::numbers::Spelled;
use crate::threshold::Threshold;
use std::fmt;
use std::str::FromStr;

/// The numbers that the texts of a pair must share, as in
/// `shared_numbers = "0.5 of first 30 or all but 1 in 100"`: at least half of those among their first 30
/// tokens, or all but one for each 100 tokens. A number that both texts have counts as often as in the
/// text that has it less often, and the whole is the numbers of the text with fewer: where one has none,
/// nothing is required. Tokens are those of the shorter text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SharedNumbers {
    first: Option<(Threshold, u32)>,
    but: Option<u32>,
}

impl SharedNumbers {
    /// Whether nothing is required.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The tokens at the beginning whose numbers count on their own.
    pub(crate) fn first(&self) -> u32 {
        self.first.map_or(0, |(_, first)| first)
    }

    /// Whether two texts share enough of their numbers.
    pub(crate) fn admits(&self, a: Spelled<&[u8]>, b: Spelled<&[u8]>) -> bool {
        let by_first = || {
            self.first.is_some_and(|(least, _)| {
                let (shared, fewer) = a.shared_first(b);
                fewer == 0 || least.admits(shared.into(), fewer.into())
            })
        };
        let by_all = || {
            self.but.is_some_and(|tokens| {
                let (shared, fewer) = a.shared(b);
                let missing = u64::from(fewer - shared);
                missing * u64::from(tokens) <= a.tokens().min(b.tokens()).into()
            })
        };
        self.is_none() || by_first() || by_all()
    }
}

impl FromStr for SharedNumbers {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::of("shared_numbers")
                .expected("a share of the numbers among the first tokens, the tokens for each number that may differ, or either, such as \"0.5 of first 30 or all but 1 in 100\"")
                .found(format!("'{text}'"))
        };
        let count = |text: &str| match text.trim().parse::<u32>() {
            Ok(count) if count > 0 => Ok(count),
            _ => Err(wrong()),
        };
        let mut found = Self::default();
        if text.trim() == "none" {
            return Ok(found);
        }
        for part in text.split(" or ") {
            let is_new = if let Some(tokens) = part.trim().strip_prefix("all but 1 in ") {
                found.but.replace(count(tokens)?).is_none()
            } else {
                let (least, first) = part.split_once("of first").ok_or_else(wrong)?;
                let least = least.parse().map_err(|_| wrong())?;
                found.first.replace((least, count(first)?)).is_none()
            };
            if !is_new {
                return Err(wrong());
            }
        }
        Ok(found)
    }
}

impl fmt::Display for SharedNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.first, self.but) {
            (None, None) => f.write_str("none"),
            (None, Some(tokens)) => write!(f, "all but 1 in {tokens}"),
            (Some((least, first)), None) => write!(f, "{least} of first {first}"),
            (Some((least, first)), Some(tokens)) => {
                write!(f, "{least} of first {first} or all but 1 in {tokens}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::normalise::{Normalisation, Normaliser, Tokens};

    fn passes(rule: &str, a: &str, b: &str) -> bool {
        let rule: SharedNumbers = rule.parse().unwrap();
        let normaliser = Normaliser::new(&Normalisation::default()).unwrap();
        let spell = |text| Spelled::of(&normaliser, text, rule.first(), &mut Tokens::default());
        let (a, b) = (spell(a), spell(b));
        let both = rule.admits(a.borrowed(), b.borrowed());
        assert_eq!(both, rule.admits(b.borrowed(), a.borrowed()));
        both
    }

    #[test]
    fn a_series_has_other_numbers_at_the_beginning_and_many_others() {
        let of = |year: u32, amount: u32| {
            format!(
                "Ordinance of 3 May {year}, amounts for {year}. § 1 (1) The amount is {amount} euros."
            )
        };
        let rule = "0.5 of first 8 or all but 1 in 15";
        assert!(!passes(rule, &of(2014, 80), &of(2015, 95)));
        // A revision keeps what it was issued as, or most of its numbers.
        assert!(passes(
            rule,
            "Ordinance 7 of 3 May 2014: 1 2",
            "Ordinance 7 of 3 May 2014: 4 5"
        ));
        let words = "a b c d e f g h i j k l m n";
        assert!(passes(
            rule,
            &format!("As of 1999 {words}"),
            &format!("As of 2000 {words}")
        ));
        assert!(!passes(
            rule,
            "As of 1999 a b c d e f g h",
            "As of 2000 a b c d e f g h"
        ));
        // Of nothing, nothing is required.
        assert!(passes(rule, "no number", "one of 4") && passes("none", "1 2 3", "4 5 6"));
        // Each number counts as often as both have it; the text with fewer is the whole.
        assert!(passes("2/3 of first 5", "5 5 6", "5 7 5 8"));
        assert!(!passes("0.7 of first 5", "5 5 6", "5 7 5 8"));
        assert!(!passes("all but 1 in 4", "5 5 5 5 a b c", "5 5 6 7 a b c"));
        assert!(passes(
            "all but 1 in 4",
            "5 5 5 5 a b c d",
            "5 5 6 7 a b c d"
        ));
    }

    #[test]
    fn requirements_are_parsed_and_printed() {
        for text in [
            "none",
            "2/3 of first 30",
            "all but 1 in 50",
            "0.5 of first 30 or all but 1 in 100",
        ] {
            assert_eq!(text.parse::<SharedNumbers>().unwrap().to_string(), text);
        }
        let turned: SharedNumbers = "all but 1 in 7 or 50% of first 9".parse().unwrap();
        assert_eq!(turned, "0.5 of first 9 or all but 1 in 7".parse().unwrap());
        for text in [
            "",
            "0.5",
            "2 of first 3",
            "0.5 of first",
            "0.5 of first 0",
            "all but 1 in 0",
            "all but 2 in 9",
            "all but 1 in 5 or all but 1 in 6",
            "0.5 of first 3 or 0.5 of first 4",
            "0.5 of first 3 or",
        ] {
            let error = text.parse::<SharedNumbers>().unwrap_err();
            assert!(error.message().starts_with("shared_numbers: "), "{text}");
        }
    }
}
