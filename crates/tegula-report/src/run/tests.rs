use super::*;
use crate::testing::{self, Given};

#[test]
fn units_come_with_their_verdicts_in_input_order() {
    let folder = testing::run(&[
        Given {
            tokens: 3,
            bytes: 20,
            ..Given::kept("a")
        },
        Given {
            tokens: 3,
            bytes: 21,
            witness: Some((0, "a", 0.9)),
            ..Given::removed("b")
        },
        Given {
            field: Some("x"),
            ..Given::kept("c")
        },
    ]);
    let run = Run::open(folder.path()).unwrap();
    assert!(!run.is_staged());
    let [stage] = run.stages() else {
        panic!("one stage")
    };
    assert_eq!(
        (stage.name.as_str(), stage.verb.as_str(), stage.level()),
        ("plain", "removed", Level::Document)
    );
    assert_eq!(stage.method(), "plain by document");
    let mut seen = Vec::new();
    let mut walk = stage.walk().unwrap();
    assert_eq!((walk.len(), walk.fields()), (3, &["source".to_owned()][..]));
    while let Some(unit) = walk.step().unwrap() {
        let witness = unit.verdict().unwrap().witness_id.map(str::to_owned);
        seen.push((
            unit.id().to_owned(),
            unit.is_removed(),
            unit.tokens(),
            witness,
            unit.field(0).map(str::to_owned),
        ));
    }
    assert_eq!(
        seen[1],
        ("b".to_owned(), true, 3, Some("a".to_owned()), None)
    );
    assert_eq!(seen[2].4.as_deref(), Some("x"));
    assert!(walk.step().unwrap().is_none(), "the end stays the end");
}

#[test]
fn a_run_of_stages_has_one_for_each() {
    let folder = testing::staged(&[
        (
            "documents",
            "removed",
            &[Given::kept("a"), Given::removed("b")],
        ),
        (
            "sentences",
            "marked",
            &[Given::kept("a#s1"), Given::removed("a#s2")],
        ),
    ]);
    let run = Run::open(folder.path()).unwrap();
    assert!(run.is_staged());
    let named: Vec<(&str, &str)> = run
        .stages()
        .iter()
        .map(|stage| (stage.name.as_str(), stage.verb.as_str()))
        .collect();
    assert_eq!(named, [("documents", "removed"), ("sentences", "marked")]);
    assert_eq!(run.stages()[1].walk().unwrap().len(), 2);
}

#[test]
fn a_stage_outside_of_the_folder_is_refused() {
    let folder = testing::staged(&[("one", "removed", &[Given::kept("a")])]);
    let json = std::fs::read_to_string(folder.path().join("run.json")).unwrap();
    std::fs::write(
        folder.path().join("run.json"),
        json.replace("\"folder\": \"1-one\"", "\"folder\": \"../1-one\""),
    )
    .unwrap();
    let error = Run::open(folder.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Run);
    assert!(error.message().contains("inside"), "{error}");
}

#[test]
fn tables_that_do_not_belong_together_are_errors() {
    let folder = testing::run(&[Given::kept("a"), Given::kept("b")]);
    let other = testing::run(&[Given::kept("a")]);
    std::fs::copy(
        other.path().join("verdicts.parquet"),
        folder.path().join("verdicts.parquet"),
    )
    .unwrap();
    let run = Run::open(folder.path()).unwrap();
    let error = run.stages()[0].for_each(|_| Ok(())).unwrap_err();
    assert!(
        error.message().contains("a different number of rows"),
        "{error}"
    );
}

#[test]
fn what_is_no_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(Run::open(folder.path()).unwrap_err().kind(), ErrorKind::Run);
}
