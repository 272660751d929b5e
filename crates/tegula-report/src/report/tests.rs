use super::*;
use crate::testing::{Given, run as folder};

const EVIL: &str = "<script>alert(1)</script>";

#[test]
fn a_page_has_what_a_run_folder_has_and_nothing_of_it_is_markup() {
    let id = format!("{EVIL}\"onmouseover=\"");
    let kept = Given {
        tokens: 8,
        bytes: 40,
        field: Some(EVIL),
        file: "<b>.jsonl",
        ..Given::kept(&id)
    };
    let removed = Given {
        witness: Some((0, &id, 0.8125)),
        tokens: 9,
        bytes: 41,
        field: Some("x"),
        ..Given::removed("copy")
    };
    let made = folder(&[kept, removed, Given::kept("other")]);
    let run = Run::open(made.path()).unwrap();
    let Shown {
        html: shown,
        missing,
    } = page(&run, &Extra::default()).unwrap();
    assert!(
        !shown.contains("<script>alert")
            && !shown.contains("\"onmouseover")
            && !shown.contains("<b>.jsonl")
    );
    assert!(shown.contains("&lt;script&gt;alert(1)") && shown.contains("0.8125"));
    for section in [
        "examples", "balance", "parts", "lengths", "scores", "cases", "verdicts", "run",
    ] {
        assert!(
            shown.contains(&format!("<section id=\"{section}\"")),
            "{section}"
        );
    }
    assert!(shown.contains("<p class=\"claim\">1 of 3 documents (33.33 %) was removed: it is a copy of the one that was kept.</p>"), "{shown}");
    // The inputs of this run never existed: the page says so instead of showing the texts, with the
    // reason once.
    assert!(shown.contains("The texts cannot be shown."));
    assert!(!missing.is_empty());
    for line in &missing {
        assert_eq!(
            shown.matches(&maud::html! { (line) }.into_string()).count(),
            1,
            "{line}"
        );
    }
    assert_eq!(shown, page(&run, &Extra::default()).unwrap().html);
}

#[test]
fn rejected_pairs_of_onion_are_kept_units_beside_their_source() {
    use tegula_io::outputs::Outputs;
    use tegula_io::tables::{Coverage, CoverageRow, RunFolder, TableInfo, TableWriter};
    let made = folder(&[
        Given::kept("first"),
        Given::kept("almost"),
        Given::removed("removed"),
        Given::kept("hardly"),
    ]);
    let path = RunFolder::open(made.path()).unwrap().table::<Coverage>();
    let outputs = Outputs::default();
    let mut table =
        TableWriter::<Coverage>::create(&outputs, &path, &TableInfo::default()).unwrap();
    let row = CoverageRow {
        tokens: 10,
        source: Some(0),
        source_id: Some("first"),
        ..CoverageRow::default()
    };
    for (unit, id, share) in [
        (0, "first", 0.0),
        (1, "almost", 0.4),
        (2, "removed", 0.9),
        (3, "hardly", 0.1),
    ] {
        table
            .push(&CoverageRow {
                unit,
                id,
                share,
                seen: (share * 10.0) as u32,
                source: (unit == 1).then_some(0),
                ..row
            })
            .unwrap();
    }
    table.finish().unwrap();
    outputs.publish().unwrap();
    let run = Run::open(made.path()).unwrap();
    let stage = &run.stages()[0];
    let seen = seen::Seen::of(stage, CASES, None).unwrap();
    let groups = cases::groups(stage, &seen, None).unwrap();
    assert_eq!(groups[2].title, "Just below the threshold");
    assert_eq!(
        groups[2].cases,
        [
            seen::Case {
                a: 1,
                b: Some(0),
                score: 0.4
            },
            seen::Case {
                a: 3,
                b: None,
                score: 0.1
            }
        ]
    );
    assert!(
        page(&run, &Extra::default())
            .unwrap()
            .html
            .contains("Units below the threshold with the largest share previously seen")
    );
}

#[test]
fn every_stage_of_a_run_of_several_has_its_sections() {
    let first = [Given::kept("a"), Given::removed("b")];
    let second = [Given::kept("a#s1"), Given::removed("a#s2")];
    let made = crate::testing::staged(&[
        ("whole", "removed", &first),
        ("sentences", "marked", &second),
    ]);
    let shown = page(&Run::open(made.path()).unwrap(), &Extra::default())
        .unwrap()
        .html;
    for part in ["lengths-1", "lengths-2", "verdicts-1", "verdicts-2"] {
        assert!(shown.contains(&format!("id=\"{part}\"")), "{part}");
    }
    assert!(shown.contains("2. sentences"));
}
