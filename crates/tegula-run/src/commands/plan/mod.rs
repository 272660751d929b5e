//! Predicts what a run would read, and its resources, from a sample of its inputs.

mod sample;

use crate::cluster::{self, Cost};
use crate::command::{Answer, Command};
use crate::commands::statistics;
use crate::host::Host;
use crate::options::{
    ExecutorOptions, InputOptions, MachineOptions, PairOptions, RecipeOptions, Shown,
};
use crate::spec::{RunKind, RunSpec, read_options};
use crate::{describe, opened};
use serde_json::{Value, json};
use std::path::PathBuf;
use tegula::context::Context;
use tegula::error::{Error, Result};
use tegula::machine::Limits;
use tegula::plan::{Fit, Prediction, Sample};
use tegula::recipe::{Action, Recipe};
use tegula::record::Source;
use tegula::scratch::Scratch;
use tegula_io::collection::{Collection, FileDescription};
use tegula_io::store::Traffic;

/// The inputs of a run, and its predicted resources. All figures except those of files are
/// estimates.
#[non_exhaustive]
pub struct Plan {
    /// The inputs.
    pub collection: Collection,
    /// The size of the files in bytes.
    pub disk: u64,
    /// What the run asks of stores, if some of the files are in one.
    pub traffic: Option<Traffic>,
    /// The memory that the run may use, in bytes.
    pub memory: u64,
    /// Threads.
    pub threads: usize,
    /// The stages of the recipe.
    pub stages: Vec<PlannedStage>,
    /// What the run would cost on a cluster, if it was asked for.
    pub cluster: Option<Cost>,
    recipe: String,
}

/// The predicted resources of a stage, assuming that earlier stages remove nothing.
#[non_exhaustive]
pub struct PlannedStage {
    /// Its name.
    pub name: String,
    /// Its recipe.
    pub recipe: Recipe,
    /// The sample.
    pub sample: Sample,
    /// The prediction from it.
    pub prediction: Prediction,
}

tegula::options! {
    /// A dry run.
    pub struct PlanSpec
    blocks {
        /// What to read, and how.
        pub input: InputOptions,
        /// How texts would be compared.
        pub recipe: RecipeOptions,
        /// The limits of the run, not of the plan.
        pub machine: MachineOptions,
        /// The cluster.
        pub cluster: ExecutorOptions,
    }
    besides {}
}

impl Command for PlanSpec {
    const NAME: &'static str = "plan";
    const ABOUT: &'static str =
        "Show what a run would read, and estimate the memory, disk and time it needs";
    const EXAMPLES: &'static str = "Examples:
  tegula plan shards/ --memory 8G
  tegula plan --recipe ssr --unit paragraph corpus.vert.zst
  tegula plan s3://bucket/shards/ --executors 16";
    const SHOWN: Shown = Shown::only(&["all_files", "json", "width", "quiet"]);
    type Answer = Plan;

    fn run(&self, host: &Host) -> Result<Plan> {
        for (option, is_given) in [
            ("⟨strict_ids⟩", self.input.records.strict_ids),
            ("⟨quarantine⟩", self.input.records.bad.quarantine.is_some()),
        ] {
            if is_given {
                return Err(Error::of(option)
                    .problem(
                        "it has no effect in tegula plan, which reads a sample and writes nothing",
                    )
                    .hint("leave it out"));
            }
        }
        let pairs = PairOptions::default();
        let advised = self.recipe.advised(host, &self.input, &pairs, true)?;
        let staged = advised.staged(Action::Remove, host.recipes())?;
        let mut spec = RunSpec::new(RunKind::Dedup, staged, Vec::<PathBuf>::new());
        spec.input = self.input.spec(&advised, &pairs)?;
        let is_cluster = self.cluster.is_cluster()?;
        if is_cluster {
            cluster::check(&spec)?;
        }
        let mut plan = Plan::new(host, &spec, &self.machine.limits())?;
        if is_cluster {
            plan.cluster = plan.cost(self.cluster.executors);
        }
        Ok(plan)
    }
}

impl Answer for Plan {
    fn json(&self) -> Result<Value> {
        fn value(of: &impl serde::Serialize) -> Result<Value> {
            serde_json::to_value(of)
                .map_err(|error| Error::usage(format!("cannot write as JSON: {error}")))
        }
        let skipped: Vec<Value> = self
            .collection
            .skipped()
            .iter()
            .map(|file| json!({"path": file.path, "why": describe::skipped(file.why)}))
            .collect();
        let mut stages = Vec::new();
        for stage in &self.stages {
            stages.push(json!({
                "stage": stage.name,
                "recipe": value(&stage.recipe)?,
                "sample": value(&stage.sample)?,
                "passes": stage.sample.passes(),
                "estimate": value(&stage.prediction)?,
            }));
        }
        let mut answer = json!({
            "recipe": self.recipe,
            "files": value(&self.files(usize::MAX)?)?,
            "skipped": skipped,
            "warnings": self.collection.warnings(),
            "disk_bytes": self.disk,
            "memory": self.memory,
            "threads": self.threads,
            "stages": stages,
            "estimate": value(&self.whole())?,
        });
        if let Some(cost) = &self.cluster {
            answer["cluster"] = value(cost)?;
        }
        if let Some(traffic) = &self.traffic {
            answer["stores"] = value(traffic)?;
        }
        Ok(answer)
    }
}

