//! Reads the texts of units again from the inputs of a run.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use tegula::error::{Error, ErrorKind, Result};
use tegula::hash::Width;
use tegula::index::{Index, References};
use tegula::machine::Limits;
use tegula::recipe::Recipe;
use tegula::record::Level;
use tegula::text::digest::{Apart, of_tokens};
use tegula::text::fingerprints::{fingerprints, of_bytes};
use tegula::text::items::Items;
use tegula::text::normalise::Normaliser;
use tegula::text::words::Words;
use tegula_io::collection::Collection;
use tegula_io::fetch::{self, Wanted};
use tegula_io::options::{FormatName, ReadOptions};
use tegula_io::tables::{InputFile, UnitRow};

/// A unit of a run, with the data needed to locate its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitRef {
    /// Its number in the run.
    pub number: u64,
    /// Its id.
    pub id: String,
    /// Its file.
    pub file: String,
    /// Its record, from 1 in the file.
    pub record: u64,
    /// The bytes of the record in the file after decompression; for Parquet the row.
    pub bytes: Range<u64>,
    /// Its tokens.
    pub tokens: u32,
    /// The digest of its tokens.
    pub digest: u128,
    /// Bytes of the record's text; none if the unit is the whole text.
    pub part: Option<Range<usize>>,
}

impl From<UnitRow<'_>> for UnitRef {
    fn from(row: UnitRow) -> Self {
        Self {
            number: row.unit,
            id: row.id.to_owned(),
            file: row.file.to_owned(),
            record: row.record,
            bytes: row.byte_start..row.byte_start.saturating_add(row.byte_len),
            tokens: row.tokens,
            digest: u128::from_be_bytes(row.digest),
            part: row
                .text_start
                .zip(row.text_len)
                .map(|(start, len)| start as usize..start as usize + len as usize),
        }
    }
}

/// How a run read its texts.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// The files at the time of the run.
    pub inputs: &'a [InputFile],
    /// How they were read.
    pub read: &'a ReadOptions,
    /// The recipe, whose normalisation determines the digests.
    pub recipe: &'a Recipe,
    /// Whether units are complete parts of the texts in the inputs: not so in a later stage, from
    /// whose units earlier stages may have removed parts. In that case, and if a recipe rejoins or
    /// judges units, the text is not compared with the digest, and only the size and time of the
    /// file are checked.
    pub whole: bool,
}

impl Origin<'_> {
    /// The text of a unit, which must be unchanged since the run.
    ///
    /// # Errors
    /// If its file is missing or has changed.
    pub fn text(&self, unit: &UnitRef) -> Result<String> {
        let nothing = || Err(Error::new(ErrorKind::Run, "the unit has no text"));
        self.texts(&[unit]).pop().unwrap_or_else(nothing)
    }

    /// The texts of some units, in the requested order. Each file is opened once; a compressed one
    /// is read up to its last requested record.
    pub fn texts(&self, units: &[&UnitRef]) -> Vec<Result<String>> {
        let mut by_file: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, unit) in units.iter().enumerate() {
            by_file.entry(&unit.file).or_default().push(at);
        }
        let mut texts: Vec<Option<Result<String>>> = units.iter().map(|_| None).collect();
        for (file, places) in by_file {
            let wanted: Vec<&UnitRef> = places.iter().map(|at| units[*at]).collect();
            match self.of_file(file, &wanted) {
                Ok(found) => places
                    .iter()
                    .zip(found)
                    .for_each(|(at, text)| texts[*at] = Some(text)),
                // Errors cannot be copied: each unit tries again, which fails immediately like the
                // first.
                Err(first) => {
                    let mut first = Some(first);
                    for at in places {
                        texts[at] = Some(Err(first
                            .take()
                            .unwrap_or_else(|| self.failure(file, units[at]))));
                    }
                }
            }
        }
        let missing = || Err(Error::new(ErrorKind::Run, "the unit has no text"));
        texts
            .into_iter()
            .map(|text| text.unwrap_or_else(missing))
            .collect()
    }

    /// The error of a file that could not be read.
    fn failure(&self, file: &str, unit: &UnitRef) -> Error {
        self.of_file(file, &[unit])
            .err()
            .unwrap_or_else(|| Error::new(ErrorKind::Run, "the file cannot be read"))
    }

    fn of_file(&self, file: &str, units: &[&UnitRef]) -> Result<Vec<Result<String>>> {
        let input = self
            .inputs
            .iter()
            .find(|input| input.name == file)
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::Run,
                    format!("expected the file '{file}' among the inputs of the run"),
                )
            })?;
        let records = units.iter().map(|unit| (unit.record, unit.bytes.clone()));
        let found = if Index::is_one(&input.path) {
            in_index(input, units)?
        } else {
            reread(input, self.read, records)?
        };
        let normaliser = self.recipe.check()?;
        let unmasked = self
            .recipe
            .unmasked_steps()
            .map(|steps| Normaliser::new(&steps))
            .transpose()?;
        let items = self.recipe.items()?;
        let digested = self.whole && !self.recipe.rejoin && !self.recipe.measure.is_in_order();
        let checked = found.into_iter().zip(units).map(|(text, unit)| {
            let part = |text: String| match &unit.part {
                Some(part) if self.recipe.unit != Level::Document => {
                    text.get(part.clone()).map(str::to_owned)
                }
                _ => Some(text),
            };
            let text = text.and_then(part).filter(|text| {
                !digested
                    || digest(
                        self.recipe,
                        (&normaliser, unmasked.as_ref(), items.as_ref()),
                        text,
                    ) == unit.digest
            });
            text.ok_or_else(|| {
                changed(input, "the record is no longer the one that the run read")
                    .record(unit.record)
            })
        });
        Ok(checked.collect())
    }
}

