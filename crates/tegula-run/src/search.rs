//! From a specification to findings: opens inputs, checks options, and runs the engine, or reads
//! stored evidence instead.

use crate::cluster::{self, Cluster};
use crate::commands::statistics;
use crate::describe;
use crate::evidence::{Stored, stage_name};
use crate::host::Host;
use crate::opened::{Opened, Opening, Skipped, claims};
use crate::spec::{Earlier, PairsKept, RunSpec};
use crate::stages::RunStages;
use std::path::PathBuf;
use tegula::constraint::Constraints;
use tegula::decide::Policy;
use tegula::engine::bad_records::{BadRecords, FailOnBad};
use tegula::engine::checkpoint::Checkpoint;
use tegula::engine::{self, Job};
use tegula::error::{Error, Result};
use tegula::evidence::Findings;
use tegula::field::{self, FieldNeed};
use tegula::recall::{self, Recall};
use tegula::recipe::{Recipe, Stage};
use tegula::stage_input::{RemovedUnits, StageInput};
use tegula::statistics::Statistics;
use tegula::threshold::Threshold;
use tegula_io::options::FormatName;
use tegula_io::outputs::Outputs;
use tegula_io::store;
use tegula_io::tables::RunFolder;

/// A search with checked options and open inputs.
pub(crate) struct Search<'a> {
    /// The inputs and outputs.
    pub(crate) opened: Opened<'a>,
    /// The specification as given, with the fields to read, and the inputs of the earlier run if it
    /// is decided on again.
    pub(crate) spec: RunSpec,
    /// The run folder.
    pub(crate) folder: Option<RunFolder>,
    /// The records that could not be read and were skipped.
    pub(crate) skipped_records: Skipped,
    /// Document frequencies from a file, by stage.
    statistics: Vec<Option<Statistics>>,
    stored: Option<Stored>,
    stages: Option<RunStages>,
    goes_on: bool,
}

impl<'a> Search<'a> {
    /// Checks all options, opens the inputs and determines their formats. No record is read.
    ///
    /// # Errors
    /// Usage errors naming the option; errors of the inputs or an earlier run.
    pub(crate) fn open(host: &'a Host, spec: &RunSpec, outputs: &Outputs) -> Result<Self> {
        let mut spec = spec.clone();
        let root = spec.evidence.folder.as_deref();
        if spec.evidence.resume && root.is_none() {
            return Err(Error::of("⟨resume⟩")
                .expected("the folder to resume from as ⟨run⟩")
                .found("none"));
        }
        for path in spec.input.paths.iter_mut().chain(&mut spec.input.against) {
            *path = store::shown(path);
        }
        if let Some(root) = root.filter(|_| spec.evidence.resume) {
            store::check_local("⟨resume⟩", root)?;
        }
        let folder = root
            .map(|root| RunFolder::claim(outputs, root))
            .transpose()?;
        if spec.from.is_some() {
            return Self::from_run(host, spec, outputs, folder);
        }
        check_recall(&spec)?;
        if host.engine().is_some() {
            cluster::check(&spec)?;
        }
        let stages = &spec.recipe.stages;
        let named = stages
            .iter()
            .filter_map(|stage| stage.recipe.statistics.as_deref());
        let mut opened = Opened::new(
            host,
            outputs,
            Opening {
                constraints: spec.constraints.clone(),
                fields: spec.needed_fields(),
                reads: named.map(PathBuf::from).collect(),
                output: spec.output.path.as_deref(),
                writes_records: spec.writes_records(),
                wants_pairs_only: true,
                ..Opening::new(&spec.input, &spec.recipe)
            },
        )?;
        if spec.evidence.resume && opened.inputs.are_in_memory() {
            return Err(Error::of("⟨resume⟩")
                .expected("files, which can be compared with those of the earlier run")
                .found("tables in memory")
                .hint("leave it out"));
        }
        let statistics = stages
            .iter()
            .map(|stage| statistics::load(&stage.recipe, &host.context))
            .collect::<Result<Vec<_>>>()?;
        let read = statistics.iter().flatten();
        spec.statistics = read
            .map(|statistics| format!("{:016x}", statistics.digest()))
            .collect();
        spec.input.read.clone_from(&opened.input.read);
        spec.constraints = Constraints {
            references_from: None,
            ..opened.constraints.clone()
        };
        let stored = match &spec.evidence.folder {
            Some(root) if spec.evidence.resume => {
                Stored::resume(root, &spec, &opened.inputs.identify())?
            }
            _ => None,
        };
        let mut skipped_records = Vec::new();
        if let Some(stored) = &stored {
            stored.expect(&opened.inputs);
            // The folder's own list of fields and of skipped records remains valid.
            spec.input.read.clone_from(&stored.spec.input.read);
            opened.is_resumed();
            skipped_records.clone_from(&stored.skipped_records);
        }
        Ok(Self {
            opened,
            spec,
            folder,
            skipped_records,
            statistics,
            stored,
            stages: None,
            goes_on: false,
        })
    }

