//! `tegula compare`, and the page of `tegula report`.

use crate::rig::{Rig, assert_shown};
use serde_json::Value;
use std::fmt::Write as _;

const FIRST: &str = "Why do roofs have tiles? The rain runs off a tile to the one below it. A tile that is broken lets the water in.";
const SECOND: &str = "Why do roofs have tiles? Because the rain runs off a tile to the one below it, and so down to the ground.";
const THIRD: &str = "Why do roofs have tiles? They look nice.";

fn essays() -> Rig {
    let rig = Rig::new();
    rig.write("essays/first.txt", FIRST)
        .write("essays/second.txt", SECOND)
        .write("essays/third.txt", THIRD);
    rig.write("question.txt", "Why do roofs have tiles?");
    rig
}

#[test]
fn two_texts_by_every_measure_and_side_by_side() {
    let rig = essays();
    assert_shown!(
        "compare_two",
        rig.ok("compare essays/first.txt essays/second.txt --ngram 3")
    );
    let json: Value = serde_json::from_str(
        rig.ok("compare essays/first.txt essays/second.txt --ngram 3 --json")
            .out(),
    )
    .unwrap();
    assert_eq!(
        (&json["a"]["id"], &json["a"]["tokens"]),
        (&"first.txt".into(), &25.into())
    );
    assert_eq!(json["sequences"]["count"], 2);
    assert!(json["levenshtein"]["tokens"]["distance"].as_u64().unwrap() > 5);
    rig.ok("compare essays/first.txt essays/second.txt -o two.html");
    assert!(
        rig.text("two.html")
            .contains("<title>first.txt and second.txt</title>")
    );
    assert!(
        !rig.text("two.html").contains("The score of the two is"),
        "shingles say it"
    );
    rig.ok("compare essays/first.txt essays/second.txt --recipe simhash -o bits.html");
    assert!(rig.text("bits.html").contains("Their simhashes are "));
}

#[test]
fn a_folder_as_a_matrix() {
    let rig = essays();
    assert_shown!("compare_folder", rig.ok("compare essays --ngram 3"));
    assert_shown!(
        "compare_folder_ignoring",
        rig.ok("compare essays --ngram 3 --ignore question.txt")
    );
    rig.ok("compare essays --ngram 3 -o pairs.tsv -q");
    let table = rig.text("pairs.tsv");
    assert_eq!(table.lines().count(), 4, "{table}");
    rig.ok("cluster pairs.tsv -o clusters.tsv --threshold 0.3");
    rig.ok("compare essays --ngram 3 --ignore question.txt -o essays.html");
    let page = rig.text("essays.html");
    assert!(page.contains("href=\"#pair-1-2\"") && page.contains("class=\"ignored\""));
    rig.ok("compare essays --ngram 3 --ignore question.txt -o again.html --threads 1");
    assert_eq!(page, rig.text("again.html"));
}

#[test]
fn a_pair_has_the_same_figures_in_a_folder_and_by_itself() {
    let rig = essays();
    let json = |line: &str| -> Value { serde_json::from_str(rig.ok(line).out()).unwrap() };
    let folder = json("compare essays --ngram 2 --json --ignore question.txt");
    let pair =
        json("compare essays/first.txt essays/second.txt --ngram 2 --json --ignore question.txt");
    let of_folder = folder["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .find(|pair| pair["id_b"] == "second.txt")
        .unwrap();
    assert_eq!(of_folder["measures"], pair["measures"]);
    assert_eq!(of_folder["ignored"], pair["ignored"]["common"]);
}

#[test]
fn equal_texts_and_other_encodings_are_compared_too() {
    let rig = Rig::new();
    rig.write(
        "t/a.txt",
        "Der Bär läßt grüßen und geht danach in den Wald.",
    );
    rig.write(
        "t/b.txt",
        b"Der B\xe4r l\xe4\xdft gr\xfc\xdfen und geht danach in den Wald.",
    );
    rig.write(
        "t/c.txt",
        "DER BÄR LÄßT GRÜßEN UND GEHT DANACH IN DEN WALD.",
    );
    let json: Value = serde_json::from_str(rig.ok("compare t --json").out()).unwrap();
    assert_eq!(json["pairs"].as_array().unwrap().len(), 3);
    assert!(
        json["pairs"]
            .as_array()
            .unwrap()
            .iter()
            .all(|pair| pair["measures"]["equal"] == true),
        "{json}"
    );
}

#[test]
fn what_cannot_be_compared_is_said_before_anything_is_written() {
    let rig = essays();
    for (line, wanted) in [
        ("compare", "expected two texts or a folder"),
        (
            "compare essays/first.txt",
            "expected at least two texts, found 1",
        ),
        (
            "compare essays -o x.png",
            "-o: expected a name that ends in .html",
        ),
        (
            "compare essays/first.txt essays/second.txt -o x.tsv",
            "expected a page",
        ),
        (
            "compare essays --unit paragraph",
            "--unit: expected document",
        ),
        ("compare essays --json -o x.html", "--json: expected no -o"),
        ("compare essays --ignore missing.txt", "missing.txt"),
    ] {
        rig.refuses(line, &[wanted]);
    }
    assert!(!rig.files().iter().any(|file| file.starts_with("x.")));
}

#[test]
fn the_page_of_a_run_is_the_same_each_time_and_does_without_its_inputs() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o out.jsonl --run run --threshold 0.6 -q");
    rig.ok("report run -o one.html");
    rig.ok("report run -o two.html --threads 1");
    let page = rig.text("one.html");
    assert_eq!(page, rig.text("two.html"));
    assert!(
        page.contains("Just below the threshold") && !page.contains("The texts cannot be shown")
    );
    std::fs::remove_file(rig.path("peps.jsonl")).unwrap();
    assert_eq!(
        rig.run("report run -o gone.html").code,
        2,
        "the page is there, but lacks texts"
    );
    let page = rig.text("gone.html");
    assert!(
        page.contains("The texts cannot be shown.")
            && page.contains("the file that the run read is missing")
    );
    assert_eq!(rig.run("report run -o x.html --near-misses").code, 2);
}

