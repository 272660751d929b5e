//! How often each token occurs, as logarithms.

use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::hash::{Hashed, mix};
use crate::tape::Tape;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Fractional bits of a logarithm: sums of thousands are accurate to three decimals, and sums over
/// any possible number of tokens fit in 64 bits.
pub(super) const BITS: u32 = 24;

/// Tokens that are read at a time.
const PIECE: u64 = 1 << 12;

/// Bytes of a token in a table that has just doubled, with what it replaced.
const BYTES: u64 = 3 * 17;

/// Tokens of the smallest table.
const FEW: u64 = 1 << 6;

type Table = HashMap<u64, u32, BuildHasherDefault<Hashed>>;

/// The logarithms of all frequencies.
pub(super) struct Frequencies {
    /// By the remainder of a token.
    tables: Vec<Table>,
    /// That of the number of tokens.
    all: i64,
    _held: Vec<Reservation>,
}

impl Frequencies {
    /// Counts all tokens; each thread reads the whole tape, and counts its share of the vocabulary.
    ///
    /// # Errors
    /// If the vocabulary does not fit in memory, scratch cannot be read, or on cancellation.
    pub(super) fn count(context: &Context, tape: &Tape) -> Result<Self> {
        let tables = context.threads();
        let counted: Vec<(Table, Reservation)> = context.pool()?.install(|| {
            (0..tables)
                .into_par_iter()
                .map(|table| count(context, tape, table as u32, tables as u32))
                .collect::<Result<_>>()
        })?;
        let (tables, held) = counted.into_iter().unzip();
        Ok(Self {
            tables,
            all: log2(tape.len()),
            _held: held,
        })
    }

    /// The logarithm of a token's share of all tokens, negated.
    pub(super) fn rarity(&self, token: u32) -> i64 {
        let table = &self.tables[token as usize % self.tables.len()];
        let log = table.get(&mix(token.into())).copied().unwrap_or_default();
        self.all - i64::from(log)
    }

    /// The logarithm of the occurrences of a phrase over those expected, from the sum of the
    /// rarities of its tokens.
    pub(super) fn association(&self, occurrences: u32, rarities: i64) -> i64 {
        log2(occurrences.into()) - self.all + rarities
    }
}

/// Counts the tokens with this remainder.
fn count(context: &Context, tape: &Tape, remainder: u32, of: u32) -> Result<(Table, Reservation)> {
    const WHAT: &str = "the frequencies of tokens";
    let mut held = context.budget.reserve(0, WHAT)?;
    let mut table = Table::default();
    let mut reader = tape.reader();
    let mut tokens = Vec::with_capacity(PIECE as usize);
    for start in (0..tape.len()).step_by(PIECE as usize) {
        context.check()?;
        tokens.clear();
        reader.extend(start..(start + PIECE).min(tape.len()), &mut tokens)?;
        for token in tokens.iter().filter(|token| *token % of == remainder) {
            if table.len() == table.capacity() {
                let all = BYTES * 2 * (table.len() as u64).max(FEW);
                held.grow(all - held.bytes(), WHAT)?;
                table.reserve(table.len().max(FEW as usize));
            }
            *table.entry(mix(u64::from(*token))).or_insert(0) += 1;
        }
    }
    table.retain(|_, count| {
        let recurs = *count > 1;
        *count = log2(u64::from(*count)) as u32;
        // No phrase has a token that occurs once.
        recurs
    });
    Ok((table, held))
}

/// The binary logarithm of a number from 1 to 2³² in steps of 2^-[`BITS`], rounded down. In integers,
/// so that it is the same on every machine.
fn log2(number: u64) -> i64 {
    let whole = number.max(1).ilog2();
    // From 1 to 2 in steps of 2^-31; squared, its carry is the next bit of the logarithm.
    let mut mantissa = (u128::from(number.max(1)) << 31 >> whole) as u64;
    let mut log = u64::from(whole);
    for _ in 0..BITS {
        mantissa = (mantissa * mantissa) >> 31;
        let carry = mantissa >> 32;
        mantissa >>= carry;
        log = log << 1 | carry;
    }
    log as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right_to_six_decimals() {
        for number in [1, 2, 3, 7, 1000, 65_537, 3_000_000_019, (1 << 32) - 1] {
            let found = log2(number) as f64 / f64::from(1 << BITS);
            assert!((found - (number as f64).log2()).abs() < 1e-6, "{number}");
        }
    }
}
