//! Texts of several fields that are compared as one.

use std::ops::Range;

/// The separator between the texts of several fields.
pub(crate) const JOINT: &str = "\n\n";

/// Distributes cuts of a joined text to its parts.
pub(crate) fn split_cuts(
    lengths: impl Iterator<Item = usize>,
    cuts: &[Range<usize>],
) -> Vec<Vec<Range<usize>>> {
    let mut start = 0;
    lengths
        .map(|length| {
            let part = start..start + length;
            start = part.end + JOINT.len();
            cuts.iter()
                .map(|cut| cut.start.max(part.start)..cut.end.min(part.end))
                .filter(|cut| cut.start < cut.end)
                .map(|cut| cut.start - part.start..cut.end - part.start)
                .collect()
        })
        .collect()
}
