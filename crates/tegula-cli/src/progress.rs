//! Progress on standard error: bars with rate and time left on a terminal, a line a minute off it.

use crate::args::ProgressMode;
use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tegula::context::{Amount, Progress, Silent};

/// How often a log line is written.
const MINUTE: Duration = Duration::from_secs(60);

/// The display that a run shows.
pub(crate) fn new(mode: ProgressMode, quiet: bool) -> Arc<dyn Progress> {
    if let Some(progress) = crate::call::progress() {
        return progress;
    }
    match mode {
        _ if quiet => Arc::new(Silent),
        ProgressMode::None => Arc::new(Silent),
        ProgressMode::Auto if std::io::stderr().is_terminal() => Arc::new(Bars::default()),
        ProgressMode::Auto | ProgressMode::Log => Arc::new(Log::default()),
    }
}

/// One bar for the stage at hand.
#[derive(Default)]
struct Bars(Mutex<Option<ProgressBar>>);

impl Progress for Bars {
    fn begin(&self, stage: &str, total: Option<u64>, unit: Amount) {
        let template = match (total, unit) {
            (Some(_), Amount::Bytes) => {
                "{msg:>10} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta} left"
            }
            (Some(_), Amount::Items) => "{msg:>10} {wide_bar} {pos}/{len} {per_sec} {eta} left",
            (None, Amount::Bytes) => "{msg:>10} {spinner} {bytes} {bytes_per_sec}",
            (None, Amount::Items) => "{msg:>10} {spinner} {pos} {per_sec}",
        };
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(10))
            .with_style(style);
        bar.set_message(stage.to_owned());
        let old = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .replace(bar);
        if let Some(old) = old {
            old.finish_and_clear();
        }
    }

    fn advance(&self, amount: u64) {
        if let Some(bar) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            bar.inc(amount);
        }
    }

    fn end(&self) {
        if let Some(bar) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Bars {
    /// A run that ends before its time must not leave half a line for its message to follow.
    fn drop(&mut self) {
        self.end();
    }
}

/// A line a minute.
#[derive(Default)]
struct Log(Mutex<Option<Stage>>);

struct Stage {
    name: String,
    total: Option<u64>,
    unit: Amount,
    done: u64,
    began: Instant,
    told: Instant,
}

impl Progress for Log {
    fn begin(&self, stage: &str, total: Option<u64>, unit: Amount) {
        let now = Instant::now();
        let stage = Stage {
            name: stage.to_owned(),
            total,
            unit,
            done: 0,
            began: now,
            told: now,
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(stage);
    }

    fn advance(&self, amount: u64) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stage) = &mut *state {
            stage.done += amount;
            if stage.told.elapsed() >= MINUTE {
                stage.told = Instant::now();
                output::tell(&stage.line(stage.began.elapsed()));
            }
        }
    }

    fn end(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Stage {
    fn line(&self, time: Duration) -> String {
        let seconds = time.as_secs_f64().max(1e-3);
        let (scale, unit) = match self.unit {
            Amount::Bytes => (1e6, " MB"),
            Amount::Items => (1.0, ""),
        };
        let amount = |count: u64| format!("{:.0}{unit}", count as f64 / scale);
        let rate = self.done as f64 / seconds;
        let share = match self.total {
            Some(total) if total > 0 => {
                let left = total.saturating_sub(self.done) as f64 / rate.max(1e-9);
                let percent = 100.0 * self.done as f64 / total as f64;
                format!(" of {} ({percent:.0}%), {left:.0} s left", amount(total))
            }
            _ => String::new(),
        };
        format!(
            "{}: {}{share}, {:.1}{unit}/s\n",
            self.name,
            amount(self.done),
            rate / scale
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_how_fast_and_how_long() {
        let now = Instant::now();
        let stage = Stage {
            name: "reading".into(),
            total: Some(400_000_000),
            unit: Amount::Bytes,
            done: 100_000_000,
            began: now,
            told: now,
        };
        assert_eq!(
            stage.line(Duration::from_secs(10)),
            "reading: 100 MB of 400 MB (25%), 30 s left, 10.0 MB/s\n"
        );
    }
}