impl Plan {
    /// Samples the inputs of a specification; `limits` are those of the run, the host is that of
    /// the plan.
    ///
    /// # Errors
    /// Invalid options, or errors of the inputs.
    pub fn new(host: &Host, spec: &RunSpec, limits: &Limits) -> Result<Self> {
        let staged = &spec.recipe;
        let options = read_options(&spec.input.read, staged, &[]);
        let (memory, threads) = (limits.memory()?, limits.threads()?);
        let folder = limits.scratch.clone().unwrap_or_else(std::env::temp_dir);
        let scratch = || Scratch::new(&folder, limits.scratch_bytes.unwrap_or(u64::MAX));
        let context = Context::bounded(threads, memory, scratch());
        let levels = staged
            .stages
            .iter()
            .map(|stage| stage.recipe.unit)
            .collect();
        let collection = opened::sampled(host, &context, &spec.input, &options, levels)?;
        collection
            .warnings()
            .iter()
            .for_each(|warning| host.warn(warning));
        // The sample has the whole ceiling, regardless of what opening the collection took.
        let context = Context::bounded(threads, memory, scratch());
        // Not needed for a plan, but errors here would also be errors in the run.
        staged
            .stages
            .iter()
            .try_for_each(|stage| statistics::load(&stage.recipe, &context).map(drop))?;
        let disk: u64 = collection.files().iter().map(|file| file.bytes).sum();
        let mut stages = Vec::new();
        let mut held = 0;
        for stage in &staged.stages {
            let sample = sample::take(&collection, &stage.recipe, &options, &context)?;
            let whole = options
                .limit
                .map_or(disk, |limit| limited(&sample, disk, limit));
            let prediction = sample
                .predict(whole, memory, threads)
                .beside(held, memory)
                .with_scratch(context.scratch.room(), memory);
            // The findings of a stage are held until everything is written.
            held += prediction.tables;
            stages.push(PlannedStage {
                name: stage.name.clone(),
                recipe: stage.recipe.clone(),
                sample,
                prediction,
            });
        }
        // Once to write, and as often as it takes to compare.
        let fits = stages.iter().map(|stage| match stage.prediction.fit {
            Fit::Passes { passes, .. } => u64::from(passes),
            _ => 1,
        });
        let times = 1 + fits.sum::<u64>();
        let files = collection.files().iter();
        let traffic = Traffic::of(files.map(|file| (file.path.as_path(), file.bytes)), times);
        Ok(Self {
            collection,
            disk,
            traffic,
            memory,
            threads,
            stages,
            cluster: None,
            recipe: staged.recipe.clone(),
        })
    }

    /// How the first `most` files would be read.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn files(&self, most: usize) -> Result<Vec<FileDescription>> {
        (0..self.collection.files().len().min(most))
            .map(|number| self.collection.describe(number as u32))
            .collect()
    }

    /// What all stages would cost on a cluster with so many executors.
    pub fn cost(&self, executors: Option<u32>) -> Option<Cost> {
        let stages = self.stages.iter();
        stages
            .map(|stage| Cost::of(&stage.recipe, (&stage.sample, &stage.prediction), executors))
            .reduce(Cost::then)
    }

    /// The resources of all stages together.
    pub fn whole(&self) -> Prediction {
        let stages = self.stages.iter().map(|stage| stage.prediction);
        stages.reduce(Prediction::then).unwrap_or_default()
    }
}

/// Names a memory ceiling that is enough for the whole run in an error that names what its next
/// step needs: a table that grows would be refused again and again.
pub(crate) fn with_enough(host: &Host, spec: &RunSpec, error: Error) -> Error {
    let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
    // The sample of several stages, beside what the run has left behind, would pass the ceiling.
    let is_staged = spec.recipe.stages.len() > 1;
    if error.enough().is_none() || is_staged || spec.input.paths.iter().any(is_stdin) {
        return error;
    }
    let context = &host.context;
    let mut limits = Limits::default();
    limits.memory = Some(context.budget.total());
    limits.threads = Some(context.threads());
    // The plan has its own context, and what it notices is not reported.
    let planned = limits
        .context()
        .and_then(|context| Plan::new(&Host::new(context), spec, &limits));
    match planned {
        Ok(plan) => {
            let least = plan.whole().minimum;
            // An estimate is rarely off by more.
            error.at_least((least + least / 5).div_ceil(4 << 20) * 4)
        }
        // The first error is the one that matters.
        Err(_) => error,
    }
}

/// Bytes on disk of the first `limit` records.
fn limited(sample: &Sample, disk: u64, limit: u64) -> u64 {
    let bytes =
        u128::from(sample.disk_bytes) * u128::from(limit) / u128::from(sample.records.max(1));
    u64::try_from(bytes).unwrap_or(disk).min(disk)
}
