//! The tokens of a text: the definition, and a faster path.

use super::chinese::Cutter;
use super::confusables::{self, Confusables};
use super::dense::{self, AGAIN};
use super::form::{self, Form};
use super::hyphens::{self, Hyphens};
use super::invisible::{self, Invisible};
use super::markup::{self, Markup};
use super::masks;
use super::normalise::{Case, Dense, Digits, NUMBER_TOKEN, NonAscii, Normalisation};
use super::numerals::{self, Numerals};
use super::origin::Origin;
use super::pieces::Pieces;
use super::repeats::{self, Repeats};
use super::sentences;
use super::signs::{self, Signs};
use super::spacing::{self, Spacing};
use super::stem::{Stem, Stemmer, stem_languages};
use super::stop_words::{StopWords, stop_word_languages, stop_words};
use super::timestamps::{self, Timestamps};
use super::token::{Boundaries, GAP, Raw, Rules, What};
use super::unicode::{Kind, kind};
use super::words::Fast;
use super::{case, scan};
use crate::error::{Error, Result};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// The tokens of one text, stored flat.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// The concatenated normalised tokens.
    pub text: String,
    /// The end of each token in `text`.
    pub ends: Vec<usize>,
    /// The source of each token: its bytes in the original text. Neither starts nor ends ever
    /// decrease; two tokens share a span if one character became both (`½` under NFKC).
    pub spans: Vec<Range<usize>>,
}

impl Tokens {
    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The tokens, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let token = &self.text[start..end];
            start = end;
            token
        })
    }

    /// The first code point of each token in its text, and the one after its last.
    pub fn chars(&self, text: &str) -> Vec<(u32, u32)> {
        // Neither starts nor ends decrease, so each is counted from the one before.
        let count = |mut from: (usize, u32), to: usize| {
            if to >= from.0 {
                from.1 += text[from.0..to].chars().count() as u32;
                from.0 = to;
            }
            from
        };
        let (mut start, mut end) = ((0, 0), (0, 0));
        let of = |span: &Range<usize>| {
            start = count(start, span.start);
            end = count(end, span.end);
            (start.1, end.1)
        };
        self.spans.iter().map(of).collect()
    }

    /// Clears all buffers without freeing them.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.spans.clear();
    }
}

/// A checked, ready [`Normalisation`].
#[derive(Debug)]
pub struct Normaliser {
    steps: Normalisation,
    fast: Option<Fast>,
    /// In lower case; `None` if no tokens are dropped.
    stop_words: Option<HashSet<Box<str>>>,
    /// The maximum length in bytes of a token, in any case, that may be a stop word.
    longest_stop_word: usize,
    stemmer: Option<Stemmer>,
    cutter: Option<&'static Cutter>,
}

/// Steps that differ from the default only in which characters are tokens.
fn fast(steps: &Normalisation) -> Option<Fast> {
    let letters = Normalisation {
        boundaries: Boundaries::Alphanumeric,
        digits: Digits::Drop,
        ..Normalisation::default()
    };
    if *steps == Normalisation::default() {
        Some(Fast::Words)
    } else if *steps == letters {
        Some(Fast::Letters)
    } else {
        None
    }
}

/// Longer tokens, in bytes, are not stemmed.
const LONGEST_STEMMED: usize = 100;

impl Normaliser {
    /// Checks the steps and loads their data.
    ///
    /// # Errors
    /// Usage errors that name the field.
    pub fn new(steps: &Normalisation) -> Result<Self> {
        let cutter = if steps.boundaries == Boundaries::Chinese {
            Some(Cutter::load()?)
        } else {
            None
        };
        let mut normaliser = Self {
            steps: steps.clone(),
            fast: fast(steps),
            stop_words: None,
            longest_stop_word: 0,
            stemmer: stemmer_of(steps)?,
            cutter,
        };
        normaliser.load_stop_words()?;
        Ok(normaliser)
    }

