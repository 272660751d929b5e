//! The resources of a run, and how it is cancelled.

use crate::context::{Context, Progress};
use crate::error::Result;
use crate::machine::Limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cancels runs from another thread. Clones share one token.
///
/// ```
/// use tegula::{Cancel, Dedup, ErrorKind};
///
/// let cancel = Cancel::new();
/// let dedup = Dedup::new().cancel(&cancel);
/// cancel.cancel(); // as another thread would, during a run
/// assert_eq!(dedup.run(["a text"]).unwrap_err().kind(), ErrorKind::Cancelled);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops all runs that have this token, including later ones: each ends with
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled) once the pieces in progress are done.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Settings for threads, memory, scratch, progress and cancellation.
#[derive(Clone, Default)]
pub(super) struct Machine {
    pub(super) limits: Limits,
    pub(super) progress: Option<Arc<dyn Progress>>,
    pub(super) cancel: Option<Cancel>,
}

impl Machine {
    /// The context of one run.
    pub(super) fn context(&self) -> Result<Context> {
        let mut context = self.limits.context()?;
        if let Some(progress) = &self.progress {
            context.progress = Arc::clone(progress);
        }
        if let Some(Cancel(flag)) = &self.cancel {
            context.cancel = Arc::clone(flag);
        }
        Ok(context)
    }
}
