//! What a message has besides its text.
//!
//! A message is its text and its attachments: two messages are the same only if they have the same
//! files, whatever these are called and however they are encoded. Every part that is not read as
//! text counts, a picture in a page as well as a message that is attached. Signatures do not, as no
//! two messages have the same, nor do other forms of a text, nor empty files. Line ends are those of the mailbox, not of the
//! file: one that is text is the same with others.

use super::head::Head;
use crate::stand_in::digest;
use memchr::memmem;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The subtypes of `application` that sign other parts.
const SIGNATURES: [&str; 3] = ["pgp-signature", "pkcs7-signature", "x-pkcs7-signature"];

/// A part of a message that is not text.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Attachment {
    /// The name of the file.
    pub(crate) name: Option<String>,
    /// The media type.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// Its length in bytes, decoded.
    pub(crate) bytes: u64,
    /// The digest of its bytes, decoded.
    pub(crate) digest: String,
    /// The digest of its content, by which it is compared; none if it is not.
    #[serde(skip)]
    pub(crate) content: Option<String>,
}

impl Attachment {
    /// A part with this content.
    pub(super) fn new(head: &Head<'_>, bytes: &[u8]) -> Self {
        let kind = head.kind();
        let is_signature = kind.as_ref().is_some_and(|(kind, subtype)| {
            kind == "application" && SIGNATURES.contains(&&**subtype)
        });
        let own = digest(bytes);
        let content = lines(bytes);
        let content = match content {
            _ if is_signature || content.is_empty() => None,
            Cow::Borrowed(same) if same.len() == bytes.len() => Some(own.clone()),
            other => Some(digest(&other)),
        };
        Self {
            name: head.file().map(str::to_owned),
            kind: match kind {
                Some((kind, subtype)) => format!("{kind}/{subtype}"),
                None => "text/plain".to_owned(),
            },
            bytes: bytes.len() as u64,
            digest: own,
            content,
        }
    }
}

/// The digests of what is attached, each once, in their order.
pub(super) fn contents(attachments: &[Attachment]) -> BTreeSet<&str> {
    let found = attachments.iter();
    found.filter_map(|part| part.content.as_deref()).collect()
}

/// Bytes without the line ends at their end, the others as line feeds.
fn lines(bytes: &[u8]) -> Cow<'_, [u8]> {
    let ends = |byte: &&u8| matches!(byte, b'\r' | b'\n');
    let bytes = &bytes[..bytes.len() - bytes.iter().rev().take_while(ends).count()];
    let (mut out, mut from) = (Vec::new(), 0);
    for at in memmem::find_iter(bytes, b"\r\n") {
        out.extend_from_slice(&bytes[from..at]);
        from = at + 1;
    }
    if from == 0 {
        return Cow::Borrowed(bytes);
    }
    out.extend_from_slice(&bytes[from..]);
    Cow::Owned(out)
}
