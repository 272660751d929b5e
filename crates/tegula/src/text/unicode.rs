//! Character properties: one byte for each character, in a table built once.
//!
//! General categories and emoji properties come from the `unicode-properties` crate and normal
//! forms from `unicode-normalization`, both at [`UNICODE_VERSION`] (checked by a test), and case
//! mappings from this crate's own table: tokens do not depend on the compiler's version.

use std::sync::LazyLock;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, is_nfc_quick, is_nfkc_quick};
use unicode_properties::{
    EmojiStatus, GeneralCategory, GeneralCategoryGroup, UnicodeEmoji, UnicodeGeneralCategory,
};

/// The Unicode version of letters, marks, numbers, emoji and normal forms. Simple case mappings are
/// those of Unicode 17.0, sentence boundaries those of UAX #29 in Unicode 17.0.
pub const UNICODE_VERSION: &str = "18.0.0";

/// The coarse class of a character for tokenisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Part of a word: Alphabetic, Mark, Number or `_`. After a [`Class::Spaceless`] or
    /// [`Class::Emoji`] token a Mark is part of that token instead.
    Word,
    /// A letter of a script written without spaces: a token with the marks that follow.
    Spaceless,
    /// May begin an emoji sequence: see [`super::token::emoji_end`].
    Emoji,
    /// A boundary.
    Other,
}

/// The fine class of a character for tokenisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A boundary.
    Other,
    /// Alphabetic, and none of the following.
    Letter,
    /// General category M.
    Mark,
    /// General category N.
    Number,
    /// `_`.
    Underscore,
    /// A letter of a script written without spaces: see [`is_spaceless`].
    Spaceless,
    /// A character whose default presentation is emoji, including the regional indicators.
    Emoji,
    /// A character with a non-default emoji presentation: `☺`, `©`.
    Pictograph,
}

const KIND: u8 = 7;
/// Has a simple lower-case mapping.
pub(crate) const HAS_LOWER: u8 = 8;
/// May change, or combine with the preceding character, under NFC.
pub(crate) const MOVES_IN_NFC: u8 = 16;
/// May change, or combine with the preceding character, under NFKC.
pub(crate) const MOVES_IN_NFKC: u8 = 32;
/// General category N: also the numerals among the [`Kind::Spaceless`] letters.
const NUMBER: u8 = 64;

/// The number of characters in a plane.
const PLANE: u32 = 0x1_0000;

/// The basic plane, and the supplementary one with the emoji. The others, mostly Han, are too rare
/// to store.
static BASIC: LazyLock<Vec<u8>> = LazyLock::new(|| plane(0));
static SUPPLEMENTARY: LazyLock<Vec<u8>> = LazyLock::new(|| plane(1));

fn plane(number: u32) -> Vec<u8> {
    let first = number * PLANE;
    let mut table = vec![0; PLANE as usize];
    let mut at = 0;
    while at < PLANE {
        // Large uniform blocks would otherwise take most of the time.
        let code = first + at;
        let last = uniform_block(code).map_or(at, |last| last - first);
        let entry = char::from_u32(code).map_or(0, describe);
        table[at as usize..=last as usize].fill(entry);
        at = last + 1;
    }
    table
}

/// The last character of the block that begins at `code` and whose characters all have the same
/// properties.
fn uniform_block(code: u32) -> Option<u32> {
    match code {
        0x3400 => Some(0x4DBF),    // Han, extension A
        0x4E00 => Some(0x9FFF),    // Han
        0xAC00 => Some(0xD7A3),    // Hangul
        0xD800 => Some(0xF8FF),    // surrogates and private use
        0x1_7000 => Some(0x187F7), // Tangut
        _ => None,
    }
}

/// The properties of the characters of the basic plane. Fetch it once before a loop.
pub(crate) fn table() -> &'static [u8] {
    &BASIC
}

/// The properties of a character, with `table` from [`table`].
#[inline]
pub(crate) fn entry(table: &[u8], c: char) -> u8 {
    match table.get(c as usize) {
        Some(&entry) => entry,
        None => far_entry(c),
    }
}

#[cold]
fn far_entry(c: char) -> u8 {
    match SUPPLEMENTARY.get((c as usize).wrapping_sub(PLANE as usize)) {
        Some(&entry) => entry,
        None => describe(c),
    }
}

