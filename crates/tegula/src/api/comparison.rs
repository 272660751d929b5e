//! Two texts, by every measure.

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
    /// The score by the recipe, as a run gives it; none where it takes more than two texts to say it, as weights of terms do.
    pub score: Option<Score>,
    /// Resemblance: shared distinct shingles over those of either (Broder 1997; ssr in Kupietz 2005).
    pub resemblance: Score,
    /// Coverage: tokens that lie in shared shingles over all tokens of both (sscr in Kupietz 2005).
    pub coverage: Score,
    /// The share of the first text's distinct shingles that the second has.
    pub containment_a: Score,
    /// The share of the second text's distinct shingles that the first has.
    pub containment_b: Score,
    /// The share of the first text's tokens that lie in shared shingles.
    pub covered_a: Score,
    /// The share of the second text's tokens that lie in shared shingles.
    pub covered_b: Score,
    /// The Levenshtein ratio of the texts as they stand: 1 − edits / characters of the longer one. None where the numbers of characters
    /// multiply to more than 40 thousand million, as it would take seconds.
    pub levenshtein: Option<Score>,
    /// The passages that both have, in the order of the first text.
    pub passages: Vec<Passage>,
}

/// A passage that two texts share: at least a shingle, with the same tokens in both.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passage {
    /// Bytes of the first text, from the first to the last token. Passages never overlap here.
    pub a: Range<usize>,
    /// Bytes of the second text.
    pub b: Range<usize>,
    /// Its tokens.
    pub tokens: usize,
    /// Whether it stands in the same order as the passages around it; one that does not was moved, or stands there once more.
    pub is_in_order: bool,
}

/// Compares two texts by the default recipe: words in lower case, shingles of five. [`Dedup::compare`] does the same by another one.
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
/// `O(m log m)` for m tokens in both texts, besides the edit distance, which grows with the product of their lengths over 64.
///
/// # Errors
/// None for the default recipe.
pub fn compare(a: &str, b: &str) -> Result<Comparison> {
    Dedup::new().compare(a, b)
}

/// Characters of one text times those of the other above which no edit distance is taken.
const LARGEST_DISTANCE: u64 = 40_000_000_000;

impl Dedup<'_> {
    /// Compares two texts, with the tokens and shingles of this recipe, as wholes.
    ///
    /// # Cost
    /// As [`compare`].
    ///
    /// # Errors
    /// Usage errors where settings do not fit each other.
    pub fn compare(&self, a: &str, b: &str) -> Result<Comparison> {
        self.check()?;
        let comparer = Comparer::new(&self.recipe)?;
        let found = comparer.compare(a, b);
        let counts = &found.counts;
        let score = match counts.score(self.recipe.measure) {
            None if !self.recipe.needs_statistics() => {
                breakdown(&self.recipe, &Statistics::default(), a, b)?.map(|breakdown| breakdown.score)
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
    is_quick.then(|| Score { part: longer - levenshtein::distance(a, b), whole: longer })
}
