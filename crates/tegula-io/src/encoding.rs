//! Encodings: detection, decoding to UTF-8, and the map from positions in the text back to the
//! bytes of the file.
//!
//! Formats whose texts have their own encodings (mail, web pages) are cut as bytes; their records
//! are passed on as windows-1252, which has a character for each byte.
//!
//! The rule of `auto` for all others, in this order:
//! 1. a byte-order mark (UTF-8, UTF-16) decides;
//! 2. a NUL in most second bytes of the sample is UTF-16;
//! 3. the declaration of an XML file, unless it declares UTF-16 and the bytes are not UTF-16;
//! 4. a valid sample is UTF-8, and JSONL always is: JSON exchanged between systems has no other
//!    encoding;
//! 5. a sample with fewer invalid places than valid multi-byte UTF-8 sequences is UTF-8 with bad
//!    records, not something else;
//! 6. otherwise the encoding is guessed from the bytes, with Western European (windows-1252) as the
//!    fallback.
//!
//! The sample is the whole file if a file is one document, otherwise its first mebibyte. Once
//! decided, an encoding holds for the whole file: invalid bytes make their record a bad one.

use crate::format::xml::declared_encoding;
use crate::options::FormatName;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    CoderResult, DecoderResult, Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE,
    WINDOWS_1252,
};
use std::ops::Range;
use tegula::error::{Error, Result};

/// The encoding of a file and how it was determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decision {
    /// The encoding.
    pub(crate) encoding: &'static Encoding,
    /// Length of the byte-order mark at the start of the file.
    pub(crate) bom: usize,
    /// Whether the texts have their own encodings: the file is cut as bytes, and only a record is
    /// decoded.
    pub(crate) is_bytes: bool,
    /// Why.
    pub(crate) why: Why,
}

/// How an encoding was determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// The user named it.
    Option,
    /// A byte-order mark.
    ByteOrderMark,
    /// The sample is valid, or nearly so.
    Valid,
    /// The only one that the format allows.
    Format,
    /// The file's own XML declaration.
    Declared,
    /// Guessed from the bytes of the sample.
    Guess,
}

/// The encoding named by an option; `None` for `auto`.
pub(crate) fn by_label(label: &str) -> Result<Option<&'static Encoding>> {
    if label.eq_ignore_ascii_case("auto") {
        return Ok(None);
    }
    let encoding = Encoding::for_label(label.as_bytes()).filter(|encoding| *encoding != REPLACEMENT).ok_or_else(|| {
        Error::of("⟨encoding⟩").problem(format!("`{label}` is not an encoding")).hint(
            "use auto, utf-8, windows-1252, iso-8859-15, gb18030, utf-16le, or another label of the WHATWG encoding standard",
        )
    })?;
    if encoding == ISO_2022_JP {
        return Err(Error::of("⟨encoding⟩")
            .problem("ISO-2022-JP is not supported, because shift sequences change the meaning of the bytes after them")
            .hint("convert the files to UTF-8 first"));
    }
    Ok(Some(encoding))
}

/// Determines the encoding of a file from a sample of its beginning. `whole` says that the sample
/// is the file.
pub(crate) fn decide(
    sample: &[u8],
    whole: bool,
    named: Option<&'static Encoding>,
    format: FormatName,
) -> Decision {
    let of = |encoding, why| Decision {
        encoding,
        bom: 0,
        is_bytes: false,
        why,
    };
    if format.facts().is_bytes {
        return Decision {
            is_bytes: true,
            ..of(WINDOWS_1252, Why::Format)
        };
    }
    let mark = Encoding::for_bom(sample);
    if let Some(encoding) = named {
        // `utf-16` in the standard means little endian; a byte-order mark overrides only the byte
        // order.
        let wide = |e| e == UTF_16LE || e == UTF_16BE;
        return match mark {
            Some((found, bom)) if found == encoding || (wide(found) && wide(encoding)) => {
                Decision {
                    bom,
                    ..of(found, Why::Option)
                }
            }
            _ => of(encoding, Why::Option),
        };
    }
    if let Some((encoding, bom)) = mark {
        return Decision {
            bom,
            ..of(encoding, Why::ByteOrderMark)
        };
    }
    if let Some(encoding) = wide_by_zeros(sample) {
        return of(encoding, Why::Guess);
    }
    if format == FormatName::Tei
        && let Some(encoding) = declared(sample)
    {
        return of(encoding, Why::Declared);
    }
    if matches!(format, FormatName::Jsonl | FormatName::Json) {
        return of(UTF_8, Why::Format);
    }
    if nearly_utf8(sample, whole) {
        return of(UTF_8, Why::Valid);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, whole);
    of(detector.guess(None, Utf8Detection::Deny), Why::Guess)
}

