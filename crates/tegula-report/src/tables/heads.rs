//! What columns of removed and kept units are called.

use super::counts::Counts;

/// Heads of the columns of removed and of kept units.
pub(super) struct Heads {
    pub(super) removed: &'static str,
    pub(super) kept: &'static str,
}

impl Heads {
    pub(super) fn of(stages: &[Counts]) -> Self {
        let marked = stages
            .iter()
            .filter(|counts| counts.verb == "marked")
            .count();
        let (removed, kept) = match marked {
            0 => ("Removed", "Kept"),
            n if n == stages.len() => ("Marked", "Unmarked"),
            _ => ("Removed or marked", "Kept"),
        };
        Self { removed, kept }
    }

    pub(super) fn removed_lower(&self) -> String {
        self.removed.to_lowercase()
    }

    pub(super) fn kept_lower(&self) -> String {
        self.kept.to_lowercase()
    }
}
