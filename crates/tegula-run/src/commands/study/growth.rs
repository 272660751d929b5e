//! Time and memory of a run over growing beginnings of the input, with the curve that fits the time
//! (Kupietz 2005 §3.1, Fig. 1; Gong et al. 2008, Figs. 7 to 10).

use super::lab::{Lab, pairs};
use super::{Length, number};
use std::time::Instant;
use tegula::error::Result;
use tegula::machine;
use tegula::recipe::Recipe;
use tegula_report::html::plot::Plot;
use tegula_report::table::{Cell, Kind, Table};

/// The number of beginnings, unless another is given.
const STEPS: u32 = 4;

impl Length {
    fn of(self, run: &Run) -> f64 {
        match self {
            Self::Records => run.records as f64,
            Self::Tokens => run.tokens as f64,
        }
    }
}

/// What a run over a beginning came to.
pub(super) struct Run {
    records: u64,
    tokens: u64,
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
pub(super) fn run(lab: &Lab) -> Result<Vec<Run>> {
    // Whatever else is found, it counts the records.
    let counted = lab.find(&Recipe::named("exact")?)?;
    let records = counted.units.records.number.len() as u64;
    drop(counted);
    let steps = lab.spec.steps.unwrap_or(STEPS);
    let mut limits: Vec<u64> = (0..steps)
        .rev()
        .map(|step| (records >> step).max(1))
        .collect();
    limits.dedup();
    limits
        .into_iter()
        .map(|limit| measure(&lab.beginning(limit)?, limit))
        .collect()
}

fn measure(lab: &Lab, limit: u64) -> Result<Run> {
    machine::forget_peak_memory();
    let (clock, cpu) = (Instant::now(), machine::cpu_seconds());
    let found = lab.find(lab.recipe)?;
    let seconds = clock.elapsed().as_secs_f64();
    let candidates = found.notes.candidates.unwrap_or_default();
    Ok(Run {
        records: limit,
        tokens: found
            .units
            .tokens
            .iter()
            .map(|tokens| u64::from(*tokens))
            .sum(),
        seconds,
        cpu: machine::cpu_seconds()
            .zip(cpu)
            .map_or(seconds, |(after, before)| after - before),
        peak_mib: machine::peak_memory().unwrap_or_default() as f64 / f64::from(1 << 20),
        candidates: candidates.generated,
        compared: candidates.compared,
        pairs: pairs(&found)?.pairs.len(),
    })
}

/// The coefficients a and b of T(n) = a n² + b n closest to the processor times, by least squares.
fn fitted(runs: &[Run], by: Length) -> (f64, f64) {
    // In units of the longest run, so that no sum of powers loses digits.
    let longest = runs.iter().map(|run| by.of(run)).fold(1.0, f64::max);
    let power = |of: i32| -> f64 { runs.iter().map(|run| (by.of(run) / longest).powi(of)).sum() };
    let times = |of: i32| -> f64 {
        let term = |run: &Run| run.cpu * (by.of(run) / longest).powi(of);
        runs.iter().map(term).sum()
    };
    let (fourth, third, second) = (power(4), power(3), power(2));
    let divisor = fourth * second - third * third;
    if divisor.abs() < 1e-12 {
        return (0.0, times(1) / second.max(f64::MIN_POSITIVE) / longest);
    }
    let square = (times(2) * second - times(1) * third) / divisor;
    let linear = (times(1) * fourth - times(2) * third) / divisor;
    (square / longest / longest, linear / longest)
}

/// The figures of all runs, with the curve that fits the times.
pub(super) fn table(runs: &[Run], by: Length) -> Table {
    let columns = [
        ("Records", Kind::Count),
        ("Tokens", Kind::Count),
        ("Seconds", Kind::Count),
        ("CPU seconds", Kind::Count),
        ("\u{b5}s a record", Kind::Count),
        ("Peak MiB", Kind::Count),
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
            Cell::Count(run.tokens),
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
    let (square, linear) = fitted(runs, by);
    table.note = format!(
        "Microseconds per record are processor time. Reading the files is part of it, writing is not. The curve closest to the \
         processor time is {square:.2e} n² + {linear:.2e} n, with n the number of {}.",
        by.name()
    );
    table
}

/// The pictures of the figures. One that is 0 everywhere, such as the candidates of a recipe without
/// keys, is not drawn.
pub(super) fn plots(runs: &[Run], by: Length) -> Vec<Plot> {
    let plot = |id: &str, title: &str, up: &str, value: fn(&Run) -> f64| Plot {
        id: id.to_owned(),
        title: title.to_owned(),
        across: by.name().to_owned(),
        up: up.to_owned(),
        points: runs.iter().map(|run| (by.of(run), value(run))).collect(),
        curve: (id == "time").then(|| fitted(runs, by)),
    };
    vec![
        plot("time", "Processor time", "seconds", |run| run.cpu),
        plot("memory", "Peak memory", "MiB", |run| run.peak_mib),
        plot("candidates", "Candidates", "pairs", |run| {
            run.candidates as f64
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_is_that_of_the_times() {
        let run = |tokens: u64, cpu| Run {
            records: 1,
            tokens,
            seconds: cpu,
            cpu,
            peak_mib: 0.0,
            candidates: 0,
            compared: 0,
            pairs: 0,
        };
        let at = |tokens: u64| 2e-13 * (tokens * tokens) as f64 + 9e-6 * tokens as f64;
        let runs: Vec<Run> = [1_u64, 2, 4, 8]
            .map(|millions| run(millions * 1_000_000, at(millions * 1_000_000)))
            .into();
        let (square, linear) = fitted(&runs, Length::Tokens);
        assert!((square / 2e-13 - 1.0).abs() < 1e-6 && (linear / 9e-6 - 1.0).abs() < 1e-6);
        // One length has a line.
        assert_eq!(fitted(&runs[..1], Length::Records), (0.0, at(1_000_000)));
    }
}
