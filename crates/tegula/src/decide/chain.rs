//! Parses and displays the keep order: `newest:date,longest`.

use super::{Keep, KeepRule};
use crate::error::{Error, Result};
use std::str::FromStr;

impl FromStr for Keep {
    type Err = Error;

    /// Comma-separated rules. `priority:` takes the rest of the text, as its values are also
    /// comma-separated.
    fn from_str(text: &str) -> Result<Self> {
        Self::new(
            chain(text)
                .into_iter()
                .map(KeepRule::from_str)
                .collect::<Result<_>>()?,
        )
    }
}

/// The rules of a chain, as they are written.
pub fn chain(text: &str) -> Vec<&str> {
    let mut rules = Vec::new();
    let mut rest = text.trim();
    while !rest.starts_with("priority:") {
        match rest.split_once(',') {
            Some((rule, behind)) => {
                rules.push(rule.trim());
                rest = behind.trim_start();
            }
            None => break,
        }
    }
    rules.push(rest);
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_parted_at_commas_but_not_inside_a_priority() {
        assert_eq!(chain("newest:date,longest"), ["newest:date", "longest"]);
        assert_eq!(
            chain(" longest, priority:source=a,b "),
            ["longest", "priority:source=a,b"]
        );
        assert_eq!(
            "first".parse::<Keep>().unwrap(),
            Keep::new(vec![KeepRule::First]).unwrap()
        );
        for wrong in ["", "first,", "none,first", "newest"] {
            assert!(wrong.parse::<Keep>().is_err(), "{wrong}");
        }
    }
}
