//! Values of data in the languages of files: an id that is written into an attribute, a header or a
//! comment stays a value, whatever characters it has.
//!
//! JSON strings are written by [`escape_json`](crate::tables::escape_json), cells of TSV by
//! [`tegula::tsv`], those of CSV by its dialect; texts for people by [`tegula::printable`].

use std::fmt::Write as _;
use tegula::printable;

/// A value as an attribute in double quotes or as text of an element, in XML and in tags of vertical
/// text. Line ends and tabs are character references, so that a tag stays on its line and a reader
/// gets the value back; characters that XML does not allow are shown as in `\u{1b}`.
pub(crate) fn xml(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// A value in a header of a web archive or of mail: control characters are percent-encoded, so that
/// it ends on its line.
pub(crate) fn header(value: &str) -> String {
    encoded(value, is_break)
}

/// A value between angle brackets in a header, as a URI: what a URI cannot have is percent-encoded.
pub(crate) fn uri(value: &str) -> String {
    encoded(value, |c| {
        !c.is_ascii_graphic() || matches!(c, '<' | '>' | '"' | '\\' | '^' | '`' | '{' | '|' | '}')
    })
}

/// A value on a line of its own in a list: as it is or, if it has line ends or other control
/// characters or begins with a double quote, as a JSON string.
pub fn listed(value: &str, out: &mut String) {
    if value.contains(is_break) || value.starts_with('"') {
        let mut json = String::new();
        crate::tables::escape_json(value, &mut json);
        out.push_str(&printable::json(&json));
    } else {
        out.push_str(value);
    }
}

/// A value in a comment of CoNLL-U. The format has no escapes for its control characters, which are
/// shown as in `\n` and `\u{1b}`.
pub(crate) fn comment(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        if is_break(c) {
            out.push_str(&printable::line(c.encode_utf8(&mut [0; 4])));
        } else {
            out.push(c);
        }
    }
    out
}

/// A value of an item in the last column of CoNLL-U, with the escapes that are customary there.
pub(crate) fn item(value: &str) -> String {
    comment(&value.replace('\\', "\\\\").replace('|', "\\p"))
}

/// Whether a character may end a line, or is another control character.
fn is_break(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

fn encoded(value: &str, is_encoded: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        if is_encoded(c) {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(out, "%{byte:02X}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::entities;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_value_leaves_its_place(value in "(\\PC|[\\x00-\\x3f]|[\u{7f}-\u{9f}\u{2028}]){0,40}") {
            for written in [xml(&value), header(&value), uri(&value), comment(&value), item(&value)] {
                prop_assert!(!written.contains(is_break), "{written:?}");
            }
            prop_assert!(!xml(&value).contains(['<', '>', '"']));
            prop_assert!(!uri(&value).contains(['<', '>', '"', ' ']) && uri(&value).is_ascii());
            prop_assert!(!item(&value).contains('|'));
            if !value.contains(|c: char| c < ' ' && !"\t\n\r".contains(c)) {
                let written = xml(&value);
                prop_assert_eq!(entities(&written), value);
            }
        }
    }

    #[test]
    fn usual_ids_are_written_as_they_are() {
        for id in [
            "T03/JUL.31966",
            "urn:uuid:6b4-a%20b",
            "a@b.c",
            "https://x.test/?a=b;c#p3",
        ] {
            assert_eq!(
                [&*xml(id), &header(id), &uri(id), &comment(id), &item(id)],
                [id; 5]
            );
        }
        assert_eq!(
            xml("a\u{1b}\n\"b\" & <c>"),
            "a\\u{1b}&#10;&quot;b&quot; &amp; &lt;c&gt;"
        );
        assert_eq!(header("a\r\nWARC-Type: x"), "a%0D%0AWARC-Type: x");
        assert_eq!(uri("urn:a\nb> é"), "urn:a%0Ab%3E%20%C3%A9");
        for (id, line) in [
            ("a b", "a b"),
            ("a\nb", r#""a\nb""#),
            ("\"a", r#""\"a""#),
            ("\u{9b}", r#""\u009b""#),
        ] {
            let mut out = String::new();
            listed(id, &mut out);
            assert_eq!(out, line);
        }
        assert_eq!(item("a|b\\c\td e"), "a\\pb\\\\c\\td e");
    }
}
