//! The first thing that users see: the commands in groups, the most used with an example.

use crate::commands::{self, OF_SHELLS};
use crate::config;
use crate::invocation::{self, Invocation};
use crate::short_help;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, Command};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::rc::Rc;
use tegula::error::{Error, ErrorKind};
use tegula::recipe;
use tegula_run::commands::GROUPS;

const EXAMPLES: [(&str, &str); 3] = [
    (
        "tegula dedup news.jsonl -o clean.jsonl --run evidence/",
        "each text once, with proof",
    ),
    (
        "tegula explain evidence/ T03/JUL.31966",
        "why a text was removed",
    ),
    (
        "tegula compare draft.txt print.txt",
        "two texts side by side",
    ),
];

/// The command line for these arguments, with its overview.
fn command(args: &[OsString]) -> Command {
    let command = commands::command_for(args);
    let overview = overview(&command);
    command.override_help(overview)
}

/// Why there is no command to run.
pub(crate) enum Refused {
    /// The arguments request the options of a command.
    Help(StyledStr),
    /// The arguments are invalid, or request help or the version.
    Args(Box<clap::Error>),
    /// The configuration file is invalid.
    Config(Error),
}

/// The arguments, parsed, with those of the configuration file, which is then in force; `found` also
/// accepts a file that they do not name.
///
/// # Errors
/// Errors in the arguments, or the requested help or version.
pub(crate) fn parse(
    args: impl IntoIterator<Item = OsString>,
    found: bool,
) -> Result<ArgMatches, Refused> {
    let args: Vec<OsString> = args.into_iter().collect();
    let mut command = command(&args);
    command.build();
    let parsed = |args: &[OsString]| command.clone().try_get_matches_from(args);
    if let Some(help) = short_help(&command, &args) {
        return Err(Refused::Help(help));
    }
    let (all, config) = config::apply(&command, &args, found).map_err(Refused::Config)?;
    let config = config.map(Rc::new);
    let parsed_all = parsed(&all);
    invocation::begin(Invocation {
        arguments: all,
        config: config.clone(),
    });
    let error = match (parsed_all, config) {
        (Ok(matches), _) => return Ok(matches),
        // Errors that do not involve the configuration are reported without it.
        (Err(error), Some(config)) if error.use_stderr() => match parsed(&args) {
            Ok(_) => {
                return Err(Refused::Config(
                    refused(&error).at(&config.file.path).hint(config.advice()),
                ));
            }
            Err(error) => error,
        },
        (Err(error), _) => error,
    };
    Err(Refused::Args(Box::new(with_tip(error, &command, &args))))
}

/// The error; if a method was named as a command, with what it is called here, and if help on a topic
/// that there is not, with those that there are.
fn with_tip(mut error: clap::Error, command: &Command, args: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let helped = match args {
        [_, help, named, _] if help == "help" => named
            .to_str()
            .and_then(|named| command.find_subcommand(named)),
        _ => None,
    };
    let tip = match (helped, recipe::synonym(name)) {
        (Some(helped), _) => format!("the topics are {}", short_help::topics(helped).join(", ")),
        (None, Some((recipe, does))) => format!("tegula dedup --recipe {recipe} {does}"),
        (None, None) => return error,
    };
    let tips = ContextValue::StyledStrs(vec![tip.into()]);
    error.insert(ContextKind::Suggested, tips);
    error
}

/// The help requested by `-h` after the name of a command, or by `help`, a command and a topic.
fn short_help(command: &Command, args: &[OsString]) -> Option<StyledStr> {
    let [_, name, rest @ ..] = args else {
        return None;
    };
    if let ("help", [named, topic]) = (name.to_str()?, rest) {
        return short_help::topic(command.find_subcommand(named.to_str()?)?, topic.to_str()?);
    }
    // What follows an option may be its value, and what follows -- is not an option.
    let mut options = rest.iter().take_while(|arg| *arg != "--");
    let named = command.find_subcommand(name.to_str()?)?;
    let is_onion = named.get_name() == "onion";
    (!is_onion && options.any(|arg| arg == "-h")).then(|| short_help::of(named))
}

/// The error in the arguments, without the usage text.
pub(crate) fn refused(error: &clap::Error) -> Error {
    let text = error.render().to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let line = first.split_whitespace().collect::<Vec<_>>().join(" ");
    Error::new(ErrorKind::Usage, line.trim_start_matches("error: "))
}

fn overview(command: &Command) -> StyledStr {
    const BOLD: &str = "\u{1b}[1m";
    const PLAIN: &str = "\u{1b}[0m";
    let mut text = String::new();
    let about = command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    let _ = writeln!(
        text,
        "{about}\n\n{BOLD}Usage:{PLAIN} tegula <COMMAND> [OPTIONS] [INPUT]...\n"
    );
    for (line, says) in EXAMPLES {
        let _ = writeln!(text, "  {line:<56}{says}");
    }
    let about = |name: &str| {
        let about = command.find_subcommand(name).and_then(Command::get_about);
        first_clause(&about.map(ToString::to_string).unwrap_or_default())
    };
    for (place, group) in (1..).zip(GROUPS) {
        let listed = group.commands.iter().filter(|entry| entry.is_listed);
        let names = listed.map(|entry| entry.name);
        let _ = writeln!(text, "\n{BOLD}{}:{PLAIN}", group.name);
        for name in names.chain(OF_SHELLS.into_iter().filter(|_| place == GROUPS.len())) {
            let _ = writeln!(text, "  {BOLD}{name:<13}{PLAIN}{}", about(name));
        }
    }
    let _ = writeln!(
        text,
        "  {BOLD}{:<13}{PLAIN}Print help: tegula help dedup",
        "help"
    );
    let _ = write!(
        text,
        "\n{BOLD}Options:{PLAIN}\n  {BOLD}-h, --help{PLAIN}     Print help, also of a command: tegula dedup -h, in full with --help\n  {BOLD}-V, --version{PLAIN}  Print version\n  {BOLD}--config FILE{PLAIN}  Options and recipes from this file; else from tegula.toml, here or above\n\nInputs are files, folders or -: JSONL, JSON, CSV, TSV, Parquet, plain text, vertical, CoNLL-U, TEI, HTML,\nWord, OpenDocument, EPUB, PDF, WARC and mail, also compressed. They are never changed."
    );
    StyledStr::from(text)
}

/// A description on one line: up to the colon if it is long.
fn first_clause(about: &str) -> String {
    const WIDTH: usize = 95;
    let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
    if about.len() <= WIDTH {
        return about;
    }
    about
        .split([':', ';'])
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overview_fits_a_terminal() {
        let overview = overview(&commands::command()).to_string();
        for line in overview.lines() {
            assert!(line.chars().count() <= 110, "{line}");
        }
    }
}
