//! Runs whose texts are read and compared on a cluster, with the same findings as on one machine.
//!
//! ```text
//! sections    part of a large file → where records begin, if there are such files
//! references  split → records of indexes that may match, if there are indexes
//! survey      split → what is said of its records        the driver groups equal texts
//! lists       split → features → shared → chains → lists the driver ranks features
//! matches     lists → ranked → postings → candidates → texts sent → matches
//! written     split → files                              the driver renames them into place
//! ```
//!
//! An [`Engine`], such as Spark, moves [messages](Message) and brings those with the same key
//! together; it decides nothing. What is done with them is a [`Runner`]'s task, a
//! [step](tegula::steps) over all messages of a key, so neither order, nor batches, nor partitions,
//! nor repeated attempts matter. A *flow* is a sequence of tasks whose result is kept, and from which
//! a run goes on if its driver is lost.
//!
//! The driver holds tables of all units, as a run on one machine does, and no texts: about 100 bytes
//! for a unit. Tasks hold a split of the files, or a partition of the features.

mod at;
mod cost;
mod driver;
mod here;
mod job;
mod message;
mod plan;
mod references;
mod rows;
mod runner;
mod search;
mod sections;
mod staging;
mod verify;
mod write;
mod writing;

pub use cost::{CORES, Cost};
pub use here::Here;
pub use message::{Kind, Message};
pub use plan::Worker;
pub use runner::Runner;

pub(crate) use driver::Cluster;
pub(crate) use plan::check;

use std::path::PathBuf;
use tegula::Result;

/// Moves messages between tasks, and brings those with the same key together.
pub trait Engine: Send + Sync {
    /// Bytes of files that a task reads, unless one has more.
    fn split_bytes(&self) -> u64 {
        64 << 20
    }

    /// Runs a flow, and keeps what its last task sends.
    ///
    /// # Errors
    /// If tasks fail, or there are no workers.
    fn run(&self, flow: &Flow) -> Result<()>;

    /// Passes on the messages of a kind that a flow has kept, in order of their keys.
    ///
    /// # Errors
    /// If they cannot be read; those of `each`.
    fn read(
        &self,
        flow: &str,
        kind: Kind,
        each: &mut dyn FnMut(Message) -> Result<()>,
    ) -> Result<()>;
}

/// A sequence of tasks.
#[derive(Debug, Clone)]
pub struct Flow {
    /// The name of what is kept.
    pub name: String,
    /// Where it is kept, if it is kept in files: the same folder for flows that keep the same.
    pub folder: PathBuf,
    /// Partitions in which messages are brought together, unless the user says otherwise: enough for
    /// each to be sorted in memory.
    pub partitions: u32,
    /// The plan of the run, from which a [`Worker`] is made.
    pub plan: Vec<u8>,
    /// What the first task takes.
    pub from: From,
    /// The tasks.
    pub stages: Vec<Stage>,
}

/// Where the messages of a flow come from.
#[derive(Debug, Clone)]
pub enum From {
    /// From the driver: a part of the work each.
    Driver(Vec<Message>),
    /// From an earlier flow: those of a kind.
    Kept(String, Kind),
}

/// A task of a flow.
#[derive(Debug, Clone)]
pub struct Stage {
    /// The task, from which a [`Runner`] is made.
    pub job: Vec<u8>,
    /// Whether the messages of a key are brought together before it; otherwise it takes each alone.
    pub brings_together: bool,
    /// What it takes besides: the messages of a kind that another flow has kept.
    pub with: Option<(String, Kind)>,
}
