//! What cuts leave of a record: which of its units are removed, and where the marks of the others
//! are.

use super::contract::Format;
use crate::edit::Marks;
use std::ops::Range;
use tegula::error::Result;
use tegula::record::Batch;

/// Whether only white space remains of a part of a text after removing `cuts`, which are ascending.
pub(crate) fn is_cut(text: &str, part: &Range<usize>, cuts: &[Range<usize>]) -> bool {
    let blank = |range: Range<usize>| {
        text.get(range)
            .is_none_or(|text| text.chars().all(char::is_whitespace))
    };
    let mut at = part.start;
    for cut in &cuts[cuts.partition_point(|cut| cut.end <= part.start)..] {
        if cut.start >= part.end || !blank(at..cut.start.max(at)) {
            break;
        }
        at = cut.end;
    }
    blank(at..part.end.max(at))
}

/// The marks of a record, relocated to what is `left` of it after removing `cuts`.
///
/// If a format marks units, the separator after a removed one is also removed: spans are again
/// those of the same units.
pub(crate) fn moved(
    format: &dyn Format,
    record: &str,
    left: &str,
    cuts: &[Range<usize>],
    marks: &Marks,
) -> Result<Marks> {
    let mut moved = marks.after(cuts);
    let (Some(before), Some(after)) = (&marks.spans, &mut moved.spans) else {
        return Ok(moved);
    };
    let (mut old, mut new) = (Batch::default(), Batch::default());
    format.decode(record, &mut old)?;
    format.decode(left, &mut new)?;
    let stay: Vec<_> = old
        .segments
        .iter()
        .filter(|unit| !is_cut(&old.text, &unit.text, cuts))
        .collect();
    if !stay
        .iter()
        .map(|unit| unit.level)
        .eq(new.segments.iter().map(|unit| unit.level))
    {
        return Ok(moved);
    }
    for (span, after) in before.iter().zip(after) {
        if let Some((_, unit)) = stay
            .iter()
            .zip(&new.segments)
            .find(|(unit, _)| unit.text == span.text)
        {
            after.text = unit.text.clone();
        }
    }
    Ok(moved)
}
