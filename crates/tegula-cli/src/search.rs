//! From arguments to findings: inputs opened, options checked, and the engine run, or stored evidence read instead.

use crate::args::{BadRecordPolicy, ConstraintArgs, InputArgs, RecipeArgs, RunArgs};
use crate::bad::Bad;
use crate::describe;
use crate::evidence::{Kept, RunOptions, Stored};
use crate::inputs::Inputs;
use crate::stages::RunStages;
use crate::{bad, claims, interrupt, output, statistics};
use std::path::{Path, PathBuf};
use tegula::constraint::Constraints;
use tegula::context::Context;
use tegula::decide::Policy;
use tegula::engine::checkpoint::Checkpoint;
use tegula::engine::survey::{BadRecords, FailOnBad};
use tegula::engine::{self, Findings, Job, Tuning};
use tegula::error::{Error, Result};
use tegula::field::{self, FieldNeed};
use tegula::recall::{self, Recall};
use tegula::recipe::{Action, Recipe, Stage, Staged};
use tegula::record::Level;
use tegula::remaining::{Remaining, Taken};
use tegula::statistics::Statistics;
use tegula::threshold::Threshold;
use tegula_io::options::ReadOptions;
use tegula_io::outputs::Outputs;
use tegula_io::tables::RunFolder;

/// What is to be searched, and how.
#[derive(Clone, Copy)]
pub(crate) struct Spec<'a> {
    /// What is written.
    pub(crate) outputs: &'a Outputs,
    /// The name of the command.
    pub(crate) command: &'static str,
    /// What is read.
    pub(crate) input: &'a InputArgs,
    /// The method.
    pub(crate) recipe: &'a RecipeArgs,
    /// What becomes of duplicates where the recipe does not say; `mark` keeps every text, whatever it says.
    pub(crate) action: Action,
    /// Which pairs count.
    pub(crate) constraints: &'a ConstraintArgs,
    /// The metadata fields that are needed besides those of `constraints` and `run`.
    pub(crate) fields: &'a [FieldNeed],
    /// Evidence and summary.
    pub(crate) run: &'a RunArgs,
    /// Which pairs the run keeps.
    pub(crate) evidence: Kept,
    /// An earlier run to decide on again.
    pub(crate) from: Option<&'a Path>,
    /// The folder that the inputs of that run have moved to.
    pub(crate) moved: Option<&'a Path>,
    /// The output that a quarantine stands beside.
    pub(crate) output: Option<&'a Path>,
}

/// A search whose options are checked and whose inputs are open.
pub(crate) struct Search {
    /// What is written.
    pub(crate) outputs: Outputs,
    /// What is read.
    pub(crate) inputs: Inputs,
    /// The stages; the threshold of each is that of the decision.
    pub(crate) staged: Staged,
    /// What the run folder says of the options.
    pub(crate) options: RunOptions,
    /// The run folder.
    pub(crate) folder: Option<RunFolder>,
    constraints: Constraints,
    /// Document frequencies from a file, by stage.
    statistics: Vec<Option<Statistics>>,
    stored: Option<Stored>,
    stages: Option<RunStages>,
    goes_on: bool,
    policy: BadRecordPolicy,
    quarantine: PathBuf,
    strict_ids: bool,
}

