//! `--list`: the ids of what is removed, or of what is kept.

use super::stage::StageRun;
use crate::spec::{ListSpec, ListWhich};
use std::fmt::Write as _;
use std::io::Write as _;
use tegula::error::{Error, Result};
use tegula_io::outputs::Outputs;

/// Writes the ids that were asked for, one a line, stage by stage.
///
/// # Errors
/// When they cannot be written.
pub(super) fn write(outputs: &Outputs, list: &ListSpec, runs: &[StageRun]) -> Result<()> {
    let mut sink = outputs.create_or_stdout(&list.path)?;
    let mut lines = String::new();
    let mut write = |lines: &mut String| {
        sink.write_all(lines.as_bytes()).map_err(|error| Error::io("write", &list.path, error))?;
        lines.clear();
        Ok(())
    };
    // What a stage kept the next one judges again, so that only the last one's is kept by all.
    let last = runs.len().saturating_sub(1);
    for (place, StageRun { found, decision, .. }) in runs.iter().enumerate() {
        if list.which == ListWhich::Kept && place < last {
            continue;
        }
        for record in 0..found.units.records.len() {
            if found.allowed.is_reference(record) {
                continue;
            }
            for unit in found.units.of_record(record) {
                if decision.keeps(unit) == (list.which == ListWhich::Kept) {
                    // One id a line, whatever the id.
                    let _ = writeln!(lines, "{}", found.units.id(unit).replace(['\n', '\r'], " "));
                }
            }
            if lines.len() > 1 << 16 {
                write(&mut lines)?;
            }
        }
    }
    write(&mut lines)?;
    sink.finish()
}
