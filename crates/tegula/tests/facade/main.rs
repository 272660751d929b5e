//! What the crate promises to programs: results equal brute force, whatever the threads; wrong
//! settings are typed errors.
#![allow(clippy::unwrap_used, reason = "helpers of tests, too")]

mod common;

use common::{Memory, oracle};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Mutex;
use tegula::recipe::Measure;
use tegula::source::Records;
use tegula::{
    Amount, Cancel, Dedup, ErrorKind, Onion, Outcome, Progress, Reason, Record, Removed, Unit,
};

/// Texts over few words, many of which are edits, parts, repetitions and copies of others.
fn texts(count: usize, seed: u64) -> Vec<String> {
    let mut state = seed;
    let mut below = move |end: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end
    };
    let mut texts: Vec<Vec<String>> = Vec::new();
    while texts.len() < count {
        let mut words = match below(4) {
            0 | 1 if !texts.is_empty() => texts[below(texts.len())].clone(),
            _ => (0..below(40)).map(|_| format!("w{}", below(60))).collect(),
        };
        for _ in 0..below(4) {
            let at = if words.is_empty() {
                0
            } else {
                below(words.len())
            };
            match below(5) {
                0 => words.truncate(at),
                1 => words.insert(at, format!("x{}", below(9))),
                2 => words = words.split_off(at),
                3 if !words.is_empty() => "y".clone_into(&mut words[at]),
                _ => {}
            }
        }
        texts.push(words);
    }
    texts.iter().map(|words| words.join(" ")).collect()
}

fn removed(outcome: &Outcome) -> Vec<Removed> {
    outcome.removed().collect()
}

#[test]
fn pairs_are_those_of_brute_force_in_order() {
    let texts = texts(300, 1);
    for (name, measure) in [
        ("ssr", Measure::Resemblance),
        ("sscr", Measure::Coverage),
        ("copies", Measure::ResemblanceContainment),
        ("sscr-containment", Measure::CoverageContainment),
    ] {
        for (threshold, ratio) in [(0.3, (3, 10)), (0.8, (4, 5))] {
            let truth = oracle(&texts, measure, 3, ratio, |_, _| true);
            let dedup = Dedup::recipe(name)
                .unwrap()
                .ngram(3)
                .unwrap()
                .threshold(threshold)
                .unwrap();
            for threads in [1, 2] {
                let pairs = dedup.clone().threads(threads).pairs(&texts).unwrap();
                assert_eq!(pairs.len(), truth.len() as u64);
                let listed = pairs.to_vec().unwrap();
                assert!(
                    listed
                        .iter()
                        .map(|pair| (pair.a as u32, pair.b as u32))
                        .eq(truth.keys().copied()),
                    "{name} {threshold}"
                );
                assert!(
                    listed
                        .iter()
                        .zip(truth.values())
                        .all(|(pair, (part, whole))| pair.score.part * whole
                            == part * pair.score.whole)
                );
                assert!(
                    listed.iter().all(
                        |pair| pair.range_b == (0..texts[pair.b].len()) && !pair.with_reference
                    )
                );
            }
        }
    }
}

