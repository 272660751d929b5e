//! A stream of hits, filtered as it comes.

use crate::rig::{Rig, assert_shown};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

const STORM: &str =
    "the harbour was closed at noon because of the storm the port authority said on monday";
const FERRIES: &str = "two more ferries were cancelled in the evening";

fn hit(id: &str, text: &str) -> String {
    format!("{{\"id\": \"{id}\",  \"text\":\"{text}\"}}\n")
}

/// Six hits: a and b, a shorter and a longer version of a, b in capitals without a line end.
fn hits() -> String {
    let longer = format!("{STORM} and so were the schools of all islands in the north of the bay");
    let all = [
        hit("a", STORM),
        hit("b", FERRIES),
        hit("shorter", &STORM[..70]),
        hit("longer", &longer),
        hit("c", &longer[20..]),
    ];
    all.concat() + hit("d", &FERRIES.to_uppercase()).trim_end()
}

fn ids(lines: &str) -> Vec<&str> {
    let ids = lines.lines().map(|line| line.split('"').nth(3));
    ids.map(Option::unwrap_or_default).collect()
}

#[test]
fn lines_are_kept_as_they_are() {
    let rig = Rig::new();
    rig.write("hits.jsonl", hits());
    let ended = rig.ok("filter hits.jsonl");
    assert_shown!("filter", ended);
    let kept: String = (hits().split_inclusive('\n').enumerate())
        .filter(|(at, _)| [0, 1, 3].contains(at))
        .map(|(_, line)| line)
        .collect();
    assert_eq!(ended.out(), kept);
    assert_eq!(rig.fed("filter -", hits().as_bytes()).out(), kept);
    rig.ok("filter hits.jsonl -o kept.jsonl.gz -q");
    rig.ok("filter kept.jsonl.gz -o kept.jsonl -q");
    assert_eq!(rig.text("kept.jsonl"), kept);
    let summary = rig.ok("filter hits.jsonl -o kept.jsonl --json");
    assert!(summary.out().contains("\"hidden\": 3"), "{}", summary.out());
}

#[test]
fn hidden_hits_are_listed_on_request() {
    let rig = Rig::new();
    rig.write("hits.jsonl", hits());
    let ended = rig.ok("filter hits.jsonl --expand");
    assert_shown!("filter_expand", ended);
    // In a window of one, d is compared with the longer version only.
    let ended = rig.ok("filter hits.jsonl --expand --last 1 -q");
    assert_eq!(ids(ended.out()), ["a", "b", "shorter", "longer", "d"]);
    let ended = rig.ok("filter hits.jsonl --recipe exact --expand --id-key text -q");
    assert!(
        ended.out().contains(&FERRIES.to_uppercase()),
        "{}",
        ended.out()
    );
}

#[test]
fn recipes_and_their_settings_are_applied() {
    let rig = Rig::new();
    rig.write("hits.jsonl", hits());
    for (options, kept) in [
        ("--recipe exact", vec!["a", "b", "shorter", "longer", "c"]),
        ("--recipe plain", vec!["a", "b", "shorter", "longer", "c"]),
        ("--recipe ssr", vec!["a", "b", "shorter", "longer"]),
        (
            "--recipe ssr --threshold 0.9",
            vec!["a", "b", "shorter", "longer", "c"],
        ),
        ("--recipe sscr-containment", vec!["a", "b", "longer"]),
        ("--threshold 0.3", vec!["a", "b"]),
        ("--set ngram=15", vec!["a", "b", "shorter", "longer"]),
    ] {
        let ended = rig.ok(&format!("filter hits.jsonl {options} -q"));
        assert_eq!(ids(ended.out()), kept, "{options}");
    }
}

#[test]
fn what_cannot_be_filtered_is_refused_before_anything_is_read() {
    let rig = Rig::new();
    for (options, said) in [
        ("--recipe cosine", "found cosine"),
        ("--recipe onion", "found onion"),
        ("--recipe benko", "several stages"),
        ("--unit paragraph", "unit: expected document"),
        ("--set levenshtein=0.5", "levenshtein: expected none"),
        ("--json", "--json"),
        ("--id-key id", "--expand"),
        ("--last 0", "--last"),
    ] {
        rig.refuses(&format!("filter none.jsonl {options}"), &[said]);
    }
    assert_shown!(
        "filter_recipe",
        rig.run("filter none.jsonl --recipe sketch")
    );
    assert_eq!(rig.run("filter none.jsonl").code, 2);
}

