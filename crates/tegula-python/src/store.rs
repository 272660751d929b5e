//! Files by their paths, which may be addresses in a store.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use tegula_io::store;

/// Whether there is a file.
#[pyfunction]
pub(crate) fn is_file(py: Python<'_>, path: PathBuf) -> bool {
    py.detach(|| store::is_file(&path))
}

/// The content of a file.
#[pyfunction]
pub(crate) fn read(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyBytes>> {
    let content = py.detach(|| store::read(&path));
    let content = content.map_err(|error| PyOSError::new_err(error.to_string()))?;
    Ok(PyBytes::new(py, &content))
}
