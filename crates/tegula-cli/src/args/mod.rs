//! The command line as typed. Nearly all options are declared by the library ([`Declared`]); what they
//! mean is said there.

mod declared;
mod machine;
mod summary;

pub(crate) use declared::Declared;
pub(crate) use machine::{MachineArgs, ProgressArgs, ProgressMode};
pub(crate) use summary::SummaryArgs;
