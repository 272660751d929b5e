//! How marks are named, and where a file stores them.

use tegula::error::Error;

/// The style of marks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkStyle {
    /// The prefix of the names `duplicate_of`, `duplicate_score`, `cluster_id` and
    /// `duplicate_spans`.
    pub prefix: String,
    /// Whether units inside texts are marked, so that CSV gets a column for them.
    pub spans: bool,
    /// Where to write the mark, in formats with several places.
    pub place: MarkPlace,
}

impl MarkStyle {
    /// The name of a mark.
    pub(crate) fn name(&self, mark: &str) -> String {
        format!("{}{mark}", self.prefix)
    }
}

/// Where a file stores its marks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MarkPlace {
    /// With the structure that is marked: attributes of its tag (vertical, TEI), comments
    /// (CoNLL-U), fields (JSONL, CSV, Parquet), headers (mail).
    #[default]
    Attribute,
    /// A first column of every token line: `1` in a duplicate, else `0`.
    FirstColumn,
    /// A last column of every token line: `1` in a duplicate, else `0`.
    LastColumn,
    /// CoNLL-U: the last column of every token of a duplicate.
    Misc,
    /// TEI, web pages and mail: a file next to the output, with `.standoff` appended to the output's
    /// name.
    Standoff,
    /// Web archives: the record of a duplicate becomes a `revisit` that refers to its witness.
    Revisit,
}

impl MarkPlace {
    /// The value of `--mark-place`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attribute => "attribute",
            Self::FirstColumn => "first-column",
            Self::LastColumn => "last-column",
            Self::Misc => "misc",
            Self::Standoff => "standoff",
            Self::Revisit => "revisit",
        }
    }

    /// The error if a format does not support this place.
    pub(crate) fn unknown(self, format: &str, known: &str) -> Error {
        Error::usage(format!(
            "⟨mark_place⟩: expected {known} for {format}, found {}",
            self.name()
        ))
    }
}
