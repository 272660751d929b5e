//! `tegula dedup` and `tegula mark`: find, decide, and write the collection without the copies, or with the copies marked.

use crate::args::{ListWhich, MarkPlaceArg, WriteArgs};
use crate::describe;
use crate::edits::Verdicts;
use crate::evidence::{self, Evidence};
use crate::output;
use crate::search::{Search, Spec};
use crate::summary::Report;
use clap::Args;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use tegula::cluster::Clusters;
use tegula::context::{Amount, Context};
use tegula::decide::Decision;
use tegula::engine::Findings;
use tegula::error::{Error, Result};
use tegula::record::{Level, Source};
use tegula::summary::Summary;
use tegula_io::convert::{self, Conversion};
use tegula_io::edit::Edit;
use tegula_io::options::FormatName;
use tegula_io::rewrite::{MarkPlace, MarkStyle, RewriteOptions, rewrite};
use tegula_io::tables::Aside;
use tegula_io::target::Target;

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

    /// Vertical, CoNLL-U and TEI: where the marks go
    #[arg(long, value_name = "PLACE", value_enum, default_value_t, help_heading = "Output")]
    mark_place: MarkPlaceArg,
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
        place: MarkPlaceArg::default(),
    }
    .run()
}

/// Runs `tegula mark`.
///
/// # Errors
/// What ended it before its time.
pub(crate) fn mark(args: &MarkArgs) -> Result<ExitCode> {
    Plan { command: "mark", args: &args.write, removed: None, check: false, place: args.mark_place }.run()
}

/// What is to be done.
struct Plan<'a> {
    command: &'static str,
    args: &'a WriteArgs,
    removed: Option<&'a Path>,
    check: bool,
    place: MarkPlaceArg,
}

/// Where records go.
#[derive(PartialEq)]
enum Place {
    /// As they are, to files like the inputs.
    Same(Target),
    /// To one file of another format.
    Other(PathBuf, FormatName),
}

/// Where the records of a run go.
struct Targets {
    output: Option<Place>,
    removed: Option<Place>,
}

