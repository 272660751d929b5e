//! Writes the run folder.

use super::names::{recipe_hash, stage_name, staged_hash};
use super::options;
use super::rows::measures;
use crate::host::Host;
use crate::spec::{PairsKept, RunSpec};
use crate::stage_report::Report;
use tegula::cluster::Clusters;
use tegula::decide::{Decision, Fate};
use tegula::error::{Error, ErrorKind, Result};
use tegula::evidence::{Coverage, Findings, Spans};
use tegula::recipe::Recipe;
use tegula::record::Level;
use tegula_io::outputs::Outputs;
use tegula_io::tables::{
    self, ClusterRow, CoverageRow, GroupRow, InputFile, PairRow, RunFolder, RunInfo, SpanRow,
    StageInfo, TableInfo, TableWriter, UnitRow, VerdictRow,
};

/// The contents of a run folder.
#[derive(Clone, Copy)]
pub(crate) struct Evidence<'a> {
    /// All outputs.
    pub(crate) outputs: &'a Outputs,
    /// The folder.
    pub(crate) folder: &'a RunFolder,
    /// The resolved recipe.
    pub(crate) recipe: &'a Recipe,
    /// The specification.
    pub(crate) spec: &'a RunSpec,
    /// File and number of the records that could not be read.
    pub(crate) skipped_records: &'a [(u32, u64)],
    /// The command line that the run came from.
    pub(crate) command_line: Option<&'a str>,
    /// The input files at the start of the run.
    pub(crate) inputs: &'a [InputFile],
    /// The findings.
    pub(crate) found: &'a Findings,
    /// Clusters at the recipe's threshold.
    pub(crate) clusters: &'a Clusters,
    /// The stage that decided: its name, or the recipe's name if it is the only one.
    pub(crate) stage: &'a str,
    /// The decision, and the participle for units that are not kept.
    pub(crate) decision: Option<(&'a Decision, &'static str)>,
}

/// Writes the tables; `stored` says that those of the findings exist already, so that only the
/// verdicts are new.
///
/// # Errors
/// If the folder cannot be written.
pub(crate) fn write(evidence: Evidence, stored: bool) -> Result<()> {
    let info = TableInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        recipe: recipe_hash(evidence.recipe)?,
        fields: Vec::new(),
    };
    if stored {
        return evidence.verdicts(&info);
    }
    evidence.units(&info)?;
    evidence.groups(&info)?;
    if let Some(coverage) = evidence.found.coverage() {
        evidence.coverage(coverage, &info)?;
        return evidence.verdicts(&info);
    }
    if let Some(spans) = evidence.found.spans() {
        evidence.spans(spans, &info)?;
        return evidence.verdicts(&info);
    }
    if evidence.spec.evidence.pairs == PairsKept::All {
        evidence.pairs(&info)?;
    }
    evidence.clusters(&info)?;
    evidence.verdicts(&info)
}

