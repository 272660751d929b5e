//! A run is what its specification says: repeated from its folder, or run in this process, it
//! writes the same bytes.

use crate::rig::Rig;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use tegula::context::Context;
use tegula::scratch::Scratch;
use tegula_run::{Host, Observer, RunSpec};

/// Commands of every kind: with what they write, each keeps its run.
const LINES: &[&str] = &[
    "dedup peps.jsonl -o out.jsonl --removed removed.jsonl --list kept=kept.txt",
    "dedup peps.jsonl -o out.csv --recipe sscr --threshold 0.7 --keep shortest",
    "dedup laws -o out --recipe ssr --threshold 0.5 --evidence all --include *.jsonl",
    "dedup peps.jsonl -o out.jsonl.gz --recipe sketch --seed 7 --unit paragraph",
    "dedup peps.jsonl -o out.jsonl --recipe exact --fingerprints digests.txt",
    "dedup a.vert -o out.vert --recipe benko",
    "dedup bad.jsonl -o out.jsonl --on-bad-record quarantine",
    "dedup new.jsonl -o out.jsonl --against peps.jsonl --min-tokens 3",
    "mark peps.jsonl -o out.jsonl --recipe simfinder --mark-prefix m_",
    "mark a.vert -o out.vert --recipe onion --mark-place last-column",
    "mark dated.jsonl -o out.jsonl --within source --keep newest:date --by date:year",
    "pairs peps.jsonl -o out.tsv --threshold 0.4",
    "pairs peps.jsonl -o out.parquet --recipe cosine --expand",
    "pairs peps.jsonl -o out.jsonl --recipe sketch --check-recall 10",
];

