//! Results equal brute force, whatever the threads and the memory.

use super::*;

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
