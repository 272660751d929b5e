use super::*;
use crate::render::tsv;
use crate::testing::{self, Given};
use std::path::Path;
use tegula_io::tables::Formulas;

fn open(folder: &Path) -> Run {
    Run::open(folder).unwrap()
}

fn paragraphs(fates: &[(u64, u32, bool)]) -> Vec<Given<'static>> {
    let ids = ["a#p1", "a#p2", "b#p1", "b#p2"];
    let given = fates.iter().zip(ids);
    given
        .map(|((record, start, removed), id)| Given {
            record: *record,
            start: Some(*start),
            bytes: 9,
            tokens: 4,
            removed: *removed,
            ..Given::kept(id)
        })
        .collect()
}

#[test]
fn units_are_told_by_who_caught_them() {
    let folder = tempfile::tempdir().unwrap();
    let witness = Some((0, "a#p1", 0.97));
    let mut first = paragraphs(&[(1, 0, false), (1, 10, true), (2, 0, true), (2, 10, false)]);
    let mut second = paragraphs(&[(1, 0, false), (1, 10, true), (2, 0, false), (2, 10, true)]);
    first[2].witness = witness;
    second[3].witness = witness;
    first[2].tokens = 1;
    testing::write(&folder.path().join("plain"), "paragraph", "removed", &first);
    testing::write(&folder.path().join("onion"), "paragraph", "marked", &second);
    let runs = [
        open(&folder.path().join("plain")),
        open(&folder.path().join("onion")),
    ];
    let mut listed = Vec::new();
    let diff = Diff::of([&runs[0], &runs[1]], 5, &mut |one| {
        listed.push((one.id.clone(), one.caught));
        Ok(())
    })
    .unwrap();
    assert_eq!(
        listed,
        [
            ("a#p2".to_owned(), Caught::Both),
            ("b#p1".to_owned(), Caught::First),
            ("b#p2".to_owned(), Caught::Second)
        ]
    );
    assert_eq!(
        tsv(&diff.tables()[0], Formulas::Kept),
        "Caught by\tParagraphs\tParagraphs %\tTokens\tTokens %\n\
         Both\t1\t25.0000\t4\t30.7692\nOnly plain\t1\t25.0000\t1\t7.6923\nOnly onion\t1\t25.0000\t4\t30.7692\n\
         Neither\t1\t25.0000\t4\t30.7692\nTotal\t4\t100.0000\t13\t100.0000\n"
    );
    let lengths = tsv(&diff.tables()[2], Formulas::Kept);
    assert!(lengths.contains("\n1\t0\t1\t0\t0\t1\t"), "{lengths}");
    assert!(lengths.contains("\nTotal\t4\t1\t4\t4\t13\t"), "{lengths}");
    // Half the units agree, as expected by chance.
    assert!((diff.agreement() - 0.5).abs() < 1e-12 && diff.kappa().unwrap().abs() < 1e-12);
    assert!((diff.overlap().unwrap() - 1.0 / 3.0).abs() < 1e-12);
    let only = diff
        .examples
        .iter()
        .find(|example| example.caught == Caught::First)
        .unwrap();
    assert_eq!(
        (only.fates[0].witness.as_deref(), only.fates[0].score),
        (Some("a#p1"), Some(0.97))
    );
    assert_eq!(only.fates[1].verdict, "kept");
}

#[test]
fn a_paragraph_is_caught_with_its_document() {
    let folder = tempfile::tempdir().unwrap();
    let by_paragraph = paragraphs(&[(1, 0, false), (1, 10, true), (2, 0, true), (2, 10, false)]);
    testing::write(
        &folder.path().join("documents"),
        "document",
        "removed",
        &[Given::kept("a"), Given::removed("b")],
    );
    testing::write(
        &folder.path().join("paragraphs"),
        "paragraph",
        "removed",
        &by_paragraph,
    );
    let runs = [
        open(&folder.path().join("documents")),
        open(&folder.path().join("paragraphs")),
    ];
    let diff = Diff::of([&runs[0], &runs[1]], 0, &mut |_| Ok(())).unwrap();
    assert_eq!((diff.level, diff.units_of), (Level::Paragraph, 1));
    assert_eq!(diff.total.map(|amounts| amounts.units), [1, 1, 1, 1]);
    let turned = Diff::of([&runs[1], &runs[0]], 0, &mut |_| Ok(())).unwrap();
    assert_eq!((turned.level, turned.units_of), (Level::Paragraph, 0));
    assert_eq!(turned.total.map(|amounts| amounts.units), [1, 1, 1, 1]);
}

#[test]
fn units_without_a_counterpart_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let all = paragraphs(&[(1, 0, true), (1, 10, true), (2, 0, true)]);
    testing::write(&folder.path().join("all"), "paragraph", "removed", &all);
    testing::write(
        &folder.path().join("some"),
        "paragraph",
        "removed",
        &[all[0], all[2]],
    );
    let runs = [
        open(&folder.path().join("all")),
        open(&folder.path().join("some")),
    ];
    let diff = Diff::of([&runs[0], &runs[1]], 0, &mut |_| Ok(())).unwrap();
    assert_eq!((diff.unmatched.units, diff.total[0].units), (1, 2));
    assert!(
        diff.tables()[0]
            .note
            .contains("no counterpart: 1 paragraph with 4 tokens."),
        "{}",
        diff.tables()[0].note
    );
    assert!(
        diff.kappa().is_none(),
        "two runs that take all agree by chance alone"
    );
}

#[test]
fn kappa_is_that_of_the_textbook() {
    let folder = tempfile::tempdir().unwrap();
    testing::write(
        &folder.path().join("x"),
        "document",
        "removed",
        &[Given::kept("a")],
    );
    let run = open(&folder.path().join("x"));
    let mut diff = Diff::of([&run, &run], 0, &mut |_| Ok(())).unwrap();
    // 20 both, 5 and 10 on one side, 15 neither: agreement 0.7, by chance 0.5.
    diff.total = [20, 5, 10, 15].map(|units| Amounts {
        units,
        ..Amounts::default()
    });
    assert!((diff.kappa().unwrap() - 0.4).abs() < 1e-12);
    assert_eq!(diff.names, ["first", "second"]);
}

#[test]
fn runs_of_other_inputs_are_refused() {
    let (one, other) = (
        testing::run(&[Given::kept("a")]),
        testing::run(&[Given::kept("a")]),
    );
    let path = other.path().join("run.json");
    let json = std::fs::read_to_string(&path).unwrap();
    std::fs::write(
        &path,
        json.replacen("\"bytes\": 1000", "\"bytes\": 1001", 1),
    )
    .unwrap();
    let error = Diff::of([&open(one.path()), &open(other.path())], 0, &mut |_| Ok(())).unwrap_err();
    assert!(error.message().contains("the same inputs"), "{error}");
}
