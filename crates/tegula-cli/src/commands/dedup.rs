//! `tegula dedup` and `tegula mark`.

use crate::args::{InputArgs, MachineArgs, PolicyArgs, RecipeArgs};
use clap::Args;
use std::process::ExitCode;
use tegula::Result;

/// Arguments of `tegula dedup`.
#[derive(Debug, Args)]
pub(crate) struct DedupArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    machine: MachineArgs,
}

/// Arguments of `tegula mark`.
#[derive(Debug, Args)]
pub(crate) struct MarkArgs {
    #[command(flatten)]
    input: InputArgs,
}

pub(crate) fn dedup(args: DedupArgs) -> Result<ExitCode> {
    let _ = (args.input.read_options(&args.recipe, args.policy.fields(&[])?)?, args.recipe.recipe()?, args.machine.context()?);
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn mark(args: MarkArgs) -> Result<ExitCode> {
    let _ = args.input;
    Ok(ExitCode::SUCCESS)
}
