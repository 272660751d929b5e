//! Deduplication: find, decide, and write the collection without the copies, or with the copies
//! marked.

mod command;
mod fingerprints;
mod list;
mod stage;

pub use command::{DedupSpec, EarlierOptions, MarkSpec, OutputOptions, Ran, WriteOptions};

use crate::added::{Added, Figures};
use crate::edits::Edits;
use crate::host::Host;
use crate::opened::claims;
use crate::outcome::Outcome;
use crate::search::Search;
use crate::spec::RunSpec;
use crate::stage_report::Report;
use crate::targets::{Targets, Writing};
use stage::StageRun;
use std::path::Path;
use std::time::Instant;
use tegula::error::{Error, Result};
use tegula::stage_input::RemovedUnits;
use tegula::text::digest::Digest;
use tegula_io::outputs::{Outputs, Role};

/// Runs `dedup` or `mark`.
///
/// # Errors
/// Whatever ended the run early.
pub(crate) fn run(host: &Host, spec: &RunSpec) -> Result<Outcome> {
    let outputs = host.outputs(spec.output.overwrite)?;
    claim(host, spec, &outputs)?;
    let mut search = Search::open(host, spec, &outputs)?;
    check(&search)?;
    let targets = Targets::resolve(Writing::of(&search))?;
    search.begin()?;
    let mut taken = RemovedUnits::default();
    let mut runs: Vec<StageRun> = Vec::new();
    for place in 0..search.stages().len() {
        let found = search.find(place, &taken, Some(&spec.policy))?;
        let mut run = StageRun::decide(&search, place, found)?;
        let clock = Instant::now();
        run.summary.recall = search.recall(&run.found)?;
        if run.summary.recall.is_some() {
            run.timings.push(("check recall", clock.elapsed()));
        }
        run.keep_evidence(&search)?;
        if place + 1 < search.stages().len() {
            taken.add(&run.found, &run.decision);
        }
        runs.push(run);
    }
    let clock = Instant::now();
    let stages: Vec<_> = runs.iter().map(StageRun::verdicts).collect();
    let added = &spec.output.added;
    let edits = Edits {
        stages: &stages,
        figures: (!added.is_empty())
            .then(|| Figures::new(added, &stages))
            .transpose()?,
        bad: &search.skipped_records,
    };
    let cluster = search.cluster(0, &RemovedUnits::default())?;
    let numbers = |file: u32| edits.numbers(file);
    let warnings = targets.write(
        Writing::of(&search),
        cluster.as_ref().map(|cluster| (cluster, &numbers as _)),
        &|file, number| edits.output(file, number),
        &|file, number| edits.removed(file, number),
    )?;
    if let Some(first) = runs.first_mut() {
        first.summary.warnings.extend(warnings);
    }
    for list in &spec.output.lists {
        list::write(&outputs, list, &runs)?;
    }
    if let (Some(path), [run]) = (&spec.output.fingerprints, &runs[..]) {
        fingerprints::write(
            &host.context,
            &run.found,
            (search.stages()[0].recipe.digest, spec.output.unified),
            (&outputs, path),
        )?;
    }
    if let Some(last) = runs.last_mut() {
        last.timings.push(("write", clock.elapsed()));
    }
    stage::describe(&search, &runs)?;
    search.finish()?;
    let skipped = search.opened.inputs.skipped();
    let reports: Vec<Report> = runs
        .iter()
        .map(|run| run.report(&search, &skipped))
        .collect();
    Ok(Outcome {
        reports,
        paths: search.opened.inputs.paths(),
        links: search.opened.inputs.main.links().to_vec(),
        rows: None,
        decided: runs.into_iter().map(StageRun::into_decided).collect(),
    })
}

/// Claims the outputs, as far as they are known before the inputs are open.
fn claim(host: &Host, spec: &RunSpec, outputs: &Outputs) -> Result<()> {
    let output = &spec.output;
    let stdout = Path::new("-");
    for (option, path) in [("⟨output⟩", &output.path), ("⟨removed⟩", &output.removed)] {
        match path {
            Some(path) if path == stdout => {
                claims::claim(host, outputs, [], &[(option, Some(path))])?;
            }
            Some(path) => outputs.claim(option, path, Role::Undecided)?,
            None => {}
        }
    }
    let number = |number: usize| match number {
        1 => "⟨list⟩".to_owned(),
        number => format!("⟨list⟩ ({number})"),
    };
    let names: Vec<String> = (1..=output.lists.len()).map(number).collect();
    let lists = names.iter().zip(&output.lists);
    let all: Vec<_> = lists
        .map(|(name, list)| (name.as_str(), Some(list.path.as_path())))
        .chain(host.written())
        .chain([("⟨fingerprints⟩", output.fingerprints.as_deref())])
        .collect();
    claims::claim(host, outputs, [], &all)
}

/// Refuses what the recipe, or stored evidence, cannot provide.
fn check(search: &Search) -> Result<()> {
    let stages = search.stages();
    Added::check(&search.spec.output.added, stages)?;
    if stages.iter().any(|stage| stage.recipe.onion.is_some()) {
        search.spec.policy.check_order_decides()?;
    }
    if search.spec.output.fingerprints.is_none() {
        return Ok(());
    }
    let [stage] = stages else {
        return Err(Error::of("⟨fingerprints⟩")
            .expected("a recipe of one stage, as each stage has different units")
            .hint(
                "run the stage alone, or take the digests from units.parquet in its ⟨run⟩ folder",
            ));
    };
    if search.is_stored() && stage.recipe.digest == Digest::Sha1 {
        return Err(Error::of("⟨fingerprints⟩")
            .expected("digests that a run folder stores completely")
            .found("SHA-1 from an earlier run")
            .hint("a run folder has their first 128 bits of 160; leave out ⟨from⟩ and ⟨resume⟩"));
    }
    Ok(())
}