    fn from_run(
        host: &'a Host,
        mut spec: RunSpec,
        outputs: &Outputs,
        folder: Option<RunFolder>,
    ) -> Result<Self> {
        let Some(Earlier { run: root, moved }) = &spec.from else {
            return Err(Error::of("⟨from⟩").expected("a run").found("none"));
        };
        claims::claim(host, outputs, [root.as_path()], &[])?;
        let needs = spec.needed_fields();
        if spec.evidence.folder.as_ref() == Some(root) {
            return Err(Error::of("⟨run⟩")
                .expected("a folder other than that of ⟨from⟩")
                .found("the same")
                .hint("evidence cannot be written to the folder from which it is read"));
        }
        let stored =
            Stored::open(root, moved.as_deref())?.with_dates(&spec.input.read.date_formats)?;
        let kept = &stored.spec.input.read.needs.fields;
        if let Some(FieldNeed { name, .. }) = needs.iter().find(|need| !kept.contains(&need.name)) {
            let kept = if kept.is_empty() {
                "none".to_owned()
            } else {
                kept.join(", ")
            };
            return Err(Error::of("⟨from⟩")
                .problem(format!(
                    "field '{name}' was not kept in the run; the fields that were: {kept}"
                ))
                .hint(format!("run again with ⟨by⟩ {name}, or leave out ⟨from⟩")));
        }
        let recipe = &stored.recipe;
        if recipe.measure.is_in_order() {
            return Err(Error::of("⟨from⟩")
                .problem(format!(
                    "under {}, the verdict on a text depends on the texts kept before it",
                    recipe.recipe
                ))
                .hint("run again"));
        }
        let [stage] = &mut spec.recipe.stages[..] else {
            return Err(Error::of("⟨from⟩")
                .expected("a recipe of one stage, as the run has")
                .found("several"));
        };
        let threshold = stage.recipe.threshold;
        if threshold != recipe.threshold {
            recipe.check_effect("threshold").map_err(|error| {
                Error::usage(format!(
                    "⟨threshold⟩{}",
                    error.message().trim_start_matches("threshold")
                ))
            })?;
            if !recipe
                .threshold
                .admits(threshold.numerator(), threshold.denominator())
            {
                return Err(Error::of("⟨threshold⟩")
                    .expected(format!("at least {}, the run's", recipe.threshold))
                    .found(threshold)
                    .hint(
                        "pairs below the run's threshold were not kept; run again without ⟨from⟩",
                    ));
            }
            check_recut(host, recipe, threshold)?;
        }
        stage.recipe = Recipe {
            threshold,
            ..recipe.clone()
        };
        if spec.writes_records() {
            stored.check_kept(host)?;
        }
        spec.input.clone_from(&stored.spec.input);
        let inputs = stored.open_inputs(host)?.with_needed_fields(needs);
        let constraints = stored.constraints(inputs.references_from());
        let read = (inputs, spec.input.clone());
        Ok(Self {
            opened: Opened::again(host, outputs, read, constraints)?,
            spec,
            folder,
            skipped_records: stored.skipped_records.clone(),
            statistics: vec![None],
            stored: Some(stored),
            stages: None,
            goes_on: false,
        })
    }

    /// The stages; the threshold of each is that of the decision.
    pub(crate) fn stages(&self) -> &[Stage] {
        &self.spec.recipe.stages
    }

