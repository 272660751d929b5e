//! Bands: runs of minima as keys, and the S-curve, the probability that two texts share one.
//!
//! A sketch is split into `bands` runs of `rows` minima, each of which becomes a key. Two texts of
//! resemblance s agree in a run with probability s^rows, and in at least one of them with 1 − (1 −
//! s^rows)^bands: low for small s, high for large s, and steep between. Runs do not overlap, so
//! their slots, and hence the bands, are independent.

use crate::error::{Error, Result};
use crate::hash::{self, Fingerprint};
use crate::threshold::Threshold;

/// How a sketch is split into bands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bands {
    count: usize,
    rows: usize,
    /// The number of keys that texts must share.
    least: usize,
}

impl Bands {
    /// The minimum of the curve at the threshold for [`Bands::for_threshold`].
    pub const LEAST_AT_THRESHOLD: f64 = 0.95;

    /// The maximum number of minima in a sketch.
    pub const MOST_MINIMA: usize = 4096;

    /// `bands` runs of `rows` minima.
    ///
    /// # Errors
    /// A usage error if either is 0 or the sketch would have more than [`Bands::MOST_MINIMA`]
    /// minima.
    pub fn new(bands: usize, rows: usize) -> Result<Self> {
        if bands
            .checked_mul(rows)
            .is_none_or(|minima| minima == 0 || minima > Self::MOST_MINIMA)
        {
            return Err(Error::of("bands and rows")
                .expected(format!("1 to {} minima in all", Self::MOST_MINIMA))
                .found(format!("{bands} bands of {rows}")));
        }
        Ok(Self {
            count: bands,
            rows,
            least: 1,
        })
    }

    /// The same, where texts must share at least this many keys.
    #[must_use]
    pub fn sharing(self, least: u32) -> Self {
        Self {
            least: least.max(1) as usize,
            ..self
        }
    }

    /// The bands for a threshold: of all choices with at most `minima` minima, the one with the
    /// longest rows whose curve is at least [`Self::LEAST_AT_THRESHOLD`] at the threshold; bands of
    /// one row if there is none.
    ///
    /// The steepest part of the curve is then just below the threshold. Long rows separate
    /// dissimilar texts, and the rule favours recall because a false candidate costs only a
    /// comparison, but a missed pair is lost.
    ///
    /// # Errors
    /// A usage error if `minima` is 0 or above [`Bands::MOST_MINIMA`].
    pub fn for_threshold(minima: usize, threshold: Threshold) -> Result<Self> {
        let at = threshold.as_f64();
        let shortest = Self::new(minima, 1).map_err(|_| {
            Error::of("minima")
                .expected(format!("1 to {}", Self::MOST_MINIMA))
                .found(minima)
        })?;
        let cuts = (2..=minima).map(|rows| Self {
            count: minima / rows,
            rows,
            least: 1,
        });
        Ok(cuts
            .take_while(|cut| cut.collision(at) >= Self::LEAST_AT_THRESHOLD)
            .last()
            .unwrap_or(shortest))
    }

    /// The number of keys of a text.
    pub fn bands(&self) -> usize {
        self.count
    }

    /// The number of minima in a key.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of minima in use.
    pub fn minima(&self) -> usize {
        self.count * self.rows
    }

    /// A key for each band, distinct from those of other bands except by chance; `out` is cleared
    /// first. Minima after the last band are not used; if `minima` is shorter, only whole bands
    /// have keys.
    pub fn keys(&self, minima: &[u32], out: &mut Vec<Fingerprint>) {
        out.clear();
        out.extend(
            minima
                .chunks_exact(self.rows)
                .take(self.count)
                .enumerate()
                .map(|(band, run)| key(band as u64, run)),
        );
    }

    /// The probability that texts of resemblance `s` share a key, or as many as they must.
    pub fn collision(&self, s: f64) -> f64 {
        let one = power(s, self.rows);
        // The probability of sharing fewer: the terms of the binomial distribution below `least`.
        let mut ways = 1.0;
        let fewer: f64 = (0..self.least.min(self.count + 1))
            .map(|shared| {
                let term = ways * power(one, shared) * power(1.0 - one, self.count - shared);
                ways *= (self.count - shared) as f64 / (shared + 1) as f64;
                term
            })
            .sum();
        (1.0 - fewer).max(0.0)
    }

    /// The curve in steps of 0.05 from 0 to 1: resemblance and probability.
    pub fn table(&self) -> Vec<(f64, f64)> {
        (0..=20)
            .map(|step| f64::from(step) / 20.0)
            .map(|s| (s, self.collision(s)))
            .collect()
    }
}

/// `base` to the power of `exponent` by multiplication in a fixed order, so that it is the same
/// number on every machine.
fn power(base: f64, exponent: usize) -> f64 {
    (0..exponent).fold(1.0, |product, _| product * base)
}

