//! The options of runs, as users give them, and what they mean.
//!
//! Each file declares a struct of options (`tegula::options!`) and makes of it what a specification
//! holds. Every check that needs no data happens here, and names the option, so that a wrong one
//! fails before anything is read.

mod evidence;
mod named;
mod pairs;
mod recipe;
mod records;

pub use evidence::EvidenceOptions;
pub use named::{Named, card, read_handwritten, stages};
pub use pairs::{KeepOptions, PairOptions, Window};
pub use recipe::{Fingerprint, RecipeOptions, Setting, TokenSource};
pub use records::{BadRecordPolicy, RecordOptions};

use tegula::error::Error;

/// The error with the option's name before it, instead of the recipe field's.
fn in_option(option: &str, error: &Error) -> Error {
    let (message, advice) = error.marked();
    let field = option.trim_start_matches('⟨').trim_end_matches('⟩');
    let message = message
        .strip_prefix(field)
        .and_then(|rest| rest.strip_prefix(": "))
        .unwrap_or(message);
    let named = Error::usage(format!("{option}: {message}"));
    match advice {
        Some(advice) => named.hint(advice),
        None => named,
    }
}
