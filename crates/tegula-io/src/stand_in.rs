//! What is compared of a record in which no text is found.
//!
//! Such a record may still differ from all others: its text may be in elements that are skipped,
//! in a column that is not read, or in a picture. So its text becomes white space that spells the
//! digest of its bytes. White space has no tokens under any recipe, and is therefore compared as it
//! is: the record equals only one of the same bytes.

use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::fmt::Write as _;
use tegula::record::Batch;

/// Bytes of the digest that are spelt: enough that no two records have the same by chance.
const BYTES: usize = 16;

/// The digest of these bytes in words: `sha256:` and hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let mut digest = "sha256:".to_owned();
    for byte in Sha256::digest(bytes) {
        let _ = write!(digest, "{byte:02x}");
    }
    digest
}

/// If the last record of the batch has no text, lets white space stand for its bytes, without the
/// line end after them.
pub(crate) fn represent<'a>(batch: &mut Batch, bytes: impl FnOnce() -> Cow<'a, [u8]>) {
    let Some(record) = batch.records.last_mut() else {
        return;
    };
    let text = &batch.text[record.text.clone()];
    if !text.trim_start().is_empty() || !record.tokens.is_empty() {
        return;
    }
    batch.text.truncate(record.text.start);
    batch.segments.truncate(record.segments.start);
    record.segments.end = record.segments.start;
    let bytes = bytes();
    let end = bytes.iter().rposition(|byte| !b"\r\n".contains(byte));
    batch
        .text
        .extend(blank(&bytes[..end.map_or(0, |at| at + 1)]));
    record.text.end = batch.text.len();
}

/// White space for a digest: a tab for each bit that is set, a space for each other.
fn blank(bytes: &[u8]) -> impl Iterator<Item = char> {
    let digest = Sha256::digest(bytes);
    (0..8 * BYTES).map(move |bit| {
        let is_set = digest[bit / 8] >> (bit % 8) & 1 == 1;
        if is_set { '\t' } else { ' ' }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(text: &str, bytes: &str) -> String {
        let mut batch = Batch::default();
        let mark = batch.begin();
        batch.text.push_str(text);
        batch.finish(&mark, 1, 0..1, false);
        represent(&mut batch, || bytes.as_bytes().into());
        batch.text
    }

    #[test]
    fn a_record_without_text_is_its_bytes() {
        let blank = record("", "<a/>");
        assert!(blank.trim().is_empty() && blank.len() == 128);
        assert_eq!(record(" \n", "<a/>\n"), blank);
        assert_ne!(record("", "<b/>"), blank);
        assert_eq!(record(" a", "<b/>"), " a");
    }
}
