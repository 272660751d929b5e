//! Reads a run folder: the findings, without reading any text.

use super::names::staged_hash;
use super::specification;
use crate::host::Host;
use crate::opened::inputs::Inputs;
use crate::spec::{InputSpec, PairsKept, RunSpec};
use std::collections::HashMap;
use std::path::Path;
use tegula::constraint::Constraints;
use tegula::context::Context;
use tegula::error::{Error, ErrorKind, Result};
use tegula::evidence::{
    Evidence, Findings, Millionths, Notes, PairSink, Rescore, Rescored, ScoredPairs, Scoring,
};
use tegula::field::{FieldColumn, Holds};
use tegula::group::Groups;
use tegula::measure::Columns;
use tegula::pair::Pair;
use tegula::recipe::Recipe;
use tegula::record::{Level, Source};
use tegula::text::segment::Part;
use tegula::unit::Units;
use tegula_io::memory::{Table, no_longer};
use tegula_io::tables::{self, InputFile, Rows, RunFolder, TableReader, Whereabouts};

/// Whether these are the same files, as far as can be determined without reading them.
fn same(one: &[tables::InputFile], other: &[tables::InputFile]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_as(other))
}

/// The error if `run.json` is not in the format of this version.
fn damaged(folder: &RunFolder, error: &serde_json::Error) -> Error {
    Error::new(
        ErrorKind::Run,
        format!("expected a run of this version: {error}"),
    )
    .at(folder.path())
}

/// Replaces the inputs of a run with their current locations.
fn relocate(spec: &mut RunSpec, whereabouts: &Whereabouts) {
    let InputSpec { paths, against, .. } = &mut spec.input;
    paths
        .iter_mut()
        .chain(against)
        .for_each(|path| *path = whereabouts.named(path));
}

/// A run to be decided on again.
pub struct Stored {
    folder: RunFolder,
    /// The recipe of the run.
    pub recipe: Recipe,
    /// Its specification, with the current locations of the inputs.
    pub spec: RunSpec,
    /// File and number of the records that could not be read and were skipped.
    pub skipped_records: Vec<(u32, u64)>,
    inputs: Vec<tables::InputFile>,
}

impl Stored {
    /// Opens a run that kept all pairs; `moved` is the folder to which its inputs have moved, if
    /// any.
    ///
    /// # Errors
    /// If there is none, or its pairs were not kept.
    pub fn open(root: &Path, moved: Option<&Path>) -> Result<Self> {
        let stored = Self::any(root, moved)?;
        if stored.spec.evidence.pairs != PairsKept::All {
            return Err(Error::new(
                ErrorKind::Run,
                "the run kept the witness of each duplicate, but not all pairs",
            )
            .at(root)
            .hint("repeat it with ⟨evidence=all⟩, or with tegula pairs ⟨run⟩"));
        }
        Ok(stored)
    }

    /// The same run with these date formats, if any are given.
    ///
    /// # Errors
    /// If the run's own formats affected its pairs.
    pub fn with_dates(mut self, formats: &[String]) -> Result<Self> {
        let own = &mut self.spec.input.read.date_formats;
        if formats.is_empty() || own == formats {
            return Ok(self);
        }
        formats.clone_into(own);
        if self
            .spec
            .constraints
            .needed_fields()
            .any(|need| need.holds == Holds::Dates)
        {
            return Err(Error::of("⟨date_format⟩")
                .problem("it is determined by the run of ⟨from⟩")
                .hint("its pairs were chosen by dates; run again without ⟨from⟩"));
        }
        Ok(self)
    }

