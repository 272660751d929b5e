//! The encoding of a page: the evidence of its bytes counts more than any declaration.
//!
//! In this order: a byte-order mark; a stated encoding whose bytes are ASCII (ISO-2022-JP) or have
//! zeros (UTF-16); bytes that are valid UTF-8; the encoding that the protocol stated, then the
//! page's own `meta`; the named fallback; a guess from the bytes.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};
use regex::bytes::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Bytes at the beginning of a page in which it may state its encoding.
const HEAD: usize = 4096;

#[expect(clippy::unwrap_used, reason = "constant, and built by the tests")]
static META: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i-u)<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w:.+-]+)"#)
        .unwrap()
});

/// Decodes a page. `label` is the encoding stated by the protocol, `named` the one to assume if
/// there is no evidence.
pub(crate) fn decode<'a>(
    bytes: &'a [u8],
    label: Option<&str>,
    named: Option<&'static Encoding>,
) -> (Cow<'a, str>, &'static Encoding) {
    let encoding = decide(bytes, label, named);
    let (text, ..) = encoding.decode(bytes);
    (text, encoding)
}

fn decide(
    bytes: &[u8],
    label: Option<&str>,
    named: Option<&'static Encoding>,
) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    let stated = label.and_then(|label| of_label(label.as_bytes()));
    let own = META
        .captures(&bytes[..bytes.len().min(HEAD)])
        .and_then(|found| of_label(&found[1]))
        // A declaration that can be read byte by byte is not in UTF-16.
        .filter(|encoding| ![UTF_16LE, UTF_16BE].contains(encoding));
    // Text in other encodings has no zeros.
    let is_wide = |encoding: &&'static Encoding| [UTF_16LE, UTF_16BE].contains(encoding);
    if let Some(wide) = stated.filter(is_wide)
        && bytes.contains(&0)
    {
        return wide;
    }
    let said = stated.or(own);
    if said == Some(ISO_2022_JP) {
        return ISO_2022_JP;
    }
    if simdutf8::basic::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    // A page that claims UTF-8 and is invalid may still be UTF-8 except for a few bytes.
    let fits = |encoding: &&'static Encoding| {
        *encoding != UTF_8 || !encoding.decode_without_bom_handling(bytes).1 || nearly(bytes)
    };
    let said = stated.filter(fits).or(own.filter(fits)).or(named);
    said.unwrap_or_else(|| {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
        detector.feed(bytes, true);
        detector.guess(None, Utf8Detection::Allow)
    })
}

fn of_label(label: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label(label).filter(|encoding| *encoding != REPLACEMENT)
}

/// Whether bytes have more valid sequences of UTF-8 than invalid ones.
fn nearly(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().bytes().filter(|byte| *byte >= 0xC0).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good > bad
}
