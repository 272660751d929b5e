//! The one place that prints: data to standard output, everything else to standard error.
//!
//! What is for people ([`tell`], [`show`], warnings, errors) is made printable here, so that no value
//! of data reaches a terminal as it is; what is for programs ([`data`], [`json`]) keeps its values.

use crate::terminal;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use tegula::error::Error;
use tegula::option;
use tegula::printable;
use tegula_report::paint::{paint, printed};

/// Whether standard error may carry colours.
fn colours() -> bool {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    wanted && io::stderr().is_terminal()
}

/// Columns of standard error.
pub(crate) fn columns() -> usize {
    let terminal = terminal_size::terminal_size_of(io::stderr());
    terminal.map_or(110, |(terminal_size::Width(columns), _)| {
        usize::from(columns).clamp(40, 110)
    })
}

/// Columns that prose on standard error is wrapped to; none in a file or a pipe.
fn room() -> Option<usize> {
    io::stderr().is_terminal().then(columns)
}

/// A summary with emphasis, if standard error may carry colours: labels are bold, kept is green and
/// removed is yellow.
pub(crate) fn painted(text: &str) -> String {
    if !colours() {
        return text.to_owned();
    }
    let painted = |line: &str| {
        // Text that continues the previous line has no label.
        if line.starts_with("     ") && !line.trim_start().contains("  ") {
            return line.to_owned();
        }
        let label = line.trim_start().split("  ").next().unwrap_or_default();
        let style = match label {
            "" => return line.to_owned(),
            "kept" | "unmarked" => "1;32",
            "removed" | "marked" => "1;33",
            "in" | "took" | "next" => "2",
            _ => return line.replacen(label, &paint("1", label), 1),
        };
        paint(style, line)
    };
    text.lines().map(|line| painted(line) + "\n").collect()
}

/// Writes a text for people to standard error, on a terminal with lines of prose wrapped; it is not an
/// error if nobody listens there.
pub(crate) fn tell(text: &str) {
    let text = printed(text);
    let text = room().map_or_else(|| text.clone(), |width| terminal::folded(&text, width));
    let mut out = io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Writes a line for people to standard error, whatever is in its values.
pub(crate) fn say(line: &str) {
    tell(&format!("{}\n", printable::line(line)));
}

/// How this command line writes an option of the library: `--id-key`, `--tokens found`. Marks
/// without a matching option are left, as they come from a user's text.
pub(crate) fn spelling(name: &str, value: Option<&str>) -> String {
    let is = |command: &str| {
        std::env::args_os()
            .nth(1)
            .is_some_and(|typed| typed == command)
    };
    let long = name.replace('_', "-");
    let flag = match name {
        "output" => "-o".to_owned(),
        "inputs" => "INPUT".to_owned(),
        // The drop-in for Onion has the short options of the original.
        "doc_tag" if is("onion") => "-d".to_owned(),
        "par_tag" if is("onion") => "-p".to_owned(),
        "against" if is("passages") => "--in".to_owned(),
        _ if is_option(name) => format!("--{long}"),
        _ => return option::mark(name, value),
    };
    value.map_or_else(|| flag.clone(), |value| format!("{flag} {value}"))
}

/// Whether a command has an option of this name; commands after the first that has it are not looked
/// at.
fn is_option(name: &str) -> bool {
    let mut all = tegula_run::commands::all().flat_map(tegula_run::commands::Entry::all_options);
    ["config", "no_config"].contains(&name)
        || all.any(|option| option.name == name && !option.heading.is_empty())
}

/// Writes a labelled line to standard error; on a terminal it is wrapped beside its label.
pub(crate) fn label(name: &str, colour: &str, text: &str) {
    let (mut name, mut text) = (format!("{name}:"), printable::line(text));
    if let Some(width) = room() {
        text = terminal::hanging(&text, width, name.len() + 1).into();
    }
    if colours() {
        name = paint(&format!("1;{colour}"), &name);
    }
    tell(&format!("{name} {text}\n"));
}

/// Warns of something that does not end the run. Marked options are written in the form of this
/// command line, as in notes and hints.
pub(crate) fn warn(text: &str) {
    label("warning", "33", &spelt(text));
}

/// Prints a note that may interest the user.
pub(crate) fn note(text: &str) {
    label("note", "36", &spelt(text));
}

/// Prints advice.
pub(crate) fn hint(text: &str) {
    label("hint", "36", &spelt(text));
}

/// A text on one line, with options in the form of this command line.
fn spelt(text: &str) -> String {
    printable::line(&option::spell(text, &spelling)).into_owned()
}

/// Writes a text for people to standard output; on a terminal, lines of prose are wrapped.
///
/// # Errors
/// As [`data`].
pub(crate) fn show(text: &str) -> tegula::Result<()> {
    let text = printed(text);
    match terminal::room(None) {
        Some(width) => data(terminal::folded(&text, width).as_bytes()),
        None => data(text.as_bytes()),
    }
}

/// Writes JSON to standard output: what a terminal would obey in its strings is escaped.
///
/// # Errors
/// As [`data`].
pub(crate) fn json(text: &str) -> tegula::Result<()> {
    data(printable::json(text).as_bytes())
}

/// Writes data for programs to standard output.
///
/// # Errors
/// When it cannot be written; also a broken pipe, which ends the program without a message.
pub(crate) fn data(bytes: &[u8]) -> tegula::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|error| Error::io("write", Path::new("-"), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_written_as_flags() {
        let line = "⟨id_key⟩, ⟨tokens=found⟩ and ⟨output=-⟩; ⟨set=onion.short=exact⟩";
        assert_eq!(
            option::spell(line, &spelling),
            "--id-key, --tokens found and -o -; --set onion.short=exact"
        );
    }

    #[test]
    fn what_is_no_option_is_the_text_of_a_user() {
        for text in ["⟨no such⟩", "⟨no_such=thing⟩", "⟨", "⟩⟨ id_key ⟩"] {
            assert_eq!(option::spell(text, &spelling), text);
        }
    }
}
