//! The one way in: how every command gets the records of a collection, and its outputs.
//!
//! [`Opened::new`] claims what is read and written before anything is read, so that no output can be
//! an input; it refuses options that nothing needs, opens the files, guards them against changes
//! during the run, and claims the folder for bad records. [`Opened::begin`] checks that the records
//! have what the command needs, and only then is anything written. [`Opened::read`] hands the records
//! to the engine, treats bad ones as asked, and reports what was skipped and repaired.
//!
//! Outputs can be made through [`claims`] only. Besides this module, a stream of hits has its own handler
//! of bad records, and stored evidence opens the inputs of its run again.

pub mod bad;
pub mod claims;
mod in_memory;
pub mod inputs;
pub(crate) mod split;

use crate::host::Host;
use crate::mail;
use crate::options::BadRecordPolicy;
use crate::spec::{InputSpec, read_options};
use bad::Bad;
use inputs::Inputs;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Once;
use tegula::constraint::Constraints;
use tegula::context::Context;
use tegula::engine::bad_records::BadRecords;
use tegula::engine::{Job, Tuning};
use tegula::error::{Error, Result};
use tegula::field::{FieldNeed, Holds};
use tegula::hash;
use tegula::recipe::{Action, Recipe, Staged};
use tegula::record::{Batch, Level, Source};
use tegula::statistics::Statistics;
use tegula_io::collection::Collection;
use tegula_io::contents::Asked;
use tegula_io::options::ReadOptions;
use tegula_io::outputs::Outputs;

/// What a command reads, and what it needs of the records.
pub struct Opening<'a> {
    /// What to read, and how.
    pub input: &'a InputSpec,
    /// The recipe whose texts are read.
    pub recipe: &'a Staged,
    /// The constraints on pairs.
    pub constraints: Constraints,
    /// The fields that records need besides those of the constraints.
    pub fields: Vec<FieldNeed>,
    /// Other files that are read: statistics, templates.
    pub reads: Vec<PathBuf>,
    /// The main output, beside which bad records are kept.
    pub output: Option<&'a Path>,
    /// Whether the word classes of tags are needed; by default if the recipe weighs by them.
    pub classes: Option<bool>,
    /// Whether records are written, so that all their columns must be read.
    pub writes_records: bool,
    /// Whether texts are compared as wholes, so that messages are more than their text.
    pub compares_wholes: bool,
    /// Whether only pairs matter, so that of the texts in an index only those are read that are in one.
    pub wants_pairs_only: bool,
}

impl<'a> Opening<'a> {
    /// To compare texts as wholes, without constraints.
    pub fn new(input: &'a InputSpec, recipe: &'a Staged) -> Self {
        Self {
            input,
            recipe,
            constraints: Constraints::default(),
            fields: Vec::new(),
            reads: Vec::new(),
            output: None,
            classes: None,
            writes_records: false,
            compares_wholes: true,
            wants_pairs_only: false,
        }
    }
}

/// A recipe of one stage, for a command that has no other.
pub(crate) fn single(recipe: &Recipe) -> Staged {
    Staged::single(recipe.clone(), Action::Remove)
}

/// File and number of the records that could not be read and were skipped, in input order.
pub type Skipped = Vec<(u32, u64)>;

/// The open inputs and claimed outputs of a command.
pub struct Opened<'a> {
    /// The environment.
    pub host: &'a Host,
    /// The records.
    pub inputs: Inputs,
    /// The outputs.
    pub outputs: Outputs,
    /// The constraints on pairs, those of references and messages included.
    pub constraints: Constraints,
    /// What is read, and how, with the fields that are needed.
    pub input: InputSpec,
    levels: Vec<Level>,
    /// The recipe whose pairs are all that matters, if there is one stage.
    recipe: Option<Recipe>,
    quarantine: PathBuf,
    /// Whether the records were read by an earlier run, and are not checked again.
    is_checked: bool,
    /// Called by the first flow on a cluster.
    first_flow: Once,
}

