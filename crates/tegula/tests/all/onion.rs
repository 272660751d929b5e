//! Onion's judge against brute force: sets of token sequences, a flag for every token, no
//! fingerprints.

use proptest::prelude::*;
use std::collections::{HashMap, HashSet};
use tegula::context::{Budget, Context};
use tegula::error::ErrorKind;
use tegula::hash::{self, Fingerprint, Width};
use tegula::onion::{Document, Fate, Judge, Rules, Sources, Verdict};
use tegula::scratch::Scratch;
use tegula::shingle::Shingler;
use tegula::threshold::Threshold;

/// A document: its paragraphs, each a row of tokens; and whether it is a reference.
#[derive(Debug, Clone)]
struct Text {
    paragraphs: Vec<Vec<u8>>,
    reference: bool,
}

/// A paragraph's previously seen tokens, its fate, and its sources with their tokens.
type Decision = (u32, Fate, Vec<(u32, u32)>);

fn brute_force(texts: &[Text], rules: Rules, whole: bool) -> Vec<Decision> {
    let n = rules.ngram;
    let mut kept: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut decisions = Vec::new();
    let mut first = 0;
    for text in texts {
        let all: Vec<u8> = text.paragraphs.concat();
        let mut here: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut of_paragraph: Vec<Vec<Vec<u8>>> = Vec::new();
        let mut decided: Vec<Decision> = Vec::new();
        let mut start = 0;
        for (number, paragraph) in text.paragraphs.iter().enumerate() {
            let unit = first + number as u32;
            let mut blame: Vec<Option<u32>> = vec![None; paragraph.len()];
            let mut grams = Vec::new();
            let mut note = |gram: Vec<u8>, from: usize, to: usize, blame: &mut Vec<Option<u32>>| {
                if let Some(source) = kept.get(&gram).or_else(|| here.get(&gram)) {
                    blame[from..to]
                        .iter_mut()
                        .for_each(|token| *token = token.or(Some(*source)));
                }
                here.entry(gram.clone()).or_insert(unit);
                grams.push(gram);
            };
            for end in start..start + paragraph.len() {
                if end + 1 >= n {
                    let from = (end + 1 - n).max(start) - start;
                    note(
                        all[end + 1 - n..=end].to_vec(),
                        from,
                        end + 1 - start,
                        &mut blame,
                    );
                }
            }
            if whole && !paragraph.is_empty() && paragraph.len() < n {
                // Shorter than any n-gram, so that the two are never taken for one another.
                note(paragraph.clone(), 0, paragraph.len(), &mut blame);
            }
            let seen = blame.iter().flatten().count() as u32;
            let above = u64::from(seen) * rules.threshold.denominator()
                > paragraph.len() as u64 * rules.threshold.numerator();
            let mut shares: HashMap<u32, u32> = HashMap::new();
            blame
                .iter()
                .flatten()
                .for_each(|source| *shares.entry(*source).or_default() += 1);
            let mut sources: Vec<(u32, u32)> = shares.into_iter().collect();
            sources.sort_by_key(|(unit, tokens)| (std::cmp::Reverse(*tokens), *unit));
            sources.truncate(Sources::MOST);
            decided.push((
                seen,
                if above { Fate::Duplicate } else { Fate::Kept },
                sources,
            ));
            of_paragraph.push(grams);
            start += paragraph.len();
        }
        if let Some(stub) = rules.smooth {
            let bad: Vec<bool> = decided
                .iter()
                .map(|decision| decision.1 == Fate::Duplicate)
                .collect();
            for at in 0..bad.len() {
                let from = (0..at).rev().find(|i| bad[*i]).map_or(0, |i| i + 1);
                let to = (at..bad.len()).find(|i| bad[*i]).unwrap_or(bad.len());
                let tokens: usize = text.paragraphs[from.min(to)..to].iter().map(Vec::len).sum();
                if !bad[at] && tokens <= stub as usize {
                    decided[at].1 = Fate::Smoothed;
                }
            }
        }
        for (number, grams) in of_paragraph.into_iter().enumerate() {
            if text.reference || decided[number].1 == Fate::Kept {
                for gram in grams {
                    kept.entry(gram).or_insert(first + number as u32);
                }
            }
        }
        first += text.paragraphs.len() as u32;
        if !text.reference {
            decisions.extend(decided);
        }
    }
    decisions
}