impl Evidence<'_> {
    /// Writes `run.json`.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(crate) fn info(&self, report: &Report) -> Result<()> {
        let recipe = serde_json::to_value(self.recipe).map_err(|error| {
            Error::new(
                ErrorKind::Run,
                format!("cannot write the recipe as JSON: {error}"),
            )
        })?;
        let info = RunInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command_line: self.command_line.map(str::to_owned),
            recipe,
            recipe_hash: recipe_hash(self.recipe)?,
            inputs: self.inputs.to_vec(),
            options: options(self.spec, self.skipped_records)?,
            counts: report.counts()?,
            timings: report.seconds(),
            warnings: report.summary.warnings.clone(),
            done: true,
            ..RunInfo::default()
        };
        self.folder.write_info(self.outputs, &info)
    }

    fn create<T: tables::Table>(&self, info: &TableInfo) -> Result<TableWriter<T>> {
        TableWriter::create(self.outputs, &self.folder.table::<T>(), info)
    }

    fn units(&self, info: &TableInfo) -> Result<()> {
        let units = &self.found.units;
        let records = &units.records;
        let fields = records
            .fields
            .iter()
            .map(|column| column.name().to_owned())
            .collect();
        let mut table = self.create::<tables::Units>(&TableInfo {
            fields,
            ..info.clone()
        })?;
        let mut document = String::new();
        for record in 0..records.len() {
            let values: Vec<Option<&str>> = records
                .fields
                .iter()
                .map(|column| column.get(record))
                .collect();
            document.clear();
            if units.level != Level::Document {
                units.write_record_id(record, &mut document);
            }
            for unit in units.of_record(record) {
                let at = unit as usize;
                let group = self.found.groups.of_unit[at];
                let part = (units.level != Level::Document).then(|| units.parts[at].part());
                let place = |start: usize| start as u32;
                let row = UnitRow {
                    unit: u64::from(unit),
                    id: &units.id(unit),
                    document: part.is_some().then_some(document.as_str()),
                    file: &units.files[records.file[record] as usize],
                    record: records.number[record],
                    byte_start: records.byte_start[record],
                    byte_len: records.byte_len[record],
                    tokens: units.tokens[at],
                    text_tokens: units.in_balance.get(at).copied(),
                    digest: units.digest[at].to_be_bytes(),
                    group: (self.found.groups.members(group).len() > 1).then_some(u64::from(group)),
                    text_start: part.as_ref().map(|part| place(part.text.start)),
                    text_len: Some(units.text_bytes[at]),
                    cut_start: part.as_ref().map(|part| place(part.cut.start)),
                    cut_len: part.as_ref().map(|part| place(part.cut.len())),
                };
                table.push_with(&row, &values)?;
            }
        }
        table.finish().map(drop)
    }

    fn groups(&self, info: &TableInfo) -> Result<()> {
        let groups = &self.found.groups;
        let mut table = self.create::<tables::Groups>(info)?;
        for group in 0..groups.len() as u32 {
            let members = groups.members(group);
            if members.len() > 1 {
                for unit in members {
                    let id = self.found.units.id(*unit);
                    table.push(&GroupRow {
                        group: u64::from(group),
                        unit: u64::from(*unit),
                        id: &id,
                    })?;
                }
            }
        }
        table.finish().map(drop)
    }

    fn pairs(&self, info: &TableInfo) -> Result<()> {
        let found = self.found;
        let mut table = self.create::<tables::Pairs>(info)?;
        let Some(pairs) = found.pairs() else {
            return table.finish().map(drop);
        };
        pairs.for_each(|pair| {
            let (a, b) = (
                found.groups.first[pair.a as usize],
                found.groups.first[pair.b as usize],
            );
            let (id_a, id_b) = (found.units.id(a), found.units.id(b));
            if pairs.admitted(&pair, self.recipe.threshold).is_none() {
                return Ok(());
            }
            let measured = measures(found, &pair);
            table.push(&PairRow {
                unit_a: Some(a.into()),
                unit_b: Some(b.into()),
                id_a: &id_a,
                id_b: &id_b,
                ..measured
            })
        })?;
        table.finish().map(drop)
    }

    fn clusters(&self, info: &TableInfo) -> Result<()> {
        let mut table = self.create::<tables::Clusters>(info)?;
        let mut members: Vec<(u32, u32)> = Vec::new();
        for (unit, group) in self.found.groups.of_unit.iter().enumerate() {
            let cluster = self.clusters.of_group[*group as usize];
            if cluster != Clusters::NONE {
                members.push((cluster, unit as u32));
            }
        }
        members.sort_unstable();
        for of_one in members.chunk_by(|a, b| a.0 == b.0) {
            let cluster = &self.clusters.list[of_one[0].0 as usize];
            let cluster_id = self.found.units.id(cluster.first);
            for (_, unit) in of_one {
                table.push(&ClusterRow {
                    cluster_id: &cluster_id,
                    id: &self.found.units.id(*unit),
                    unit: Some((*unit).into()),
                    size: cluster.size,
                    min_edge: cluster.min_edge.as_f64(),
                    density: cluster.density(),
                })?;
            }
        }
        table.finish().map(drop)
    }

    fn coverage(&self, coverage: &Coverage, info: &TableInfo) -> Result<()> {
        let units = &self.found.units;
        let mut table = self.create::<tables::Coverage>(info)?;
        for unit in 0..units.len() as u32 {
            if self.found.allowed.is_reference(units.record_of(unit)) {
                continue;
            }
            let (id, at) = (units.id(unit), unit as usize);
            let row = CoverageRow {
                unit: unit.into(),
                id: &id,
                tokens: units.tokens[at],
                seen: coverage.tokens[at],
                share: coverage.share(units, unit).as_f64(),
                ..CoverageRow::default()
            };
            let sources = coverage.sources_of(unit);
            if sources.is_empty() {
                table.push(&row)?;
            }
            for source in sources {
                let source_id = units.id(source.source);
                let (source, source_tokens) = (Some(source.source.into()), Some(source.tokens));
                table.push(&CoverageRow {
                    source,
                    source_id: Some(&source_id),
                    source_tokens,
                    ..row
                })?;
            }
        }
        table.finish().map(drop)
    }

    fn spans(&self, spans: &Spans, info: &TableInfo) -> Result<()> {
        let units = &self.found.units;
        let mut table = self.create::<tables::Spans>(info)?;
        for span in &spans.list {
            let source = span.source.as_ref();
            table.push(&SpanRow {
                unit: span.unit.into(),
                id: &units.id(span.unit),
                start: span.chars.start,
                end: span.chars.end,
                tokens: units.tokens[span.unit as usize],
                source: source.map(|source| source.unit.into()),
                source_id: source.map(|source| units.id(source.unit)).as_deref(),
                source_start: source.map(|source| source.chars.start),
                source_end: source.map(|source| source.chars.end),
            })?;
        }
        table.finish().map(drop)
    }

    fn verdicts(&self, info: &TableInfo) -> Result<()> {
        let Some((decision, verb)) = self.decision else {
            return Ok(());
        };
        let units = &self.found.units;
        let estimate = self
            .found
            .pairs()
            .is_some_and(|pairs| pairs.scoring().is_estimate());
        let mut table = self.create::<tables::Verdicts>(info)?;
        for record in 0..units.records.len() {
            let label = self
                .found
                .allowed
                .is_reference(record)
                .then_some("reference");
            for unit in units.of_record(record) {
                let id = units.id(unit);
                let base = VerdictRow {
                    id: &id,
                    unit: unit.into(),
                    verdict: verb,
                    witness_id: None,
                    witness: None,
                    score: None,
                    stage: self.stage,
                    label,
                };
                match decision.fate(unit) {
                    Fate::Kept => {
                        let share = self.found.coverage().filter(|_| label.is_none());
                        let score = share.map(|coverage| coverage.share(units, unit).as_f64());
                        table.push(&VerdictRow {
                            verdict: "kept",
                            score,
                            ..base
                        })?;
                    }
                    Fate::PreviouslySeen {
                        source,
                        score,
                        smoothed,
                    } => {
                        let witness_id = source.map(|source| units.id(source));
                        table.push(&VerdictRow {
                            witness_id: witness_id.as_deref(),
                            witness: source.map(u64::from),
                            score: Some(score.as_f64()),
                            label: Some(if smoothed {
                                "smoothed"
                            } else {
                                Coverage::LABEL
                            }),
                            ..base
                        })?;
                    }
                    Fate::Chained { survivor } => {
                        let witness_id = units.id(survivor);
                        table.push(&VerdictRow {
                            witness_id: Some(&witness_id),
                            witness: Some(survivor.into()),
                            label: Some("transitive"),
                            ..base
                        })?;
                    }
                    Fate::Duplicate { witness, score } => {
                        let witness_id = units.id(witness);
                        let equal = self.found.groups.of_unit[unit as usize]
                            == self.found.groups.of_unit[witness as usize];
                        table.push(&VerdictRow {
                            label: (estimate && !equal).then_some("estimate"),
                            witness_id: Some(&witness_id),
                            witness: Some(witness.into()),
                            score: Some(score.as_f64()),
                            ..base
                        })?;
                    }
                    Fate::Unwitnessed { score } => {
                        table.push(&VerdictRow {
                            score: Some(score.as_f64()),
                            label: Some("keep-none"),
                            ..base
                        })?;
                    }
                }
            }
        }
        table.finish().map(drop)
    }
}

