//! Time and memory of a run over growing beginnings of the input.

use super::{Lab, On, number, pairs};
use clap::Args;
use std::time::Instant;
use tegula::error::{Error, Result};
use tegula::machine;
use tegula::recipe::Recipe;
use tegula_report::html::plot::{Plot, file};
use tegula_report::table::{Cell, Kind, Table};

/// How the input grows.
#[derive(Debug, Args)]
pub struct Growth {
    #[command(flatten)]
    on: On,
    /// Beginnings of the input, each twice as long as the one before; the last is all.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=16))]
    steps: u32,
}

/// What a run over a beginning came to.
struct Run {
    records: u64,
    seconds: f64,
    /// Of all threads; the time that passed where the system does not say.
    cpu: f64,
    /// The most memory held; none where the system does not say.
    peak_mib: f64,
    candidates: u64,
    compared: u64,
    pairs: u64,
}

/// Runs over all beginnings, the shortest first.
pub(super) fn run(asked: &Growth) -> Result<Vec<Table>> {
    if asked.on.inputs.iter().any(|input| input.as_os_str() == "-") {
        return Err(Error::usage(
            "expected files or folders, as the input is read several times, found standard input",
        ));
    }
    let whole = Lab::open(&asked.on)?;
    // Whatever else is found, it counts the records.
    let records = whole
        .find(&Recipe::named("exact")?)?
        .units
        .records
        .number
        .len() as u64;
    let mut limits: Vec<u64> = (0..asked.steps)
        .rev()
        .map(|step| (records >> step).max(1))
        .collect();
    limits.dedup();
    let runs: Vec<Run> = limits
        .into_iter()
        .map(|limit| measure(&asked.on, limit))
        .collect::<Result<_>>()?;
    whole.keep(&file(&plots(&runs)))?;
    Ok(vec![table(&runs)])
}

fn measure(on: &On, limit: u64) -> Result<Run> {
    let lab = Lab::open(&On {
        limit: Some(limit),
        output: None,
        ..on.clone()
    })?;
    machine::forget_peak_memory();
    let (clock, cpu) = (Instant::now(), machine::cpu_seconds());
    let found = lab.find(&lab.recipe)?;
    let seconds = clock.elapsed().as_secs_f64();
    let nominated = found.notes.candidates.unwrap_or_default();
    Ok(Run {
        records: limit,
        seconds,
        cpu: machine::cpu_seconds()
            .zip(cpu)
            .map_or(seconds, |(after, before)| after - before),
        peak_mib: machine::peak_memory().unwrap_or_default() as f64 / f64::from(1 << 20),
        candidates: nominated.candidates,
        compared: nominated.compared,
        pairs: pairs(&found)?.pairs.len(),
    })
}

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
    let mut table = Table::new(
        "growth",
        "Time and memory by the number of records",
        &columns,
    );
    let row = |run: &Run| {
        vec![
            Cell::Count(run.records),
            number(run.seconds, 2),
            number(run.cpu, 2),
            number(1e6 * run.cpu / run.records as f64, 1),
            number(run.peak_mib, 0),
            Cell::Count(run.candidates),
            Cell::Count(run.compared),
            Cell::Count(run.pairs),
        ]
    };
    table.rows = runs.iter().map(row).collect();
    table.note = String::from(
        "Microseconds a record are of processor time. Reading the files is part of it, writing is not.",
    );
    table
}

fn plots(runs: &[Run]) -> Vec<Plot> {
    let plot = |id: &str, title: &str, up: &str, value: fn(&Run) -> f64| Plot {
        id: id.to_owned(),
        title: title.to_owned(),
        across: "records".to_owned(),
        up: up.to_owned(),
        points: runs
            .iter()
            .map(|run| (run.records as f64, value(run)))
            .collect(),
    };
    // What is nothing everywhere, such as the candidates of a recipe without keys, is left out of
    // the file.
    vec![
        plot("time", "Processor time", "seconds", |run| run.cpu),
        plot("memory", "Peak memory", "MiB", |run| run.peak_mib),
        plot("candidates", "Candidates", "pairs", |run| {
            run.candidates as f64
        }),
    ]
}
