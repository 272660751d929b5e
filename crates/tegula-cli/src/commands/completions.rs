//! `tegula completions` and `tegula man`: what shells and `man` need, from the definition of the
//! command line.

use crate::{host, output};
use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula_run::opened::claims;

/// Arguments of `tegula completions`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula completions bash > ~/.local/share/bash-completion/completions/tegula
  tegula completions fish > ~/.config/fish/completions/tegula.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Arguments of `tegula man`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula man ~/.local/share/man/man1 && man tegula-dedup")]
pub(crate) struct ManArgs {
    /// The folder to write tegula.1, tegula-dedup.1 and so on to
    folder: PathBuf,
}

/// Runs `tegula completions`.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn completions(args: &CompletionsArgs, mut all: clap::Command) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut all, "tegula", &mut script);
    output::data(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs `tegula man`.
///
/// # Errors
/// When a page cannot be written.
pub(crate) fn man(args: &ManArgs, mut all: clap::Command) -> Result<ExitCode> {
    let host = host::usual(false)?;
    all.build();
    let mut pages = vec![("tegula".to_owned(), all.clone())];
    for command in all.get_subcommands() {
        let name = format!("tegula-{}", command.get_name());
        pages.push((name, command.clone()));
    }
    let mut written = Vec::with_capacity(pages.len());
    for (name, command) in pages {
        let mut page = Vec::new();
        clap_mangen::Man::new(command)
            .title(&name)
            .render(&mut page)
            .map_err(|error| Error::io("write", &args.folder, error))?;
        written.push((args.folder.join(format!("{name}.1")), page));
    }
    std::fs::create_dir_all(&args.folder)
        .map_err(|error| Error::io("create", &args.folder, error))?;
    let none: [&std::path::Path; 0] = [];
    let outputs = claims::files(&host, none, &[])?;
    for (path, page) in &written {
        outputs.write(path, page)?;
    }
    claims::publish(&host, &outputs)?;
    Ok(ExitCode::SUCCESS)
}
