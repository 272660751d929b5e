//! What a run asks for and the records do not have: fields, dates, tags, texts.

use crate::rig::{Rig, assert_shown};
use std::fmt::Write as _;

/// Four records; the first three are equal.
const RECORDS: [(&str, &str); 4] = [
    ("1", "01.11.2002"),
    ("2", "26-FEB-2003 15:01"),
    ("3", "2003-02-25T10:00:00Z"),
    ("4", "2 January 2021"),
];

fn records(date: impl Fn(usize, &str) -> String) -> String {
    let mut out = String::new();
    for (at, (id, value)) in RECORDS.iter().enumerate() {
        let text = if at < 3 {
            "the quick brown fox jumps over the lazy dog"
        } else {
            "nothing of that is in this one text here"
        };
        let _ = writeln!(
            out,
            "{{\"id\":\"{id}\",\"text\":\"{text}\",\"source\":\"taz\",{}}}",
            date(at, value)
        );
    }
    out
}

fn kept(rig: &Rig) -> Vec<String> {
    let text = rig.text("out.jsonl");
    text.lines()
        .filter_map(|line| line.split('"').nth(3))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_field_that_no_record_has_ends_the_run_before_anything_is_written() {
    let rig = Rig::new();
    rig.write("a.jsonl", records(|_, date| format!("\"date\":\"{date}\"")));
    let all = rig.refused(
        "dedup a.jsonl -o out.jsonl --run run --recipe ssr",
        &[
            "--keep newest:datum",
            "--keep priority:quelle=taz",
            "--keep priority:source=faz,welt",
            "--keep highest:source",
            "--keep newest:source",
            "--keep-per jahr",
            "--within jahr:year",
            "--within source:year",
            "--across jahr",
            "--window datum=3d",
            "--by jahr",
            "--id-key key",
            "--text-key body",
            "--text-key body --on-bad-record skip",
            "--text-key body --on-bad-record quarantine",
            "--date-format %d.%m.%Y",
            "--keep newest:date --date-format %H",
            "--keep newest:date --date-format %Y",
            "--limit 2 --keep newest:datum",
            "--limit 2 --text-key body --on-bad-record skip",
            "--doc-tag text",
        ],
    ) + &rig.refused(
        "",
        &[
            "pairs a.jsonl -o p.tsv --within jahr",
            "sweep a.jsonl --window datum=2d",
            "stats a.jsonl --text-key body -o s.tsv",
        ],
    );
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("missing_fields", all);
    });
}

#[test]
fn a_field_that_only_late_records_have_is_found() {
    let rig = Rig::new();
    let mut all = String::new();
    for at in 0..40_000 {
        let _ = writeln!(
            all,
            "{{\"id\":\"x{at}\",\"text\":\"one more text with the number {at} in it\"}}"
        );
    }
    all.push_str("{\"id\":\"late\",\"text\":\"one that is unlike them all\",\"date\":\"2002\"}\n");
    rig.write("a.jsonl", all);
    let ended = rig.ok("dedup a.jsonl -o out.jsonl --recipe exact --keep newest:date,first");
    assert!(
        ended
            .stderr
            .contains("field date: records without it: 40000"),
        "{}",
        ended.stderr
    );
    assert_eq!(
        rig.run("dedup a.jsonl -o out.jsonl --recipe exact --keep newest:datum")
            .code,
        2
    );
}

#[test]
fn references_need_the_fields_that_decide_on_pairs() {
    let rig = Rig::new();
    rig.write("a.jsonl", records(|_, date| format!("\"date\":\"{date}\"")));
    rig.write(
        "old.jsonl",
        "{\"text\":\"the quick brown fox jumps over the lazy dog\"}\n",
    );
    rig.ok("dedup a.jsonl --against old.jsonl -o out.jsonl --keep newest:date");
    rig.refuses(
        "dedup a.jsonl --against old.jsonl -o out.jsonl --within date:year",
        &["field 'date': expected records that have it"],
    );
}

#[test]
fn dates_are_compared_however_they_are_written() {
    let rig = Rig::new();
    rig.write("a.jsonl", records(|_, date| format!("\"date\":\"{date}\"")));
    rig.ok("dedup a.jsonl -o out.jsonl --keep newest:date");
    assert_eq!(kept(&rig), ["2", "4"]);
    rig.ok("dedup a.jsonl -o out.jsonl --keep oldest:date");
    assert_eq!(kept(&rig), ["1", "4"]);
    for recipe in ["ssr", "exact", "onion --set onion.smooth=false"] {
        rig.ok(&format!(
            "dedup a.jsonl -o out.jsonl --within date:year --keep first --recipe {recipe}"
        ));
        assert_eq!(kept(&rig), ["1", "2", "4"], "{recipe}");
    }
    rig.ok("dedup a.jsonl -o out.jsonl --window date=1d --keep newest:date");
    assert_eq!(kept(&rig), ["1", "2", "4"]);
}

