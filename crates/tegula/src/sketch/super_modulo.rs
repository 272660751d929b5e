//! Super shingles as first described: the sampled shingles of a text in the order of their values,
//! and runs of these (Broder et al. 1997, "shingling the shingles"). The set of these runs is the
//! *meta-sketch*; one in common means a sequence of sampled shingles in common.
//!
//! Two texts share a run if all its shingles are in both, and no other sampled shingle of either
//! lies between. A text with fewer sampled shingles than a run has one key, made from all of them.
//!
//! *Useful for* long texts, whose samples have many runs. *Not useful for* short ones: at one shingle
//! in 25, a run of four takes a hundred words. [`super::super_shingle`] takes its runs from minima,
//! so that the number of keys is fixed.

use super::modulo::Modulo;
use super::super_shingle::whole;
use super::{Basis, Facts, Features, KeyKind, Parameter, Sign};
use crate::error::Result;
use crate::threshold::Threshold;

/// Keys of runs of sampled shingles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuperModuloKeys {
    /// The modulus of the sample.
    pub modulus: u32,
    /// Sampled shingles in a super shingle.
    pub size: u32,
}

impl KeyKind for SuperModuloKeys {
    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::new(
                "modulus",
                self.modulus,
                1..=1 << 20,
                "Shingles whose fingerprint is divisible by it are in the sketch",
            ),
            Parameter::new(
                "size",
                self.size,
                1..=1000,
                "Shingles of the sketch in a super shingle",
            ),
        ]
    }

    fn describe(&self, _threshold: Threshold) -> String {
        format!(
            "super shingles of {} shingles whose fingerprint is divisible by {}",
            self.size, self.modulus
        )
    }

    fn facts(&self) -> Facts {
        Facts {
            features: Features::Shingles,
            ..Facts::default()
        }
    }

    fn keys_of(&self, _: Threshold, _units: u64, text_bytes: u64) -> u64 {
        text_bytes / 5 / u64::from(self.modulus)
    }

    fn sign<'a>(&self, _basis: &Basis<'a>) -> Result<Sign<'a>> {
        let modulo = Modulo::new(u64::from(self.modulus))?;
        let size = self.size as usize;
        Ok(Box::new(move |unit, room, signature| {
            modulo.sample(unit.shingles, &mut room.ids);
            let runs = room.ids.windows(size.min(room.ids.len()).max(1));
            signature.keys.extend(runs.filter_map(whole));
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::conformance::keys_of;
    use super::*;

    const TEXT: &str = "one two three four five six seven eight nine ten";

    fn keys(modulus: u32, size: u32, text: &str) -> Vec<crate::hash::Fingerprint> {
        keys_of(&SuperModuloKeys { modulus, size }, text)
    }

    #[test]
    fn runs_overlap_in_the_order_of_values() {
        // Nine shingles of two words.
        assert_eq!(keys(1, 1, TEXT).len(), 9);
        assert_eq!(keys(1, 4, TEXT).len(), 6);
        // Values have no order in the text: the order of words within it does not matter.
        let turned = "six seven eight nine ten one two three four five";
        let (a, b) = (keys(1, 2, TEXT), keys(1, 2, turned));
        assert!(a.iter().filter(|key| b.contains(key)).count() >= 4);
    }

    #[test]
    fn a_small_sample_is_one_key() {
        assert_eq!(keys(1, 9, TEXT).len(), 1);
        assert_eq!(keys(1, 50, TEXT), keys(1, 9, TEXT));
        assert_ne!(keys(1, 50, &TEXT[4..]), keys(1, 9, TEXT));
    }
}
