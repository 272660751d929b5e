//! The tree of parts of a message (RFC 2046): its texts, each alternative once, and what is
//! attached.

use super::attached::Attachment;
use super::head::Head;
use super::transfer::{self, Decoded};
use crate::options::Quoted;
use crate::page::{self, Flow};
use encoding_rs::Encoding;
use mail_parser::decoders::charsets::map::charset_decoder;
use memchr::memmem;
use std::ops::Range;
use tegula::error::{ErrorKind, Result};

/// The maximum nesting of parts.
const DEEPEST: usize = 32;
/// The most parts of a message.
const MOST: usize = 10_000;
/// Characters below which a plain text is compared with its alternative, for which it may only
/// apologise.
const SHORT: usize = 400;

/// How a message is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MailOptions {
    /// How quoted text is treated.
    pub(crate) quoted: Quoted,
    /// The encoding to assume if none is stated or detected.
    pub(crate) encoding: Option<&'static Encoding>,
    /// Whether attachments are listed.
    pub(crate) attachments: bool,
    /// The words that must remain of a message without quoted text, for it to be compared without.
    pub(crate) least: u32,
}

/// What the parts of a message hold.
#[derive(Debug, Default)]
pub(super) struct Leaves {
    pub(super) texts: Vec<Body>,
    pub(super) attachments: Vec<Attachment>,
}

/// A text of a message.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) text: String,
    /// Whether it is the text of a forwarded message.
    pub(super) is_forwarded: bool,
    /// Whether it was written as plain text.
    is_plain: bool,
}

/// Reads a message.
pub(super) fn read(bytes: &[u8], options: MailOptions) -> Result<(Head<'_>, Leaves)> {
    let (head, body) = Head::of_message(bytes);
    let mut tree = Tree {
        options,
        parts: 0,
        attachments: Vec::new(),
    };
    let texts = tree.part(&head, body, Surroundings::default())?;
    let attachments = tree.attachments;
    Ok((head, Leaves { texts, attachments }))
}

/// Where a part is.
#[derive(Debug, Default, Clone, Copy)]
struct Surroundings {
    depth: usize,
    is_digest: bool,
    is_forwarded: bool,
}

struct Tree {
    options: MailOptions,
    parts: usize,
    attachments: Vec<Attachment>,
}

impl Tree {
    /// The texts of a part.
    fn part(&mut self, head: &Head<'_>, body: &[u8], around: Surroundings) -> Result<Vec<Body>> {
        self.parts += 1;
        if self.parts > MOST || around.depth > DEEPEST {
            let (most, what) = if self.parts > MOST {
                (MOST, "parts")
            } else {
                (DEEPEST, "levels of nested parts")
            };
            return Err(ErrorKind::Data
                .expected(format!("a message of at most {most} {what}"))
                .found("more")
                .hint("remove the message, or skip such records with ⟨on_bad_record=skip⟩"));
        }
        let kind = head.kind();
        let kind = kind.as_ref().map(|(kind, subtype)| (&**kind, &**subtype));
        let inner = Surroundings {
            depth: around.depth + 1,
            is_digest: kind == Some(("multipart", "digest")),
            ..around
        };
        match kind {
            Some(("multipart", subtype)) => {
                let boundary = head.parameter("boundary").unwrap_or_default();
                let ranges = split(body, boundary.as_bytes());
                if ranges.is_empty() {
                    return self.text(head, body, around, true);
                }
                if subtype == "alternative" {
                    return self.alternative(body, ranges, inner);
                }
                let mut texts = Vec::new();
                for (number, range) in ranges.into_iter().enumerate() {
                    let (head, body) = Head::split(&body[range]);
                    let known = self.attachments.len();
                    texts.extend(self.part(&head, body, inner)?);
                    if subtype == "signed" && number > 0 {
                        self.disregard(known..self.attachments.len());
                    }
                }
                Ok(texts)
            }
            Some(("message", "rfc822" | "global" | "news")) if !head.is_attachment() => {
                let content = content(head, body).data;
                let (head, body) = Head::of_message(&content);
                // The messages of a digest are its own text.
                let is_forwarded = around.is_forwarded || !around.is_digest;
                let inner = Surroundings {
                    is_digest: false,
                    is_forwarded,
                    ..inner
                };
                self.part(&head, body, inner)
            }
            None if around.is_digest => {
                let (head, body) = Head::of_message(body);
                let is_digest = false;
                self.part(&head, body, Surroundings { is_digest, ..inner })
            }
            None | Some(("text", "plain")) if !head.is_attachment() => {
                self.text(head, body, around, true)
            }
            Some(("text", "html")) if !head.is_attachment() => self.text(head, body, around, false),
            _ => {
                self.attach(head, body);
                Ok(Vec::new())
            }
        }
    }

