//! Commands of the library, on a separate thread: the interpreter is free meanwhile, and handles
//! signals. Nothing is kept for the process, so several may run at once.

use crate::cluster::Driver;
use crate::error::{raised, raised_on};
use crate::memory;
use crate::table::Table;
use crate::value;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tegula::context::{Amount, Progress};
use tegula::declare::{Declared, Holds, Kind, Options as _};
use tegula::error::{Error, Result};
use tegula_io::memory::Received;
use tegula_run::command::{AnyCommand, Found};
use tegula_run::commands::{self, Entry};
use tegula_run::config::Config;
use tegula_run::options::{MachineOptions, Named};
use tegula_run::{Host, Observer};

/// How often signals are handled and progress is shown.
const TICK: Duration = Duration::from_millis(50);

/// The stack of the thread: that of a program's first thread.
const STACK: usize = 8 << 20;

/// Columns of text for people.
const WIDTH: usize = 100;

/// The program `tegula`; its exit code. Takes over the signals of the process, so the process must
/// end with it.
#[pyfunction]
#[pyo3(signature = (args, engine=None))]
pub(crate) fn main(py: Python<'_>, args: Vec<OsString>, engine: Option<Py<PyAny>>) -> u8 {
    let code = py.detach(|| match engine {
        Some(engine) => tegula_cli::main_on(Arc::new(Driver(engine)), args),
        None => tegula_cli::main(args),
    });
    // An exit code does not reveal its number, but can be compared.
    (0..=u8::MAX)
        .find(|number| std::process::ExitCode::from(*number) == code)
        .unwrap_or(u8::MAX)
}

/// A command that has no end is no function.
const ENDLESS: &str = "serve";

/// The names of the commands that are functions.
#[pyfunction]
pub(crate) fn command_names() -> Vec<&'static str> {
    let names = commands::all().map(|entry| entry.name);
    names.filter(|name| *name != ENDLESS).collect()
}

/// An option: its name, how often it may be given, its values if there are few, what a value is, and
/// its description.
type Parameter = (
    &'static str,
    &'static str,
    Vec<&'static str>,
    &'static str,
    String,
);

/// The options of a command, those of the machine among them: name; `switch`, `one`, `many` or
/// `needed`; its values if they are few; what a value is (`whole`, `text`, `path`, `any`); and its
/// description. None if there is no such command.
#[pyfunction]
pub(crate) fn parameters(command: &str) -> Option<Vec<Parameter>> {
    let all = known(commands::named(command)?);
    Some(all.iter().map(parameter).collect())
}

fn parameter(option: &Declared) -> Parameter {
    let kind = match option.kind {
        Kind::Switch => "switch",
        Kind::One => "one",
        Kind::Many => "many",
        Kind::Needed => "needed",
    };
    let holds = match option.holds {
        Holds::Whole => "whole",
        Holds::Path => "path",
        Holds::Text => "text",
        _ => "any",
    };
    let values = option.choices.iter().map(|choice| choice.name).collect();
    let help = option.paragraphs().into_iter().next().unwrap_or_default();
    let help = tegula::option::spell(&help, &crate::error::keyword).into_owned();
    (option.name, kind, values, holds, help)
}

