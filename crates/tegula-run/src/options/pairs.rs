//! Which pairs count, and which copy is kept.

use super::in_option;
use std::num::NonZeroU32;
use std::path::PathBuf;
use tegula::constraint::Constraints;
use tegula::date::DateFormat;
use tegula::decide::{Keep, KeepRule, Policy, chain};
use tegula::declare::Parsed;
use tegula::error::{Error, ErrorKind, Result};
use tegula::field::FieldKey;

tegula::options! {
    /// Which copy is kept.
    pub struct KeepOptions under "Which copy is kept" {
        /// Which copy to keep: longest, shortest, first, last, newest:F, oldest:F, highest:F, lowest:F,
        /// priority:F=a,b,c or none [default: longest, ties to the first]
        ///
        /// Several rules form a chain: each breaks the ties left by the rules before it, and input
        /// order breaks the rest. Repeat the option, or separate rules with commas. `priority:F=`
        /// consumes the rest of its value, so give any later rules in another option: ⟨keep⟩
        /// priority:source=wire,web ⟨keep⟩ newest:date
        pub keep: Vec<String> => "RULE",

        /// Keep one copy for each value of a field: source, or date:year
        pub keep_per: Option<FieldKey> => "FIELD",

        /// Keep at least one text for each value of a field in every cluster
        pub keep_each: Option<FieldKey> => "FIELD",

        /// Keep up to N texts of each cluster, and more only if no kept text matches them [default: 1]
        pub keep_up_to: Option<NonZeroU32> => "N",
    }
}

impl KeepOptions {
    /// Which copy is kept.
    ///
    /// # Errors
    /// If a rule is invalid.
    pub fn policy(&self) -> Result<Policy> {
        let mut rules = Vec::new();
        for text in &self.keep {
            for rule in chain(text) {
                let parsed = rule.parse::<KeepRule>();
                rules.push(parsed.map_err(|error| in_option("⟨keep⟩", error))?);
            }
        }
        let keep = match rules.len() {
            0 => Keep::default(),
            _ => Keep::new(rules).map_err(|error| in_option("⟨keep⟩", error))?,
        };
        let policy = Policy {
            keep,
            keep_per: self.keep_per.clone(),
            keep_each: self.keep_each.clone(),
            keep_up_to: self.keep_up_to,
        };
        policy.check()?;
        Ok(policy)
    }
}

tegula::options! {
    /// Which pairs count.
    pub struct PairOptions under "Which pairs count" {
        /// Compare only units with the same value of a field: source, or date:year; may be repeated,
        /// all must match
        pub within: Vec<FieldKey> => "FIELD",

        /// Compare only units with different values of a field
        pub across: Option<FieldKey> => "FIELD",

        /// Compare only units whose dates are at most this many days or weeks apart: date=3d, date=2w
        pub window: Option<Window> => "FIELD=3d",

        /// Format of dates that are not recognised: %d/%m/%Y, %B %Y, %s; repeat to try several, `auto`
        /// among them
        ///
        /// ISO 8601, the format of e-mail, 26-FEB-1987 15:01, 26.02.1987, 2 January 2021, and plain
        /// years are recognised. Other formats, and ambiguous dates such as 03/04/2019, need a format
        /// with strftime directives.
        pub date_format: Vec<String> => "FORMAT",

        /// Compare only units of at least N tokens; shorter ones are kept, and cause no removals
        pub min_tokens: Option<NonZeroU32> => "N",

        /// Also compare with these files, folders or indexes, which are not changed: texts that
        /// match them are removed. If no recipe is named, that of an index is used; may be repeated
        #[serde(with = "tegula_io::path::list")]
        pub against: Vec<PathBuf> => "PATH",
    }
}

impl PairOptions {
    /// The constraints on pairs.
    pub fn constraints(&self) -> Constraints {
        Constraints {
            within: self.within.clone(),
            across: self.across.clone(),
            window: self
                .window
                .as_ref()
                .map(|window| (window.field.clone(), window.days)),
            references_from: None,
            min_tokens: self.min_tokens.map_or(0, NonZeroU32::get),
        }
    }

    /// Refuses invalid date formats.
    ///
    /// # Errors
    /// Names the format.
    pub fn check_date_formats(&self) -> Result<()> {
        self.date_format
            .iter()
            .try_for_each(|format| format.parse::<DateFormat>().map(drop))
    }
}

/// `FIELD=3d` or `FIELD=2w`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Window {
    /// The field with the date.
    pub field: FieldKey,
    /// The maximum distance in days.
    pub days: u32,
}

impl Parsed for Window {
    fn parsed(text: &str) -> Result<Self> {
        let wrong = || {
            ErrorKind::Usage
                .expected("a field and days or weeks, such as date=3d or date=2w")
                .found(format!("'{text}'"))
        };
        let (field, span) = text.rsplit_once('=').ok_or_else(wrong)?;
        let (number, days) = match (span.strip_suffix('d'), span.strip_suffix('w')) {
            (Some(number), _) => (number, 1),
            (_, Some(number)) => (number, 7),
            _ => return Err(wrong()),
        };
        let number: u32 = number.trim().parse().map_err(|_| wrong())?;
        let days = number.checked_mul(days).ok_or_else(wrong)?;
        let field = FieldKey::parsed(field)?;
        Ok(Self { field, days })
    }
}

impl TryFrom<String> for Window {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parsed(&text)
    }
}

impl From<Window> for String {
    fn from(window: Window) -> Self {
        format!("{}={}d", window.field, window.days)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_days_or_weeks() {
        let window = Window::parsed("date=2w").unwrap();
        assert_eq!((window.field.name.as_str(), window.days), ("date", 14));
        assert_eq!(String::from(window), "date=14d");
        for text in ["date", "date=3", "=3d", "date=d", "date=-1d"] {
            assert!(Window::parsed(text).is_err(), "{text}");
        }
    }
}
