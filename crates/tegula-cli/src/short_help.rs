//! The help of `-h`: the options of a command that most people use, in a sentence each, in groups; and
//! of `tegula help COMMAND TOPIC`, all of a topic.

use crate::{output, terminal};
use clap::builder::StyledStr;
use clap::{Arg, Command};
use std::fmt::Write;
use tegula_run::options::Heading;

/// Columns of a description at least.
const LEAST: usize = 30;
const BOLD: &str = "\u{1b}[1m";
const PLAIN: &str = "\u{1b}[0m";

/// Lines of the help of a command at most, were the screen wide enough for each option to have one; of a
/// command with more, options that are rarely used are left to the topics.
const MOST: usize = 60;
/// Columns in which each description is one line.
const WIDE: usize = 1000;

/// Options that are rarely used.
const RARE: [&str; 31] = [
    "across",
    "check-recall",
    "class-weights",
    "date-format",
    "digest",
    "encoding",
    "estimate",
    "evidence",
    "exclude",
    "field-from-name",
    "fingerprint",
    "fingerprints",
    "include",
    "keep-each",
    "mark-place",
    "mark-prefix",
    "master",
    "min-tokens",
    "modulus",
    "no-config",
    "normalize",
    "overwrite",
    "progress",
    "quarantine",
    "root",
    "scratch",
    "seed",
    "staging",
    "statistics",
    "strict-ids",
    "tokens",
];

/// The help of a command, as wide as the terminal.
pub(crate) fn of(command: &Command) -> StyledStr {
    StyledStr::from(text(command, output::columns()))
}

/// The topic of an argument, if its heading has one.
fn topic_of(arg: &Arg) -> &'static str {
    Heading::named(heading(arg)).map_or("", |heading| heading.topic)
}

/// All options of a topic in full; none if there is no such topic, or the command has none of it.
pub(crate) fn topic(command: &Command, topic: &str) -> Option<StyledStr> {
    if !topics(command).contains(&topic) {
        return None;
    }
    let is_of = |arg: &Arg| topic_of(arg) == topic;
    let others: Vec<_> = (command.get_arguments())
        .filter(|arg| !is_of(arg))
        .map(|arg| arg.get_id().clone())
        .collect();
    let hidden = others.into_iter().fold(command.clone(), |command, id| {
        command.mut_arg(id, |arg| arg.hide(true))
    });
    let name = command.get_name();
    let shown = hidden
        .override_usage(usage(command))
        .after_help(format!(
            "`tegula {name} --help` has all options, and examples."
        ))
        .render_long_help();
    Some(shown)
}

/// The topics of which a command has options.
pub(crate) fn topics(command: &Command) -> Vec<&'static str> {
    let mut all = Heading::topics();
    all.retain(|topic| command.get_arguments().any(|arg| topic_of(arg) == *topic));
    all
}

fn text(command: &Command, columns: usize) -> String {
    let lines = listed(command, WIDE, &|_| true).lines().count();
    if lines <= MOST {
        return listed(command, columns, &|_| true);
    }
    listed(command, columns, &|arg| {
        let is_rare = arg.get_long().is_some_and(|long| RARE.contains(&long));
        let topic = topic_of(arg);
        let is_left_out = topic == Heading::FORMATS || (is_rare && !topic.is_empty());
        !is_left_out
    })
}

fn listed(command: &Command, columns: usize, shows: &dyn Fn(&Arg) -> bool) -> String {
    let mut out = String::new();
    let about = command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    let _ = writeln!(out, "{about}\n\n{BOLD}Usage:{PLAIN} {}", usage(command));
    let all: Vec<(String, &Arg)> = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && shows(arg))
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
                terminal::hanging(&described(&help, room), names + 4 + room, names + 4),
                pad = names - name.len()
            );
        }
    }
    let (name, are_all) = (command.get_name(), command.get_arguments().all(shows));
    let more = if are_all {
        format!("`tegula {name} --help` has more on each option, and examples.")
    } else {
        format!(
            "More: tegula help {name} {}; `tegula {name} --help` has everything, and examples.",
            topics(command).join("|")
        )
    };
    let _ = writeln!(out, "\n{}", terminal::hanging(&more, columns, 0));
    out
}

