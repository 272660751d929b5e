//! Fetches the texts of many units at once: each file is read at most once.

use super::{Run, Unit};
use std::ops::Range;
use tegula::error::Result;
use tegula_io::collection::Collection;
use tegula_io::fetch::{self, Wanted};
use tegula_io::options::{FormatName, ReadOptions};

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
        let options = ReadOptions {
            limit: None,
            ..self.read_options()?
        };
        let mut found = vec![None; places.len()];
        for input in self.inputs() {
            let here: Vec<usize> = (0..places.len())
                .filter(|place| places[*place].file == input.name)
                .collect();
            if here.is_empty() {
                continue;
            }
            input.check_unchanged()?;
            let collection = Collection::open(
                std::slice::from_ref(&input.path),
                &options,
                &std::env::temp_dir(),
            )?;
            let parquet = collection
                .format(0)
                .is_some_and(|(format, _)| format == FormatName::Parquet);
            let wanted = |place: &Place| Wanted {
                file: 0,
                number: place.record,
                bytes: (!parquet).then(|| place.bytes.clone()),
            };
            let wanted: Vec<Wanted> = here.iter().map(|place| wanted(&places[*place])).collect();
            for (place, text) in here.iter().zip(fetch::texts(&collection, &wanted)?) {
                found[*place] = match &places[*place].part {
                    None => text,
                    Some(part) => text.and_then(|text| text.get(part.clone()).map(str::to_owned)),
                };
            }
        }
        Ok(found)
    }
}
