//! Samples by shingle: those whose id is 0 modulo m (Broder 1997 §3, V(A) = MODₘ; "every m-th
//! element" in Flamming).
//!
//! Because the decision depends only on the shingle, two texts sample the same of their shared
//! shingles: the resemblance and containment of the samples estimate those of the texts, and a
//! sampled shingle is a key. A sample of n distinct shingles has n/m of them on average, so it
//! grows with the text, which containment requires, unlike minima.
//!
//! A text of n distinct shingles has an empty sample with probability (1 − 1/m)^n: for m = 25 that
//! is 13 in 100 texts of 50 shingles. Such a text falls back on its minimal shingle, so that every
//! text has a key. Equal sets fall back in the same way.

use super::{Basis, Estimate, Facts, Features, KeyKind, Parameter, Sign, slot};
use crate::error::{Error, Result};
use crate::threshold::Threshold;

/// Which shingles are sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modulo(u64);

impl Modulo {
    /// One shingle in `modulus` on average.
    ///
    /// # Errors
    /// A usage error for 0.
    pub fn new(modulus: u64) -> Result<Self> {
        if modulus == 0 {
            return Err(Error::of("modulus").expected("1 or more").found("0"));
        }
        Ok(Self(modulus))
    }

    /// Whether a shingle is sampled.
    #[inline]
    pub fn keeps(&self, id: u64) -> bool {
        id.is_multiple_of(self.0)
    }

    /// The sample: distinct ids, ascending; the minimal id if the sample would be empty. `out` is
    /// cleared first.
    pub fn sample(&self, ids: &[u64], out: &mut Vec<u64>) {
        out.clear();
        out.extend(ids.iter().filter(|id| self.keeps(**id)));
        if out.is_empty() {
            out.extend(ids.iter().min());
        }
        out.sort_unstable();
        out.dedup();
    }

    /// The positions of all occurrences of the sample, ascending. `out` is cleared first.
    pub fn positions(&self, ids: &[u64], out: &mut Vec<u32>) {
        out.clear();
        let occurrences = || ids.iter().zip(0..);
        out.extend(
            occurrences()
                .filter(|(id, _)| self.keeps(**id))
                .map(|(_, at): (_, u32)| at),
        );
        if out.is_empty() {
            let least = ids.iter().min();
            out.extend(
                occurrences()
                    .filter(|(id, _)| Some(*id) == least)
                    .map(|(_, at)| at),
            );
        }
    }

    /// The average number of shingles in the sample of a text of `distinct` shingles, without the
    /// fallback.
    pub fn expected(&self, distinct: u64) -> f64 {
        distinct as f64 / self.0 as f64
    }
}

/// Keys of sampled shingles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModuloKeys {
    /// The modulus.
    pub modulus: u32,
}

impl KeyKind for ModuloKeys {
    fn parameters(&self) -> Vec<Parameter> {
        let meaning = "Shingles whose fingerprint is divisible by it are in the sketch";
        vec![Parameter::new(
            "modulus",
            self.modulus,
            1..=1 << 20,
            meaning,
        )]
    }

    fn describe(&self, _threshold: Threshold) -> String {
        format!(
            "shingles whose fingerprint is divisible by {}",
            self.modulus
        )
    }

    fn facts(&self) -> Facts {
        let estimate = Estimate::Sample {
            modulus: self.modulus,
        };
        Facts {
            features: Features::Shingles,
            estimate,
            ..Facts::default()
        }
    }

    fn keys_of(&self, _: Threshold, _units: u64, text_bytes: u64) -> u64 {
        text_bytes / 5 / u64::from(self.modulus)
    }

    fn sign<'a>(&self, _basis: &Basis<'a>) -> Result<Sign<'a>> {
        let modulo = Modulo::new(u64::from(self.modulus))?;
        Ok(Box::new(move |unit, room, signature| {
            modulo.sample(unit.shingles, &mut room.ids);
            signature
                .keys
                .extend(room.ids.iter().map(|id| slot(0, *id)));
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::scattered;
    use super::*;
    use proptest::prelude::*;

    fn sample(modulus: u64, ids: &[u64]) -> Vec<u64> {
        let mut out = vec![7];
        Modulo::new(modulus).unwrap().sample(ids, &mut out);
        out
    }

    #[test]
    fn the_sample_is_what_the_modulus_divides() {
        assert_eq!(sample(5, &[10, 3, 5, 10, 7, 0]), [0, 5, 10]);
        assert_eq!(sample(1, &[3, 2, 3]), [2, 3]);
        assert!(Modulo::new(0).is_err());
    }

    #[test]
    fn a_text_without_a_sampled_shingle_falls_back_on_its_least() {
        assert_eq!(sample(100, &[9, 4, 7, 4]), [4]);
        let mut positions = Vec::new();
        Modulo::new(100)
            .unwrap()
            .positions(&[9, 4, 7, 4], &mut positions);
        assert_eq!(positions, [1, 3]);
        assert!(sample(100, &[]).is_empty());
    }

    #[test]
    fn the_size_is_the_expected_one() {
        for (modulus, count) in [(4, 20_000), (25, 20_000), (64, 100_000)] {
            let modulo = Modulo::new(modulus).unwrap();
            let found = sample(modulus, &scattered(9, count)).len() as f64;
            let deviation = (count as f64 / modulus as f64 * (1.0 - 1.0 / modulus as f64)).sqrt();
            assert!(
                (found - modulo.expected(count)).abs() < 4.0 * deviation,
                "{modulus}: {found}"
            );
        }
    }

    proptest! {
        #[test]
        fn positions_are_those_of_the_sample(modulus in 1..9_u64, ids in prop::collection::vec(0..40_u64, 0..60)) {
            let mut positions = Vec::new();
            Modulo::new(modulus).unwrap().positions(&ids, &mut positions);
            let chosen = sample(modulus, &ids);
            let expected: Vec<u32> = (0..ids.len() as u32).filter(|at| chosen.contains(&ids[*at as usize])).collect();
            prop_assert_eq!(positions, expected);
        }
    }
}
