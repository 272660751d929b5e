use super::*;
use crate::render::{latex, terminal, tsv};
use crate::table::Cell;
use crate::testing::{self, Given};
use proptest::prelude::*;
use tegula::record::Level;
use tegula_io::outputs::Outputs;
use tegula_io::tables::Formulas;

fn named<'a>(tables: &'a [Table], name: &str) -> &'a Table {
    tables
        .iter()
        .find(|table| table.name == name)
        .unwrap_or_else(|| panic!("no table {name}"))
}

fn some_units<'a>() -> Vec<Given<'a>> {
    vec![
        Given {
            tokens: 1,
            bytes: 4,
            ..Given::kept("a")
        },
        Given {
            tokens: 5,
            bytes: 30,
            field: Some("web"),
            ..Given::kept("b")
        },
        Given {
            tokens: 7,
            bytes: 36,
            field: Some("web"),
            ..Given::removed("c")
        },
        Given {
            tokens: 4,
            bytes: 20,
            file: "more.jsonl",
            ..Given::removed("d")
        },
        Given {
            tokens: 9,
            bytes: 50,
            label: Some("reference"),
            file: "against/old.jsonl",
            ..Given::kept("r")
        },
    ]
}

#[test]
fn the_tables_of_a_run_count_its_units() {
    let folder = testing::run(&some_units());
    let tables = of_run(&Run::open(folder.path()).unwrap()).unwrap();
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "balance",
            "length-classes-units",
            "length-classes-tokens",
            "by-file",
            "by-source"
        ]
    );
    assert_eq!(
        tsv(&tables[0], Formulas::Kept),
        "\tRemoved\tKept\tTotal\n\
         Documents\t2\t2\t4\nDocuments in %\t50.0000\t50.0000\t100.0000\n\
         Tokens\t11\t6\t17\nTokens in %\t64.7059\t35.2941\t100.0000\n\
         Bytes\t56\t34\t90\nBytes in %\t62.2222\t37.7778\t100.0000\n"
    );
    assert!(
        tables[0]
            .note
            .contains("Not counted: 1 document of references."),
        "{}",
        tables[0].note
    );
    let lengths = tsv(named(&tables, "length-classes-tokens"), Formulas::Kept);
    assert!(
        lengths.contains("\n1\t0\t1\t1\t0.0000\t5.8824\t5.8824\t0.0000\n2\t0\t0\t0\t"),
        "{lengths}"
    );
    assert!(lengths.contains("\n4\t11\t5\t16\t"), "{lengths}");
    assert!(
        lengths.ends_with("\nTotal\t11\t6\t17\t64.7059\t35.2941\t100.0000\t64.7059\n"),
        "{lengths}"
    );
    let files = tsv(named(&tables, "by-file"), Formulas::Kept);
    assert!(
        files.contains("\nmore.jsonl\t1\t0\t1\t100.0000\t4\t0\t4\t100.0000\n"),
        "{files}"
    );
    assert!(!files.contains("against/"), "{files}");
    assert!(
        tsv(named(&tables, "by-source"), Formulas::Kept)
            .contains("\n(missing)\t1\t1\t2\t50.0000\t")
    );
}

#[test]
fn stages_have_blocks_of_their_own_and_one_together() {
    let folder = testing::staged(&[
        (
            "documents",
            "removed",
            &[
                Given {
                    tokens: 10,
                    bytes: 100,
                    ..Given::kept("a")
                },
                Given {
                    tokens: 30,
                    bytes: 300,
                    ..Given::removed("b")
                },
            ],
        ),
        (
            "sentences",
            "marked",
            &[
                Given {
                    tokens: 6,
                    bytes: 60,
                    ..Given::kept("a#s1")
                },
                Given {
                    tokens: 4,
                    bytes: 39,
                    ..Given::removed("a#s2")
                },
            ],
        ),
    ]);
    let tables = of_run(&Run::open(folder.path()).unwrap()).unwrap();
    let balance = tsv(&tables[0], Formulas::Kept);
    assert!(
        balance.starts_with("Stage\t\tRemoved or marked\tKept\tTotal\n"),
        "{balance}"
    );
    assert!(
        balance.contains("\nsentences (plain by sentence)\tSentences\t1\t1\t2\n"),
        "{balance}"
    );
    assert!(
        balance.contains("\nall stages\tTokens\t34\t6\t40\n"),
        "{balance}"
    );
    assert!(balance.contains("\n\tBytes\t339\t61\t400\n"), "{balance}");
    assert!(
        named(&tables, "length-classes-units-2")
            .title
            .contains("stage sentences")
    );
}

