//! Results against a gold standard.

use super::Outcome;
use crate::error::{ErrorKind, Result};
use crate::evaluation::{Scores, adjusted_rand};
use crate::record::Level;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::Hash;

/// How well pairs or groups were found, by a gold standard. All figures are counted by pair.
///
/// ```
/// use tegula::Evaluation;
///
/// // 0, 1 and 2 are copies; 0 and 1 were found, and 3 with them.
/// let by_pairs = Evaluation::of_pairs([(0, 1), (0, 2), (1, 2)], [(1, 0), (1, 3)]);
/// assert_eq!((by_pairs.hits, by_pairs.found, by_pairs.positives), (1, 2, 3));
/// let by_groups = Evaluation::of_groups(["a", "a", "a", "b"], [7, 7, 8, 7]);
/// assert_eq!(by_groups.precision, Some(1.0 / 3.0));
/// println!("{by_groups}"); // precision 0.333, recall 0.333, F1 0.333, adjusted Rand index -0.333
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Evaluation {
    /// Pairs that were found.
    pub found: u64,
    /// Those of them that are true.
    pub hits: u64,
    /// Pairs that are true.
    pub positives: u64,
    /// The share of found pairs that are true; none if nothing was found.
    pub precision: Option<f64>,
    /// The share of true pairs that were found; none if there are none.
    pub recall: Option<f64>,
    /// The harmonic mean of precision and recall; none if there are no pairs at all.
    pub f1: Option<f64>,
    /// The adjusted Rand index (Hubert and Arabie 1985) of two groupings: 1 if they are equal, about
    /// 0 if they have nothing to do with each other. None for pairs.
    pub adjusted_rand: Option<f64>,
}

impl Evaluation {
    /// Compares found pairs with the true ones. A pair counts once, in either order; a text is not
    /// its own copy.
    ///
    /// # Cost
    /// Holds both sets.
    pub fn of_pairs<T: Ord + Hash>(
        gold: impl IntoIterator<Item = (T, T)>,
        found: impl IntoIterator<Item = (T, T)>,
    ) -> Self {
        let ordered = |(a, b): (T, T)| if b < a { (b, a) } else { (a, b) };
        let proper = |(a, b): &(T, T)| a != b;
        let gold: HashSet<(T, T)> = gold.into_iter().map(ordered).filter(proper).collect();
        let found: HashSet<(T, T)> = found.into_iter().map(ordered).filter(proper).collect();
        let hits = found.intersection(&gold).count();
        Self::new(hits as u64, found.len() as u64, gold.len() as u64, None)
    }

    /// Compares a grouping of texts with the true one. Texts are in the same order in both, each
    /// with the name of its group; a text in no group has a unique name. Further texts of the
    /// longer list are ignored.
    ///
    /// # Cost
    /// Linear in the texts, however many pairs there are.
    pub fn of_groups<G: Eq + Hash, F: Eq + Hash>(
        gold: impl IntoIterator<Item = G>,
        found: impl IntoIterator<Item = F>,
    ) -> Self {
        let (mut true_groups, mut groups) = (HashMap::new(), HashMap::new());
        let mut cells: HashMap<(usize, usize), u64> = HashMap::new();
        let (mut in_gold, mut in_found) = (Vec::<u64>::new(), Vec::<u64>::new());
        let mut texts = 0;
        for (gold, found) in gold.into_iter().zip(found) {
            let cell = (
                number(&mut true_groups, &mut in_gold, gold),
                number(&mut groups, &mut in_found, found),
            );
            *cells.entry(cell).or_default() += 1;
            texts += 1;
        }
        let two = |count: u64| count * count.saturating_sub(1) / 2;
        let hits = cells.into_values().map(two).sum();
        let positives = in_gold.into_iter().map(two).sum();
        let pairs = in_found.into_iter().map(two).sum();
        let index = adjusted_rand(hits, pairs, positives, two(texts));
        Self::new(hits, pairs, positives, Some(index))
    }

    fn new(hits: u64, found: u64, positives: u64, adjusted_rand: Option<f64>) -> Self {
        let Scores {
            precision,
            recall,
            f1,
        } = Scores::of(hits, found, positives);
        Self {
            found,
            hits,
            positives,
            precision,
            recall,
            f1,
            adjusted_rand,
        }
    }
}

