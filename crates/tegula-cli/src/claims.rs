//! What a command reads and writes, said before it reads anything: no output is an input, and no path is written twice.

use crate::evidence::RunOptions;
use crate::interrupt;
use crate::output;
use std::path::Path;
use tegula::error::{Error, Result};
use tegula_io::outputs::{Outputs, Role};
use tegula_io::tables::{RunFolder, Whereabouts};

/// The outputs of a run; whatever has no name yet is removed if it is interrupted. `overwrite` permits folders that hold other files.
///
/// # Errors
/// When the system refuses to watch for interrupts.
pub(crate) fn outputs(overwrite: bool) -> Result<Outputs> {
    let outputs = Outputs::new(overwrite);
    interrupt::watch_over(&outputs)?;
    Ok(outputs)
}

/// The outputs of a command that reads some files and folders, and writes some files: each with its option, where it is named.
///
/// # Errors
/// When one is read or claimed already, or cannot be written to.
pub(crate) fn files<'a>(read: impl IntoIterator<Item = &'a Path>, written: &[(&str, Option<&Path>)]) -> Result<Outputs> {
    let outputs = outputs(false)?;
    claim(&outputs, read, written)?;
    outputs.begin()?;
    Ok(outputs)
}

/// Gives all outputs their names, and says which files are replaced.
///
/// # Errors
/// When an input has changed, or a file cannot be renamed.
pub(crate) fn publish(outputs: &Outputs, quiet: bool) -> Result<()> {
    let replaced = outputs.publish()?.replaced;
    if let (Some(first), false) = (replaced.first(), quiet) {
        let more = match replaced.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        output::note(&format!("replaced {}{more}", first.display()));
    }
    Ok(())
}

/// The same for outputs that have other claims besides.
///
/// # Errors
/// When one is read or claimed already.
pub(crate) fn claim<'a>(
    outputs: &Outputs,
    read: impl IntoIterator<Item = &'a Path>,
    written: &[(&str, Option<&Path>)],
) -> Result<()> {
    for path in read {
        protect(outputs, path)?;
    }
    for (option, path) in written {
        if let Some(path) = path {
            outputs.claim(option, path, Role::File)?;
            if path.as_os_str() == "-" {
                interrupt::watch_stdout();
            } else {
                interrupt::note_files();
            }
        }
    }
    Ok(())
}

/// Refuses to write to what is read. Of a run's folder these are its own files, so that a report may stand beside them, and what the run
/// itself has read.
fn protect(outputs: &Outputs, path: &Path) -> Result<()> {
    let root = if path.is_dir() { path } else { path.parent().filter(|_| path.is_file()).unwrap_or(path) };
    if let Ok(info) = RunFolder::open(root).and_then(|run| run.info()) {
        let whereabouts = Whereabouts::of(&info, None);
        for file in &info.inputs {
            outputs.protect(&whereabouts.file(file).path)?;
        }
        if let Ok(options) = RunOptions::from_map(&info.options) {
            for named in options.inputs.iter().chain(&options.against) {
                outputs.protect(&whereabouts.named(named))?;
            }
        }
    }
    if !path.join("run.json").is_file() {
        return outputs.protect(path);
    }
    for folder in walkdir::WalkDir::new(path).max_depth(2) {
        let entry = folder.map_err(|error| Error::io("read", path, error.into()))?;
        let name = entry.file_name();
        if name == "run.json" || Path::new(name).extension().is_some_and(|ending| ending == "parquet") {
            outputs.protect(entry.path())?;
        }
    }
    Ok(())
}
