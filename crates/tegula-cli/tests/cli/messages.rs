//! Short messages: disguises undone, links and amounts that part copies, thresholds by length.

use crate::rig::Rig;
use serde_json::Value;

const SPAM: &str = r#"{"id":"plain","text":"Free money now! Win a cash prize, call 13800138000 today"}
{"id":"signs","text":"Fr33 m0ney n0w! W1n a ca$h prize, call 13800138000 today"}
{"id":"spaced","text":"F-r-e-e m.o.n.e.y n_o_w! Win a c a s h prize, call 13800138000 today"}
{"id":"repeated","text":"Freeee moooney nowww! Win a cash prizeee, call 13800138000 today"}
{"id":"greek","text":"Frее mоney nоw! Win a cаsh prize, call 13800138000 today"}
{"id":"other","text":"Are we still meeting at the station at seven tonight?"}
"#;

const OFFERS: &str = r#"{"id":"a","text":"Your parcel is waiting, pay the fee of $5 at post.com/x1 and it will be delivered tomorrow morning"}
{"id":"b","text":"Your parcel is waiting, pay the fee of $50 at post.com/x1 and it will be delivered tomorrow morning"}
{"id":"c","text":"Your parcel is waiting, pay the fee of $5 at p0st.ru/zz and it will be delivered tomorrow morning"}
{"id":"d","text":"your parcel is waiting: pay the fee of $5 at post.com/x1 and it will be delivered tomorrow morning!"}
"#;

fn found(rig: &Rig, line: &str) -> Vec<String> {
    let pairs = rig.ok(line);
    let row = |row: &str| {
        let cells: Vec<&str> = row.split('\t').collect();
        format!("{} {}", cells[2], cells[3])
    };
    pairs.out().lines().skip(1).map(row).collect()
}

#[test]
fn disguised_messages_are_copies_of_the_plain_one() {
    let rig = Rig::new();
    rig.write("in.jsonl", SPAM);
    rig.ok("dedup in.jsonl -o out.jsonl --recipe messages -q --run run");
    let kept = rig.text("out.jsonl");
    assert_eq!(kept.lines().count(), 2, "{kept}");
    // The reader sees what was written.
    let shown = rig.ok("explain run signs plain");
    assert!(
        shown.out().contains("Fr33 m0ney n0w! W1n a ca$h"),
        "{}",
        shown.out()
    );
    assert!(
        shown.out().contains("equal after normalisation"),
        "{}",
        shown.out()
    );
}