/// Writes `run.json` for a run of several stages, each of which has a subfolder.
///
/// # Errors
/// If the folder cannot be written.
pub(crate) fn stages_info(
    host: &Host,
    (outputs, folder): (&Outputs, &RunFolder),
    (spec, skipped_records): (&RunSpec, &[(u32, u64)]),
    inputs: &[InputFile],
    reports: &[Report],
) -> Result<()> {
    let staged = &spec.recipe;
    let recipe = serde_json::to_value(staged).map_err(|error| {
        Error::new(
            ErrorKind::Run,
            format!("cannot write the recipe as JSON: {error}"),
        )
    })?;
    let stages = staged.stages.iter().enumerate();
    let counts = stages
        .clone()
        .zip(reports)
        .map(|((at, stage), report)| Ok((stage_name(at, stage), report.counts()?.into())));
    let timings = stages
        .clone()
        .zip(reports)
        .map(|((at, stage), report)| (stage_name(at, stage), report.seconds().into()));
    let warnings = reports
        .iter()
        .flat_map(|report| &report.summary.warnings)
        .cloned()
        .collect();
    let info = RunInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command_line: host.command_line().map(str::to_owned),
        recipe,
        recipe_hash: staged_hash(staged)?,
        inputs: inputs.to_vec(),
        options: options(spec, skipped_records)?,
        counts: counts.collect::<Result<_>>()?,
        timings: timings.collect(),
        warnings,
        stages: stages
            .clone()
            .map(|(at, stage)| StageInfo {
                name: stage.name.clone(),
                folder: stage_name(at, stage),
                verb: stage.action.verb().to_owned(),
            })
            .collect(),
        done: true,
        ..RunInfo::default()
    };
    folder.write_info(outputs, &info)
}
