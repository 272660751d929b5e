//! Steps over keys: texts that share enough of them are candidates.

use super::{Candidate, Occurrence, Search};

impl Search<'_> {
    /// The pairs of texts with a key of a partition in common, once for each such key that is not too
    /// common.
    pub fn meet(&self, keys: &[Occurrence]) -> Vec<Candidate> {
        let mut rows: Vec<_> = keys.iter().map(|row| (row.feature(), row.start)).collect();
        rows.sort_unstable();
        rows.dedup();
        let mut pairs = Vec::new();
        let most = match self.recipe.common {
            0 => usize::MAX,
            most => most as usize,
        };
        let keys = rows.chunk_by(|a, b| a.0 == b.0);
        for texts in keys.filter(|texts| texts.len() <= most) {
            for (at, (_, a)) in texts.iter().enumerate() {
                pairs.extend(texts[at + 1..].iter().map(|(_, b)| Candidate {
                    larger: *b,
                    smaller: *a,
                }));
            }
        }
        pairs
    }

    /// The candidates among the pairs that met: those that share as many keys as the recipe asks
    /// for. All meetings of a pair must be there.
    pub fn candidates_by_keys(&self, mut met: Vec<Candidate>) -> Vec<Candidate> {
        met.sort_unstable();
        met.chunk_by(|a, b| a == b)
            .filter(|pair| pair.len() as u64 >= u64::from(self.recipe.least_keys))
            .map(|pair| pair[0])
            .collect()
    }
}
