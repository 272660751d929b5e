//! The closing summary of a run: a few lines, all figures, or JSON.

mod brief;
mod full;

use crate::output;
use crate::terminal::count;
use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use tegula::error::Result;
use tegula::evidence::Hidden;
use tegula::recall::Recall;
use tegula::record::Level;
use tegula::summary::{Amounts, Balance, Whence};
use tegula_run::{Outcome, Report, RunSpec};

/// A percentage.
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".into();
    }
    format!("{:.1}%", 100.0 * part as f64 / whole as f64)
}

/// What units are called.
fn noun(level: Level) -> &'static str {
    match level {
        Level::Document => "documents",
        Level::Paragraph => "paragraphs",
        Level::Sentence => "sentences",
        Level::Passage => "passages",
    }
}

/// A table without rules; all columns except the first are right-aligned.
fn table(rows: Vec<Vec<String>>, left: &[usize]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for row in rows {
        table.add_row(row);
    }
    for (place, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if place == 0 { 2 } else { 1 }, 1));
        if !left.contains(&place) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut out = String::new();
    for line in table.to_string().lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Input, kept and removed.
fn balance(report: &Report) -> String {
    let Balance {
        input,
        kept,
        removed,
    } = report.summary.balance;
    let cells = |name: &str, amounts: Amounts, whole: Option<Amounts>| {
        let mut row = vec![name.to_owned()];
        let of = whole.unwrap_or_default();
        for (part, of) in [
            (amounts.units, of.units),
            (amounts.tokens, of.tokens),
            (amounts.bytes, of.bytes),
        ] {
            row.push(count(part));
            row.push(if whole.is_some() {
                percent(part, of)
            } else {
                String::new()
            });
        }
        row
    };
    let head = ["", noun(report.summary.unit), "", "tokens", "", "bytes", ""]
        .map(str::to_owned)
        .to_vec();
    let mut rows = vec![head, cells("in", input, None)];
    if let Some(verb) = report.verb {
        let rest = if verb == "marked" { "unmarked" } else { "kept" };
        rows.push(cells(rest, kept, Some(input)));
        rows.push(cells(verb, removed, Some(input)));
    }
    if let Some(Whence {
        in_references,
        in_collection,
    }) = report.summary.removed_as
    {
        rows.push(cells("  in the references", in_references, Some(input)));
        rows.push(cells("  only in the new data", in_collection, Some(input)));
    }
    if report.summary.references.units > 0 {
        rows.push(cells("references", report.summary.references, None));
    }
    table(rows, &[0])
}

/// The records of smaller units, and how they were changed.
fn records(report: &Report) -> String {
    let mut text = count(report.summary.records);
    if report.verb == Some("removed") {
        let (cut, gone) = (
            count(report.cut_records),
            count(report.summary.records_removed),
        );
        let _ = write!(
            text,
            "; shortened: {cut}; removed because nothing was left: {gone}"
        );
    }
    text
}

/// The recall on a sample.
fn recall_of(recall: &Recall) -> String {
    let [texts, found, expected] = [recall.texts, recall.found, recall.expected].map(count);
    let mut text = format!("on a sample of {texts} texts: {found} of {expected} pairs found");
    if let (Some(share), Some((low, high))) = (recall.recall, recall.interval) {
        let _ = write!(text, ", {share:.3} (95 % interval {low:.3} to {high:.3})");
    }
    text
}

/// How many pairs at the threshold were hidden, and why.
fn reasons(hidden: Hidden) -> Vec<String> {
    [
        (
            hidden.thresholds,
            "below the threshold of their length (thresholds)",
        ),
        (
            hidden.distinct,
            "with other links, amounts, codes or numbers (distinct)",
        ),
        (
            hidden.levenshtein,
            "below the Levenshtein ratio (levenshtein)",
        ),
        (hidden.unmasked, "below the score without masks (unmasked)"),
    ]
    .iter()
    .filter(|(pairs, _)| *pairs > 0)
    .map(|(pairs, reason)| format!("{} {reason}", count(*pairs)))
    .collect()
}

/// The summaries of a run as one JSON object, and its use of resources.
///
/// # Errors
/// None in practice; a report is always representable.
pub(crate) fn json(reports: &[Report]) -> Result<String> {
    let mut all = if let [report] = reports {
        report.json()?
    } else {
        stages(reports)?
    };
    all.append(&mut crate::machine::took().json());
    Ok(format!("{}\n", Value::Object(all)))
}

/// The summaries of several stages.
fn stages(reports: &[Report]) -> Result<Map<String, Value>> {
    let stage = |report: &Report| {
        let mut all = report.json()?;
        all.remove("version");
        all.shift_insert(0, "stage".into(), json!(report.stage));
        Ok(Value::Object(all))
    };
    let stages = reports.iter().map(stage).collect::<Result<Vec<Value>>>()?;
    Ok(Map::from_iter([
        ("version".to_owned(), env!("CARGO_PKG_VERSION").into()),
        ("stages".to_owned(), Value::Array(stages)),
    ]))
}

/// The requested level of detail of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Warnings only.
    Nothing,
    /// A few lines.
    Brief,
    /// All figures.
    All,
    /// All figures as JSON on standard output.
    Json,
}

impl Asked {
    /// The level of detail that these switches request.
    pub(crate) fn of(json: bool, verbose: bool, quiet: bool) -> Self {
        match (json, verbose, quiet) {
            (true, ..) => Self::Json,
            (_, true, _) => Self::All,
            (.., true) => Self::Nothing,
            _ => Self::Brief,
        }
    }
}

/// Shows the closing summary of a run, and its warnings.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn tell(spec: &RunSpec, outcome: &Outcome, asked: Asked) -> Result<()> {
    let reports = outcome.reports();
    match asked {
        Asked::Nothing => {}
        Asked::Brief => output::tell(&brief::text(spec, outcome)),
        Asked::All => reports
            .iter()
            .for_each(|report| output::tell(&full::text(report))),
        Asked::Json => output::data(json(reports)?.as_bytes())?,
    }
    for report in reports {
        let stage = report
            .stage
            .as_ref()
            .map_or(String::new(), |stage| format!("stage {stage}: "));
        report
            .summary
            .warnings
            .iter()
            .for_each(|warning| output::warn(&format!("{stage}{warning}")));
    }
    Ok(())
}

/// A name shortened to fit a line.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 48;
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    let head: String = name.chars().take(LONGEST / 2 - 1).collect();
    let tail: Vec<char> = name.chars().rev().take(LONGEST / 2 - 2).collect();
    format!("{head}...{}", tail.into_iter().rev().collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_for_people() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(count),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(percent(1, 3), "33.3%");
        assert_eq!(percent(0, 0), "-");
        assert_eq!(shortened(&"a".repeat(60)).len(), 48);
    }
}