    fn load_stop_words(&mut self) -> Result<()> {
        let listed: Vec<&str> = match &self.steps.stop_words {
            StopWords::None => Vec::new(),
            StopWords::List(words) => words.iter().map(String::as_str).collect(),
            StopWords::Language(language) => stop_words(language)
                .ok_or_else(|| {
                    let languages = stop_word_languages().collect::<Vec<_>>().join(", ");
                    Error::of("stop_words")
                        .problem(format!("no list for `{language}`"))
                        .hint(format!(
                            "there are lists for {languages}; or list the words"
                        ))
                })?
                .to_vec(),
        };
        let mut words = HashSet::new();
        let mut longest = 0;
        for word in listed {
            let word = self.stop_word("stop_words", word)?;
            // A simple lower case has at least a third of the bytes: `K` (the Kelvin sign) has
            // three, `k` one.
            longest = longest.max(3 * word.len());
            words.insert(word);
        }
        for word in &self.steps.keep_words {
            if !words.remove(&self.stop_word("keep_words", word)?) {
                return Err(Error::of("keep_words")
                    .problem(format!("`{word}` is not one of the stop words")));
            }
        }
        self.longest_stop_word = longest;
        self.stop_words = (!words.is_empty()).then_some(words);
        Ok(())
    }

    /// A word of a list in the form in which tokens are compared with it.
    fn stop_word(&self, field: &str, word: &str) -> Result<Box<str>> {
        let formed = Rewritten::new(word).step(|text| form::rewritten(self.steps.form, text));
        let raw = Pieces::new(&formed.text, self.word_rules(), self.cutter).next();
        match raw {
            Some(raw) if raw.range == (0..formed.text.len()) && raw.what == What::Word => {
                let mut lowered = String::new();
                case::push_lower(&formed.text, &mut lowered);
                Ok(lowered.into_boxed_str())
            }
            _ => Err(Error::of(field).problem(format!(
                "`{word}` is not one token, so it would never match"
            ))),
        }
    }

    /// The steps.
    pub fn steps(&self) -> &Normalisation {
        &self.steps
    }

    /// Whether this text is the first to need the dictionary.
    pub(crate) fn may_load(&self, text: &str) -> bool {
        self.cutter.is_some()
            && self.dictionary_bytes() == 0
            && text.chars().any(super::chinese::is_han)
    }

    /// Bytes of memory used by the dictionary so far, if these steps need one.
    pub(crate) fn dictionary_bytes(&self) -> u64 {
        self.cutter.map_or(0, Cutter::bytes)
    }

    /// Whether these are the default steps.
    pub fn is_default(&self) -> bool {
        self.fast == Some(Fast::Words)
    }

    /// The kind of tokens, if they have a fast path for texts in normal form C.
    pub(crate) fn fast(&self) -> Option<Fast> {
        self.fast
    }

    /// The tokens of `text`, with their spans; clears `out` first. This is the definition of the
    /// tokens.
    pub fn tokens(&self, text: &str, out: &mut Tokens) {
        out.clear();
        let rewritten = self.rewritten(text);
        let mut pieces = self.pieces(&rewritten.text);
        let mut scratch = String::new();
        while let Some(raw) = pieces.next() {
            if self.push(&rewritten.text, &raw, &mut out.text, &mut scratch) {
                if pieces.is_again() {
                    out.text.push(AGAIN);
                }
                out.ends.push(out.text.len());
                out.spans.push(rewritten.back(raw.range));
            }
        }
    }

    /// Calls `f` with each token of `text`, in order: the same as [`Normaliser::tokens`], but
    /// faster.
    pub fn for_each(&self, text: &str, mut f: impl FnMut(&str)) {
        let rewritten = self.rewritten(text);
        let text = &rewritten.text;
        let steps = &self.steps;
        let bare = self.rules().bare_pictographs;
        let simple = !(self.steps.dense == Dense::Twice && dense::is_dense_text(text))
            && self.stop_words.is_none()
            && steps.case == Case::Lower
            && steps.stem == Stem::None
            && steps.non_ascii == NonAscii::Keep
            && (steps.masks.is_none() || !text.contains('‹'));
        match (steps.boundaries, steps.digits) {
            (Boundaries::Words, Digits::Keep) if simple && !bare => {
                return scan::lower_words(text, |_, token| f(token));
            }
            (Boundaries::Alphanumeric, Digits::Drop) if simple => {
                return scan::lower_letters(text, |_, token| f(token));
            }
            (Boundaries::Characters, Digits::Keep) if simple => {
                return scan::lower_characters(text, bare, f);
            }
            (Boundaries::Letters, Digits::Keep) if simple => {
                return scan::lower_spelled(text, bare, f);
            }
            _ => {}
        }
        let mut token = String::new();
        let mut scratch = String::new();
        let mut pieces = self.pieces(text);
        while let Some(raw) = pieces.next() {
            token.clear();
            if self.push(text, &raw, &mut token, &mut scratch) {
                if pieces.is_again() {
                    token.push(AGAIN);
                }
                f(&token);
            }
        }
    }

