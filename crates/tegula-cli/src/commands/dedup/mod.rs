//! `tegula dedup` and `tegula mark`: find, decide, and write the collection without the copies, or with the copies marked.

mod fingerprints;
mod stage;
mod targets;

use crate::args::{ListWhich, MarkPlaceArg, WriteArgs};
use crate::edits::Edits;
use crate::search::{Search, Spec};
use crate::summary::Report;
use crate::{claims, output};
use clap::Args;
use stage::StageRun;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use tegula::error::{Error, Result};
use tegula::recipe::Action;
use tegula::remaining::Taken;
use tegula::text::digest::Digest;
use tegula_io::outputs::{Outputs, Role};

/// What a check ends with that found duplicates.
const DUPLICATES: u8 = 1;

/// Arguments of `tegula dedup`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula dedup news.jsonl.gz -o news.clean.jsonl.gz
  tegula dedup shards/ -o clean/ --threshold 0.9 --keep newest:date --run evidence/
  tegula dedup --from evidence/ --threshold 0.95 -o stricter/
  tegula dedup new.jsonl --against old/ --check")]
pub(crate) struct DedupArgs {
    #[command(flatten)]
    write: WriteArgs,

    /// Write what is removed, each record with its witness and score, to this file or folder
    #[arg(long, value_name = "OUTPUT", help_heading = "Output")]
    removed: Option<PathBuf>,

    /// Write nothing, and end with exit code 1 if there are duplicates
    #[arg(long, help_heading = "Output", conflicts_with_all = ["output", "removed"])]
    check: bool,
}

/// Arguments of `tegula mark`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula mark news.csv -o marked.csv
  tegula mark corpus.vert --unit paragraph -o marked.vert
  tegula mark old.jsonl new.jsonl -o marked/ --mark-prefix tegula_")]
pub(crate) struct MarkArgs {
    #[command(flatten)]
    write: WriteArgs,
}

/// Runs `tegula dedup`.
///
/// # Errors
/// What ended it before its time.
pub(crate) fn dedup(args: &DedupArgs) -> Result<ExitCode> {
    Plan {
        command: "dedup",
        args: &args.write,
        removed: args.removed.as_deref(),
        check: args.check,
        place: args.write.mark_place,
    }
    .run()
}

/// Runs `tegula mark`.
///
/// # Errors
/// What ended it before its time.
pub(crate) fn mark(args: &MarkArgs) -> Result<ExitCode> {
    Plan { command: "mark", args: &args.write, removed: None, check: false, place: args.write.mark_place }.run()
}

/// What is to be done.
struct Plan<'a> {
    command: &'static str,
    args: &'a WriteArgs,
    removed: Option<&'a Path>,
    check: bool,
    place: MarkPlaceArg,
}