    /// The run in a folder, if it is complete and kept all pairs; none if it must be repeated.
    ///
    /// # Errors
    /// If it is a run of another recipe or of other inputs.
    pub(crate) fn resume(
        root: &Path,
        spec: &RunSpec,
        inputs: &[tables::InputFile],
    ) -> Result<Option<Self>> {
        let Ok(folder) = RunFolder::open(root) else {
            return Ok(None);
        };
        let Ok(info) = folder.info() else {
            return Ok(None);
        };
        let Ok((kept, _)) = specification(&info) else {
            return Ok(None);
        };
        let differs =
            |what: &str| {
                Err(Error::new(ErrorKind::Run, format!("⟨resume⟩: the run used {what}"))
                .at(root)
                .hint("leave out ⟨resume⟩ to start again, or choose another folder with ⟨run⟩"))
            };
        if info.recipe_hash != staged_hash(&spec.recipe)? {
            return differs("another recipe");
        }
        if !same(&info.inputs, inputs) || kept.reading()? != spec.reading()? {
            return differs("other inputs or other options for reading");
        }
        // Runs of several stages are not resumed from their findings.
        let Ok(stored) = Self::of(folder) else {
            return Ok(None);
        };
        // More fields may have been kept than are needed now, but not fewer.
        let has = &stored.spec.input.read.needs.fields;
        let fields = spec
            .input
            .read
            .needs
            .fields
            .iter()
            .all(|field| has.contains(field));
        let has_pairs =
            stored.spec.evidence.pairs == PairsKept::All && !stored.recipe.measure.is_in_order();
        Ok((has_pairs && fields).then_some(stored))
    }

    /// The specification of a run, whatever it kept, with the current locations of the inputs and
    /// the original ones of the outputs.
    ///
    /// # Errors
    /// If there is no such run, or another version created it.
    pub(crate) fn specification(root: &Path) -> Result<RunSpec> {
        let folder = RunFolder::open(root)?;
        let info = folder.info()?;
        let (mut spec, _) = specification(&info).map_err(|error| damaged(&folder, &error))?;
        if let Some(table) = info.inputs.iter().find(|input| input.in_memory) {
            return Err(no_longer(&table.path));
        }
        relocate(&mut spec, &Whereabouts::of(&info, None));
        let elsewhere = info
            .folder
            .filter(|folder| std::env::current_dir().is_ok_and(|here| here != *folder));
        if let Some(folder) = elsewhere {
            let output = &mut spec.output;
            let listed = output.lists.iter_mut().map(|list| &mut list.path);
            let written = [
                &mut output.path,
                &mut output.removed,
                &mut output.fingerprints,
                &mut spec.input.records.bad.quarantine,
            ];
            for path in written
                .into_iter()
                .flatten()
                .chain(listed)
                .filter(|path| path.as_os_str() != "-")
            {
                *path = folder.join(&path);
            }
        }
        Ok(spec)
    }

    /// Opens a run, whatever pairs it kept, for its recipe, options and inputs, and locates the
    /// inputs.
    ///
    /// # Errors
    /// If there is none, or another version created it.
    pub fn any(root: &Path, moved: Option<&Path>) -> Result<Self> {
        let folder = RunFolder::open(root)?;
        let whereabouts = Whereabouts::of(&folder.info()?, moved);
        let mut stored = Self::of(folder)?;
        relocate(&mut stored.spec, &whereabouts);
        stored
            .inputs
            .iter_mut()
            .for_each(|input| *input = whereabouts.file(input));
        Ok(stored)
    }

    fn of(folder: RunFolder) -> Result<Self> {
        let info = folder.info()?;
        if !info.stages.is_empty() {
            return Err(Error::new(
                ErrorKind::Run,
                format!(
                    "expected a run of one stage, found one of {}, each of which read what the previous one kept",
                    info.stages.len()
                ),
            )
            .at(folder.path())
            .hint("such a run cannot be decided again: repeat it"));
        }
        let (spec, skipped_records) =
            specification(&info).map_err(|error| damaged(&folder, &error))?;
        let recipe = spec.recipe.stages[0].recipe.clone();
        Ok(Self {
            recipe,
            spec,
            skipped_records,
            inputs: info.inputs,
            folder,
        })
    }

    /// The constraints on pairs; `references_from` is the index of the first reference file.
    pub(crate) fn constraints(&self, references_from: Option<u32>) -> Constraints {
        Constraints {
            references_from,
            ..self.spec.constraints.clone()
        }
    }

    /// Refuses to read texts that were in memory.
    ///
    /// # Errors
    /// If there are any.
    pub(crate) fn check_kept(&self, host: &Host) -> Result<()> {
        let is_held = |input: &InputFile| {
            let mut held = host.tables().iter();
            held.any(|table| Path::new(table.name()) == input.path)
        };
        let mut inputs = self.inputs.iter();
        let table = inputs.find(|input| input.in_memory && !is_held(input));
        table.map_or(Ok(()), |table| Err(no_longer(&table.path)))
    }

