//! The figures of several rounds in one: medians, and how far apart the rounds are.

use super::process::Took;

/// A figure of all rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rounds {
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Rounds {
    /// Of at least one value.
    pub(super) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let at = |place: usize| values.get(place).copied().unwrap_or_default();
        let last = values.len().saturating_sub(1);
        Self {
            median: f64::midpoint(at(last / 2), at(last.div_ceil(2))),
            least: at(0),
            most: at(last),
        }
    }

    /// The distance between the smallest and the largest, as a share of the median.
    pub(super) fn spread(self) -> f64 {
        (self.most - self.least) / self.median.max(f64::MIN_POSITIVE)
    }
}

/// What a task took in all rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Medians {
    pub(super) cpu: Rounds,
    pub(super) user: Rounds,
    pub(super) wall: Rounds,
    pub(super) mib: Rounds,
}

impl Medians {
    pub(super) fn of(all: &[Took]) -> Self {
        let of = |value: fn(&Took) -> f64| Rounds::of(all.iter().map(value));
        Self {
            cpu: of(|took| took.cpu()),
            user: of(|took| took.user),
            wall: of(|took| took.wall),
            mib: of(|took| took.peak as f64 / f64::from(1 << 20)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let odd = Rounds::of([3.0, 1.0, 2.0]);
        assert_eq!((odd.median, odd.least, odd.most), (2.0, 1.0, 3.0));
        let is = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found}");
        is(Rounds::of([4.0, 1.0, 2.0, 3.0]).median, 2.5);
        is(odd.spread(), 1.0);
        is(Rounds::of([7.0]).spread(), 0.0);
    }
}