impl Plan<'_> {
    fn marks(&self) -> bool {
        self.command == "mark"
    }

    fn run(&self) -> Result<ExitCode> {
        self.check()?;
        let outputs = claims::outputs(self.args.overwrite)?;
        self.claim(&outputs)?;
        let policy = self.args.policy.policy()?;
        let fields = self.args.policy.fields()?;
        let context = self.args.machine.context()?;
        let spec = Spec {
            outputs: &outputs,
            command: self.command,
            input: &self.args.input,
            recipe: &self.args.recipe,
            action: if self.marks() { Action::Mark } else { Action::Remove },
            constraints: &self.args.policy.constraints,
            fields: &fields,
            run: &self.args.run,
            evidence: self.args.evidence,
            from: self.args.from.as_deref(),
            moved: self.args.root.as_deref(),
            output: self.args.output.as_deref(),
        };
        let mut search = Search::open(&context, spec)?;
        for stage in &search.staged.stages {
            if stage.recipe.measure.is_in_order() {
                policy.check_order_decides()?;
                if !self.args.policy.keep.is_empty() && !policy.keep.is_first() {
                    return Err(Error::usage(format!(
                        "--keep: the recipe {} cannot heed it: the first text is kept, whatever it is",
                        stage.recipe.recipe
                    ))
                    .hint("sort the input, or use a recipe that knows pairs"));
                }
            }
        }
        if self.args.fingerprints.is_some() && search.staged.stages.len() > 1 {
            return Err(Error::usage("--fingerprints: expected a recipe of one stage, as each has units of its own")
                .hint("run the stage by itself, or take the digests from units.parquet in its --run folder"));
        }
        let digest = search.staged.stages[0].recipe.digest;
        if self.args.fingerprints.is_some() && search.is_stored() && digest == Digest::Sha1 {
            return Err(Error::usage(
                "--fingerprints: expected digests that a run keeps whole, found those of SHA-1 from an earlier run",
            )
            .hint("a run folder has their first 128 bits of 160; leave out --from and --resume"));
        }
        let targets = self.targets(&search)?;
        search.check_inputs(&context)?;
        search.begin(&self.args.run)?;
        let mut taken = Taken::default();
        let mut runs: Vec<StageRun> = Vec::new();
        let mut written = self.write_once(&context, &mut search, &targets, &policy)?;
        let is_written = written.is_some();
        for place in 0..search.staged.stages.len() {
            let found = match written.take() {
                Some(found) => found,
                None => search.find(&context, place, &taken, Some(&policy))?,
            };
            let mut run = StageRun::decide(&context, &search, place, found, (&policy, &self.args.run.by))?;
            let clock = Instant::now();
            run.summary.recall = search.recall(&context, &run.found, &self.args.run)?;
            if run.summary.recall.is_some() {
                run.timings.push(("check recall", clock.elapsed()));
            }
            run.keep_evidence(&search)?;
            if place + 1 < search.staged.stages.len() {
                taken.add(&run.found, &run.decision);
            }
            runs.push(run);
        }
        let clock = Instant::now();
        let stages = runs.iter().map(StageRun::verdicts).collect();
        if !is_written {
            self.write(&context, &search, &targets, &Edits { stages, bad: &search.options.left_out })?;
        }
        self.list(&outputs, &runs)?;
        if let (Some(path), [run]) = (&self.args.fingerprints, &runs[..]) {
            fingerprints::write(&context, &run.found, digest, (&outputs, path))?;
        }
        if let Some(last) = runs.last_mut() {
            last.timings.push((if is_written { "list" } else { "write" }, clock.elapsed()));
        }
        stage::describe(&search, &runs)?;
        search.finish(self.args.machine.quiet)?;
        let skipped = search.inputs.skipped();
        let reports: Vec<Report> = runs.iter().map(|run| run.report(&search, &skipped)).collect();
        tell(&reports, self.args.run.json, self.args.machine.quiet)?;
        let duplicates = runs.iter().any(|run| run.summary.balance.removed.units > 0);
        Ok(if self.check && duplicates { ExitCode::from(DUPLICATES) } else { ExitCode::SUCCESS })
    }

    /// Claims what is written, as far as it is known before the inputs are open.
    fn claim(&self, outputs: &Outputs) -> Result<()> {
        let args = self.args;
        let stdout = Path::new("-");
        for (option, path) in [("-o", args.output.as_deref()), ("--removed", self.removed)] {
            match path {
                Some(path) if path == stdout => claims::claim(outputs, [], &[(option, Some(path))])?,
                Some(path) => outputs.claim(option, path, Role::Undecided)?,
                None => {}
            }
        }
        let listed = args.list.as_ref().map(|list| list.file.as_deref().unwrap_or(stdout));
        let json = args.run.json.then_some(stdout);
        claims::claim(outputs, [], &[("--list", listed), ("--json", json), ("--fingerprints", args.fingerprints.as_deref())])
    }

    /// Refuses a run that would write nothing, or read nothing.
    fn check(&self) -> Result<()> {
        let args = self.args;
        let asked = [args.output.is_some(), self.removed.is_some(), args.list.is_some(), args.run.run.is_some()];
        let result = asked.contains(&true) || args.fingerprints.is_some();
        if !result && !self.check {
            let check = if self.marks() { "" } else { ", or --check to write nothing" };
            return Err(Error::usage("-o: expected an output, found none")
                .hint(format!("name a file or folder, or - for standard output; or use --list or --run{check}")));
        }
        if args.input.inputs.is_empty() && args.from.is_none() {
            return Err(
                Error::usage("expected at least one input, found none").hint("name files or folders, or - for standard input")
            );
        }
        Ok(())
    }

    /// Writes the ids that were asked for, one a line, stage by stage.
    fn list(&self, outputs: &Outputs, runs: &[StageRun]) -> Result<()> {
        let Some(list) = &self.args.list else { return Ok(()) };
        let path = list.file.as_deref().unwrap_or(Path::new("-"));
        let mut sink = outputs.create_or_stdout(path)?;
        let mut lines = String::new();
        let mut write = |lines: &mut String| {
            sink.write_all(lines.as_bytes()).map_err(|error| Error::io("write", path, error))?;
            lines.clear();
            Ok(())
        };
        // What a stage kept the next one judges again, so that only the last one's is kept by all.
        let last = runs.len().saturating_sub(1);
        for (place, StageRun { found, decision, .. }) in runs.iter().enumerate() {
            if list.which == ListWhich::Kept && place < last {
                continue;
            }
            for record in 0..found.units.records.len() {
                if found.allowed.is_reference(record) {
                    continue;
                }
                for unit in found.units.of_record(record) {
                    if decision.keeps(unit) == (list.which == ListWhich::Kept) {
                        // One id a line, whatever the id.
                        let _ = writeln!(lines, "{}", found.units.id(unit).replace(['\n', '\r'], " "));
                    }
                }
                if lines.len() > 1 << 16 {
                    write(&mut lines)?;
                }
            }
        }
        write(&mut lines)?;
        sink.finish()
    }
}

/// Shows the closing summary of each stage, and what deserves a second look.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn tell(reports: &[Report], json: bool, quiet: bool) -> Result<()> {
    match reports {
        [report] if json => output::data(report.json()?.as_bytes())?,
        _ if json => output::data(crate::summary::json_of_stages(reports)?.as_bytes())?,
        _ if quiet => {}
        _ => reports.iter().for_each(|report| output::tell(&report.text())),
    }
    for report in reports {
        let stage = report.stage.as_ref().map_or(String::new(), |stage| format!("stage {stage}: "));
        report.summary.warnings.iter().for_each(|warning| output::warn(&format!("{stage}{warning}")));
    }
    Ok(())
}
