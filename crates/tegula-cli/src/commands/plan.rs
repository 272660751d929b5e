//! `tegula plan`: a dry run.

use crate::commands::{Asked, Show};
use crate::form;
use crate::output;
use crate::terminal::{self, count, plural, say, size};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::ExitCode;
use tegula::error::Result;
use tegula::plan::{EVIDENCE_BYTES, Fit, RECORD_BYTES, Sample, UNIT_BYTES};
use tegula::printable;
use tegula::recipe::Recipe;
use tegula::record::Source;
use tegula_io::collection::FileDescription;
use tegula_run::cluster::{CORES, Cost};
use tegula_run::commands::plan::{Plan, PlanSpec, PlannedStage};
use tegula_run::describe;

/// Files that are listed one by one.
const LISTED: usize = 20;

impl Show for PlanSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let plan = asked.run()?;
        let listed = if asked.shown.all_files {
            usize::MAX
        } else {
            LISTED
        };
        if asked.shown.json {
            form::json(&plan)?;
        } else {
            let shown = Shown {
                files: plan.files(listed)?,
                plan: &plan,
            };
            output::show(&shown.text(asked.width()))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A plan on a terminal.
struct Shown<'a> {
    plan: &'a Plan,
    /// The files that are listed one by one.
    files: Vec<FileDescription>,
}

