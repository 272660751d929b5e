//! Mail as files: each message is a document, and its file's name the id. Also what mail in other
//! containers shares with it.

use super::extracted::{no_place, standoff_of};
use super::marks::{clashing, given, of_record};
use super::{Cut, Format, MarkPlace, MarkStyle, Note, Patch, Place, Settings, bytes};
use crate::convert::{FieldValue, Fields};
use crate::edit::Marks;
use crate::format::facts::{self, FormatFacts};
use crate::mail::{Head, Mail, MailOptions, begin};
use crate::options::{Attachments, FormatName, Quoted, ReadOptions};
use crate::written;
use encoding_rs::WINDOWS_1252;
use std::fmt::Write as _;
use std::ops::Range;
use tegula::error::Result;
use tegula::record::Batch;

/// What is known about the format before a file is opened.
pub(super) const FACTS: FormatFacts = FormatFacts {
    name: FormatName::Eml,
    noun: "mail",
    endings: &["eml"],
    recognises,
    has_fields: false,
    has_marks: false,
    has_tokens: false,
    is_bytes: true,
    places: &[MarkPlace::Attribute, MarkPlace::Standoff],
    texts: texts_of_mail,
};

/// Where the texts of mail are.
pub(super) fn texts_of_mail(options: &ReadOptions) -> String {
    let text = match options.mail.quoted() {
        Quoted::Keep => "the text of messages",
        Quoted::Drop => "the text of messages without quoted text",
        Quoted::Unit => "the text of messages, with quotations as separate paragraphs",
    };
    let attachments = match options.mail.attachments() {
        Attachments::Compare => ", and the digests of their attachments",
        Attachments::Ignore => "",
    };
    format!("{text}{attachments}")
}

/// Headers of which any mail has some.
const USUAL: [&str; 9] = [
    "received",
    "return-path",
    "delivered-to",
    "from",
    "to",
    "date",
    "subject",
    "message-id",
    "mime-version",
];

fn recognises(sample: &facts::Sample) -> bool {
    looks_like_header(sample.text)
}

/// Whether a text begins with the header of a message.
pub(super) fn looks_like_header(text: &str) -> bool {
    let mut usual = 0;
    let header = text.get(begin(text.as_bytes())..).unwrap_or(text);
    for line in header.lines().take_while(|line| !line.is_empty()) {
        if line.starts_with([' ', '\t']) {
            continue;
        }
        let Some((name, _)) = line.split_once(':') else {
            return false;
        };
        if name.is_empty() || name.contains(|c: char| !c.is_ascii_graphic()) {
            return false;
        }
        usual += usize::from(USUAL.iter().any(|known| known.eq_ignore_ascii_case(name)));
    }
    usual >= 2
}

/// Reads messages, whatever their container.
#[derive(Debug)]
pub(super) struct Messages {
    wanted: Vec<String>,
    id_key: Option<String>,
    options: MailOptions,
    by_attachments: bool,
}

/// The field with the list of attachments.
const ATTACHMENTS: &str = "attachments";
/// The maximum number of headers listed if a field is missing.
const NAMED: usize = 1000;
/// The field with the name of the sender.
const SENDER_NAME: &str = "sender-name";
/// The fields of a message; all but the name of the sender are headers.
const FIELDS: [&str; 9] = [
    "date",
    "from",
    SENDER_NAME,
    "to",
    "cc",
    "subject",
    "message-id",
    "in-reply-to",
    "list-id",
];

impl Messages {
    /// Uses the names of the fields from the options.
    pub(super) fn new(settings: &Settings) -> Self {
        let options = &settings.options;
        Self {
            wanted: options.needs.fields.clone(),
            id_key: options.id_key.clone(),
            options: MailOptions {
                quoted: options.mail.quoted(),
                encoding: settings.encoding,
                attachments: false,
                least: options.needs.least_reply,
            },
            by_attachments: options.mail.attachments() == Attachments::Compare,
        }
    }

    /// A field of a message: one of [`FIELDS`], the attachments, what it is besides its text, or any
    /// other header.
    fn field(&self, mail: &Mail<'_>, name: &str) -> Option<String> {
        match name {
            ReadOptions::MAIL_APART => Some(mail.apart(self.by_attachments)),
            ATTACHMENTS => serde_json::to_string(&mail.attachments).ok(),
            SENDER_NAME => mail.head.sender(),
            name => mail.head.get(name),
        }
    }

    /// Pushes a message to a batch, and says whether it has an id; `own` is that of its file.
    pub(super) fn decode(
        &self,
        message: &[u8],
        own: Option<&str>,
        batch: &mut Batch,
    ) -> Result<bool> {
        let named = self.id_key.as_deref();
        let mut asked = self.wanted.iter().map(String::as_str).chain(named);
        let attachments = asked.any(|name| {
            name == ATTACHMENTS || (name == ReadOptions::MAIL_APART && self.by_attachments)
        });
        let mail = Mail::read(
            message,
            MailOptions {
                attachments,
                ..self.options
            },
        )?;
        batch.text.push_str(&mail.text);
        let id = match (named, own) {
            (Some(key), _) => self.field(&mail, key),
            (None, Some(own)) => Some(own.to_owned()),
            (None, None) => mail.head.get("message-id"),
        };
        batch.ids.push_str(id.as_deref().unwrap_or_default());
        let wanted = self.wanted.iter();
        batch
            .fields
            .extend(wanted.map(|name| self.field(&mail, name)));
        Ok(id.is_some())
    }

