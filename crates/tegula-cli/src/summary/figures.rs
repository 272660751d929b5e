//! Figures and tables that both summaries show.

use crate::output;
use crate::terminal::{self, count, plural};
use std::fmt::Write;
use tegula::evidence::Hidden;
use tegula::recall::Recall;
use tegula::recipe::{Lengths, Recipe};
use tegula::record::Level;
use tegula::summary::{Amounts, Balance, Uncompared, Whence};
use tegula_run::Report;

/// Why units were compared with no other.
pub(super) fn why_left_out(left_out: &Uncompared, recipe: &Recipe) -> String {
    let least = plural(left_out.min_tokens.into(), recipe.token());
    let short = format!("of fewer than {least}");
    match (left_out.min_tokens, left_out.lengths) {
        (0, Lengths::UpTo(limit)) => format!("above {limit} bytes"),
        (_, Lengths::UpTo(limit)) => format!("{short} or above {limit} bytes"),
        _ => short,
    }
}

/// A percentage.
pub(super) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".into();
    }
    format!("{:.1}%", 100.0 * part as f64 / whole as f64)
}

/// What units are called.
pub(super) fn noun(level: Level) -> &'static str {
    match level {
        Level::Document => "documents",
        Level::Paragraph => "paragraphs",
        Level::Line => "lines",
        Level::Sentence => "sentences",
        Level::Passage => "passages",
    }
}

/// A table, indented; all columns except those on the left are of numbers.
pub(super) fn table(
    head: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    left: usize,
) -> String {
    const INDENT: usize = 2;
    let mut table = terminal::table(head, output::columns() - INDENT);
    for column in left..head.len() {
        table.align_right(column);
    }
    for row in rows {
        table.add_row(row);
    }
    let mut out = String::new();
    for line in terminal::show(&table).lines() {
        let _ = writeln!(out, "{:INDENT$}{line}", "");
    }
    out
}

/// Input, kept and removed.
pub(super) fn balance(report: &Report) -> String {
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
    let tokens = format!("{}s", report.recipe.token());
    let noun = noun(report.summary.unit);
    let mut rows = vec![cells("in", input, None)];
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
    table(&["", noun, "", &tokens, "", "bytes", ""], rows, 1)
}

/// The records of smaller units, and how they were changed.
pub(super) fn records(report: &Report) -> String {
    let mut text = count(report.summary.records);
    if report.verb == Some("removed") {
        let (cut, removed) = (
            count(report.cut_records),
            count(report.summary.records_removed),
        );
        let _ = write!(
            text,
            "; shortened: {cut}; removed because nothing remained: {removed}"
        );
    }
    text
}

/// The recall on a sample.
pub(super) fn recall_of(recall: &Recall) -> String {
    let [texts, found, expected] = [recall.texts, recall.found, recall.expected].map(count);
    let mut text = format!("on a sample of {texts} texts: {found} of {expected} pairs found");
    if let (Some(share), Some((low, high))) = (recall.recall, recall.interval) {
        let _ = write!(text, ", {share:.3} (95 % interval {low:.3} to {high:.3})");
    }
    text
}

/// What is said of units with the same tokens as another: their bytes may differ.
pub(super) fn equal_to_another(recipe: &Recipe) -> String {
    format!("with the same {}s as another", recipe.token())
}

/// How many pairs at the threshold were hidden, and why.
pub(super) fn reasons(hidden: Hidden) -> Vec<String> {
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
            hidden.missing_numbers,
            "with too many missing numbers (missing_numbers)",
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
    }
}
