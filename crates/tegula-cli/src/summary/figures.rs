//! Figures and tables that both summaries show.

use crate::terminal::count;
use comfy_table::{CellAlignment, Table, presets};
use std::fmt::Write;
use tegula::evidence::Hidden;
use tegula::printable;
use tegula::recall::Recall;
use tegula::recipe::Lengths;
use tegula::record::Level;
use tegula::summary::{Amounts, Balance, Uncompared, Whence};
use tegula_run::Report;

/// Why units were compared with no other.
pub(super) fn why_left_out(left_out: &Uncompared) -> String {
    let short = format!("of fewer than {} tokens", left_out.min_tokens);
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
        Level::Sentence => "sentences",
        Level::Passage => "passages",
    }
}

/// A table without rules; all columns except the first are right-aligned.
pub(super) fn table(rows: Vec<Vec<String>>, left: &[usize]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for row in rows {
        table.add_row(row.iter().map(|cell| printable::line(cell)));
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

/// A name shortened to fit a line.
pub(super) fn shortened(name: &str) -> String {
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
