//! Evaluates results against a gold standard: precision, recall and F1 by pair and by document,
//! the adjusted Rand index of the clusters, and the same at every threshold, with intervals.
//!
//! # Cost
//! Both lists are read once. Memory: each id once, 8 bytes per document, 16 per pair of the result
//! and per labelled pair; a sweep needs the pairs a second time. Sweeping costs a sort and one
//! pass. Intervals cost up to 32 bytes for each group, some more for each group in a cluster, and some
//! nanoseconds for each group in each resample.

mod classes;
mod closing;
mod comparison;
mod counting;
mod equal;
mod evaluation;
mod found;
mod gold;
mod ids;
mod judged;
mod judging;
mod labels;
mod options;
mod page;
mod partitions;
mod parts;
mod positive;
mod reader;
mod removals;
mod resample;
mod rows;
mod run;
mod sides;
mod sorter;
mod sweep;
mod tables;
mod tally;
#[cfg(test)]
mod tests;
mod truth;

pub use classes::{Class, Classes};
pub(crate) use comparison::sentence;
pub use comparison::{Comparison, Difference, Gap};
pub use evaluation::{Evaluation, GoldFacts, Intervals, LabelCount, Measures, ResultFacts, Tuned};
pub use found::Listed;
pub use labels::{Labelled, labelled, pair_places, says};
pub use options::{Half, Options, RESAMPLES, ReadOptions};
pub use positive::Positive;
pub use removals::Removals;
pub use resample::{Interval, ScoreIntervals};
pub use rows::PairPlaces;
pub use sides::PairScores;
pub use sorter::By;
pub use sweep::{Point, Sweep};
pub use tally::DocumentScores;
pub use tegula::evaluation::Scores;
pub use truth::Truth;

use found::Found;
use gold::{Gold, Kind};
use ids::Ids;
use judging::{Judge, Samples};
use rows::{RowColumns, Rows, Shape};
use sorter::Sorter;
use std::path::Path;
use tegula::error::{Error, ErrorKind, Result};
use tegula_io::lines::Lines;

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
    check_used(&truth, read, documents.is_some()).map_err(|error| error.at(gold))?;
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
        .map(|result| reader::read(result, read, &mut ids, known, closed))
        .collect::<Result<Vec<_>>>()?;
    let mut truth = Gold::new(truth, &ids);
    truth.judge(&ids, None, options.judged_only);
    let documents = truth.judged.iter().filter(|judged| **judged).count() as u64;
    truth.judge(&ids, options.half, options.judged_only);
    let facts = GoldFacts {
        groups: matches!(truth.kind, Kind::Groups),
        documents,
        positives: truth.positives(),
        negatives: truth.negatives(),
    };
    if facts.positives == 0 {
        let what = if facts.groups {
            "no two documents are in one group"
        } else {
            "no pair is labelled as copies"
        };
        return Err(ErrorKind::Data
            .expected("pairs of copies")
            .found(format!("none: {what}"))
            .at(gold));
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
        return Err(ErrorKind::Data
            .expected("ids of the gold standard")
            .found(format!(
                "others, such as \"{}\"",
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
        return Err(Error::of("⟨threshold⟩")
            .expected(format!("at least {least}, the run's"))
            .found(threshold)
            .hint(
                "pairs below the run's threshold were not kept; repeat the run with a lower one",
            ));
    }
    let asked = [
        (options.sweep, "⟨sweep⟩"),
        (options.tune, "⟨tune⟩"),
        (options.threshold.is_some(), "⟨threshold⟩"),
    ];
    if let Some((_, name)) = asked.iter().find(|(asked, _)| *asked && !found.scored) {
        return Err(Error::of(name).expected("pairs with scores").found("none"));
    }
    if found.mixed && options.threshold.is_some() {
        return Err(Error::of("⟨threshold⟩")
            .expected("stages with the same comparison")
            .found("some that require scores strictly above it")
            .hint("use the folder of a stage"));
    }
    Ok(())
}

/// Refuses options for the other kind of gold standard.
fn check_used(truth: &gold::Read, read: &ReadOptions, documents: bool) -> Result<()> {
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
        return Err(Error::of("⟨by⟩")
            .expected("gold of groups with fields, or ⟨documents⟩")
            .found("pairs")
            .hint("name the collection with ⟨documents⟩: its ids, texts and fields are read"));
    }
    let other = if found == "groups" {
        "labelled pairs"
    } else {
        "groups"
    };
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Error::of(option)
            .expected(format!("gold of {other}"))
            .found(found)
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
        formulas: read.formulas,
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
