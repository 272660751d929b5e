//! Passages: the maximal stretches that two texts share, with small edits inside.
//!
//! ```text
//! read      the collection is put on a tape, and every sequence of n tokens has its places
//! seeds     maximal exact stretches of n tokens and more, for each two texts    → seeds
//! chain     seeds that follow each other closely, joined and extended over edits → passages
//! rarity    bits of each passage, by the texts that have its tokens
//! locate    the texts are read again: offsets, and proof in their tokens
//! ```
//!
//! From one step to the next, passages are a list in order, in memory or on scratch.
//!
//! # Guarantee
//! If two texts share n or more consecutive tokens, and not all sequences of n in them are common,
//! a passage that contains them is found, unless it falls short of the minimum. So every such exact
//! stretch of the minimum length is found. Passages with edits are found where n tokens in a row
//! are equal.
//!
//! # Cost
//! One reading of everything and one of the texts with passages; time in proportion to the number
//! of seeds. A sequence in k places has up to k²/2 of them, so sequences in many places are
//! ignored.

mod align;
mod chain;
mod families;
mod list;
mod locate;
mod rarity;
mod reach;
mod seeds;

pub use families::{Families, Place};
pub use list::List;

use crate::constraint::Allowed;
use crate::context::Context;
use crate::engine::Job;
use crate::engine::bad_records::BadRecords;
use crate::engine::taped::Taped;
use crate::error::{Error, Result};
use crate::group::Groups;
use crate::hash::Width;
use crate::recipe::Recipe;
use crate::threshold::Threshold;
use crate::unit::Units;
use std::ops::Range;

/// What counts as a passage.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Wanted {
    /// Tokens that are equal in a row, at least once in a passage.
    pub ngram: u32,
    /// Tokens of a passage, on the side where it is shorter.
    pub min_tokens: u32,
    /// Tokens between two equal stretches.
    pub max_gap: u32,
    /// Equal tokens as a share of those and the edits.
    pub min_identity: Threshold,
    /// A sequence of n tokens in more places than this is common, and cannot begin a passage.
    pub common: Option<u32>,
    /// The minimum number of bits of a passage: for each equal token, the binary logarithm of all
    /// texts over those that have it. So passages that are excluded are short, or consist of frequent words.
    pub min_rarity: u32,
    /// Whether passages that a text shares with itself count.
    pub inside: bool,
    /// Whether to keep the text of each passage.
    pub texts: bool,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            ngram: 5,
            min_tokens: 10,
            max_gap: 8,
            min_identity: Threshold::THREE_QUARTERS,
            common: Some(50),
            min_rarity: 0,
            inside: false,
            texts: false,
        }
    }
}

impl Wanted {
    /// Checks the numbers.
    ///
    /// # Errors
    /// Usage errors naming the option.
    pub fn check(&self) -> Result<()> {
        if self.ngram == 0 || self.ngram > 64 {
            return Err(Error::of("⟨ngram⟩")
                .expected("1 to 64 tokens")
                .found(self.ngram));
        }
        if self.min_tokens < self.ngram {
            return Err(Error::of("⟨min_tokens⟩")
                .expected(format!(
                    "at least as many tokens as in an n-gram, {}",
                    self.ngram
                ))
                .found(self.min_tokens)
                .hint("raise ⟨min_tokens⟩, or lower ⟨ngram⟩"));
        }
        if self.max_gap > MOST_GAP {
            return Err(Error::of("⟨max_gap⟩")
                .expected(format!("at most {MOST_GAP} tokens"))
                .found(self.max_gap));
        }
        if self.common.is_some_and(|most| most < 2) {
            return Err(Error::of("⟨common⟩").expected("at least 2 places, as a passage has two"));
        }
        Ok(())
    }
}

/// The longest gap: alignments of gaps take time in proportion to its square.
const MOST_GAP: u32 = 64;

/// One side of a passage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Side {
    /// The unit.
    pub unit: u32,
    /// Its tokens.
    pub tokens: Range<u32>,
    /// Its code points, counted from the beginning of the unit.
    pub chars: Range<u32>,
    /// Its bytes, counted likewise.
    pub bytes: Range<u32>,
}

/// Tokens that are equal on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// The first token in `a`.
    pub a: u32,
    /// The first token in `b`.
    pub b: u32,
    /// The number of tokens.
    pub length: u32,
}

/// A passage that two texts share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passage {
    /// The earlier text.
    pub a: Side,
    /// The later one.
    pub b: Side,
    /// Equal tokens.
    pub same: u32,
    /// Tokens to change, insert or delete between them.
    pub edits: u32,
    /// How rare its equal tokens are, in thousandths of a bit.
    pub rarity: u64,
    /// The equal stretches, in order.
    pub parts: Vec<Part>,
    /// The passage as written in `a`, if texts are wanted.
    pub text: String,
}

impl Passage {
    /// Its tokens, on the side where it is shorter.
    pub fn tokens(&self) -> u32 {
        self.a.tokens.len().min(self.b.tokens.len()) as u32
    }

    /// Its memory in bytes, in a list that may have grown to twice what it holds.
    fn heap_bytes(&self) -> u64 {
        (2 * size_of::<Self>() + self.parts.capacity() * size_of::<Part>() + self.text.len()) as u64
    }
}

/// The passages of a collection.
pub struct Found {
    /// What was read.
    pub units: Units,
    /// Equal units; passages are between the first of each group.
    pub groups: Groups,
    /// Which of them may be compared.
    pub allowed: Allowed,
    /// The passages, by unit and place of `a`, then of `b`.
    pub passages: List,
    /// Places of sequences that were ignored as common.
    pub common: u64,
    /// Tokens of the collection.
    pub tokens: u64,
}

/// Finds the passages that texts of a source share.
///
/// # Errors
/// Usage errors before anything is read; then errors of the input, the memory ceiling or scratch.
pub fn find(
    context: &Context,
    job: Job,
    wanted: &Wanted,
    bad: &mut dyn BadRecords,
) -> Result<Found> {
    wanted.check()?;
    let recipe = Recipe {
        ngram: wanted.ngram as usize,
        ..job.recipe.clone()
    };
    let job = Job {
        recipe: &recipe,
        ..job
    };
    let mut taped = Taped::read(context, job, true, Width::bits(job.tuning.id_bits), bad)?;
    // Passages are between an input and a reference, so either may have the id of the other.
    let mut records = 0..taped.units.records.len();
    if let Some(first) = records.find(|record| taped.allowed.is_reference(*record)) {
        taped.units.settle_ids_apart(first);
    }
    context.progress.begin(
        "finding passages",
        Some(2 * taped.partitions() as u64),
        crate::context::Amount::Items,
    );
    let seeds = seeds::find(context, &taped, wanted)?;
    taped.forget_sequences(context);
    let chained = chain::all(context, &taped, &seeds.rows, wanted)?;
    context.progress.end();
    let rare = rarity::weigh(context, &taped, &chained, wanted)?;
    drop(chained);
    let passages = locate::locate(context, job, &taped, wanted, &rare)?;
    Ok(Found {
        tokens: taped.tape.len(),
        units: taped.units,
        groups: taped.groups,
        allowed: taped.allowed,
        passages,
        common: seeds.common,
    })
}
