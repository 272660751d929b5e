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
            "tables/recurring.tex",
            "tables/recurring.tsv",
        ]
    );
    insta::assert_snapshot!("report_balance_tsv", rig.text("tables/balance.tsv"));
    insta::assert_snapshot!("report_balance_tex", rig.text("tables/balance.tex"));
    insta::assert_snapshot!("report_index", rig.text("tables/README.md"));
}

#[test]
fn the_page_lists_what_recurs_most_with_its_text() {
    let rig = laws();
    rig.ok("report plain -o page.html -q");
    rig.ok("report plain --tables tables -q");
    let (page, listed) = (rig.text("page.html"), rig.text("tables/recurring.tsv"));
    let texts: Vec<&str> = listed
        .lines()
        .skip(1)
        .filter_map(|line| line.split('\t').next())
        .collect();
    assert!(!texts.is_empty() && page.contains("id=\"table-recurring\""));
    for text in texts {
        assert!(!text.is_empty() && page.contains(text), "{text}");
    }
    // Without the inputs, it says why there are no texts.
    std::fs::remove_file(rig.path("laws.vert")).unwrap();
    assert_eq!(rig.run("report plain -o gone.html -q").code, 2);
    rig.ok("report plain --tables gone -q");
    assert!(
        rig.text("gone.html")
            .contains("The texts cannot be shown: ")
    );
    assert!(rig.text("gone/recurring.tsv").starts_with("Paragraphs\t"));
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

#[test]
fn years_of_dates_have_tables_and_charts() {
    let rig = Rig::new();
    let dates = [
        "2019-01-05",
        "2018-03-04",
        "2018-07-01",
        "2019-06-01",
        "no",
        "2018-01-01",
    ];
    let copy = "the harbour was closed on Monday as a storm had torn away two of its piers";
    let lines: String = dates
        .iter()
        .enumerate()
        .map(|(at, date)| {
            let text = if at < 3 {
                copy.to_owned()
            } else {
                format!("{copy} and part {at} of {date} is all new here")
            };
            serde_json::json!({ "id": at, "date": date, "text": text }).to_string() + "\n"
        })
        .collect();
    rig.write("a.jsonl", lines);
    for (part, names) in [
        ("year", vec!["2018", "2019", "(missing)"]),
        (
            "month",
            vec![
                "2018-01",
                "2018-03",
                "2018-07",
                "2019-01",
                "2019-06",
                "(missing)",
            ],
        ),
        (
            "day",
            vec![
                "2018-01-01",
                "2018-03-04",
                "2018-07-01",
                "2019-01-05",
                "2019-06-01",
                "(missing)",
            ],
        ),
    ] {
        rig.ok(&format!(
            "dedup a.jsonl -o {part}.jsonl --by date:{part} --run {part} -q"
        ));
        rig.ok(&format!(
            "report {part} --tables t-{part} -o {part}.html -q"
        ));
        let table = rig.text(&format!("t-{part}/by-date-{part}.tsv"));
        let rows: Vec<&str> = table
            .lines()
            .skip(1)
            .filter_map(|line| line.split('\t').next())
            .collect();
        assert_eq!(rows[..names.len()], names, "{table}");
        assert!(!rig.path(&format!("t-{part}/by-date.tsv")).exists());
        // No two texts share a month or a day.
        let levels = rig.path(&format!("t-{part}/levels-by-date-{part}.tsv"));
        assert_eq!(levels.exists(), part == "year", "{part}");
        let page = rig.text(&format!("{part}.html"));
        assert!(page.contains(&format!("date:{part}")), "{part}");
    }
    assert!(!rig.text("year.html").contains("2018-03-04</"));
    // A format of dates that the run was given.
    rig.write(
        "b.jsonl",
        rig.text("a.jsonl").replace("2018-03-04", "04/03/2018"),
    );
    rig.ok("dedup b.jsonl -o b.out.jsonl --by date:year --date-format %d/%m/%Y --date-format auto --run b -q");
    rig.ok("report b --tables t-b -q");
    let table = rig.text("t-b/by-date-year.tsv");
    assert!(table.contains("\n2018\t"), "{table}");
    assert_eq!(
        table.lines().nth(1).unwrap().split('\t').nth(3),
        Some("3"),
        "{table}"
    );
}

#[test]
fn a_run_of_pairs_has_tables_of_its_pairs() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("pairs peps.jsonl -o pairs.tsv --run run --threshold 0.5 -q");
    rig.ok("report run --tables tables -q");
    let table = rig.text("tables/levels.tsv");
    assert!(
        table.starts_with("Threshold\tPairs\tDocuments\tClusters\n0.5\t"),
        "{table}"
    );
    let shown = rig.ok("report run");
    assert!(shown.out().contains("by threshold"), "{}", shown.out());
}
