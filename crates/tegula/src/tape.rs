//! The tape: the tokens of a whole collection as numbers, one after the other, for methods that
//! must read on from any position.
//!
//! A number is 32 bits of a token's fingerprint: equal tokens have equal numbers, and two different
//! ones share a number about once in four billion comparisons, so what is reported is compared by
//! full fingerprints again ([`crate::passages`]). Blocks stay in memory as far as the ceiling
//! allows, and are otherwise read from scratch in pieces, through a small cache per thread.

use crate::context::{Context, Reservation, make_room};
use crate::error::Result;
use crate::hash::{Fingerprint, Width};
use crate::scratch::SpillFile;

/// Tokens in a block, as a power of two.
const BITS: u32 = 12;
const BLOCK: usize = 1 << BITS;
/// Tokens read from scratch at a time: few, as most reads are scattered.
const PIECE: usize = 1 << 8;
/// Pieces that a thread remembers.
const CACHED: usize = 1 << 10;

/// The number of a token, whose id may be cut in tests.
pub(crate) fn number(token: Fingerprint, width: Width) -> u32 {
    let id = width.cut(token.id);
    (id ^ (id >> 32)) as u32
}

/// A tape under construction.
pub(crate) struct TapeWriter {
    context: Context,
    blocks: Vec<Vec<u32>>,
    open: Vec<u32>,
    reservation: Reservation,
    spill: Option<SpillFile>,
    length: u64,
}

impl TapeWriter {
    /// An empty tape.
    ///
    /// # Errors
    /// If the ceiling leaves nothing for it.
    pub(crate) fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            context: context.clone(),
            blocks: Vec::new(),
            open: Vec::with_capacity(BLOCK),
            reservation: context.budget.reserve(4 * BLOCK as u64, "the tokens")?,
            spill: None,
            length: 0,
        })
    }

    /// Appends the tokens of the next unit.
    ///
    /// # Errors
    /// If scratch is full.
    pub(crate) fn push(&mut self, mut tokens: &[u32]) -> Result<()> {
        self.length += tokens.len() as u64;
        while !tokens.is_empty() {
            let room = (BLOCK - self.open.len()).min(tokens.len());
            self.open.extend_from_slice(&tokens[..room]);
            tokens = &tokens[room..];
            if self.open.len() == BLOCK {
                self.close()?;
            }
        }
        Ok(())
    }

    /// Stores the open block: in memory as long as two thirds of the free memory is left for
    /// others.
    fn close(&mut self) -> Result<()> {
        let bytes = 4 * BLOCK as u64;
        let (free, held) = (self.context.budget.free(), self.reservation.bytes());
        let fits = self.spill.is_none()
            && held + bytes <= (free + held) / 3
            && self.reservation.try_grow(bytes);
        if fits {
            let mut next = Vec::new();
            make_room(&mut next, BLOCK, "the tokens")?;
            self.blocks.push(std::mem::replace(&mut self.open, next));
            return Ok(());
        }
        let spill = match &mut self.spill {
            Some(spill) => spill,
            none => none.insert(self.context.scratch.file()?),
        };
        spill.append(bytemuck::cast_slice(&self.open))?;
        self.open.clear();
        Ok(())
    }

    /// The finished tape.
    ///
    /// # Errors
    /// If scratch is full.
    pub(crate) fn finish(mut self) -> Result<Tape> {
        if !self.open.is_empty() {
            // Pieces of blocks on scratch are read whole, and the last block may be the first there.
            self.open.resize(BLOCK, 0);
            self.close()?;
        }
        Ok(Tape {
            blocks: self.blocks,
            spill: self.spill,
            length: self.length,
            _held: self.reservation,
        })
    }
}

/// The tokens of a collection, in input order.
pub(crate) struct Tape {
    /// The first blocks; the others are on scratch.
    blocks: Vec<Vec<u32>>,
    spill: Option<SpillFile>,
    length: u64,
    _held: Reservation,
}

impl Tape {
    /// The number of tokens.
    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// Whether part of it is on scratch.
    #[cfg(test)]
    pub(crate) fn is_spilled(&self) -> bool {
        self.spill.is_some()
    }

    /// A reader for one thread.
    pub(crate) fn reader(&self) -> TapeReader<'_> {
        TapeReader {
            tape: self,
            held: Vec::new(),
            pieces: Vec::new(),
        }
    }
}

/// One thread's access to a [`Tape`].
pub(crate) struct TapeReader<'a> {
    tape: &'a Tape,
    /// The numbers of pieces from scratch, each at its remainder by [`CACHED`].
    held: Vec<u64>,
    /// Their tokens.
    pieces: Vec<u32>,
}

impl<'a> TapeReader<'a> {
    /// The token at a place, which must be on the tape.
    ///
    /// # Errors
    /// If scratch cannot be read.
    #[inline]
    pub(crate) fn token(&mut self, at: u64) -> Result<u32> {
        let (block, offset) = ((at >> BITS) as usize, at as usize & (BLOCK - 1));
        match self.tape.blocks.get(block) {
            Some(block) => Ok(block[offset]),
            None => Ok(self.stored(at)?[0]),
        }
    }