    /// The recipe of the only stage, which finds pairs.
    ///
    /// # Errors
    /// Usage errors if there are several, or if it finds none.
    pub(crate) fn recipe_of_pairs(&self) -> Result<Recipe> {
        let [stage] = self.stages() else {
            return Err(Error::of("recipe")
                .expected("one stage, as each reads different texts")
                .found("several")
                .hint("name the recipe of one of its stages"));
        };
        if stage.recipe.measure.is_in_order() {
            return Err(Error::of("⟨recipe⟩")
                .problem(format!("{} compares a text with all text kept before it, and has no pairs", stage.recipe.recipe))
            .hint(if stage.recipe.measure.is_of_passages() {
                "use dedup or mark with it; tegula passages lists what texts share"
            } else {
                "use dedup or mark with it; for pairs of contained texts, use the recipe sscr-containment"
            }));
        }
        Ok(stage.recipe.clone())
    }

    /// Checks the records and starts writing; to be called when all other options are checked and
    /// all outputs claimed.
    ///
    /// # Errors
    /// What the records lack; if a folder cannot be written, or contains other files.
    pub(crate) fn begin(&mut self) -> Result<()> {
        let resume = self.spec.evidence.resume;
        if let Some(folder) = &self.folder {
            self.goes_on = resume && self.stored.is_some();
            if !self.goes_on {
                folder.replace_all(&self.opened.outputs)?;
            }
            self.opened.host.observer().writes(folder.path());
        }
        self.opened.begin()?;
        if let Some(folder) = &self.folder {
            if !resume {
                folder.remove_stages()?;
            }
            let goes_on = resume || self.opened.host.saves_stages();
            let saves =
                goes_on && !self.opened.inputs.are_in_memory() && !store::is_address(folder.path());
            if let (None, [_], true) = (&self.stored, self.stages(), saves) {
                self.stages = Some(RunStages::open(
                    self.opened.host,
                    folder,
                    &self.spec,
                    &self.opened.inputs,
                )?);
            }
        }
        Ok(())
    }

    /// Renames all outputs into place, and removes stages saved for resuming; to be called when
    /// everything is written.
    ///
    /// # Errors
    /// If an input has changed, a file cannot be renamed, or the stages cannot be removed.
    pub(crate) fn finish(&self) -> Result<()> {
        self.opened.publish()?;
        if let Some(cluster) = self.cluster(0, &RemovedUnits::default())? {
            cluster.end(self.opened.host, &self.spec)?;
        }
        // Including stages of a run that was killed here, after its tables were renamed into place.
        self.folder
            .as_ref()
            .map_or(Ok(()), RunFolder::remove_stages)
    }

    /// Whether the findings are already in the run folder, because the run is resumed.
    pub(crate) fn is_stored_in_folder(&self) -> bool {
        self.goes_on
    }

    /// Whether the findings are those of an earlier run.
    pub(crate) fn is_stored(&self) -> bool {
        self.stored.is_some()
    }

    /// Which tokens a recipe uses, described.
    pub(crate) fn tokens(&self, recipe: &Recipe) -> String {
        describe::tokens(
            recipe,
            self.spec.input.read.needs.as_is,
            self.opened.inputs.with_own_tokens(),
        )
    }

    /// What is compared of the lines of vertical files, described.
    pub(crate) fn columns(&self, recipe: &Recipe) -> Option<String> {
        // The files were read; this only looks at their beginnings again.
        let widest = self
            .opened
            .inputs
            .columns(self.opened.host)
            .unwrap_or_default();
        let has_conllu = self.opened.inputs.has(FormatName::Conllu);
        describe::columns(recipe, &self.spec.input.read, widest, has_conllu)
    }

    /// The run folder of a stage: that of the run if it is the only one, otherwise a subfolder.
    ///
    /// # Errors
    /// If it is already claimed.
    pub(crate) fn stage_folder(&self, stage: usize) -> Result<Option<RunFolder>> {
        match &self.folder {
            Some(folder) if self.stages().len() > 1 => folder
                .stage(
                    &self.opened.outputs,
                    &stage_name(stage, &self.stages()[stage]),
                )
                .map(Some),
            folder => Ok(folder.clone()),
        }
    }

