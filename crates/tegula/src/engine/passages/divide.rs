//! Divides texts at the borders of the passages to cut, and proves these: their tokens are compared
//! with those of the kept ones by full fingerprints.

use super::order::Order;
use super::scan::Cut;
use crate::context::{Context, Reservation};
use crate::engine::Job;
use crate::engine::reading::Reading;
use crate::engine::reread::{Firsts, for_each_first};
use crate::error::Result;
use crate::evidence::{Span, SpanSource, Spans};
use crate::group::Groups;
use crate::hash::{Fingerprint, Sequence};
use crate::record::Level;
use crate::text::code_points::CodePoints;
use crate::text::segment::Part;
use crate::text::spans::TokenSpans;
use crate::unit::Units;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// A stretch of a text, from one border to the next.
struct Piece {
    tokens: Range<u32>,
    part: Part,
    digest: u128,
    /// The index of its cut, if it is one.
    cut: Option<u32>,
}

/// Divided texts, with their pieces.
type Divided = Vec<(u32, Vec<Piece>)>;

/// What the texts say of a cut.
#[derive(Clone, Default)]
struct Look {
    chars: Range<u32>,
    source: Range<u32>,
    /// Zero if the fingerprints of both sides are equal.
    proof: u128,
}

/// A side of a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    unit: u32,
    token: u32,
    cut: u32,
    is_source: bool,
}

/// The passages as units, and those of them that occur in kept text.
///
/// # Errors
/// Errors of the source, the memory ceiling or scratch.
pub(super) fn divide(
    context: &Context,
    job: Job,
    whole: Units,
    order: &Order,
    cuts: &[Cut],
) -> Result<(Units, Spans)> {
    let each = 2 * size_of::<Side>() + size_of::<Look>();
    let mut held = context.budget.reserve(
        (each * cuts.len() + 12 * whole.len()) as u64,
        "the places of passages",
    )?;
    let mut sides: Vec<Side> = Vec::with_capacity(2 * cuts.len());
    for (at, cut) in (0..).zip(cuts) {
        let ends = [(Some(cut.at), false), (cut.source, true)];
        sides.extend(ends.into_iter().filter_map(|(place, is_source)| {
            let place = order.at(place?);
            Some(Side {
                unit: place.unit,
                token: place.token,
                cut: at,
                is_source,
            })
        }));
    }
    sides.sort_unstable();
    let (looks, mut pieces) = look(context, job, &whole, (&sides, cuts), &mut held)?;
    drop(sides);
    pieces.sort_unstable_by_key(|(unit, _)| *unit);
    let count: usize = pieces.iter().map(|(_, pieces)| pieces.len()).sum();
    held.grow(48 * (whole.len() + count) as u64, "the table of passages")?;
    Ok(units(whole, pieces, order, cuts, &looks))
}

/// Reads the texts with a side of a cut: what they say of each, and the pieces of those that are
/// cut.
fn look(
    context: &Context,
    job: Job,
    whole: &Units,
    (sides, cuts): (&[Side], &[Cut]),
    held: &mut Reservation,
) -> Result<(Vec<Look>, Divided)> {
    let normaliser = job.recipe.check()?;
    let reading = Reading::wholes(job.source, job.recipe, &normaliser);
    let groups = Groups::single(whole.len());
    let mut some = vec![false; whole.len()];
    for side in sides {
        some[side.unit as usize] = true;
    }
    let firsts = Firsts {
        units: whole,
        groups: &groups,
        wanted: Some(&some),
        same_steps: true,
    };
    let done = Mutex::new((vec![Look::default(); cuts.len()], Vec::new(), held));
    for_each_first(
        context,
        &reading,
        firsts,
        "reading passages",
        || (TokenSpans::default(), CodePoints::default()),
        |(spans, points), unit, text, _, buffers| {
            let spans = spans.read(&normaliser, text);
            points.read(text);
            let from = sides.partition_point(|side| side.unit < unit);
            let here = sides[from..].iter().take_while(|side| side.unit == unit);
            let pieces = divided(text, spans, &buffers.tokens, here.clone(), cuts);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            let (looks, all, held) = &mut *done;
            for side in here {
                let (look, length) = (
                    &mut looks[side.cut as usize],
                    cuts[side.cut as usize].length,
                );
                let (first, end) = (side.token as usize, (side.token + length) as usize);
                look.proof ^= digest(&buffers.tokens[first..end]);
                let before = |at| points.before(text, at);
                let chars = before(spans[first].start)..before(spans[end - 1].end);
                if side.is_source {
                    look.source = chars;
                } else {
                    look.chars = chars;
                    if cuts[side.cut as usize].source.is_none() {
                        look.proof = 0;
                    }
                }
            }
            if !pieces.is_empty() {
                let bytes = pieces.len() * size_of::<Piece>() + 2 * size_of::<Vec<Piece>>();
                held.grow(bytes as u64, "the passages of a text")?;
                all.push((unit, pieces));
            }
            Ok(())
        },
    )?;
    let (looks, pieces, _) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((looks, pieces))
}

