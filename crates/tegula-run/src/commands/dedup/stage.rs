//! A stage of a run: its findings, its decision, and the evidence that it writes.

use crate::evidence::{self, Evidence};
use crate::outcome::Decided;
use crate::search::Search;
use crate::stage_report::Report;
use crate::verdicts::Verdicts;
use std::time::{Duration, Instant};
use tegula::cluster::Clusters;
use tegula::decide::{Decision, Standing};
use tegula::error::Result;
use tegula::evidence::Findings;
use tegula::recipe::Stage;
use tegula::record::Level;
use tegula::summary::Summary;
use tegula_io::tables::{InputFile, RunFolder};

/// The findings and decision of a stage.
pub(super) struct StageRun {
    place: usize,
    stage: Stage,
    folder: Option<RunFolder>,
    pub(super) found: Findings,
    clusters: Clusters,
    pub(super) decision: Decision,
    standing: Option<Standing>,
    pub(super) summary: Summary,
    pub(super) timings: Vec<(&'static str, Duration)>,
}

impl StageRun {
    /// Decides on the findings.
    ///
    /// # Errors
    /// Errors of the decision.
    pub(super) fn decide(search: &Search, place: usize, mut found: Findings) -> Result<Self> {
        let clock = Instant::now();
        let (context, spec) = (&search.opened.host.context, &search.spec);
        let stage = search.stages()[place].clone();
        let threshold = stage.recipe.threshold;
        let more = spec.policy.bytes(found.units.len());
        let _held = (context.budget).reserve(more, "choosing among copies")?;
        let clusters = Clusters::new(&found, threshold)?;
        let decision = Decision::new(&found, &spec.policy, threshold)?;
        let standing = (!spec.output.added.is_empty())
            .then(|| Standing::new(context, (&found, &clusters), (&decision, &spec.policy)))
            .transpose()?;
        let mut summary = Summary::new(
            context,
            &found,
            &stage.recipe,
            &clusters,
            Some(&decision),
            &spec.evidence.by,
        )?;
        search.opened.host.spell(&mut summary);
        search.opened.host.note_economies(found.notes.passes);
        let mut timings = std::mem::take(&mut found.notes.timings);
        timings.push(("decide", clock.elapsed()));
        Ok(Self {
            place,
            stage,
            folder: search.stage_folder(place)?,
            found,
            clusters,
            decision,
            standing,
            summary,
            timings,
        })
    }

    /// Writes the tables of the stage.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(super) fn keep_evidence(&self, search: &Search) -> Result<()> {
        let Some(evidence) = self.evidence(search, &[]) else {
            return Ok(());
        };
        evidence::write(evidence, search.is_stored_in_folder())
    }

    fn evidence<'a>(&'a self, search: &'a Search, inputs: &'a [InputFile]) -> Option<Evidence<'a>> {
        Some(Evidence {
            outputs: &search.opened.outputs,
            folder: self.folder.as_ref()?,
            recipe: &self.stage.recipe,
            spec: &search.spec,
            skipped_records: &search.skipped_records,
            command_line: search.opened.host.command_line(),
            inputs,
            found: &self.found,
            clusters: &self.clusters,
            stage: &self.stage.name,
            decision: Some((&self.decision, self.stage.action.verb())),
        })
    }

    /// The part that is returned to the caller.
    pub(super) fn into_decided(self) -> Decided {
        let Self {
            found,
            clusters,
            decision,
            ..
        } = self;
        Decided {
            found,
            clusters,
            decision: Some(decision),
            action: self.stage.action,
        }
    }

    /// The stage's verdicts for the edits of records.
    pub(super) fn verdicts(&self) -> Verdicts<'_> {
        Verdicts {
            found: &self.found,
            clusters: &self.clusters,
            decision: &self.decision,
            standing: self.standing.as_ref(),
            action: self.stage.action,
        }
    }

    /// The run summary.
    pub(super) fn report(&self, search: &Search, skipped: &[String]) -> Report {
        let several = search.stages().len() > 1;
        Report {
            stage: several.then(|| format!("{} ({})", self.place + 1, self.stage.name)),
            summary: self.summary.clone(),
            verb: Some(self.stage.action.verb()),
            // Only the first stage encounters them.
            bad_records: if self.place == 0 {
                search.skipped_records.len() as u64
            } else {
                0
            },
            cut_records: if self.summary.unit == Level::Document {
                0
            } else {
                self.verdicts().split()
            },
            skipped: if self.place == 0 {
                skipped.to_vec()
            } else {
                Vec::new()
            },
            passed_over: if self.place == 0 {
                search.opened.inputs.passed_over()
            } else {
                Vec::new()
            },
            tokens: search.tokens(&self.stage.recipe),
            columns: search.columns(&self.stage.recipe),
            timings: self.timings.clone(),
            recipe: self.stage.recipe.clone(),
        }
    }
}

/// Describes the run in its folder.
///
/// # Errors
/// If the folder cannot be written.
pub(super) fn describe(search: &Search, runs: &[StageRun]) -> Result<()> {
    let skipped = search.opened.inputs.skipped();
    let inputs = search.opened.inputs.identify();
    for run in runs {
        if let Some(evidence) = run.evidence(search, &inputs) {
            evidence.info(&run.report(search, &skipped))?;
        }
    }
    match &search.folder {
        Some(folder) if search.stages().len() > 1 => {
            let reports: Vec<Report> = runs
                .iter()
                .map(|run| run.report(search, &skipped))
                .collect();
            evidence::stages_info(
                search.opened.host,
                (&search.opened.outputs, folder),
                (&search.spec, &search.skipped_records),
                &inputs,
                &reports,
            )
        }
        _ => Ok(()),
    }
}
