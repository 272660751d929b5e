//! The command line as typed. Most options are declared by the libraries ([`Declared`]); what they
//! mean is said there.

mod declared;
mod machine;
mod recipe;
mod summary;
mod tags;
mod values;

pub(crate) use declared::Declared;
pub(crate) use machine::{MachineArgs, ProgressArgs, ProgressMode};
pub(crate) use recipe::RecipeArgs;
pub(crate) use summary::SummaryArgs;
pub(crate) use tags::{NGRAM, TagArgs};
pub(crate) use values::threshold;

/// What to read, and how.
pub(crate) type InputArgs = Declared<tegula_run::options::InputOptions>;
/// The destination of a table.
pub(crate) type TableArgs = Declared<tegula_run::options::TableOptions>;
/// What is done with formulas in TSV.
pub(crate) type FormulaArgs = Declared<tegula_run::options::FormulaOptions>;
/// Which pairs count.
pub(crate) type ConstraintArgs = Declared<tegula_run::options::PairOptions>;