/// The pieces of a text, in order; none if nothing of it is cut.
fn divided<'s>(
    text: &str,
    spans: &[Range<usize>],
    tokens: &[Fingerprint],
    sides: impl Iterator<Item = &'s Side>,
    cuts: &[Cut],
) -> Vec<Piece> {
    let own: Vec<(u32, Range<u32>)> = sides
        .filter(|side| !side.is_source)
        .map(|side| {
            let length = cuts[side.cut as usize].length;
            (side.cut, side.token..side.token + length)
        })
        .collect();
    let mut pieces = Vec::new();
    let mut push = |range: Range<u32>, cut: Option<u32>| {
        if !range.is_empty() {
            let (first, end) = (range.start as usize, range.end as usize);
            let bytes = spans[first].start..spans[end - 1].end;
            // Cut from the first token on: what comes before it belongs to it.
            let start = if first == 0 { 0 } else { bytes.start };
            let next = spans.get(end).map_or(text.len(), |next| next.start);
            // A character may have become two tokens, one of which is cut.
            let next = next.max(bytes.end);
            pieces.push(Piece {
                part: Part {
                    cut: start..after(text, bytes.end..next, end == spans.len()),
                    text: bytes,
                },
                tokens: range,
                digest: digest(&tokens[first..end]),
                cut,
            });
        }
    };
    let mut at = 0;
    for (cut, range) in &own {
        push(at..range.start, None);
        push(range.clone(), Some(*cut));
        at = range.end;
    }
    if !own.is_empty() {
        push(at..tokens.len() as u32, None);
    }
    pieces
}

/// The end of a cut, in what lies between its last token and the next: after the white space there,
/// so that an opening quotation mark stays with its word.
fn after(text: &str, between: Range<usize>, is_last: bool) -> usize {
    if is_last {
        return between.end;
    }
    let all = &text[between.clone()];
    let space = all.rfind(char::is_whitespace);
    let width = |at: usize| all[at..].chars().next().map_or(0, char::len_utf8);
    space.map_or(between.end, |at| between.start + at + width(at))
}

fn digest(tokens: &[Fingerprint]) -> u128 {
    let mut sequence = Sequence::default();
    for token in tokens {
        sequence.push(*token);
    }
    sequence.finish().digest()
}

/// The table of pieces: those of divided texts, and all others whole.
fn units(
    whole: Units,
    pieces: Divided,
    order: &Order,
    cuts: &[Cut],
    looks: &[Look],
) -> (Units, Spans) {
    let mut units = Units::new(Level::Passage, whole.files, Vec::new());
    let mut first_units = Vec::with_capacity(whole.tokens.len());
    // By piece, its first token.
    let mut tokens: Vec<u32> = Vec::new();
    let mut spans = Vec::new();
    let mut pieces = pieces.into_iter().peekable();
    for at in 0..whole.tokens.len() {
        first_units.push(units.tokens.len() as u32);
        let Some((_, own)) = pieces.next_if(|(unit, _)| *unit as usize == at) else {
            let all = 0..whole.text_bytes[at] as usize;
            let part = Part {
                text: all.clone(),
                cut: all,
            };
            units.parts.push((&part).into());
            units.tokens.push(whole.tokens[at]);
            units.text_bytes.push(whole.text_bytes[at]);
            units.digest.push(whole.digest[at]);
            tokens.push(0);
            continue;
        };
        for piece in own {
            if let Some(cut) = piece.cut.filter(|cut| looks[*cut as usize].proof == 0) {
                let span = Span {
                    unit: units.tokens.len() as u32,
                    chars: looks[cut as usize].chars.clone(),
                    source: None,
                };
                spans.push((cut, span));
            }
            units.parts.push((&piece.part).into());
            units.tokens.push(piece.tokens.len() as u32);
            units.text_bytes.push(piece.part.text.len() as u32);
            units.digest.push(piece.digest);
            tokens.push(piece.tokens.start);
        }
    }
    units.records = whole.records;
    units.records.first_unit = first_units;
    let list = spans.into_iter().map(|(cut, span)| {
        let source = cuts[cut as usize].source.map(|source| {
            let at = order.at(source);
            let of_text = units.of_record(at.unit as usize);
            let starts = &tokens[of_text.start as usize..of_text.end as usize];
            let piece = starts.partition_point(|start| *start <= at.token) - 1;
            SpanSource {
                unit: of_text.start + piece as u32,
                chars: looks[cut as usize].source.clone(),
            }
        });
        Span { source, ..span }
    });
    let list = list.collect();
    (units, Spans { list })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_takes_what_follows_it_up_to_the_next_word() {
        fn end(text: &str) -> &str {
            let next = text.find('n').unwrap_or(text.len());
            &text[after(text, 1..next, next == text.len())..]
        }
        assert_eq!(end("x. \u{201E}next"), "\u{201E}next");
        assert_eq!(end("x.\n\nnext"), "next");
        assert_eq!(end("x-next"), "next");
        assert_eq!(end("x.\u{A0}next"), "next");
        assert_eq!(end("x.)\n"), "");
    }
}
