//! The options of runs, as users give them, and what they mean.
//!
//! Each file declares a struct of options (`tegula::options!`) and makes of it what a specification
//! holds. Every check that needs no data happens here, and names the option, so that a wrong one
//! fails before anything is read.

mod cluster;
mod evidence;
mod heading;
mod input;
mod machine;
mod named;
mod pairs;
mod recipe;
mod records;
mod shown;
mod table;

pub use cluster::{ClusterOptions, EngineName, EngineOptions, ExecutorOptions};
pub use evidence::EvidenceOptions;
pub use heading::Heading;
pub(crate) use heading::is_harmless;
pub use input::InputOptions;
pub use machine::{MachineOptions, Memory, ScratchPlace, Size};
pub use named::{Named, card, read_handwritten, stages};
pub use pairs::{KeepOptions, PairOptions, Window};
pub use recipe::{Fingerprint, RecipeOptions, Setting, TokenSource};
pub use records::{BadRecordOptions, BadRecordPolicy, RecordOptions};
pub use shown::{Form, ProgressMode, ProgressOptions, Shown, ShownOptions};
pub use table::{FormulaOptions, TableOptions, TablesOptions};

use std::path::Path;
use tegula::error::{Error, Result};

/// Refuses the name of a page that does not end in .html.
pub(crate) fn check_page(path: &Path) -> Result<()> {
    if is_page(path) {
        return Ok(());
    }
    Err(Error::of("⟨output⟩")
        .expected("a name that ends in .html")
        .at(path))
}

/// Whether a file name is that of a page.
pub(crate) fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|ending| {
        ending.eq_ignore_ascii_case("html") || ending.eq_ignore_ascii_case("htm")
    })
}

/// The error about an option instead of the recipe field of this name, or beside another.
pub(crate) fn in_option(option: &str, error: Error) -> Error {
    let name = option.trim_start_matches('⟨').trim_end_matches('⟩');
    error.about(|subject| match subject {
        Some(subject) if subject != name => format!("{option}: {subject}"),
        _ => option.to_owned(),
    })
}
