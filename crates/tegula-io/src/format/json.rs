//! JSON as bytes: finds the members of an object without building values, and maps a string's text to its bytes.
//!
//! Reading needs only two or three of a line's strings, and writing needs their positions. So the scanner checks the whole line against the
//! grammar of RFC 8259, returns the position of each member, and decodes nothing else.

use memchr::{memchr, memchr2};
use std::borrow::Cow;
use std::ops::Range;

/// Containers nested deeper than this are refused, so that a hostile line cannot exhaust the stack.
const DEPTH: usize = 256;

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A string, with quotes included in its range.
    String,
    /// A number.
    Number,
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

/// A syntax error in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Its offset.
    pub(crate) at: usize,
    /// What was expected there.
    pub(crate) expected: &'static str,
}

/// Checks that `text` is one JSON object surrounded only by white space, and calls `member` for each of its members with the raw key
/// between its quotes, and the value. Returns the offset of the closing brace.
pub(crate) fn object(text: &str, mut member: impl FnMut(&str, Value)) -> std::result::Result<usize, Fault> {
    let mut scan = Scanner { text, at: 0 };
    scan.space();
    scan.open(b'{', "an object: `{`")?;
    let end = scan.members(0, &mut member)?;
    scan.space();
    if scan.at < text.len() {
        return Err(scan.fault("the end of the line"));
    }
    Ok(end)
}

/// The value at `path`, the rest of a JSON Pointer with its leading `/`, inside `value`.
pub(crate) fn resolve(text: &str, value: &Value, path: &str) -> Option<Value> {
    let mut value = value.clone();
    let mut path = path;
    while let Some(rest) = path.strip_prefix('/') {
        let (token, next) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
        value = step(text, &value, &token.replace("~1", "/").replace("~0", "~"))?;
        path = next;
    }
    Some(value)
}

/// The child of `value` for one reference token.
fn step(text: &str, value: &Value, token: &str) -> Option<Value> {
    let mut scan = Scanner { text, at: value.at.start + 1 };
    let mut found = None;
    match value.kind {
        Kind::Object => {
            let mut pick = |key: &str, value: Value| {
                if is_key(key, token) {
                    found = Some(value);
                }
            };
            scan.members(0, &mut pick).ok()?;
        }
        Kind::Array => {
            let wanted: usize = token.parse().ok()?;
            let mut index = 0;
            let mut pick = |value: Value| {
                if index == wanted {
                    found = Some(value);
                }
                index += 1;
            };
            scan.items(0, &mut pick).ok()?;
        }
        _ => {}
    }
    found
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

/// Appends the text of a checked raw string to `out`. Half a surrogate pair is not a character and becomes U+FFFD.
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
    bytes.iter().skip(at).take(4).fold(0, |sum, byte| sum * 16 + char::from(*byte).to_digit(16).unwrap_or(0))
}

