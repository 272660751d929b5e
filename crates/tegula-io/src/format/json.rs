//! JSON as bytes: finds the members of an object without building values, and maps a string's text
//! to its bytes.
//!
//! Reading needs only two or three of the many strings a line may hold, and writing needs their
//! positions. So serde_json checks the whole line and returns each member as written; its position
//! is that of its bytes in the line.
//!
//! `NaN`, `Infinity` and `-Infinity`, which are not JSON but which Python writes, are read as values
//! of their own kind.

use memchr::{memchr, memchr2, memchr3};
use serde::Deserialize;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::Range;

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A string, with quotes included in its range.
    String,
    /// A number.
    Number,
    /// `NaN`, `Infinity` or `-Infinity`, for which JSON has no number.
    NotFinite,
    /// `true` or `false`.
    Bool,
    /// `null`.
    Null,
    /// `{...}`.
    Object,
    /// `[...]`.
    Array,
}

impl Kind {
    /// The kind with its article, for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Number => "a number",
            Self::NotFinite => "NaN or Infinity",
            Self::Bool => "a boolean",
            Self::Null => "null",
            Self::Object => "an object",
            Self::Array => "a list",
        }
    }
}

/// A value: its kind and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    /// Its kind.
    pub(crate) kind: Kind,
    /// Its range.
    pub(crate) at: Range<usize>,
}

impl Value {
    /// A value that is a part of `text`.
    fn of(text: &str, raw: &RawValue) -> Self {
        let raw = raw.get();
        let kind = match raw.as_bytes().first() {
            Some(b'"') => Kind::String,
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') => Kind::Null,
            _ => Kind::Number,
        };
        let start = raw.as_ptr().addr() - text.as_ptr().addr();
        Self {
            kind,
            at: start..start + raw.len(),
        }
    }

    /// The same value of the text in which numbers stand for what is not finite.
    fn written(self, text: &str) -> Self {
        let first = text[self.at.clone()]
            .trim_start_matches('-')
            .as_bytes()
            .first();
        if self.kind == Kind::Number && matches!(first, Some(b'N' | b'I')) {
            Self {
                kind: Kind::NotFinite,
                ..self
            }
        } else {
            self
        }
    }
}

/// The text with a number of the same length for each value that is not finite; none if there is
/// none.
fn finite(text: &str) -> Option<String> {
    const WORDS: [&[u8]; 2] = [b"NaN", b"Infinity"];
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut any) = (0, false);
    while let Some(step) = memchr3(b'"', b'N', b'I', &bytes[at..]) {
        at += step;
        if bytes[at] == b'"' {
            at += string(&bytes[at..]);
            continue;
        }
        let word = WORDS.into_iter().find(|word| bytes[at..].starts_with(word));
        let Some(word) = word else {
            at += 1;
            continue;
        };
        let before = match &bytes[..at] {
            [before @ .., b'-'] if word == WORDS[1] => before,
            before => before,
        };
        let end = at + word.len();
        let is_value = before
            .last()
            .is_none_or(|byte| b":,[ \t\r\n".contains(byte))
            && bytes
                .get(end)
                .is_none_or(|byte| b",]} \t\r\n".contains(byte));
        if is_value {
            bytes[at..end].fill(b'1');
            any = true;
        }
        at = end;
    }
    any.then(|| String::from_utf8(bytes).ok()).flatten()
}

/// The length of the string that begins here, or of what there is of it.
fn string(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(step) = memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += step + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// Where a line stops being JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Its offset.
    pub(crate) at: usize,
    /// What is wrong there.
    pub(crate) what: String,
}