    /// How to open the inputs of the run again; of tables that were in memory only the names are
    /// left.
    fn input(&self) -> Result<InputSpec> {
        let mut input = self.spec.input.clone();
        for table in self.inputs.iter().filter(|input| input.in_memory) {
            let own = table.path.to_string_lossy();
            let is_reference = table.name != own;
            let tables = if is_reference {
                &mut input.against_tables
            } else {
                &mut input.tables
            };
            tables.push(Table::gone(own, table.bytes)?);
        }
        Ok(input)
    }

    /// Opens the run's inputs, which must be unchanged. Tables that were in memory are there by name,
    /// for what the evidence says of them; reading them is an error.
    ///
    /// # Errors
    /// If one is missing or has changed.
    pub fn open_inputs(&self, host: &Host) -> Result<Inputs> {
        if self
            .spec
            .input
            .paths
            .iter()
            .any(|input| input.as_os_str() == "-")
        {
            return Err(Error::new(
                ErrorKind::Run,
                "the run read standard input, which is not kept",
            )
            .at(self.folder.path()));
        }
        let inputs = Inputs::open(host, &host.held(&self.input()?))?;
        let now = inputs.identify();
        let changed = now
            .iter()
            .zip(&self.inputs)
            .find(|(now, then)| !now.is_as(then));
        if now.len() != self.inputs.len() || changed.is_some() {
            let path = changed.map_or(self.folder.path(), |(now, _)| now.path.as_path());
            return Err(Error::new(
                ErrorKind::Run,
                "the inputs are no longer those that the run read",
            )
            .at(path)
            .hint("repeat the run"));
        }
        self.expect(&inputs);
        Ok(inputs)
    }

    /// Requires that what is read again equals what the run read.
    pub(crate) fn expect(&self, inputs: &Inputs) {
        self.inputs
            .iter()
            .zip(inputs.guards())
            .for_each(|(then, guard)| then.expect(guard));
    }

    /// The findings of the run.
    ///
    /// # Errors
    /// If a table is missing or damaged, or memory does not suffice.
    pub fn findings(&self, context: &Context, inputs: &Inputs) -> Result<Findings> {
        let started = std::time::Instant::now();
        let units = self.units(context, inputs)?;
        let allowed = self.constraints(inputs.references_from()).resolve(&units)?;
        let groups = Groups::new(&units, &allowed);
        let evidence = Evidence::Pairs(self.pairs(context, &units, &groups)?);
        let notes = Notes {
            timings: vec![("stored evidence", started.elapsed())],
            ..Notes::default()
        };
        Ok(Findings {
            units,
            groups,
            allowed,
            evidence,
            notes,
        })
    }

    fn damaged(&self, table: &str) -> Error {
        Error::new(
            ErrorKind::Run,
            format!("{table} does not belong to the run"),
        )
        .at(self.folder.path())
        .hint("repeat the run")
    }

    fn units(&self, context: &Context, inputs: &Inputs) -> Result<Units> {
        let table = TableReader::<tables::Units>::open(&self.folder.table::<tables::Units>())?;
        // An estimate per unit: ids, locations, and tokens.
        let _held = context
            .budget
            .reserve(table.rows() * 120, "the table of units")?;
        let names: Vec<String> = inputs
            .files()
            .iter()
            .map(|file| file.name.clone())
            .collect();
        let files: HashMap<String, u32> = (0..)
            .zip(&names)
            .map(|(at, name)| (name.clone(), at))
            .collect();
        let fields = table.info().fields.clone();
        let columns = fields
            .iter()
            .map(|name| FieldColumn::new(name).expecting(inputs.expected(name)))
            .collect();
        let mut units = Units::new(self.recipe.unit, names, columns);
        for rows in table {
            let rows = rows?;
            for at in 0..rows.len() {
                self.push(&mut units, &files, &rows, at)?;
            }
        }
        Ok(units)
    }

