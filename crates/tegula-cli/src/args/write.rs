//! What `dedup` and `mark` share.

use super::declared::any;
use super::{ConstraintArgs, Declared, InputArgs, MachineArgs, RecipeArgs, RunArgs};
use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;
use tegula::error::Error;
use tegula_io::rewrite::MarkPlace;
use tegula_run::options::KeepOptions;
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

    /// Vertical, CoNLL-U, TEI and WARC: where to write marks [default: attribute]
    #[arg(
        long,
        value_name = "PLACE",
        value_parser = any::<MarkPlace>(),
        help_heading = "Output"
    )]
    pub(crate) mark_place: Option<MarkPlace>,

    #[command(flatten)]
    pub(crate) recipe: RecipeArgs,

    #[command(flatten)]
    pub(crate) keep: Declared<KeepOptions>,

    #[command(flatten)]
    pub(crate) constraints: ConstraintArgs,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    /// Which pairs to keep in the --run folder [default: witness]
    #[arg(
        long,
        value_name = "WHAT",
        value_parser = any::<PairsKept>(),
        requires = "run",
        help_heading = "Evidence and summary"
    )]
    pub(crate) evidence: Option<PairsKept>,

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
