//! What all commands that read a collection treat alike: repeated ids, bad records, quarantine.

use crate::rig::Rig;
use std::process::Command;

const TEXT: &str = "the quick brown fox jumps over the lazy dog near the bank of the wide river";

/// The commands that read a collection, each with what else its line needs.
const READING: [(&str, &str); 16] = [
    ("compare", "-o out.tsv"),
    ("dedup", "-o out.jsonl"),
    ("find", ""),
    ("index", "--skip-known"),
    ("mark", "-o out.jsonl"),
    ("pairs", "-o out.tsv"),
    ("passages", "-o out.tsv"),
    ("phrases", "-o out.tsv"),
    ("plan", ""),
    ("query", ""),
    ("stats", "--recipe cosine -o out.stats"),
    ("stories", "--date day -o out.tsv"),
    ("study", "--steps 2"),
    ("sweep", "--ngrams 3"),
    ("templates", "-o out.tsv"),
    ("tokens", ""),
];

/// A folder with these records, and with an index that has others.
fn rig(records: String) -> Rig {
    let rig = Rig::new();
    rig.write("in.jsonl", records);
    rig.write(
        "other.jsonl",
        "{\"id\":\"z\",\"text\":\"something else\"}\n",
    );
    rig.ok("index idx other.jsonl -q");
    rig
}

/// The line of a command that reads the records.
fn line(command: &str, more: &str) -> String {
    let index = match command {
        "index" | "query" => "idx ",
        "study" => "growth ",
        _ => "",
    };
    format!("{command} {index}in.jsonl {more}")
}

/// Three records with a text; the last has the id of the first.
fn records() -> String {
    let record = |id| format!("{{\"id\":\"{id}\",\"day\":\"2020-01-01\",\"text\":\"{TEXT}\"}}\n");
    [record("a"), record("b"), record("a")].concat()
}

/// The first of these is not JSON.
fn with_a_bad_one() -> String {
    records().replacen("{\"id\":\"b\"", "{\"id\":b", 1)
}

/// The commands whose help lists an option.
fn that_offer(option: &str) -> Vec<String> {
    let help = |line: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_tegula"))
            .args(line)
            .output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let listed = help(&["--help"]);
    let names = listed
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| name.chars().all(|c| c.is_ascii_lowercase()) && *name != "tegula");
    // A run that is repeated has the options of its first time.
    let mut all: Vec<String> = names
        .chain(["study"])
        .filter(|name| *name != "help" && *name != "rerun")
        .filter(|name| {
            help(&["help", name]).contains(&format!("--{option} "))
                || help(&["help", name]).contains(&format!("--{option}\n"))
        })
        .map(str::to_owned)
        .collect();
    all.sort();
    all
}

#[test]
fn the_commands_are_all_that_offer_the_options() {
    let all: Vec<&str> = READING.iter().map(|(name, _)| *name).collect();
    assert_eq!(that_offer("strict-ids"), all);
    // A stream is read once, from front to back.
    let quarantines = that_offer("quarantine").into_iter();
    let others: Vec<String> = quarantines.filter(|name| name != "filter").collect();
    assert_eq!(others, all);
}

#[test]
fn repeated_ids_are_refused_by_every_command() {
    for (command, more) in READING {
        let line = line(command, more);
        assert_eq!(rig(records()).run_in("", &line).code, 0, "{command}");
        let rig = rig(records());
        let expected: &[&str] = match command {
            "plan" => &["--strict-ids: it has no effect in tegula plan"],
            _ => &["--strict-ids: expected unique ids", "'a'"],
        };
        rig.refuses(&format!("{line} --strict-ids"), expected);
    }
}

#[test]
fn bad_records_are_treated_alike_by_every_command() {
    for (command, more) in READING {
        let line = line(command, more);
        let rig = rig(with_a_bad_one());
        rig.refuses(
            &format!("{line} --on-bad-record fail"),
            &["in.jsonl", "record 2"],
        );
        let skipped = rig.run_in("", &format!("{line} --on-bad-record skip"));
        assert_eq!(skipped.code, 0, "{command}: {}", skipped.stderr);
        if command == "plan" {
            rig.refuses(
                &format!("{line} --on-bad-record quarantine --quarantine bad"),
                &["--quarantine: it has no effect in tegula plan"],
            );
            continue;
        }
        assert!(
            skipped.stderr.contains("skipped: "),
            "{command}: {}",
            skipped.stderr
        );
        let rig = self::rig(with_a_bad_one());
        let kept = format!("{line} --on-bad-record quarantine --quarantine bad");
        assert_eq!(rig.run_in("", &kept).code, 0, "{command}");
        let lines = with_a_bad_one();
        let bad = lines.lines().nth(1).unwrap();
        assert_eq!(rig.text("bad/in.jsonl").trim_end(), bad, "{command}");
        rig.refuses(
            &format!("{line} --quarantine elsewhere"),
            &["--quarantine: it needs --on-bad-record quarantine"],
        );
    }
}