#[test]
fn links_and_amounts_part_copies_if_asked() {
    let rig = Rig::new();
    rig.write("in.jsonl", OFFERS);
    let base = "pairs in.jsonl --recipe messages --threshold 0.8 -q -o -";
    assert_eq!(found(&rig, base).len(), 6);
    for (distinct, left) in [
        (r#""all""#, vec!["a d"]),
        (r#"["amounts"]"#, vec!["a c", "a d", "c d"]),
        (r#"["links"]"#, vec!["a b", "a d", "b d"]),
        (r#""none""#, vec!["a b", "a c", "a d", "b c", "b d", "c d"]),
    ] {
        assert_eq!(
            found(&rig, &format!("{base} --set distinct={distinct}")),
            left
        );
    }
    let line = "dedup in.jsonl -o out.jsonl --recipe messages --threshold 0.8 --run run --set distinct=\"all\"";
    let ended = rig.ok(line);
    assert!(
        ended
            .stderr
            .contains("not copies: 5 with other links, amounts, codes or numbers (distinct)"),
        "{}",
        ended.stderr
    );
    let info: Value = serde_json::from_str(&rig.text("run/run.json")).unwrap();
    assert_eq!(info["counts"]["hidden"]["distinct"], 5);
    assert_eq!(rig.text("out.jsonl").lines().count(), 3);
    let shown = rig.ok("explain run a c");
    assert!(
        shown
            .out()
            .contains("They differ in links post.com/x1 / p0st.ru/zz"),
        "{}",
        shown.out()
    );
    let hidden = "The run hides the pair: links differ (distinct).";
    assert!(shown.out().contains(hidden), "{}", shown.out());
    assert!(!rig.ok("explain run a d").out().contains("hides"));
    // Equal tokens, other amounts: no exact copies either.
    rig.write("equal.jsonl", "{\"id\":\"a\",\"text\":\"pay $5 now or be sorry\"}\n{\"id\":\"b\",\"text\":\"pay 5 now, or be sorry\"}\n");
    let base = "pairs equal.jsonl --recipe ssr --ngram 2 -q -o -";
    assert_eq!(found(&rig, base).len(), 1);
    assert!(found(&rig, &format!("{base} --set distinct=\"all\"")).is_empty());
}

#[test]
fn a_short_text_may_have_a_higher_threshold() {
    let rig = Rig::new();
    let long = |word: &str| {
        format!("one two three four five six seven eight nine {word} eleven twelve thirteen")
    };
    let record = |id: &str, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    let texts = [
        record("a", "yes I will come"),
        record("b", "no I will come"),
        record("c", &long("ten")),
        record("d", &long("zehn")),
    ];
    rig.write("in.jsonl", texts.concat());
    rig.write(
        "own.toml",
        "recipe = 'ssr'\nngram = 1\nthreshold = '0.6'\nthresholds = '0.8 up to 8'\n",
    );
    rig.write(
        "late.toml",
        "recipe = 'exact'\nthresholds = '0.8 up to 8'\n",
    );
    let usual = "pairs in.jsonl --recipe ssr --ngram 1 --threshold 0.6 -q -o -";
    assert_eq!(found(&rig, usual), ["a b", "c d"]);
    assert_eq!(
        found(&rig, "pairs in.jsonl --recipe own.toml -q -o -"),
        ["c d"]
    );
    let summary = rig.ok("pairs in.jsonl --recipe own.toml -o pairs.tsv");
    assert!(
        summary
            .stderr
            .contains("1 below the threshold of their length"),
        "{}",
        summary.stderr
    );
    rig.ok("pairs in.jsonl --recipe own.toml -q --run run");
    let shown = rig.ok("explain run a b --json");
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let hidden = &shown["comparison"]["hidden"];
    assert_eq!(
        hidden.to_string(),
        r#"{"rule":"thresholds","score":0.6,"least":0.8}"#
    );
    // Below the threshold of the recipe nothing was hidden.
    assert!(!rig.ok("explain run a c").out().contains("hides"));
    let refused = rig.run("pairs in.jsonl --recipe late.toml -q -o -");
    assert!(
        refused.code == 2 && refused.stderr.contains("thresholds"),
        "{}",
        refused.stderr
    );
}

#[test]
fn what_differs_is_named_wherever_two_texts_are_shown() {
    let rig = Rig::new();
    rig.write("in.jsonl", OFFERS);
    rig.ok("mark in.jsonl -o out.jsonl --recipe messages --set unmasked=0.5 --run run -q");
    rig.ok("report run -o report.html -q");
    rig.ok("judge run -o judge.html -q");
    rig.write("a.txt", "pay $5 at post.com/x1")
        .write("b.txt", "pay $50 at post.com/x1");
    rig.ok("compare a.txt b.txt --recipe messages -o pair.html");
    let asked = rig.fed("judge run -o answers.tsv", "q\n");
    let pages = ["report.html", "judge.html", "pair.html"].map(|page| rig.text(page));
    for shown in pages.iter().map(String::as_str).chain([asked.out()]) {
        assert!(
            shown.contains("They differ in ") && shown.contains("amounts $5"),
            "{shown}"
        );
    }
    // What masks make similar may be too different without them.
    rig.ok("pairs in.jsonl --recipe messages --set unmasked=0.95 --run apart -q");
    let shown = rig.ok("explain apart a c");
    let hidden = "The run hides the pair: score 0.";
    assert!(shown.out().contains(hidden), "{}", shown.out());
    assert!(
        shown
            .out()
            .contains("without masks, below 0.95 (unmasked).")
    );
}
