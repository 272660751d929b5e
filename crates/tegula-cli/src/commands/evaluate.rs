//! `tegula evaluate`: evaluates a result against labelled pairs or groups.

use crate::args::FormulaArgs;
use crate::form::Form;
use crate::output;
use crate::terminal::{self, plural};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula::field::FieldKey;
use tegula::tsv::Formulas;
use tegula_io::tables::is_tsv;
use tegula_report::evaluate::{
    By, Evaluation, Half, Options, Positive, RESAMPLES, ReadOptions, evaluate as judge,
};
use tegula_run::opened::claims;

/// Arguments of `tegula evaluate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
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
    /// Ground truth: labelled pairs, or groups
    #[arg(value_name = "GOLD")]
    gold: PathBuf,

    /// Results to evaluate: pairs, clusters, or the folder of a run; - is standard input
    #[arg(value_name = "RESULT", required = true)]
    results: Vec<PathBuf>,

    #[command(flatten)]
    of_gold: GoldArgs,

    #[command(flatten)]
    judging: JudgingArgs,

    /// Write an HTML page with all tables and, with --sweep, the precision-recall curves
    #[arg(long, short, value_name = "FILE.html", help_heading = "Output")]
    output: Option<PathBuf>,

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

    #[command(flatten)]
    formulas: FormulaArgs,
}

/// How gold is read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Gold")]
struct GoldArgs {
    /// Groups as gold: the field of the ids [default: id]
    #[arg(long, value_name = "FIELD")]
    id_key: Option<String>,

    /// Groups as gold: the field of the group [default: group]
    #[arg(long, value_name = "FIELD")]
    group_key: Option<String>,

    /// Read gold without a header as ids and groups, not as pairs
    #[arg(long)]
    groups: bool,

    /// Pairs as gold: the column of the label [default: label, or the third]
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,

    /// Labels that mean a copy, separated by commas, or >=NUMBER [default: 1, true, yes, dup or
    /// duplicate]
    #[arg(long, value_name = "LABELS")]
    positive: Option<Positive>,

    /// List of the ids of all documents, one per line or as a field of records, for gold pairs that
    /// do not name them all
    #[arg(long, value_name = "FILE")]
    documents: Option<PathBuf>,
}

/// How results are judged.
#[derive(Debug, Args)]
#[command(next_help_heading = "Judging")]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line"
)]
struct JudgingArgs {
    /// Judge only pairs labelled in gold; without this option, pairs absent from gold count as
    /// wrong
    #[arg(long)]
    judged_only: bool,

    /// Lowest score of a pair that counts [default: all count]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    threshold: Option<f64>,

    /// The column of the score in the result [default: score]
    #[arg(long, value_name = "COLUMN")]
    score: Option<String>,

    /// Judge the clusters of a run folder instead of its pairs and verdicts
    #[arg(long)]
    clusters: bool,

    /// Map paragraphs and sentences of the result to their documents [default: only those absent
    /// from gold]
    #[arg(long)]
    roll_up: bool,

    /// Count all pairs inside the clusters that the pairs form (the transitive closure)
    #[arg(long)]
    transitive: bool,

    /// Evaluate the result at every score, and report the best threshold
    #[arg(long)]
    sweep: bool,

    /// Judge only one half of the documents; copies are always in the same half
    #[arg(long, value_name = "HALF")]
    half: Option<HalfName>,

    /// Choose the threshold with the best F1 on half a, and report half b at that threshold
    #[arg(long, conflicts_with_all = ["half", "threshold"])]
    tune: bool,

    /// Also judge by the values of a field of the documents: source, or date:year; may be repeated
    #[arg(long, value_name = "FIELD")]
    by: Vec<FieldKey>,

    /// Also judge by the length of the documents, in classes of powers of two
    #[arg(long, value_name = "UNIT")]
    by_length: Option<LengthName>,

    /// With --by-length: the field of the text [default: text]
    #[arg(long, value_name = "FIELD", requires = "by_length")]
    text_key: Option<String>,

    /// Resamples of the groups for 95 % confidence intervals; 0 for none
    #[arg(
        long,
        value_name = "N",
        default_value_t = RESAMPLES,
        value_parser = clap::value_parser!(u32).range(..=MOST_RESAMPLES))]
    resamples: u32,
}

/// A half of the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum HalfName {
    /// The first half
    A,
    /// The second half
    B,
}

/// What length is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LengthName {
    /// Tokens, as they are found by default
    Tokens,
    /// Characters
    Characters,
}

/// The maximum number of resamples, which takes minutes.
const MOST_RESAMPLES: i64 = 100_000;

/// Rows of a table.
const ROWS: usize = 40;

