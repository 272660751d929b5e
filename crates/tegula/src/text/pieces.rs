//! Splits a text into pieces that become tokens, in order.

use super::chinese::{Cutter, is_han};
use super::class::Class;
use super::dense;
use super::masks;
use super::token::{self, Boundaries, Raw, Rules, What};

/// Iterates over the tokens of a text as written.
pub(crate) struct Pieces<'a> {
    text: &'a str,
    at: usize,
    rules: Rules,
    cutter: Option<&'a Cutter>,
    classed: bool,
    /// The ends of the words in the run of Han characters at `at`, in reverse order, with their
    /// classes if requested.
    words: Vec<(usize, Option<Class>)>,
    class: Option<Class>,
    /// Whether each token comes twice.
    twice: bool,
    /// The token that comes a second time.
    again: Option<Raw>,
    is_again: bool,
}

impl<'a> Pieces<'a> {
    /// Starts at the beginning of `text`; `cutter` is set under [`Boundaries::Chinese`].
    pub(crate) fn new(text: &'a str, rules: Rules, cutter: Option<&'a Cutter>) -> Self {
        Self {
            text,
            at: 0,
            rules,
            cutter,
            classed: false,
            words: Vec::new(),
            class: None,
            twice: rules.twice_if_dense && dense::is_dense_text(text),
            again: None,
            is_again: false,
        }
    }

    /// The same, with the classes from the dictionary.
    pub(crate) fn with_classes(self) -> Self {
        Self {
            classed: true,
            ..self
        }
    }

    /// The class of the last token, if it is in the dictionary.
    pub(crate) fn class(&self) -> Option<Class> {
        self.class
    }

    /// Whether the last token is the second of two equal ones.
    pub(crate) fn is_again(&self) -> bool {
        self.is_again
    }

    /// The next token.
    pub(crate) fn next(&mut self) -> Option<Raw> {
        self.class = None;
        self.is_again = false;
        if let Some(again) = self.again.take() {
            self.is_again = true;
            return Some(again);
        }
        let raw = match self.words.pop() {
            Some((end, class)) => {
                self.class = class;
                Raw {
                    range: self.at..end,
                    what: What::Word,
                }
            }
            None => self.found()?,
        };
        self.at = raw.range.end;
        if self.twice {
            self.again = Some(raw.clone());
        }
        Some(raw)
    }

    fn found(&mut self) -> Option<Raw> {
        let mut raw = token::next(self.text, self.at, self.rules)?;
        if self.rules.masks
            && !matches!(
                self.rules.boundaries,
                Boundaries::Lines | Boundaries::Sentences
            )
            && let Some(mask) = self.mask(&raw)
        {
            return Some(mask);
        }
        if self.rules.masks && self.rules.boundaries == Boundaries::Sentences {
            self.leave_mask_whole(&mut raw);
        }
        let run = &self.text[raw.range.start..];
        if let Some(cutter) = self.cutter
            && run.starts_with(is_han)
        {
            let start = raw.range.start;
            let end = start + run.find(|c| !is_han(c)).unwrap_or(run.len());
            cutter.cut(&self.text[start..end], self.classed, &mut self.words);
            for (word, _) in &mut self.words {
                *word += start;
            }
            // Marks after the last character belong to it, as without a dictionary.
            if let Some((last, _)) = self.words.last_mut() {
                *last = token::marks_end(self.text, end);
            }
            self.words.reverse();
            if let Some((end, class)) = self.words.pop() {
                raw.range.end = end;
                self.class = class;
            }
        }
        Some(raw)
    }

    /// A sentence that ends with a closing mark after its last word, as UAX #29 takes the first
    /// character of a mask token, ends before that token.
    fn leave_mask_whole(&self, sentence: &mut Raw) {
        let mask = sentence.range.end.saturating_sub('‹'.len_utf8());
        if sentence.range.start < mask && masks::written(self.text, mask).is_some() {
            let before = self.text[sentence.range.start..mask].trim_end();
            sentence.range.end = sentence.range.start + before.len();
        }
    }

    /// The mask token at this token's position: its first character is a word boundary, so only its
    /// name was found.
    fn mask(&self, raw: &Raw) -> Option<Raw> {
        let behind = raw
            .range
            .start
            .checked_sub('‹'.len_utf8())
            .filter(|start| *start >= self.at);
        let start = if self.rules.boundaries == Boundaries::Characters {
            Some(raw.range.start)
        } else {
            behind
        }?;
        let end = masks::written(self.text, start)?;
        Some(Raw {
            range: start..end,
            what: What::Mask,
        })
    }
}
