//! Mailboxes: messages one after the other, each after a line `From `.
//!
//! Four dialects are read in the same way (mboxo, mboxrd, mboxcl, mboxcl2). A message ends where
//! its stated length leads to another message or to the end of the file; otherwise before the next
//! line `From ` that [separates](crate::mail::separator) two messages. In the text, one `>` is
//! removed from lines `>From `, unless the message also has a line that begins with `From ` and so
//! does not escape such lines. The output is unchanged byte for byte.

use super::eml::{Messages, looks_like_header, texts_of_mail};
use super::extracted::{no_place, standoff_of};
use super::{
    Cut, Format, MarkPlace, MarkStyle, Note, PassOver, Passed, Patch, Place, Settings, bytes,
};
use crate::convert::Fields;
use crate::edit::Marks;
use crate::format::facts::{self, FormatFacts};
use crate::mail::separator::{self, Begins};
use crate::mail::{Head, MARK, body_of};
use crate::options::FormatName;
use memchr::{memchr, memmem};
use std::borrow::Cow;
use std::ops::Range;
use tegula::error::{ErrorKind, Result};
use tegula::record::Batch;

/// What is known about the format before a file is opened.
pub(super) const FACTS: FormatFacts = FormatFacts {
    name: FormatName::Mbox,
    noun: "a mailbox",
    endings: &["mbox", "mbx"],
    recognises,
    has_fields: false,
    has_marks: false,
    has_tokens: false,
    is_bytes: true,
    places: &[MarkPlace::Attribute, MarkPlace::Standoff],
    texts: texts_of_mail,
};

/// The longest body whose stated length is trusted: this much of the file must be held to check
/// where it leads, which is less than a block.
const LONGEST: usize = 256 << 10;
/// What begins a line that may be quoted.
const FROM: &[u8] = b"From ";

fn recognises(sample: &facts::Sample) -> bool {
    let text = sample.text.trim_start_matches(['\r', '\n']);
    separator::begins(text.as_bytes(), true) == Begins::Yes && looks_like_header(text)
}

/// The reader and editor of mailboxes.
#[derive(Debug)]
pub(crate) struct Mbox {
    messages: Messages,
}

impl Mbox {
    /// With these options.
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            messages: Messages::new(settings),
        }
    }

    /// Where the record at the beginning of `text` ends; none if more of the file is needed.
    fn end(text: &[u8], is_end: bool) -> Option<usize> {
        let (next, len) = match separator::next(text, separator::lead(text), is_end) {
            (Begins::Yes, at) => (Some(at), at),
            (_, at) => (None, at),
        };
        if let Some(body) = body_of(&text[..len])
            && let Some(length) = stated_length(&text[..body]).filter(|length| *length <= LONGEST)
        {
            let end = body + length;
            if end > text.len() && !is_end {
                return None;
            }
            if let Some(rest) = text.get(end..) {
                let after = blank(rest);
                let rest = &rest[after..];
                match separator::begins(rest, is_end) {
                    Begins::Unknown => return None,
                    Begins::No if !rest.is_empty() => {}
                    _ => return Some(end + after),
                }
            }
        }
        next.or(is_end.then_some(text.len()))
    }
}

/// How many bytes of line ends a text begins with.
fn blank(text: &[u8]) -> usize {
    let is_blank = |byte: &&u8| matches!(byte, b'\r' | b'\n');
    text.iter().take_while(is_blank).count()
}

/// The length of the body as stated by this header.
fn stated_length(head: &[u8]) -> Option<usize> {
    let name = b"content-length:";
    head.split(|byte| *byte == b'\n').find_map(|line| {
        let (start, value) = line.split_at_checked(name.len())?;
        start.eq_ignore_ascii_case(name).then_some(())?;
        std::str::from_utf8(value).ok()?.trim().parse().ok()
    })
}

