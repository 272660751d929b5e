//! What skipping pairs of one cluster saves, and how many of the skipped pairs are none (Gong et al.
//! 2008, §4, remark 2).

use super::lab::{Lab, pairs};
use super::number;
use std::time::Instant;
use tegula::error::Result;
use tegula::recipe::Recipe;
use tegula_report::form::share;
use tegula_report::table::{Cell, Kind, Table};

/// Runs with and without skipping.
pub(super) fn run(lab: &Lab) -> Result<Table> {
    let columns = [
        ("Pairs of one cluster", Kind::Text),
        ("Candidates", Kind::Count),
        ("Compared", Kind::Count),
        ("Skipped", Kind::Count),
        ("Not pairs", Kind::Count),
        ("Share", Kind::Percent),
        ("Pairs found", Kind::Count),
        ("Seconds", Kind::Count),
    ];
    let mut table = Table::new("skipped", "What skipping saves", &columns);
    let mut all = 0;
    for transitive in [false, true] {
        let clock = Instant::now();
        let found = lab.find(&Recipe {
            transitive,
            ..lab.recipe.clone()
        })?;
        let seconds = clock.elapsed().as_secs_f64();
        let candidates = found.notes.candidates.unwrap_or_default();
        let listed = pairs(&found)?.pairs.len();
        if !transitive {
            all = listed;
        }
        // The candidates are the same, and each that is a pair is found or skipped.
        let none = candidates.skipped - (all - listed);
        table.rows.push(vec![
            Cell::Text(if transitive { "skipped" } else { "compared" }.to_owned()),
            Cell::Count(candidates.generated),
            Cell::Count(candidates.compared),
            Cell::Count(candidates.skipped),
            Cell::Count(none),
            if candidates.skipped == 0 {
                Cell::Empty
            } else {
                Cell::Share(share(none, candidates.skipped))
            },
            Cell::Count(listed),
            number(seconds, 1),
        ]);
    }
    table.note = format!(
        "Skipped pairs that do not reach the threshold, {}, are no pairs.",
        lab.recipe.threshold
    );
    Ok(table)
}
