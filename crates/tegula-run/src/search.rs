//! From a specification to findings: opens inputs, checks options, and runs the engine, or reads
//! stored evidence instead.

use crate::bad::{self, Bad};
use crate::evidence::{Stored, stage_name};
use crate::host::Host;
use crate::inputs::Inputs;
use crate::spec::{BadRecordPolicy, PairsKept, RunSpec, read_options};
use crate::stages::RunStages;
use crate::{claims, describe, mail, statistics};
use std::path::{Path, PathBuf};
use tegula::constraint::Constraints;
use tegula::decide::Policy;
use tegula::engine::bad_records::{BadRecords, FailOnBad};
use tegula::engine::checkpoint::Checkpoint;
use tegula::engine::{self, Job, Tuning};
use tegula::error::{Error, Result};
use tegula::evidence::Findings;
use tegula::field::{self, FieldNeed, Holds};
use tegula::recall::{self, Recall};
use tegula::recipe::{Recipe, Stage};
use tegula::record::{Level, Source};
use tegula::stage_input::{RemovedUnits, StageInput};
use tegula::statistics::Statistics;
use tegula::threshold::Threshold;
use tegula_io::options::{FormatName, ReadOptions};
use tegula_io::outputs::Outputs;
use tegula_io::tables::RunFolder;

/// A search with checked options and open inputs.
pub(crate) struct Search<'a> {
    /// The environment.
    pub(crate) host: &'a Host,
    /// The specification as given, with the fields to read, and the inputs of the earlier run if it
    /// is decided on again.
    pub(crate) spec: RunSpec,
    /// The outputs.
    pub(crate) outputs: Outputs,
    /// The inputs.
    pub(crate) inputs: Inputs,
    /// The run folder.
    pub(crate) folder: Option<RunFolder>,
    /// File and number of the records that could not be read and were skipped.
    pub(crate) skipped_records: Vec<(u32, u64)>,
    constraints: Constraints,
    /// Document frequencies from a file, by stage.
    statistics: Vec<Option<Statistics>>,
    stored: Option<Stored>,
    stages: Option<RunStages>,
    goes_on: bool,
    quarantine: PathBuf,
}

