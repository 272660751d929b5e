//! The sample.

use super::strata::Pair;
use std::collections::BinaryHeap;
use tegula::hash::mix;

/// A pair of the sample.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledPair {
    /// The ids of its units; of a removal first the witness.
    pub ids: [String; 2],
    /// The units, in the run that has the pair.
    pub(super) units: [u64; 2],
    /// The run that has it.
    pub(super) run: usize,
    /// Its stratum, in the order in which strata were met.
    stratum: usize,
    /// Its random number.
    lot: u64,
    /// Whether it is answered already.
    pub is_answered: bool,
}

/// Draws the pairs with the lowest random numbers of each stratum.
pub(super) struct StratifiedSample {
    most: usize,
    salt: u64,
    /// By stratum, at most as many pairs as are drawn in all.
    strata: Vec<BinaryHeap<Lot>>,
}

/// A pair, ordered by its random number.
struct Lot(SampledPair);

impl PartialEq for Lot {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Lot {}

impl PartialOrd for Lot {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Lot {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0.lot, &self.0.ids).cmp(&(other.0.lot, &other.0.ids))
    }
}

impl StratifiedSample {
    pub(super) fn new(most: usize, seed: u64) -> Self {
        Self {
            most,
            salt: mix(seed.wrapping_add(1)),
            strata: Vec::new(),
        }
    }

    /// Draws a pair, or not.
    pub(super) fn offer(
        &mut self,
        key: u128,
        pair: Pair,
        stratum: usize,
        run: usize,
        is_answered: bool,
    ) {
        if self.strata.len() <= stratum {
            self.strata.resize_with(stratum + 1, BinaryHeap::new);
        }
        let lot = mix((key >> 64) as u64 ^ self.salt);
        let heap = &mut self.strata[stratum];
        if heap.len() >= self.most && heap.peek().is_none_or(|worst| worst.0.lot <= lot) {
            return;
        }
        heap.push(Lot(SampledPair {
            ids: pair.ids.map(str::to_owned),
            units: pair.units,
            run,
            stratum,
            lot,
            is_answered,
        }));
        if heap.len() > self.most {
            heap.pop();
        }
    }

    /// From each stratum in proportion to the root of its number of pairs (Bankier 1988), mixed, so
    /// that the first pairs are such a sample too.
    pub(super) fn finish(self, pairs: &[u64]) -> Vec<SampledPair> {
        let mut all: Vec<(f64, SampledPair)> = Vec::new();
        for (heap, pairs) in self.strata.into_iter().zip(pairs) {
            for (rank, Lot(one)) in heap.into_sorted_vec().into_iter().enumerate() {
                let shift = (mix(one.lot) >> 11) as f64 / (1_u64 << 53) as f64;
                all.push(((rank as f64 + shift) / (*pairs as f64).sqrt(), one));
            }
        }
        all.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.lot.cmp(&y.1.lot)));
        all.truncate(self.most);
        all.into_iter().map(|(_, one)| one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::strata::key;
    use super::*;

    fn sampled(most: usize, seed: u64, strata: &[(usize, u64)]) -> Vec<SampledPair> {
        let mut sample = StratifiedSample::new(most, seed);
        for (stratum, pairs) in strata {
            for at in 0..*pairs {
                let id = format!("{stratum}-{at}");
                let ids = ["x", &id];
                let pair = Pair {
                    ids,
                    units: [0, at],
                    score: 1.0,
                };
                sample.offer(key(ids), pair, *stratum, 0, false);
            }
        }
        let mut sizes = vec![0; strata.len()];
        for (stratum, pairs) in strata {
            sizes[*stratum] = *pairs;
        }
        sample.finish(&sizes)
    }

    #[test]
    fn large_strata_have_more_and_a_larger_sample_contains_a_smaller() {
        let strata = [(0, 1600), (1, 16), (2, 100)];
        let drawn = sampled(54, 1, &strata);
        let of = |drawn: &[SampledPair], stratum: usize| {
            drawn.iter().filter(|one| one.stratum == stratum).count()
        };
        // The roots are 40, 4 and 10.
        for (stratum, expected) in [(0, 40), (1, 4), (2, 10)] {
            assert!(of(&drawn, stratum).abs_diff(expected) <= 1, "{stratum}");
            assert!(
                of(&drawn[..27], stratum).abs_diff(expected / 2) <= 1,
                "{stratum}"
            );
        }
        assert_eq!(sampled(99, 1, &strata)[..54], drawn);
        assert_ne!(sampled(54, 2, &strata), drawn);
        let mut turned = strata;
        turned.reverse();
        assert_eq!(sampled(54, 1, &turned), drawn);
        assert_eq!(sampled(5, 1, &[(0, 2)]).len(), 2);
    }
}
