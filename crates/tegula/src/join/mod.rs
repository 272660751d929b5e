//! Ordered joins: complete similarity joins over ranked shingles.
//!
//! Shingles that at least two groups share are ranked by a global order, the rarest first. Each group is indexed, and probed, by a
//! prefix of its ranks under a bound that proves that no pair at or above the threshold is missed; `docs/joins.md` has the proofs.
//! The unit of work is `join(index block, probe block)`: threads, spilling and a cluster only choose the blocks.

mod agreement;
mod containment;
mod coverage;
mod nomination;
mod overlap;
mod postings;
mod resemblance;
mod weighted;

pub use agreement::{Agreement, of_bits};
pub use containment::Containment;
pub use coverage::Coverage;
pub use nomination::Nomination;
pub use overlap::Bitmap;
pub use postings::{Entry, Listing, Postings};
pub use resemblance::Resemblance;
pub use weighted::{BILLION, Weighted};

use crate::engine::block::Block;
use crate::error::Result;
use crate::evidence::PairSink;
use crate::recipe::Measure;
use crate::threshold::{Score, Threshold};
use rayon::prelude::*;

/// Two groups at or above the threshold, `a` before `b`, and what they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Pair {
    /// The earlier group.
    pub a: u32,
    /// The later group.
    pub b: u32,
    /// Shared distinct shingles, or covered tokens of `a`; the part, where a pair is a ratio of its own.
    pub in_a: u32,
    /// Shared distinct shingles, or covered tokens of `b`; the whole, where a pair is a ratio of its own.
    pub in_b: u32,
}

/// Sizes of the groups' texts, which scores are made of.
#[derive(Debug, Clone, Copy)]
pub struct Sizes<'a> {
    /// Distinct shingles by group.
    pub sets: &'a [u32],
    /// Tokens by group, at least 1.
    pub lengths: &'a [u32],
}

impl Pair {
    /// The score. For containment it is that of the smaller text.
    pub fn score(&self, measure: Measure, sizes: Sizes) -> Score {
        match measure {
            // Known tokens make no pairs.
            Measure::Equality | Measure::Known => Score::ONE,
            Measure::Cosine | Measure::WeightedResemblance | Measure::Hamming | Measure::Agreement => {
                Score { part: u64::from(self.in_a), whole: u64::from(self.in_b) }
            }
            Measure::Resemblance => {
                let both = u64::from(sizes.sets[self.a as usize]) + u64::from(sizes.sets[self.b as usize]);
                Score { part: u64::from(self.in_a), whole: both - u64::from(self.in_a) }
            }
            Measure::Coverage => Score {
                part: u64::from(self.in_a) + u64::from(self.in_b),
                whole: u64::from(sizes.lengths[self.a as usize]) + u64::from(sizes.lengths[self.b as usize]),
            },
            Measure::ResemblanceContainment | Measure::CoverageContainment => {
                let (a, b) = self.shares(measure, sizes);
                match a.whole.cmp(&b.whole) {
                    std::cmp::Ordering::Less => a,
                    std::cmp::Ordering::Greater => b,
                    std::cmp::Ordering::Equal => a.max(b),
                }
            }
        }
    }

    /// For a directed measure: the share of `a` that lies in `b`, and of `b` that lies in `a`.
    pub fn shares(&self, measure: Measure, sizes: Sizes) -> (Score, Score) {
        let of = if measure == Measure::CoverageContainment { sizes.lengths } else { sizes.sets };
        let score = |group: u32, part: u32| Score { part: u64::from(part), whole: u64::from(of[group as usize]) };
        (score(self.a, self.in_a), score(self.b, self.in_b))
    }
}

/// A block with postings: what probes are held against.
#[derive(Debug)]
pub struct Index<'a> {
    /// The groups, in size order.
    pub block: &'a Block,
    /// The place of the block's first group in the size order of all groups.
    pub base: u32,
    /// Where the indexed ranks occur.
    pub postings: Postings,
}

