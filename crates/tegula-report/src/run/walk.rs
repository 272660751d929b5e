//! Iterates over the units of a stage, each with its verdict.

use super::Stage;
use std::ops::Range;
use tegula::error::{Error, ErrorKind, Result};
use tegula_io::tables::{Rows, TableReader, UnitRow, Units, VerdictRow, Verdicts};

/// The verdict on a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict<'a> {
    /// `kept`, `removed` or `marked`.
    pub verdict: &'a str,
    /// The kept unit because of which it was removed; none if it was kept, and for exceptions.
    pub witness: Option<u64>,
    /// The id of that unit.
    pub witness_id: Option<&'a str>,
    /// The score against it.
    pub score: Option<f64>,
    /// The stage that decided.
    pub stage: &'a str,
    /// `reference`, or an exception such as `keep-none`.
    pub label: Option<&'a str>,
}

/// A unit with its verdict. It borrows from the walk until the next step.
#[derive(Clone, Copy)]
pub struct Unit<'a> {
    row: UnitRow<'a>,
    verdict: Option<Verdict<'a>>,
    rows: &'a Rows<Units>,
    at: usize,
}

impl<'a> Unit<'a> {
    /// Its number in the stage, from 0.
    pub fn number(&self) -> u64 {
        self.row.unit
    }

    /// Its id.
    pub fn id(&self) -> &'a str {
        self.row.id
    }

    /// Its file; references begin with `against/`.
    pub fn file(&self) -> &'a str {
        self.row.file
    }

    /// Its record, from 1 in the file.
    pub fn record(&self) -> u64 {
        self.row.record
    }

    /// The bytes of its record in the file, after decompression; for Parquet the row.
    pub fn record_bytes(&self) -> Range<u64> {
        self.row.byte_start..self.row.byte_start.saturating_add(self.row.byte_len)
    }

    /// The number of tokens of its text, with those that the stage's recipe drops.
    pub fn tokens(&self) -> u64 {
        u64::from(self.row.text_tokens.unwrap_or(self.row.tokens))
    }

    /// The length of its text in bytes; 0 if the run did not record it.
    pub fn text_bytes(&self) -> u64 {
        self.row.text_len.map_or(0, u64::from)
    }

    /// The digest of its tokens: equal for equal units.
    pub fn digest(&self) -> u128 {
        u128::from_be_bytes(self.row.digest)
    }

    /// Its group of equal units, if there is one.
    pub fn group(&self) -> Option<u64> {
        self.row.group
    }

    /// Its bytes in its record's text; none if it is the whole record.
    pub fn part(&self) -> Option<Range<usize>> {
        let (start, len) = self.row.text_start.zip(self.row.text_len)?;
        Some(start as usize..start as usize + len as usize)
    }

    /// The value of a field ([`Walk::fields`]).
    pub fn field(&self, field: usize) -> Option<&'a str> {
        self.rows.field(self.at, field)
    }

    /// Its verdict; none if there was no decision.
    pub fn verdict(&self) -> Option<Verdict<'a>> {
        self.verdict
    }

    /// Whether it was removed or marked.
    pub fn is_removed(&self) -> bool {
        self.verdict
            .is_some_and(|verdict| verdict.verdict != "kept")
    }

    /// Whether others were only compared with it (`--against`).
    pub fn is_reference(&self) -> bool {
        self.verdict
            .is_some_and(|verdict| verdict.label == Some("reference"))
    }
}

/// Iterates over the units of a stage in input order. Holds some thousand rows of each table at a
/// time.
pub struct Walk {
    units: Steps<Units>,
    verdicts: Option<Steps<Verdicts>>,
    fields: Vec<String>,
    total: u64,
    stage: Stage,
}

impl Walk {
    /// The metadata fields in the stage's tables.
    pub fn fields(&self) -> &[String] {
        &self.fields
    }

