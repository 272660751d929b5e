//! Transfer encodings (RFC 2045 §6.7, §6.8), decoded as far as they go.
//!
//! Mailing lists append footers, and programs break lines and escapes. What is no part of the
//! encoding is therefore passed on: in quoted-printable, a `=` that begins no escape is one; in
//! base64, characters outside the alphabet are ignored, padding may be missing, and lines of text
//! after the data are a footer.

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use memchr::{memchr, memchr_iter};
use std::borrow::Cow;

/// The shortest line after padding that is taken for more data.
const CONTINUED: usize = 16;
/// The words of a line that is text and not data.
const WORDS: usize = 3;

/// The content of a part.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decoded<'a> {
    /// Its bytes.
    pub(super) data: Cow<'a, [u8]>,
    /// The text that was appended without being encoded.
    pub(super) footer: &'a [u8],
}

/// Decodes a body by the name of its encoding; one in no known encoding, or in which nothing is
/// encoded, stays as it is.
pub(super) fn decode<'a>(encoding: Option<&str>, body: &'a [u8]) -> Decoded<'a> {
    let (data, footer) = match encoding {
        Some("base64") => {
            let (data, footer) = body.split_at(footer_of(body));
            match base64(data) {
                Some(decoded) if !decoded.is_empty() || body.trim_ascii().is_empty() => {
                    (Cow::Owned(decoded), footer)
                }
                _ => (Cow::Borrowed(body), &body[..0]),
            }
        }
        Some("quoted-printable") => (quoted_printable(body), &body[..0]),
        _ => (Cow::Borrowed(body), &body[..0]),
    };
    Decoded { data, footer }
}

/// Data in base64, without what is outside its alphabet.
fn base64(data: &[u8]) -> Option<Vec<u8>> {
    base64_decode(data).or_else(|| {
        let codes = data.iter().copied().filter(|byte| is_code(*byte));
        base64_decode(&codes.collect::<Vec<u8>>())
    })
}

/// Whether a byte is part of data in base64.
fn is_code(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Where data in base64 ends and a footer begins.
fn footer_of(body: &[u8]) -> usize {
    let (mut at, mut count, mut is_padded) = (0, 0, false);
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        let text = line.trim_ascii();
        let codes = text.iter().filter(|byte| is_code(**byte)).count();
        let words = text
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        // More data has whole bytes, and a rule of dashes has none.
        let is_text = if is_padded {
            codes < text.len() || codes % 4 > 0 || (codes < CONTINUED && !text.ends_with(b"="))
        } else {
            (codes == 0 && text.len() > 1) || (count % 4 == 0 && words.count() >= WORDS)
        };
        if is_text && !text.is_empty() {
            return at;
        }
        if let Some(end) = padding_end(line) {
            return at + end;
        }
        count += codes;
        is_padded = text.ends_with(b"=") || (is_padded && text.is_empty());
        at += line.len();
    }
    body.len()
}

/// Where a line of data has words after its padding.
fn padding_end(line: &[u8]) -> Option<usize> {
    let at = memchr(b'=', line)?;
    let end = at + line[at..].iter().take_while(|byte| **byte == b'=').count();
    let rest = &line[end..];
    let is_apart = rest
        .first()
        .is_some_and(|byte| matches!(byte, b' ' | b'\t'));
    (is_apart && !rest.trim_ascii().is_empty()).then_some(end)
}

/// A quoted-printable text.
fn quoted_printable(body: &[u8]) -> Cow<'_, [u8]> {
    let (mut valid, mut from) = (Vec::new(), 0);
    for at in memchr_iter(b'=', body) {
        if !begins_escape(&body[at + 1..]) {
            valid.extend_from_slice(&body[from..at]);
            valid.extend_from_slice(b"=3D");
            from = at + 1;
        }
    }
    let valid = if from == 0 {
        Cow::Borrowed(body)
    } else {
        valid.extend_from_slice(&body[from..]);
        Cow::Owned(valid)
    };
    quoted_printable_decode(&valid).map_or(Cow::Borrowed(body), Cow::Owned)
}

/// Whether this follows a `=` that stands for a byte or continues a line.
fn begins_escape(rest: &[u8]) -> bool {
    if let [a, b, ..] = rest
        && a.is_ascii_hexdigit()
        && b.is_ascii_hexdigit()
    {
        return true;
    }
    let blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let rest = &rest[rest.iter().take_while(blank).count()..];
    rest.is_empty() || rest.starts_with(b"\n") || rest.starts_with(b"\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<'a>(encoding: &str, body: &'a str) -> (String, &'a str) {
        let Decoded { data, footer } = decode(Some(encoding), body.as_bytes());
        let footer = std::str::from_utf8(footer).unwrap();
        (String::from_utf8_lossy(&data).into_owned(), footer)
    }

    #[test]
    fn what_is_no_escape_is_passed_on() {
        let text = |body: &str| of("quoted-printable", body).0;
        assert_eq!(text("a=C3=A4=\nb=c3=a4"), "aäbä");
        assert_eq!(text("u=7 =zz == =\n=C3=A4 =4"), "u=7 =zz == ä =4");
        assert_eq!(text("a=  \r\nb  \r\nc="), "ab\r\nc");
        assert_eq!(text("= AB =x"), "= AB =x");
    }

    #[test]
    fn what_is_outside_the_alphabet_is_ignored() {
        let text = |body: &str| of("base64", body).0;
        let all = "The quick brown fox jumps over the lazy dog";
        let code = "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBv\r\ndmVyIHRoZSBsYXp5IGRvZw==\r\n";
        assert_eq!(of("base64", code), (all.into(), ""));
        assert_eq!(
            text(&code.replace("F1", "F*1").replace("dmV", "dm\0V")),
            all
        );
        assert_eq!(text(code.trim_end().trim_end_matches('=')), all);
        assert_eq!(text(&code.replace("\r\n", "!\n")), all);
        // Each piece with its own padding.
        assert_eq!(
            text("VGhlIHF1aWNrIGJyb3duIGY=\nb3ggaXMgcXVpY2shIQ==\n"),
            "The quick brown fox is quick!!"
        );
        assert_eq!(text("no * base64 at all"), "no * base64 at all");
        assert_eq!(text(""), "");
        assert_eq!(text("*"), "*");
    }

    #[test]
    fn text_after_the_data_is_a_footer() {
        for (data, text) in [
            ("SGVsbG8gd29ybGQ=", "Hello world"),
            ("SGVsbG8gd29ybGQh", "Hello world!"),
        ] {
            for footer in [
                "____\nlist mailing list\nhttp://x.test/\n",
                "-- \nlist",
                "You got this message\nas a member",
            ] {
                for gap in ["\n", "\n\n", "\r\n\r\n"] {
                    let body = format!("{data}{gap}{footer}");
                    let (found, rest) = of("base64", &body);
                    assert_eq!(
                        (found.as_str(), rest.trim_start()),
                        (text, footer),
                        "{body}"
                    );
                }
            }
        }
        assert_eq!(
            of("base64", "SGVsbG8gd29ybGQ= ignored"),
            ("Hello world".into(), " ignored")
        );
        assert_eq!(
            of("base64", "SGVsbG8gd29ybGQ=\nBest\n"),
            ("Hello world".into(), "Best\n")
        );
    }
}
