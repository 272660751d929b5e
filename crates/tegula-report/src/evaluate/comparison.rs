//! Several results against one gold standard: their figures, and how far these differ.

use super::judging::Samples;
use super::resample::{Interval, Sampled};
use super::tables::ends;
use super::{Evaluation, Scores};
use crate::form::decimal;
use crate::table::{Cell, Column, Kind, Table};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;
use tegula::error::{Error, Result};

/// One or more results, evaluated against the same gold standard.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The names of the results.
    pub names: Vec<String>,
    /// Their evaluations.
    pub evaluations: Vec<Evaluation>,
    /// How each differs from those before it.
    pub differences: Vec<Difference>,
}

/// The difference of two results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// One result.
    pub first: String,
    /// The other, listed after it.
    pub second: String,
    /// Which figures: `pair` or `removal`.
    pub by: &'static str,
    /// The second's precision minus the first's.
    pub precision: Option<Gap>,
    /// Their recall.
    pub recall: Option<Gap>,
    /// Their F1.
    pub f1: Option<Gap>,
    /// In a sentence: which is better, and whether that may be chance.
    pub says: String,
}

/// The difference of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Gap {
    /// The second's minus the first's.
    pub difference: f64,
    /// Its interval, if there were resamples.
    pub interval: Option<Interval>,
}

impl Comparison {
    pub(super) fn of(paths: &[&Path], evaluations: Vec<Evaluation>, samples: &[Samples]) -> Self {
        let names = names(paths);
        let mut differences = Vec::new();
        for second in 1..names.len() {
            for first in 0..second {
                let of = |at: usize| (names[at].as_str(), &evaluations[at], &samples[at]);
                differences.extend(compared(of(first), of(second)));
            }
        }
        Self {
            names,
            evaluations,
            differences,
        }
    }

    /// As JSON: of a single result its evaluation, of several a list of them and their differences.
    ///
    /// # Errors
    /// If a figure cannot be written.
    pub fn json(&self) -> Result<Value> {
        let value = |evaluation: &Evaluation| {
            serde_json::to_value(evaluation)
                .map_err(|error| Error::data(format!("cannot write as JSON: {error}")))
        };
        if let [evaluation] = &self.evaluations[..] {
            return value(evaluation);
        }
        let mut results = Vec::new();
        for (name, evaluation) in self.names.iter().zip(&self.evaluations) {
            let mut one = value(evaluation)?;
            one["name"] = name.as_str().into();
            results.push(one);
        }
        Ok(json!({ "results": results, "differences": self.differences }))
    }

    /// The tables: those of a single result; of several, each with a row for every result, then
    /// their differences.
    pub fn tables(&self) -> Vec<Table> {
        if let [evaluation] = &self.evaluations[..] {
            return evaluation.tables();
        }
        let mut stacks: Vec<Vec<(&str, Table)>> = Vec::new();
        for (name, evaluation) in self.names.iter().zip(&self.evaluations) {
            for table in evaluation.tables() {
                match stacks
                    .iter_mut()
                    .find(|stack| stack[0].1.name == table.name)
                {
                    Some(stack) => stack.push((name, table)),
                    None => stacks.push(vec![(name, table)]),
                }
            }
        }
        let mut all: Vec<Table> = stacks.into_iter().filter_map(stacked).collect();
        all.push(self.differing());
        all
    }

    fn differing(&self) -> Table {
        let mut columns = vec![("Second minus first", Kind::Text), ("By", Kind::Text)];
        let intervals = self.evaluations.iter().any(|one| one.intervals.is_some());
        for name in ["Precision", "Recall", "F1"] {
            columns.push((name, Kind::Score));
            if intervals {
                columns.push((name, Kind::Interval));
            }
        }
        let mut table = Table::new("differences", "Differences", &columns);
        for one in &self.differences {
            let mut row = vec![
                Cell::Text(format!("{} - {}", one.second, one.first)),
                Cell::Text(one.by.to_owned()),
            ];
            for gap in [one.precision, one.recall, one.f1] {
                row.push(gap.map_or(Cell::Empty, |gap| Cell::Share(gap.difference)));
                if intervals {
                    row.push(ends(gap.and_then(|gap| gap.interval)));
                }
            }
            table.rows.push(row);
        }
        let says: Vec<&str> = self
            .differences
            .iter()
            .map(|one| one.says.as_str())
            .collect();
        table.note = says.join(" ");
        table
    }
}

