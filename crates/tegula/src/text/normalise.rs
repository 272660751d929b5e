//! Named normalisation steps in a fixed order, and the tokens that come out.
//!
//! The steps, in the order in which they are taken: markup, hyphens, form, boundaries, digits, stop words, case, non-ASCII. Stop words are
//! matched before non-ASCII characters are deleted, so that `für` is known (Kupietz 2005 §2.1 leaves `FR` of it).

use super::form::{self, Form};
use super::hyphens::{self, Hyphens};
use super::markup::{self, Markup};
use super::origin::Origin;
use super::stop_words::{StopWords, stop_word_languages, stop_words};
use super::token::{self, Boundaries, Raw, Rules};
use super::unicode::{Kind, kind};
use super::{case, scan};
use crate::error::{Error, Result};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// The token that stands for a sequence of numerical characters under [`Digits::Number`]. No other token of words contains it.
pub const NUMBER_TOKEN: &str = "#";

/// What is done with numerical characters (general category N).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Digits {
    /// They are part of words like letters.
    #[default]
    Keep,
    /// They are left out, and part words: `B2B` gives `B`, `B`. In a line they are left out where they stand.
    Drop,
    /// A sequence of them is one [`NUMBER_TOKEN`] (Kupietz 2005 §2.1): `B2B` gives `B`, `#`, `B`, and `19.30` gives `#`, `#`. In a
    /// line it becomes the number sign where it stands.
    Number,
}

/// What is done with capitals. Mappings are simple: one character becomes one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Case {
    /// `Rose` and `rose` differ.
    Keep,
    /// Lower case.
    #[default]
    Lower,
    /// Upper case.
    Upper,
}

/// What is done with the characters of a token that are not ASCII.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NonAscii {
    /// They stay.
    #[default]
    Keep,
    /// They are deleted (Kupietz 2005 §2.1): `KÖLN` becomes `KLN`, and a token of nothing else vanishes.
    Delete,
}

/// Which steps are taken, in the order of the fields; part of a recipe. A field left out has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Normalisation {
    /// 1. Tags, comments and entities: `keep` or `remove`. Default: `keep`.
    pub markup: Markup,
    /// 2. Hyphens at line ends: `keep` or `join`. Default: `keep`.
    pub hyphens: Hyphens,
    /// 3. The normal form: `none`, `nfc` or `nfkc`. Default: `nfc`.
    pub form: Form,
    /// 4. What a token is: `words`, `alphanumeric`, `characters` or `lines`. Default: `words`.
    pub boundaries: Boundaries,
    /// 5. Numerical characters: `keep`, `drop` or `number`. Default: `keep`.
    pub digits: Digits,
    /// 6. Tokens left out, whatever their case: `none`, a language (`de`, `en`, `sk`), or a list of words. Default: `none`.
    pub stop_words: StopWords,
    /// 6. Tokens kept though they are stop words. Default: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep_words: Vec<String>,
    /// 7. Capitals: `keep`, `lower` or `upper`. Default: `lower`.
    pub case: Case,
    /// 8. Non-ASCII characters of the tokens: `keep` or `delete`. Default: `keep`.
    pub non_ascii: NonAscii,
}

impl Normalisation {
    /// The presets by name, each with what it is for.
    pub const PRESETS: [(&str, &str); 4] = [
        ("default", "words in lower case, after NFC"),
        ("kupietz", "markup and 50 German stop words removed, number tokens, ASCII letters in upper case (Kupietz 2005, 2.1)"),
        ("plain", "words in lower case without digits, punctuation and symbols (Benko 2013, 2)"),
        ("as-is", "each line is one token as it stands"),
    ];

    /// A preset by its name.
    ///
    /// # Errors
    /// A usage error that lists the presets.
    pub fn preset(name: &str) -> Result<Self> {
        match name {
            "default" => Ok(Self::default()),
            "kupietz" => Ok(Self {
                markup: Markup::Remove,
                boundaries: Boundaries::Alphanumeric,
                digits: Digits::Number,
                stop_words: StopWords::Language("de".to_owned()),
                case: Case::Upper,
                non_ascii: NonAscii::Delete,
                ..Self::default()
            }),
            "plain" => Ok(Self { boundaries: Boundaries::Alphanumeric, digits: Digits::Drop, ..Self::default() }),
            "as-is" => Ok(Self { form: Form::None, boundaries: Boundaries::Lines, case: Case::Keep, ..Self::default() }),
            _ => {
                let names = Self::PRESETS.map(|(name, _)| name).join(", ");
                Err(Error::usage(format!("normalize: no preset is called `{name}`")).hint(format!("the presets are {names}")))
            }
        }
    }

