//! `tegula filter`: a stream of hits without near copies.

use crate::args::{Declared, MachineArgs, ProgressArgs, ProgressMode};
use crate::terminal::{count, plural};
use crate::{machine, output};
use clap::Args;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::command::Command;
use tegula_run::options::MemoryOption;
use tegula_run::{FilterSpec, Filtered};

/// Arguments of `tegula filter`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  search 'storm harbour' | tegula filter | head -20
  search 'storm harbour' | tegula filter --expand --text-key body --id-key url > hits.jsonl
  tail -f feed.jsonl | tegula filter --last 100000 --recipe ssr --threshold 0.8
  tegula filter messages.jsonl --drop-template spam.tsv -o rest.jsonl

Hits are lines of JSONL, the best first. A hit is hidden if an earlier hit that was kept matches it at or
above the threshold; all others are written unchanged and at once. Under copies and the other recipes of
containment, a hit is hidden if its own content is in the earlier one. A longer version that comes later is kept,
and so is the shorter one before it: rank decides, and what is written is never taken back.

All shingles of the kept hits are held, 25 to 50 bytes each. On endless streams, --last limits this.")]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    spec: Declared<FilterSpec>,

    /// Print the summary as JSON on standard output, with -o FILE
    #[arg(long, help_heading = "Output")]
    json: bool,

    #[command(flatten)]
    memory: Declared<MemoryOption>,

    /// Print no summary, only warnings and errors
    #[arg(long, short, help_heading = "Machine")]
    quiet: bool,
}

/// Runs `tegula filter`.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn filter(args: &FilterArgs) -> Result<ExitCode> {
    let machine = MachineArgs {
        limits: Declared(args.memory.on_one_thread()),
        shown: ProgressArgs {
            progress: ProgressMode::None,
            quiet: args.quiet,
        },
    };
    let host = crate::host::writing(machine.host()?, "--json", args.json.then_some("-"));
    let filtered = args.spec.run(&host)?;
    if args.json {
        output::json(&json(&filtered))?;
    } else if !args.quiet {
        output::tell(&closing(&filtered));
    }
    Ok(ExitCode::SUCCESS)
}

/// The summary in a line.
fn closing(filtered: &Filtered) -> String {
    let Filtered {
        hits,
        kept,
        hidden,
        dropped,
        skipped,
        seconds,
        ..
    } = *filtered;
    let dropped = match dropped {
        0 => String::new(),
        hits => format!(", {} dropped as templates", count(hits)),
    };
    let skipped = match skipped {
        0 => String::new(),
        lines => format!(", {} skipped", plural(lines, "bad line")),
    };
    format!(
        "{}: {} kept, {} hidden{dropped}{skipped}; {seconds:.2} s, {:.3} ms a hit\n",
        plural(hits, "hit"),
        count(kept),
        count(hidden),
        seconds * 1000.0 / hits.max(1) as f64
    )
}

/// The summary as JSON.
fn json(filtered: &Filtered) -> String {
    let mut all = serde_json::json!(filtered);
    if let Some(all) = all.as_object_mut() {
        all.append(&mut machine::took().json());
    }
    format!("{all:#}\n")
}