/// Checks that `text` is one JSON object surrounded only by white space, and calls `member` for
/// each of its members with the raw key between its quotes, and the value. Returns the offset of
/// the closing brace. Members may be passed twice, if a value is not finite.
pub(crate) fn object(
    text: &str,
    mut member: impl FnMut(&str, Value),
) -> std::result::Result<usize, Fault> {
    let text = text.trim_end_matches(['\n', '\r']);
    if !text.trim_start().starts_with('{') {
        return Err(Fault {
            at: text.len() - text.trim_start().len(),
            what: "an object must begin with `{`".into(),
        });
    }
    let strict = members(text, &mut |key, value| member(key, Value::of(text, value)));
    let found = match strict {
        Err(error) => match finite(text) {
            Some(plain) => members(&plain, &mut |key, value| {
                member(key, Value::of(&plain, value).written(text));
            }),
            None => Err(error),
        },
        found => found,
    };
    found.map_err(|error| {
        let what = error.to_string();
        let what = what
            .rsplit_once(" at line ")
            .map_or(&*what, |(what, _)| what);
        // Its columns count what has been read, including the invalid byte, except a control
        // character, which stops the reading.
        let read = usize::from(!what.starts_with("control"));
        let line = text
            .split_inclusive('\n')
            .take(error.line().saturating_sub(1))
            .map(str::len)
            .sum::<usize>();
        let at = if error.is_eof() {
            text.len()
        } else {
            line + error.column().saturating_sub(read)
        };
        Fault {
            at,
            what: what.to_owned(),
        }
    })?;
    Ok(text.trim_end().len() - 1)
}

/// The members of the object in `text`, with raw keys (between their quotes).
fn members<'t>(
    text: &'t str,
    member: &mut dyn FnMut(&'t str, &'t RawValue),
) -> serde_json::Result<()> {
    /// A key with its escapes, which may not represent characters.
    #[derive(Deserialize)]
    struct Key<'t>(#[serde(borrow)] &'t RawValue);

    struct Members<'t, 'f>(&'f mut dyn FnMut(&'t str, &'t RawValue));

    impl<'t> Visitor<'t> for Members<'t, '_> {
        type Value = ();

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> std::result::Result<(), A::Error> {
            while let Some((Key(key), value)) = map.next_entry()? {
                let key = key.get();
                (self.0)(&key[1..key.len() - 1], value);
            }
            Ok(())
        }
    }

    let mut reader = serde_json::Deserializer::from_str(text);
    reader.deserialize_map(Members(member))?;
    reader.end()
}

/// The value at `path`, the rest of a JSON Pointer with its leading `/`, inside `value`.
pub(crate) fn resolve(text: &str, value: &Value, path: &str) -> Option<Value> {
    let mut value = value.clone();
    let mut path = path;
    let written = text;
    let plain = finite(text);
    let text = plain.as_deref().unwrap_or(text);
    while let Some(rest) = path.strip_prefix('/') {
        let (token, next) = rest
            .find('/')
            .map_or((rest, ""), |slash| rest.split_at(slash));
        value = step(text, &value, &token.replace("~1", "/").replace("~0", "~"))?;
        path = next;
    }
    Some(value.written(written))
}

/// The child of `value` for one reference token.
fn step(text: &str, value: &Value, token: &str) -> Option<Value> {
    let inside = &text[value.at.clone()];
    let mut found = None;
    match value.kind {
        Kind::Object => members(inside, &mut |key, value| {
            if is_key(key, token) {
                found = Some(value);
            }
        })
        .ok()?,
        Kind::Array => {
            let items: Vec<&RawValue> = serde_json::from_str(inside).ok()?;
            found = items.get(token.parse::<usize>().ok()?).copied();
        }
        _ => {}
    }
    found.map(|raw| Value::of(text, raw))
}

/// Whether a raw key equals `name`.
pub(crate) fn is_key(raw: &str, name: &str) -> bool {
    raw == name || (raw.contains('\\') && unescape(raw) == name)
}

/// The text of a raw string (without its quotes).
pub(crate) fn unescape(raw: &str) -> Cow<'_, str> {
    if memchr(b'\\', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    unescape_into(raw, &mut out);
    Cow::Owned(out)
}

/// Appends the text of a checked raw string to `out`. Half a surrogate pair is not a character and
/// becomes U+FFFD.
pub(crate) fn unescape_into(raw: &str, out: &mut String) {
    let bytes = raw.as_bytes();
    let mut at = 0;
    while let Some(next) = backslash(bytes, at) {
        out.push_str(&raw[at..next]);
        let (c, len) = escape(&bytes[next..]);
        out.push(c);
        at = next + len;
    }
    out.push_str(&raw[at..]);
}

