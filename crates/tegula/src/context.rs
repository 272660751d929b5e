//! What every stage of a run shares: threads, memory ceiling, scratch space, progress and cancellation.

pub use crate::budget::{Budget, Reservation};
use crate::error::{Error, ErrorKind, Result};
use crate::large::Large;
use crate::scratch::Scratch;
use crate::threads;
use crate::work::Work;
use std::collections::TryReserveError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by all stages of one run.
#[derive(Clone)]
pub struct Context {
    /// Worker threads, at least 1. Results never depend on it.
    pub threads: usize,
    /// The memory ceiling.
    pub budget: Arc<Budget>,
    /// The part of it used by large records.
    pub large: Arc<Large>,
    /// Where stages spill.
    pub scratch: Arc<Scratch>,
    /// Receives progress reports.
    pub progress: Arc<dyn Progress>,
    /// What the run has done so far.
    pub work: Arc<Work>,
    /// Set to stop the run at the next opportunity.
    pub cancel: Arc<AtomicBool>,
}

impl Context {
    /// A context without progress display.
    pub fn new(threads: usize, memory: u64, scratch: Scratch) -> Self {
        Self::with(threads, Budget::new(memory), scratch)
    }

    /// The same with no more threads than fit under the ceiling.
    pub fn bounded(threads: usize, memory: u64, scratch: Scratch) -> Self {
        let (budget, threads) = Budget::for_threads(memory, threads);
        Self::with(threads, budget, scratch)
    }

    fn with(threads: usize, budget: Budget, scratch: Scratch) -> Self {
        let budget = Arc::new(budget);
        Self {
            threads: threads.max(1),
            large: Arc::new(Large::new(Arc::clone(&budget))),
            budget,
            scratch: Arc::new(scratch),
            progress: Arc::new(Silent),
            work: Arc::default(),
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
        rayon::ThreadPoolBuilder::new().num_threads(self.threads).build().map_err(threads::refused)
    }
}

/// Makes room in a buffer whose size depends on the input, for `what`.
///
/// # Errors
/// When the system has no such memory.
pub fn make_room<T>(buffer: &mut Vec<T>, more: usize, what: &str) -> Result<()> {
    let bytes = (buffer.len().saturating_add(more)).saturating_mul(size_of::<T>());
    buffer.try_reserve_exact(more).map_err(|error| no_memory(bytes as u64, what, error))
}

/// The error where the system has no such memory.
pub fn no_memory(bytes: u64, what: &str, error: TryReserveError) -> Error {
    Error::new(ErrorKind::Memory, format!("the system refuses {} MiB of memory for {what}", bytes.div_ceil(1 << 20)))
        .hint("lower ⟨memory⟩ to what the system has, or free some of it")
        .because(error)
}

/// Receives the progress of a run. Called from any thread; must be quick.
pub trait Progress: Send + Sync {
    /// A stage begins; `total` is its amount of work in `unit`s, where known.
    fn begin(&self, stage: &str, total: Option<u64>, unit: Amount);
    /// This much more of the stage is done.
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
