//! Options for the inputs.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use tegula_io::options::{FormatName, PageText, Quoted, Reading, SKIPPED};
use tegula_run::BadRecordPolicy;

/// Options for the inputs.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct InputArgs {
    /// Files, folders, or `-` for standard input
    ///
    /// A folder stands for all files in it, in byte order of their names. Hidden files, files with
    /// unknown extensions, and files that describe a data set (README.md, dataset_infos.json,
    /// licences) are skipped and listed. Compressed files (.gz, .zst, .bz2, .xz) are read directly.
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// Format of all inputs [default: by file name or, failing that, content]
    #[arg(long, value_name = "NAME", value_parser = formats(), help_heading = "Input")]
    pub(crate) format: Option<FormatName>,

    /// In folders, read only files that match: '*.parquet', 'data/train-*', 'sub/**'; may be
    /// repeated
    ///
    /// With --format, this includes files with unknown extensions.
    #[arg(long, value_name = "GLOB", help_heading = "Input")]
    pub(crate) include: Vec<String>,

    /// In folders, skip files that match; may be repeated
    #[arg(long, value_name = "GLOB", help_heading = "Input")]
    pub(crate) exclude: Vec<String>,

    /// Encoding of all text inputs: auto, utf-8, windows-1252, iso-8859-15, gb18030, utf-16le, ...
    #[arg(
        long,
        value_name = "LABEL",
        default_value = "auto",
        help_heading = "Input"
    )]
    pub(crate) encoding: String,

    /// Field with the text: a top-level key, or a JSON Pointer such as /doc/body; repeat to join
    /// several [default: text]
    #[arg(long, value_name = "KEY", help_heading = "Input")]
    pub(crate) text_key: Vec<String>,

    /// Field with the id of a record [default: id, or file and row without one]
    #[arg(long, value_name = "KEY", help_heading = "Input")]
    pub(crate) id_key: Option<String>,

    /// Fields from file names: a regular expression whose named groups match parts of the path,
    /// (?<paper>T\d+)/(?<month>[A-Z]+)
    ///
    /// The path is relative to the input folder. Even without this option, every record has
    /// file.path, file.name, file.folder, file.mtime and file.size; plain texts have these also
    /// without `file.`, as in --keep oldest:mtime.
    #[arg(long, value_name = "REGEX", help_heading = "Input")]
    pub(crate) field_from_name: Option<String>,

    /// Read only the first N records
    #[arg(long, value_name = "N", help_heading = "Input")]
    pub(crate) limit: Option<u64>,

    /// What to do with an unreadable record
    #[arg(
        long,
        value_name = "POLICY",
        value_enum,
        default_value_t,
        help_heading = "Input"
    )]
    pub(crate) on_bad_record: BadRecords,

    /// Folder for the bytes of bad records under --on-bad-record quarantine [default:
    /// OUTPUT.quarantine]
    #[arg(long, value_name = "DIR", help_heading = "Input")]
    pub(crate) quarantine: Option<PathBuf>,

    /// Refuse inputs in which two records have the same id
    #[arg(long, help_heading = "Input")]
    pub(crate) strict_ids: bool,

    /// CSV: the delimiter between cells, or \t [default: detected]
    #[arg(long, value_name = "CHAR", help_heading = "CSV and vertical files")]
    pub(crate) delimiter: Option<String>,

    /// CSV: the quote character around cells [default: detected]
    #[arg(long, value_name = "CHAR", help_heading = "CSV and vertical files")]
    pub(crate) quote: Option<String>,

    /// CSV: the first row is data; columns are named 1, 2, ...
    #[arg(long, help_heading = "CSV and vertical files")]
    pub(crate) no_header: bool,

    /// Vertical: the tag of a document
    #[arg(
        long,
        value_name = "TAG",
        default_value = "doc",
        help_heading = "CSV and vertical files"
    )]
    pub(crate) doc_tag: String,

    /// Vertical and TEI: the tag of a paragraph; for TEI, a comma-separated list [default: p; in
    /// TEI p,ab,lg,l]
    #[arg(long, value_name = "TAG", help_heading = "CSV and vertical files")]
    pub(crate) par_tag: Option<String>,

    /// Vertical and TEI: the tag of a sentence; `none` splits sentences by rules
    #[arg(
        long,
        value_name = "TAG",
        default_value = "s",
        help_heading = "CSV and vertical files"
    )]
    pub(crate) sent_tag: String,

    /// Vertical: the tag that joins two tokens
    #[arg(
        long,
        value_name = "TAG",
        default_value = "g",
        help_heading = "CSV and vertical files"
    )]
    pub(crate) glue_tag: String,

    /// Vertical: the column with the word, by number (from 1) or by a name from --columns
    #[arg(
        long,
        value_name = "N|NAME",
        default_value = "1",
        help_heading = "CSV and vertical files"
    )]
    pub(crate) word_column: String,

    /// Vertical: the column with the part of speech, by number or name; simfinder weights words by
    /// it [default: the column of --columns named tag, pos, upos or xpos]
    #[arg(long, value_name = "N|NAME", help_heading = "CSV and vertical files")]
    pub(crate) tag_column: Option<String>,

    /// Vertical: the names of the columns, such as word,lemma,tag
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        help_heading = "CSV and vertical files"
    )]
    pub(crate) columns: Vec<String>,

    /// TEI: the element of a document [default: TEI in a teiCorpus, idsText in an idsCorpus,
    /// otherwise the file]
    #[arg(long, value_name = "NAME", help_heading = "TEI files")]
    pub(crate) doc_element: Option<String>,

    /// TEI: an element to skip, instead of the default ones; may be repeated
    #[arg(
        long,
        value_name = "NAME",
        default_values = SKIPPED,
        help_heading = "TEI files")]
    pub(crate) skip_element: Vec<String>,

    /// TEI: which readings of a choice to use as text
    #[arg(
        long,
        value_name = "WHICH",
        value_enum,
        default_value_t,
        help_heading = "TEI files"
    )]
    pub(crate) reading: ReadingArg,

    /// Web pages: which text to read
    #[arg(
        long,
        value_name = "WHICH",
        value_enum,
        default_value_t,
        help_heading = "Web pages and archives"
    )]
    pub(crate) text: TextArg,

    /// Mail: how to treat quoted replies, forwarded messages, signatures and list footers
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value_t,
        help_heading = "Mail"
    )]
    pub(crate) quoted: QuotedArg,
}

