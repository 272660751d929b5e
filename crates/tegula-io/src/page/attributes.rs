//! The tags of a page before it is parsed: the parser compares each attribute with all others of
//! its tag, so a tag with a million attributes would take hours.

use memchr::{memchr, memmem};
use tegula::error::{ErrorKind, Result};

/// The most attributes of a tag.
const MOST: usize = 5_000;

/// Refuses a page with a tag of more than 5,000 attributes.
pub(super) fn check(html: &str) -> Result<()> {
    let bytes = html.as_bytes();
    let mut at = 0;
    while let Some(step) = memchr(b'<', &bytes[at..]) {
        let tag = at + step + 1;
        let rest = &bytes[tag..];
        let after = |end: &[u8]| memmem::find(rest, end).map_or(bytes.len(), |len| tag + len);
        at = if rest.starts_with(b"!--") {
            after(b"-->")
        } else if rest.first().is_some_and(u8::is_ascii_alphabetic) {
            let (end, count) = walk(bytes, tag);
            if count > MOST {
                return Err(ErrorKind::Data
                    .expected(format!("a tag of at most {MOST} attributes"))
                    .found(format!("one of {count}"))
                    .hint("remove the page, or skip such records with ⟨on_bad_record=skip⟩"));
            }
            // The content of a script contains no tags.
            match rest.get(..6) {
                Some(name) if name.eq_ignore_ascii_case(b"script") => script_end(bytes, end),
                _ => end,
            }
        } else {
            tag
        };
    }
    Ok(())
}

/// The `>` that ends the tag whose name begins here.
pub(super) fn end(html: &str, tag: usize) -> Option<usize> {
    let end = walk(html.as_bytes(), tag).0;
    (end < html.len()).then_some(end)
}

/// Where a tag ends, and how many attributes it has.
fn walk(bytes: &[u8], tag: usize) -> (usize, usize) {
    let (mut at, mut count) = (tag, 0);
    let mut before = b'x';
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'>' => break,
            b'"' | b'\'' if before == b'=' => {
                let close = memchr(*byte, &bytes[at + 1..]);
                at = close.map_or(bytes.len(), |len| at + 1 + len);
                before = b'"';
            }
            byte if byte.is_ascii_whitespace() => {
                if before != b'=' {
                    before = b' ';
                }
            }
            byte => {
                count += usize::from(matches!(before, b' ' | b'"' | b'/') && *byte != b'=');
                before = *byte;
            }
        }
        at += 1;
    }
    (at.min(bytes.len()), count)
}

/// Where the script ends whose tag ends here.
fn script_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(step) = memmem::find(&bytes[at..], b"</") {
        at += step + 2;
        if (bytes.get(at..at + 6)).is_some_and(|name| name.eq_ignore_ascii_case(b"script")) {
            return at;
        }
    }
    bytes.len()
}
