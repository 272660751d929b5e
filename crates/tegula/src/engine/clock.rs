//! Times the stages of a run.

use std::time::{Duration, Instant};

/// Times the stages.
pub(super) struct Clock {
    last: Instant,
    pub(super) laps: Vec<(&'static str, Duration)>,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self {
            last: Instant::now(),
            laps: Vec::new(),
        }
    }

    pub(super) fn lap_if(&mut self, ran: bool, stage: &'static str) {
        if ran {
            self.lap(stage);
        }
    }

    pub(super) fn lap(&mut self, stage: &'static str) {
        let now = Instant::now();
        self.laps.push((stage, now - self.last));
        self.last = now;
    }
}
