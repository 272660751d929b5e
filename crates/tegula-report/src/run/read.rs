//! Reads the texts of a run again from its inputs, with the parts that were removed.

use super::{Run, Walk};
use std::ops::Range;
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::{Batch, Source};
use tegula_io::collection::Collection;
use tegula_io::tables::InputFile;

/// A record, with its units and its removed parts.
#[derive(Debug)]
pub struct Text<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its units, those of the first stage: number and bytes of the text.
    pub units: &'a [(u64, Range<usize>)],
    /// Bytes that any stage removed, ascending.
    pub removed: &'a [Range<usize>],
}

impl Text<'_> {
    /// Whether the byte at this offset was removed.
    pub fn is_removed(&self, place: usize) -> bool {
        let after = self.removed.partition_point(|range| range.start <= place);
        after > 0 && place < self.removed[after - 1].end
    }
}

impl Run {
    /// Calls `visit` with each record of the collection, in input order, until it returns false.
    /// References are not read. Holds one record at a time, in addition to its chunk of the file.
    ///
    /// # Errors
    /// If the inputs are missing or have changed, or a table cannot be read; errors of `visit`.
    pub fn for_each_text(&self, mut visit: impl FnMut(&Text) -> Result<bool>) -> Result<()> {
        let named = self.present_inputs()?;
        if named.iter().any(|input| input.as_os_str() == "-") {
            return Err(Error::new(
                ErrorKind::Run,
                "the run read standard input, which is not kept",
            )
            .at(self.path())
            .hint("run again on a file"));
        }
        self.inputs()
            .iter()
            .filter(|input| !input.name.starts_with("against/"))
            .try_for_each(InputFile::check_unchanged)?;
        let collection = Collection::open(&named, &self.read_options()?, &std::env::temp_dir())?;
        let mut stages = self
            .stages()
            .iter()
            .map(Followed::new)
            .collect::<Result<Vec<_>>>()?;
        let (mut units, mut removed) = (Vec::new(), Vec::new());
        let mut batch = Batch::default();
        for chunk in collection.chunks()? {
            let chunk = chunk?;
            let file = &collection.files()[chunk.file() as usize].name;
            batch.clear();
            chunk.read(&mut batch);
            for record in &batch.records {
                let text = batch.text_of(record);
                units.clear();
                removed.clear();
                for (place, stage) in stages.iter_mut().enumerate() {
                    stage.record(
                        file,
                        record.number,
                        text.len(),
                        |unit, range, is_removed| {
                            if is_removed {
                                removed.push(range.clone());
                            }
                            if place == 0 {
                                units.push((unit, range));
                            }
                        },
                    )?;
                }
                removed.sort_unstable_by_key(|range| (range.start, range.end));
                if !visit(&Text {
                    text,
                    units: &units,
                    removed: &removed,
                })? {
                    return Ok(());
                }
            }
        }
        if stages.iter().any(Followed::has_more) {
            return Err(Error::new(
                ErrorKind::Run,
                "the inputs contain other records than those that the run read",
            )
            .at(self.path()));
        }
        Ok(())
    }
}

/// A walk synchronised with the records.
struct Followed {
    walk: Walk,
}

impl Followed {
    fn new(stage: &super::Stage) -> Result<Self> {
        let mut walk = stage.walk()?;
        walk.step()?;
        Ok(Self { walk })
    }

    /// Passes on the units of a record, which are next in the walk if there are any.
    fn record(
        &mut self,
        file: &str,
        number: u64,
        len: usize,
        mut take: impl FnMut(u64, Range<usize>, bool),
    ) -> Result<()> {
        while let Some(unit) = self.walk.here() {
            if unit.file() != file || unit.record() != number {
                break;
            }
            let range = unit.part().unwrap_or(0..len);
            take(
                unit.number(),
                range.start..range.end.min(len),
                unit.is_removed(),
            );
            self.walk.step()?;
        }
        Ok(())
    }

    fn has_more(&self) -> bool {
        self.walk.here().is_some_and(|unit| !unit.is_reference())
    }
}
