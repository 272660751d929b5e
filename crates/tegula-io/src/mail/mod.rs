//! Mail: from the bytes of a message to its text and header fields.
//!
//! ```text
//! bytes ── head ──→ fields (mail-parser)
//!   └──── parts ──→ texts, attachments ── quoted ──→ the text
//! ```
//!
//! Headers, encoded words, addresses and dates are read by `mail-parser`; the tree of parts is
//! traversed here, so that its depth and size are bounded and each alternative is read once.

mod head;
mod parts;
mod quoted;

pub(crate) use head::{Head, body_of};
pub(crate) use parts::{Attachment, MailOptions};

use tegula::error::Result;

/// A message.
#[derive(Debug)]
pub(crate) struct Mail<'a> {
    /// What its header says.
    pub(crate) head: Head<'a>,
    /// Its text: paragraphs with blank lines between them. For a message without text, the digests
    /// of its attachments.
    pub(crate) text: String,
    /// Its attachments, if requested.
    pub(crate) attachments: Vec<Attachment>,
}

impl<'a> Mail<'a> {
    /// Reads a message.
    ///
    /// # Errors
    /// If it has more parts than a message can have.
    pub(crate) fn read(bytes: &'a [u8], options: MailOptions) -> Result<Self> {
        let (head, mut found) = parts::read(bytes, options)?;
        let mut text = quoted::join(&found.texts, options.quoted);
        if text.is_empty() {
            if !options.attachments {
                let attachments = true;
                found = parts::read(
                    bytes,
                    MailOptions {
                        attachments,
                        ..options
                    },
                )?
                .1;
            }
            let digests = found.attachments.iter().map(|part| part.digest.as_str());
            text = digests.collect::<Vec<_>>().join("\n");
        }
        Ok(Self {
            head,
            text,
            attachments: found.attachments,
        })
    }
}

#[cfg(test)]
mod tests;
