//! Time and memory of a run over growing beginnings of the input, with the curve that fits the time
//! (Kupietz 2005 §3.1, Fig. 1; Gong et al. 2008, Figs. 7 to 10).

use super::lab::{Lab, pairs};
use super::{Length, number};
use std::time::{Duration, Instant};
use tegula::error::Result;
use tegula::machine;
use tegula::recipe::Recipe;
use tegula_report::html::plot::Plot;
use tegula_report::table::{Cell, Kind, Table};

/// The number of beginnings, unless another is given.
const STEPS: u32 = 4;

/// The processor time from which a measurement is good to a few percent: the system counts in
/// hundredths of a second.
const MEASURABLE: f64 = 0.3;
/// The time that is spent on runs over one beginning, after which none is repeated.
const PATIENCE: Duration = Duration::from_secs(2);
/// How far off the times the curve may be, as a share of them, all in all.
const MISFIT: f64 = 0.15;

impl Length {
    fn of(self, run: &Run) -> f64 {
        match self {
            Self::Records => run.records as f64,
            Self::Tokens => run.tokens as f64,
        }
    }
}

/// What a run over a beginning came to; times are the mean of several runs where one is too short to
/// be measured.
pub(super) struct Run {
    records: u64,
    tokens: u64,
    seconds: f64,
    /// Of all threads; the time that passed where the system does not say.
    cpu: f64,
    /// Whether the runs took long enough for their processor time to be measured.
    is_measured: bool,
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
    let spent = || {
        let both = machine::cpu_seconds().zip(cpu);
        both.map_or_else(
            || clock.elapsed().as_secs_f64(),
            |(after, before)| after - before,
        )
    };
    let mut found = lab.find(lab.recipe)?;
    let mut runs = 1.0;
    while spent() < MEASURABLE && clock.elapsed() < PATIENCE {
        found = lab.find(lab.recipe)?;
        runs += 1.0;
    }
    let (seconds, cpu) = (clock.elapsed().as_secs_f64(), spent());
    let candidates = found.notes.candidates.unwrap_or_default();
    Ok(Run {
        records: limit,
        tokens: found
            .units
            .tokens
            .iter()
            .map(|tokens| u64::from(*tokens))
            .sum(),
        seconds: seconds / runs,
        cpu: cpu / runs,
        is_measured: cpu >= MEASURABLE,
        peak_mib: machine::peak_memory().unwrap_or_default() as f64 / f64::from(1 << 20),
        candidates: candidates.generated,
        compared: candidates.compared,
        pairs: pairs(&found)?.pairs.len(),
    })
}

/// The coefficients a and b of T(n) = a n² + b n, neither below 0, closest to the processor times by
/// least squares; none if a time is too short to be measured, or if the times hardly depend on n, as
/// those of small inputs.
fn fitted(runs: &[Run], by: Length) -> Option<(f64, f64)> {
    // In units of the longest run, so that no sum of powers loses digits.
    let longest = runs.iter().map(|run| by.of(run)).fold(1.0, f64::max);
    let points: Vec<(f64, f64)> = (runs.iter())
        .map(|run| (by.of(run) / longest, run.cpu))
        .collect();
    let (square, linear) = closest(&points);
    let sum = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
        points.iter().map(|(n, time)| term(*n, *time).powi(2)).sum()
    };
    let missed = sum(&|n, time| square * n * n + linear * n - time);
    let is_close = missed.sqrt() <= MISFIT * sum(&|_, time| time).sqrt();
    let is_measured = runs.iter().all(|run| run.is_measured);
    (is_measured && is_close).then_some((square / longest / longest, linear / longest))
}

/// The coefficients of the square and of the line through the origin closest to some points; where
/// one would be below 0, the other alone.
fn closest(points: &[(f64, f64)]) -> (f64, f64) {
    let power = |of: i32| -> f64 { points.iter().map(|(n, _)| n.powi(of)).sum() };
    let times = |of: i32| -> f64 { points.iter().map(|(n, time)| time * n.powi(of)).sum() };
    let (fourth, third, second) = (power(4), power(3), power(2));
    let only_linear = (0.0, times(1) / second.max(f64::MIN_POSITIVE));
    let divisor = fourth * second - third * third;
    if divisor.abs() < 1e-12 {
        return only_linear;
    }
    let square = (times(2) * second - times(1) * third) / divisor;
    let linear = (times(1) * fourth - times(2) * third) / divisor;
    if square < 0.0 {
        only_linear
    } else if linear < 0.0 {
        (times(2) / fourth, 0.0)
    } else {
        (square, linear)
    }
}

