//! The names of formats.

use tegula::declare::Options;

tegula::choices! {
    /// A file format.
    pub enum FormatName {
        /// One JSON object per line
        Jsonl = "jsonl",
        /// JSON in any layout: an array of objects, or objects one after the other
        Json = "json",
        /// Comma-separated, or with another delimiter
        Csv = "csv",
        /// Tab-separated
        Tsv = "tsv",
        /// Apache Parquet
        Parquet = "parquet",
        /// Plain text, one document per file
        Text = "text",
        /// One token per line, structure in tags
        Vertical = "vertical",
        /// One word per line in ten columns, comments before each sentence
        Conllu = "conllu",
        /// TEI P5 and I5 in XML
        Tei = "tei",
        /// Web pages, one per file
        Html = "html",
        /// Web archives: WARC, WET
        Warc = "warc",
        /// Mail, one message per file; Maildir
        Eml = "eml",
        /// Mailboxes: mail, many messages per file
        Mbox = "mbox",
        /// Word documents; read, not written
        Docx = "docx",
        /// OpenDocument texts and slides; read, not written
        Odt = "odt",
        /// PowerPoint slides; read, not written
        Pptx = "pptx",
        /// Electronic books; read, not written
        Epub = "epub",
        /// Rich text; read, not written
        Rtf = "rtf",
        /// PDF, its text without layout; read, not written
        Pdf = "pdf",
    }
}

impl FormatName {
    /// Whether it is one of word processors and their like, which is read and not written.
    pub fn is_document(self) -> bool {
        matches!(
            self,
            Self::Docx | Self::Odt | Self::Pptx | Self::Epub | Self::Rtf | Self::Pdf
        )
    }

    /// Whether its records are messages.
    pub fn is_mail(self) -> bool {
        matches!(self, Self::Eml | Self::Mbox)
    }
}

/// Options for files of some formats.
pub trait OfFormats: Options {
    /// The formats.
    const FORMATS: &'static [FormatName];
}
