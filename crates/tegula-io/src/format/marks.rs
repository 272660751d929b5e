//! Parts of marks common to all formats: scores, spans, and the error for a name that is taken.

use super::patch::Note;
use crate::edit::{Count, Marks, SpanMark};
use crate::tables::{OF_MARKS, decimals};
use std::ops::Range;
use tegula::error::Error;

/// The marks of a record as text, by names without a prefix.
pub(crate) fn of_record(marks: &Marks) -> Vec<(&str, Option<String>)> {
    let of_duplicates = [
        ("duplicate_of", marks.duplicate_of.clone()),
        ("duplicate_score", marks.duplicate_score.map(number)),
        ("cluster_id", marks.cluster_id.clone()),
    ];
    let counts = marks.counts.iter().map(|(name, count)| {
        let count = match count {
            Count::Number(number) => number.to_string(),
            Count::ByValue(json) => json.clone(),
        };
        (name.as_str(), Some(count))
    });
    of_duplicates.into_iter().chain(counts).collect()
}

/// The marks of a unit inside a record as text.
pub(crate) fn of_span(span: &SpanMark) -> [(&'static str, Option<String>); 2] {
    [
        ("duplicate_of", span.duplicate_of.clone()),
        ("duplicate_score", Some(number(span.score))),
    ]
}

/// Spans of a text as JSON, in code points.
pub(crate) fn spans_json(text: &str, spans: &[SpanMark]) -> String {
    let mut points = CodePoints::new(text);
    let items: Vec<_> = (spans.iter())
        .map(|span| {
            format!(
                "{{\"start\":{},\"end\":{},\"duplicate_of\":{},\"score\":{}}}",
                points.of(span.text.start),
                points.of(span.text.end),
                optional(span.duplicate_of.as_deref()),
                number(span.score)
            )
        })
        .collect();
    format!("[{}]", items.join(","))
}

/// The error for a mark whose name is taken.
pub(crate) fn clashing(name: &str) -> Error {
    Error::data(format!("the record already has a field `{name}`"))
        .hint("give the marks other names with ⟨mark_prefix⟩")
}

/// The entries of a file next to the output for a record as a whole; none if it has no marks.
pub(crate) fn notes(at: Range<usize>, id: Option<String>, marks: &Marks) -> Vec<Note> {
    let values = given(of_record(marks));
    let note = Note { at, id, values };
    Some(note)
        .filter(|note| !note.values.is_empty())
        .into_iter()
        .collect()
}

/// The values that are set.
pub(crate) fn given<'n>(
    values: impl IntoIterator<Item = (&'n str, Option<String>)>,
) -> Vec<(String, String)> {
    let some = |(name, value): (&str, Option<_>)| value.map(|value| (name.to_owned(), value));
    values.into_iter().filter_map(some).collect()
}

/// A string or null.
pub(crate) fn optional(value: Option<&str>) -> String {
    serde_json::to_string(&value).unwrap_or_default()
}

/// A score, as the shortest decimal that represents the same number.
pub(crate) fn number(score: f64) -> String {
    if score.is_finite() {
        decimals(score, OF_MARKS)
    } else {
        "null".into()
    }
}

/// Counts code points up to ascending offsets; starts over for an earlier offset.
pub(crate) struct CodePoints<'a> {
    text: &'a str,
    at: usize,
    count: usize,
}

impl<'a> CodePoints<'a> {
    /// Counts in this text.
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            count: 0,
        }
    }

    /// The number of code points before a byte.
    pub(crate) fn of(&mut self, at: usize) -> usize {
        if at < self.at {
            *self = Self::new(self.text);
        }
        self.count += self
            .text
            .get(self.at..at)
            .map_or(0, |piece| piece.chars().count());
        self.at = at;
        self.count
    }
}
