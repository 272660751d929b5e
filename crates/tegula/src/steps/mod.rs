//! The steps of a search for pairs, as functions over columns.
//!
//! ```text
//! units       a text                         → its units, which are the texts of what follows
//! counts      texts of a batch               → counts of terms, if they are weighted by frequency
//! wholes      texts of a batch               → what equal texts have in common, by partition
//! firsts      wholes of a partition          → texts to compare, and those that equal them
//! equals      the texts to compare           → pairs of equal texts that constraints distinguish
//! features    texts to compare, of a batch   → texts; rows by partition
//!
//! over chains of shingles (complete recipes):
//! share       rows of a partition            → shared positions by batch and stretch
//! chains      texts and shared positions of a batch  → chains by partition
//! lists       chains of a partition          → list, histogram; or torn chains, which are split
//!
//! over features with a fingerprint (terms, characters, selected, weighted or limited shingles):
//! listed      occurrences of a partition     → list, histogram, weights
//! weigh       texts, their weights           → texts
//!
//! over both:
//! ranks       all histograms                 → the first ranks of each partition
//! ranked      list of a partition            → ranked features, by batch of their text
//! postings    texts and ranked features of a batch   → postings by rank
//! candidates  postings of some ranks         → candidates, by batch of either text
//!
//! over keys:
//! meet        keys of a partition            → candidates, once for each key
//! candidates_by_keys  all meetings of pairs  → candidates
//!
//! over all:
//! verify      candidates, texts              → matches
//! compare     candidates, features of texts  → matches, if features have a weight or fingerprint
//! rescored    a match, two texts             → whether it counts, with what is left of its score
//! equal, between  a text, a match            → matches of texts that equal these
//!
//! settle      all matches                    → texts to remove
//! settle_round  ties of some texts, what these were told  → texts to remove, ties, what to tell others
//! large_star, small_star  links of some texts        → links, for transitive recipes
//! skip_clustered, settle_clusters  all matches of some clusters  → matches, texts to remove
//! with_copies  texts to remove, equal texts  → all texts to remove
//! ```
//!
//! A step depends only on its arguments: there is no clock, memory ceiling or hidden table, and
//! only [`Search::postings`] uses threads, those of the current pool. What passes from one step to
//! the next is a [`Column`]: rows of 32-bit numbers with a kind, a version and named fields, which
//! `tegula_run::steps` turns into Arrow batches and back. So steps can run anywhere and their results
//! be exchanged by key, in any order. The engine of this crate runs the same functions over
//! partitions that spill.
//!
//! # Keys
//!
//! A *partition* is a part of all features, by hash. Its number is not in its rows, which it helps to
//! identify: rows of different partitions must not be mixed, though one task may work on several. A
//! *batch* is a part of the texts to compare, in order of their ids. Where its texts are numbered from
//! is known before any is read ([`Search::blocks`]), so no step sees all texts, and a text's
//! [start](Text::start) leads to its batch ([`Search::batch_of`]). Texts have ids of 64 bits, and at
//! most 2^32 starts.
//!
//! # What is sent
//!
//! Rows take 8 or 12 bytes a shingle, shared positions and ranked features 12 and 16, postings 20. A
//! pair with many features in common is nearly always a [candidate](Search::candidates) once: at its
//! rarest. To verify a candidate only its smaller text must be sent.
//!
//! # Keep orders
//!
//! A text comes with its [place](Given::place) in keep order, which travels with it to its matches.
//! Of equal texts the one with the smallest id stands for all, with the place of the first of them in
//! keep order. So what is decided is what the engine decides for any keep order, whether
//! [all at once](settle) or in [rounds](settle_round).
//!
//! There are steps for every recipe that compares pairs of texts. Those that compare whole texts need
//! only [`Method::firsts`]; those that read texts in order, or look for passages, have none. Where a
//! recipe compares paragraphs or sentences, [`Method::units`] says where they are in a text, and each
//! has an id of its own. Stages of a recipe follow each other: each is a search among the texts that
//! the ones before it keep.

mod chains;
mod clusters;
mod column;
mod counts;
mod features;
mod keys;
mod read;
mod rescore;
mod settle;
#[cfg(test)]
mod tests;
mod verify;
mod whole;