impl Search {
    /// Checks all options, opens the inputs and settles their formats. No record is read.
    ///
    /// # Errors
    /// Usage errors naming the option; what the inputs or an earlier run give.
    pub(crate) fn open(context: &Context, spec: Spec) -> Result<Self> {
        let by = spec.run.by.iter().map(FieldNeed::from);
        let fields: Vec<FieldNeed> = spec.fields.iter().cloned().chain(spec.constraints.fields()).chain(by).collect();
        spec.constraints.check_date_formats(&fields)?;
        let outputs = spec.outputs;
        let quarantine = spec.input.quarantine(spec.output)?;
        // Refused at the first look: not even a stream is read before.
        let named = spec.input.inputs.iter().chain(&spec.constraints.against).map(PathBuf::as_path);
        claims::claim(outputs, named.chain(spec.recipe.files()).chain(spec.from), &[])?;
        let folder = spec.run.run.as_deref().map(|root| RunFolder::claim(outputs, root)).transpose()?;
        if let Some(root) = spec.from {
            return Self::from_run(context, spec, root, folder, fields);
        }
        let staged = staged(spec)?;
        check_recall(spec, &staged)?;
        let statistics = staged.stages.iter().filter_map(|stage| stage.recipe.statistics.as_deref());
        claims::claim(outputs, statistics.map(Path::new), &[])?;
        let statistics = staged.stages.iter().map(|stage| statistics::load(&stage.recipe, context)).collect::<Result<_>>()?;
        let recipe = &staged.stages[0].recipe;
        let read = spec.input.read_options(spec.recipe, &fields, &spec.constraints.date_format)?;
        let classes = staged.stages.iter().any(|stage| stage.recipe.weighs_by_class());
        let read = spec.input.with_classes(read, classes, &recipe.recipe)?;
        let own_tokens = staged.stages.iter().any(|stage| stage.recipe.counts_own_tokens());
        let characters = staged.stages.iter().any(|stage| stage.recipe.counts_characters());
        let read = ReadOptions { own_tokens, characters, ..read };
        let mut options = RunOptions::new(spec.command, spec.input, spec.constraints, read, spec.evidence);
        let inputs = Inputs::open(&options.inputs, &options.against, &options.read, context)?.needing(fields);
        staged.stages.iter().try_for_each(|stage| inputs.check_steps(&stage.recipe, spec.recipe.names_steps(&stage.name)))?;
        outputs.guard(inputs.guards())?;
        if !quarantine.as_os_str().is_empty() {
            bad::claim(outputs, &quarantine, tegula::record::Source::files(&inputs))?;
        }
        let stored = match &spec.run.run {
            Some(root) if spec.run.resume => Stored::resume(root, &staged, &options, &inputs.identify())?,
            _ => None,
        };
        if let Some(stored) = &stored {
            stored.expect(&inputs);
            // The folder's own list of fields and of what was left out goes on.
            options = RunOptions { command: options.command, ..stored.options.clone() };
        }
        let constraints = spec.constraints.constraints(inputs.references_from());
        Ok(Self {
            outputs: outputs.clone(),
            inputs,
            staged,
            options,
            folder,
            constraints,
            statistics,
            stored,
            stages: None,
            goes_on: false,
            policy: spec.input.on_bad_record,
            quarantine,
            strict_ids: spec.input.strict_ids,
        })
    }

    fn from_run(context: &Context, spec: Spec, root: &Path, folder: Option<RunFolder>, fields: Vec<FieldNeed>) -> Result<Self> {
        settled_by_run(spec)?;
        if spec.run.run.as_deref() == Some(root) {
            return Err(Error::usage("--run: expected another folder than that of --from, found the same")
                .hint("evidence is not written over what it is read from"));
        }
        let stored = Stored::open(root, spec.moved)?.with_dates(&spec.constraints.date_format)?;
        let kept = &stored.options.read.fields;
        if let Some(FieldNeed { name, .. }) = fields.iter().find(|need| !kept.contains(&need.name)) {
            let kept = if kept.is_empty() { "none".to_owned() } else { kept.join(", ") };
            return Err(Error::usage(format!("--from: field '{name}' was not kept in the run; the fields that were: {kept}"))
                .hint(format!("run again with --by {name}, or leave out --from")));
        }
        let mut recipe = stored.recipe.clone();
        if recipe.measure.is_in_order() {
            return Err(Error::usage("--from: what Onion knows of a text depends on what it kept of those before")
                .hint("run again; tegula sweep tries several thresholds at once"));
        }
        if let Some(threshold) = spec.recipe.threshold {
            if threshold != recipe.threshold {
                recipe.heeds("threshold").map_err(|error| Error::usage(format!("--{}", error.message())))?;
            }
            if !recipe.threshold.admits(threshold.numerator(), threshold.denominator()) {
                return Err(Error::usage(format!(
                    "--threshold: expected at least {}, the run's, found {threshold}",
                    recipe.threshold
                ))
                .hint("pairs below the run's threshold were not kept; run again without --from"));
            }
            if threshold != recipe.threshold {
                check_recut(&recipe, threshold)?;
            }
            recipe.threshold = threshold;
        }
        let inputs = stored.open_inputs(context)?.needing(fields);
        spec.outputs.guard(inputs.guards())?;
        let options = RunOptions { command: spec.command.to_owned(), evidence: spec.evidence, ..stored.options.clone() };
        let constraints = stored.options.constraints(inputs.references_from())?;
        Ok(Self {
            outputs: spec.outputs.clone(),
            inputs,
            staged: Staged::single(recipe, spec.action),
            options,
            folder,
            constraints,
            statistics: vec![None],
            stored: Some(stored),
            stages: None,
            goes_on: false,
            policy: BadRecordPolicy::Fail,
            quarantine: PathBuf::new(),
            strict_ids: false,
        })
    }