fn inputs() -> Rig {
    let rig = Rig::new();
    let words = |from: usize, to: usize| {
        (from..to)
            .map(|n| format!("word{}", n % 97))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let (mut lines, mut dated, mut vertical) = (String::new(), String::new(), String::new());
    for at in 0..60 {
        let (first, second) = (
            words(at % 20, at % 20 + 30 + at % 3),
            words(100 + at, 130 + at),
        );
        writeln!(lines, r#"{{"id": "p{at}", "text": "{first}\n\n{second}"}}"#).unwrap();
        let (text, source, year) = (words(at % 9 * 31, at % 9 * 31 + 25), at % 2, at % 20);
        writeln!(dated, r#"{{"id": {at}, "text": "{text}", "source": "s{source}", "date": "20{year:02}-01-01"}}"#).unwrap();
        if at < 12 {
            let tokens = words(at % 4 * 3, at % 4 * 3 + 40).replace(' ', "\tNN\n");
            writeln!(
                vertical,
                "<doc id=\"{at}\">\n<p>\n<s>\n{tokens}\tNN\n</s>\n</p>\n</doc>"
            )
            .unwrap();
        }
    }
    rig.write("peps.jsonl", &lines)
        .write("new.jsonl", lines.replace("\"p", "\"n"))
        .write("laws/a.jsonl", &lines)
        .write("laws/b.jsonl", lines.replace("word3", "wort3"))
        .write("laws/c.txt", "not read")
        .write("dated.jsonl", &dated)
        .write("bad.jsonl", lines + "{\"id\": \"x\"\n")
        .write("a.vert", &vertical);
    rig
}

/// The files that a run wrote, by what it wrote; `run.json` without the times, the folder of
/// the run, and the command line.
fn written(rig: &Rig, given: &[String]) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for name in rig.files() {
        if given.contains(&name) {
            continue;
        }
        let mut bytes = std::fs::read(rig.path(&name)).unwrap();
        if name.ends_with("run.json") {
            let mut info: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            for key in ["date", "command_line", "timings", "folder"] {
                info.as_object_mut().unwrap().shift_remove(key);
            }
            info["inputs"]
                .as_array_mut()
                .unwrap()
                .iter_mut()
                .for_each(|input| drop(input["path"].take()));
            bytes = serde_json::to_vec(&info).unwrap();
        }
        if ["run.json", "records.tsv"]
            .iter()
            .any(|text| name.ends_with(text))
        {
            // Paths lead to the same files from wherever they begin.
            let root = format!(
                "{}/",
                rig.path("").display().to_string().trim_end_matches('/')
            );
            bytes = String::from_utf8(bytes)
                .unwrap()
                .replace(&root, "")
                .into_bytes();
        }
        all.insert(name, bytes);
    }
    all
}

/// Names options as the command line does.
struct Flags;

impl Observer for Flags {
    fn spell(&self, option: &str, value: Option<&str>) -> String {
        let flag = format!("--{}", option.replace('_', "-"));
        value.map_or_else(|| flag.clone(), |value| format!("{flag} {value}"))
    }
}

#[test]
fn a_specification_in_this_process_writes_what_the_command_line_writes() {
    for line in LINES {
        let rig = inputs();
        let given = rig.files();
        rig.ok(&format!("{line} --run run -q"));
        let once = written(&rig, &given);
        assert!(once.len() > 4, "{line}: {:?}", once.keys());
        let spec = RunSpec::of_run(&rig.path("run")).unwrap();
        let spec = RunSpec::from_json(&spec.to_json().unwrap()).unwrap();
        for name in once.keys() {
            std::fs::remove_file(rig.path(name)).unwrap();
        }
        let host = Host::new(Context::new(2, 300 << 20, Scratch::system())).observed_by(Flags);
        let outcome = tegula_run::run(&host, &spec).unwrap();
        let again = written(&rig, &given);
        assert!(
            once.keys().eq(again.keys()),
            "{line}: {:?} {:?}",
            once.keys(),
            again.keys()
        );
        for (name, bytes) in &once {
            let shown = |bytes: &[u8]| {
                String::from_utf8_lossy(bytes)
                    .chars()
                    .take(2000)
                    .collect::<String>()
            };
            assert!(
                *bytes == again[name],
                "{line}: {name} differs\n{}\n{}",
                shown(bytes),
                shown(&again[name])
            );
        }
        let removed = outcome.removed().count() as u64;
        assert_eq!(removed, outcome.duplicates(), "{line}");
    }
}

#[test]
fn a_run_is_repeated_from_its_folder() {
    let rig = inputs();
    let given = rig.files();
    rig.ok("dedup peps.jsonl -o out.jsonl --recipe sscr --threshold 0.7 --run run -q");
    let once = written(&rig, &given);
    assert!(
        rig.command("rerun run -o out.jsonl -q")
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(written(&rig, &given), once);
    rig.ok("rerun run -o other.jsonl --run other -q");
    assert_eq!(rig.text("other.jsonl"), rig.text("out.jsonl"));
    // From a specification in a file, which a person may have changed.
    let printed = rig.ok("rerun run --print").out().to_owned();
    rig.write(
        "again.json",
        printed.replace("\"out.jsonl\"", "\"third.jsonl\""),
    );
    rig.ok("rerun again.json --run third -q");
    assert_eq!(rig.text("third.jsonl"), rig.text("out.jsonl"));
    rig.write(
        "wrong.json",
        printed.replace("\"version\": 2", "\"version\": 9"),
    );
    assert!(
        rig.run("rerun wrong.json")
            .stderr
            .contains("version: expected 2, found 9")
    );
    // No name is ignored that an option once had.
    let other = printed.replace("\"read\": {", "\"read\": {\"text_keys\": [\"body\"],");
    rig.write("wrong.json", other);
    let ended = rig.run("rerun wrong.json");
    assert!(
        ended.stderr.contains("no option 'text_keys'"),
        "{}",
        ended.stderr
    );
    rig.write("wrong.json", "{\"input\": 3}");
    assert!(rig.run("rerun wrong.json").stderr.contains("wrong.json"));
}

#[cfg(unix)]
#[test]
fn a_run_of_somebody_else_replaces_only_what_is_named() {
    let rig = inputs();
    rig.write("precious", "mine");
    rig.ok("dedup bad.jsonl -o out.jsonl --removed removed.jsonl --list kept=kept.txt --fingerprints digests.txt --on-bad-record quarantine --quarantine bad --run run -q");
    let before = rig.digests();
    let all = [
        "-o a/out.jsonl",
        "--removed a/removed.jsonl",
        "--list a/kept.txt",
        "--fingerprints a/digests.txt",
        "--quarantine a/bad",
    ];
    for missing in all {
        let line: Vec<&str> = all.into_iter().filter(|given| *given != missing).collect();
        let ended = rig.run(&format!("rerun run {}", line.join(" ")));
        let option = missing.split(' ').next().unwrap();
        assert_eq!(ended.code, 2, "{missing}: {}", ended.stderr);
        assert!(
            ended.stderr.contains(&format!("name it with {option}")),
            "{}",
            ended.stderr
        );
        assert_eq!(rig.digests(), before, "{missing}");
    }
    rig.ok(&format!("rerun run {} --run a/run -q", all.join(" ")));
    assert_eq!(rig.text("a/out.jsonl"), rig.text("out.jsonl"));
    assert_eq!(rig.text("a/kept.txt"), rig.text("kept.txt"));
    // Paths that do not exist yet, above the folder, absolute, or through a link.
    let run_json = rig.text("run/run.json");
    std::fs::create_dir(rig.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", rig.path("run/link")).unwrap();
    for path in [
        "fresh.jsonl",
        "run/../fresh.jsonl",
        "/tmp/tegula-fresh.jsonl",
        "run/link/fresh.jsonl",
    ] {
        let json = run_json.replace("\"out.jsonl\"", &format!("\"{path}\""));
        assert_ne!(json, run_json);
        rig.write("run/run.json", json);
        let ended = rig.run(&format!("rerun run {} --run a/run", all[1..].join(" ")));
        assert!(
            ended.code == 2 && ended.stderr.contains("lies in another folder"),
            "{path}: {}",
            ended.stderr
        );
    }
    // In the folder of the run there is nothing of others.
    let json = run_json.replace("\"out.jsonl\"", "\"run/fresh.jsonl\"");
    rig.write("run/run.json", json);
    rig.ok(&format!("rerun run {} --run b/run -q", all[1..].join(" ")));
    assert_eq!(rig.text("run/fresh.jsonl"), rig.text("out.jsonl"));
    assert_eq!(rig.text("precious"), "mine");
}

#[test]
fn what_cannot_be_repeated_is_refused() {
    let rig = inputs();
    rig.ok("dedup a.vert -o out.vert --recipe benko --run staged -q");
    let stage = rig
        .files()
        .into_iter()
        .find(|name| name.starts_with("staged/1-"))
        .unwrap();
    let folder = Path::new(&stage).parent().unwrap().display().to_string();
    assert!(
        rig.run(&format!("rerun {folder}"))
            .stderr
            .contains("one of its stages")
    );
    assert!(rig.run("rerun laws").stderr.contains("laws"));
    let ended = rig.fed(
        "dedup - -o piped.jsonl --run piped -q --format jsonl",
        "{\"text\": \"a\"}\n",
    );
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(rig.run("rerun piped").stderr.contains("standard input"));
}
