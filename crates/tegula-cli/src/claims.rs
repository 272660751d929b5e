//! What a command reads and writes, said before it reads anything: no output is an input, and no path is written twice.

use crate::interrupt;
use std::path::Path;
use tegula::error::{Error, Result};
use tegula_io::outputs::{Outputs, Role};

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

/// Refuses to write to what is read. Of a run's folder these are its own files, so that a report may stand beside them.
fn protect(outputs: &Outputs, path: &Path) -> Result<()> {
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
