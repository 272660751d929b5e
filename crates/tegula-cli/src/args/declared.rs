//! Options that a library declares, as arguments.

use clap::builder::{
    OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser,
};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueHint};
use std::ffi::{OsStr, OsString};
use std::ops::Deref;
use tegula::declare::{self, Holds, Kind, Options};
use tegula::error::Error;
use tegula::option;

/// Options as arguments: `--min-tokens N` for `min_tokens`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Declared<T>(pub(crate) T);

/// The options that also have a letter.
const SHORT: [(&str, char); 1] = [("output", 'o')];

/// The name of an option, as it is typed.
fn typed(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}

/// An option with its value, as it is typed.
fn as_typed(name: &str, value: Option<&str>) -> String {
    value.map_or_else(|| typed(name), |value| format!("{} {value}", typed(name)))
}

impl<T> Deref for Declared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Options> Args for Declared<T> {
    fn augment_args(command: Command) -> Command {
        command.args(T::declared().iter().map(argument::<T>))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: Options> FromArgMatches for Declared<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut options = Self(T::default());
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for option in T::declared() {
            let values: Vec<&OsStr> = if option.kind == Kind::Switch {
                let is_set = matches.get_flag(option.name);
                is_set.then_some(OsStr::new("true")).into_iter().collect()
            } else {
                let values = matches.get_many::<OsString>(option.name);
                values
                    .into_iter()
                    .flatten()
                    .map(OsString::as_os_str)
                    .collect()
            };
            for value in values {
                if let Some(Err(error)) = self.0.set(option.name, value) {
                    let kind = clap::error::ErrorKind::ValueValidation;
                    return Err(clap::Error::raw(kind, unnamed(error)));
                }
            }
        }
        Ok(())
    }
}

fn argument<T: Options>(option: &declare::Declared) -> Arg {
    let spelt: Vec<String> = (option.paragraphs().iter())
        .map(|paragraph| option::spell(paragraph, &as_typed).into_owned())
        .collect();
    let mut argument = Arg::new(option.name).help(spelt[0].clone());
    if !option.heading.is_empty() {
        argument = argument.long(option.name.replace('_', "-"));
        // The heading of those without another is the parser's own.
        if option.heading != "Options" {
            argument = argument.help_heading(option.heading);
        }
        argument = match SHORT.iter().find(|(name, _)| *name == option.name) {
            Some((_, letter)) => argument.short(*letter),
            None => argument,
        };
    }
    if spelt.len() > 1 {
        argument = argument.long_help(spelt.join("\n\n"));
    }
    argument = match option.kind {
        Kind::Switch => return argument.action(ArgAction::SetTrue),
        Kind::One => argument.action(ArgAction::Set),
        Kind::Needed => argument.action(ArgAction::Set).required(true),
        Kind::Many if option.heading.is_empty() => argument.action(ArgAction::Append).num_args(1..),
        Kind::Many => argument.action(ArgAction::Append),
    };
    if matches!(option.holds, Holds::Whole | Holds::Any) {
        argument = argument.allow_negative_numbers(true);
    }
    if option.holds == Holds::Path {
        argument = argument.value_hint(ValueHint::AnyPath);
    }
    argument
        .value_name(option.value)
        .value_parser(parser::<T>(option))
}

/// Choices as values of an argument.
fn possible<'a>(choices: impl IntoIterator<Item = &'a declare::Choice>) -> PossibleValuesParser {
    let value = |choice: &declare::Choice| PossibleValue::new(choice.name).help(choice.help);
    PossibleValuesParser::new(choices.into_iter().map(value))
}

/// Refuses invalid values where they are given.
fn parser<T: Options>(option: &declare::Declared) -> ValueParser {
    if option.holds == Holds::Choice {
        return possible(option.choices).map(OsString::from).into();
    }
    let name = option.name;
    let checked = move |value: OsString| match T::default().set(name, &value) {
        Some(Err(error)) => Err(unnamed(error)),
        _ => Ok(value),
    };
    OsStringValueParser::new().try_map(checked).into()
}

/// What is wrong with a value, beside the name of its argument.
fn unnamed(error: Error) -> String {
    error.about(|_| String::new()).message()
}
