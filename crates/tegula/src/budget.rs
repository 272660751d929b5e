//! The memory ceiling and the reservations made from it.

use crate::error::{Error, ErrorKind, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The memory ceiling of a run: large tables reserve from it before they are built.
///
/// Small, constant amounts (code, file buffers, in-flight chunks) are deducted at the start as
/// [`Budget::OVERHEAD`].
#[derive(Debug)]
pub struct Budget {
    total: u64,
    /// The threads that run; [`Budget::UNCOUNTED`] if no memory is set aside for them.
    threads: AtomicUsize,
    used: AtomicU64,
    /// The part that is required. The rest was optional, and grows with a higher ceiling.
    needed: AtomicU64,
}

impl Budget {
    /// Bytes set aside for code, stacks, file buffers and allocator slack.
    pub const OVERHEAD: u64 = 36 << 20;
    /// The smallest ceiling that any recipe runs under.
    pub const MINIMUM: u64 = 64 << 20;

    /// Bytes held by each thread after the first: buffers, chunks in flight, the allocator's cache.
    /// Measured.
    pub const THREAD: u64 = 16 << 20;

    /// Any number of threads, for which no memory is set aside.
    const UNCOUNTED: usize = usize::MAX;

    /// A ceiling of `total` bytes, of which none are set aside for threads.
    pub fn new(total: u64) -> Self {
        Self {
            total,
            threads: AtomicUsize::new(Self::UNCOUNTED),
            used: AtomicU64::new(0),
            needed: AtomicU64::new(0),
        }
    }

    /// A ceiling for `threads` threads, or as many as fit: those after the first use at most half of
    /// the memory beyond [`Budget::OVERHEAD`].
    pub fn for_threads(total: u64, threads: usize) -> Self {
        let more = total.saturating_sub(Self::OVERHEAD) / 2 / Self::THREAD;
        let more = usize::try_from(more).unwrap_or(usize::MAX - 1);
        Self {
            threads: AtomicUsize::new(threads.clamp(1, (more + 1).min(Self::UNCOUNTED - 1))),
            ..Self::new(total)
        }
    }

    /// The maximum number of threads.
    pub fn threads(&self) -> usize {
        self.threads.load(Ordering::Relaxed)
    }

    /// Frees the memory of all threads but one; false if there was only one.
    pub(crate) fn leave_one_thread(&self) -> bool {
        self.held_by_threads() > 0 && {
            self.threads.store(1, Ordering::Relaxed);
            true
        }
    }

    /// Memory of the threads after the first, which is never reserved.
    fn held_by_threads(&self) -> u64 {
        match self.threads() {
            Self::UNCOUNTED => 0,
            threads => (threads as u64 - 1) * Self::THREAD,
        }
    }

    /// The lowest ceiling under which this many bytes can be reserved with this many threads. Under
    /// a higher one more threads run; at the point where one more starts, as much memory is free as
    /// all of them hold.
    pub fn enough(bytes: u64, threads: usize) -> u64 {
        let more = (threads.max(1) as u64 - 1).min(bytes.div_ceil(Self::THREAD).saturating_sub(1));
        bytes
            .saturating_add(more * Self::THREAD)
            .saturating_add(Self::OVERHEAD)
    }

    /// The ceiling.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The free memory.
    pub fn free(&self) -> u64 {
        self.ceiling()
            .saturating_sub(self.used.load(Ordering::Relaxed))
    }

    /// The maximum for all reservations together.
    fn ceiling(&self) -> u64 {
        self.total
            .saturating_sub(Self::OVERHEAD)
            .saturating_sub(self.held_by_threads())
    }

    /// Reserves `bytes`, or nothing if they are not free: for uses that can manage with less.
    pub fn try_reserve(self: &Arc<Self>, bytes: u64) -> Option<Reservation> {
        self.take(bytes, false)
    }

    fn take(self: &Arc<Self>, bytes: u64, needed: bool) -> Option<Reservation> {
        let ceiling = self.ceiling();
        self.used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(bytes).filter(|sum| *sum <= ceiling)
            })
            .ok()?;
        if needed {
            self.needed.fetch_add(bytes, Ordering::Relaxed);
        }
        Some(Reservation {
            budget: Arc::clone(self),
            bytes,
            needed,
        })
    }

    /// Reserves `bytes` for `what`, which requires them.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] with a sufficient ceiling.
    pub fn reserve(self: &Arc<Self>, bytes: u64, what: &str) -> Result<Reservation> {
        self.take(bytes, true)
            .ok_or_else(|| self.refused(bytes, what))
    }

    fn refused(&self, bytes: u64, what: &str) -> Error {
        let message = format!(
            "not enough memory for {what}: {} MiB more do not fit under the ceiling",
            bytes.div_ceil(1 << 20)
        );
        Error::new(ErrorKind::Memory, message).raise_to(self.enough_for(bytes), "")
    }

    /// An estimate of the ceiling in MiB that leaves room for `bytes` more: optional reservations
    /// also grow with a higher ceiling.
    fn enough_for(&self, bytes: u64) -> u64 {
        let share = self.ceiling().max(1);
        let used = self.used.load(Ordering::Relaxed);
        let needed = self.needed.load(Ordering::Relaxed).min(used);
        let sure = share.saturating_sub(used - needed).max(share / 8);
        let wanted =
            u128::from(needed + bytes) * u128::from(share) / u128::from(sure) + u128::from(bytes);
        // A growing table will ask again: each time for a third more, so that it does not ask
        // often.
        let room = u64::try_from(wanted / 3 * 4).unwrap_or(u64::MAX);
        let threads = self.held_by_threads() / Self::THREAD + 1;
        let sum = Self::enough(room, threads as usize);
        sum.max(self.total)
            .div_ceil(4 << 20)
            .saturating_add(1)
            .saturating_mul(4)
    }
}

