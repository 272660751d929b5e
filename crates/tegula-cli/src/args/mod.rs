//! The command line as typed. Nothing here touches the system; [`crate::options`] interprets it.

mod format;
mod input;
mod machine;
mod policy;
mod recipe;
mod run;
mod table;
mod tags;
mod values;
mod write;

pub(crate) use format::{AttachmentsArg, FormatArgs, QuotedArg, ReadingArg, TextArg};
pub(crate) use input::{BadRecords, InputArgs};
pub(crate) use machine::{MachineArgs, ProgressMode};
pub(crate) use policy::{ConstraintArgs, PolicyArgs};
pub(crate) use recipe::{Fingerprint, RecipeArgs, TokenSource, Unit};
pub(crate) use run::RunArgs;
pub(crate) use table::{FormulaArgs, TableArgs};
pub(crate) use tags::{NGRAM, TagArgs};
pub(crate) use values::{Memory, Setting, threshold};
pub(crate) use write::{MarkPlaceArg, WriteArgs};
