//! Pairs of groups, sorted and without repeats, in memory as far as the ceiling allows and
//! otherwise on scratch.

use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::pair::Pair;
use crate::scratch::{Extent, SpillFile};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Collects pairs from any thread.
pub struct PairSink {
    context: Context,
    state: Mutex<State>,
    /// The number of pairs taken, and the maximum wanted.
    taken: AtomicU64,
    most: u64,
}

struct State {
    buffer: Vec<Pair>,
    reservation: Option<Reservation>,
    spill: Option<SpillFile>,
    runs: Vec<Extent>,
}

/// Pairs moved or scored at once.
pub(crate) const AT_ONCE: usize = 1 << 16;
/// Pairs held in memory before the first spill, whatever the ceiling.
const FEW: usize = 1 << 16;

impl PairSink {
    /// An empty sink.
    pub fn new(context: &Context) -> Self {
        Self::at_most(context, u64::MAX)
    }

    /// An empty sink that is [full](PairSink::is_full) once it has more pairs than this.
    pub fn at_most(context: &Context, most: u64) -> Self {
        let reservation = context.budget.try_reserve(0);
        Self {
            context: context.clone(),
            state: Mutex::new(State {
                buffer: Vec::new(),
                reservation,
                spill: None,
                runs: Vec::new(),
            }),
            taken: AtomicU64::new(0),
            most,
        }
    }

    /// Adds to the numbers of pairs seen and compared.
    pub(crate) fn note(&self, (met, compared): (u64, u64)) {
        self.context.work.pairs(met, compared);
    }

    /// Adds to the number of pairs whose score is determined.
    pub(crate) fn note_verified(&self, pairs: u64) {
        self.context.work.verified(pairs);
    }

    /// Whether it has more pairs than wanted.
    pub fn is_full(&self) -> bool {
        self.taken.load(Ordering::Relaxed) > self.most
    }

    /// Moves the pairs out of `pairs`.
    ///
    /// # Errors
    /// If scratch is full.
    pub fn take(&self, pairs: &mut Vec<Pair>) -> Result<()> {
        self.taken.fetch_add(pairs.len() as u64, Ordering::Relaxed);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let needed = state.buffer.len() + pairs.len();
        if needed > state.buffer.capacity() {
            let larger = needed.max(state.buffer.capacity() * 2).max(FEW);
            // While the buffer grows, the old one is held as well.
            let more = (larger * size_of::<Pair>()) as u64;
            let room = more <= self.context.budget.free() / 2;
            let grown = room && state.reservation.as_mut().is_some_and(|r| r.try_grow(more));
            if !grown && state.buffer.len() >= FEW {
                state.spill(&self.context)?;
            }
            if grown || state.buffer.capacity() < pairs.len() {
                let length = state.buffer.len();
                state.buffer.reserve_exact(larger - length);
            }
        }
        state.buffer.append(pairs);
        Ok(())
    }

    /// Ends collecting.
    ///
    /// # Errors
    /// If scratch is full.
    pub fn finish(self) -> Result<Pairs> {
        let mut state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if state.spill.is_some() && !state.buffer.is_empty() {
            state.spill(&self.context)?;
        }
        state.buffer.par_sort_unstable();
        state.buffer.dedup();
        let mut pairs = Pairs {
            memory: state.buffer,
            spill: state.spill,
            runs: state.runs,
            count: 0,
            _reservation: state.reservation,
        };
        let mut count = 0;
        pairs.for_each(|_| {
            count += 1;
            Ok(())
        })?;
        pairs.count = count;
        Ok(pairs)
    }
}

impl State {
    fn spill(&mut self, context: &Context) -> Result<()> {
        self.buffer.sort_unstable();
        self.buffer.dedup();
        if self.spill.is_none() {
            self.spill = Some(context.scratch.file()?);
        }
        if let Some(spill) = &mut self.spill {
            self.runs
                .push(spill.append(bytemuck::cast_slice(&self.buffer))?);
        }
        self.buffer.clear();
        Ok(())
    }
}

/// Distinct pairs of groups, sorted by (a, b).
#[derive(Default)]
pub struct Pairs {
    memory: Vec<Pair>,
    spill: Option<SpillFile>,
    runs: Vec<Extent>,
    count: u64,
    _reservation: Option<Reservation>,
}

impl Pairs {
    /// Passes to `sink` what `f` makes of each pair.
    ///
    /// # Errors
    /// If scratch is full, or cannot be read.
    pub(crate) fn pass(
        &self,
        sink: &PairSink,
        mut f: impl FnMut(Pair) -> Option<Pair>,
    ) -> Result<()> {
        let mut some = Vec::new();
        self.for_each(|pair| {
            some.extend(f(pair));
            if some.len() >= AT_ONCE {
                sink.take(&mut some)
            } else {
                Ok(())
            }
        })?;
        sink.take(&mut some)
    }

    /// Pairs in memory.
    pub fn from_vec(mut pairs: Vec<Pair>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let count = pairs.len() as u64;
        Self {
            memory: pairs,
            count,
            ..Self::default()
        }
    }

