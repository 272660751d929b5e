//! Runs are looked at from any folder, and after their inputs have moved.

use crate::rig::{Ended, Rig};
use std::fs;

/// A collection in a folder, and a run on it from the folder above.
fn made() -> Rig {
    let rig = Rig::with("peps.jsonl");
    fs::create_dir(rig.path("corpus")).unwrap();
    fs::rename(rig.path("peps.jsonl"), rig.path("corpus/peps.jsonl")).unwrap();
    fs::create_dir(rig.path("elsewhere")).unwrap();
    rig.ok("dedup corpus -o out --threshold 0.5 --evidence all --run run -q");
    rig
}

fn from_elsewhere(rig: &Rig, line: &str) -> Ended {
    Ended::of(
        rig.command(line)
            .current_dir(rig.path("elsewhere"))
            .output()
            .unwrap(),
    )
}

fn removed_id(rig: &Rig) -> String {
    let listed = rig.ok("dedup --from run --list removed -q");
    listed.out().lines().next().unwrap().to_owned()
}

#[test]
fn a_run_is_explained_reported_and_decided_again_from_any_folder() {
    let rig = made();
    let id = removed_id(&rig);
    let here = rig.ok(&format!("explain run {id}"));
    let there = from_elsewhere(&rig, &format!("explain ../run {id}"));
    assert_eq!(
        (there.code, there.out()),
        (0, here.out()),
        "{}",
        there.stderr
    );
    rig.ok("report run -o here.html");
    let there = from_elsewhere(&rig, "report ../run -o there.html");
    assert_eq!(there.code, 0, "{}", there.stderr);
    assert!(
        there.stderr.contains("page written to there.html"),
        "{}",
        there.stderr
    );
    assert_eq!(rig.text("elsewhere/there.html"), rig.text("here.html"));
    let there = from_elsewhere(&rig, "dedup --from ../run -o out -q");
    assert_eq!(there.code, 0, "{}", there.stderr);
    assert!(rig.read("elsewhere/out/peps.jsonl") == rig.read("out/peps.jsonl"));
    let info: serde_json::Value = serde_json::from_str(&rig.text("run/run.json")).unwrap();
    assert_eq!(info["inputs"][0]["path"], "corpus/peps.jsonl");
    let absolute = fs::canonicalize(rig.path("corpus/peps.jsonl")).unwrap();
    assert_eq!(
        fs::canonicalize(info["inputs"][0]["absolute"].as_str().unwrap()).unwrap(),
        absolute
    );
}

#[test]
fn a_report_says_on_the_terminal_what_it_cannot_show() {
    let rig = made();
    fs::rename(rig.path("corpus"), rig.path("archive")).unwrap();
    let ended = rig.run("report run -o page.html");
    assert_eq!(ended.code, 2);
    for said in [
        "page written to page.html",
        "the page does not show",
        "corpus/peps.jsonl: the file that the run read is missing",
        "--root",
    ] {
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
    }
    let page = rig.text("page.html");
    assert_eq!(
        page.matches("corpus/peps.jsonl: the file that the run read is missing")
            .count(),
        2,
        "once for the cases, once for the words"
    );
}

#[test]
fn inputs_that_have_moved_are_found_below_the_root() {
    let rig = made();
    let id = removed_id(&rig);
    let before = rig.ok(&format!("explain run {id}"));
    rig.ok("report run -o before.html");
    rig.ok("pairs corpus --recipe exact --run other -q");
    let diff = rig.ok("diff run run");
    // Copied: the time is another one.
    fs::create_dir_all(rig.path("archive/old")).unwrap();
    rig.write(
        "archive/old/corpus/peps.jsonl",
        rig.read("corpus/peps.jsonl"),
    );
    fs::remove_dir_all(rig.path("corpus")).unwrap();
    assert_eq!(rig.run(&format!("explain run {id}")).code, 2);
    for root in ["archive/old", "archive/old/corpus"] {
        assert_eq!(
            rig.ok(&format!("explain run {id} --root {root}")).out(),
            before.out()
        );
        rig.ok(&format!("report run -o after.html --root {root}"));
        assert_eq!(rig.text("after.html"), rig.text("before.html"));
        assert_eq!(
            rig.ok(&format!("diff run run --root {root}")).out(),
            diff.out()
        );
        rig.ok(&format!("dedup --from run --root {root} -o again -q"));
        assert!(rig.read("again/peps.jsonl") == rig.read("out/peps.jsonl"));
    }
    // Another file of that name is not what the run read.
    rig.write("archive/new/corpus/peps.jsonl", "{\"text\":\"another\"}\n");
    rig.refuses(
        &format!("explain run {id} --root archive/new"),
        &["the file has changed since the run"],
    );
}