    /// The best of several forms of one text: the plain one, unless it says much less.
    fn alternative(
        &mut self,
        body: &[u8],
        ranges: Vec<Range<usize>>,
        inner: Surroundings,
    ) -> Result<Vec<Body>> {
        let mut best: Option<(Vec<Body>, bool, usize)> = None;
        let mut forms = Vec::new();
        for range in ranges {
            let (head, body) = Head::split(&body[range]);
            let known = self.attachments.len();
            let texts = self.part(&head, body, inner)?;
            let kind = head.kind();
            let is_form =
                |(kind, subtype): (String, String)| kind == "text" && subtype != "calendar";
            if kind.is_some_and(is_form) {
                forms.push(known..self.attachments.len());
            }
            let len: usize = texts.iter().map(|text| text.text.trim().len()).sum();
            let is_plain = texts.iter().all(|text| text.is_plain);
            let is_better = match &best {
                None => true,
                Some((_, true, held)) => !is_enough(*held, len),
                Some((_, false, held)) => is_plain && is_enough(len, *held),
            };
            if is_better && len > 0 {
                best = Some((texts, is_plain, len));
            }
        }
        // Other forms of a text that is read, such as that of a watch.
        if best.is_some() {
            for form in forms {
                self.disregard(form);
            }
        }
        Ok(best.map(|(texts, ..)| texts).unwrap_or_default())
    }

    /// Makes some attachments none by which a message is compared.
    fn disregard(&mut self, which: Range<usize>) {
        for part in &mut self.attachments[which] {
            part.content = None;
        }
    }

    fn text(
        &self,
        head: &Head<'_>,
        body: &[u8],
        around: Surroundings,
        is_plain: bool,
    ) -> Result<Vec<Body>> {
        let Decoded { data, footer } = content(head, body);
        let label = head.parameter("charset");
        // Used in mail only; the encodings of the web do not include it.
        let seven = label.filter(|label| label.eq_ignore_ascii_case("utf-7"));
        let text = match seven.and_then(|label| charset_decoder(label.as_bytes())) {
            Some(decode) => decode(&data),
            None => page::decode(&data, label, self.options.encoding)
                .0
                .into_owned(),
        };
        let text = if is_plain {
            text
        } else {
            let flow = match self.options.quoted {
                Quoted::Keep => Flow::Plain,
                Quoted::Drop | Quoted::Unit => Flow::Quoted,
            };
            page::text_of(&text, flow)?
        };
        let mut texts = vec![Body {
            text,
            is_forwarded: around.is_forwarded,
            is_plain,
        }];
        if !footer.trim_ascii().is_empty() {
            let text = page::decode(footer, None, self.options.encoding).0;
            texts.push(Body {
                text: text.into_owned(),
                ..texts[0]
            });
        }
        Ok(texts)
    }

    fn attach(&mut self, head: &Head<'_>, body: &[u8]) {
        if !self.options.attachments {
            return;
        }
        let content = content(head, body).data;
        self.attachments.push(Attachment::new(head, &content));
    }
}

/// Whether a plain text of this length can represent an alternative of that length.
fn is_enough(plain: usize, other: usize) -> bool {
    plain >= SHORT || plain >= other / 4
}

/// The content of a part, decoded.
fn content<'a>(head: &Head<'_>, body: &'a [u8]) -> Decoded<'a> {
    transfer::decode(head.transfer().as_deref(), body)
}

/// The parts between the lines of a boundary; none if there is no such line.
fn split(body: &[u8], boundary: &[u8]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    if boundary.is_empty() {
        return ranges;
    }
    let delimiter = [b"--", boundary].concat();
    let mut begun: Option<usize> = None;
    for at in memmem::find_iter(body, &delimiter) {
        if !(at == 0 || body[at - 1] == b'\n') {
            continue;
        }
        let rest = &body[at + delimiter.len()..];
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let is_last = line.starts_with(b"--");
        if !is_last && !line.trim_ascii().is_empty() {
            continue;
        }
        if let Some(from) = begun.take() {
            // The line feed before the boundary belongs to it.
            let part = &body[from..at.max(from)];
            let part = part.strip_suffix(b"\n").unwrap_or(part);
            let part = part.strip_suffix(b"\r").unwrap_or(part);
            ranges.push(from..from + part.len());
        }
        if is_last {
            return ranges;
        }
        begun = Some((at + delimiter.len() + line.len() + 1).min(body.len()));
    }
    // The last part of a message that was cut.
    ranges.extend(
        begun
            .filter(|from| *from < body.len())
            .map(|from| from..body.len()),
    );
    ranges
}
