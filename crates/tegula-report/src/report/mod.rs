//! The page of a run: what was run, what went and what is left, by length, file and field, scores, clusters, and cases to judge by.
//!
//! # Cost
//! Two walks over the units of each stage and one over its other tables; memory for what is shown. Of texts only those of the shown cases
//! are read.

mod cases;
mod clusters;
mod page;
mod seen;

use crate::run::Run;
use crate::table::Table;
use tegula::error::Result;

pub use cases::SHOWN as CASES;

/// A pair below the threshold, found by searching the inputs again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// The earlier unit.
    pub a: u64,
    /// The later unit.
    pub b: u64,
    /// Its score.
    pub score: f64,
}

/// What a run folder does not hold, for one stage.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Searched {
    /// Pairs below the threshold, the best first.
    pub near: Vec<Near>,
    /// The threshold of that search, for people.
    pub from: String,
}

/// What a page has besides what the run folder holds.
#[derive(Debug, Default)]
pub struct Extra {
    /// What was found by searching again, for each stage; a stage may have none.
    pub searched: Vec<Option<Searched>>,
    /// Words whose frequency drops most ([`crate::words`]), or why there are none; nothing where they were not asked for.
    pub words: Option<Result<Vec<Table>>>,
}

/// The page of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// It as HTML.
    pub html: String,
    /// What it cannot show, each with the reason.
    pub missing: Vec<String>,
}

/// Makes the page of a run.
///
/// # Errors
/// When a table of the run cannot be read. What else cannot be read is said to be missing.
pub fn page(run: &Run, extra: &Extra) -> Result<Shown> {
    let mut views = Vec::new();
    for (number, stage) in run.stages().iter().enumerate() {
        views.push(page::View::of(run, stage, number, extra.searched.get(number).and_then(Option::as_ref))?);
    }
    let html = page::render(run, &views, extra.words.as_ref())?;
    let mut missing: Vec<String> = Vec::new();
    for view in &views {
        missing.extend(view.missing().filter(|line| !missing.contains(line)).collect::<Vec<_>>());
    }
    if let Some(Err(error)) = &extra.words {
        missing.push(format!("the words that lose most: {error}"));
    }
    Ok(Shown { html, missing })
}

#[cfg(test)]
mod tests;