    fn push(
        &self,
        units: &mut Units,
        files: &HashMap<String, u32>,
        rows: &Rows<tables::Units>,
        at: usize,
    ) -> Result<()> {
        let row = rows.row(at);
        let damaged = || self.damaged("units.parquet");
        let file = *files.get(row.file).ok_or_else(damaged)?;
        if row.unit != units.len() as u64 {
            return Err(damaged());
        }
        let level = units.level;
        let new = level == Level::Document
            || units.records.file.last() != Some(&file)
            || units.records.number.last() != Some(&row.record);
        let ordinal = if new {
            1
        } else {
            units.len() as u32 - units.records.first_unit.last().copied().unwrap_or(0) + 1
        };
        let made = match level {
            Level::Document => String::new(),
            Level::Paragraph => format!("#p{ordinal}"),
            Level::Line => format!("#l{ordinal}"),
            Level::Sentence => format!("#s{ordinal}"),
            Level::Passage => format!("#q{ordinal}"),
        };
        // The id as displayed, so that it is displayed again in the same way.
        let of_record = row.document.unwrap_or(row.id);
        if row.id.strip_prefix(of_record) != Some(&made) {
            units.own_ids.push(units.len() as u32, row.id);
        }
        let records = &mut units.records;
        if new {
            records.first_unit.push(row.unit as u32);
            records.file.push(file);
            records.number.push(row.record);
            records.byte_start.push(row.byte_start);
            records.byte_len.push(row.byte_len);
            records.push_id(of_record);
            for (field, column) in records.fields.iter_mut().enumerate() {
                column.push(rows.field(at, field));
            }
        }
        units.tokens.push(row.tokens);
        units.in_balance.extend(row.text_tokens);
        units.digest.push(u128::from_be_bytes(row.digest));
        units.text_bytes.push(row.text_len.unwrap_or(0));
        if level == Level::Document && units.is_blank(units.len() as u32 - 1) {
            units.records.blank.add(units.records.len() - 1);
        }
        if level != Level::Document {
            let range = |start: Option<u32>, length: Option<u32>| {
                let start = start? as usize;
                Some(start..start + length? as usize)
            };
            let text = range(row.text_start, row.text_len).ok_or_else(damaged)?;
            let cut = range(row.cut_start, row.cut_len).ok_or_else(damaged)?;
            units.parts.push((&Part { text, cut }).into());
        }
        Ok(())
    }

    fn pairs(&self, context: &Context, units: &Units, groups: &Groups) -> Result<ScoredPairs> {
        const FULL: usize = 1 << 15;
        let table = TableReader::<tables::Pairs>::open(&self.folder.table::<tables::Pairs>())?;
        let mut rescored = Rescored::new(context, &self.recipe, table.rows())?;
        let scoring = Scoring::of(&self.recipe);
        let measure = scoring.measure();
        let lengths = groups
            .first
            .iter()
            .map(|unit| units.tokens[*unit as usize].max(1))
            .collect();
        let mut set_sizes = if measure.is_equality() {
            Vec::new()
        } else {
            vec![0; groups.len()]
        };
        let sink = PairSink::new(context);
        let mut pairs = Vec::new();
        for rows in table {
            let rows = rows?;
            for row in rows.iter() {
                let damaged = || self.damaged("pairs.parquet");
                let group = |unit: Option<u64>| {
                    let unit = usize::try_from(unit?).ok()?;
                    groups.of_unit.get(unit).copied()
                };
                let (a, b) = (
                    group(row.unit_a).ok_or_else(damaged)?,
                    group(row.unit_b).ok_or_else(damaged)?,
                );
                let columns = Columns {
                    common: row.common,
                    covered_a: row.covered_a,
                    covered_b: row.covered_b,
                    containment_a: row.containment_a,
                    containment_b: row.containment_b,
                    part: row.part,
                    whole: row.whole,
                    ..Columns::default()
                };
                let (in_a, in_b) = measure.rules().parts(&columns).ok_or_else(damaged)?;
                if measure.needs_sets() {
                    set_sizes[a as usize] = row.size_a.ok_or_else(damaged)?;
                    set_sizes[b as usize] = row.size_b.ok_or_else(damaged)?;
                }
                pairs.push(Pair { a, b, in_a, in_b });
                if let Some(look) = &mut rescored {
                    let of = |value: Option<f64>| value.map(Millionths::from_f64);
                    look.push(Rescore {
                        a,
                        b,
                        levenshtein: of(row.levenshtein),
                        unmasked: of(row.unmasked),
                    });
                }
            }
            if pairs.len() >= FULL {
                sink.take(&mut pairs)?;
            }
        }
        sink.take(&mut pairs)?;
        let mut scored = ScoredPairs::new(scoring, (set_sizes, lengths), sink.finish()?);
        scored.rescored = rescored;
        Ok(scored)
    }
}
