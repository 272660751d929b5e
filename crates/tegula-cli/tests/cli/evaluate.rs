//! Results held against gold.

use crate::rig::{Rig, assert_shown};
use std::fmt::Write as _;

/// Three copies, two copies, one text alone; two true pairs and a wrong one.
fn lists() -> Rig {
    let rig = Rig::new();
    rig.write(
        "gold.tsv",
        "id\tgroup\na\t1\nb\t1\nc\t1\nd\t2\ne\t2\nf\t3\n",
    );
    rig.write(
        "found.tsv",
        "id_a\tid_b\tscore\na\tb\t0.9\nb\tc\t0.8\nd\tf\t0.7\n",
    );
    rig
}

#[test]
fn a_result_is_held_against_groups() {
    let rig = lists();
    assert_shown!(
        "evaluate",
        rig.ok("evaluate gold.tsv found.tsv --sweep --width 100")
    );
    let json: serde_json::Value =
        serde_json::from_slice(&rig.ok("evaluate gold.tsv found.tsv --form json").stdout).unwrap();
    assert_eq!(
        (
            json["pairs"]["found"].as_u64(),
            json["pairs"]["hits"].as_u64()
        ),
        (Some(3), Some(2))
    );
    let tsv = rig.ok("evaluate gold.tsv found.tsv --form tsv");
    assert!(
        tsv.out().starts_with("True pairs\tFound\tRight\t"),
        "{}",
        tsv.out()
    );
    rig.ok("evaluate gold.tsv found.tsv --sweep -o curve.html");
    assert!(rig.text("curve.html").contains("polyline"));
}

#[test]
fn a_run_is_judged_by_its_pairs_and_a_pipe_by_its_lines() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("pairs peps.jsonl -o pairs.tsv --expand --threshold 0.3 --run run -q");
    let of_run = rig.ok("evaluate peps.jsonl run --sweep --form json").stdout;
    let listed = rig
        .ok("evaluate peps.jsonl run/pairs.parquet --sweep --form json")
        .stdout;
    assert_eq!(of_run, listed);
    let figures = |line: &str| {
        let json: serde_json::Value = serde_json::from_slice(&rig.ok(line).stdout).unwrap();
        [
            &json["pairs"]["found"],
            &json["pairs"]["hits"],
            &json["pairs"]["positives"],
        ]
        .map(|value| value.as_u64().unwrap())
    };
    assert_eq!(
        figures("evaluate peps.jsonl run --form json"),
        figures("evaluate peps.jsonl pairs.tsv --form json")
    );
}

/// An evaluation as JSON.
fn json(rig: &Rig, line: &str) -> serde_json::Value {
    serde_json::from_slice(&rig.ok(&format!("evaluate {line} --form json")).stdout).unwrap()
}

#[test]
fn a_run_is_judged_by_its_removals_first_and_by_its_clusters_where_asked() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o out.jsonl --removed removed.jsonl --run run -q");
    let found = json(&rig, "peps.jsonl run");
    let removed = rig.text("removed.jsonl").lines().count() as u64;
    let right = rig
        .text("removed.jsonl")
        .lines()
        .filter(|line| {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            record["duplicate_of"].as_str().unwrap().split('@').next()
                == record["id"].as_str().unwrap().split('@').next()
        })
        .count() as u64;
    assert_eq!(
        (
            found["removals"]["removed"].as_u64(),
            found["removals"]["right"].as_u64()
        ),
        (Some(removed), Some(right))
    );
    assert_eq!(found["result"]["of"], "verdicts");
    assert_eq!(found["pairs"]["found"].as_u64(), Some(removed));
    assert!(
        rig.ok("evaluate peps.jsonl run")
            .out()
            .starts_with("The result, by removal")
    );
    let clusters = json(&rig, "peps.jsonl run --clusters");
    assert_eq!(
        (&clusters["result"]["of"], &clusters["transitive"]),
        (&"clusters".into(), &true.into())
    );
    assert!(clusters["pairs"]["found"].as_u64() > Some(removed));
    // With all pairs kept these are judged; the halves add up.
    rig.ok("dedup peps.jsonl -o all.jsonl --run all --evidence all -q");
    let pairs = json(&rig, "peps.jsonl all");
    assert_eq!(
        (&pairs["result"]["of"], &pairs["removals"]),
        (&"pairs".into(), &found["removals"])
    );
    let half = |half: &str| {
        json(&rig, &format!("peps.jsonl all --half {half}"))["removals"]["removed"]
            .as_u64()
            .unwrap()
    };
    assert_eq!(half("a") + half("b"), removed);
}