#[test]
fn what_goes_is_what_brute_force_removes_and_has_the_best_witness() {
    let texts = texts(400, 2);
    let truth = oracle(&texts, Measure::Resemblance, 2, (1, 2), |_, _| true);
    let score = |a: usize, b: usize| truth.get(&(a.min(b) as u32, a.max(b) as u32)).copied();
    // One text after the other, the longest first: it stays if nothing that stays matches it.
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|at| {
        (
            std::cmp::Reverse(texts[*at].split_whitespace().count()),
            *at,
        )
    });
    let mut kept: Vec<usize> = Vec::new();
    for at in order {
        if kept.iter().all(|other| score(at, *other).is_none()) {
            kept.push(at);
        }
    }
    kept.sort_unstable();
    let better = |a: (u64, u64), b: (u64, u64)| a.0 * b.1 > b.0 * a.1;
    let dedup = Dedup::recipe("ssr")
        .unwrap()
        .ngram(2)
        .unwrap()
        .threshold("1/2")
        .unwrap();
    let outcome = dedup.run(&texts).unwrap();
    assert!(outcome.kept().eq(kept.iter().copied()));
    assert!(
        outcome.removed().count() > 50 && outcome.removed().count() + kept.len() == texts.len()
    );
    for removed in outcome.removed() {
        let mut best: Option<(usize, (u64, u64))> = None;
        for witness in &kept {
            if let Some(score) = score(removed.index, *witness)
                && best.is_none_or(|(_, other)| better(score, other))
            {
                best = Some((*witness, score));
            }
        }
        let (witness, (part, whole)) = best.unwrap();
        assert_eq!(removed.score.part * whole, part * removed.score.whole);
        // Of equal texts the one that stays is the witness, wherever it stands.
        assert!(
            removed.witness.index() == Some(witness)
                || texts[removed.witness.index().unwrap()] == texts[removed.index]
        );
        assert_eq!(
            (removed.reason, outcome.is_kept(removed.index)),
            (Reason::Copy, false)
        );
    }
    let summary = outcome.summary();
    assert_eq!(
        (summary.pairs, summary.kept.units, summary.texts),
        (truth.len() as u64, kept.len() as u64, 400)
    );
}

#[test]
fn threads_and_memory_change_nothing() {
    let texts: Vec<String> = texts(300, 3)
        .iter()
        .map(|text| text.replace(" x", ".\n\nx"))
        .collect();
    for name in [
        "copies", "sscr", "exact", "cosine", "simhash", "sketch", "onion", "messages",
    ] {
        for unit in [Unit::Document, Unit::Paragraph, Unit::Sentence] {
            let dedup = Dedup::recipe(name).unwrap().unit(unit);
            let one = dedup.clone().threads(1).run(&texts).unwrap();
            let two = dedup
                .clone()
                .threads(2)
                .memory(64 << 20)
                .unwrap()
                .run(&texts)
                .unwrap();
            assert_eq!(removed(&one), removed(&two), "{name}");
            assert_eq!(
                (one.summary(), one.clusters()),
                (two.summary(), two.clusters()),
                "{name}"
            );
            assert!(one.marks().eq(two.marks()));
            assert_eq!(
                one.marks().filter(|mark| mark.removed.is_some()).count(),
                one.removed().count()
            );
        }
    }
}

#[test]
fn references_are_never_removed_and_may_be_witnesses() {
    let all = texts(300, 4);
    let (new, old) = all.split_at(200);
    let dedup = Dedup::recipe("ssr")
        .unwrap()
        .ngram(2)
        .unwrap()
        .threshold(0.6)
        .unwrap();
    let outcome = dedup.clone().against(old).run(new).unwrap();
    assert_eq!(
        (outcome.len(), outcome.summary().references.units),
        (200, 100)
    );
    assert!(
        outcome.removed().any(|removed| removed.by_reference)
            && outcome.removed().any(|removed| !removed.by_reference)
    );
    assert!(outcome.removed().all(|removed| removed.index < 200));
    let truth = oracle(&all, Measure::Resemblance, 2, (3, 5), |a, b| {
        a < 200 || b < 200
    });
    for index in 0..new.len() {
        let matches = |old: usize| truth.contains_key(&(index as u32, old as u32));
        if (200..300).any(matches) {
            assert!(!outcome.is_kept(index), "{index} is in the references");
        }
    }
    let pairs = dedup
        .clone()
        .against(old)
        .pairs(new)
        .unwrap()
        .to_vec()
        .unwrap();
    let numbered = pairs.iter().map(|pair| {
        (
            pair.a as u32,
            (pair.b + if pair.with_reference { 200 } else { 0 }) as u32,
        )
    });
    assert!(numbered.eq(truth.keys().copied()));
    let clusters = dedup.against(old).clusters(new).unwrap();
    assert!(
        clusters
            .iter()
            .any(|cluster| cluster.members.iter().any(|place| place.is_reference))
    );
    assert!(
        clusters
            .iter()
            .all(|cluster| cluster.members.len() > 1 && !cluster.members[0].is_reference)
    );
}