pub use crate::chains::Feature;
#[doc(no_inline)]
pub use crate::constraint::{Constraints, Origin};
#[doc(no_inline)]
pub use crate::date::DateFormat;
#[doc(no_inline)]
pub use crate::engine::survey::Surveyed;
#[doc(no_inline)]
pub use crate::recipe::Recipe;
#[doc(no_inline)]
pub use crate::statistics::Statistics;
pub use clusters::{at_both, large_star, links, settle_clusters, skip_clustered, small_star};
pub use column::{
    Candidate, Column, Count, Equal, Field, Given, Lighter, Link, Match, Occurrence, Posting,
    Ranked, Rows, Shared, Text, Tie, Told, Twins, Whole, from_numbers, to_numbers,
};
pub use counts::{added, counts, statistics};
pub use read::{Records, Unit};
pub use rescore::Rescoring;
pub use settle::{Round, settle, settle_round, ties, with_copies};

use crate::block::{self, Block, Layout, Numbers, first_ranks};
use crate::chains::RowSpec;
use crate::constraint::Limits;
use crate::engine::reading::{Buffers, Shingles, Steps};
use crate::engine::sign::Signer;
use crate::engine::terms::Weigher;
use crate::engine::{self, layout};
use crate::error::{Error, Result};
use crate::hash::Width;
use crate::join::{self, Side};
use crate::measure::Bound;
use crate::pair::Sizes;
use crate::rarity::Rarity;
use crate::strategy::Strategy;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// The number of features in a partition by number of texts.
pub type Histogram = BTreeMap<u32, u32>;

/// A recipe with the frequencies of terms in the collection, and constraints on pairs.
pub struct Method<'a> {
    recipe: &'a Recipe,
    statistics: &'a Statistics,
    constraints: &'a Constraints,
    limits: Limits,
    weigher: Option<Weigher<'a>>,
    steps: Steps,
}

impl<'a> Method<'a> {
    /// For a recipe; `statistics` may be empty if it [needs none](Recipe::needs_statistics).
    ///
    /// # Errors
    /// If the recipe is wrong, or does not compare pairs of texts.
    pub fn new(
        recipe: &'a Recipe,
        statistics: &'a Statistics,
        constraints: &'a Constraints,
    ) -> Result<Self> {
        if recipe.measure.is_in_order() {
            return Err(Error::of(&recipe.recipe).expected("a recipe that compares pairs of texts"));
        }
        Ok(Self {
            recipe,
            statistics,
            constraints,
            limits: Limits::of(constraints),
            weigher: Weigher::new(recipe, statistics)?,
            steps: Steps::of(recipe)?,
        })
    }
}

/// How many texts a search compares, and how long they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Extent {
    /// The texts.
    pub texts: u64,
    /// Tokens of the longest.
    pub longest: u32,
    /// Tokens of all.
    pub tokens: u64,
}

impl Extent {
    /// Of these texts.
    pub fn of(firsts: &[Whole]) -> Self {
        Self {
            texts: firsts.len() as u64,
            longest: firsts.iter().map(|text| text.tokens).max().unwrap_or(1),
            tokens: firsts.iter().map(|text| u64::from(text.tokens)).sum(),
        }
    }

    /// Of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            texts: self.texts + other.texts,
            longest: self.longest.max(other.longest),
            tokens: self.tokens + other.tokens,
        }
    }
}

/// Where candidates come from, and so which steps a search takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finds {
    /// Chains of shingles.
    Chains,
    /// Features with a fingerprint.
    Features,
    /// Keys.
    Keys,
}

impl Finds {
    /// Those of a recipe; none if only equal texts are copies, or texts are read in order.
    pub fn of(recipe: &Recipe) -> Option<Self> {
        match Strategy::of(recipe, false) {
            Strategy::Equal | Strategy::Onion | Strategy::Passages => None,
            strategy if strategy.has_keys() => Some(Self::Keys),
            Strategy::Chains => Some(Self::Chains),
            // Steps have no table of all texts in which to add up the weights of chains.
            _ => Some(Self::Features),
        }
    }
}

/// What all steps of a search agree on.
pub struct Search<'a> {
    method: &'a Method<'a>,
    recipe: &'a Recipe,
    finds: Finds,
    partition_bits: u32,
    spec: RowSpec,
    /// Numbers of a row.
    row_width: u32,
    signature_bits: u32,
    shingles: Option<Shingles>,
    signer: Option<Signer<'a>>,
    /// Set if shingles are weighted by rarity.
    rarity: Option<Rarity<'a>>,
    layout: Layout,
    /// None if signatures are compared bit by bit.
    bound: Option<Box<dyn Bound>>,
}

/// The texts of a batch, and their rows by partition.
#[derive(Debug, Default)]
pub struct Batch {
    /// The texts.
    pub texts: Vec<Text>,
    /// The rows of their shingles, if features are chains.
    pub rows: BTreeMap<u32, Rows>,
    /// Their features or keys, if they are known by fingerprints.
    pub occurrences: BTreeMap<u32, Vec<Occurrence>>,
    /// The first block of positions, or the first number, after the batch.
    pub next: u64,
}

