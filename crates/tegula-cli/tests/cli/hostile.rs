//! Values of data stay values: whatever ids, names of files, fields and texts hold, nothing of it
//! reaches a person's terminal, log or page as a command, and none of it forges a line.

use crate::rig::{Ended, Rig};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use tegula::printable::is_hidden;

/// What a hostile value holds: line ends, escape sequences, direction marks, markup, a formula.
const BAD: &str = "=cmd|'/C calc'!A0\u{1b}]0;owned\u{7}\r\nFORGED line\t\u{9b}31m\u{7f}\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}FORGED\u{85}FORGED\"'<script>alert(1)</script>";
/// What can be in the name of a file.
const NAME: &str = "=a\u{1b}[2J\r\nFORGED name\t\u{202e}\u{200e}\u{9b}\"<script>.jsonl";

/// Each command with its lines. `{id}` is a hostile id, `{field}` a hostile field.
const LINES: &[(&str, &str)] = &[
    (
        "dedup",
        "dedup in -o out --overwrite --run run --evidence all --list removed --keep newest:date --by {field} --threshold 0.5",
    ),
    (
        "dedup",
        "dedup in -v --threshold 0.5 --by {field} --on-bad-record skip --run verbose",
    ),
    ("dedup", "dedup in --json --threshold 0.5 --check"),
    (
        "dedup",
        "dedup in -o o2 --recipe onion --run known --unit paragraph",
    ),
    ("dedup", "dedup bad -o o3"),
    ("dedup", "dedup bad -o o3 --on-bad-record skip"),
    ("dedup", "dedup bad -o o4 --on-bad-record quarantine"),
    ("dedup", "dedup in -o o5 --keep newest:{field}"),
    ("dedup", "dedup in -o o6 --text-key {id}"),
    ("dedup", "dedup {id} -o o7"),
    ("dedup", "dedup in --no-such-option{id}"),
    ("dedup", "dedup in -o o8 --threshold {id}"),
    ("dedup", "dedup in -o {name} --threshold 0.5"),
    ("dedup", "dedup twice.jsonl -o o9.jsonl --strict-ids"),
    ("dedup", "dedup twice.jsonl -o o9.jsonl"),
    ("mark", "mark in -o marked --overwrite --threshold 0.5"),
    ("mark", "mark in -o marked.csv --threshold 0.5"),
    ("mark", "mark in -o marked --mark-prefix {id} --overwrite"),
    ("find", "find mail in --threshold 0.5"),
    ("find", "find mail -o found.tsv --threshold 0.5"),
    (
        "pairs",
        "pairs in -o pairs.jsonl --run paired --threshold 0.5",
    ),
    (
        "passages",
        "passages in --ngram 4 --min-tokens 4 --report passages.html --date date",
    ),
    ("phrases", "phrases in -o phrases.jsonl --json"),
    (
        "stories",
        "stories in --by {field} --date date --report stories.html",
    ),
    (
        "templates",
        "templates in --report templates.html --min-tokens 2",
    ),
    ("filter", "filter stream.jsonl -o kept.jsonl --id-key {id}"),
    ("filter", "filter stream.jsonl --expand -o kept.jsonl"),
    ("cluster", "cluster run -o clusters.jsonl"),
    ("cluster", "cluster {id} -o clusters.jsonl"),
    ("explain", "explain run {first}"),
    ("explain", "explain run {id}"),
    ("explain", "explain run {first} --json"),
    ("explain", "explain {id} a"),
    ("compare", "compare in"),
    ("compare", "compare in --json"),
    ("compare", "compare in -o compared.html"),
    ("compare", "compare one.txt two.txt"),
    ("compare", "compare one.txt two.txt -o pair.html"),
    ("diff", "diff run verbose"),
    ("diff", "diff run verbose -o diff.html"),
    ("diff", "diff run verbose --json"),
    ("evaluate", "evaluate gold.jsonl paired"),
    (
        "evaluate",
        "evaluate gold.jsonl paired --form json -o evaluated.html",
    ),
    ("judge", "judge paired -o answers.jsonl"),
    ("judge", "judge paired -o judge.html"),
    (
        "sweep",
        "sweep in --thresholds 0.5 --ngrams 3 -o sweep.html",
    ),
    ("onion", "onion bad.vert -o cleaned.vert"),
    ("rerun", "rerun run"),
    ("rerun", "rerun run --print"),
    ("plan", "plan in odd --all-files"),
    ("plan", "plan in --json"),
    ("recipes", "recipes evil.toml"),
    ("recipes", "recipes {id}"),
    ("recipes", "recipes --markdown"),
    ("report", "report run"),
    ("report", "report run -o report.html --tables tables"),
    ("stats", "stats in -o frequencies.tsv"),
    ("stats", "stats {id} -o frequencies.tsv"),
    ("study", "study growth in --steps 2 -o growth.html"),
    (
        "study",
        "study simfinder in --threshold 0.5 --sheet sheet.tsv --tables {id}",
    ),
    ("tokens", "tokens in"),
    ("tokens", "tokens in --id {id}"),
    (
        "tokens",
        "tokens in --recipe ssr --set normalise.boundaries=characters",
    ),
    ("index", "index {id}"),
    ("index", "index idx in --fields {field} --fields date"),
    ("index", "index idx twice.jsonl"),
    ("index", "index idx --info --remove {id}"),
    ("index", "index idx --expire {field}=1d"),
    ("query", "query {id} in"),
    ("query", "query idx in --passages"),
    ("query", "query idx in --explain"),
    ("serve", "serve {id}"),
    ("serve", "serve idx --address {id}"),
    ("completions", "completions bash"),
    ("completions", "completions {id}"),
    ("man", "man manual"),
];

