//! Terms of the highest weight: a few words characterise a text (Sanderson 1997; Cooper et al.
//! 2002).
//!
//! Texts that share one of their heaviest terms are candidates. Changing a light word changes no
//! key; adding a rare word replaces the lightest key.
//!
//! Terms are chosen by the weight that the measure gives them, or by Rocchio's formula for relevance
//! feedback (Rocchio 1971; the selection of Sanderson 1997 §2), with the text itself as the query and
//! the one relevant text, and all other texts as not relevant: (α + β) · tf − γ · the mean of the
//! others, times idf, where tf is the share of the term among the tokens. α, β and γ are 8, 16 and 4,
//! as is usual. A term that is rare in the text, measured by the collection, then has no weight.
//!
//! *Useful for* measures of weighted terms, where the heaviest terms dominate. *Not useful for*
//! texts on one subject, which all share a heavy term and become candidates.

use super::{Basis, Facts, Features, KeyKind, Parameter, Sign, Unit};
use crate::error::Result;
use crate::hash::Fingerprint;
use crate::statistics::Statistics;
use crate::threshold::Threshold;
use std::cmp::Reverse;

/// Keys of single terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TermKeys {
    /// The number of terms.
    pub count: u32,
    /// What they are chosen by.
    #[serde(default)]
    pub by: By,
}

/// What terms are chosen by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// The weight under the recipe's measure.
    #[default]
    Weight,
    /// Rocchio's formula.
    Rocchio,
}

/// α + β, the factor of the text's own terms, and γ, that of the others.
const OWN: i128 = 8 + 16;
const OTHERS: i128 = 4;

/// The terms of a unit with a weight above 0 by Rocchio's formula, the heaviest first.
fn by_rocchio(unit: &Unit, statistics: &Statistics, all: u64) -> Vec<Fingerprint> {
    let mut tokens = unit.tokens.to_vec();
    tokens.sort_unstable();
    let own = tokens.len() as i128;
    // For the other texts; a text of the same collection is among those counted.
    let others = (i128::from(all) - own).max(1);
    let mut terms: Vec<(i128, Fingerprint)> = tokens
        .chunk_by(|a, b| a == b)
        .filter_map(|occurrences| {
            let term = statistics.term(occurrences[0].id);
            let here = occurrences.len() as i128;
            let elsewhere = term
                .map_or(0, |term| i128::from(term.occurrences) - here)
                .max(0);
            let idf = statistics.idf(term.map_or(1, |term| term.documents));
            let weight = i128::from(idf) * (OWN * here * others - OTHERS * elsewhere * own);
            (weight > 0).then_some((weight, occurrences[0]))
        })
        .collect();
    terms.sort_unstable_by_key(|(weight, term)| (Reverse(*weight), *term));
    terms.into_iter().map(|(_, term)| term).collect()
}

impl KeyKind for TermKeys {
    fn parameters(&self) -> Vec<Parameter> {
        let by = "What terms are chosen by: \"weight\" (that of the measure) or \"rocchio\" (Rocchio 1971)";
        vec![
            Parameter::new(
                "count",
                self.count,
                1..=1000,
                "Number of heaviest terms selected",
            ),
            Parameter::new("by", 0, 0..=0, by),
        ]
    }

    fn describe(&self, _threshold: Threshold) -> String {
        match self.by {
            By::Weight => format!("the {} heaviest terms", self.count),
            By::Rocchio => format!("the {} heaviest terms by Rocchio's formula", self.count),
        }
    }

    fn facts(&self) -> Facts {
        Facts {
            features: match self.by {
                By::Weight => Features::Terms,
                By::Rocchio => Features::Tokens,
            },
            statistics: true,
            ..Facts::default()
        }
    }

    fn sign<'a>(&self, basis: &Basis<'a>) -> Result<Sign<'a>> {
        let count = self.count as usize;
        if self.by == By::Rocchio {
            let statistics = basis.statistics;
            let all = statistics.sum(|term| u64::from(term.occurrences));
            return Ok(Box::new(move |unit, _, signature| {
                let terms = by_rocchio(unit, statistics, all);
                signature.keys.extend(terms.into_iter().take(count));
            }));
        }
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
    use crate::context::{Budget, Context};
    use crate::scratch::Scratch;
    use crate::statistics::{Counter, Pending};
    use crate::text::classes::Class;

    #[test]
    fn the_heaviest_terms_are_keys() {
        // A term's weight is its length there.
        let keys_of = |count, text: &str| {
            let by = By::Weight;
            keys_of(&TermKeys { count, by }, text)
        };
        let all = keys_of(9, "of the elephants of Mali");
        assert_eq!(all.len(), 4);
        assert_eq!(keys_of(1, "of the elephants of Mali"), all[..1]);
        assert_eq!(keys_of(1, "elephants!"), all[..1]);
    }

    #[test]
    fn rocchio_prefers_what_the_text_has_more_of_than_the_others() {
        // In this many of 100 texts, and so often in each.
        let terms = [
            ("rare", 1, 1),
            ("often", 50, 10),
            ("here", 20, 2),
            ("all", 100, 3),
        ];
        let context = Context::new(1, Budget::OVERHEAD + (64 << 20), Scratch::system());
        let (counter, mut pending) = (Counter::new(&context).unwrap(), Pending::default());
        for text in 0..100 {
            for (term, texts, times) in terms {
                let id = crate::hash::token(term.as_bytes()).id;
                (0..times)
                    .filter(|_| text < texts)
                    .for_each(|_| pending.push(id, Class::default()));
            }
            pending.end_unit();
        }
        counter.take(&mut pending).unwrap();
        let statistics = counter.finish();
        let tokens: Vec<Fingerprint> = ["here", "here", "often", "rare", "all"]
            .map(|word| crate::hash::token(word.as_bytes()))
            .into();
        let unit = Unit {
            tokens: &tokens,
            shingles: &[],
            terms: &[],
            words: &crate::text::normalise::Tokens::default(),
        };
        let found = by_rocchio(&unit, &statistics, 841);
        let name = |term: &Fingerprint| {
            terms
                .iter()
                .find(|(word, ..)| crate::hash::token(word.as_bytes()) == *term)
                .unwrap()
                .0
        };
        // rare: 6.6 bits at 1 of 5; here: 2.3 bits at 2 of 5; often: 1 bit; all: no bit.
        assert_eq!(
            found.iter().map(name).collect::<Vec<_>>(),
            ["rare", "here", "often"]
        );
        let weight = |here: i128, elsewhere: i128| OWN * here * 836 - OTHERS * elsewhere * 5;
        assert!(weight(1, 0) > weight(1, 499));
    }
}
