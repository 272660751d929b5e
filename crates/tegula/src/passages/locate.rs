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
use crate::text::normalise::Tokens;
use std::sync::{Mutex, PoisonError};

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
    // Sides, starts and proofs.
    let parts: usize = passages.iter().map(|passage| passage.parts.len()).sum();
    let bytes = 32 * passages.len() + 16 * parts;
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
    let fingerprints: Vec<u128> = vec![0; parts];
    let mut starts = Vec::with_capacity(passages.len());
    let mut at = 0;
    for passage in &*passages {
        starts.push(at);
        at += passage.parts.len();
    }
    let done = Mutex::new((std::mem::take(passages), fingerprints, held));
    for_each_first(
        context,
        &reading,
        firsts,
        "reading passages",
        Tokens::default,
        |tokens, group, text, _, buffers| {
            normaliser.tokens(text, tokens);
            let ends = tokens.chars(text);
            let from = sides.partition_point(|(other, ..)| *other < group);
            let here = sides[from..].iter().take_while(|(at, ..)| *at == group);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            let (passages, fingerprints, held) = &mut *done;
            for (_, at, is_a) in here {
                let passage = &mut passages[*at as usize];
                let first = starts[*at as usize];
                for (part, proof) in passage.parts.iter().zip(&mut fingerprints[first..]) {
                    let from = if *is_a { part.a } else { part.b } as usize;
                    let mut sequence = Sequence::default();
                    buffers.tokens[from..from + part.length as usize]
                        .iter()
                        .for_each(|token| sequence.push(*token));
                    // Equal on both sides, and so 0.
                    *proof ^= sequence.finish().digest();
                }
                let side = if *is_a {
                    &mut passage.a
                } else {
                    &mut passage.b
                };
                let (first, last) = (side.tokens.start as usize, side.tokens.end as usize - 1);
                side.chars = ends[first].0..ends[last].1;
                side.bytes = tokens.spans[first].start as u32..tokens.spans[last].end as u32;
                if *is_a && wanted.texts {
                    let text = &text[tokens.spans[first].start..tokens.spans[last].end];
                    held.grow(text.len() as u64, "the texts of the passages")?;
                    passage.text = text.into();
                }
            }
            Ok(())
        },
    )?;
    let (mut all, fingerprints, _) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
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
