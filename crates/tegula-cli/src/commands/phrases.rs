//! `tegula phrases`: the sequences of tokens that recur, the longest first.

use crate::args::{InputArgs, MachineArgs, RecipeArgs, TableArgs};
use crate::terminal::plural;
use crate::{output, summary};
use clap::Args;
use std::process::ExitCode;
use std::time::Instant;
use tegula::error::Result;
use tegula::field::FieldKey;
use tegula::phrases::Wanted;
use tegula_run::describe;
use tegula_run::options::PairOptions;
use tegula_run::phrases::{Listed, PhrasesSpec, phrases as list};

/// Arguments of `tegula phrases`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula phrases laws.jsonl -o phrases.tsv
  tegula phrases news/ --min-tokens 6 --min-texts 10 --by source -o phrases.parquet
  tegula phrases letters.jsonl --by date:year --date-format %d.%m.%Y --top 100 -o - | less -S

A phrase is a sequence of tokens that is not part of a longer one with the same number of occurrences: if a
sentence is always copied whole, only the sentence is listed; a part of it is listed if it also occurs elsewhere.
The longest come first; of equally long ones the most frequent comes first, then the earliest. `dp` is Gries'
deviation of proportions (0: spread evenly), `association` the binary logarithm of the occurrences over those
expected if the tokens were independent.")]
pub(crate) struct PhrasesArgs {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    table: TableArgs,

    /// Print the summary as JSON on standard output
    #[arg(long, help_heading = "Output")]
    json: bool,

    #[command(flatten)]
    which: WhichArgs,

    #[command(flatten)]
    recipe: RecipeArgs,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Which phrases are listed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which phrases are listed")]
struct WhichArgs {
    /// Only phrases of at least N tokens
    #[arg(long, value_name = "N", default_value_t = Wanted::default().min_tokens)]
    min_tokens: u32,

    /// Only phrases of at most N tokens [default: any]
    #[arg(long, value_name = "N")]
    max_tokens: Option<u32>,

    /// Only phrases in at least N texts
    #[arg(long, value_name = "N", default_value_t = Wanted::default().min_texts)]
    min_texts: u32,

    /// Only phrases with at least N occurrences
    #[arg(long, value_name = "N", default_value_t = Wanted::default().min_occurrences)]
    min_occurrences: u32,

    /// Only the first N of the list [default: all]
    #[arg(long, value_name = "N")]
    top: Option<u64>,

    /// Count texts and occurrences by the values of a field, and give the dispersion over these:
    /// source, or date:year
    #[arg(long, value_name = "FIELD")]
    by: Option<FieldKey>,

    /// Format of dates that are not recognised, for --by date:year: %d/%m/%Y, %B %Y, %s; repeat to
    /// try several, `auto` among them
    #[arg(long, value_name = "FORMAT")]
    date_format: Vec<String>,
}

/// Runs `tegula phrases`.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn phrases(args: &PhrasesArgs) -> Result<ExitCode> {
    let clock = Instant::now();
    args.input.check_any()?;
    args.recipe.of_tokens("phrases")?;
    let recipe = args.recipe.recipe()?;
    let dates = PairOptions {
        date_format: args.which.date_format.clone(),
        ..PairOptions::default()
    };
    let spec = PhrasesSpec {
        input: args.input.spec(&args.recipe, &dates)?,
        recipe,
        wanted: Wanted {
            min_tokens: args.which.min_tokens,
            max_tokens: args.which.max_tokens,
            min_texts: args.which.min_texts,
            min_occurrences: args.which.min_occurrences,
            top: args.which.top,
            by: args.which.by.clone(),
        },
        output: args.table.required()?,
        form: args.table.form.unwrap_or_default(),
        formulas: args.table.formulas(None)?,
    };
    let host = args.machine.host()?.reading(args.recipe.files());
    let host = crate::host::writing(host, "--json", args.json.then_some("-"));
    let Listed {
        counted,
        passed_over,
    } = list(&host, &spec)?;
    let seconds = clock.elapsed().as_secs_f64();
    if args.json {
        let all = serde_json::json!({
            "texts": counted.texts,
            "tokens": counted.tokens,
            "phrases": counted.phrases,
            "passed_over": describe::passed_over_json(&passed_over),
            "seconds": (seconds * 1000.0).round() / 1000.0,
        });
        output::json(&format!("{all}\n"))?;
    } else if !args.machine.quiet {
        output::tell(&format!(
            "{} in {} of {}, in {seconds:.2} s\n{}",
            match counted.phrases {
                0 => "no phrases".to_owned(),
                phrases => plural(phrases, "phrase"),
            },
            plural(counted.texts, &describe::name(&spec.recipe.unit)),
            plural(counted.tokens, "token"),
            summary::passed_over(&passed_over),
        ));
    }
    Ok(ExitCode::SUCCESS)
}
