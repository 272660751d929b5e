//! The configuration file `tegula.toml`: which one, and what of it becomes arguments.
//!
//! Its options become arguments, placed before those of the command line, so that both are read and
//! checked in the same way. Options that the command line also sets, or that conflict with it, are
//! ignored.
//!
//! A file that was merely found may have come with somebody else's data. It may say how texts are
//! read and compared ([`is_harmless`]), and name files in its own folder; only a file that the user
//! names may say what is written and shown.

use crate::{output, shell};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use tegula::declare::Kind;
use tegula::error::Result;
use tegula_run::config::{self, Known, needs_naming};

/// The name of a configuration file that is found.
const NAME: &str = "tegula.toml";

/// Options under these headings say how texts are read and compared.
const READING_AND_COMPARING: [&str; 16] = [
    "Input",
    "CSV and TSV files",
    "Vertical and TEI files",
    "Vertical files",
    "TEI files",
    "Web pages and archives",
    "Mail",
    "Recipe",
    "Which copy is kept",
    "Which pairs count",
    "Which phrases are listed",
    "Which texts",
    "What counts as a template",
    "Passages",
    "Stories",
    "Sweep",
];
/// Options under other headings that change neither what is written nor whether it is shown.
const ALSO_HARMLESS: [&str; 6] = [
    "by",
    "check-recall",
    "memory",
    "progress",
    "threads",
    "verbose",
];
/// Options under the first headings that write.
const WRITING: [&str; 1] = ["quarantine"];

/// A configuration file.
#[derive(Debug)]
pub(crate) struct Config {
    /// The file.
    pub(crate) file: config::Config,
    /// The options that the current command takes from it, as arguments.
    pub(crate) applied: Vec<String>,
    /// The recipe that the current command takes from it, by name.
    recipe: Option<String>,
    /// Whether it was found, and not named by the user.
    is_found: bool,
    /// Whether the command line asks for warnings only.
    quiet: bool,
}

/// The configuration for these arguments, and the resulting arguments; `found` also accepts a file
/// that the command line does not name.
///
/// # Errors
/// If the file cannot be read or names what does not exist.
pub(crate) fn apply(
    command: &Command,
    args: &[OsString],
    found: bool,
) -> Result<(Vec<OsString>, Option<Config>)> {
    // Errors in the arguments are reported once all of them are there.
    let Ok(matches) = command
        .clone()
        .ignore_errors(true)
        .try_get_matches_from(args)
    else {
        return Ok((args.to_vec(), None));
    };
    let Some((name, given)) = matches.subcommand() else {
        return Ok((args.to_vec(), None));
    };
    let named = given.get_one::<PathBuf>("config");
    let path = match named {
        Some(path) => path.clone(),
        None if !found || given.get_one::<bool>("no_config") == Some(&true) => {
            return Ok((args.to_vec(), None));
        }
        None => match find() {
            Some(path) => path,
            None => return Ok((args.to_vec(), None)),
        },
    };
    let mut config = Config::read(path, named.is_none(), command)?;
    let Some(place) = args.iter().position(|arg| arg == OsStr::new(name)) else {
        return Ok((args.to_vec(), None));
    };
    if let Some(command) = command.find_subcommand(name) {
        config.applied = config.arguments(command, given)?;
        config.recipe = config.recipe_of(given);
        config.quiet = matches!(given.try_get_one::<bool>("quiet"), Ok(Some(true)));
    }
    let mut all = args.to_vec();
    all.splice(place + 1..=place, config.applied.iter().map(OsString::from));
    Ok((all, Some(config)))
}

/// The nearest configuration file, in this folder or one above it.
fn find() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let found = here
        .ancestors()
        .map(|folder| folder.join(NAME))
        .find(|path| path.is_file())?;
    if is_foreign(&found) {
        output::warn(&format!(
            "{} belongs to another user and is not used; name it with --config to use it",
            found.display()
        ));
        return None;
    }
    Some(match found.parent() {
        Some(folder) if folder == here => NAME.into(),
        _ => found,
    })
}

/// Whether a file belongs to neither this user nor the administrator: in a folder that others can
/// write to, such a file could redirect outputs anywhere.
#[cfg(unix)]
fn is_foreign(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid().as_raw();
    std::fs::metadata(path).is_ok_and(|file| file.uid() != own && file.uid() != 0)
}

#[cfg(not(unix))]
fn is_foreign(_: &Path) -> bool {
    false
}

impl Config {
    /// Reads a configuration file and checks all names in it.
    fn read(path: PathBuf, is_found: bool, command: &Command) -> Result<Self> {
        let commands = command.get_subcommands().map(|command| {
            let options = command.get_arguments().filter_map(known);
            (command.get_name().to_owned(), options.collect())
        });
        let commands: Vec<(String, Vec<Known>)> = commands.collect();
        let file = config::Config::read(path, is_found, &commands)?;
        Ok(Self {
            file,
            applied: Vec::new(),
            recipe: None,
            is_found,
            quiet: false,
        })
    }

