//! The command line as typed: arguments from what the library declares, and what it declares from
//! arguments.

use clap::builder::{
    OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser,
};
use clap::{Arg, ArgAction, ArgMatches, ValueHint};
use std::ffi::{OsStr, OsString};
use tegula::declare::{self, Holds, Kind, Options};
use tegula::error::{Error, Result};
use tegula::option;
use tegula_run::command::Command;
use tegula_run::options::ShownOptions;

/// The options that also have a letter.
const LETTERS: [(&str, char); 3] = [("output", 'o'), ("quiet", 'q'), ("verbose", 'v')];

/// The name of an option, as it is typed.
fn typed(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}

/// An option with its value, as it is typed.
fn as_typed(name: &str, value: Option<&str>) -> String {
    value.map_or_else(|| typed(name), |value| format!("{} {value}", typed(name)))
}

/// A text of a declaration, with options as they are typed.
pub(crate) fn spelt(text: &str) -> String {
    option::spell(text, &as_typed).into_owned()
}

/// Gives a command the arguments that it declares.
pub(crate) fn define<C: Command>(command: clap::Command) -> clap::Command {
    let shown = ShownOptions::declared().into_iter();
    let shown = shown.filter(|option| C::SHOWN.has(option.name));
    command
        .after_help(flowing(C::EXAMPLES))
        .args(C::declared().iter().map(argument::<C>))
        .args(shown.map(|option| argument::<ShownOptions>(&option)))
}

/// A text with each paragraph on one line, to be wrapped at the width of the terminal; indented lines
/// stay as they are.
fn flowing(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_within = false;
    for line in text.lines() {
        let flows = !line.is_empty() && !line.starts_with(' ') && !line.ends_with(':');
        match (out.is_empty(), flows && is_within) {
            (true, _) => {}
            (false, true) => out.push(' '),
            (false, false) => out.push('\n'),
        }
        out.push_str(line);
        is_within = flows;
    }
    out
}

/// The options that arguments set, of those that are wanted.
///
/// # Errors
/// If a value is invalid beside another.
pub(crate) fn read<T: Options>(
    matches: &ArgMatches,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<T> {
    let mut options = T::default();
    for option in T::declared() {
        let name = option.name;
        if !is_wanted(name) {
            continue;
        }
        let values: Vec<&OsStr> = if option.kind == Kind::Switch {
            let is_set = matches.get_flag(name);
            is_set.then_some(OsStr::new("true")).into_iter().collect()
        } else {
            let values = matches.get_many::<OsString>(name).into_iter().flatten();
            values.map(OsString::as_os_str).collect()
        };
        for value in values {
            if let Some(set) = options.set(name, value) {
                set.map_err(|error| error.about(|_| format!("⟨{name}⟩")))?;
            }
        }
    }
    Ok(options)
}

fn argument<T: Options>(option: &declare::Declared) -> Arg {
    let spelt: Vec<String> = (option.paragraphs().iter())
        .map(|paragraph| spelt(paragraph))
        .collect();
    let mut argument = Arg::new(option.name).help(spelt[0].clone());
    if !option.heading.is_empty() {
        argument = argument.long(option.name.replace('_', "-"));
        // The heading of those without another is the parser's own.
        if option.heading != "Options" {
            argument = argument.help_heading(option.heading);
        }
        if let Some((_, letter)) = LETTERS.iter().find(|(name, _)| *name == option.name) {
            argument = argument.short(*letter);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_flow_and_examples_stay() {
        assert_eq!(
            flowing("Examples:\n  tegula a\n  tegula b\n\none\ntwo\n\nthree:\nfour"),
            "Examples:\n  tegula a\n  tegula b\n\none two\n\nthree:\nfour"
        );
    }
}
