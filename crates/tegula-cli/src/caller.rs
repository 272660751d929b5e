//! The program that a command runs within: it receives what the command prints, warnings and
//! progress, and can stop it.
//!
//! A command prints from the thread that runs it, so the caller is kept for each thread.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tegula::context::Progress;

/// What a command needs from the program that runs it.
pub struct Call {
    /// Stops the command when it is set.
    pub cancel: Arc<AtomicBool>,
    /// Receives the progress.
    pub progress: Arc<dyn Progress>,
    /// Receives warnings, notes, and texts such as summaries, all in plain text.
    pub said: Listener,
}

/// Receives what a command prints besides its output.
pub type Listener = Box<dyn Fn(Said, &str)>;

/// The kind of text that a command prints besides its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// Something that deserves attention.
    Warning,
    /// Something that may be of interest.
    Note,
    /// What the program would write to standard error: a summary.
    Text,
}

struct Within {
    call: Call,
    printed: Vec<u8>,
}

thread_local! {
    static WITHIN: RefCell<Option<Within>> = const { RefCell::new(None) };
}

/// Forgets the caller at the end, also after a panic.
pub(crate) struct Guard;

impl Guard {
    /// Connects the commands of this thread to this caller.
    pub(crate) fn enter(call: Call) -> Self {
        WITHIN.replace(Some(Within {
            call,
            printed: Vec::new(),
        }));
        Self
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        WITHIN.take();
    }
}

/// Whether the command of this thread runs within another program.
pub(crate) fn is_within() -> bool {
    WITHIN.with_borrow(Option::is_some)
}

/// Passes a text to the caller; false if there is none.
pub(crate) fn said(kind: Said, text: &str) -> bool {
    WITHIN.with_borrow(|within| {
        within
            .as_ref()
            .inspect(|within| (within.call.said)(kind, text))
            .is_some()
    })
}

/// Keeps output for the caller; false if there is none.
pub(crate) fn printed(bytes: &[u8]) -> bool {
    WITHIN.with_borrow_mut(|within| {
        within
            .as_mut()
            .map(|within| within.printed.extend_from_slice(bytes))
            .is_some()
    })
}

/// The flag with which the caller stops the command.
pub(crate) fn flag() -> Option<Arc<AtomicBool>> {
    WITHIN.with_borrow(|within| Some(Arc::clone(&within.as_ref()?.call.cancel)))
}

/// What the command has printed for the caller.
pub(crate) fn output() -> Vec<u8> {
    WITHIN.with_borrow_mut(|within| {
        within
            .as_mut()
            .map_or_else(Vec::new, |within| std::mem::take(&mut within.printed))
    })
}

/// Receives progress for the caller.
pub(crate) fn progress() -> Option<Arc<dyn Progress>> {
    WITHIN.with_borrow(|within| Some(Arc::clone(&within.as_ref()?.call.progress)))
}
