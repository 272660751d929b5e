//! The fields and tags that a collection has, for messages about those that it lacks.

use super::Contents;
use crate::block::Piece;
use crate::format::{arrow, parquet};
use crate::options::FormatName;
use std::collections::BTreeMap;
use tegula::context::Context;
use tegula::error::{Error, Result};
use tegula::record::Source as _;

impl Contents<'_> {
    /// The error for a field that no record has.
    pub(super) fn no_field(&self, name: &str) -> Result<Error> {
        let mut names: Vec<String> = Vec::new();
        for file in (0..self.collection.files().len() as u32).take(HEADS) {
            for found in self.names(file, name.starts_with('/'))? {
                if !names.contains(&found) {
                    names.push(found);
                }
            }
        }
        names.extend(self.collection.file_fields());
        let close = tegula::nearest::question(name, names.iter().map(String::as_str));
        let more = if names.len() > SHOWN {
            format!(" and {} more", names.len() - SHOWN)
        } else {
            String::new()
        };
        names.truncate(SHOWN);
        let names = names.join(", ");
        Ok(Error::of(format!("field '{name}'"))
            .expected("records that have it")
            .found(format!("none{close}; the fields are: {names}{more}"))
            .hint("use one of these fields"))
    }

    /// The field names of a file's first records; with `inner`, including those inside objects, as
    /// JSON Pointers.
    pub(super) fn names(&self, file: u32, inner: bool) -> Result<Vec<String>> {
        if let Some(layout) = self.collection.layout(file) {
            return Ok(arrow::names(layout.table.schema(), inner));
        }
        if self
            .collection
            .format(file)
            .is_some_and(|(format, _)| format == FormatName::Parquet)
        {
            return parquet::names(
                &self.collection.guards()[file as usize],
                self.collection.limits(),
                inner,
            );
        }
        let mut names: Vec<String> = Vec::new();
        if let Some(Piece::Block(block)) = self
            .collection
            .pieces(file, Some(LOOKED))
            .next()
            .transpose()?
        {
            let whole = block.valid_text();
            let _ = block.try_each(|_, range| -> std::result::Result<(), ()> {
                if let Ok(record) = block.record(range, whole) {
                    for name in block.plan.format.names(&record, inner) {
                        if !names.contains(&name) {
                            names.push(name);
                        }
                    }
                }
                Ok(())
            });
        }
        Ok(names)
    }

    /// The frequency of each tag, in one file or in all.
    pub(super) fn tags(
        &self,
        context: &Context,
        file: Option<u32>,
    ) -> Result<BTreeMap<String, u64>> {
        let mut tags = BTreeMap::new();
        let all = 0..self.collection.files().len() as u32;
        for file in file.map_or(all, |file| file..file + 1) {
            if !self
                .collection
                .format(file)
                .is_some_and(|(format, _)| format.facts().has_marks)
            {
                continue;
            }
            for piece in self.collection.pieces(file, self.options().limit) {
                context.check()?;
                if let Piece::Block(block) = piece? {
                    block
                        .plan
                        .format
                        .tags(&String::from_utf8_lossy(block.text()), &mut tags);
                }
            }
        }
        Ok(tags)
    }
}

/// Records of a file whose fields are listed.
const LOOKED: u64 = 200;

/// Files whose fields are listed.
const HEADS: usize = 100;

/// Names listed in a message.
const SHOWN: usize = 30;

/// Tags with their frequencies, in descending order.
pub(crate) fn listed(tags: &BTreeMap<String, u64>) -> String {
    if tags.is_empty() {
        return "none".into();
    }
    let mut order: Vec<_> = tags.iter().collect();
    order.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let mut shown: Vec<String> = order
        .iter()
        .take(SHOWN)
        .map(|(tag, count)| format!("{tag} ({count})"))
        .collect();
    if order.len() > SHOWN {
        shown.push(format!("and {} more", order.len() - SHOWN));
    }
    shown.join(", ")
}
