//! Options for reading files: those of all formats, and a block for each format that has its own.

pub use crate::format::csv_options::CsvOptions;
pub use crate::format::tei_options::{Reading, TeiOptions};
pub use crate::format::vertical_options::{Column, TagOptions, VerticalOptions};
pub use crate::format_name::{FormatName, OfFormats};
pub use crate::mail::options::{Attachments, MailOptions, Quoted};
pub use crate::page::options::{PageOptions, PageText};

use tegula::date::DateFormat;
use tegula::error::Result;

tegula::options! {
    /// Options for reading files; what is not given is determined from the file.
    pub struct ReadOptions under "Input" {
        /// Format of all inputs [default: by file name or, failing that, content]
        pub format: Option<FormatName> => "NAME",

        /// In folders, read only files that match: '*.parquet', 'data/train-*', 'sub/**'; may be
        /// repeated
        ///
        /// With ⟨format⟩, this includes files with unknown extensions.
        pub include: Vec<String> => "GLOB",

        /// In folders, skip files that match; may be repeated
        pub exclude: Vec<String> => "GLOB",

        /// Encoding of all text inputs: auto, utf-8, windows-1252, iso-8859-15, gb18030, utf-16le, ...
        /// [default: auto]
        pub encoding: Option<String> => "LABEL",

        /// Field with the text: a top-level key, or a JSON Pointer such as /doc/body; repeat to join
        /// several [default: text]
        pub text_key: Vec<String> => "KEY",

        /// Field with the id of a record [default: id, or file and row without one]
        pub id_key: Option<String> => "KEY",

        /// Fields from file names: a regular expression whose named groups match parts of the path,
        /// `(?<paper>T\d+)/(?<month>[A-Z]+)`
        ///
        /// The path is relative to the input folder. Even without this option, every record has
        /// file.path, file.name, file.folder, file.mtime and file.size; plain texts also have them
        /// without `file.`, as in ⟨keep⟩ oldest:mtime. Keys in folder names, as in
        /// year=2020/lang=de/a.parquet, become fields of records that have none of that name.
        pub field_from_name: Option<String> => "REGEX",

        /// Read only the first N records
        pub limit: Option<u64> => "N",
    }
    blocks {
        /// CSV and TSV.
        pub csv: CsvOptions,
        /// Vertical files and TEI.
        pub tags: TagOptions,
        /// Vertical files.
        pub vertical: VerticalOptions,
        /// TEI.
        pub tei: TeiOptions,
        /// Web pages and archives.
        pub page: PageOptions,
        /// Mail.
        pub mail: MailOptions,
    }
    besides {
        /// How dates in fields are written, as [`DateFormat`] has it; empty where their form is
        /// known.
        pub date_formats: Vec<String>,
        /// What a command and its recipe need of the texts.
        pub needs: Needs,
    }
}

/// What a command and its recipe need of the texts, besides what users ask for.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is independent of the others"
)]
pub struct Needs {
    /// Metadata fields to read with every record, top-level names or JSON Pointers.
    pub fields: Vec<String>,
    /// Whether only documents are read, not tables of data (JSON, CSV, Parquet): then files with
    /// unknown extensions are read if they are text, links are not followed, hard links are read
    /// once, and a record without a date gets the date of its file.
    pub documents: bool,
    /// Whether to read word classes from tags, if there are any.
    pub classes: bool,
    /// Vertical: read each line as one token (joined by line feeds) instead of running text.
    pub as_is: bool,
    /// Vertical and CoNLL-U: also read the tokens marked by lines, in addition to the running text.
    pub own_tokens: bool,
    /// Whether each character of the texts will be a token, which needs more memory for a long
    /// record.
    pub characters: bool,
    /// Parquet: a row counts as read only if all its columns can be, or may be null, as it will be
    /// written back.
    pub whole_rows: bool,
    /// Mail: how many words must remain of a message without quoted text, for it to be compared
    /// without; else it is compared as a whole, and only with equal ones. The run itself sets it, to
    /// the length of a shingle.
    pub least_reply: u32,
}

impl ReadOptions {
    /// The label of the encoding, or `auto`.
    pub fn encoding(&self) -> &str {
        self.encoding.as_deref().unwrap_or("auto")
    }

    /// The fields of the text, of which there is at least one.
    pub(crate) fn text_keys(&self) -> Vec<&str> {
        match self.text_key.as_slice() {
            [] => vec!["text"],
            keys => keys.iter().map(String::as_str).collect(),
        }
    }

    /// The field in which messages must agree to be compared, whatever the user asks, if there are
    /// messages that are more than their text; its values are of use only to be compared.
    pub const MAIL_APART: &'static str = "mail.apart";

    /// Whether messages may be more than their text.
    pub fn parts_mail(&self) -> bool {
        self.mail.attachments() == Attachments::Compare || self.mail.quoted() != Quoted::Keep
    }

    /// The format of dates.
    ///
    /// # Errors
    /// Names an invalid format.
    pub fn dates(&self) -> Result<DateFormat> {
        self.date_formats
            .iter()
            .map(|format| format.parse::<DateFormat>())
            .collect()
    }
}