impl Plan<'_> {
    fn marks(&self) -> bool {
        self.command == "mark"
    }

    /// What becomes of duplicates, in a word.
    fn verb(&self) -> &'static str {
        if self.marks() { "marked" } else { "removed" }
    }

    fn run(&self) -> Result<ExitCode> {
        self.check_outputs()?;
        let policy = self.args.policy.policy()?;
        let fields = self.args.policy.fields()?;
        let context = self.args.machine.context()?;
        let spec = Spec {
            command: self.command,
            input: &self.args.input,
            recipe: &self.args.recipe,
            constraints: &self.args.policy.constraints,
            fields: &fields,
            run: &self.args.run,
            evidence: self.args.evidence,
            from: self.args.from.as_deref(),
            output: self.args.output.as_deref(),
        };
        let mut search = Search::open(&context, spec)?;
        let targets = self.targets(&search)?;
        search.begin_run(&self.args.run)?;
        let mut found = search.find(&context)?;
        let clock = Instant::now();
        let clusters = Clusters::new(&found, search.recipe.threshold)?;
        let decision = Decision::new(&found, &policy, search.recipe.threshold)?;
        let summary = Summary::new(&found, &search.recipe, &clusters, Some(&decision), &self.args.run.by)?;
        let mut timings = std::mem::take(&mut found.timings);
        timings.push(("decide", clock.elapsed()));
        let verdicts = Verdicts { found: &found, clusters: &clusters, decision: &decision, bad: &search.options.left_out };
        let duplicates = summary.balance.removed.units > 0;
        let skipped = search.inputs.skipped();
        let mut report = Report {
            summary: &summary,
            verb: Some(self.verb()),
            bad_records: search.options.left_out.len() as u64,
            cut_records: if summary.unit == Level::Document { 0 } else { verdicts.parted() },
            skipped: &skipped,
            timings,
            recipe: &search.recipe,
        };
        let evidence = search.folder.as_ref().map(|folder| Evidence {
            folder,
            recipe: &search.recipe,
            options: &search.options,
            inputs: &search.identity,
            found: &found,
            clusters: &clusters,
            decision: Some((&decision, self.verb())),
        });
        if let Some(evidence) = evidence {
            let clock = Instant::now();
            evidence::write(evidence, search.is_stored_in_folder())?;
            report.timings.push(("evidence", clock.elapsed()));
            evidence.info(&report, false)?;
        }
        let clock = Instant::now();
        self.write(&context, &search, &targets, verdicts)?;
        self.list(&found, &decision)?;
        report.timings.push(("write", clock.elapsed()));
        if let Some(evidence) = evidence {
            evidence.info(&report, true)?;
        }
        search.finish_run()?;
        self.tell(&report)?;
        Ok(if self.check && duplicates { ExitCode::from(DUPLICATES) } else { ExitCode::SUCCESS })
    }

    /// Refuses outputs that do not go together, before anything is opened.
    fn check_outputs(&self) -> Result<()> {
        let args = self.args;
        let listed = args.list.as_ref().is_some_and(|list| list.file.is_none());
        let stdout = [
            ("-o -", args.output.as_deref() == Some(Path::new("-"))),
            ("--removed -", self.removed == Some(Path::new("-"))),
            ("--list", listed),
            ("--json", args.run.json),
        ];
        let taken: Vec<&str> = stdout.iter().filter(|(_, taken)| *taken).map(|(name, _)| *name).collect();
        if let [first, second, ..] = taken[..] {
            return Err(
                Error::usage(format!("{first} and {second} both write to standard output")).hint("name a file for one of them")
            );
        }
        if args.output.is_some() && args.output.as_deref() == self.removed {
            return Err(Error::usage("--removed: expected another place than -o, found the same"));
        }
        let result = args.output.is_some() || self.removed.is_some() || args.list.is_some() || args.run.run.is_some();
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

    /// Settles where records go, as far as the inputs' formats allow.
    fn targets(&self, search: &Search) -> Result<Targets> {
        let main = &search.inputs.main;
        let resolve = |option: &str, path: Option<&Path>, marks: bool| -> Result<Option<Place>> {
            let Some(path) = path else { return Ok(None) };
            if let Some(format) = convert::wanted(main, path)? {
                let name = match format {
                    FormatName::Text => Some("plain text"),
                    FormatName::Vertical => Some("a vertical file"),
                    FormatName::Conllu => Some("a CoNLL-U file"),
                    FormatName::Tei => Some("a TEI file"),
                    _ => None,
                };
                if let Some(name) = name {
                    return Err(Error::usage(format!("{option}: {name} has no place for the fields of other formats"))
                        .at(path)
                        .hint("end the name in .jsonl, .csv, .tsv or .parquet, or as the input's"));
                }
                return Ok(Some(Place::Other(path.to_path_buf(), format)));
            }
            let target = Target::resolve(path, main)?;
            for (at, file) in (0..).zip(main.files()) {
                let place = MarkPlace::from(self.place);
                match main.format(at) {
                    Some((format, _)) if !MarkPlace::of(format).contains(&place) => {
                        let known: Vec<&str> = MarkPlace::of(format).iter().map(|place| place.name()).collect();
                        return Err(Error::usage(format!(
                            "--mark-place: expected {} for {} files, found {}",
                            known.join(" or "),
                            describe::name(&format),
                            place.name()
                        ))
                        .at(&file.path));
                    }
                    Some((FormatName::Tei, _)) if place == MarkPlace::Standoff && target == Target::Stdout => {
                        return Err(Error::usage(
                            "--mark-place standoff: expected an output that a file can stand beside, found standard output",
                        )
                        .hint("name an output file"));
                    }
                    Some((FormatName::Text, _)) if marks => {
                        return Err(Error::usage(format!("{option}: plain text has no place for marks"))
                            .at(&file.path)
                            .hint("end the output's name in .jsonl, .csv or .parquet, or keep the verdicts with --run DIR"));
                    }
                    Some((FormatName::Parquet, _)) if target == Target::Stdout => {
                        return Err(Error::usage(format!("{option} -: Parquet is not written to standard output"))
                            .hint("name an output file"));
                    }
                    _ => {}
                }
            }
            Ok(Some(Place::Same(target)))
        };
        let targets = Targets {
            output: resolve("-o", self.args.output.as_deref(), self.marks())?,
            removed: resolve("--removed", self.removed, true)?,
        };
        if targets.output.is_some() && targets.output == targets.removed {
            return Err(Error::usage("--removed: expected another place than -o, found the same"));
        }
        Ok(targets)
    }

    fn write(&self, context: &Context, search: &Search, targets: &Targets, verdicts: Verdicts) -> Result<()> {
        let main = &search.inputs.main;
        let spans = verdicts.found.units.level != Level::Document;
        let style = MarkStyle { prefix: self.args.mark_prefix.clone(), spans, place: self.place.into() };
        let total = main.files().iter().map(|file| file.bytes).sum();
        let write = |stage: &str, place: &Option<Place>, marks: bool, edit: &(dyn Fn(u32, u64) -> Edit + Sync)| {
            let Some(place) = place else { return Ok(()) };
            context.check()?;
            context.progress.begin(stage, Some(total), Amount::Bytes);
            let options = RewriteOptions { threads: context.threads, marks, style: style.clone() };
            let progress = |bytes| {
                context.progress.advance(bytes);
                context.check()
            };
            match place {
                Place::Same(target) => drop(rewrite(main, target, edit, &options, &progress)?),
                Place::Other(path, format) => {
                    let (_, conversions) = convert::convert(main, (path, *format), edit, &options, &progress)?;
                    for Conversion { column, from, to } in conversions {
                        output::warn(&format!("{}: column {column}: {from} became {to}", path.display()));
                    }
                }
            }
            context.progress.end();
            Ok(())
        };
        let edit = |file, number| {
            if self.marks() { verdicts.mark(file, number) } else { verdicts.dedup(file, number) }
        };
        write("writing", &targets.output, self.marks(), &edit)?;
        write("writing removed", &targets.removed, true, &|file, number| verdicts.removed(file, number))
    }

    /// Writes the ids that were asked for, one a line.
    fn list(&self, found: &Findings, decision: &Decision) -> Result<()> {
        let Some(list) = &self.args.list else { return Ok(()) };
        let mut sink = match &list.file {
            Some(path) => Some(Aside::create(path)?),
            None => None,
        };
        let mut lines = String::new();
        let mut write = |lines: &mut String| {
            let done = match &mut sink {
                Some(aside) => aside.write_all(lines.as_bytes()).map_err(|error| Error::io("write", aside.target(), error)),
                None => output::data(lines.as_bytes()),
            };
            lines.clear();
            done
        };
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
        write(&mut lines)?;
        match sink {
            Some(aside) => aside.commit(),
            None => Ok(()),
        }
    }

    fn tell(&self, report: &Report) -> Result<()> {
        tell(report, self.args.run.json, self.args.machine.quiet)
    }
}

/// Shows the closing summary, and what deserves a second look.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn tell(report: &Report, json: bool, quiet: bool) -> Result<()> {
    if json {
        output::data(report.json()?.as_bytes())?;
    } else if !quiet {
        output::tell(&report.text());
    }
    report.summary.warnings.iter().for_each(|warning| output::warn(warning));
    Ok(())
}
