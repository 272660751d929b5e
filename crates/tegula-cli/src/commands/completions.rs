//! `tegula completions` and `tegula man`: what shells and `man` need, from the definition of the
//! command line.

use super::Typed;
use crate::{host, output};
use clap::{Arg, ArgMatches, ValueHint, value_parser};
use clap_complete::Shell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula_run::opened::claims;
use tegula_run::options::{Shown, ShownOptions};

pub(super) const COMPLETIONS: Typed = Typed {
    name: "completions",
    about: "Print completions for a shell",
    define: |command| {
        command
            .arg(
                Arg::new("shell")
                    .value_name("SHELL")
                    .required(true)
                    .value_parser(value_parser!(Shell))
                    .help("The shell"),
            )
            .after_help(
                "Examples:
  tegula completions bash > ~/.local/share/bash-completion/completions/tegula
  tegula completions fish > ~/.config/fish/completions/tegula.fish",
            )
    },
    run: completions,
};

pub(super) const MAN: Typed = Typed {
    name: "man",
    about: "Write the manual pages",
    define: |command| {
        command
            .arg(
                Arg::new("folder")
                    .value_name("FOLDER")
                    .required(true)
                    .value_parser(value_parser!(PathBuf))
                    .value_hint(ValueHint::DirPath)
                    .help("The folder to write tegula.1, tegula-dedup.1 and so on to"),
            )
            .after_help(
                "Examples:
  tegula man ~/.local/share/man/man1 && man tegula-dedup",
            )
    },
    run: man,
};

fn completions(matches: &ArgMatches) -> Result<ExitCode> {
    let mut script = Vec::new();
    if let Some(shell) = matches.get_one::<Shell>("shell") {
        clap_complete::generate(*shell, &mut super::command(), "tegula", &mut script);
    }
    output::data(&script)?;
    Ok(ExitCode::SUCCESS)
}

fn man(matches: &ArgMatches) -> Result<ExitCode> {
    let folder = matches.get_one::<PathBuf>("folder");
    let folder = folder.map_or(Path::new(""), PathBuf::as_path);
    let host = host::of(&ShownOptions::default(), Shown::only(&[]))?;
    let mut all = super::command();
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
            .map_err(|error| Error::io("write", folder, error))?;
        written.push((folder.join(format!("{name}.1")), page));
    }
    std::fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, error))?;
    let none: [&Path; 0] = [];
    let outputs = claims::files(&host, none, &[])?;
    for (path, page) in &written {
        outputs.write(path, page)?;
    }
    claims::publish(&host, &outputs)?;
    Ok(ExitCode::SUCCESS)
}
