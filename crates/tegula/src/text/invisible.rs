//! Removes invisible characters: zero-width characters, variation selectors, direction controls.

use super::origin::{Origin, Rewriter};
use super::unicode::{Kind, is_emoji_modifier, is_tag, kind};

/// What to do with invisible characters.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Invisible {
    /// Keep them.
    #[default]
    Keep,
    /// Characters with the property `Default_Ignorable_Code_Point` (zero width, soft hyphens,
    /// variation selectors, direction) and control characters other than white space are removed.
    /// The joiner inside an emoji sequence is kept, and so are the tags of a flag: `👩‍👧` differs
    /// from `👩👧`. As variation selectors are removed, symbols such as `❤` and `☎` count as emoji,
    /// that is, as tokens, without them.
    Remove,
}

const JOINER: char = '\u{200D}';
const BLACK_FLAG: char = '\u{1F3F4}';

/// `text` without invisible characters; `None` if there are none.
pub(crate) fn remove(text: &str) -> Option<(String, Origin)> {
    if text
        .bytes()
        .all(|byte| (b' '..0x7F).contains(&byte) || matches!(byte, b'\n' | b'\r' | b'\t'))
    {
        return None;
    }
    let mut rewriter = Rewriter::new(text);
    let mut last = None; // the last kept character
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let stays = if c == JOINER {
            let emoji = |c: char| matches!(kind(c), Kind::Emoji | Kind::Pictograph);
            last.is_some_and(|c| emoji(c) || is_emoji_modifier(c))
                && chars.peek().is_some_and(|&(_, next)| emoji(next))
        } else if is_tag(c) {
            last.is_some_and(|c| c == BLACK_FLAG || is_tag(c))
        } else {
            !is_invisible(c)
        };
        if stays {
            last = Some(c);
        } else {
            rewriter.replace(at..at + c.len_utf8(), "");
        }
    }
    rewriter.finish()
}

/// `Default_Ignorable_Code_Point`, and control characters other than white space.
fn is_invisible(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && !c.is_ascii_whitespace() && c != '\u{B}';
    }
    matches!(c,
        '\u{80}'..='\u{84}' | '\u{86}'..='\u{9F}'
        | '\u{AD}' | '\u{34F}' | '\u{61C}'
        | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}'
        | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> String {
        remove(text).map_or_else(|| text.to_owned(), |(out, _)| out)
    }

    #[test]
    fn zero_width_characters_go_and_white_space_stays() {
        assert_eq!(
            seen("fr\u{200B}e\u{AD}e\u{FEFF} \u{202E}mon\u{2060}ey\u{0}\t\r\n\u{85}x"),
            "free money\t\r\n\u{85}x"
        );
        assert_eq!(seen("می\u{200C}خواهم 葛\u{E0100}"), "میخواهم 葛");
        assert!(remove("plain ASCII, and Köln").is_none());
    }

    #[test]
    fn emoji_keep_their_joiners_and_flags_their_tags() {
        assert_eq!(
            seen("❤\u{FE0F} ❤\u{FE0F}\u{200D}🔥 👩🏽\u{200D}💻 a\u{200D}b👩\u{200D}"),
            "❤ ❤\u{200D}🔥 👩🏽\u{200D}💻 ab👩"
        );
        let scotland = "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}";
        assert_eq!(seen(scotland), scotland);
        assert_eq!(seen("a\u{E0067}\u{E007F}"), "a");
    }
}
