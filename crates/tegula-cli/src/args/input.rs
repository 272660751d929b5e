//! Options for the inputs.

use super::FormatArgs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use tegula_io::options::FormatName;
use tegula_run::BadRecordPolicy;

/// Options for the inputs.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputArgs {
    /// Files, folders, or `-` for standard input
    ///
    /// A folder stands for all files in it, in byte order of their names. Hidden files, files with
    /// unknown extensions, and files that describe a data set (README.md, dataset_infos.json,
    /// licences) are skipped and listed. Compressed files (.gz, .zst, .bz2, .xz) are read directly.
    #[arg(value_name = "INPUT", help_heading = None::<&str>)]
    pub(crate) inputs: Vec<PathBuf>,

    /// Format of all inputs [default: by file name or, failing that, content]
    #[arg(long, value_name = "NAME", value_parser = formats())]
    pub(crate) format: Option<FormatName>,

    /// In folders, read only files that match: '*.parquet', 'data/train-*', 'sub/**'; may be
    /// repeated
    ///
    /// With --format, this includes files with unknown extensions.
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,

    /// In folders, skip files that match; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,

    /// Encoding of all text inputs: auto, utf-8, windows-1252, iso-8859-15, gb18030, utf-16le, ...
    #[arg(long, value_name = "LABEL", default_value = "auto")]
    pub(crate) encoding: String,

    /// Field with the text: a top-level key, or a JSON Pointer such as /doc/body; repeat to join
    /// several [default: text]
    #[arg(long, value_name = "KEY")]
    pub(crate) text_key: Vec<String>,

    /// Field with the id of a record [default: id, or file and row without one]
    #[arg(long, value_name = "KEY")]
    pub(crate) id_key: Option<String>,

    /// Fields from file names: a regular expression whose named groups match parts of the path,
    /// (?<paper>T\d+)/(?<month>[A-Z]+)
    ///
    /// The path is relative to the input folder. Even without this option, every record has
    /// file.path, file.name, file.folder, file.mtime and file.size; plain texts have these also
    /// without `file.`, as in --keep oldest:mtime.
    #[arg(long, value_name = "REGEX")]
    pub(crate) field_from_name: Option<String>,

    /// Read only the first N records
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,

    /// What to do with an unreadable record
    #[arg(long, value_name = "POLICY", value_enum, default_value_t)]
    pub(crate) on_bad_record: BadRecords,

    /// Folder for the bytes of bad records under --on-bad-record quarantine [default:
    /// OUTPUT.quarantine]
    #[arg(long, value_name = "DIR")]
    pub(crate) quarantine: Option<PathBuf>,

    /// Refuse inputs in which two records have the same id
    #[arg(long)]
    pub(crate) strict_ids: bool,

    #[command(flatten)]
    pub(crate) of_formats: FormatArgs,
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
