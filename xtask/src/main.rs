//! Tasks of this repository that need more than one command.
//!
//! - `cargo xtask dist [TARGET]` builds the program as it is distributed, and packs it:
//!   `target/dist/tegula-VERSION-TARGET.tar.gz` with the program, manual pages, completions and licences,
//!   and its checksum beside it. On Linux the program is static: it runs on any distribution.
//! - `cargo xtask instructions [--write]` counts the instructions of hot loops, and fails if there
//!   are more than in `bench/instructions.tsv`.
//! - `cargo xtask licences` checks the licences and sources of all dependencies.
//! - `cargo xtask lines` counts the lines of production code.
//! - `cargo xtask chaos PYTHON` tests runs on Spark with an executor killed at each task that follows a shuffle; that Python has the
//!   packages tegula, pyspark and pytest.
//! - `cargo xtask bench [--source PATH...] [--peers gaoya,datasketch]` measures Tegula beside its peers.

mod bench;
mod dist;
mod instructions;
mod licences;
mod lines;

use std::error::Error;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match task() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error is closed, nothing can be reported.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn task() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["dist"] => dist::dist(None),
        ["dist", target] => dist::dist(Some(target.to_owned())),
        ["instructions"] => instructions::check(),
        ["instructions", "--write"] => instructions::write(),
        ["licences"] => licences::check(),
        ["lines"] => lines::print(),
        ["chaos", python] => chaos(python),
        ["bench", ref options @ ..] => bench::bench(options),
        _ => Err(
            "expected a task: cargo xtask dist [TARGET], instructions [--write], licences, lines, chaos PYTHON, or bench [--help]"
                .into(),
        ),
    }
}

/// Tests runs on Spark with all that can be killed.
fn chaos(python: &str) -> Result<()> {
    let tests = root()?.join("python/tests/test_spark.py");
    let mut test = Command::new(python);
    test.args([
        "-m",
        "pytest",
        "-v",
        "--durations=0",
        "-p",
        "no:cacheprovider",
    ])
    .arg(tests)
    .env("TEGULA_CHAOS", "1");
    run(&mut test)
}

/// The folder of the workspace.
fn root() -> Result<PathBuf> {
    Ok(Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()?)
}

/// Builds the programs of these packages, optimised, and returns the folder they are in.
fn build(packages: &[&str]) -> Result<PathBuf> {
    let root = root()?;
    let mut build = Command::new(env!("CARGO"));
    build
        .args(["build", "--release", "--locked"])
        .args(packages.iter().flat_map(|package| ["-p", package]))
        .current_dir(&root);
    run(&mut build)?;
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    Ok(root.join(target).join("release"))
}

/// What rustc reports about itself.
fn rustc(options: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    Ok(String::from_utf8(output(
        Command::new(rustc).args(options),
    )?)?)
}

/// The target of this machine.
fn host() -> Result<String> {
    let facts = rustc(["-vV"])?;
    let line = facts.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.ok_or("rustc -vV names no host")?.to_owned())
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.status()?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {status}").into())
}

fn output(command: &mut Command) -> Result<Vec<u8>> {
    let done = command.output()?;
    if done.status.success() {
        return Ok(done.stdout);
    }
    Err(format!("{command:?}: {}", done.status).into())
}

fn tell(text: &str) -> Result<()> {
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
