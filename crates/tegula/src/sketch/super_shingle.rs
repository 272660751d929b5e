//! Super shingles: a sketch split into a few long runs, of which a single one in common indicates
//! similarity (Broder 2000, 84 minima in six runs of 14; called DSC-SS by Chowdhury et al. 2002).
//!
//! The keys are bands with long rows, and have the same S-curve: six runs of 14 find half of the
//! pairs of resemblance 0.86. Hence the remark that it "does not work well for short documents": a
//! changed word changes a large share of a short text's shingles.
//!
//! A text with fewer distinct shingles than minima in a run is too short, since some shingle must
//! fill several of its slots. Instead it has one key, made from the whole set of its shingles, and
//! shares it only with texts that have the same set.
//!
//! *Useful for* long texts that hardly differ, with few keys each. *Not useful for* a resemblance
//! below 0.8.

use super::bands::Bands;
use super::minwise::{self, MinWise};
use super::{Basis, Estimate, Facts, Features, KeyKind, Parameter, Sign};
use crate::error::Result;
use crate::hash::{self, Fingerprint};
use crate::threshold::Threshold;

/// Splits a sketch into super shingles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuperShingles {
    runs: Bands,
}

impl SuperShingles {
    /// `minima / size` runs of `size` minima, rounded down.
    ///
    /// # Errors
    /// A usage error if `size` is 0 or above `minima`, or `minima` is above [`Bands::MOST_MINIMA`].
    pub fn new(minima: usize, size: usize) -> Result<Self> {
        Bands::new(minima.checked_div(size).unwrap_or(0), size).map(|runs| Self { runs })
    }

    /// The runs as bands, which define the S-curve.
    pub fn curve(&self) -> Bands {
        self.runs
    }

    /// Sketches with as many slots as are used.
    pub fn min_wise(&self, seed: u64) -> MinWise {
        MinWise::new(self.runs.minima(), seed)
    }

    /// The keys of a text with these shingles and the minima computed by [`Self::min_wise`]; `out`
    /// is cleared first. Whether the text is too short depends on the number of distinct shingles,
    /// counted only up to the length of a run.
    pub fn keys(&self, ids: &[u64], minima: &[u32], out: &mut Vec<Fingerprint>) {
        match self.all_of_few(ids) {
            None => self.runs.keys(minima, out),
            Some(few) => {
                out.clear();
                out.extend(whole(&few));
            }
        }
    }

    /// All distinct shingles in order, if they are fewer than a run has minima.
    fn all_of_few(&self, ids: &[u64]) -> Option<Vec<u64>> {
        let mut few = Vec::with_capacity(self.runs.rows());
        for id in ids {
            if let Err(place) = few.binary_search(id) {
                few.insert(place, *id);
                if few.len() == self.runs.rows() {
                    return None;
                }
            }
        }
        Some(few)
    }
}

/// The key of a set of shingles, in order; none for an empty set.
pub(super) fn whole(ids: &[u64]) -> Option<Fingerprint> {
    let mut sequence = hash::Sequence::default();
    for id in ids {
        sequence.push(Fingerprint {
            id: *id,
            check: hash::mix(!*id),
        });
    }
    (!ids.is_empty()).then(|| sequence.finish())
}

/// Keys of super shingles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuperShingleKeys {
    /// Minima in a sketch.
    pub minima: u32,
    /// Minima in a super shingle.
    pub size: u32,
}

impl SuperShingleKeys {
    fn cut(self) -> Result<SuperShingles> {
        SuperShingles::new(self.minima as usize, self.size as usize)
    }
}

impl KeyKind for SuperShingleKeys {
    fn parameters(&self) -> Vec<Parameter> {
        vec![
            minwise::minima(self.minima),
            Parameter::new(
                "size",
                self.size,
                1..=self.minima,
                "Minima in a super shingle",
            ),
        ]
    }

    fn describe(&self, _threshold: Threshold) -> String {
        format!("super shingles of {} of {} minima", self.size, self.minima)
    }

    fn facts(&self) -> Facts {
        let estimate = Estimate::Slots(self.minima / self.size.max(1));
        Facts {
            features: Features::Shingles,
            seed: true,
            estimate,
            ..Facts::default()
        }
    }

    fn bands(&self, _threshold: Threshold) -> Result<Option<Bands>> {
        Ok(Some(self.cut()?.curve()))
    }

    fn sign<'a>(&self, basis: &Basis<'a>) -> Result<Sign<'a>> {
        let supers = self.cut()?;
        let minwise = supers.min_wise(basis.seed);
        Ok(Box::new(move |unit, room, signature| {
            minwise.minima(unit.shingles, &mut room.minima);
            supers.keys(unit.shingles, &room.minima, &mut signature.keys);
            signature.slots.extend_from_slice(&signature.keys);
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::scattered;
    use super::*;

    fn keys(shingles: SuperShingles, ids: &[u64]) -> Vec<Fingerprint> {
        let (mut minima, mut out) = (Vec::new(), vec![Fingerprint::default()]);
        shingles.min_wise(1).minima(ids, &mut minima);
        shingles.keys(ids, &minima, &mut out);
        out
    }

    #[test]
    fn eighty_four_minima_give_six_super_shingles() {
        let shingles = SuperShingles::new(84, 14).unwrap();
        assert_eq!(keys(shingles, &scattered(1, 200)).len(), 6);
        assert_eq!((shingles.curve().bands(), shingles.curve().rows()), (6, 14));
        // 0.86^14 = 0.1211, 1 − 0.8789^6 = 0.539.
        assert!((shingles.curve().collision(0.86) - 0.539).abs() < 0.001);
    }

    #[test]
    fn a_text_too_short_for_one_matches_its_equal_set_only() {
        let shingles = SuperShingles::new(84, 14).unwrap();
        let ids = scattered(2, 13);
        let short = keys(shingles, &ids);
        assert_eq!(short.len(), 1);
        let mut repeated = [&ids[4..], &ids[..4], &ids[..4]].concat();
        assert_eq!(keys(shingles, &repeated), short);
        repeated.truncate(9);
        assert_ne!(keys(shingles, &repeated), short);
        // At fourteen distinct shingles a run can be full.
        assert_eq!(keys(shingles, &scattered(2, 14)).len(), 6);
        assert!(keys(shingles, &[]).is_empty());
    }

    #[test]
    fn wrong_sizes_are_refused() {
        for (minima, size) in [(84, 0), (84, 85), (0, 1), (5000, 5)] {
            assert!(SuperShingles::new(minima, size).is_err(), "{minima} {size}");
        }
        assert_eq!(SuperShingles::new(85, 14).unwrap().curve().minima(), 84);
    }
}
