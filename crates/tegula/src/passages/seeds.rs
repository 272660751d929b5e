//! Seeds: maximal exact stretches that two texts share.
//!
//! A stretch of k tokens has k − n + 1 sequences; the first of them that is not common emits it. So
//! a pair of places is skipped if the tokens before it are equal, unless all sequences back to
//! where these differ are common.

use super::Wanted;
use super::reach::{Growth, may_have, window};
use crate::context::Context;
use crate::engine::taped::{At, Taped};
use crate::error::Result;
use crate::partition::Partitions;
use crate::tape::TapeReader;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// A maximal exact stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Seed {
    /// The units, the earlier place first.
    pub(super) a: u32,
    pub(super) b: u32,
    /// Its first token in each.
    pub(super) at_a: u32,
    pub(super) at_b: u32,
    /// The number of tokens.
    pub(super) length: u32,
    /// How far a passage may extend before it and after it.
    pub(super) behind: Growth,
    pub(super) ahead: Growth,
}

/// The seeds of a collection.
pub(super) struct Seeds {
    /// In partitions by the place of `a`: ascending from one to the next.
    pub(super) rows: Partitions<Seed>,
    /// Places of common sequences.
    pub(super) common: u64,
}

/// Partitions of seeds.
const PARTITIONS: usize = 256;

/// A place of a sequence.
struct Member {
    at: At,
    position: u32,
    tape: u64,
    /// The token before, unless the text begins here.
    before: Option<u32>,
    /// Whether the sequence one token earlier is common.
    after_common: bool,
    record: usize,
}

/// Finds all seeds.
pub(super) fn find(context: &Context, taped: &Taped, wanted: &Wanted) -> Result<Seeds> {
    let common = match wanted.common {
        Some(most) => Common::find(context, taped, most as usize)?,
        None => Common::default(),
    };
    let rows = Partitions::new(context, PARTITIONS, 128);
    let search = Search {
        context,
        taped,
        wanted,
        common: &common,
        rows: &rows,
    };
    taped.each(
        context,
        || {
            (
                rows.writer(),
                taped.tape.reader(),
                Vec::new(),
                Default::default(),
            )
        },
        |(writer, tape, members, sides), places| search.class(places, tape, members, sides, writer),
        |_| {
            context.progress.advance(1);
            Ok(())
        },
    )?;
    rows.seal()?;
    Ok(Seeds {
        common: common.places,
        rows,
    })
}

/// The positions of common sequences, as bits.
#[derive(Default)]
struct Common {
    bits: Vec<AtomicU64>,
    places: u64,
}

impl Common {
    fn find(context: &Context, taped: &Taped, most: usize) -> Result<Self> {
        let count = taped.positions().div_ceil(64) as usize;
        let bits: Vec<AtomicU64> = (0..count).map(|_| AtomicU64::new(0)).collect();
        let places = taped.each(
            context,
            || 0,
            |places, positions| {
                if positions.len() > most {
                    let represents = |position: &&u32| taped.represents(taped.at(**position).unit);
                    // Equal texts are one; few sequences get as far as this.
                    if positions.iter().filter(represents).count() > most {
                        *places += positions.len() as u64;
                        for position in positions {
                            bits[*position as usize / 64]
                                .fetch_or(1 << (position % 64), Ordering::Relaxed);
                        }
                    }
                }
                Ok(())
            },
            Ok,
        )?;
        Ok(Self {
            bits,
            places: places.into_iter().sum(),
        })
    }

    fn holds(&self, position: u32) -> bool {
        self.bits
            .get(position as usize / 64)
            .is_some_and(|word| word.load(Ordering::Relaxed) >> (position % 64) & 1 == 1)
    }
}

/// What all threads share.
struct Search<'a> {
    context: &'a Context,
    taped: &'a Taped,
    wanted: &'a Wanted,
    common: &'a Common,
    rows: &'a Partitions<Seed>,
}