    /// The name of the preset that takes these very steps, if there is one.
    pub fn preset_name(&self) -> Option<&'static str> {
        let same = |name: &&str| Self::preset(name).is_ok_and(|preset| preset == *self);
        Self::PRESETS.iter().map(|&(name, _)| name).find(same)
    }

    /// Whether every token consists of ASCII capitals or is the [`NUMBER_TOKEN`]: the alphabet of Kupietz 2005 §2.5.
    pub fn has_kupietz_alphabet(&self) -> bool {
        self.boundaries == Boundaries::Alphanumeric
            && self.digits != Digits::Keep
            && self.case == Case::Upper
            && self.non_ascii == NonAscii::Delete
    }
}

/// The tokens of one text, flat.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// The normalised tokens, one behind the other.
    pub text: String,
    /// Where each token ends in `text`.
    pub ends: Vec<usize>,
    /// Where each token came from: bytes of the text that was given. Neither starts nor ends ever go back; two tokens share a span
    /// where one character became both (`½` under NFKC).
    pub spans: Vec<Range<usize>>,
}

impl Tokens {
    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
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

    /// Empties all buffers and keeps their memory.
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
    is_default: bool,
    /// In lower case; `None` if no token is left out.
    stop_words: Option<HashSet<Box<str>>>,
    /// The bytes that a token may have, in any case, and still be a stop word.
    longest_stop_word: usize,
}

impl Normaliser {
    /// Checks the steps and loads what they need.
    ///
    /// # Errors
    /// Usage errors that name the field.
    pub fn new(steps: &Normalisation) -> Result<Self> {
        let listed: Vec<&str> = match &steps.stop_words {
            StopWords::None => Vec::new(),
            StopWords::List(words) => words.iter().map(String::as_str).collect(),
            StopWords::Language(language) => stop_words(language)
                .ok_or_else(|| {
                    let languages = stop_word_languages().collect::<Vec<_>>().join(", ");
                    Error::usage(format!("stop_words: no list for `{language}`"))
                        .hint(format!("there are lists for {languages}; or give the words"))
                })?
                .to_vec(),
        };
        let mut words = HashSet::new();
        let mut longest_stop_word = 0;
        for word in listed {
            let word = stop_word(steps, "stop_words", word)?;
            // No simple lower case has less than a third of the bytes: `K` (the Kelvin sign) has three, `k` one.
            longest_stop_word = longest_stop_word.max(3 * word.len());
            words.insert(word);
        }
        for word in &steps.keep_words {
            if !words.remove(&stop_word(steps, "keep_words", word)?) {
                return Err(Error::usage(format!("keep_words: `{word}` is not one of the stop words")));
            }
        }
        Ok(Self {
            steps: steps.clone(),
            is_default: *steps == Normalisation::default(),
            longest_stop_word,
            stop_words: (!words.is_empty()).then_some(words),
        })
    }

    /// The steps.
    pub fn steps(&self) -> &Normalisation {
        &self.steps
    }

    /// Whether these are the default steps.
    pub fn is_default(&self) -> bool {
        self.is_default
    }

    /// The tokens of `text`, with their spans; `out` is emptied first. This is the definition of the tokens.
    pub fn tokens(&self, text: &str, out: &mut Tokens) {
        out.clear();
        let (plain, unmarked) = self.without_markup(text);
        let (whole, joined) = self.joined(&plain);
        let (formed, composed) = self.in_form(&whole);
        let mut scratch = String::new();
        let mut at = 0;
        while let Some(raw) = self.next_raw(&formed, at) {
            at = raw.range.end;
            if self.push(&formed, &raw, &mut out.text, &mut scratch) {
                let mut span = raw.range;
                for origin in [&composed, &joined, &unmarked].into_iter().flatten() {
                    span = origin.back(span);
                }
                out.ends.push(out.text.len());
                out.spans.push(span);
            }
        }
    }

