//! Documents as the judge sees them: the lengths of their paragraphs, and which n-grams end where.

use crate::hash::{Fingerprint, Sequence};
use crate::shingle::Shingler;

/// An n-gram occurrence in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ngram<K = Fingerprint> {
    /// Identifies the n-gram.
    pub key: K,
    /// The token of the document at which it ends, counted from 0.
    pub end: u32,
}

/// A paragraph of a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Paragraph<K = Fingerprint> {
    /// The number of its tokens; may be 0.
    pub tokens: u32,
    /// Identifies the sequence of all its tokens, if it is shorter than an n-gram and is also judged
    /// as a whole.
    pub whole: Option<K>,
}

/// A document to judge. The buffers are meant to be reused.
#[derive(Debug, Clone, Default)]
pub struct Document<K = Fingerprint> {
    /// Its paragraphs in order; every token of the document is in one of them.
    pub paragraphs: Vec<Paragraph<K>>,
    /// Its n-grams, sorted by the token at which they end. An n-gram that occurs once in all
    /// documents may be omitted: it is never previously seen.
    pub ngrams: Vec<Ngram<K>>,
    ids: Vec<u64>,
}

impl<K> Document<K> {
    /// Clears the buffers.
    pub fn clear(&mut self) {
        self.paragraphs.clear();
        self.ngrams.clear();
    }

    /// Tokens in all paragraphs.
    pub fn tokens(&self) -> u64 {
        self.paragraphs
            .iter()
            .map(|paragraph| u64::from(paragraph.tokens))
            .sum()
    }
}

impl Document {
    /// Sets a document from its tokens and the number of tokens in each of its paragraphs. N-grams
    /// may span paragraphs. With `whole`, paragraphs shorter than an n-gram are also judged as a
    /// whole.
    pub fn fill(
        &mut self,
        shingler: &Shingler,
        tokens: &[Fingerprint],
        paragraphs: &[u32],
        whole: bool,
    ) {
        self.clear();
        let mut start = 0;
        for length in paragraphs {
            let end = (start + *length as usize).min(tokens.len());
            let short = whole && *length > 0 && (*length as usize) < shingler.n();
            let whole = short.then(|| whole_of(&tokens[start..end]));
            self.paragraphs.push(Paragraph {
                tokens: *length,
                whole,
            });
            start = end;
        }
        if tokens.len() < shingler.n() {
            return;
        }
        shingler.ids(tokens, &mut self.ids);
        let last = shingler.n() - 1;
        self.ngrams
            .extend(self.ids.iter().enumerate().map(|(at, id)| Ngram {
                key: Fingerprint {
                    id: *id,
                    check: shingler.check(tokens, at),
                },
                end: (at + last) as u32,
            }));
    }
}

/// The fingerprint of all tokens of a short paragraph.
pub fn whole_of(tokens: &[Fingerprint]) -> Fingerprint {
    let mut all = Sequence::default();
    for token in tokens {
        all.push(*token);
    }
    all.finish()
}
