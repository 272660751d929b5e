//! Runs of the heaviest terms, in order of weight (SimFinder; Gong et al. 2008, §3.2).
//!
//! A single heavy term makes all texts on a subject candidates; three consecutive terms in order of
//! weight do so for few. The number of terms selected follows from the threshold by inequality (5):
//! λ = k + N, with k the minimum number of terms that make up more than θ of the total weight, and
//! N the size of a run. A text with fewer terms than a run has one run of all its terms.
//!
//! *Useful for* short messages and titles. *Not useful for* long texts, where one change in the
//! order of weights changes `size` keys.

use super::{Basis, Facts, Features, KeyKind, Parameter, Sign, Weighted};
use crate::error::Result;
use crate::hash::{Fingerprint, Sequence};
use crate::threshold::Threshold;

/// Keys of runs of terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GramKeys {
    /// Terms in a run.
    pub size: u32,
    /// The maximum number of terms; 0 to derive it from inequality (5).
    pub features: u32,
}

impl KeyKind for GramKeys {
    fn parameters(&self) -> Vec<Parameter> {
        let features = "Maximum number of terms selected; 0 to derive it from inequality (5)";
        vec![
            Parameter::new("size", self.size, 1..=16, "Terms in a run"),
            Parameter::new("features", self.features, 0..=1000, features),
        ]
    }

    fn describe(&self, _threshold: Threshold) -> String {
        format!("runs of {} of the heaviest terms", self.size)
    }

    fn facts(&self) -> Facts {
        let follows_threshold = self.features == 0;
        Facts {
            features: Features::Terms,
            statistics: true,
            follows_threshold,
            ..Facts::default()
        }
    }

    fn keys_of(&self, _: Threshold, _units: u64, text_bytes: u64) -> u64 {
        text_bytes / 8
    }

    fn sign<'a>(&self, basis: &Basis<'a>) -> Result<Sign<'a>> {
        let (size, features, threshold) =
            (self.size as usize, self.features as usize, basis.threshold);
        Ok(Box::new(move |unit, _, signature| {
            let selected = if features == 0 {
                selected(unit.terms, threshold, size)
            } else {
                features
            };
            runs(
                unit.terms
                    .iter()
                    .take(selected)
                    .map(|term| term.fingerprint),
                size,
                &mut signature.keys,
            );
        }))
    }
}

/// The number of terms to select, by inequality (5).
fn selected(terms: &[Weighted], threshold: Threshold, size: usize) -> usize {
    let all: u64 = terms.iter().map(|term| u64::from(term.weight)).sum();
    let mut sum = 0;
    let fewest = terms.iter().position(|term| {
        sum += u64::from(term.weight);
        threshold.exceeded_by(sum, all)
    });
    fewest.map_or(terms.len(), |last| last + 1) + size
}

/// Adds hashes of all runs of `size`; if there are fewer terms, of one run of all.
pub(super) fn runs(
    features: impl Iterator<Item = Fingerprint>,
    size: usize,
    out: &mut Vec<Fingerprint>,
) {
    let all: Vec<Fingerprint> = features.collect();
    let size = size.min(all.len()).max(1);
    out.extend(all.windows(size).map(|run| {
        let mut sequence = Sequence::default();
        for feature in run {
            sequence.push(*feature);
        }
        sequence.finish()
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inequality_5_says_how_many_terms_are_selected() {
        let terms: Vec<Weighted> = [50, 30, 10, 10]
            .map(|weight| Weighted {
                fingerprint: Fingerprint::default(),
                weight,
            })
            .into();
        // 50 of 100 are not more than a half, 80 are.
        assert_eq!(selected(&terms, "0.5".parse().unwrap(), 3), 5);
        assert_eq!(selected(&terms, "0.49".parse().unwrap(), 3), 4);
        assert_eq!(selected(&terms, "1".parse().unwrap(), 3), 7);
    }

    #[test]
    fn fewer_features_than_a_run_are_one_run() {
        let features = [1, 2, 3].map(|id| Fingerprint { id, check: id });
        let runs = |of: &[Fingerprint], size| {
            let mut out = Vec::new();
            super::runs(of.iter().copied(), size, &mut out);
            out
        };
        assert_eq!(
            [0, 1, 3].map(|many| runs(&features[..many], 2).len()),
            [0, 1, 2]
        );
        assert_eq!(runs(&features, 9), runs(&features, 3));
        assert_eq!(runs(&features[1..], 2), runs(&features, 2)[1..]);
    }
}
