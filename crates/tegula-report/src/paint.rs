//! Colours, and the last step before a text for people is printed.
//!
//! A text holds values of data, which may have escape sequences of their own. So the colours of this
//! program are written as noncharacters until the text is printed; then they become escape
//! sequences, and everything else that a terminal would obey is shown as an escape.

use std::borrow::Cow;
use tegula::printable;

const OPEN: char = '\u{fdd0}';
const CLOSE: char = '\u{fdd1}';

/// The text in a colour, by its number as terminals know it.
pub fn paint(colour: &str, text: &str) -> String {
    format!("{OPEN}{colour}{CLOSE}{text}{OPEN}0{CLOSE}")
}

/// A text of several lines, ready to be printed.
pub fn printed(text: &str) -> Cow<'_, str> {
    if !text.contains(OPEN) {
        return printable::text(text);
    }
    let mut out = String::with_capacity(text.len());
    for (at, piece) in text.split(OPEN).enumerate() {
        let rest = match piece.split_once(CLOSE) {
            Some((colour, rest)) if at > 0 && is_colour(colour) => {
                out.extend(["\u{1b}[", colour, "m"]);
                rest
            }
            _ => piece,
        };
        out.push_str(&printable::text(rest));
    }
    out.into()
}

fn is_colour(code: &str) -> bool {
    (1..=5).contains(&code.len())
        && code
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b';')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_colours_of_this_program_reach_a_terminal() {
        let text = format!("{}\t\u{1b}[31mc\u{9b}m\n", paint("1;32", "a\u{1b}b"));
        assert_eq!(
            printed(&text),
            "\u{1b}[1;32ma\\u{1b}b\u{1b}[0m\t\\u{1b}[31mc\\u{9b}m\n"
        );
        assert_eq!(printed("\u{fdd0}]0;title\u{fdd1}"), "]0;title\\u{fdd1}");
    }
}
