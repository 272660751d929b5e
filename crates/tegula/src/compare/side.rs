//! One of two texts: its tokens and shingles as numbers, which are equal if the tokens are.

use crate::text::normalise::Tokens;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Numbers the tokens of both texts.
#[derive(Default)]
pub(super) struct Vocabulary<'a> {
    /// By text, and whether it is the raw text of a text without tokens, which differs from any
    /// token.
    numbers: HashMap<(&'a str, bool), u32>,
}

impl<'a> Vocabulary<'a> {
    /// The tokens as numbers; a text without any gets a single number.
    pub(super) fn number(&mut self, tokens: &'a Tokens, raw: &'a str) -> Vec<u32> {
        if tokens.is_empty() {
            return vec![self.of(raw, true)];
        }
        tokens.iter().map(|token| self.of(token, false)).collect()
    }

    fn of(&mut self, token: &'a str, raw: bool) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry((token, raw)).or_insert(next)
    }
}

/// The shingles of each text as numbers, by position.
pub(super) fn number_shingles(texts: &[&[u32]], n: usize) -> Vec<Vec<u32>> {
    let mut numbers: HashMap<&[u32], u32> = HashMap::new();
    let mut all = Vec::with_capacity(texts.len());
    for words in texts {
        let mut shingles = Vec::with_capacity(words.len());
        for window in words.windows(n.min(words.len()).max(1)) {
            let next = numbers.len() as u32;
            shingles.push(*numbers.entry(window).or_insert(next));
        }
        all.push(shingles);
    }
    all
}

/// One of the two texts. Positions and ranges are in tokens, from 0; a text without tokens counts
/// as one.
#[derive(Debug)]
pub struct Side {
    pub(super) words: Vec<u32>,
    pub(super) shingles: Vec<u32>,
    spans: Vec<Range<usize>>,
    tokens: usize,
    cover: usize,
    /// Ignored shingles, by position; empty if none are.
    passed_over: Vec<bool>,
    /// The tokens of ignored shingles.
    ignored: Vec<bool>,
}

impl Side {
    pub(super) fn new(
        words: Vec<u32>,
        tokens: Tokens,
        text: &str,
        shingles: Vec<u32>,
        n: usize,
    ) -> Self {
        let count = tokens.len();
        let whole = 0..text.len();
        let spans = if count == 0 {
            std::iter::once(whole).collect()
        } else {
            tokens.spans
        };
        let cover = n.min(words.len());
        Self {
            words,
            shingles,
            spans,
            tokens: count,
            cover,
            passed_over: Vec::new(),
            ignored: Vec::new(),
        }
    }

    /// Ignores shingles with these numbers.
    pub(super) fn ignore(&mut self, shingles: &HashSet<u32>) {
        self.passed_over = self
            .shingles
            .iter()
            .map(|shingle| shingles.contains(shingle))
            .collect();
        self.ignored = vec![false; self.words.len()];
        for at in (0..self.shingles.len()).filter(|at| self.passed_over[*at]) {
            self.ignored[at..at + self.cover].fill(true);
        }
    }

    /// Whether the shingle at a position counts.
    pub(super) fn counts(&self, at: usize) -> bool {
        !self.passed_over.get(at).copied().unwrap_or(false)
    }

    /// Whether a token is in a shingle of the ignored text, so that it is never covered.
    pub fn is_ignored(&self, token: usize) -> bool {
        self.ignored.get(token).copied().unwrap_or(false)
    }

    /// The tokens as numbers, which are equal if the tokens of the two texts are.
    pub fn numbers(&self) -> &[u32] {
        &self.words
    }

    /// The number of tokens; 0 for a text compared by its raw text.
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// The number of positions: the number of tokens, at least one.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Always false: even an empty text counts as one token.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Tokens in each of this text's shingles: n, or all if it has fewer.
    pub fn cover(&self) -> usize {
        self.cover
    }

    /// The bytes of the original text from the first to the last token of a range; for an empty
    /// range, an empty range at the beginning.
    pub fn bytes(&self, tokens: Range<usize>) -> Range<usize> {
        match self.spans.get(tokens) {
            Some([first, .., last]) => first.start..last.end,
            Some([only]) => only.clone(),
            _ => 0..0,
        }
    }
}
