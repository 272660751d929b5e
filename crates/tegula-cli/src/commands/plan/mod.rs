//! `tegula plan`: a dry run.

mod sample;

use crate::args::{InputArgs, MachineArgs, RecipeArgs};
use crate::commands::recipes::pretty;
use crate::output;
use crate::terminal::{self, count, plural, size};
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::ExitCode;
use tegula::context::Context;
use tegula::error::{Error, Result};
use tegula::plan::{EVIDENCE_BYTES, Fit, MEMBER_BYTES, Prediction, RECORD_BYTES, ROW_BYTES, Sample, UNIT_BYTES};
use tegula::recipe::{Action, Recipe, Staged};
use tegula::record::Source;
use tegula::scratch::Scratch;
use tegula_io::collection::{Collection, FileDescription};
use tegula_io::contents::Asked;
use tegula_run::{claims, describe, inputs, read_options, statistics};

/// Arguments of `tegula plan`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tegula plan shards/ --memory 8G\n  tegula plan --recipe ssr --unit paragraph corpus.vert.zst"
)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    recipe: RecipeArgs,

    #[command(flatten)]
    machine: MachineArgs,

    /// List every file, however many there are
    #[arg(long)]
    all_files: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Columns of the tables [default: the terminal's, else 100]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
}

/// Files that are listed one by one.
const LISTED: usize = 20;

/// Says what a run would read and take.
///
/// # Errors
/// Wrong options, or what the input gives.
pub(crate) fn plan(args: &PlanArgs) -> Result<ExitCode> {
    let staged = args.recipe.staged(Action::Remove)?;
    args.input.check_classes(staged.stages.iter().any(|stage| stage.recipe.weighs_by_class()), &staged.recipe)?;
    let options = read_options(&args.input.read_options(&args.recipe)?, &staged, &[]);
    let limits = args.machine.limits();
    let (memory, threads) = (limits.memory()?, limits.threads()?);
    let folder = args.machine.scratch.as_ref().map_or_else(std::env::temp_dir, |place| place.folder.clone());
    let context = Context::bounded(threads, memory, Scratch::new(&folder, u64::MAX));
    let host = crate::host::usual(true)?;
    claims::files(&host, args.input.inputs.iter().map(std::path::PathBuf::as_path), &[])?;
    let collection = Collection::open(&args.input.inputs, &options, &folder)?.within(&context);
    collection.warnings().iter().for_each(|warning| output::warn(warning));
    let context = Context::bounded(threads, memory, Scratch::system());
    let levels = staged.stages.iter().map(|stage| stage.recipe.unit).collect();
    let asked = Asked { levels, ..args.input.asked(None) };
    inputs::check(&host, &collection, &asked, args.input.on_bad_record.into())?;
    // Not needed for a plan, but wrong here is wrong in the run.
    staged.stages.iter().try_for_each(|stage| statistics::load(&stage.recipe, &context).map(drop))?;
    let mut files = Vec::new();
    for number in 0..collection.files().len() {
        let kept = if args.all_files || args.json { usize::MAX } else { LISTED };
        if number < kept {
            files.push(collection.describe(number as u32)?);
        }
    }
    let disk: u64 = collection.files().iter().map(|file| file.bytes).sum();
    let mut found = Found { collection: &collection, files, disk, memory, threads, stages: Vec::new() };
    let mut held = 0;
    for stage in &staged.stages {
        let sample = sample::take(&collection, &stage.recipe, &options, &context)?;
        let whole = options.limit.map_or(disk, |limit| limited(&sample, disk, limit));
        let prediction = sample.predict(whole, memory, threads).beside(held, memory);
        // What a stage found is kept until all is written.
        held += prediction.tables;
        found.stages.push(Planned { name: &stage.name, recipe: &stage.recipe, sample, prediction });
    }
    let text = if args.json { pretty(&found.json(&staged)?)? } else { found.text(terminal::width(args.width)) };
    output::data(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Bytes on disk of the first `limit` records.
fn limited(sample: &Sample, disk: u64, limit: u64) -> u64 {
    let bytes = u128::from(sample.disk_bytes) * u128::from(limit) / u128::from(sample.records.max(1));
    u64::try_from(bytes).unwrap_or(disk).min(disk)
}

/// What was found out.
struct Found<'a> {
    collection: &'a Collection,
    files: Vec<FileDescription>,
    disk: u64,
    memory: u64,
    threads: usize,
    stages: Vec<Planned<'a>>,
}

/// What was found out for a stage.
struct Planned<'a> {
    name: &'a str,
    recipe: &'a Recipe,
    sample: Sample,
    prediction: Prediction,
}

