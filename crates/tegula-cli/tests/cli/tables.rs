//! Tables of runs, and two runs side by side.

use crate::rig::{Rig, assert_shown};

/// A vertical file in which a paragraph comes again with another number, and one with its end cut
/// off.
fn laws() -> Rig {
    let rig = Rig::new();
    let paragraphs: [(&str, &[&str]); 3] = [
        (
            "a",
            &[
                "§ 12",
                "Na ochranu obetí medzinárodných ozbrojených konfliktov sa prijíma tento zákon .",
                "Z. z.",
            ],
        ),
        (
            "b",
            &[
                "§ 13",
                "Na ochranu obetí medzinárodných ozbrojených konfliktov sa prijíma tento zákon .",
                "Iný odsek je tu .",
            ],
        ),
        (
            "c",
            &[
                "§ 14",
                "Na ochranu obetí medzinárodných ozbrojených konfliktov sa prijíma .",
                "Z. z.",
            ],
        ),
    ];
    let mut text = String::new();
    for (id, paragraphs) in paragraphs {
        let paragraphs: Vec<String> = paragraphs
            .iter()
            .map(|paragraph| format!("<p>\n{}\n</p>\n", paragraph.replace(' ', "\n")))
            .collect();
        text.push_str(&["<doc id=\"", id, "\">\n", &paragraphs.concat(), "</doc>\n"].concat());
    }
    rig.write("laws.vert", text);
    rig.ok("mark laws.vert -o plain.vert --recipe plain --unit paragraph --run plain -q");
    rig.ok("mark laws.vert -o onion.vert --recipe onion --tokens found --unit paragraph --ngram 3 --threshold 0.8 --set onion.smooth=false --run onion -q");
    rig
}

#[test]
fn a_report_shows_the_balance_and_the_classes_of_length() {
    let rig = laws();
    assert_shown!("report", rig.ok("report plain --width 100"));
    assert_shown!("report_nothing", rig.run("report laws.vert"));
}

#[test]
fn words_that_copies_repeat_are_listed_with_examples() {
    let rig = Rig::new();
    let text = |id: usize, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    let copies = |id| text(id, "O ochrane obetí medzinárodných ozbrojených konfliktov.");
    let others = [
        "Vyhláška o náhradách pri vyvlastnení stavieb.",
        "Zmluva o medzinárodných vzťahoch a obetí sa netýka.",
    ];
    let lines: String = (0..7)
        .map(copies)
        .chain((7..).zip(others).map(|(id, other)| text(id, other)))
        .collect();
    rig.write("laws.jsonl", lines);
    rig.ok("dedup laws.jsonl -o clean.jsonl --recipe plain --run run -q");
    let shown = rig.ok("report run --width 140 --words").stdout;
    let words = String::from_utf8(shown).unwrap();
    let at = words.find("Words that the copies repeat").unwrap();
    insta::assert_snapshot!("report_words", &words[at..]);
    rig.ok("report run --words --tables tables");
    assert_eq!(rig.text("tables/words-4.tsv").lines().count(), 4);
}

#[test]
fn a_run_that_decided_nothing_has_no_report() {
    let rig = laws();
    rig.ok("pairs laws.vert -o pairs.tsv --run found -q");
    assert_shown!("report_undecided", rig.run("report found"));
}

#[test]
fn tables_are_written_as_tsv_and_latex() {
    let rig = laws();
    assert_shown!("report_tables", rig.ok("report plain --tables tables"));
    let files: Vec<String> = rig
        .files()
        .into_iter()
        .filter(|name| name.starts_with("tables/"))
        .collect();
    assert_eq!(
        files,
        [
            "tables/README.md",
            "tables/all.tex",
            "tables/balance.tex",
            "tables/balance.tsv",
            "tables/by-file.tex",
            "tables/by-file.tsv",
            "tables/length-classes-tokens.tex",
            "tables/length-classes-tokens.tsv",
            "tables/length-classes-units.tex",
            "tables/length-classes-units.tsv",
        ]
    );
    insta::assert_snapshot!("report_balance_tsv", rig.text("tables/balance.tsv"));
    insta::assert_snapshot!("report_balance_tex", rig.text("tables/balance.tex"));
    insta::assert_snapshot!("report_index", rig.text("tables/README.md"));
}

#[test]
fn two_runs_are_compared() {
    let rig = laws();
    assert_shown!("diff", rig.ok("diff plain onion --width 100"));
    let json: serde_json::Value =
        serde_json::from_slice(&rig.ok("diff plain onion --json").stdout).unwrap();
    let counts = |kind: &str| json["caught"][kind]["units"].as_u64().unwrap();
    assert_eq!(
        counts("both") + counts("first") + counts("second") + counts("neither"),
        9
    );
    let to_stdout = rig.ok("diff plain onion -o -").stdout;
    let ended = rig.ok("diff plain onion -o caught.tsv --tables tables");
    assert_eq!(rig.read("caught.tsv"), to_stdout);
    assert_eq!(
        ended.stderr,
        format!(
            "{} listed in caught.tsv\n",
            rig.text("caught.tsv").lines().count() - 1
        )
    );
    insta::assert_snapshot!("diff_list", rig.text("caught.tsv"));
    assert!(
        rig.text("tables/all.tex")
            .contains("\\input{diff-length-classes-tokens.tex}")
    );
}

#[test]
fn a_paragraph_is_caught_with_its_document() {
    let rig = laws();
    rig.ok("mark laws.vert -o documents.vert --recipe onion --ngram 3 --threshold 0.5 --run documents -q");
    let shown = rig.ok("diff documents plain --json");
    let json: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(
        (json["unit"].as_str(), json["units_of"].as_str()),
        (Some("paragraph"), Some("plain"))
    );
}

#[test]
fn runs_that_cannot_be_compared_are_refused() {
    let rig = laws();
    rig.write("other.vert", "<doc>\n<p>\nx\n</p>\n</doc>\n");
    rig.ok("mark other.vert -o out.vert --recipe plain --unit paragraph --run other -q");
    assert_shown!("diff_other_inputs", rig.run("diff plain other"));
    rig.ok("diff plain onion -o caught.html");
    let page = rig.text("caught.html");
    for text in [
        "What each run caught",
        "chart-caught-wide",
        "Only plain",
        "Examples",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert_shown!("diff_output", rig.run("diff plain onion -o caught.csv"));
}

#[test]
fn examples_do_without_texts_that_are_gone() {
    let rig = laws();
    std::fs::remove_file(rig.path("laws.vert")).unwrap();
    let ended = rig.ok("diff plain onion --examples 1 --width 100");
    assert!(
        ended.stderr.contains("examples are without their texts: "),
        "{}",
        ended.stderr
    );
    assert!(ended.out().contains("Only plain:"), "{}", ended.out());
}