/// The encoding in an XML declaration, if plausible: since it can be read byte by byte, it is not
/// UTF-16.
fn declared(sample: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(declared_encoding(sample)?.as_bytes())?;
    let possible = ![REPLACEMENT, ISO_2022_JP, UTF_16LE, UTF_16BE].contains(&encoding);
    possible.then_some(encoding)
}

/// UTF-16 without a mark: text of mostly Latin letters has a NUL in every second byte.
fn wide_by_zeros(sample: &[u8]) -> Option<&'static Encoding> {
    let sample = &sample[..sample.len().min(4096)];
    let zeros = |from: usize| {
        sample
            .iter()
            .skip(from)
            .step_by(2)
            .filter(|b| **b == 0)
            .count()
    };
    let pairs = sample.len() / 2;
    let (first, second) = (zeros(0), zeros(1));
    if pairs >= 2 && second * 10 >= pairs * 6 && first * 20 <= pairs {
        Some(UTF_16LE)
    } else if pairs >= 2 && first * 10 >= pairs * 6 && second * 20 <= pairs {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Whether the sample is UTF-8, with fewer invalid sequences than valid multi-byte ones.
fn nearly_utf8(sample: &[u8], whole: bool) -> bool {
    if simdutf8::basic::from_utf8(sample).is_ok() {
        return true;
    }
    let (mut good, mut bad, mut rest) = (0_usize, 0_usize, sample);
    while !rest.is_empty() {
        match std::str::from_utf8(rest) {
            Ok(valid) => {
                good += leads(valid.as_bytes());
                break;
            }
            Err(error) => {
                good += leads(&rest[..error.valid_up_to()]);
                // The sample may end inside a sequence; the file may not.
                let Some(len) = error.error_len() else {
                    bad += usize::from(whole);
                    break;
                };
                bad += 1;
                rest = &rest[error.valid_up_to() + len..];
            }
        }
    }
    bad == 0 || good > bad
}

/// The number of multi-byte sequences in valid UTF-8.
fn leads(valid: &[u8]) -> usize {
    valid.iter().filter(|byte| **byte >= 0xC0).count()
}

/// Text decoded from an encoding other than UTF-8, with the start of every line in both.
#[derive(Debug, Default)]
pub(crate) struct Decoded {
    /// The text; invalid bytes became U+FFFD.
    pub(crate) text: String,
    /// The start of each line: in the text, and in the bytes.
    lines: Vec<(usize, usize)>,
    /// The invalid bytes, ascending.
    invalid: Vec<usize>,
    /// The number of bytes decoded.
    pub(crate) bytes: usize,
}

impl Decoded {
    /// Decodes the complete lines of `raw` that are not yet decoded; at the end of the file also
    /// the rest.
    pub(crate) fn extend(&mut self, raw: &[u8], encoding: &'static Encoding, end: bool) {
        while let Some(len) = line(&raw[self.bytes..], encoding, end) {
            let bytes = &raw[self.bytes..self.bytes + len];
            self.lines.push((self.text.len(), self.bytes));
            if let Some(text) = encoding.decode_without_bom_handling_and_without_replacement(bytes)
            {
                self.text.push_str(&text);
            } else {
                let (text, invalid) = with_replacement(bytes, encoding);
                self.text.push_str(&text);
                self.invalid
                    .extend(invalid.iter().map(|at| self.bytes + at));
            }
            self.bytes += len;
        }
    }

    /// Removes and returns the first `at` bytes of text, which correspond to the first `bytes`
    /// bytes.
    pub(crate) fn split(&mut self, at: usize, bytes: usize) -> Self {
        let mut lines_after = self
            .lines
            .split_off(self.lines.partition_point(|line| line.0 < at));
        if at < self.text.len() && lines_after.first().is_none_or(|line| line.0 > at) {
            // The rest of a line becomes a separate line.
            lines_after.insert(0, (at, bytes));
        }
        let bad_after = self
            .invalid
            .split_off(self.invalid.partition_point(|b| *b < bytes));
        let text_after = self.text.split_off(at);
        let rest = Self {
            text: text_after,
            lines: lines_after
                .iter()
                .map(|l| (l.0 - at, l.1 - bytes))
                .collect(),
            invalid: bad_after.iter().map(|b| b - bytes).collect(),
            bytes: self.bytes - bytes,
        };
        let mut front = std::mem::replace(self, rest);
        front.bytes = bytes;
        front
    }

    /// The byte at which the character at `at` of the text begins.
    pub(crate) fn byte_of(&self, raw: &[u8], at: usize, encoding: &'static Encoding) -> usize {
        if at >= self.text.len() {
            return self.bytes;
        }
        let index = self
            .lines
            .partition_point(|line| line.0 <= at)
            .saturating_sub(1);
        let (text_start, raw_start) = self.lines.get(index).copied().unwrap_or_default();
        let before = self.text.get(text_start..at).unwrap_or_default();
        raw_start + width(before, raw.get(raw_start..).unwrap_or_default(), encoding)
    }

    /// The first invalid byte in a range of bytes.
    pub(crate) fn invalid_in(&self, bytes: Range<usize>) -> Option<usize> {
        let index = self.invalid.partition_point(|at| *at < bytes.start);
        self.invalid
            .get(index)
            .copied()
            .filter(|at| *at < bytes.end)
    }
}

/// The length of the first line with its end; `None` if the line is incomplete.
fn line(raw: &[u8], encoding: &'static Encoding, end: bool) -> Option<usize> {
    let found = if encoding == UTF_16LE || encoding == UTF_16BE {
        let low = usize::from(encoding == UTF_16BE);
        let mut from = 0;
        loop {
            match memchr::memchr(b'\n', &raw[from..]) {
                Some(step) => {
                    let at = from + step;
                    let other = if low == 1 { at.wrapping_sub(1) } else { at + 1 };
                    if at % 2 == low && raw.get(other) == Some(&0) {
                        break Some((at | 1) + 1);
                    }
                    from = at + 1;
                }
                None => break None,
            }
        }
    } else {
        memchr::memchr(b'\n', raw).map(|at| at + 1)
    };
    found.or((end && !raw.is_empty()).then_some(raw.len()))
}

/// Decodes with U+FFFD for invalid bytes, and returns their positions.
fn with_replacement(bytes: &[u8], encoding: &'static Encoding) -> (String, Vec<usize>) {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(bytes.len() * 3 + 16);
    let (mut invalid, mut at) = (Vec::new(), 0);
    loop {
        text.reserve(bytes.len() * 3 + 16);
        let (result, read) =
            decoder.decode_to_string_without_replacement(&bytes[at..], &mut text, true);
        at += read;
        match result {
            DecoderResult::InputEmpty => return (text, invalid),
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(length, after) => {
                text.push('\u{FFFD}');
                invalid.push(at.saturating_sub(usize::from(length) + usize::from(after)));
            }
        }
    }
}

/// The number of bytes of `raw` that `before` occupies, where `raw` is `before` followed by more in
/// `encoding`.
fn width(before: &str, raw: &[u8], encoding: &'static Encoding) -> usize {
    if encoding.is_single_byte() {
        return before.chars().count();
    }
    if encoding == UTF_16LE || encoding == UTF_16BE {
        return before.chars().map(|c| 2 * c.len_utf16()).sum();
    }
    // One byte at a time: the decoder emits a character after its last byte.
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut produced = 0;
    let mut room = [0; 16];
    for (at, byte) in raw.iter().enumerate() {
        if produced >= before.len() {
            return at;
        }
        let (result, _, written, _) = decoder.decode_to_utf8(&[*byte], &mut room, false);
        debug_assert_eq!(result, CoderResult::InputEmpty);
        produced += written;
    }
    raw.len()
}

/// Encodes a text; a character that the encoding lacks is written with `escape`.
pub(crate) fn encode(
    text: &str,
    encoding: &'static Encoding,
    escape: fn(char) -> String,
    out: &mut Vec<u8>,
) {
    if encoding == UTF_8 {
        out.extend_from_slice(text.as_bytes());
    } else if encoding == UTF_16LE {
        out.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    } else if encoding == UTF_16BE {
        out.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
    } else {
        let mut buffer = [0; 4];
        for c in text.chars() {
            if c.is_ascii() {
                out.push(c as u8);
                continue;
            }
            let (bytes, _, lacking) = encoding.encode(c.encode_utf8(&mut buffer));
            if lacking {
                out.extend_from_slice(escape(c).as_bytes());
            } else {
                out.extend_from_slice(&bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{EUC_JP, GB18030, SHIFT_JIS};

    fn bytes_in(text: &str, encoding: &'static Encoding) -> Vec<u8> {
        let mut out = Vec::new();
        encode(text, encoding, |c| format!("&#{};", c as u32), &mut out);
        out
    }

    #[test]
    fn places_are_found_again_in_every_encoding() {
        let cases = [
            (WINDOWS_1252, "Straße – „Öl“\r\nzwei\n"),
            (GB18030, "中文 abc 😀\n下一行|x\n"),
            (SHIFT_JIS, "ソース\\表\nabc"),
            (EUC_JP, "日本語\nテスト"),
            (UTF_16LE, "a😀ਊ\nzwei\n"),
            (UTF_16BE, "aਊ😀\nĊ\n"),
        ];
        for (encoding, text) in cases {
            let raw = bytes_in(text, encoding);
            let mut decoded = Decoded::default();
            decoded.extend(&raw[..raw.len() / 2], encoding, false);
            decoded.extend(&raw, encoding, true);
            assert_eq!(decoded.text, text);
            for (at, _) in text.char_indices() {
                let expected = bytes_in(&text[..at], encoding).len();
                assert_eq!(decoded.byte_of(&raw, at, encoding), expected, "{text} {at}");
            }
            let first = text.find('\n').unwrap() + 1;
            let front = decoded.split(first, bytes_in(&text[..first], encoding).len());
            assert_eq!(front.text, &text[..first]);
            assert_eq!(front.bytes, bytes_in(&text[..first], encoding).len());
            assert_eq!(decoded.text, &text[first..]);
            assert_eq!(front.bytes + decoded.bytes, raw.len());
        }
    }

    #[test]
    fn auto_decides_as_stated() {
        let auto = |bytes: &[u8]| {
            let d = decide(bytes, true, None, FormatName::Text);
            (d.encoding, d.bom, d.why)
        };
        assert_eq!(auto(b"plain"), (UTF_8, 0, Why::Valid));
        assert_eq!(auto(b"\xEF\xBB\xBFx"), (UTF_8, 3, Why::ByteOrderMark));
        assert_eq!(auto(b"\xFF\xFEx\0"), (UTF_16LE, 2, Why::ByteOrderMark));
        assert_eq!(auto(b"x\0y\0z\0"), (UTF_16LE, 0, Why::Guess));
        assert_eq!(
            auto(b"it\x92s a quoted \x93word\x94"),
            (WINDOWS_1252, 0, Why::Guess)
        );
        let nearly = "öäüß öäü \u{201c}".repeat(3).into_bytes();
        assert_eq!(
            auto(&[&nearly[..], b"\xFF"].concat()),
            (UTF_8, 0, Why::Valid)
        );
        assert_eq!(
            decide(b"\xFF", true, None, FormatName::Jsonl).encoding,
            UTF_8
        );
        assert!(by_label("latin-17").is_err());
        assert!(by_label("ISO-8859-15").unwrap().is_some());
        assert!(by_label("auto").unwrap().is_none());
    }

    #[test]
    fn every_byte_has_a_character_of_windows_1252() {
        let raw: Vec<u8> = (0..=u8::MAX).collect();
        let mut decoded = Decoded::default();
        decoded.extend(&raw, WINDOWS_1252, true);
        assert_eq!(bytes_in(&decoded.text, WINDOWS_1252), raw);
        assert_eq!(&*crate::format::bytes(&decoded.text), raw);
        for (byte, (at, _)) in decoded.text.char_indices().enumerate() {
            assert_eq!(decoded.byte_of(&raw, at, WINDOWS_1252), byte);
        }
    }

    #[test]
    fn invalid_bytes_are_of() {
        let mut decoded = Decoded::default();
        let raw = b"\xD6\xD0\xFF\xFF\nok\n\xD6\n";
        decoded.extend(raw, GB18030, true);
        assert_eq!(decoded.invalid_in(0..5), Some(2));
        assert_eq!(decoded.invalid_in(5..8), None);
        assert_eq!(decoded.invalid_in(8..raw.len()), Some(8));
    }
}