    /// Appends the tokens of a range to `out`.
    ///
    /// # Errors
    /// If scratch cannot be read.
    pub(crate) fn extend(&mut self, range: std::ops::Range<u64>, out: &mut Vec<u32>) -> Result<()> {
        let mut at = range.start;
        while at < range.end {
            let (block, offset) = ((at >> BITS) as usize, at as usize & (BLOCK - 1));
            let tokens = match self.tape.blocks.get(block) {
                Some(block) => &block[offset..],
                None => self.stored(at)?,
            };
            let length = tokens.len().min((range.end - at) as usize);
            out.extend_from_slice(&tokens[..length]);
            at += length as u64;
        }
        Ok(())
    }

    /// The tokens of a range: as they are in memory, or else copied to `copy`.
    ///
    /// # Errors
    /// If scratch cannot be read.
    #[inline]
    pub(crate) fn view<'v>(
        &mut self,
        range: std::ops::Range<u64>,
        copy: &'v mut Vec<u32>,
    ) -> Result<&'v [u32]>
    where
        'a: 'v,
    {
        let (block, offset) = (
            (range.start >> BITS) as usize,
            range.start as usize & (BLOCK - 1),
        );
        let length = range.end.saturating_sub(range.start) as usize;
        if let Some(tokens) = self.tape.blocks.get(block)
            && let Some(tokens) = tokens.get(offset..offset + length)
        {
            return Ok(tokens);
        }
        copy.clear();
        self.extend(range, copy)?;
        Ok(copy)
    }

    /// The number of equal tokens from two places on, up to `most`.
    ///
    /// # Errors
    /// If scratch cannot be read.
    pub(crate) fn equal(&mut self, x: u64, y: u64, most: u64) -> Result<u64> {
        let mut equal = 0;
        while equal < most {
            let in_memory = |at: u64| {
                let block = self.tape.blocks.get((at >> BITS) as usize)?;
                block.get(at as usize & (BLOCK - 1)..)
            };
            let (same, compared) = match (in_memory(x + equal), in_memory(y + equal)) {
                (Some(x), Some(y)) => {
                    let compared = x.len().min(y.len()).min((most - equal) as usize);
                    let mut both = x[..compared].iter().zip(&y[..compared]);
                    let differs = both.position(|(x, y)| x != y);
                    (differs.unwrap_or(compared), compared)
                }
                _ => (
                    usize::from(self.token(x + equal)? == self.token(y + equal)?),
                    1,
                ),
            };
            equal += same as u64;
            if same < compared {
                break;
            }
        }
        Ok(equal)
    }

    /// Tokens from scratch, from this place to the end of its piece.
    fn stored(&mut self, at: u64) -> Result<&[u32]> {
        if self.held.is_empty() {
            self.held = vec![u64::MAX; CACHED];
            self.pieces = vec![0; CACHED * PIECE];
        }
        let (piece, offset) = (at / PIECE as u64, at as usize % PIECE);
        let slot = piece as usize % CACHED;
        let tokens = &mut self.pieces[slot * PIECE..(slot + 1) * PIECE];
        if self.held[slot] != piece {
            self.held[slot] = u64::MAX;
            if let Some(spill) = &self.tape.spill {
                let first = piece * PIECE as u64 - (self.tape.blocks.len() * BLOCK) as u64;
                spill.read_at(4 * first, bytemuck::cast_slice_mut(tokens))?;
            }
            self.held[slot] = piece;
        }
        Ok(&tokens[offset..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Budget;
    use crate::scratch::Scratch;

    #[test]
    fn tokens_come_back_from_memory_and_from_scratch() {
        for memory in [Budget::OVERHEAD + (1 << 17), Budget::OVERHEAD + (1 << 22)] {
            let context = Context::new(2, memory, Scratch::system());
            let mut writer = TapeWriter::new(&context).unwrap();
            // Repeats after 30,011 tokens, except for one.
            let mut all: Vec<u32> = (0..100_000_u32)
                .map(|at| (at % 30_011).wrapping_mul(2_654_435_761))
                .collect();
            all[90_000] = 1;
            for some in all.chunks(777) {
                writer.push(some).unwrap();
            }
            let tape = writer.finish().unwrap();
            assert_eq!(tape.is_spilled(), memory < Budget::OVERHEAD + (1 << 20));
            assert_eq!(tape.len(), 100_000);
            std::thread::scope(|scope| {
                for thread in 0..2 {
                    let (tape, all) = (&tape, &all);
                    scope.spawn(move || {
                        let mut reader = tape.reader();
                        for at in (0..all.len()).map(|at| at * (7 + thread) % all.len()) {
                            assert_eq!(reader.token(at as u64).unwrap(), all[at]);
                        }
                        let mut some = Vec::new();
                        reader.extend(4000..13_000, &mut some).unwrap();
                        assert_eq!(some, all[4000..13_000]);
                        for (x, y, most, equal) in [
                            (7, 9, 5, 0),
                            (4090, 34_101, 10, 10),
                            (5, 30_016, 20_000, 20_000),
                            (59_900, 89_911, 1000, 89),
                        ] {
                            assert_eq!(reader.equal(x, y, most).unwrap(), equal);
                        }
                        for range in [0..24, 4090..4100, 99_990..100_000, 70..70] {
                            let viewed = reader.view(range.clone(), &mut some).unwrap();
                            assert_eq!(viewed, &all[range.start as usize..range.end as usize]);
                        }
                    });
                }
            });
            drop(tape);
            assert_eq!(context.budget.free(), memory - Budget::OVERHEAD);
        }
    }
}
