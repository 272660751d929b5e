//! The measures of a pair, as a row of `pairs.parquet`.

use tegula::engine::Findings;
use tegula::engine::second::Millionths;
use tegula::join::Pair;
use tegula::recipe::Measure;
use tegula_io::tables::PairRow;

/// The score of a pair of groups and the measures that the recipe knows; units and ids are the caller's.
pub(crate) fn measures(found: &Findings, pair: &Pair) -> PairRow<'static> {
    let sizes = found.sizes();
    let tokens = |group: u32| found.units.tokens[found.groups.first[group as usize] as usize];
    let mut row = PairRow {
        score: found.score(pair).as_f64(),
        tokens_a: Some(tokens(pair.a)),
        tokens_b: Some(tokens(pair.b)),
        ..PairRow::default()
    };
    if let Some(seen) = found.second.as_ref().and_then(|look| look.of(pair.a, pair.b)) {
        row.levenshtein = seen.levenshtein.map(Millionths::as_f64);
        row.unmasked = seen.unmasked.map(Millionths::as_f64);
    }
    let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole);
    match found.scoring.measure() {
        Measure::Equality | Measure::Known => {}
        Measure::Cosine | Measure::WeightedResemblance | Measure::Hamming | Measure::Agreement => {
            row.part = Some(pair.in_a);
            row.whole = Some(pair.in_b);
        }
        Measure::Resemblance | Measure::ResemblanceContainment => {
            let (a, b) = (sizes.sets[pair.a as usize], sizes.sets[pair.b as usize]);
            if a == 0 {
                // Equal texts that no key nominated: nobody counted their shingles.
                return PairRow { score: 1.0, ssr: Some(1.0), containment_a: Some(1.0), containment_b: Some(1.0), ..row };
            }
            let either = u64::from(a) + u64::from(b) - u64::from(pair.in_a);
            row.common = Some(pair.in_a);
            row.size_a = Some(a);
            row.size_b = Some(b);
            row.ssr = Some(f64::from(pair.in_a) / either as f64);
            row.containment_a = Some(share(pair.in_a, a));
            row.containment_b = Some(share(pair.in_a, b));
        }
        Measure::Coverage | Measure::CoverageContainment => {
            let (a, b) = (sizes.lengths[pair.a as usize], sizes.lengths[pair.b as usize]);
            let both = u64::from(a) + u64::from(b);
            row.covered_a = Some(pair.in_a);
            row.covered_b = Some(pair.in_b);
            row.sscr = Some((u64::from(pair.in_a) + u64::from(pair.in_b)) as f64 / both as f64);
            row.containment_a = Some(share(pair.in_a, a));
            row.containment_b = Some(share(pair.in_b, b));
        }
    }
    row
}
