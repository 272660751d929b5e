//! Configuration files: options by command, and recipes by name.
//!
//! ```toml
//! [all]                       # options of all commands that have them
//! threads = 4
//! [dedup]
//! recipe = "news"
//! [recipes]
//! news = "news.toml"
//! ```

use crate::advice::AUTO;
use crate::commands::{self, Entry};
use crate::options::{Named, ShownOptions, is_harmless, read_handwritten};
use std::path::{Component, Path, PathBuf};
use tegula::declare::{Declared, Holds, Kind};
use tegula::error::{Error, ErrorKind, Result};
use tegula::{nearest, printable, recipe};
use tegula_io::store;
use toml::{Table, Value};

/// The table with options of all commands that have them.
const ALL: &str = "all";
/// The table with recipes.
const RECIPES: &str = "recipes";

/// A configuration file.
#[derive(Debug)]
pub struct Config {
    /// Where it is.
    pub path: PathBuf,
    /// Files of recipes by name.
    pub recipes: Named,
    options: Table,
    is_found: bool,
}

impl Config {
    /// Reads a file, and checks all names in it. One that was merely found may set only what says
    /// how texts are read and compared, and name only files in its own folder.
    ///
    /// # Errors
    /// If the file cannot be read, or names what does not exist.
    pub fn read(path: PathBuf, is_found: bool) -> Result<Self> {
        let about = |subject: String| Error::of(subject).at(&path);
        let text = read_handwritten(&path)?;
        let mut options: Table = toml::from_str(&text).map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.unwrap_or_default().matches('\n').count() + 1;
            let what = printable::joined(error.message());
            Error::usage(format!("line {line} is not TOML: {what}")).at(&path)
        })?;
        let mut recipes = Named::new();
        if let Some(table) = options.remove(RECIPES) {
            let table: Named = table.try_into().map_err(|_| {
                about(RECIPES.to_owned()).expected("names and files, as in news = \"news.toml\"")
            })?;
            let folder = path.parent().unwrap_or(Path::new(""));
            for (name, file) in table {
                if recipe::is_built_in(&name) || name == AUTO {
                    return Err(about(format!("recipes.{name}"))
                        .expected("a name of its own")
                        .found("that of a built-in recipe")
                        .hint(
                            "choose another name, so that the built-in recipe can still be used",
                        ));
                }
                let file = folder.join(file);
                if is_found && !is_inside(&file, folder) {
                    return Err(needs_naming(
                        &path,
                        &format!("recipes.{name}"),
                        "the file is outside the folder of the configuration",
                    ));
                }
                recipes.insert(name, file);
            }
        }
        for (table, value) in &options {
            let Some(names) = value.as_table() else {
                return Err(about(table.clone())
                    .expected("a table of options, as in [dedup]")
                    .found("a value")
                    .hint("options of all commands are in the table [all]"));
            };
            let holders: Vec<&Entry> = commands::all()
                .filter(|entry| table == ALL || entry.name == table)
                .collect();
            if holders.is_empty() {
                let known = commands::all().map(|entry| entry.name);
                let question = nearest::question(table, known.chain([ALL, RECIPES]));
                return Err(ErrorKind::Usage
                    .expected(format!("the name of a command, {ALL} or {RECIPES}"))
                    .found(format!("'{table}'{question}"))
                    .at(&path));
            }
            let known: Vec<String> = holders
                .iter()
                .flat_map(|entry| settable(entry))
                .map(|option| key(&option))
                .collect();
            for name in names.keys() {
                if !known.contains(name) {
                    let known = known.iter().map(String::as_str);
                    return Err(about(format!("{table}.{name}")).problem(format!(
                        "there is no option ⟨{}⟩{}",
                        name.replace('-', "_"),
                        nearest::question(name, known)
                    )));
                }
            }
        }
        Ok(Self {
            path,
            recipes,
            options,
            is_found,
        })
    }

    /// The options that are set for a command, its own before those of all commands, each with its
    /// values as texts. What is given otherwise is left out, and what cannot stand beside it.
    ///
    /// # Errors
    /// If a value is not what the option has, or the file is one that may not set it.
    pub fn values(
        &self,
        command: &Entry,
        is_given: impl Fn(&str) -> bool,
    ) -> Result<Vec<(Declared, Vec<String>)>> {
        let table = |name: &str| self.options.get(name).and_then(Value::as_table);
        let (own, shared) = (table(command.name), table(ALL));
        let is_shared = |name: &String| own.is_none_or(|own| !own.contains_key(name));
        let shared = shared.into_iter().flatten();
        let set = own
            .into_iter()
            .flatten()
            .chain(shared.filter(|(name, _)| is_shared(name)));
        let known = settable(command);
        let is_ruled_out = |name: &str| {
            let mut ruling = command.rules_out.iter().chain(&ShownOptions::RULES_OUT);
            ruling.any(|(one, others)| {
                let is_other = others.contains(&name) && is_given(one);
                is_other || *one == name && others.iter().any(|other| is_given(other))
            })
        };
        let mut values = Vec::new();
        for (name, value) in set {
            let option = known.iter().find(|option| key(option) == *name);
            let Some(option) =
                option.filter(|option| !is_given(option.name) && !is_ruled_out(option.name))
            else {
                continue;
            };
            if self.is_found && !is_harmless(option) {
                let what = "this option says what is written or shown";
                return Err(needs_naming(&self.path, name, what));
            }
            values.push((*option, self.texts(option, value)?));
        }
        Ok(values)
    }

    /// The values of an option as texts; paths are relative to the folder of the file. A switch that
    /// is on has the value `true`, one that is off has none.
    ///
    /// # Errors
    /// If a value is not what the option has.
    fn texts(&self, option: &Declared, value: &Value) -> Result<Vec<String>> {
        let name = &key(option);
        let expected = |what: &str| {
            Error::of(name)
                .expected(what)
                .found(value.type_str())
                .at(&self.path)
        };
        let texts = match value {
            _ if option.kind == Kind::Switch => match value.as_bool() {
                Some(is_on) => is_on.then(|| "true".to_owned()).into_iter().collect(),
                None => return Err(expected("true or false")),
            },
            Value::Array(_) if option.kind != Kind::Many => return Err(expected("one value")),
            Value::Array(values) => values
                .iter()
                .map(|value| plain(value).ok_or_else(|| expected("a list of simple values")))
                .collect::<Result<Vec<_>>>()?,
            Value::Table(table) if name == "set" => {
                let mut settings = Vec::new();
                flatten("", table, &mut settings);
                settings
            }
            _ => vec![plain(value).ok_or_else(|| expected("a value"))?],
        };
        let placed = texts.iter().map(|text| self.placed(option, text));
        placed.collect()
    }

    /// A value; the path in it, if it has one, is relative to the folder of the file.
    fn placed(&self, option: &Declared, text: &str) -> Result<String> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let (before, path) = match option.name {
            "recipe" if Path::new(text).extension().is_none_or(|end| end != "toml") => {
                return Ok(text.to_owned());
            }
            "recipe" => ("", text),
            "list" => match text.split_at(text.find('=').map_or(text.len(), |at| at + 1)) {
                (_, "") => return Ok(text.to_owned()),
                parts => parts,
            },
            _ if option.holds == Holds::Path => ("", text),
            _ => return Ok(text.to_owned()),
        };
        if path == "-" {
            return Ok(text.to_owned());
        }
        let is_address = store::is_address(Path::new(path));
        let placed = if is_address {
            PathBuf::from(path)
        } else {
            folder.join(path)
        };
        if self.is_found && (is_address || !is_inside(&placed, folder)) {
            return Err(needs_naming(
                &self.path,
                &key(option),
                "the path is outside the folder of the configuration",
            ));
        }
        Ok(format!("{before}{}", placed.display()))
    }
}

/// The error of a file that was found, and does what only one may do that the user names.
fn needs_naming(path: &Path, subject: &str, what: &str) -> Error {
    Error::of(subject)
        .problem(format!(
            "{what}, which a configuration file must not do unless you name it"
        ))
        .at(path)
        .hint("⟨config⟩ FILE uses all of it, ⟨no_config⟩ none of it")
}

/// The options of a command that a file may set: all that have a name.
fn settable(command: &Entry) -> Vec<Declared> {
    let mut all = command.all_options();
    all.retain(|option| !option.heading.is_empty());
    all
}

/// The name of an option in a file: `min-tokens` for `min_tokens`.
fn key(option: &Declared) -> String {
    option.name.replace('_', "-")
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