impl Found<'_> {
    fn text(&self, width: usize) -> String {
        let mut out = String::new();
        for (number, stage) in (1..).zip(&self.stages) {
            if self.stages.len() > 1 {
                let _ = write!(out, "stage {number} ({}): ", stage.name);
            }
            let _ = writeln!(out, "{}\n{}", describe::recipe(stage.recipe), describe::normalisation(stage.recipe));
        }
        let _ = write!(out, "\n{}", self.files_text(width));
        for (number, stage) in (1..).zip(&self.stages) {
            if self.stages.len() > 1 {
                let _ = write!(out, "\nStage {number} ({}), as if the stages before it removed nothing.", stage.name);
            }
            out.push_str(&self.stage_text(stage, width));
        }
        let _ = writeln!(out, "\n{}", self.verdict());
        for stage in &self.stages {
            out.push_str(&advice(&stage.sample));
        }
        out
    }

    fn stage_text(&self, Planned { recipe, sample, prediction: p, .. }: &Planned, width: usize) -> String {
        let mut out = String::new();
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let _ = writeln!(
            out,
            "\nFrom a sample of {} records ({} of text); all that follows is an estimate.\n",
            count(sample.records),
            size(sample.text_bytes)
        );
        let mut table = terminal::table(&[], width);
        let mut row = |what: &str, amount: String, from: String| {
            table.add_row([what.to_owned(), amount, from]);
        };
        row("records", count(p.records), String::new());
        row("units", count(p.units), format!("{:.1} % have an earlier equal in the sample", share(sample.copies, sample.units)));
        row(
            "tokens",
            count(p.tokens),
            format!("{:.3} for a byte of text", sample.tokens as f64 / sample.text_bytes.max(1) as f64),
        );
        if p.shingles > 0 {
            let repeat = format!(
                "{:.1} % of them repeat in the sample, about {:.1} % in all",
                share(sample.repeated.shingles, sample.shingles),
                share(p.repeated, p.shingles)
            );
            row("shingles", count(p.shingles), repeat);
        }
        row("passes", String::new(), sample.passes().to_owned());
        row("tables", size(p.tables), format!("{RECORD_BYTES} B a record, {UNIT_BYTES} B a unit"));
        let mut part = |what: &str, bytes: u64, from: &str| {
            if bytes > 0 {
                row(what, size(bytes), from.to_owned());
            }
        };
        let spills = "on scratch where memory is short";
        part("terms", p.terms, "about as many as the text has words, in memory");
        part("signatures and keys", p.signed, "in memory");
        part("rows", p.rows, &format!("{ROW_BYTES} B a shingle; {spills}"));
        part("runs", p.members, &format!("{MEMBER_BYTES} B a repeated shingle, when rows are gone; likewise"));
        part("places of runs", p.places, "in memory");
        part("repeat filter", p.filter, "2 B a shingle; less where memory is short");
        let stays = if recipe.measure.is_in_order() { "in memory" } else { spills };
        part("what repeats", p.occurrences, &format!("of shingles or terms in several units; {stays}"));
        part("features", p.features, &format!("{} B a repeated shingle; in blocks {spills}", 12 * sample.width()));
        row(
            "evidence",
            size(p.evidence),
            format!("{EVIDENCE_BYTES} B a unit in the run folder; pairs by --evidence all come on top"),
        );
        let threads = if self.threads == 1 { "1 thread".into() } else { format!("{} threads", self.threads) };
        row(
            "time",
            format!("{} or more", duration(p.seconds)),
            format!("{threads}; the join grows with the number of near copies"),
        );
        out.push_str(&terminal::show(table));
        out
    }

    fn files_text(&self, width: usize) -> String {
        let mut table = terminal::table(&["file", "format", "encoding", "size", "text"], width);
        for file in &self.files {
            let text = describe::dialect(file).unwrap_or_else(|| describe::text(file, self.collection.options()));
            table.add_row([file.name.clone(), describe::format(file), describe::encoding(file), size(file.bytes), text]);
        }
        let mut out = terminal::show(table);
        let files = self.collection.files().len();
        if files > self.files.len() {
            let _ = writeln!(out, "and {} more; --all-files lists them", count((files - self.files.len()) as u64));
        }
        let _ = writeln!(out, "{}, {} on disk", plural(files as u64, "file"), size(self.disk));
        let mut skipped = BTreeMap::new();
        for file in self.collection.skipped() {
            skipped.entry(describe::skipped(file.why)).or_insert_with(Vec::new).push(file.path.display().to_string());
        }
        for (why, paths) in skipped {
            let shown = paths.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
            let more = if paths.len() > LISTED { ", ..." } else { "" };
            let _ = writeln!(out, "{} not read ({why}): {shown}{more}", plural(paths.len() as u64, "file"));
        }
        out
    }

    /// What all stages need together.
    fn whole(&self) -> Prediction {
        let stages = self.stages.iter().map(|stage| stage.prediction);
        stages.reduce(Prediction::then).unwrap_or_default()
    }

    fn verdict(&self) -> String {
        let p = self.whole();
        let ceiling = format!("With --memory {}M the run", self.memory >> 20);
        let needs = format!("it would take {} without a ceiling; the least is {}M", size(p.peak), p.minimum.div_ceil(1 << 20));
        match p.fit {
            Fit::Fits => format!("{ceiling} fits: {needs}."),
            Fit::Spills { scratch } => format!("{ceiling} puts about {} on scratch: {needs}.", size(scratch)),
            Fit::Refused => format!("{ceiling} is refused: {needs}."),
        }
    }

    fn json(&self, staged: &Staged) -> Result<Value> {
        fn value(of: &impl serde::Serialize) -> Result<Value> {
            serde_json::to_value(of).map_err(|error| Error::usage(format!("cannot write as JSON: {error}")))
        }
        let skipped: Vec<Value> =
            self.collection.skipped().iter().map(|file| json!({"path": file.path, "why": describe::skipped(file.why)})).collect();
        let mut stages = Vec::new();
        for stage in &self.stages {
            stages.push(json!({
                "stage": stage.name,
                "recipe": value(stage.recipe)?,
                "sample": value(&stage.sample)?,
                "passes": stage.sample.passes(),
                "estimate": value(&stage.prediction)?,
            }));
        }
        Ok(json!({
            "recipe": staged.recipe,
            "files": value(&self.files)?,
            "skipped": skipped,
            "warnings": self.collection.warnings(),
            "disk_bytes": self.disk,
            "memory": self.memory,
            "threads": self.threads,
            "stages": stages,
            "estimate": value(&self.whole())?,
        }))
    }
}

/// What the sample says against the options.
fn advice(sample: &Sample) -> String {
    let mut out = String::new();
    let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    if sample.bad > 0 {
        let _ = writeln!(out, "{} of the sample cannot be read; see --on-bad-record", plural(sample.bad, "record"));
    }
    if sample.shingles > 0 && sample.short * 10 > sample.units {
        let _ = writeln!(
            out,
            "{:.0} % of the units are shorter than two shingles, and match hardly more than their equals; a smaller --ngram helps",
            share(sample.short, sample.units)
        );
    }
    out
}

/// Seconds in the units that suit them.
fn duration(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}