#[test]
fn bad_lines_are_named_or_skipped() {
    let rig = Rig::new();
    let mut stream = hits().into_bytes();
    stream.extend_from_slice(b"\n{\"text\": \"a\n\n{\"id\": \"x\"}\n{\"text\":\"\xff\"}\n");
    rig.write("hits.jsonl", &stream);
    assert_shown!("filter_bad", rig.run("filter hits.jsonl"));
    let skipped = rig.run("filter hits.jsonl --on-bad-record skip");
    assert_shown!("filter_skipped", skipped);
    assert_eq!(ids(skipped.out()), ["a", "b", "longer"]);
    let none = rig.run("filter hits.jsonl --text-key body --on-bad-record skip");
    assert_shown!("filter_all_bad", none);
    let no_id =
        rig.run("filter hits.jsonl --on-bad-record skip --expand --id-key url -o out.jsonl");
    assert_eq!(no_id.code, 2);
    assert!(no_id.stderr.contains("--id-key"), "{}", no_id.stderr);
    rig.write("marked.jsonl", "{\"text\":\"a\",\"hidden\":[]}\n");
    assert_shown!("filter_taken", rig.run("filter marked.jsonl --expand"));
    assert_eq!(
        rig.ok("filter marked.jsonl").out(),
        rig.text("marked.jsonl")
    );
    assert_shown!("filter_empty", rig.fed("filter", b""));
    rig.ok("filter marked.jsonl -o whole.jsonl.gz");
    let whole = rig.read("whole.jsonl.gz");
    rig.write("cut.jsonl.gz", &whole[..whole.len() / 2]);
    assert_eq!(rig.run("filter cut.jsonl.gz").code, 2);
}

