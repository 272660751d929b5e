//! The task that writes the files of a split, each beside its final name.

use super::message::{Kind, Received, Sent};
use super::plan::Worker;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use tegula::Result;
use tegula_io::edit::Edit;
use tegula_io::outputs::Outputs;
use tegula_io::rewrite::{RewriteOptions, rewrite_files};
use tegula_io::target::Target;

/// How files are written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Writing {
    /// The token in the names of unfinished files.
    pub(super) token: String,
    pub(super) target: Target,
    pub(super) options: RewriteOptions,
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
    let (first, end) = worker
        .plan
        .written
        .get(split as usize)
        .copied()
        .unwrap_or_default();
    let collection = &worker.inputs()?.main;
    let written = rewrite_files(
        (collection, first..end),
        (&outputs, &writing.target),
        &edit,
        &writing.options,
    )?;
    sent.value(Kind::Written, split, &(outputs.hand_over()?, written))
}
