//! From seeds to passages: seeds that follow each other closely are joined, and both ends extended
//! over edits.

use super::align::{Aligned, Aligner};
use super::list::{List, ListWriter};
use super::reach::{Growth, may_have, window};
use super::seeds::Seed;
use super::{Part, Passage, Side, Wanted};
use crate::context::{Context, Reservation};
use crate::engine::taped::Taped;
use crate::error::Result;
use crate::partition::Partitions;
use crate::tape::TapeReader;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::ops::Range;

/// The passages, by the place of `a`.
pub(super) fn all(
    context: &Context,
    taped: &Taped,
    seeds: &Partitions<Seed>,
    wanted: &Wanted,
) -> Result<List> {
    let mut all = ListWriter::new(context)?;
    let pool = context.pool()?;
    // A few partitions at a time, so that the ceiling is checked between them.
    let count = seeds.count();
    let together = 2 * context.threads();
    for from in (0..count).step_by(together) {
        let some: Result<Vec<(Vec<Passage>, Reservation)>> = pool.install(|| {
            (from..count.min(from + together))
                .into_par_iter()
                .map(|partition| {
                    context.check()?;
                    let bytes = size_of::<Seed>() as u64 * seeds.rows(partition);
                    let _seeds = context.budget.reserve(bytes, WHAT)?;
                    let mut seeds = seeds.take(partition)?;
                    seeds.sort_unstable();
                    let mut chains = Chains {
                        taped,
                        wanted,
                        tape: taped.tape.reader(),
                        aligner: Aligner::default(),
                        sides: Default::default(),
                        open: Vec::new(),
                        done: Vec::new(),
                        spare: Vec::new(),
                    };
                    let mut found = Vec::new();
                    let mut held = context.budget.reserve(0, WHAT)?;
                    let mut counted = 0;
                    for seeds in seeds.chunk_by(|x, y| (x.a, x.b) == (y.a, y.b)) {
                        chains.pair(seeds, &mut found)?;
                        if found.len() - counted >= COUNTED {
                            held.grow(bytes_of(&found[counted..]), WHAT)?;
                            counted = found.len();
                        }
                    }
                    held.grow(bytes_of(&found[counted..]), WHAT)?;
                    // In place: a stable sort would take half as much memory again.
                    found.sort_unstable_by_key(|passage| {
                        let Passage { a, b, .. } = passage;
                        let ends = (a.tokens.end, b.tokens.end, passage.edits);
                        (a.unit, a.tokens.start, b.unit, b.tokens.start, ends)
                    });
                    Ok((found, held))
                })
                .collect()
        });
        for (found, _held) in some? {
            found.iter().try_for_each(|passage| all.push(passage))?;
        }
        context.progress.advance(together as u64);
    }
    all.finish()
}

const WHAT: &str = "the list of passages";
/// Passages that are counted at a time.
const COUNTED: usize = 256;

fn bytes_of(passages: &[Passage]) -> u64 {
    passages.iter().map(Passage::heap_bytes).sum()
}

/// Seeds joined so far.
struct Chain {
    parts: Vec<Part>,
    same: u32,
    edits: u32,
    /// How far it may extend before its first seed and after its last one.
    behind: Growth,
    ahead: Growth,
}

impl Chain {
    fn starts(&self) -> (u32, u32) {
        self.parts.first().map_or((0, 0), |part| (part.a, part.b))
    }

    fn ends(&self) -> (u32, u32) {
        self.parts
            .last()
            .map_or((0, 0), |part| (part.a + part.length, part.b + part.length))
    }

    /// Its tokens, on the side where it is shorter.
    fn tokens(&self) -> u32 {
        let (starts, ends) = (self.starts(), self.ends());
        (ends.0 - starts.0).min(ends.1 - starts.1)
    }

    /// Appends an alignment that begins at `at`.
    fn append(&mut self, at: (u32, u32), aligned: &Aligned) {
        self.same += aligned.same;
        self.edits += aligned.edits;
        for part in &aligned.parts {
            self.push(Part {
                a: at.0 + part.a,
                b: at.1 + part.b,
                length: part.length,
            });
        }
    }

