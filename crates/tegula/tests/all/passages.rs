//! Passages against brute force, which compares all places of all texts.

use crate::common::{Memory, job, with_ids_of};
use proptest::prelude::*;
use std::collections::BTreeSet;
use tegula::constraint::Constraints;
use tegula::context::{Budget, Context};
use tegula::engine::bad_records::FailOnBad;
use tegula::passages::{self, Families, Found, Passage, Wanted};
use tegula::recipe::Recipe;
use tegula::scratch::Scratch;

fn found(texts: &[Vec<u8>], wanted: &Wanted, (threads, memory): (usize, u64)) -> Found {
    let texts: Vec<String> = texts.iter().map(|text| spelled(text)).collect();
    found_in(&Memory::new(&texts, 3), wanted, (threads, memory), 64)
}

fn found_in(
    source: &Memory,
    wanted: &Wanted,
    (threads, memory): (usize, u64),
    id_bits: u32,
) -> Found {
    let context = Context::new(threads, Budget::OVERHEAD + memory, Scratch::system());
    let (recipe, none) = (Recipe::named("copies").unwrap(), Constraints::default());
    let job = job(source, &recipe, &none, with_ids_of(id_bits));
    passages::find(&context, job, wanted, &mut FailOnBad).unwrap()
}

fn families(found: &Found) -> Families {
    let context = Context::new(1, Budget::OVERHEAD + (1 << 24), Scratch::system());
    Families::new(&context, &found.passages, found.units.len(), true).unwrap()
}

/// Words of one to three letters, one of which has two bytes.
fn spelled(text: &[u8]) -> String {
    let words = text
        .iter()
        .map(|token| ["a", "bé", "ccc", "dd", "e", "f"][*token as usize % 6]);
    words.collect::<Vec<_>>().join(" ")
}

fn wanted(ngram: u32, min_tokens: u32, max_gap: u32, common: Option<u32>) -> Wanted {
    let mut wanted = Wanted::default();
    wanted.ngram = ngram;
    wanted.min_tokens = min_tokens;
    wanted.max_gap = max_gap;
    wanted.common = common;
    wanted
}

type Stretch = (u32, u32, u32, u32, u32);

/// Exact stretches of at least `least` tokens that cannot be longer, some of whose sequences of `n`
/// tokens are in at most `common` places, and that are not inside another: units, first tokens,
/// length. Equal texts are one.
fn stretches(texts: &[Vec<u8>], n: usize, least: usize, common: usize) -> BTreeSet<Stretch> {
    let firsts: Vec<usize> = (0..texts.len())
        .filter(|at| !texts[..*at].contains(&texts[*at]))
        .collect();
    let places = |gram: &[u8]| -> usize {
        let in_text = |at: &usize| texts[*at].windows(n).filter(|other| *other == gram).count();
        firsts.iter().map(in_text).sum()
    };
    let mut all = BTreeSet::new();
    for (i, a) in firsts.iter().enumerate() {
        for b in &firsts[i + 1..] {
            let (x, y) = (&texts[*a], &texts[*b]);
            for p in 0..x.len() {
                for q in 0..y.len() {
                    if p > 0 && q > 0 && x[p - 1] == y[q - 1] {
                        continue;
                    }
                    let length = x[p..]
                        .iter()
                        .zip(&y[q..])
                        .take_while(|(x, y)| x == y)
                        .count();
                    let is_rare = |gram: &[u8]| places(gram) <= common;
                    if length >= least.max(n) && x[p..p + length].windows(n).any(is_rare) {
                        all.insert((*a as u32, *b as u32, p as u32, q as u32, length as u32));
                    }
                }
            }
        }
    }
    let inside = |(a, b, p, q, length): Stretch, (c, d, r, s, more): Stretch| {
        (a, b) == (c, d)
            && length < more
            && (r..=r + more - length).contains(&p)
            && (s..=s + more - length).contains(&q)
    };
    let kept = |one: &Stretch| !all.iter().any(|other| inside(*one, *other));
    all.iter().copied().filter(kept).collect()
}