#[test]
fn few_texts_and_texts_without_tokens_are_texts_too() {
    let none: [&str; 0] = [];
    for name in [
        "copies",
        "exact",
        "onion",
        "cosine",
        "simhash",
        "sketch",
        "simfinder",
        "i-match",
        "super-shingle",
    ] {
        let dedup = Dedup::recipe(name).unwrap();
        let outcome = dedup.run(none).unwrap();
        assert!(
            outcome.is_empty()
                && outcome.removed().next().is_none()
                && outcome.clusters().is_empty(),
            "{name}"
        );
        assert_eq!(outcome.summary().texts, 0);
        let one = Dedup::recipe(name)
            .unwrap()
            .unit(Unit::Sentence)
            .run([""])
            .unwrap();
        assert!(
            one.kept().eq([0]) && one.rest(0, "") == Some(Cow::Borrowed("")),
            "{name}"
        );
        if name != "onion" {
            assert!(
                dedup.pairs(none).unwrap().is_empty()
                    && dedup.clusters(["one text"]).unwrap().is_empty()
            );
            assert!(
                dedup
                    .against(none)
                    .run(["a", "b"])
                    .unwrap()
                    .kept()
                    .eq([0, 1]),
                "{name}"
            );
        }
    }
    let equal = ["one two three four five six"; 5];
    let outcome = Dedup::new().run(equal).unwrap();
    assert!(
        outcome.removed().all(
            |removed| removed.witness.index() == Some(0) && removed.score == tegula::Score::ONE
        )
    );
    assert_eq!(
        (outcome.kept().collect::<Vec<_>>(), outcome.clusters().len()),
        (vec![0], 1)
    );
    assert_eq!(Dedup::new().pairs(equal).unwrap().len(), 10);
    // Without tokens the raw text counts.
    assert!(
        Dedup::new()
            .run(["!", "?", "!", "", ""])
            .unwrap()
            .kept()
            .eq([0, 1, 3])
    );
}

#[test]
fn texts_come_in_many_forms() {
    let strings = vec!["a b c".to_owned(), "d e f".to_owned(), "A b c!".to_owned()];
    let dedup = Dedup::new();
    let expected = [0, 1];
    assert!(dedup.run(&strings).unwrap().kept().eq(expected));
    assert!(
        dedup
            .run(strings.iter().map(String::as_str))
            .unwrap()
            .kept()
            .eq(expected)
    );
    assert!(
        dedup
            .run(strings.iter().map(|text| Cow::Borrowed(text.as_str())))
            .unwrap()
            .kept()
            .eq(expected)
    );
    assert!(
        dedup
            .run([&strings[0][..], "d e f", "A b c!"])
            .unwrap()
            .kept()
            .eq(expected)
    );
    let slices: &[&str] = &[&strings[0], "d e f", "A b c!"];
    assert!(dedup.run(slices).unwrap().kept().eq(expected));
    assert!(
        dedup
            .run(strings.iter().map(|text| text.clone().into_boxed_str()))
            .unwrap()
            .kept()
            .eq(expected)
    );
    let named = dedup
        .run(
            strings
                .iter()
                .enumerate()
                .map(|(at, text)| (format!("t{at}"), text)),
        )
        .unwrap();
    assert_eq!((named.id(2), named.len()), (Some("t2"), 3));
    let records: Vec<Record> = strings.iter().map(Record::from).collect();
    assert!(dedup.run(&records).unwrap().kept().eq(expected));
    assert!(dedup.run(records).unwrap().kept().eq(expected));
    assert!(dedup.run(strings).unwrap().kept().eq(expected));
}