impl Search<'_> {
    /// The seeds among the places of one sequence.
    fn class(
        &self,
        positions: &[u32],
        tape: &mut TapeReader,
        members: &mut Vec<Member>,
        sides: &mut [Vec<u32>; 4],
        writer: &mut crate::partition::Writer<Seed>,
    ) -> Result<()> {
        if self.common.holds(positions[0]) {
            return Ok(());
        }
        members.clear();
        for position in positions {
            let at = self.taped.at(*position);
            let range = self.taped.range(at.unit);
            let start = range.start + u64::from(at.token);
            // A text of fewer tokens than n is a single sequence, which only equal texts share.
            if start + self.taped.n as u64 > range.end || !self.taped.represents(at.unit) {
                continue;
            }
            members.push(Member {
                at,
                position: *position,
                tape: start,
                before: (at.token > 0).then(|| tape.token(start - 1)).transpose()?,
                after_common: at.token > 0 && self.common.holds(position - 1),
                record: self.taped.units.record_of(at.unit),
            });
        }
        let emits = |a: &Member, b: &Member| {
            a.before.is_none() || a.before != b.before || (a.after_common && b.after_common)
        };
        let Some(first) = members.first() else {
            return Ok(());
        };
        if !members.iter().skip(1).any(|member| emits(first, member)) {
            // The same token precedes all of them.
            return Ok(());
        }
        members.sort_unstable_by_key(|member| member.at);
        for (i, a) in members.iter().enumerate() {
            self.context.check()?;
            for b in &members[i + 1..] {
                let itself = a.at.unit == b.at.unit;
                if !emits(a, b)
                    || itself && !self.wanted.inside
                    || !itself && !self.taped.allowed.crossing(a.record, b.record)
                {
                    continue;
                }
                let Some(back) = self.back(a, b, tape)? else {
                    continue;
                };
                let mut most = (self.taped.range(a.at.unit).end - a.tape)
                    .min(self.taped.range(b.at.unit).end - b.tape);
                if itself {
                    most = most.min(b.tape - a.tape);
                }
                let length = tape.equal(a.tape, b.tape, most)?;
                if length < self.taped.n as u64 {
                    continue;
                }
                let mut seed = Seed {
                    a: a.at.unit,
                    b: b.at.unit,
                    at_a: a.at.token - back,
                    at_b: b.at.token - back,
                    length: length as u32 + back,
                    behind: Growth::NONE,
                    ahead: Growth::NONE,
                };
                if self.wanted.max_gap > 0 {
                    (seed.behind, seed.ahead) = self.growth(&seed, tape, sides)?;
                }
                writer.push(self.partition(a), seed)?;
            }
        }
        Ok(())
    }

    /// Equal tokens before two places; none if an earlier sequence emits the stretch.
    fn back(&self, a: &Member, b: &Member, tape: &mut TapeReader) -> Result<Option<u32>> {
        let mut back = 0;
        while back < a.at.token.min(b.at.token) {
            let before = u64::from(back) + 1;
            if tape.token(a.tape - before)? != tape.token(b.tape - before)? {
                break;
            }
            back += 1;
            if !self.common.holds(a.position - back) {
                return Ok(None);
            }
        }
        Ok(Some(back))
    }

    /// How far a passage may extend before a seed and after it. The tokens were just read, which
    /// costs more than to look at them.
    fn growth(
        &self,
        seed: &Seed,
        tape: &mut TapeReader,
        sides: &mut [Vec<u32>; 4],
    ) -> Result<(Growth, Growth)> {
        if seed.a == seed.b || seed.length >= self.wanted.min_tokens {
            // What is ahead of one place may be the other; and long stretches are extended anyway.
            return Ok((Growth::UNBOUNDED, Growth::UNBOUNDED));
        }
        let window = u64::from(window(self.wanted));
        let (in_a, in_b) = (self.taped.range(seed.a), self.taped.range(seed.b));
        let (at_a, at_b) = (
            in_a.start + u64::from(seed.at_a),
            in_b.start + u64::from(seed.at_b),
        );
        let length = u64::from(seed.length);
        let before = |text: &Range<u64>, at: u64| at.saturating_sub(window).max(text.start)..at;
        let after = |text: &Range<u64>, at: u64| at..(at + window).min(text.end);
        let [a, b, c, d] = sides;
        let before = (
            tape.view(before(&in_a, at_a), a)?,
            tape.view(before(&in_b, at_b), b)?,
        );
        let after = (
            tape.view(after(&in_a, at_a + length), c)?,
            tape.view(after(&in_b, at_b + length), d)?,
        );
        let least = self.wanted.min_tokens;
        let mut behind = Growth::roughly(before.0.iter().rev(), before.1, self.wanted);
        let mut ahead = Growth::roughly(after.0.iter(), after.1, self.wanted);
        if behind != Growth::NONE && may_have(least, seed.length, behind, ahead) {
            let closely =
                Growth::closely(before.0.iter().rev(), before.1.iter().rev(), self.wanted);
            behind = behind.min(closely);
        }
        if ahead != Growth::NONE && may_have(least, seed.length, behind, ahead) {
            ahead = ahead.min(Growth::closely(after.0.iter(), after.1.iter(), self.wanted));
        }
        Ok((behind, ahead))
    }

    /// Partitions follow the order of the places, and have about as many tokens each.
    fn partition(&self, a: &Member) -> usize {
        let start = self.taped.range(a.at.unit).start;
        let all = self.taped.tape.len().max(1);
        (u128::from(start) * self.rows.count() as u128 / u128::from(all)) as usize
    }
}
