//! Writes the files of a collection, split by split: a task leaves each beside its final name, and the
//! driver renames all of them at the end.

use super::From;
use super::driver::{Cluster, stage};
use super::message::{Kind, Message, Received, Sent, from_bytes, to_bytes};
use super::plan::Worker;
use super::task::{Agreed, Task};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use tegula::Result;
use tegula_io::edit::Edit;
use tegula_io::outputs::{HandedOver, Outputs};
use tegula_io::rewrite::{RewriteOptions, Written, rewrite_files};
use tegula_io::target::Target;

/// Edits in a message.
const TOGETHER: usize = 1 << 12;

/// How files are written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Writing {
    /// The token in the names of unfinished files.
    token: String,
    target: Target,
    options: RewriteOptions,
}

/// The edits of some records of a file: that of records that are not listed, and others by number.
type Edits = (u32, Edit, Vec<(u64, Edit)>);

/// Writes the files of a split.
pub(super) fn write(
    worker: &Worker,
    writing: &Writing,
    split: u64,
    received: &Received,
    sent: &mut Sent,
) -> Result<()> {
    let (mut others, mut edits) = (HashMap::new(), HashMap::new());
    for (file, other, some) in received.values::<Edits>(Kind::Edits)? {
        others.insert(file, other);
        edits.extend(
            some.into_iter()
                .map(|(number, edit)| ((file, number), edit)),
        );
    }
    let edit = |file: u32, number: u64| {
        let edit = edits.get(&(file, number)).or_else(|| others.get(&file));
        edit.cloned().unwrap_or(Edit::Keep)
    };
    let outputs = Outputs::part_of(&writing.token);
    let (files, _) = worker.files(split);
    let collection = &worker.inputs()?.main;
    let written = rewrite_files(
        (collection, files),
        (&outputs, &writing.target),
        &edit,
        &writing.options,
    )?;
    sent.value(Kind::Written, split, &(outputs.hand_over()?, written))
}

impl Cluster<'_> {
    /// Writes the collection with edits; `numbers` are those of the records of a file.
    pub(crate) fn write(
        &self,
        name: &str,
        (outputs, target): (&Outputs, &Target),
        numbers: &dyn Fn(u32) -> Vec<u64>,
        edit: &(dyn Fn(u32, u64) -> Edit + Sync),
        options: &RewriteOptions,
    ) -> Result<Written> {
        let mut messages = Vec::new();
        for (key, (first, end)) in (0..).zip(&self.plan.splits) {
            if self.plan.are_references(*first) {
                break;
            }
            for file in *first..*end {
                // That of a record which no stage has seen.
                let other = edit(file, u64::MAX);
                let of = |number: u64| (number, edit(file, number));
                let edits: Vec<(u64, Edit)> = numbers(file)
                    .into_iter()
                    .map(of)
                    .filter(|(_, edit)| *edit != other)
                    .collect();
                let none: &[(u64, Edit)] = &[];
                let parts = edits
                    .chunks(TOGETHER)
                    .chain(edits.is_empty().then_some(none));
                for some in parts {
                    messages.push(Message {
                        kind: Kind::Edits,
                        key,
                        bytes: to_bytes(&(file, &other, some))?.into(),
                    });
                }
            }
        }
        let writing = Writing {
            token: outputs.begin_parts(target.folder())?,
            target: target.absolute()?,
            options: options.clone(),
        };
        let stages = vec![stage(Task::Write(writing), &Agreed::default())?];
        self.flow(name, From::Driver(messages), stages)?;
        let mut all = Written::default();
        self.read(name, Kind::Written, &mut |message| {
            let (files, written): (HandedOver, Written) = from_bytes(&message.bytes)?;
            outputs.take_over(files)?;
            all.add(&written);
            Ok(())
        })?;
        Ok(all)
    }
}
