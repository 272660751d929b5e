//! Planted copies: what is done to a text so that it becomes a near duplicate of a known kind.

use crate::random::Random;
use std::fmt;

/// A kind of copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The same bytes.
    Exact,
    /// The same words; case, punctuation or white space differ.
    Format,
    /// So many words in a hundred deleted, replaced, or followed by a new one.
    Words(usize),
    /// The first or the second half.
    Half,
    /// With a passage in front that other texts share, and half the time one behind.
    Boiler,
    /// Every digit changed; numbers in place of three words where there are hardly any digits.
    Digits,
}

/// The kinds and their shares in a hundred.
const SHARES: [(Kind, usize); 6] = [
    (Kind::Exact, 15),
    (Kind::Format, 7),
    (Kind::Words(0), 43),
    (Kind::Half, 10),
    (Kind::Boiler, 13),
    (Kind::Digits, 12),
];

/// The rates of changed words, in a hundred, each as likely as the others.
const RATES: [usize; 7] = [1, 2, 5, 10, 15, 20, 30];

impl Kind {
    /// A kind by its share, with a rate where it has one.
    pub fn draw(random: &mut Random) -> Self {
        let mut place = random.below(100);
        for (kind, share) in SHARES {
            if place < share {
                return match kind {
                    Self::Words(_) => Self::Words(*random.pick(&RATES).unwrap_or(&1)),
                    other => other,
                };
            }
            place -= share;
        }
        Self::Exact
    }

    /// The changed words in a hundred; 0 for the other kinds.
    pub fn rate(self) -> usize {
        match self {
            Self::Words(rate) => rate,
            _ => 0,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Format => "format",
            Self::Words(_) => "words",
            Self::Half => "half",
            Self::Boiler => "boiler",
            Self::Digits => "digits",
        })
    }
}

/// Makes copies, with words and passages from the corpus itself.
#[derive(Debug, Default)]
pub struct Editor {
    vocabulary: Vec<String>,
    passages: Vec<String>,
}

/// The texts that words are taken from, the words of each, and the shared passages.
const VOCABULARY_TEXTS: usize = 3000;
const VOCABULARY_WORDS: usize = 40;
const PASSAGES: usize = 40;

impl Editor {
    /// Takes words from a text, while more are wanted.
    pub fn learn(&mut self, number: usize, text: &str) {
        if number < VOCABULARY_TEXTS {
            self.vocabulary.extend(
                text.split_whitespace()
                    .take(VOCABULARY_WORDS)
                    .map(str::to_owned),
            );
        }
    }

    /// How many passages are still wanted.
    pub fn wants_passages(&self) -> usize {
        PASSAGES - self.passages.len().min(PASSAGES)
    }

    /// Takes 10 to 60 words of a text as a passage that copies may share.
    pub fn learn_passage(&mut self, text: &str, random: &mut Random) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let length = random.between(10, 60).min(words.len());
        let start = random.below(words.len() - length + 1);
        self.passages.push(words[start..start + length].join(" "));
    }

    /// A copy of a text.
    pub fn copy(&self, text: &str, kind: Kind, random: &mut Random) -> String {
        match kind {
            Kind::Exact => text.to_owned(),
            Kind::Format => format_changed(text, random),
            Kind::Words(rate) => self.words_changed(text, rate, random),
            Kind::Half => half(text, random),
            Kind::Boiler => {
                let front = self.passage(random);
                let mut copy = format!("{front}\n{text}");
                if random.chance(50) {
                    copy.push('\n');
                    copy.push_str(self.passage(random));
                }
                copy
            }
            Kind::Digits => digits_changed(text, random),
        }
    }

    fn passage(&self, random: &mut Random) -> &str {
        random.pick(&self.passages).map_or("", String::as_str)
    }

    fn word(&self, random: &mut Random) -> &str {
        random.pick(&self.vocabulary).map_or("", String::as_str)
    }

    fn words_changed(&self, text: &str, rate: usize, random: &mut Random) -> String {
        let mut out = String::with_capacity(text.len() + text.len() / 8);
        for (space, word) in words(text) {
            out.push_str(space);
            if word.is_empty() || !random.chance(rate) {
                out.push_str(word);
                continue;
            }
            match random.below(3) {
                0 => {}
                1 => out.push_str(self.word(random)),
                _ => {
                    out.push_str(word);
                    out.push(' ');
                    out.push_str(self.word(random));
                }
            }
        }
        out
    }
}

/// The words of a text, each with the white space before it; the last is empty where white space
/// ends the text.
fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let start = rest
            .find(|c: char| !c.is_whitespace())
            .unwrap_or(rest.len());
        let end = rest[start..]
            .find(char::is_whitespace)
            .map_or(rest.len(), |length| start + length);
        let pair = (&rest[..start], &rest[start..end]);
        rest = &rest[end..];
        Some(pair)
    })
}

