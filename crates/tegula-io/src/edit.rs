//! What becomes of a record when a collection is written back.

use std::ops::Range;

/// What to do with one record.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// Written back byte for byte.
    Keep,
    /// Left out.
    Drop,
    /// These bytes of its text (as the reader gave it) are left out, ascending and disjoint; all else stays byte for byte.
    Cut(Vec<Range<usize>>),
    /// Written back with marks added.
    Mark(Marks),
}

/// The marks of one record.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Marks {
    /// Id of the witness, for a duplicate.
    pub duplicate_of: Option<String>,
    /// Score against the witness, 0 to 1.
    pub duplicate_score: Option<f64>,
    /// Id of the cluster's earliest member; none for a text that is like no other.
    pub cluster_id: Option<String>,
    /// Units inside the text that are duplicates; `None` where the unit is the document.
    pub spans: Option<Vec<SpanMark>>,
}

/// A paragraph or sentence that is a duplicate.
#[derive(Debug, Clone, PartialEq)]
pub struct SpanMark {
    /// Bytes of the text as the reader gave it; written out in code points.
    pub text: Range<usize>,
    /// Id of the witness; none for exceptions such as `--keep none`.
    pub duplicate_of: Option<String>,
    /// Score against the witness, 0 to 1.
    pub score: f64,
}
