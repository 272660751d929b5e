//! Writes the files of a collection on a cluster: tasks leave each beside its final name, and the driver
//! renames all of them at the end.

use super::From;
use super::driver::Cluster;
use super::job::{Agreed, Task, stage};
use super::message::{Kind, Message, from_bytes, to_bytes};
use super::write::Writing;
use tegula::Result;
use tegula_io::edit::Edit;
use tegula_io::outputs::{HandedOver, Outputs};
use tegula_io::rewrite::{RewriteOptions, Written};
use tegula_io::target::Target;

/// Edits in a message.
const TOGETHER: usize = 1 << 12;

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
        for (key, (first, end)) in (0..).zip(&self.plan.written) {
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
        let target = target.absolute()?;
        let writing = Writing {
            token: outputs.begin_parts(target.folder())?,
            target,
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
