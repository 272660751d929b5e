//! How much of a file may be held at a time: records that do not fit under the memory ceiling are refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tegula::context::{Budget, Context};
use tegula::error::{Error, ErrorKind, Result};
use tegula::large::Scales;

/// What a record may take.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// Bytes that are read before a record must end.
    pub(crate) longest: usize,
    /// Bytes of memory for all that is done with a record.
    pub(crate) memory: u64,
    /// Whether each character is a token, so that a text has more of them.
    pub(crate) characters: bool,
    /// What memory is taken from.
    pub(crate) budget: Option<Arc<Budget>>,
    cancel: Arc<AtomicBool>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { longest: usize::MAX, memory: u64::MAX, characters: false, budget: None, cancel: Arc::default() }
    }
}

impl Limits {
    /// As the memory ceiling has it.
    pub(crate) fn of(context: &Context, characters: bool) -> Self {
        let budget = &context.budget;
        Self {
            longest: usize::try_from(budget.longest_record()).unwrap_or(usize::MAX),
            memory: budget.for_records(),
            characters,
            budget: Some(Arc::clone(budget)),
            cancel: Arc::clone(&context.cancel),
        }
    }

    /// Fails when the user has asked to stop.
    pub(crate) fn check(&self) -> Result<()> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Cancelled, "interrupted"));
        }
        Ok(())
    }

    /// The error for a record that takes more; `ends` says that its end was found, and not only that of the file.
    pub(crate) fn refuse(&self, record: &Scales, ends: bool) -> Error {
        let found = if ends {
            format!("found one of {}", size(record.bytes()))
        } else {
            let most = (self.longest as u64).min(record.bytes());
            format!("found none that ends in the first {} of the {} that are left", size(most), size(record.bytes()))
        };
        Error::new(ErrorKind::Memory, format!("expected a record that fits under the memory ceiling, {found}"))
            .hint(enough(record.memory()))
    }
}

/// What to do about a record that takes so much memory.
pub(crate) fn enough(memory: u64) -> String {
    format!("raise ⟨memory⟩ to at least {}M", Budget::enough_for_record(memory))
}

/// Bytes for people.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..=9_999 => format!("{bytes} bytes"),
        10_000..=999_999 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..=999_999_999 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
