//! What a run did, in a few lines.

use super::figures::{balance, equal_to_another, noun, reasons, recall_of, records, why_left_out};
use super::full;
use crate::terminal::{self, count, plural, say};
use crate::{output, shell};
use std::fmt::Write;
use std::path::Path;
use tegula::levels::LevelCount;
use tegula::measure::Compares;
use tegula::record::Level;
use tegula_run::{Outcome, Report, RunKind, RunSpec, describe};

/// Columns of the labels, and of the gap after them.
const LABEL: usize = 9;

/// A run: each stage, what was written, what it took, and what to do next.
pub(super) fn text(spec: &RunSpec, outcome: &Outcome) -> String {
    let mut out = String::new();
    let reports = outcome.reports();
    for (number, report) in (1..).zip(reports) {
        out.push('\n');
        if let Some(stage) = &report.stage {
            say!(out, "stage {stage}");
        }
        out.push_str(&balance(report));
        let mut all = of_stage(report);
        if number == reports.len() {
            all.extend(of_run(spec, outcome));
        }
        out.push_str(&lines(&all));
        out.push_str(&full::by_field(report));
    }
    output::painted(&out)
}

/// Labelled lines, wrapped to the terminal.
fn lines(all: &[(&str, String)]) -> String {
    let mut table = terminal::table(&[], output::columns());
    for (label, text) in all {
        table.add_row([&format!("  {label:<LABEL$}"), text]);
    }
    terminal::show(&table)
}

/// Why texts are copies, and what else decided.
fn of_stage(report: &Report) -> Vec<(&'static str, String)> {
    let (summary, recipe) = (&report.summary, &report.recipe);
    let units = noun(summary.unit);
    let mut all = Vec::new();
    let name = &recipe.recipe;
    let lengths = describe::lengths(recipe).map(|of| format!(", {of}"));
    let why = recipe
        .removal()
        .filter(|_| report.verb.is_some())
        .map_or_else(
            || describe::recipe(recipe),
            |removal| format!("{removal}{} ({name})", lengths.unwrap_or_default()),
        );
    all.push(("why", why));
    all.extend(report.columns.clone().map(|columns| ("compares", columns)));
    if summary.unit != Level::Document && report.verb == Some("removed") {
        all.push(("records", records(report)));
    }
    if let Some(uncompared) = summary.uncompared.filter(|short| short.amounts.units > 0) {
        let label = match uncompared.min_tokens {
            0 => "too long",
            _ => "too short",
        };
        all.push((
            label,
            format!(
                "{} {units} {}, not compared",
                count(uncompared.amounts.units),
                why_left_out(&uncompared, recipe)
            ),
        ));
    }
    if let Some(found) = summary
        .hidden
        .map(reasons)
        .filter(|found| !found.is_empty())
    {
        all.push((
            "hidden",
            format!("pairs that are not copies: {}", found.join(", ")),
        ));
    }
    if matches!(
        recipe.measure.compares(),
        Compares::Before | Compares::Passages
    ) {
        return all;
    }
    if let Some(level) = summary.levels.first() {
        all.push(("found", pairs(report, level)));
    }
    if let Some(recall) = &summary.recall {
        all.push(("recall", recall_of(recall)));
    }
    all
}

/// How many pairs there are, and of how many units.
fn pairs(report: &Report, level: &LevelCount) -> String {
    let (summary, recipe) = (&report.summary, &report.recipe);
    let units = noun(summary.unit);
    let mut found = match summary.pairs_about {
        Some(pairs) => format!("about {}", plural(pairs, "pair")),
        None if level.pairs == 0 => return "no copies".to_owned(),
        None => plural(level.pairs, "pair"),
    };
    let clusters = plural(level.clusters, "cluster");
    let _ = write!(found, " of {} {units} in {clusters}", count(level.units));
    if let Some(largest) = summary.largest.first().filter(|_| level.clusters > 1) {
        let _ = write!(found, ", the largest of {}", count(largest.size));
    }
    if summary.identical > 0 {
        let (equal, same) = (count(summary.identical), equal_to_another(recipe));
        let _ = write!(found, "; {equal} {same}");
    }
    found
}

/// What was written, what it took, and what to do next.
fn of_run(spec: &RunSpec, outcome: &Outcome) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    let bad: u64 = outcome
        .reports()
        .iter()
        .map(|report| report.bad_records)
        .max()
        .unwrap_or(0);
    if bad > 0 {
        all.push(("skipped", plural(bad, "unreadable record")));
    }
    let reports = outcome.reports().iter();
    for over in reports.flat_map(|report| &report.passed_over) {
        all.push(("passed over", describe::passed_over(over)));
    }
    let show = |path: &Path| match path.as_os_str().to_str() {
        Some("-") => "standard output".to_owned(),
        _ => path.display().to_string(),
    };
    let output = &spec.output;
    let lists = output.lists.iter();
    let written: Vec<String> = [
        (output.path.as_deref(), ""),
        (output.removed.as_deref(), "removed: "),
    ]
    .into_iter()
    .chain(lists.map(|list| (Some(list.path.as_path()), "list: ")))
    .chain([
        (output.fingerprints.as_deref(), "fingerprints: "),
        (spec.evidence.folder.as_deref(), "evidence: "),
    ])
    .filter_map(|(path, label)| Some(format!("{label}{}", show(path?))))
    .collect();
    if !written.is_empty() {
        all.push(("output", written.join("; ")));
    }
    let is_stored = |report: &Report| {
        let mut steps = report.timings.iter();
        steps.any(|(step, _)| *step == "stored evidence")
    };
    let stored = if outcome.reports().iter().any(is_stored) {
        " with stored evidence"
    } else {
        ""
    };
    let seconds: f64 = outcome
        .reports()
        .iter()
        .flat_map(|report| &report.timings)
        .map(|(_, time)| time.as_secs_f64())
        .sum();
    all.push((
        "took",
        [
            format!("{seconds:.1} s{stored}"),
            crate::machine::took().words(),
        ]
        .join(", "),
    ));
    all.push(("next", next(spec)));
    all
}

/// What to do next.
fn next(spec: &RunSpec) -> String {
    let more = "-v shows all figures";
    match &spec.evidence.folder {
        Some(folder) => {
            let folder = shell::typed(&folder.display().to_string());
            format!("tegula report {folder} -o report.html; tegula explain {folder} ID; {more}")
        }
        None if spec.command == RunKind::Pairs => {
            format!("tegula compare shows two texts side by side; {more}")
        }
        None => {
            format!("--run DIR keeps the evidence for explain and report; {more}")
        }
    }
}
