//! Measures compared with those found by looking at every pair.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Groups of up to twelve documents, and pairs among them with scores in tenths.
fn cases() -> impl Strategy<Value = (Vec<u8>, Vec<(u8, u8, u8)>)> {
    (3..12_u8).prop_flat_map(|documents| {
        let groups = prop::collection::vec(0..4_u8, documents as usize);
        let pairs = prop::collection::vec((0..documents, 0..documents, 0..10_u8), 1..16);
        (groups, pairs)
    })
}

/// The adjusted Rand index by examining every pair of documents.
fn brute_rand_index(one: &[usize], other: &[usize]) -> f64 {
    let (mut both, mut in_one, mut in_other, mut all) = (0_f64, 0_f64, 0_f64, 0_f64);
    for a in 0..one.len() {
        for b in a + 1..one.len() {
            let (x, y) = (one[a] == one[b], other[a] == other[b]);
            all += 1.0;
            both += if x && y { 1.0 } else { 0.0 };
            in_one += if x { 1.0 } else { 0.0 };
            in_other += if y { 1.0 } else { 0.0 };
        }
    }
    let expected = in_one * in_other / all;
    let most = f64::midpoint(in_one, in_other);
    if (most - expected).abs() < 1e-12 {
        1.0
    } else {
        (both - expected) / (most - expected)
    }
}

/// Clusters by spreading the smallest number until nothing changes.
fn brute_clusters(documents: usize, pairs: &BTreeSet<(u8, u8)>) -> Vec<usize> {
    let mut of: Vec<usize> = (0..documents).collect();
    for _ in 0..documents {
        for (a, b) in pairs {
            let least = of[*a as usize].min(of[*b as usize]);
            (of[*a as usize], of[*b as usize]) = (least, least);
        }
    }
    of
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn measures_agree_with_looking_at_every_pair((groups, pairs) in cases(), as_pairs in any::<bool>()) {
        let documents = groups.len();
        let true_pair = |a: u8, b: u8| groups[a as usize] == groups[b as usize];
        let all: Vec<(u8, u8)> = (0..documents as u8).flat_map(|a| (a + 1..documents as u8).map(move |b| (a, b))).collect();
        let positives = all.iter().filter(|(a, b)| true_pair(*a, *b)).count() as u64;
        prop_assume!(positives > 0);
        let mut gold = String::from(if as_pairs { "id_a\tid_b\tlabel\n" } else { "id\tgroup\n" });
        if as_pairs {
            for (a, b) in &all {
                let _ = writeln!(gold, "{a}\t{b}\t{}", u8::from(true_pair(*a, *b)));
            }
        } else {
            for (id, group) in groups.iter().enumerate() {
                let _ = writeln!(gold, "{id}\t{group}");
            }
        }
        let mut result = String::from("id_a\tid_b\tscore\n");
        for (a, b, score) in &pairs {
            let _ = writeln!(result, "{a}\t{b}\t0.{score}");
        }
        let lists = Lists::new(&gold, &result);
        for transitive in [false, true] {
            let options = Options { transitive, sweep: true, ..Options::default() };
            let swept = lists.judged(&ReadOptions::default(), options).unwrap();
            let mut halves = [0, 0, 0];
            for half in [Half::A, Half::B] {
                let part = lists.judged(&ReadOptions::default(), Options { half: Some(half), ..options }).unwrap().measures;
                halves[0] += part.pairs.found;
                halves[1] += part.pairs.hits;
                halves[2] += part.pairs.positives;
            }
            // Pairs across the halves count half in each, rounded up.
            let whole = swept.measures.pairs;
            prop_assert!(halves[0] - whole.found <= 1 && (halves[1], halves[2]) == (whole.hits, positives));
            for point in swept.sweep.iter().flat_map(|sweep| &sweep.points) {
                let least = (point.threshold * 10.0).round() as u8;
                let listed: BTreeSet<(u8, u8)> = pairs
                    .iter()
                    .filter(|(a, b, score)| a != b && *score >= least)
                    .map(|(a, b, _)| (*a.min(b), *a.max(b)))
                    .collect();
                let clusters = brute_clusters(documents, &listed);
                let inside = |(a, b): &(u8, u8)| clusters[*a as usize] == clusters[*b as usize];
                let counted: Vec<(u8, u8)> =
                    if transitive { all.iter().copied().filter(inside).collect() } else { listed.into_iter().collect() };
                let hits = counted.iter().filter(|(a, b)| true_pair(*a, *b)).count() as u64;
                prop_assert_eq!((point.pairs.found, point.pairs.hits, point.pairs.positives), (counted.len() as u64, hits, positives));
                let groups: Vec<usize> = groups.iter().map(|group| *group as usize).collect();
                prop_assert!((point.ari - brute_rand_index(&clusters, &groups)).abs() < 1e-9);
                let cut = lists.judged(&ReadOptions::default(), Options { threshold: Some(point.threshold), sweep: false, ..options });
                let cut = cut.unwrap().measures;
                prop_assert_eq!(cut.pairs, point.pairs);
                prop_assert!((cut.ari - point.ari).abs() < 1e-12);
            }
        }
    }
}