/// The texts of records of an input, by their numbers and bytes in it; none for one that does not
/// exist.
///
/// # Errors
/// If the file is missing or has changed since the run, or cannot be read.
pub(crate) fn reread(
    input: &InputFile,
    read: &ReadOptions,
    records: impl IntoIterator<Item = (u64, Range<u64>)>,
) -> Result<Vec<Option<String>>> {
    input.check_unchanged()?;
    let options = ReadOptions {
        limit: None,
        ..read.clone()
    };
    let collection = match &input.table {
        Some(table) => Collection::of_tables(std::slice::from_ref(table), &options)?,
        None => Collection::open(
            std::slice::from_ref(&input.path),
            &options,
            &std::env::temp_dir(),
        )?,
    };
    let parquet = collection
        .format(0)
        .is_some_and(|(format, _)| format == FormatName::Parquet);
    let wanted: Vec<Wanted> = records
        .into_iter()
        .map(|(number, bytes)| Wanted {
            file: 0,
            number,
            bytes: (!parquet).then_some(bytes),
        })
        .collect();
    fetch::texts(&collection, &wanted)
}

fn changed(input: &InputFile, message: &str) -> Error {
    Error::new(ErrorKind::Run, message)
        .at(&input.path)
        .hint("run again, or restore the file")
}

/// The digest of a text's tokens, as in the run.
fn digest(
    recipe: &Recipe,
    (normaliser, unmasked, items): (&Normaliser, Option<&Normaliser>, Option<&Items>),
    text: &str,
) -> u128 {
    if let Some(digested) = recipe.digest.of(normaliser, text, &mut String::new()) {
        return digested.head;
    }
    let mut tokens = Vec::new();
    if recipe.lengths.leave_out(text.len() as u32) {
        tokens.push(of_bytes(text));
    } else {
        fingerprints(normaliser, &mut Words::default(), text, &mut tokens);
    }
    of_tokens(&tokens, Width::FULL, Apart { unmasked, items }, text)
}

/// The texts of units that are records of an index, which must be as it was.
fn in_index(input: &InputFile, units: &[&UnitRef]) -> Result<Vec<Option<String>>> {
    let index = Index::open(&input.path, &Limits::default().context()?)?;
    let records = References::all(Arc::new(index), &[])?;
    if input.modified != Some(records.generation().to_string()) {
        return Err(ErrorKind::Changed
            .expected("the index as it was during the run")
            .found("a changed one")
            .at(&input.path)
            .hint("run again"));
    }
    units.iter().map(|unit| records.text(unit.record)).collect()
}