/// Bytes reserved from a [`Budget`], released on drop.
#[derive(Debug)]
pub struct Reservation {
    budget: Arc<Budget>,
    bytes: u64,
    needed: bool,
}

impl Reservation {
    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reserves `more` bytes; false, and unchanged, if they are not free.
    pub fn try_grow(&mut self, more: u64) -> bool {
        let Some(mut extra) = self.budget.take(more, self.needed) else {
            return false;
        };
        self.bytes += std::mem::take(&mut extra.bytes);
        true
    }

    /// Reserves `more` bytes for `what`, which requires them.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] with a sufficient ceiling; the reservation is unchanged.
    pub fn grow(&mut self, more: u64, what: &str) -> Result<()> {
        if self.try_grow(more) {
            Ok(())
        } else {
            Err(self.budget.refused(more, what))
        }
    }

    /// Releases `less` bytes.
    pub fn shrink(&mut self, less: u64) {
        let less = less.min(self.bytes);
        self.bytes -= less;
        self.budget.used.fetch_sub(less, Ordering::Relaxed);
        if self.needed {
            self.budget.needed.fetch_sub(less, Ordering::Relaxed);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.shrink(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_never_exceed_the_ceiling_and_come_back() {
        let budget = Arc::new(Budget::new(Budget::OVERHEAD + 100));
        let mut first = budget.try_reserve(60).unwrap();
        assert!(budget.try_reserve(41).is_none());
        assert!(first.try_grow(40));
        assert_eq!(budget.free(), 0);
        assert!(budget.reserve(1, "a test").is_err());
        drop(first);
        assert_eq!(budget.free(), 100);
    }

    #[test]
    fn threads_hold_half_at_most_and_what_is_enough_is() {
        for threads in [1, 2, 7, 64] {
            for room in [0, 1 << 20, 30 << 20, 500 << 20, 9 << 30] {
                let enough = Budget::enough(room, threads);
                for ceiling in
                    (enough..enough + (2 * threads as u64 * Budget::THREAD)).step_by(1 << 20)
                {
                    let budget = Budget::for_threads(ceiling, threads);
                    assert!(
                        budget.free() >= room && (1..=threads).contains(&budget.threads()),
                        "{threads} {room} {ceiling}"
                    );
                }
            }
        }
        assert_eq!(Budget::for_threads(Budget::MINIMUM, 8).threads(), 1);
        assert_eq!(Budget::for_threads(1 << 40, 8).threads(), 8);
    }

    #[test]
    fn the_ceiling_that_a_refusal_names_is_enough() {
        // Optional reservations take half of the free memory, then required tables grow.
        let fits = |ceiling: u64, table: u64, threads: usize| {
            let budget = Arc::new(Budget::for_threads(ceiling, threads));
            let _room = budget.try_reserve(budget.free() / 2).unwrap();
            let mut held = budget.reserve(0, "a table")?;
            let step = 1 << 20;
            for _ in 0..table / step {
                held.grow(step, "a table")?;
            }
            budget.reserve(5 << 20, "a buffer").map(drop)
        };
        for (table, threads) in [9 << 20, 60 << 20, 700 << 20]
            .into_iter()
            .flat_map(|table| [(table, 1), (table, 2), (table, 64)])
        {
            let mut ceiling = Budget::MINIMUM;
            let mut asked = 0;
            while let Err(error) = fits(ceiling, table, threads) {
                let words = error.advice().unwrap().split_whitespace().last().unwrap();
                let named: u64 = words.trim_end_matches('M').parse().unwrap();
                assert!(named << 20 > ceiling, "{named}");
                ceiling = named << 20;
                asked += 1;
            }
            let of_threads = (threads as u64 - 1) * Budget::THREAD;
            let most =
                Budget::OVERHEAD + 3 * (table + (16 << 20) + of_threads.min(table + (16 << 20)));
            assert!(
                ceiling < most,
                "{table} under {ceiling} with {threads} threads"
            );
            assert!(asked <= 24, "{table} asked {asked} times");
        }
    }
}
