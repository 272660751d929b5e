//! Splits of the inputs, each of which a task reads: some files, or a section of one.

use super::inputs::Inputs;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use tegula::Result;
use tegula::record::{Chunks, Fetched, Source, SourceFile, Wanted, behind};
use tegula_io::section::{Begins, Section};

/// Consecutive files of the collection or of the references, or a section of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Split {
    pub(crate) files: Range<u32>,
    pub(crate) section: Option<Section>,
}

impl Inputs {
    /// The chunks of a split.
    ///
    /// # Errors
    /// If a file cannot be opened.
    pub(crate) fn chunks_of(&self, split: &Split) -> Result<Chunks<'_>> {
        let files = &split.files;
        let alone = || -> Chunks<'_> { Box::new(std::iter::empty()) };
        let mut chunks = alone();
        let mut before = 0;
        for (collection, first) in self.collections() {
            let end = first + collection.files().len() as u32;
            for file in files.start.max(first)..files.end.min(end) {
                let own = match &split.section {
                    Some(section) => collection.chunks_of_section(file - first, section)?,
                    None => collection.chunks_of(file - first)?,
                };
                chunks = Box::new(chunks.chain(behind(alone(), first, own)));
            }
            before = end;
        }
        for index in self.indexes() {
            if files.contains(&before) {
                chunks = Box::new(chunks.chain(behind(alone(), before, index.chunks()?)));
            }
            before += 1;
        }
        Ok(chunks)
    }

    /// Whether a file may have sections.
    pub(crate) fn may_have_sections(&self, file: u32) -> bool {
        self.of_file(file)
            .is_some_and(|(collection, file)| collection.may_have_sections(file))
    }

    /// The records that begin in these bytes of a file; none if it has no sections.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn begins(&self, file: u32, bytes: Range<u64>) -> Result<Option<Begins>> {
        match self.of_file(file) {
            Some((collection, file)) => collection.begins(file, bytes),
            None => Ok(None),
        }
    }
}

/// The records of a split.
pub(crate) struct Part<'a> {
    pub(crate) inputs: &'a Inputs,
    pub(crate) split: &'a Split,
}

impl Source for Part<'_> {
    fn files(&self) -> &[SourceFile] {
        self.inputs.files()
    }

    fn text_bytes(&self) -> u64 {
        let files = self.split.files.start as usize..self.split.files.end as usize;
        self.files()[files].iter().map(|file| file.bytes).sum()
    }

    fn field_names(&self) -> &[String] {
        self.inputs.field_names()
    }

    fn chunks(&self) -> Result<Chunks<'_>> {
        self.inputs.chunks_of(self.split)
    }

    fn fetch<'a>(&'a self, wanted: Wanted<'a>) -> Result<Fetched<'a>> {
        self.inputs.fetch(wanted)
    }
}