#[test]
fn what_is_wrong_is_a_usage_error_that_names_it() {
    let wrong: [(&str, tegula::Result<Dedup>); 16] = [
        ("recipe", Dedup::recipe("copy")),
        ("stages", Dedup::recipe("benko")),
        ("stages", Dedup::toml("[[stage]]\nrecipe = 'ssr'")),
        ("ngrams", Dedup::toml("ngrams = 3")),
        ("TOML", Dedup::toml("threshold 3")),
        ("threshold", Dedup::new().threshold("1.2")),
        ("threshold", Dedup::new().threshold(f64::NAN)),
        (
            "threshold",
            Dedup::recipe("exact").unwrap().threshold("0.5"),
        ),
        ("ngram", Dedup::new().ngram(65)),
        ("ngram", Dedup::recipe("exact").unwrap().ngram(3)),
        ("shiny", Dedup::new().normalise("shiny")),
        ("nrgam", Dedup::new().set("nrgam", "3")),
        ("newest", Dedup::new().keep("newest")),
        ("field", Dedup::new().within("")),
        ("date", Dedup::new().dates("%d.%m.")),
        ("memory", Dedup::new().memory(1 << 20)),
    ];
    for (name, result) in wrong {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
        assert!(error.message().contains(name), "{name}: {error}");
    }
    let text = ["a text"];
    let onion = || Dedup::recipe("onion").unwrap();
    let late: [(&str, tegula::Result<()>); 9] = [
        (
            "seed",
            Dedup::new().set("seed", "3").unwrap().run(text).map(drop),
        ),
        (
            "statistics",
            Dedup::recipe("cosine")
                .unwrap()
                .set("statistics", "a.tsv")
                .unwrap()
                .run(text)
                .map(drop),
        ),
        (
            "across",
            Dedup::new()
                .within("f")
                .unwrap()
                .across("f")
                .unwrap()
                .run([Record::new("a").field("f", "1")])
                .map(drop),
        ),
        ("pairs", onion().pairs(text).map(drop)),
        ("pairs", onion().clusters(text).map(drop)),
        ("keep", onion().keep("last").unwrap().run(text).map(drop)),
        (
            "window",
            onion()
                .window("date", 3)
                .unwrap()
                .run([Record::new("a").field("date", "2020")])
                .map(drop),
        ),
        ("onion", Onion::new(&Dedup::new()).map(drop)),
        (
            "within",
            Onion::new(&onion().within("f").unwrap()).map(drop),
        ),
    ];
    for (name, result) in late {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
        assert!(error.message().contains(name), "{name}: {error}");
    }
}

#[test]
fn fields_say_what_is_compared_and_what_stays() {
    let opening = "opening hours nine to five on all days but holidays";
    let record = |date: &'static str, source: &'static str| {
        Record::new(opening)
            .field("date", date)
            .field("source", source)
    };
    let records = [
        record("2019-03-01", "a"),
        record("1 May 2021", "b"),
        record("2020-07-01", "a"),
        Record::new(opening),
    ];
    let kept = |dedup: tegula::Result<Dedup>| {
        dedup
            .unwrap()
            .run(&records)
            .unwrap()
            .kept()
            .collect::<Vec<_>>()
    };
    assert_eq!(kept(Dedup::new().keep("newest:date")), [1]);
    assert_eq!(kept(Dedup::new().keep("oldest:date, longest")), [0]);
    assert_eq!(kept(Dedup::new().keep("priority:source=b,a")), [1]);
    assert_eq!(kept(Dedup::new().keep("none")), [0; 0]);
    assert_eq!(
        kept(
            Dedup::new()
                .within("source")
                .and_then(|dedup| dedup.keep("newest:date"))
        ),
        [1, 2, 3]
    );
    assert_eq!(kept(Dedup::new().keep_per("source")), [0, 1, 3]);
    assert_eq!(
        kept(
            Dedup::new()
                .window("date", 365)
                .and_then(|dedup| dedup.keep("first"))
        ),
        [0, 1, 3]
    );
    assert_eq!(kept(Dedup::new().within("date:year")), [0, 1, 2, 3]);
    assert_eq!(kept(Ok(Dedup::new().min_tokens(20))), [0, 1, 2, 3]);
    let none = Dedup::new().keep("none").unwrap().run(&records).unwrap();
    assert!(
        none.removed()
            .all(|removed| removed.reason == Reason::NoneKept && removed.witness.index().is_none())
    );

    let error = Dedup::new()
        .keep("newest:day")
        .unwrap()
        .run(&records)
        .unwrap_err();
    assert!(
        error.message().contains("'day'") && error.advice().unwrap().contains("date, source"),
        "{error}"
    );
    let error = Dedup::new()
        .keep("highest:source")
        .unwrap()
        .run(&records)
        .unwrap_err();
    assert!(error.message().contains("numbers"), "{error}");
    let slashed = [
        Record::new("a").field("d", "03/04/2019"),
        Record::new("a").field("d", "05/04/2019"),
    ];
    let newest = || Dedup::new().keep("newest:d").unwrap();
    assert_eq!(newest().run(&slashed).unwrap_err().kind(), ErrorKind::Usage);
    assert!(
        newest()
            .dates("%d/%m/%Y")
            .unwrap()
            .run(&slashed)
            .unwrap()
            .kept()
            .eq([1])
    );
}

