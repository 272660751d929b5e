//! The formats. A byte format determines where records end, what a record contains, and which of
//! its bytes an edit changes; reading, encodings, numbering and copying are the same for all.

pub(crate) mod arrow;
mod conllu;
mod conllu_columns;
mod conllu_comment;
mod conllu_doc;
mod contract;
mod csv;
mod csv_dialect;
pub(crate) mod csv_options;
mod csv_row;
mod cuts;
mod documents;
mod eml;
mod extent;
mod extracted;
pub(crate) mod facts;
mod html;
pub(crate) mod joined;
pub(crate) mod json;
mod json_array;
mod json_value;
pub(crate) mod jsonl;
mod mark_place;
pub(crate) mod marks;
mod mbox;
pub(crate) mod parquet;
mod patch;
pub(crate) mod spot;
pub(crate) mod tei;
mod tei_doc;
pub(crate) mod tei_options;
mod tei_readings;
mod tei_tokens;
mod tei_walk;
mod text;
mod vertical;
mod vertical_doc;
pub(crate) mod vertical_options;
mod warc;
mod warc_record;
pub(crate) mod xml;

pub(crate) use contract::{Format, Settings, bytes, count_tag};
pub use csv_dialect::Dialect;
pub(crate) use cuts::{is_cut, moved};
pub(crate) use extent::{Cut, Line, PassOver, Passed, Place, Records};
pub(crate) use mark_place::{MarkColumn, MarkKind, MarkValue};
pub use mark_place::{MarkPlace, MarkStyle};
pub(crate) use patch::{Note, Patch};
#[cfg(test)]
pub(crate) use vertical_doc::entities;
pub(crate) use vertical_doc::opened;

use crate::document::DocumentKind;
use crate::options::FormatName;
use extracted::{Extract, ExtractedFile};
use facts::FormatFacts;
use std::sync::Arc;

impl FormatName {
    /// What is known about the format before a file is opened.
    pub fn facts(self) -> &'static FormatFacts {
        match self {
            Self::Jsonl => &jsonl::FACTS,
            Self::Json => &json_array::FACTS,
            Self::Csv => &csv::FACTS,
            Self::Tsv => &csv::TSV_FACTS,
            Self::Parquet => &parquet::FACTS,
            Self::Text => &text::FACTS,
            Self::Vertical => &vertical::FACTS,
            Self::Conllu => &conllu::FACTS,
            Self::Tei => &tei::FACTS,
            Self::Html => &html::FACTS,
            Self::Warc => &warc::FACTS,
            Self::Eml => &eml::FACTS,
            Self::Mbox => &mbox::FACTS,
            Self::Docx => &documents::DOCX,
            Self::Odt => &documents::ODT,
            Self::Pptx => &documents::PPTX,
            Self::Epub => &documents::EPUB,
            Self::Rtf => &documents::RTF,
            Self::Pdf => &documents::PDF,
        }
    }
}

/// Creates the format of one file. `sample` is the text of its beginning, `whole` says whether that
/// is the whole file.
pub(crate) fn build(
    name: FormatName,
    sample: &[u8],
    whole: bool,
    file: &str,
    settings: &Settings,
) -> Arc<dyn Format> {
    match name {
        FormatName::Json => Arc::new(json_array::JsonArray::new(sample, whole, settings)),
        FormatName::Csv | FormatName::Tsv => Arc::new(csv::Csv::new(name, sample, whole, settings)),
        FormatName::Text => Arc::new(text::Text::new(file, settings.options.needs.fields.len())),
        FormatName::Html => extracted(file, settings, html::Pages::new(settings)),
        FormatName::Docx => extracted(file, settings, DocumentKind::Docx),
        FormatName::Odt => extracted(file, settings, DocumentKind::Odt),
        FormatName::Pptx => extracted(file, settings, DocumentKind::Pptx),
        FormatName::Epub => extracted(file, settings, DocumentKind::Epub),
        FormatName::Rtf => extracted(file, settings, DocumentKind::Rtf),
        FormatName::Pdf => extracted(file, settings, DocumentKind::Pdf),
        FormatName::Warc => Arc::new(warc::Warc::new(settings)),
        FormatName::Eml => Arc::new(eml::Eml::new(file, settings)),
        FormatName::Mbox => Arc::new(mbox::Mbox::new(settings)),
        FormatName::Conllu => Arc::new(conllu::Conllu::new(sample, settings)),
        FormatName::Tei => Arc::new(tei::Tei::new(sample, settings)),
        FormatName::Vertical => Arc::new(vertical::Vertical::new(settings)),
        // Parquet is not a byte format; its files are handled elsewhere.
        FormatName::Jsonl | FormatName::Parquet => Arc::new(jsonl::Jsonl::new(settings)),
    }
}

fn extracted<E: Extract + 'static>(file: &str, settings: &Settings, extract: E) -> Arc<dyn Format> {
    Arc::new(ExtractedFile::new(file, settings, extract))
}
