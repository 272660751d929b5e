use crate::rig::{Rig, assert_shown};

#[test]
fn dedup_sums_up() {
    let rig = Rig::with("peps.jsonl");
    assert_shown!(
        "dedup",
        rig.run("dedup peps.jsonl -o out.jsonl --by group --by date:year -v")
    );
    assert_shown!(
        "dedup_by",
        rig.run("dedup peps.jsonl -o out.jsonl --by date:year")
    );
    assert_eq!(rig.files(), ["out.jsonl", "peps.jsonl"]);
}

#[test]
fn dedup_of_paragraphs_sums_up() {
    let rig = Rig::with("laws-sk.vert");
    assert_shown!(
        "dedup_paragraphs",
        rig.run("dedup laws-sk.vert --unit paragraph -o out.vert -v")
    );
}

#[test]
fn mark_sums_up() {
    let rig = Rig::with("peps.jsonl");
    assert_shown!("mark", rig.run("mark peps.jsonl -o out.jsonl --recipe ssr"));
}

#[test]
fn pairs_sums_up() {
    let rig = Rig::with("peps.jsonl");
    assert_shown!(
        "pairs",
        rig.run("pairs peps.jsonl -o pairs.tsv --recipe ssr --threshold 0.5 -v")
    );
}

#[test]
fn the_summary_is_also_json() {
    let rig = Rig::with("peps.jsonl");
    assert_shown!(
        "dedup_json",
        rig.run("dedup peps.jsonl -o out.jsonl --json")
    );
}

#[test]
fn several_files_are_told_apart() {
    let rig = Rig::with("peps.jsonl");
    let text = rig.text("peps.jsonl");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (at, lines) in lines.chunks(8).enumerate() {
        rig.write(&format!("in/{at:02}.jsonl"), lines.concat());
    }
    rig.write("in/.hidden.jsonl", "")
        .write("in/photo.jpg", "")
        .write("in/empty.jsonl", "");
    assert_shown!("dedup_folder", rig.run("dedup in -o out"));
    assert_eq!(
        rig.files()
            .iter()
            .filter(|name| name.starts_with("out/"))
            .count(),
        15
    );
}

#[test]
fn repeated_ids_and_missing_fields_are_counted() {
    let rig = Rig::new();
    rig.write(
        "a.jsonl",
        r#"{"id":"x","text":"one two three four five six seven eight nine ten eleven","source":"a"}
{"id":"x","text":"one two three four five six seven eight nine ten twelve"}
{"id":"y","text":"something else altogether that is not like the others at all","source":"b"}
"#,
    );
    assert_shown!(
        "repeated_ids",
        rig.run("dedup a.jsonl -o - --within source")
    );
    assert_shown!(
        "strict_ids",
        rig.run("dedup a.jsonl -o out.jsonl --strict-ids")
    );
    assert_eq!(rig.files(), ["a.jsonl"]);
}

#[test]
fn an_empty_file_has_no_records() {
    let rig = Rig::new();
    rig.write("a.jsonl", "");
    assert_shown!("empty", rig.run("dedup a.jsonl -o out.jsonl"));
    assert_eq!(rig.text("out.jsonl"), "");
}

#[test]
fn rabin_bounds_are_validated() {
    let rig = Rig::with("peps.jsonl");
    let line = "pairs peps.jsonl -o p.tsv --recipe ssr --normalize kupietz --fingerprint rabin --modulus 10007";
    assert_shown!("rabin", rig.run(line));
}

#[test]
fn help_is_short_and_grouped() {
    let rig = Rig::new();
    for (name, line) in [
        ("tegula", "-h"),
        ("dedup", "dedup -h"),
        ("mark", "mark -h"),
        ("pairs", "pairs -h"),
    ] {
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("help_{name}"), rig.ok(line).out());
        });
    }
}

fn lines(records: &[(&str, &str, &str)]) -> String {
    records
        .iter()
        .fold(String::new(), |lines, (id, paper, text)| {
            format!("{lines}{{\"id\":\"{id}\",\"paper\":\"{paper}\",\"text\":\"{text}\"}}\n")
        })
}

const A: &str = "one two three four five six seven eight nine ten eleven twelve";
const B: &str = "one two three four five six seven eight nine ten eleven thirteen";
const C: &str = "nothing of this is in any of the other texts that are here";

