//! Passages that are cut out of texts.

use std::collections::HashMap;
use std::ops::Range;
use tegula::{Dedup, Token};

/// Texts, one per line, that share passages.
pub(super) const TEXTS: &[&str] = &[
    "2a b c d e f\na b c\nx b c d y\n",
    "3the end of the making of the end of the making of books\nthe END, of the making\n\nof the end",
    "1one\none\none two one two\n",
    "4M\u{e4}rchen\u{1f600} von dem \u{201e}einen, der\u{201c} auszog \u{2014} von dem einen der auszog\ndem einen der auszog: von",
    "5a a a a a a a a a a a a a a a a\na a a a a a\nb a a a a a a",
    "2\u{4e2d}\u{6587}\u{4e2d}\u{6587}\u{4e2d}\u{6587} x\n\u{fb01}n \u{bd} \u{bd} \u{fb01}n",
];

/// Every passage that is cut stands, token by token, in the kept part of its witness; no sequence of
/// n tokens is kept twice; and what remains of a text is the text without what is cut.
///
/// # Panics
/// When that is not so.
pub fn cut_passages(data: &[u8]) {
    let (first, rest) = data.split_first().unwrap_or((&b'0', &[]));
    let n = usize::from(*first % 6) + 1;
    let all = String::from_utf8_lossy(rest);
    let texts: Vec<&str> = all.split('\n').take(12).collect();
    let dedup = || Dedup::recipe("passages")?.ngram(n)?.keep("first");
    let (tokens, outcome) = match dedup().and_then(|dedup| {
        let tokens = texts.iter().map(|text| dedup.tokens(text));
        let tokens: Result<Vec<Vec<Token>>, _> = tokens.collect();
        Ok((tokens?, dedup.run(&texts)?))
    }) {
        Ok(done) => done,
        Err(error) => panic!("{error}"),
    };
    let within = |text: usize, range: &Range<usize>| -> Vec<usize> {
        let is_in = |at: &usize| {
            let token = &tokens[text][*at].range;
            range.start <= token.start && token.end <= range.end
        };
        (0..tokens[text].len()).filter(is_in).collect()
    };
    let words = |text: usize, at: &[usize]| -> Vec<&str> {
        at.iter()
            .map(|at| tokens[text][*at].token.as_str())
            .collect()
    };
    let mut kept: Vec<Vec<bool>> = tokens
        .iter()
        .map(|tokens| vec![true; tokens.len()])
        .collect();
    let removed: Vec<_> = outcome.removed().collect();
    for passage in &removed {
        for at in within(passage.index, &passage.range) {
            kept[passage.index][at] = false;
        }
    }
    for passage in &removed {
        let (Some(witness), Some(range)) = (passage.witness.index(), &passage.witness_range) else {
            panic!("no witness");
        };
        let place = within(witness, range);
        assert!(
            place.iter().all(|at| kept[witness][*at]),
            "a witness that is cut"
        );
        let own = within(passage.index, &passage.range);
        let (own, place) = (words(passage.index, &own), words(witness, &place));
        assert!(
            place.windows(own.len()).any(|words| words == own),
            "{own:?} is not in {place:?}"
        );
    }
    let mut seen: HashMap<Vec<&str>, (usize, usize)> = HashMap::new();
    for (text, kept) in kept.iter().enumerate() {
        for at in 0..kept.len().saturating_sub(n - 1) {
            if kept[at..at + n].contains(&false) {
                continue;
            }
            let sequence = words(text, &(at..at + n).collect::<Vec<_>>());
            match seen.get(&sequence) {
                Some((other, from)) => assert!(
                    *other == text && from + n > at,
                    "{sequence:?} is kept in {other} at {from} and in {text} at {at}"
                ),
                None => drop(seen.insert(sequence, (text, at))),
            }
        }
        if let Some(rest) = outcome.rest(text, texts[text]) {
            assert!(rest.len() <= texts[text].len());
        }
    }
}
