//! Sections of large files: tasks look where records begin in parts of a file, so that others read no
//! more of it than a part.

use super::From;
use super::driver::Cluster;
use super::job::{Agreed, Task, stage};
use super::message::{Kind, Message, Received, Sent, from_bytes, to_bytes};
use super::plan::Worker;
use crate::opened::split::Split;
use std::collections::BTreeMap;
use std::ops::Range;
use tegula::Result;
use tegula::record::Source as _;
use tegula_io::section::{Begins, Section};

/// A part of a file, in bytes.
type Part = (u32, Range<u64>);

/// The least bytes of a section.
const LEAST: u64 = 16 << 10;

impl Cluster<'_> {
    /// Has tasks look for sections in files that are much larger than a split.
    ///
    /// # Errors
    /// If tasks fail.
    pub(super) fn find_sections(&mut self, split_bytes: u64) -> Result<()> {
        let bytes_each = split_bytes.max(LEAST);
        let mut parts: Vec<Part> = Vec::new();
        for (file, found) in (0..).zip(self.files.files()) {
            if found.bytes > 2 * bytes_each && self.files.may_have_sections(file) {
                let count = found.bytes.div_ceil(bytes_each);
                parts.extend((0..count).map(|at| {
                    let end = ((at + 1) * bytes_each).min(found.bytes);
                    (file, at * bytes_each..end)
                }));
            }
        }
        if parts.is_empty() {
            return Ok(());
        }
        let message = |(key, part): (u64, &Part)| {
            Ok(Message {
                kind: Kind::Parts,
                key,
                bytes: to_bytes(part)?.into(),
            })
        };
        let messages = (0..).zip(&parts).map(message).collect::<Result<_>>()?;
        let task = stage(Task::Sections, &Agreed::default())?;
        self.flow("sections", From::Driver(messages), vec![task])?;
        let mut of_file = BTreeMap::<u32, Option<Vec<Begins>>>::new();
        self.read("sections", Kind::Begins, &mut |message| {
            let (file, begins): (u32, Option<Begins>) = from_bytes(&message.bytes)?;
            let known = of_file.entry(file).or_insert_with(|| Some(Vec::new()));
            match (known.as_mut(), begins) {
                (Some(all), Some(begins)) => all.push(begins),
                _ => *known = None,
            }
            Ok(())
        })?;
        self.take_sections(&|file| {
            let all = Section::all(of_file.get(&file)?.as_ref()?);
            (all.len() > 1).then_some(all)
        })
    }
}

impl Split {
    /// The split of a file, or those of its sections.
    pub(super) fn of_file(files: Range<u32>, sections: Option<Vec<Section>>) -> Vec<Self> {
        let section = |section| Self {
            files: files.clone(),
            section,
        };
        match sections {
            Some(all) => all.into_iter().map(|own| section(Some(own))).collect(),
            None => vec![section(None)],
        }
    }
}

/// Looks where records begin in a part of a file.
pub(super) fn look(worker: &Worker, key: u64, received: &Received, sent: &mut Sent) -> Result<()> {
    for (file, bytes) in received.values::<Part>(Kind::Parts)? {
        let found = worker.inputs()?.begins(file, bytes)?;
        sent.value(Kind::Begins, key, &(file, found))?;
    }
    Ok(())
}
