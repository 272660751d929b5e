//! The tables of a run.
//!
//! [`of_run`] creates those that need only the run folder: the balance (Benko 2013, §2.2), length
//! classes, files and fields; and the units that recur most, whose texts are read from the inputs.

mod balance;
mod counts;
mod heads;
pub(crate) mod levels;
mod periods;
mod recurring;
mod write;

pub(crate) use balance::{balance, lengths, parts};
pub(crate) use counts::add_amounts;
pub use counts::{Counts, Lengths, Parts, class_name};
pub(crate) use periods::Periods;
pub(crate) use recurring::recurring;
pub use write::{write_all, write_tables, write_with};

use crate::form::slug;
use crate::run::Run;
use crate::table::Table;
use tegula::error::Result;

/// Creates the tables of a run, in listing order, in one pass over the units of each stage.
///
/// In a run of several stages, the number of the stage is appended to the names of its tables, such
/// as `length-classes-units-2`. A run that made no decision has only its pairs by threshold.
///
/// # Errors
/// If a table of the folder cannot be read.
pub fn of_run(run: &Run) -> Result<Vec<Table>> {
    if let Some(stage) = run.stages().iter().find(|stage| !stage.is_decided()) {
        let mut tables: Vec<Table> = levels::of_stage(stage).into_iter().collect();
        tables.append(&mut levels::by_field(stage));
        distinguish(&mut tables);
        return Ok(tables);
    }
    let stages = run
        .stages()
        .iter()
        .map(Counts::of)
        .collect::<Result<Vec<_>>>()?;
    let mut tables = vec![balance::balance(run, &stages)];
    for (number, (stage, counts)) in (1..).zip(run.stages().iter().zip(&stages)) {
        let mut own = vec![
            balance::lengths(counts, false),
            balance::lengths(counts, true),
        ];
        own.push(balance::parts("by-file", "File", counts, &counts.files));
        for (field, parts) in &counts.fields {
            own.push(balance::parts(
                &format!("by-{}", slug(field)),
                field,
                counts,
                parts,
            ));
        }
        own.append(&mut levels::by_field(stage));
        own.extend(recurring(run, stage)?);
        distinguish(&mut own);
        if run.is_staged() {
            for table in &mut own {
                table.name = format!("{}-{number}", table.name);
                table.title = format!("{} (stage {}, {})", table.title, stage.name, stage.method());
            }
        }
        tables.append(&mut own);
    }
    Ok(tables)
}

/// The tables shown on a terminal: the balance and the length classes, or pairs by threshold.
pub fn is_main(table: &Table) -> bool {
    table.name == "balance"
        || table.name == "levels"
        || table.name.starts_with("recurring")
        || table.name.starts_with("length-classes")
}

/// Whether a table of a sweep is shown on a terminal: units and tokens by threshold and n-gram length.
pub fn is_grid(table: &Table) -> bool {
    matches!(table.name.as_str(), "sweep-units" | "sweep-tokens")
}

/// Different field names may have the same stem; later ones get a number.
fn distinguish(tables: &mut [Table]) {
    for at in 1..tables.len() {
        let (before, rest) = tables.split_at_mut(at);
        let stem = rest[0].name.clone();
        let mut number = 2;
        while before.iter().any(|table| table.name == rest[0].name) {
            rest[0].name = format!("{stem}-{number}");
            number += 1;
        }
    }
}

#[cfg(test)]
mod tests;