    /// All fields of a message.
    pub(super) fn fields<'a>(&self, message: &[u8], own: Option<&str>) -> Result<Fields<'a>> {
        let options = MailOptions {
            attachments: true,
            ..self.options
        };
        let mail = Mail::read(message, options)?;
        let value = |found: Option<String>| {
            found.map_or(FieldValue::Null, |text| FieldValue::Text(text.into()))
        };
        let id = own
            .map(str::to_owned)
            .or_else(|| mail.head.get("message-id"));
        let mut fields: Fields<'a> = vec![
            ("id".into(), value(id)),
            ("text".into(), value(Some(mail.text.clone()))),
        ];
        fields.extend(FIELDS.map(|name| (name.into(), value(self.field(&mail, name)))));
        let list = self.field(&mail, ATTACHMENTS).unwrap_or_default();
        fields.push((ATTACHMENTS.into(), FieldValue::Json(list.into())));
        Ok(fields)
    }

    /// The names of the fields of a message.
    pub(super) fn names(message: &[u8]) -> Vec<String> {
        let (head, _) = Head::of_message(message);
        let mut names: Vec<String> = FIELDS.map(str::to_owned).to_vec();
        names.push(ATTACHMENTS.to_owned());
        for name in head.names().take(NAMED) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The patch that adds headers to the message that begins at `at` of the record.
    pub(super) fn mark(
        message: &[u8],
        at: usize,
        marks: &Marks,
        style: &MarkStyle,
    ) -> Result<Vec<Patch>> {
        if marks.spans.is_some() {
            return Err(no_place());
        }
        if style.place != MarkPlace::Attribute {
            return Err(style.place.unknown("mail", "attribute or standoff"));
        }
        let begin = begin(message);
        let line = &message[begin..];
        let line = memchr::memchr(b'\n', line).map_or(line, |end| &line[..end]);
        let end = if line.ends_with(b"\r") { "\r\n" } else { "\n" };
        let (head, _) = Head::of_message(message);
        let mut lines = String::new();
        for (name, value) in given(of_record(marks)) {
            let name = format!("X-{}{}", style.prefix, of_header(&name));
            if head.names().any(|known| known.eq_ignore_ascii_case(&name)) {
                return Err(clashing(&name));
            }
            let _ = write!(lines, "{name}: {}{end}", written::header(&value));
        }
        if lines.is_empty() {
            return Ok(Vec::new());
        }
        // A character for each byte.
        let (with, _) = WINDOWS_1252.decode_without_bom_handling(lines.as_bytes());
        Ok(vec![Patch::insert(at + begin, with.into_owned())])
    }
}

/// The name of a mark as that of a header: `Duplicate-Of`.
fn of_header(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    name.split('_').map(word).collect::<Vec<_>>().join("-")
}

/// The reader and editor of a message that is a file.
#[derive(Debug)]
pub(crate) struct Eml {
    id: String,
    messages: Messages,
}

impl Eml {
    /// For the file of this name.
    pub(crate) fn new(name: &str, settings: &Settings) -> Self {
        Self {
            id: name.to_owned(),
            messages: Messages::new(settings),
        }
    }
}

impl Format for Eml {
    fn cut(&self, text: &[u8], place: Place) -> Cut {
        Cut::of_file(text, place)
    }

    fn decode(&self, record: &str, batch: &mut Batch) -> Result<bool> {
        self.decode_bytes(&bytes(record), batch)
    }

    fn decode_bytes(&self, record: &[u8], batch: &mut Batch) -> Result<bool> {
        self.messages.decode(record, Some(&self.id), batch)
    }

    fn file_is_record(&self) -> bool {
        true
    }

    fn fields<'a>(&'a self, record: &'a str) -> Result<Fields<'a>> {
        self.messages.fields(&bytes(record), Some(&self.id))
    }

    fn names(&self, record: &str, _inner: bool) -> Vec<String> {
        Messages::names(&bytes(record))
    }

    fn remove(&self, _record: &str, _cuts: &[Range<usize>]) -> Result<Vec<Patch>> {
        Err(no_place())
    }

    fn mark(&self, record: &str, marks: &Marks, style: &MarkStyle) -> Result<Vec<Patch>> {
        Messages::mark(&bytes(record), 0, marks, style)
    }

    fn standoff(&self, record: &str, marks: &Marks) -> Result<Vec<Note>> {
        standoff_of(bytes(record).len(), None, marks)
    }
}
