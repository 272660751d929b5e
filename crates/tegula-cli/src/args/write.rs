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

    /// Where the collection is written to: a file for one input file, else a folder that mirrors the names; `-` is standard output
    #[arg(long, short, value_name = "OUTPUT", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Write into folders that hold other files: those that an earlier run of tegula wrote there are removed, all others stay
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,

    /// List the ids of the duplicates (removed) or of all others (kept), on standard output or in a file
    #[arg(long, value_name = "removed|kept[=FILE]", help_heading = "Output")]
    pub(crate) list: Option<ListArg>,

    /// Write the digest of each unit and its id to this file, one a line, by digest: equal units stand together
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) fingerprints: Option<PathBuf>,

    /// What stands before the names of the marks, `duplicate_of` and so on [default: nothing]
    #[arg(long, value_name = "PREFIX", default_value = "", hide_default_value = true, help_heading = "Output")]
    pub(crate) mark_prefix: String,

    /// Vertical, CoNLL-U and TEI: where marks go
    #[arg(long, value_name = "PLACE", value_enum, default_value_t, help_heading = "Output")]
    pub(crate) mark_place: MarkPlaceArg,

    #[command(flatten)]
    pub(crate) recipe: RecipeArgs,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    /// Which pairs the --run folder keeps
    #[arg(long, value_name = "WHAT", value_enum, default_value_t, requires = "run", help_heading = "Evidence and summary")]
    pub(crate) evidence: Kept,

    /// Decide again on the evidence of an earlier run, at the same or a higher threshold or by another policy; reads no text but to write it
    #[arg(long, value_name = "RUN", help_heading = "Evidence and summary")]
    pub(crate) from: Option<PathBuf>,

    /// The folder that the inputs of the --from run have moved to
    #[arg(long, value_name = "DIR", requires = "from", help_heading = "Evidence and summary")]
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

/// Which ids are listed, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListArg(pub(crate) ListSpec);

impl FromStr for ListArg {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (which, file) = text.split_once('=').map_or((text, "-"), |(which, file)| (which, file));
        let which = match which {
            "removed" => ListWhich::Removed,
            "kept" => ListWhich::Kept,
            _ => return Err(Error::usage(format!("expected removed, kept, removed=FILE or kept=FILE, found '{text}'"))),
        };
        if file.is_empty() {
            return Err(Error::usage(format!("expected the name of a file behind the equals sign, found '{text}'")));
        }
        Ok(Self(ListSpec { which, path: file.into() }))
    }
}

/// Where a file carries its marks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MarkPlaceArg {
    /// With the structure: attributes of its tag, comments in CoNLL-U, fields elsewhere
    #[default]
    Attribute,
    /// Vertical: in a first column, 1 for a duplicate, else 0
    FirstColumn,
    /// Vertical: in a last column, 1 for a duplicate, else 0
    LastColumn,
    /// CoNLL-U: in the last column of every token of a duplicate
    Misc,
    /// TEI: in a file beside the output, OUTPUT.standoff
    Standoff,
}

impl From<MarkPlaceArg> for MarkPlace {
    fn from(place: MarkPlaceArg) -> Self {
        match place {
            MarkPlaceArg::Attribute => Self::Attribute,
            MarkPlaceArg::FirstColumn => Self::FirstColumn,
            MarkPlaceArg::LastColumn => Self::LastColumn,
            MarkPlaceArg::Misc => Self::Misc,
            MarkPlaceArg::Standoff => Self::Standoff,
        }
    }
}
