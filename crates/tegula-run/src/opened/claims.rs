//! Claims what a command reads and writes before it reads anything: no output may be an input, and
//! no path may be written twice.

use crate::evidence;
use crate::host::Host;
use crate::options::TablesOptions;
use std::path::Path;
use tegula::error::{Error, Result};
use tegula_io::outputs::{Outputs, Role};
use tegula_io::store;
use tegula_io::tables::{RunFolder, Whereabouts};

/// Claims the outputs of a command that reads some files and folders, and writes some files, each
/// with its option if it has one.
///
/// # Errors
/// If one is already read or claimed, or cannot be written to.
pub fn files<'a>(
    host: &Host,
    read: impl IntoIterator<Item = &'a Path>,
    written: &[(&str, Option<&Path>)],
) -> Result<Outputs> {
    let outputs = outputs(host, read, written)?;
    outputs.begin()?;
    Ok(outputs)
}

/// The same, before anything is written: for a command that has further outputs.
///
/// # Errors
/// If one is already read or claimed.
pub fn outputs<'a>(
    host: &Host,
    read: impl IntoIterator<Item = &'a Path>,
    written: &[(&str, Option<&Path>)],
) -> Result<Outputs> {
    let outputs = host.outputs(false)?;
    claim(host, &outputs, read, written)?;
    Ok(outputs)
}

/// The same, and a folder of tables.
///
/// # Errors
/// If one is already read or claimed.
pub fn with_tables<'a>(
    host: &Host,
    tables: &TablesOptions,
    read: impl IntoIterator<Item = &'a Path>,
    written: &[(&str, Option<&Path>)],
) -> Result<Outputs> {
    let outputs = host.outputs(tables.overwrite)?;
    claim(host, &outputs, read, written)?;
    if let Some(folder) = &tables.tables {
        outputs.claim("⟨tables⟩", folder, Role::Folder)?;
    }
    Ok(outputs)
}

/// Renames all outputs into place, and reports which files were replaced.
///
/// # Errors
/// If an input has changed, or a file cannot be renamed.
pub fn publish(host: &Host, outputs: &Outputs) -> Result<()> {
    let replaced = outputs.publish()?.replaced;
    if let Some(first) = replaced.first() {
        let more = match replaced.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        host.observer()
            .note(&format!("replaced {}{more}", first.display()));
    }
    Ok(())
}

/// The same for outputs that also have other claims.
///
/// # Errors
/// If one is already read or claimed.
pub fn claim<'a>(
    host: &Host,
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
            host.observer().writes(path);
        }
    }
    Ok(())
}

/// Refuses to write to inputs. In a run's folder these are its own files, so that a report may be
/// written into it, and the inputs of the run.
fn protect(outputs: &Outputs, path: &Path) -> Result<()> {
    if store::is_address(path) {
        return protect_stored(outputs, path);
    }
    let root = if path.is_dir() {
        path
    } else {
        path.parent().filter(|_| path.is_file()).unwrap_or(path)
    };
    protect_inputs_of(outputs, root)?;
    if !path.join("run.json").is_file() {
        return outputs.protect(path);
    }
    for folder in walkdir::WalkDir::new(path).max_depth(2) {
        let entry = folder.map_err(|error| Error::io("read", path, error.into()))?;
        if is_of_run(entry.path()) {
            outputs.protect(entry.path())?;
        }
    }
    Ok(())
}

/// The same in a store, with few requests.
fn protect_stored(outputs: &Outputs, path: &Path) -> Result<()> {
    if !store::is_file(&path.join("run.json")) {
        return outputs.protect(path);
    }
    protect_inputs_of(outputs, path)?;
    let files = store::list(path)?.into_iter().map(|object| object.path);
    (files.filter(|file| is_of_run(file))).try_for_each(|file| outputs.protect(&file))
}

/// Whether this is a file of a run, by its name.
fn is_of_run(path: &Path) -> bool {
    let is_table = |ending: &std::ffi::OsStr| ending == "parquet";
    path.ends_with("run.json") || path.extension().is_some_and(is_table)
}

/// Refuses to write to the inputs of the run in a folder, if there is one.
fn protect_inputs_of(outputs: &Outputs, root: &Path) -> Result<()> {
    if let Ok(info) = RunFolder::open(root).and_then(|run| run.info()) {
        let whereabouts = Whereabouts::of(&info, None);
        for file in info.inputs.iter().filter(|file| !file.in_memory) {
            outputs.protect(&whereabouts.file(file).path)?;
        }
        for named in evidence::named_inputs(&info) {
            outputs.protect(&whereabouts.named(&named))?;
        }
    }
    Ok(())
}
