//! Checks that reading options have an effect: that there are files of a format with the option,
//! tags, columns.
//!
//! [`check`] considers all collections of a run together, as one may contain what another lacks.
//! Usually the first block of a file suffices; a tag that occurs nowhere costs a pass over all
//! files that could contain it. *Not useful for* requirements on records: see [`crate::contents`].

use crate::block::Piece;
use crate::collection::Collection;
use crate::columns;
use crate::contents::listed;
use crate::options::{FormatName, OfFormats, ReadOptions, TagOptions};
use std::collections::BTreeMap;
use tegula::context::Context;
use tegula::error::{Error, Result};
use tegula::record::Source;

/// Refuses options that refer to something in no file. The collections are read with the same
/// options.
///
/// # Errors
/// Names the option, and lists the alternatives; an error if a file cannot be read.
pub fn check(context: &Context, collections: &[&Collection]) -> Result<()> {
    let Some(first) = collections.first() else {
        return Ok(());
    };
    let named = Named {
        options: first.options(),
        collections,
    };
    named.formats()?;
    named.tags(context)?;
    named.columns(context)
}

/// Non-default options, and what they refer to.
struct Named<'a> {
    options: &'a ReadOptions,
    collections: &'a [&'a Collection],
}

/// The options of a block that are given, and its formats.
fn of<T: OfFormats>(block: &T) -> (Vec<&'static str>, &'static [FormatName]) {
    (block.given(), T::FORMATS)
}

/// An option with a tag: found if any of these tags is in a file of that format.
type Tag<'a> = (&'static str, Vec<(FormatName, &'a str)>);

impl<'a> Named<'a> {
    /// All files with their formats.
    fn files(&self) -> impl Iterator<Item = (&'a Collection, u32, FormatName)> {
        let of = |all: &&'a Collection| (*all, all.files().len() as u32);
        let files = self
            .collections
            .iter()
            .map(of)
            .flat_map(|(all, count)| (0..count).map(move |file| (all, file)));
        files.filter_map(|(all, file)| Some((all, file, all.format(file)?.0)))
    }

    /// Refuses options for formats that are not among the files.
    fn formats(&self) -> Result<()> {
        let options = self.options;
        let with_fields: Vec<FormatName> = (FormatName::ALL.into_iter())
            .filter(|format| format.facts().has_fields)
            .collect();
        let text_key = if options.text_key.is_empty() {
            &[][..]
        } else {
            &["text_key"]
        };
        let blocks = [
            (text_key.to_vec(), &with_fields[..]),
            of(&options.csv),
            of(&options.tags),
            of(&options.vertical),
            of(&options.tei),
            of(&options.page),
            of(&options.mail),
        ];
        let has =
            |formats: &[FormatName]| self.files().any(|(.., format)| formats.contains(&format));
        let idle = (blocks.iter()).find(|(given, formats)| !given.is_empty() && !has(formats));
        let Some((given, formats)) = idle else {
            return Ok(());
        };
        let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
        Err(Error::of(format!("⟨{}⟩", given[0]))
            .expected(format!(
                "a file in a format that has it ({})",
                names.join(", ")
            ))
            .found("none")
            .hint("leave it out, or set ⟨format⟩"))
    }

    /// The options with tags, except elements to skip: naming one that is in no file is the way to
    /// skip none.
    fn named_tags(&self) -> Vec<Tag<'a>> {
        use FormatName::{Tei, Vertical};
        let ReadOptions {
            tags,
            vertical,
            tei,
            ..
        } = self.options;
        let mut named: Vec<Tag> = Vec::new();
        let mut add = |option, tag: &'a Option<String>, formats: &[FormatName]| {
            if let Some(tag) = tag.as_deref().filter(|tag| *tag != TagOptions::NONE) {
                named.push((
                    option,
                    formats.iter().map(|format| (*format, tag)).collect(),
                ));
            }
        };
        add("⟨doc_tag⟩", &vertical.doc_tag, &[Vertical]);
        add("⟨sent_tag⟩", &tags.sent_tag, &[Vertical, Tei]);
        add("⟨glue_tag⟩", &vertical.glue_tag, &[Vertical]);
        add("⟨doc_element⟩", &tei.doc_element, &[Tei]);
        if let Some(all) = &tags.par_tag {
            let elements = all.split(',').map(|name| (Tei, name));
            let all = elements.chain([(Vertical, all.as_str())]).collect();
            let place = usize::from(vertical.doc_tag.is_some());
            named.insert(place, ("⟨par_tag⟩", all));
        }
        named
    }

    /// Refuses named tags that occur nowhere.
    fn tags(&self, context: &Context) -> Result<()> {
        let mut open = self.named_tags();
        let mut there: BTreeMap<String, u64> = BTreeMap::new();
        for (collection, file, format) in
            self.files().filter(|(.., format)| format.facts().has_marks)
        {
            for piece in collection.pieces(file, self.options.limit) {
                if open.is_empty() {
                    return Ok(());
                }
                context.check()?;
                let Piece::Block(block) = piece? else {
                    continue;
                };
                let mut here = BTreeMap::new();
                block
                    .plan
                    .format
                    .tags(&String::from_utf8_lossy(block.text()), &mut here);
                open.retain(|(_, tags)| {
                    !tags
                        .iter()
                        .any(|(of, tag)| *of == format && here.contains_key(&format!("<{tag}>")))
                });
                for (tag, count) in here {
                    *there.entry(tag).or_default() += count;
                }
            }
        }
        let Some((option, tags)) = open.first() else {
            return Ok(());
        };
        let mut tags: Vec<String> = tags
            .iter()
            .filter(|(of, _)| self.files().any(|(.., format)| format == *of))
            .map(|(_, tag)| format!("<{tag}>"))
            .collect();
        tags.dedup();
        Err(Error::of(option)
            .expected(tags.join(" or "))
            .found(format!(
                "none in any file; the tags found are: {}",
                listed(&there)
            ))
            .hint("use one of these tags, or leave it out"))
    }

    /// Refuses names and numbers of columns beyond those of all vertical files.
    fn columns(&self, context: &Context) -> Result<()> {
        let named = [
            ("⟨columns⟩", self.options.vertical.columns().len()),
            (
                "⟨tag_column⟩",
                self.options.vertical.tag_column().unwrap_or(0),
            ),
        ];
        let most = named.iter().map(|(_, columns)| *columns).max().unwrap_or(0);
        let mut widest = 0;
        for (collection, file, format) in self.files() {
            if format != FormatName::Vertical || widest >= most {
                continue;
            }
            widest = widest.max(columns::of_file(context, collection, file)?);
        }
        match named.iter().find(|(_, columns)| *columns > widest) {
            Some((option, columns)) if widest > 0 => Err(Error::of(option)
                .expected(format!("at least {columns} columns"))
                .found(format!("{widest} in every vertical file"))
                .hint("name the existing columns, in their order")),
            _ => Ok(()),
        }
    }
}
