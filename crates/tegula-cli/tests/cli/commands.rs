//! The library's commands write what those of the command line write, byte for byte.

use crate::rig::Rig;
use tegula_run::Host;
use tegula_run::commands::{all, named};

const COPY: &str =
    "the harbour was closed at noon because of the storm said the port authority on monday";

fn texts() -> String {
    let row = |id: &str, text: &str| {
        format!(
            "{{\"id\":\"{id}\",\"day\":\"2020-01-0{}\",\"text\":\"{text}\"}}\n",
            id.len()
        )
    };
    [
        row("a", COPY),
        row(
            "bb",
            "two more ferries were cancelled in the evening by their owners and nobody complained",
        ),
        row("ccc", COPY),
        row("dddd", &format!("{COPY} again")),
    ]
    .concat()
}

/// A line of the command line without the program and the output, and what it writes.
const LINES: [(&str, &str); 12] = [
    (
        "dedup in.jsonl --keep newest:day --threshold 0.8",
        "out.jsonl",
    ),
    ("mark in.jsonl --recipe ssr --mark-prefix x_", "out.jsonl"),
    (
        "pairs in.jsonl --recipe sscr --threshold 0.5 --expand",
        "out.tsv",
    ),
    ("passages in.jsonl --texts --min-tokens 5", "out.jsonl"),
    ("phrases in.jsonl --min-tokens 4", "out.tsv"),
    ("templates in.jsonl --min-texts 2", "out.tsv"),
    ("stories in.jsonl --date day --min-tokens 5", "out.tsv"),
    ("stats in.jsonl --recipe cosine", "out.tsv"),
    ("tokens in.jsonl --lines", "out.tsv"),
    ("find a.txt b.txt", "out.tsv"),
    ("filter in.jsonl --expand", "out.jsonl"),
    ("compare a.txt b.txt", "out.html"),
];

#[test]
fn commands_of_the_library_write_the_bytes_of_the_command_line() {
    for (line, output) in LINES {
        let rig = Rig::new();
        rig.write("in.jsonl", texts());
        rig.write("a.txt", COPY);
        rig.write("b.txt", format!("{COPY} again"));
        rig.ok(&format!("{line} -o typed-{output}"));
        let mut words = line.split(' ');
        let entry = named(words.next().unwrap()).unwrap();
        let declared = (entry.options)();
        let mut command = (entry.new)();
        let mut set = |name: &str, value: &str| {
            command.set(name, value.as_ref()).unwrap().unwrap();
        };
        let at = |name: &str| rig.path(name).display().to_string();
        while let Some(word) = words.next() {
            match word.strip_prefix("--") {
                None => set(
                    declared
                        .iter()
                        .find(|option| option.heading.is_empty())
                        .unwrap()
                        .name,
                    &at(word),
                ),
                Some(flag) => {
                    let name = flag.replace('-', "_");
                    let option = declared.iter().find(|option| option.name == name).unwrap();
                    let is_switch = option.value.is_empty();
                    set(
                        &name,
                        if is_switch {
                            "true"
                        } else {
                            words.next().unwrap()
                        },
                    );
                }
            }
        }
        set("output", &at(&format!("called-{output}")));
        command.run(&Host::usual().unwrap(), 80).unwrap();
        // Only the paths of inputs are as they were named.
        let folder = format!("{}/", rig.path("").display()).replace("//", "/");
        let read = |how: &str| rig.text(&format!("{how}-{output}")).replace(&folder, "");
        assert!(read("typed") == read("called"), "{line}");
    }
}

#[test]
fn every_listed_command_is_one_of_the_library_except_those_about_the_program() {
    let rig = Rig::new();
    let help = rig.ok("--help");
    let listed = help
        .out()
        .lines()
        .filter_map(|line| line.strip_prefix("  "));
    let names = listed.filter_map(|line| line.split_whitespace().next());
    let typed: Vec<&str> = names
        .filter(|name| name.chars().all(|c| c.is_ascii_lowercase()) && *name != "tegula")
        .filter(|name| !["help", "completions", "man"].contains(name))
        .collect();
    for name in &typed {
        assert!(named(name).is_some(), "{name}");
    }
    let listed = all().filter(|entry| entry.is_listed).count();
    assert_eq!(typed.len(), listed, "{typed:?}");
    assert!(rig.ok("help study").out().contains("growth|simfinder"));
}