impl<'a> Opened<'a> {
    /// Claims, checks options and opens the files; no record is read. Outputs that do not depend on
    /// the inputs are claimed before.
    ///
    /// # Errors
    /// Usage errors naming the option; errors of the inputs.
    pub fn new(host: &'a Host, outputs: &Outputs, opening: Opening) -> Result<Self> {
        let Opening { recipe, .. } = opening;
        let mut input = host.held(opening.input);
        let mut constraints = opening.constraints;
        mail::forget(&mut constraints);
        let mut needs = opening.fields;
        for need in mail::needed(&constraints) {
            if !needs.contains(&need) {
                needs.push(need);
            }
        }
        check_date_formats(&input.read, &needs)?;
        let quarantine = input.records.bad.quarantine_folder(opening.output)?;
        // Claimed first: not even a stream is read before.
        let read = (input.paths.iter().chain(&input.against)).chain(&opening.reads);
        claims::claim(host, outputs, read.map(PathBuf::as_path), &[])?;
        constraints.check()?;
        for stage in &recipe.stages {
            stage.recipe.check_constraints(&constraints)?;
        }
        input.read = read_options(&input.read, recipe, &needs);
        if let Some(classes) = opening.classes {
            input.read.needs.classes = classes;
        }
        if input.read.vertical.tag_column.is_some() && !input.read.needs.classes {
            return Err(Error::of("⟨tag_column⟩")
                .problem(format!(
                    "it has no effect in the recipe {}: it has no weights by word class",
                    recipe.stages[0].recipe.recipe
                ))
                .hint("use it with simfinder, or leave it out"));
        }
        input.read.needs.whole_rows =
            input.records.bad.on_bad_record() != BadRecordPolicy::Fail && opening.writes_records;
        let mut inputs = Inputs::open(host, &input)?.with_needed_fields(needs);
        if opening.compares_wholes {
            inputs.keep_mail_apart(&mut constraints);
        }
        (input.read.needs.fields).clone_from(&inputs.main.options().needs.fields);
        (recipe.stages.iter()).try_for_each(|stage| {
            inputs.check_steps(&stage.recipe, input.steps_named.contains(&stage.name))
        })?;
        outputs.guard(inputs.guards())?;
        if !quarantine.as_os_str().is_empty() {
            bad::claim(outputs, &quarantine, inputs.files())?;
        }
        constraints.references_from = inputs.references_from();
        Ok(Self {
            host,
            outputs: outputs.clone(),
            constraints,
            levels: (recipe.stages.iter())
                .map(|stage| stage.recipe.unit)
                .collect(),
            recipe: match &recipe.stages[..] {
                [stage] if opening.wants_pairs_only => Some(stage.recipe.clone()),
                _ => None,
            },
            input,
            inputs,
            quarantine,
            is_checked: false,
            first_flow: Once::new(),
        })
    }

    /// Inputs that an earlier run has read and checked; the constraints are those of that run.
    ///
    /// # Errors
    /// If one has changed or is an output.
    pub(crate) fn again(
        host: &'a Host,
        outputs: &Outputs,
        (inputs, input): (Inputs, InputSpec),
        constraints: Constraints,
    ) -> Result<Self> {
        outputs.guard(inputs.guards())?;
        Ok(Self {
            host,
            inputs,
            outputs: outputs.clone(),
            constraints,
            input,
            levels: Vec::new(),
            recipe: None,
            quarantine: PathBuf::new(),
            is_checked: true,
            first_flow: Once::new(),
        })
    }

    /// Takes the records for checked, as an earlier run of the same inputs has read them.
    pub(crate) fn is_resumed(&mut self) {
        self.is_checked = true;
    }

    /// Tells the user that the run resumes from what an earlier one left in `folder`, if its first flow
    /// on a cluster `is_done` already; later flows may be repeated by the run itself.
    pub(crate) fn say_resumed(&self, folder: &Path, is_done: bool) {
        self.first_flow.call_once(|| {
            if is_done {
                let folder = folder.display();
                let note = format!("resuming from what an earlier run left in {folder}");
                self.host.observer().note(&note);
            }
        });
    }

    /// Checks that the records have what the command needs: texts, fields, tags, unique ids.
    fn check(&self) -> Result<()> {
        if self.is_checked {
            return Ok(());
        }
        let on_pairs: Vec<FieldNeed> = mail::needed(&self.constraints).collect();
        (self.inputs).check(
            self.host,
            &self.levels,
            &on_pairs,
            self.input.records.bad.on_bad_record(),
        )?;
        if self.input.records.strict_ids {
            self.check_ids()?;
        }
        Ok(())
    }

    /// Checks that the records have what the command needs, and starts writing; to be called when
    /// all other options are checked and all outputs claimed.
    ///
    /// # Errors
    /// Names what no record has, and lists the alternatives; the first bad record, if that ends a
    /// run; if a folder cannot be written, or contains other files.
    pub fn begin(&self) -> Result<()> {
        self.check()?;
        self.outputs.begin()?;
        self.inputs.warn(self.host);
        let recipe = self.recipe.as_ref().filter(|_| self.asks_indexes());
        // On a cluster its tasks ask.
        let recipe = recipe.filter(|_| self.host.engine().is_none());
        if let Some(recipe) = recipe {
            let (context, inputs) = (&self.host.context, &self.inputs);
            inputs.keep_of_indexes(&inputs.ask_indexes(context, &inputs.main, recipe)?);
        }
        Ok(())
    }

