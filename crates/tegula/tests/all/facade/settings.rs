//! Settings: what is compared, what stays, and what is wrong.

use super::*;

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
fn what_is_wrong_is_a_usage_error_that_names_it() {
    let wrong: Vec<(&str, tegula::Result<Dedup>)> = vec![
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
    let removed: Vec<_> = outcome
        .removed()
        .map(|removed| {
            (
                removed.index,
                &texts[removed.index][removed.range],
                removed.witness.index(),
            )
        })
        .collect();
    assert_eq!(removed, [(1, cookies, Some(0)), (2, cookies, Some(0))]);
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
