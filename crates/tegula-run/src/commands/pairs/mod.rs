//! The table of all pairs at or above the threshold.

mod command;
mod rows;

pub use command::PairsSpec;

use crate::evidence::{self, Evidence};
use crate::host::Host;
use crate::opened::claims;
use crate::outcome::{Decided, Outcome};
use crate::search::Search;
use crate::spec::RunSpec;
use crate::stage_report::Report;
use crate::table_output::TableOutput;
use std::time::Instant;
use tegula::cluster::Clusters;
use tegula::error::Result;
use tegula::stage_input::RemovedUnits;
use tegula::summary::Summary;
use tegula_io::tables::{TableInfo, check_table_name};

/// Runs `pairs`.
///
/// # Errors
/// Whatever ended the run early.
pub(crate) fn run(host: &Host, spec: &RunSpec) -> Result<Outcome> {
    if let Some(path) = spec
        .output
        .path
        .as_deref()
        .filter(|path| path.as_os_str() != "-")
    {
        check_table_name(path)?;
    }
    let outputs = host.outputs(spec.output.overwrite)?;
    let all: Vec<_> = std::iter::once(("⟨output⟩", spec.output.path.as_deref()))
        .chain(host.written())
        .collect();
    claims::claim(host, &outputs, [], &all)?;
    let mut search = Search::open(host, spec, &outputs)?;
    let recipe = search.recipe_of_pairs()?;
    search.begin()?;
    let mut found = search.find(0, &RemovedUnits::default(), None)?;
    let clock = Instant::now();
    let clusters = Clusters::new(&found, recipe.threshold)?;
    let mut summary = Summary::new(
        &host.context,
        &found,
        &recipe,
        &clusters,
        None,
        &spec.evidence.by,
    )?;
    host.note_economies(found.notes.passes);
    let mut timings = std::mem::take(&mut found.notes.timings);
    timings.push(("count", clock.elapsed()));
    host.spell(&mut summary);
    let clock = Instant::now();
    summary.recall = search.recall(&found)?;
    if summary.recall.is_some() {
        timings.push(("check recall", clock.elapsed()));
    }
    let mut report = Report {
        stage: None,
        summary,
        verb: None,
        bad_records: search.skipped_records.len() as u64,
        cut_records: 0,
        skipped: search.opened.inputs.skipped(),
        passed_over: search.opened.inputs.passed_over(),
        tokens: search.tokens(&recipe),
        columns: search.columns(&recipe),
        timings,
        recipe: recipe.clone(),
    };
    let clock = Instant::now();
    let mut rows = None;
    if let Some(folder) = &search.folder {
        let inputs = search.opened.inputs.identify();
        let evidence = Evidence {
            outputs: &outputs,
            folder,
            recipe: &recipe,
            spec: &search.spec,
            skipped_records: &search.skipped_records,
            command_line: search.opened.host.command_line(),
            inputs: &inputs,
            found: &found,
            clusters: &clusters,
            stage: &recipe.recipe,
            decision: None,
        };
        evidence::write(evidence, search.is_stored_in_folder())?;
        evidence.info(&report)?;
    }
    if let (Some(path), Some(pairs)) = (&spec.output.path, found.pairs()) {
        let info = TableInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            recipe: evidence::recipe_hash(&recipe)?,
            fields: Vec::new(),
        };
        let mut table = TableOutput::create(
            &outputs,
            path,
            (spec.output.form, spec.output.formulas),
            &info,
        )?;
        if spec.output.expand || !found.groups.alike || found.allowed.has_references() {
            rows::sorted(
                &host.context,
                (&found, pairs),
                spec.output.expand,
                &mut table,
            )?;
        } else {
            rows::representatives(&host.context, (&found, pairs), &mut table)?;
        }
        rows = Some(table.rows);
        table.finish()?;
    }
    report.timings.push(("write", clock.elapsed()));
    search.finish()?;
    let action = search.stages()[0].action;
    Ok(Outcome {
        reports: vec![report],
        paths: search.opened.inputs.paths(),
        links: search.opened.inputs.main.links().to_vec(),
        rows,
        decided: vec![Decided {
            found,
            clusters,
            decision: None,
            action,
        }],
    })
}
