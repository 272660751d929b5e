//! `tegula evaluate`: evaluates a result against labelled pairs or groups.

use crate::args::Declared;
use crate::form::Form;
use crate::terminal;
use clap::Args;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::command::Command;
use tegula_run::evaluate::EvaluateSpec;

/// Arguments of `tegula evaluate`.
#[derive(Debug, Args)]
#[command(mut_arg("tune", |arg| arg.conflicts_with_all(["half", "threshold"])), after_help = "Examples:
  tegula evaluate labels.tsv pairs.parquet
  tegula evaluate labels.tsv pairs.tsv --label grade --positive cut,light --judged-only
  tegula evaluate docs.jsonl.zst pairs.parquet --group-key group --sweep -o curve.html
  tegula evaluate docs.jsonl.zst others.tsv --transitive --tune
  tegula evaluate docs.jsonl run/
  tegula evaluate docs.jsonl copies/ sscr/ --by source --by-length tokens

GOLD holds labelled pairs (id_a, id_b and, if some are not copies, label), or groups (id and group): TSV or JSON Lines, optionally .gz
or .zst; pairs may be two or three columns without a header. RESULT is the output of pairs, cluster or --run, or any TSV or JSON Lines
with id_a, id_b and score. For a run, its removals are judged by their witnesses, as are the pairs it kept.

Without --threshold, all pairs of the result count. To sweep a wider range, produce the result at a low threshold.

Intervals are 95 % percentile intervals of resamples of whole groups. Several results are judged by the same
resamples; a sentence says which is better, and whether that may be chance.")]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    spec: Declared<EvaluateSpec>,

    /// Output format
    #[arg(
        long,
        value_name = "FORM",
        value_enum,
        default_value_t,
        help_heading = "Output"
    )]
    form: Form,

    /// Width in columns [default: that of the terminal, or 100]
    #[arg(long, value_name = "COLUMNS", help_heading = "Output")]
    width: Option<usize>,
}

/// Rows of a table.
const ROWS: usize = 40;

/// Judges a result.
///
/// # Errors
/// When a list cannot be read, does not match the other, or lacks a requested column.
pub(crate) fn evaluate(args: &EvaluateArgs) -> Result<ExitCode> {
    let prints_tsv = args.form == Form::Tsv;
    let spec = EvaluateSpec {
        prints_tsv,
        ..args.spec.0.clone()
    };
    let found = spec.run(&crate::host::usual(false)?)?;
    let size = (terminal::width(args.width), ROWS);
    let formulas = spec.formulas.of(true)?;
    args.form
        .print(|| found.json(), &found.tables(), size, formulas)?;
    Ok(ExitCode::SUCCESS)
}