fn rig() -> Rig {
    let rig = Rig::new();
    let words = |from: usize| -> String {
        let words: Vec<String> = (from..from + 24).map(|at| format!("word{at}")).collect();
        words.join(" ")
    };
    // A text is wrapped where it is shown beside another.
    let of_text = BAD.replace("FORGED", "LINE");
    let mut lines = String::new();
    for (at, from) in [0, 0, 1, 2, 40, 41].into_iter().enumerate() {
        let record = serde_json::json!({
            "id": format!("{at}{BAD}"),
            "text": format!("{} {of_text} {}", words(from), words(from + 60)),
            "date": format!("2020-01-0{}", at + 1),
            BAD: format!("{}{BAD}", at % 2),
        });
        writeln!(lines, "{record}").unwrap();
    }
    let records: Vec<&str> = lines.lines().collect();
    rig.write(&format!("in/{NAME}"), records[..3].join("\n"))
        .write("in/b.jsonl", records[3..].join("\n"))
        .write("twice.jsonl", [records[0], "\n", records[0]].concat())
        .write(&format!("bad/{NAME}"), lines.clone() + "{\"text\": \"a\u{202e}\u{9b}")
        .write("bad/b.jsonl", serde_json::json!({"id": BAD, "text": BAD, "date": [BAD]}).to_string() + "\n[\"\u{9b}\"]\n")
        .write("stream.jsonl", &lines)
        .write("bad.vert", format!("<doc id=\"{}\u{9b}\">\n<p>\nword\n</p>\n</doc>\n", BAD.replace(['\r', '\n'], "")))
        .write(&format!("odd/{NAME}.bin"), "\0\u{1}")
        .write("one.txt", format!("{} {BAD} same", words(0)))
        .write("two.txt", format!("{} {BAD} other", words(1)))
        .write("gold.jsonl", serde_json::json!({"id_a": format!("0{BAD}"), "id_b": format!("1{BAD}"), "label": 1}).to_string() + "\n" + &serde_json::json!({"id_a": format!("9{BAD}"), "id_b": format!("8{BAD}"), "label": 1}).to_string() + "\n")
        .write("evil.toml", "recipe = \"evil\u{202e}\u{9b}\"\ntitle = \"a \\u001b[2J \\n b\"\nthreshold = 0.5\n");
    for at in 0..3 {
        rig.write(
            &format!("mail/{at}{}", NAME.replace("jsonl", "eml")),
            format!("From: a@x.test\r\nMessage-ID: <{at}\u{1b}[2J\u{202e}@x.test>\r\nDate: Mon, 1 Jun 2020 10:0{at}:00 +0000\r\nSubject: s\u{9b}\r\n\r\n{}\r\n", words(0)),
        );
    }
    rig
}