/// One block to probe with.
#[derive(Debug, Clone, Copy)]
pub struct Probe<'a> {
    /// The groups, in size order.
    pub block: &'a Block,
    /// The place of the block's first group in the size order of all groups.
    pub base: u32,
}

/// Says which groups may be compared; `None` allows every pair.
pub type Allow<'a> = Option<&'a (dyn Fn(u32, u32) -> bool + Sync)>;

/// What a join keeps besides the pairs: how far upper bounds were off (Rabin fingerprints).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Validation {
    /// Pairs whose upper bound was at or above the validation floor.
    pub pairs: u64,
    /// Sum of bound minus true value, in billionths.
    pub excess: u64,
}

impl Validation {
    /// Adds another part's counts.
    pub fn add(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.excess += other.excess;
    }

    /// Notes a validated pair.
    pub(crate) fn note(&mut self, bound: Score, truth: Score) {
        let billionths = |score: Score| (u128::from(score.part) * 1_000_000_000 / u128::from(score.whole.max(1))) as u64;
        self.pairs += 1;
        self.excess += billionths(bound).saturating_sub(billionths(truth));
    }

    /// The mean difference of bound and true value.
    pub fn mean_excess(self) -> f64 {
        if self.pairs == 0 { 0.0 } else { self.excess as f64 / 1e9 / self.pairs as f64 }
    }
}

/// A thread's buffers for probing, and its results.
#[derive(Debug, Default)]
pub struct Worker {
    /// The pairs found.
    pub pairs: Vec<Pair>,
    /// What validation found.
    pub validation: Validation,
    /// For each indexed group the last probe that met it.
    met: Vec<u32>,
    marks_a: Bitmap,
    marks_b: Bitmap,
    suffix: Vec<(u32, i64)>,
}

impl Worker {
    /// Makes room for an index of so many groups and forgets earlier probes.
    fn prepare(&mut self, groups: usize) {
        self.met.clear();
        self.met.resize(groups, u32::MAX);
    }
}

/// One measure's way to index and to probe.
pub trait OrderedJoin: Sync {
    /// Lists what to index of the groups `range`, in their order.
    fn list(&self, block: &Block, range: std::ops::Range<usize>) -> Listing;

    /// Whether groups of sizes `probe` may have partners among indexed ones of sizes `index` (smallest, largest).
    fn reaches(&self, index: (u32, u32), probe: (u32, u32)) -> bool;

    /// Whether a rank's entries are sorted by key, the largest first; else they stay in size order.
    fn sorts_by_key(&self) -> bool {
        false
    }

    /// Finds all partners in `index` of the groups `range` of `probe`.
    fn probe(&self, index: &Index, probe: Probe, range: std::ops::Range<usize>, allow: Allow, worker: &mut Worker);
}

/// Calls `f` with each allowed partner in `index` that the i-th group of `probe` meets for the first time at one of `ranks`. Entries are in
/// size order: of a pair, the later one probes.
fn for_each_met(
    index: &Index,
    (probe, i): (Probe, usize),
    ranks: &[u32],
    allow: Allow,
    worker: &mut Worker,
    mut f: impl FnMut(usize, &mut Worker),
) {
    let slot = probe.base + i as u32;
    for rank in ranks {
        for entry in index.postings.get(*rank) {
            if index.base + entry.local >= slot {
                break;
            }
            let j = entry.local as usize;
            if worker.met[j] == slot {
                continue;
            }
            worker.met[j] = slot;
            if allow.is_none_or(|allow| allow(probe.block.groups[i], index.block.groups[j])) {
                f(j, worker);
            }
        }
    }
}

/// One measure's way to score a nominated pair.
pub trait Verify: Sync {
    /// Appends the pair to the worker's if it is at or above the threshold.
    fn verify(&self, a: (&Block, usize), b: (&Block, usize), worker: &mut Worker);
}

/// A pair with its groups in order, which shares so much.
fn ordered(a: u32, b: u32, common: u32) -> Pair {
    Pair { a: a.min(b), b: a.max(b), in_a: common, in_b: common }
}

