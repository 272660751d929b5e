//! `--list`: the ids of removed or kept units.

use super::stage::StageRun;
use crate::spec::{ListSpec, ListWhich};
use std::io::Write as _;
use tegula::error::{Error, Result};
use tegula_io::outputs::Outputs;
use tegula_io::tables::listed;

/// Writes the requested ids, one per line, stage by stage.
///
/// # Errors
/// If they cannot be written.
pub(super) fn write(outputs: &Outputs, list: &ListSpec, runs: &[StageRun]) -> Result<()> {
    let mut sink = outputs.create_or_stdout(&list.path)?;
    let mut lines = String::new();
    let mut write = |lines: &mut String| {
        sink.write_all(lines.as_bytes())
            .map_err(|error| Error::io("write", &list.path, error))?;
        lines.clear();
        Ok(())
    };
    // Units kept by a stage are judged again by the next one, so only the last stage's are kept by
    // all.
    let last = runs.len().saturating_sub(1);
    for (
        place,
        StageRun {
            found, decision, ..
        },
    ) in runs.iter().enumerate()
    {
        if list.which == ListWhich::Kept && place < last {
            continue;
        }
        for record in 0..found.units.records.len() {
            if found.allowed.is_reference(record) {
                continue;
            }
            for unit in found.units.of_record(record) {
                if decision.keeps(unit) == (list.which == ListWhich::Kept) {
                    // One line per id, whatever it contains.
                    listed(&found.units.id(unit), &mut lines);
                    lines.push('\n');
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
