use crate::rig::{Rig, assert_shown};

#[test]
fn a_run_is_decided_again_without_reading() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o a.jsonl --threshold 0.5 --run run --evidence all --by date -q");
    for options in [
        "--threshold 0.5",
        "--threshold 0.9",
        "--keep newest:date",
        "--threshold 0.7 --keep none",
        "--keep-per date:year",
    ] {
        rig.ok(&format!(
            "dedup --from run -o from.jsonl --removed from-removed.jsonl -q {options}"
        ));
        let threshold = if options.contains("--threshold") {
            ""
        } else {
            "--threshold 0.5"
        };
        rig.ok(&format!(
            "dedup peps.jsonl -o anew.jsonl --removed anew-removed.jsonl -q {options} {threshold}"
        ));
        assert!(
            rig.read("from.jsonl") == rig.read("anew.jsonl"),
            "{options}"
        );
        assert!(
            rig.read("from-removed.jsonl") == rig.read("anew-removed.jsonl"),
            "{options}"
        );
    }
    assert_shown!(
        "from_lower",
        rig.run("dedup --from run -o b.jsonl --threshold 0.4")
    );
    assert_shown!(
        "from_field",
        rig.run("dedup --from run -o b.jsonl --keep newest:year")
    );
    assert_shown!(
        "from_recipe",
        rig.run("dedup --from run -o b.jsonl --ngram 3")
    );
    assert_shown!(
        "from_input",
        rig.run("dedup peps.jsonl --from run -o b.jsonl")
    );
    rig.write("peps.jsonl", "{\"text\":\"another\"}\n");
    assert_shown!("from_changed", rig.run("dedup --from run -o b.jsonl"));
}

#[test]
fn a_run_of_parts_is_decided_again() {
    for (sample, recipe) in [
        ("laws-sk.vert", "sscr"),
        ("peps.jsonl", "ssr"),
        ("peps.jsonl", "exact"),
    ] {
        let rig = Rig::with(sample);
        rig.ok(&format!(
            "pairs {sample} --recipe {recipe} --unit paragraph --run run -q"
        ));
        rig.ok(&format!("dedup --from run -o from-{sample} -q"));
        rig.ok(&format!(
            "dedup {sample} --recipe {recipe} --unit paragraph -o anew-{sample} -q"
        ));
        assert!(rig.read(&format!("from-{sample}")) == rig.read(&format!("anew-{sample}")));
        rig.ok(&format!("mark --from run -o from-{sample} -q"));
        rig.ok(&format!(
            "mark {sample} --recipe {recipe} --unit paragraph -o anew-{sample} -q"
        ));
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
    // What a run leaves that is killed when its tables have their names, but its stages are not
    // removed yet.
    rig.write("run/stages/manifest.json", "{}");
    rig.ok(line);
    assert!(!rig.path("run/stages").exists());
    assert_shown!(
        "resume_recipe",
        rig.run("dedup peps.jsonl -o a.jsonl --run run --resume --ngram 3")
    );
    rig.write("b.jsonl", "{\"text\":\"x\"}\n");
    assert_shown!(
        "resume_inputs",
        rig.run("dedup b.jsonl -o a.jsonl --run run --resume")
    );
}

#[test]
fn the_folder_of_a_run_holds_nothing_else() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o a.jsonl --run run --evidence all -q");
    let tables = ["clusters", "groups", "pairs", "units", "verdicts"]
        .map(|table| format!("run/{table}.parquet"));
    let files: Vec<String> = rig
        .files()
        .into_iter()
        .filter(|name| tables.contains(name))
        .collect();
    assert_eq!(files, tables);
    let info: serde_json::Value = serde_json::from_str(&rig.text("run/run.json")).unwrap();
    assert_eq!(info["done"], true);
    assert_eq!(info["counts"]["balance"]["in"]["units"], 105);
    rig.write("notes/thesis.txt", "x");
    assert_shown!(
        "run_folder",
        rig.run("dedup peps.jsonl -o a.jsonl --run notes")
    );
}