#[test]
fn runs_of_onion_and_of_several_stages_are_judged_by_document() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o out.jsonl --recipe onion --run onion -q");
    let found = json(&rig, "peps.jsonl onion");
    assert!(
        found["removals"]["removed"].as_u64() > Some(20)
            && found["pairs"]["precision"].as_f64() > Some(0.9),
        "{found}"
    );
    assert!(
        rig.run("evaluate peps.jsonl onion --clusters")
            .stderr
            .contains("--clusters")
    );
    rig.ok("dedup peps.jsonl -o stages.jsonl --recipe benko --run stages -q");
    let found = json(&rig, "peps.jsonl stages");
    assert_eq!(found["result"]["rolled_up"], true);
    assert!(
        found["removals"]["removable"].is_null() && found["pairs"]["found"].as_u64() > Some(20),
        "{found}"
    );
    // A document of which most is in paragraphs that another has is a copy; one shared paragraph is
    // none.
    let long = |word: &str| {
        (0..30)
            .map(|at| format!("{word}{at}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let record = |id: &str, group: &str, parts: [&str; 2]| {
        let text = parts.map(long).join("\\n\\n");
        format!(
            "{{\"id\":\"{id}\",\"group\":\"{group}\",\"text\":\"{text} Copyright by us all, now and ever.\"}}\n"
        )
    };
    let [a, b, c] = [
        record("a", "1", ["x", "y"]),
        record("b", "1", ["x", "y"]),
        record("c", "2", ["v", "w"]),
    ];
    rig.write(
        "short.jsonl",
        [
            &a,
            &b,
            &c,
            "{\"id\":\"d\",\"group\":\"2\",\"text\":\"",
            &long("v"),
            "\"}\n",
        ]
        .concat(),
    );
    rig.ok("pairs short.jsonl --unit paragraph --run parts -q");
    let found = json(&rig, "short.jsonl parts");
    assert_eq!(
        (&found["result"]["by_share"], &found["threshold"]),
        (&true.into(), &0.5.into())
    );
    assert_eq!(
        (&found["pairs"]["found"], &found["pairs"]["hits"]),
        (&2.into(), &2.into()),
        "{found}"
    );
    // Paragraphs of a list stand for their documents too; gold that has them as they are keeps
    // them.
    rig.write("gold.tsv", "id\tgroup\nx\t1\ny\t1\nz\t2\nz#p2\t1\n");
    rig.write(
        "found.tsv",
        "id_a\tid_b\tscore\nx#p1\ty#p7\t0.9\nx#p2\tx#p3\t0.9\nx#p1\tz#p2\t0.8\n",
    );
    let found = json(&rig, "gold.tsv found.tsv");
    assert_eq!(
        (
            &found["result"]["pairs"],
            &found["pairs"]["hits"],
            &found["result"]["rolled_up"]
        ),
        (&2.into(), &2.into(), &true.into())
    );
    let found = json(&rig, "gold.tsv found.tsv --roll-up");
    assert_eq!(found["pairs"]["hits"], 1);
}

#[test]
fn documents_are_listed_one_a_line() {
    let rig = lists();
    rig.write("pairs.tsv", "id_a\tid_b\tlabel\na\tb\t1\n")
        .write("ids.txt", "a\nb\nc\nd\ne\nf\ng h\n");
    rig.write("with-head.txt", "id\na\nb\nc\nd\ne\nf\ng h\n");
    for list in ["ids.txt", "with-head.txt"] {
        let found = json(&rig, &format!("pairs.tsv found.tsv --documents {list}"));
        assert_eq!(found["gold"]["documents"], 7, "{list}");
    }
}

#[test]
fn wrong_lists_are_refused() {
    let rig = lists();
    rig.write("none.tsv", "id\tgroup\na\t1\nb\t2\n")
        .write("others.tsv", "x\ty\n")
        .write("plain.tsv", "a\tb\n");
    assert_shown!(
        "evaluate_no_positives",
        rig.run("evaluate none.tsv found.tsv")
    );
    assert_shown!(
        "evaluate_other_ids",
        rig.run("evaluate gold.tsv others.tsv")
    );
    assert_shown!(
        "evaluate_no_scores",
        rig.run("evaluate gold.tsv plain.tsv --sweep")
    );
    assert_shown!(
        "evaluate_output",
        rig.run("evaluate gold.tsv found.tsv -o figures.txt")
    );
}

#[test]
fn sentences_with_ids_of_their_own_stand_for_their_documents() {
    let rig = Rig::new();
    let sentence = |id: &str, words: &str| {
        let mut out = format!("# sent_id = {id}\n");
        for (at, word) in (1..).zip(words.split(' ')) {
            let _ = writeln!(out, "{at}\t{word}{}", "\t_".repeat(8));
        }
        out + "\n"
    };
    let shared = "the council of the town met on monday to settle the budget for the coming year";
    let mut text = String::new();
    for (document, first, second) in [
        (
            "a",
            shared,
            "nothing else was said in the hall about roads and bridges that day",
        ),
        (
            "b",
            "an entirely different beginning was found for this second report by its author",
            shared,
        ),
        (
            "c",
            "rain fell over the hills while all of the cattle stood under old trees",
            "so ends the last of three",
        ),
    ] {
        let (first, second) = (
            sentence(&format!("{document}-one"), first),
            sentence(&format!("{document}-two"), second),
        );
        let _ = write!(text, "# newdoc id = {document}\n{first}{second}");
    }
    rig.write("texts.conllu", &text);
    rig.ok("dedup texts.conllu -o out.conllu --unit sentence --run run -q");
    rig.write("gold.tsv", "id\tgroup\na\t1\nb\t1\nc\t2\n");
    let found = json(&rig, "gold.tsv run");
    assert_eq!(
        (&found["result"]["rolled_up"], &found["pairs"]["hits"]),
        (&true.into(), &1.into()),
        "{found}"
    );
}

#[test]
fn results_are_compared_by_the_same_resamples() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("pairs peps.jsonl --run copies --threshold 0.3 -q");
    rig.ok("pairs peps.jsonl --run sscr --recipe sscr --threshold 0.3 -q");
    assert_shown!(
        "evaluate_results",
        rig.ok("evaluate peps.jsonl copies sscr --width 100")
    );
    let both = json(&rig, "peps.jsonl copies sscr");
    let alone = json(&rig, "peps.jsonl copies");
    assert_eq!(both["results"][0]["intervals"], alone["intervals"]);
    assert_eq!(both["results"][1]["name"], "sscr");
    assert!(both["differences"][0]["f1"]["interval"][0].is_number());
    let again = json(&rig, "peps.jsonl sscr copies");
    let gap = |found: &serde_json::Value| found["differences"][0]["f1"]["difference"].as_f64();
    assert_eq!(gap(&both), gap(&again).map(|gap| -gap));
    // A table has the ends of intervals in columns of their own, or has none.
    let head = |options: &str| {
        let ended = rig.ok(&format!("evaluate peps.jsonl copies --form tsv {options}"));
        ended.out().lines().next().unwrap().to_owned()
    };
    assert!(head("").contains("Precision\tPrecision from\tPrecision to\tRecall\t"));
    assert!(!head("--resamples 0").contains("from"));
    rig.ok("evaluate peps.jsonl copies sscr --sweep -o curves.html");
    assert_eq!(rig.text("curves.html").matches("<polyline").count(), 4);
    for line in [
        "evaluate peps.jsonl copies copies",
        "evaluate peps.jsonl copies --resamples 100001",
        "evaluate peps.jsonl copies --text-key body",
    ] {
        assert_eq!(rig.run(line).code, 2, "{line}");
    }
}

