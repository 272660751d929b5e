//! Figures that are added to kept records, and copies that are kept besides.

use crate::rig::Rig;
use std::fmt::Write as _;

const TEXT: &str = "the harbour was closed at noon because of the storm said the port authority on";

/// A text, two equal ones, a longer and a shorter one, and one of its own, from three sources.
fn records() -> Vec<(&'static str, String)> {
    let longest = format!("{TEXT} monday");
    vec![
        ("wire", longest.clone()),
        ("web", longest),
        ("web", TEXT.to_owned()),
        ("print", TEXT.replace(" on", "")),
        (
            "web",
            "something else entirely that nobody has copied so far".to_owned(),
        ),
    ]
}

fn jsonl() -> String {
    let mut out = String::new();
    for (at, (source, text)) in (1..).zip(records()) {
        let _ = writeln!(
            out,
            r#"{{"id":"{at}","source":"{source}","text":"{text}"}}"#
        );
    }
    out
}

const ALL: &str = "--add copies --add copies_by:source --add rank";

/// The ids of the records of JSON Lines.
fn ids(lines: &str) -> String {
    let id = |line: &str| line.split('"').nth(3).unwrap_or_default().to_owned();
    lines.lines().map(id).collect::<Vec<_>>().join(" ")
}

#[test]
fn kept_records_say_what_they_stand_for_in_every_format_with_fields() {
    let rig = Rig::new();
    rig.write("a.jsonl", jsonl());
    let mut csv = String::from("id,source,text\n");
    let (mut vertical, mut mail) = (String::new(), String::new());
    let mut tei = String::from("<teiCorpus>\n");
    for (at, (source, text)) in (1..).zip(records()) {
        let _ = writeln!(csv, "{at},{source},{text}");
        let lines = text.replace(' ', "\n");
        let _ = writeln!(
            vertical,
            "<doc id=\"{at}\" source=\"{source}\">\n{lines}\n</doc>"
        );
        let _ = writeln!(
            mail,
            "From a@example.org Mon Jan  1 00:00:00 2024\nMessage-ID: <{at}@example.org>\nsource: {source}\n\n{text}\n"
        );
        let _ = writeln!(
            tei,
            "<TEI xml:id=\"t{at}\" source=\"{source}\"><text><p>{text}</p></text></TEI>"
        );
    }
    rig.write("a.csv", csv)
        .write("a.vert", vertical)
        .write("a.mbox", mail)
        .write("a.xml", tei + "</teiCorpus>\n");
    let mut shown = String::new();
    for name in ["a.jsonl", "a.csv", "a.vert", "a.mbox", "a.xml"] {
        rig.ok(&format!("dedup {name} -o out-{name} {ALL}"));
        rig.ok(&format!(
            "mark {name} -o marked-{name} {ALL} --mark-prefix t_"
        ));
        let _ = write!(
            shown,
            "{name}, without copies\n{}\n{name}, marked\n{}\n",
            rig.text(&format!("out-{name}")),
            rig.text(&format!("marked-{name}"))
        );
    }
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("figures_of_kept_records", shown);
    });
}

#[test]
fn figures_pass_through_parquet_and_stored_evidence_at_any_number_of_threads() {
    let rig = Rig::new();
    rig.write("a.jsonl", jsonl());
    rig.ok(&format!(
        "dedup a.jsonl -o out.jsonl {ALL} --threads 1 --run run --evidence all --by source"
    ));
    let lines = rig.text("out.jsonl");
    for again in [
        format!("dedup a.jsonl -o again.jsonl {ALL} --threads 4 --overwrite"),
        format!("dedup --from run -o again.jsonl {ALL} --overwrite"),
    ] {
        rig.ok(&again);
        assert_eq!(rig.text("again.jsonl"), lines, "{again}");
    }
    // Converted to Parquet, and rewritten as Parquet: the same columns.
    rig.ok(&format!("dedup a.jsonl -o converted.parquet {ALL}"));
    rig.ok("dedup a.jsonl -o all.parquet --keep-up-to 9");
    rig.ok(&format!("dedup all.parquet -o rewritten.parquet {ALL}"));
    for name in ["converted", "rewritten"] {
        rig.ok(&format!(
            "mark {name}.parquet -o {name}.jsonl --mark-prefix t_"
        ));
        let line = rig.text(&format!("{name}.jsonl"));
        let figures = r#""copies":3,"copies_by_source":"{\"print\":1,\"web\":2}","rank":1"#;
        assert!(line.lines().next().unwrap().contains(figures), "{line}");
    }
}

#[test]
fn what_a_record_stood_for_in_earlier_stages_counts() {
    let rig = Rig::new();
    rig.write("a.jsonl", jsonl());
    rig.write(
        "two.toml",
        "[[stage]]\nname = \"equal\"\nrecipe = \"exact\"\naction = \"remove\"\n\
         [[stage]]\nname = \"near\"\nrecipe = \"copies\"\naction = \"remove\"\n",
    );
    rig.ok(&format!(
        "dedup a.jsonl -o out.jsonl --recipe two.toml {ALL}"
    ));
    let figures = r#""copies":3,"copies_by_source":{"print":1,"web":2},"rank":1"#;
    assert!(
        rig.text("out.jsonl").contains(figures),
        "{}",
        rig.text("out.jsonl")
    );
}