#[test]
fn values_that_are_no_dates_are_counted_and_ambiguous_ones_refused() {
    let rig = Rig::new();
    rig.write(
        "a.jsonl",
        records(|at, date| {
            if at == 1 {
                "\"date\":\"soon\"".into()
            } else {
                format!("\"date\":\"{date}\"")
            }
        }),
    );
    let ended = rig.ok("dedup a.jsonl -o out.jsonl --keep newest:date --run run --json");
    assert_eq!(kept(&rig), ["3", "4"]);
    assert!(
        ended.out().contains(
            r#""misfits":[{"field":"date","expected":"dates","records":1,"example":"soon"}]"#
        ),
        "{}",
        ended.out()
    );
    assert!(
        ended
            .stderr
            .contains("records whose values are not dates: 1, such as 'soon'"),
        "{}",
        ended.stderr
    );
    rig.write(
        "b.jsonl",
        records(|at, date| {
            if at == 1 {
                "\"date\":\"03/04/2019\"".into()
            } else {
                format!("\"date\":\"{date}\"")
            }
        }),
    );
    for options in [
        "--keep newest:date",
        "--within date:year",
        "--window date=3d",
        "--by date:month",
    ] {
        rig.refuses(
            &format!("dedup b.jsonl -o no.jsonl {options}"),
            &["found '03/04/2019'", "--date-format"],
        );
    }
    rig.ok(
        "dedup b.jsonl -o out.jsonl --keep newest:date --date-format %d/%m/%Y --date-format auto",
    );
    assert_eq!(kept(&rig), ["2", "4"]);
    // As plain text it is no date, and no error.
    rig.ok("dedup b.jsonl -o out.jsonl --within date");
}

#[test]
fn an_earlier_run_knows_its_dates_and_fields() {
    let rig = Rig::new();
    rig.write(
        "a.jsonl",
        records(|at, _| format!("\"date\":\"0{}/04/2019\"", at + 1)),
    );
    let british = "--date-format %d/%m/%Y";
    rig.ok(&format!(
        "dedup a.jsonl -o out.jsonl --window date=1d --by source {british} --run run --evidence all"
    ));
    assert!(rig.text("run/run.json").contains("%d/%m/%Y"));
    rig.ok("dedup --from run -o out.jsonl --keep newest:date");
    rig.ok(&format!("dedup a.jsonl -o out.jsonl --window date=1d --by source {british} --run run --evidence all --resume"));
    for (options, expected) in [
        ("--keep newest:source", "field 'source': expected dates"),
        ("--keep newest:datum", "the fields that were: "),
        (
            "--keep newest:date --date-format %m/%d/%Y",
            "--date-format: it is determined by the run of --from",
        ),
    ] {
        rig.refuses(
            &format!("dedup --from run -o no.jsonl {options}"),
            &[expected],
        );
    }
}

#[test]
fn a_run_in_which_no_record_can_be_read_fails() {
    let rig = Rig::new();
    rig.write("bad.jsonl", "nonsense\n{\"text\":7}\n");
    rig.write("good.jsonl", "{\"text\":\"one two three\"}\n");
    for line in [
        "dedup bad.jsonl -o out.jsonl",
        "dedup bad.jsonl -o out.jsonl --recipe exact --keep first",
        "mark bad.jsonl -o out.jsonl",
        "pairs bad.jsonl -o out.tsv",
        "sweep bad.jsonl",
        "stats bad.jsonl -o out.tsv",
        "tokens bad.jsonl",
        "compare bad.jsonl",
        "dedup good.jsonl --against bad.jsonl -o out.jsonl",
        "dedup bad.jsonl --against good.jsonl -o out.jsonl",
    ] {
        let ended = rig.run(&format!("{line} --on-bad-record skip"));
        assert_eq!(ended.code, 2, "{line}\n{}", ended.stderr);
        assert_eq!(rig.files(), ["bad.jsonl", "good.jsonl"], "{line}");
    }
    assert_shown!(
        "missing_texts",
        rig.run("dedup bad.jsonl -o out.jsonl --on-bad-record skip")
    );
    rig.ok("dedup bad.jsonl good.jsonl -o out --on-bad-record skip");
}

fn vertical(doc: &str, par: &str, sent: &str) -> String {
    let mut out = String::new();
    for at in 0..3 {
        let _ = writeln!(out, "<{doc} id=\"{at}\">");
        for words in [
            "one two three four five six seven eight",
            "nine ten eleven twelve",
        ] {
            let tokens = words.replace(' ', "\n");
            let _ = writeln!(out, "<{par}>\n<{sent}>\n{tokens}\n</{sent}>\n</{par}>");
        }
        let _ = writeln!(out, "</{doc}>");
    }
    out
}

