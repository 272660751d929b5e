//! Errors as exceptions of the package.

use pyo3::prelude::*;
use tegula::error::{Error, ErrorKind, Result};
use tegula_io::memory;

/// An option as a keyword argument, with its value as a literal.
pub(crate) fn keyword(option: &str, value: Option<&str>) -> String {
    let name = match option {
        "id_key" => "id",
        "inputs" => "data",
        "output" => "to",
        other => other,
    };
    match value {
        None => name.to_owned(),
        Some(value) if value.parse::<f64>().is_ok() => format!("{name}={value}"),
        Some(value) => format!("{name}={value:?}"),
    }
}

/// The exception for an error, with options as keyword arguments.
fn exception(py: Python<'_>, error: &Error, tables: &[memory::Table]) -> PyErr {
    let spelt = error.spelt(&keyword);
    let kind = match error.kind() {
        ErrorKind::Usage => "UsageError",
        ErrorKind::Io => "FileError",
        ErrorKind::Data => "DataError",
        ErrorKind::Memory => "MemoryLimitError",
        ErrorKind::Scratch => "ScratchError",
        ErrorKind::Run => "RunFolderError",
        ErrorKind::Changed => "ChangedError",
        ErrorKind::Cancelled => "CancelledError",
        ErrorKind::Cluster => "ClusterError",
        _ => "TegulaError",
    };
    let path = error.path().map(std::path::Path::to_path_buf);
    let mut named = tables
        .iter()
        .map(|table| std::path::Path::new(table.name()));
    let is_in_memory = named.any(|name| path.as_deref() == Some(name));
    let record = error.record_number();
    // The number that the system gives the cause, if it is one of its own.
    let mut causes =
        std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    let number = causes.find_map(|cause| cause.downcast_ref::<std::io::Error>()?.raw_os_error());
    py.import("tegula._errors")
        .and_then(|module| module.getattr("made"))
        .and_then(|made| {
            made.call1((
                kind,
                spelt.line,
                spelt.message,
                (spelt.option, spelt.expected, spelt.found, spelt.advice),
                path,
                record,
                is_in_memory,
                number,
            ))
        })
        .map_or_else(|failed| failed, PyErr::from_value)
}

/// Raises an error as its exception.
pub(crate) fn raised<T>(py: Python<'_>, result: Result<T>) -> PyResult<T> {
    raised_on(py, result, &[])
}

/// The same for a command on tables in memory, whose errors name rows of theirs.
pub(crate) fn raised_on<T>(
    py: Python<'_>,
    result: Result<T>,
    tables: &[memory::Table],
) -> PyResult<T> {
    result.map_err(|error| exception(py, &error, tables))
}