/// Judges a result.
///
/// # Errors
/// When a list cannot be read, does not match the other, or lacks a requested column.
pub(crate) fn evaluate(args: &EvaluateArgs) -> Result<ExitCode> {
    check(args)?;
    let formulas = formulas(args)?;
    let results: Vec<&Path> = args.results.iter().map(PathBuf::as_path).collect();
    let read = [args.gold.as_path()]
        .into_iter()
        .chain(results.iter().copied())
        .chain(args.of_gold.documents.as_deref());
    let host = crate::host::usual(false)?;
    let outputs = claims::files(&host, read, &[("-o", args.output.as_deref())])?;
    let found = host.context.pool()?.install(|| {
        judge(
            &args.gold,
            &results,
            args.of_gold.documents.as_deref(),
            &read_options(&args.of_gold, &args.judging, formulas),
            &options(&args.judging),
        )
    })?;
    for (name, evaluation) in found.names.iter().zip(&found.evaluations) {
        let of = if results.len() > 1 {
            name
        } else {
            "the result"
        };
        warn(of, evaluation);
    }
    if let Some(path) = &args.output {
        outputs.write(path, found.page(&name(&args.gold)).as_bytes())?;
    }
    claims::publish(&host, &outputs)?;
    let width = terminal::width(args.width);
    args.form
        .print(|| found.json(), &found.tables(), (width, ROWS), formulas)?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses contradictory options, before anything is opened.
fn check(args: &EvaluateArgs) -> Result<()> {
    if args.results.contains(&args.gold) {
        return Err(Error::usage("expected two lists, found one for both").at(&args.gold));
    }
    let twice = |at: usize| args.results[..at].contains(&args.results[at]);
    if let Some(at) = (0..args.results.len()).find(|at| twice(*at)) {
        return Err(
            Error::usage("expected different results, found one twice").at(&args.results[at])
        );
    }
    if args
        .judging
        .threshold
        .is_some_and(|threshold| !threshold.is_finite())
    {
        return Err(Error::usage("--threshold: expected a number"));
    }
    match &args.output {
        Some(path) => output::check_page(path)
            .map_err(|error| error.hint("--form tsv and --form json print the figures")),
        None => Ok(()),
    }
}

/// What is done with formulas in TSV, read or written.
fn formulas(args: &EvaluateArgs) -> Result<Formulas> {
    let mut lists = args
        .results
        .iter()
        .chain([&args.gold])
        .chain(&args.of_gold.documents);
    args.formulas
        .of(args.form == Form::Tsv || lists.any(|path| is_tsv(path)))
}

fn read_options(gold: &GoldArgs, judging: &JudgingArgs, formulas: Formulas) -> ReadOptions {
    let customary = ReadOptions::default();
    ReadOptions {
        id_key: gold.id_key.clone().unwrap_or(customary.id_key),
        group_key: gold.group_key.clone().unwrap_or(customary.group_key),
        label: gold.label.clone(),
        positive: gold.positive.clone().unwrap_or(customary.positive),
        groups: gold.groups,
        score: judging.score.clone().unwrap_or(customary.score),
        clusters: judging.clusters,
        roll_up: judging.roll_up,
        by: judging
            .by
            .iter()
            .map(|key| By::Field(key.clone()))
            .chain(judging.by_length.map(|unit| by_length(unit, judging)))
            .collect(),
        formulas,
    }
}

fn by_length(unit: LengthName, judging: &JudgingArgs) -> By {
    let text = judging
        .text_key
        .clone()
        .unwrap_or_else(|| "text".to_owned());
    match unit {
        LengthName::Tokens => By::Tokens(text),
        LengthName::Characters => By::Characters(text),
    }
}

fn options(judging: &JudgingArgs) -> Options {
    Options {
        threshold: judging.threshold,
        transitive: judging.transitive,
        judged_only: judging.judged_only,
        half: judging.half.map(|half| match half {
            HalfName::A => Half::A,
            HalfName::B => Half::B,
        }),
        sweep: judging.sweep,
        tune: judging.tune,
        resamples: judging.resamples,
    }
}

/// Warns of rows that were ignored, or may be unintended.
fn warn(of: &str, found: &Evaluation) {
    let result = &found.result;
    if let Some(example) = &result.unknown_id {
        let what = plural(result.unknown_ids, "id");
        // Gold pairs name only documents that have copies or were judged: others are to be
        // expected.
        if found.gold.groups {
            output::warn(&format!(
                "{what} of {of} not in gold, such as {example}; their pairs are ignored"
            ));
        } else if result.unknown_ids * 2 > found.gold.documents {
            output::warn(&format!("{what} of {of} not in gold, such as {example}"));
        }
    }
    if result.loops > 0 {
        output::warn(&format!(
            "{} of an id with itself ignored in {of}",
            plural(result.loops, "pair")
        ));
    }
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(
        || path.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}
