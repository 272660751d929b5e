//! What happens to a record when a collection is written back.

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
    /// Both: bytes are left out, and marks added to what is left. Spans are bytes of the text before the cut, and lie in none.
    Change {
        /// As of [`Edit::Cut`].
        cuts: Vec<Range<usize>>,
        /// As of [`Edit::Mark`].
        marks: Marks,
    },
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

impl Marks {
    /// The marks as they stand when `cuts` have been left out of the text.
    pub(crate) fn after(&self, cuts: &[Range<usize>]) -> Self {
        let moved = |at: usize| at - cuts.iter().map(|cut| at.clamp(cut.start, cut.end) - cut.start).sum::<usize>();
        let mut marks = self.clone();
        for span in marks.spans.iter_mut().flatten() {
            span.text = moved(span.text.start)..moved(span.text.end);
        }
        marks
    }
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