/// What the chains of a partition say.
#[derive(Debug)]
pub enum Listed {
    /// The chains that several texts share: their occurrences, and the number of chains by number of
    /// texts.
    Chains(Vec<u32>, Histogram),
    /// Positions of chains that must be [split](Search::split) in all partitions.
    Torn(Vec<Range<u64>>),
}

impl<'a> Search<'a> {
    /// A search with 2^`bits` partitions.
    ///
    /// # Errors
    /// If the recipe is wrong.
    pub fn new(method: &'a Method<'a>, extent: Extent, bits: u32) -> Result<Self> {
        let recipe = method.recipe;
        let finds = Finds::of(recipe).unwrap_or(Finds::Features);
        let weigher = method.weigher.as_ref();
        let signer = |keys| Signer::new(recipe, keys, method.statistics, weigher, 0);
        let layout = layout(recipe.measure, engine::Tuning::default());
        let (is_chained, longest) = (finds == Finds::Chains, Some(extent.longest));
        let of = engine::collection(recipe, is_chained, longest, weigher);
        let shingles = recipe.measure.needs_shingles();
        let shingles = shingles
            .then(|| Shingles::of(recipe, Width::FULL))
            .transpose()?;
        let (spec, row_width) = chains::spec(recipe, extent, bits);
        Ok(Self {
            method,
            recipe,
            finds,
            partition_bits: bits,
            spec,
            row_width,
            signature_bits: u32::BITS,
            shingles,
            rarity: recipe
                .measure
                .needs_rarity()
                .then(|| Rarity::new(extent.texts, recipe.shingle_weights(), method.statistics)),
            signer: recipe.keys.as_ref().map(signer).transpose()?,
            layout: match finds {
                Finds::Chains => Layout {
                    numbers: Numbers::Chains,
                    repeats: true,
                    ..layout
                },
                _ => layout,
            },
            bound: recipe.measure.rules().bound(recipe.threshold, &of),
        })
    }

    /// With fewer bits in the signatures of classes, so that different chains are taken for one and
    /// must be split.
    #[must_use]
    pub fn signature_bits(self, signature_bits: u32) -> Self {
        Self {
            signature_bits,
            ..self
        }
    }

    /// Which steps it takes.
    pub fn finds(&self) -> Finds {
        self.finds
    }

    fn tokens(&self, text: &str, buffers: &mut Buffers) -> usize {
        buffers.read(&self.method.steps.normaliser, text)
    }

    /// The blocks of positions, or numbers of texts, that a batch of texts with so many tokens takes:
    /// so the beginnings of all batches can be known before any is read.
    pub fn blocks(&self, tokens: impl IntoIterator<Item = u32>) -> u64 {
        match self.finds {
            Finds::Chains => self.blocks_of_positions(tokens),
            Finds::Features | Finds::Keys => tokens.into_iter().count() as u64,
        }
    }

    /// The batch of a text with this start; `firsts` are the first blocks, or numbers, of all batches.
    pub fn batch_of(&self, start: u32, firsts: &[u64]) -> usize {
        let block = match self.finds {
            Finds::Chains => self.block_of(start),
            Finds::Features | Finds::Keys => start.into(),
        };
        batch_of_block(block, firsts)
    }

    /// Texts to compare, and the rows of their features or keys. `first` is the first block of
    /// positions, or the first number of a text, that no batch has taken ([`Search::blocks`]).
    ///
    /// # Errors
    /// If there are more than can be numbered.
    pub fn features<'t>(
        &self,
        first: u64,
        texts: impl IntoIterator<Item = (Whole, &'t str)>,
    ) -> Result<Batch> {
        match self.finds {
            Finds::Chains => self.rows(first, texts),
            Finds::Features | Finds::Keys => self.occurrences(first, texts),
        }
    }

    /// A list of features in parts of about so many numbers, each with the number of its features by
    /// number of texts. A part is ranked alone, like a list.
    pub fn parts_of_list(&self, list: &[u32], most: usize) -> Vec<(Vec<u32>, Histogram)> {
        let width = match self.layout.numbers {
            Numbers::None => 1,
            Numbers::Positions | Numbers::Weights => 2,
            Numbers::Chains => 3,
        };
        block::parts_of_list(list, width, most)
    }

