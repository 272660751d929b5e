//! What is to be known of a format before a file is opened: each format's file says it of its own.

use super::MarkPlace;
use crate::options::{FormatName, ReadOptions};

/// What is to be known of a format before a file is opened.
pub struct FormatFacts {
    /// Its name.
    pub name: FormatName,
    /// Its name as options and JSON write it.
    pub label: &'static str,
    /// What a file of it is, in a few words.
    pub title: &'static str,
    /// How a file of it is called.
    pub noun: &'static str,
    /// The endings of names, without the dot.
    pub endings: &'static [&'static str],
    /// Whether the sample of a file, `whole` or not, is of this format; the formats are asked from the last of [`FormatName::ALL`] to the first.
    pub(crate) recognises: fn(&Sample) -> bool,
    /// Whether records have fields: one of them is the text, which may be missing, and files of other formats can become such a file.
    pub has_fields: bool,
    /// Whether paragraphs and sentences are marked.
    pub has_marks: bool,
    /// Whether documents begin at marks, and a file without any is one document; such formats have tokens of their own.
    pub has_tokens: bool,
    /// Where files carry marks, the usual place first.
    pub places: &'static [MarkPlace],
    /// Where the texts of a file are.
    pub texts: fn(&ReadOptions) -> String,
}

/// The beginning of a file.
pub(crate) struct Sample<'a> {
    pub(crate) text: &'a str,
    /// Whether it is all of the file.
    pub(crate) whole: bool,
    pub(crate) options: &'a ReadOptions,
}

/// Of formats that are not recognised by their text.
pub(super) fn never(_: &Sample) -> bool {
    false
}

/// Where the texts of records with fields are.
pub(super) fn in_fields(options: &ReadOptions) -> String {
    if options.text_keys.is_empty() { "key text".into() } else { format!("key {}", options.text_keys.join(", ")) }
}