/// The message in a record, without the line before it: where it begins, and its bytes with quoted
/// lines `From ` restored.
fn message(record: &[u8]) -> Result<(usize, Cow<'_, [u8]>)> {
    if separator::lead(record) == 0 {
        return Err(ErrorKind::Data
            .expected("a line `From ` before a message")
            .found("none")
            .hint("set ⟨format⟩, or skip such records with ⟨on_bad_record=skip⟩"));
    }
    let at = memchr(b'\n', record).map_or(record.len(), |at| at + 1);
    let message = &record[at..];
    let (mut out, mut from) = (Vec::new(), 0);
    for found in memmem::find_iter(message, FROM) {
        let marks = message[..found]
            .iter()
            .rev()
            .take_while(|byte| **byte == b'>')
            .count();
        let line = found - marks;
        if line > 0 && message[line - 1] == b'\n' {
            if marks == 0 {
                return Ok((at, message.into()));
            }
            out.extend_from_slice(&message[from..line]);
            from = line + 1;
        }
    }
    if from == 0 {
        return Ok((at, message.into()));
    }
    out.extend_from_slice(&message[from..]);
    Ok((at, out.into()))
}

impl Format for Mbox {
    fn cut(&self, text: &[u8], place: Place) -> Cut {
        let mark = place.head && text.starts_with(MARK);
        let (mut at, mut ranges) = (MARK.len() * usize::from(mark), Vec::new());
        loop {
            at += blank(&text[at..]);
            let rest = &text[at..];
            match Self::end(rest, place.end) {
                Some(end) if end > 0 => {
                    ranges.push(at..at + end);
                    at += end;
                }
                _ => return Cut::ranges(at, ranges),
            }
        }
    }

    fn pass_over(&self) -> Option<Box<dyn PassOver + '_>> {
        Some(Box::new(Passing::default()))
    }

    fn head(&self, text: &[u8]) -> usize {
        MARK.len() * usize::from(text.starts_with(MARK))
    }

    fn decode(&self, record: &str, batch: &mut Batch) -> Result<bool> {
        self.decode_bytes(&bytes(record), batch)
    }

    fn decode_bytes(&self, record: &[u8], batch: &mut Batch) -> Result<bool> {
        self.messages.decode(&message(record)?.1, None, batch)
    }

    fn fields<'a>(&'a self, record: &'a str) -> Result<Fields<'a>> {
        self.messages.fields(&message(&bytes(record))?.1, None)
    }

    fn names(&self, record: &str, _inner: bool) -> Vec<String> {
        message(&bytes(record)).map_or_else(|_| Vec::new(), |(_, found)| Messages::names(&found))
    }

    fn remove(&self, _record: &str, _cuts: &[Range<usize>]) -> Result<Vec<Patch>> {
        Err(no_place())
    }

    fn mark(&self, record: &str, marks: &Marks, style: &MarkStyle) -> Result<Vec<Patch>> {
        let whole = bytes(record);
        let (at, _) = message(&whole)?;
        Messages::mark(&whole[at..], at, marks, style)
    }

    fn standoff(&self, record: &str, marks: &Marks) -> Result<Vec<Note>> {
        let whole = bytes(record);
        let (_, found) = message(&whole)?;
        let (head, _) = Head::of_message(&found);
        standoff_of(whole.len(), head.get("message-id"), marks)
    }
}

/// Searches for the end of a message too long to be held.
#[derive(Debug, Default)]
struct Passing {
    has_begun: bool,
}

impl PassOver for Passing {
    fn next(&mut self, text: &[u8]) -> Passed {
        let from = if self.has_begun {
            0
        } else {
            separator::lead(text)
        };
        self.has_begun = true;
        match separator::next(text, from, false) {
            (Begins::Yes, at) => Passed::Ends(at),
            // With the line end before it.
            (Begins::Unknown, at) => Passed::Through(at - 1),
            (Begins::No, at) => Passed::Through(at),
        }
    }
}
