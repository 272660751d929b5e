use crate::rig::{Rig, assert_shown};

#[test]
fn a_run_is_decided_again_without_reading() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o a.jsonl --threshold 0.5 --run run --evidence all --by date -q");
    for options in
        ["--threshold 0.5", "--threshold 0.9", "--keep newest:date", "--threshold 0.7 --keep none", "--keep-per date:year"]
    {
        rig.ok(&format!("dedup --from run -o from.jsonl --removed from-removed.jsonl -q {options}"));
        let threshold = if options.contains("--threshold") { "" } else { "--threshold 0.5" };
        rig.ok(&format!("dedup peps.jsonl -o anew.jsonl --removed anew-removed.jsonl -q {options} {threshold}"));
        assert!(rig.read("from.jsonl") == rig.read("anew.jsonl"), "{options}");
        assert!(rig.read("from-removed.jsonl") == rig.read("anew-removed.jsonl"), "{options}");
    }
    assert_shown!("from_lower", rig.run("dedup --from run -o b.jsonl --threshold 0.4"));
    assert_shown!("from_field", rig.run("dedup --from run -o b.jsonl --keep newest:year"));
    assert_shown!("from_recipe", rig.run("dedup --from run -o b.jsonl --ngram 3"));
    assert_shown!("from_input", rig.run("dedup peps.jsonl --from run -o b.jsonl"));
    rig.write("peps.jsonl", "{\"text\":\"another\"}\n");
    assert_shown!("from_changed", rig.run("dedup --from run -o b.jsonl"));
}

#[test]
fn a_run_of_parts_is_decided_again() {
    for (sample, recipe) in [("laws-sk.vert", "sscr"), ("peps.jsonl", "ssr"), ("peps.jsonl", "exact")] {
        let rig = Rig::with(sample);
        rig.ok(&format!("pairs {sample} --recipe {recipe} --unit paragraph --run run -q"));
        rig.ok(&format!("dedup --from run -o from-{sample} -q"));
        rig.ok(&format!("dedup {sample} --recipe {recipe} --unit paragraph -o anew-{sample} -q"));
        assert!(rig.read(&format!("from-{sample}")) == rig.read(&format!("anew-{sample}")));
        rig.ok(&format!("mark --from run -o from-{sample} -q"));
        rig.ok(&format!("mark {sample} --recipe {recipe} --unit paragraph -o anew-{sample} -q"));
        assert!(rig.read(&format!("from-{sample}")) == rig.read(&format!("anew-{sample}")));
    }
}

#[test]
fn a_run_without_pairs_cannot_be_decided_again() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o a.jsonl --run run -q");
    assert_shown!("from_witness", rig.run("dedup --from run -o b.jsonl"));
    assert_shown!("from_nothing", rig.run("dedup --from none -o b.jsonl"));
}

#[test]
fn a_run_goes_on_where_it_stopped() {
    let rig = Rig::with("peps.jsonl");
    let line = "dedup peps.jsonl -o a.jsonl --run run --evidence all --resume";
    rig.ok(line);
    let first = rig.read("a.jsonl");
    let again = rig.ok(line);
    assert!(again.stderr.contains("stored evidence"), "{}", again.stderr);
    assert!(rig.read("a.jsonl") == first);
    assert_shown!("resume_recipe", rig.run("dedup peps.jsonl -o a.jsonl --run run --resume --ngram 3"));
    rig.write("b.jsonl", "{\"text\":\"x\"}\n");
    assert_shown!("resume_inputs", rig.run("dedup b.jsonl -o a.jsonl --run run --resume"));
}

#[test]
fn the_folder_of_a_run_holds_nothing_else() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o a.jsonl --run run --evidence all -q");
    let tables = ["clusters", "groups", "pairs", "units", "verdicts"].map(|table| format!("run/{table}.parquet"));
    let files: Vec<String> = rig.files().into_iter().filter(|name| tables.contains(name)).collect();
    assert_eq!(files, tables);
    let info: serde_json::Value = serde_json::from_str(&rig.text("run/run.json")).unwrap();
    assert_eq!(info["done"], true);
    assert_eq!(info["counts"]["balance"]["in"]["units"], 105);
    rig.write("notes/thesis.txt", "x");
    assert_shown!("run_folder", rig.run("dedup peps.jsonl -o a.jsonl --run notes"));
}