    /// The number of units.
    pub fn len(&self) -> u64 {
        self.total
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The next unit.
    ///
    /// # Errors
    /// If a table cannot be read, or the tables do not belong together.
    pub fn step(&mut self) -> Result<Option<Unit<'_>>> {
        let more = self.units.advance()?;
        let decided = match &mut self.verdicts {
            Some(verdicts) => verdicts.advance()? == more,
            None => true,
        };
        if !decided {
            return Err(self
                .stage
                .damaged("verdicts.parquet has a different number of rows from units.parquet"));
        }
        let unit = self.units.here().map(|(rows, at)| rows.row(at).unit);
        let judged = self
            .verdicts
            .as_ref()
            .and_then(Steps::here)
            .map(|(rows, at)| rows.row(at).unit);
        if judged.is_some() && judged != unit {
            return Err(self
                .stage
                .damaged("verdicts.parquet is in a different order from units.parquet"));
        }
        Ok(self.here())
    }

    /// The current unit: that of the last step, none before the first and after the last.
    pub fn here(&self) -> Option<Unit<'_>> {
        let (rows, at) = self.units.here()?;
        let verdict = self
            .verdicts
            .as_ref()
            .and_then(Steps::here)
            .map(|(rows, at)| Verdict::of(rows.row(at)));
        Some(Unit {
            row: rows.row(at),
            verdict,
            rows,
            at,
        })
    }
}

impl<'a> Verdict<'a> {
    fn of(row: VerdictRow<'a>) -> Self {
        let VerdictRow {
            verdict,
            witness,
            witness_id,
            score,
            stage,
            label,
            ..
        } = row;
        Self {
            verdict,
            witness,
            witness_id,
            score,
            stage,
            label,
        }
    }
}

impl Stage {
    /// Starts a walk over the units.
    ///
    /// # Errors
    /// If a table is missing or damaged.
    pub fn walk(&self) -> Result<Walk> {
        let units = TableReader::<Units>::open(&self.folder().table::<Units>())?;
        let verdicts = if self.is_decided() {
            Some(Steps::new(TableReader::<Verdicts>::open(
                &self.folder().table::<Verdicts>(),
            )?))
        } else {
            None
        };
        let (fields, total) = (units.info().fields.clone(), units.rows());
        Ok(Walk {
            units: Steps::new(units),
            verdicts,
            fields,
            total,
            stage: self.clone(),
        })
    }

    /// Calls `visit` with each unit, in input order.
    ///
    /// # Errors
    /// If a table cannot be read; errors of `visit`.
    pub fn for_each(&self, mut visit: impl FnMut(&Unit<'_>) -> Result<()>) -> Result<()> {
        let mut walk = self.walk()?;
        while let Some(unit) = walk.step()? {
            visit(&unit)?;
        }
        Ok(())
    }

    pub(crate) fn damaged(&self, what: &str) -> Error {
        Error::new(ErrorKind::Run, what)
            .at(self.folder().path())
            .hint("run again to recreate it")
    }
}

/// Iterates over the rows of a table.
struct Steps<T: tegula_io::tables::Table> {
    reader: TableReader<T>,
    rows: Option<Rows<T>>,
    next: usize,
}

impl<T: tegula_io::tables::Table> Steps<T> {
    fn new(reader: TableReader<T>) -> Self {
        Self {
            reader,
            rows: None,
            next: 0,
        }
    }

    /// Advances by a row; false at the end.
    fn advance(&mut self) -> Result<bool> {
        while self
            .rows
            .as_ref()
            .is_none_or(|rows| self.next >= rows.len())
        {
            self.rows = self.reader.next().transpose()?;
            self.next = 0;
            if self.rows.is_none() {
                return Ok(false);
            }
        }
        self.next += 1;
        Ok(true)
    }

    /// The current row.
    fn here(&self) -> Option<(&Rows<T>, usize)> {
        Some((self.rows.as_ref()?, self.next.checked_sub(1)?))
    }
}
