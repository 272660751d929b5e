//! The page of a run: what was removed in a sentence, three examples, then by source and time, length
//! and score, clusters, more examples, and how the run was made.
//!
//! # Cost
//! Two passes over the units of each stage and one over its other tables; memory for what is shown.
//! Only the texts of the shown cases, and of the units that recur most, are read.

mod cases;
mod clusters;
mod examples;
mod page;
mod parts;
mod ran;
mod searched;
mod sections;
mod seen;
mod view;

use crate::run::{Run, Stage};
use crate::table::Table;
use crate::tables::Counts;
use tegula::error::Result;

pub use cases::SHOWN as CASES;
pub use searched::{Near, Searched};

/// Additional contents of a page that are not in the run folder.
#[derive(Debug, Default)]
pub struct Extra {
    /// The results of searching again, for each stage; a stage may have none.
    pub searched: Vec<Option<Searched>>,
    /// Words that the copies repeat ([`crate::words`]), or why there are none; none if not
    /// requested.
    pub words: Option<Result<Vec<Table>>>,
}

/// The page of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The page as HTML.
    pub html: String,
    /// What it cannot show, each with the reason.
    pub missing: Vec<String>,
}

/// Creates the page of a run.
///
/// # Errors
/// If a table of the run cannot be read. Other unreadable parts are reported as missing.
pub fn page(run: &Run, extra: &Extra) -> Result<Shown> {
    let is_decided = run.stages().iter().all(Stage::is_decided);
    let decided = run.stages().iter().filter(|_| is_decided);
    let counts = decided.map(Counts::of).collect::<Result<Vec<_>>>()?;
    let mut views = Vec::new();
    for (number, stage) in run.stages().iter().enumerate() {
        views.push(view::View::of(
            run,
            (stage, counts.get(number)),
            number,
            extra.searched.get(number).and_then(Option::as_ref),
        )?);
    }
    let html = page::render(run, &views, &counts, extra.words.as_ref());
    let mut missing: Vec<String> = Vec::new();
    for view in &views {
        missing.extend(
            view.missing()
                .filter(|line| !missing.contains(line))
                .collect::<Vec<_>>(),
        );
    }
    if let Some(Err(error)) = &extra.words {
        missing.push(format!("the words that the copies repeat: {error}"));
    }
    Ok(Shown { html, missing })
}

#[cfg(test)]
mod tests;
