//! The judge's view of a document: the lengths of its paragraphs, and which n-grams end where.

use crate::hash::{Fingerprint, Sequence};
use crate::shingle::Shingler;

/// An n-gram occurrence in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ngram {
    /// Identifies the n-gram.
    pub fingerprint: Fingerprint,
    /// The token of the document at which it ends, counted from 0.
    pub end: u32,
}

/// A paragraph of a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Paragraph {
    /// Its tokens; none is allowed.
    pub tokens: u32,
    /// The fingerprint of all its tokens, if it is shorter than an n-gram and is to be judged as a whole too.
    pub whole: Option<Fingerprint>,
}

/// A document to judge. The buffers are meant to be used again.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// Its paragraphs in order; every token of the document is in one of them.
    pub paragraphs: Vec<Paragraph>,
    /// Its n-grams by the token they end at. An n-gram that occurs once in all documents may be left out: it is never known.
    pub ngrams: Vec<Ngram>,
    ids: Vec<u64>,
}

impl Document {
    /// Empties the buffers.
    pub fn clear(&mut self) {
        self.paragraphs.clear();
        self.ngrams.clear();
    }

    /// Takes a document from its tokens and the number of tokens in each of its paragraphs. N-grams run on across paragraphs.
    /// With `whole`, paragraphs shorter than an n-gram are judged as a whole too.
    pub fn fill(&mut self, shingler: &Shingler, tokens: &[Fingerprint], paragraphs: &[u32], whole: bool) {
        self.clear();
        let mut start = 0;
        for length in paragraphs {
            let end = (start + *length as usize).min(tokens.len());
            let short = whole && *length > 0 && (*length as usize) < shingler.n();
            let whole = short.then(|| whole_of(&tokens[start..end]));
            self.paragraphs.push(Paragraph { tokens: *length, whole });
            start = end;
        }
        if tokens.len() < shingler.n() {
            return;
        }
        shingler.ids(tokens, &mut self.ids);
        let last = shingler.n() - 1;
        self.ngrams.extend(self.ids.iter().enumerate().map(|(at, id)| Ngram {
            fingerprint: Fingerprint { id: *id, check: shingler.check(tokens, at) },
            end: (at + last) as u32,
        }));
    }

    /// Tokens in all paragraphs.
    pub fn tokens(&self) -> u64 {
        self.paragraphs.iter().map(|paragraph| u64::from(paragraph.tokens)).sum()
    }
}

/// The fingerprint of all tokens of a short paragraph.
pub(crate) fn whole_of(tokens: &[Fingerprint]) -> Fingerprint {
    let mut all = Sequence::default();
    for token in tokens {
        all.push(*token);
    }
    all.finish()
}