fn format_changed(text: &str, random: &mut Random) -> String {
    match random.below(3) {
        0 if random.chance(30) => text.to_uppercase(),
        0 => text.to_lowercase(),
        1 => {
            let mut out = String::with_capacity(text.len() + 64);
            for c in text.chars() {
                match c {
                    '.' | ',' | ';' | ':' | '!' | '?' => match random.below(3) {
                        0 => {}
                        1 => out.extend([' ', c]),
                        _ => out.extend([c, c]),
                    },
                    _ => out.push(c),
                }
            }
            out
        }
        _ => {
            let mut out = String::with_capacity(text.len() + 64);
            for c in text.chars() {
                if c.is_whitespace() {
                    out.push_str(random.pick(&[" ", "  ", "\n"]).unwrap_or(&" "));
                } else {
                    out.push(c);
                }
            }
            out
        }
    }
}

fn half(text: &str, random: &mut Random) -> String {
    let mut middle = text.len() / 2;
    while !text.is_char_boundary(middle) {
        middle += 1;
    }
    let cut = text[middle..]
        .find(' ')
        .map_or(middle, |step| middle + step);
    let (first, second) = text.split_at(cut);
    if random.chance(50) {
        first.trim_end().to_owned()
    } else {
        second.trim_start().to_owned()
    }
}

fn digits_changed(text: &str, random: &mut Random) -> String {
    if text.bytes().filter(u8::is_ascii_digit).count() >= 3 {
        let changed = |c: char| match c.to_digit(10) {
            Some(digit) => char::from(b'0' + ((digit as usize + random.between(1, 9)) % 10) as u8),
            None => c,
        };
        return text.chars().map(changed).collect();
    }
    let count = words(text).count();
    let hit: Vec<usize> = (0..3).map(|_| random.below(count)).collect();
    let mut out = String::with_capacity(text.len() + 16);
    for (at, (space, word)) in words(text).enumerate() {
        out.push_str(space);
        if hit.contains(&at) && !word.is_empty() {
            out.push_str(&random.between(2, 2999).to_string());
        } else {
            out.push_str(word);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The quick, brown fox.\nIt jumps over 12 lazy dogs in 1999; nobody knows why, but it is so again and again.";

    fn editor() -> Editor {
        let mut editor = Editor::default();
        editor.learn(0, "new words for the copies");
        for _ in 0..PASSAGES {
            editor.learn_passage(
                "a passage that very many of the pages on the web have in common",
                &mut Random::new(1),
            );
        }
        assert_eq!(editor.wants_passages(), 0);
        editor
    }

    fn copies(kind: Kind, text: &str) -> Vec<String> {
        let editor = editor();
        let mut random = Random::new(9);
        (0..50)
            .map(|_| editor.copy(text, kind, &mut random))
            .collect()
    }

    fn letters(text: &str) -> String {
        text.to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric())
            .collect()
    }

    #[test]
    fn every_kind_changes_what_it_says() {
        assert!(copies(Kind::Exact, TEXT).iter().all(|copy| copy == TEXT));
        assert!(
            copies(Kind::Format, TEXT)
                .iter()
                .all(|copy| letters(copy) == letters(TEXT))
        );
        assert!(
            copies(Kind::Half, TEXT)
                .iter()
                .all(|copy| copy.len() < TEXT.len() && TEXT.contains(copy.as_str()))
        );
        assert!(
            copies(Kind::Boiler, TEXT)
                .iter()
                .all(|copy| copy.len() > TEXT.len() && copy.contains(TEXT))
        );
        for copy in copies(Kind::Digits, TEXT) {
            assert!(
                copy.chars()
                    .zip(TEXT.chars())
                    .all(|(a, b)| a.is_ascii_digit() == b.is_ascii_digit())
            );
            assert!(
                copy.chars()
                    .zip(TEXT.chars())
                    .all(|(a, b)| (a != b) == b.is_ascii_digit())
            );
        }
        assert!(
            copies(Kind::Digits, "no numbers here at all")
                .iter()
                .all(|copy| copy.contains(|c: char| c.is_ascii_digit()))
        );
    }

    #[test]
    fn the_rate_is_the_share_of_changed_words() {
        let text = "w ".repeat(10_000);
        let [kept] = copies(Kind::Words(20), &text)[..1]
            .iter()
            .map(|c| c.split_whitespace().filter(|w| *w == "w").count())
            .collect::<Vec<_>>()[..]
        else {
            panic!()
        };
        // A third of the changes keep the word.
        assert!((8_500..8_900).contains(&kept), "{kept}");
        assert!(copies(Kind::Words(0), TEXT).iter().all(|copy| copy == TEXT));
    }

    #[test]
    fn kinds_come_by_their_shares() {
        let mut random = Random::new(4);
        let drawn: Vec<Kind> = (0..10_000).map(|_| Kind::draw(&mut random)).collect();
        let words = drawn.iter().filter(|kind| kind.rate() > 0).count();
        assert!((4_100..4_500).contains(&words), "{words}");
        assert_eq!(SHARES.iter().map(|(_, share)| share).sum::<usize>(), 100);
    }

    #[test]
    fn tiny_texts_do_no_harm() {
        for kind in [
            Kind::Format,
            Kind::Words(30),
            Kind::Half,
            Kind::Boiler,
            Kind::Digits,
        ] {
            copies(kind, "");
            copies(kind, "ä");
        }
    }
}
