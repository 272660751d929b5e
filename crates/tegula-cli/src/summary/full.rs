//! All figures of a run.

use super::figures::{
    balance, equal_to_another, noun, percent, reasons, recall_of, records, table, why_left_out,
};
use crate::terminal::{count, plural, say};
use std::fmt::Write;
use std::ops::Deref;
use tegula::recipe::Lengths;
use tegula::record::Level;
use tegula::summary::Parts;
use tegula_run::{Report, describe};

/// A report as text.
struct Shown<'a>(&'a Report);

impl Deref for Shown<'_> {
    type Target = Report;

    fn deref(&self) -> &Report {
        self.0
    }
}

/// All figures of a stage, without warnings.
pub(super) fn text(report: &Report) -> String {
    Shown(report).text()
}

/// The requested figures by field: what was removed, otherwise the pairs.
pub(super) fn by_field(report: &Report) -> String {
    let (shown, mut out) = (Shown(report), String::new());
    if report.verb.is_some() {
        shown.by_field(&mut out);
    } else {
        shown.levels_by_field(&mut out);
    }
    out
}

/// What was removed of each part.
fn parts(out: &mut String, verb: &str, title: &str, parts: &Parts) {
    let head = [title, "in", verb, ""];
    let rows = parts.list.iter().map(|part| {
        let (input, removed) = (part.balance.input.units, part.balance.removed.units);
        vec![
            part.name.clone(),
            count(input),
            count(removed),
            percent(removed, input),
        ]
    });
    let _ = write!(out, "\n{}", table(&head, rows, 1));
    if parts.more > 0 {
        let _ = writeln!(
            out,
            "  ... and {} more, which lose no more than these",
            count(parts.more)
        );
    }
}

impl Shown<'_> {
    fn text(&self) -> String {
        let mut out = String::from("\n");
        if let Some(stage) = &self.stage {
            say!(out, "stage {stage}: {}", describe::recipe(&self.recipe));
            out.push('\n');
        }
        self.balance(&mut out);
        if !self.recipe.measure.is_in_order() {
            self.levels(&mut out);
            self.hidden(&mut out);
            self.keys(&mut out);
        }
        self.by_file(&mut out);
        self.by_field(&mut out);
        self.levels_by_field(&mut out);
        self.cost(&mut out);
        out
    }

    fn balance(&self, out: &mut String) {
        out.push_str(&balance(self.0));
        let _ = writeln!(out, "  tokens: {}", self.tokens);
        if let Some(columns) = &self.columns {
            let _ = writeln!(out, "  compares: {columns}");
        }
        if self.summary.unit != Level::Document {
            let _ = writeln!(out, "  records: {}", records(self.0));
        }
        if self.bad_records > 0 {
            let _ = writeln!(
                out,
                "  unreadable records, skipped: {}",
                count(self.bad_records)
            );
        }
        for over in &self.passed_over {
            let over = describe::passed_over(over);
            let _ = writeln!(out, "  passed over: {over}");
        }
        let noun = noun(self.summary.unit);
        if !self.recipe.measure.is_of_passages() {
            let _ = writeln!(
                out,
                "  {noun} {}: {}",
                equal_to_another(&self.recipe),
                count(self.summary.identical)
            );
        }
        if let Some(left_out) = self.summary.uncompared {
            let (units, why) = (
                count(left_out.amounts.units),
                why_left_out(&left_out, &self.recipe),
            );
            let tokens = match left_out.lengths {
                Lengths::UpTo(_) => "; long ones are not cut into tokens".to_owned(),
                _ => format!(", {}", plural(left_out.amounts.tokens, self.recipe.token())),
            };
            let _ = writeln!(out, "  {noun} {why}, not compared: {units}{tokens}");
        }
        if let Some(compared) = describe::lengths(&self.recipe) {
            let _ = writeln!(out, "  compared: {compared}");
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
        let in_them = format!("{} in them", noun(summary.unit));
        let head = [score, "pairs", &in_them, "clusters"];
        let rows = summary.levels.iter().map(|level| {
            vec![
                level.threshold.to_string(),
                count(level.pairs),
                count(level.units),
                count(level.clusters),
            ]
        });
        let _ = write!(out, "\n{}", table(&head, rows, 1));
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
            let head = ["largest clusters", "size", "lowest score", "density"];
            let rows = summary.largest.iter().map(|cluster| {
                let id = cluster.id.clone();
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
            let _ = write!(out, "\n{}", table(&head, rows, 1));
        }
    }

    /// A note if counts at other thresholds differ from those of a run there.
    fn note_on_levels(&self, out: &mut String) {
        if let Some(note) = self.recipe.note_on_levels() {
            let _ = writeln!(out, "  {note}");
        }
    }

    /// The pairs that were hidden although they reach the threshold.
    fn hidden(&self, out: &mut String) {
        let Some(hidden) = self.summary.hidden else {
            return;
        };
        let found = reasons(hidden);
        if !found.is_empty() {
            let _ = writeln!(
                out,
                "\n  pairs of texts at the threshold that are not copies: {}",
                found.join(", ")
            );
        }
    }

    /// The candidates of the keys, and their recall.
    fn keys(&self, out: &mut String) {
        if let Some(candidates) = &self.summary.candidates {
            let _ = write!(
                out,
                "\n  candidate pairs from keys: {}",
                count(candidates.generated)
            );
            if candidates.skipped > 0 {
                let (compared, skipped) = (count(candidates.compared), count(candidates.skipped));
                let _ = write!(
                    out,
                    "; compared: {compared}; already in one cluster: {skipped}"
                );
            }
            out.push('\n');
            if let Some(curve) = &candidates.curve {
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
            let _ = writeln!(out, "  recall {}", recall_of(recall));
        }
    }

    /// What was removed, by file.
    fn by_file(&self, out: &mut String) {
        if let Some(verb) = self.verb.filter(|_| self.summary.by_file.list.len() > 1) {
            parts(out, verb, "file", &self.summary.by_file);
        }
    }

    /// What was removed, by the values of fields.
    fn by_field(&self, out: &mut String) {
        if let Some(verb) = self.verb {
            for (field, by) in &self.summary.by_field {
                parts(out, verb, field, by);
            }
        }
    }

    /// Pairs and clusters by the values of fields.
    fn levels_by_field(&self, out: &mut String) {
        /// Number of values to show.
        const SHOWN: usize = 8;
        let in_them = format!("{} in them", noun(self.summary.unit));
        let levels = self.summary.levels_by_field.iter();
        for by in levels.filter(|by| !by.values.is_empty()) {
            let head = [&by.field, "score from", "pairs", &in_them, "clusters"];
            let rows = by.values.iter().take(SHOWN).flat_map(|value| {
                value.levels.iter().enumerate().map(|(place, level)| {
                    let name = if place == 0 {
                        value.name.clone()
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
            let _ = write!(out, "\n{}", table(&head, rows, 2));
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