fn documents(texts: &[Text], n: usize, width: Width, whole: bool) -> Vec<Document> {
    let shingler = Shingler::new(n, width);
    let document = |text: &Text| {
        let tokens: Vec<Fingerprint> = text
            .paragraphs
            .iter()
            .flatten()
            .map(|token| hash::token(&[*token]))
            .collect();
        let lengths: Vec<u32> = text
            .paragraphs
            .iter()
            .map(|paragraph| paragraph.len() as u32)
            .collect();
        let mut document = Document::default();
        document.fill(&shingler, &tokens, &lengths, whole);
        document
    };
    texts.iter().map(document).collect()
}

fn judged(judge: &mut Judge, texts: &[Text], documents: &[Document]) -> Vec<Decision> {
    let mut verdicts: Vec<Verdict> = Vec::new();
    let mut sources = Sources::default();
    let mut first = 0;
    for (text, document) in texts.iter().zip(documents) {
        if text.reference {
            judge.learn(document, first).unwrap();
        } else {
            judge
                .document(document, first, &mut verdicts, Some(&mut sources))
                .unwrap();
        }
        first += text.paragraphs.len() as u32;
    }
    assert_eq!(sources.len(), verdicts.len());
    let named = |at: usize| {
        sources
            .of(at)
            .iter()
            .map(|source| (source.unit, source.tokens))
            .collect()
    };
    verdicts
        .iter()
        .enumerate()
        .map(|(at, verdict)| (verdict.seen, verdict.fate, named(at)))
        .collect()
}

/// The fingerprints that occur more than once in all documents.
fn repeated(documents: &[Document]) -> HashSet<Fingerprint> {
    let mut once = HashSet::new();
    let wholes = documents.iter().flat_map(|document| {
        document
            .paragraphs
            .iter()
            .filter_map(|paragraph| paragraph.whole)
    });
    let ngrams = documents
        .iter()
        .flat_map(|document| document.ngrams.iter().map(|ngram| ngram.key));
    ngrams
        .chain(wholes)
        .filter(|fingerprint| !once.insert(*fingerprint))
        .collect()
}

fn context() -> Context {
    Context::new(1, Budget::OVERHEAD + (1 << 20), Scratch::system())
}

fn texts() -> impl Strategy<Value = Vec<Text>> {
    let paragraph = prop_oneof![
        3 => prop::collection::vec(0..4_u8, 0..7),
        1 => prop::collection::vec(0..40_u8, 0..12),
        1 => Just(vec![1, 2, 3, 1, 2, 4]),
    ];
    let paragraphs = prop::collection::vec(paragraph, 0..6);
    let text = (paragraphs, prop::bool::weighted(0.1)).prop_map(|(paragraphs, reference)| Text {
        paragraphs,
        reference,
    });
    prop::collection::vec(text, 0..7)
}