enum Event {
    Said(&'static str, String),
    Ended(std::thread::Result<Result<Found>>),
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

/// Passes on what a run says.
struct Listener(Mutex<Sender<Event>>);

impl Listener {
    fn say(&self, kind: &'static str, text: &str) {
        let text = tegula::option::spell(text, &crate::error::keyword).into_owned();
        // The caller may have gone; then nobody receives this.
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = sender.send(Event::Said(kind, text));
    }
}

impl Observer for Listener {
    fn spell(&self, option: &str, value: Option<&str>) -> String {
        crate::error::keyword(option, value)
    }

    fn warn(&self, text: &str) {
        self.say("warning", text);
    }

    fn note(&self, text: &str) {
        self.say("note", text);
    }
}

/// Runs a command with these options, each as name and text, and those of a configuration file, on
/// tables by name: the figures of what was found, text for people if there is any, and the table that
/// was written to the path `received`, if it is no file but stays in memory. Texts are read and
/// compared on the `engine`, if there is one. `said` is called with the kind and text of each warning
/// and note, `progress` with stage, amount done, total amount and unit.
#[expect(
    clippy::too_many_arguments,
    reason = "the interpreter passes them by name"
)]
#[pyfunction]
#[pyo3(signature = (name, options, tables, config, said, progress=None, received=None, engine=None))]
pub(crate) fn run<'py>(
    py: Python<'py>,
    name: &str,
    options: Vec<(String, OsString)>,
    tables: Vec<(String, PyRef<'_, Table>)>,
    config: Option<PathBuf>,
    said: &Bound<'py, PyAny>,
    progress: Option<&Bound<'py, PyAny>>,
    received: Option<PathBuf>,
    engine: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, Option<String>, Option<Table>)> {
    let (mut options, mut recipes) = (options, Named::new());
    if let Some(path) = config {
        recipes = raised(py, configured(name, path, &mut options))?;
    }
    let (command, machine) = filled(py, name, options)?;
    let held: Result<Vec<_>> = (tables.iter())
        .map(|(name, table)| memory::named(name, table))
        .collect();
    let held = raised(py, held)?;
    let (sender, mut receiver) = channel();
    let cancel = Arc::new(AtomicBool::new(false));
    let stage = Arc::new(Stage::default());
    let mut context = raised(py, machine.context())?;
    context.progress = Arc::clone(&stage) as Arc<dyn Progress>;
    context.cancel = Arc::clone(&cancel);
    let received = received.map(|path| Arc::new(Received::new(path)));
    let mut host = Host::new(context)
        .observed_by(Listener(Mutex::new(sender.clone())))
        .naming(recipes)
        .holding(held.clone())
        .never_resumed();
    if let Some(received) = &received {
        host = host.receiving(Arc::clone(received));
    }
    if let Some(engine) = engine {
        let memory = machine.limits().memory;
        host = host.on(Arc::new(Driver(engine))).bounding_tasks(memory);
    }
    start(command, host, sender)?;
    let mut stopped: Option<PyErr> = None;
    loop {
        let event = next(py, &mut receiver);
        let handled = match event {
            Ok(Some(Event::Ended(ended))) => {
                if let Some(stopped) = stopped {
                    return Err(stopped);
                }
                let ended = ended.map_err(|_| {
                    PyRuntimeError::new_err("the command panicked; please report this as a bug")
                })?;
                let found = raised_on(py, ended, &held)?;
                let table = received.as_ref().and_then(|received| received.take());
                let table = table.map(|(schema, batches)| Table::plain(&schema, &batches));
                let figures = value::python(py, &found.figures)?;
                return Ok((figures, found.text, table.transpose()?));
            }
            Ok(Some(Event::Said(kind, text))) => said.call1((kind, text)).map(drop),
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

/// Adds the options of a configuration that are not given; the recipes that it names. The same file
/// may serve the command line, whose options of display mean nothing here.
fn configured(name: &str, path: PathBuf, options: &mut Vec<(String, OsString)>) -> Result<Named> {
    let config = Config::read(path, false)?;
    if let Some(entry) = commands::named(name) {
        let known = known(entry);
        let is_given = |option: &str| options.iter().any(|(given, _)| given == option);
        for (option, texts) in config.values(entry, is_given)? {
            if known.iter().any(|known| known.name == option.name) {
                let texts = texts.into_iter();
                options.extend(texts.map(|text| (option.name.to_owned(), OsString::from(text))));
            }
        }
    }
    Ok(config.recipes)
}

/// The options of a command, those of the machine among them.
fn known(entry: &Entry) -> Vec<Declared> {
    let mut all = (entry.options)();
    for option in MachineOptions::declared() {
        if all.iter().all(|known| known.name != option.name) {
            all.push(option);
        }
    }
    all
}

/// A command with its options, and the limits of its run.
fn filled(
    py: Python<'_>,
    name: &str,
    options: Vec<(String, OsString)>,
) -> PyResult<(Box<dyn AnyCommand>, MachineOptions)> {
    let entry = commands::named(name)
        .ok_or_else(|| PyTypeError::new_err(format!("there is no command {name}")))?;
    let (mut command, mut machine) = ((entry.new)(), MachineOptions::default());
    for (option, text) in options {
        if text == "-" && is_path(entry, &option) {
            let error = Error::of(format!("⟨{option}⟩"))
                .expected("a path")
                .found("-");
            return raised(
                py,
                Err(error.hint("standard input and output are those of the program")),
            );
        }
        // A plan has limits of its own.
        let of_machine = machine.set(&option, &text);
        match command.set(&option, &text).or(of_machine) {
            Some(Ok(())) => {}
            Some(Err(error)) => return raised(py, Err(error.about(|_| format!("⟨{option}⟩")))),
            None => {
                return Err(PyTypeError::new_err(format!(
                    "{name}() got an unexpected keyword argument '{option}'"
                )));
            }
        }
    }
    Ok((command, machine))
}

/// Whether the value of an option is a path.
fn is_path(entry: &Entry, name: &str) -> bool {
    let named = |option: &Declared| option.name == name && option.holds == Holds::Path;
    (entry.options)().iter().any(named)
}

/// The next event; none if there is none for a while.
fn next(py: Python<'_>, receiver: &mut Receiver<Event>) -> std::result::Result<Option<Event>, ()> {
    py.detach(move || match receiver.recv_timeout(TICK) {
        Ok(event) => Ok(Some(event)),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Err(()),
    })
}

fn start(command: Box<dyn AnyCommand>, host: Host, sender: Sender<Event>) -> PyResult<()> {
    let work = move || {
        let ended =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| command.run(&host, WIDTH)));
        drop(host);
        let _ = sender.send(Event::Ended(ended));
    };
    std::thread::Builder::new()
        .name("tegula".into())
        .stack_size(STACK)
        .spawn(work)
        .map(drop)
        .map_err(Into::into)
}
