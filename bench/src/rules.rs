//! Two rules of what a word is, and what parts them.
//!
//! The listings take maximal runs of letters, numbers and `_` of the unchanged lower-cased text.
//! Tegula's default tokens differ in a few named points, each a [`Rule`]; with all of them switched
//! on, [`words`] must give Tegula's tokens. It is written from the definition and shares no code
//! with the library, so it is a check as well.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{
    EmojiStatus, GeneralCategory, GeneralCategoryGroup as Group, UnicodeEmoji,
    UnicodeGeneralCategory,
};

/// A point in which Tegula's tokens differ from runs of letters, numbers and `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The text is taken in normal form C.
    NormalForm,
    /// Marks are part of words.
    Marks,
    /// Circled and squared letters, symbols by category, are letters.
    EnclosedLetters,
    /// A character of a script written without spaces is a token.
    Spaceless,
    /// Emoji are tokens.
    Emoji,
    /// One character becomes one in lower case, whatever stands beside it: no final sigma, no dot
    /// separated from İ.
    SimpleCase,
}

impl Rule {
    /// All rules.
    pub const ALL: [Self; 6] = [
        Self::NormalForm,
        Self::Marks,
        Self::EnclosedLetters,
        Self::Spaceless,
        Self::Emoji,
        Self::SimpleCase,
    ];

    /// A short name for reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::NormalForm => "normal form C",
            Self::Marks => "marks in words",
            Self::EnclosedLetters => "enclosed letters",
            Self::Spaceless => "scripts without spaces",
            Self::Emoji => "emoji",
            Self::SimpleCase => "simple lower case",
        }
    }
}

/// The words of a text under some of the rules.
pub fn words(text: &str, rules: &[Rule]) -> Vec<String> {
    let on = |rule: Rule| rules.contains(&rule);
    let formed: String = if on(Rule::NormalForm) {
        text.nfc().collect()
    } else {
        text.to_owned()
    };
    let chars: Vec<char> = if on(Rule::SimpleCase) {
        formed.chars().collect()
    } else {
        formed.to_lowercase().chars().collect()
    };
    let lower = |c: char| {
        if on(Rule::SimpleCase) {
            simple_lower(c)
        } else {
            c
        }
    };
    let mut words = Vec::new();
    let mut open = String::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        let alone = if on(Rule::Spaceless) && is_spaceless(c) {
            Some(
                at + 1
                    + chars[at + 1..]
                        .iter()
                        .take_while(|c| on(Rule::Marks) && is_mark(**c))
                        .count(),
            )
        } else if on(Rule::Emoji) {
            emoji_end(&chars, at)
        } else {
            None
        };
        let in_word = alone.is_none() && in_word(c, &on);
        if !in_word && !open.is_empty() {
            words.push(std::mem::take(&mut open));
        }
        if let Some(end) = alone {
            words.push(chars[at..end].iter().map(|c| lower(*c)).collect());
            at = end;
            continue;
        }
        if in_word {
            open.push(lower(c));
        }
        at += 1;
    }
    if !open.is_empty() {
        words.push(open);
    }
    words
}

fn in_word(c: char, on: &impl Fn(Rule) -> bool) -> bool {
    match c.general_category_group() {
        Group::Letter | Group::Number => true,
        Group::Mark => on(Rule::Marks),
        _ => c == '_' || (c.is_alphabetic() && on(Rule::EnclosedLetters)),
    }
}

fn is_mark(c: char) -> bool {
    c.general_category_group() == Group::Mark
}

fn simple_lower(c: char) -> char {
    // İ is the one character whose full lower case is longer than one character; its simple one is
    // the first of them.
    c.to_lowercase().next().unwrap_or(c)
}

/// The scripts that the definition of tokens names.
fn is_spaceless(c: char) -> bool {
    let blocks = [
        0x0E00..=0x0EFF,     // Thai, Lao
        0x1000..=0x109F,     // Myanmar
        0x1780..=0x17FF,     // Khmer
        0x1950..=0x19DF,     // Tai Le, New Tai Lue
        0x1A20..=0x1AAF,     // Tai Tham
        0x1B00..=0x1B7F,     // Balinese
        0x3005..=0x3007,     // Han signs
        0x3021..=0x303C,     // Hangzhou numerals, repeat marks
        0x3041..=0x30FF,     // Hiragana, Katakana
        0x31F0..=0x31FF,     // Katakana extensions
        0x3400..=0x4DBF,     // Han, extension A
        0x4E00..=0x9FFF,     // Han
        0xA980..=0xA9FF,     // Javanese, Myanmar B
        0xAA60..=0xAADF,     // Myanmar A, Tai Viet
        0xF900..=0xFAFF,     // Han, compatibility
        0xFF66..=0xFF9F,     // Katakana, half width
        0x1_1700..=0x1_174F, // Ahom
        0x1_16D0..=0x1_16FF, // Myanmar C
        0x1_6FE0..=0x1_8DFF, // Tangut, Khitan small script
        0x1_AFF0..=0x1_B2FF, // kana extensions, Nushu
        0x2_0000..=0x3_FFFF, // Han, extensions B and on
    ];
    // Their digits are words.
    let letter = match c.general_category_group() {
        Group::Letter => true,
        Group::Number => c.general_category() == GeneralCategory::LetterNumber,
        _ => false,
    };
    letter && blocks.iter().any(|block| block.contains(&(c as u32)))
}

