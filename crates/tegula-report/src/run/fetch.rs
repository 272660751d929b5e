//! Fetches the texts of many units at once: each file is read at most once.

use super::{Run, Unit};
use crate::texts::reread;
use std::ops::Range;
use tegula::error::Result;

/// The location of a unit's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file's name among the inputs.
    pub file: String,
    /// The record, from 1 in the file.
    pub record: u64,
    /// Its bytes in the file, after decompression.
    pub bytes: Range<u64>,
    /// Bytes of the record's text; none for the whole text.
    pub part: Option<Range<usize>>,
}

impl Place {
    /// The location of a unit.
    pub fn of(unit: &Unit) -> Self {
        Self {
            file: unit.file().to_owned(),
            record: unit.record(),
            bytes: unit.record_bytes(),
            part: unit.part(),
        }
    }
}

impl Run {
    /// The texts at these places, in order; none for one that does not exist.
    ///
    /// # Errors
    /// If a required file is missing or has changed since the run.
    pub fn texts(&self, places: &[Place]) -> Result<Vec<Option<String>>> {
        let read = self.read_options()?;
        let mut found = vec![None; places.len()];
        for input in self.inputs() {
            let here: Vec<usize> = (0..places.len())
                .filter(|place| places[*place].file == input.name)
                .collect();
            if here.is_empty() {
                continue;
            }
            let records = here.iter().map(|place| {
                let place = &places[*place];
                (place.record, place.bytes.clone())
            });
            for (place, text) in here.iter().zip(reread(input, &read, records)?) {
                found[*place] = match &places[*place].part {
                    None => text,
                    Some(part) => text.and_then(|text| text.get(part.clone()).map(str::to_owned)),
                };
            }
        }
        Ok(found)
    }
}
