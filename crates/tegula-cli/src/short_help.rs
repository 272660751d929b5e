//! The help of `-h`: all options of a command, one line each, in groups.

use crate::{output, terminal};
use clap::builder::StyledStr;
use clap::{Arg, Command};
use std::fmt::Write;

/// Columns of a description at least.
const LEAST: usize = 30;
const BOLD: &str = "\u{1b}[1m";
const PLAIN: &str = "\u{1b}[0m";

/// The help of a command, as wide as the terminal.
pub(crate) fn of(command: &Command) -> StyledStr {
    StyledStr::from(text(command, output::columns()))
}

fn text(command: &Command, columns: usize) -> String {
    let mut out = String::new();
    let about = command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let _ = writeln!(out, "{about}\n\n{BOLD}Usage:{PLAIN} {usage}");
    let all: Vec<(String, &Arg)> = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set())
        .map(|arg| (name(arg), arg))
        .collect();
    let names = all.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let room = columns.saturating_sub(names + 4).max(LEAST);
    for heading in headings(&all) {
        let _ = writeln!(out, "\n{BOLD}{heading}:{PLAIN}");
        for (name, arg) in all.iter().filter(|(_, arg)| self::heading(arg) == heading) {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(
                out,
                "  {BOLD}{name}{PLAIN}{:pad$}  {}",
                "",
                line(&help, room),
                pad = names - name.len()
            );
        }
    }
    let _ = write!(
        out,
        "\n`tegula {} --help` has more on each option, and examples.\n",
        command.get_name()
    );
    out
}

/// Where an argument belongs.
fn heading(arg: &Arg) -> &str {
    let usual = if arg.is_positional() {
        "Arguments"
    } else {
        "Options"
    };
    arg.get_help_heading().unwrap_or(usual)
}

/// The groups in the order of their first arguments; arguments without a group come last.
fn headings<'a>(all: &[(String, &'a Arg)]) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for (_, arg) in all {
        let heading = heading(arg);
        if !found.contains(&heading) {
            found.push(heading);
        }
    }
    found.sort_by_key(|heading| match *heading {
        "Arguments" => 0,
        "Options" => 2,
        _ => 1,
    });
    found
}

/// An argument as it is typed.
fn name(arg: &Arg) -> String {
    let values = arg.get_value_names().unwrap_or_default();
    if arg.is_positional() {
        let name = values.first().map_or("", |name| name);
        return format!("[{name}]");
    }
    let mut out = match arg.get_short() {
        Some(short) => format!("-{short}, "),
        None => "    ".to_owned(),
    };
    if let Some(long) = arg.get_long() {
        let _ = write!(out, "--{long}");
    }
    if arg.get_action().takes_values() {
        for value in values {
            let _ = write!(out, " <{value}>");
        }
    }
    out
}

/// The first paragraph of a description on one line: whole if it fits, else its first clause, else
/// as many words as fit.
fn line(help: &str, room: usize) -> String {
    let first = help.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = first.split_whitespace().collect();
    let whole = words.join(" ");
    if terminal::columns(&whole) <= room {
        return whole;
    }
    let clause = [" [default", ". ", "; ", ": "]
        .iter()
        .filter_map(|mark| whole.split_once(mark))
        .map(|(clause, _)| clause)
        .filter(|clause| terminal::columns(clause) <= room && clause.len() >= LEAST / 2)
        .filter(|clause| !clause.contains(" ["))
        .max_by_key(|clause| clause.len());
    if let Some(clause) = clause {
        return clause.to_owned();
    }
    let mut out = String::new();
    for word in words {
        if terminal::columns(&out) + terminal::columns(word) + 3 > room {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out + " …"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_of_each_command_has_one_line() {
        let mut all = crate::overview::command();
        all.build();
        for command in all.get_subcommands().filter(|it| it.get_name() != "help") {
            for columns in [80, 110] {
                let shown = StyledStr::from(text(command, columns)).to_string();
                for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                    let Some(long) = arg.get_long() else { continue };
                    let is_it = |line: &&str| {
                        line.split_whitespace()
                            .take(2)
                            .any(|word| word == format!("--{long}"))
                    };
                    let lines: Vec<&str> = shown
                        .lines()
                        .filter(|line| line.starts_with("  "))
                        .filter(is_it)
                        .collect();
                    assert_eq!(lines.len(), 1, "{} {long}: {shown}", command.get_name());
                    assert!(lines[0].chars().count() <= columns.max(90), "{}", lines[0]);
                }
            }
        }
    }

    #[test]
    fn descriptions_are_cut_where_a_clause_ends() {
        let help =
            "Read only files that match: '*.parquet' and others; may be repeated [default: all]";
        assert_eq!(line(help, 100), help);
        assert_eq!(
            line(help, 75),
            "Read only files that match: '*.parquet' and others; may be repeated"
        );
        assert_eq!(
            line(help, 55),
            "Read only files that match: '*.parquet' and others"
        );
        assert_eq!(line("one two three four", 14), "one two …");
    }
}