#[test]
fn copies_are_kept_for_each_value_and_up_to_a_number() {
    let rig = Rig::new();
    rig.write("a.jsonl", jsonl());
    for (options, kept) in [
        ("", "1 5"),
        ("--keep-each source", "1 2 4 5"),
        ("--keep-up-to 2", "1 2 5"),
        ("--keep-up-to 3", "1 2 3 5"),
        ("--keep-up-to 9", "1 2 3 4 5"),
        ("--keep-each source --keep-up-to 2", "1 2 4 5"),
        (
            "--keep shortest --keep-up-to 2 --recipe ssr --threshold 0.5",
            "3 4 5",
        ),
        ("--keep-per source --keep-up-to 2", "1 2 4 5"),
        ("--recipe simfinder --keep-each source", "1 2 4 5"),
    ] {
        let ended = rig.ok(&format!(
            "dedup a.jsonl -o - {options} --run run --overwrite"
        ));
        assert_eq!(ids(ended.out()), kept, "{options}");
    }
    // What matches a reference is not kept besides.
    rig.write("old.jsonl", jsonl().lines().take(1).collect::<String>());
    let ended = rig.ok("dedup a.jsonl -o - --against old.jsonl --keep-up-to 3 --keep-each source");
    assert_eq!(ids(ended.out()), "5");
}

#[test]
fn figures_and_policies_that_contradict_each_other_are_refused() {
    let rig = Rig::new();
    rig.write("a.jsonl", jsonl())
        .write("a.txt", TEXT)
        .write("a.vert", "<doc>\na\n</doc>\n");
    let all = rig.refused(
        "dedup a.jsonl -o out.jsonl",
        &[
            "--add copies --unit paragraph",
            "--add copies --recipe onion",
            "--add copy",
            "--add copies --add copies",
            "--add copies_by:quelle",
            "--add copies --mark-place last-column",
            "--keep-each quelle",
            "--keep-up-to 0",
            "--keep none --keep-up-to 2",
            "--keep-each source --recipe onion",
            "--keep-up-to 2 --unit passage",
        ],
    );
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("figures_and_policies_refused", all);
    });
    rig.refuses(
        "dedup a.txt -o out.txt --add copies",
        &["plain text cannot hold marks"],
    );
    rig.refuses(
        "dedup a.jsonl --list kept --add copies",
        &["--add", "output"],
    );
}

#[test]
fn lines_that_recur_are_removed_and_listed_with_the_most_frequent_first() {
    let rig = Rig::new();
    let mut pages = String::new();
    for page in 0..5 {
        let more = if page < 3 {
            "Sign in to leave a comment\\n"
        } else {
            ""
        };
        let _ = writeln!(
            pages,
            r#"{{"id":"{page}","text":"Home | News | Sport\nStory {page} tells what happened on day {page}.\n\n{more}Copyright, all rights reserved"}}"#
        );
    }
    rig.write("pages.jsonl", pages);
    rig.ok("dedup pages.jsonl -o clean.jsonl --unit line --recipe exact --run run");
    let mut shown = rig.text("clean.jsonl");
    rig.ok("report run --tables tables");
    shown += &rig.text("tables/recurring.tsv");
    shown += rig.ok("explain run 2#l4").out();
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("lines_that_recur", shown);
    });
    let before = rig.text("clean.jsonl");
    rig.ok("dedup pages.jsonl -o clean.jsonl --unit line --recipe exact --threads 3 --overwrite");
    assert_eq!(rig.text("clean.jsonl"), before);
    rig.ok("mark pages.jsonl -o marked.jsonl --unit line");
    assert!(
        rig.text("marked.jsonl")
            .contains(r#"{"start":0,"end":19,"duplicate_of":"0#l1","score":1}"#)
    );
    // The files may have gone: the table then has no texts.
    std::fs::remove_file(rig.path("pages.jsonl")).unwrap();
    assert!(rig.ok("report run").out().contains("0#l1"));
}

#[test]
fn keys_of_folders_are_fields() {
    let rig = Rig::new();
    for (folder, id) in [
        ("year=2020/lang=de", 1),
        ("year=2021/lang=de", 2),
        ("year=2021/lang=fr%20x", 3),
    ] {
        std::fs::create_dir_all(rig.path(&format!("data/{folder}"))).unwrap();
        let line = format!("{{\"id\":\"{id}\",\"text\":\"{TEXT}\"}}\n");
        rig.write(&format!("data/{folder}/part.jsonl"), line);
    }
    let kept = |options: &str| {
        rig.ok(&format!("dedup data --list kept {options}"))
            .out()
            .replace('\n', " ")
    };
    assert_eq!(kept(""), "1 ");
    assert_eq!(kept("--keep newest:year"), "2 ");
    assert_eq!(kept("--keep-per lang"), "1 3 ");
    assert_eq!(kept("--within year"), "1 2 ");
    // A record's own field counts more than the folder of its file.
    rig.write(
        "data/year=2020/lang=de/own.jsonl",
        format!("{{\"id\":\"4\",\"text\":\"{TEXT}\",\"lang\":\"nl\"}}\n"),
    );
    assert_eq!(kept("--keep-per lang"), "4 1 3 ");
    rig.refuses("dedup data --list kept --by land", &["year", "lang"]);
}
