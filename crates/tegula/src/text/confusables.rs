//! Look-alike letters, which are used to hide words from filters.
//!
//! The look-alikes are those of Unicode's security mechanisms (UTS #39, `confusables.txt`) that map
//! one letter to one. Folding them everywhere, like the skeleton of UTS #39, would make `СОМА` in a
//! Greek or Russian text equal to `coma`; so the context decides. A letter is replaced only
//!
//! - in a word that mixes Latin letters with those of another script, by the letters of one of the
//!   two: Latin if every other letter has a Latin look-alike (`pаypаl`), otherwise the other script
//!   if every Latin letter has a look-alike there (`Mосква`). If the text is really written in the
//!   other script, the order is reversed;
//! - in a word consisting only of look-alikes (`РАУ`) in a text with Latin letters, unless the text
//!   is really written in that script.
//!
//! A text is really written in a script if one of its words is entirely in that script and has a
//! letter without a Latin look-alike, like nearly every word of Russian and Greek. Small capitals
//! and letters in black circles and squares always become plain letters. Latin letters with marks,
//! and digits used as letters (`v1agra`), are kept.

use super::case::lower;
use super::origin::{Origin, Rewriter};
use super::token::run;
use super::unicode::{Kind, kind};
use std::sync::LazyLock;

/// What to do with look-alike letters.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Confusables {
    /// Keep them.
    #[default]
    Keep,
    /// Letters hidden among those of another script become letters of that script, and styled
    /// letters plain ones.
    Fold,
}

/// The scripts with look-alikes of Latin letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Greek,
    Cyrillic,
    Armenian,
    Cherokee,
    Coptic,
    Lisu,
}

/// The script of a letter, by its block.
fn script(c: char) -> Option<Script> {
    Some(match c {
        '\u{370}'..='\u{3E1}' | '\u{3F0}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Script::Greek,
        '\u{400}'..='\u{52F}' | '\u{1C80}'..='\u{1C8F}' | '\u{A640}'..='\u{A69F}' => {
            Script::Cyrillic
        }
        '\u{531}'..='\u{588}' => Script::Armenian,
        '\u{13A0}'..='\u{13FF}' | '\u{AB70}'..='\u{ABBF}' => Script::Cherokee,
        '\u{3E2}'..='\u{3EF}' | '\u{2C80}'..='\u{2CFF}' => Script::Coptic,
        '\u{A4D0}'..='\u{A4FF}' => Script::Lisu,
        _ => return None,
    })
}

/// Blocks of the letters of [`Script`].
const BLOCKS: [(char, char); 7] = [
    ('\u{370}', '\u{588}'),
    ('\u{13A0}', '\u{13FF}'),
    ('\u{1C80}', '\u{1C8F}'),
    ('\u{1F00}', '\u{1FFF}'),
    ('\u{2C80}', '\u{2CFF}'),
    ('\u{A4D0}', '\u{A4FF}'),
    ('\u{A640}', '\u{ABBF}'),
];

/// Letters with their Latin look-alikes, sorted by letter.
static LATIN: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let letters = BLOCKS
        .iter()
        .flat_map(|&(first, last)| first..=last)
        .filter(|&c| script(c).is_some() && kind(c) == Kind::Letter);
    letters.filter_map(|c| Some((c, prototype(c)?))).collect()
});

/// Latin letters with their look-alikes in Greek and in Cyrillic, by script and letter; if there
/// are several, the first in the block.
static BACK: LazyLock<Vec<((bool, char), char)>> = LazyLock::new(|| {
    let back = LATIN.iter().filter_map(|&(c, latin)| match script(c)? {
        Script::Greek => Some(((false, latin), c)),
        Script::Cyrillic => Some(((true, latin), c)),
        _ => None,
    });
    let mut back: Vec<_> = back.collect();
    back.sort_unstable();
    back.dedup_by_key(|(key, _)| *key);
    back
});

