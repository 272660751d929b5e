//! The configuration file `tegula.toml`: options by command, and recipes by name.
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
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use tegula::error::{Error, Result};
use tegula::{nearest, printable, recipe};
use tegula_run::advice::AUTO;
use toml::{Table, Value};

/// The name of a configuration file that is found.
const NAME: &str = "tegula.toml";
/// The table with options of all commands that have them.
const ALL: &str = "all";
/// The table with recipes.
const RECIPES: &str = "recipes";

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
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Files of recipes by name.
    pub(crate) recipes: BTreeMap<String, PathBuf>,
    /// Options by command.
    options: Table,
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
        let wrong = |message: String| Error::usage(message).at(&path);
        let text = tegula_run::options::read_handwritten(&path)?;
        let mut options: Table =
            toml::from_str(&text).map_err(|error| wrong(printable::joined(&error.to_string())))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let mut recipes = BTreeMap::new();
        if let Some(table) = options.remove(RECIPES) {
            let table: BTreeMap<String, PathBuf> = table.try_into().map_err(|_| {
                wrong("recipes: expected names and files, as in news = \"news.toml\"".into())
            })?;
            for (name, file) in table {
                if recipe::is_built_in(&name) || name == AUTO {
                    return Err(wrong(format!(
                        "recipes.{name}: expected a name of its own, found that of a built-in recipe"
                    ))
                    .hint("choose another name, so that the built-in recipe can still be used"));
                }
                let file = folder.join(file);
                if is_found && !is_inside(&file, &folder) {
                    return Err(needs_naming(
                        &path,
                        &format!(
                            "recipes.{name}: the file is outside the folder of the configuration"
                        ),
                    ));
                }
                recipes.insert(name, file);
            }
        }
        let commands = || command.get_subcommands().map(Command::get_name);
        for (table, value) in &options {
            let Some(names) = value.as_table() else {
                return Err(wrong(format!(
                    "{table}: expected a table of options, as in [dedup], found a value"
                ))
                .hint("options of all commands are in the table [all]"));
            };
            let holders: Vec<&Command> = match table.as_str() {
                ALL => command.get_subcommands().collect(),
                name => vec![command.find_subcommand(name).ok_or_else(|| {
                    let known = commands().chain([ALL, RECIPES]);
                    wrong(format!(
                        "expected the name of a command, {ALL} or {RECIPES}, found '{name}'{}",
                        nearest::question(name, known)
                    ))
                })?],
            };
            for name in names.keys() {
                if !holders.iter().any(|holder| option(holder, name).is_some()) {
                    let known = holders
                        .iter()
                        .flat_map(|holder| holder.get_arguments())
                        .filter_map(Arg::get_long);
                    return Err(wrong(format!(
                        "{table}.{name}: there is no option --{name}{}",
                        nearest::question(name, known)
                    )));
                }
            }
        }
        Ok(Self {
            path,
            recipes,
            options,
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
        let table = |name: &str| self.options.get(name).and_then(Value::as_table);
        let own = table(command.get_name());
        let shared = table(ALL).into_iter().flatten();
        let shared = shared.filter(|(name, _)| own.is_none_or(|own| !own.contains_key(*name)));
        let mut arguments = Vec::new();
        for (name, value) in own.into_iter().flatten().chain(shared) {
            let Some(arg) = option(command, name) else {
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
                return Err(needs_naming(
                    &self.path,
                    &format!("{name}: this option says what is written or shown"),
                ));
            }
            self.argument(arg, name, value, &mut arguments)?;
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
        self.recipes.contains_key(name).then(|| name.to_owned())
    }

    /// Writes an option as arguments.
    fn argument(
        &self,
        arg: &Arg,
        name: &str,
        value: &Value,
        arguments: &mut Vec<String>,
    ) -> Result<()> {
        let expected = |what: &str| {
            Error::usage(format!(
                "{name}: expected {what}, found {}",
                value.type_str()
            ))
            .at(&self.path)
        };
        if !arg.get_action().takes_values() {
            match value.as_bool() {
                Some(true) => arguments.push(format!("--{name}")),
                Some(false) => {}
                None => return Err(expected("true or false")),
            }
            return Ok(());
        }
        let mut push = |text: &str| {
            let text = self.placed(arg, name, text)?;
            arguments.push(format!("--{name}={text}"));
            Ok(())
        };
        match value {
            Value::Array(values) => {
                if !matches!(arg.get_action(), ArgAction::Append) {
                    return Err(expected("one value"));
                }
                for value in values {
                    push(&plain(value).ok_or_else(|| expected("a list of simple values"))?)?;
                }
            }
            Value::Table(table) if name == "set" => {
                let mut settings = Vec::new();
                flatten("", table, &mut settings);
                for setting in settings {
                    push(&setting)?;
                }
            }
            _ => push(&plain(value).ok_or_else(|| expected("a value"))?)?,
        }
        Ok(())
    }

    /// A value; the path in it, if it has one, is relative to the folder of the file.
    fn placed(&self, arg: &Arg, name: &str, text: &str) -> Result<String> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let (before, path) = match arg.get_id().as_str() {
            "recipe" if Path::new(text).extension().is_none_or(|end| end != "toml") => {
                return Ok(text.to_owned());
            }
            "recipe" => ("", text),
            "list" => match text.split_at(text.find('=').map_or(text.len(), |at| at + 1)) {
                (_, "") => return Ok(text.to_owned()),
                parts => parts,
            },
            _ if matches!(
                arg.get_value_hint(),
                ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath
            ) =>
            {
                ("", text)
            }
            _ => return Ok(text.to_owned()),
        };
        if path == "-" {
            return Ok(text.to_owned());
        }
        let placed = folder.join(path);
        if self.is_found && !is_inside(&placed, folder) {
            return Err(needs_naming(
                &self.path,
                &format!("{name}: the path is outside the folder of the configuration"),
            ));
        }
        Ok(format!("{before}{}", placed.display()))
    }

    /// Reports what the command takes from this file, in one line.
    pub(crate) fn tell(&self) {
        let shown = self.shown();
        if !shown.is_empty() && !self.quiet {
            output::note(&format!("from {}: {shown}", self.path.display()));
        }
    }

    /// The options that the command takes from this file, as they are typed.
    fn shown(&self) -> String {
        let recipe = self.recipe.as_ref().and_then(|name| {
            let file = self.recipes.get(name)?;
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
            self.path.display()
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

/// The error of a file that was found, and does what only one may do that the user names.
fn needs_naming(path: &Path, what: &str) -> Error {
    Error::usage(format!(
        "{what}, which a configuration file must not do unless you name it"
    ))
    .at(path)
    .hint(format!(
        "--config {} uses all of it, --no-config none of it",
        shell::typed(&path.display().to_string())
    ))
}

/// Whether a path leads into a folder, links resolved; of a path that does not exist, as far as it
/// does.
fn is_inside(path: &Path, folder: &Path) -> bool {
    let here = || std::env::current_dir().unwrap_or_default();
    let whole = |path: &Path| {
        let path = here().join(path);
        path.ancestors().find_map(|above| {
            let rest = path.strip_prefix(above).ok()?;
            let is_below = rest
                .components()
                .all(|part| matches!(part, Component::Normal(_)));
            let above = above.canonicalize().ok()?;
            is_below.then(|| above.join(rest))
        })
    };
    match (whole(path), whole(folder)) {
        (Some(path), Some(folder)) => path.starts_with(folder),
        _ => false,
    }
}

/// The option of a command by name, except help and those that choose the file.
fn option<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|arg| {
        arg.get_long() == Some(name) && !["help", "config", "no-config"].contains(&name)
    })
}

/// A simple value as text.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(_) | Value::Table(_) => None,
        other => Some(other.to_string()),
    }
}

/// Fields of a recipe as settings.
fn flatten(prefix: &str, table: &Table, settings: &mut Vec<String>) {
    for (name, value) in table {
        match value {
            Value::Table(inner) => flatten(&format!("{prefix}{name}."), inner, settings),
            other => {
                let text = plain(other).unwrap_or_else(|| other.to_string());
                settings.push(format!("{prefix}{name}={text}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tegula::declare::Options as _;
    use tegula_io::options::ReadOptions;
    use tegula_run::options::{KeepOptions, PairOptions, RecipeOptions};

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
            let arg = option(dedup, &declared.name.replace('_', "-")).unwrap();
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
            assert!(!is_harmless(option(dedup, name).unwrap()), "{name}");
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