    /// The number of pairs.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Calls `f` with each pair, sorted by (a, b). Can be called repeatedly; pairs on scratch are
    /// read sequentially.
    ///
    /// # Errors
    /// Any error from `f` or scratch.
    pub fn for_each(&self, mut f: impl FnMut(Pair) -> Result<()>) -> Result<()> {
        if self.spill.is_none() {
            return self.memory.iter().copied().try_for_each(f);
        }
        let mut cursor = self.cursor()?;
        while let Some(pair) = cursor.next()? {
            f(pair)?;
        }
        Ok(())
    }

    /// Which of this many groups are in a pair, and the memory that this takes.
    ///
    /// # Errors
    /// Any error from scratch, and when the memory ceiling is too low.
    pub(crate) fn groups(
        &self,
        context: &Context,
        groups: usize,
    ) -> Result<(Vec<bool>, Reservation)> {
        let held = context
            .budget
            .reserve(groups as u64, "which texts are in a pair")?;
        let mut paired = vec![false; groups];
        self.for_each(|pair| {
            (paired[pair.a as usize], paired[pair.b as usize]) = (true, true);
            Ok(())
        })?;
        Ok((paired, held))
    }

    /// The pairs one by one, ascending by (a, b).
    ///
    /// # Errors
    /// Any error from scratch.
    pub(crate) fn cursor(&self) -> Result<Cursor<'_>> {
        let run = |spill, extent: &Extent| Run {
            spill,
            left: *extent,
            buffer: Vec::new(),
            at: 0,
        };
        let runs = self
            .spill
            .iter()
            .flat_map(|spill| self.runs.iter().map(move |extent| run(spill, extent)))
            .collect();
        let memory = if self.spill.is_none() {
            &self.memory[..]
        } else {
            &[]
        };
        let mut cursor = Cursor {
            memory: memory.iter(),
            runs,
            heap: BinaryHeap::new(),
            last: None,
        };
        for (number, run) in cursor.runs.iter_mut().enumerate() {
            cursor
                .heap
                .extend(run.next()?.map(|pair| Reverse((pair, number))));
        }
        Ok(cursor)
    }
}

/// Iterates over pairs.
pub(crate) struct Cursor<'a> {
    memory: std::slice::Iter<'a, Pair>,
    runs: Vec<Run<'a>>,
    heap: BinaryHeap<Reverse<(Pair, usize)>>,
    last: Option<Pair>,
}

impl Cursor<'_> {
    /// The next pair.
    ///
    /// # Errors
    /// Any error from scratch.
    pub(crate) fn next(&mut self) -> Result<Option<Pair>> {
        while let Some(Reverse((pair, number))) = self.heap.pop() {
            self.heap.extend(
                self.runs[number]
                    .next()?
                    .map(|next| Reverse((next, number))),
            );
            if self.last.replace(pair) != Some(pair) {
                return Ok(Some(pair));
            }
        }
        Ok(self.memory.next().copied())
    }
}

/// A sorted run on scratch, read piece by piece.
struct Run<'a> {
    spill: &'a SpillFile,
    left: Extent,
    buffer: Vec<Pair>,
    at: usize,
}

impl Run<'_> {
    fn next(&mut self) -> Result<Option<Pair>> {
        const PIECE: u64 = 4096 * size_of::<Pair>() as u64;
        if self.at == self.buffer.len() {
            let length = self.left.length.min(PIECE);
            self.buffer.resize(
                length as usize / size_of::<Pair>(),
                bytemuck::Zeroable::zeroed(),
            );
            self.spill.read(
                Extent {
                    start: self.left.start,
                    length,
                },
                bytemuck::cast_slice_mut(&mut self.buffer),
            )?;
            self.left = Extent {
                start: self.left.start + length,
                length: self.left.length - length,
            };
            self.at = 0;
        }
        let pair = self.buffer.get(self.at).copied();
        self.at += 1;
        Ok(pair)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Budget;
    use crate::scratch::Scratch;

    #[test]
    fn pairs_come_back_sorted_and_once_from_memory_and_scratch() {
        for memory in [Budget::OVERHEAD + 1, Budget::OVERHEAD + (256 << 20)] {
            let context = Context::new(1, memory, Scratch::system());
            let sink = PairSink::new(&context);
            let mut all = std::collections::BTreeSet::new();
            for round in 0..4_u32 {
                let mut pairs: Vec<Pair> = (0..50_000_u32)
                    .map(|i| Pair {
                        a: crate::hash::mix(u64::from(i)) as u32 % 1000,
                        b: 2000 + i + round % 2,
                        in_a: 1,
                        in_b: 1,
                    })
                    .collect();
                all.extend(pairs.iter().copied());
                sink.take(&mut pairs).unwrap();
            }
            let pairs = sink.finish().unwrap();
            assert_eq!(pairs.spill.is_some(), memory < Budget::OVERHEAD + 100);
            let mut seen = Vec::new();
            pairs
                .for_each(|p| {
                    seen.push(p);
                    Ok(())
                })
                .unwrap();
            assert!(seen.is_sorted() && seen.windows(2).all(|w| w[0] != w[1]));
            assert!(seen.iter().eq(&all));
            assert_eq!(pairs.len(), all.len() as u64);
        }
    }
}