/// The raw bytes for the given bytes of a string's text; `cuts` are ascending and disjoint.
pub(crate) fn raw_ranges(raw: &str, cuts: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut borders = cuts.iter().flat_map(|cut| [cut.start, cut.end]).peekable();
    let mut places = Vec::with_capacity(cuts.len() * 2);
    let bytes = raw.as_bytes();
    let (mut at, mut decoded) = (0, 0);
    while borders.peek().is_some() {
        let plain = memchr(b'\\', &bytes[at..]).unwrap_or(bytes.len() - at);
        while let Some(border) = borders.next_if(|border| *border <= decoded + plain) {
            places.push(at + border.saturating_sub(decoded));
        }
        at += plain;
        decoded += plain;
        if at >= bytes.len() {
            break;
        }
        let (c, len) = escape(&bytes[at..]);
        at += len;
        decoded += c.len_utf8();
    }
    places.resize(cuts.len() * 2, bytes.len());
    places.chunks_exact(2).map(|p| p[0]..p[1]).collect()
}

/// The character of a checked escape, and the escape's length.
fn escape(bytes: &[u8]) -> (char, usize) {
    let simple = |c| (c, 2);
    match bytes.get(1) {
        Some(b'n') => simple('\n'),
        Some(b't') => simple('\t'),
        Some(b'r') => simple('\r'),
        Some(b'b') => simple('\u{8}'),
        Some(b'f') => simple('\u{c}'),
        Some(b'u') => {
            let unit = hex(bytes, 2);
            if let Some(c) = char::from_u32(unit) {
                return (c, 6);
            }
            let pair = unit < 0xDC00 && bytes.get(6..8) == Some(b"\\u");
            let low = if pair { hex(bytes, 8) } else { 0 };
            if (0xDC00..0xE000).contains(&low) {
                let code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                return (char::from_u32(code).unwrap_or('\u{FFFD}'), 12);
            }
            ('\u{FFFD}', 6)
        }
        Some(other) => simple(char::from(*other)),
        None => ('\\', 1),
    }
}

/// Four hexadecimal digits as a number.
fn hex(bytes: &[u8], at: usize) -> u32 {
    bytes.iter().skip(at).take(4).fold(0, |sum, byte| {
        sum * 16 + char::from(*byte).to_digit(16).unwrap_or(0)
    })
}

/// A character as one or two `\u` escapes.
pub(crate) fn unicode_escape(c: char) -> String {
    let mut units = [0; 2];
    let units: Vec<_> = (c.encode_utf16(&mut units).iter())
        .map(|unit| format!("\\u{unit:04x}"))
        .collect();
    units.concat()
}

/// Bytes examined eight at a time before a vector search starts. Escapes are close together in
/// text, so starting a vector search for each would cost more than it saves.
const NEAR: usize = 64;

