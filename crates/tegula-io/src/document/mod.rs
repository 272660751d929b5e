//! Documents of word processors and their like: from the bytes of a file to its text and metadata.
//!
//! ```text
//! .docx .pptx .odt .epub ── archive ──→ parts ── xml ──→ ooxml, odf, epub ──→ text
//! .rtf                                                              rtf ──→ text
//! .pdf                                                              pdf ──→ text
//! ```
//!
//! The text is that which a reader sees in the body: paragraphs with blank lines between them, then
//! notes. Headers, footers, comments and deleted text are left out.

mod archive;
mod epub;
mod odf;
mod ooxml;
mod paragraphs;
mod pdf;
mod rtf;
mod xml;

use crate::options::FormatName;
use archive::Archive;
use tegula::error::{Error, ErrorKind, Result};

/// A kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentKind {
    /// Office Open XML: texts (ECMA-376).
    Docx,
    /// Office Open XML: slides.
    Pptx,
    /// OpenDocument: texts and slides (ISO/IEC 26300).
    Odt,
    /// Electronic books (EPUB 2 and 3).
    Epub,
    /// Rich Text Format 1.9.
    Rtf,
    /// PDF: text without layout.
    Pdf,
}

impl DocumentKind {
    /// The kind of a file by its first bytes.
    pub(crate) fn of_content(head: &[u8]) -> Option<Self> {
        let has = |part: &str| memchr::memmem::find(head, part.as_bytes()).is_some();
        let odf = "mimetypeapplication/vnd.oasis.opendocument.";
        if head.starts_with(b"%PDF-") {
            Some(Self::Pdf)
        } else if head.starts_with(b"{\\rtf") {
            Some(Self::Rtf)
        } else if !head.starts_with(b"PK\x03\x04") {
            None
        } else if has("mimetypeapplication/epub+zip") {
            Some(Self::Epub)
        } else if has(&format!("{odf}text")) || has(&format!("{odf}presentation")) {
            Some(Self::Odt)
        } else if has("word/document") {
            Some(Self::Docx)
        } else if has("ppt/presentation") {
            Some(Self::Pptx)
        } else {
            None
        }
    }

    /// The format of its files.
    pub(crate) fn format(self) -> FormatName {
        match self {
            Self::Docx => FormatName::Docx,
            Self::Pptx => FormatName::Pptx,
            Self::Odt => FormatName::Odt,
            Self::Epub => FormatName::Epub,
            Self::Rtf => FormatName::Rtf,
            Self::Pdf => FormatName::Pdf,
        }
    }
}

/// What a document says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Document {
    /// Its text.
    pub(crate) text: String,
    /// Its title.
    pub(crate) title: Option<String>,
    /// Its first author.
    pub(crate) author: Option<String>,
    /// When it was made, as written.
    pub(crate) date: Option<String>,
}

/// How an encrypted Office document begins, and an old one: both are OLE compound files.
const OLE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// Reads a document.
///
/// # Errors
/// If it is damaged, encrypted, or has no text.
pub(crate) fn read(kind: DocumentKind, bytes: &[u8]) -> Result<Document> {
    if bytes.starts_with(OLE) {
        return Err(
            Error::data("the document is encrypted, or in an old format of Office")
                .hint("save it as .docx or .pptx, without a password"),
        );
    }
    let document = match kind {
        DocumentKind::Docx => ooxml::text(&mut Archive::open(bytes)?),
        DocumentKind::Pptx => ooxml::slides(&mut Archive::open(bytes)?),
        DocumentKind::Odt => odf::read(&mut Archive::open(bytes)?),
        DocumentKind::Epub => epub::read(&mut Archive::open(bytes)?),
        DocumentKind::Rtf => rtf::read(bytes),
        DocumentKind::Pdf => pdf::read(bytes),
    }?;
    if kind == DocumentKind::Pdf && document.text.trim().is_empty() {
        return Err(ErrorKind::Data
            .expected("text")
            .found("pages without any, such as scanned ones")
            .hint("recognise their text first, as ocrmypdf does"));
    }
    Ok(document)
}

/// Bytes of memory that reading a document takes, beyond its own.
pub(crate) fn burden(kind: DocumentKind, bytes: &[u8]) -> u64 {
    match kind {
        // Parts of text become text, tokens and their places.
        DocumentKind::Docx | DocumentKind::Pptx | DocumentKind::Odt | DocumentKind::Epub => {
            Archive::open(bytes).map_or(0, |archive| 4 * archive.text_bytes())
        }
        DocumentKind::Rtf => 2 * bytes.len() as u64,
        DocumentKind::Pdf => pdf::burden(bytes),
    }
}

#[cfg(test)]
mod tests;
