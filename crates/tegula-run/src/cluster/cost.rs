//! What a run on a cluster is likely to cost, by rates that were fitted to what
//! bench/papers/spark.md has measured: an estimate of the order, in which the pairs that are
//! compared do not count.

use serde::Serialize;
use tegula::plan::{Prediction, Sample};
use tegula::recipe::Recipe;
use tegula::steps::Finds;

/// Cores of an executor.
pub const CORES: u32 = 4;
/// Bytes of the driver's tables for a unit.
const UNIT: u64 = 100;
/// Seconds of CPU, and of waiting, of the flows of a stage, whatever their size.
const FLOWS: u64 = 7;
const WAIT: u64 = 12;

/// The estimated cost of a stage on a cluster.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Cost {
    /// Bytes that tasks send to each other.
    pub shuffled: u64,
    /// CPU seconds of all executors, the interpreter and the JVM among them.
    pub cpu: u64,
    /// Bytes of the driver's tables.
    pub driver: u64,
    /// Executors, if it is known how many.
    pub executors: Option<u32>,
    /// Seconds with these.
    pub seconds: Option<u64>,
}

/// Bytes that are sent, and nanoseconds of CPU.
#[derive(Clone, Copy)]
struct Rate {
    bytes: f64,
    time: f64,
}

const fn rate(bytes: f64, time: f64) -> Rate {
    Rate { bytes, time }
}

impl Cost {
    /// For the predicted amounts of a stage.
    pub(crate) fn of(
        recipe: &Recipe,
        (sample, amounts): (&Sample, &Prediction),
        executors: Option<u32>,
    ) -> Self {
        let of_token = sample.text_bytes as f64 / sample.tokens.max(1) as f64;
        let text_bytes = (of_token * amounts.tokens as f64) as u64;
        let of_text = rate(0.0, 12.0);
        let (of_unit, of_feature) = match Finds::of(recipe) {
            None => (rate(55.0, 4_000.0), rate(0.0, 0.0)),
            Some(Finds::Chains) => (rate(55.0, 9_000.0), rate(9.0, 330.0)),
            Some(Finds::Features) if recipe.measure.needs_shingles() => {
                (rate(55.0, 9_000.0), rate(24.0, 1_200.0))
            }
            Some(Finds::Features) => (rate(55.0, 9_000.0), rate(41.0, 3_200.0)),
            Some(Finds::Keys) if recipe.measure.needs_weights() => {
                (rate(250.0, 9_000.0), rate(6.3, 3_300.0))
            }
            Some(Finds::Keys) => (rate(250.0, 9_000.0), rate(0.0, 350.0)),
        };
        let parts = [
            (of_text, text_bytes),
            (of_unit, amounts.units),
            (of_feature, amounts.shingles),
        ];
        let sum = |of: fn(&Rate) -> f64| {
            let parts = parts.iter().map(|(rate, count)| of(rate) * *count as f64);
            parts.sum::<f64>()
        };
        let cpu = FLOWS + (sum(|rate| rate.time) / 1e9).ceil() as u64;
        Self {
            shuffled: sum(|rate| rate.bytes) as u64,
            cpu,
            driver: UNIT * amounts.units,
            executors,
            seconds: executors
                .map(|count| WAIT + cpu.div_ceil(u64::from(count) * u64::from(CORES))),
        }
    }

    /// Both, one after the other.
    pub(crate) fn then(self, next: Self) -> Self {
        Self {
            shuffled: self.shuffled + next.shuffled,
            cpu: self.cpu + next.cpu,
            driver: self.driver.max(next.driver),
            executors: self.executors,
            seconds: self.seconds.zip(next.seconds).map(|(a, b)| a + b),
        }
    }
}