fn run(rig: &Rig, line: &str) -> Ended {
    let mut command = rig.command("");
    for argument in line.split(' ') {
        let argument = argument
            .replace("{id}", BAD)
            .replace("{field}", BAD)
            .replace("{name}", NAME)
            .replace("{first}", &format!("0{BAD}"));
        command.arg(argument);
    }
    Ended::of(command.output().unwrap())
}

/// What a person must not be shown: a character that is obeyed, or a line that a value began.
fn refuse(shown: &str, what: &str) {
    for (number, line) in shown.split('\n').enumerate() {
        let hidden = line.chars().find(|c| *c != '\t' && is_hidden(*c));
        assert_eq!(hidden, None, "{what}, line {number}: {line:?}");
        // A cell beside another may go on in its next row.
        let is_cell = line.contains('│');
        assert!(
            is_cell || !line.trim_start().starts_with("FORGED"),
            "{what}: {line}"
        );
    }
}

#[test]
fn no_value_commands_a_terminal_or_a_page_whatever_the_command() {
    let rig = rig();
    let help = rig.ok("--help");
    let named = help.out().lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("  ")?.split_once("  ")?;
        let is_name = name.bytes().all(|byte| byte.is_ascii_lowercase());
        (is_name && !rest.is_empty() && name != "help").then_some(name)
    });
    let mut missing: Vec<&str> = named.collect();
    assert!(missing.len() > 20, "{}", help.out());
    missing.retain(|name| !LINES.iter().any(|(command, _)| command == name));
    assert_eq!(missing, [""; 0], "a new command belongs into the list");
    let mut codes: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
    for (command, line) in LINES {
        let ended = run(&rig, line);
        let what = format!("tegula {line}");
        assert!([0, 1, 2].contains(&ended.code), "{what}: {}", ended.stderr);
        refuse(&ended.stderr, &format!("{what}, standard error"));
        refuse(ended.out(), &format!("{what}, standard output"));
        assert!(
            !ended.stderr.contains("panicked"),
            "{what}: {}",
            ended.stderr
        );
        codes.entry(command).or_default().push(ended.code);
    }
    // Each command has done something, not only refused; one that serves would not end.
    for (command, codes) in &codes {
        assert!(
            codes.iter().any(|code| *code != 2) || ["rerun", "serve"].contains(command),
            "{command}"
        );
    }
    let pages: Vec<String> = rig
        .files()
        .into_iter()
        .filter(|name| [".html", ".tex"].iter().any(|end| name.ends_with(end)))
        .collect();
    assert!(pages.len() > 12, "{pages:?}");
    for name in pages {
        let page = rig.text(&name);
        for (number, line) in page.split('\n').enumerate() {
            let hidden = line.chars().find(|c| *c != '\t' && is_hidden(*c));
            assert_eq!(hidden, None, "{name}, line {number}: {line}");
        }
        assert!(!page.contains("<script>alert"), "{name}");
    }
    // Tables for programs have a row on each line, and the ids in them are those of the data.
    for name in ["found.tsv", "tables/by-file.tsv"] {
        let table = rig.text(name);
        let columns = table.lines().next().unwrap().split('\t').count();
        for line in table.split('\n').filter(|line| !line.is_empty()) {
            assert_eq!(line.split('\t').count(), columns, "{name}: {line:?}");
        }
    }
}

#[test]
fn a_list_of_ids_has_a_line_for_each_id() {
    let rig = rig();
    rig.ok("dedup in -o out --list kept=kept.txt --fingerprints digests.txt --threshold 0.5 -q");
    let (kept, digests) = (rig.text("kept.txt"), rig.text("digests.txt"));
    assert_eq!(digests.split('\n').count(), 7, "{digests}");
    for line in kept.split_terminator('\n') {
        let id: String = serde_json::from_str(line).unwrap();
        assert!(id.ends_with(BAD), "{line}");
    }
}

