//! Evaluates results against a gold standard: precision, recall and F1 by pair and by document,
//! the adjusted Rand index of the clusters, and the same at every threshold, with intervals.
//!
//! # Cost
//! Both lists are read once. Memory: each id once, 8 bytes per document, 16 per pair of the result
//! and per labelled pair; a sweep needs the pairs once more. Sweeping costs a sort and one pass.
//! Intervals cost 32 bytes for each group with true or found pairs, and some nanoseconds for each
//! of these in each resample.

mod classes;
mod closing;
mod comparison;
mod counting;
mod found;
mod gold;
mod ids;
mod judging;
mod labels;
mod page;
mod parts;
mod removals;
mod resample;
mod rows;
mod run;
mod sweep;
mod tables;
mod tally;
#[cfg(test)]
mod tests;
mod truth;

use classes::Sorter;
use found::Found;
use gold::{Gold, Kind};
use ids::Ids;
use judging::{Judge, Samples};
use rows::{RowColumns, Rows, Shape};
use serde::Serialize;
use std::path::Path;
use tegula::error::{Error, Result};
use tegula_io::lines::Lines;

pub use classes::{By, Class, Classes};
pub(crate) use comparison::sentence;
pub use comparison::{Comparison, Difference, Gap};
pub use found::Listed;
pub use gold::Positive;
pub use labels::{Labelled, labelled};
pub use removals::Removals;
pub use resample::{Interval, ScoreIntervals};
pub use sweep::{Point, Sweep};
pub use tally::{DocumentScores, PairScores, Scores};
pub use truth::Truth;

/// Options for reading the lists.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    /// The column of the id, if the gold standard has groups.
    pub id_key: String,
    /// The column of the group.
    pub group_key: String,
    /// The column of the label, if the gold standard has pairs; by default `label`, if it exists.
    pub label: Option<String>,
    /// Which labels mean copies.
    pub positive: Positive,
    /// Whether a gold standard without a header has groups.
    pub groups: bool,
    /// The column of the score in the result.
    pub score: String,
    /// For a run, judge its clusters instead of its pairs.
    pub clusters: bool,
    /// Replace the ids of paragraphs or sentences in the result by those of their documents;
    /// without it, only ids not in the gold standard are replaced.
    pub roll_up: bool,
    /// Also judge classes of documents by these.
    pub by: Vec<By>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            id_key: "id".to_owned(),
            group_key: "group".to_owned(),
            label: None,
            positive: Positive::Customary,
            groups: false,
            score: "score".to_owned(),
            clusters: false,
            roll_up: false,
            by: Vec::new(),
        }
    }
}

/// A half of the documents, with all copies of each: to choose a threshold on one half and judge it
/// by the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Half {
    /// The first half.
    A,
    /// The second half.
    B,
}

/// How to judge a result.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own, and any may go with any other"
)]
pub struct Options {
    /// Count only pairs at or above this; all if not set.
    pub threshold: Option<f64>,
    /// Count any two documents of one cluster as a found pair.
    pub transitive: bool,
    /// Judge only labelled pairs.
    pub judged_only: bool,
    /// Judge only these documents.
    pub half: Option<Half>,
    /// Also judge the result at every threshold.
    pub sweep: bool,
    /// Choose the threshold with the best F1 on half a, and judge half b by it.
    pub tune: bool,
    /// Resamples of the groups for confidence intervals; 0 for no intervals.
    pub resamples: u32,
}

/// The usual number of resamples.
pub const RESAMPLES: u32 = 1_000;

impl Default for Options {
    fn default() -> Self {
        Self {
            threshold: None,
            transitive: false,
            judged_only: false,
            half: None,
            sweep: false,
            tune: false,
            resamples: RESAMPLES,
        }
    }
}

/// Facts about the gold standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GoldFacts {
    /// Whether it has groups rather than labelled pairs.
    pub groups: bool,
    /// Documents: those of the gold standard, and if it has pairs also those of the result.
    pub documents: u64,
    /// Pairs of copies.
    pub positives: u64,
    /// Pairs labelled as different.
    pub negatives: u64,
}

/// Facts about the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResultFacts {
    /// Distinct pairs; for clusters, those of each member with the first.
    pub pairs: u64,
    /// What it lists.
    pub of: Listed,
    /// Whether ids of paragraphs or sentences were replaced by their documents.
    pub rolled_up: bool,
    /// Whether the scores of such documents are the shares of their tokens in matching parts, as
    /// recorded by a run.
    pub by_share: bool,
    /// Whether its pairs have scores.
    pub scored: bool,
    /// Ids that are not in the gold standard.
    pub unknown_ids: u64,
    /// One of them.
    pub unknown_id: Option<String>,
    /// Rows of an id with itself, which are ignored.
    pub loops: u64,
}