impl<'a> Search<'a> {
    /// Checks all options, opens the inputs and determines their formats. No record is read.
    ///
    /// # Errors
    /// Usage errors naming the option; errors of the inputs or an earlier run.
    pub(crate) fn open(host: &'a Host, spec: &RunSpec, outputs: &Outputs) -> Result<Self> {
        let mut spec = spec.clone();
        mail::forget(&mut spec.constraints);
        let needs = spec.needed_fields();
        if spec.from.is_none() {
            check_date_formats(&spec.input.read, &needs)?;
        }
        let quarantine = spec.input.quarantine_folder(spec.output.path.as_deref())?;
        // Checked first: not even a stream is read before.
        let named = spec
            .input
            .paths
            .iter()
            .chain(&spec.input.against)
            .map(PathBuf::as_path);
        let from = spec.from.as_ref().map(|from| from.run.as_path());
        claims::claim(host, outputs, named.chain(from), &[])?;
        let folder = spec
            .evidence
            .folder
            .as_deref()
            .map(|root| RunFolder::claim(outputs, root))
            .transpose()?;
        if let Some(from) = spec.from.clone() {
            return Self::from_run(
                host,
                spec,
                (&from.run, from.moved.as_deref()),
                (outputs, folder),
                needs,
            );
        }
        for stage in &spec.recipe.stages {
            stage.recipe.check_constraints(&spec.constraints)?;
        }
        check_recall(&spec)?;
        let stages = &spec.recipe.stages;
        let statistics = stages
            .iter()
            .filter_map(|stage| stage.recipe.statistics.as_deref());
        claims::claim(host, outputs, statistics.map(Path::new), &[])?;
        let statistics = stages
            .iter()
            .map(|stage| statistics::load(&stage.recipe, &host.context))
            .collect::<Result<Vec<_>>>()?;
        let read = statistics.iter().flatten();
        spec.statistics = read
            .map(|statistics| format!("{:016x}", statistics.digest()))
            .collect();
        spec.input.read = read_options(&spec.input.read, &spec.recipe, &needs);
        spec.input.read.whole_rows =
            spec.input.on_bad_record != BadRecordPolicy::Fail && spec.writes_records();
        let mut inputs = Inputs::open(host, &spec.input)?.with_needed_fields(needs);
        inputs.keep_mail_apart(&mut spec.constraints);
        (spec.input.read.fields).clone_from(&inputs.main.options().fields);
        let named = &spec.input.steps_named;
        spec.recipe
            .stages
            .iter()
            .try_for_each(|stage| inputs.check_steps(&stage.recipe, named.contains(&stage.name)))?;
        outputs.guard(inputs.guards())?;
        if !quarantine.as_os_str().is_empty() {
            bad::claim(outputs, &quarantine, inputs.files())?;
        }
        let stored = match &spec.evidence.folder {
            Some(root) if spec.evidence.resume => Stored::resume(root, &spec, &inputs.identify())?,
            _ => None,
        };
        let mut skipped_records = Vec::new();
        if let Some(stored) = &stored {
            stored.expect(&inputs);
            // The folder's own list of fields and of skipped records remains valid.
            spec.input.read.clone_from(&stored.spec.input.read);
            skipped_records.clone_from(&stored.skipped_records);
        }
        let constraints = Constraints {
            references_from: inputs.references_from(),
            ..spec.constraints.clone()
        };
        Ok(Self {
            host,
            spec,
            outputs: outputs.clone(),
            inputs,
            folder,
            skipped_records,
            constraints,
            statistics,
            stored,
            stages: None,
            goes_on: false,
            quarantine,
        })
    }

