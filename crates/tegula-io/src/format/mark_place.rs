//! How marks are named, and where a file stores them.

use super::marks::{number, optional};
use crate::edit::{Count, Marks, SpanMark};
use tegula::error::{Error, Result};

/// The style of marks.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct MarkStyle {
    /// The prefix of the names `duplicate_of`, `duplicate_score`, `cluster_id`, `duplicate_spans`
    /// and of those of `counts`.
    pub prefix: String,
    /// Whether units inside texts are marked, so that CSV gets a column for them.
    pub spans: bool,
    /// The figures that kept records get besides: their names, and whether each has a number for each
    /// value of a field.
    pub counts: Vec<(String, bool)>,
    /// Whether records get only these figures, and no other marks.
    pub only_counts: bool,
    /// Where to write the mark, in formats with several places.
    pub place: MarkPlace,
}

impl MarkStyle {
    /// The marks that a record gets, in order, with or without those inside its text.
    pub(crate) fn marks(&self, spans: bool) -> Vec<MarkColumn> {
        let of_duplicates = match (self.only_counts, spans) {
            (true, _) => &OF_DUPLICATES[..0],
            (false, false) => &OF_DUPLICATES[..3],
            (false, true) => &OF_DUPLICATES[..],
        };
        let of_duplicates = of_duplicates.iter().map(|(name, kind)| (*name, *kind));
        let counts = (self.counts.iter()).map(|(name, by_value)| {
            let kind = if *by_value {
                MarkKind::CountBy
            } else {
                MarkKind::Count
            };
            (name.as_str(), kind)
        });
        of_duplicates
            .chain(counts)
            .map(|(plain, kind)| MarkColumn {
                name: self.name(plain),
                plain: plain.to_owned(),
                kind,
            })
            .collect()
    }

    /// The name of a mark.
    pub(crate) fn name(&self, mark: &str) -> String {
        format!("{}{mark}", self.prefix)
    }
}

/// The marks of duplicates, without a prefix: of a record, and of the units inside its text.
const OF_DUPLICATES: [(&str, MarkKind); 4] = [
    ("duplicate_of", MarkKind::Witness),
    ("duplicate_score", MarkKind::Score),
    ("cluster_id", MarkKind::Cluster),
    ("duplicate_spans", MarkKind::Spans),
];

/// What a mark says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkKind {
    /// The witness of the record.
    Witness,
    /// The score against it.
    Score,
    /// The cluster of the record.
    Cluster,
    /// The duplicates inside its text.
    Spans,
    /// A figure.
    Count,
    /// A figure for each value of a field.
    CountBy,
}

/// A mark that records get, as a column of those formats that have columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MarkColumn {
    /// Its name.
    pub(crate) name: String,
    /// Its name without the prefix.
    plain: String,
    /// What it says.
    pub(crate) kind: MarkKind,
}

/// The value of a mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum MarkValue<'a> {
    /// An id.
    Text(&'a str),
    /// A score.
    Score(f64),
    /// A number of texts.
    Count(u64),
    /// A JSON object.
    Json(&'a str),
    /// Units inside the text.
    Spans(&'a [SpanMark]),
}

impl MarkColumn {
    /// The value of one record; none where it says nothing.
    pub(crate) fn of<'a>(&self, marks: &'a Marks) -> Option<MarkValue<'a>> {
        match self.kind {
            MarkKind::Witness => marks.duplicate_of.as_deref().map(MarkValue::Text),
            MarkKind::Score => marks.duplicate_score.map(MarkValue::Score),
            MarkKind::Cluster => marks.cluster_id.as_deref().map(MarkValue::Text),
            MarkKind::Spans => marks.spans.as_deref().map(MarkValue::Spans),
            MarkKind::Count | MarkKind::CountBy => {
                let mut counts = marks.counts.iter();
                let (_, count) = counts.find(|(name, _)| *name == self.plain)?;
                Some(match count {
                    Count::Number(number) => MarkValue::Count(*number),
                    Count::ByValue(json) => MarkValue::Json(json),
                })
            }
        }
    }

    /// A value that is no text, as JSON; `spans` writes those inside the text.
    pub(crate) fn json(
        value: MarkValue,
        spans: impl FnOnce(&[SpanMark]) -> Result<String>,
    ) -> Result<String> {
        Ok(match value {
            MarkValue::Text(text) => optional(Some(text)),
            MarkValue::Score(score) => number(score),
            MarkValue::Count(count) => count.to_string(),
            MarkValue::Json(json) => json.to_owned(),
            MarkValue::Spans(list) => spans(list)?,
        })
    }
}

tegula::choices! {
    /// Where a file stores its marks.
    pub enum MarkPlace, by default Attribute {
        /// On the structure: attributes of the tag, comments in CoNLL-U, headers of mail, fields elsewhere
        Attribute = "attribute",
        /// Vertical: a new first column, 1 for a duplicate, else 0
        FirstColumn = "first-column",
        /// Vertical: a new last column, 1 for a duplicate, else 0
        LastColumn = "last-column",
        /// CoNLL-U: the last column of every token of a duplicate
        Misc = "misc",
        /// TEI, web pages and archives (their default): a file next to the output, OUTPUT.standoff
        Standoff = "standoff",
        /// WARC: the record of a duplicate becomes a revisit record that refers to its witness
        Revisit = "revisit",
    }
}

impl MarkPlace {
    /// The error if a format does not support this place.
    pub(crate) fn unknown(self, format: &str, known: &str) -> Error {
        Error::of("⟨mark_place⟩")
            .expected(format!("{known} for {format}"))
            .found(self.name())
    }
}