    /// Calls `f` with each token of `text`, in order: those of [`Normaliser::tokens`], faster.
    pub fn for_each(&self, text: &str, mut f: impl FnMut(&str)) {
        let (plain, _) = self.without_markup(text);
        let (whole, _) = self.joined(&plain);
        let (formed, _) = self.in_form(&whole);
        let steps = &self.steps;
        if self.stop_words.is_none() && steps.case == Case::Lower && steps.non_ascii == NonAscii::Keep {
            match (steps.boundaries, steps.digits) {
                (Boundaries::Words, Digits::Keep) => return scan::lower_words(&formed, f),
                (Boundaries::Alphanumeric, Digits::Drop) => return scan::lower_letters(&formed, f),
                (Boundaries::Characters, Digits::Keep) => return scan::lower_characters(&formed, false, f),
                _ => {}
            }
        }
        let mut token = String::new();
        let mut scratch = String::new();
        let mut at = 0;
        while let Some(raw) = self.next_raw(&formed, at) {
            at = raw.range.end;
            token.clear();
            if self.push(&formed, &raw, &mut token, &mut scratch) {
                f(&token);
            }
        }
    }

    /// Step 1, with the way back if anything changed.
    fn without_markup<'a>(&self, text: &'a str) -> (Cow<'a, str>, Option<Origin>) {
        if self.steps.markup == Markup::Keep || !markup::may_occur(text) {
            return (Cow::Borrowed(text), None);
        }
        let mut out = String::with_capacity(text.len());
        let mut origin = Origin::default();
        markup::remove(text, &mut out, &mut origin);
        (Cow::Owned(out), Some(origin))
    }

    /// Step 2, with the way back if anything changed.
    fn joined<'a>(&self, text: &'a str) -> (Cow<'a, str>, Option<Origin>) {
        if self.steps.hyphens == Hyphens::Keep || !hyphens::may_occur(text) {
            return (Cow::Borrowed(text), None);
        }
        let mut out = String::with_capacity(text.len());
        let mut origin = Origin::default();
        hyphens::join(text, &mut out, &mut origin);
        (Cow::Owned(out), Some(origin))
    }

    /// Step 3, with the way back if anything changed.
    pub(super) fn in_form<'a>(&self, text: &'a str) -> (Cow<'a, str>, Option<Origin>) {
        if form::is_in(self.steps.form, text) {
            return (Cow::Borrowed(text), None);
        }
        let mut out = String::with_capacity(text.len());
        let mut origin = Origin::default();
        form::rewrite(self.steps.form, text, &mut out, &mut origin);
        (Cow::Owned(out), Some(origin))
    }

    /// Step 4, and of step 5 what concerns boundaries.
    fn next_raw(&self, text: &str, from: usize) -> Option<Raw> {
        token::next(text, from, rules(&self.steps))
    }

    /// Steps 5 to 8: appends the token to `out`, or says that it vanished.
    fn push(&self, text: &str, raw: &Raw, out: &mut String, scratch: &mut String) -> bool {
        let mut token = &text[raw.range.clone()];
        if raw.number {
            if self.steps.digits == Digits::Number {
                out.push_str(NUMBER_TOKEN);
                return true;
            }
            return false;
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
        let case = self.steps.case;
        if token.is_ascii() {
            out.push_str(token);
            match case {
                Case::Keep => {}
                Case::Lower => out[before..].make_ascii_lowercase(),
                Case::Upper => out[before..].make_ascii_uppercase(),
            }
            return out.len() > before;
        }
        let cased = token.chars().map(|c| match case {
            Case::Keep => c,
            Case::Lower => case::lower(c),
            Case::Upper => case::upper(c),
        });
        match self.steps.non_ascii {
            NonAscii::Keep => out.extend(cased),
            NonAscii::Delete => out.extend(cased.filter(char::is_ascii)),
        }
        out.len() > before
    }
}

fn rules(steps: &Normalisation) -> Rules {
    Rules { boundaries: steps.boundaries, part_numbers: steps.digits != Digits::Keep, bare_pictographs: false }
}

/// Step 5 inside a line.
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

/// A word of a list as the tokens are compared with it.
fn stop_word(steps: &Normalisation, field: &str, word: &str) -> Result<Box<str>> {
    let mut formed = String::new();
    form::rewrite(steps.form, word, &mut formed, &mut Origin::default());
    match token::next(&formed, 0, rules(steps)) {
        Some(raw) if raw.range == (0..formed.len()) && !raw.number => {
            let mut lowered = String::new();
            case::push_lower(&formed, &mut lowered);
            Ok(lowered.into_boxed_str())
        }
        _ => Err(Error::usage(format!("{field}: `{word}` is not one token, so it would never match"))),
    }
}

#[cfg(test)]
mod tests;