#[test]
fn parts_of_texts_go_and_the_rest_stays() {
    let (cookies, news) = (
        "We use cookies, as all of them do.",
        "The bridge over the river was opened by the mayor.",
    );
    let first = format!("{cookies}\n\n{news}");
    let second = format!("A title of its own\n \n\n{cookies}\n\nAnd the end.\n");
    let texts = [&first[..], &second, cookies, ""];
    let outcome = Dedup::recipe("exact")
        .unwrap()
        .unit(Unit::Paragraph)
        .run(texts)
        .unwrap();
    let gone: Vec<_> = outcome
        .removed()
        .map(|removed| {
            (
                removed.index,
                &texts[removed.index][removed.range],
                removed.witness.index(),
            )
        })
        .collect();
    assert_eq!(gone, [(1, cookies, Some(0)), (2, cookies, Some(0))]);
    assert!(
        outcome
            .removed()
            .all(|removed| removed.witness_range == Some(0..cookies.len()))
    );
    assert!(outcome.kept().eq([0, 1, 3]));
    assert_eq!(outcome.rest(0, texts[0]), Some(Cow::Borrowed(texts[0])));
    assert_eq!(
        outcome.rest(1, texts[1]).unwrap(),
        "A title of its own\n \n\nAnd the end.\n"
    );
    assert_eq!(outcome.rest(2, texts[2]), None);
    let clusters = outcome.clusters();
    assert_eq!(
        clusters[0]
            .members
            .iter()
            .map(|place| place.index)
            .collect::<Vec<_>>(),
        [0, 1, 2]
    );
    assert_eq!(
        outcome.marks().map(|mark| mark.cluster).collect::<Vec<_>>(),
        [Some(0), None, None, Some(0), None, Some(0)]
    );
    assert!(
        outcome.summary().to_string().contains("6 paragraphs"),
        "{}",
        outcome.summary()
    );
}

#[test]
fn a_stream_is_judged_as_a_run_judges_it() {
    let all: Vec<String> = texts(300, 5)
        .iter()
        .map(|text| text.replace(" x", "\n\nx"))
        .collect();
    let (references, texts) = all.split_at(50);
    for unit in [Unit::Document, Unit::Paragraph, Unit::Sentence] {
        for (smooth, short, least) in [
            ("true", "ngrams", 0),
            ("false", "exact", 0),
            ("false", "ngrams", 3),
        ] {
            let dedup = Dedup::recipe("onion")
                .unwrap()
                .unit(unit)
                .ngram(3)
                .unwrap()
                .threshold(0.4)
                .unwrap()
                .min_tokens(least);
            let dedup = dedup
                .set("onion.smooth", smooth)
                .unwrap()
                .set("onion.short", short)
                .unwrap()
                .against(references);
            let outcome = dedup.run(texts).unwrap();
            let gone: BTreeMap<_, _> = outcome
                .removed()
                .map(|removed| {
                    (
                        (removed.index, removed.range.start),
                        (removed.score, removed.reason),
                    )
                })
                .collect();
            let mut onion = Onion::new(&dedup).unwrap();
            let mut judged = 0;
            for (index, text) in texts.iter().enumerate() {
                let judgement = onion.judge(text).unwrap();
                assert_eq!(judgement.is_kept, outcome.is_kept(index), "{index}");
                for part in judgement.parts.iter().filter(|part| !part.is_kept) {
                    let reason = if part.is_smoothed {
                        Reason::Smoothed
                    } else {
                        Reason::SeenBefore
                    };
                    assert_eq!(
                        gone.get(&(index, part.range.start)),
                        Some(&(part.share, reason))
                    );
                    judged += 1;
                }
            }
            assert!(
                judged == gone.len() && judged > 20 && onion.bytes() > 0,
                "{judged} {}",
                gone.len()
            );
            let seen: Vec<Removed> = outcome
                .removed()
                .filter(|removed| removed.reason == Reason::SeenBefore)
                .collect();
            assert!(
                seen.iter()
                    .all(|removed| removed.witness.index().is_none() && removed.source.is_some())
            );
            assert!(
                seen.iter()
                    .all(|removed| removed.by_reference || removed.source <= Some(removed.index))
            );
            assert!(seen.iter().any(|removed| removed.by_reference));
        }
    }
}

