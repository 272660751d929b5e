//! The units of a stage, one after the other, each with what became of it.

use super::Stage;
use std::ops::Range;
use tegula::error::{Error, ErrorKind, Result};
use tegula_io::tables::{Rows, TableReader, UnitRow, Units, VerdictRow, Verdicts};

/// What became of a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict<'a> {
    /// `kept`, `removed` or `marked`.
    pub verdict: &'a str,
    /// The kept unit because of which it went; none where it was kept, and for the stated exceptions.
    pub witness: Option<u64>,
    /// The id of that unit.
    pub witness_id: Option<&'a str>,
    /// The score against it.
    pub score: Option<f64>,
    /// The recipe that decided.
    pub stage: &'a str,
    /// `reference`, or a stated exception such as `keep-none`.
    pub label: Option<&'a str>,
}

/// A unit with what became of it. It borrows from the walk until the next step.
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

    /// The file it stands in; references begin with `against/`.
    pub fn file(&self) -> &'a str {
        self.row.file
    }

    /// Its record, from 1 in the file.
    pub fn record(&self) -> u64 {
        self.row.record
    }

    /// Where its record stands in the file, after decompression; for Parquet the row.
    pub fn record_bytes(&self) -> Range<u64> {
        self.row.byte_start..self.row.byte_start.saturating_add(self.row.byte_len)
    }

    /// Tokens, as the stage's recipe counts them.
    pub fn tokens(&self) -> u64 {
        u64::from(self.row.tokens)
    }

    /// Bytes of its text; 0 where the run did not note them.
    pub fn text_bytes(&self) -> u64 {
        self.row.text_len.map_or(0, u64::from)
    }

    /// The digest of its tokens: equal for equal units.
    pub fn digest(&self) -> u128 {
        u128::from_be_bytes(self.row.digest)
    }

    /// The group of equal units it belongs to, where there is one.
    pub fn group(&self) -> Option<u64> {
        self.row.group
    }

    /// The bytes of its record's text that it is; none where it is the whole record.
    pub fn part(&self) -> Option<Range<usize>> {
        let (start, len) = self.row.text_start.zip(self.row.text_len)?;
        Some(start as usize..start as usize + len as usize)
    }

    /// The value of a field ([`Walk::fields`]).
    pub fn field(&self, field: usize) -> Option<&'a str> {
        self.rows.field(self.at, field)
    }

    /// What became of it; none where nothing was decided.
    pub fn verdict(&self) -> Option<Verdict<'a>> {
        self.verdict
    }

    /// Whether it was removed or marked.
    pub fn is_gone(&self) -> bool {
        self.verdict.is_some_and(|verdict| verdict.verdict != "kept")
    }

    /// Whether others were only compared with it (`--against`).
    pub fn is_reference(&self) -> bool {
        self.verdict.is_some_and(|verdict| verdict.label == Some("reference"))
    }
}

/// The units of a stage in input order. Some thousand rows of either table are held at a time.
pub struct Walk {
    units: Steps<Units>,
    verdicts: Option<Steps<Verdicts>>,
    fields: Vec<String>,
    total: u64,
    stage: Stage,
}

impl Walk {
    /// The metadata fields that the stage kept.
    pub fn fields(&self) -> &[String] {
        &self.fields
    }

    /// How many units there are.
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
    /// When a table cannot be read, or the tables do not belong together.
    pub fn step(&mut self) -> Result<Option<Unit<'_>>> {
        let more = self.units.advance()?;
        let decided = match &mut self.verdicts {
            Some(verdicts) => verdicts.advance()? == more,
            None => true,
        };
        if !decided {
            return Err(self.stage.damaged("verdicts.parquet has another number of rows than units.parquet"));
        }
        let unit = self.units.here().map(|(rows, at)| rows.row(at).unit);
        let judged = self.verdicts.as_ref().and_then(Steps::here).map(|(rows, at)| rows.row(at).unit);
        if judged.is_some() && judged != unit {
            return Err(self.stage.damaged("verdicts.parquet is in another order than units.parquet"));
        }
        Ok(self.here())
    }

    /// The unit at which the walk stands: that of the last step, none before the first and behind the last.
    pub fn here(&self) -> Option<Unit<'_>> {
        let (rows, at) = self.units.here()?;
        let verdict = self.verdicts.as_ref().and_then(Steps::here).map(|(rows, at)| Verdict::of(rows.row(at)));
        Some(Unit { row: rows.row(at), verdict, rows, at })
    }
}

impl<'a> Verdict<'a> {
    fn of(row: VerdictRow<'a>) -> Self {
        let VerdictRow { verdict, witness, witness_id, score, stage, label, .. } = row;
        Self { verdict, witness, witness_id, score, stage, label }
    }
}

impl Stage {
    /// Begins a walk over the units.
    ///
    /// # Errors
    /// When a table is missing or damaged.
    pub fn walk(&self) -> Result<Walk> {
        let units = TableReader::<Units>::open(&self.folder().table::<Units>())?;
        let verdicts = if self.is_decided() {
            Some(Steps::new(TableReader::<Verdicts>::open(&self.folder().table::<Verdicts>())?))
        } else {
            None
        };
        let (fields, total) = (units.info().fields.clone(), units.rows());
        Ok(Walk { units: Steps::new(units), verdicts, fields, total, stage: self.clone() })
    }

    /// Calls `visit` with each unit, in input order.
    ///
    /// # Errors
    /// When a table cannot be read, and what `visit` returns.
    pub fn for_each(&self, mut visit: impl FnMut(&Unit<'_>) -> Result<()>) -> Result<()> {
        let mut walk = self.walk()?;
        while let Some(unit) = walk.step()? {
            visit(&unit)?;
        }
        Ok(())
    }

    pub(crate) fn damaged(&self, what: &str) -> Error {
        Error::new(ErrorKind::Run, what).at(self.folder().path()).hint("run again to write it anew")
    }
}

/// The rows of a table, one after the other.
struct Steps<T: tegula_io::tables::Table> {
    reader: TableReader<T>,
    rows: Option<Rows<T>>,
    next: usize,
}

impl<T: tegula_io::tables::Table> Steps<T> {
    fn new(reader: TableReader<T>) -> Self {
        Self { reader, rows: None, next: 0 }
    }

    /// Goes on by a row; false at the end.
    fn advance(&mut self) -> Result<bool> {
        while self.rows.as_ref().is_none_or(|rows| self.next >= rows.len()) {
            self.rows = self.reader.next().transpose()?;
            self.next = 0;
            if self.rows.is_none() {
                return Ok(false);
            }
        }
        self.next += 1;
        Ok(true)
    }

    /// The row it stands at.
    fn here(&self) -> Option<(&Rows<T>, usize)> {
        Some((self.rows.as_ref()?, self.next.checked_sub(1)?))
    }
}