impl Shown<'_> {
    fn text(&self, width: usize) -> String {
        let mut out = String::new();
        for (number, stage) in (1..).zip(&self.plan.stages) {
            if self.plan.stages.len() > 1 {
                let name = printable::line(&stage.name);
                let _ = write!(out, "stage {number} ({name}): ");
            }
            say!(out, "{}", describe::recipe(&stage.recipe));
            say!(out, "{}", describe::normalisation(&stage.recipe));
        }
        let _ = write!(out, "\n{}", self.files_text(width));
        for (number, stage) in (1..).zip(&self.plan.stages) {
            if self.plan.stages.len() > 1 {
                let _ = write!(
                    out,
                    "\nStage {number} ({}), as if the stages before it removed nothing.",
                    printable::line(&stage.name)
                );
            }
            out.push_str(&self.stage_text(stage, width));
        }
        let _ = writeln!(out, "\n{}", self.verdict());
        if let Some(cost) = &self.plan.cluster {
            let _ = writeln!(out, "{}", Self::on_a_cluster(cost));
        }
        for stage in &self.plan.stages {
            out.push_str(&advice(&stage.recipe, &stage.sample));
        }
        out
    }

    fn stage_text(
        &self,
        PlannedStage {
            recipe,
            sample,
            prediction: p,
            ..
        }: &PlannedStage,
        width: usize,
    ) -> String {
        let mut out = String::new();
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let _ = writeln!(
            out,
            "\nFrom a sample of {} ({} of text); all that follows is an estimate.\n",
            plural(sample.records, "record"),
            size(sample.text_bytes)
        );
        let mut table = terminal::table(&[], width);
        let mut row = |what: &str, amount: String, from: String| {
            table.add_row([what.to_owned(), amount, from]);
        };
        row("records", count(p.records), String::new());
        row(
            "units",
            count(p.units),
            format!(
                "{:.1} % are equal to an earlier one in the sample",
                share(sample.copies, sample.units)
            ),
        );
        row(
            "tokens",
            count(p.tokens),
            format!(
                "{:.3} per byte of text",
                sample.tokens as f64 / sample.text_bytes.max(1) as f64
            ),
        );
        if p.shingles > 0 {
            let repeat = format!(
                "{:.1} % of them repeat in the sample, about {:.1} % in all",
                share(sample.repeated.shingles, sample.repeated.of),
                share(p.repeated, p.shingles)
            );
            row("shingles", count(p.shingles), repeat);
        }
        row("passes", String::new(), sample.passes().to_owned());
        row(
            "tables",
            size(p.tables),
            format!("{RECORD_BYTES} B a record, {UNIT_BYTES} B a unit"),
        );
        let mut part = |what: &str, bytes: u64, from: &str| {
            if bytes > 0 {
                row(what, size(bytes), from.to_owned());
            }
        };
        let spills = "on scratch where memory is short";
        part(
            "terms",
            p.terms,
            "about as many as the text has words, in memory",
        );
        part("signatures and keys", p.signed, "in memory");
        part(
            "rows",
            p.rows,
            &format!("{} B a shingle; {spills}", p.rows / p.shingles.max(1)),
        );
        let (what, freed) = if recipe.measure.is_of_passages() {
            ("repeats", "")
        } else if recipe.measure.is_in_order() {
            ("positions", ", once rows are freed")
        } else {
            ("chains", ", once rows are freed")
        };
        part(
            what,
            p.members,
            &format!(
                "{} B a repeated shingle{freed}; likewise",
                p.members / p.repeated.max(1)
            ),
        );
        part(
            "tape",
            p.tape,
            &format!("{} B a token; likewise", p.tape / p.tokens.max(1)),
        );
        part("places of texts", p.places, "in memory");
        part("n-grams seen", p.seen, "in memory");
        part(
            "what repeats",
            p.occurrences,
            &format!("of shingles or terms in several units; {spills}"),
        );
        part(
            "features",
            p.features,
            &format!(
                "{} B a repeated shingle; in blocks {spills}",
                12 * sample.width()
            ),
        );
        row(
            "evidence",
            size(p.evidence),
            format!(
                "{EVIDENCE_BYTES} B a unit in the run folder; pairs of --evidence all not included"
            ),
        );
        let threads = if self.plan.threads == 1 {
            "1 thread".into()
        } else {
            format!("{} threads", self.plan.threads)
        };
        row(
            "time",
            format!("{} or more", duration(p.seconds)),
            format!("{threads}; the join grows with the number of near copies"),
        );
        out.push_str(&terminal::show(&table));
        out
    }

    fn files_text(&self, width: usize) -> String {
        let mut table = terminal::table(&["file", "format", "encoding", "size", "text"], width);
        for file in &self.files {
            let text = describe::dialect(file)
                .unwrap_or_else(|| describe::text(file, self.plan.collection.options()));
            table.add_row([
                file.name.clone(),
                describe::format(file),
                describe::encoding(file),
                size(file.bytes),
                text,
            ]);
        }
        let mut out = terminal::show(&table);
        let files = self.plan.collection.files().len();
        if files > self.files.len() {
            let _ = writeln!(
                out,
                "and {} more; --all-files lists them",
                count((files - self.files.len()) as u64)
            );
        }
        let _ = writeln!(
            out,
            "{}, {} on disk",
            plural(files as u64, "file"),
            size(self.plan.disk)
        );
        if let Some(traffic) = &self.plan.traffic {
            say!(
                out,
                "{} in stores: a run makes about {} requests and receives about {}; written back to a store, {} or less",
                plural(traffic.objects, "object"),
                count(traffic.requests),
                size(traffic.bytes),
                plural(traffic.parts, "part")
            );
        }
        let mut skipped = BTreeMap::new();
        for file in self.plan.collection.skipped() {
            skipped
                .entry(describe::skipped(file.why))
                .or_insert_with(Vec::new)
                .push(file.path.display().to_string());
        }
        for (why, paths) in skipped {
            let shown = paths
                .iter()
                .take(LISTED)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ");
            let more = if paths.len() > LISTED { ", ..." } else { "" };
            say!(
                out,
                "{} not read ({why}): {shown}{more}",
                plural(paths.len() as u64, "file")
            );
        }
        out
    }

    fn on_a_cluster(cost: &Cost) -> String {
        let executors = cost.executors.map(u64::from);
        let time = executors
            .zip(cost.seconds)
            .map_or_else(String::new, |(count, seconds)| {
                format!(
                    ", or {} with {} of {CORES} cores each",
                    duration(seconds),
                    plural(count, "executor")
                )
            });
        format!(
            "On Spark tasks would send each other {}, and take {} of CPU{time}; the driver would hold {}.",
            size(cost.shuffled),
            duration(cost.cpu),
            size(cost.driver)
        )
    }

    fn verdict(&self) -> String {
        let p = self.plan.whole();
        let given = size(self.plan.memory);
        let ceiling = format!("With {given} of memory the run");
        let lowest = format!("the lowest --memory is {}M", p.minimum.div_ceil(1 << 20));
        let needs = format!("without a ceiling it would take {}; {lowest}", size(p.peak));
        match p.fit {
            Fit::Fits => format!(
                "The run fits: it takes about {} of the {given} that it may; {lowest}.",
                size(p.peak)
            ),
            Fit::Spills { scratch } => format!(
                "{ceiling} puts about {} on scratch: {needs}.",
                size(scratch)
            ),
            Fit::Passes { passes, scratch } => format!(
                "{ceiling} reads all texts {passes} times, as scratch cannot hold all their shingles at once, and puts about {} \
                 on scratch: {needs}.",
                size(scratch)
            ),
            Fit::Refused => format!("{ceiling} is refused: {needs}."),
        }
    }
}

/// Conflicts of the sample with the options.
fn advice(recipe: &Recipe, sample: &Sample) -> String {
    let mut out = String::new();
    let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    if let Some(example) = &sample.bad_example {
        let _ = writeln!(
            out,
            "{} of the sample cannot be read; see --on-bad-record: {example}",
            plural(sample.bad, "record")
        );
    }
    let by_unit = !recipe.measure.is_of_passages();
    if by_unit && sample.shingles > 0 && sample.short * 10 > sample.units {
        let _ = writeln!(
            out,
            "{:.0} % of the units are shorter than two shingles, and hardly match any but identical ones; a smaller --ngram helps",
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