#[test]
fn tags_that_a_file_does_not_have_are_refused_with_those_there_are() {
    let rig = Rig::new();
    rig.write("text.vert", vertical("text", "p", "s"));
    rig.write("para.vert", vertical("doc", "para", "sent"));
    rig.write("bare.vert", "one\ntwo\nthree\n");
    rig.write("ud.conllu", "# sent_id = 1\n1\tone\t_\t_\t_\t_\t_\t_\t_\t_\n\n# sent_id = 2\n1\ttwo\t_\t_\t_\t_\t_\t_\t_\t_\n\n");
    rig.write(
        "play.xml",
        "<TEI><text><body><div><u>One two three.</u></div></body></text></TEI>",
    );
    let all = rig.refused(
        "",
        &[
            "dedup text.vert -o out.vert",
            "dedup text.vert -o out.vert --unit paragraph",
            "dedup para.vert -o out.vert --unit paragraph",
            "dedup para.vert -o out.vert --unit sentence",
            "mark para.vert -o out.vert --recipe benko",
            "dedup para.vert -o out.vert --doc-tag d",
            "dedup bare.vert -o out.vert",
            "dedup ud.conllu -o out.conllu",
            "dedup ud.conllu -o out.conllu --unit paragraph",
            "dedup play.xml -o out.xml --unit paragraph",
            "dedup play.xml -o out.xml --unit sentence --sent-tag seg",
            "sweep text.vert",
            "stats text.vert -o out.tsv",
            "onion text.vert -o out.vert",
            "onion para.vert -o out.vert",
            "onion para.vert",
            "onion para.vert --save-fingerprints out.ngrams",
        ],
    );
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("missing_tags", all);
    });
    for line in [
        "dedup text.vert -o out.vert --doc-tag text",
        "dedup para.vert -o out.vert --unit paragraph --par-tag para",
        "dedup para.vert -o out.vert --unit sentence --sent-tag sent",
        "dedup para.vert -o out.vert --unit sentence --sent-tag none",
        "dedup bare.vert -o out.vert --unit sentence --sent-tag none",
        "dedup ud.conllu -o out.conllu --unit sentence",
        "dedup play.xml -o out.xml --unit paragraph --par-tag u",
        "onion para.vert -o out.vert -p para",
        "onion para.vert -o out.vert -p doc",
        "onion bare.vert -o out.vert",
    ] {
        rig.ok(line);
    }
}

#[test]
fn one_file_of_a_folder_may_lack_paragraphs_but_not_the_tag_of_documents() {
    let rig = Rig::new();
    rig.write("in/a.vert", vertical("doc", "p", "s"))
        .write("in/b.vert", vertical("doc", "para", "s"));
    let ended = rig.ok("dedup in -o out --unit paragraph");
    assert!(
        ended.stderr.contains(
            "files without marked paragraphs in their first records: 1 of 2, such as b.vert"
        ),
        "{}",
        ended.stderr
    );
    rig.write("in/c.vert", "one\ntwo\n");
    rig.ok("dedup in -o out2 --unit paragraph");
    rig.write("in/d.vert", vertical("text", "p", "s"));
    rig.refuses(
        "dedup in -o out3 --unit paragraph",
        &["d.vert: expected documents in <doc>", "<text> (3)"],
    );
}

#[test]
fn onion_refuses_json_and_says_what_reads_it() {
    let rig = Rig::new();
    rig.write("a.jsonl", records(|_, date| format!("\"date\":\"{date}\"")));
    let ended = rig.run("onion a.jsonl");
    assert_eq!(ended.code, 2);
    assert!(ended.stdout.is_empty());
    assert!(
        ended.stderr.contains("found JSON") && ended.stderr.contains("tegula dedup --recipe onion"),
        "{}",
        ended.stderr
    );
    // A token may begin with a brace.
    rig.write("a.vert", "{\none\n{x}\n");
    rig.ok("onion a.vert");
}