#[test]
fn what_is_in_the_references_is_counted_apart_from_what_is_new_twice() {
    let rig = Rig::new();
    rig.write("old.jsonl", lines(&[("old", "faz", A)]));
    rig.write(
        "new.jsonl",
        lines(&[
            ("1", "faz", A),
            ("2", "faz", B),
            ("3", "faz", C),
            ("4", "taz", C),
            ("5", "taz", B),
        ]),
    );
    for recipe in [
        "sscr",
        "copies",
        "exact",
        "onion --ngram 5 --set onion.smooth=false",
        "ssr --threshold 0.7",
    ] {
        let ended = rig.ok(&format!(
            "dedup new.jsonl --against old.jsonl -o out.jsonl --recipe {recipe} --json -q"
        ));
        let json: serde_json::Value = serde_json::from_str(ended.out()).unwrap();
        let (there, here) = (
            &json["removed_as"]["in_references"]["units"],
            &json["removed_as"]["in_collection"]["units"],
        );
        // The other reading of the text is no equal of the old one, but of another new one.
        let expected = if recipe == "exact" { (1, 2) } else { (3, 1) };
        assert_eq!(
            (there.as_u64().unwrap(), here.as_u64().unwrap()),
            expected,
            "{recipe}"
        );
        assert_eq!(
            json["balance"]["removed"]["units"],
            4 - u64::from(recipe == "exact")
        );
    }
    let ended = rig.ok("dedup new.jsonl --against old.jsonl -o out.jsonl --recipe exact");
    assert!(
        ended.stderr.contains("  in the references")
            && ended.stderr.contains("only in the new data"),
        "{}",
        ended.stderr
    );
    let ended = rig.ok("dedup new.jsonl -o out.jsonl --recipe exact --json -q");
    assert!(!ended.out().contains("removed_as"));
}

#[test]
fn pairs_texts_and_clusters_of_a_value_are_those_of_a_run_within_it() {
    let rig = Rig::with("peps.jsonl");
    let by = "--by date:year --threshold 0.3 --recipe ssr --json -q";
    let all: serde_json::Value =
        serde_json::from_str(rig.ok(&format!("pairs peps.jsonl --run all {by}")).out()).unwrap();
    let within: serde_json::Value = serde_json::from_str(
        rig.ok(&format!(
            "pairs peps.jsonl --run within --within date:year {by}"
        ))
        .out(),
    )
    .unwrap();
    assert_eq!(all["levels_by_field"], within["levels_by_field"]);
    let values = all["levels_by_field"][0]["values"].as_array().unwrap();
    for (place, level) in within["levels"].as_array().unwrap().iter().enumerate() {
        for count in ["pairs", "units", "clusters"] {
            let sum: u64 = values
                .iter()
                .map(|value| value["levels"][place][count].as_u64().unwrap())
                .sum();
            assert_eq!(
                level[count].as_u64().unwrap(),
                sum,
                "{count} at {}",
                level["threshold"]
            );
        }
    }
}

#[test]
fn pairs_says_when_rows_stand_for_groups() {
    let rig = Rig::new();
    rig.write(
        "in.jsonl",
        lines(&[
            ("1", "faz", A),
            ("2", "faz", A),
            ("3", "taz", B),
            ("4", "taz", B),
            ("5", "taz", C),
        ]),
    );
    let ended = rig.ok("pairs in.jsonl -o p.tsv --recipe sscr");
    assert!(
        ended.stderr.contains("3 rows for 6 pairs of units") && ended.stderr.contains("--expand"),
        "{}",
        ended.stderr
    );
    let ended = rig.ok("pairs in.jsonl -o p.tsv --recipe sscr --expand");
    assert!(!ended.stderr.contains("--expand"), "{}", ended.stderr);
}

#[test]
fn scores_have_the_digits_they_need() {
    let rig = Rig::new();
    rig.write("in.jsonl", lines(&[("1", "faz", A), ("2", "faz", B)]));
    let score = |text: String| {
        text.lines()
            .last()
            .unwrap()
            .split([',', '\t'])
            .nth(4)
            .unwrap()
            .to_owned()
    };
    rig.ok("pairs in.jsonl -o p.tsv --recipe ssr --threshold 0.5 -q");
    assert_eq!(score(rig.text("p.tsv")), "0.777777", "seven ninths");
    rig.ok("pairs in.jsonl -o p.jsonl --recipe ssr --threshold 0.5 -q");
    assert!(
        rig.text("p.jsonl").contains("\"score\":0.777777,"),
        "{}",
        rig.text("p.jsonl")
    );
    for (threshold, clusters) in [("0.777777", 1), ("0.777778", 0), ("7/9", 1), ("0.7", 1)] {
        for table in ["p.tsv", "p.jsonl"] {
            rig.ok(&format!(
                "cluster {table} -o c.tsv --threshold {threshold} -q"
            ));
            assert_eq!(
                rig.text("c.tsv").lines().count(),
                1 + 2 * clusters,
                "{table} {threshold}"
            );
        }
    }
    rig.ok("mark in.jsonl -o marked.jsonl --recipe ssr --threshold 0.5 -q");
    assert!(
        rig.text("marked.jsonl")
            .contains("\"duplicate_score\":0.7777,"),
        "{}",
        rig.text("marked.jsonl")
    );
}

