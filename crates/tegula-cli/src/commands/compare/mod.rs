//! `tegula compare`: two texts by every measure and side by side, or all texts of a folder with
//! each other.

mod folder;
mod job;
mod pair;
mod texts;

pub(crate) use job::CompareArgs;

use crate::args::ConstraintArgs;
use crate::output;
use job::Job;
use std::process::ExitCode;
use tegula::compare::Comparer;
use tegula::error::{Error, Result};
use tegula::recipe::{Action, Recipe, Staged};
use tegula::record::Level;
use tegula::threshold::Threshold;
use tegula_io::tables::{check_table_name, is_tsv};
use tegula_run::opened::{Opened, Opening, claims};
use texts::Texts;

/// The default recipe for the texts of a folder.
const RELATED: &str = "sscr-containment";

/// Compares texts.
///
/// # Errors
/// Wrong options, what the inputs give, or an output that cannot be written.
pub(crate) fn compare(args: &CompareArgs) -> Result<ExitCode> {
    check(args)?;
    let recipe = recipe(args)?;
    let host = args.machine.host()?;
    let outputs = claims::outputs(&host, [], &[("-o", args.output.as_deref())])?;
    let input = args.input.spec(&args.recipe, &ConstraintArgs::default())?;
    let staged = Staged::single(recipe.clone(), Action::Remove);
    let opened = Opened::new(
        &host,
        &outputs,
        Opening {
            output: args.output.as_deref(),
            ..Opening::new(&input, &staged)
        },
    )?;
    let ignored = match &args.ignore {
        Some(path) => Some(texts::one(&opened, path, &staged)?),
        None => None,
    };
    opened.begin()?;
    let comparer = Comparer::new(&recipe)?;
    let job = Job {
        args,
        opened: &opened,
        comparer: match &ignored {
            Some(text) => comparer.ignoring(text),
            None => comparer,
        },
        texts: Texts::read(&opened)?,
        recipe: &recipe,
    };
    let code = match job.texts.len() {
        0 | 1 => Err(Error::usage(format!(
            "expected at least two texts, found {}",
            job.texts.len()
        ))
        .hint("name two files, or a folder or a file with several texts")),
        2 if is_of_two(args) => pair::compare(&job),
        _ => folder::compare(&job),
    }?;
    opened.publish()?;
    Ok(code)
}

/// Refuses contradictory options, before anything is opened.
fn check(args: &CompareArgs) -> Result<()> {
    if args.input.inputs.is_empty() {
        return Err(Error::usage("expected two texts or a folder, found none")
            .hint("tegula compare A B, or tegula compare FOLDER"));
    }
    if args
        .ignore
        .as_deref()
        .is_some_and(|path| path.as_os_str() == "-")
    {
        return Err(Error::usage(
            "--ignore: expected a file, found standard input",
        ));
    }
    args.formulas
        .of(args.output.as_deref().is_some_and(is_tsv))?;
    match &args.output {
        Some(_) if args.json => Err(Error::usage(
            "--json: expected no -o, as the result is printed, found both",
        )),
        Some(path) if !output::is_page(path) => check_table_name(path).map_err(|_| {
            Error::usage("-o: expected a name that ends in .html, .tsv, .jsonl or .parquet")
                .at(path)
        }),
        _ => Ok(()),
    }
}

/// Whether two files are named.
fn is_of_two(args: &CompareArgs) -> bool {
    args.input.inputs.len() == 2 && args.input.inputs.iter().all(|input| !input.is_dir())
}

/// The recipe: by default, containment of at least 0.1.
fn recipe(args: &CompareArgs) -> Result<Recipe> {
    let mut asked = args.recipe.clone();
    asked.0.recipe.get_or_insert_with(|| RELATED.to_owned());
    if args.recipe.recipe.is_none() && asked.threshold.is_none() {
        asked.0.threshold = Some(Threshold::new(1, 10)?);
    }
    let recipe = asked.recipe()?;
    if recipe.unit != Level::Document {
        return Err(
            Error::usage("--unit: whole texts are compared, found another unit")
                .hint("tegula pairs compares paragraphs and sentences"),
        );
    }
    let ratio = |what: &str| Error::usage(format!("--recipe {}: {what}", recipe.recipe));
    let weighs = recipe.needs_statistics() || recipe.measure.needs_rarity();
    if weighs && recipe.statistics.is_none() {
        return Err(ratio("its scores depend on frequencies in a collection, found no statistics").hint(
            "name a file from tegula stats with --statistics; or list the pairs of a collection with tegula pairs",
        ));
    }
    if !recipe.is_of_two_texts() && !is_of_two(args) {
        return Err(ratio(
            "expected two texts, as its scores are not available for a folder, found a folder",
        )
        .hint("name two files, or list pairs with tegula pairs"));
    }
    Ok(recipe)
}
