//! The rarity of a passage: the bits of its tokens, each by the number of texts that have it. A
//! formula of frequent words has few bits, however long it is.

use super::list::{List, ListWriter};
use super::{Passage, Wanted};
use crate::context::Context;
use crate::engine::taped::Taped;
use crate::error::Result;
use crate::tape::TapeReader;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A token's texts so far.
#[derive(Clone, Copy, Default)]
struct Seen {
    texts: u32,
    /// The last of them, counted from 1.
    last: u32,
}

/// Tokens with what is known of each.
type Table<T> = HashMap<u32, T, BuildHasherDefault<Spread>>;

/// Numbers of tokens are hashes already; a table only needs their bits in all places.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Bytes of an entry of both tables, which may have grown to twice what they hold.
const ENTRY: u64 = 2 * (size_of::<(u32, Seen)>() + size_of::<(u32, u32)>() + 2) as u64;
/// Tokens read at a time.
const PIECE: u64 = 1 << 12;

/// The passages with their rarity, in thousandths of a bit: for each equal token the logarithm of all
/// texts over those that have it. Equal texts count once. Those with too little of it are dropped.
///
/// # Errors
/// Errors of the memory ceiling or scratch; or cancellation.
pub(super) fn weigh(
    context: &Context,
    taped: &Taped,
    passages: &List,
    wanted: &Wanted,
) -> Result<List> {
    let mut held = context.budget.reserve(0, "the tokens of passages")?;
    let mut tape = taped.tape.reader();
    let mut seen: Table<Seen> = Table::default();
    let mut tokens = Vec::new();
    passages.for_each(|passage| {
        read(taped, &mut tape, passage, &mut tokens)?;
        for token in &tokens {
            seen.entry(*token).or_default();
        }
        let more = (ENTRY * seen.len() as u64).saturating_sub(held.bytes());
        held.grow(more, "the tokens of passages")
    })?;
    for unit in (0..taped.units.len() as u32).filter(|unit| taped.represents(*unit)) {
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
    // Each logarithm once: tokens are in many passages.
    let bits: Table<u32> = seen
        .into_iter()
        .map(|(token, seen)| {
            let share = all / f64::from(seen.texts.max(1));
            (token, (share.log2() * 1000.0).round() as u32)
        })
        .collect();
    let bits = |token: &u32| u64::from(bits.get(token).copied().unwrap_or_default());
    let least = 1000 * u64::from(wanted.min_rarity);
    let mut weighed = ListWriter::new(context)?;
    let mut reader = passages.reader(0);
    while let Some(passage) = reader.next()? {
        read(taped, &mut tape, passage, &mut tokens)?;
        passage.rarity = tokens.iter().map(bits).sum();
        if passage.rarity >= least {
            weighed.push(passage)?;
        }
    }
    weighed.finish()
}

/// Reads the equal tokens of a passage.
fn read(
    taped: &Taped,
    tape: &mut TapeReader,
    passage: &Passage,
    tokens: &mut Vec<u32>,
) -> Result<()> {
    let start = taped.range(passage.a.unit).start;
    tokens.clear();
    for part in &passage.parts {
        let first = start + u64::from(part.a);
        tape.extend(first..first + u64::from(part.length), tokens)?;
    }
    Ok(())
}
