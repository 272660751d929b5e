//! Terms of the highest weight: what a text is about is in few of its words (Sanderson 1997; Cooper et al. 2002).
//!
//! Texts that share one of their heaviest terms are candidates. A change of a light word changes no key; a rare word added to a text
//! pushes out its lightest key.
//!
//! *Useful for* measures of weighted terms, where the heaviest terms decide. *Not useful for* texts on one subject, all of which share
//! a heavy term and become candidates.

use super::{Basis, Facts, Features, KeyKind, Parameter, Sign};
use crate::error::Result;
use crate::threshold::Threshold;

/// Keys of single terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TermKeys {
    /// Terms selected.
    pub count: u32,
}

impl KeyKind for TermKeys {
    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter::new("count", self.count, 1..=1000, "Terms selected, those of the highest weight")]
    }

    fn describe(&self, _threshold: Threshold) -> String {
        format!("the {} heaviest terms", self.count)
    }

    fn facts(&self) -> Facts {
        Facts { features: Features::Terms, statistics: true, ..Facts::default() }
    }

    fn sign<'a>(&self, _basis: &Basis<'a>) -> Result<Sign<'a>> {
        let count = self.count as usize;
        Ok(Box::new(move |unit, _, signature| {
            signature.keys.extend(unit.terms.iter().take(count).map(|term| term.fingerprint));
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
        assert_eq!(keys_of(&TermKeys { count: 1 }, "of the elephants of Mali"), all[..1]);
        assert_eq!(keys_of(&TermKeys { count: 1 }, "elephants!"), all[..1]);
    }
}
