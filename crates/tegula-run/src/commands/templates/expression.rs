//! The regular expression of a template: its words in their order, with what the texts have between
//! them, and anything at all in slots.
//!
//! An expression is made of what is written in the texts, one after the other, so that it matches
//! each of them without being tried: spellings that differ in more than the case of ASCII letters
//! are alternatives, and the characters between words a class. It keeps to what the Rust crate
//! `regex`, PCRE2 and Python's `re` understand alike, hence no classes that depend on a version of
//! Unicode, such as `\s`, and no character by its number beyond Latin-1. *Not useful for* short
//! expressions of long texts.

use regex::Regex;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use tegula::templates::Template;
use tegula::text::normalise::Tokens;

/// What separates words in most texts: white space and punctuation of ASCII, but `_`.
const SEPARATORS: &str = r"\t-/:-@\[-\^`{-~";
/// Spellings of one word that are listed; more are any text.
const SPELLINGS: usize = 20;

/// An expression, as long as texts are added.
pub(super) struct Expression {
    words: Vec<Word>,
    /// Before each word, and after the last.
    gaps: Vec<Gap>,
    /// Further characters between words.
    separators: BTreeSet<char>,
}

/// A constant token.
#[derive(Default)]
struct Word {
    /// Its spellings; those that differ in the case of ASCII letters only are one.
    spellings: Vec<String>,
    /// Whether there are too many to list.
    is_any: bool,
}

/// What lies between two words.
#[derive(Default, Clone, Copy)]
struct Gap {
    /// Whether it is a slot, or has letters or digits that normalisation drops.
    is_filled: bool,
    /// Whether it is empty in a text.
    is_empty: bool,
    /// Whether letters or digits touch a word in a text.
    is_open: bool,
}

impl Expression {
    /// Of a template to which no text is added yet.
    pub(super) fn new(template: &Template) -> Self {
        let gap = |slot: &bool| Gap {
            is_filled: *slot,
            ..Gap::default()
        };
        Self {
            words: template.constants.iter().map(|_| Word::default()).collect(),
            gaps: template.slots.iter().map(gap).collect(),
            separators: BTreeSet::new(),
        }
    }

    /// Adds a text, whose constant tokens are at these places.
    pub(super) fn add(&mut self, text: &str, tokens: &Tokens, places: &[u32]) {
        let mut end = 0;
        for (at, place) in places.iter().enumerate() {
            let Some(span) = tokens.spans.get(*place as usize) else {
                return;
            };
            // A character may have become two tokens.
            let start = span.start.max(end);
            self.gap(at, &text[end..start]);
            end = span.end.max(start);
            self.words[at].add(&text[start..end]);
        }
        self.gap(places.len(), &text[end..]);
    }

    fn gap(&mut self, at: usize, between: &str) {
        let last = self.words.len();
        let gap = &mut self.gaps[at];
        let is_word = |c: &char| c.is_alphanumeric();
        if between.contains(|c: char| is_word(&c)) {
            gap.is_filled = true;
            // Nothing precedes the first word, or follows the last.
            let ends = [
                between.chars().next().filter(|_| at > 0),
                between.chars().next_back().filter(|_| at < last),
            ];
            gap.is_open |= ends.iter().flatten().any(is_word);
            self.separators
                .extend(ends.into_iter().flatten().filter(|c| !is_word(c)));
        } else {
            gap.is_empty |= between.is_empty();
            self.separators.extend(between.chars());
        }
    }

    /// Whether a constant token is written in several ways.
    pub(super) fn varies(&self, constant: usize) -> bool {
        self.words[constant].spellings.len() > 1
    }

    /// The expression; none if it is too long.
    pub(super) fn finish(&self) -> Option<String> {
        let mut class = String::from("[");
        class += SEPARATORS;
        for c in &self.separators {
            if !matches!(c, '\t'..='~') || *c == '_' {
                push_literal(*c, &mut class);
            }
        }
        class.push(']');
        let mut regex = String::from("(?is)^");
        for (at, gap) in self.gaps.iter().enumerate() {
            let (is_first, is_last) = (at == 0, at == self.words.len());
            regex += &match (gap.is_filled, is_first, is_last) {
                (false, false, false) if !gap.is_empty => [&class, "+"].concat(),
                (false, ..) => [&class, "*"].concat(),
                (true, _, true) if gap.is_open || is_first => ".*".to_owned(),
                (true, _, true) => ["(?:", &class, ".*)?"].concat(),
                (true, true, _) if !gap.is_open => ["(?:.*?", &class, ")?"].concat(),
                (true, false, _) if !gap.is_open && !gap.is_empty => {
                    [&class, "(?:.*?", &class, ")?"].concat()
                }
                (true, ..) => ".*?".to_owned(),
            };
            if let Some(word) = self.words.get(at) {
                word.write(&mut regex);
            }
        }
        regex.push('$');
        Regex::new(&regex).is_ok().then_some(regex)
    }
}

impl Word {
    fn add(&mut self, spelling: &str) {
        let is_it = |known: &String| known.eq_ignore_ascii_case(spelling);
        if self.is_any || self.spellings.iter().any(is_it) {
            return;
        }
        self.spellings.push(spelling.to_owned());
        // Numbers that normalisation makes equal are filled in like a slot.
        let has_digit = |spelling: &String| spelling.contains(char::is_numeric);
        let several = self.spellings.len() > 1;
        self.is_any =
            self.spellings.len() > SPELLINGS || (several && self.spellings.iter().any(has_digit));
    }

    fn write(&self, regex: &mut String) {
        if self.is_any {
            let is_empty = self.spellings.iter().any(String::is_empty);
            regex.push_str(if is_empty { ".*?" } else { ".+?" });
            return;
        }
        let is_choice = self.spellings.len() > 1;
        regex.push_str(if is_choice { "(?:" } else { "" });
        for (at, spelling) in self.spellings.iter().enumerate() {
            regex.push_str(if at > 0 { "|" } else { "" });
            spelling.chars().for_each(|c| push_literal(c, regex));
        }
        regex.push_str(if is_choice { ")" } else { "" });
    }
}

/// Appends a character that stands for itself.
fn push_literal(c: char, regex: &mut String) {
    match c {
        '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => {
            regex.push('\\');
            regex.push(c);
        }
        c if c.is_control() => {
            let _ = write!(regex, "\\x{:02X}", u32::from(c));
        }
        c => regex.push(c),
    }
}
