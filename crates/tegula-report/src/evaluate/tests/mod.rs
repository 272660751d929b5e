mod brute_force;

use super::*;
use tegula_io::outputs::Outputs;
use tegula_io::tables::{
    ClusterRow, Clusters, Formulas, PairRow, Pairs, TableFileWriter, TableInfo,
};
use tempfile::TempDir;

/// Three copies, two copies, and one text alone.
const GROUPS: &str = "id\tgroup\na\t1\nb\t1\nc\t1\nd\t2\ne\t2\nf\t3\n";
/// Two true pairs of the first group, and a wrong one.
const FOUND: &str = "id_a\tid_b\tscore\na\tb\t0.9\nb\tc\t0.8\nd\tf\t0.7\n";

struct Lists(TempDir);

impl Lists {
    fn new(gold: &str, result: &str) -> Self {
        let lists = Self(tempfile::tempdir().unwrap());
        std::fs::write(lists.path("gold"), gold).unwrap();
        std::fs::write(lists.path("result"), result).unwrap();
        lists
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn judged(&self, read: &ReadOptions, options: Options) -> Result<Evaluation> {
        one(
            &self.path("gold"),
            &self.path("result"),
            None,
            read,
            &options,
        )
    }
}

/// The evaluation of a single result.
fn one(
    gold: &Path,
    result: &Path,
    documents: Option<&Path>,
    read: &ReadOptions,
    options: &Options,
) -> Result<Evaluation> {
    Ok(evaluate(gold, &[result], documents, read, options)?
        .evaluations
        .remove(0))
}

fn judged(gold: &str, result: &str, options: Options) -> Evaluation {
    Lists::new(gold, result)
        .judged(&ReadOptions::default(), options)
        .unwrap()
}

fn refused(gold: &str, result: &str, options: Options) -> String {
    Lists::new(gold, result)
        .judged(&ReadOptions::default(), options)
        .unwrap_err()
        .to_string()
}

fn close(found: Option<f64>, expected: f64) -> bool {
    found.is_some_and(|found| (found - expected).abs() < 1e-12)
}

#[test]
fn pairs_are_counted_as_worked_by_hand() {
    let found = judged(GROUPS, FOUND, Options::default());
    let pairs = found.measures.pairs;
    assert_eq!((pairs.positives, pairs.found, pairs.hits), (4, 3, 2));
    assert!(
        close(pairs.scores.precision, 2.0 / 3.0)
            && close(pairs.scores.recall, 0.5)
            && close(pairs.scores.f1, 4.0 / 7.0)
    );
    // In one cluster and one group 3 pairs, in one cluster 4, in one group 4, of 15.
    assert!((found.measures.ari - 58.0 / 88.0).abs() < 1e-12);
    assert_eq!(
        (
            found.gold.documents,
            found.gold.positives,
            found.result.pairs
        ),
        (6, 4, 3)
    );
}

#[test]
fn documents_are_counted_as_worked_by_hand() {
    let found = judged(GROUPS, FOUND, Options::default()).measures;
    let any = found.documents;
    assert_eq!((any.right, any.wrong, any.missed, any.rest), (4, 1, 1, 0));
    assert!(close(any.duplicates.f1, 0.8) && close(any.others.f1, 0.0) && close(any.macro_f1, 0.4));
    assert!((any.accuracy - 1.0 / 6.0).abs() < 1e-12);
    // Of a, b and c only b has both its copies as partners.
    let whole = found.documents_whole;
    assert_eq!(
        (whole.right, whole.wrong, whole.missed, whole.rest),
        (1, 4, 1, 0)
    );
}

#[test]
fn clusters_count_all_pairs_inside() {
    let transitive = Options {
        transitive: true,
        ..Options::default()
    };
    let found = judged(GROUPS, FOUND, transitive).measures;
    assert_eq!((found.pairs.found, found.pairs.hits), (4, 3));
    assert_eq!(
        (found.documents_whole.right, found.documents_whole.wrong),
        (3, 2)
    );
    let as_clusters = "cluster_id\tid\tsize\na\ta\t3\na\tb\t3\na\tc\t3\nd\td\t2\nd\tf\t2\n";
    let listed = judged(GROUPS, as_clusters, Options::default());
    assert!(listed.transitive && listed.result.of == Listed::Clusters);
    assert_eq!(listed.measures, found);
}

#[test]
fn a_sweep_names_the_best_threshold() {
    let found = judged(
        GROUPS,
        FOUND,
        Options {
            sweep: true,
            ..Options::default()
        },
    );
    let sweep = found.sweep.unwrap();
    let f1: Vec<f64> = sweep
        .points
        .iter()
        .filter_map(|point| point.pairs.scores.f1)
        .collect();
    assert_eq!(f1, [2.0 / 5.0, 4.0 / 6.0, 4.0 / 7.0]);
    assert!((sweep.best.threshold - 0.8).abs() < 1e-12);
    assert!((sweep.best_ari.ari - 66.0 / 81.0).abs() < 1e-12);
    let cut = judged(
        GROUPS,
        FOUND,
        Options {
            threshold: Some(0.8),
            ..Options::default()
        },
    );
    assert_eq!(cut.measures.pairs, sweep.best.pairs);
}

#[test]
fn labelled_pairs_are_judged_with_or_without_the_rest() {
    let gold = "id_a\tid_b\tlabel\na\tb\t1\nb\ta\t1\nc\td\t0\ne\tf\tyes\n";
    let result = "a\tb\nd\tc\na\tf\nx\tx\n";
    let open = judged(gold, result, Options::default());
    assert_eq!(
        (
            open.measures.pairs.found,
            open.measures.pairs.hits,
            open.result.loops
        ),
        (3, 1, 1)
    );
    assert_eq!((open.gold.positives, open.gold.negatives), (2, 1));
    let closed = judged(
        gold,
        result,
        Options {
            judged_only: true,
            ..Options::default()
        },
    );
    assert_eq!(
        (closed.measures.pairs.found, closed.measures.pairs.hits),
        (2, 1)
    );
    let shown: Vec<(&str, u64, u64)> = closed
        .labels
        .iter()
        .map(|label| (label.label.as_str(), label.pairs, label.found))
        .collect();
    assert_eq!(shown, [("1", 1, 1), ("0", 1, 1), ("yes", 1, 0)]);
    // A document in no labelled pair counts nowhere.
    let documents = |judged_only| {
        let options = Options {
            judged_only,
            ..Options::default()
        };
        let found = judged(gold, "a\tb\nb\tz\n", options);
        (found.gold.documents, (found.measures.ari * 100.0).round())
    };
    assert_eq!((documents(false), documents(true)), ((7, 32.0), (6, 63.0)));
    // a-b-f and e: the cluster has one labelled pair.
    let both = judged(
        gold,
        "a\tb\na\tf\n",
        Options {
            judged_only: true,
            transitive: true,
            ..Options::default()
        },
    );
    assert_eq!(
        (both.measures.pairs.found, both.measures.pairs.hits),
        (1, 1)
    );
}

#[test]
fn grades_are_positive_from_a_number_on_or_by_name() {
    let lists = Lists::new("id1\tid2\tgrade\na\tb\t0.9\nc\td\t0.4\ne\tf\t\n", "a\tb\n");
    let read = |positive: &str| ReadOptions {
        label: Some("grade".to_owned()),
        positive: positive.parse().unwrap(),
        ..ReadOptions::default()
    };
    let positives = |text: &str| {
        lists
            .judged(&read(text), Options::default())
            .map(|found| found.gold.positives)
    };
    assert_eq!(positives(">=0.4").unwrap(), 2);
    assert_eq!(positives("0.9, 0.5").unwrap(), 1);
    assert!(
        positives(">=1")
            .unwrap_err()
            .message()
            .contains("no pair is labelled")
    );
    assert!(">=x".parse::<Positive>().is_err());
}

#[test]
fn ids_that_gold_does_not_know_are_counted() {
    let found = judged(GROUPS, "a\tb\na\tx\ny\tx\n", Options::default());
    assert_eq!(
        (
            found.result.unknown_ids,
            found.result.unknown_id.as_deref(),
            found.result.pairs
        ),
        (2, Some("x"), 1)
    );
    let found = judged("a\tb\n", "a\tb\na\tx\n", Options::default());
    assert_eq!(
        (
            found.result.unknown_ids,
            found.gold.documents,
            found.measures.pairs.found
        ),
        (1, 3, 2)
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let none = Options::default();
    assert!(
        refused("id\tgroup\na\t1\nb\t2\n", FOUND, none)
            .contains("no two documents are in one group")
    );
    assert!(refused("", FOUND, none).contains("found an empty file"));
    assert!(refused(GROUPS, "x\ty\n", none).contains("such as \"x\""));
    assert!(refused("a\tb\t1\nb\ta\t0\n", FOUND, none).contains("found two for a and b"));
    assert!(
        refused("a\tb\tmaybe\n", FOUND, none).contains("record 1: expected a label such as 1 or 0")
    );
    assert!(refused("id\tgroup\na\t1\na\t2\nb\t2\n", FOUND, none).contains("\"a\" in two"));
    assert!(
        refused(GROUPS, "a\tb\t0.5\na\tc\tnan\n", none)
            .contains("record 2: expected a number as score")
    );
    assert!(
        refused(
            GROUPS,
            "a\tb\n",
            Options {
                sweep: true,
                ..none
            }
        )
        .contains("sweep: expected pairs with scores")
    );
    assert!(
        refused(
            GROUPS,
            "id_a\tid_b\tscore\n",
            Options { tune: true, ..none }
        )
        .contains("tune: ")
    );
    assert!(
        judged(GROUPS, "", none)
            .measures
            .pairs
            .scores
            .precision
            .is_none()
    );
}

#[test]
fn tables_of_the_program_are_read_in_every_form() {
    let expected = judged(GROUPS, FOUND, Options::default()).measures;
    let lists = Lists::new(GROUPS, "");
    let outputs = Outputs::default();
    for name in ["pairs.parquet", "pairs.tsv.gz", "pairs.jsonl.zst"] {
        let mut table = TableFileWriter::<Pairs>::create(
            &outputs,
            &lists.path(name),
            Formulas::Kept,
            &TableInfo::default(),
        )
        .unwrap();
        for (id_a, id_b, score) in [("a", "b", 0.9), ("b", "c", 0.8), ("d", "f", 0.7)] {
            table
                .push(&PairRow {
                    id_a,
                    id_b,
                    score,
                    ..PairRow::default()
                })
                .unwrap();
        }
        table.finish().unwrap();
        outputs.publish().unwrap();
        let found = one(
            &lists.path("gold"),
            &lists.path(name),
            None,
            &ReadOptions::default(),
            &Options::default(),
        );
        assert_eq!(found.unwrap().measures, expected, "{name}");
    }
    let path = lists.path("clusters.parquet");
    let mut table =
        TableFileWriter::<Clusters>::create(&outputs, &path, Formulas::Kept, &TableInfo::default())
            .unwrap();
    for id in ["a", "b", "c"] {
        table
            .push(&ClusterRow {
                cluster_id: "a",
                id,
                unit: None,
                size: 3,
                min_edge: 0.8,
                density: Some(1.0),
            })
            .unwrap();
    }
    table.finish().unwrap();
    outputs.publish().unwrap();
    let found = one(
        &lists.path("gold"),
        &path,
        None,
        &ReadOptions::default(),
        &Options::default(),
    )
    .unwrap();
    assert_eq!(
        (found.measures.pairs.found, found.measures.pairs.hits),
        (3, 3)
    );
}

#[test]
fn a_list_of_all_documents_adds_those_without_copies() {
    let lists = Lists::new("a\tb\n", "a\tb\nc\td\nc\tx\n");
    let documents = lists.path("all.jsonl");
    std::fs::write(
        &documents,
        "{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"id\":\"c\"}\n{\"id\":\"d\"}\n",
    )
    .unwrap();
    let found = one(
        &lists.path("gold"),
        &lists.path("result"),
        Some(&documents),
        &ReadOptions::default(),
        &Options::default(),
    );
    let found = found.unwrap();
    assert_eq!(
        (
            found.gold.documents,
            found.result.unknown_ids,
            found.measures.pairs.found
        ),
        (4, 1, 2)
    );
}

/// Two results against groups: the second adds a right pair and a wrong one.
fn compared(options: Options) -> Comparison {
    let lists = Lists::new(GROUPS, FOUND);
    let second = lists.path("<second>.tsv");
    std::fs::write(&second, format!("{FOUND}d\te\t0.6\na\tf\t0.5\n")).unwrap();
    let results = [lists.path("result"), second];
    let results: Vec<&Path> = results.iter().map(std::path::PathBuf::as_path).collect();
    let read = ReadOptions::default();
    evaluate(&lists.path("gold"), &results, None, &read, &options).unwrap()
}

#[test]
fn a_page_has_the_curves_and_escapes_names() {
    let options = Options {
        sweep: true,
        ..Options::default()
    };
    let found = compared(options);
    let page = found.page("<gold>");
    assert!(page.contains("&lt;gold&gt;") && !page.contains("<gold>"));
    assert!(page.contains("&lt;second&gt;.tsv") && !page.contains("<second>"));
    assert!(page.contains("chart-precision-recall") && page.contains("0.5714"));
    // Two curves, drawn for wide pages and for phones.
    assert_eq!(page.matches("<polyline").count(), 4);
    let page = compared(Options::default()).page("g");
    assert!(!page.contains("chart-precision-recall") && page.contains("table-differences"));
}

#[test]
fn results_are_compared_with_each_other() {
    let found = compared(Options::default());
    let [pairs] = &found.differences[..] else {
        panic!("{:?}", found.differences);
    };
    let f1 = pairs.f1.unwrap();
    assert!((f1.difference - (6.0 / 9.0 - 4.0 / 7.0)).abs() < 1e-12);
    assert!(
        f1.interval.is_some()
            && pairs
                .says
                .starts_with("By pair, <second>.tsv has the higher F1")
    );
    assert!(
        pairs.says.ends_with("this may be chance."),
        "{}",
        pairs.says
    );
    // The figures of each are those that it has when evaluated alone.
    let alone = judged(GROUPS, FOUND, Options::default());
    assert_eq!(found.evaluations[0], alone);
    let none = compared(Options {
        resamples: 0,
        ..Options::default()
    });
    assert!(none.evaluations[0].intervals.is_none());
    assert!(none.differences[0].f1.unwrap().interval.is_none());
}

#[test]
fn equal_results_do_not_differ() {
    let lists = Lists::new(GROUPS, FOUND);
    std::fs::write(lists.path("same"), FOUND).unwrap();
    let (one, same) = (lists.path("result"), lists.path("same"));
    let read = ReadOptions::default();
    let options = Options::default();
    let found = evaluate(&lists.path("gold"), &[&one, &same], None, &read, &options).unwrap();
    let gap = found.differences[0].precision.unwrap();
    let zero = Interval {
        low: 0.0,
        high: 0.0,
    };
    assert_eq!((gap.difference.to_bits(), gap.interval), (0, Some(zero)));
    assert!(found.differences[0].says.contains("the same F1"));
}

#[test]
fn where_all_is_right_the_intervals_are_one() {
    let result = "a\tb\nb\tc\na\tc\nd\te\n";
    let found = judged(GROUPS, result, Options::default())
        .intervals
        .unwrap();
    let one = Some(Interval {
        low: 1.0,
        high: 1.0,
    });
    assert_eq!(found.pairs.precision, one);
    assert_eq!((found.pairs.recall, found.pairs.f1), (one, one));
    assert_eq!((found.pairs.groups, found.documents.f1), (2, one));
    assert_eq!((found.ari, found.macro_f1), (one, one));
}

#[test]
fn classes_of_documents_add_up() {
    let gold = "id\tgroup\tpaper\ttext\na\t1\tx\tone two\nb\t1\ty\tone\nc\t1\tx\tone two three\n\
                d\t2\ty\t\ne\t2\tx\tone\nf\t3\t\tone two\n";
    let read = ReadOptions {
        by: vec![
            By::Field("paper".parse().unwrap()),
            By::Tokens("text".to_owned()),
        ],
        ..ReadOptions::default()
    };
    let found = Lists::new(gold, FOUND)
        .judged(&read, Options::default())
        .unwrap();
    let shown = |classes: &Classes| -> Vec<(String, u64, u64, u64, u64)> {
        let row = |one: &Class| {
            let pairs = one.pairs;
            let class = one.class.clone();
            (
                class,
                one.documents,
                pairs.positives,
                pairs.found,
                pairs.hits,
            )
        };
        classes.classes.iter().map(row).collect()
    };
    let row = |class: &str, documents, positives, found, hits| {
        (class.to_owned(), documents, positives, found, hits)
    };
    // Of x the pairs a b, b c and d e count half, a c counts whole: two and a half.
    assert_eq!(
        shown(&found.classes[0]),
        [
            row("x", 3, 3, 1, 1),
            row("y", 2, 2, 2, 1),
            row("(missing)", 1, 0, 1, 0)
        ]
    );
    assert_eq!(
        shown(&found.classes[1]),
        [
            row("1", 2, 2, 1, 1),
            row("2\u{2013}3", 3, 2, 2, 1),
            row("(missing)", 1, 1, 1, 0)
        ]
    );
    let none = ReadOptions {
        by: vec![By::Field("journal".parse().unwrap())],
        ..ReadOptions::default()
    };
    let error = Lists::new(gold, FOUND).judged(&none, Options::default());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("id, group, paper, text"), "{error}");
}

#[test]
fn pairs_that_a_judge_could_not_decide_are_left_out() {
    let gold = "id_a\tid_b\tlabel\na\tb\t1\nc\td\t0\ne\tf\t?\n";
    let found = judged(
        gold,
        "a\tb\ne\tf\n",
        Options {
            judged_only: true,
            ..Options::default()
        },
    );
    assert_eq!((found.gold.positives, found.gold.negatives), (1, 1));
    assert_eq!(found.measures.pairs.found, 1);
}