/// The curve in words; why there is none.
fn fit(runs: &[Run], by: Length) -> String {
    match fitted(runs, by) {
        Some((square, linear)) => {
            let term = |factor: f64, power| (factor > 0.0).then(|| format!("{factor:.2e} {power}"));
            let terms: Vec<String> = [term(square, "n²"), term(linear, "n")].into_iter().flatten().collect();
            let (terms, by) = (terms.join(" + "), by.name());
            format!("The curve closest to the processor time is {terms}, with n the number of {by}.")
        }
        None => "No curve is fitted to the processor time: the input is too small, and most of the time does not depend on its \
                 length."
            .to_owned(),
    }
}

/// Seconds with three digits, or two decimals if these are more.
fn seconds(seconds: f64) -> Cell {
    let magnitude = seconds.max(1e-4).log10().floor() as i32;
    number(seconds, (2 - magnitude).clamp(2, 5) as usize)
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
    let title = format!("Time and memory by the number of {}", by.name());
    let mut table = Table::new("growth", &title, &columns);
    let row = |run: &Run| {
        vec![
            Cell::Count(run.records),
            Cell::Count(run.tokens),
            seconds(run.seconds),
            seconds(run.cpu),
            number(1e6 * run.cpu / run.records as f64, 1),
            number(run.peak_mib, 0),
            Cell::Count(run.candidates),
            Cell::Count(run.compared),
            Cell::Count(run.pairs),
        ]
    };
    table.rows = runs.iter().map(row).collect();
    table.note = format!(
        "Microseconds per record are processor time. Reading the files is part of it, writing is not; short runs are repeated, and \
         their times are means. {}",
        fit(runs, by)
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
        curve: (id == "time").then(|| fitted(runs, by)).flatten(),
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

    /// Runs over millions of tokens that took these times.
    fn runs(times: impl Fn(f64) -> f64) -> Vec<Run> {
        let run = |millions: u64| {
            let tokens = millions * 1_000_000;
            let cpu = times(tokens as f64);
            Run {
                records: millions,
                tokens,
                seconds: cpu,
                cpu,
                is_measured: true,
                peak_mib: 0.0,
                candidates: 0,
                compared: 0,
                pairs: 0,
            }
        };
        [1, 2, 4, 8].map(run).into()
    }

    fn is_near(found: f64, expected: f64) -> bool {
        (found / expected - 1.0).abs() < 1e-6
    }

    #[test]
    fn the_curve_is_that_of_the_times() {
        let runs = runs(|n| 2e-13 * n * n + 9e-6 * n);
        let (square, linear) = fitted(&runs, Length::Tokens).unwrap();
        assert!(is_near(square, 2e-13) && is_near(linear, 9e-6));
        // One length has a line.
        assert_eq!(
            fitted(&runs[..1], Length::Records),
            Some((0.0, runs[0].cpu))
        );
        assert_eq!(
            fit(&runs, Length::Tokens),
            "The curve closest to the processor time is 2.00e-13 n² + 9.00e-6 n, with n the number of tokens."
        );
    }

    #[test]
    fn no_term_is_below_zero() {
        // Times that grow ever more slowly have a line, those that grow faster than squares a square.
        let slower = fitted(&runs(|n| n.powf(0.8)), Length::Tokens).unwrap();
        assert!(slower.0 == 0.0 && slower.1 > 0.0, "{slower:?}");
        let faster = fitted(&runs(|n| n.powi(3)), Length::Tokens).unwrap();
        assert!(faster.0 > 0.0 && faster.1 == 0.0, "{faster:?}");
        let text = fit(&runs(|n| 3e-6 * n - 1e-20 * n * n), Length::Tokens);
        assert!(text.contains(" is 3.00e-6 n, with"), "{text}");
    }

    #[test]
    fn times_that_say_nothing_have_no_curve() {
        let mut short = runs(|n| 1e-6 * n);
        assert!(fitted(&short, Length::Tokens).is_some());
        short[0].is_measured = false;
        assert_eq!(fitted(&short, Length::Tokens), None);
        assert!(fit(&short, Length::Tokens).contains("the input is too small"));
        // Most of each run is the same work.
        assert_eq!(fitted(&runs(|n| 0.01 + 1e-10 * n), Length::Tokens), None);
    }

    #[test]
    fn seconds_have_three_digits() {
        let shown = [0.001_234_5, 0.0123, 0.1234, 1.234, 123.4].map(seconds);
        let expected = ["0.00123", "0.0123", "0.123", "1.23", "123.40"];
        assert_eq!(shown, expected.map(|text| Cell::Text(text.to_owned())));
    }
}
