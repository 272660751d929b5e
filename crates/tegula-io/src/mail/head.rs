//! The header of a message or of one of its parts.
//!
//! One rule says where the header of a message begins, wherever the message is: in a file, in a
//! mailbox, or in another message. A byte order mark, blank lines, and lines `From ` and `>From `
//! that deliveries and mailboxes put before it are not part of it.

use mail_parser::{Address, HeaderName, HeaderValue, Message, MessageParser, MimeHeaders as _};
use memchr::memmem;
use std::borrow::Cow;

/// A header.
#[derive(Debug, Default)]
pub(crate) struct Head<'a>(Option<Message<'a>>);

impl<'a> Head<'a> {
    /// Splits a message into its header and what follows; one without a header is all text.
    pub(crate) fn of_message(bytes: &'a [u8]) -> (Self, &'a [u8]) {
        Self::split(&bytes[begin(bytes)..])
    }

    /// Splits a part of a message: what begins with a blank line has no header.
    pub(crate) fn split(bytes: &'a [u8]) -> (Self, &'a [u8]) {
        let end = end(bytes);
        let (head, body) = bytes.split_at(end);
        let parsed = MessageParser::default().parse_headers(head);
        let blank = body.len() - body.strip_prefix(b"\r").unwrap_or(body).len();
        let body = &body[blank..];
        (Self(parsed), body.strip_prefix(b"\n").unwrap_or(body))
    }

    /// The media type and its subtype, in lower case.
    pub(crate) fn kind(&self) -> Option<(String, String)> {
        let kind = self.0.as_ref()?.content_type()?;
        let subtype = kind.subtype().unwrap_or_default();
        Some((
            kind.ctype().to_ascii_lowercase(),
            subtype.to_ascii_lowercase(),
        ))
    }

    /// A parameter of the media type.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.0.as_ref()?.content_type()?.attribute(name)
    }

    /// How the content is encoded, in lower case.
    pub(crate) fn transfer(&self) -> Option<String> {
        let transfer = self.0.as_ref()?.content_transfer_encoding()?;
        let name = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let transfer = transfer.trim_start_matches(|c| !name(c));
        let len = transfer.find(|c| !name(c)).unwrap_or(transfer.len());
        Some(transfer[..len].to_ascii_lowercase())
    }

    /// Whether the part is to be shown as an attachment.
    pub(crate) fn is_attachment(&self) -> bool {
        let disposition = (self.0.as_ref()).and_then(|message| message.content_disposition());
        disposition.is_some_and(|it| it.ctype().eq_ignore_ascii_case("attachment"))
    }

    /// The name of the file that is attached.
    pub(crate) fn file(&self) -> Option<&str> {
        self.0.as_ref()?.attachment_name()
    }

    /// The first header of this name with a value: addresses without names, dates by RFC 3339,
    /// ids without brackets, text decoded.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        if name.eq_ignore_ascii_case("date") {
            return self.date();
        }
        let found = |header: &mail_parser::Header<'_>| {
            (header.name.as_str().eq_ignore_ascii_case(name))
                .then(|| value(&header.value))
                .flatten()
        };
        self.0.as_ref()?.headers().iter().find_map(found)
    }

    /// When it was sent, by RFC 3339; as it is written if that says no time, for dates without a zone.
    fn date(&self) -> Option<String> {
        let message = self.0.as_ref()?;
        let is_date = |header: &&mail_parser::Header<'_>| header.name == HeaderName::Date;
        let header = message.headers().iter().find(is_date)?;
        let range = header.offset_start as usize..header.offset_end as usize;
        let raw = String::from_utf8_lossy(message.raw_message.get(range)?);
        let text = clean(&without_comments(&raw));
        // The reader of dates knows zones in capital letters, and is led astray by comments.
        let line = format!("Date: {}\n\n", in_capitals(&text));
        let parsed = MessageParser::default().parse_headers(line.as_bytes());
        let date = parsed.as_ref().and_then(Message::date);
        let valid = date.filter(|date| date.is_valid());
        valid
            .map(mail_parser::DateTime::to_rfc3339)
            .or_else(|| (!text.is_empty()).then_some(text))
    }

    /// The name of the first sender.
    pub(crate) fn sender(&self) -> Option<String> {
        let sender = self.0.as_ref()?.from()?.first()?;
        sender.name.as_deref().map(clean)
    }

    /// The names of all headers, in lower case.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let headers = self.0.as_ref().map_or(&[][..], |message| message.headers());
        (headers.iter()).map(|header| header.name.as_str().to_ascii_lowercase())
    }
}

/// A byte order mark, which some programs put before a message.
pub(crate) const MARK: &[u8] = b"\xef\xbb\xbf";
/// Bytes of a header in which a usual field is looked for.
const LOOKED: usize = 64 << 10;
/// The beginnings of the names of fields of which any mail has some.
const USUAL: [&str; 17] = [
    "received",
    "return-path",
    "delivered-to",
    "from",
    "to",
    "cc",
    "date",
    "subject",
    "message-id",
    "mime-version",
    "content-",
    "sender",
    "reply-to",
    "status",
    "newsgroups",
    "list-",
    "x-",
];

