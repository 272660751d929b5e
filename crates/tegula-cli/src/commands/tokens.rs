//! `tegula tokens`: what the matcher sees.

use crate::args::Declared;
use crate::{output, terminal};
use clap::Args;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::command::Command;
use tegula_run::tokens::TokensSpec;

/// Arguments of `tegula tokens`.
#[derive(Debug, Args)]
#[command(
    mut_arg("keys", |arg| arg.conflicts_with_all(["lines", "classes"])),
    after_help = "Examples:\n  tegula tokens --limit 3 news.jsonl\n  tegula tokens --normalize kupietz --id T02/NOV.53095 --lines taz.vert
  tegula tokens --recipe simfinder --classes --limit 3 messages.jsonl
  tegula tokens --recipe i-match --statistics frequencies.tsv.zst --keys news.jsonl > digests.tsv"
)]
pub(crate) struct TokensArgs {
    #[command(flatten)]
    spec: Declared<TokensSpec>,

    /// Do not describe how the input is read
    #[arg(long, short)]
    quiet: bool,
}

/// Prints tokens.
///
/// # Errors
/// Wrong options, what the input gives, or no such id.
pub(crate) fn tokens(args: &TokensArgs) -> Result<ExitCode> {
    let listed = args.spec.run(&crate::host::usual(args.quiet)?)?;
    if listed.without > 0 && !args.quiet {
        let what = if args.spec.keys {
            "units without keys, too short for any"
        } else {
            "units without tokens, compared by their raw text, or by the bytes of a record without any"
        };
        output::tell(&format!("{what}: {}\n", terminal::count(listed.without)));
    }
    Ok(ExitCode::SUCCESS)
}
