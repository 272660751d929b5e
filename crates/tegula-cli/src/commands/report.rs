//! `tegula report`: reports on a run, as tables and as a page.

use crate::args::{FormulaArgs, MachineArgs};
use crate::output;
use crate::terminal;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use tegula::error::{Error, ErrorKind, Result};
use tegula_io::outputs::{Outputs, Role};
use tegula_report::report::{self, CASES, Extra, Near, Searched};
use tegula_report::run::Run;
use tegula_report::{render, tables, words};
use tegula_run::Host;
use tegula_run::near_misses::{self, NearMisses};
use tegula_run::opened::claims;

/// Arguments of `tegula report`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tegula report run/\n  tegula report run/ -o report.html\n  tegula report run/ --tables tables/\n  tegula report run/ --words\n  tegula report run/ -o report.html --root /mnt/archive/corpus"
)]
pub(crate) struct ReportArgs {
    /// The folder of a run
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Write every table to this folder, as TSV and LaTeX
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// Write tables into a folder that holds other files: files written there by an earlier command
    /// are removed, all others are kept
    #[arg(long, requires = "tables")]
    overwrite: bool,

    /// Write an HTML page with charts, clusters and texts side by side: a single file that works
    /// offline
    #[arg(long, short, value_name = "FILE.html")]
    output: Option<PathBuf>,

    /// Search the inputs again for pairs just below the threshold [default: if they are smaller
    /// than 32 MB]
    #[arg(long, requires = "output")]
    near_misses: bool,

    /// List the words, and runs of up to four words, that the copies repeat, by keyness; reads the
    /// inputs again [default: in a page, if they are smaller than 32 MB]
    #[arg(long)]
    words: bool,

    /// Width in columns [default: that of the terminal, or 100]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,

    /// New location of the inputs of the run, if they have moved
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    #[command(flatten)]
    formulas: FormulaArgs,

    #[command(flatten)]
    machine: MachineArgs,
}

/// The exit code of an incomplete report.
const INCOMPLETE: u8 = 2;

/// Inputs smaller than this many bytes are read again by default.
const SMALL: u64 = 32_000_000;

/// Words in the page: enough to see the effect of the copies.
const IN_PAGE: words::Options = words::Options {
    longest: 3,
    rows: 25,
    least: 5,
    followed: 100_000,
};

/// Rows of a table on the terminal.
const ROWS: usize = 40;
/// Rows of a table of words.
const WORDS: usize = 15;

/// Reports on a run.
///
/// # Errors
/// When there is no such run, or it made no decisions.
pub(crate) fn report(args: &ReportArgs) -> Result<ExitCode> {
    let formulas = args.formulas.of(args.tables.is_some())?;
    let run = Run::open_moved(&args.run, args.root.as_deref())?;
    let host = args.machine.host()?;
    let context = &host.context;
    let written = [("-o", args.output.as_deref())];
    let outputs = claims::into_folders(&host, args.overwrite, [args.run.as_path()], &written)?;
    protect_inputs(&outputs, &run)?;
    if let Some(folder) = &args.tables {
        outputs.claim("⟨tables⟩", folder, Role::Folder)?;
    }
    outputs.begin()?;
    if !run.info().done {
        output::warn("the run is incomplete; its partial results are shown");
    }
    let listed = args.words && (args.tables.is_some() || args.output.is_none());
    let dropped = if listed {
        words::tables(&run, &words::Options::default(), context)?
    } else {
        Vec::new()
    };
    if let Some(folder) = &args.tables {
        let written = tables::write_with(&outputs, &run, dropped.clone(), formulas, folder)?;
        output::say(&format!(
            "{} written to {}",
            terminal::plural(written.len() as u64, "table"),
            folder.display()
        ));
    }
    if let Some(path) = &args.output {
        if !is_small(&run) && !args.machine.quiet {
            note_left_out(args);
        }
        let words = (is_small(&run) || args.words).then(|| words::tables(&run, &IN_PAGE, context));
        let mut not_searched = None;
        let searched = match searched(args, &run, &host) {
            // Missing inputs are not an error, unless pairs below the threshold were requested.
            Err(error) if !args.near_misses && error.kind() != ErrorKind::Cancelled => {
                not_searched = Some(error);
                Vec::new()
            }
            searched => searched?,
        };
        let extra = Extra {
            searched,
            words: words.filter(|_| run.stages()[0].is_decided()),
        };
        let mut page = report::page(&run, &extra)?;
        page.missing
            .extend(not_searched.map(|error| format!("pairs just below the threshold: {error}")));
        outputs.write(path, page.html.as_bytes())?;
        claims::publish(&host, &outputs)?;
        output::say(&format!("page written to {}", path.display()));
        page.missing
            .iter()
            .for_each(|line| output::warn(&format!("the page does not show {line}")));
        if !page.missing.is_empty() {
            output::hint(if args.root.is_none() {
                "if the inputs of the run have moved, name the folder that they are in with --root"
            } else {
                "name the folder that has the unchanged inputs of the run with --root"
            });
            return Ok(ExitCode::from(INCOMPLETE));
        }
    }
    claims::publish(&host, &outputs)?;
    if args.tables.is_some() || args.output.is_some() {
        return Ok(ExitCode::SUCCESS);
    }
    let width = terminal::width(args.width);
    let main: Vec<String> = tables::of_run(&run)?
        .iter()
        .filter(|table| tables::is_main(table))
        .map(|table| render::terminal(table, width, ROWS))
        .chain(
            dropped
                .iter()
                .map(|table| render::terminal(table, width, WORDS)),
        )
        .collect();
    output::show(&main.join("\n\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses to overwrite inputs of the run that still exist.
fn protect_inputs(outputs: &Outputs, run: &Run) -> Result<()> {
    run.inputs()
        .iter()
        .try_for_each(|input| outputs.protect(&input.path))
}

/// Whether the inputs are small enough to be read again by default.
fn is_small(run: &Run) -> bool {
    run.inputs().iter().map(|input| input.bytes).sum::<u64>() < SMALL
}

/// Says what a page lacks because its inputs are large.
fn note_left_out(args: &ReportArgs) {
    let left_out: Vec<&str> = [("--near-misses", args.near_misses), ("--words", args.words)]
        .iter()
        .filter(|(_, given)| !given)
        .map(|(option, _)| *option)
        .collect();
    if !left_out.is_empty() {
        output::note(&format!(
            "the inputs are large, and are read again only on request: {}",
            left_out.join(" and ")
        ));
    }
}

/// Pairs below the threshold, for a run of one stage with decisions.
fn searched(args: &ReportArgs, run: &Run, host: &Host) -> Result<Vec<Option<Searched>>> {
    let plain = !run.is_staged()
        && run
            .stages()
            .iter()
            .all(tegula_report::run::Stage::is_decided);
    if !plain {
        if args.near_misses {
            return Err(Error::usage(
                "--near-misses: expected a run of one stage with decisions, found another",
            )
            .at(run.path()));
        }
        return Ok(Vec::new());
    }
    if !is_small(run) && !args.near_misses {
        return Ok(Vec::new());
    }
    let found = near_misses::misses(host, run.path(), args.root.as_deref(), CASES)?;
    let near = |found: NearMisses| Searched {
        near: found
            .pairs
            .into_iter()
            .map(|(a, b, score)| Near { a, b, score })
            .collect(),
        from: found.from,
    };
    Ok(vec![found.map(near)])
}
