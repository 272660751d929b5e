//! What a run may take of the machine, and how it is stopped.

use crate::context::{Budget, Context, Progress};
use crate::error::{Error, Result};
use crate::scratch::Scratch;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stops runs from another thread. Clones are the same token.
///
/// ```
/// use tegula::{Cancel, Dedup, ErrorKind};
///
/// let cancel = Cancel::new();
/// let dedup = Dedup::new().cancel(&cancel);
/// cancel.cancel(); // as another thread would, while a run goes on
/// assert_eq!(dedup.run(["a text"]).unwrap_err().kind(), ErrorKind::Cancelled);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A token that has stopped nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops all runs that have this token, those that begin later included: each ends with
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled) as soon as the pieces at hand are done.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it has stopped anything.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Bytes of memory that a run takes at most, unless it is told otherwise: 2 GiB.
///
/// The caller's texts do not count. What does not fit goes to scratch files.
pub fn default_memory() -> u64 {
    2 << 30
}

/// Threads, memory, scratch, progress and cancellation, as far as they were set.
#[derive(Clone, Default)]
pub(super) struct Machine {
    pub(super) threads: Option<usize>,
    pub(super) memory: Option<u64>,
    pub(super) scratch: Option<PathBuf>,
    pub(super) progress: Option<Arc<dyn Progress>>,
    pub(super) cancel: Option<Cancel>,
}

impl Machine {
    /// Refuses a ceiling below which nothing runs.
    pub(super) fn check_memory(bytes: u64) -> Result<u64> {
        if bytes < Budget::MINIMUM {
            let (least, found) = (Budget::MINIMUM >> 20, bytes >> 20);
            return Err(Error::usage(format!("memory: expected at least {least} MiB, found {found} MiB")));
        }
        Ok(bytes)
    }

    /// The context of one run.
    pub(super) fn context(&self) -> Context {
        let threads = self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
        let scratch = self.scratch.as_ref().map_or_else(Scratch::system, |folder| Scratch::new(folder, u64::MAX));
        let mut context = Context::bounded(threads, self.memory.unwrap_or_else(default_memory), scratch);
        if let Some(progress) = &self.progress {
            context.progress = Arc::clone(progress);
        }
        if let Some(Cancel(flag)) = &self.cancel {
            context.cancel = Arc::clone(flag);
        }
        context
    }
}