fn texts() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let text = prop::collection::vec(0..6_u8, 0..40);
    let copy = (
        any::<prop::sample::Index>(),
        0..40_usize,
        0..40_usize,
        0..40_usize,
    );
    (
        prop::collection::vec(text, 1..6),
        prop::collection::vec(copy, 0..6),
    )
        .prop_map(|(mut texts, copies)| {
            for (which, from, length, at) in copies {
                let source = which.get(&texts).clone();
                let some: Vec<u8> = source.into_iter().skip(from).take(length).collect();
                let to = (at + from) % texts.len();
                let at = at.min(texts[to].len());
                texts[to].splice(at..at, some);
            }
            texts
        })
}

/// What holds for every passage.
fn check(texts: &[Vec<u8>], wanted: &Wanted, found: &Found) {
    for passage in &found.passages.to_vec().unwrap() {
        let Passage {
            a,
            b,
            same,
            edits,
            parts,
            ..
        } = passage;
        let (x, y) = (&texts[a.unit as usize], &texts[b.unit as usize]);
        let (first, last) = (parts.first().unwrap(), parts.last().unwrap());
        assert_eq!((a.tokens.start, b.tokens.start), (first.a, first.b));
        assert_eq!(
            (a.tokens.end, b.tokens.end),
            (last.a + last.length, last.b + last.length)
        );
        let mut at = (first.a, first.b);
        let mut between = 0;
        for part in parts {
            assert!(part.a >= at.0 && part.b >= at.1 && part.length > 0);
            between += (part.a - at.0).max(part.b - at.1);
            let range = |from: u32| from as usize..(from + part.length) as usize;
            assert_eq!(x[range(part.a)], y[range(part.b)]);
            at = (part.a + part.length, part.b + part.length);
        }
        assert_eq!(*same, parts.iter().map(|part| part.length).sum::<u32>());
        // An alignment may insert and delete where it could change tokens, never fewer edits.
        assert!(*edits >= between && *edits <= 2 * between, "{passage:?}");
        assert!(
            wanted
                .min_identity
                .admits(u64::from(*same), u64::from(same + edits))
        );
        assert!(passage.tokens() >= wanted.min_tokens);
        for (side, text) in [(a, x), (b, y)] {
            let spelled_text = spelled(text);
            let tokens = side.tokens.start as usize..side.tokens.end as usize;
            let chars: String = spelled_text
                .chars()
                .skip(side.chars.start as usize)
                .take(side.chars.len())
                .collect();
            assert_eq!(chars, spelled(&text[tokens]));
            assert_eq!(
                chars,
                spelled_text[side.bytes.start as usize..side.bytes.end as usize]
            );
        }
    }
}

proptest! {
    #[test]
    fn exact_stretches_are_those_of_brute_force(
        texts in texts(), n in 1..5_u32, more in 0..4_u32, common in prop::option::of(2..8_u32)
    ) {
        let wanted = wanted(n, n + more, 0, common);
        let expected = stretches(
            &texts, n as usize, (n + more) as usize, common.map_or(usize::MAX, |most| most as usize)
        );
        let found = found(&texts, &wanted, (1, 1 << 24));
        check(&texts, &wanted, &found);
        let passages: BTreeSet<_> = found.passages.to_vec().unwrap().iter().map(|Passage { a, b, same, .. }| {
            (a.unit, b.unit, a.tokens.start, b.tokens.start, *same)
        }).collect();
        prop_assert_eq!(passages, expected);
    }

    #[test]
    fn exact_stretches_are_in_passages_with_gaps(texts in texts(), n in 2..5_u32, gap in 1..9_u32) {
        let wanted = wanted(n, n + 2, gap, None);
        let all = found(&texts, &wanted, (1, 1 << 24));
        check(&texts, &wanted, &all);
        let listed = all.passages.to_vec().unwrap();
        for (a, b, p, q, length) in stretches(&texts, n as usize, n as usize + 2, usize::MAX) {
            let holds = |passage: &Passage| {
                (passage.a.unit, passage.b.unit) == (a, b)
                    && passage.a.tokens.start <= p && p + length <= passage.a.tokens.end
                    && passage.b.tokens.start <= q && q + length <= passage.b.tokens.end
            };
            prop_assert!(listed.iter().any(holds), "{} {} {} {} {}", a, b, p, q, length);
        }
        for at in [(2, 1 << 24), (7, 1 << 17)] {
            let again = found(&texts, &wanted, at);
            prop_assert_eq!(&again.passages.to_vec().unwrap(), &listed);
        }
        let families = families(&all);
        prop_assert!(families.of.iter().all(|family| families.places[*family as usize].len() > 1));
    }

    #[test]
    fn tokens_of_one_number_are_told_apart_by_the_texts(texts in texts()) {
        let wanted = wanted(2, 3, 4, None);
        let spelled: Vec<String> = texts.iter().map(|text| spelled(text)).collect();
        // One bit of each token: every passage on the tape is mostly false.
        let found = found_in(&Memory::new(&spelled, 3), &wanted, (2, 1 << 24), 1);
        for passage in &found.passages.to_vec().unwrap() {
            for part in &passage.parts {
                let range = |from: u32| from as usize..(from + part.length) as usize;
                let (a, b) = (&texts[passage.a.unit as usize], &texts[passage.b.unit as usize]);
                prop_assert_eq!(&a[range(part.a)], &b[range(part.b)]);
            }
        }
    }
}

