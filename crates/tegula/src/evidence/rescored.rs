//! Second scores of pairs, which cover what the first does not.

use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::recipe::Recipe;
use crate::threshold::Score;

/// The results of rescoring a pair of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rescore {
    /// The earlier group.
    pub a: u32,
    /// The later group.
    pub b: u32,
    /// The Levenshtein ratio of the normalised texts, if requested.
    pub levenshtein: Option<Millionths>,
    /// The score without masks, if there are masks.
    pub unmasked: Option<Millionths>,
}

/// A score in millionths, rounded down, so that 1 is exact. It affects no decision.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Millionths(u32);

impl Millionths {
    /// The score of texts that share nothing.
    pub(crate) const ZERO: Self = Self(0);
    /// The score of equal texts.
    pub const ONE: Self = Self(1_000_000);

    /// A score, rounded down.
    pub fn of(score: Score) -> Self {
        Self(
            (u128::from(score.part) * 1_000_000 / u128::from(score.whole.max(1))).min(1_000_000)
                as u32,
        )
    }

    /// The inverse of [`Millionths::as_f64`].
    pub fn from_f64(value: f64) -> Self {
        Self((value.clamp(0.0, 1.0) * 1e6).round() as u32)
    }

    /// As a float, for display and tables.
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / 1e6
    }
}

/// The results of rescoring, by pair.
#[derive(Debug, Default)]
pub struct Rescored {
    pub(crate) seen: Vec<Rescore>,
    /// Whether Levenshtein ratios were computed.
    pub levenshtein: bool,
    /// Whether texts were compared without masks.
    pub unmasked: bool,
    _held: Option<Reservation>,
}

impl Rescored {
    /// For the pairs of a recipe, with nothing scored yet; none if it does not rescore. Reserves
    /// memory for `pairs` pairs.
    ///
    /// # Errors
    /// If the memory ceiling is too low for that.
    pub fn new(context: &Context, recipe: &Recipe, pairs: u64) -> Result<Option<Self>> {
        let (levenshtein, unmasked) = (
            recipe.levenshtein.is_some(),
            recipe.unmasked_steps().is_some(),
        );
        if !levenshtein && !unmasked {
            return Ok(None);
        }
        let held = context.budget.reserve(
            pairs * (size_of::<Rescore>() as u64 + 1),
            "the second scores of pairs",
        )?;
        let seen = Vec::with_capacity(usize::try_from(pairs).unwrap_or(0));
        Ok(Some(Self {
            seen,
            levenshtein,
            unmasked,
            _held: Some(held),
        }))
    }

    /// Adds the result for a pair; pairs must be sorted by (a, b).
    pub fn push(&mut self, seen: Rescore) {
        self.seen.push(seen);
    }

    /// The result for two groups, in either order; a group equals itself.
    pub fn of(&self, a: u32, b: u32) -> Option<Rescore> {
        if a == b {
            let one = |looked: bool| looked.then_some(Millionths::ONE);
            return Some(Rescore {
                a,
                b,
                levenshtein: one(self.levenshtein),
                unmasked: one(self.unmasked),
            });
        }
        let (a, b) = (a.min(b), a.max(b));
        self.seen
            .binary_search_by_key(&(a, b), |seen| (seen.a, seen.b))
            .ok()
            .map(|at| self.seen[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Budget;
    use crate::scratch::Scratch;

    #[test]
    fn millionths_survive_a_table_and_are_one_for_equal_texts_only() {
        for (part, whole) in [
            (0, 1),
            (1, 3),
            (2, 3),
            (999_999, 1_000_000),
            (9_999_999, 10_000_000),
            (7, 7),
        ] {
            let seen = Millionths::of(Score { part, whole });
            assert_eq!(Millionths::from_f64(seen.as_f64()), seen);
            assert_eq!(seen == Millionths::ONE, part == whole);
        }
    }

    #[test]
    fn a_group_and_itself_are_equal_in_all_that_is_looked_at() {
        let recipe = Recipe::named("messages").unwrap();
        let context = Context::new(1, Budget::OVERHEAD + 4096, Scratch::system());
        let mut look = Rescored::new(&context, &recipe, 1).unwrap().unwrap();
        let seen = Rescore {
            a: 2,
            b: 5,
            levenshtein: None,
            unmasked: Some(Millionths(7)),
        };
        look.push(seen);
        assert_eq!(look.of(5, 2), Some(seen));
        assert_eq!(look.of(2, 3), None);
        assert_eq!(
            look.of(4, 4),
            Some(Rescore {
                a: 4,
                b: 4,
                levenshtein: None,
                unmasked: Some(Millionths::ONE)
            })
        );
        assert!(
            Rescored::new(&context, &Recipe::named("ssr").unwrap(), 1)
                .unwrap()
                .is_none()
        );
    }
}
