//! Runs on a cluster: the tasks that its workers run, and the engine that a driver in Python is.

use crate::error::raised;
use crate::stream;
use crate::table::Table;
use arrow_array::{RecordBatch, RecordBatchReader as _};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex, PoisonError};
use tegula::error::{Error, ErrorKind, Result};
use tegula_run::cluster::{Engine, Flow, From, Kind, Message, Runner, Stage, Worker};

/// A process that runs tasks of one run.
#[pyclass(frozen, module = "tegula._tegula")]
pub(crate) struct ClusterWorker(Arc<Worker>);

#[pymethods]
impl ClusterWorker {
    #[new]
    fn new(py: Python<'_>, plan: &[u8]) -> PyResult<Self> {
        raised(py, Worker::new(plan)).map(Self)
    }
}

/// A task over messages, in batches.
#[pyclass(frozen, module = "tegula._tegula")]
pub(crate) struct ClusterTask(Mutex<Runner>);

impl ClusterTask {
    fn run(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Runner) -> Result<Vec<RecordBatch>> + Send,
    ) -> PyResult<Vec<Table>> {
        let done = py.detach(|| work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)));
        let batches = raised(py, done)?.into_iter();
        let table = |batch: RecordBatch| Table::new(Message::schema(), vec![batch]);
        Ok(batches.map(table).collect())
    }
}

#[pymethods]
impl ClusterTask {
    #[new]
    fn new(py: Python<'_>, worker: &ClusterWorker, job: &[u8]) -> PyResult<Self> {
        let runner = raised(py, Runner::new(&worker.0, job))?;
        Ok(Self(Mutex::new(runner)))
    }

    /// Takes messages, with `__arrow_c_stream__`; returns those that the task sends.
    fn push(&self, py: Python<'_>, messages: &Bound<'_, PyAny>) -> PyResult<Vec<Table>> {
        let mut reader = stream::reader(messages)?;
        let _ = reader.schema();
        let batches: std::result::Result<Vec<_>, _> = reader.by_ref().collect();
        let batches = batches.map_err(|error| PyValueError::new_err(error.to_string()))?;
        self.run(py, |runner| {
            let mut sent = Vec::new();
            for batch in &batches {
                sent.extend(runner.push(batch)?);
            }
            Ok(sent)
        })
    }

    /// Takes what is left.
    fn finish(&self, py: Python<'_>) -> PyResult<Vec<Table>> {
        self.run(py, Runner::finish)
    }
}

/// A driver in Python, which has an engine's methods.
pub(crate) struct Driver(pub(crate) Py<PyAny>);

/// What went wrong in the interpreter.
fn failed(py: Python<'_>, error: &PyErr) -> Error {
    let value = error.value(py);
    let text = |of: PyResult<Bound<'_, PyAny>>| of.and_then(|of| of.extract::<String>()).ok();
    let args = value.getattr("args").and_then(|args| args.get_item(0));
    let message = text(args).unwrap_or_else(|| value.to_string());
    let failed = Error::new(ErrorKind::Cluster, message);
    match text(value.getattr("advice")) {
        Some(advice) => failed.hint(advice),
        None => failed,
    }
}

impl Engine for Driver {
    fn split_bytes(&self) -> u64 {
        let bytes = Python::attach(|py| {
            let bytes = self.0.bind(py).getattr("split_bytes").ok()?;
            bytes.extract::<u64>().ok()
        });
        bytes.unwrap_or(64 << 20)
    }

    fn run(&self, flow: &Flow) -> Result<()> {
        Python::attach(|py| {
            let bytes = |bytes: &[u8]| PyBytes::new(py, bytes).unbind();
            let (mut messages, mut kept) = (Vec::new(), None);
            match &flow.from {
                From::Driver(sent) => {
                    let row = |message: &Message| {
                        (message.kind.name(), message.key, bytes(&message.bytes))
                    };
                    messages.extend(sent.iter().map(row));
                }
                From::Kept(flow, kind) => kept = Some((flow.as_str(), kind.name())),
            }
            let stage = |stage: &Stage| {
                let with = stage.with.as_ref();
                let with = with.map(|(flow, kind)| (flow.clone(), kind.name()));
                (bytes(&stage.job), stage.brings_together, with)
            };
            let stages: Vec<_> = flow.stages.iter().map(stage).collect();
            let of = (
                flow.name.as_str(),
                flow.folder.clone(),
                flow.partitions,
                bytes(&flow.plan),
                messages,
                kept,
                stages,
            );
            let done = self.0.bind(py).call_method1("run", of);
            done.map(drop).map_err(|error| failed(py, &error))
        })
    }

    fn read(
        &self,
        flow: &str,
        kind: Kind,
        each: &mut dyn FnMut(Message) -> Result<()>,
    ) -> Result<()> {
        Python::attach(|py| {
            let rows = self.0.bind(py).call_method1("read", (flow, kind.name()));
            let rows = rows.and_then(|rows| rows.try_iter());
            for row in rows.map_err(|error| failed(py, &error))? {
                let row = row.and_then(|row| row.extract::<(u64, Vec<u8>)>());
                let (key, bytes) = row.map_err(|error| failed(py, &error))?;
                let bytes = bytes.into();
                each(Message { kind, key, bytes })?;
            }
            Ok(())
        })
    }
}
