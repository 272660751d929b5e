//! `tegula rerun`: repeats a run from its folder.

use crate::args::MachineArgs;
use crate::output;
use crate::summary::{Asked, tell};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula_io::outputs::resolved;
use tegula_io::tables::check_table_name;
use tegula_run::{RunKind, RunSpec};

/// Arguments of `tegula rerun`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula rerun evidence/ -o again.jsonl
  tegula rerun evidence/ -o again.jsonl --run again/
  tegula rerun evidence/ --print > run.json
  tegula rerun run.json -o again.jsonl

A run may be that of somebody else: what it wrote is written again only to places named here, or to new files in
the folder of the run or of FILE.json.")]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub(crate) struct RerunArgs {
    /// The folder of a run, or a specification file as printed by --print
    #[arg(value_name = "RUN|FILE.json")]
    run: PathBuf,

    /// Output of the new run, instead of the recorded one; needed where that exists or lies elsewhere
    #[arg(long, short, value_name = "OUTPUT")]
    output: Option<PathBuf>,

    /// Evidence folder of the new run, instead of the recorded one
    #[arg(long = "run", value_name = "DIR")]
    folder: Option<PathBuf>,

    /// The file or folder of removed records, instead of the recorded one
    #[arg(long, value_name = "OUTPUT")]
    removed: Option<PathBuf>,

    /// The file of the listed ids, instead of the recorded one; may be repeated
    #[arg(long, value_name = "FILE")]
    list: Vec<PathBuf>,

    /// The file of digests, instead of the recorded one
    #[arg(long, value_name = "FILE")]
    fingerprints: Option<PathBuf>,

    /// The folder of unreadable records, instead of the recorded one
    #[arg(long, value_name = "DIR")]
    quarantine: Option<PathBuf>,

    /// Write into folders that hold other files: those that an earlier run wrote there are removed,
    /// all others are kept
    #[arg(long)]
    overwrite: bool,

    /// Print the specification as JSON, without running it
    #[arg(long)]
    print: bool,

    /// Print all figures in the summary: other thresholds, large clusters, files and steps
    #[arg(long, short, conflicts_with = "quiet")]
    verbose: bool,

    /// Print the summary as JSON on standard output
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs `tegula rerun`.
///
/// # Errors
/// When there is no such run, or the new one fails.
pub(crate) fn rerun(args: &RerunArgs) -> Result<ExitCode> {
    let mut spec = if is_json(&args.run) {
        from_file(&args.run)?
    } else {
        RunSpec::of_run(&args.run)?
    };
    if let Some(path) = &args.output
        && spec.command == RunKind::Pairs
        && path.as_os_str() != "-"
    {
        check_table_name(path)?;
    }
    place(args, &mut spec)?;
    if args.print {
        output::json(&format!("{}\n", spec.to_json()?))?;
        return Ok(ExitCode::SUCCESS);
    }
    let host = args
        .machine
        .host()?
        .reading([&args.run].into_iter().filter(|path| path.is_file()));
    let host = crate::host::writing(host, "--json", args.json.then_some("-"));
    let outcome = crate::host::run(&host, &spec)?;
    let asked = Asked::of(args.json, args.verbose, args.machine.quiet);
    tell(&spec, &outcome, asked)?;
    Ok(ExitCode::SUCCESS)
}

/// Puts the named outputs in the place of the recorded ones.
///
/// # Errors
/// When a recorded one is not to be trusted, and no other is named.
fn place(args: &RerunArgs, spec: &mut RunSpec) -> Result<()> {
    let home = if is_json(&args.run) {
        args.run.parent().unwrap_or(Path::new("")).to_path_buf()
    } else {
        args.run.clone()
    };
    let own = |path: &Path| resolved(path) == resolved(&home);
    let RunSpec {
        input,
        output,
        evidence,
        ..
    } = spec;
    if !args.print {
        // Permission was given for other places.
        output.overwrite = args.overwrite;
    }
    let settle = |option, named: Option<&PathBuf>, recorded: Option<&mut PathBuf>| {
        match (named, recorded) {
            (Some(named), Some(recorded)) => recorded.clone_from(named),
            (None, Some(recorded)) => {
                let is_own = option == "--run" && own(recorded);
                if !(args.print || is_own) {
                    check(option, recorded, &home)?;
                }
            }
            _ => {}
        }
        Ok(())
    };
    for (at, list) in output.lists.iter_mut().enumerate() {
        settle("--list", args.list.get(at), Some(&mut list.path))?;
    }
    for (option, named, recorded) in [
        ("-o", &args.output, output.path.as_mut()),
        ("--removed", &args.removed, output.removed.as_mut()),
        (
            "--fingerprints",
            &args.fingerprints,
            output.fingerprints.as_mut(),
        ),
        (
            "--quarantine",
            &args.quarantine,
            input.records.bad.quarantine.as_mut(),
        ),
        ("--run", &args.folder, evidence.folder.as_mut()),
    ] {
        settle(option, named.as_ref(), recorded)?;
    }
    // The run may have had neither.
    output.path = output.path.take().or_else(|| args.output.clone());
    evidence.folder = evidence.folder.take().or_else(|| args.folder.clone());
    for (option, is_named, has) in [
        (
            "--removed",
            args.removed.is_some(),
            output.removed.is_some(),
        ),
        (
            "--list",
            !args.list.is_empty(),
            args.list.len() <= output.lists.len(),
        ),
        (
            "--fingerprints",
            args.fingerprints.is_some(),
            output.fingerprints.is_some(),
        ),
        (
            "--quarantine",
            args.quarantine.is_some(),
            input.records.bad.quarantine.is_some(),
        ),
    ] {
        if is_named && !has {
            return Err(Error::usage(format!(
                "{option}: expected a run that wrote such an output, found one that did not"
            ))
            .at(&args.run)
            .hint("leave it out"));
        }
    }
    Ok(())
}

/// Refuses a recorded output that would replace something, or that lies outside of a folder.
fn check(option: &str, recorded: &Path, home: &Path) -> Result<()> {
    if recorded.as_os_str() == "-" {
        return Ok(());
    }
    let found = if recorded.symlink_metadata().is_ok() {
        "exists"
    } else if !resolved(recorded).starts_with(resolved(home)) {
        "lies in another folder"
    } else {
        return Ok(());
    };
    Err(Error::usage(format!(
        "{option}: expected the place of the new output, found none, and the recorded one {found}"
    ))
    .at(recorded)
    .hint(format!(
        "name it with {option}: a run that is repeated replaces only what is named"
    )))
}

fn is_json(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
        && !path.is_dir()
}

/// A specification, possibly written by hand.
fn from_file(path: &Path) -> Result<RunSpec> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io("read", path, error))?;
    RunSpec::from_json(&text).map_err(|error| error.at(path))
}
