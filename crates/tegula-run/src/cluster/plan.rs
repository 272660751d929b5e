//! What all tasks of a run know: what is read and compared, and which files each reads.

use super::message::{from_bytes, to_bytes};
use crate::commands::statistics;
use crate::host::Host;
use crate::opened::inputs::{InIndexes, Inputs};
use crate::opened::split::Split;
use crate::spec::{EvidenceSpec, OutputSpec, RunSpec};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};
use tegula::budget::Budget;
use tegula::constraint::Constraints;
use tegula::decide::Policy;
use tegula::machine::Limits;
use tegula::recipe::Recipe;
use tegula::record::{Level, Source as _};
use tegula::statistics::Statistics;
use tegula::{Error, ErrorKind, Result};
use tegula_io::section::Section;
use tegula_io::store;

/// What all tasks of a run know.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// The version of the program.
    version: String,
    /// The specification, with the fields to read.
    pub(super) spec: String,
    /// The index of the first reference file.
    references_from: Option<u32>,
    /// The stage of the recipe.
    stage: u32,
    /// What each task that reads is given.
    pub(crate) splits: Vec<Split>,
    /// The files that each task that writes is given.
    pub(super) written: Vec<(u32, u32)>,
    /// The records of indexes that are references, once tasks have said which.
    pub(super) in_indexes: InIndexes,
    /// The memory ceiling of a task, in bytes, if the run has one.
    memory: Option<u64>,
}

impl Plan {
    pub(crate) fn new(
        spec: &RunSpec,
        inputs: &Inputs,
        stage: usize,
        (split_bytes, memory): (u64, Option<u64>),
    ) -> Result<Self> {
        let references_from = inputs.references_from();
        let mut written: Vec<(u32, u32)> = Vec::new();
        let mut bytes = 0;
        for (at, file) in (0..).zip(inputs.files()) {
            let begins = references_from == Some(at) || bytes + file.bytes > split_bytes;
            match written.last_mut() {
                Some((_, end)) if !begins => {
                    *end = at + 1;
                    bytes += file.bytes;
                }
                _ => {
                    written.push((at, at + 1));
                    bytes = file.bytes;
                }
            }
        }
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            spec: of_tasks(spec)?.to_json()?,
            references_from,
            stage: stage as u32,
            splits: splits(&written, &|_| None),
            written,
            in_indexes: Vec::new(),
            memory,
        })
    }

    /// Reads sections of files, by the number of the file, where it has any.
    pub(super) fn take_sections(&mut self, of: &dyn Fn(u32) -> Option<Vec<Section>>) {
        self.splits = splits(&self.written, of);
    }

    pub(crate) fn are_references(&self, file: u32) -> bool {
        self.references_from.is_some_and(|from| file >= from)
    }

    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        // The version first, so that another can read it.
        Ok([self.version.as_bytes(), b"\n", &to_bytes(self)?].concat())
    }
}

/// The splits of groups of files, of which each file with sections is alone in its own.
fn splits(files: &[(u32, u32)], sections: &dyn Fn(u32) -> Option<Vec<Section>>) -> Vec<Split> {
    let of = |(first, end): &(u32, u32)| {
        let own = (*end == first + 1).then(|| sections(*first)).flatten();
        Split::of_file(*first..*end, own)
    };
    files.iter().flat_map(of).collect()
}

/// Refuses what is not done on a cluster.
///
/// # Errors
/// Names the option, and what to do.
pub(crate) fn check(spec: &RunSpec) -> Result<()> {
    let refused = |option: &str, why: &str, hint: &str| {
        Err(Error::of(option)
            .problem(format!("not supported on a cluster: {why}"))
            .hint(hint))
    };
    for stage in &spec.recipe.stages {
        if stage.recipe.measure.is_in_order() {
            return refused(
                "⟨recipe⟩",
                &format!(
                    "under {}, what becomes of a text depends on all texts before it",
                    stage.recipe.recipe
                ),
                "run it on one machine, or use the recipe copies",
            );
        }
        if stage.recipe.unit == Level::Passage {
            return refused(
                "⟨recipe⟩",
                "passages are not searched there",
                "run it on one machine",
            );
        }
    }
    let input = &spec.input;
    if !input.tables.is_empty() || !input.against_tables.is_empty() {
        return refused(
            "the inputs",
            "tables in memory are not read there",
            "give files, or a DataFrame of Spark",
        );
    }
    if input.paths.iter().any(|path| path.as_os_str() == "-") {
        return refused(
            "the inputs",
            "its machines do not read standard input",
            "name files or folders",
        );
    }
    if input.read.limit.is_some() {
        return refused(
            "⟨limit⟩",
            "its files are read at the same time",
            "name fewer files, or try the options on one machine",
        );
    }
    if spec.evidence.check_recall.is_some() {
        return refused(
            "⟨check_recall⟩",
            "recall is measured on one machine",
            "leave it out, and measure it on a part of the files",
        );
    }
    if spec.evidence.resume {
        return refused(
            "⟨resume⟩",
            "its stages are kept where it runs",
            "leave it out: a run with the same staging folder goes on by itself",
        );
    }
    Ok(())
}