#[test]
fn the_least_similar_that_went_and_the_most_similar_that_stayed_frame_the_threshold() {
    let rig = Rig::new();
    let words: Vec<String> = (0..40).map(|word| format!("word{word}")).collect();
    let mut lines = String::new();
    for changed in 0..12 {
        let mut text = words.clone();
        text.iter_mut()
            .rev()
            .take(changed)
            .for_each(|word| *word = format!("{word}x{changed}"));
        let _ = writeln!(
            lines,
            "{{\"id\":\"c{changed:02}\",\"text\":\"{}\"}}",
            text.join(" ")
        );
    }
    rig.write("in.jsonl", lines);
    rig.ok("dedup in.jsonl -o out.jsonl --run run -q");
    rig.ok("report run -o page.html");
    let page = rig.text("page.html");
    let part = |from: &str, to: &str| {
        page.split(from)
            .nth(1)
            .unwrap()
            .split(to)
            .next()
            .unwrap()
            .to_owned()
    };
    // With nine of forty words changed, 27 of 36 shingles are shared, which is the threshold; with
    // ten, one less.
    assert!(
        part("<h3>The least similar", "Just below the threshold")
            .contains("score <span class=\"score\">0.7500")
    );
    let rejected = part("Just below the threshold", "id=\"verdicts\"");
    assert!(
        rejected.contains("score <span class=\"score\">0.7222"),
        "{}",
        &rejected[..400]
    );
}

#[test]
fn measures_of_a_collection_need_its_statistics() {
    let rig = Rig::new();
    rig.write("a.txt", "one two three four five six");
    rig.write("b.txt", "one two three four five seven");
    for recipe in ["cosine", "simfinder", "i-match", "revisions"] {
        let ended = rig.run(&format!("compare a.txt b.txt --recipe {recipe}"));
        let shown = ended.shown();
        assert!(shown.starts_with("exit code 2"), "{recipe}: {shown}");
        assert!(shown.contains("--statistics"), "{shown}");
    }
}

#[test]
fn long_names_are_cut_and_numbers_are_not() {
    let rig = Rig::new();
    let words: Vec<String> = (0..40).map(|word| format!("word{word}")).collect();
    for name in ["first_witness_1834_London", "second_witness_1835_London"] {
        rig.write(
            &format!("texts/a_very_long_name_of_the_{name}.txt"),
            words.join(" "),
        );
    }
    for width in [80, 60] {
        let shown = rig.ok(&format!("compare texts --width {width}"));
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        let table = shown.split_once("\n\n").unwrap().1;
        assert!(
            table.lines().all(|line| line.chars().count() <= width),
            "{shown}"
        );
        for whole in [
            "a_very_",
            "4_London.txt",
            "5_London.txt",
            "1.0000",
            "passages",
        ] {
            assert!(shown.contains(whole), "{whole}\n{shown}");
        }
    }
}

#[test]
fn a_baseline_is_compared_with_the_others_and_not_with_itself() {
    let rig = essays();
    rig.write("old/first.txt", FIRST)
        .write("old/again.txt", FIRST)
        .write("old/near.txt", FIRST.replace("rain", "snow"));
    let json: Value =
        serde_json::from_str(rig.ok("compare essays/ --baseline old/ --json").out()).unwrap();
    let pairs: Vec<[&str; 2]> = json["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| ["id_a", "id_b"].map(|id| pair[id].as_str().unwrap()))
        .collect();
    assert!(
        pairs.contains(&["first.txt", "baseline/again.txt"]),
        "{pairs:?}"
    );
    assert!(
        pairs.contains(&["first.txt", "baseline/near.txt"]),
        "{pairs:?}"
    );
    assert!(pairs.contains(&["first.txt", "second.txt"]), "{pairs:?}");
    let is_old = |id: &&str| id.starts_with("baseline/");
    assert!(
        pairs.iter().all(|pair| !pair.iter().all(is_old)),
        "{pairs:?}"
    );
    assert_eq!(json["texts"][3]["baseline"], true);
    let one = rig.ok("compare essays/second.txt --baseline old/");
    assert!(
        one.out().starts_with("1 text and 3 of the baseline, "),
        "{}",
        one.out()
    );
    rig.ok("compare essays/ --baseline old/ --baseline question.txt -o page.html");
    assert!(rig.text("page.html").contains("texts of the baseline"));
    rig.ok("index old.idx old/");
    for (wrong, expected) in [
        (
            "-",
            "--baseline: expected a file or folder, found standard input",
        ),
        ("old.idx", "expected texts, found an index"),
    ] {
        let said = rig.run(&format!("compare essays/ --baseline {wrong}"));
        assert!(said.stderr.contains(expected), "{}", said.stderr);
    }
}

#[test]
fn files_of_one_name_are_told_apart_by_their_paths() {
    let rig = Rig::new();
    let text = "one two three four five six seven eight nine ten\n";
    rig.write("draft/essay.txt", text)
        .write("draft/old/essay.txt", text);
    let two = rig.ok("compare draft/essay.txt draft/old/essay.txt");
    assert!(
        two.out().contains("draft/essay.txt") && two.out().contains("draft/old/essay.txt"),
        "{}",
        two.out()
    );
    // In a folder their names differ already.
    let all = rig.ok("compare draft");
    assert!(
        all.out().contains("\nessay.txt  old/essay.txt"),
        "{}",
        all.out()
    );
}