/// What scores nominated pairs of a measure; the result is none where nothing is compared.
pub fn verifier(measure: Measure, threshold: Threshold, n: usize, longest: u32, of: Of) -> Option<Box<dyn Verify>> {
    match measure {
        Measure::Equality | Measure::Known | Measure::Hamming => None,
        Measure::Resemblance => Some(Box::new(Resemblance::new(threshold))),
        Measure::Coverage => Some(Box::new(Coverage::new(threshold, n, longest))),
        Measure::ResemblanceContainment => Some(Box::new(Containment::of_shingles(threshold))),
        Measure::CoverageContainment => Some(Box::new(Containment::of_tokens(threshold, n))),
        Measure::Cosine => Some(Box::new(Weighted::cosine(threshold, of.base))),
        Measure::WeightedResemblance => Some(Box::new(Weighted::resemblance(threshold))),
        Measure::Agreement => Some(Box::new(Agreement::new(threshold, of.slots))),
    }
}

/// What a measure needs to know besides the texts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Of {
    /// What every two vectors have in common.
    pub base: u64,
    /// Slots of a signature.
    pub slots: u32,
}

/// The join for a measure. `n` is the number of tokens in a shingle, `longest` in the longest text; the result is none where no join finds the pairs.
pub fn for_measure(measure: Measure, threshold: Threshold, n: usize, longest: u32, of: Of) -> Option<Box<dyn OrderedJoin>> {
    match measure {
        Measure::Equality | Measure::Known | Measure::Hamming | Measure::Agreement => None,
        Measure::Resemblance => Some(Box::new(Resemblance::new(threshold))),
        Measure::Coverage => Some(Box::new(Coverage::new(threshold, n, longest))),
        Measure::ResemblanceContainment => Some(Box::new(Containment::of_shingles(threshold))),
        Measure::CoverageContainment => Some(Box::new(Containment::of_tokens(threshold, n))),
        Measure::Cosine => Some(Box::new(Weighted::cosine(threshold, of.base))),
        Measure::WeightedResemblance => Some(Box::new(Weighted::resemblance(threshold))),
    }
}

/// Indexes a block.
pub fn index<'a>(join: &dyn OrderedJoin, block: &'a Block, base: u32, ranks: u32) -> Index<'a> {
    const STEP: usize = 4096;
    let parts: Vec<Listing> = (0..block.len().div_ceil(STEP))
        .into_par_iter()
        .map(|step| {
            let mut part = join.list(block, step * STEP..((step + 1) * STEP).min(block.len()));
            part.ranks.shrink_to_fit();
            part.entries.shrink_to_fit();
            part
        })
        .collect();
    let postings = Postings::new(ranks, &parts, join.sorts_by_key());
    Index { block, base, postings }
}

/// `join(index block, probe block)`: hands all pairs between the two to `sink`, in unspecified order. Runs on the current thread pool.
///
/// # Errors
/// What the sink gives.
pub fn join(join: &dyn OrderedJoin, index: &Index, probe: Probe, allow: Allow, sink: &PairSink) -> Result<Validation> {
    const STEP: usize = 128;
    const FULL: usize = 1 << 15;
    let steps = probe.block.len().div_ceil(STEP);
    let workers: Vec<Worker> = (0..steps)
        .into_par_iter()
        .try_fold(Worker::default, |mut worker, step| {
            if worker.met.len() != index.block.len() {
                worker.prepare(index.block.len());
            }
            let range = step * STEP..((step + 1) * STEP).min(probe.block.len());
            join.probe(index, probe, range, allow, &mut worker);
            if worker.pairs.len() >= FULL {
                sink.take(&mut worker.pairs)?;
            }
            Ok(worker)
        })
        .collect::<Result<_>>()?;
    let mut validation = Validation::default();
    for mut worker in workers {
        sink.take(&mut worker.pairs)?;
        validation.add(worker.validation);
    }
    Ok(validation)
}