/// Appends `text` as a JSON string with its quotes.
pub(crate) fn quote_into(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => out.push_str(&unicode_escape(c)),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// A character as one or two `\u` escapes.
pub(crate) fn unicode_escape(c: char) -> String {
    let mut units = [0; 2];
    let units: Vec<_> = (c.encode_utf16(&mut units).iter()).map(|unit| format!("\\u{unit:04x}")).collect();
    units.concat()
}

/// Bytes examined eight at a time before a vector search starts. Keys are short, and escapes in text are close to each other, so starting a
/// vector search for each would cost more than it saves.
const NEAR: usize = 64;

/// The next quote, backslash or control character.
fn special(bytes: &[u8], mut at: usize) -> Option<usize> {
    let far = at + NEAR;
    while let Some(word) = word(bytes, at).filter(|_| at < far) {
        // The lowest flag is correct; a borrow can only set false ones above it.
        let control = word.wrapping_sub(ONES * 0x20) & !word & (ONES * 0x80);
        let hits = equal(word, b'"') | equal(word, b'\\') | control;
        if hits != 0 {
            return Some(at + hits.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let rest = bytes.get(at..)?;
    let next = memchr2(b'"', b'\\', rest);
    let plain = &rest[..next.unwrap_or(rest.len())];
    // The minimum byte instead of the first bad one: without an early exit this is a vector loop.
    if plain.iter().fold(u8::MAX, |least, b| least.min(*b)) < b' ' {
        return plain.iter().position(|b| *b < b' ').map(|step| at + step);
    }
    next.map(|step| at + step)
}

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
    bytes.get(at..)?.first_chunk().map(|eight| u64::from_le_bytes(*eight))
}

/// Scans a text once, checking it.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn fault(&self, expected: &'static str) -> Fault {
        Fault { at: self.at, expected }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn open(&mut self, byte: u8, expected: &'static str) -> std::result::Result<(), Fault> {
        if self.peek() != Some(byte) {
            return Err(self.fault(expected));
        }
        self.at += 1;
        Ok(())
    }

    /// Scans the members after the opening brace; returns the offset of the closing one.
    fn members(&mut self, depth: usize, member: &mut dyn FnMut(&str, Value)) -> std::result::Result<usize, Fault> {
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(self.at - 1);
        }
        loop {
            self.space();
            let start = self.at;
            self.open(b'"', "a key in double quotes")?;
            self.string()?;
            let key = start + 1..self.at - 1;
            self.space();
            self.open(b':', "`:`")?;
            self.space();
            let value = self.value(depth)?;
            member(&self.text[key], value);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(self.at - 1);
                }
                _ => return Err(self.fault("`,` or `}`")),
            }
        }
    }

    /// Scans the items after the opening bracket, up to the closing one.
    fn items(&mut self, depth: usize, item: &mut dyn FnMut(Value)) -> std::result::Result<(), Fault> {
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.space();
            let value = self.value(depth)?;
            item(value);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(self.fault("`,` or `]`")),
            }
        }
    }

    fn value(&mut self, depth: usize) -> std::result::Result<Value, Fault> {
        if depth > DEPTH {
            return Err(self.fault("at most 256 levels of nesting"));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'"') => {
                self.at += 1;
                self.string()?;
                Kind::String
            }
            Some(b'{') => {
                self.at += 1;
                self.members(depth + 1, &mut |_, _| ())?;
                Kind::Object
            }
            Some(b'[') => {
                self.at += 1;
                self.items(depth + 1, &mut |_| ())?;
                Kind::Array
            }
            Some(b't') => self.word("true", Kind::Bool)?,
            Some(b'f') => self.word("false", Kind::Bool)?,
            Some(b'n') => self.word("null", Kind::Null)?,
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
                Kind::Number
            }
            _ => return Err(self.fault("a value")),
        };
        Ok(Value { kind, at: start..self.at })
    }

    fn word(&mut self, word: &'static str, kind: Kind) -> std::result::Result<Kind, Fault> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(self.fault("a value"));
        }
        self.at += word.len();
        Ok(kind)
    }

    fn digits(&mut self) -> std::result::Result<(), Fault> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.fault("a digit"));
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> std::result::Result<(), Fault> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    /// Scans a string after its opening quote.
    fn string(&mut self) -> std::result::Result<(), Fault> {
        let bytes = self.text.as_bytes();
        loop {
            let Some(at) = special(bytes, self.at) else {
                self.at = bytes.len();
                return Err(self.fault("a closing quote"));
            };
            self.at = at;
            if bytes[at] < b' ' {
                return Err(self.fault("an escape: control characters are not allowed in a string"));
            }
            if bytes[self.at] == b'"' {
                self.at += 1;
                return Ok(());
            }
            match bytes.get(self.at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
                Some(b'u') if bytes.get(self.at + 2..self.at + 6).is_some_and(|h| h.iter().all(u8::is_ascii_hexdigit)) => {
                    self.at += 6;
                }
                _ => return Err(self.fault("a valid JSON escape")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> std::result::Result<usize, Fault> {
        object(text, |_, _| ())
    }

    #[test]
    fn agrees_with_another_parser_on_what_is_json() {
        let cases = [
            r"{}",
            r#" {"a":1} "#,
            r#"{"a":[1,2,{"b":null}],"c":"x\ny"}"#,
            r#"{"a":-0.5e+3,"b":true,"c":false}"#,
            r#"{"a":1}x"#,
            r#"{"a":1,}"#,
            r#"{"a" 1}"#,
            r#"{"a":01}"#,
            r#"{"a":.5}"#,
            r#"{"a":"\x"}"#,
            r#"{"a":"\u12"}"#,
            r#"{"a":"unclosed}"#,
            r#"{"a":tru}"#,
            r#"{"a":[1,]}"#,
            r#"{"a":[1 2]}"#,
            r#"{"a":{"b":}}"#,
            "{\"a\":\"tab\there, long enough to leave the first loop\"}",
            "{",
            "",
            "{\"a\":\"\u{1}\"}",
            r#"{"a":1e}"#,
            r#"{"a":"ends in an escape \"#,
        ];
        for case in cases {
            let other = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(case);
            assert_eq!(check(case).is_ok(), other.is_ok(), "{case}");
        }
        assert!(check("[1]").is_err());
        assert!(check(&format!("{{\"a\":{}", "[".repeat(100_000))).is_err());
    }

    #[test]
    fn escapes_become_characters() {
        let raw = r#"a\n\"\\\/\u00e9\ud83d\ude00\ud800x\udc00"#;
        assert_eq!(unescape(raw), "a\n\"\\/\u{e9}\u{1F600}\u{FFFD}x\u{FFFD}");
        let mut quoted = String::new();
        quote_into("a\"\\\n\u{1}é", &mut quoted);
        assert_eq!(quoted, "\"a\\\"\\\\\\n\\u0001é\"");
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