    /// Steps 1 to 11, and the part of step 12 that affects line ends.
    pub(super) fn rewritten<'a>(&self, text: &'a str) -> Rewritten<'a> {
        let mut out = Self::steps_before_masks(&self.steps, text);
        if !self.steps.masks.is_none() {
            out = out.step(|text| masks::mask(text, &self.steps.masks));
        }
        if self.steps.boundaries == Boundaries::Sentences {
            out = out.step(sentences::unwrapped);
        }
        out
    }

    /// Steps 1 to 10.
    fn steps_before_masks<'a>(steps: &Normalisation, text: &'a str) -> Rewritten<'a> {
        let mut out = Rewritten::new(text);
        if steps.markup == Markup::Remove {
            out = out.step(markup::removed);
        }
        if steps.hyphens == Hyphens::Join {
            out = out.step(hyphens::joined);
        }
        if steps.invisible == Invisible::Remove {
            out = out.step(invisible::remove);
        }
        if steps.form != Form::None {
            out = out.step(|text| form::rewritten(steps.form, text));
        }
        if steps.confusables == Confusables::Fold {
            out = out.step(confusables::fold);
        }
        if steps.numerals == Numerals::Ascii {
            out = out.step(numerals::rewrite);
        }
        if steps.timestamps == Timestamps::Remove {
            out = out.step(timestamps::remove);
        }
        if steps.spacing == Spacing::Join {
            out = out.step(spacing::join);
        }
        if steps.signs == Signs::Letters {
            out = out.step(signs::read);
        }
        if steps.repeats != Repeats::Keep {
            out = out.step(|text| repeats::shorten(text, steps.repeats));
        }
        out
    }

    /// Whether `text` contains masked parts.
    pub fn masks(&self, text: &str) -> bool {
        // Masks are applied after all other rewriting.
        let bare = Self::steps_before_masks(&self.steps, text);
        !self.steps.masks.is_none() && masks::mask(&bare.text, &self.steps.masks).is_some()
    }

    fn rules(&self) -> Rules {
        Rules {
            boundaries: self.steps.boundaries,
            part_numbers: self.steps.digits != Digits::Keep,
            bare_pictographs: self.steps.invisible == Invisible::Remove,
            masks: !self.steps.masks.is_none(),
            twice_if_dense: self.steps.dense == Dense::Twice
                && self.steps.boundaries.are_characters(),
        }
    }

    /// The same, for the words of a sentence.
    fn word_rules(&self) -> Rules {
        let rules = self.rules();
        match rules.boundaries {
            Boundaries::Sentences => Rules {
                boundaries: Boundaries::Words,
                ..rules
            },
            _ => rules,
        }
    }

    /// Step 12, and the part of step 13 that affects boundaries.
    pub(super) fn pieces<'a>(&'a self, text: &'a str) -> Pieces<'a> {
        Pieces::new(text, self.rules(), self.cutter)
    }

    /// Steps 13 to 17: appends the token to `out`, or returns that it was dropped.
    pub(super) fn push(
        &self,
        text: &str,
        raw: &Raw,
        out: &mut String,
        scratch: &mut String,
    ) -> bool {
        let mut token = &text[raw.range.clone()];
        match raw.what {
            What::Word => {}
            What::Sentence => return self.push_words(token, out, scratch),
            What::Number if self.steps.digits == Digits::Number => {
                out.push_str(NUMBER_TOKEN);
                return true;
            }
            What::Number => return false,
            What::Gap => {
                out.push_str(GAP);
                return true;
            }
            What::Mask => {
                out.push_str(token);
                return true;
            }
        }
        let without_digits;
        if self.steps.boundaries == Boundaries::Lines && self.steps.digits != Digits::Keep {
            without_digits = digits_in_place(token, self.steps.digits);
            token = &without_digits;
        }
        if let Some(words) = &self.stop_words
            && token.len() <= self.longest_stop_word
        {
            scratch.clear();
            case::push_lower(token, scratch);
            if words.contains(scratch.as_str()) {
                return false;
            }
        }
        let before = out.len();
        push_cased(token, self.steps.case, out);
        if let Some(stemmer) = &self.stemmer
            && out.len() - before <= LONGEST_STEMMED
        {
            scratch.clear();
            scratch.push_str(&stemmer.stem(&out[before..]));
            out.truncate(before);
            out.push_str(scratch);
        }
        if self.steps.non_ascii == NonAscii::Delete && !out[before..].is_ascii() {
            scratch.clear();
            scratch.extend(out[before..].chars().filter(char::is_ascii));
            out.truncate(before);
            out.push_str(scratch);
        }
        out.len() > before
    }

    /// Appends the words of a sentence to `out`, with single spaces between.
    fn push_words(&self, sentence: &str, out: &mut String, scratch: &mut String) -> bool {
        let start = out.len();
        let mut words = Pieces::new(sentence, self.word_rules(), None);
        while let Some(word) = words.next() {
            let before = out.len();
            if before > start {
                out.push(' ');
            }
            if !self.push(sentence, &word, out, scratch) {
                out.truncate(before);
            }
        }
        out.len() > start
    }
}

