//! Edits to records when a collection is written back.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The edit to one record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Edit {
    /// Written back byte for byte.
    Keep,
    /// Removed.
    Drop,
    /// These bytes of its text (as read) are removed, ascending and disjoint; everything else is
    /// kept byte for byte.
    Cut(Vec<Range<usize>>),
    /// Written back with marks added.
    Mark(Marks),
    /// Both: bytes are removed, and marks added to the rest. Spans are bytes of the text before the
    /// cut, and not inside any cut.
    Change {
        /// As in [`Edit::Cut`].
        cuts: Vec<Range<usize>>,
        /// As in [`Edit::Mark`].
        marks: Marks,
    },
}

/// The marks of one record.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Marks {
    /// Id of the witness, for a duplicate.
    pub duplicate_of: Option<String>,
    /// Score against the witness, 0 to 1.
    pub duplicate_score: Option<f64>,
    /// Id of the cluster's earliest member; none for a text in no cluster.
    pub cluster_id: Option<String>,
    /// Units inside the text that are duplicates; `None` if the unit is the document.
    pub spans: Option<Vec<SpanMark>>,
    /// What a kept record stands for, by the names of [`MarkStyle::counts`].
    ///
    /// [`MarkStyle::counts`]: crate::rewrite::MarkStyle::counts
    pub counts: Vec<(String, Count)>,
}

/// A figure of a kept record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Count {
    /// One number.
    Number(u64),
    /// A number for each value of a field, as a JSON object.
    ByValue(String),
}

impl Marks {
    /// The marks after `cuts` have been removed from the text.
    pub(crate) fn after(&self, cuts: &[Range<usize>]) -> Self {
        let moved = |at: usize| {
            at - cuts
                .iter()
                .map(|cut| at.clamp(cut.start, cut.end) - cut.start)
                .sum::<usize>()
        };
        let mut marks = self.clone();
        for span in marks.spans.iter_mut().flatten() {
            span.text = moved(span.text.start)..moved(span.text.end);
        }
        marks
    }
}

/// A paragraph or sentence that is a duplicate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpanMark {
    /// Bytes of the text as read; written in code points.
    pub text: Range<usize>,
    /// Id of the witness; none for exceptions such as `--keep none`.
    pub duplicate_of: Option<String>,
    /// Score against the witness, 0 to 1.
    pub score: f64,
}
