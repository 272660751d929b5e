//! What is known about a format before a file is opened, as defined in each format's file.

use super::mark_place::MarkPlace;
use crate::options::{FormatName, ReadOptions};

/// What is known about a format before a file is opened.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is independent of the others"
)]
pub struct FormatFacts {
    /// Its name.
    pub name: FormatName,
    /// The noun for a file of this format.
    pub noun: &'static str,
    /// The file name extensions, without the dot.
    pub endings: &'static [&'static str],
    /// Whether the sample of a file, `whole` or not, is in this format; formats are tried from the
    /// last of [`FormatName::ALL`] to the first.
    pub(crate) recognises: fn(&Sample) -> bool,
    /// Whether records have fields: one of them is the text, which may be missing, and files of
    /// other formats can be converted to this one.
    pub has_fields: bool,
    /// Whether paragraphs and sentences are marked.
    pub has_marks: bool,
    /// Whether documents begin at marks, so that a file without any is one document; such formats
    /// have their own tokens.
    pub has_tokens: bool,
    /// Whether the texts of a file have their own encodings, so that it is cut and written as
    /// bytes. A record is then passed on with a character of windows-1252 for each byte.
    pub is_bytes: bool,
    /// Where files store marks, the default first.
    pub places: &'static [MarkPlace],
    /// Where the texts of a file are.
    pub texts: fn(&ReadOptions) -> String,
}

/// A sample of the beginning of a file.
pub(crate) struct Sample<'a> {
    pub(crate) text: &'a str,
    /// Whether it is the whole file.
    pub(crate) whole: bool,
    pub(crate) options: &'a ReadOptions,
}

/// For formats that are not recognised by their text.
pub(super) fn never(_: &Sample) -> bool {
    false
}

/// Where the texts of records with fields are.
pub(super) fn in_fields(options: &ReadOptions) -> String {
    if options.text_key.is_empty() {
        "key text".into()
    } else {
        format!("key {}", options.text_key.join(", "))
    }
}
