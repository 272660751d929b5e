//! Web pages as files: each is a document, and its name the id. The text is that of its article, or
//! all that it shows.

use super::extracted::{BOILERPLATE, Extract, Extracted};
use super::marks::CodePoints;
use super::{MarkPlace, Settings};
use crate::format::facts::{self, FormatFacts};
use crate::options::{FormatName, PageText, ReadOptions};
use crate::page::{self, Page};
use encoding_rs::Encoding;
use tegula::error::Result;

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

/// Extracts the text of pages.
#[derive(Debug)]
pub(super) struct Pages {
    text: PageText,
    encoding: Option<&'static Encoding>,
}

impl Pages {
    /// With these options.
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            text: settings.options.page.text.unwrap_or_default(),
            encoding: settings.encoding,
        }
    }
}

impl Extract for Pages {
    fn read(&self, file: &[u8], wanted: Option<&[String]>) -> Result<Extracted> {
        let text = wanted.map_or(self.text, |wanted| needed(self.text, wanted));
        let page = page::read(file, (None, self.encoding), text)?;
        let fields = fields_of(&page);
        Ok(Extracted {
            text: page.text,
            fields,
        })
    }

    fn names(&self) -> Vec<&'static str> {
        let of_page = fields_of(&Page::default());
        of_page.into_iter().map(|(name, _)| name).collect()
    }

    fn burden(&self, file: &[u8]) -> u64 {
        page::burden(file, self.text)
    }

    fn noun(&self) -> &'static str {
        "web pages"
    }
}

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
