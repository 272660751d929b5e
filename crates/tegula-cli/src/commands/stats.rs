//! `tegula stats`: document frequencies of a collection, saved for `--statistics`.

use crate::args::{ConstraintArgs, InputArgs, MachineArgs, RecipeArgs};
use crate::{output, terminal};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use tegula::engine;
use tegula::error::{Error, Result};
use tegula::record::Source;
use tegula_io::collection::Collection;
use tegula_io::options::ReadOptions;
use tegula_io::outputs::Packed;
use tegula_run::{
    bad::{self, Bad},
    describe,
};
use tegula_run::{claims, inputs, statistics};

/// Arguments of `tegula stats`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula stats background.jsonl.zst -o background.tsv.zst
  tegula pairs new.jsonl --recipe i-match --statistics background.tsv.zst -o pairs.tsv
  tegula stats messages.jsonl --recipe simfinder -o - | sort -t'\t' -k2,2nr | head

A line for each term: in how many documents it occurs, how often, and its class of word. A run that uses
the file must normalise its texts in the same way: name the same --recipe or --normalize.")]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Where the frequencies are written to, compressed as the name says; `-` is standard output
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: PathBuf,

    #[command(flatten)]
    recipe: RecipeArgs,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs `tegula stats`.
///
/// # Errors
/// What ended it before its time.
pub(crate) fn stats(args: &StatsArgs) -> Result<ExitCode> {
    args.recipe.of_tokens("stats")?;
    let recipe = args.recipe.recipe()?;
    let host = args.machine.host()?;
    let context = &host.context;
    let outputs = host.outputs(false);
    let spec = args.input.spec(&args.recipe, &ConstraintArgs::default())?;
    let quarantine = spec.quarantine_folder(Some(&args.output))?;
    let read = args.input.inputs.iter().map(PathBuf::as_path).chain(args.recipe.files());
    claims::claim(&host, &outputs, read, &[("-o", Some(&args.output))])?;
    let read = ReadOptions { classes: true, characters: recipe.counts_characters(), ..spec.read };
    let collection = Collection::open_in(None, &args.input.inputs, &read, &context.scratch)?.within(context);
    collection.warnings().iter().for_each(|warning| output::warn(warning));
    outputs.guard(collection.guards())?;
    if !quarantine.as_os_str().is_empty() {
        bad::claim(&outputs, &quarantine, collection.files())?;
    }
    inputs::check(&host, &collection, &args.input.asked(Some(recipe.unit)), spec.on_bad_record)?;
    outputs.begin()?;
    let mut bad = Bad::new(spec.on_bad_record, Some((&outputs, quarantine)), collection.files());
    let counter = engine::count::count(context, &collection, &recipe, &mut bad)?;
    bad.finish(&host)?;
    let (documents, terms) = (counter.documents(), counter.terms());
    let steps = statistics::steps(&recipe.normalise);
    let mut draft = Packed::create(&outputs, &args.output)?;
    counter.write(&steps, &mut draft).map_err(|error| Error::io("write", &args.output, error))?;
    draft.finish()?;
    claims::publish(&host, &outputs)?;
    if !args.machine.quiet {
        output::tell(&format!(
            "{} terms of {} {}s\n",
            terminal::count(terms),
            terminal::count(documents),
            describe::name(&recipe.unit)
        ));
    }
    Ok(ExitCode::SUCCESS)
}
