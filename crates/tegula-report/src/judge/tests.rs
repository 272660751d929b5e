use super::*;
use crate::testing::{Given, run, run_on};

/// A run that removed twenty units, half of them with the score 0.8, half with 1.
fn removed() -> tempfile::TempDir {
    let ids: Vec<String> = (0..20).map(|at| format!("removed-{at}")).collect();
    let mut units = vec![Given::kept("kept")];
    units.extend(ids.iter().enumerate().map(|(at, id)| Given {
        witness: Some((0, "kept", if at % 2 == 0 { 0.8 } else { 1.0 })),
        ..Given::removed(id)
    }));
    run_on(&units, "")
}

const OPTIONS: Options = Options {
    pairs: 10,
    seed: 1,
    threshold: None,
};

fn answered(drawn: &[SampledPair], answer: impl Fn(usize) -> Answer) -> Answers {
    let mut answers = Answers::default();
    for (at, one) in drawn.iter().enumerate() {
        answers.set(&one.ids, Some(answer(at)));
    }
    answers
}

#[test]
fn removals_are_drawn_and_their_precision_is_estimated() {
    let folder = removed();
    let run = Run::open(folder.path()).unwrap();
    let judging = Judging::new(&[&run], OPTIONS, &Answers::default(), None).unwrap();
    assert_eq!(judging.drawn.len(), 10);
    assert_eq!(
        judging
            .strata
            .iter()
            .map(|one| one.tenth)
            .collect::<Vec<_>>(),
        [8, 10]
    );
    assert!(
        judging
            .estimate()
            .unwrap_err()
            .to_string()
            .contains("found none")
    );
    let mut answers = answered(&judging.drawn, |_| Answer::Copies);
    answers.set(&["x".into(), "y".into()], Some(Answer::Different));
    let judging = Judging::new(&[&run], OPTIONS, &answers, None).unwrap();
    assert!(judging.drawn.iter().all(|one| one.is_answered));
    let found = judging.estimate().unwrap();
    let [precision] = &found.figures[..] else {
        panic!("{:?}", found.figures);
    };
    assert_eq!(
        (precision.name, precision.value.to_bits()),
        ("precision", 1.0_f64.to_bits())
    );
    assert!(precision.interval.low > 0.6 && precision.interval.low < 0.9);
    let says = found.says.join("\n");
    assert!(says.contains("20 units that the run removed"), "{says}");
    assert!(
        says.contains("no recall") && says.contains("not listed here: 1 answer"),
        "{says}"
    );
    let judged: u64 = found.strata.iter().map(|one| one.judged).sum();
    assert_eq!((judged, found.strata.len()), (10, 2));
}

#[test]
fn pairs_below_a_threshold_give_a_recall() {
    let folder = removed();
    let run = Run::open(folder.path()).unwrap();
    let options = Options {
        pairs: 100,
        threshold: Some(0.9),
        ..OPTIONS
    };
    let judging = Judging::new(&[&run], options, &Answers::default(), None).unwrap();
    assert!(judging.has_below());
    let answers = answered(&judging.drawn, |_| Answer::Copies);
    let judging = Judging::new(&[&run], options, &answers, None).unwrap();
    let found = judging.estimate().unwrap();
    let values: Vec<(&str, f64, f64, f64)> = found
        .figures
        .iter()
        .map(|one| {
            let round = |value: f64| (1000.0 * value).round() / 1000.0;
            let ends = one.interval;
            (
                one.name,
                round(one.value),
                round(ends.low),
                round(ends.high),
            )
        })
        .collect();
    // All are judged: half of the copies are found, and both figures are known.
    assert_eq!(
        values,
        [("precision", 1.0, 1.0, 1.0), ("recall", 0.5, 0.5, 0.5)]
    );
}

#[test]
fn two_runs_are_compared_by_what_only_one_has() {
    let ids: Vec<String> = (0..20).map(|at| format!("u{at}")).collect();
    let of = |removed: std::ops::Range<usize>| {
        let unit = |(at, id)| {
            if removed.contains(&at) {
                Given {
                    witness: Some((0, "u0", 0.9)),
                    ..Given::removed(id)
                }
            } else {
                Given::kept(id)
            }
        };
        let units: Vec<Given> = (0..)
            .zip(ids.iter().map(String::as_str))
            .map(unit)
            .collect();
        run(&units)
    };
    let (one, other) = (of(1..12), of(8..18));
    let runs = [&one, &other].map(|folder| Run::open(folder.path()).unwrap());
    let runs = [&runs[0], &runs[1]];
    let options = Options {
        pairs: 100,
        ..OPTIONS
    };
    let judging = Judging::new(&runs, options, &Answers::default(), None).unwrap();
    let sizes: Vec<(Option<usize>, u64)> = judging
        .strata
        .iter()
        .zip(&judging.samples)
        .map(|(stratum, sample)| (stratum.who, sample.pairs))
        .collect();
    assert_eq!(sizes, [(Some(0), 4), (Some(1), 7), (Some(2), 6)]);
    let mut answers = Answers::default();
    for one in &judging.drawn {
        // Pairs that only the second has are wrong.
        let unit: usize = one.ids[1][1..].parse().unwrap();
        let answer = if unit < 12 {
            Answer::Copies
        } else {
            Answer::Different
        };
        answers.set(&one.ids, Some(answer));
    }
    let found = Judging::new(&runs, options, &answers, None)
        .unwrap()
        .estimate()
        .unwrap();
    let values: Vec<(&str, f64)> = found
        .figures
        .iter()
        .map(|one| (one.name, one.value))
        .collect();
    let expected = [
        ("precision", 1.0),
        ("precision", 0.4),
        ("difference in precision", -0.6),
        ("recall", 1.0),
        ("recall", 4.0 / 11.0),
        ("difference in recall", -7.0 / 11.0),
    ];
    for ((name, value), (expected_name, expected)) in values.iter().zip(expected) {
        assert!(
            *name == expected_name && (value - expected).abs() < 1e-9,
            "{values:?}"
        );
    }
    let says = found.says.join("\n");
    assert!(
        says.contains("higher precision: 1.0000 against 0.4000"),
        "{says}"
    );
    assert!(says.contains("unlikely to be chance"), "{says}");
}
