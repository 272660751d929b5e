//! What a run is asked to do.

use super::checkpoint::Checkpoint;
use super::elsewhere::Elsewhere;
use crate::constraint::Constraints;
use crate::recipe::Recipe;
use crate::record::Source;
use crate::statistics::Statistics;

/// Settings that do not change the output, for tests.
#[derive(Debug, Clone, Copy)]
pub struct Tuning {
    /// Bits of fingerprint ids in use.
    pub id_bits: u32,
    /// Maximum groups in a block.
    pub block_groups: usize,
    /// Bits in use of the signatures of shingle positions.
    pub signature_bits: u32,
    /// The minimum number of passes for chains.
    pub passes: u32,
    /// Bits of the positions of shingles, or more if there may be more positions.
    pub position_bits: u32,
    /// The maximum number of pairs listed if only a decision is needed, and the additional number
    /// per group: see [`super::find_to_decide`].
    pub listed: (u64, u64),
    /// The size of the first batch of texts to decide on if pairs are not listed.
    pub together: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            id_bits: 64,
            block_groups: usize::MAX,
            signature_bits: 32,
            passes: 1,
            position_bits: 32,
            listed: (1 << 20, 8),
            together: 128,
        }
    }
}

/// The task of a run.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The collection.
    pub source: &'a dyn Source,
    /// The method.
    pub recipe: &'a Recipe,
    /// The constraints on pairs.
    pub constraints: &'a Constraints,
    /// Document frequencies of terms; if a recipe needs them and none are given, they are counted
    /// in the collection.
    pub statistics: Option<&'a Statistics>,
    /// Storage for finished stages.
    pub checkpoint: Option<&'a dyn Checkpoint>,
    /// Reads and compares the texts, if the engine does not.
    pub elsewhere: Option<&'a dyn Elsewhere>,
    /// Leave this at its default.
    pub tuning: Tuning,
}