#[test]
fn identical_copies_are_counted_of_the_collection_only() {
    let rig = Rig::new();
    rig.write(
        "new.jsonl",
        "{\"text\":\"a b c\"}\n{\"text\":\"d e f\"}\n{\"text\":\"d e f\"}\n{\"text\":\"x\"}\n",
    );
    rig.write(
        "old.jsonl",
        "{\"text\":\"a b c\"}\n{\"text\":\"z\"}\n{\"text\":\"z\"}\n",
    );
    let ended = rig.ok("dedup new.jsonl --against old.jsonl -o out.jsonl -v");
    assert!(
        ended
            .stderr
            .contains("with the same tokens as another: 3\n"),
        "{}",
        ended.stderr
    );
}

#[test]
fn fingerprints_go_to_standard_output_too() {
    let rig = Rig::new();
    rig.write(
        "in.jsonl",
        "{\"id\":\"a\",\"text\":\"one two\"}\n{\"id\":\"b\",\"text\":\"three\"}\n",
    );
    let line = "dedup in.jsonl -o out.jsonl -q --fingerprints";
    rig.ok(&format!("{line} prints.txt"));
    assert_eq!(rig.ok(&format!("{line} -")).out(), rig.text("prints.txt"));
    rig.write("in.vert", "<doc>\n<p>\na\nb\nc\na\nb\nc\n</p>\n</doc>\n");
    rig.ok("onion in.vert -n 2 --save-fingerprints prints.bin -q");
    assert_eq!(
        rig.ok("onion in.vert -n 2 --save-fingerprints - -q").stdout,
        rig.read("prints.bin")
    );
}

#[test]
fn a_template_with_many_copies_is_decided_on_without_a_list_of_pairs() {
    let rig = Rig::new();
    let text = |number: usize| {
        let words = (0..30).map(|place| {
            if place == number % 30 {
                format!("w{number}")
            } else {
                format!("t{place}")
            }
        });
        format!(
            "{{\"id\": {number}, \"text\": \"{}\"}}\n",
            words.collect::<Vec<_>>().join(" ")
        )
    };
    let texts: String = (0..3000).map(text).collect();
    rig.write("many.jsonl", &texts).write(
        "some.jsonl",
        texts.split_inclusive('\n').take(900).collect::<String>(),
    );
    assert_shown!(
        "template",
        rig.run("dedup many.jsonl -o out.jsonl --threshold 0.6 --run run -v")
    );
    assert_shown!("template_cluster", rig.run("explain run 7"));
    // The same decisions as on all pairs.
    rig.run("dedup some.jsonl -o all.jsonl --threshold 0.6");
    let start = |name: &str| {
        rig.text(name)
            .lines()
            .take(3)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(start("out.jsonl"), start("all.jsonl"));
    for options in ["--threads 1", "--threads 7 --memory 90M"] {
        rig.run(&format!(
            "dedup many.jsonl -o other.jsonl --threshold 0.6 --overwrite {options}"
        ));
        assert_eq!(rig.text("out.jsonl"), rig.text("other.jsonl"), "{options}");
    }
}

#[test]
fn what_is_counted_has_the_name_of_what_is_compared() {
    let rig = Rig::new();
    rig.write(
        "in.jsonl",
        "{\"text\":\"Call me now!\"}\n{\"text\":\"call  me now!\"}\n",
    );
    for (line, name) in [
        ("--recipe messages", "characters"),
        ("--recipe ssr --normalize default", "tokens"),
    ] {
        let ended = rig.ok(&format!("dedup in.jsonl -o out.jsonl {line}"));
        let head = ended.stderr.lines().find(|line| line.contains("documents"));
        assert!(head.unwrap().contains(name), "{}", ended.stderr);
        let equal = format!("; 2 with the same {name} as another\n");
        assert!(ended.stderr.contains(&equal), "{}", ended.stderr);
    }
}

#[test]
fn characters_of_chinese_that_count_twice_in_scores_count_once_in_figures() {
    let rig = Rig::new();
    rig.write(
        "in.jsonl",
        "{\"text\":\"今天的天气很好啊\"}\n{\"text\":\"see you\"}\n",
    );
    let tokens = |line: &str| {
        let found: serde_json::Value = serde_json::from_slice(&rig.ok(line).stdout).unwrap();
        found
    };
    let run = tokens("dedup in.jsonl -o out.jsonl --recipe messages --json -q");
    assert_eq!(run["balance"]["in"]["tokens"], 8 + 6, "{run}");
    let plan = tokens("plan in.jsonl --recipe messages --json");
    assert_eq!(plan["estimate"]["tokens"], 8 + 6, "{plan}");
}
