//! Threads, which the system may refuse to start.

use crate::error::{Error, ErrorKind, Result};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Starts a thread that ends with `scope`.
///
/// # Errors
/// If the system refuses it.
pub fn start<'scope, 'env, T: Send + 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>> {
    Builder::new().spawn_scoped(scope, work).map_err(refused)
}

/// The result of a thread; panics if the thread did.
pub fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The error if the system refuses a thread.
pub(crate) fn refused(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    let cause = error.into();
    Error::new(ErrorKind::Io, format!("cannot start a thread: {cause}"))
        .hint(
            "lower ⟨threads⟩, or raise the limit on processes or on memory (ulimit -u, ulimit -v)",
        )
        .because(cause)
}
