//! Documents of word processors and their like as files.

use super::MarkPlace;
use super::extracted::{Extract, Extracted};
use super::facts::{FormatFacts, never};
use crate::document::{self, Document, DocumentKind};
use crate::options::{FormatName, ReadOptions};
use tegula::error::Result;

const fn facts(
    name: FormatName,
    noun: &'static str,
    endings: &'static [&'static str],
) -> FormatFacts {
    FormatFacts {
        name,
        noun,
        endings,
        recognises: never,
        has_fields: false,
        has_marks: false,
        has_tokens: false,
        is_bytes: true,
        places: &[MarkPlace::Standoff],
        texts,
    }
}

/// What is known about the formats before a file is opened.
pub(super) const DOCX: FormatFacts = facts(
    FormatName::Docx,
    "a Word document",
    &["docx", "docm", "dotx"],
);
pub(super) const PPTX: FormatFacts = facts(
    FormatName::Pptx,
    "a PowerPoint file",
    &["pptx", "pptm", "ppsx"],
);
pub(super) const ODT: FormatFacts = facts(
    FormatName::Odt,
    "an OpenDocument file",
    &["odt", "ott", "odp"],
);
pub(super) const EPUB: FormatFacts = facts(FormatName::Epub, "an electronic book", &["epub"]);
pub(super) const RTF: FormatFacts = facts(FormatName::Rtf, "a rich text file", &["rtf"]);
pub(super) const PDF: FormatFacts = FormatFacts {
    texts: |_| "the text, without layout".into(),
    ..facts(FormatName::Pdf, "a PDF file", &["pdf"])
};

fn texts(_: &ReadOptions) -> String {
    "the text of documents".into()
}

impl Extract for DocumentKind {
    fn read(&self, file: &[u8], _wanted: Option<&[String]>) -> Result<Extracted> {
        let Document {
            text,
            title,
            author,
            date,
        } = document::read(*self, file)?;
        let fields = self
            .names()
            .into_iter()
            .zip([title, author, date])
            .collect();
        Ok(Extracted { text, fields })
    }

    fn names(&self) -> Vec<&'static str> {
        vec!["title", "author", "date"]
    }

    fn burden(&self, file: &[u8]) -> u64 {
        document::burden(*self, file)
    }

    fn noun(&self) -> &'static str {
        "documents"
    }
}