    /// Runs a stage on the units kept by earlier ones, or reads the findings of an earlier run. If
    /// the run keeps only witnesses instead of pairs, it finds what a decision by `policy` needs.
    ///
    /// # Errors
    /// Errors of the inputs, the memory ceiling or scratch.
    pub(crate) fn find(
        &mut self,
        stage: usize,
        taken: &RemovedUnits,
        policy: Option<&Policy>,
    ) -> Result<Findings> {
        let context = &self.opened.host.context;
        let recipe = &self.stages()[stage].recipe;
        let witnesses = self.spec.evidence.pairs == PairsKept::Witness;
        let policy = policy.filter(|_| witnesses || recipe.measure.is_of_passages());
        if let Some(cluster) = self.cluster(stage, taken)? {
            let job = Job {
                elsewhere: Some(&cluster),
                ..self.opened.job(recipe, self.statistics[stage].as_ref())
            };
            if stage > 0 {
                return find(context, job, policy, &mut FailOnBad);
            }
            let (found, skipped) = self.opened.read(|bad| find(context, job, policy, bad))?;
            self.skipped_records = skipped;
            return Ok(found);
        }
        if stage > 0 {
            let source = StageInput::new(&self.opened.inputs, taken.clone());
            let job = Job {
                source: &source,
                ..self.opened.job(recipe, self.statistics[stage].as_ref())
            };
            return find(context, job, policy, &mut FailOnBad);
        }
        if let Some(stored) = &self.stored {
            let inputs = &self.opened.inputs;
            let found = stored.findings(context, inputs)?;
            let (needs, dates) = inputs.needed_fields();
            field::check(&found.units.records.fields, needs, dates)?;
            return Ok(found);
        }
        let checkpoint = self.stages.as_ref().map(|stages| stages as &dyn Checkpoint);
        let job = Job {
            checkpoint,
            ..self.job()
        };
        let (found, skipped) = self.opened.read(|bad| find(context, job, policy, bad))?;
        self.skipped_records = skipped;
        Ok(found)
    }

    /// The cluster on which a stage runs, without what earlier ones have `taken`; none if this machine
    /// runs it, or the findings are stored.
    ///
    /// # Errors
    /// None in practice.
    pub(crate) fn cluster(
        &self,
        stage: usize,
        taken: &RemovedUnits,
    ) -> Result<Option<Cluster<'_>>> {
        let engine = self.opened.host.engine();
        engine
            .filter(|_| self.stored.is_none())
            .map(|engine| {
                let host = self.opened.host;
                let of = (&self.spec, stage);
                Cluster::new((engine, host), of, &self.opened, taken.clone())
            })
            .transpose()
    }

    /// The engine's job for the first stage.
    fn job(&self) -> Job<'_> {
        self.opened
            .job(&self.stages()[0].recipe, self.statistics[0].as_ref())
    }

    /// The recall on a sample of texts, if requested.
    ///
    /// # Errors
    /// As for finding pairs.
    pub(crate) fn recall(&self, found: &Findings) -> Result<Option<Recall>> {
        let sample = self.spec.evidence.check_recall;
        sample
            .map(|sample| {
                recall::check(
                    &self.opened.host.context,
                    self.job(),
                    found,
                    sample as usize,
                )
            })
            .transpose()
    }
}

/// Finds all pairs, or those needed for a decision.
fn find(
    context: &tegula::context::Context,
    job: Job,
    policy: Option<&Policy>,
    bad: &mut dyn BadRecords,
) -> Result<Findings> {
    match policy {
        Some(policy) => engine::find_to_decide(context, job, policy, bad),
        None => engine::find(context, job, bad),
    }
}

/// Refuses another threshold for pairs of a run that skipped some, and warns if a fresh run would
/// have other candidates.
///
/// # Errors
/// A usage error if the recipe is transitive.
pub fn check_recut(host: &Host, recipe: &Recipe, threshold: Threshold) -> Result<()> {
    if recipe.transitive {
        return Err(Error::of("⟨threshold⟩")
            .expected(format!("{}, the run's, as a transitive recipe skips pairs of texts that are already in one cluster", recipe.threshold))
            .found(threshold)
        .hint("run again at that threshold"));
    }
    if recipe.keys_follow_threshold() {
        host.warn(&format!(
            "candidates are those of the run, with keys for {}; a run at {threshold} generates others",
            recipe.threshold
        ));
    }
    Ok(())
}

/// Refuses a recall check if there is nothing to check.
fn check_recall(spec: &RunSpec) -> Result<()> {
    if spec.evidence.check_recall.is_none() {
        return Ok(());
    }
    match &spec.recipe.stages[..] {
        [stage] => recall::complete(&stage.recipe).map(drop),
        _ => Err(Error::of("⟨check_recall⟩")
            .expected("a recipe of one stage, as each reads different texts")
            .hint("run the stage alone")),
    }
}
