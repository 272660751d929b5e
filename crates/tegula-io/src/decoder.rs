//! Decoders of libraries, which may panic on damaged bytes.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder; none if it panicked.
pub(crate) fn caught<R>(decode: impl FnOnce() -> R) -> Option<R> {
    let before = GUARDED.replace(true);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    GUARDED.set(before);
    decoded.ok()
}

/// Whether this thread is in a decoder whose panics become errors, so that they need not be
/// reported.
pub fn is_guarded() -> bool {
    GUARDED.get()
}
