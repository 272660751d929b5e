//! Web pages as files: each is a document, and its name the id. The text is that of its article, or
//! all that it shows.

use super::marks::{CodePoints, notes};
use super::{Cut, Format, MarkPlace, MarkStyle, Note, Patch, Place, Settings, bytes};
use crate::convert::{FieldValue, Fields};
use crate::edit::Marks;
use crate::format::facts::{self, FormatFacts};
use crate::options::{FormatName, PageText, ReadOptions};
use crate::page::{self, Page};
use encoding_rs::Encoding;
use std::ops::Range;
use tegula::error::{Error, Result};
use tegula::record::Batch;

/// What is known about the format before a file is opened.
pub(super) const FACTS: FormatFacts = FormatFacts {
    name: FormatName::Html,
    noun: "a web page",
    endings: &["html", "htm", "xhtml"],
    recognises,
    has_fields: false,
    has_marks: false,
    has_tokens: false,
    is_bytes: true,
    places: &[MarkPlace::Standoff],
    texts: texts_of_pages,
};

/// Where the texts of web pages are.
pub(super) fn texts_of_pages(options: &ReadOptions) -> String {
    match options.page.text.unwrap_or_default() {
        PageText::Main => "the main text of pages",
        PageText::All | PageText::Marked => "all text of pages",
    }
    .into()
}

fn recognises(sample: &facts::Sample) -> bool {
    let head = sample.text.trim_start();
    let begins = |tag: &str| {
        head.get(..tag.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(tag))
    };
    begins("<!doctype html") || begins("<html")
}

/// The reader of a page.
#[derive(Debug)]
pub(crate) struct Html {
    id: String,
    wanted: Vec<String>,
    text: PageText,
    encoding: Option<&'static Encoding>,
}

impl Html {
    /// For the file of this name.
    pub(crate) fn new(name: &str, settings: &Settings) -> Self {
        Self {
            id: name.to_owned(),
            wanted: settings.options.needs.fields.clone(),
            text: settings.options.page.text.unwrap_or_default(),
            encoding: settings.encoding,
        }
    }

    fn read(&self, record: &[u8], text: PageText) -> Result<Page> {
        page::read(record, (None, self.encoding), text)
    }
}

/// The field with the ranges that are not main text.
const BOILERPLATE: &str = "boilerplate";

/// The text to read if only these fields are wanted: marking costs as much as finding the main
/// text.
pub(super) fn needed(text: PageText, wanted: &[String]) -> PageText {
    let is_told = |name: &String| name == BOILERPLATE || name == "extraction";
    if text == PageText::Marked && !wanted.iter().any(is_told) {
        PageText::All
    } else {
        text
    }
}

/// The fields of a page.
pub(super) fn fields_of(page: &Page) -> Vec<(&'static str, Option<String>)> {
    let about = page.about.clone();
    let mut fields = vec![
        ("url", about.url),
        ("date", about.date),
        ("title", about.title),
        ("language", about.language),
        ("charset", Some(about.charset.to_owned())),
        (
            "extraction",
            Some(if page.is_main { "main" } else { "all" }.to_owned()),
        ),
    ];
    if let Some(ranges) = &page.boilerplate {
        let mut points = CodePoints::new(&page.text);
        let ranges = ranges.iter();
        let items = ranges.map(|at| {
            let (start, end) = (points.of(at.start), points.of(at.end));
            format!("{{\"start\":{start},\"end\":{end}}}")
        });
        let items = items.collect::<Vec<_>>().join(",");
        fields.push((BOILERPLATE, Some(format!("[{items}]"))));
    }
    fields
}

/// The values of all fields for other formats.
pub(super) fn all_fields<'a>(
    id: Option<&str>,
    text: &str,
    fields: impl IntoIterator<Item = (&'static str, Option<String>)>,
) -> Fields<'a> {
    let value = |name: &str, value: Option<String>| match value {
        None => FieldValue::Null,
        Some(value) if name == BOILERPLATE => FieldValue::Json(value.into()),
        Some(value) => FieldValue::Text(value.into()),
    };
    let own = [
        ("id", id.map(str::to_owned)),
        ("text", Some(text.to_owned())),
    ];
    (own.into_iter().chain(fields))
        .map(|(name, found)| (name.into(), value(name, found)))
        .collect()
}

/// The error for an edit inside a text that was extracted from its record.
pub(super) fn no_place() -> Error {
    Error::usage("parts of texts cannot be removed inside web pages, archives and mail").hint(
        "write the texts to JSON Lines or Parquet with the name of ⟨output⟩, or remove whole documents",
    )
}

/// The entries for a record next to the output.
pub(super) fn standoff_of(len: usize, id: Option<String>, marks: &Marks) -> Result<Vec<Note>> {
    if marks.spans.is_some() {
        return Err(no_place());
    }
    Ok(notes(0..len, id, marks))
}

impl Format for Html {
    fn cut(&self, text: &[u8], place: Place) -> Cut {
        Cut::of_file(text, place)
    }

    fn decode(&self, record: &str, batch: &mut Batch) -> Result<bool> {
        self.decode_bytes(&bytes(record), batch)
    }

    fn decode_bytes(&self, record: &[u8], batch: &mut Batch) -> Result<bool> {
        let page = self.read(record, needed(self.text, &self.wanted))?;
        batch.text.push_str(&page.text);
        batch.ids.push_str(&self.id);
        let fields = fields_of(&page);
        batch.fields.extend(self.wanted.iter().map(|wanted| {
            let found = fields.iter().find(|(name, _)| name == wanted);
            found.and_then(|(_, value)| value.clone())
        }));
        Ok(true)
    }

    fn file_is_record(&self) -> bool {
        true
    }

    fn burden(&self, record: &[u8]) -> u64 {
        page::burden(record, self.text)
    }

    fn fields<'a>(&'a self, record: &'a str) -> Result<Fields<'a>> {
        let page = self.read(&bytes(record), self.text)?;
        Ok(all_fields(Some(&self.id), &page.text, fields_of(&page)))
    }

    fn names(&self, _record: &str, _inner: bool) -> Vec<String> {
        let of_page = fields_of(&Page::default());
        let names = of_page.into_iter();
        names.map(|(name, _)| name.to_owned()).collect()
    }

    fn remove(&self, _record: &str, _cuts: &[Range<usize>]) -> Result<Vec<Patch>> {
        Err(no_place())
    }

    fn mark(&self, _record: &str, _marks: &Marks, _style: &MarkStyle) -> Result<Vec<Patch>> {
        Err(MarkPlace::Attribute.unknown("web pages", "standoff"))
    }

    fn standoff(&self, record: &str, marks: &Marks) -> Result<Vec<Note>> {
        standoff_of(bytes(record).len(), None, marks)
    }
}