fn rules() -> impl Strategy<Value = Rules> {
    let threshold = (1..=4_u32, 0..=4_u32).prop_map(|(a, b)| Threshold::new(a, a + b).unwrap());
    (1..=4_usize, threshold, prop::option::of(0..8_u32)).prop_map(|(ngram, threshold, smooth)| {
        Rules {
            ngram,
            threshold,
            smooth,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn the_judge_decides_as_brute_force_does(texts in texts(), rules in rules(), whole: bool, bits in prop_oneof![Just(64), 1..6_u32]) {
        let expected = brute_force(&texts, rules, whole);
        let documents = documents(&texts, rules.ngram, Width::bits(bits), whole);
        let mut judge = Judge::new(rules, &context(), true).unwrap();
        prop_assert_eq!(&judged(&mut judge, &texts, &documents), &expected);

        // Those that occur more than once suffice, whether the others are given or not.
        let repeated = repeated(&documents);
        let mut among = Judge::among(rules, &context(), repeated.len() as u64, true).unwrap();
        let mut sorted: Vec<Fingerprint> = repeated.iter().copied().collect();
        sorted.sort_unstable();
        among.admit(sorted).unwrap();
        prop_assert_eq!(&judged(&mut among, &texts, &documents), &expected);
        let mut fewer = documents;
        for document in &mut fewer {
            document.ngrams.retain(|ngram| repeated.contains(&ngram.key));
        }
        let mut judge = Judge::new(rules, &context(), true).unwrap();
        prop_assert_eq!(&judged(&mut judge, &texts, &fewer), &expected);
    }
}

fn half(ngram: usize, smooth: Option<u32>) -> Rules {
    Rules {
        ngram,
        threshold: Threshold::new(1, 2).unwrap(),
        smooth,
    }
}

fn text(paragraphs: &[&str]) -> Text {
    Text {
        paragraphs: paragraphs
            .iter()
            .map(|words| words.bytes().collect())
            .collect(),
        reference: false,
    }
}

#[test]
fn ngrams_of_removed_paragraphs_are_unseen_in_later_documents() {
    // The second text is a copy with a new end. "vwx" is first seen there, in a paragraph that
    // is removed, so it is new in the third.
    let texts = [
        text(&["abcdefgh"]),
        text(&["abcdefvwx"]),
        text(&["vwxyz"]),
        text(&["vwxyz"]),
    ];
    let documents = documents(&texts, 3, Width::FULL, false);
    let decisions = judged(
        &mut Judge::new(half(3, None), &context(), true).unwrap(),
        &texts,
        &documents,
    );
    let fates: Vec<Fate> = decisions.iter().map(|decision| decision.1).collect();
    assert_eq!(
        fates,
        [Fate::Kept, Fate::Duplicate, Fate::Kept, Fate::Duplicate]
    );
    assert_eq!(decisions[1].2, [(0, 6)]);
    assert_eq!(decisions[3].2, [(2, 5)]);
}

#[test]
fn a_document_that_passes_the_ceiling_is_not_decided() {
    let long: String = (0..3000_u32)
        .map(|i| char::from(b'A' + (i.wrapping_mul(2_654_435_769) >> 16) as u8 % 50))
        .collect();
    let texts = [text(&["abcdefgh"]), text(&[&long]), text(&["abcdefgh"])];
    let documents = documents(&texts, 3, Width::FULL, false);
    let room = Judge::bytes_for(20);
    let context = Context::new(1, Budget::OVERHEAD + room, Scratch::system());
    let mut judge = Judge::new(half(3, None), &context, true).unwrap();
    let mut verdicts = Vec::new();
    judge
        .document(&documents[0], 0, &mut verdicts, None)
        .unwrap();
    let refused = judge
        .document(&documents[1], 1, &mut verdicts, None)
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Memory);
    assert_eq!(verdicts.len(), 1);
    judge
        .document(&documents[2], 1, &mut verdicts, None)
        .unwrap();
    assert_eq!(verdicts[1].fate, Fate::Duplicate);
}

#[test]
fn units_out_of_order_are_refused() {
    let texts = [text(&["abc", "def"])];
    let documents = documents(&texts, 3, Width::FULL, false);
    let mut judge = Judge::new(half(3, None), &context(), true).unwrap();
    let mut verdicts = Vec::new();
    judge
        .document(&documents[0], 5, &mut verdicts, None)
        .unwrap();
    assert!(
        judge
            .document(&documents[0], 6, &mut verdicts, None)
            .is_err()
    );
    assert!(
        judge
            .document(&documents[0], u32::MAX - 2, &mut verdicts, None)
            .is_err()
    );
    assert!(
        judge
            .document(&documents[0], 7, &mut verdicts, None)
            .is_ok()
    );
}