/// Step 15.
fn push_cased(token: &str, case: Case, out: &mut String) {
    let before = out.len();
    match case {
        Case::Keep => out.push_str(token),
        _ if token.is_ascii() => {
            out.push_str(token);
            if case == Case::Lower {
                out[before..].make_ascii_lowercase();
            } else {
                out[before..].make_ascii_uppercase();
            }
        }
        Case::Lower => out.extend(token.chars().map(case::lower)),
        Case::Upper => out.extend(token.chars().map(case::upper)),
    }
}

/// The stemmer of step 16.
fn stemmer_of(steps: &Normalisation) -> Result<Option<Stemmer>> {
    let Stem::Language(language) = &steps.stem else {
        return Ok(None);
    };
    let Some(stemmer) = Stemmer::new(language) else {
        let languages = stem_languages().collect::<Vec<_>>().join(", ");
        return Err(Error::of("stem")
            .problem(format!("no stemmer for `{language}`"))
            .hint(format!("there are stemmers for {languages}")));
    };
    if steps.case != Case::Lower {
        return Err(
            Error::of("stem").expected("it with case = \"lower\", as stemmers need lower case")
        );
    }
    if steps.boundaries == Boundaries::Lines || steps.boundaries.are_characters() {
        return Err(Error::of("stem")
            .expected("words as tokens")
            .found("lines or characters")
            .hint("set boundaries to words, alphanumeric or chinese"));
    }
    Ok(Some(stemmer))
}

/// A text rewritten by some steps.
pub(super) struct Rewritten<'a> {
    pub(super) text: Cow<'a, str>,
    /// The mappings back, that of the first step first.
    origins: Vec<Origin>,
}

impl<'a> Rewritten<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text: Cow::Borrowed(text),
            origins: Vec::new(),
        }
    }

    /// Applies a step, which returns `None` if it changes nothing.
    pub(super) fn step(mut self, step: impl FnOnce(&str) -> Option<(String, Origin)>) -> Self {
        if let Some((text, origin)) = step(&self.text) {
            self.text = Cow::Owned(text);
            self.origins.push(origin);
        }
        self
    }

    /// The source of a range, which must not be empty.
    pub(super) fn back(&self, range: Range<usize>) -> Range<usize> {
        self.origins
            .iter()
            .rev()
            .fold(range, |range, origin| origin.back(range))
    }
}

/// Step 13 inside a line.
fn digits_in_place(line: &str, digits: Digits) -> String {
    let mut out = String::with_capacity(line.len());
    let mut inside = false;
    for c in line.chars() {
        let number = kind(c) == Kind::Number;
        if !number {
            out.push(c);
        } else if digits == Digits::Number && !inside {
            out.push_str(NUMBER_TOKEN);
        }
        inside = number;
    }
    out
}
