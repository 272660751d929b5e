//! Limits on how much of a file is held at a time: records that do not fit under the memory ceiling
//! are refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tegula::context::{Budget, Context};
use tegula::error::{Error, ErrorKind, Result};
use tegula::large::Scales;

/// The limits of a record.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// The maximum bytes read before a record must end.
    pub(crate) longest: usize,
    /// The maximum bytes of memory for processing a record.
    pub(crate) memory: u64,
    /// Whether each character is a token, so that a text has more of them.
    pub(crate) characters: bool,
    /// The budget from which memory is reserved.
    pub(crate) budget: Option<Arc<Budget>>,
    cancel: Arc<AtomicBool>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            longest: usize::MAX,
            memory: u64::MAX,
            characters: false,
            budget: None,
            cancel: Arc::default(),
        }
    }
}

impl Limits {
    /// The limits under the memory ceiling.
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

    /// Fails if the run was cancelled.
    pub(crate) fn check(&self) -> Result<()> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Cancelled, "interrupted"));
        }
        Ok(())
    }

    /// The error for a record that needs more; `ends` says that its end was found, not only that of
    /// the file.
    pub(crate) fn refuse(&self, record: &Scales, ends: bool) -> Error {
        let found = if ends {
            format!("found one of {}", size(record.bytes()))
        } else {
            let most = (self.longest as u64).min(record.bytes());
            format!(
                "found none that ends in the first {} of the remaining {}",
                size(most),
                size(record.bytes())
            )
        };
        Error::new(
            ErrorKind::Memory,
            format!("expected a record that fits under the memory ceiling, {found}"),
        )
        .hint(enough(record.memory()))
    }
}

/// Advice about a record that needs this much memory.
pub(crate) fn enough(memory: u64) -> String {
    format!(
        "raise ⟨memory⟩ to at least {}M",
        Budget::enough_for_record(memory)
    )
}

/// Bytes for display.
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