#[test]
fn documents_are_judged_by_class() {
    let rig = lists();
    rig.write(
        "docs.jsonl",
        concat!(
            r#"{"id":"a","group":1,"paper":"x","date":"2024-05-01","text":"one two"}"#,
            "\n",
            r#"{"id":"b","group":1,"paper":"y","date":"2023-05-01","text":"one two three four"}"#,
            "\n",
            r#"{"id":"c","group":1,"paper":"x","date":"","text":"one"}"#,
            "\n",
            r#"{"id":"d","group":2,"text":""}"#,
            "\n",
            r#"{"id":"e","group":2,"paper":"x","date":"2024-01-01","text":"one two"}"#,
            "\n",
            r#"{"id":"f","group":3,"paper":"x","date":"2024-01-01","text":"one two"}"#,
            "\n",
        ),
    );
    assert_shown!(
        "evaluate_classes",
        rig.ok(
            "evaluate docs.jsonl found.tsv --by paper --by date:year --by-length tokens --form tsv"
        )
    );
    let found = json(
        &rig,
        "docs.jsonl found.tsv --by-length characters --text-key paper",
    );
    assert_eq!(found["classes"][0]["by"], "characters");
    rig.write("pairs.tsv", "id_a\tid_b\tlabel\na\tb\t1\nd\tf\t0\n");
    let found = json(
        &rig,
        "pairs.tsv found.tsv --by paper --documents docs.jsonl",
    );
    assert_eq!(found["classes"][0]["classes"][0]["documents"], 4);
    let refused: String = [
        "docs.jsonl found.tsv --by journal",
        "docs.jsonl found.tsv --by paper:year",
        "pairs.tsv found.tsv --by paper",
    ]
    .map(|line| rig.run(&format!("evaluate {line}")).shown())
    .concat();
    insta::assert_snapshot!("evaluate_classes_refused", refused);
}