/// The tables of several results as one; common parts of their notes appear once.
fn stacked(tables: Vec<(&str, Table)>) -> Option<Table> {
    let sentences = |table: &Table| -> Vec<String> {
        table
            .note
            .split_inclusive(". ")
            .map(|one| one.trim().to_owned())
            .collect()
    };
    let common: Vec<String> = sentences(&tables.first()?.1)
        .into_iter()
        .filter(|one| {
            tables
                .iter()
                .all(|(_, table)| sentences(table).contains(one))
        })
        .collect();
    let mut note = common.clone();
    for (name, table) in &tables {
        let own: Vec<String> = sentences(table)
            .into_iter()
            .filter(|one| !common.contains(one))
            .collect();
        if !own.is_empty() {
            note.push(format!("{name}: {}", own.join(" ")));
        }
    }
    let mut rows = Vec::new();
    let mut first = None;
    for (name, table) in tables {
        for row in &table.rows {
            let mut cells = vec![Cell::Text(name.to_owned())];
            cells.extend_from_slice(row);
            rows.push(cells);
        }
        first.get_or_insert(table);
    }
    let table = first?;
    let mut columns = vec![Column::from(("Result", Kind::Text))];
    columns.extend(table.columns);
    Some(Table {
        title: table.title.replacen("The result", "The results", 1),
        note: note.join(" "),
        columns,
        rows,
        ..table
    })
}

type Judged<'a> = (&'a str, &'a Evaluation, &'a Samples);

/// The differences of two results: by pair, and by removal if both are runs that decided.
fn compared(first: Judged, second: Judged) -> Vec<Difference> {
    let removed = |judged: &Judged| judged.1.removals.map(|removals| removals.scores);
    let mut all = Vec::new();
    if let (Some(a), Some(b)) = (removed(&first), removed(&second)) {
        let sampled = first.2.removals.as_ref().zip(second.2.removals.as_ref());
        all.push(difference("removal", (first.0, a), (second.0, b), sampled));
    }
    let scores = |judged: &Judged| judged.1.measures.pairs.scores;
    let sampled = first.2.pairs.as_ref().zip(second.2.pairs.as_ref());
    let (a, b) = ((first.0, scores(&first)), (second.0, scores(&second)));
    all.push(difference("pair", a, b, sampled));
    all
}

fn difference(
    by: &'static str,
    first: (&str, Scores),
    second: (&str, Scores),
    sampled: Option<(&Sampled, &Sampled)>,
) -> Difference {
    let gap = |of: fn(&Scores) -> Option<f64>| {
        Some(Gap {
            difference: of(&second.1)? - of(&first.1)?,
            interval: sampled.and_then(|(a, b)| a.difference(b, of)),
        })
    };
    let (precision, recall) = (gap(|of| of.precision), gap(|of| of.recall));
    let f1 = gap(|of| of.f1);
    let start = format!("By {by}, ");
    let says = match (f1, precision) {
        (Some(gap), _) => sentence(
            &start,
            "F1",
            gap,
            (first.0, first.1.f1),
            (second.0, second.1.f1),
        ),
        (None, Some(gap)) => sentence(
            &start,
            "precision",
            gap,
            (first.0, first.1.precision),
            (second.0, second.1.precision),
        ),
        (None, None) => format!("By {by}, there is nothing to compare."),
    };
    Difference {
        first: first.0.to_owned(),
        second: second.0.to_owned(),
        by,
        precision,
        recall,
        f1,
        says,
    }
}

/// Which of two is better, and whether that may be chance. `start` is the start of the sentence.
pub(crate) fn sentence(
    start: &str,
    figure: &str,
    gap: Gap,
    first: (&str, Option<f64>),
    second: (&str, Option<f64>),
) -> String {
    let (better, worse) = if gap.difference > 0.0 {
        (second, first)
    } else {
        (first, second)
    };
    let shown = |value: Option<f64>| value.map_or_else(String::new, decimal);
    if gap.difference.abs() < 1e-12 {
        return format!(
            "{start}{} and {} have the same {figure}, {}.",
            first.0,
            second.0,
            shown(first.1)
        );
    }
    let start = format!(
        "{start}{} has the higher {figure}: {} against {} of {}",
        better.0,
        shown(better.1),
        shown(worse.1),
        worse.0
    );
    match gap.interval {
        None => format!("{start}; without resamples it is not known whether this may be chance."),
        Some(interval) => {
            let sign = gap.difference.signum();
            let (low, high) = (sign * interval.low, sign * interval.high);
            let verdict = if interval.excludes_zero() {
                "this is unlikely to be chance"
            } else {
                "this may be chance"
            };
            format!(
                "{start}, a difference of {} (95 % interval {:+.4} to {:+.4}): {verdict}.",
                decimal(gap.difference.abs()),
                low.min(high),
                low.max(high)
            )
        }
    }
}

/// The names of the results: those of their files, or their paths if two are the same.
fn names(paths: &[&Path]) -> Vec<String> {
    let short = |path: &Path| {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| path.display().to_string())
    };
    let named: Vec<String> = paths.iter().map(|path| short(path)).collect();
    let is_alone = |name: &String| named.iter().filter(|other| *other == name).count() == 1;
    let of = |(path, name): (&&Path, &String)| {
        if is_alone(name) {
            name.clone()
        } else {
            path.display().to_string()
        }
    };
    paths.iter().zip(&named).map(of).collect()
}
