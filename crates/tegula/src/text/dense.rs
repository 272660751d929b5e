//! Dense scripts, in which a character is a word or a syllable: Chinese, Japanese, Korean.

/// What follows a token that comes a second time; no mark, so that no token of a text has it.
pub(crate) const AGAIN: char = '″';

/// Whether a character is a word or a syllable.
pub(crate) fn is_dense(char: char) -> bool {
    matches!(char,
        '\u{1100}'..='\u{11ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// Whether at least a third of the letters and digits of a text are of a dense script.
pub(crate) fn is_dense_text(text: &str) -> bool {
    // The first byte of each dense character in UTF-8 is at least this.
    if text.bytes().all(|byte| byte < 0xe1) {
        return false;
    }
    let dense = text.chars().filter(|char| is_dense(*char)).count();
    dense > 0 && {
        let letters = text.chars().filter(|char| char.is_alphanumeric()).count();
        3 * dense >= letters
    }
}

/// Whether no text that is made of this one is dense; an entity may stand for any character.
pub(crate) fn has_none(text: &str) -> bool {
    text.bytes().all(|byte| byte < 0xe1 && byte != b'&')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_the_letters_makes_a_text_dense() {
        for (text, is_dense) in [
            ("", false),
            ("a b 1", false),
            ("新 ab", true),
            ("新 abc", false),
            ("한국어 – ひらがな", true),
            ("ä ö ü ß", false),
        ] {
            assert_eq!(is_dense_text(text), is_dense, "{text}");
        }
    }
}
