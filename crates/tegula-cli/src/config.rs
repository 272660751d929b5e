//! The configuration file `tegula.toml`: which one, and what of it becomes arguments.
//!
//! Its options become arguments, placed before those of the command line, so that both are read and
//! checked in the same way. Options that the command line also sets, or that cannot stand beside it,
//! are ignored.
//!
//! A file that was merely found may have come with somebody else's data. It may say how texts are
//! read and compared, and name files in its own folder; only a file that the user names may say what
//! is written and shown.

use crate::{output, shell};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use tegula::declare::Kind;
use tegula::error::Result;
use tegula_run::commands::{self, Entry};
use tegula_run::config;

/// The name of a configuration file that is found.
const NAME: &str = "tegula.toml";

/// A configuration file.
#[derive(Debug)]
pub(crate) struct Config {
    /// The file.
    pub(crate) file: config::Config,
    /// The options that the current command takes from it, as arguments.
    pub(crate) applied: Vec<String>,
    /// The recipe that the current command takes from it, by name.
    recipe: Option<String>,
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
    let mut config = Config::read(path, named.is_none())?;
    let Some(place) = args.iter().position(|arg| arg == OsStr::new(name)) else {
        return Ok((args.to_vec(), None));
    };
    if let Some(command) = commands::named(name) {
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
    fn read(path: PathBuf, is_found: bool) -> Result<Self> {
        Ok(Self {
            file: config::Config::read(path, is_found)?,
            applied: Vec::new(),
            recipe: None,
            quiet: false,
        })
    }

    /// The arguments that a command takes from this file; `given` are those of the command line.
    fn arguments(&self, command: &Entry, given: &ArgMatches) -> Result<Vec<String>> {
        let is_given = |name: &str| given.value_source(name) == Some(ValueSource::CommandLine);
        let mut arguments = Vec::new();
        for (option, texts) in self.file.values(command, is_given)? {
            let name = option.name.replace('_', "-");
            arguments.extend(texts.iter().map(|text| match option.kind {
                Kind::Switch => format!("--{name}"),
                _ => format!("--{name}={text}"),
            }));
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
