use crate::rig::{Rig, assert_shown};

#[test]
fn dedup_sums_up() {
    let rig = Rig::with("peps.jsonl");
    assert_shown!("dedup", rig.run("dedup peps.jsonl -o out.jsonl --by group --by date:year"));
    assert_eq!(rig.files(), ["out.jsonl", "peps.jsonl"]);
}

#[test]
fn dedup_of_paragraphs_sums_up() {
    let rig = Rig::with("laws-sk.vert");
    assert_shown!("dedup_paragraphs", rig.run("dedup laws-sk.vert --unit paragraph -o out.vert"));
}

#[test]
fn mark_sums_up() {
    let rig = Rig::with("peps.jsonl");
    assert_shown!("mark", rig.run("mark peps.jsonl -o out.jsonl --recipe ssr"));
}

#[test]
fn pairs_sums_up() {
    let rig = Rig::with("peps.jsonl");
    assert_shown!("pairs", rig.run("pairs peps.jsonl -o pairs.tsv --recipe ssr --threshold 0.5"));
}

#[test]
fn the_summary_is_also_json() {
    let rig = Rig::with("peps.jsonl");
    assert_shown!("dedup_json", rig.run("dedup peps.jsonl -o out.jsonl --json"));
}

#[test]
fn several_files_are_told_apart() {
    let rig = Rig::with("peps.jsonl");
    let text = rig.text("peps.jsonl");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (at, lines) in lines.chunks(8).enumerate() {
        rig.write(&format!("in/{at:02}.jsonl"), lines.concat());
    }
    rig.write("in/.hidden.jsonl", "").write("in/photo.jpg", "").write("in/empty.jsonl", "");
    assert_shown!("dedup_folder", rig.run("dedup in -o out"));
    assert_eq!(rig.files().iter().filter(|name| name.starts_with("out/")).count(), 15);
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
    assert_shown!("repeated_ids", rig.run("dedup a.jsonl -o - --within source"));
    assert_shown!("strict_ids", rig.run("dedup a.jsonl -o out.jsonl --strict-ids"));
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
    for (name, line) in [("tegula", "-h"), ("dedup", "dedup -h"), ("mark", "mark -h"), ("pairs", "pairs -h")] {
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("help_{name}"), rig.ok(line).out());
        });
    }
}
