//! `tegula judge`.

use crate::rig::{Rig, assert_shown};

/// Six texts with copies of three degrees.
fn texts() -> Rig {
    let rig = Rig::new();
    let words = |from: usize, to: usize| -> String {
        let words: Vec<String> = (from..to).map(|at| format!("w{at}")).collect();
        words.join(" ")
    };
    let mut lines = String::new();
    for (id, text) in [
        ("a", words(0, 40)),
        ("b", words(0, 38)),
        ("c", words(0, 32) + " " + &words(60, 68)),
        ("d", words(100, 140)),
        ("e", words(100, 139)),
        ("f", words(100, 120) + " " + &words(160, 180)),
    ] {
        lines.push_str(&serde_json::json!({ "id": id, "text": text }).to_string());
        lines.push('\n');
    }
    rig.write("texts.jsonl", lines);
    rig.ok("pairs texts.jsonl --run run --threshold 0.3 -q");
    rig
}

#[test]
fn pairs_are_asked_for_one_by_one_and_answers_are_gold() {
    let rig = texts();
    let before = rig.digests();
    assert_shown!(
        "judge_ask",
        rig.fed(
            "judge run --threshold 0.75 --width 80 -o answers.tsv",
            "y\nwhat\nn\nb\n?\nq\n"
        )
    );
    rig.assert_unchanged(&before, "judge -o answers.tsv");
    let answers = rig.text("answers.tsv");
    assert_eq!(answers.lines().count(), 3, "{answers}");
    assert!(answers.ends_with("\t?\n"), "{answers}");
    // Those that are answered are not asked for again; the end of the input is the end.
    let ended = rig.fed(
        "judge run --threshold 0.75 --answers answers.tsv -o more.jsonl",
        "y\ny\n",
    );
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.out().contains("Pair 1 of 4"), "{}", ended.out());
    assert_eq!(rig.text("more.jsonl").lines().count(), 4);
    assert_shown!(
        "judge_estimate",
        rig.ok("judge run --threshold 0.75 --answers more.jsonl --width 90")
    );
    let json = rig.ok("judge run --threshold 0.75 --answers more.jsonl --form json");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["figures"][0]["name"], "precision");
    let found = rig.ok("evaluate more.jsonl run --judged-only --form json");
    let found: serde_json::Value = serde_json::from_slice(&found.stdout).unwrap();
    assert_eq!(found["gold"]["positives"], 3);
    assert_eq!(found["pairs"]["hits"], 3);
}

#[cfg(unix)]
#[test]
fn an_interrupted_session_keeps_its_answers_and_is_continued() {
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};
    let rig = texts();
    let mut child = rig
        .command("judge run -o answers.tsv --width 80")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"y\nn\n").unwrap();
    let (mut shown, mut out) = (Vec::new(), child.stdout.take().unwrap());
    while !String::from_utf8_lossy(&shown).contains("Pair 3 of 6") {
        let mut some = [0; 4096];
        let read = out.read(&mut some).unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&shown));
        shown.extend_from_slice(&some[..read]);
    }
    let kept = rig.text("answers.tsv");
    assert_eq!(kept.lines().count(), 3, "{kept}");
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(sent.success());
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(
        said.contains("the answers so far are in answers.tsv"),
        "{said}"
    );
    drop(input);
    assert_eq!(rig.text("answers.tsv"), kept);
    // The same line asks for the others, and keeps both.
    let ended = rig.fed("judge run -o answers.tsv --width 80", "n\n");
    assert!(ended.out().contains("Pair 1 of 4"), "{}", ended.out());
    let all = rig.text("answers.tsv");
    assert!(all.starts_with(&kept) && all.lines().count() == 4, "{all}");
    rig.write("answers.tsv", "a\tb\n");
    let ended = rig.fed("judge run -o answers.tsv", "n\n");
    assert_eq!(
        (ended.code, rig.text("answers.tsv").as_str()),
        (2, "a\tb\n")
    );
}

#[test]
fn a_page_has_the_pairs_and_the_answers_so_far() {
    let rig = texts();
    rig.write("old.tsv", "id_a\tid_b\tlabel\nb\ta\t1\n");
    rig.ok("judge run --answers old.tsv -o judge.html");
    let page = rig.text("judge.html");
    assert_eq!(page.matches("<article").count(), 6, "{page}");
    assert_eq!(page.matches("data-label=\"1\"").count(), 1);
    rig.ok("judge run --answers old.tsv -o again.html --seed 1 -q");
    assert_eq!(rig.text("again.html"), page);
    rig.ok("judge run -o two.html --pairs 2 --seed 7");
    assert_eq!(rig.text("two.html").matches("<article").count(), 2);
}

#[test]
fn two_runs_are_judged_by_where_they_differ() {
    let rig = texts();
    rig.ok("pairs texts.jsonl --run narrow --threshold 0.9 -q");
    let pairs = [
        ("a", "b", 1),
        ("a", "c", 0),
        ("b", "c", 0),
        ("d", "e", 1),
        ("d", "f", 0),
        ("e", "f", 0),
    ];
    let lines = pairs.map(|(a, b, label)| format!("{a}\t{b}\t{label}\n"));
    rig.write(
        "answers.tsv",
        "id_a\tid_b\tlabel\n".to_owned() + &lines.concat(),
    );
    assert_shown!(
        "judge_two",
        rig.ok("judge run --with narrow --answers answers.tsv --width 100")
    );
    assert_shown!(
        "judge_near_misses",
        rig.ok("judge narrow --near-misses --answers answers.tsv --width 100")
    );
}

#[test]
fn what_cannot_be_judged_is_refused() {
    let rig = texts();
    rig.ok("dedup texts.jsonl --run decided -o out.jsonl -q");
    rig.ok("dedup texts.jsonl --recipe benko --run staged -o out2.jsonl -q");
    rig.ok("dedup texts.jsonl --recipe exact --run exact -o out3.jsonl -q");
    rig.write("other.jsonl", "{\"id\":\"a\",\"text\":\"one two three\"}\n");
    rig.ok("pairs other.jsonl --run other -q");
    rig.write("strange.tsv", "id_a\tid_b\tlabel\nx\ty\t1\n")
        .write("twice.tsv", "id_a\tid_b\tlabel\na\tb\t1\nb\ta\t0\n")
        .write("bare.tsv", "a\tb\n")
        .write("empty.tsv", "");
    let lines = [
        "run",
        "run -o answers.csv",
        "run -o - ",
        "nothing -o a.html",
        "staged -o a.html",
        "other -o a.html",
        "run --with decided -o a.html",
        "run --with other -o a.html",
        "run --threshold 0.2 -o a.html",
        "exact --near-misses -o a.html",
        "run --answers strange.tsv",
        "run --answers twice.tsv",
        "run --answers bare.tsv",
        "run --answers empty.tsv",
    ];
    insta::assert_snapshot!("judge_refused", rig.refused("judge", &lines));
    std::fs::rename(rig.path("texts.jsonl"), rig.path("moved.jsonl")).unwrap();
    let ended = rig.run("judge run -o a.html");
    assert!(
        ended.code == 2 && ended.stderr.contains("--root"),
        "{}",
        ended.stderr
    );
    std::fs::create_dir(rig.path("there")).unwrap();
    std::fs::rename(rig.path("moved.jsonl"), rig.path("there/texts.jsonl")).unwrap();
    rig.ok("judge run -o a.html --root there -q");
}
