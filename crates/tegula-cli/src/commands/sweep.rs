//! `tegula sweep`: what would be removed at several n-gram lengths and thresholds.

use crate::args::{ConstraintArgs, FormulaArgs, InputArgs, MachineArgs, RecipeArgs};
use crate::output::{self, check_page};
use crate::summary;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula::recipe::Recipe;
use tegula::threshold::Threshold;
use tegula_io::outputs::Role;
use tegula_report::render::terminal;
use tegula_report::tables::sweep::{page, tables};
use tegula_report::tables::{is_grid, write_tables};
use tegula_run::describe;
use tegula_run::opened::claims;
use tegula_run::sweep::SweepSpec;

/// Arguments of `tegula sweep`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula sweep corpus.vert --unit paragraph
  tegula sweep news.jsonl --ngrams 5,7 --thresholds 0.5,0.8,0.95 -o grid.html
  tegula sweep laws/ --recipe ssr --ngrams 3,5 --thresholds 0.6,0.7,0.8,0.9")]
pub(crate) struct SweepArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Numbers of tokens in an n-gram to try [default: 5,7,10]
    ///
    /// By default 5, 7 and 10; for a recipe without n-grams only the thresholds vary.
    #[arg(
        long,
        value_name = "N,N,...",
        value_delimiter = ',',
        help_heading = "Sweep"
    )]
    ngrams: Vec<usize>,

    /// Thresholds to try
    #[arg(
        long,
        value_name = "T,T,...",
        value_delimiter = ',',
        default_value = "0.5,0.7,0.9,0.95",
        value_parser = crate::args::threshold,
        help_heading = "Sweep"
    )]
    thresholds: Vec<Threshold>,

    /// Write the grids, and the removed tokens by length class, as TSV and LaTeX to this folder
    #[arg(long, value_name = "DIR", help_heading = "Sweep")]
    tables: Option<PathBuf>,

    /// Write an HTML page with heat maps of what would be removed, and all tables
    #[arg(long, short, value_name = "FILE.html", help_heading = "Sweep")]
    output: Option<PathBuf>,

    /// Write tables to a folder that holds other files: those that an earlier command wrote there
    /// are removed, all others are kept
    #[arg(long, requires = "tables", help_heading = "Sweep")]
    overwrite: bool,

    /// Print JSON
    #[arg(long, help_heading = "Sweep")]
    json: bool,

    #[command(flatten)]
    formulas: FormulaArgs,

    /// The recipe; onion, unless one is named
    #[command(flatten)]
    recipe: RecipeArgs,

    #[command(flatten)]
    constraints: ConstraintArgs,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Reports what would be removed, and writes nothing.
///
/// # Errors
/// Wrong options, or what the inputs, the memory ceiling or scratch give.
pub(crate) fn sweep(args: &SweepArgs) -> Result<ExitCode> {
    let base = recipe(args)?;
    let formulas = args.formulas.of(args.tables.is_some())?;
    let host = args.machine.host()?.reading(args.recipe.files());
    if let Some(path) = &args.output {
        check_page(path)?;
    }
    let written = [("-o", args.output.as_deref())];
    let outputs = claims::into_folders(&host, args.overwrite, [], &written)?;
    if let Some(folder) = &args.tables {
        outputs.claim("⟨tables⟩", folder, Role::Folder)?;
    }
    let mut input = args.input.spec(&args.recipe, &args.constraints)?;
    input.steps_named = if args.recipe.names_steps("") {
        vec![base.recipe.clone()]
    } else {
        Vec::new()
    };
    let spec = SweepSpec {
        input,
        recipes: lengths(&base, &args.ngrams)?,
        thresholds: args.thresholds.clone(),
        constraints: args.constraints.constraints(),
    };
    let found = tegula_run::sweep::sweep(&host, &spec, &outputs)?;
    let tables = tables(&found)?;
    if let Some(folder) = &args.tables {
        write_tables(
            &outputs,
            &tables,
            &format!("a sweep: {}", describe::swept(&base)),
            formulas,
            folder,
        )?;
    }
    if let Some(path) = &args.output {
        let page = page(&found, &describe::swept(&base))?;
        outputs.write(path, page.as_bytes())?;
    }
    claims::publish(&host, &outputs)?;
    if args.json {
        let text = serde_json::to_string_pretty(&found)
            .map_err(|e| Error::usage(format!("cannot write as JSON: {e}")))?;
        output::json(&format!("{text}\n"))?;
    } else {
        let width = crate::terminal::width(None);
        let grids = tables.iter().filter(|table| is_grid(table));
        let shown = grids
            .map(|table| terminal(table, width, usize::MAX))
            .collect::<Vec<_>>()
            .join("\n");
        output::show(&shown)?;
        if !args.machine.quiet && !found.passed_over.is_empty() {
            output::tell(&summary::passed_over(&found.passed_over));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The recipe without the swept parameters.
fn recipe(args: &SweepArgs) -> Result<Recipe> {
    for (option, given, swept) in [
        ("--ngram", args.recipe.ngram.is_some(), "--ngrams"),
        (
            "--threshold",
            args.recipe.threshold.is_some(),
            "--thresholds",
        ),
    ] {
        if given {
            return Err(
                Error::usage(format!("{option}: a sweep tries several values"))
                    .hint(format!("name them with {swept}")),
            );
        }
    }
    args.input.check_any()?;
    let mut named = args.recipe.clone();
    named.0.recipe.get_or_insert_with(|| "onion".into());
    let recipe = named.recipe()?;
    if recipe.measure.is_equality() {
        return Err(Error::usage(format!(
            "--recipe {}: it has neither n-grams nor thresholds to sweep over",
            recipe.recipe
        )));
    }
    Ok(recipe)
}

/// The recipe with each n-gram length; if none is named, with those of a usual sweep, if the recipe
/// has n-grams.
fn lengths(base: &Recipe, named: &[usize]) -> Result<Vec<Recipe>> {
    let of = |ngram: usize| {
        let recipe = base.with("ngram", &ngram.to_string())?;
        if ngram != base.ngram {
            recipe.check_effect("ngram")?;
        }
        Ok(recipe)
    };
    if !named.is_empty() {
        let all: Result<_> = named.iter().copied().map(of).collect();
        return all.map_err(|error: Error| {
            let (message, advice) = error.marked();
            Error::usage(format!(
                "--ngrams: {}",
                message.trim_start_matches("ngram: ")
            ))
            .hint(advice.unwrap_or_default())
        });
    }
    Ok(USUAL
        .into_iter()
        .map(of)
        .collect::<Result<_>>()
        .unwrap_or_else(|_| vec![base.clone()]))
}

/// The lengths of a usual sweep.
const USUAL: [usize; 3] = [5, 7, 10];