    /// The features of a partition with their ranks; `first` are those of [`ranks`].
    ///
    /// # Errors
    /// None in practice.
    pub fn ranked(&self, list: &[u32], first: &Histogram) -> Result<Vec<Ranked>> {
        match self.layout.numbers {
            Numbers::None => ranked::<2>(list, first),
            Numbers::Positions | Numbers::Weights => ranked::<3>(list, first),
            Numbers::Chains => ranked::<4>(list, first),
        }
    }

    /// The block of texts with these features, numbered from 0; features of other texts are left out.
    fn block(&self, texts: &[Text], features: &[Ranked]) -> Block {
        let local: HashMap<u32, u32> = (0..)
            .zip(texts)
            .map(|(at, text)| (text.start, at))
            .collect();
        let rows = features.iter().filter_map(|row| {
            let [start, rank, at, length] = row.0;
            Some([*local.get(&start)?, rank, at, length])
        });
        let totals: Vec<u64> = match self.layout.numbers {
            Numbers::Weights => texts.iter().map(|text| text.total()).collect(),
            _ => Vec::new(),
        };
        self.block_of_rows(texts, rows.collect(), &totals)
    }

    /// The same of rows with the number of a text, a rank, and what else the block stores.
    fn block_of_rows(&self, texts: &[Text], rows: Vec<[u32; 4]>, totals: &[u64]) -> Block {
        let (sets, lengths): (Vec<u32>, Vec<u32>) = texts
            .iter()
            .map(|text| (text.set, text.whole.tokens))
            .unzip();
        let sizes = Sizes {
            sets: &sets,
            lengths: &lengths,
        };
        let groups: Vec<u32> = (0..texts.len() as u32).collect();
        block::block::<4>(rows, &groups, (sizes, totals), self.layout)
    }

    /// The features by which the texts of a batch must be found, of ranks below `common`, given all
    /// ranked features of these texts.
    pub fn postings(&self, common: u32, texts: &[Text], features: &[Ranked]) -> Vec<Posting> {
        let mut all = Vec::new();
        let Some(bound) = self.bound.as_deref() else {
            return all;
        };
        let block = self.block(texts, features);
        let side = Side::sums(bound, &block).below(common);
        for (at, text) in texts.iter().enumerate() {
            let mut before = Posting::NONE;
            for (rank, posting) in join::of_text(bound, &side, at) {
                all.push(Posting {
                    rank,
                    before,
                    start: text.start,
                    size: posting.size,
                    suffix: posting.suffix,
                });
                before = rank;
            }
        }
        all
    }

    /// The pairs of texts with a feature of a partition in common that may reach the threshold, once
    /// for each such feature but those where both have the same feature before: of a pair with many
    /// rare features in common, nearly always only at the first.
    pub fn candidates(&self, postings: &[Posting]) -> Vec<Candidate> {
        let mut found = Vec::new();
        let Some(bound) = self.bound.as_deref() else {
            return found;
        };
        let mut sorted = postings.to_vec();
        sorted.sort_unstable_by_key(|posting| (posting.rank, posting.size, posting.start));
        for of_rank in sorted.chunk_by(|a, b| a.rank == b.rank) {
            let postings: Vec<join::Posting> = (0..)
                .zip(of_rank)
                .map(|(text, posting)| join::Posting {
                    text,
                    size: posting.size,
                    suffix: posting.suffix,
                })
                .collect();
            let of = |posting: &join::Posting| of_rank[posting.text as usize];
            let met_before =
                |a: Posting, b: Posting| a.before == b.before && a.before != Posting::NONE;
            let wanted = |a: &join::Posting, b: &join::Posting| !met_before(of(a), of(b));
            join::candidates(bound, &postings, wanted, |a, b| {
                found.push(Candidate {
                    larger: of(&b).start,
                    smaller: of(&a).start,
                });
            });
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn batch_of_block(block: u64, firsts: &[u64]) -> usize {
    firsts.partition_point(|first| *first <= block).max(1) - 1
}

/// A list with ranks, in rows of W numbers.
fn ranked<const W: usize>(list: &[u32], first: &Histogram) -> Result<Vec<Ranked>> {
    let mut rows = Vec::new();
    block::ranked::<W>(list, first.clone(), |row| {
        let mut padded = [0; 4];
        padded[..W].copy_from_slice(&row);
        rows.push(Ranked(padded));
        Ok(())
    })?;
    Ok(rows)
}

/// The first ranks of each partition's features, by the number of texts that have them.
///
/// # Errors
/// If there are more features than can be numbered.
pub fn ranks(histograms: &[Histogram]) -> Result<Vec<Histogram>> {
    Ok(first_ranks(histograms)?.0)
}
