//! What is written of a record: its fields, its text, its marks.

use super::Fields;
use crate::edit::Marks;
use crate::format::marks::CodePoints;
use crate::format::{MarkColumn, MarkStyle};
use std::ops::Range;

/// A record to write.
#[derive(Debug, Clone, Copy)]
pub struct OutputRecord<'a> {
    /// Its fields.
    pub fields: &'a Fields<'a>,
    /// Its text, for counting code points if its marks have spans.
    pub text: &'a str,
    /// Its marks: for `--removed`, the witness and the score.
    pub marks: Option<&'a Marks>,
}

/// The marks to add to records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SinkOptions {
    /// Whether records get marks.
    pub marks: bool,
    /// Which, and their names.
    pub style: MarkStyle,
}

/// The marks to write.
pub(super) fn mark_columns(options: &SinkOptions) -> Vec<MarkColumn> {
    let columns = options
        .marks
        .then(|| options.style.marks(options.style.spans));
    columns.unwrap_or_default()
}

/// A span in code points.
pub(super) fn text_span(text: &str, span: &Range<usize>) -> (i64, i64) {
    let mut points = CodePoints::new(text);
    let mut of = |at: usize| points.of(at.min(text.len())) as i64;
    (of(span.start), of(span.end))
}
