//! A stage of a run: what it found and decided, and the evidence it leaves.

use crate::edits::Verdicts;
use crate::evidence::{self, Evidence};
use crate::search::Search;
use crate::summary::Report;
use std::time::{Duration, Instant};
use tegula::cluster::Clusters;
use tegula::context::Context;
use tegula::decide::{Decision, Policy};
use tegula::engine::Findings;
use tegula::error::Result;
use tegula::field::FieldKey;
use tegula::recipe::Stage;
use tegula::record::Level;
use tegula::summary::Summary;
use tegula_io::tables::{InputFile, RunFolder};

/// What a stage found and decided.
pub(super) struct StageRun {
    place: usize,
    stage: Stage,
    folder: Option<RunFolder>,
    pub(super) found: Findings,
    clusters: Clusters,
    pub(super) decision: Decision,
    pub(super) summary: Summary,
    pub(super) timings: Vec<(&'static str, Duration)>,
}

impl StageRun {
    /// Decides on what was found.
    ///
    /// # Errors
    /// What deciding gives.
    pub(super) fn decide(
        context: &Context,
        search: &Search,
        place: usize,
        mut found: Findings,
        (policy, by): (&Policy, &[FieldKey]),
    ) -> Result<Self> {
        let clock = Instant::now();
        let stage = search.staged.stages[place].clone();
        let threshold = stage.recipe.threshold;
        let clusters = Clusters::new(&found, threshold)?;
        let decision = Decision::new(&found, policy, threshold)?;
        let mut summary = Summary::new(context, &found, &stage.recipe, &clusters, Some(&decision), by)?;
        summary.spell(&crate::output::spelling);
        let mut timings = std::mem::take(&mut found.timings);
        timings.push(("decide", clock.elapsed()));
        Ok(Self { place, stage, folder: search.stage_folder(place)?, found, clusters, decision, summary, timings })
    }

    /// Writes the tables of the stage.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub(super) fn keep_evidence(&self, search: &Search) -> Result<()> {
        let Some(evidence) = self.evidence(search, &[]) else { return Ok(()) };
        evidence::write(evidence, search.is_stored_in_folder())
    }

    fn evidence<'a>(&'a self, search: &'a Search, inputs: &'a [InputFile]) -> Option<Evidence<'a>> {
        Some(Evidence {
            outputs: &search.outputs,
            folder: self.folder.as_ref()?,
            recipe: &self.stage.recipe,
            options: &search.options,
            inputs,
            found: &self.found,
            clusters: &self.clusters,
            stage: &self.stage.name,
            decision: Some((&self.decision, self.stage.action.verb())),
        })
    }

    /// What the stage says to the edits of records.
    pub(super) fn verdicts(&self) -> Verdicts<'_> {
        Verdicts { found: &self.found, clusters: &self.clusters, decision: &self.decision, action: self.stage.action }
    }

    /// The closing summary.
    pub(super) fn report<'a>(&'a self, search: &'a Search, skipped: &'a [String]) -> Report<'a> {
        let several = search.staged.stages.len() > 1;
        Report {
            stage: several.then(|| format!("{} ({})", self.place + 1, self.stage.name)),
            summary: &self.summary,
            verb: Some(self.stage.action.verb()),
            // Only the first stage meets them.
            bad_records: if self.place == 0 { search.options.left_out.len() as u64 } else { 0 },
            cut_records: if self.summary.unit == Level::Document { 0 } else { self.verdicts().parted() },
            skipped: if self.place == 0 { skipped } else { &[] },
            tokens: search.tokens(&self.stage.recipe),
            timings: self.timings.clone(),
            recipe: &self.stage.recipe,
        }
    }
}

/// Describes the run in its folder.
///
/// # Errors
/// When the folder cannot be written.
pub(super) fn describe(search: &Search, runs: &[StageRun]) -> Result<()> {
    let skipped = search.inputs.skipped();
    let inputs = search.inputs.identify();
    for run in runs {
        if let Some(evidence) = run.evidence(search, &inputs) {
            evidence.info(&run.report(search, &skipped))?;
        }
    }
    match &search.folder {
        Some(folder) if search.staged.stages.len() > 1 => {
            let reports: Vec<Report> = runs.iter().map(|run| run.report(search, &skipped)).collect();
            evidence::stages_info((&search.outputs, folder), &search.staged, (&search.options, &inputs), &reports)
        }
        _ => Ok(()),
    }
}
