//! Which records of indexes may match a text: tasks ask the indexes, each for the texts of a split, and
//! all later tasks read only these records as references.

use super::driver::Cluster;
use super::job::{Agreed, Task, stage};
use super::message::{Kind, Sent, from_bytes};
use super::plan::Worker;
use crate::opened::inputs::InIndexes;
use crate::opened::split::Part;
use tegula::Result;

impl Cluster<'_> {
    /// Has tasks ask the indexes, for a run to which only pairs matter.
    ///
    /// # Errors
    /// If tasks fail.
    pub(super) fn ask_indexes(&mut self) -> Result<()> {
        let task = stage(Task::Ask, &Agreed::default())?;
        self.flow("references", self.splits(), vec![task])?;
        let mut all: InIndexes = Vec::new();
        self.read("references", Kind::InIndexes, &mut |message| {
            let some: InIndexes = from_bytes(&message.bytes)?;
            all.resize(some.len(), None);
            for (all, some) in all.iter_mut().zip(some) {
                if let Some(some) = some {
                    all.get_or_insert_default().extend(some);
                }
            }
            Ok(())
        })?;
        for numbers in all.iter_mut().flatten() {
            numbers.sort_unstable();
            numbers.dedup();
        }
        self.take_references(all)
    }
}

/// Asks the indexes for the texts of a split.
pub(super) fn ask(worker: &Worker, split: u64, sent: &mut Sent) -> Result<()> {
    let (part, are_references) = worker.split(split)?;
    if are_references {
        return Ok(());
    }
    let inputs = worker.inputs()?;
    let context = &worker.host.context;
    let found = inputs.ask_indexes(
        context,
        &Part {
            inputs,
            split: part,
        },
        &worker.recipe,
    )?;
    sent.value(Kind::InIndexes, split, &found)
}
