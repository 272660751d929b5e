//! `tegula study growth`: time and memory of a run over growing beginnings of the input.

use super::{Lab, On, Shown, ending, number, write_tsv};
use clap::Args;
use std::path::PathBuf;
use std::time::Instant;
use tegula::error::{Error, Result};
use tegula::machine;
use tegula::recipe::Recipe;
use tegula::record::{Batch, Source};
use tegula_report::html::plot::{Plot, file, plot};
use tegula_report::html::table::table as shown;
use tegula_report::html::{Page, Section, markup};
use tegula_report::table::{Cell, Kind, Table};

/// Arguments of `tegula study growth`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula study growth messages.jsonl
  tegula study growth messages.jsonl -o growth.html
  tegula study growth news.jsonl --recipe ssr -o growth.svg
  tegula study growth messages.jsonl --steps 5 --set transitive=true -o growth.svg

The input is read from its beginning: an eighth of the records, a quarter, a half, all. Records that are sorted make a poor sample, so
shuffle them first. Times are of this machine, with all that runs on it.")]
pub(super) struct GrowthArgs {
    #[command(flatten)]
    on: On,

    /// Beginnings of the input, each twice as long as the one before; the last is all
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=16), help_heading = "Experiment")]
    steps: u32,

    /// Write a page with plots and table, the plots alone, or the table, by the ending of the name
    #[arg(long, short, value_name = "FILE.html|.svg|.tsv", help_heading = "Output")]
    output: Option<PathBuf>,

    #[command(flatten)]
    shown: Shown,
}

/// What a run over a beginning came to.
struct Run {
    records: u64,
    seconds: f64,
    /// Of all threads, where the system says so.
    cpu: Option<f64>,
    /// The most memory held, where the system says so.
    peak: Option<u64>,
    candidates: u64,
    compared: u64,
    pairs: u64,
}

/// Runs over all beginnings, the shortest first.
pub(super) fn growth(args: &GrowthArgs) -> Result<()> {
    let output = args.output.as_ref().map(|path| Ok((path, ending(path, &["html", "svg", "tsv"])?))).transpose()?;
    if args.on.input.inputs.iter().any(|input| input.as_os_str() == "-") {
        return Err(Error::usage("INPUT: expected files or folders, as the input is read several times, found standard input"));
    }
    let whole = Lab::any(&args.on, args.output.as_deref(), args.on.input.limit)?;
    let records = records(&whole)?;
    let title = format!("{} over growing inputs", whole.recipe.recipe);
    let outputs = whole.outputs.clone();
    drop(whole);
    let mut runs: Vec<Run> = Vec::new();
    for step in (0..args.steps).rev() {
        let limit = (records >> step).max(1);
        if runs.last().is_some_and(|run| run.records == limit) {
            continue;
        }
        runs.push(measure(&args.on, limit)?);
    }
    let table = table(&runs);
    let plots = plots(&runs);
    match output {
        Some((path, "tsv")) => write_tsv(&outputs, path, std::slice::from_ref(&table))?,
        Some((path, "svg")) => outputs.write(path, file(&plots).as_bytes())?,
        Some((path, _)) => {
            let sections = vec![
                Section::new("plots", "Plots", markup(plots.iter().map(plot))),
                Section::new("figures", "Figures", shown(&table)),
            ];
            outputs.write(path, Page { title, lead: markup([]), sections }.render().as_bytes())?;
        }
        None => {}
    }
    outputs.publish()?;
    args.shown.show(&[table])
}

/// Records of the input, bad ones too.
fn records(lab: &Lab) -> Result<u64> {
    let mut batch = Batch::default();
    let mut records = 0;
    for chunk in lab.inputs.chunks()? {
        batch.clear();
        chunk?.read(&mut batch);
        records += (batch.records.len() + batch.bad.len()) as u64;
    }
    Ok(records)
}

fn measure(on: &On, limit: u64) -> Result<Run> {
    let lab = Lab::any(on, None, Some(limit))?;
    let recipe: Recipe = lab.recipe.clone();
    machine::forget_peak_memory();
    let (clock, cpu) = (Instant::now(), machine::cpu_seconds());
    let found = lab.find(&recipe)?;
    let nominated = found.notes.candidates.unwrap_or_default();
    Ok(Run {
        records: limit,
        seconds: clock.elapsed().as_secs_f64(),
        cpu: machine::cpu_seconds().zip(cpu).map(|(after, before)| after - before),
        peak: machine::peak_memory(),
        candidates: nominated.candidates,
        compared: nominated.compared,
        pairs: super::pairs(&found)?.pairs.len(),
    })
}

const MEBIBYTE: f64 = (1 << 20) as f64;

fn table(runs: &[Run]) -> Table {
    let columns = [
        ("Records", Kind::Count),
        ("Seconds", Kind::Text),
        ("CPU seconds", Kind::Text),
        ("\u{b5}s a record", Kind::Text),
        ("Peak MiB", Kind::Text),
        ("Candidates", Kind::Count),
        ("Compared", Kind::Count),
        ("Pairs", Kind::Count),
    ];
    let mut table = Table::new("growth", "Time and memory by the number of records", &columns);
    for run in runs {
        table.rows.push(vec![
            Cell::Count(run.records),
            number(run.seconds, 2),
            run.cpu.map_or(Cell::Empty, |cpu| number(cpu, 2)),
            number(1e6 * run.cpu.unwrap_or(run.seconds) / run.records as f64, 1),
            run.peak.map_or(Cell::Empty, |peak| number(peak as f64 / MEBIBYTE, 0)),
            Cell::Count(run.candidates),
            Cell::Count(run.compared),
            Cell::Count(run.pairs),
        ]);
    }
    table.note = String::from(
        "Microseconds a record are of processor time, where the system says it. Reading the files is part of it, writing is not.",
    );
    table
}

fn plots(runs: &[Run]) -> Vec<Plot> {
    let plot = |id: &str, title: &str, up: &str, value: &dyn Fn(&Run) -> Option<f64>| Plot {
        id: id.to_owned(),
        title: title.to_owned(),
        across: "records".to_owned(),
        up: up.to_owned(),
        points: runs.iter().filter_map(|run| Some((run.records as f64, value(run)?))).collect(),
    };
    let mut plots = vec![
        plot("time", "Processor time", "seconds", &|run| Some(run.cpu.unwrap_or(run.seconds))),
        plot("memory", "Peak memory", "MiB", &|run| run.peak.map(|peak| peak as f64 / MEBIBYTE)),
    ];
    if runs.iter().any(|run| run.candidates > 0) {
        plots.push(plot("candidates", "Candidates", "pairs", &|run| Some(run.candidates as f64)));
    }
    plots
}
