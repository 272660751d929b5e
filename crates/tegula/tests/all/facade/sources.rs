//! Texts in many forms, streams and custom sources; runs that are stopped.

use super::*;

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
            let removed: BTreeMap<_, _> = outcome
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
                        removed.get(&(index, part.range.start)),
                        Some(&(part.share, reason))
                    );
                    judged += 1;
                }
            }
            assert!(
                judged == removed.len() && judged > 20 && onion.bytes() > 0,
                "{judged} {}",
                removed.len()
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
        let error = Err(tegula::ErrorKind::Data
            .expected("another record")
            .found("the end"));
        Ok(texts
            .iter()
            .map(|text| Ok(Record::from(text)))
            .chain([error]))
    });
    let closed = Records::new(&[], || {
        Err::<std::iter::Empty<_>, _>(tegula::ErrorKind::Data.expected("a shop that is open"))
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

/// Cancels at the first report of progress, and notes what was reported.
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
