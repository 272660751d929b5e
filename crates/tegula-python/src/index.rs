//! An index that is open, to be asked from any thread.

use crate::error::raised;
use pyo3::prelude::*;
use std::path::PathBuf;
use tegula::declare::Parsed;
use tegula::error::Result;
use tegula::index;
use tegula::machine::Limits;
use tegula_run::commands::query;

/// An index that is open.
#[pyclass(frozen, module = "tegula._tegula")]
pub(crate) struct Index {
    index: index::Index,
}

#[pymethods]
impl Index {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let opened = py.detach(|| index::Index::open(&path, &Limits::default().context()?));
        Ok(Self {
            index: raised(py, opened)?,
        })
    }

    /// Whether a folder is an index.
    #[staticmethod]
    fn is_one(path: PathBuf) -> bool {
        index::Index::is_one(&path)
    }

    /// What resembles a text, as JSON.
    #[pyo3(signature = (text, threshold=None, top=None, passages=false))]
    fn query(
        &self,
        py: Python<'_>,
        text: &str,
        threshold: Option<&str>,
        top: Option<&str>,
        passages: bool,
    ) -> PyResult<String> {
        let found = py.detach(|| {
            let threshold = threshold.map(str::parse).transpose()?;
            let top = top.map(usize::parsed).transpose();
            let top = top.map_err(|error| error.about(|_| "⟨top⟩".into()))?;
            query::matches(&self.index, text, (threshold, top), passages)
        });
        raised(py, found).map(|found| found.to_string())
    }

    /// The text of a record; none if it is not there, or texts are not kept.
    fn text(&self, py: Python<'_>, id: &str) -> PyResult<Option<String>> {
        let found = py.detach(|| self.index.record(id));
        Ok(raised(py, found)?.and_then(|kept| kept.text))
    }

    /// Whether a record is there.
    fn has(&self, py: Python<'_>, id: &str) -> PyResult<bool> {
        let found = py.detach(|| self.index.record(id));
        Ok(raised(py, found)?.is_some())
    }

    /// Sees what was changed since.
    fn refresh(&self, py: Python<'_>) -> PyResult<()> {
        let done: Result<()> = py.detach(|| self.index.refresh());
        raised(py, done)
    }

    fn __len__(&self) -> usize {
        self.index.description().records() as usize
    }
}
