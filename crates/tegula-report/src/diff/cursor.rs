//! Cursors over the units of two runs, to match them with each other.

use crate::run::{Stage, Unit, Walk};
use std::collections::HashMap;
use std::ops::Range;
use tegula::error::{Error, ErrorKind, Result};

/// How a unit's position in its record is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    /// As bytes.
    Bytes,
    /// As its number among the units of the record.
    Number,
}

/// The position of a unit: file, record, and position in the record, by which units are sorted.
pub(super) type Key = (u64, u64, usize);

/// Follows a walk and computes the position of each unit.
#[derive(Debug, Default)]
pub(super) struct Counter {
    record: Option<(u64, u64)>,
    number: usize,
}

impl Counter {
    /// The position of the next unit of the walk.
    ///
    /// # Errors
    /// If its file is not among the inputs.
    pub(super) fn key(
        &mut self,
        unit: &Unit,
        files: &HashMap<&str, u64>,
        spot: Spot,
    ) -> Result<Key> {
        let (file, record, range) = self.place(unit, files, spot)?;
        Ok((file, record, range.start))
    }

    fn place(
        &mut self,
        unit: &Unit,
        files: &HashMap<&str, u64>,
        spot: Spot,
    ) -> Result<(u64, u64, Range<usize>)> {
        let file = *files.get(unit.file()).ok_or_else(|| {
            Error::new(
                ErrorKind::Run,
                format!(
                    "expected '{}' among the inputs of both runs, found it in one",
                    unit.file()
                ),
            )
        })?;
        let record = (file, unit.record());
        self.number = if self.record == Some(record) {
            self.number + 1
        } else {
            0
        };
        self.record = Some(record);
        let range = match (spot, unit.part()) {
            (Spot::Number, _) => self.number..self.number + 1,
            (Spot::Bytes, Some(part)) => part,
            (Spot::Bytes, None) => 0..usize::MAX,
        };
        Ok((file, record.1, range))
    }
}

/// A walk over the units of the other run.
pub(super) struct Cursor<'a> {
    walk: Walk,
    files: &'a HashMap<&'a str, u64>,
    spot: Spot,
    counter: Counter,
    place: Option<(u64, u64, Range<usize>)>,
    begun: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(stage: &Stage, files: &'a HashMap<&'a str, u64>, spot: Spot) -> Result<Self> {
        Ok(Self {
            walk: stage.walk()?,
            files,
            spot,
            counter: Counter::default(),
            place: None,
            begun: false,
        })
    }

    /// The current unit.
    pub(super) fn unit(&self) -> Option<Unit<'_>> {
        self.walk.here()
    }

    /// Advances to the unit that contains a position; false if there is none. Positions must be
    /// requested in order.
    pub(super) fn meet(&mut self, key: Key) -> Result<bool> {
        let (file, record, start) = key;
        loop {
            match &self.place {
                Some((f, r, range))
                    if (*f, *r) > (file, record)
                        || ((*f, *r) == (file, record) && range.end > start) =>
                {
                    return Ok((*f, *r) == (file, record) && range.start <= start);
                }
                None if self.begun => return Ok(false),
                _ => self.step()?,
            }
        }
    }

    fn step(&mut self) -> Result<()> {
        self.begun = true;
        self.place = match self.walk.step()? {
            None => None,
            Some(unit) => Some(self.counter.place(&unit, self.files, self.spot)?),
        };
        Ok(())
    }
}