#[test]
fn a_line_is_written_before_the_next_is_there() {
    let rig = Rig::new();
    let mut child = rig
        .command("filter -q")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut answers = BufReader::new(stdout).lines();
    for (id, text) in [("a", STORM), ("b", FERRIES)] {
        stdin.write_all(hit(id, text).as_bytes()).unwrap();
        assert_eq!(answers.next().unwrap().unwrap() + "\n", hit(id, text));
    }
    // A reader that closes the pipe ends it without an error.
    drop(answers);
    for number in 0..200 {
        let text = format!("a text that is number {number} of a long stream of others");
        if stdin.write_all(hit("x", &text).as_bytes()).is_err() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_stream_that_does_not_fit_ends_with_the_way_out() {
    let rig = Rig::new();
    let mut stream = String::new();
    for number in 0..4000_u32 {
        let words: Vec<String> = (0..400).map(|at| format!("w{number}x{at}")).collect();
        stream += &hit(&number.to_string(), &words.join(" "));
    }
    rig.write("hits.jsonl", stream);
    rig.refuses("filter hits.jsonl -o out.jsonl --memory 64M", &["--last"]);
    assert!(!rig.path("out.jsonl").exists());
    rig.ok("filter hits.jsonl -o out.jsonl --memory 64M --last 500 --expand");
    assert_eq!(rig.text("out.jsonl").lines().count(), 4000);
}

#[test]
fn a_stream_is_never_written_over() {
    let rig = Rig::new();
    rig.write("hits.jsonl", hits());
    let ended = rig.run("filter hits.jsonl -o hits.jsonl");
    assert_eq!((ended.code, rig.text("hits.jsonl")), (2, hits()));
}

#[test]
fn compressed_streams_are_recognised_by_their_content() {
    let rig = Rig::new();
    rig.write("hits.jsonl", hits());
    let kept = rig.ok("filter hits.jsonl -q").stdout;
    for ending in ["gz", "zst", "bz2", "xz"] {
        rig.ok(&format!(
            "mark hits.jsonl -o packed.jsonl.{ending} --recipe exact --format jsonl -q"
        ));
        let packed = rig.read(&format!("packed.jsonl.{ending}"));
        let unpacked = rig.ok(&format!("filter packed.jsonl.{ending} -q"));
        assert_eq!(ids(unpacked.out()), ["a", "b", "longer"]);
        rig.write("packed.jsonl", &packed);
        assert_eq!(rig.ok("filter packed.jsonl -q").stdout, unpacked.stdout);
        assert_eq!(rig.fed("filter -q", &packed).stdout, unpacked.stdout);
    }
    rig.write("plain.jsonl.gz", hits());
    assert_eq!(rig.ok("filter plain.jsonl.gz -q").stdout, kept);
    assert_eq!(rig.fed("filter -q", hits()).stdout, kept);
}

#[test]
fn bad_lines_go_to_the_quarantine_with_their_reasons() {
    let rig = Rig::new();
    rig.write("hits.jsonl", format!("{}\nno JSON\n", hits()));
    let line = "filter hits.jsonl -o kept.jsonl --on-bad-record quarantine";
    let ended = rig.ok(line);
    assert!(
        ended.stderr.contains("1 bad line skipped"),
        "{}",
        ended.stderr
    );
    assert_eq!(rig.text("kept.jsonl.quarantine/hits.jsonl"), "no JSON\n");
    assert!(
        rig.text("kept.jsonl.quarantine/records.tsv")
            .contains("hits.jsonl\t")
    );
    let refused = rig.run("filter hits.jsonl --quarantine bad");
    assert!(
        refused
            .stderr
            .contains("--quarantine: it needs --on-bad-record quarantine")
    );
    let refused = rig.run("filter hits.jsonl --id-key id");
    assert!(refused.stderr.contains("--id-key: it needs --expand"));
}

#[test]
fn an_index_remembers_what_other_streams_had() {
    let rig = Rig::new();
    rig.write("hits.jsonl", hits());
    rig.write(
        "later.jsonl",
        hit("e", STORM) + &hit("f", "something that was never seen before"),
    );
    for recipe in ["copies", "messages"] {
        rig.ok(&format!("index {recipe} --recipe {recipe} -q"));
        let line = format!("filter hits.jsonl --index {recipe} --add -q");
        let ended = rig.run_in("", &line);
        let alone = match recipe {
            "copies" => rig.ok("filter hits.jsonl -q").out().to_owned(),
            _ => ended.out().to_owned(),
        };
        assert_eq!(ended.out(), alone, "{recipe}");
        let again = rig.run_in("", &line);
        assert_eq!(again.out(), "", "{recipe}: {}", again.stderr);
        let ended = rig.run_in("", &format!("filter later.jsonl --index {recipe} --add"));
        assert_eq!(ids(ended.out()), ["f"]);
        assert!(
            ended.stderr.contains("1 hidden (1 by the index)"),
            "{}",
            ended.stderr
        );
        let info = rig.ok(&format!("index {recipe} --info --json"));
        let kept = format!("\"texts\": {}", ids(&alone).len() + 1);
        assert!(info.out().contains(&kept), "{kept} {}", info.out());
    }
    for (options, said) in [
        ("--add", "--index"),
        ("--index copies --last 3", "--index"),
        ("--index copies --ngram 3", "--ngram"),
        ("--index messages", "compares texts once"),
        ("--index none", "expected an index"),
    ] {
        rig.refuses(&format!("filter hits.jsonl {options}"), &[said]);
    }
    rig.write(
        "anonymous.jsonl",
        "{\"text\": \"a text without an id, which is new\"}\n",
    );
    rig.refuses("filter anonymous.jsonl --index copies --add", &["--id-key"]);
}

/// Short messages of which many are near copies of others, some of them only under masks.
fn messages() -> Vec<String> {
    let texts = (0..40).map(|number: usize| match number % 5 {
        0 => format!(
            "Call {:04} now to win a prize of {} pounds",
            number * 7919 % 10_000,
            number
        ),
        1 => format!("call {:04} n0w 2 win a prize", number * 6_007 % 10_000),
        2 => format!("see you at the station at {number}, bring the tickets"),
        3 => "see you at the station, bring the tickets".to_owned(),
        _ => format!("{number} {number}"),
    });
    let lines = texts.enumerate();
    lines
        .map(|(number, text)| hit(&format!("m{number}"), &text))
        .collect()
}

#[test]
fn hits_that_only_the_index_can_compare_are_judged_as_one_by_one() {
    let rig = Rig::new();
    for name in ["alone", "stream"] {
        rig.ok(&format!("index {name} --recipe messages -q"));
    }
    let messages = messages();
    let mut alone = String::new();
    for message in &messages {
        rig.write("one.jsonl", message);
        alone += rig
            .run_in("", "filter one.jsonl --index alone --add -q")
            .out();
    }
    rig.write("all.jsonl", messages.concat());
    let ended = rig.run_in("", "filter all.jsonl --index stream --add -q");
    assert_eq!(ended.out(), alone);
    let kept = ids(&alone).len();
    assert!(kept > 5 && kept < messages.len(), "{alone}");
    // What an unfinished output would lose must not be in the index.
    for options in ["-o out.jsonl", "--expand"] {
        rig.refuses(
            &format!("filter all.jsonl --index stream --add {options}"),
            &["--add", "standard output"],
        );
    }
}

#[test]
fn a_stream_that_fails_leaves_no_hit_in_the_index_whose_line_is_lost() {
    let rig = Rig::new();
    rig.ok("index idx --recipe copies -q");
    rig.write("hits.jsonl", hits() + "not a line of JSON\n");
    rig.refuses(
        "filter hits.jsonl --index idx --add -o out.jsonl",
        &["line"],
    );
    assert!(!rig.path("out.jsonl").exists());
    let info = rig.ok("index idx --info --json");
    assert!(info.out().contains("\"texts\": 0"), "{}", info.out());
}
