//! Removes markup: tags, comments and processing instructions become boundaries; entities are
//! decoded.

use super::entity;
use super::origin::Origin;
use std::ops::Range;

/// What to do with markup.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Markup {
    /// Keep it.
    #[default]
    Keep,
    /// Tags, comments and processing instructions are each replaced by one space, `CDATA` sections
    /// by their content, and entities are decoded: numeric ones, those of XML, and those of HTML 4.
    ///
    /// A tag is `<`, optionally `/` or `!`, an ASCII letter, and everything up to the next unquoted
    /// `>`, without another `<` in between. Any other `<` is text, and so is an `&` that begins no
    /// entity.
    Remove,
}

/// The text after this step; `None` if it is certain that nothing changes.
pub(crate) fn removed(text: &str) -> Option<(String, Origin)> {
    if !may_occur(text) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut origin = Origin::default();
    remove(text, &mut out, &mut origin);
    Some((out, origin))
}

/// Whether `text` may contain markup.
fn may_occur(text: &str) -> bool {
    text.bytes().any(|byte| byte == b'<' || byte == b'&')
}

/// Appends `text` without its markup to `out` and records in `origin` where each part came from.
fn remove(text: &str, out: &mut String, origin: &mut Origin) {
    let mut scanner = Scanner {
        text,
        missing: [false; 3],
    };
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find(['<', '&']) {
        at += found;
        let Some(piece) = scanner.piece(at) else {
            at += 1;
            continue;
        };
        copy(text, copied..at, out, origin);
        copied = match piece {
            Construct::Gap(end) => {
                origin.replaced(out.len(), at..end);
                out.push(' ');
                end
            }
            Construct::Char(c, end) => {
                origin.replaced(out.len(), at..end);
                out.push(c);
                end
            }
            Construct::Text(inner, end) => {
                copy(text, inner, out, origin);
                end
            }
        };
        at = copied;
    }
    copy(text, copied..text.len(), out, origin);
}

fn copy(text: &str, range: Range<usize>, out: &mut String, origin: &mut Origin) {
    if !range.is_empty() {
        origin.copied(out.len(), range.clone());
        out.push_str(&text[range]);
    }
}

/// A piece of markup, with its end.
enum Construct {
    /// Becomes a boundary.
    Gap(usize),
    /// Becomes a character.
    Char(char, usize),
    /// Becomes these bytes of the text.
    Text(Range<usize>, usize),
}

struct Scanner<'a> {
    text: &'a str,
    /// Which of the terminators `-->`, `]]>` and `?>` do not occur any more: otherwise a text
    /// consisting only of `<!--` would take quadratic time.
    missing: [bool; 3],
}

impl Scanner<'_> {
    fn piece(&mut self, at: usize) -> Option<Construct> {
        let rest = &self.text[at..];
        if rest.starts_with('&') {
            let (c, len) = entity::decode(rest)?;
            return Some(Construct::Char(c, at + len));
        }
        if rest.starts_with("<!--") {
            return self.until(0, "-->", at + 4).map(Construct::Gap);
        }
        if rest.starts_with("<![CDATA[") {
            let inner = at + 9;
            let end = self.until(1, "]]>", inner)?;
            return Some(Construct::Text(inner..end - 3, end));
        }
        if rest.starts_with("<?") {
            return self.until(2, "?>", at + 2).map(Construct::Gap);
        }
        tag_len(rest).map(|len| Construct::Gap(at + len))
    }

    /// The end of the first `mark` after `from`.
    fn until(&mut self, which: usize, mark: &str, from: usize) -> Option<usize> {
        if self.missing[which] {
            return None;
        }
        let found = self.text[from..].find(mark);
        self.missing[which] = found.is_none();
        found.map(|len| from + len + mark.len())
    }
}

/// The length of the tag at the beginning of `rest`. Reads only up to the next `<`, so that all
/// tags of a text take linear time.
fn tag_len(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let name = match bytes.get(1)? {
        b'/' | b'!' => 2,
        _ => 1,
    };
    if !bytes.get(name)?.is_ascii_alphabetic() {
        return None;
    }
    let mut quote = None;
    let mut first_end = None; // in case a quote is never closed: an apostrophe
    let mut before = b' ';
    for (at, &byte) in bytes.iter().enumerate().skip(name) {
        match (byte, quote) {
            (b'<', _) => break,
            (b'>', None) => return Some(at + 1),
            (b'>', Some(_)) => first_end = first_end.or(Some(at + 1)),
            (b'"' | b'\'', None) if before == b'=' => quote = Some(byte),
            (_, Some(open)) if byte == open => {
                quote = None;
                first_end = None;
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    first_end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn removed(text: &str) -> String {
        let mut out = String::new();
        remove(text, &mut out, &mut Origin::default());
        out
    }

    #[test]
    fn tags_become_boundaries() {
        assert_eq!(removed("<p class=\"a>b\">x</p><br/>y"), " x  y");
        assert_eq!(removed("<!DOCTYPE html><!-- a > b --><?xml v?>x"), "   x");
        assert_eq!(removed("a<![CDATA[<b>&amp;]]>c"), "a<b>&amp;c");
    }

    #[test]
    fn a_stray_less_than_is_text() {
        for text in [
            "1 < 2 > 0",
            "a<1>b",
            "<",
            "x <",
            "<!",
            "<a",
            "if a<b then <",
            "<!-- open",
            "<>",
            "<é>",
        ] {
            assert_eq!(removed(text), text);
        }
        assert_eq!(removed("a <b <i>c</i>"), "a <b  c ");
        assert_eq!(removed("<a title='it's>x"), " x");
        assert_eq!(removed("<a t='>x"), " x");
    }

    #[test]
    fn entities_are_decoded_once() {
        assert_eq!(
            removed("&lt;b&gt; &amp;amp; K&ouml;ln &#x20AC;&#8364; &nbsp;"),
            "<b> &amp; Köln €€ \u{A0}"
        );
        assert_eq!(
            removed("a & b &foo; &#xD800; &#; &amp AT&T;"),
            "a & b &foo; &#xD800; &#; &amp AT&T;"
        );
    }

    proptest! {
        #[test]
        fn ranges_of_the_rest_map_back(text in "[<>/!a-c \"'=&;?\\-\u{e4}]{0,40}(&amp;|<b>|<!--|-->|é)?[<>a ]{0,9}") {
            let mut out = String::new();
            let mut origin = Origin::default();
            remove(&text, &mut out, &mut origin);
            let mut last = 0;
            for (at, c) in out.char_indices() {
                let back = origin.back(at..at + c.len_utf8());
                prop_assert!(back.start >= last && back.end <= text.len());
                prop_assert!(text.is_char_boundary(back.start) && text.is_char_boundary(back.end));
                last = back.end;
            }
        }
    }
}
