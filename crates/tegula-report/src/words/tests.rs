use super::*;
use crate::render::tsv;
use crate::testing::{self, Given};
use proptest::prelude::*;
use std::collections::BTreeMap;
use tegula::scratch::Scratch;
use tegula_io::tables::Formulas;
use tempfile::TempDir;

/// A run over texts, some of which were removed.
fn run_over(texts: &[(&str, bool)]) -> TempDir {
    let ids: Vec<String> = (0..texts.len()).map(|n| n.to_string()).collect();
    let given: Vec<Given> = texts
        .iter()
        .zip(&ids)
        .map(|((_, removed), id)| Given {
            removed: *removed,
            ..Given::kept(id)
        })
        .collect();
    let lines: Vec<String> = texts
        .iter()
        .map(|(text, _)| format!("{}\n", serde_json::json!({ "text": text })))
        .collect();
    testing::run_on(&given, &lines.concat())
}

/// Words that occur once each: what is repeated is rare among them.
fn others(words: usize) -> String {
    let words: Vec<String> = (0..words).map(|n| format!("other{n}")).collect();
    words.join(" ")
}

fn context() -> Context {
    Context::new(1, 1 << 30, Scratch::system())
}

#[test]
fn runs_of_words_are_counted_in_all_and_in_what_is_left() {
    let copy = "obete medzinárodných ozbrojených konfliktov";
    let mut texts = vec![
        (copy, false),
        ("iné slová o niečom inom, a medzinárodných zmlúv", false),
    ];
    texts.extend([(copy, true); 6]);
    let others = others(200);
    texts.push((&others, false));
    let folder = run_over(&texts);
    let run = Run::open(folder.path()).unwrap();
    let tables = tables(
        &run,
        &Options {
            longest: 3,
            ..Options::default()
        },
        &context(),
    )
    .unwrap();
    assert_eq!(
        tables
            .iter()
            .map(|table| table.name.as_str())
            .collect::<Vec<_>>(),
        ["words-1", "words-2", "words-3"]
    );
    let triples = tsv(&tables[2], Formulas::Kept);
    let line = "medzinárodných ozbrojených konfliktov\t7\t6\t1\t14.2857\t";
    let row = triples
        .lines()
        .find(|row| row.starts_with(line))
        .unwrap_or_else(|| panic!("{triples}"));
    assert!(
        row.ends_with("\tobete [medzinárodných ozbrojených konfliktov]\tobete [medzinárodných ozbrojených konfliktov]"),
        "{row}"
    );
    let words = tsv(&tables[0], Formulas::Kept);
    // It loses as many hits as the others, but has one more.
    assert!(
        words
            .lines()
            .last()
            .unwrap()
            .starts_with("medzinárodných\t8\t6\t2\t25.0000\t"),
        "{words}"
    );
    assert!(tables[0].note.contains("exact"), "{}", tables[0].note);
}

#[test]
fn words_that_chance_explains_are_left_out_on_demand() {
    // Little more than chance.
    let mut texts = vec![("one two three", false), ("four five six", false)];
    texts.extend([("one two three", true); 6]);
    let folder = run_over(&texts);
    let run = Run::open(folder.path()).unwrap();
    let clear = Options {
        only_clear: true,
        ..Options::default()
    };
    let tables = tables(&run, &clear, &context()).unwrap();
    assert!(tables.iter().all(|table| table.rows.is_empty()));
}

#[test]
fn changed_inputs_are_refused() {
    let folder = run_over(&[("a b c", false)]);
    let input = folder.path().join("inputs/texts.jsonl");
    std::fs::write(&input, "{\"text\": \"something longer\"}\n").unwrap();
    let error = tables(
        &Run::open(folder.path()).unwrap(),
        &Options::default(),
        &context(),
    )
    .unwrap_err();
    assert!(error.message().contains("changed"), "{error}");
}

#[test]
fn a_list_that_may_lack_some_says_so() {
    let copies: Vec<String> = (0..40).map(|n| format!("w{n} x{n}")).collect();
    let mut texts: Vec<(&str, bool)> = Vec::new();
    for copy in &copies {
        texts.push((copy, false));
        texts.extend([(copy.as_str(), true); 5]);
    }
    let others = others(2_000);
    texts.push((&others, false));
    let folder = run_over(&texts);
    let run = Run::open(folder.path()).unwrap();
    let few = Options {
        longest: 1,
        rows: 50,
        followed: 10,
        ..Options::default()
    };
    assert!(
        tables(&run, &few, &context()).unwrap()[0]
            .note
            .contains("may be missing")
    );
    let enough = Options {
        followed: 80,
        ..few
    };
    assert!(
        tables(&run, &enough, &context()).unwrap()[0]
            .note
            .contains("exact.")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn counts_are_those_of_a_plain_count(texts in prop::collection::vec((prop::collection::vec(0_u8..4, 0..12), any::<bool>()), 1..12)) {
        let texts: Vec<(String, bool)> = texts.into_iter().map(|(words, removed)| {
            (words.iter().map(|word| format!("w{word}")).collect::<Vec<_>>().join(" "), removed)
        }).collect();
        let given: Vec<(&str, bool)> = texts.iter().map(|(text, removed)| (text.as_str(), *removed)).collect();
        let folder = run_over(&given);
        let run = Run::open(folder.path()).unwrap();
        let options = Options { longest: 2, rows: 1000, least: 1, followed: 1000, only_clear: false };
        let mut counted: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for (text, removed) in &texts {
            let words: Vec<&str> = text.split_whitespace().collect();
            for pair in words.windows(2) {
                let hits = counted.entry(pair.join(" ")).or_default();
                if *removed { hits.0 += 1 } else { hits.1 += 1 }
            }
        }
        for row in &tables(&run, &options, &context()).unwrap()[1].rows {
            let Cell::Text(words) = &row[0] else { panic!("words") };
            let (removed, kept) = counted[words];
            prop_assert_eq!(&row[1..4], &[Cell::Count(removed + kept), Cell::Count(removed), Cell::Count(kept)]);
        }
    }
}