/// How quoted text in mail is treated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum QuotedArg {
    /// Compare them as part of the message
    #[default]
    Keep,
    /// Remove them from the text
    Drop,
    /// Make each quotation a separate paragraph, without its > marks
    Unit,
}

impl From<QuotedArg> for Quoted {
    fn from(quoted: QuotedArg) -> Self {
        match quoted {
            QuotedArg::Keep => Self::Keep,
            QuotedArg::Drop => Self::Drop,
            QuotedArg::Unit => Self::Unit,
        }
    }
}

/// Which text of a web page is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextArg {
    /// The article, without navigation, advertisements and footers; all text if no article is found
    #[default]
    Main,
    /// All that the page shows
    All,
    /// The same, with a field `boilerplate` that lists the spans outside the article
    Marked,
}

impl From<TextArg> for PageText {
    fn from(text: TextArg) -> Self {
        match text {
            TextArg::Main => Self::Main,
            TextArg::All => Self::All,
            TextArg::Marked => Self::Marked,
        }
    }
}

/// Which readings of a choice are text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReadingArg {
    /// corr, reg and expan
    #[default]
    Corrected,
    /// sic, orig and abbr
    Original,
}

impl From<ReadingArg> for Reading {
    fn from(reading: ReadingArg) -> Self {
        match reading {
            ReadingArg::Corrected => Self::Corrected,
            ReadingArg::Original => Self::Original,
        }
    }
}

/// The formats by their names, each with what a file of it is.
fn formats() -> impl TypedValueParser<Value = FormatName> {
    let value =
        |format: &FormatName| PossibleValue::new(format.facts().label).help(format.facts().title);
    PossibleValuesParser::new(FormatName::ALL.iter().map(value)).map(|named| {
        FormatName::ALL
            .into_iter()
            .find(|format| format.facts().label == named)
            .unwrap_or(FormatName::Text)
    })
}

impl From<BadRecords> for BadRecordPolicy {
    fn from(policy: BadRecords) -> Self {
        match policy {
            BadRecords::Fail => Self::Fail,
            BadRecords::Skip => Self::Skip,
            BadRecords::Quarantine => Self::Quarantine,
        }
    }
}

/// What to do with an unreadable record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum BadRecords {
    /// Stop, and name the file and the record
    #[default]
    Fail,
    /// Skip it, and count it
    Skip,
    /// Skip it, count it, and save its bytes to a folder
    Quarantine,
}
