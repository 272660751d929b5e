//! Compares two texts by every measure.

use super::Dedup;
use crate::compare::Comparer;
use crate::engine::breakdown::breakdown;
use crate::error::Result;
use crate::levenshtein;
use crate::statistics::Statistics;
use crate::threshold::Score;
use std::ops::Range;

/// What two texts have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comparison {
    /// Whether the two are equal after normalisation.
    pub are_equal: bool,
    /// The score under the recipe, as in a run; none if two texts are not enough to compute it, as
    /// with term weighting.
    pub score: Option<Score>,
    /// Resemblance: shared distinct shingles over all distinct shingles (Broder 1997; ssr in
    /// Kupietz 2005).
    pub resemblance: Score,
    /// Coverage: tokens in shared shingles over all tokens of both (sscr in Kupietz 2005).
    pub coverage: Score,
    /// The share of the first text's distinct shingles that are in the second.
    pub containment_a: Score,
    /// The share of the second text's distinct shingles that are in the first.
    pub containment_b: Score,
    /// The share of the first text's tokens in shared shingles.
    pub covered_a: Score,
    /// The share of the second text's tokens in shared shingles.
    pub covered_b: Score,
    /// The Levenshtein ratio of the raw texts: 1 − edits / characters of the longer one. None if
    /// the product of their lengths in characters exceeds 40 billion, as it would take seconds.
    pub levenshtein: Option<Score>,
    /// The shared passages, in the order of the first text.
    pub passages: Vec<Passage>,
}

/// A shared passage: at least one shingle, with the same tokens in both texts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passage {
    /// Bytes of the first text, from the first to the last token. Passages never overlap here.
    pub a: Range<usize>,
    /// Bytes of the second text.
    pub b: Range<usize>,
    /// Its length in tokens.
    pub tokens: usize,
    /// Whether it is in the same order as the passages around it; otherwise it was moved or
    /// repeated.
    pub is_in_order: bool,
}

/// Compares two texts under the default recipe: words in lower case, shingles of five.
/// [`Dedup::compare`] uses another recipe.
///
/// ```
/// let a = "The harbour was closed at noon because of the storm.";
/// let b = "On Monday the harbour was closed at noon because of a strike.";
/// let found = tegula::compare(a, b)?;
/// assert_eq!(found.passages.len(), 1);
/// assert_eq!(&b[found.passages[0].b.clone()], "the harbour was closed at noon because of");
/// # Ok::<(), tegula::Error>(())
/// ```
///
/// # Cost
/// `O(m log m)` for m tokens in both texts, plus the edit distance, which grows with the product of
/// their lengths divided by 64.
///
/// # Errors
/// None for the default recipe.
pub fn compare(a: &str, b: &str) -> Result<Comparison> {
    Dedup::new().compare(a, b)
}

/// No edit distance is computed if the product of the two lengths in characters is above this.
const LARGEST_DISTANCE: u64 = 40_000_000_000;

impl Dedup<'_> {
    /// Compares two whole texts, with the tokens and shingles of this recipe.
    ///
    /// # Cost
    /// As [`compare`].
    ///
    /// # Errors
    /// Usage errors if settings are incompatible.
    pub fn compare(&self, a: &str, b: &str) -> Result<Comparison> {
        self.check()?;
        let comparer = Comparer::new(&self.recipe)?;
        let found = comparer.compare(a, b);
        let counts = &found.counts;
        let score = match self.recipe.measure.rules().of_texts(counts) {
            None if !self.recipe.needs_statistics() => {
                breakdown(&self.recipe, &Statistics::default(), a, b)?
                    .map(|breakdown| breakdown.score)
            }
            score => score,
        };
        let passages = found.passages.iter().map(|passage| Passage {
            a: found.a.bytes(passage.a.clone()),
            b: found.b.bytes(passage.b.clone()),
            tokens: passage.a.len(),
            is_in_order: passage.in_order,
        });
        let (containment, covered) = (counts.shingle_containment(), counts.token_containment());
        Ok(Comparison {
            are_equal: counts.equal,
            score,
            resemblance: counts.ssr(),
            coverage: counts.sscr(),
            containment_a: containment.0,
            containment_b: containment.1,
            covered_a: covered.0,
            covered_b: covered.1,
            levenshtein: ratio(a, b),
            passages: passages.collect(),
        })
    }
}

fn ratio(a: &str, b: &str) -> Option<Score> {
    let [in_a, in_b] = [a, b].map(|text| text.chars().count() as u64);
    let longer = in_a.max(in_b);
    if longer == 0 {
        return Some(Score::ONE);
    }
    let is_quick = u128::from(in_a) * u128::from(in_b) <= u128::from(LARGEST_DISTANCE);
    is_quick.then(|| Score {
        part: longer - levenshtein::distance(a, b),
        whole: longer,
    })
}