/// How a command is typed.
fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    usage.trim_start_matches("Usage: ").to_owned()
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
        return if arg.is_required_set() {
            format!("<{name}>")
        } else {
            format!("[{name}]")
        };
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

/// The first paragraph of a description if it fits on one line; otherwise as many of its sentences,
/// or clauses after semicolons, as do, or the whole first sentence on several lines. A value that is
/// only the default is the first to go.
fn described(help: &str, room: usize) -> String {
    let first = help.split("\n\n").next().unwrap_or_default();
    let whole = first.split_whitespace().collect::<Vec<_>>().join(" ");
    if terminal::columns(&whole) <= room {
        return whole;
    }
    let ends = [" [default", ". ", "; "]
        .into_iter()
        .flat_map(|mark| whole.match_indices(mark));
    let ended = ends
        .map(|(at, _)| &whole[..at])
        .filter(|part| terminal::columns(part) <= room && !part.contains(" ["))
        .max_by_key(|part| part.len());
    let sentence = whole.split(". ").next().unwrap_or_default();
    let sentence = sentence.split(" [default").next().unwrap_or_default();
    ended.unwrap_or(sentence).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands with options of their own.
    fn commands() -> Vec<Command> {
        let mut all = crate::commands::command();
        all.build();
        let named = all.get_subcommands().filter(|it| it.get_name() != "help");
        named.cloned().collect()
    }

    #[test]
    fn each_option_of_each_command_is_listed_once() {
        for command in commands() {
            for columns in [80, 110] {
                let shown = StyledStr::from(listed(&command, columns, &|_| true)).to_string();
                for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                    let Some(long) = arg.get_long() else { continue };
                    let is_it = |line: &&str| {
                        line.split_whitespace()
                            .take(2)
                            .any(|word| word == format!("--{long}"))
                    };
                    let lines: Vec<&str> = shown
                        .lines()
                        .filter(|line| line.starts_with("  ") && !line.starts_with("       "))
                        .filter(is_it)
                        .collect();
                    assert_eq!(lines.len(), 1, "{} {long}: {shown}", command.get_name());
                    assert!(lines[0].chars().count() <= columns.max(90), "{}", lines[0]);
                }
            }
        }
    }

    #[test]
    fn the_help_of_each_command_fits_a_screen_and_topics_have_the_rest() {
        for command in commands() {
            let shown = StyledStr::from(text(&command, WIDE)).to_string();
            let name = command.get_name();
            assert!(shown.lines().count() <= MOST, "{name}: {shown}");
            let topics: Vec<String> = (topics(&command).into_iter())
                .filter_map(|named| topic(&command, named))
                .map(|help| help.to_string())
                .collect();
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let Some(long) = arg.get_long() else { continue };
                let is_in = |help: &String| help.contains(&format!("--{long}"));
                assert!(is_in(&shown) || topics.iter().any(is_in), "{name} {long}");
            }
        }
    }

    #[test]
    fn descriptions_end_where_a_sentence_or_a_clause_does() {
        let help =
            "Read only files that match: '*.parquet' and others; may be repeated [default: all]";
        assert_eq!(described(help, 100), help);
        assert_eq!(
            described(help, 75),
            "Read only files that match: '*.parquet' and others; may be repeated"
        );
        assert_eq!(
            described(help, 55),
            "Read only files that match: '*.parquet' and others"
        );
        // What does not fit is wrapped, not cut.
        assert_eq!(
            described("Add to each record: one, two. Or three", 20),
            "Add to each record: one, two"
        );
        assert_eq!(described("one two three four", 14), "one two three four");
    }

    #[test]
    fn no_description_is_cut_inside_a_sentence() {
        for command in commands() {
            for columns in [80, 110] {
                let shown = StyledStr::from(text(&command, columns)).to_string();
                assert!(!shown.contains('\u{2026}'), "{shown}");
                let is_long = |line: &&str| {
                    line.starts_with("  ") && terminal::columns(line) > columns.max(90)
                };
                assert_eq!(shown.lines().find(is_long), None);
            }
        }
    }
}