    /// The arguments that a command takes from this file; `given` are those of the command line.
    fn arguments(&self, command: &Command, given: &ArgMatches) -> Result<Vec<String>> {
        let is_given =
            |arg: &Arg| given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
        let all: Vec<&Arg> = command
            .get_arguments()
            .filter(|arg| is_given(arg))
            .collect();
        let mut arguments = Vec::new();
        for (name, value) in self.file.of(command.get_name()) {
            let arg = command
                .get_arguments()
                .find(|arg| arg.get_long() == Some(name));
            let Some((arg, known)) = arg.and_then(|arg| Some((arg, known(arg)?))) else {
                continue;
            };
            let conflicts = |given: &&Arg| {
                let of = |one: &Arg, other: &Arg| {
                    command
                        .get_arg_conflicts_with(one)
                        .iter()
                        .any(|conflict| conflict.get_id() == other.get_id())
                };
                of(arg, given) || of(given, arg)
            };
            if is_given(arg) || all.iter().any(conflicts) {
                continue;
            }
            if self.is_found && !is_harmless(arg) {
                let what = "this option says what is written or shown";
                return Err(needs_naming(&self.file.path, name, what));
            }
            for text in self.file.texts(&known, value)? {
                arguments.push(match known.kind {
                    Kind::Switch => format!("--{name}"),
                    _ => format!("--{name}={text}"),
                });
            }
        }
        Ok(arguments)
    }

    /// The recipe of this file that a command uses, after its other options are applied.
    fn recipe_of(&self, given: &ArgMatches) -> Option<String> {
        let own = self
            .applied
            .iter()
            .find_map(|argument| argument.strip_prefix("--recipe="));
        let named = given.try_get_one::<OsString>("recipe").ok().flatten();
        let name = named.map_or(own, |name| name.to_str())?;
        self.file
            .recipes
            .contains_key(name)
            .then(|| name.to_owned())
    }

    /// Reports what the command takes from this file, in one line.
    pub(crate) fn tell(&self) {
        let shown = self.shown();
        if !shown.is_empty() && !self.quiet {
            output::note(&format!("from {}: {shown}", self.file.path.display()));
        }
    }

    /// The options that the command takes from this file, as they are typed.
    fn shown(&self) -> String {
        let recipe = self.recipe.as_ref().and_then(|name| {
            let file = self.file.recipes.get(name)?;
            Some(format!("recipe {name} = {}", file.display()))
        });
        let typed = self.applied.iter().map(|argument| shell::typed(argument));
        let typed: Vec<String> = typed.chain(recipe).collect();
        typed.join(" ")
    }

    /// Advice for an error caused by the options from this file.
    pub(crate) fn advice(&self) -> String {
        format!("it sets {}; --no-config ignores it", self.shown())
    }

    /// Advice for an error that names one of the options from this file.
    pub(crate) fn advice_on(&self, line: &str) -> Option<String> {
        let name = |argument: &String| argument.split('=').next().unwrap_or_default().to_owned();
        let named = self.applied.iter().map(name).find(|option| {
            line.split(|c: char| !(c.is_alphanumeric() || c == '-'))
                .any(|word| word == option)
        })?;
        Some(format!(
            "{named} is set in {}; --no-config ignores that file",
            self.file.path.display()
        ))
    }
}

/// Whether a file that was merely found may set an option: one that says how texts are read and
/// compared, or how much of the machine is used, but not what is written or shown.
fn is_harmless(arg: &Arg) -> bool {
    let name = arg.get_long().unwrap_or_default();
    let heading = arg.get_help_heading().unwrap_or_default();
    ALSO_HARMLESS.contains(&name)
        || READING_AND_COMPARING.contains(&heading) && !WRITING.contains(&name)
}

/// What an argument is as an option of a configuration; none for those that choose the file.
fn known(arg: &Arg) -> Option<Known> {
    let name = arg.get_long()?;
    if ["help", "config", "no-config"].contains(&name) {
        return None;
    }
    let kind = match arg.get_action() {
        ArgAction::Append => Kind::Many,
        action if action.takes_values() => Kind::One,
        _ => Kind::Switch,
    };
    let paths = [ValueHint::AnyPath, ValueHint::FilePath, ValueHint::DirPath];
    Some(Known {
        name: name.to_owned(),
        kind,
        is_path: paths.contains(&arg.get_value_hint()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tegula::declare::Options as _;
    use tegula_io::options::ReadOptions;
    use tegula_run::options::{KeepOptions, PairOptions, RecipeOptions};

    fn option<'a>(command: &'a Command, name: &str) -> &'a Arg {
        let mut all = command.get_arguments();
        all.find(|arg| arg.get_long() == Some(name)).unwrap()
    }

    #[test]
    fn options_of_reading_and_comparing_are_harmless() {
        let mut all = crate::overview::command();
        all.build();
        let dedup = all.find_subcommand("dedup").unwrap();
        let declared = [
            ReadOptions::declared(),
            RecipeOptions::declared(),
            PairOptions::declared(),
            KeepOptions::declared(),
        ];
        for declared in declared.iter().flatten() {
            let arg = option(dedup, &declared.name.replace('_', "-"));
            assert!(is_harmless(arg), "{}", declared.name);
        }
        for name in [
            "output",
            "run",
            "quarantine",
            "scratch",
            "quiet",
            "overwrite",
        ] {
            assert!(!is_harmless(option(dedup, name)), "{name}");
        }
        let headings: Vec<&str> = (all.get_subcommands())
            .flat_map(Command::get_arguments)
            .filter_map(Arg::get_help_heading)
            .collect();
        for heading in READING_AND_COMPARING {
            assert!(headings.contains(&heading), "{heading}");
        }
    }
}
