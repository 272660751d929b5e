//! Values of data in texts for people: on a terminal, in a log, on a page.
//!
//! An id, a file name or a field may hold anything: a line end would forge a line of a summary, an
//! escape sequence would be obeyed by a terminal, and a direction mark changes the order in which
//! the text around it is read. Such characters are shown as escapes, as in `\n` or `\u{1b}`; all
//! others stay. A backslash stays as well, so that paths read well: this is for reading, not for
//! reading back. Data for programs is written in its own language instead (JSON, TSV, XML).

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// A value on one line: line ends and tabs are escapes too.
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden, in_words)
}

/// A path on one line. The copy of a stream has only the name of its descriptor, which says nothing.
pub fn path(path: &Path) -> Cow<'_, str> {
    if path.starts_with("/proc/self/fd") {
        return Cow::Borrowed("input stream");
    }
    match path.to_string_lossy() {
        Cow::Borrowed(text) => line(text),
        Cow::Owned(text) => Cow::Owned(line(&text).into_owned()),
    }
}

/// A text of several lines, whose line ends, all written `\n`, and tabs stay.
pub fn text(text: &str) -> Cow<'_, str> {
    let is_escaped = |c| !matches!(c, '\n' | '\t') && is_hidden(c);
    if text.contains("\r\n") {
        let text = text.replace("\r\n", "\n");
        return Cow::Owned(escaped(&text, is_escaped, in_words).into_owned());
    }
    escaped(text, is_escaped, in_words)
}

/// The lines of another library's message as one: they would be escapes otherwise.
pub fn joined(message: &str) -> String {
    let lines = message.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}

/// JSON with such characters as `\u` escapes: the same values to any reader. White space between
/// values stays.
pub fn json(json: &str) -> Cow<'_, str> {
    escaped(
        json,
        |c| !matches!(c, '\n' | '\r' | '\t') && is_hidden(c),
        |c, out| {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        },
    )
}

/// Whether a character is obeyed instead of shown: control characters, line and paragraph
/// separators, direction marks, and noncharacters, which programs use internally.
pub fn is_hidden(c: char) -> bool {
    // Most characters of most texts.
    if (' '..='~').contains(&c) {
        return false;
    }
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{fdd0}'..='\u{fdef}')
}

fn escaped(
    text: &str,
    is_escaped: impl Fn(char) -> bool,
    escape: impl Fn(char, &mut String),
) -> Cow<'_, str> {
    let Some(first) = text.find(&is_escaped) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len() + 8);
    out.push_str(&text[..first]);
    for c in text[first..].chars() {
        if is_escaped(c) {
            escape(c, &mut out);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn in_words(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_terminal_obeys_is_shown_as_an_escape() {
        let value = "a\u{1b}[2Jb\r\nc\t\u{7f}\u{9b}31m\u{202e}d\u{200f}\u{2028}e\\n";
        let shown = "a\\u{1b}[2Jb\\r\\nc\\t\\u{7f}\\u{9b}31m\\u{202e}d\\u{200f}\\u{2028}e\\n";
        assert_eq!(line(value), shown);
        assert_eq!(text("a\r\n\tb\r\u{85}"), "a\n\tb\\r\\u{85}");
        // Letters of all scripts, emoji with their joiners, and paths stay.
        for plain in [
            "",
            "C:\\new",
            "\u{1f468}\u{200d}\u{1f469}",
            "\u{5e9}\u{5dc}",
            "日本",
        ] {
            assert!(matches!(line(plain), Cow::Borrowed(same) if same == plain));
        }
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left(value in any::<String>()) {
            prop_assert!(!line(&value).contains(is_hidden));
            let once = line(&value).into_owned();
            prop_assert_eq!(&line(&once), &once);
            prop_assert!(!text(&value).replace(['\n', '\t'], "").contains(is_hidden));
        }
    }
}
