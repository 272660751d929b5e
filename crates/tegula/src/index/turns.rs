//! Threads of one process that change an index wait for each other.

use std::sync::{Condvar, Mutex, PoisonError};

/// One thread at a time has a turn.
#[derive(Debug, Default)]
pub(super) struct Turns {
    is_taken: Mutex<bool>,
    is_free: Condvar,
}

/// The turn of one, until it is dropped. Unlike the guard of a mutex it may move to another thread.
#[derive(Debug)]
pub(super) struct Turn<'t>(&'t Turns);

impl Turns {
    /// Waits for a turn.
    pub(super) fn take(&self) -> Turn<'_> {
        let taken = self.is_taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = (self.is_free)
            .wait_while(taken, |taken| *taken)
            .unwrap_or_else(PoisonError::into_inner);
        *taken = true;
        Turn(self)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let taken = self.0.is_taken.lock();
        *taken.unwrap_or_else(PoisonError::into_inner) = false;
        self.0.is_free.notify_one();
    }
}
