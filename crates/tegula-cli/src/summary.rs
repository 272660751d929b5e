//! The closing summary, as text and as JSON.

use crate::output;
use crate::terminal::count;
use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::ops::Deref;
use tegula::error::Result;
use tegula::record::Level;
use tegula::summary::{Amounts, Balance, Parts, Uncompared, Whence};
use tegula_run::{Report, describe};

/// A report as text.
struct Shown<'a>(&'a Report);

impl Deref for Shown<'_> {
    type Target = Report;

    fn deref(&self) -> &Report {
        self.0
    }
}

/// The summary as text, without warnings.
pub(crate) fn text(report: &Report) -> String {
    Shown(report).text()
}

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

impl Shown<'_> {
    fn text(&self) -> String {
        let mut out = String::from("\n");
        if let Some(stage) = &self.stage {
            let _ = writeln!(out, "stage {stage}: {}\n", describe::recipe(&self.recipe));
        }
        self.balance(&mut out);
        if !self.recipe.measure.is_in_order() {
            self.levels(&mut out);
            self.hidden(&mut out);
            self.keys(&mut out);
        }
        self.parts(&mut out);
        self.levels_by_field(&mut out);
        self.cost(&mut out);
        out
    }

    fn balance(&self, out: &mut String) {
        let Balance {
            input,
            kept,
            removed,
        } = self.summary.balance;
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
        let head = ["", noun(self.summary.unit), "", "tokens", "", "bytes", ""]
            .map(str::to_owned)
            .to_vec();
        let mut rows = vec![head, cells("in", input, None)];
        if let Some(verb) = self.verb {
            rows.push(cells(
                if verb == "marked" { "unmarked" } else { "kept" },
                kept,
                Some(input),
            ));
            rows.push(cells(verb, removed, Some(input)));
        }
        if let Some(Whence {
            in_references,
            in_collection,
        }) = self.summary.removed_as
        {
            rows.push(cells("  in the references", in_references, Some(input)));
            rows.push(cells("  only in the new data", in_collection, Some(input)));
        }
        if self.summary.references.units > 0 {
            rows.push(cells("references", self.summary.references, None));
        }
        out.push_str(&table(rows, &[0]));
        let _ = writeln!(out, "  tokens: {}", self.tokens);
        if self.summary.unit != Level::Document {
            let _ = write!(out, "  records: {}", count(self.summary.records));
            if self.verb == Some("removed") {
                let (cut, gone) = (count(self.cut_records), count(self.summary.records_removed));
                let _ = write!(
                    out,
                    "; shortened: {cut}; removed because nothing was left: {gone}"
                );
            }
            out.push('\n');
        }
        if self.bad_records > 0 {
            let _ = writeln!(
                out,
                "  unreadable records, skipped: {}",
                count(self.bad_records)
            );
        }
        let noun = noun(self.summary.unit);
        if !self.recipe.measure.is_of_passages() {
            let _ = writeln!(
                out,
                "  {noun} with an identical copy: {}",
                count(self.summary.identical)
            );
        }
        if let Some(Uncompared {
            min_tokens,
            amounts,
        }) = self.summary.uncompared
        {
            let (units, tokens) = (count(amounts.units), count(amounts.tokens));
            let _ = writeln!(
                out,
                "  {noun} of fewer than {min_tokens} tokens, not compared: {units}, {tokens} tokens"
            );
        }
        if let (Some(verb), Some(removal), Some(levels)) =
            (self.verb, self.recipe.removal(), self.recipe.levels())
        {
            let _ = writeln!(out, "  {verb}: {removal}\n  {levels}");
        }
    }

    fn levels(&self, out: &mut String) {
        let summary = &self.summary;
        let score = if self.recipe.measure.is_strict() {
            "score above"
        } else {
            "score from"
        };
        let head = [
            score,
            "pairs",
            &format!("{} in them", noun(summary.unit)),
            "clusters",
        ]
        .map(str::to_owned)
        .to_vec();
        let rows = summary.levels.iter().map(|level| {
            vec![
                level.threshold.to_string(),
                count(level.pairs),
                count(level.units),
                count(level.clusters),
            ]
        });
        let _ = write!(
            out,
            "\n{}",
            table(std::iter::once(head).chain(rows).collect(), &[0])
        );
        if summary.levels.len() > 1 {
            self.note_on_levels(out);
        }
        if let Some(pairs) = summary.pairs_about {
            let _ = writeln!(
                out,
                "  there are about {} pairs, too many to list: the table counts only pairs of a kept and a removed text\n  tegula pairs lists them all, as does --evidence all",
                count(pairs)
            );
        }
        if let Some(validation) = summary.validation {
            let _ = writeln!(
                out,
                "  pairs validated on shingles: {}; on average their upper bounds were {:.6} too high",
                count(validation.pairs),
                validation.mean_excess
            );
        }
        if !summary.largest.is_empty() {
            let head = ["largest clusters", "size", "lowest score", "density"]
                .map(str::to_owned)
                .to_vec();
            let rows = summary.largest.iter().map(|cluster| {
                let id = shortened(&cluster.id);
                let density = cluster
                    .density
                    .map_or_else(String::new, |density| format!("{density:.3}"));
                vec![
                    id,
                    count(cluster.size),
                    format!("{:.3}", cluster.min_edge),
                    density,
                ]
            });
            let _ = write!(
                out,
                "\n{}",
                table(std::iter::once(head).chain(rows).collect(), &[0])
            );
        }
    }

    /// A note if counts at other thresholds differ from those of a run there.
    fn note_on_levels(&self, out: &mut String) {
        if let Some(note) = self.recipe.note_on_levels() {
            let _ = writeln!(out, "  {note}");
        }
    }

    /// The pairs that are none although they reach the threshold.
    fn hidden(&self, out: &mut String) {
        let Some(hidden) = self.summary.hidden else {
            return;
        };
        let reasons = [
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
        ];
        let found: Vec<String> = reasons
            .iter()
            .filter(|(pairs, _)| *pairs > 0)
            .map(|(pairs, reason)| format!("{} {reason}", count(*pairs)))
            .collect();
        if !found.is_empty() {
            let _ = writeln!(
                out,
                "\n  pairs of texts at the threshold that are no copies: {}",
                found.join(", ")
            );
        }
    }

    /// The candidates of the keys, and their recall.
    fn keys(&self, out: &mut String) {
        if let Some(nomination) = &self.summary.nomination {
            let _ = write!(
                out,
                "\n  candidate pairs from keys: {}",
                count(nomination.candidates)
            );
            if nomination.skipped > 0 {
                let (compared, skipped) = (count(nomination.compared), count(nomination.skipped));
                let _ = write!(
                    out,
                    "; compared: {compared}; already in one cluster: {skipped}"
                );
            }
            out.push('\n');
            if let Some(curve) = &nomination.curve {
                let (threshold, at) = (self.recipe.threshold, curve.at_threshold);
                let _ = writeln!(
                    out,
                    "  S-curve: with {} bands of {} minima, {at:.2} of the pairs of resemblance {threshold} become candidates",
                    curve.bands, curve.rows
                );
                let shown = curve.points.iter().skip(10).step_by(2).take(5);
                let points: Vec<String> = shown.map(|(s, p)| format!("{p:.2} at {s:.1}")).collect();
                let _ = writeln!(out, "           {}", points.join(", "));
            }
        }
        if let Some(recall) = &self.summary.recall {
            let (texts, found, expected) = (
                count(recall.texts),
                count(recall.found),
                count(recall.expected),
            );
            let _ = write!(
                out,
                "  recall on a sample of {texts} texts: {found} of {expected} pairs found"
            );
            if let (Some(share), Some((low, high))) = (recall.recall, recall.interval) {
                let _ = write!(out, ", {share:.3} (95 % interval {low:.3} to {high:.3})");
            }
            out.push('\n');
        }
    }

    fn parts(&self, out: &mut String) {
        let Some(verb) = self.verb else { return };
        let mut show = |title: &str, parts: &Parts| {
            let head = [title, "in", verb, ""].map(str::to_owned).to_vec();
            let rows = parts.list.iter().map(|part| {
                let (input, removed) = (part.balance.input.units, part.balance.removed.units);
                vec![
                    shortened(&part.name),
                    count(input),
                    count(removed),
                    percent(removed, input),
                ]
            });
            let _ = write!(
                out,
                "\n{}",
                table(std::iter::once(head).chain(rows).collect(), &[0])
            );
            if parts.more > 0 {
                let _ = writeln!(
                    out,
                    "  ... and {} more, which lose no more than these",
                    count(parts.more)
                );
            }
        };
        if self.summary.by_file.list.len() > 1 {
            show("file", &self.summary.by_file);
        }
        for (field, parts) in &self.summary.by_field {
            show(field, parts);
        }
    }

    /// Pairs and clusters by the values of fields.
    fn levels_by_field(&self, out: &mut String) {
        /// Number of values to show.
        const SHOWN: usize = 8;
        let noun = noun(self.summary.unit);
        for by in &self.summary.levels_by_field {
            let head = [
                &by.field,
                "score from",
                "pairs",
                &format!("{noun} in them"),
                "clusters",
            ]
            .map(str::to_owned)
            .to_vec();
            let rows = by.values.iter().take(SHOWN).flat_map(|value| {
                value.levels.iter().enumerate().map(|(place, level)| {
                    let name = if place == 0 {
                        shortened(&value.name)
                    } else {
                        String::new()
                    };
                    vec![
                        name,
                        level.threshold.to_string(),
                        count(level.pairs),
                        count(level.units),
                        count(level.clusters),
                    ]
                })
            });
            let _ = write!(
                out,
                "\n{}",
                table(std::iter::once(head).chain(rows).collect(), &[0, 1])
            );
            if by.values.iter().any(|value| value.levels.len() > 1) {
                self.note_on_levels(out);
            }
            let more = by.values.len().saturating_sub(SHOWN) as u64 + by.more;
            if more > 0 {
                let _ = writeln!(
                    out,
                    "  ... and {} more, in --json and run.json",
                    count(more)
                );
            }
        }
    }

    fn cost(&self, out: &mut String) {
        let mut line = String::new();
        for (stage, time) in &self.timings {
            let _ = write!(line, "{stage} {:.2} s, ", time.as_secs_f64());
        }
        let total: f64 = self
            .timings
            .iter()
            .map(|(_, time)| time.as_secs_f64())
            .sum();
        let _ = write!(line, "total {total:.2} s");
        let _ = write!(line, "; {}", crate::machine::took().words());
        let _ = writeln!(out, "\n  {line}");
    }
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

/// Shows the closing summary of each stage, and its warnings.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn tell(reports: &[Report], as_json: bool, quiet: bool) -> Result<()> {
    if as_json {
        output::data(json(reports)?.as_bytes())?;
    } else if !quiet {
        for report in reports {
            output::tell(&text(report));
        }
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