#[test]
fn a_run_that_decided_nothing_has_no_tables_of_decisions() {
    let folder = testing::run(&[Given::kept("a")]);
    std::fs::remove_file(folder.path().join("verdicts.parquet")).unwrap();
    let tables = of_run(&Run::open(folder.path()).unwrap()).unwrap();
    assert!(tables.is_empty(), "{}", tables.len());
}

/// Benko 2013, §2.2: units and tokens removed and kept by class of length, from class 1 on.
const PARAGRAPHS: [(u64, u64, u64, u64); 15] = [
    (2_899_765, 313_757, 2_899_765, 313_757),
    (5_385_687, 1_760_629, 13_714_814, 4_557_662),
    (6_430_346, 5_065_587, 33_490_542, 27_787_256),
    (4_369_821, 6_858_103, 45_839_898, 75_856_713),
    (1_459_344, 6_202_353, 30_790_283, 139_059_109),
    (512_667, 5_349_893, 22_213_759, 241_725_320),
    (166_836, 3_425_382, 14_072_053, 300_236_783),
    (24_435, 1_083_748, 3_949_428, 182_717_735),
    (2_218, 200_193, 700_310, 66_312_816),
    (93, 22_537, 58_514, 14_489_082),
    (8, 2_811, 10_412, 3_835_447),
    (1, 443, 3_675, 1_169_544),
    (0, 46, 0, 250_981),
    (0, 13, 0, 146_055),
    (0, 1, 0, 17_202),
];

fn paper() -> Counts {
    use tegula::summary::{Amounts, Balance};
    let mut counts = Counts {
        level: Level::Paragraph,
        verb: "marked".to_owned(),
        tokens: "tokens".to_owned(),
        balance: Balance::default(),
        references: Amounts::default(),
        lengths: Lengths::default(),
        files: Parts::default(),
        fields: Vec::new(),
    };
    for (removed, kept, removed_tokens, kept_tokens) in PARAGRAPHS {
        for (units, tokens, is_removed) in
            [(removed, removed_tokens, true), (kept, kept_tokens, false)]
        {
            let one = Amounts {
                units,
                tokens,
                bytes: 0,
            };
            super::counts::add(&mut counts.balance, one, is_removed);
            if units > 0 {
                counts.lengths.add(one, is_removed);
            }
        }
    }
    counts
}

#[test]
fn the_papers_paragraphs_give_the_papers_tables() {
    let counts = paper();
    // Every class has its mean length in it, so that the rows fall where the paper has them.
    assert_eq!(counts.lengths.classes.len(), 16);
    let units = balance::lengths(&counts, false);
    assert_eq!(units.rows.len(), 16);
    let total = units.rows.last().unwrap();
    // The paper's "3,085,496" paragraphs kept is a misprint: its second table has the right number.
    assert_eq!(
        total[1..4],
        [21_251_221, 30_285_496, 51_536_717].map(Cell::Count)
    );
    let shown = terminal(&units, 120, 40);
    assert!(
        shown
            .lines()
            .any(|line| line.trim_start().starts_with("Total")
                && line.contains("41.24")
                && line.contains("58.76")),
        "{shown}"
    );
    let tokens = balance::lengths(&counts, true);
    assert_eq!(
        tokens.rows.last().unwrap()[1..4],
        [167_743_453, 1_058_475_462, 1_226_218_915].map(Cell::Count)
    );
    let shown = terminal(&tokens, 120, 40);
    assert!(
        shown
            .lines()
            .any(|line| line.trim_start().starts_with("Total")
                && line.contains("13.68")
                && line.contains("86.32")),
        "{shown}"
    );
    // "the largest contribution to the removed tokens comes from group 8"
    let removed = |row: &Vec<Cell>| {
        if let Cell::Count(count) = row[1] {
            count
        } else {
            0
        }
    };
    let largest = tokens.rows[..15]
        .iter()
        .max_by_key(|row| removed(row))
        .unwrap();
    assert_eq!(largest[0], Cell::Count(8));
}