    /// Whether indexes are asked which of their records may match a text, so that all others are left out.
    pub(crate) fn asks_indexes(&self) -> bool {
        self.recipe.is_some() && self.inputs.has_indexes()
    }

    /// Refuses inputs in which an id repeats: reads the collection once more, without comparing
    /// anything.
    fn check_ids(&self) -> Result<()> {
        let context = &self.host.context;
        let mut held = context.budget.reserve(0, "the ids")?;
        let mut seen = HashSet::new();
        let (mut repeated, mut first) = (0_u64, None);
        let mut batch = Batch::default();
        for chunk in self.inputs.main.chunks()? {
            context.check()?;
            batch.clear();
            chunk?.read(&mut batch);
            let before = seen.capacity();
            for record in &batch.records {
                let Some(id) = batch.id_of(record).filter(|id| !id.is_empty()) else {
                    continue;
                };
                let hashed = hash::token(id.as_bytes());
                if !seen.insert((hashed.id, hashed.check)) {
                    repeated += 1;
                    first.get_or_insert_with(|| id.to_owned());
                }
            }
            let more = (seen.capacity() - before) * 2 * size_of::<(u64, u64)>();
            held.grow(more as u64, "the ids")?;
        }
        let Some(first) = first else { return Ok(()) };
        Err(Error::data(format!(
            "⟨strict_ids⟩: expected unique ids; records with the id of an earlier one: {repeated}, the first of them '{first}'"
        ))
        .hint("use another field as ⟨id_key⟩, or leave out ⟨strict_ids⟩"))
    }

    /// The engine's job on these records.
    pub fn job<'j>(&'j self, recipe: &'j Recipe, statistics: Option<&'j Statistics>) -> Job<'j> {
        Job {
            source: &self.inputs,
            recipe,
            constraints: &self.constraints,
            statistics,
            checkpoint: None,
            elsewhere: None,
            tuning: Tuning::default(),
        }
    }

    /// Has the records read by `work`, which passes bad ones to its argument, and reports what was
    /// skipped and repaired.
    ///
    /// # Errors
    /// Those of `work`; if a bad record ends the run, or cannot be kept.
    pub fn read<T>(
        &self,
        work: impl FnOnce(&mut dyn BadRecords) -> Result<T>,
    ) -> Result<(T, Skipped)> {
        let quarantine = Some((&self.outputs, self.quarantine.clone()));
        let mut bad = Bad::new(
            self.input.records.bad.on_bad_record(),
            quarantine,
            self.inputs.files(),
        );
        let done = work(&mut bad)?;
        bad.finish(self.host)?;
        self.inputs.warn_of_repairs(self.host);
        Ok((done, bad.into_skipped()))
    }

    /// Renames all outputs into place.
    ///
    /// # Errors
    /// If an input has changed, or a file cannot be renamed.
    pub fn publish(&self) -> Result<()> {
        claims::publish(self.host, &self.outputs)
    }
}

/// Opens a collection of which a sample is read, in this context, and checks it as a run would.
///
/// # Errors
/// As for [`Opened::begin`].
pub(crate) fn sampled(
    host: &Host,
    context: &Context,
    input: &InputSpec,
    read: &ReadOptions,
    levels: Vec<Level>,
) -> Result<Collection> {
    let input = &host.held(input);
    claims::files(host, input.paths.iter().map(PathBuf::as_path), &[])?;
    let collection =
        in_memory::collection(None, (&input.paths, &input.tables), read, &context.scratch)?
            .within(context);
    let policy = input.records.bad.on_bad_record();
    // References are not part of the sample.
    let asked = Asked {
        levels,
        has_others: true,
        passes_over: policy != BadRecordPolicy::Fail,
        ids: true,
        ..Asked::default()
    };
    inputs::check(host, &collection, &asked, policy)?;
    Ok(collection)
}

/// Refuses date formats that nothing needs.
fn check_date_formats(read: &ReadOptions, needs: &[FieldNeed]) -> Result<()> {
    if read.date_formats.is_empty() || needs.iter().any(|need| need.holds == Holds::Dates) {
        return Ok(());
    }
    Err(Error::of("⟨date_format⟩").expected("an option that needs dates").found("none")
        .hint("dates are needed by ⟨keep=newest:F⟩ and oldest:F, by ⟨window=F=3d⟩, and by fields such as F:year"))
}
