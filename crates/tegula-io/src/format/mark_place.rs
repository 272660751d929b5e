//! How marks are named, and where a file stores them.

use tegula::error::Error;

/// The style of marks.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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
