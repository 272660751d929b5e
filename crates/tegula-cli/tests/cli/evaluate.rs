//! Results held against gold.

use crate::rig::{Rig, assert_shown};

/// Three copies, two copies, one text alone; two true pairs and a wrong one.
fn lists() -> Rig {
    let rig = Rig::new();
    rig.write("gold.tsv", "id\tgroup\na\t1\nb\t1\nc\t1\nd\t2\ne\t2\nf\t3\n");
    rig.write("found.tsv", "id_a\tid_b\tscore\na\tb\t0.9\nb\tc\t0.8\nd\tf\t0.7\n");
    rig
}

#[test]
fn a_result_is_held_against_groups() {
    let rig = lists();
    assert_shown!("evaluate", rig.ok("evaluate gold.tsv found.tsv --sweep --width 100"));
    let json: serde_json::Value = serde_json::from_slice(&rig.ok("evaluate gold.tsv found.tsv --form json").stdout).unwrap();
    assert_eq!((json["pairs"]["found"].as_u64(), json["pairs"]["hits"].as_u64()), (Some(3), Some(2)));
    let tsv = rig.ok("evaluate gold.tsv found.tsv --form tsv");
    assert!(tsv.out().starts_with("True pairs\tFound\tRight\t"), "{}", tsv.out());
    rig.ok("evaluate gold.tsv found.tsv --sweep -o curve.html");
    assert!(rig.text("curve.html").contains("polyline"));
}

#[test]
fn a_run_is_judged_by_its_pairs_and_a_pipe_by_its_lines() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("pairs peps.jsonl -o pairs.tsv --expand --threshold 0.3 --run run -q");
    let of_run = rig.ok("evaluate peps.jsonl run --sweep --form json").stdout;
    let listed = rig.ok("evaluate peps.jsonl run/pairs.parquet --sweep --form json").stdout;
    assert_eq!(of_run, listed);
    let figures = |line: &str| {
        let json: serde_json::Value = serde_json::from_slice(&rig.ok(line).stdout).unwrap();
        [&json["pairs"]["found"], &json["pairs"]["hits"], &json["pairs"]["positives"]].map(|value| value.as_u64().unwrap())
    };
    assert_eq!(figures("evaluate peps.jsonl run --form json"), figures("evaluate peps.jsonl pairs.tsv --form json"));
}

#[test]
fn wrong_lists_are_refused() {
    let rig = lists();
    rig.write("none.tsv", "id\tgroup\na\t1\nb\t2\n").write("others.tsv", "x\ty\n").write("plain.tsv", "a\tb\n");
    assert_shown!("evaluate_no_positives", rig.run("evaluate none.tsv found.tsv"));
    assert_shown!("evaluate_other_ids", rig.run("evaluate gold.tsv others.tsv"));
    assert_shown!("evaluate_no_scores", rig.run("evaluate gold.tsv plain.tsv --sweep"));
    assert_shown!("evaluate_output", rig.run("evaluate gold.tsv found.tsv -o figures.txt"));
}
