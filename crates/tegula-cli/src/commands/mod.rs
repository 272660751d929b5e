//! The commands as they are typed. What each does is declared by the library; a module here shows what
//! it found.

mod cluster;
mod compare;
mod completions;
mod dedup;
mod diff;
mod evaluate;
mod filter;
mod find;
mod index;
mod judge;
mod onion;
mod pairs;
mod passages;
mod phrases;
mod plan;
mod query;
mod recipes;
mod report;
mod rerun;
#[cfg(feature = "serve")]
mod serve;
pub(crate) mod spark;
mod stats;
mod stories;
mod sweep;
mod templates;
mod tokens;

use crate::{args, form, host, invocation, machine, output, terminal, version};
use clap::{Arg, ArgAction, ArgMatches, ValueHint, value_parser};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use tegula::Result;
use tegula_run::Host;
use tegula_run::command::Command;
use tegula_run::options::ShownOptions;

/// A command as it was asked for.
#[derive(Debug)]
pub(crate) struct Asked<C> {
    /// Its own options.
    pub(crate) spec: C,
    /// Its options of display and resources.
    pub(crate) shown: ShownOptions,
}

impl<C: Command> Asked<C> {
    fn read(matches: &ArgMatches) -> Result<Self> {
        Ok(Self {
            spec: args::read(matches, |_| true)?,
            shown: args::read(matches, |name| C::SHOWN.has(name))?,
        })
    }

    /// This process as its host.
    pub(crate) fn host(&self) -> Result<Host> {
        host::of(&self.shown, C::SHOWN)
    }

    /// Does it.
    pub(crate) fn run(&self) -> Result<C::Answer> {
        self.spec.run(&self.host()?)
    }

    /// Whether only warnings and errors are shown.
    pub(crate) fn is_quiet(&self) -> bool {
        self.shown.progress.quiet
    }

    /// Columns of what is shown.
    pub(crate) fn width(&self) -> usize {
        terminal::width(self.shown.width)
    }

    /// Prints an answer as it was asked for: as JSON, or for people.
    pub(crate) fn print(&self, found: &C::Answer) -> Result<()> {
        if self.shown.json {
            form::json(found)
        } else {
            form::text(found, self.width())
        }
    }
}

/// A command that is shown on a terminal.
pub(crate) trait Show: Command {
    /// Its arguments, beyond what is declared.
    fn adapt(command: clap::Command) -> clap::Command {
        command
    }

