//! The command line as typed. Most options are declared by the libraries ([`Declared`]); what they
//! mean is said there.

mod declared;
mod input;
mod machine;
mod recipe;
mod run;
mod table;
mod tags;
mod values;
mod write;

pub(crate) use declared::{Declared, any, choice};
pub(crate) use input::InputArgs;
pub(crate) use machine::{MachineArgs, ProgressMode};
pub(crate) use recipe::RecipeArgs;
pub(crate) use run::RunArgs;
pub(crate) use table::{FormulaArgs, TableArgs};
pub(crate) use tags::{NGRAM, TagArgs};
pub(crate) use values::{Memory, threshold};
pub(crate) use write::WriteArgs;

/// Which pairs count.
pub(crate) type ConstraintArgs = Declared<tegula_run::options::PairOptions>;
