//! Progress on standard error: one line with the share of the whole, rate, time left, memory and
//! scratch on a terminal, otherwise a line per minute.

mod course;

use crate::machine::{self, Meter};
use crate::output;
use course::Course;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tegula::context::{Amount, Progress, Silent};
use tegula_run::options::ProgressMode;

/// How often a log line is written.
const MINUTE: Duration = Duration::from_secs(60);

/// The display that a run shows.
pub(crate) fn new(mode: ProgressMode, quiet: bool) -> Arc<dyn Progress> {
    match mode {
        _ if quiet => Arc::new(Silent),
        ProgressMode::None => Arc::new(Silent),
        ProgressMode::Auto if std::io::stderr().is_terminal() => Arc::new(Bars::default()),
        ProgressMode::Auto | ProgressMode::Log => Arc::new(Log::default()),
    }
}

/// A stage, and the run that it belongs to.
struct Stage {
    course: Course,
    meter: Meter,
    name: String,
    total: Option<u64>,
    unit: Amount,
    done: u64,
    began: Instant,
    reported: Instant,
}

impl Stage {
    /// Steps of a bar.
    const WHOLE: u64 = 1000;

    fn new(now: Instant) -> Self {
        Self {
            course: Course::new(now),
            meter: machine::meter(),
            name: String::new(),
            total: None,
            unit: Amount::Items,
            done: 0,
            began: now,
            reported: now,
        }
    }

    fn begin(&mut self, name: &str, total: Option<u64>, unit: Amount) {
        let now = Instant::now();
        self.course.enter(name, now);
        (self.name, self.total, self.unit) = (name.to_owned(), total, unit);
        (self.done, self.began) = (0, now);
    }

    /// The phase and its place in the run, or the stage's own name.
    fn title(&self) -> String {
        match self.course.phase() {
            Some(phase) => format!("{}/{} {}", phase.number, phase.of, phase.name),
            None => self.name.clone(),
        }
    }

    /// The share of the stage that is done, if its amount is known.
    fn share(&self) -> Option<f64> {
        let total = self.total.filter(|total| *total > 0)?;
        Some((self.done as f64 / total as f64).min(1.0))
    }

    /// The share of the whole that is done, else that of the stage.
    fn of_whole(&self) -> Option<f64> {
        let share = self.share();
        self.course.share(share.unwrap_or(0.0)).or(share)
    }

    /// The steps of a bar that are done.
    fn steps(&self) -> u64 {
        (self.of_whole().unwrap_or(0.0) * Self::WHOLE as f64) as u64
    }

    /// The rate per second, followed by a separator; nothing if nothing is done.
    fn rate(&self, now: Instant) -> String {
        if self.done == 0 {
            return String::new();
        }
        let seconds = now.duration_since(self.began).as_secs_f64().max(1e-3);
        let rate = self.done as f64 / seconds;
        match self.unit {
            Amount::Bytes => format!("{:.1} MB/s, ", rate / 1e6),
            Amount::Items => format!("{rate:.0}/s, "),
        }
    }

    /// The time left: for the whole, else for the stage.
    fn left(&self, now: Instant) -> Option<Duration> {
        if self.course.phase().is_some() {
            return self.course.left(self.of_whole()?, now);
        }
        let share = self.share().filter(|share| *share > 0.0)?;
        let elapsed = now.duration_since(self.began).as_secs_f64();
        Some(Duration::from_secs_f64(elapsed * (1.0 - share) / share))
    }

    /// Rate, time left and resources.
    fn words(&self, now: Instant) -> String {
        let left = self
            .left(now)
            .map_or_else(String::new, |left| format!("{} left, ", time(left)));
        format!("{}{left}{}", self.rate(now), self.meter.words())
    }

    fn line(&self, now: Instant) -> String {
        let percent = self
            .of_whole()
            .map_or_else(String::new, |share| format!("{:.0}%, ", 100.0 * share));
        format!("{}: {percent}{}\n", self.title(), self.words(now))
    }
}

/// A duration in the units that suit it.
fn time(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

/// One line for the whole run.
struct Bars(Mutex<(Stage, Option<ProgressBar>)>);

impl Default for Bars {
    fn default() -> Self {
        Self(Mutex::new((Stage::new(Instant::now()), None)))
    }
}

impl Bars {
    /// How often the line changes.
    const OFTEN: Duration = Duration::from_millis(100);

    fn state(&self) -> MutexGuard<'_, (Stage, Option<ProgressBar>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(stage: &mut Stage, bar: &ProgressBar) {
        let now = Instant::now();
        stage.reported = now;
        bar.set_message(stage.words(now));
        bar.set_position(stage.steps());
    }
}

impl Progress for Bars {
    fn begin(&self, stage: &str, total: Option<u64>, unit: Amount) {
        let mut state = self.state();
        let (own, bar) = &mut *state;
        own.begin(stage, total, unit);
        let template = if own.of_whole().is_some() {
            "{prefix:<13} {bar:20} {percent:>3}%  {msg}"
        } else {
            "{prefix:<13} {spinner}  {msg}"
        };
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let target = ProgressDrawTarget::stderr_with_hz(10);
        let new = ProgressBar::with_draw_target(Some(Stage::WHOLE), target)
            .with_style(style)
            .with_prefix(own.title())
            .with_message(own.words(own.began))
            .with_position(own.steps());
        if let Some(old) = bar.replace(new) {
            old.finish_and_clear();
        }
    }

    fn advance(&self, amount: u64) {
        let mut state = self.state();
        let (own, bar) = &mut *state;
        own.done += amount;
        if let Some(bar) = bar
            .as_ref()
            .filter(|_| own.reported.elapsed() >= Self::OFTEN)
        {
            Self::show(own, bar);
        }
    }

    fn end(&self) {
        if let Some(bar) = self.state().1.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Bars {
    /// A run that ends early must not leave half a line before its message.
    fn drop(&mut self) {
        self.end();
    }
}

/// A line a minute.
struct Log(Mutex<Stage>);

impl Default for Log {
    fn default() -> Self {
        Self(Mutex::new(Stage::new(Instant::now())))
    }
}

impl Log {
    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Log {
    fn begin(&self, stage: &str, total: Option<u64>, unit: Amount) {
        self.stage().begin(stage, total, unit);
    }

    fn advance(&self, amount: u64) {
        let mut stage = self.stage();
        stage.done += amount;
        if stage.reported.elapsed() >= MINUTE {
            stage.reported = Instant::now();
            output::tell(&stage.line(stage.reported));
        }
    }

    fn end(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_how_fast_and_how_long() {
        let now = Instant::now();
        let mut stage = Stage::new(now);
        stage.begin("reading", Some(400_000_000), Amount::Bytes);
        stage.done = 100_000_000;
        let line = stage.line(stage.began + Duration::from_secs(10));
        assert!(
            line.starts_with("1/5 reading: 10%, 10.0 MB/s, 85 s left, "),
            "{line}"
        );
        stage.begin("aligning", Some(4), Amount::Items);
        stage.done = 1;
        let line = stage.line(stage.began + Duration::from_secs(100));
        assert!(
            line.starts_with("aligning: 25%, 0/s, 5 min left, "),
            "{line}"
        );
        stage.begin("verifying", None, Amount::Items);
        let line = stage.line(stage.began);
        assert!(line.starts_with("4/5 verifying: 77%, "), "{line}");
    }
}
