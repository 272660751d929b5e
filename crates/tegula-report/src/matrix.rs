//! A folder of texts compared with each other: the texts, the pairs, and an order that groups
//! similar texts.

use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use tegula::compare::Comparison;
use tegula::measure::Counts;

use crate::figures::Sequences;

/// A text of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextInfo {
    /// Its id.
    pub id: String,
    /// Its tokens.
    pub tokens: u64,
    /// Whether it is of the baseline, whose texts are not compared with each other.
    pub is_baseline: bool,
}

/// Two of the texts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextPair {
    /// The earlier text.
    pub a: usize,
    /// The later text.
    pub b: usize,
    /// The score by the requested measure.
    pub score: f64,
    /// Their figures.
    pub figures: PairFigures,
}

/// The figures in a list of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairFigures {
    /// Counts, from which every score is computed.
    pub counts: Counts,
    /// The passages they share.
    pub passages: Sequences,
}

impl PairFigures {
    /// The figures of a comparison.
    pub fn of(found: &Comparison) -> Self {
        Self {
            counts: found.counts,
            passages: Sequences::of(found),
        }
    }

    /// The same, with the texts swapped.
    #[must_use]
    pub fn turned(&self) -> Self {
        let m = self.counts;
        let counts = Counts {
            set_a: m.set_b,
            set_b: m.set_a,
            covered_a: m.covered_b,
            covered_b: m.covered_a,
            tokens_a: m.tokens_b,
            tokens_b: m.tokens_a,
            ..m
        };
        Self { counts, ..*self }
    }

    /// The share of each text's tokens contained in the other.
    pub fn containment(&self) -> (f64, f64) {
        let (a, b) = self.counts.token_containment();
        (a.as_f64(), b.as_f64())
    }

    /// Tokens of both texts in common shingles.
    pub fn shared_tokens(&self) -> u64 {
        self.counts.covered_a + self.counts.covered_b
    }
}

/// A folder of texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matrix {
    /// The texts, in input order.
    pub texts: Vec<TextInfo>,
    /// Pairs at or above the threshold, the best first.
    pub pairs: Vec<TextPair>,
}

impl Matrix {
    /// Sorts the pairs by score, descending, with ties broken by the larger containment, then by
    /// input order.
    pub fn new(texts: Vec<TextInfo>, mut pairs: Vec<TextPair>) -> Self {
        let larger = |pair: &TextPair| {
            pair.figures
                .containment()
                .0
                .max(pair.figures.containment().1)
        };
        pairs.sort_by(|x, y| {
            let by_score = y
                .score
                .total_cmp(&x.score)
                .then(larger(y).total_cmp(&larger(x)));
            by_score.then((x.a, x.b).cmp(&(y.a, y.b)))
        });
        Self { texts, pairs }
    }

    /// The number of texts that are not of the baseline, and of those that are.
    pub fn sizes(&self) -> (u64, u64) {
        let baseline = self.texts.iter().filter(|text| text.is_baseline).count();
        ((self.texts.len() - baseline) as u64, baseline as u64)
    }

    /// The texts that are in a pair, ordered so that similar texts are adjacent: starting with the
    /// earliest text, always the text that is nearest to one already placed (Prim's order of the
    /// maximum spanning tree); ties in input order.
    pub fn order(&self) -> Vec<usize> {
        let mut near: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.texts.len()];
        for pair in &self.pairs {
            let (a, b) = pair.figures.containment();
            let weight = a.max(b);
            near[pair.a].push((pair.b, weight));
            near[pair.b].push((pair.a, weight));
        }
        let mut placed = vec![false; self.texts.len()];
        let mut order = Vec::new();
        for first in 0..self.texts.len() {
            if placed[first] || near[first].is_empty() {
                continue;
            }
            // Weights as bits: they are not negative, so they sort like the numbers.
            let mut front: BTreeSet<(u64, Reverse<usize>)> = BTreeSet::new();
            front.insert((u64::MAX, Reverse(first)));
            while let Some((_, Reverse(text))) = front.pop_last() {
                if std::mem::replace(&mut placed[text], true) {
                    continue;
                }
                order.push(text);
                for (other, weight) in near[text].iter().filter(|(other, _)| !placed[*other]) {
                    front.insert((weight.to_bits(), Reverse(*other)));
                }
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tegula::compare::Comparer;
    use tegula::recipe::Recipe;

    fn matrix(texts: &[&str]) -> Matrix {
        let comparer =
            Comparer::new(&Recipe::named("sscr").unwrap().with("ngram", "1").unwrap()).unwrap();
        let mut pairs = Vec::new();
        for b in 0..texts.len() {
            for a in 0..b {
                let figures = PairFigures::of(&comparer.compare(texts[a], texts[b]));
                let score = figures.counts.sscr().as_f64();
                if score >= 0.1 {
                    pairs.push(TextPair {
                        a,
                        b,
                        score,
                        figures,
                    });
                }
            }
        }
        let texts = texts
            .iter()
            .enumerate()
            .map(|(number, _)| TextInfo {
                id: number.to_string(),
                is_baseline: false,
                tokens: 1,
            })
            .collect();
        Matrix::new(texts, pairs)
    }

    #[test]
    fn relatives_stand_together() {
        let made = matrix(&[
            "a b c d", "p q r s", "lonely", "a b c x", "p q r y", "a b z w",
        ]);
        assert_eq!(made.order(), [0, 3, 5, 1, 4]);
        assert_eq!(
            made.pairs
                .iter()
                .map(|pair| (pair.a, pair.b))
                .collect::<Vec<_>>(),
            [(0, 3), (1, 4), (0, 5), (3, 5)]
        );
    }

    #[test]
    fn a_turned_pair_is_the_pair_the_other_way_round() {
        let comparer =
            Comparer::new(&Recipe::named("sscr").unwrap().with("ngram", "1").unwrap()).unwrap();
        let (a, b) = ("a b c d e", "c d x");
        let there = PairFigures::of(&comparer.compare(a, b));
        assert_eq!(there.turned().counts, comparer.compare(b, a).counts);
    }
}