#[test]
fn a_mark_is_a_value_in_every_format() {
    let rig = Rig::new();
    let words: Vec<String> = (0..30).map(|at| format!("word{at}")).collect();
    let text = words.join(" ");
    let id = format!("urn:x>\r\n\r\nWARC/1.0\r\nFORGED: record\r\nContent-Length: 0\r\n\r\n{BAD}");
    rig.write(
        "known.jsonl",
        serde_json::json!({"id": id, "text": text}).to_string(),
    );
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{text}");
    let warc = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:1>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
        http.len()
    );
    let conllu: Vec<String> = (1..)
        .zip(&words)
        .map(|(at, word)| format!("{at}\t{word}\t_\tX\t_\t_\t0\troot\t_\t_\n"))
        .collect();
    rig.write("a.warc", &warc)
        .write("a.vert", format!("<doc id=\"a\">\n{}\n</doc>\n", words.join("\n")))
        .write("a.xml", format!("<TEI xmlns=\"http://www.tei-c.org/ns/1.0\"><text><body><p>{text}</p></body></text></TEI>\n"))
        .write("a.conllu", format!("# newdoc id = a\n{}\n", conllu.concat()))
        .write("a.eml", format!("Subject: s\r\n\r\n{text}\r\n"))
        .write("a.mbox", format!("From a@x.test Mon Jun  1 10:00:00 2020\nMessage-ID: <a@x.test>\nSubject: s\n\n{text}\n"))
        .write("a.csv", format!("id,text\na,{text}\n"))
        .write("a.tsv", format!("id\ttext\na\t{text}\n"))
        .write("a.jsonl", serde_json::json!({"id": "a", "text": text}).to_string() + "\n");
    let ref_of = |name: &str, more: &str| {
        let out = format!("out-{name}");
        rig.ok(&format!(
            "mark {name} --against known.jsonl -o {out} --overwrite -q {more}"
        ));
        rig.text(&out)
    };
    for (name, more) in [
        ("a.warc", "--mark-place revisit --text all"),
        ("a.vert", ""),
        ("a.xml", ""),
        ("a.conllu", ""),
        ("a.conllu", "--mark-place misc"),
        ("a.eml", ""),
        ("a.mbox", ""),
        ("a.csv", ""),
        ("a.jsonl", ""),
    ] {
        let marked = ref_of(name, more);
        let said = format!("{name} {more}\n{marked:?}");
        assert!(
            marked.contains("FORGED") && marked != rig.text(name),
            "{said}"
        );
        if name == "a.csv" {
            let rows = marked.matches('\n').count() - id.matches('\n').count();
            assert_eq!(rows, 2, "{said}");
            continue;
        }
        if name == "a.jsonl" {
            continue;
        }
        for line in marked.split(['\n', '\r', '\u{85}', '\u{2028}']) {
            assert!(
                !line.starts_with("FORGED") && !line.starts_with("Content-Length: 0"),
                "{said}"
            );
            let control = line.chars().find(|c| c.is_control() && *c != '\t');
            assert_eq!(control, None, "{said}");
        }
    }
    assert_eq!(
        rig.text("out-a.warc").matches("WARC/1.").count(),
        2,
        "one of the two is in the id"
    );
    let back: serde_json::Value = serde_json::from_str(&rig.text("out-a.jsonl")).unwrap();
    assert_eq!(back["duplicate_of"], id);
    // A reader of XML and of vertical text gets line ends back.
    assert!(
        rig.text("out-a.xml")
            .contains("urn:x&gt;&#13;&#10;&#13;&#10;WARC/1.0")
    );
    rig.ok("mark a.xml --against known.jsonl -o beside.xml --mark-place standoff -q");
    let beside = rig.text("beside.xml.standoff");
    assert!(
        !beside.contains('\u{1b}') && beside.contains("\\u{1b}"),
        "{beside}"
    );
}
