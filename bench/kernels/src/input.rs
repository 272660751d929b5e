//! What kernels work on: generated texts, and what earlier kernels make of them. The same each
//! time.

use tegula::Result;
use tegula::hash::{Fingerprint, Width, mix};
use tegula::shingle::Shingler;
use tegula::text::fingerprints::fingerprints;
use tegula::text::normalise::{Normalisation, Normaliser};
use tegula::text::words::Words;

/// Texts, and words in each.
const TEXTS: usize = 500;
const WORDS: usize = 120;

/// Tokens in a shingle.
const NGRAM: usize = 5;

/// Texts in several forms.
pub(crate) struct Input {
    /// Texts of ASCII, with copies among them in which single words differ.
    pub(crate) texts: Vec<String>,
    /// The same texts with accents and Greek letters.
    pub(crate) accented: Vec<String>,
    /// The tokens of each text.
    pub(crate) tokens: Vec<Vec<Fingerprint>>,
    /// The shingles of each text.
    pub(crate) shingles: Vec<Vec<u64>>,
    pub(crate) normaliser: Normaliser,
    pub(crate) shingler: Shingler,
}

impl Input {
    /// Makes the texts.
    pub(crate) fn new() -> Result<Self> {
        let texts = texts();
        let accented = texts.iter().map(|text| accented(text)).collect();
        let normaliser = Normaliser::new(&Normalisation::preset("default")?)?;
        let shingler = Shingler::new(NGRAM, Width::FULL);
        let mut words = Words::default();
        let tokens: Vec<Vec<Fingerprint>> = texts
            .iter()
            .map(|text| {
                let mut tokens = Vec::new();
                fingerprints(&normaliser, &mut words, text, &mut tokens);
                tokens
            })
            .collect();
        let shingles = tokens
            .iter()
            .map(|tokens| {
                let mut ids = Vec::new();
                shingler.ids(tokens, &mut ids);
                ids
            })
            .collect();
        Ok(Self {
            texts,
            accented,
            tokens,
            shingles,
            normaliser,
            shingler,
        })
    }
}

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 += 1;
        ((u128::from(mix(self.0)) * end as u128) >> 64) as usize
    }

    /// A word: the higher its number, the rarer it is; its letters are always the same.
    fn word(&mut self) -> String {
        let size = 8 << (2 * self.below(7));
        let mut number = mix(self.below(size) as u64);
        let mut word = String::new();
        for _ in 0..=2 + number % 8 {
            number = mix(number);
            word.push((b'a' + (number % 26) as u8) as char);
        }
        word
    }
}

/// Every fifth is a copy of an earlier one with every 20th, 40th or 60th word changed.
fn texts() -> Vec<String> {
    let mut numbers = Numbers(0);
    let mut made: Vec<Vec<String>> = Vec::with_capacity(TEXTS);
    for at in 0..TEXTS {
        let text = if at % 5 == 4 {
            let mut copy = made[numbers.below(at)].clone();
            for word in copy.iter_mut().step_by(20 * (1 + at % 3)) {
                *word = numbers.word();
            }
            copy
        } else {
            let length = WORDS / 2 + numbers.below(WORDS);
            (0..length).map(|_| numbers.word()).collect()
        };
        made.push(text);
    }
    made.iter().map(|words| spelled(words)).collect()
}

/// Words as sentences in paragraphs.
fn spelled(words: &[String]) -> String {
    let mut text = String::new();
    for (at, word) in words.iter().enumerate() {
        match at % 60 {
            0 if at > 0 => text.push_str(".\n\n"),
            12 | 24 | 36 | 48 => text.push_str(". "),
            6 | 30 => text.push_str(", "),
            _ if at > 0 => text.push(' '),
            _ => {}
        }
        if at % 12 == 0 {
            text.push_str(&word[..1].to_uppercase());
            text.push_str(&word[1..]);
        } else {
            text.push_str(word);
        }
    }
    text.push('.');
    text
}

/// With one letter in thirteen outside ASCII: Latin and Greek.
fn accented(text: &str) -> String {
    let with = |letter| match letter {
        'e' => '\u{e9}',
        'x' => '\u{3c7}',
        other => other,
    };
    text.chars().map(with).collect()
}