const NUMBERED: &str = "<doc id=\"a\">\n<p>\n§\n2\n</p>\n<p>\nThe\nduty\nis\nto\nbe\npaid\nby\nall\n</p>\n</doc>\n<doc id=\"b\">\n<p>\n(\n2\n)\n</p>\n<p>\nThe\nduty\nis\nto\nbe\npaid\nby\nall\n</p>\n</doc>\n";

#[test]
fn what_is_shorter_than_the_least_length_is_no_duplicate() {
    let rig = Rig::new();
    rig.write("law.vert", NUMBERED);
    let line = "law.vert --unit paragraph --recipe plain --set normalise.digits=keep";
    assert_eq!(
        rig.ok(&format!("dedup {line} --list removed -q")).out(),
        "b#p1\nb#p2\n",
        "(2) equals § 2"
    );
    let line = format!("{line} --min-tokens 2");
    assert_eq!(
        rig.ok(&format!("dedup {line} --list removed -q")).out(),
        "b#p2\n"
    );
}

#[test]
fn a_run_keeps_the_least_length_and_all_fields_that_pairs_agree_in() {
    let rig = Rig::with("laws-sk.vert");
    let ended = rig.ok("mark laws-sk.vert --unit paragraph -o marked.vert");
    assert!(
        ended
            .stderr
            .contains("--min-tokens 5 leaves units that short alone"),
        "{}",
        ended.stderr
    );
    rig.ok("mark laws-sk.vert --unit paragraph --min-tokens 5 -o anew.vert --run run --evidence all -q");
    rig.ok("mark --from run -o from.vert -q");
    assert!(rig.read("anew.vert") == rig.read("from.vert"));
    assert!(rig.read("anew.vert") != rig.read("marked.vert"));
    let info: serde_json::Value = serde_json::from_str(&rig.text("run/run.json")).unwrap();
    assert_eq!(info["counts"]["uncompared"]["min_tokens"], 5);
    assert!(
        info["counts"]["uncompared"]["units"].as_u64().unwrap() > 100,
        "{}",
        info["counts"]["uncompared"]
    );
    let again = rig.ok("mark laws-sk.vert --unit paragraph --min-tokens 5 -o b.vert --run run --evidence all --resume");
    assert!(
        again.stderr.contains("stored evidence") && again.stderr.contains("of fewer than 5 tokens"),
        "{}",
        again.stderr
    );
    let other =
        rig.run("mark laws-sk.vert --unit paragraph --min-tokens 6 -o b.vert --run run --resume");
    assert_eq!(other.code, 2, "another least length finds other pairs");
    let kept = rig.ok("dedup --from run --list kept -q");
    let short = kept
        .out()
        .lines()
        .find(|id| {
            rig.ok(&format!("explain run {id}"))
                .out()
                .contains("as only units of at least 5 are")
        })
        .unwrap();
    assert!(
        rig.ok(&format!("explain run {short}"))
            .out()
            .contains("compared with no other unit")
    );

    let text = "\"text\":\"one two three four five six seven\"";
    let records = [
        ("faz", "2001"),
        ("faz", "2002"),
        ("taz", "2001"),
        ("faz", "2001"),
    ];
    let lines = records.iter().enumerate().map(|(id, (paper, date))| {
        format!("{{\"id\":\"{id}\",\"paper\":\"{paper}\",\"date\":\"{date}-05-06\",{text}}}\n")
    });
    rig.write("news.jsonl", lines.collect::<String>());
    for (within, removed) in [
        ("--within paper", "1\n3\n"),
        ("--within paper --within date:year", "3\n"),
    ] {
        assert_eq!(
            rig.ok(&format!("dedup news.jsonl --list removed {within} -q"))
                .out(),
            removed,
            "{within}"
        );
        rig.ok(&format!("pairs news.jsonl --run news {within} -q"));
        assert_eq!(
            rig.ok("dedup --from news --list removed -q").out(),
            removed,
            "{within}"
        );
    }
}