/// The Latin letter that is the UTS #39 prototype of `c`, if it is a single letter; in the case of
/// `c`, as `l` is the prototype of `I`.
fn prototype(c: char) -> Option<char> {
    let mut buffer = [0; 4];
    let mut skeleton = unicode_security::skeleton(c.encode_utf8(&mut buffer));
    let (Some(found), None) = (skeleton.next(), skeleton.next()) else {
        return None;
    };
    let capital = lower(c) != c;
    match found {
        'l' if capital => Some('I'),
        'a'..='z' if capital => Some(found.to_ascii_uppercase()),
        'A'..='Z' if !capital && c < '\u{13A0}' => Some(found.to_ascii_lowercase()),
        'a'..='z' | 'A'..='Z' => Some(found),
        _ => None,
    }
}

fn latin(c: char) -> Option<char> {
    let at = LATIN.binary_search_by_key(&c, |&(letter, _)| letter).ok()?;
    LATIN.get(at).map(|&(_, latin)| latin)
}

fn back(script: Script, c: char) -> Option<char> {
    let cyrillic = match script {
        Script::Greek => false,
        Script::Cyrillic => true,
        _ => return None,
    };
    let at = BACK
        .binary_search_by_key(&(cyrillic, c), |&(key, _)| key)
        .ok()?;
    BACK.get(at).map(|&(_, letter)| letter)
}

/// The plain letter of a small capital, or of a letter in a black circle or square.
fn plain(c: char) -> Option<char> {
    const SMALL_CAPITALS: [(char, char); 26] = [
        ('ǫ', 'q'),
        ('ɢ', 'g'),
        ('ɪ', 'i'),
        ('ɴ', 'n'),
        ('ʀ', 'r'),
        ('ʏ', 'y'),
        ('ʙ', 'b'),
        ('ʜ', 'h'),
        ('ʟ', 'l'),
        ('ᴀ', 'a'),
        ('ᴄ', 'c'),
        ('ᴅ', 'd'),
        ('ᴇ', 'e'),
        ('ᴊ', 'j'),
        ('ᴋ', 'k'),
        ('ᴍ', 'm'),
        ('ᴏ', 'o'),
        ('ᴘ', 'p'),
        ('ᴛ', 't'),
        ('ᴜ', 'u'),
        ('ᴠ', 'v'),
        ('ᴡ', 'w'),
        ('ᴢ', 'z'),
        ('ꜰ', 'f'),
        ('ꜱ', 's'),
        ('ꞯ', 'q'),
    ];
    let enclosed = |first: char| char::from_u32(c as u32 - first as u32 + 'A' as u32);
    match c {
        '\u{1F150}'..='\u{1F169}' => enclosed('\u{1F150}'),
        '\u{1F170}'..='\u{1F189}' => enclosed('\u{1F170}'),
        '\u{1EB}'..='\u{A7AF}' => {
            let at = SMALL_CAPITALS
                .binary_search_by_key(&c, |&(small, _)| small)
                .ok()?;
            SMALL_CAPITALS.get(at).map(|&(_, letter)| letter)
        }
        _ => None,
    }
}

/// `text` with its look-alikes folded; `None` if there are none.
pub(crate) fn fold(text: &str) -> Option<(String, Origin)> {
    let foreign = |c: char| script(c).is_some() || plain(c).is_some();
    if text.is_ascii() || !text.chars().any(foreign) {
        return None;
    }
    let mut in_earnest = Vec::new();
    let mut has_latin = false;
    for (_, word) in words(text) {
        let Word {
            latin_letters,
            script,
            ..
        } = Word::new(word);
        has_latin |= latin_letters;
        if let (false, Some(script)) = (latin_letters, script)
            && word
                .chars()
                .any(|c| kind(c) == Kind::Letter && latin(c).is_none())
        {
            in_earnest.push(script);
        }
    }
    let mut rewriter = Rewriter::new(text);
    for (start, word) in words(text) {
        let target = Word::new(word).target(word, has_latin, &in_earnest);
        for (at, c) in word.char_indices() {
            let folded = plain(c).or_else(|| match target {
                Target::Itself => None,
                Target::Latin => latin(c),
                Target::Other(script) => back(script, c),
            });
            if let Some(folded) = folded {
                rewriter.replace_by(start + at..start + at + c.len_utf8(), folded);
            }
        }
    }
    rewriter.finish()
}