/// Where the header of a message begins; 0 if there is none.
pub(crate) fn begin(bytes: &[u8]) -> usize {
    let mark = MARK.len() * usize::from(bytes.starts_with(MARK));
    let mut at = mark;
    while let Some(line) = first_line(&bytes[at..]) {
        if !line.trim_ascii().is_empty() && !is_delivery(line) {
            break;
        }
        at += line.len();
    }
    let rest = &bytes[at..];
    // A text may also begin with a blank line, or with this word.
    if at == mark || (is_field(rest) && has_usual(rest)) {
        at
    } else {
        0
    }
}

/// The first line, with its end; none after the last.
fn first_line(bytes: &[u8]) -> Option<&[u8]> {
    let len = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1);
    (len > 0).then(|| &bytes[..len])
}

/// Whether a line is one that is put before a message when it is delivered: `From ` or `>From `.
pub(crate) fn is_delivery(line: &[u8]) -> bool {
    let marks = line.iter().take_while(|byte| **byte == b'>').count();
    let rest = line[marks..].strip_prefix(b"From");
    rest.is_some_and(|rest| matches!(rest.first(), None | Some(b' ' | b'\r' | b'\n')))
        && !is_field(line)
}

/// Whether a header has one of the usual fields near its beginning.
pub(crate) fn has_usual(header: &[u8]) -> bool {
    let lines = header[..header.len().min(LOOKED)].split(|byte| *byte == b'\n');
    lines
        .take_while(|line| !line.trim_ascii().is_empty())
        .any(is_usual)
}

/// Whether a line begins a field whose name is usual in mail.
pub(crate) fn is_usual(line: &[u8]) -> bool {
    let begins = |name: &&str| {
        let start = line.get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
            && (name.ends_with('-') || line[name.len()..].trim_ascii_start().starts_with(b":"))
    };
    is_field(line) && USUAL.iter().any(begins)
}

/// Where the header ends: before the blank line, or at the first line that is not part of a header.
fn end(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"\n") || bytes.starts_with(b"\r\n") {
        return 0;
    }
    if !is_field(
        bytes
            .split(|byte| *byte == b'\n')
            .next()
            .unwrap_or_default(),
    ) {
        return 0;
    }
    let mut from = 0;
    while let Some(at) = memchr::memchr(b'\n', &bytes[from..]) {
        from += at + 1;
        let rest = &bytes[from..];
        if rest.starts_with(b"\n") || rest.starts_with(b"\r\n") {
            return from;
        }
    }
    bytes.len()
}

/// Whether a line begins a field of a header: a name and a colon.
pub(crate) fn is_field(line: &[u8]) -> bool {
    let name = line
        .iter()
        .take_while(|byte| byte.is_ascii_graphic() && **byte != b':');
    let len = name.count();
    let blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let rest = &line[len..];
    len > 0 && rest.get(rest.iter().take_while(blank).count()) == Some(&b':')
}

/// A value as text.
fn value(value: &HeaderValue<'_>) -> Option<String> {
    let text = match value {
        HeaderValue::Text(text) => clean(text),
        HeaderValue::TextList(list) => joined(list.iter().map(Cow::as_ref)),
        HeaderValue::Address(list) => addresses(list),
        HeaderValue::DateTime(date) => date.to_rfc3339(),
        HeaderValue::ContentType(kind) => match kind.subtype() {
            Some(subtype) => format!("{}/{subtype}", kind.ctype()),
            None => kind.ctype().to_owned(),
        },
        HeaderValue::Received(received) => received.date.map(|date| date.to_rfc3339())?,
        HeaderValue::Empty => return None,
    };
    (!text.is_empty()).then_some(text)
}

fn addresses(list: &Address<'_>) -> String {
    let own = |one: &mail_parser::Addr<'_>| {
        (one.address.as_ref().or(one.name.as_ref())).map(|found| clean(found))
    };
    let found: Vec<String> = list.iter().filter_map(own).collect();
    joined(found.iter().map(String::as_str))
}

fn joined<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}

/// A value without what is in brackets.
fn without_comments(text: &str) -> String {
    let mut depth = 0_usize;
    let kept = text.chars().filter(|c| {
        match c {
            '(' => depth += 1,
            ')' if depth > 0 => {
                depth -= 1;
                return false;
            }
            _ => {}
        }
        depth == 0
    });
    kept.collect()
}

/// A date with the letters at its end, which name its zone, in capitals.
fn in_capitals(date: &str) -> String {
    let zone = date.rfind(' ').unwrap_or(0);
    date[..zone].to_owned() + &date[zone..].to_ascii_uppercase()
}

/// On one line.
fn clean(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Where the body of a message begins, if its header has an end.
pub(crate) fn body_of(bytes: &[u8]) -> Option<usize> {
    let short = memmem::find(bytes, b"\n\n").map(|at| at + 2);
    let searched = &bytes[..short.unwrap_or(bytes.len())];
    memmem::find(searched, b"\n\r\n").map(|at| at + 3).or(short)
}