    fn from_run(
        host: &'a Host,
        mut spec: RunSpec,
        (root, moved): (&Path, Option<&Path>),
        (outputs, folder): (&Outputs, Option<RunFolder>),
        needs: Vec<FieldNeed>,
    ) -> Result<Self> {
        if spec.evidence.folder.as_deref() == Some(root) {
            return Err(Error::usage(
                "⟨run⟩: expected a folder other than that of ⟨from⟩, found the same",
            )
            .hint("evidence cannot be written to the folder from which it is read"));
        }
        let stored = Stored::open(root, moved)?.with_dates(&spec.input.read.date_formats)?;
        let kept = &stored.spec.input.read.fields;
        if let Some(FieldNeed { name, .. }) = needs.iter().find(|need| !kept.contains(&need.name)) {
            let kept = if kept.is_empty() {
                "none".to_owned()
            } else {
                kept.join(", ")
            };
            return Err(Error::usage(format!(
                "⟨from⟩: field '{name}' was not kept in the run; the fields that were: {kept}"
            ))
            .hint(format!("run again with ⟨by⟩ {name}, or leave out ⟨from⟩")));
        }
        let recipe = &stored.recipe;
        if recipe.measure.is_in_order() {
            return Err(Error::usage(format!(
                "⟨from⟩: under {}, the verdict on a text depends on the texts kept before it",
                recipe.recipe
            ))
            .hint("run again"));
        }
        let [stage] = &mut spec.recipe.stages[..] else {
            return Err(Error::usage(
                "⟨from⟩: expected a recipe of one stage, as the run has, found several",
            ));
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
                return Err(Error::usage(format!(
                    "⟨threshold⟩: expected at least {}, the run's, found {threshold}",
                    recipe.threshold
                ))
                .hint("pairs below the run's threshold were not kept; run again without ⟨from⟩"));
            }
            check_recut(host, recipe, threshold)?;
        }
        stage.recipe = Recipe {
            threshold,
            ..recipe.clone()
        };
        spec.input.clone_from(&stored.spec.input);
        let inputs = stored.open_inputs(host)?.with_needed_fields(needs);
        outputs.guard(inputs.guards())?;
        let constraints = stored.constraints(inputs.references_from());
        Ok(Self {
            host,
            spec,
            outputs: outputs.clone(),
            inputs,
            folder,
            skipped_records: stored.skipped_records.clone(),
            constraints,
            statistics: vec![None],
            stored: Some(stored),
            stages: None,
            goes_on: false,
            quarantine: PathBuf::new(),
        })
    }

    /// Checks that the records have what the run needs: texts, fields, tags. To be called before
    /// anything is written.
    ///
    /// # Errors
    /// Names what no record has, and lists the alternatives; the first bad record, if that ends a
    /// run.
    pub(crate) fn check_inputs(&self) -> Result<()> {
        if self.stored.is_some() {
            return Ok(());
        }
        let levels: Vec<Level> = self
            .stages()
            .iter()
            .map(|stage| stage.recipe.unit)
            .collect();
        let on_pairs: Vec<FieldNeed> = mail::needed(&self.constraints).collect();
        self.inputs
            .check(self.host, &levels, &on_pairs, self.spec.input.on_bad_record)
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
            return Err(Error::usage(
                "recipe: expected one stage, as each reads different texts, found several",
            )
            .hint("name the recipe of one of its stages"));
        };
        if stage.recipe.measure.is_in_order() {
            return Err(Error::usage(format!(
                "⟨recipe⟩: {} compares a text with all text kept before it, and has no pairs",
                stage.recipe.recipe
            ))
            .hint(if stage.recipe.measure.is_of_passages() {
                "use dedup or mark with it; tegula passages lists what texts share"
            } else {
                "use dedup or mark with it; for pairs of contained texts, use the recipe sscr-containment"
            }));
        }
        Ok(stage.recipe.clone())
    }

    /// Starts writing; to be called when all other options are checked and all outputs claimed.
    ///
    /// # Errors
    /// If a folder cannot be written, or contains other files.
    pub(crate) fn begin(&mut self) -> Result<()> {
        let resume = self.spec.evidence.resume;
        if let Some(folder) = &self.folder {
            self.goes_on = resume && self.stored.is_some();
            if !self.goes_on {
                folder.replace_all(&self.outputs)?;
            }
            self.host.observer().writes(folder.path());
        }
        self.outputs.begin()?;
        if let Some(folder) = &self.folder {
            if !resume {
                folder.remove_stages()?;
            }
            let saves = resume || self.host.saves_stages();
            if let (None, [_], true) = (&self.stored, self.stages(), saves) {
                self.stages = Some(RunStages::open(
                    self.host,
                    folder,
                    &self.spec,
                    &self.inputs,
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
        claims::publish(self.host, &self.outputs)?;
        // Including stages of a run that was killed here, after its tables were renamed into place.
        self.folder
            .as_ref()
            .map_or(Ok(()), RunFolder::remove_stages)
    }

    /// Whether the findings are already in the run folder, because the run is resumed.
    pub(crate) fn is_stored_in_folder(&self) -> bool {
        self.goes_on
    }

    /// Whether the findings depend only on the text: no constraint, no references, no earlier run.
    pub(crate) fn is_free(&self) -> bool {
        self.constraints.is_empty()
            && self.stored.is_none()
            && self.inputs.references_from().is_none()
    }

    /// Whether the findings are those of an earlier run.
    pub(crate) fn is_stored(&self) -> bool {
        self.stored.is_some()
    }

    /// Which tokens a recipe uses, described.
    pub(crate) fn tokens(&self, recipe: &Recipe) -> String {
        describe::tokens(
            recipe,
            self.spec.input.read.as_is,
            self.inputs.with_own_tokens(),
        )
    }

    /// What is compared of the lines of vertical files, described.
    pub(crate) fn columns(&self, recipe: &Recipe) -> Option<String> {
        // The files were read; this only looks at their beginnings again.
        let widest = self.inputs.columns(self.host).unwrap_or_default();
        let has_conllu = self.inputs.has(FormatName::Conllu);
        describe::columns(recipe, &self.spec.input.read, widest, has_conllu)
    }

    /// The handler of records that cannot be read.
    pub(crate) fn bad_records(&self) -> Bad<'_> {
        Bad::new(
            self.spec.input.on_bad_record,
            Some((&self.outputs, self.quarantine.clone())),
            self.inputs.files(),
        )
    }

    /// The run folder of a stage: that of the run if it is the only one, otherwise a subfolder.
    ///
    /// # Errors
    /// If it is already claimed.
    pub(crate) fn stage_folder(&self, stage: usize) -> Result<Option<RunFolder>> {
        match &self.folder {
            Some(folder) if self.stages().len() > 1 => folder
                .stage(&self.outputs, &stage_name(stage, &self.stages()[stage]))
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
        let context = &self.host.context;
        let recipe = &self.stages()[stage].recipe;
        let witnesses = self.spec.evidence.pairs == PairsKept::Witness;
        let policy = policy.filter(|_| witnesses || recipe.measure.is_of_passages());
        if stage > 0 {
            let source = StageInput::new(&self.inputs, taken.clone());
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
        self.inputs.warn(self.host);
        if let Some(stored) = &self.stored {
            let found = stored.findings(context, &self.inputs)?;
            let (needs, dates) = self.inputs.needed_fields();
            field::check(&found.units.records.fields, needs, dates)?;
            return Ok(found);
        }
        let mut bad = self.bad_records();
        let checkpoint = self.stages.as_ref().map(|stages| stages as &dyn Checkpoint);
        let job = Job {
            checkpoint,
            ..self.job()
        };
        let found = find(context, job, policy, &mut bad)?;
        bad.finish(self.host)?;
        self.inputs.warn_of_repairs(self.host);
        self.skipped_records = bad.into_skipped();
        let repeated = found.units.records.repeated_ids();
        if self.spec.input.strict_ids && repeated > 0 {
            return Err(Error::data(format!(
                "⟨strict_ids⟩: expected unique ids; records with the id of an earlier one: {repeated}"
            ))
            .hint("use another field as ⟨id_key⟩, or leave out ⟨strict_ids⟩"));
        }
        Ok(found)
    }

    /// The engine's job for the first stage.
    fn job(&self) -> Job<'_> {
        Job {
            source: &self.inputs,
            recipe: &self.stages()[0].recipe,
            constraints: &self.constraints,
            statistics: self.statistics[0].as_ref(),
            checkpoint: None,
            tuning: Tuning::default(),
        }
    }

    /// The recall on a sample of texts, if requested.
    ///
    /// # Errors
    /// As for finding pairs.
    pub(crate) fn recall(&self, found: &Findings) -> Result<Option<Recall>> {
        let sample = self.spec.evidence.check_recall;
        sample
            .map(|sample| recall::check(&self.host.context, self.job(), found, sample as usize))
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
        return Err(Error::usage(format!(
            "⟨threshold⟩: expected {}, the run's, as a transitive recipe skips pairs of texts that are already in one cluster, found {threshold}",
            recipe.threshold
        ))
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
        _ => Err(Error::usage(
            "⟨check_recall⟩: expected a recipe of one stage, as each reads different texts",
        )
        .hint("run the stage alone")),
    }
}

/// Refuses date formats that nothing needs.
///
/// # Errors
/// A usage error that lists the options that need dates.
pub fn check_date_formats(read: &ReadOptions, needs: &[FieldNeed]) -> Result<()> {
    if read.date_formats.is_empty() || needs.iter().any(|need| need.holds == Holds::Dates) {
        return Ok(());
    }
    Err(Error::usage("⟨date_format⟩: expected an option that needs dates, found none")
        .hint("dates are needed by ⟨keep=newest:F⟩ and oldest:F, by ⟨window=F=3d⟩, and by fields such as F:year"))
}
