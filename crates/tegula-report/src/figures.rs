//! The figures of two texts: every measure, the shared passages, and edit distances.

use rapidfuzz::distance::levenshtein;
use serde::Serialize;
use tegula::compare::Comparison;
use tegula::threshold::Score;

use crate::form::{count, decimal};

/// No edit distance is computed if the product of the two lengths in characters is above this: the
/// work grows with it, to about a second for two texts of 200,000 characters.
pub const LARGEST_DISTANCE: u64 = 40_000_000_000;

/// Insertions, deletions and replacements that turn one text into the other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Distance {
    /// Their number.
    pub distance: u64,
    /// 1 minus their share of the longer text.
    pub ratio: f64,
}

impl Distance {
    fn of(distance: usize, longer: usize) -> Self {
        let ratio = if longer == 0 {
            1.0
        } else {
            1.0 - distance as f64 / longer as f64
        };
        Self {
            distance: distance as u64,
            ratio,
        }
    }
}

/// Shared passages of two texts, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Sequences {
    /// Their number.
    pub count: u64,
    /// Tokens of the longest passage.
    pub longest: u64,
    /// Tokens of all passages.
    pub tokens: u64,
    /// Tokens of passages out of order: moved, or repeated.
    pub out_of_order: u64,
}

impl Sequences {
    /// The figures of a comparison. Ignored tokens are not counted.
    pub fn of(found: &Comparison) -> Self {
        let mut all = Self::default();
        for passage in &found.passages {
            let tokens = passage
                .a
                .clone()
                .filter(|token| !found.a.is_ignored(*token))
                .count() as u64;
            all.count += 1;
            all.tokens += tokens;
            all.longest = all.longest.max(tokens);
            all.out_of_order += u64::from(!passage.in_order);
        }
        all
    }

    /// The mean length of a passage in tokens; 0 if there are none.
    pub fn mean(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            self.tokens as f64 / self.count as f64
        }
    }
}

/// Edit distances of two texts; none if they are too long.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Distances {
    /// In characters of the raw texts.
    pub characters: Option<Distance>,
    /// In tokens after normalisation.
    pub tokens: Option<Distance>,
}

impl Distances {
    /// Computes them, in at most about a second each, by [`LARGEST_DISTANCE`].
    pub fn of(found: &Comparison, texts: (&str, &str)) -> Self {
        let (a, b) = (texts.0.chars().count(), texts.1.chars().count());
        let characters = small(a, b).then(|| {
            Distance::of(
                levenshtein::distance(texts.0.chars(), texts.1.chars()),
                a.max(b),
            )
        });
        let (left, right) = (found.a.numbers(), found.b.numbers());
        let tokens = small(left.len(), right.len()).then(|| {
            Distance::of(
                levenshtein::distance(left.iter().copied(), right.iter().copied()),
                left.len().max(right.len()),
            )
        });
        Self { characters, tokens }
    }
}

/// With one decimal.
fn rounded(number: f64) -> String {
    let tenths = (number * 10.0).round() as u64;
    format!("{}.{}", count(tenths / 10), tenths % 10)
}

fn small(a: usize, b: usize) -> bool {
    a as u64 * b as u64 <= LARGEST_DISTANCE
}

/// A figure with a value for each text, or one for the pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// Its name.
    pub name: String,
    /// The value for the first text, or for the pair.
    pub a: String,
    /// The value for the second text; none for a figure of the pair.
    pub b: Option<String>,
}

/// All figures, in display order. `n` is the number of tokens in a shingle.
pub fn figures(found: &Comparison, distances: &Distances, n: usize) -> Vec<Figure> {
    let m = &found.counts;
    let both = |name: &str, a: String, b: String| Figure {
        name: name.to_owned(),
        a,
        b: Some(b),
    };
    let pair = |name: &str, value: String| Figure {
        name: name.to_owned(),
        a: value,
        b: None,
    };
    let sequences = Sequences::of(found);
    let distance = |distance: Option<Distance>| match distance {
        Some(d) => format!("{}, ratio {}", count(d.distance), decimal(d.ratio)),
        None => "not counted: the texts are too long".to_owned(),
    };
    let mut all = vec![
        both(
            "tokens",
            count(found.a.tokens() as u64),
            count(found.b.tokens() as u64),
        ),
        both("covered tokens", count(m.covered_a), count(m.covered_b)),
        both(
            &format!("distinct shingles of {n}"),
            count(m.set_a),
            count(m.set_b),
        ),
        pair("common shingles", count(m.common)),
    ];
    if m.ignored > 0 {
        all.push(pair("common shingles that are ignored", count(m.ignored)));
    }
    all.extend([
        pair("ssr (resemblance)", ratio(m.ssr())),
        pair("sscr (coverage)", ratio(m.sscr())),
        both(
            "ssr containment",
            ratio(m.shingle_containment().0),
            ratio(m.shingle_containment().1),
        ),
        both(
            "sscr containment",
            ratio(m.token_containment().0),
            ratio(m.token_containment().1),
        ),
        pair("shared passages", count(sequences.count)),
        pair("longest, in tokens", count(sequences.longest)),
        pair("mean, in tokens", rounded(sequences.mean())),
        pair("out of order", count(sequences.out_of_order)),
        pair(
            "Levenshtein distance, characters",
            distance(distances.characters),
        ),
        pair("Levenshtein distance, tokens", distance(distances.tokens)),
    ]);
    all
}

/// A score with its counts.
pub fn ratio(score: Score) -> String {
    format!(
        "{} ({} of {})",
        decimal(score.as_f64()),
        count(score.part),
        count(score.whole)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tegula::compare::Comparer;
    use tegula::recipe::Recipe;

    #[test]
    fn distances_are_those_of_levenshtein() {
        let comparer = Comparer::new(&Recipe::named("sscr").unwrap()).unwrap();
        let (a, b) = ("kitten on the mat", "sitting on a mat");
        let found = comparer.compare(a, b);
        let distances = Distances::of(&found, (a, b));
        // Three for kitten and sitting, three for "the" and "a".
        assert_eq!(distances.characters.unwrap().distance, 6);
        assert_eq!(
            distances.tokens,
            Some(Distance {
                distance: 2,
                ratio: 0.5
            })
        );
        let empty = comparer.compare("", "");
        assert_eq!(
            Distances::of(&empty, ("", ""))
                .characters
                .unwrap()
                .ratio
                .to_bits(),
            1.0_f64.to_bits()
        );
        assert!(!small(1 << 20, 1 << 20));
    }

    #[test]
    fn passages_are_counted() {
        let comparer =
            Comparer::new(&Recipe::named("sscr").unwrap().with("ngram", "2").unwrap()).unwrap();
        let sequences = Sequences::of(&comparer.compare("a b c x d e", "d e y a b c"));
        assert_eq!(
            sequences,
            Sequences {
                count: 2,
                longest: 3,
                tokens: 5,
                out_of_order: 1
            }
        );
        assert!((sequences.mean() - 2.5).abs() < 1e-9);
    }
}