#[test]
fn files_give_fields_to_their_records() {
    let rig = Rig::new();
    let text = "one two three four five six seven eight nine ten eleven twelve";
    for (name, seconds) in [
        ("in/T03/JUL.1.txt", 300),
        ("in/T03/AUG.2.txt", 200),
        ("in/T04/JUL.3.txt", 100),
    ] {
        rig.write(name, text);
        let file = std::fs::File::options()
            .append(true)
            .open(rig.path(name))
            .unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds))
            .unwrap();
    }
    let kept = |options: &str| {
        rig.ok(&format!("dedup in --list kept -q {options}"))
            .out()
            .to_owned()
    };
    assert_eq!(kept("--keep oldest:mtime"), "T04/JUL.3.txt\n");
    assert_eq!(kept("--keep newest:file.mtime"), "T03/JUL.1.txt\n");
    assert_eq!(
        kept("--keep oldest:mtime --within folder"),
        "T03/AUG.2.txt\nT04/JUL.3.txt\n"
    );
    let pattern = r"--field-from-name (?<paper>T\d+)/(?<month>[A-Z]+)";
    assert_eq!(
        kept(&format!("--keep first --within month {pattern}")),
        "T03/AUG.2.txt\nT03/JUL.1.txt\n"
    );
    for name in ["in/T03/JUL.1", "in/T03/AUG.2", "in/T04/JUL.3"] {
        std::fs::rename(rig.path(&format!("{name}.txt")), rig.path(name)).unwrap();
    }
    assert_eq!(
        kept("--keep oldest:mtime --format text --include */JUL.*"),
        "T04/JUL.3\n"
    );
    for wrong in [r"(T\d+)", r"(?<x>Q\d+)", "(?<x"] {
        rig.refuses(
            &format!("dedup in -o out --format text --include * --field-from-name {wrong}"),
            &["--field-from-name: expected a "],
        );
    }
}

#[test]
fn a_few_dates_that_cannot_be_read_end_no_run() {
    let rig = Rig::new();
    let lines = |wrong: &[&str]| -> String {
        let dates = (1..=20).map(|day| format!("2019-01-{day:02}"));
        let all = dates.chain(wrong.iter().map(|date| (*date).to_owned()));
        all.enumerate()
            .map(|(at, date)| {
                serde_json::json!({ "id": at, "date": date, "text": format!("one text for all of them {}", at % 2) })
                    .to_string()
                    + "\n"
            })
            .collect()
    };
    // Of crawls, of databases, of slips; ambiguous ones among them.
    for wrong in [
        ["2008-10-294T05:21:46-0700", "0000-00-00"],
        ["03/04/2019", "soon"],
        ["12 Mar 09", "2019-02-30"],
    ] {
        rig.write("a.jsonl", lines(&wrong));
        for options in [
            "--keep oldest:date",
            "--keep newest:date",
            "--within date:year",
            "--window date=300d",
            "--by date:month",
            "--recipe exact --by date:year",
        ] {
            let ended = rig.ok(&format!("dedup a.jsonl -o out.jsonl {options}"));
            let said = ended
                .stderr
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            assert!(
                said.contains(&format!(
                    "whose values are not dates: 2, such as '{}'",
                    wrong[0]
                )),
                "{options}: {said}"
            );
        }
        rig.ok("dedup a.jsonl -o out.jsonl --keep oldest:date -q");
        assert_eq!(kept(&rig).len(), 2);
    }
    // None is a date, or too many are ambiguous.
    rig.write("none.jsonl", "{\"text\":\"a\",\"date\":\"2008-10-294T05:21:46-0700\"}\n{\"text\":\"a\",\"date\":\"soon\"}\n");
    rig.refuses(
        "dedup none.jsonl -o out.jsonl --keep oldest:date",
        &["expected dates, found none"],
    );
    rig.write(
        "b.jsonl",
        lines(&["03/04/2019", "04/05/2019", "05/06/2019"]),
    );
    rig.refuses(
        "dedup b.jsonl -o out.jsonl --keep oldest:date",
        &["--date-format"],
    );
}

#[test]
fn find_goes_by_the_file_where_a_date_cannot_be_read() {
    let rig = Rig::new();
    let page = |date: &str| {
        let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>the harbour master wrote that the storm had damaged both piers</p>";
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: {date}\r\nWARC-Target-URI: http://a.test/{date}\r\n\
             Content-Type: application/http\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
            http.len()
        )
    };
    for (dates, count) in [
        (
            ["2008-10-294T05:21:46-0700", "2009-03-60T08:43:19-0800"],
            "2, such as '2008-10-294T05:21:46-0700'",
        ),
        (
            ["2009-03-60T08:43:19Z", "2009-03-06T08:43:19Z"],
            "1, such as '2009-03-60T08:43:19Z'",
        ),
        (["12 Mar 09", "03/04/2019"], "2, such as '12 Mar 09'"),
    ] {
        rig.write("files/a.warc", page(dates[0]) + &page(dates[1]));
        let ended = rig.ok("find files -o copies.jsonl");
        assert!(
            ended
                .out()
                .contains(&format!("dates that cannot be read: {count}")),
            "{}",
            ended.out()
        );
        assert!(ended.out().contains("1 copy"), "{}", ended.out());
    }
}
