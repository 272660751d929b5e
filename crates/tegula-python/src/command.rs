//! Commands of the command line, on a separate thread: the interpreter is free meanwhile, and
//! handles signals.

use crate::error::raised;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tegula::context::{Amount, Progress};
use tegula::declare::Holds;
use tegula::error::Result;
use tegula_cli::{Call, Ended, Said};

/// How often signals are handled and progress is shown.
const TICK: Duration = Duration::from_millis(50);

/// The stack of the thread: that of a program's first thread.
const STACK: usize = 8 << 20;

/// The program `tegula`; its exit code. Takes over the signals of the process, so the process must
/// end with it.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, args: Vec<OsString>) -> u8 {
    let code = py.detach(|| tegula_cli::main(args));
    // An exit code does not reveal its number, but can be compared.
    (0..=u8::MAX)
        .find(|number| std::process::ExitCode::from(*number) == code)
        .unwrap_or(u8::MAX)
}

/// A parameter of a command.
type Parameter = (String, bool, bool, Vec<String>, &'static str, String);

/// The parameters of a command: name, whether it takes a value, whether it may be repeated, its
/// values if there are few, what a value is (`whole`, `text`, `path`, or nothing if unknown), and its
/// description.
#[pyfunction]
pub(crate) fn parameters(command: &str) -> Option<Vec<Parameter>> {
    let all = tegula_cli::parameters(command)?.into_iter();
    Some(
        all.map(|it| {
            let holds = match it.holds {
                Some(Holds::Whole) => "whole",
                Some(Holds::Path) => "path",
                Some(Holds::Text) => "text",
                _ => "",
            };
            (
                it.name,
                it.takes_value,
                it.repeats,
                it.values,
                holds,
                it.help,
            )
        })
        .collect(),
    )
}

enum Event {
    Said(Said, String),
    Ended(std::thread::Result<Result<Ended>>),
}

/// The current stage.
#[derive(Default)]
struct Stage {
    name: Mutex<Option<(String, Option<u64>, bool)>>,
    done: AtomicU64,
}

impl Progress for Stage {
    fn begin(&self, stage: &str, total: Option<u64>, unit: Amount) {
        self.done.store(0, Ordering::Relaxed);
        let stage = (stage.to_owned(), total, unit == Amount::Bytes);
        *self.name.lock().unwrap_or_else(PoisonError::into_inner) = Some(stage);
    }

    fn advance(&self, amount: u64) {
        self.done.fetch_add(amount, Ordering::Relaxed);
    }

    fn end(&self) {
        *self.name.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Stage {
    /// Name, amount done, total amount, and unit.
    fn now(&self) -> Option<(String, u64, Option<u64>, &'static str)> {
        let name = self.name.lock().unwrap_or_else(PoisonError::into_inner);
        let (name, total, bytes) = name.clone()?;
        let unit = if bytes { "bytes" } else { "items" };
        Some((name, self.done.load(Ordering::Relaxed), total, unit))
    }
}

/// Runs a command: whether it ended with exit code 0, and what it printed. `said` is called with
/// the kind and text of each warning, note and summary, `progress` with stage, amount done, total
/// amount and unit.
#[pyfunction]
#[pyo3(signature = (args, said, progress=None))]
pub(crate) fn run<'py>(
    py: Python<'py>,
    args: Vec<OsString>,
    said: &Bound<'py, PyAny>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(bool, Bound<'py, PyBytes>)> {
    let (sender, mut receiver) = channel();
    let cancel = Arc::new(AtomicBool::new(false));
    let stage = Arc::new(Stage::default());
    start(args, sender, &cancel, &stage)?;
    let mut stopped: Option<PyErr> = None;
    loop {
        let received = next(py, &mut receiver);
        let handled = match received {
            Ok(Some(Event::Ended(ended))) => {
                if let Some(stopped) = stopped {
                    return Err(stopped);
                }
                let ended = ended.map_err(|_| {
                    PyRuntimeError::new_err("the command panicked; please report this as a bug")
                })?;
                let Ended { success, printed } = raised(py, ended)?;
                return Ok((success, PyBytes::new(py, &printed)));
            }
            Ok(Some(Event::Said(kind, text))) => {
                let kind = match kind {
                    Said::Warning => "warning",
                    Said::Note => "note",
                    Said::Text => "text",
                };
                said.call1((kind, text)).map(drop)
            }
            Ok(None) => match (progress, stage.now()) {
                (Some(progress), Some(now)) => progress.call1(now).map(drop),
                _ => Ok(()),
            },
            Err(()) => {
                return Err(PyRuntimeError::new_err(
                    "the command ended without a result; please report this as a bug",
                ));
            }
        };
        if let Err(error) = handled.and_then(|()| py.check_signals()) {
            cancel.store(true, Ordering::Relaxed);
            stopped.get_or_insert(error);
        }
    }
}

/// The next event; none if there is none for a while.
fn next(py: Python<'_>, receiver: &mut Receiver<Event>) -> std::result::Result<Option<Event>, ()> {
    py.detach(move || match receiver.recv_timeout(TICK) {
        Ok(event) => Ok(Some(event)),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Err(()),
    })
}

fn start(
    args: Vec<OsString>,
    sender: Sender<Event>,
    cancel: &Arc<AtomicBool>,
    stage: &Arc<Stage>,
) -> PyResult<()> {
    let said = sender.clone();
    let (cancel, stage) = (Arc::clone(cancel), Arc::clone(stage));
    let work = move || {
        let call = Call {
            cancel,
            progress: stage,
            // The caller may have gone; then nobody receives this.
            said: Box::new(move |kind, text| drop(said.send(Event::Said(kind, text.to_owned())))),
        };
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            tegula_cli::call(args, call)
        }));
        let _ = sender.send(Event::Ended(ended));
    };
    std::thread::Builder::new()
        .name("tegula".into())
        .stack_size(STACK)
        .spawn(work)
        .map(drop)
        .map_err(Into::into)
}
