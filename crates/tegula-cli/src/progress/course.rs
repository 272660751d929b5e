//! How far a whole run has got, estimated from its current stage.
//!
//! A run cannot know how long its later stages take before it has compared texts. Their usual share
//! of the whole is known well enough to estimate how much is left.

use std::time::{Duration, Instant};

/// The phases shown to a user.
const PHASES: [&str; 5] = ["reading", "indexing", "comparing", "verifying", "writing"];

/// The stages in their order, each with its phase and its usual share of the time, in hundredths:
/// the mean of laws, speeches, books, abstracts and mixtures of 205 MB to 1 GB under the default
/// recipe on one thread.
const STAGES: [(&str, usize, u32); 15] = [
    ("looking for fields and tags", 0, 0),
    ("reading", 0, 42),
    ("reading again", 0, 0),
    ("sharing", 1, 11),
    ("chains", 1, 5),
    ("counting", 1, 0),
    ("ranking", 1, 4),
    ("splitting", 1, 0),
    ("ordering", 1, 1),
    ("sorting", 1, 4),
    ("joining", 2, 10),
    ("judging", 2, 0),
    ("deciding", 2, 0),
    ("verifying", 3, 17),
    ("writing", 4, 6),
];

/// How far a whole run has got.
pub(super) struct Course {
    began: Instant,
    /// The place of the stage among those known.
    at: Option<usize>,
}

/// The phase that a run is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Phase {
    /// Its number, from 1.
    pub(super) number: usize,
    /// How many there are.
    pub(super) of: usize,
    /// Its name.
    pub(super) name: &'static str,
}

impl Course {
    /// A run that starts now.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            began: now,
            at: None,
        }
    }

    /// Enters a stage. The next stage of a multi-stage recipe starts from the beginning.
    pub(super) fn enter(&mut self, stage: &str, now: Instant) {
        let place = STAGES.iter().position(|(name, ..)| *name == stage);
        let is_back =
            matches!((place, self.at), (Some(place), Some(at)) if place < at && place < 2);
        if is_back {
            self.began = now;
        }
        self.at = place;
    }

    /// The phase; none if the stage is not part of the sequence.
    pub(super) fn phase(&self) -> Option<Phase> {
        let (_, phase, _) = STAGES[self.at?];
        Some(Phase {
            number: phase + 1,
            of: PHASES.len(),
            name: PHASES[phase],
        })
    }

    /// The share of the whole that is done when this share of the stage is.
    pub(super) fn share(&self, of_stage: f64) -> Option<f64> {
        let at = self.at?;
        let before: u32 = STAGES[..at].iter().map(|(.., share)| share).sum();
        let own = f64::from(STAGES[at].2) * of_stage.clamp(0.0, 1.0);
        Some((f64::from(before) + own) / 100.0)
    }

    /// The time left for the whole; none as long as there is no basis for an estimate.
    pub(super) fn left(&self, share: f64, now: Instant) -> Option<Duration> {
        const LEAST: f64 = 0.02;
        let elapsed = now.duration_since(self.began).as_secs_f64();
        (share >= LEAST && elapsed >= 0.5)
            .then(|| Duration::from_secs_f64(elapsed * (1.0 - share).max(0.0) / share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_grow() {
        let total: u32 = STAGES.iter().map(|(.., share)| share).sum();
        assert_eq!(total, 100);
        let now = Instant::now();
        let mut course = Course::new(now);
        let mut last = 0.0;
        for (stage, phase, _) in STAGES {
            course.enter(stage, now);
            assert_eq!(course.phase().unwrap().number, phase + 1);
            let (start, end) = (course.share(0.0).unwrap(), course.share(2.0).unwrap());
            assert!(last <= start && start <= end && end <= 1.0, "{stage}");
            last = end;
        }
    }

    #[test]
    fn what_is_left_follows_from_what_was_needed() {
        let now = Instant::now();
        let later = now + Duration::from_secs(42);
        let mut course = Course::new(now);
        course.enter("reading", now);
        assert_eq!(course.left(0.0, later), None);
        let share = course.share(1.0).unwrap();
        assert_eq!(course.left(share, later).unwrap().as_secs(), 58);
        course.enter("joining", later);
        course.enter("reading", later);
        assert_eq!(course.left(share, later), None, "the next stage begins");
        course.enter("aligning", later);
        assert_eq!((course.phase(), course.share(0.5)), (None, None));
    }
}
