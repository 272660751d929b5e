//! What a change or a description of an index says.

use crate::command::Answer;
use serde_json::{Value, json};
use std::path::PathBuf;
use tegula::error::Result;
use tegula::index::{Changed, Description};
use tegula::printable;
use tegula_report::form::{count, plural};
use tegula_report::screen;

/// An index, and what was done to it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Indexed {
    /// Its folder.
    pub path: PathBuf,
    /// What was added and removed.
    pub changed: Changed,
    /// Ids that were to be removed and are not there.
    pub unknown: u64,
    /// Records that could not be read and were skipped.
    pub bad: u64,
    /// How often segments were merged.
    pub merged: u64,
    /// Whether every page was checked.
    pub checked: bool,
    /// How it was changed.
    pub how: How,
    /// What it is now.
    pub description: Description,
    pub(super) is_described: bool,
}

/// How an index was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum How {
    /// It was not there before.
    Created,
    /// It was there.
    Updated,
    /// It was left as it was: what was added and removed only would be.
    DryRun,
}

impl Indexed {
    fn bytes(&self, of: fn(&tegula::index::Entry) -> u64) -> u64 {
        self.description.segments.iter().map(of).sum()
    }
}

impl Answer for Indexed {
    fn json(&self) -> Result<Value> {
        let Description {
            recipe,
            texts,
            fields,
            segments,
            version,
            unicode,
            ..
        } = &self.description;
        let units: u64 = self.bytes(|entry| entry.units.into());
        Ok(json!({
            "index": self.path,
            "added": self.changed.added,
            "removed": self.changed.removed,
            "skipped": self.changed.skipped,
            "unknown": self.unknown,
            "bad": self.bad,
            "merged": self.merged,
            "checked": self.checked,
            "created": self.how == How::Created,
            "dry_run": self.how == How::DryRun,
            "texts": self.description.records(),
            "removed_in_segments": self.bytes(|entry| entry.removed.into()),
            "units": units,
            "segments": segments.len(),
            "bytes": self.bytes(|entry| entry.bytes),
            "text_bytes": self.bytes(|entry| entry.text),
            "keeps_texts": texts,
            "fields": fields,
            "recipe": recipe,
            "version": version,
            "unicode": unicode,
        }))
    }

    fn text(&self, width: usize, _: bool) -> Option<String> {
        let mut lines = Vec::new();
        let Changed {
            added,
            removed,
            skipped,
            ..
        } = self.changed;
        let parts = [
            (added, "added"),
            (removed, "removed"),
            (skipped, "skipped, as their ids are already there"),
            (self.unknown, "not found, so not removed"),
            (self.bad, "unreadable and skipped"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(texts, _)| *texts > 0)
            .map(|(texts, what)| format!("{} {what}", count(*texts)))
            .collect();
        let (text, bytes) = (
            self.bytes(|entry| entry.text),
            self.bytes(|entry| entry.bytes),
        );
        let path = self.path.display().to_string();
        let path = &*printable::line(&path);
        let size = format!(
            "{} of text in {}, {}",
            screen::size(text),
            screen::size(bytes),
            plural(self.description.segments.len() as u64, "segment")
        );
        let parts = match (parts.is_empty(), self.how == How::DryRun) {
            (true, true) => "nothing".to_owned(),
            _ => parts.join(", "),
        };
        if self.how == How::DryRun {
            lines.push(format!("Dry run, without changes: {parts}."));
        } else if !parts.is_empty() {
            lines.push(format!("{parts}."));
        }
        if self.checked {
            lines.push("Every page and every record is undamaged.".to_owned());
        }
        if !self.is_described {
            let records = plural(self.description.records(), "text");
            let new = if self.how == How::Created {
                "new index "
            } else {
                ""
            };
            lines.push(format!("{new}{path}: {records}, {size}."));
            return Some(lines.join("\n") + "\n");
        }
        let Description {
            recipe,
            texts,
            fields,
            version,
            unicode,
            ..
        } = &self.description;
        let mut table = screen::table(&["", path], width);
        let mut row = |name: &str, value: String| {
            table.add_row([name.to_owned(), value]);
        };
        row("texts", count(self.description.records()));
        let in_segments = self.bytes(|entry| entry.removed.into());
        if in_segments > 0 {
            row("removed, until segments are merged", count(in_segments));
        }
        row("size", size);
        let of = format!(
            "{}, unit {:?}, n {}, threshold {}",
            recipe.recipe, recipe.unit, recipe.ngram, recipe.threshold
        );
        row("recipe", of.to_lowercase());
        let kept = if *texts { "kept" } else { "not kept" };
        row("texts themselves", kept.to_owned());
        let fields = if fields.is_empty() {
            "none".to_owned()
        } else {
            fields.join(", ")
        };
        row("fields", printable::line(&fields).into_owned());
        row("made by", format!("version {version}, Unicode {unicode}"));
        lines.push(screen::show(&table));
        Some(lines.join("\n"))
    }
}