/// The kind in an entry.
#[inline]
pub(crate) fn kind_of(entry: u8) -> Kind {
    match entry & KIND {
        1 => Kind::Letter,
        2 => Kind::Mark,
        3 => Kind::Number,
        4 => Kind::Underscore,
        5 => Kind::Spaceless,
        6 => Kind::Emoji,
        7 => Kind::Pictograph,
        _ => Kind::Other,
    }
}

/// Whether an entry is that of a word character: a letter, mark, number or `_`.
#[inline]
pub(crate) fn is_word(entry: u8) -> bool {
    // Kinds 1 to 4.
    (entry & KIND).wrapping_sub(1) < 4
}

/// Whether a character represents a number.
#[inline]
pub(crate) fn is_number(c: char) -> bool {
    entry(table(), c) & NUMBER != 0
}

/// The fine class of a character.
#[inline]
pub(crate) fn kind(c: char) -> Kind {
    kind_of(entry(table(), c))
}

/// The coarse class of a character.
#[inline]
#[allow(dead_code, reason = "for the fused hashing of default tokens")]
pub(crate) fn class(c: char) -> Class {
    match kind(c) {
        Kind::Letter | Kind::Mark | Kind::Number | Kind::Underscore => Class::Word,
        Kind::Spaceless => Class::Spaceless,
        Kind::Emoji | Kind::Pictograph => Class::Emoji,
        Kind::Other => Class::Other,
    }
}

/// The entry of a character from the crates' tables.
fn describe(c: char) -> u8 {
    let mut entry = kind_by_property(c) as u8;
    if super::case::lower(c) != c {
        entry |= HAS_LOWER;
    }
    if c.general_category_group() == GeneralCategoryGroup::Number {
        entry |= NUMBER;
    }
    let starter = canonical_combining_class(c) == 0;
    if !starter || is_nfc_quick(std::iter::once(c)) != IsNormalized::Yes {
        entry |= MOVES_IN_NFC;
    }
    if !starter || is_nfkc_quick(std::iter::once(c)) != IsNormalized::Yes {
        entry |= MOVES_IN_NFKC;
    }
    entry
}

fn kind_by_property(c: char) -> Kind {
    if c == '_' {
        return Kind::Underscore;
    }
    match c.general_category_group() {
        GeneralCategoryGroup::Letter if is_spaceless(c) => Kind::Spaceless,
        GeneralCategoryGroup::Letter => Kind::Letter,
        GeneralCategoryGroup::Mark => Kind::Mark,
        GeneralCategoryGroup::Number
            if c.general_category() == GeneralCategory::LetterNumber && is_spaceless(c) =>
        {
            Kind::Spaceless
        }
        GeneralCategoryGroup::Number => Kind::Number,
        _ if is_enclosed_letter(c) => Kind::Letter,
        _ => kind_of_symbol(c),
    }
}

/// Alphabetic symbols. Together with L, M and N they make up Alphabetic: the rest of
/// `Other_Alphabetic` are marks.
fn is_enclosed_letter(c: char) -> bool {
    matches!(c, '\u{24B6}'..='\u{24E9}' | '\u{1F130}'..='\u{1F149}' | '\u{1F150}'..='\u{1F169}' | '\u{1F170}'..='\u{1F189}')
}

fn kind_of_symbol(c: char) -> Kind {
    match c.emoji_status() {
        // # and * are emoji only in keycaps.
        _ if c.is_ascii() => Kind::Other,
        EmojiStatus::EmojiPresentation
        | EmojiStatus::EmojiPresentationAndModifierBase
        | EmojiStatus::EmojiPresentationAndEmojiComponent
        | EmojiStatus::EmojiPresentationAndModifierAndEmojiComponent => Kind::Emoji,
        _ if c.is_emoji_char() => Kind::Pictograph,
        _ => Kind::Other,
    }
}

