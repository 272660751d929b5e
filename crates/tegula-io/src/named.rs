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
use crate::options::{FormatName, ReadOptions};
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
        use FormatName::{Csv, Eml, Html, Mbox, Tei, Tsv, Vertical, Warc};
        let (own, usual) = (self.options, ReadOptions::default());
        let with_fields: Vec<FormatName> = FormatName::ALL
            .into_iter()
            .filter(|format| format.facts().has_fields)
            .collect();
        let options: [(&str, bool, &[FormatName]); 19] = [
            ("⟨text_key⟩", own.text_keys != usual.text_keys, &with_fields),
            ("⟨delimiter⟩", own.delimiter != usual.delimiter, &[Csv, Tsv]),
            ("⟨quote⟩", own.quote != usual.quote, &[Csv, Tsv]),
            ("⟨escape⟩", own.escape != usual.escape, &[Csv, Tsv]),
            ("⟨comment⟩", own.comment != usual.comment, &[Csv, Tsv]),
            ("⟨no_header⟩", own.no_header != usual.no_header, &[Csv, Tsv]),
            ("⟨doc_tag⟩", own.doc_tag != usual.doc_tag, &[Vertical]),
            (
                "⟨par_tag⟩",
                own.par_tag != usual.par_tag || own.par_elements != usual.par_elements,
                &[Vertical, Tei],
            ),
            (
                "⟨sent_tag⟩",
                own.sent_tag != usual.sent_tag,
                &[Vertical, Tei],
            ),
            ("⟨glue_tag⟩", own.glue_tag != usual.glue_tag, &[Vertical]),
            ("⟨columns⟩", own.columns != usual.columns, &[Vertical]),
            (
                "⟨word_column⟩",
                own.word_column != usual.word_column,
                &[Vertical],
            ),
            (
                "⟨tag_column⟩",
                own.tag_column != usual.tag_column,
                &[Vertical],
            ),
            (
                "⟨doc_element⟩",
                own.doc_element != usual.doc_element,
                &[Tei],
            ),
            (
                "⟨skip_element⟩",
                own.skip_elements != usual.skip_elements,
                &[Tei],
            ),
            ("⟨reading⟩", own.reading != usual.reading, &[Tei]),
            ("⟨text⟩", own.page_text != usual.page_text, &[Html, Warc]),
            ("⟨quoted⟩", own.quoted != usual.quoted, &[Eml, Mbox]),
            (
                "⟨attachments⟩",
                own.attachments != usual.attachments,
                &[Eml, Mbox],
            ),
        ];
        let has =
            |formats: &[FormatName]| self.files().any(|(.., format)| formats.contains(&format));
        match options
            .iter()
            .find(|(_, given, formats)| *given && !has(formats))
        {
            Some((option, _, formats)) => {
                let formats: Vec<String> = formats
                    .iter()
                    .map(|format| format!("{format:?}").to_lowercase())
                    .collect();
                Err(Error::usage(format!(
                    "{option}: expected a file in a format that has it ({}), found none",
                    formats.join(", ")
                ))
                .hint("leave it out, or set ⟨format⟩"))
            }
            None => Ok(()),
        }
    }

    /// The options with tags, except elements to skip: naming one that is in no file is the way to
    /// skip none.
    fn named_tags(&self) -> Vec<Tag<'a>> {
        use FormatName::{Tei, Vertical};
        let (own, usual) = (self.options, ReadOptions::default());
        let mut named: Vec<Tag> = Vec::new();
        if own.doc_tag != usual.doc_tag {
            named.push(("⟨doc_tag⟩", vec![(Vertical, &own.doc_tag)]));
        }
        if own.par_tag != usual.par_tag || own.par_elements != usual.par_elements {
            let elements = own.par_elements.iter().map(|name| (Tei, name.as_str()));
            named.push((
                "⟨par_tag⟩",
                elements.chain([(Vertical, own.par_tag.as_str())]).collect(),
            ));
        }
        for (option, tag, usual, formats) in [
            (
                "⟨sent_tag⟩",
                &own.sent_tag,
                &usual.sent_tag,
                &[Vertical, Tei][..],
            ),
            ("⟨glue_tag⟩", &own.glue_tag, &usual.glue_tag, &[Vertical]),
        ] {
            if tag != usual && tag != ReadOptions::NO_TAG {
                named.push((
                    option,
                    formats
                        .iter()
                        .map(|format| (*format, tag.as_str()))
                        .collect(),
                ));
            }
        }
        named.extend(
            own.doc_element
                .iter()
                .map(|name| ("⟨doc_element⟩", vec![(Tei, name.as_str())])),
        );
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
        Err(Error::usage(format!(
            "{option}: expected {}, found none in any file; the tags found are: {}",
            tags.join(" or "),
            listed(&there)
        ))
        .hint("use one of these tags, or leave it out"))
    }

    /// Refuses names and numbers of columns beyond those of all vertical files.
    fn columns(&self, context: &Context) -> Result<()> {
        let named = [
            ("⟨columns⟩", self.options.columns.len()),
            ("⟨tag_column⟩", self.options.tag_column.unwrap_or(0)),
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
            Some((option, columns)) if widest > 0 => {
                Err(Error::usage(format!("{option}: expected at least {columns} columns, found {widest} in every vertical file"))
                    .hint("name the existing columns, in their order"))
            }
            _ => Ok(()),
        }
    }
}
