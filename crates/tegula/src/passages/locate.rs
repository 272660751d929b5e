//! Where passages are in their texts, and the proof of each: the tokens are compared by their full
//! fingerprints, as those on the tape are only numbers.

use super::chain::admits;
use super::{Passage, Wanted};
use crate::context::{Context, Reservation};
use crate::engine::Job;
use crate::engine::reading::{Features, Reading};
use crate::engine::reread::{Firsts, for_each_first};
use crate::engine::taped::Taped;
use crate::error::Result;
use crate::hash::{Sequence, Width};
use crate::text::code_points::CodePoints;
use crate::text::normalise::Tokens;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Where a side of a passage is in its text.
#[derive(Clone, Default)]
struct Look {
    chars: Range<u32>,
    bytes: Range<u32>,
}

/// A passage as written in its first text.
type Text = (u32, Box<str>);

/// What has been seen so far.
struct Done<'a> {
    /// By side.
    looks: Vec<Look>,
    /// By part of each passage.
    proofs: Vec<u128>,
    texts: Vec<Text>,
    held: &'a mut Reservation,
}

/// One thread's buffers, with what it sees in a text.
#[derive(Default)]
struct Worker {
    tokens: Tokens,
    points: CodePoints,
    looks: Vec<Look>,
    digests: Vec<(usize, u128)>,
    texts: Vec<Text>,
}

/// Fills in the offsets of all passages, and drops those that the texts do not prove.
pub(super) fn locate(
    context: &Context,
    job: Job,
    taped: &Taped,
    wanted: &Wanted,
    passages: &mut Vec<Passage>,
    held: &mut Reservation,
) -> Result<()> {
    let normaliser = job.recipe.check()?;
    let reading = Reading {
        source: job.source,
        level: job.recipe.unit,
        mend: job.recipe.mend,
        digest: job.recipe.digest,
        normaliser: &normaliser,
        unmasked: None,
        items: None,
        width: Width::bits(job.tuning.id_bits),
        collapse: false,
        min_tokens: 0,
        own_tokens: false,
        tape: None,
        features: Features::Whole,
        count: None,
    };
    // Sides with what is seen of them, starts and proofs.
    let parts: usize = passages.iter().map(|passage| passage.parts.len()).sum();
    let side = size_of::<(u32, u32, bool)>() + size_of::<Look>();
    let bytes = (2 * side + size_of::<usize>()) * passages.len() + size_of::<u128>() * parts;
    held.grow(bytes as u64, "the places of passages")?;
    let mut sides: Vec<(u32, u32, bool)> = Vec::with_capacity(2 * passages.len());
    for (at, passage) in passages.iter().enumerate() {
        let group = |unit: u32| taped.groups.of_unit[unit as usize];
        sides.push((group(passage.a.unit), at as u32, true));
        sides.push((group(passage.b.unit), at as u32, false));
    }
    sides.sort_unstable();
    let mut some = vec![false; taped.groups.len()];
    for (group, ..) in &sides {
        some[*group as usize] = true;
    }
    let firsts = Firsts {
        units: &taped.units,
        groups: &taped.groups,
        wanted: Some(&some),
        same_steps: true,
    };
    let mut starts = Vec::with_capacity(passages.len());
    let mut at = 0;
    for passage in &*passages {
        starts.push(at);
        at += passage.parts.len();
    }
    let mut all = std::mem::take(passages);
    let (listed, first_parts) = (&all, &starts);
    let done = Mutex::new(Done {
        looks: vec![Look::default(); sides.len()],
        proofs: vec![0; parts],
        texts: Vec::new(),
        held,
    });
    for_each_first(
        context,
        &reading,
        firsts,
        "reading passages",
        Worker::default,
        |worker, group, text, _, buffers| {
            let Worker {
                tokens,
                points,
                looks,
                digests,
                texts,
            } = worker;
            normaliser.tokens(text, tokens);
            points.read(text);
            let from = sides.partition_point(|(other, ..)| *other < group);
            let here = sides[from..].iter().take_while(|(at, ..)| *at == group);
            for (_, at, is_a) in here {
                let passage = &listed[*at as usize];
                let side = if *is_a { &passage.a } else { &passage.b };
                let first = first_parts[*at as usize];
                for (part, proof) in passage.parts.iter().zip(first..) {
                    let from = if *is_a { part.a } else { part.b } as usize;
                    let mut sequence = Sequence::default();
                    buffers.tokens[from..from + part.length as usize]
                        .iter()
                        .for_each(|token| sequence.push(*token));
                    digests.push((proof, sequence.finish().digest()));
                }
                let (first, last) = (side.tokens.start as usize, side.tokens.end as usize - 1);
                let bytes = tokens.spans[first].start..tokens.spans[last].end;
                looks.push(Look {
                    chars: points.before(text, bytes.start)..points.before(text, bytes.end),
                    bytes: bytes.start as u32..bytes.end as u32,
                });
                if *is_a && wanted.texts {
                    texts.push((*at, text[bytes].into()));
                }
            }
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            let bytes: usize = texts.iter().map(|(_, text): &Text| text.len()).sum();
            let more = (bytes + texts.len() * size_of::<Text>()) as u64;
            done.held.grow(more, "the texts of the passages")?;
            done.texts.append(texts);
            for (look, at) in looks.drain(..).zip(from..) {
                done.looks[at] = look;
            }
            for (at, digest) in digests.drain(..) {
                // Equal on both sides, and so 0.
                done.proofs[at] ^= digest;
            }
            Ok(())
        },
    )?;
    let Done {
        looks,
        proofs: fingerprints,
        texts,
        ..
    } = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (look, (_, at, is_a)) in looks.into_iter().zip(&sides) {
        let passage = &mut all[*at as usize];
        let side = if *is_a {
            &mut passage.a
        } else {
            &mut passage.b
        };
        (side.chars, side.bytes) = (look.chars, look.bytes);
    }
    for (at, text) in texts {
        all[at as usize].text = text;
    }
    let mut at = 0;
    all.retain_mut(|passage| {
        let proofs = &fingerprints[at..at + passage.parts.len()];
        at += proofs.len();
        if proofs.iter().all(|proof| *proof == 0) {
            return true;
        }
        // Different tokens had one number: such a part is an edit.
        let mut proofs = proofs.iter();
        let (same, edits) = (&mut passage.same, &mut passage.edits);
        passage.parts.retain(|part| {
            let is_true = proofs.next() == Some(&0);
            if !is_true {
                *same -= part.length;
                *edits += part.length;
            }
            is_true
        });
        admits(wanted, passage.same, passage.edits)
    });
    *passages = all;
    Ok(())
}
