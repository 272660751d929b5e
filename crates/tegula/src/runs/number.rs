//! Numbers runs: which runs there are, how often each occurs, and its rank.

use super::features::{Feature, Parts};
use crate::context::{Amount, Context, Reservation};
use crate::error::Result;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// The rank of a run without one, and the text of a run in none.
pub(super) const NONE: u32 = u32::MAX;

/// Several texts; none begins at this position, as it is the last.
const SHARED: u32 = NONE - 1;

/// The state of a run. The updates of threads commute.
struct Run {
    /// Its length, 0 until it is known.
    length: AtomicU32,
    /// Its number of occurrences.
    count: AtomicU32,
    /// The text that contains it, [`NONE`] at first, and [`SHARED`] if there are several.
    text: AtomicU32,
}

impl Run {
    fn new() -> Self {
        Self {
            length: AtomicU32::new(0),
            count: AtomicU32::new(0),
            text: AtomicU32::new(NONE),
        }
    }

    /// Its number of occurrences, if several texts contain it; else 0.
    fn shared(&self) -> u32 {
        if self.text.load(Ordering::Relaxed) == SHARED {
            self.count.load(Ordering::Relaxed)
        } else {
            0
        }
    }

    /// Records an occurrence, which counts unless an equal text has it too; returns whether its length
    /// equals that of all earlier ones.
    fn note(&self, text: u32, length: u32, counts: bool) -> bool {
        self.count.fetch_add(u32::from(counts), Ordering::Relaxed);
        let other = set_first(&self.text, NONE, text);
        if other != text && other != SHARED {
            self.text.store(SHARED, Ordering::Relaxed);
        }
        set_first(&self.length, 0, length) == length
    }
}

/// Sets `place` to `value` if it is `unset`; returns the resulting value. It is usually set
/// already, and a load is cheaper than an exchange.
fn set_first(place: &AtomicU32, unset: u32, value: u32) -> u32 {
    let before = place.load(Ordering::Relaxed);
    if before != unset {
        return before;
    }
    place
        .compare_exchange(unset, value, Ordering::Relaxed, Ordering::Relaxed)
        .err()
        .unwrap_or(value)
}

/// All runs, by number.
pub(super) struct Runs {
    runs: Vec<Run>,
    _held: Reservation,
}

impl Runs {
    /// Numbers the runs. If each has one length in all texts, and begins where its first class
    /// does, all its classes have the same positions: if one of them had an additional position, a
    /// run would end earlier or begin later there. Otherwise signatures have collided, and each
    /// shingle becomes a separate run.
    ///
    /// # Errors
    /// Any error from the memory ceiling or scratch.
    pub(super) fn of(
        context: &Context,
        parts: &mut Parts,
        positions: u64,
    ) -> Result<(Heads, Self)> {
        let heads = Heads::new(context, parts, positions)?;
        if let Some(runs) = Self::noted(context, parts, &heads)? {
            return Ok((heads, runs));
        }
        drop(heads);
        parts.split_all(context)?;
        let heads = Heads::new(context, parts, positions)?;
        // Single shingles have one length, and separate identities.
        let runs = Self::noted(context, parts, &heads)?.ok_or_else(|| {
            crate::error::Error::new(
                crate::error::ErrorKind::Run,
                "expected single shingles to agree on their lengths",
            )
        })?;
        Ok((heads, runs))
    }

    /// The runs of all texts, if they agree.
    fn noted(context: &Context, parts: &Parts, heads: &Heads) -> Result<Option<Self>> {
        let count = heads.len();
        let held = context
            .budget
            .reserve((count * (size_of::<Run>() + 8)) as u64, "the runs")?;
        let runs: Vec<Run> = (0..count).map(|_| Run::new()).collect();
        let agree = AtomicBool::new(true);
        context
            .progress
            .begin("counting", Some(parts.parts.len() as u64), Amount::Items);
        parts
            .parts
            .par_iter()
            .enumerate()
            .try_for_each(|(number, part)| {
                let features = parts.features.look(number)?;
                let mut all = true;
                for ((text, _, range), counts) in part.texts().zip(part.counts) {
                    for Feature { run, length, .. } in &features[range] {
                        all &= heads.has(*run)
                            && runs[heads.number(*run)].note(text, *length, *counts);
                    }
                }
                agree.fetch_and(all, Ordering::Relaxed);
                context.progress.advance(1);
                context.check()
            })?;
        context.progress.end();
        Ok(agree.into_inner().then_some(Self { runs, _held: held }))
    }

    /// How often a run occurs in different texts.
    pub(super) fn count(&self, number: usize) -> u32 {
        self.runs[number].count.load(Ordering::Relaxed)
    }

    /// The greatest of these counts.
    pub(super) fn most(&self) -> u32 {
        let counts = self
            .runs
            .iter()
            .map(|run| run.count.load(Ordering::Relaxed));
        counts.max().unwrap_or(0)
    }

    /// The rank of each run: the rarest first, with ties broken by position, none for runs of a
    /// single text. And the number of ranks.
    pub(super) fn ranks(&self) -> (Vec<u32>, u32) {
        let counts: Vec<u32> = self.runs.iter().map(Run::shared).collect();
        let most = counts.iter().copied().max().unwrap_or(0) as usize;
        let mut next = vec![0_u32; most + 2];
        for count in counts.iter().filter(|count| **count > 0) {
            next[*count as usize + 1] += 1;
        }
        for count in 1..next.len() {
            next[count] += next[count - 1];
        }
        let ranks = next[most + 1];
        let rank = |count: &u32| {
            if *count == 0 {
                return NONE;
            }
            let next = &mut next[*count as usize];
            *next += 1;
            *next - 1
        };
        (counts.iter().map(rank).collect(), ranks)
    }
}

/// The positions at which runs begin that they identify: one bit for each position, and the numbers
/// of runs derived from these.
pub(super) struct Heads {
    bits: Vec<u64>,
    /// Heads before each word.
    before: Vec<u32>,
    _held: Reservation,
}

impl Heads {
    fn new(context: &Context, parts: &Parts, positions: u64) -> Result<Self> {
        let words = positions.div_ceil(64);
        let held = context.budget.reserve(words * 12, "the places of runs")?;
        let bits: Vec<AtomicU64> = (0..words).map(|_| AtomicU64::new(0)).collect();
        parts
            .parts
            .par_iter()
            .enumerate()
            .try_for_each(|(number, part)| {
                let features = parts.features.look(number)?;
                for (start, _, range) in part.texts() {
                    for Feature { run, .. } in features[range]
                        .iter()
                        .filter(|feature| start + feature.at == feature.run)
                    {
                        bits[*run as usize / 64].fetch_or(1 << (run % 64), Ordering::Relaxed);
                    }
                }
                Ok(())
            })?;
        let bits: Vec<u64> = bits.into_iter().map(AtomicU64::into_inner).collect();
        let (mut sum, mut before) = (0, Vec::with_capacity(bits.len() + 1));
        for word in &bits {
            before.push(sum);
            sum += word.count_ones();
        }
        before.push(sum);
        Ok(Self {
            bits,
            before,
            _held: held,
        })
    }

    fn len(&self) -> usize {
        self.before.last().copied().unwrap_or(0) as usize
    }

    fn has(&self, run: u32) -> bool {
        self.bits
            .get(run as usize / 64)
            .is_some_and(|word| word >> (run % 64) & 1 == 1)
    }

    #[inline]
    pub(super) fn number(&self, run: u32) -> usize {
        let word = run as usize / 64;
        (self.before[word] + (self.bits[word] & ((1 << (run % 64)) - 1)).count_ones()) as usize
    }
}
