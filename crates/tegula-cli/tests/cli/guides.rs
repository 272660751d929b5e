//! The guides: each command runs, and prints what the guide shows.
//!
//! In a block ```` ```console ````, a line that begins with `$ ` is a command. The lines below it
//! are its output, standard output and standard error together; a line `…` stands for any lines,
//! and `…` within a line for anything. Blank lines do not count. After a command that ends with
//! another exit code than 0 stands `# exit code N`.

use crate::rig::testdata;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The fewest commands of a guide.
const COMMANDS: usize = 5;

/// What a guide may run.
const PROGRAMS: [&str; 4] = ["tegula", "sh", "head", "sort"];

/// A command of a guide, and what it should come to.
struct Step {
    line: usize,
    command: String,
    code: i32,
    output: Vec<String>,
}

#[test]
fn linguist() {
    follow("linguist.md");
}

#[test]
fn data_engineer() {
    follow("data-engineer.md");
}

#[test]
fn moderator() {
    follow("moderator.md");
}

#[test]
fn editor() {
    follow("editor.md");
}

#[test]
fn keep_an_index() {
    follow("keep-an-index.md");
}

#[test]
fn every_guide_is_followed() {
    let mut names: Vec<String> = fs::read_dir(guides())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "data-engineer.md",
            "editor.md",
            "keep-an-index.md",
            "linguist.md",
            "moderator.md"
        ]
    );
}

#[test]
fn output_is_compared_line_by_line() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let real = lines("one\ntwo 2.5 s\nthree\nfour");
    for shown in [
        "one\ntwo … s\nthree\nfour",
        "…\nthree\n…",
        "one\n…\nfour",
        "…",
        "one\ntwo 2.5 s\n…\nthree\nfour",
    ] {
        assert!(matches(&lines(shown), &real), "{shown}");
    }
    for shown in [
        "one",
        "one\nthree\n…",
        "…\nfour\nthree\n…",
        "…\ntwo … min\n…",
        "…\nwo … s\n…",
        "",
    ] {
        assert!(!matches(&lines(shown), &real), "{shown}");
    }
}

/// Runs the commands of a guide one after the other, in a new folder.
fn follow(name: &str) {
    let steps = steps(&fs::read_to_string(guides().join(name)).unwrap());
    assert!(
        steps.len() >= COMMANDS,
        "{name} has {} commands",
        steps.len()
    );
    let folder = tempfile::tempdir().unwrap();
    copy(&testdata().join("guides"), folder.path());
    for step in &steps {
        let place = format!("{name}, line {}: {}", step.line, step.command);
        assert_programs(&step.command, &place);
        let (code, real) = run(&step.command, folder.path());
        let said = real.join("\n");
        assert_eq!(code, step.code, "{place}\n{said}");
        assert!(
            matches(&step.output, &real),
            "{place}\nshown:\n{}\nreal:\n{said}",
            step.output.join("\n")
        );
    }
}

fn guides() -> PathBuf {
    testdata().join("../docs/guides")
}

/// The commands of a guide.
fn steps(guide: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut within = false;
    for (at, line) in guide.lines().enumerate() {
        if !within {
            within = line == "```console";
        } else if line == "```" {
            within = false;
        } else if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step {
                line: at + 1,
                command: command.to_owned(),
                code: 0,
                output: Vec::new(),
            });
        } else {
            let step = steps
                .last_mut()
                .unwrap_or_else(|| panic!("line {}: output of no command", at + 1));
            match line.strip_prefix("# exit code ") {
                Some(code) => step.code = code.parse().unwrap(),
                None if line.trim().is_empty() => {}
                None => step.output.push(line.trim_end().to_owned()),
            }
        }
    }
    assert!(!within, "a block is not closed");
    steps
}

/// That a command is made of programs that every system has.
fn assert_programs(command: &str, place: &str) {
    for part in command
        .split(['|', ';', '&'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let program = part.split_whitespace().next().unwrap();
        assert!(PROGRAMS.contains(&program), "{place}: {program}");
    }
}

/// The exit code of a command, and the lines of what it prints that are not blank.
pub(crate) fn run(command: &str, folder: &Path) -> (i32, Vec<String>) {
    let binary = Path::new(env!("CARGO_BIN_EXE_tegula"))
        .parent()
        .unwrap()
        .to_owned();
    let others = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([binary].into_iter().chain(env::split_paths(&others))).unwrap();
    let ended = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(folder)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    let text = String::from_utf8(ended.stdout).unwrap();
    let lines = text
        .lines()
        .map(|line| line.trim_end().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    (ended.status.code().unwrap_or(-1), lines)
}

/// Whether lines are those shown, where `…` stands for any.
fn matches(shown: &[String], real: &[String]) -> bool {
    let Some((first, rest)) = shown.split_first() else {
        return real.is_empty();
    };
    if first == "…" {
        return (0..=real.len()).any(|skipped| matches(rest, &real[skipped..]));
    }
    real.split_first()
        .is_some_and(|(line, others)| is_line(first, line) && matches(rest, others))
}

/// Whether a line is the one shown, where `…` stands for anything.
fn is_line(shown: &str, real: &str) -> bool {
    let Some((start, rest)) = shown.split_once('…') else {
        return shown == real;
    };
    let Some(real) = real.strip_prefix(start) else {
        return false;
    };
    real.char_indices()
        .map(|(at, _)| at)
        .chain([real.len()])
        .any(|at| is_line(rest, &real[at..]))
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}