#[test]
fn a_source_of_ones_own_gives_what_texts_in_memory_give() {
    let texts = texts(200, 6);
    let mut source = Memory::new(&texts, 7);
    let (old, dates) = (&texts[..20], ["2020-01-01", "2021-01-01", "2022-01-01"]);
    source.field = (0..texts.len())
        .map(|at| Some(dates[at % 3].to_owned()))
        .collect();
    let records = || {
        texts
            .iter()
            .enumerate()
            .map(|(at, text)| Record::new(text).field("f", dates[at % 3]))
    };
    let dedup = Dedup::new()
        .threshold(0.6)
        .unwrap()
        .keep("newest:f")
        .unwrap()
        .against(old);
    let (own, memory) = (
        dedup.run_source(&source).unwrap(),
        dedup.run(records()).unwrap(),
    );
    assert_eq!(removed(&own), removed(&memory));
    assert_eq!(own.summary().removed, memory.summary().removed);
    assert!(own.summary().removed.units > 40);
    assert_eq!(
        dedup.pairs_source(&source).unwrap().to_vec().unwrap(),
        dedup.pairs(records()).unwrap().to_vec().unwrap()
    );
    assert_eq!(
        dedup.clusters_source(&source).unwrap(),
        dedup.clusters(records()).unwrap()
    );
    let error = dedup
        .keep_per("g")
        .unwrap()
        .run_source(&source)
        .unwrap_err();
    assert!(
        error.kind() == ErrorKind::Usage && error.message().contains("'g'"),
        "{error}"
    );
}

#[test]
fn records_that_are_read_anew_give_what_texts_in_memory_give() {
    let texts = texts(200, 10);
    let source = Records::new(&["number"], || {
        Ok(texts
            .iter()
            .zip(0..)
            .map(|(text, at)| Ok(Record::new(text).field("number", (at % 7).to_string()))))
    });
    let records = texts
        .iter()
        .zip(0..)
        .map(|(text, at)| Record::new(text).field("number", (at % 7).to_string()));
    for name in ["copies", "sscr", "cosine", "simhash"] {
        let dedup = Dedup::recipe(name)
            .unwrap()
            .threshold(0.7)
            .unwrap()
            .keep("highest:number")
            .unwrap();
        let read = dedup.run_source(&source).unwrap();
        assert_eq!(
            removed(&read),
            removed(&dedup.run(records.clone()).unwrap()),
            "{name}"
        );
        assert!(read.removed().count() > 10 && read.len() == 200);
    }
    let broken = Records::new(&[], || {
        let error = Err(tegula::Error::data(
            "expected another record, found the end",
        ));
        Ok(texts
            .iter()
            .map(|text| Ok(Record::from(text)))
            .chain([error]))
    });
    let closed = Records::new(&[], || {
        Err::<std::iter::Empty<_>, _>(tegula::Error::data("expected a shop that is open"))
    });
    for threads in [1, 2] {
        let dedup = Dedup::new().threads(threads);
        assert!(
            dedup
                .run_source(&broken)
                .unwrap_err()
                .message()
                .contains("the end")
        );
        assert_eq!(
            dedup.run_source(&closed).unwrap_err().kind(),
            ErrorKind::Data
        );
    }
}