#[test]
fn latex_spells_out_what_means_something_to_it() {
    let mut table = Table::new(
        "by-x",
        "50 % of a_b",
        &[("Name & more", crate::table::Kind::Text)],
    );
    table
        .rows
        .push(vec![Cell::Text("\\$^~<{#}>\n[1]".to_owned())]);
    let text = latex(&table);
    assert!(text.contains("\\caption{50 \\% of a\\_b}"), "{text}");
    assert!(text.contains("Name \\\\ \\& \\\\ more"), "{text}");
    assert!(
        text.contains(
            "\\textbackslash{}\\$\\textasciicircum{}\\textasciitilde{}\\textless{}\\{\\#\\}\\textgreater{}\\textbackslash{}n{[}1{]} \\\\"
        ),
        "{text}"
    );
}

#[test]
fn every_table_is_written_and_listed() {
    let folder = testing::run(&some_units());
    let out = folder.path().join("tables");
    let outputs = Outputs::default();
    let tables = write_all(&outputs, &Run::open(folder.path()).unwrap(), &out).unwrap();
    outputs.publish().unwrap();
    let index = std::fs::read_to_string(out.join("README.md")).unwrap();
    let all = std::fs::read_to_string(out.join("all.tex")).unwrap();
    for table in &tables {
        assert_eq!(
            std::fs::read_to_string(out.join(format!("{}.tsv", table.name))).unwrap(),
            tsv(table, Formulas::Kept)
        );
        assert!(out.join(format!("{}.tex", table.name)).is_file());
        assert!(index.contains(&format!("## {}\n", table.name)));
        assert!(all.contains(&format!("\\input{{{}.tex}}", table.name)));
    }
}

#[test]
fn long_tables_show_their_beginning_and_their_total() {
    let mut table = Table::new(
        "x",
        "X",
        &[
            ("Name", crate::table::Kind::Text),
            ("Units", crate::table::Kind::Count),
        ],
    );
    table.rows = (0..100_u64)
        .map(|n| vec![Cell::Text(format!("row {n}")), Cell::Count(1000 * n)])
        .collect();
    table.total = true;
    let shown = terminal(&table, 80, 10);
    assert!(
        shown.contains("row 9 ")
            && !shown.contains("row 10 ")
            && shown.contains("99,000")
            && shown.contains("(89 more rows)")
    );
    let tex = latex(&table);
    assert!(
        tex.contains("row 39 ") && !tex.contains("row 40 ") && tex.contains("row 99 "),
        "{tex}"
    );
}

proptest! {
    #[test]
    fn rows_add_up_to_their_totals(units in prop::collection::vec((0_u32..3000, any::<bool>(), 0_usize..3, 0_usize..3), 0..60)) {
        let (files, sources) = (["a", "b", "c"], [None, Some("x"), Some("(missing)")]);
        let ids: Vec<String> = (0..units.len()).map(|n| format!("u{n}")).collect();
        let given: Vec<Given> = units.iter().zip(&ids).map(|((tokens, removed, file, source), id)| Given {
            tokens: *tokens, bytes: tokens * 6, removed: *removed, file: files[*file], field: sources[*source], ..Given::kept(id)
        }).collect();
        let folder = testing::run(&given);
        for table in of_run(&Run::open(folder.path()).unwrap()).unwrap() {
            for row in &table.rows {
                prop_assert_eq!(row.len(), table.columns.len());
            }
            if !table.total {
                continue;
            }
            let (total, rows) = table.rows.split_last().unwrap();
            for column in 1..table.columns.len() {
                if let Cell::Count(total) = total[column] {
                    let sum: u64 = rows.iter().map(|row| if let Cell::Count(count) = row[column] { count } else { 0 }).sum();
                    prop_assert_eq!(sum, total, "{} column {}", table.name, column);
                }
            }
            let count = |row: &[Cell], column: usize| if let Cell::Count(count) = row[column] { count } else { 0 };
            for row in &table.rows {
                prop_assert_eq!(count(row, 1) + count(row, 2), count(row, 3));
            }
        }
    }
}