/// The share of a label's pairs that were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LabelCount {
    /// The label.
    pub label: String,
    /// Whether it means copies.
    pub positive: bool,
    /// The number of its pairs.
    pub pairs: u64,
    /// The number of these that were found.
    pub found: u64,
}

/// All measures of one result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measures {
    /// By pair.
    pub pairs: PairScores,
    /// By document: one with any copy and any partner counts as correct.
    pub documents: DocumentScores,
    /// By document: only one with all its copies among its partners counts as correct (the rule of
    /// the CORE benchmark).
    pub documents_whole: DocumentScores,
    /// The adjusted Rand index of the clusters.
    pub ari: f64,
}

/// 95 % confidence intervals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Intervals {
    /// The resamples that they are from.
    pub resamples: u32,
    /// Of the figures by pair.
    pub pairs: ScoreIntervals,
    /// Of those by removal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removals: Option<ScoreIntervals>,
    /// Of those by document, of the class of duplicates.
    pub documents: ScoreIntervals,
    /// The same, by the rule of the CORE benchmark.
    pub documents_whole: ScoreIntervals,
}

/// A threshold chosen on one half and judged by the other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tuned {
    /// The threshold, and its figures on half a, where it is the best.
    pub chosen: Point,
    /// Its figures on half b.
    pub reported: Measures,
    /// The best possible figures on half b, with a threshold chosen there.
    pub possible: Point,
}

/// The evaluation of a result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// What gold holds.
    pub gold: GoldFacts,
    /// What the result holds.
    pub result: ResultFacts,
    /// The threshold used.
    pub threshold: Option<f64>,
    /// See [`Options::transitive`]; always true for clusters.
    pub transitive: bool,
    /// See [`Options::judged_only`].
    pub judged_only: bool,
    /// See [`Options::half`].
    pub half: Option<Half>,
    /// The removals of the run, if it made a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removals: Option<Removals>,
    /// The measures.
    #[serde(flatten)]
    pub measures: Measures,
    /// Confidence intervals, if the groups were resampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Intervals>,
    /// By label, if the gold standard has pairs with few distinct labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelCount>,
    /// By classes of documents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<Classes>,
    /// At every threshold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
    /// With a threshold chosen on half a.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tuned: Option<Tuned>,
}

/// Evaluates one or more results against `gold`. `documents` lists the ids of all documents, for a
/// gold standard of pairs that does not contain all.
///
/// # Errors
/// If a list cannot be read or is invalid, the gold standard has no positive pair, no id of a
/// result is known, or thresholds are requested but pairs have no scores.
pub fn evaluate(
    gold: &Path,
    results: &[&Path],
    documents: Option<&Path>,
    read: &ReadOptions,
    options: &Options,
) -> Result<Comparison> {
    let mut ids = Ids::default();
    let mut sorters = read
        .by
        .iter()
        .map(Sorter::new)
        .collect::<Result<Vec<_>>>()?;
    let truth = gold::read(gold, read, &mut ids, &mut sorters)?;
    heeded(&truth, read, documents.is_some()).map_err(|error| error.at(gold))?;
    let mut fields = match &truth {
        gold::Read::Groups { names, .. } => names.clone(),
        gold::Read::Pairs { .. } => Vec::new(),
    };
    if let Some(path) = documents {
        fields.extend(all_documents(path, read, &mut ids, &mut sorters)?);
    }
    sorters
        .iter()
        .try_for_each(|sorter| sorter.check(&fields))
        .map_err(|error| error.at(documents.unwrap_or(gold)))?;
    let closed = documents.is_some() || matches!(truth, gold::Read::Groups { .. });
    let known = ids.len();
    let found = results
        .iter()
        .map(|result| found::read(result, read, &mut ids, known, closed))
        .collect::<Result<Vec<_>>>()?;
    let mut truth = Gold::new(truth, &ids, options.half);
    let facts = GoldFacts {
        groups: matches!(truth.kind, Kind::Groups),
        documents: ids.len() as u64,
        positives: truth.positives(),
        negatives: truth.negatives(),
    };
    if facts.positives == 0 {
        let what = if facts.groups {
            "no two documents are in one group"
        } else {
            "no pair is labelled as copies"
        };
        return Err(Error::data(format!("expected pairs of copies, found none: {what}")).at(gold));
    }
    let mut judged = Vec::new();
    for (result, found) in results.iter().zip(&found) {
        check(found, closed, facts, read, options).map_err(|error| error.at(result))?;
        let judge = Judge {
            ids: &ids,
            found,
            sorters: &sorters,
            options,
            transitive: options.transitive || found.of == Listed::Clusters,
        };
        judged.push(judge.evaluation(&mut truth, facts)?);
    }
    let (evaluations, samples): (Vec<Evaluation>, Vec<Samples>) = judged.into_iter().unzip();
    Ok(Comparison::of(results, evaluations, &samples))
}