/// What tasks know of a specification, with files that are found from any working directory: not what
/// is decided and written, on which they do not depend.
fn of_tasks(spec: &RunSpec) -> Result<RunSpec> {
    let mut spec = RunSpec {
        policy: Policy::default(),
        output: OutputSpec::default(),
        evidence: EvidenceSpec::default(),
        ..spec.clone()
    };
    let paths = spec.input.paths.iter_mut().chain(&mut spec.input.against);
    for path in paths {
        *path = store::absolute(path)?;
    }
    for stage in &mut spec.recipe.stages {
        if let Some(path) = &mut stage.recipe.statistics {
            *path = statistics::absolute(path)?;
        }
    }
    Ok(spec)
}

/// A process that runs tasks of one run.
pub struct Worker {
    pub(crate) plan: Plan,
    pub(crate) recipe: Recipe,
    pub(crate) constraints: Constraints,
    pub(crate) host: Host,
    pub(crate) spec: RunSpec,
    inputs: OnceLock<Inputs>,
}

impl Worker {
    /// For the plan of a run.
    ///
    /// # Errors
    /// If another version of the program has made it.
    pub fn new(plan: &[u8]) -> Result<Arc<Self>> {
        let end = plan.iter().position(|byte| *byte == b'\n').unwrap_or(0);
        let (version, rest) = plan.split_at(end);
        let own = env!("CARGO_PKG_VERSION");
        if version != own.as_bytes() {
            return Err(ErrorKind::Usage
                .expected(format!("tegula {own}, as on this worker"))
                .found(format!(
                    "a run of tegula {}",
                    String::from_utf8_lossy(version)
                ))
                .hint("install the same version of tegula on the driver and on every worker"));
        }
        let plan: Plan = from_bytes(rest.get(1..).unwrap_or_default())?;
        let spec = RunSpec::from_json(&plan.spec)?;
        let stages = &spec.recipe.stages;
        let stage = stages.get(plan.stage as usize);
        let stage = stage.ok_or_else(|| Error::usage("the recipe has no such stage"))?;
        let mut limits = Limits::default();
        // A machine may run a task on each of its cores.
        let share = || Ok((limits.memory()? / limits.threads()? as u64).max(Budget::MINIMUM));
        let memory = plan.memory.map_or_else(share, Ok)?;
        (limits.threads, limits.memory) = (Some(1), Some(memory));
        let context = limits.context()?;
        Ok(Arc::new(Self {
            recipe: stage.recipe.clone(),
            constraints: Constraints {
                references_from: plan.references_from,
                ..spec.constraints.clone()
            },
            host: Host::new(context),
            inputs: OnceLock::new(),
            spec,
            plan,
        }))
    }

    /// The inputs, opened once.
    ///
    /// # Errors
    /// If they cannot be opened.
    pub(crate) fn inputs(&self) -> Result<&Inputs> {
        if let Some(inputs) = self.inputs.get() {
            return Ok(inputs);
        }
        let inputs = Inputs::open(&self.host, &self.spec.input)?;
        inputs.keep_of_indexes(&self.plan.in_indexes);
        Ok(self.inputs.get_or_init(|| inputs))
    }

    /// A split, and whether its files are references.
    ///
    /// # Errors
    /// If there is none with this number.
    pub(crate) fn split(&self, split: u64) -> Result<(&Split, bool)> {
        let found = self.plan.splits.get(split as usize);
        let split = found.ok_or_else(|| Error::usage("the run has no such split"))?;
        Ok((split, self.plan.are_references(split.files.start)))
    }

    /// The statistics that the recipe names.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(crate) fn given_statistics(&self) -> Result<Option<Statistics>> {
        statistics::load(&self.recipe, &self.host.context)
    }
}
