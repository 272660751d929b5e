//! What a summary counts.

use crate::error::Result;
use crate::lengths::Lengths;
use crate::recipe::Recipe;
use crate::record::Level;
use serde::Serialize;

/// Units, tokens and bytes of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Amounts {
    /// The number of units.
    pub units: u64,
    /// The number of their tokens.
    pub tokens: u64,
    /// The bytes of their texts.
    pub bytes: u64,
}

impl Amounts {
    pub(super) fn add(&mut self, tokens: u32, bytes: u32) {
        self.units += 1;
        self.tokens += u64::from(tokens);
        self.bytes += u64::from(bytes);
    }
}

/// What was kept and removed of some units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Balance {
    /// All of them.
    #[serde(rename = "in")]
    pub input: Amounts,
    /// The kept units.
    pub kept: Amounts,
    /// The removed or marked units.
    pub removed: Amounts,
}

impl Balance {
    pub(super) fn add(&mut self, tokens: u32, bytes: u32, kept: bool) {
        self.input.add(tokens, bytes);
        if kept {
            &mut self.kept
        } else {
            &mut self.removed
        }
        .add(tokens, bytes);
    }

    /// Removed and all units, of at least two, if that is more than half; tokens of passages, as
    /// these are of any length.
    pub(super) fn mostly_duplicates(&self, unit: Level) -> Option<(u64, u64)> {
        let of = |amounts: &Amounts| match unit {
            Level::Passage => amounts.tokens,
            _ => amounts.units,
        };
        let (removed, all) = (of(&self.removed), of(&self.input));
        (self.input.units > 1 && removed * 2 > all).then_some((removed, all))
    }
}

/// A file or a value of a field, with its balance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The file's name, or the value.
    pub name: String,
    /// The balance of its units.
    #[serde(flatten)]
    pub balance: Balance,
}

/// The parts of the collection with the most removed units.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Parts {
    /// The parts with the most removed units first, with ties in collection order.
    pub list: Vec<Part>,
    /// The number of parts not listed.
    pub more: u64,
}

impl Parts {
    /// The maximum number of parts listed.
    pub const LISTED: usize = 10;
}

/// Records in which no text was found: each is a copy only of one with the same bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WithoutText {
    /// Their number.
    pub records: u64,
    /// The id of the first.
    pub example: String,
}

/// Units that are compared with no other, as they are too short or too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Uncompared {
    /// The minimum number of tokens of a compared unit.
    pub min_tokens: u32,
    /// Which pairs are compared, by length.
    #[serde(
        skip_serializing_if = "Lengths::are_all",
        serialize_with = "crate::as_text::serialize"
    )]
    pub lengths: Lengths,
    /// The units left out; they are counted as kept.
    #[serde(flatten)]
    pub amounts: Amounts,
}

/// Removed or marked units, by where their match is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Whence {
    /// Units that match a reference.
    pub in_references: Amounts,
    /// Units that match no reference, but another text of the collection.
    pub in_collection: Amounts,
}

/// A cluster worth inspecting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LargeCluster {
    /// Id of its earliest member.
    pub id: String,
    /// The number of units.
    pub size: u64,
    /// The lowest score among its pairs.
    pub min_edge: f64,
    /// Pairs divided by all possible pairs, if all pairs are listed.
    pub density: Option<f64>,
}

/// Invalid values of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MisfitCount {
    /// The field.
    pub field: String,
    /// The required type: `dates` or `numbers`.
    pub expected: &'static str,
    /// The number of records with such a value.
    pub records: u64,
    /// The first such value.
    pub example: String,
}

/// The error of upper bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ValidationCount {
    /// Pairs validated.
    pub pairs: u64,
    /// Mean difference of bound and true value.
    pub mean_excess: f64,
}

/// The candidates generated from keys, and their probability.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CandidateCount {
    /// Pairs of texts that share a key; equal texts are one.
    pub generated: u64,
    /// The candidates that were compared.
    pub compared: u64,
    /// The candidates skipped because they were already in one cluster.
    pub skipped: u64,
    /// The S-curve, if the keys are bands of minima.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curve: Option<Curve>,
}

/// The probability that a pair becomes a candidate, by its resemblance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// Keys of a text.
    pub bands: u64,
    /// Minima in a key.
    pub rows: u64,
    /// The probability at the threshold.
    pub at_threshold: f64,
    /// Resemblance and probability, in steps of 0.05.
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// The curve of a recipe; none if its keys have none, or scores measure something else.
    ///
    /// # Errors
    /// Usage errors if the keys are invalid.
    pub fn of(recipe: &Recipe) -> Result<Option<Self>> {
        Ok(recipe.curve()?.map(|bands| Self {
            bands: bands.bands() as u64,
            rows: bands.rows() as u64,
            at_threshold: bands.collision(recipe.threshold.as_f64()),
            points: bands.table(),
        }))
    }
}