    /// Makes sure that the records have what the run needs: texts, fields, tags. To be called before anything is written.
    ///
    /// # Errors
    /// Names what no record has, and what there is; the first bad record, where that ends a run.
    pub(crate) fn check_inputs(&self, context: &Context) -> Result<()> {
        if self.stored.is_some() {
            return Ok(());
        }
        let levels: Vec<Level> = self.staged.stages.iter().map(|stage| stage.recipe.unit).collect();
        let on_pairs: Vec<FieldNeed> = self.constraints.needs().collect();
        self.inputs.check(context, &levels, &on_pairs, self.policy)
    }

    /// Begins to write; to be called when all other options are checked and all outputs claimed.
    ///
    /// # Errors
    /// When a folder cannot be written, or holds other files.
    pub(crate) fn begin(&mut self, run: &RunArgs) -> Result<()> {
        if let Some(folder) = &self.folder {
            self.goes_on = run.resume && self.stored.is_some();
            if !self.goes_on {
                folder.replace_all(&self.outputs)?;
            }
            interrupt::note_files();
        }
        self.outputs.begin()?;
        if let Some(folder) = &self.folder {
            if !run.resume {
                folder.remove_stages()?;
            }
            if let (None, [stage]) = (&self.stored, &self.staged.stages[..]) {
                self.stages = Some(RunStages::open(folder, &stage.recipe, &self.options, &self.inputs, run.resume)?);
            }
        }
        Ok(())
    }

    /// Gives all outputs their names, and removes what only a killed run would need; to be called when everything is written.
    ///
    /// # Errors
    /// When an input has changed, a file cannot be renamed, or the stages not be removed.
    pub(crate) fn finish(&self, quiet: bool) -> Result<()> {
        claims::publish(&self.outputs, quiet)?;
        // Those of a run that was killed here go too, after its tables had their names.
        self.folder.as_ref().map_or(Ok(()), RunFolder::remove_stages)
    }

    /// Whether what was found is in the run folder already, because the run goes on.
    pub(crate) fn is_stored_in_folder(&self) -> bool {
        self.goes_on
    }

    /// Whether nothing but the text decides on what is found: no constraint, no references, no earlier run.
    pub(crate) fn is_free(&self) -> bool {
        self.constraints.is_empty() && self.stored.is_none() && self.inputs.references_from().is_none()
    }

    /// Whether what was found is that of an earlier run.
    pub(crate) fn is_stored(&self) -> bool {
        self.stored.is_some()
    }

    /// Which tokens a recipe counts, for people.
    pub(crate) fn tokens(&self, recipe: &Recipe) -> String {
        describe::tokens(recipe, self.options.read.as_is, &self.inputs)
    }

    /// What is done with records that cannot be read.
    pub(crate) fn bad_records(&self) -> Bad<'_> {
        Bad::new(self.policy, Some((&self.outputs, self.quarantine.clone())), tegula::record::Source::files(&self.inputs))
    }

    /// The run folder of a stage: that of the run where it is the only one, else a folder inside it.
    ///
    /// # Errors
    /// When it is claimed already.
    pub(crate) fn stage_folder(&self, stage: usize) -> Result<Option<RunFolder>> {
        match &self.folder {
            Some(folder) if self.staged.stages.len() > 1 => {
                folder.stage(&self.outputs, &stage_name(stage, &self.staged.stages[stage])).map(Some)
            }
            folder => Ok(folder.clone()),
        }
    }

    /// Runs a stage on what those before it left, or reads what an earlier run found. Where the run keeps no pairs but witnesses, it is for a
    /// decision by `policy` alone.
    ///
    /// # Errors
    /// What the inputs, the memory ceiling or scratch give.
    pub(crate) fn find(&mut self, context: &Context, stage: usize, taken: &Taken, policy: Option<&Policy>) -> Result<Findings> {
        let policy = policy.filter(|_| self.options.evidence == Kept::Witness);
        let recipe = &self.staged.stages[stage].recipe;
        if stage > 0 {
            let source = Remaining::new(&self.inputs, taken.clone());
            let job = Job {
                source: &source,
                recipe,
                constraints: &self.constraints,
                statistics: self.statistics[stage].as_ref(),
                checkpoint: None,
                tuning: Tuning::default(),
            };
            return find(context, job, policy, &mut FailOnBad);
        }
        self.inputs.warn();
        if let Some(stored) = &self.stored {
            let found = stored.findings(context, &self.inputs)?;
            let (needs, dates) = self.inputs.needs();
            field::check(&found.units.records.fields, needs, dates)?;
            return Ok(found);
        }
        let mut bad = self.bad_records();
        let checkpoint = self.stages.as_ref().map(|stages| stages as &dyn Checkpoint);
        let job = Job { checkpoint, ..self.job() };
        let found = find(context, job, policy, &mut bad)?;
        bad.finish()?;
        self.options.left_out = bad.into_left_out();
        let repeated = found.units.records.repeated_ids();
        if self.strict_ids && repeated > 0 {
            return Err(Error::data(format!(
                "--strict-ids: expected ids that occur once; records that bear an earlier one's: {repeated}"
            ))
            .hint("name another field with --id-key, or leave out --strict-ids"));
        }
        Ok(found)
    }

    /// What is asked of the engine for the first stage.
    fn job(&self) -> Job<'_> {
        Job {
            source: &self.inputs,
            recipe: &self.staged.stages[0].recipe,
            constraints: &self.constraints,
            statistics: self.statistics[0].as_ref(),
            checkpoint: None,
            tuning: Tuning::default(),
        }
    }

    /// What was found of the partners of so many texts, where that is asked for.
    ///
    /// # Errors
    /// As for finding.
    pub(crate) fn recall(&self, context: &Context, found: &Findings, run: &RunArgs) -> Result<Option<Recall>> {
        run.check_recall.map(|sample| recall::check(context, self.job(), found, sample as usize)).transpose()
    }
}