    /// Appends equal tokens.
    fn push(&mut self, part: Part) {
        match self.parts.last_mut() {
            Some(last) if (last.a + last.length, last.b + last.length) == (part.a, part.b) => {
                last.length += part.length;
            }
            _ if part.length > 0 => self.parts.push(part),
            _ => {}
        }
    }
}

/// One thread's state.
struct Chains<'a> {
    taped: &'a Taped,
    wanted: &'a Wanted,
    tape: TapeReader<'a>,
    aligner: Aligner,
    sides: (Vec<u32>, Vec<u32>),
    /// Chains that may continue, and those that are complete: both are reused.
    open: Vec<Chain>,
    done: Vec<Chain>,
    /// The parts of chains that became no passage, for others: most do not.
    spare: Vec<Vec<Part>>,
}

impl Chains<'_> {
    /// The passages of two texts, from their seeds, which are in order.
    fn pair(&mut self, seeds: &[Seed], found: &mut Vec<Passage>) -> Result<()> {
        let Some(units) = seeds.first().map(|seed| (seed.a, seed.b)) else {
            return Ok(());
        };
        let gap = self.wanted.max_gap;
        let mut open = std::mem::take(&mut self.open);
        let mut done = std::mem::take(&mut self.done);
        for seed in seeds {
            for at in (0..open.len()).rev() {
                if open[at].ends().0 + gap < seed.at_a {
                    done.push(open.swap_remove(at));
                }
            }
            if !self.join(units, &mut open, seed)? {
                let mut parts = self.spare.pop().unwrap_or_default();
                parts.push(Part {
                    a: seed.at_a,
                    b: seed.at_b,
                    length: seed.length,
                });
                open.push(Chain {
                    parts,
                    same: seed.length,
                    edits: 0,
                    behind: seed.behind,
                    ahead: seed.ahead,
                });
            }
        }
        done.append(&mut open);
        // Extension depends only on the chain.
        let from = found.len();
        for mut chain in done.drain(..) {
            let least = self.wanted.min_tokens;
            if gap > 0 && may_have(least, chain.tokens(), chain.behind, chain.ahead) {
                self.extend(units, &mut chain)?;
            }
            if chain.tokens() < least {
                chain.parts.clear();
                self.spare.push(chain.parts);
                continue;
            }
            let (starts, ends) = (chain.starts(), chain.ends());
            let side = |unit, tokens: Range<u32>| Side {
                unit,
                tokens,
                chars: 0..0,
                bytes: 0..0,
            };
            chain.parts.shrink_to_fit();
            found.push(Passage {
                a: side(units.0, starts.0..ends.0),
                b: side(units.1, starts.1..ends.1),
                same: chain.same,
                edits: chain.edits,
                rarity: 0,
                parts: chain.parts,
                text: String::new(),
            });
        }
        (self.open, self.done) = (open, done);
        drop_inner(found, from);
        Ok(())
    }

    /// Appends a seed to the closest open chain, if there is one.
    fn join(&mut self, units: (u32, u32), open: &mut [Chain], seed: &Seed) -> Result<bool> {
        let wanted = self.wanted;
        let n = self.taped.n as u32;
        // By chain: how much of the seed it already contains, and how far away the rest is.
        let near = |chain: &Chain| {
            let ends = chain.ends();
            let trim = ends
                .0
                .saturating_sub(seed.at_a)
                .max(ends.1.saturating_sub(seed.at_b));
            let gaps = (
                (seed.at_a + trim).checked_sub(ends.0)?,
                (seed.at_b + trim).checked_sub(ends.1)?,
            );
            let far = gaps.0.max(gaps.1);
            (trim < n.min(seed.length) && far <= wanted.max_gap).then_some((far, trim))
        };
        let closest = open.iter().enumerate().filter_map(|(at, chain)| {
            let (far, trim) = near(chain)?;
            Some((far, std::cmp::Reverse(chain.same), chain.starts(), at, trim))
        });
        let Some((_, _, _, at, trim)) = closest.min() else {
            return Ok(false);
        };
        let chain = &mut open[at];
        let ends = chain.ends();
        let rest = Part {
            a: seed.at_a + trim,
            b: seed.at_b + trim,
            length: seed.length - trim,
        };
        self.read(units, ends.0..rest.a, ends.1..rest.b)?;
        let between = self.aligner.whole(&self.sides.0, &self.sides.1);
        let same = chain.same + between.same + rest.length;
        let edits = chain.edits + between.edits;
        if !admits(wanted, same, edits) {
            return Ok(false);
        }
        chain.append(ends, &between);
        chain.same += rest.length;
        chain.push(rest);
        chain.ahead = seed.ahead;
        Ok(true)
    }

    /// Extends a chain at both ends.
    fn extend(&mut self, units: (u32, u32), chain: &mut Chain) -> Result<()> {
        let lengths = [units.0, units.1].map(|unit| {
            let range = self.taped.range(unit);
            (range.end - range.start) as u32
        });
        let window = window(self.wanted);
        let ahead = |from: u32, length: u32| from..(from + window).min(length);
        while chain.ahead != Growth::NONE {
            let ends = chain.ends();
            let (mut a, b) = (ahead(ends.0, lengths[0]), ahead(ends.1, lengths[1]));
            if units.0 == units.1 {
                a.end = a.end.min(chain.starts().1).max(a.start);
            }
            self.read(units, a, b)?;
            let Some(more) = self.more(chain) else { break };
            chain.append(ends, &more);
        }
        while chain.behind != Growth::NONE {
            let starts = chain.starts();
            let back = |from: u32| from.saturating_sub(window)..from;
            let (a, mut b) = (back(starts.0), back(starts.1));
            if units.0 == units.1 {
                b.start = b.start.max(chain.ends().0).min(b.end);
            }
            self.read(units, a, b)?;
            self.sides.0.reverse();
            self.sides.1.reverse();
            let Some(more) = self.more(chain) else { break };
            let mut whole = Chain {
                parts: Vec::with_capacity(chain.parts.len() + more.parts.len()),
                same: chain.same + more.same,
                edits: chain.edits + more.edits,
                ..*chain
            };
            for part in more.parts.iter().rev() {
                whole.push(Part {
                    a: starts.0 - part.a - part.length,
                    b: starts.1 - part.b - part.length,
                    length: part.length,
                });
            }
            chain.parts.drain(..).for_each(|part| whole.push(part));
            *chain = whole;
        }
        Ok(())
    }

    /// More of a chain, in the tokens that were read.
    fn more(&mut self, chain: &Chain) -> Option<Aligned> {
        let wanted = self.wanted;
        let fits = |same, edits| admits(wanted, chain.same + same, chain.edits + edits);
        self.aligner
            .beginning(&self.sides.0, &self.sides.1, wanted.max_gap, fits)
    }

    /// Reads tokens of the two units.
    fn read(&mut self, units: (u32, u32), a: Range<u32>, b: Range<u32>) -> Result<()> {
        for (unit, range, to) in [
            (units.0, a, &mut self.sides.0),
            (units.1, b, &mut self.sides.1),
        ] {
            let start = self.taped.range(unit).start;
            to.clear();
            self.tape.extend(
                start + u64::from(range.start)..start + u64::from(range.end),
                to,
            )?;
        }
        Ok(())
    }
}

/// Whether a passage is similar enough.
pub(super) fn admits(wanted: &Wanted, same: u32, edits: u32) -> bool {
    wanted
        .min_identity
        .admits(u64::from(same), u64::from(same) + u64::from(edits))
}

/// Drops passages that lie within another of the same two texts, on both sides.
fn drop_inner(found: &mut Vec<Passage>, from: usize) {
    if found.len() < from + 2 {
        return;
    }
    let mut some: Vec<Passage> = found.drain(from..).collect();
    some.sort_unstable_by_key(|passage| {
        let Passage { a, b, .. } = passage;
        (
            a.tokens.start,
            std::cmp::Reverse(a.tokens.end),
            b.tokens.start,
            std::cmp::Reverse(b.tokens.end),
            passage.edits,
        )
    });
    for passage in some {
        let inner = |other: &Passage| {
            let within = |x: &Range<u32>, y: &Range<u32>| y.start <= x.start && x.end <= y.end;
            within(&passage.a.tokens, &other.a.tokens) && within(&passage.b.tokens, &other.b.tokens)
        };
        if !found[from..].iter().any(inner) {
            found.push(passage);
        }
    }
}
