//! What `dedup` and `mark` share.

use super::{InputArgs, MachineArgs, PolicyArgs, RecipeArgs, RunArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;
use tegula::error::Error;
use tegula_io::rewrite::MarkPlace;
use tegula_run::{ListSpec, ListWhich, PairsKept};

/// What `dedup` and `mark` share.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct WriteArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// Output: a file for a single input file, else a folder that mirrors the input names; `-` is
    /// standard output
    #[arg(long, short, value_name = "OUTPUT", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Write into folders that hold other files: files written there by an earlier run of tegula
    /// are removed, all others are kept
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,

    /// List the ids of the duplicates (removed) or of all other units (kept), on standard output or
    /// in a file; may be repeated
    #[arg(long, value_name = "removed|kept[=FILE]", help_heading = "Output")]
    pub(crate) list: Vec<ListArg>,

    /// Write the digest and id of each unit to this file, one per line, sorted by digest, so that
    /// equal units are adjacent
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) fingerprints: Option<PathBuf>,

    /// Prefix for the names of the marks, `duplicate_of` and so on [default: none]
    #[arg(
        long,
        value_name = "PREFIX",
        default_value = "",
        hide_default_value = true,
        help_heading = "Output"
    )]
    pub(crate) mark_prefix: String,

    /// Vertical, CoNLL-U, TEI and WARC: where to write marks
    #[arg(
        long,
        value_name = "PLACE",
        value_enum,
        default_value_t,
        help_heading = "Output"
    )]
    pub(crate) mark_place: MarkPlaceArg,

    #[command(flatten)]
    pub(crate) recipe: RecipeArgs,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    /// Which pairs to keep in the --run folder
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        default_value_t,
        requires = "run",
        help_heading = "Evidence and summary"
    )]
    pub(crate) evidence: Kept,

    /// Decide again from the evidence of an earlier run, at the same or a higher threshold or by
    /// another policy; reads texts only to write them
    #[arg(long, value_name = "RUN", help_heading = "Evidence and summary")]
    pub(crate) from: Option<PathBuf>,

    /// New location of the inputs of the --from run, if they have moved
    #[arg(
        long,
        value_name = "DIR",
        requires = "from",
        help_heading = "Evidence and summary"
    )]
    pub(crate) root: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

/// Which pairs a run keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kept {
    /// The witness of each duplicate, in the verdicts
    #[default]
    Witness,
    /// All pairs at or above the threshold; needed for --from
    All,
}

impl From<Kept> for PairsKept {
    fn from(kept: Kept) -> Self {
        match kept {
            Kept::Witness => Self::Witness,
            Kept::All => Self::All,
        }
    }
}

/// Which ids to list, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListArg(pub(crate) ListSpec);

impl FromStr for ListArg {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (which, file) = text
            .split_once('=')
            .map_or((text, "-"), |(which, file)| (which, file));
        let which = match which {
            "removed" => ListWhich::Removed,
            "kept" => ListWhich::Kept,
            _ => {
                return Err(Error::usage(format!(
                    "expected removed, kept, removed=FILE or kept=FILE, found '{text}'"
                )));
            }
        };
        if file.is_empty() {
            return Err(Error::usage(format!(
                "expected the name of a file after the equals sign, found '{text}'"
            )));
        }
        Ok(Self(ListSpec {
            which,
            path: file.into(),
        }))
    }
}

/// Where a file's marks are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MarkPlaceArg {
    /// On the structure: attributes of the tag, comments in CoNLL-U, fields elsewhere
    #[default]
    Attribute,
    /// Vertical: a new first column, 1 for a duplicate, else 0
    FirstColumn,
    /// Vertical: a new last column, 1 for a duplicate, else 0
    LastColumn,
    /// CoNLL-U: the last column of every token of a duplicate
    Misc,
    /// TEI, web pages and archives (their default): a file next to the output, OUTPUT.standoff
    Standoff,
    /// WARC: the record of a duplicate becomes a revisit record that refers to its witness
    Revisit,
}

impl From<MarkPlaceArg> for MarkPlace {
    fn from(place: MarkPlaceArg) -> Self {
        match place {
            MarkPlaceArg::Attribute => Self::Attribute,
            MarkPlaceArg::FirstColumn => Self::FirstColumn,
            MarkPlaceArg::LastColumn => Self::LastColumn,
            MarkPlaceArg::Misc => Self::Misc,
            MarkPlaceArg::Standoff => Self::Standoff,
            MarkPlaceArg::Revisit => Self::Revisit,
        }
    }
}