/// The number of a group, with one text more.
fn number<T: Eq + Hash>(known: &mut HashMap<T, usize>, sizes: &mut Vec<u64>, group: T) -> usize {
    let next = known.len();
    let number = *known.entry(group).or_insert(next);
    if number == sizes.len() {
        sizes.push(0);
    }
    sizes[number] += 1;
    number
}

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = [
            ("precision", self.precision),
            ("recall", self.recall),
            ("F1", self.f1),
        ];
        for (at, (name, value)) in values.into_iter().enumerate() {
            let gap = if at == 0 { "" } else { ", " };
            match value {
                Some(value) => write!(f, "{gap}{name} {value:.3}")?,
                None => write!(f, "{gap}no {name}")?,
            }
        }
        match self.adjusted_rand {
            Some(index) => write!(f, ", adjusted Rand index {index:.3}"),
            None => Ok(()),
        }
    }
}

impl Outcome {
    /// How well the clusters match the groups of a gold standard, which names the group of each
    /// text.
    ///
    /// ```
    /// # let a = "the quick brown fox jumps over the lazy dog and runs far away";
    /// # let b = "nothing here resembles that sentence in any way, not even slightly";
    /// let found = tegula::Dedup::recipe("copies")?.run([a, b, a])?;
    /// assert_eq!(found.evaluate(["x", "y", "x"])?.f1, Some(1.0));
    /// # Ok::<(), tegula::Error>(())
    /// ```
    ///
    /// # Errors
    /// A usage error if there are not as many names as texts, or if parts of texts were compared.
    pub fn evaluate<G: Eq + Hash>(&self, gold: impl IntoIterator<Item = G>) -> Result<Evaluation> {
        if self.unit() != Level::Document {
            return Err(ErrorKind::Usage
                .expected("whole texts to evaluate")
                .found("parts of texts"));
        }
        let gold: Vec<G> = gold.into_iter().collect();
        if gold.len() != self.len() {
            return Err(ErrorKind::Usage
                .expected(format!("the groups of {} texts", self.len()))
                .found(gold.len()));
        }
        // Texts in no cluster are alone in theirs.
        let mut labels: Vec<(usize, bool)> = (0..self.len()).map(|text| (text, false)).collect();
        for (number, cluster) in self.clusters().into_iter().enumerate() {
            let members = cluster.members.iter().filter(|place| !place.is_reference);
            members.for_each(|place| labels[place.index] = (number, true));
        }
        Ok(Evaluation::of_groups(gold, labels))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn groups_are_counted_as_their_pairs(labels in proptest::collection::vec((0_u8..4, 0_u8..4), 0..30)) {
            let pairs = |of: fn(&(u8, u8)) -> u8| {
                let mut pairs = Vec::new();
                for (b, label) in labels.iter().enumerate() {
                    pairs.extend((0..b).filter(|a| of(&labels[*a]) == of(label)).map(|a| (b, a)));
                }
                pairs
            };
            let (gold, found) = (pairs(|label| label.0), pairs(|label| label.1));
            let by_groups = Evaluation::of_groups(
                labels.iter().map(|label| label.0),
                labels.iter().map(|label| label.1),
            );
            let by_pairs = Evaluation::of_pairs(gold.iter().copied().chain([(1, 1)]), found);
            prop_assert_eq!(&Evaluation { adjusted_rand: None, ..by_groups.clone() }, &by_pairs);
            let same = Evaluation::of_groups(labels.iter().map(|label| label.0), labels.iter().map(|label| label.0));
            prop_assert_eq!(same.adjusted_rand, Some(1.0));
            prop_assert!(by_groups.adjusted_rand.unwrap() <= 1.0);
        }
    }

    #[test]
    fn what_cannot_be_evaluated_is_refused() {
        let texts = [
            "one two three four five six",
            "seven eight nine ten eleven twelve",
        ];
        let found = crate::Dedup::recipe("copies").unwrap().run(texts).unwrap();
        assert!(found.evaluate(["a"]).is_err());
        let empty = found.evaluate(["a", "b"]).unwrap();
        assert_eq!(
            empty.to_string(),
            "no precision, no recall, no F1, adjusted Rand index 1.000"
        );
        let parts = crate::Dedup::recipe("copies")
            .unwrap()
            .unit(crate::Unit::Paragraph);
        assert!(parts.run(texts).unwrap().evaluate(["a", "b"]).is_err());
    }
}