/// Whether a letter belongs to a script written without spaces between words. The list, by blocks:
/// Han with its signs and iteration marks, Hiragana, Katakana (also half width), Tangut, Khitan
/// small script, Nushu; Thai, Lao, Myanmar, Khmer, Tai Le, New Tai Lue, Tai Tham, Tai Viet, Ahom;
/// Balinese, Javanese. Hangul, Bopomofo, Yi and Tibetan (whose syllables are separated by a sign)
/// are words like any other.
pub(crate) fn is_spaceless(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}'         // Thai, Lao
        | '\u{1000}'..='\u{109F}'       // Myanmar
        | '\u{1780}'..='\u{17FF}'       // Khmer
        | '\u{1950}'..='\u{19DF}'       // Tai Le, New Tai Lue
        | '\u{1A20}'..='\u{1AAF}'       // Tai Tham
        | '\u{1B00}'..='\u{1B7F}'       // Balinese
        | '\u{2E80}'..='\u{2FDF}'       // radicals (symbols: no tokens, but letters under NFKC)
        | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{303C}' // Han signs, Hangzhou numerals, kana repeat marks
        | '\u{3041}'..='\u{30FF}'       // Hiragana, Katakana
        | '\u{31F0}'..='\u{31FF}'       // Katakana extensions
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' // Han
        | '\u{A980}'..='\u{A9FF}'       // Javanese, Myanmar B
        | '\u{AA60}'..='\u{AADF}'       // Myanmar A, Tai Viet
        | '\u{F900}'..='\u{FAFF}'       // Han, compatibility
        | '\u{FF66}'..='\u{FF9F}'       // Katakana, half width
        | '\u{1_1700}'..='\u{1_174F}'   // Ahom
        | '\u{1_16D0}'..='\u{1_16FF}'   // Myanmar C
        | '\u{1_6FE0}'..='\u{1_8DFF}'   // Tangut, Khitan small script
        | '\u{1_AFF0}'..='\u{1_B2FF}'   // kana extensions, Nushu
        | '\u{2_0000}'..='\u{3_FFFF}'   // Han, extensions B and on
    )
}

/// Whether a character is a regional indicator, two of which form a flag.
pub(crate) fn is_regional_indicator(c: char) -> bool {
    matches!(c, '\u{1F1E6}'..='\u{1F1FF}')
}

/// Whether a character is a skin tone of emoji.
pub(crate) fn is_emoji_modifier(c: char) -> bool {
    matches!(c, '\u{1F3FB}'..='\u{1F3FF}')
}

/// Whether a character is one of the tags in flags of regions.
pub(crate) fn is_tag(c: char) -> bool {
    matches!(c, '\u{E0020}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crates_agree_on_the_version() {
        let dotted = |(a, b, c): (u64, u64, u64)| format!("{a}.{b}.{c}");
        let (a, b, c) = unicode_normalization::UNICODE_VERSION;
        assert_eq!(dotted((a.into(), b.into(), c.into())), UNICODE_VERSION);
        assert_eq!(dotted(unicode_properties::UNICODE_VERSION), UNICODE_VERSION);
        assert_eq!(unicode_segmentation::UNICODE_VERSION, (17, 0, 0));
    }

    #[test]
    fn the_table_is_what_the_crates_say() {
        for c in '\0'..=char::MAX {
            assert_eq!(entry(table(), c), describe(c), "U+{:04X}", c as u32);
        }
    }

    #[test]
    fn words_are_alphabetic_marks_numbers_and_underscore() {
        for c in '\0'..=char::MAX {
            let word = matches!(class(c), Class::Word | Class::Spaceless);
            assert!(is_number(c) || !c.is_numeric(), "{c:?}");
            // The standard library's tables may be older, so that only one direction can be tested
            // for all.
            if c.is_alphabetic() || c.is_numeric() || c == '_' {
                assert!(word, "{c:?}");
            }
            if word && !c.is_alphanumeric() && c != '_' {
                let known = c.general_category_group() == GeneralCategoryGroup::Mark;
                let new = c > '\u{52F}'; // perhaps assigned after the standard library's version
                assert!(known || new, "{c:?}");
            }
        }
    }

    #[test]
    fn classes_of_some_characters() {
        for (c, expected) in [
            ('a', Class::Word),
            ('ß', Class::Word),
            ('²', Class::Word),
            ('\u{301}', Class::Word),
            ('_', Class::Word),
            ('한', Class::Word),
            ('ก', Class::Spaceless),
            ('๑', Class::Word),
            ('ー', Class::Spaceless),
            ('〇', Class::Spaceless),
            ('𠀀', Class::Spaceless),
            ('・', Class::Other),
            ('「', Class::Other),
            ('😀', Class::Emoji),
            ('☺', Class::Emoji),
            ('#', Class::Other),
            ('–', Class::Other),
            ('\u{AD}', Class::Other),
            ('\u{200D}', Class::Other),
            ('\0', Class::Other),
        ] {
            assert_eq!(class(c), expected, "{c:?}");
        }
    }
}
