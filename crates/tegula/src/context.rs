//! State shared by all stages of a run: threads, memory ceiling, scratch space, progress and
//! cancellation.

pub use crate::budget::{Budget, Reservation};
use crate::error::{Error, ErrorKind, Result};
use crate::large::Large;
use crate::scratch::Scratch;
use crate::threads;
use crate::work::Work;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::TryReserveError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Shared by all stages of one run.
#[derive(Clone)]
pub struct Context {
    /// The threads that the run began with, at least 1.
    threads: usize,
    /// The memory ceiling.
    pub budget: Arc<Budget>,
    /// The part of it that large records use.
    pub large: Arc<Large>,
    /// Where stages spill.
    pub scratch: Arc<Scratch>,
    /// Receives progress reports.
    pub progress: Arc<dyn Progress>,
    /// Work done so far.
    pub work: Arc<Work>,
    /// Set to cancel the run at the next opportunity.
    pub cancel: Arc<AtomicBool>,
    pool: Arc<Mutex<Option<Pool>>>,
}

/// Threads among which stages divide work.
struct Pool {
    /// The process that has them.
    process: u32,
    threads: Arc<ThreadPool>,
}

impl Context {
    /// A context without progress display.
    pub fn new(threads: usize, memory: u64, scratch: Scratch) -> Self {
        Self::with(threads, Budget::new(memory), scratch)
    }

    /// The same with only as many threads as fit under the ceiling.
    pub fn bounded(threads: usize, memory: u64, scratch: Scratch) -> Self {
        let budget = Budget::for_threads(memory, threads);
        Self::with(budget.threads(), budget, scratch)
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
            pool: Arc::default(),
        }
    }

    /// Worker threads, at least 1. Results never depend on the number.
    pub fn threads(&self) -> usize {
        self.threads.min(self.budget.threads())
    }

    /// Whether the memory ceiling was too low for all threads with which the run began.
    pub fn has_fewer_threads(&self) -> bool {
        self.threads() < self.threads
    }

    /// The same with one thread.
    #[must_use]
    pub fn on_one_thread(&self) -> Self {
        Self {
            threads: 1,
            pool: Arc::default(),
            ..self.clone()
        }
    }

    /// The result of a task. If it does not fit under the memory ceiling with several threads, it
    /// is repeated on one, and all later work is done on one. How long a record may be does not
    /// depend on threads.
    ///
    /// # Errors
    /// Those of the task.
    pub fn on_threads_that_fit<T>(&self, mut task: impl FnMut() -> Result<T>) -> Result<T> {
        let is_short =
            |error: &Error| error.kind() == ErrorKind::Memory && error.record_number().is_none();
        match task() {
            Err(error) if is_short(&error) && self.budget.leave_one_thread() => task(),
            result => result,
        }
    }

    /// Fails if the run was cancelled.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`].
    pub fn check(&self) -> Result<()> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Cancelled, "interrupted"));
        }
        Ok(())
    }

    /// A thread pool of the context's size, which all stages share.
    ///
    /// # Errors
    /// If the system refuses threads.
    pub fn pool(&self) -> Result<Arc<ThreadPool>> {
        let (process, threads) = (std::process::id(), self.threads());
        let mut shared = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        // A process that was forked has none of the threads.
        if let Some(pool) = &*shared
            && pool.process == process
            && pool.threads.current_num_threads() == threads
        {
            return Ok(Arc::clone(&pool.threads));
        }
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(threads::refused)?;
        let pool = Pool {
            process,
            threads: Arc::new(pool),
        };
        Ok(Arc::clone(&shared.insert(pool).threads))
    }
}

/// Reserves space in a buffer whose size depends on the input, for `what`.
///
/// # Errors
/// If the system has too little memory.
pub fn make_room<T>(buffer: &mut Vec<T>, more: usize, what: &str) -> Result<()> {
    let bytes = (buffer.len().saturating_add(more)).saturating_mul(size_of::<T>());
    buffer
        .try_reserve_exact(more)
        .map_err(|error| no_memory(bytes as u64, what, error))
}

/// The error if the system has too little memory.
pub fn no_memory(bytes: u64, what: &str, error: TryReserveError) -> Error {
    Error::new(
        ErrorKind::Memory,
        format!(
            "the system refuses {} MiB of memory for {what}",
            bytes.div_ceil(1 << 20)
        ),
    )
    .hint("lower ⟨memory⟩ to what the system has, or free some of it")
    .because(error)
}

/// Receives the progress of a run. Called from any thread; must be quick.
pub trait Progress: Send + Sync {
    /// A stage begins; `total` is its amount of work in `unit`s, if known.
    fn begin(&self, stage: &str, total: Option<u64>, unit: Amount);
    /// This much more of the stage is done.
    fn advance(&self, amount: u64);
    /// The stage is done.
    fn end(&self);
}

/// The unit of a stage's progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Bytes of input.
    Bytes,
    /// Items: blocks, units, partitions.
    Items,
}

/// Reports nothing.
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: &str, _: Option<u64>, _: Amount) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_share_a_pool_and_a_forked_process_has_its_own() {
        let context = Context::new(2, Budget::MINIMUM, Scratch::system());
        let pool = context.pool().unwrap();
        assert_eq!(pool.current_num_threads(), context.threads());
        assert!(Arc::ptr_eq(&pool, &context.clone().pool().unwrap()));
        let alone = context.on_one_thread().pool().unwrap();
        assert_eq!(alone.current_num_threads(), 1);
        assert!(Arc::ptr_eq(&pool, &context.pool().unwrap()));
        // As a child sees it that was forked with the context.
        let parent = std::process::id() + 1;
        context.pool.lock().unwrap().as_mut().unwrap().process = parent;
        let own = context.pool().unwrap();
        assert!(!Arc::ptr_eq(&pool, &own));
        assert!(Arc::ptr_eq(&own, &context.pool().unwrap()));
        assert_eq!(own.install(rayon::current_num_threads), context.threads());
    }
}