/// Refuses a result of other texts, and thresholds that it cannot have.
fn check(
    found: &Found,
    closed: bool,
    gold: GoldFacts,
    read: &ReadOptions,
    options: &Options,
) -> Result<()> {
    let strangers = if closed {
        found.pairs.is_empty()
    } else {
        !found.met
    };
    if strangers && found.unknown > 0 {
        return Err(Error::data(format!(
            "expected ids of the gold standard, found others, such as \"{}\"",
            found.example.as_deref().unwrap_or_default()
        ))
        .hint(if gold.groups {
            "set ⟨id_key⟩ to the field of the ids in the gold standard"
        } else {
            "a text must have the same id in the gold standard and in the result"
        }));
    }
    if let (Some(threshold), Some(least)) = (options.threshold, found.least)
        && read.score == ReadOptions::default().score
        && !found.by_share
        && threshold < least.as_f64()
    {
        return Err(Error::usage(format!(
            "⟨threshold⟩: expected at least {least}, the run's, found {threshold}"
        ))
        .hint("pairs below the run's threshold were not kept; repeat the run with a lower one"));
    }
    let asked = [
        (options.sweep, "⟨sweep⟩"),
        (options.tune, "⟨tune⟩"),
        (options.threshold.is_some(), "⟨threshold⟩"),
    ];
    if let Some((_, name)) = asked.iter().find(|(asked, _)| *asked && !found.scored) {
        return Err(Error::usage(format!(
            "{name}: expected pairs with scores, found none"
        )));
    }
    if found.mixed && options.threshold.is_some() {
        return Err(Error::usage(
            "⟨threshold⟩: expected stages with the same comparison, found some that require scores strictly above it",
        )
        .hint("use the folder of a stage"));
    }
    Ok(())
}

/// Refuses options for the other kind of gold standard.
fn heeded(truth: &gold::Read, read: &ReadOptions, documents: bool) -> Result<()> {
    let usual = ReadOptions::default();
    let id = read.id_key != usual.id_key && !documents;
    let (options, found) = match truth {
        gold::Read::Groups { .. } => (
            [
                ("⟨label⟩", read.label.is_some()),
                ("⟨positive⟩", read.positive != usual.positive),
            ],
            "groups",
        ),
        gold::Read::Pairs { .. } => (
            [
                ("⟨group_key⟩", read.group_key != usual.group_key),
                ("⟨id_key⟩", id),
            ],
            "pairs",
        ),
    };
    if found == "pairs" && !read.by.is_empty() && !documents {
        return Err(Error::usage(
            "⟨by⟩: expected gold of groups with fields, or ⟨documents⟩, found pairs",
        )
        .hint("name the collection with ⟨documents⟩: its ids, texts and fields are read"));
    }
    let other = if found == "groups" {
        "labelled pairs"
    } else {
        "groups"
    };
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Error::usage(format!(
            "{option}: expected gold of {other}, found {found}"
        ))
        .hint("leave it out")),
        None => Ok(()),
    }
}

/// Adds the ids of all documents, and sorts them; returns the names of their fields.
fn all_documents(
    path: &Path,
    read: &ReadOptions,
    ids: &mut Ids,
    sorters: &mut [Sorter],
) -> Result<Vec<String>> {
    if plain_list(path, &read.id_key, ids)? {
        return Ok(Vec::new());
    }
    let fields: Vec<&str> = read.by.iter().map(By::field).collect();
    // An id and any second field: the id itself serves if no other field is known.
    let wanted = RowColumns {
        id: &read.id_key,
        group: &read.id_key,
        third: "",
        more: &fields,
    };
    let Some(rows) = Rows::open(path, wanted, Some(Shape::Groups))? else {
        return Ok(Vec::new());
    };
    let names = rows.names().to_vec();
    rows.for_each(|row| {
        let id = ids.number(&row.first)?;
        for (sorter, value) in sorters.iter_mut().zip(&row.more) {
            sorter.push(id, value.as_deref());
        }
        Ok(())
    })?;
    Ok(names)
}

/// Adds the ids of a list with one id per line, if it is one: its first line has no tab and is not
/// JSON. A first line with the name of the id field is a header.
fn plain_list(path: &Path, id_key: &str, ids: &mut Ids) -> Result<bool> {
    let mut lines = Lines::open(path)?;
    let mut first = true;
    while let Some((_, line)) = lines.next_line()? {
        if first && (line.starts_with('{') || line.contains('\t')) {
            return Ok(false);
        }
        if !(line.is_empty() || (first && line == id_key)) {
            ids.number(line)?;
        }
        first = false;
    }
    Ok(true)
}
