//! What every stage of a run shares: threads, memory ceiling, scratch space, progress and cancellation.

use crate::error::{Error, ErrorKind, Result};
use crate::scratch::Scratch;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Shared by all stages of one run.
#[derive(Clone)]
pub struct Context {
    /// Worker threads, at least 1. Results never depend on it.
    pub threads: usize,
    /// The memory ceiling.
    pub budget: Arc<Budget>,
    /// Where stages spill.
    pub scratch: Arc<Scratch>,
    /// Who is told how far the run is.
    pub progress: Arc<dyn Progress>,
    /// Set to stop the run at the next opportunity.
    pub cancel: Arc<AtomicBool>,
}

impl Context {
    /// A context without progress display.
    pub fn new(threads: usize, memory: u64, scratch: Scratch) -> Self {
        Self {
            threads: threads.max(1),
            budget: Arc::new(Budget::new(memory)),
            scratch: Arc::new(scratch),
            progress: Arc::new(Silent),
            cancel: Arc::new(AtomicBool::new(false)),
        }
    }

    /// Fails when the user has asked to stop.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`].
    pub fn check(&self) -> Result<()> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Cancelled, "interrupted"));
        }
        Ok(())
    }

    /// A thread pool of the context's size.
    ///
    /// # Errors
    /// When the system refuses threads.
    pub fn pool(&self) -> Result<rayon::ThreadPool> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()
            .map_err(|e| Error::new(ErrorKind::Io, "cannot start worker threads").hint("lower --threads").because(e))
    }
}

/// Is told how far a run is. Called from any thread; must be quick.
pub trait Progress: Send + Sync {
    /// A stage begins; `total` is its amount of work in `unit`s, where known.
    fn begin(&self, stage: &str, total: Option<u64>, unit: Amount);
    /// So much more of the stage is done.
    fn advance(&self, amount: u64);
    /// The stage is done.
    fn end(&self);
}

/// What a stage's progress is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Bytes of input.
    Bytes,
    /// Things: blocks, units, partitions.
    Items,
}

/// Tells nobody.
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: &str, _: Option<u64>, _: Amount) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
}

/// The memory ceiling of a run: big tables reserve from it before they are made.
///
/// What is small and constant (code, file buffers, in-flight chunks) is taken off at the start as [`Budget::OVERHEAD`].
#[derive(Debug)]
pub struct Budget {
    total: u64,
    used: AtomicU64,
}

impl Budget {
    /// Bytes set aside for code, stacks, file buffers and allocator slack.
    pub const OVERHEAD: u64 = 48 << 20;
    /// The smallest ceiling that any recipe runs under.
    pub const MINIMUM: u64 = 64 << 20;

    /// A ceiling of `total` bytes.
    pub fn new(total: u64) -> Self {
        Self { total, used: AtomicU64::new(0) }
    }

    /// The ceiling.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// What reservations may still take.
    pub fn free(&self) -> u64 {
        self.total.saturating_sub(Self::OVERHEAD).saturating_sub(self.used.load(Ordering::Relaxed))
    }

    /// Takes `bytes`, or nothing when they are not free.
    pub fn try_reserve(self: &Arc<Self>, bytes: u64) -> Option<Reservation> {
        let ceiling = self.total.saturating_sub(Self::OVERHEAD);
        self.used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| used.checked_add(bytes).filter(|sum| *sum <= ceiling))
            .ok()
            .map(|_| Reservation { budget: Arc::clone(self), bytes })
    }

    /// Takes `bytes` for `what`.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] naming the ceiling that would do.
    pub fn reserve(self: &Arc<Self>, bytes: u64, what: &str) -> Result<Reservation> {
        self.try_reserve(bytes).ok_or_else(|| {
            let needed = (self.used.load(Ordering::Relaxed) + bytes + Self::OVERHEAD).div_ceil(1 << 20);
            Error::new(
                ErrorKind::Memory,
                format!("{what} needs {} MiB more than the memory ceiling leaves", bytes.div_ceil(1 << 20)),
            )
            .hint(format!("raise --memory to at least {needed}M"))
        })
    }
}

/// Bytes taken from a [`Budget`], given back on drop.
#[derive(Debug)]
pub struct Reservation {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Reservation {
    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes `more` bytes as well; false, and unchanged, when they are not free.
    pub fn try_grow(&mut self, more: u64) -> bool {
        let Some(mut extra) = self.budget.try_reserve(more) else { return false };
        self.bytes += std::mem::take(&mut extra.bytes);
        true
    }
}

impl Reservation {
    /// Gives `less` bytes back.
    pub fn shrink(&mut self, less: u64) {
        let less = less.min(self.bytes);
        self.bytes -= less;
        self.budget.used.fetch_sub(less, Ordering::Relaxed);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Ordering::Relaxed);
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
}
