//! `tegula filter`: a stream of hits without near copies.

use crate::args::{MachineArgs, Memory, ProgressMode, RecipeArgs, choice};
use crate::terminal::{count, plural};
use crate::{machine, output};
use clap::Args;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::{BadRecordPolicy, FilterSpec, Filtered};

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
    /// A JSONL file, optionally compressed [default: -, standard input]
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    input: PathBuf,

    /// Output file, compressed according to its name; it gets its name when the stream ends
    /// [default: -, standard output]
    #[arg(
        long,
        short,
        value_name = "FILE",
        default_value = "-",
        hide_default_value = true,
        help_heading = "Output"
    )]
    output: PathBuf,

    /// Add to each kept hit a field `hidden` that lists the hits hidden under it: id, rank and
    /// score
    ///
    /// A line is then written only when no more can be hidden under it: at the end of the stream,
    /// or with --last N once N more hits have been kept.
    #[arg(long, help_heading = "Output")]
    expand: bool,

    /// Print the summary as JSON on standard output, with -o FILE
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Field with the text: a top-level key, or a JSON Pointer such as /doc/body; repeat to join
    /// several [default: text]
    #[arg(long, value_name = "KEY", help_heading = "Input")]
    text_key: Vec<String>,

    /// Field with the id of a hit, for --expand [default: id if present]
    #[arg(long, value_name = "KEY", requires = "expand", help_heading = "Input")]
    id_key: Option<String>,

    /// What to do with an unreadable line
    #[arg(
        long,
        value_name = "POLICY",
        value_parser = choice::<BadRecordPolicy>(&["fail", "skip"]),
        help_heading = "Input"
    )]
    on_bad_record: Option<BadRecordPolicy>,

    /// Drop hits that match a template: a table of `tegula templates`, or any other with a
    /// column `regex`; may be repeated
    #[arg(long, value_name = "TABLE", help_heading = "Input")]
    drop_template: Vec<PathBuf>,

    /// Compare with the last N kept hits only, so that memory is bounded
    #[arg(long, value_name = "N", help_heading = "Input")]
    last: Option<NonZeroU32>,

    #[command(flatten)]
    recipe: RecipeArgs,

    /// Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]
    #[arg(long, value_name = "SIZE", help_heading = "Machine")]
    memory: Option<Memory>,

    /// Print no summary, only warnings and errors
    #[arg(long, short, help_heading = "Machine")]
    quiet: bool,
}

/// Runs `tegula filter`.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn filter(args: &FilterArgs) -> Result<ExitCode> {
    let spec = FilterSpec {
        input: args.input.clone(),
        output: args.output.clone(),
        text_keys: args.text_key.clone(),
        id_key: args.id_key.clone(),
        recipe: args.recipe.recipe()?,
        drop_templates: args.drop_template.clone(),
        last: args.last,
        expand: args.expand,
        on_bad_record: args.on_bad_record.unwrap_or_default(),
    };
    let machine = MachineArgs {
        memory: args.memory,
        threads: Some(1),
        progress: ProgressMode::None,
        quiet: args.quiet,
        ..MachineArgs::default()
    };
    let host = machine.host()?.reading(args.recipe.files());
    let host = crate::host::writing(host, "--json", args.json.then_some("-"));
    let filtered = tegula_run::filter(&host, &spec)?;
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
