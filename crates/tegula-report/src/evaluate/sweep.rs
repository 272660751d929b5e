//! Evaluates a result at every threshold.

use super::closing::Closing;
use super::counting::Counting;
use super::found::Pair;
use super::gold::Gold;
use super::sides::{PairScores, Sides};
use serde::Serialize;

/// A result cut at a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// The minimum score of a pair.
    pub threshold: f64,
    /// The figures by pair.
    #[serde(flatten)]
    pub pairs: PairScores,
    /// The adjusted Rand index of the clusters.
    pub ari: f64,
}

/// The figures at every threshold at which the result changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sweep {
    /// Sorted by threshold, descending; if there are very many, an even selection, with the best
    /// ones.
    pub points: Vec<Point>,
    /// The point with the best F1 by pair, the highest of equals.
    pub best: Point,
    /// The point with the best adjusted Rand index, the highest of equals.
    pub best_ari: Point,
}

/// The maximum number of points.
const KEPT: usize = 2_000;

/// Evaluates the pairs at every score; none if there are no pairs.
pub(super) fn sweep(gold: &Gold, pairs: &[Pair], counting: Counting) -> Option<Sweep> {
    let mut order: Vec<Pair> = pairs.to_vec();
    order.sort_unstable_by(|x, y| {
        y.score
            .total_cmp(&x.score)
            .then((x.a, x.b).cmp(&(y.a, y.b)))
    });
    let distinct = order
        .chunk_by(|x, y| x.score.total_cmp(&y.score).is_eq())
        .count();
    let every = distinct.div_ceil(KEPT).max(1);
    let mut closing = Closing::new(gold, counting.labelled);
    let mut sides = closing.sides();
    let mut best: Option<(Sides, Point)> = None;
    let mut best_ari: Option<Point> = None;
    let mut points = Vec::new();
    for (number, same) in order
        .chunk_by(|x, y| x.score.total_cmp(&y.score).is_eq())
        .enumerate()
    {
        for pair in same {
            closing.merge(pair.a, pair.b);
            count(gold, *pair, counting.labelled, &mut sides);
        }
        if counting.transitive {
            sides = closing.sides();
        }
        let threshold = same.first().map_or(0.0, |pair| pair.score);
        let point = Point {
            threshold,
            pairs: sides.scores(),
            ari: closing.rand_index(),
        };
        if best.is_none_or(|(before, _)| sides.is_above(before)) {
            best = Some((sides, point));
        }
        if best_ari.is_none_or(|before| point.ari > before.ari) {
            best_ari = Some(point);
        }
        if number % every == 0 || number + 1 == distinct {
            points.push(point);
        }
    }
    let (best, best_ari) = (best?.1, best_ari?);
    for point in [best, best_ari] {
        if !points
            .iter()
            .any(|kept| kept.threshold.total_cmp(&point.threshold).is_eq())
        {
            points.push(point);
        }
    }
    points.sort_by(|x, y| y.threshold.total_cmp(&x.threshold));
    Some(Sweep {
        points,
        best,
        best_ari,
    })
}

/// Adds a found pair.
fn count(gold: &Gold, pair: Pair, labelled: bool, sides: &mut Sides) {
    let truth = gold.says(pair.a, pair.b);
    if truth.is_none() && labelled {
        return;
    }
    let judged = [pair.a, pair.b].map(|id| u64::from(gold.judged[id as usize]));
    sides.found += judged[0] + judged[1];
    sides.hits += if truth == Some(true) {
        judged[0] + judged[1]
    } else {
        0
    };
}