/// Cancels at the first report of progress, and notes what it was told.
struct Stop(Cancel, Mutex<Vec<String>>);

impl Progress for Stop {
    fn begin(&self, stage: &str, _: Option<u64>, _: Amount) {
        self.1.lock().unwrap().push(stage.to_owned());
        self.0.cancel();
    }
    fn advance(&self, _: u64) {}
    fn end(&self) {}
}

#[test]
fn a_token_stops_a_run_that_goes_on() {
    let texts = texts(300, 7);
    for threads in [1, 2] {
        let cancel = Cancel::new();
        let stop = Stop(cancel.clone(), Mutex::default());
        let dedup = Dedup::new().threads(threads).progress(stop).cancel(&cancel);
        assert!(!cancel.is_cancelled());
        assert_eq!(dedup.run(&texts).unwrap_err().kind(), ErrorKind::Cancelled);
        assert!(cancel.is_cancelled());
        assert_eq!(
            dedup.pairs(&texts).unwrap_err().kind(),
            ErrorKind::Cancelled
        );
    }
}

#[test]
fn a_recipe_from_toml_is_the_one_that_was_set() {
    let texts = texts(100, 8);
    let own =
        Dedup::toml("recipe = 'ssr'\ntitle = 'mine'\nthreshold = '60%'\nngram = 2\nnormalise = { digits = 'drop' }").unwrap();
    let set = Dedup::recipe("ssr")
        .unwrap()
        .threshold(0.6)
        .unwrap()
        .ngram(2)
        .unwrap()
        .set("normalise.digits", "drop")
        .unwrap();
    assert_eq!(
        (own.about().title.as_str(), own.to_toml().unwrap()),
        ("mine", set.to_toml().unwrap())
    );
    let again = Dedup::toml(&own.to_toml().unwrap()).unwrap();
    let expected = removed(&own.run(&texts).unwrap());
    assert!(!expected.is_empty());
    assert_eq!(expected, removed(&set.run(&texts).unwrap()));
    assert_eq!(expected, removed(&again.run(&texts).unwrap()));
    for about in tegula::recipes() {
        let dedup = Dedup::recipe(&about.name).unwrap();
        assert_eq!(dedup.about(), &about);
        assert!(Dedup::toml(&dedup.to_toml().unwrap()).is_ok());
        dedup.run(&texts).unwrap();
    }
}

#[test]
fn two_texts_score_as_a_run_scores_them() {
    let texts = texts(40, 9);
    for name in ["copies", "ssr", "sscr", "exact", "simhash", "messages"] {
        let dedup = Dedup::recipe(name).unwrap();
        for pair in dedup.pairs(&texts).unwrap().iter() {
            let pair = pair.unwrap();
            let found = dedup.compare(&texts[pair.a], &texts[pair.b]).unwrap();
            assert_eq!(found.score, Some(pair.score), "{name}");
        }
    }
    assert_eq!(
        Dedup::recipe("cosine")
            .unwrap()
            .compare("a", "b")
            .unwrap()
            .score,
        None
    );
    let same = tegula::compare("", "").unwrap();
    assert!(same.are_equal && same.levenshtein == Some(tegula::Score::ONE));
    assert_eq!(
        tegula::compare("kitten", "sitting")
            .unwrap()
            .levenshtein
            .unwrap()
            .to_string(),
        "0.5714"
    );
}

#[test]
fn a_text_too_large_for_the_ceiling_is_named() {
    let long = "word after word ".repeat(1 << 20);
    let error = Dedup::new()
        .memory(64 << 20)
        .unwrap()
        .run(["a", &long])
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.record_number()),
        (ErrorKind::Memory, Some(2)),
        "{error}"
    );
    assert!(
        Dedup::new()
            .threads(2)
            .run(["a", &long, &long])
            .unwrap()
            .kept()
            .eq([0, 1])
    );
}
