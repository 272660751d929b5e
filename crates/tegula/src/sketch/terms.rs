//! Terms of the highest weight: a few words characterise a text (Sanderson 1997; Cooper et al.
//! 2002).
//!
//! Texts that share one of their heaviest terms are candidates. Changing a light word changes no
//! key; adding a rare word replaces the lightest key.
//!
//! *Useful for* measures of weighted terms, where the heaviest terms dominate. *Not useful for*
//! texts on one subject, which all share a heavy term and become candidates.

use super::{Basis, Facts, Features, KeyKind, Parameter, Sign};
use crate::error::Result;
use crate::threshold::Threshold;

/// Keys of single terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TermKeys {
    /// The number of terms.
    pub count: u32,
}

impl KeyKind for TermKeys {
    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter::new(
            "count",
            self.count,
            1..=1000,
            "Number of heaviest terms selected",
        )]
    }

    fn describe(&self, _threshold: Threshold) -> String {
        format!("the {} heaviest terms", self.count)
    }

    fn facts(&self) -> Facts {
        Facts {
            features: Features::Terms,
            statistics: true,
            ..Facts::default()
        }
    }

    fn sign<'a>(&self, _basis: &Basis<'a>) -> Result<Sign<'a>> {
        let count = self.count as usize;
        Ok(Box::new(move |unit, _, signature| {
            signature
                .keys
                .extend(unit.terms.iter().take(count).map(|term| term.fingerprint));
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::conformance::keys_of;
    use super::*;

    #[test]
    fn the_heaviest_terms_are_keys() {
        // A term's weight is its length there.
        let all = keys_of(&TermKeys { count: 9 }, "of the elephants of Mali");
        assert_eq!(all.len(), 4);
        assert_eq!(
            keys_of(&TermKeys { count: 1 }, "of the elephants of Mali"),
            all[..1]
        );
        assert_eq!(keys_of(&TermKeys { count: 1 }, "elephants!"), all[..1]);
    }
}