#[test]
fn a_quotation_with_edits_is_one_passage_and_a_family() {
    let quote =
        "there is no end of the making of many books and much study is a weariness of the flesh";
    let texts = [
        format!("he said once more {quote} and went"),
        "there is no end to the making of many books and much study is weariness of the flesh"
            .to_owned(),
        format!("nothing else here but {quote}"),
    ];
    let source = Memory::new(&texts, 1);
    let mut wanted = Wanted::default();
    wanted.texts = true;
    let found = found_in(&source, &wanted, (2, 1 << 24), 64);
    let passages = found.passages.to_vec().unwrap();
    let shown: Vec<_> = passages
        .iter()
        .map(|passage| (passage.a.unit, passage.b.unit, passage.same, passage.edits))
        .collect();
    assert_eq!(shown, [(0, 1, 17, 2), (0, 2, 19, 0), (1, 2, 17, 2)]);
    assert_eq!(passages[0].text, quote);
    assert_eq!(families(&found).places.len(), 1);
}

/// Many texts of few kinds of words, so that there are many passages.
fn crowded() -> Vec<String> {
    let mut random = 11_u64;
    let mut next = |kinds: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % kinds
    };
    let lines: Vec<String> = (0..40)
        .map(|_| {
            let words: Vec<String> = (0..12).map(|_| format!("wört{}", next(500))).collect();
            words.join(" ")
        })
        .collect();
    (0..400)
        .map(|_| {
            let of_text: Vec<&str> = (0..6).map(|_| &*lines[next(40) as usize]).collect();
            of_text.join(" ")
        })
        .collect()
}

#[test]
fn passages_on_scratch_are_those_in_memory() {
    let source = Memory::new(&crowded(), 7);
    let mut wanted = wanted(3, 10, 4, None);
    wanted.texts = true;
    wanted.min_rarity = 20;
    let ample = found_in(&source, &wanted, (1, 1 << 28), 64);
    let (all, whole) = (ample.passages.to_vec().unwrap(), families(&ample));
    assert!(
        !ample.passages.is_spilled() && all.len() > 20_000,
        "{}",
        all.len()
    );
    for at in [(1, 3 << 20), (2, 8 << 20), (3, 12 << 20)] {
        let found = found_in(&source, &wanted, at, 64);
        assert!(found.passages.is_spilled(), "{at:?}");
        assert!(found.passages.to_vec().unwrap() == all, "{at:?}");
        let context = Context::new(1, Budget::OVERHEAD + (4 << 20), Scratch::system());
        let families = Families::new(&context, &found.passages, found.units.len(), false).unwrap();
        assert!(families.of == whole.of && families.count == whole.places.len());
    }
}
