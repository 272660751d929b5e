//! What columns of removed units are called.

use super::counts::Counts;

/// Heads of the columns of removed units.
pub(super) struct Heads {
    pub(super) removed: &'static str,
}

impl Heads {
    pub(super) fn of(stages: &[Counts]) -> Self {
        let marked = stages
            .iter()
            .filter(|counts| counts.verb == "marked")
            .count();
        let removed = match marked {
            0 => "Removed",
            n if n == stages.len() => "Marked",
            _ => "Removed or marked",
        };
        Self { removed }
    }

    pub(super) fn removed_lower(&self) -> String {
        self.removed.to_lowercase()
    }
}
