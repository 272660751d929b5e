//! Cleans text of a corpus for a page.

use std::borrow::Cow;

/// Removes control characters, which are invalid in a page or would hide text; line ends and tabs
/// are kept. Escaping is left to the template.
pub fn clean(text: &str) -> Cow<'_, str> {
    let shown = |c: char| !is_hidden(c);
    if text.chars().all(shown) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(
        text.chars()
            .map(|c| if shown(c) { c } else { '\u{fffd}' })
            .collect(),
    )
}

/// Control characters, and unbalanced direction controls that would affect the text after them.
fn is_hidden(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_as_what_they_are() {
        assert_eq!(clean("a\tb\nc"), "a\tb\nc");
        assert_eq!(
            clean("a\0b\u{1b}[31m\u{202e}x"),
            "a\u{fffd}b\u{fffd}[31m\u{fffd}x"
        );
    }
}
