//! `tegula stories`.

use crate::rig::{Rig, assert_shown};

/// A report in three papers over two weeks, one of them cut, one twice; another within a paper; and
/// what is too short.
fn news(rig: &Rig) {
    let storm = "The harbour of Aldenwick was closed on Monday, as a storm had torn away two of its piers; the ferries had to take the \
        ships to Brightsea until further notice, and nobody was hurt, said the office of the harbour on the same day";
    let cut = &storm[..160];
    let fair = "More visitors than ever before came to the spring fair of Brightsea this year, where farmers from all around the bay \
        showed what they grow, and the prize for the largest pumpkin went to a child of nine years";
    let lines = [
        ("o2", "2024-03-05", Some("Observer"), storm),
        ("c1", "2024-03-04", Some("Courier"), storm),
        ("t3", "2024-03-19", Some("Times"), cut),
        ("o9", "2024-03-06", Some("Observer"), storm),
        ("x0", "", None, cut),
        ("c7", "2024-03-11", Some("Courier"), fair),
        ("c8", "2024-03-11", Some("Courier"), fair),
        ("s1", "2024-03-01", Some("Times"), "Weather: fair"),
        ("s2", "2024-03-02", Some("Courier"), "Weather: fair"),
    ];
    let lines = lines.map(|(id, date, paper, text)| {
        let mut line = serde_json::json!({ "id": id, "paper": paper, "text": text });
        if !date.is_empty() {
            line["date"] = date.into();
        }
        line.to_string() + "\n"
    });
    rig.write("news.jsonl", lines.concat());
}

#[test]
fn stories_begin_with_their_earliest_text() {
    let rig = Rig::new();
    news(&rig);
    assert_shown!(
        "stories",
        rig.run("stories news.jsonl --date date --by paper")
    );
    assert_shown!(
        "stories_window",
        rig.run("stories news.jsonl --window date=3d -o - --texts texts.tsv")
    );
    assert_eq!(
        rig.text("texts.tsv").lines().nth(2).unwrap(),
        "1\to2\t2024-03-05\t1\t"
    );
    assert_shown!(
        "stories_sources",
        rig.run("stories news.jsonl --date date --by paper --min-sources 2 --min-tokens 1 -o - --form jsonl")
    );
}

#[test]
fn tables_and_page_are_the_same_whatever_threads_and_memory() {
    let rig = Rig::new();
    news(&rig);
    let run = |options: &str| {
        rig.ok(&format!(
            "stories news.jsonl --date date --by paper -o s.parquet --texts t.jsonl --report s.html -q {options}"
        ));
        ["s.parquet", "t.jsonl", "s.html"].map(|name| rig.read(name))
    };
    let first = run("--threads 1");
    assert!(run("--threads 7 --memory 64M") == first);
    let page = rig.text("s.html");
    for part in [
        "id=\"stories\"",
        "id=\"timeline\"",
        "<circle",
        "id=\"chart-days-wide\"",
        "id=\"first\"",
        "class=\"matrix\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
    rig.write(
        "one.jsonl",
        "{\"date\": \"2024-03-04\", \"text\": \"one text\"}\n",
    );
    rig.ok("stories one.jsonl --date date --report one.html -q");
    assert!(rig.text("one.html").contains("No two texts are similar"));
}

#[test]
fn wrong_options_are_named() {
    let rig = Rig::new();
    news(&rig);
    let all = rig.refused(
        "stories",
        &[
            "",
            "news.jsonl",
            "news.jsonl --date day",
            "news.jsonl --date paper",
            "news.jsonl --date date --by publisher",
            "news.jsonl --date date --min-sources 2",
            "news.jsonl --date date --recipe onion",
            "news.jsonl --date date -o stories.xml",
            "news.jsonl --date date -o s.tsv --texts s.tsv",
            "news.jsonl --date date -o news.jsonl",
        ],
    );
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("stories_options", all);
    });
}

#[test]
fn equal_texts_that_are_not_compared_are_one_text_and_no_copies() {
    let rig = Rig::new();
    let line = |id: &str, date: &str, text: &str| {
        serde_json::json!({ "id": id, "date": date, "paper": id, "text": text }).to_string() + "\n"
    };
    let text = "the ferries had to take the ships to Brightsea until further notice that week";
    rig.write(
        "apart.jsonl",
        line("a", "2024-01-01", text)
            + &line("b", "2024-01-03", text)
            + &line("c", "2024-01-02", &format!("{text} and all")),
    );
    rig.ok("stories apart.jsonl --window date=1d --min-tokens 1 -o s.jsonl -q");
    let story: serde_json::Value = serde_json::from_str(&rig.text("s.jsonl")).unwrap();
    assert_eq!(
        (&story["texts"], &story["different"]),
        (&3.into(), &2.into())
    );
    // The equal ones are in no window, or in no paper, together.
    for (constraint, identical) in [
        ("--window date=1d", 0),
        ("--window date=2d", 2),
        ("--within paper", 0),
        ("--within date:year", 2),
        ("--across paper", 2),
    ] {
        let ended = rig.ok(&format!(
            "dedup apart.jsonl -o out.jsonl --json -q {constraint}"
        ));
        let summary: serde_json::Value = serde_json::from_str(ended.out()).unwrap();
        assert_eq!(summary["identical"], identical, "{constraint}");
    }
    let ended = rig.ok("dedup apart.jsonl -o out.jsonl --within paper");
    assert!(ended.stderr.contains("no copies"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("0 pair"), "{}", ended.stderr);
}