/// The words of a text, with their offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let in_word = |kind| {
        matches!(
            kind,
            Kind::Letter | Kind::Mark | Kind::Number | Kind::Underscore
        )
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(|c: char| kind(c) == Kind::Letter)?;
        at = run(text, start, in_word);
        Some((start, &text[start..at]))
    })
}

/// The letters in a word.
struct Word {
    latin_letters: bool,
    /// The other script, if it is supported and the only one.
    script: Option<Script>,
    mixed: bool,
}

/// The script that replaces a word's letters.
enum Target {
    Itself,
    Latin,
    Other(Script),
}

impl Word {
    fn new(word: &str) -> Self {
        let mut found = Self {
            latin_letters: false,
            script: None,
            mixed: false,
        };
        for c in word.chars().filter(|&c| kind(c) == Kind::Letter) {
            match script(c) {
                Some(script) => {
                    found.mixed |= found.script.is_some_and(|other| other != script);
                    found.script = Some(script);
                }
                None => found.latin_letters = true,
            }
        }
        found
    }

    fn target(&self, word: &str, has_latin: bool, in_earnest: &[Script]) -> Target {
        let Some(script) = self.script else {
            return Target::Itself;
        };
        let letters = || word.chars().filter(|&c| kind(c) == Kind::Letter);
        let all_latin = || letters().all(|c| self::script(c).is_none() || latin(c).is_some());
        let all_other = || {
            !self.mixed && letters().all(|c| self::script(c).is_some() || back(script, c).is_some())
        };
        let earnest = in_earnest.contains(&script);
        if !self.latin_letters {
            return if has_latin && !earnest && all_latin() {
                Target::Latin
            } else {
                Target::Itself
            };
        }
        if earnest && all_other() {
            Target::Other(script)
        } else if all_latin() {
            Target::Latin
        } else if all_other() {
            Target::Other(script)
        } else {
            Target::Itself
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        fold(text).map_or_else(|| text.to_owned(), |(out, _)| out)
    }

    #[test]
    fn a_word_of_two_scripts_becomes_one_of_one() {
        assert_eq!(
            folded("pаypаl Μicrosoft ВITCOIN Іnternet"),
            "paypal Microsoft BITCOIN Internet"
        );
        // Latin M and o among Cyrillic letters.
        assert_eq!(folded("Mосква дoгoвoр"), "Москва договор");
    }

    #[test]
    fn words_in_earnest_stay() {
        for text in [
            "Привет, как дела? а у нас с тобой",
            "Сор",
            "Русский текст о языке C и USB",
            "Καλημέρα κόσμε, το και ο",
            "Hello Привет",
            "Fußgänger naïve æther łódź ırmak",
            "加Q群 2 こんにちは",
            "Բարեւ Ձեզ",
        ] {
            assert_eq!(folded(text), text);
        }
    }

    #[test]
    fn a_word_of_look_alikes_alone_is_latin_among_latin_words() {
        assert_eq!(folded("click to РАУ now"), "click to PAY now");
        // Among Russian words it is Russian, as is `poca` with one Latin letter.
        assert_eq!(
            folded("click: утром выпала роса, рoса"),
            "click: утром выпала роса, роса"
        );
    }

    #[test]
    fn styled_letters_are_plain() {
        assert_eq!(folded("ꜰʀᴇᴇ 🅵🆁🅴🅴 🅜oney"), "free FREE Money");
        assert!(fold("plain 東京 ñ").is_none());
    }

    #[test]
    fn look_alikes_keep_their_case() {
        for (c, expected) in [
            ('І', 'I'),
            ('а', 'a'),
            ('С', 'C'),
            ('Һ', 'H'),
            ('ι', 'i'),
            ('Ι', 'I'),
        ] {
            assert_eq!(latin(c), Some(expected), "{c}");
        }
        assert!(LATIN.is_sorted() && LATIN.len() > 150, "{}", LATIN.len());
        assert_eq!(
            (
                back(Script::Cyrillic, 'o'),
                back(Script::Greek, 'A'),
                back(Script::Cyrillic, 'q')
            ),
            (Some('о'), Some('Α'), Some('ԛ'))
        );
    }
}