    /// Does it, and shows what it found: as JSON if that is asked for, otherwise as text.
    ///
    /// # Errors
    /// Those of the command; an output that cannot be written.
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        asked.print(&asked.run()?)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// A command as it is typed.
struct Typed {
    name: &'static str,
    about: &'static str,
    /// Gives it its arguments.
    define: fn(clap::Command) -> clap::Command,
    run: fn(&ArgMatches) -> Result<ExitCode>,
}

impl Typed {
    const fn of<C: Show>() -> Self {
        Self {
            name: C::NAME,
            about: C::ABOUT,
            define: |command| C::adapt(args::define::<C>(command)),
            run: |matches| C::show(&Asked::read(matches)?),
        }
    }
}

impl Show for tegula_run::commands::explain::ExplainSpec {}
impl Show for tegula_run::commands::study::StudySpec {}

/// All commands; how they are grouped is in the library's table.
const ALL: &[Typed] = &[
    Typed::of::<tegula_run::commands::dedup::DedupSpec>(),
    Typed::of::<tegula_run::commands::dedup::MarkSpec>(),
    Typed::of::<tegula_run::FilterSpec>(),
    Typed::of::<tegula_run::commands::onion::OnionSpec>(),
    Typed::of::<tegula_run::commands::explain::ExplainSpec>(),
    Typed::of::<tegula_run::commands::report::ReportSpec>(),
    Typed::of::<tegula_run::commands::compare::CompareSpec>(),
    Typed::of::<tegula_run::commands::find::FindSpec>(),
    Typed::of::<tegula_run::commands::tokens::TokensSpec>(),
    Typed::of::<tegula_run::commands::index::IndexSpec>(),
    Typed::of::<tegula_run::commands::query::QuerySpec>(),
    #[cfg(feature = "serve")]
    Typed::of::<tegula_run::commands::serve::ServeSpec>(),
    Typed::of::<tegula_run::commands::pairs::PairsSpec>(),
    Typed::of::<tegula_run::commands::cluster::ClusterSpec>(),
    Typed::of::<tegula_run::commands::passages::PassagesSpec>(),
    Typed::of::<tegula_run::commands::phrases::PhrasesSpec>(),
    Typed::of::<tegula_run::commands::templates::TemplatesSpec>(),
    Typed::of::<tegula_run::commands::stories::StoriesSpec>(),
    Typed::of::<tegula_run::commands::evaluate::EvaluateSpec>(),
    Typed::of::<tegula_run::commands::judge::JudgeSpec>(),
    Typed::of::<tegula_run::commands::sweep::SweepSpec>(),
    Typed::of::<tegula_run::commands::diff::DiffSpec>(),
    Typed::of::<tegula_run::commands::study::StudySpec>(),
    Typed::of::<tegula_run::commands::plan::PlanSpec>(),
    Typed::of::<tegula_run::commands::rerun::RerunSpec>(),
    Typed::of::<tegula_run::commands::recipes::RecipesSpec>(),
    Typed::of::<tegula_run::commands::statistics::StatsSpec>(),
    completions::COMPLETIONS,
    completions::MAN,
];

/// The commands that only a command line has, of its last group.
pub(crate) const OF_SHELLS: [&str; 2] = [completions::COMPLETIONS.name, completions::MAN.name];

/// The command line as a whole.
pub(crate) fn command() -> clap::Command {
    defined(|_| true)
}

/// The command line for these arguments. Only commands that they name have arguments of their own, or
/// all if they name none: to define those of all commands takes longer than most commands do.
pub(crate) fn command_for(args: &[OsString]) -> clap::Command {
    let is_named = |typed: &Typed| args.iter().any(|arg| arg == typed.name);
    let names_none = !ALL.iter().any(is_named);
    defined(|typed| names_none || is_named(typed))
}

fn defined(is_whole: impl Fn(&Typed) -> bool) -> clap::Command {
    let config = Arg::new("config")
        .long("config")
        .global(true)
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .value_hint(ValueHint::FilePath)
        .help_heading("Configuration")
        .help("Configuration file: options by command, and recipes by name [default: tegula.toml in this folder or the nearest one above]");
    let no_config = Arg::new("no_config")
        .long("no-config")
        .global(true)
        .action(ArgAction::SetTrue)
        .conflicts_with("config")
        .help_heading("Configuration")
        .help("Do not look for a configuration file");
    clap::Command::new("tegula")
        .about("Finds exact and near duplicates in text collections, and proves each one")
        .version(env!("CARGO_PKG_VERSION"))
        .long_version(version::version())
        .max_term_width(110)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args([config, no_config])
        .subcommands(ALL.iter().map(|typed| {
            let command = clap::Command::new(typed.name).about(args::spelt(typed.about));
            if is_whole(typed) {
                (typed.define)(command)
            } else {
                command
            }
        }))
}

/// Runs the command that these arguments name.
///
/// # Errors
/// The error that ended it early.
pub(crate) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let Some((name, matches)) = matches.subcommand() else {
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(config) = invocation::config() {
        config.tell();
    }
    if spark::is_elsewhere(name, matches) {
        return spark::submit();
    }
    let typed = ALL.iter().find(|typed| typed.name == name);
    let ended = typed.map_or(Ok(ExitCode::SUCCESS), |typed| (typed.run)(matches));
    if let Some(beyond) = machine::took().beyond() {
        output::warn(&beyond);
    }
    ended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_commands_of_the_library_can_be_typed() {
        let typed: Vec<&str> = ALL.iter().map(|typed| typed.name).collect();
        let library = tegula_run::commands::all().map(|entry| entry.name);
        let all: Vec<&str> = library.chain(OF_SHELLS).collect();
        assert_eq!(typed, all);
    }
}
