//! Texts to judge: from tokens to the n-grams of a document, by fingerprint or by number.

use super::document::{Document, Ngram, Paragraph, whole_of};
use super::numbering::{NumberReader, NumberWriter};
use super::seen::Numbered;
use crate::error::Result;
use crate::hash::{self, Fingerprint};
use crate::shingle::Shingler;

/// The tokens of a document.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// All tokens.
    pub tokens: &'a [Fingerprint],
    /// The number of tokens in each paragraph.
    pub lengths: &'a [u32],
    /// Where it begins among all tokens: the next document begins after its last token.
    pub first: u64,
    /// Only n-grams with the same salt can be equal; the default is none.
    pub salt: Fingerprint,
}

/// Which n-grams of texts are judged.
#[derive(Debug, Clone)]
pub struct Spec {
    /// Makes the n-grams.
    pub shingler: Shingler,
    /// Whether paragraphs shorter than an n-gram are also judged as a whole.
    pub whole: bool,
}

impl Spec {
    /// Positions per token: n-grams have the even ones if whole paragraphs take the odd ones.
    pub fn step(&self) -> u64 {
        1 + u64::from(self.whole)
    }

    /// Stores the n-grams of a text by fingerprint, without salt.
    pub fn fill(&self, text: Text, out: &mut Document) {
        out.fill(&self.shingler, text.tokens, text.lengths, self.whole);
    }

    /// Adds the n-grams of a text to those that are numbered; `ids` is a buffer.
    ///
    /// # Errors
    /// As [`NumberWriter::put`].
    pub fn collect(&self, text: Text, ids: &mut Vec<u64>, writer: &mut NumberWriter) -> Result<()> {
        let (step, is_salted) = (self.step(), text.salt != Fingerprint::default());
        ids.clear();
        if text.tokens.len() >= self.shingler.n() {
            self.shingler.ids(text.tokens, ids);
        }
        if is_salted {
            for id in ids.iter_mut() {
                *id = self.salted(*id, text);
            }
        }
        writer.put(ids, text.first * step, step)?;
        self.wholes(text, |_, whole, position| {
            let id = if is_salted {
                self.salted(whole.id, text)
            } else {
                self.shingler.cut(whole.id)
            };
            writer.put(&[id], position, step)
        })
    }

    /// Stores the n-grams of a text by number.
    ///
    /// # Errors
    /// If scratch cannot be read.
    pub fn number(
        &self,
        text: Text,
        reader: &mut NumberReader,
        out: &mut Document<Numbered>,
    ) -> Result<()> {
        let (n, step) = (self.shingler.n(), self.step());
        let numbered = |number, check: u64| Numbered {
            number,
            check: (check ^ text.salt.check) as u32,
        };
        out.clear();
        out.paragraphs
            .extend(text.lengths.iter().map(|tokens| Paragraph {
                tokens: *tokens,
                whole: None,
            }));
        let count = (text.tokens.len() + 1).saturating_sub(n);
        reader.each(count, text.first * step, step, |at, number| {
            let key = numbered(number, self.shingler.check(text.tokens, at));
            let end = (at + n - 1) as u32;
            out.ngrams.push(Ngram { key, end });
        })?;
        self.wholes(text, |paragraph, whole, position| {
            reader.each(1, position, step, |_, number| {
                out.paragraphs[paragraph].whole = Some(numbered(number, whole.check));
            })
        })
    }

    fn salted(&self, id: u64, text: Text) -> u64 {
        self.shingler.cut(hash::mix(id ^ text.salt.id))
    }

    /// Passes on each paragraph that is judged as a whole, with the fingerprint of its tokens and its
    /// position.
    fn wholes(
        &self,
        text: Text,
        mut take: impl FnMut(usize, Fingerprint, u64) -> Result<()>,
    ) -> Result<()> {
        if !self.whole {
            return Ok(());
        }
        let (mut start, n) = (0, self.shingler.n());
        for (paragraph, length) in text.lengths.iter().enumerate() {
            let end = start + *length as usize;
            if (start + 1..start + n).contains(&end) {
                let position = (text.first + start as u64) * self.step() + 1;
                take(paragraph, whole_of(&text.tokens[start..end]), position)?;
            }
            start = end;
        }
        Ok(())
    }
}
