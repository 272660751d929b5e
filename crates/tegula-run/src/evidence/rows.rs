//! The measures of a pair, as a row of `pairs.parquet`.

use tegula::evidence::Findings;
use tegula::evidence::Millionths;
use tegula::pair::Pair;
use tegula_io::tables::PairRow;

/// The score of a pair of groups and the measures that the recipe computes; the caller sets units
/// and ids.
pub fn measures(found: &Findings, pair: &Pair) -> PairRow<'static> {
    let Some(pairs) = found.pairs() else {
        return PairRow::default();
    };
    let tokens = |group: u32| found.units.tokens[found.groups.first[group as usize] as usize];
    let mut row = PairRow {
        score: pairs.score(pair).as_f64(),
        tokens_a: Some(tokens(pair.a)),
        tokens_b: Some(tokens(pair.b)),
        ..PairRow::default()
    };
    if let Some(seen) = pairs
        .rescored
        .as_ref()
        .and_then(|look| look.of(pair.a, pair.b))
    {
        row.levenshtein = seen.levenshtein.map(Millionths::as_f64);
        row.unmasked = seen.unmasked.map(Millionths::as_f64);
    }
    let of = pairs.columns(pair);
    PairRow {
        common: of.common,
        size_a: of.size_a,
        size_b: of.size_b,
        covered_a: of.covered_a,
        covered_b: of.covered_b,
        part: of.part,
        whole: of.whole,
        ssr: of.ssr,
        sscr: of.sscr,
        containment_a: of.containment_a,
        containment_b: of.containment_b,
        ..row
    }
}
