//! `--engine spark`: the same command line again in a process of Python, which is connected to a cluster.

use crate::invocation;
use clap::ArgMatches;
use std::ffi::OsString;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, OnceLock};
use tegula::error::{Error, Result};
use tegula_run::cluster::Engine;
use tegula_run::command::Command as _;
use tegula_run::commands::plan::PlanSpec;
use tegula_run::options::EngineName;

/// The variables that name the interpreter, in order.
const INTERPRETERS: [&str; 3] = ["TEGULA_PYTHON", "PYSPARK_DRIVER_PYTHON", "PYSPARK_PYTHON"];

/// The cluster to which this process is connected.
static CONNECTED: OnceLock<Arc<dyn Engine>> = OnceLock::new();

/// Connects this process to a cluster, once.
pub(crate) fn connect(engine: Arc<dyn Engine>) {
    let _ = CONNECTED.set(engine);
}

/// The cluster to which this process is connected.
pub(crate) fn connected() -> Option<Arc<dyn Engine>> {
    CONNECTED.get().cloned()
}

/// Whether a command asks for a cluster to which this process is not connected; a plan needs none.
pub(crate) fn is_elsewhere(name: &str, matches: &ArgMatches) -> bool {
    if name == PlanSpec::NAME {
        return false;
    }
    let Ok(Some(mut engine)) = matches.try_get_raw("engine") else {
        return false;
    };
    engine.any(|engine| engine == EngineName::Spark.name()) && connected().is_none()
}

/// Runs this command line in a process that is connected.
///
/// # Errors
/// If there is no Python with the packages, or they are of another version.
pub(crate) fn submit() -> Result<ExitCode> {
    let named = INTERPRETERS.iter().find_map(std::env::var_os);
    let python = named.unwrap_or_else(|| OsString::from("python3"));
    let shown = python.to_string_lossy().into_owned();
    let lacks = |what: &str| {
        Error::of("⟨engine=spark⟩")
            .expected(format!("{what} in the Python that is {shown}"))
            .hint("pip install 'tegula[spark]', and set TEGULA_PYTHON to that Python")
    };
    let asked = Command::new(&python)
        .args([
            "-c",
            "import pyspark, pyarrow, tegula; print(tegula.__version__)",
        ])
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| lacks("Python").found(error))?;
    let said = String::from_utf8_lossy(&asked.stderr);
    if !asked.status.success() {
        let last = said.lines().next_back().unwrap_or("an error");
        return Err(lacks("the packages tegula, pyspark and pyarrow").found(last));
    }
    let version = String::from_utf8_lossy(&asked.stdout).trim().to_owned();
    let own = env!("CARGO_PKG_VERSION");
    if version != own {
        return Err(lacks(&format!("version {own} of tegula")).found(version));
    }
    let mut again = Command::new(&python);
    again
        .args(["-m", "tegula.spark"])
        .args(invocation::arguments().into_iter().skip(1));
    become_it(again).map_err(|error| lacks("Python").found(error))
}

/// Replaces this process, so that whoever ends it ends what runs on the cluster.
#[cfg(unix)]
fn become_it(mut command: Command) -> std::io::Result<ExitCode> {
    Err(std::os::unix::process::CommandExt::exec(&mut command))
}

/// Runs it to its end.
#[cfg(not(unix))]
fn become_it(mut command: Command) -> std::io::Result<ExitCode> {
    let code = command.status()?.code();
    let code = code.and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(crate::interrupt::TROUBLE)))
}