/// The end of the emoji sequence that begins at `at`.
fn emoji_end(chars: &[char], at: usize) -> Option<usize> {
    let is_region = |c: Option<&char>| c.is_some_and(|c| matches!(c, '\u{1F1E6}'..='\u{1F1FF}'));
    let tone = |c: char| matches!(c, '\u{1F3FB}'..='\u{1F3FF}');
    let extended = |from: usize| {
        from + chars[from..]
            .iter()
            .take_while(|c| is_mark(**c) || tone(**c) || matches!(c, '\u{E0020}'..='\u{E007F}'))
            .count()
    };
    let mut end = match status(chars[at]) {
        Presentation::None => return None,
        Presentation::Emoji if is_region(chars.get(at)) => {
            at + 1 + usize::from(is_region(chars.get(at + 1)))
        }
        Presentation::Emoji => at + 1,
        Presentation::Text => {
            let next = *chars.get(at + 1)?;
            (next == '\u{FE0F}' || tone(next)).then_some(at + 1)?
        }
    };
    end = extended(end);
    while chars.get(end) == Some(&'\u{200D}') {
        match chars.get(end + 1) {
            Some(c) if status(*c) != Presentation::None && !is_region(Some(c)) => {
                end = extended(end + 2);
            }
            _ => break,
        }
    }
    Some(end)
}

#[derive(PartialEq, Eq)]
enum Presentation {
    None,
    Text,
    Emoji,
}

fn status(c: char) -> Presentation {
    let word = matches!(
        c.general_category_group(),
        Group::Letter | Group::Mark | Group::Number
    ) || c.is_alphabetic();
    if c.is_ascii() || word {
        return Presentation::None;
    }
    match c.emoji_status() {
        EmojiStatus::EmojiPresentation
        | EmojiStatus::EmojiPresentationAndModifierBase
        | EmojiStatus::EmojiPresentationAndEmojiComponent
        | EmojiStatus::EmojiPresentationAndModifierAndEmojiComponent => Presentation::Emoji,
        _ if c.is_emoji_char() => Presentation::Text,
        _ => Presentation::None,
    }
}

/// The rules without which the words of a text would be others.
pub fn that_matter(text: &str) -> Vec<Rule> {
    let all = words(text, &Rule::ALL);
    let without = |rule: Rule| {
        Rule::ALL
            .into_iter()
            .filter(|other| *other != rule)
            .collect::<Vec<_>>()
    };
    Rule::ALL
        .into_iter()
        .filter(|rule| words(text, &without(*rule)) != all)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tegula::text::normalise::{Normalisation, Normaliser, Tokens};

    fn tokens(text: &str) -> Vec<String> {
        let mut tokens = Tokens::default();
        Normaliser::new(&Normalisation::default())
            .unwrap()
            .tokens(text, &mut tokens);
        tokens.iter().map(str::to_owned).collect()
    }

    #[test]
    fn without_rules_words_are_runs_of_letters_numbers_and_underscores() {
        assert_eq!(
            words("Ab_1² – x\u{301}y İΣ ⓐ 日本", &[]),
            ["ab_1²", "x", "y", "i", "ς", "日本"]
        );
        assert_eq!(words("ΟΔΟΣ", &[]), ["οδος"]);
    }

    #[test]
    fn with_all_rules_words_are_the_tokens() {
        for text in [
            "",
            "Ab_1² – x\u{301}y İΣ Ⓐb 日本が、ไทย ๓",
            "e\u{301}A\u{30a} 👍🏽!👩\u{200d}🚀 🇩🇪🇸🇰🇩 ☺ ☺\u{fe0f} 1\u{fe0f}\u{20e3} © ✔\u{fe0f}a 〇三",
        ] {
            assert_eq!(words(text, &Rule::ALL), tokens(text), "{text}");
        }
    }

    #[test]
    fn the_rules_that_matter_are_named() {
        assert_eq!(that_matter("plain words, 1 2 3"), []);
        assert_eq!(that_matter("e\u{301}"), [Rule::NormalForm]);
        assert_eq!(that_matter("x\u{301}y"), [Rule::Marks]);
        assert_eq!(that_matter("ΟΔΟΣ"), [Rule::SimpleCase]);
        assert_eq!(that_matter("日本 👍"), [Rule::Spaceless, Rule::Emoji]);
        assert_eq!(that_matter("Ⓐ"), [Rule::EnclosedLetters]);
    }
}