/// The key of a run of minima.
fn key(band: u64, run: &[u32]) -> Fingerprint {
    let start = Fingerprint {
        id: hash::multiplier(band),
        check: hash::multiplier(band + (1 << 20)),
    };
    run.chunks(2).fold(start, |key, two| {
        let word = u64::from(two[0]) | two.get(1).map_or(0, |second| u64::from(*second) << 32);
        Fingerprint {
            id: hash::mix(key.id ^ word),
            check: hash::mix(key.check.wrapping_add(word)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::Pairs;
    use super::*;
    use crate::sketch::minwise::MinWise;
    use proptest::prelude::*;

    fn cut(minima: usize, threshold: &str) -> (usize, usize) {
        let bands = Bands::for_threshold(minima, threshold.parse().unwrap()).unwrap();
        (bands.bands(), bands.rows())
    }

    #[test]
    fn a_threshold_gives_the_longest_rows_that_keep_recall() {
        // By hand: 0.8^7 = 0.2097, 1 − 0.7903^16 = 0.977; 0.8^8 = 0.1678, 1 − 0.8322^14 = 0.924.
        assert_eq!(cut(112, "0.8"), (16, 7));
        assert_eq!(cut(112, "0.5"), (37, 3));
        assert_eq!(cut(112, "1"), (1, 112));
        assert_eq!(cut(4, "0.1"), (4, 1));
        assert_eq!(cut(1, "0.5"), (1, 1));
    }

    #[test]
    fn wrong_cuts_are_refused() {
        for (bands, rows) in [(0, 3), (3, 0), (usize::MAX, 2), (4097, 1)] {
            assert!(
                Bands::new(bands, rows)
                    .unwrap_err()
                    .message()
                    .contains("bands")
            );
        }
        assert!(
            Bands::for_threshold(0, "0.5".parse().unwrap())
                .unwrap_err()
                .message()
                .contains("minima")
        );
    }

    #[test]
    fn the_curve_is_that_of_the_books() {
        let bands = Bands::new(20, 5).unwrap();
        // Leskovec et al., fig. 3.8: 20 bands of 5 rows.
        for (s, p) in [
            (0.2, 0.006),
            (0.3, 0.047),
            (0.4, 0.186),
            (0.5, 0.470),
            (0.6, 0.802),
            (0.7, 0.975),
            (0.8, 0.9996),
        ] {
            assert!(
                (bands.collision(s) - p).abs() < 0.0006,
                "{s}: {}",
                bands.collision(s)
            );
        }
        let table = bands.table();
        assert_eq!(
            (table.len(), table[0], table[20]),
            (21, (0.0, 0.0), (1.0, 1.0))
        );
        assert!(table.windows(2).all(|two| two[0].1 <= two[1].1));
    }

    proptest! {
        #[test]
        fn bands_share_a_key_where_all_their_rows_agree(
            a in prop::collection::vec(0..3_u32, 24),
            b in prop::collection::vec(0..3_u32, 24),
            rows in 1..6_usize,
        ) {
            let bands = Bands::new(24 / rows, rows).unwrap();
            let (mut keys, mut others) = (Vec::new(), Vec::new());
            bands.keys(&a, &mut keys);
            bands.keys(&b, &mut others);
            prop_assert_eq!(keys.len(), bands.bands());
            for (i, key) in keys.iter().enumerate() {
                for (j, other) in others.iter().enumerate() {
                    let equal = i == j && a[i * rows..(i + 1) * rows] == b[j * rows..(j + 1) * rows];
                    prop_assert_eq!(key == other, equal);
                    prop_assert_eq!(key.id == other.id, equal);
                    prop_assert_eq!(key.check == other.check, equal);
                }
            }
        }
    }

    #[test]
    fn a_short_sketch_gives_whole_bands_only() {
        let bands = Bands::new(3, 4).unwrap();
        let mut keys = Vec::new();
        for (length, expected) in [(0, 0), (3, 0), (4, 1), (12, 3), (20, 3)] {
            bands.keys(&vec![9; length], &mut keys);
            assert_eq!(keys.len(), expected, "{length}");
        }
    }

    #[test]
    fn texts_collide_as_often_as_the_curve_says() {
        const TRIALS: u64 = 400;
        let (mut minima, mut left, mut right) = (Vec::new(), Vec::new(), Vec::new());
        for (bands, rows) in [(14, 8), (16, 7), (37, 3), (6, 14)] {
            let bands = Bands::new(bands, rows).unwrap();
            let family = MinWise::new(bands.minima(), 5);
            for (shared, own) in [(100, 50), (120, 30), (146, 24), (160, 10)] {
                let pairs = Pairs {
                    shared,
                    own,
                    sequential: false,
                };
                let hits = (0..TRIALS)
                    .filter(|trial| {
                        let (a, b) = pairs.pair(*trial);
                        family.minima(&a, &mut minima);
                        bands.keys(&minima, &mut left);
                        family.minima(&b, &mut minima);
                        bands.keys(&minima, &mut right);
                        left.iter().zip(&right).any(|(a, b)| a == b)
                    })
                    .count() as f64;
                let p = bands.collision(pairs.resemblance());
                let deviation = (TRIALS as f64 * p * (1.0 - p)).sqrt();
                assert!(
                    (hits - TRIALS as f64 * p).abs() < 4.5 * deviation + 1.0,
                    "{bands:?} {pairs:?}: {hits}, expected {p}"
                );
            }
        }
    }
}
