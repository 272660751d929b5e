//! Mail: from the bytes of a message to its text and header fields.
//!
//! ```text
//! bytes ── head ──→ fields (mail-parser)
//!   └──── parts ─┬→ texts ── quoted ──→ the text
//!                └→ attached ─→ what the message is besides
//! ```
//!
//! Headers, encoded words, addresses and dates are read by `mail-parser`; the tree of parts is
//! traversed here, so that its depth and size are bounded and each alternative is read once.
//!
//! A text that says the same is not the same message: two with other attachments differ, and so do
//! two replies that are too short to be compared without the messages they reply to. What messages
//! must have in common besides their text is [`Mail::apart`], a field like others for the engine.

mod attached;
mod head;
pub(crate) mod options;
mod parts;
mod quoted;
pub(crate) mod separator;
mod transfer;

pub(crate) use attached::Attachment;
pub(crate) use head::{Head, MARK, begin, body_of};
pub(crate) use parts::MailOptions;

use crate::options::Quoted;
use crate::stand_in::digest;
use parts::Leaves;
use std::fmt::Write as _;
use std::sync::LazyLock;
use tegula::error::Result;
use tegula::text::normalise::{Normalisation, Normaliser};

/// Finds words, as recipes do unless they say otherwise.
#[expect(clippy::unwrap_used, reason = "constant, and built by the tests")]
static WORDS: LazyLock<Normaliser> =
    LazyLock::new(|| Normaliser::new(&Normalisation::default()).unwrap());

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
    /// The digest of its words, if too few are its own for it to be compared without quoted text.
    reply: Option<String>,
}

impl<'a> Mail<'a> {
    /// Reads a message.
    ///
    /// # Errors
    /// If it has more parts than a message can have.
    pub(crate) fn read(bytes: &'a [u8], options: MailOptions) -> Result<Self> {
        let (head, mut found) = parts::read(bytes, options)?;
        let mut text = quoted::join(&found.texts, options.quoted);
        let mut reply = None;
        if let Some(whole) = whole(bytes, &found, options)? {
            reply = Some(digest(words(&whole).as_bytes()));
            if options.quoted == Quoted::Drop {
                text = whole;
            }
        }
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
            text = joined(attached::contents(&found.attachments).into_iter(), "\n");
        }
        Ok(Self {
            head,
            text,
            attachments: found.attachments,
            reply,
        })
    }

    /// What else must be equal for the message to be the same as another: its attachments, if
    /// these are compared, and the whole of it, if it is a short reply. Empty for most.
    pub(crate) fn apart(&self, by_attachments: bool) -> String {
        let attached = attached::contents(&self.attachments);
        let attached = (by_attachments && !attached.is_empty())
            .then(|| digest(joined(attached.into_iter(), "\n").as_bytes()));
        let mut out = String::new();
        for (what, digest) in [
            ("attachments", attached.as_ref()),
            ("reply", self.reply.as_ref()),
        ] {
            if let Some(digest) = digest {
                let gap = if out.is_empty() { "" } else { " " };
                let _ = write!(out, "{gap}{what}={digest}");
            }
        }
        out
    }
}

/// The text of a message with all that it quotes, if without it too few words remain.
fn whole(bytes: &[u8], found: &Leaves, options: MailOptions) -> Result<Option<String>> {
    if options.quoted == Quoted::Keep || options.least == 0 {
        return Ok(None);
    }
    let own = quoted::join(&found.texts, Quoted::Drop);
    let mut count = 0;
    WORDS.for_each(&own, |_| count += 1);
    if count >= options.least {
        return Ok(None);
    }
    let quoted = Quoted::Keep;
    let attachments = false;
    let (_, all) = parts::read(
        bytes,
        MailOptions {
            quoted,
            attachments,
            ..options
        },
    )?;
    let whole = quoted::join(&all.texts, quoted);
    Ok((words(&whole) != words(&own)).then_some(whole))
}

/// The words of a text with spaces between them; the text itself, if it has none.
fn words(text: &str) -> String {
    let mut words = Vec::new();
    WORDS.for_each(text, |word| words.push(word.to_owned()));
    if words.is_empty() {
        text.to_owned()
    } else {
        words.join(" ")
    }
}

fn joined<'t>(texts: impl Iterator<Item = &'t str>, gap: &str) -> String {
    texts.collect::<Vec<_>>().join(gap)
}

#[cfg(test)]
mod tests;