/// The next backslash.
fn backslash(bytes: &[u8], mut at: usize) -> Option<usize> {
    let far = at + NEAR;
    while let Some(word) = word(bytes, at).filter(|_| at < far) {
        let hits = equal(word, b'\\');
        if hits != 0 {
            return Some(at + hits.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    memchr(b'\\', bytes.get(at..)?).map(|step| at + step)
}

const ONES: u64 = u64::MAX / 255;

/// A flag in every byte of a word that equals this one; above the lowest there may be false flags.
fn equal(word: u64, byte: u8) -> u64 {
    let x = word ^ (ONES * u64::from(byte));
    x.wrapping_sub(ONES) & !x & (ONES * 0x80)
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes
        .get(at..)?
        .first_chunk()
        .map(|eight| u64::from_le_bytes(*eight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_object_is_named_with_its_place() {
        for (line, at, what) in [
            ("", 0, "an object must begin with `{`"),
            (" [1]", 1, "an object must begin with `{`"),
            (r#"{"a":1}x"#, 7, "trailing characters"),
            (r#"{"a":1,}"#, 7, "trailing comma"),
            (r#"{"a" 1}"#, 5, "expected `:`"),
            (r#"{"a":01}"#, 6, "invalid number"),
            (r#"{"a":.5}"#, 5, "expected value"),
            (r#"{"a":[1 2]}"#, 8, "expected `,` or `]`"),
            (r#"{"a":"\x"}"#, 7, "invalid escape"),
            ("{\"a\":\"unclosed}\r\n", 15, "EOF while parsing a string"),
            (
                "{\"a\":\"\u{1}\"}",
                6,
                "control character (\\u0000-\\u001F) found while parsing a string",
            ),
        ] {
            let fault = object(line, |_, _| ()).unwrap_err();
            assert_eq!((fault.at, &*fault.what), (at, what), "{line}");
        }
        // Any depth: nothing here is recursive.
        for closed in [true, false] {
            let depth = 100_000;
            let line = format!(
                "{{\"a\":{}{}}}",
                "[".repeat(depth),
                if closed {
                    "]".repeat(depth)
                } else {
                    String::new()
                }
            );
            assert_eq!(object(&line, |_, _| ()).is_ok(), closed);
        }
    }

    #[test]
    fn members_are_as_they_are_written() {
        let line = " {\"a\" : 1e999, \"\\ud800\":\"\\udc00\", \"a\": [ {} ] } \n";
        let mut seen = Vec::new();
        let end = object(line, |key, value| {
            seen.push((key.to_owned(), value.kind, line[value.at].to_owned()));
        })
        .unwrap();
        let expected = [
            ("a", Kind::Number, "1e999"),
            ("\\ud800", Kind::String, "\"\\udc00\""),
            ("a", Kind::Array, "[ {} ]"),
        ];
        assert_eq!(
            seen,
            expected.map(|(key, kind, raw)| (key.to_owned(), kind, raw.to_owned()))
        );
        assert_eq!(&line[end..], "} \n");
    }

    #[test]
    fn what_is_not_finite_is_a_value_of_its_own() {
        let line = r#"{"NaN":NaN,"a":[-Infinity, {"b":Infinity}],"c":"\":NaN,","d":1}"#;
        let mut seen = Vec::new();
        let end = object(line, |key, value| seen.push((key.to_owned(), value))).unwrap();
        assert_eq!(&line[end..], "}");
        let kinds: Vec<_> = (seen.iter().rev().take(4).rev())
            .map(|(key, value)| (key.as_str(), value.kind, &line[value.at.clone()]))
            .collect();
        assert_eq!(
            kinds,
            [
                ("NaN", Kind::NotFinite, "NaN"),
                ("a", Kind::Array, "[-Infinity, {\"b\":Infinity}]"),
                ("c", Kind::String, r#""\":NaN,""#),
                ("d", Kind::Number, "1"),
            ]
        );
        let list = &seen[seen.len() - 3].1;
        for (path, kind, raw) in [
            ("/0", Kind::NotFinite, "-Infinity"),
            ("/1/b", Kind::NotFinite, "Infinity"),
            ("/1", Kind::Object, "{\"b\":Infinity}"),
        ] {
            let found = resolve(line, list, path).unwrap();
            assert_eq!((found.kind, &line[found.at]), (kind, raw));
        }
        for broken in [
            r#"{"a":nan}"#,
            r#"{"a":-NaN}"#,
            r#"{"a":1NaN}"#,
            r#"{"a":NaNs}"#,
            r#"{"a":NaN NaN}"#,
            r"{NaN:1}",
            r#"{"a":NaN,}"#,
            r#"{"a":+Infinity}"#,
            r#"{"a":NaN,"b":"#,
            r#"{"a":NaN,"b":"x"#,
        ] {
            assert!(object(broken, |_, _| ()).is_err(), "{broken}");
        }
    }

    #[test]
    fn escapes_become_characters() {
        let raw = r#"a\n\"\\\/\u00e9\ud83d\ude00\ud800x\udc00"#;
        assert_eq!(unescape(raw), "a\n\"\\/\u{e9}\u{1F600}\u{FFFD}x\u{FFFD}");
    }

    #[test]
    fn cuts_in_the_text_are_found_in_the_bytes() {
        let raw = r"ab\ncd\u00e9ef";
        // Text: a b \n c d é(2) e f
        assert_eq!(raw_ranges(raw, &[1..3, 5..7]), [1..4, 6..12]);
        assert_eq!(raw_ranges(raw, &[0..9, 9..9]), [0..14, 14..14]);
        assert_eq!(raw_ranges(raw, &[2..2, 3..5]), [2..2, 4..6]);
    }

    #[test]
    fn pointers_reach_into_values() {
        let text = r#"{"a":{"b/c":[10,{"d":"x"}]}}"#;
        let mut top = None;
        object(text, |_, value| top = Some(value)).unwrap();
        let found = resolve(text, &top.unwrap(), "/b~1c/1/d").unwrap();
        assert_eq!(&text[found.at], "\"x\"");
    }
}
