//! The page of all options, written from their declarations.

use std::fmt::Write as _;
use std::fs;
use tegula::declare::{Declared, Kind};
use tegula::option;
use tegula_run::commands;

/// What blocks of options are listed once, as most commands have them.
const HEAD: &str = "# Options

All options of all commands, as they are declared: on the command line with dashes (`--min-tokens 5`), in `tegula.toml` under the command's name
(`min-tokens = 5`), in Python as keywords (`min_tokens=5`; `--id-key` is `id`, `-o` is `to`; Python has none of the options of display).
`tegula help COMMAND` shows them too.
A test writes this page (`WRITE_PAGES=1 cargo test -p tegula-cli --test cli options_page`), and fails if it is not up to date.
";

fn typed(name: &str, value: Option<&str>) -> String {
    let flag = format!("--{}", name.replace('_', "-"));
    value.map_or_else(|| flag.clone(), |value| format!("{flag} {value}"))
}

fn row(option: &Declared, out: &mut String) {
    let name = match option.heading {
        "" => option.value.to_owned(),
        _ if option.kind == Kind::Switch => typed(option.name, None),
        _ => typed(option.name, Some(option.value)),
    };
    let help = option.paragraphs().remove(0);
    let help = option::spell(&help, &typed).into_owned();
    let words: Vec<&str> = option.choices.iter().map(|choice| choice.name).collect();
    let words = if words.is_empty() {
        String::new()
    } else {
        format!(": {}", words.join(", "))
    };
    let line = format!("{help}{words}")
        .replace('|', "\\|")
        .replace('<', "\\<");
    let _ = writeln!(out, "| `{}` | {line} |", name.replace('|', "\\|"));
}

fn table(options: &[&Declared], out: &mut String) {
    out.push_str("\n| option | what it does |\n| --- | --- |\n");
    for option in options {
        row(option, out);
    }
}

fn page() -> String {
    let mut out = HEAD.to_owned();
    let all: Vec<(&str, Vec<Declared>)> = commands::all()
        .map(|entry| (entry.name, entry.all_options()))
        .collect();
    let is_same =
        |a: &Declared, b: &Declared| a.name == b.name && a.help == b.help && a.heading == b.heading;
    // What at least five commands share is said once.
    let shared = |option: &Declared| {
        let having = all
            .iter()
            .filter(|(_, own)| own.iter().any(|one| is_same(one, option)));
        having.count() >= 5
    };
    let (_, dedup) = &all[all.iter().position(|(name, _)| *name == "dedup").unwrap()];
    let common: Vec<&Declared> = dedup.iter().filter(|option| shared(option)).collect();
    let mut headings: Vec<&str> = Vec::new();
    for option in &common {
        if !headings.contains(&option.heading) {
            headings.push(option.heading);
        }
    }
    out.push_str(
        "\n## Commands that read texts\n\nThose that apply; `tegula COMMAND -h` lists them.\n",
    );
    for heading in headings {
        let under: Vec<&Declared> = common
            .iter()
            .copied()
            .filter(|option| option.heading == heading)
            .collect();
        let _ = write!(
            out,
            "\n### {}\n",
            if heading.is_empty() { "Texts" } else { heading }
        );
        table(&under, &mut out);
    }
    for (name, own) in &all {
        let own: Vec<&Declared> = own.iter().filter(|option| !shared(option)).collect();
        let _ = write!(out, "\n## tegula {name}\n");
        // What is mostly as in dedup is said by what is not.
        let (same, others): (Vec<&Declared>, Vec<&Declared>) =
            (own.iter()).partition(|option| dedup.iter().any(|one| is_same(one, option)));
        let lacking: Vec<String> = (dedup.iter())
            .filter(|one| !shared(one) && !same.iter().any(|option| is_same(one, option)))
            .map(|one| format!("`{}`", typed(one.name, None)))
            .collect();
        if *name != "dedup" && same.len() > 2 * lacking.len() {
            let _ = writeln!(
                out,
                "\nThose of `tegula dedup` but for {}.",
                lacking.join(", ")
            );
            if !others.is_empty() {
                table(&others, &mut out);
            }
        } else if own.is_empty() {
            out.push_str("\nNone but those above.\n");
        } else {
            table(&own, &mut out);
        }
    }
    out
}

#[test]
fn the_page_of_options_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/options.md");
    let page = page();
    if std::env::var_os("WRITE_PAGES").is_some() {
        fs::write(path, &page).unwrap();
    }
    assert!(
        fs::read_to_string(path).unwrap() == page,
        "write docs/options.md: WRITE_PAGES=1"
    );
    for entry in commands::all() {
        assert!(page.contains(&format!("## tegula {}\n", entry.name)));
    }
}
