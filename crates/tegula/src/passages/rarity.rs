//! The rarity of a passage: the bits of its tokens, each by the number of texts that have it. A
//! formula of frequent words has few bits, however long it is.

use super::Passage;
use crate::context::Context;
use crate::engine::taped::Taped;
use crate::error::Result;
use std::collections::HashMap;

/// A token's texts so far.
#[derive(Clone, Copy, Default)]
struct Seen {
    texts: u32,
    /// The last of them, counted from 1.
    last: u32,
}

/// Bytes of an entry of the table, which may have grown to twice what it holds.
const ENTRY: u64 = 2 * (size_of::<(u32, Seen)>() as u64 + 1);
/// Tokens read at a time.
const PIECE: u64 = 1 << 12;

/// Fills in the rarity of all passages, in thousandths of a bit: for each equal token the logarithm
/// of all texts over those that have it. Equal texts count once.
///
/// # Errors
/// Errors of the memory ceiling or scratch; or cancellation.
pub(super) fn weigh(context: &Context, taped: &Taped, passages: &mut [Passage]) -> Result<()> {
    let mut held = context.budget.reserve(0, "the tokens of passages")?;
    let mut tape = taped.tape.reader();
    let mut seen: HashMap<u32, Seen> = HashMap::new();
    let mut tokens = Vec::new();
    for passage in &*passages {
        let start = taped.range(passage.a.unit).start;
        for part in &passage.parts {
            let first = start + u64::from(part.a);
            tokens.clear();
            tape.extend(first..first + u64::from(part.length), &mut tokens)?;
            for token in &tokens {
                seen.entry(*token).or_default();
            }
        }
        let more = (ENTRY * seen.len() as u64).saturating_sub(held.bytes());
        held.grow(more, "the tokens of passages")?;
    }
    for unit in (0..taped.units.len() as u32).filter(|unit| taped.stands(*unit)) {
        context.check()?;
        let range = taped.range(unit);
        for from in range.clone().step_by(PIECE as usize) {
            tokens.clear();
            tape.extend(from..range.end.min(from + PIECE), &mut tokens)?;
            for token in &tokens {
                if let Some(seen) = seen.get_mut(token)
                    && seen.last != unit + 1
                {
                    seen.last = unit + 1;
                    seen.texts += 1;
                }
            }
        }
    }
    let all = taped.groups.len() as f64;
    let bits = |token: &u32| -> u64 {
        let texts = seen.get(token).map_or(1, |seen| seen.texts.max(1));
        ((all / f64::from(texts)).log2() * 1000.0).round() as u64
    };
    for passage in passages {
        let start = taped.range(passage.a.unit).start;
        passage.rarity = 0;
        for part in &passage.parts {
            let first = start + u64::from(part.a);
            tokens.clear();
            tape.extend(first..first + u64::from(part.length), &mut tokens)?;
            passage.rarity += tokens.iter().map(bits).sum::<u64>();
        }
    }
    Ok(())
}
