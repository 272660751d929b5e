//! The header of a message or of one of its parts.

use mail_parser::{Address, HeaderValue, Message, MessageParser, MimeHeaders as _};
use memchr::memmem;
use std::borrow::Cow;

/// A header.
#[derive(Debug, Default)]
pub(crate) struct Head<'a>(Option<Message<'a>>);

impl<'a> Head<'a> {
    /// Splits a message or part into its header and what follows; one that does not begin with a
    /// header has none.
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
        Some(transfer.trim().to_ascii_lowercase())
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
        let found = |header: &mail_parser::Header<'_>| {
            (header.name.as_str().eq_ignore_ascii_case(name))
                .then(|| value(&header.value))
                .flatten()
        };
        self.0.as_ref()?.headers().iter().find_map(found)
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
    len > 0 && line[len..].trim_ascii_start().starts_with(b":")
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