/// Finds all pairs, or what a decision needs.
fn find(context: &Context, job: Job, policy: Option<&Policy>, bad: &mut dyn BadRecords) -> Result<Findings> {
    match policy {
        Some(policy) => engine::find_to_decide(context, job, policy, bad),
        None => engine::find(context, job, bad),
    }
}

/// Refuses another threshold for pairs of a run that skipped some, and says where a fresh run would have other candidates.
///
/// # Errors
/// A usage error where the recipe is transitive.
pub(crate) fn check_recut(recipe: &Recipe, threshold: Threshold) -> Result<()> {
    if recipe.transitive {
        return Err(Error::usage(format!(
            "--threshold: expected {}, the run's, as a transitive recipe skips pairs of texts that are in one cluster already, found {threshold}",
            recipe.threshold
        ))
        .hint("run again at that threshold"));
    }
    if recipe.keys_follow_threshold() {
        output::warn(&format!(
            "candidates are those of the run, whose keys were made for {}; a run at {threshold} makes others",
            recipe.threshold
        ));
    }
    Ok(())
}

/// Refuses a check of recall where there is nothing to check.
fn check_recall(spec: Spec, staged: &Staged) -> Result<()> {
    if spec.run.check_recall.is_none() {
        return Ok(());
    }
    match &staged.stages[..] {
        [stage] => recall::complete(&stage.recipe).map(drop),
        _ => Err(Error::usage("--check-recall: expected a recipe of one stage, as each sees other texts")
            .hint("run the stage by itself")),
    }
}

/// The name of a stage's folder in the run's.
pub(crate) fn stage_name(place: usize, stage: &Stage) -> String {
    format!("{}-{}", place + 1, stage.name)
}

/// The stages of the recipe, with what becomes of duplicates.
fn staged(spec: Spec) -> Result<Staged> {
    let mut staged = match spec.command {
        "dedup" | "mark" => spec.recipe.staged(spec.action)?,
        _ => Staged::single(spec.recipe.recipe()?, spec.action),
    };
    if spec.action == Action::Mark {
        staged.stages.iter_mut().for_each(|stage| stage.action = Action::Mark);
    }
    for stage in &staged.stages {
        stage.recipe.check_constraints(&spec.constraints.constraints(None))?;
    }
    Ok(staged)
}

/// Refuses options that an earlier run has settled.
fn settled_by_run(spec: Spec) -> Result<()> {
    // These are heeded, or refused where they cannot be.
    const ANEW: [&str; 5] = ["--threshold", "--date-format", "--run", "--by", "--json"];
    let mut all = spec.input.given().chain(spec.recipe.given()).chain(spec.constraints.given()).chain(spec.run.given());
    match all.find(|option| !ANEW.contains(option)) {
        Some(option) => Err(Error::usage(format!("{option}: the run of --from has settled it"))
            .hint("only --threshold, the --keep options and the output can be chosen anew")),
        None => Ok(()),
    }
}
