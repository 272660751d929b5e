//! Pairs drawn by score, a sheet on which they are judged, and the precision of each bin (Gong et al.
//! 2008, Figs. 1 and 2).

use super::lab::{Lab, check_weighted, pairs};
use super::sample::Sample;
use tegula::error::Result;
use tegula::evidence::Findings;
use tegula::pair::Pair;
use tegula::recipe::{Keys, Recipe, Weights};
use tegula::sketch::words::WordKeys;
use tegula::threshold::{Score, Threshold};
use tegula_io::tables::Formulas;
use tegula_report::evaluate::{ReadOptions, Truth};
use tegula_report::form::share;
use tegula_report::html::curves::{Curve, Spot};
use tegula_report::render;
use tegula_report::table::{Cell, Kind, Table};

/// Pairs drawn in each bin, unless another number is given: the paper's.
const DRAW: u32 = 200;
/// Bins, each a twentieth wide.
const BINS: usize = 10;
/// The equations: weighted, and with equal weights.
const EQUATIONS: [u32; 2] = [4, 3];
/// The columns of the sheet.
const COLUMNS: [&str; 8] = [
    "bin", "equation", "degree", "id_a", "id_b", "text_a", "text_b", "label",
];

/// What is known of a bin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Bin {
    pairs: u64,
    judged: u64,
    same: u64,
}

impl Bin {
    fn judge(&mut self, same: Option<bool>) {
        self.judged += u64::from(same.is_some());
        self.same += u64::from(same == Some(true));
    }
}

/// By equation, in their order.
pub(super) type Bins = [[Bin; BINS]; 2];

/// Draws, and judges by gold; writes the sheet if that is asked for.
pub(super) fn run(lab: &Lab, formulas: Formulas) -> Result<Bins> {
    check_weighted(lab.recipe)?;
    let read = |path| Truth::read(path, &ReadOptions::default());
    let truth = lab.spec.gold.as_deref().map(read).transpose()?;
    let most = lab.spec.draw.unwrap_or(DRAW) as usize;
    let keys = Some(Keys::Words(WordKeys { size: 2 }));
    let weighted = Recipe {
        threshold: Threshold::new(1, 2)?,
        keys,
        transitive: false,
        ..lab.recipe.clone()
    };
    let equal = Recipe {
        weights: Some(Weights::Equal),
        ..weighted.clone()
    };
    let mut sheet = Table::new(
        "sheet",
        "Pairs to be judged",
        &COLUMNS.map(|name| (name, Kind::Text)),
    );
    let mut bins = Bins::default();
    for ((recipe, equation), bins) in [weighted, equal].iter().zip(EQUATIONS).zip(&mut bins) {
        let found = lab.find(recipe)?;
        for (number, sample) in samples(&found, most, recipe.seed.into())?
            .into_iter()
            .enumerate()
        {
            bins[number].pairs = sample.offered();
            let drawn = sample.finish();
            let units: Vec<[u32; 2]> = drawn
                .iter()
                .map(|pair| [pair.a, pair.b].map(|group| found.groups.first[group as usize]))
                .collect();
            let texts = lab
                .opened
                .inputs
                .texts(&found.units, units.as_flattened())?;
            for ((pair, units), texts) in drawn.iter().zip(units).zip(texts.chunks_exact(2)) {
                let [a, b] = units.map(|unit| found.units.id(unit));
                let same = truth.as_ref().and_then(|truth| truth.says(&a, &b));
                bins[number].judge(same);
                let degree = format!("{:.6}", pairs(&found)?.score(pair).as_f64());
                let [text_a, text_b] =
                    [0, 1].map(|at: usize| texts[at].clone().unwrap_or_default());
                let same = same.map_or_else(String::new, |same| u8::from(same).to_string());
                let row = [
                    bin_name(number),
                    equation.to_string(),
                    degree,
                    a,
                    b,
                    text_a,
                    text_b,
                    same,
                ];
                sheet.rows.push(row.map(Cell::Text).into());
            }
        }
    }
    if let Some(path) = &lab.spec.sheet {
        let text = render::tsv(&sheet, formulas);
        lab.opened.outputs.write(path, text.as_bytes())?;
    }
    Ok(bins)
}

/// The bin of a score above a half: (0.50, 0.55] is the first. A score at an upper border belongs
/// to the bin below it, as scores count that are above the threshold.
fn bin_of(score: Score) -> Option<usize> {
    let twentieth = (20 * score.part).div_ceil(score.whole.max(1));
    (11..=20)
        .contains(&twentieth)
        .then(|| twentieth as usize - 11)
}

fn bin_name(bin: usize) -> String {
    let low = 50 + 5 * bin;
    format!(
        "{}.{:02}\u{2013}{}.{:02}",
        low / 100,
        low % 100,
        (low + 5) / 100,
        (low + 5) % 100
    )
}

/// A sample of each bin.
fn samples(found: &Findings, most: usize, seed: u64) -> Result<Vec<Sample<Pair>>> {
    let scored = pairs(found)?;
    let mut samples: Vec<Sample<Pair>> = (0..BINS).map(|_| Sample::new(most, seed)).collect();
    scored.for_each(|pair| {
        if let Some(bin) = bin_of(scored.score(&pair)) {
            samples[bin].offer((pair.a, pair.b), pair);
        }
        Ok(())
    })?;
    Ok(samples)
}

/// The precision of each bin, by both equations.
pub(super) fn table(bins: &Bins) -> Table {
    let columns = [
        ("Degree", Kind::Text),
        ("(4) pairs", Kind::Count),
        ("(4) judged", Kind::Count),
        ("(4) precision", Kind::Percent),
        ("(3) pairs", Kind::Count),
        ("(3) judged", Kind::Count),
        ("(3) precision", Kind::Percent),
    ];
    let mut table = Table::new(
        "precision-by-degree",
        "Precision by degree, under equations (4) and (3)",
        &columns,
    );
    for (number, (weighted, equal)) in bins[0].into_iter().zip(bins[1]).enumerate() {
        let mut row = vec![Cell::Text(bin_name(number))];
        for Bin {
            pairs,
            judged,
            same,
        } in [weighted, equal]
        {
            row.push(Cell::Count(pairs));
            row.push(Cell::Count(judged));
            row.push(if judged == 0 {
                Cell::Empty
            } else {
                Cell::Share(share(same, judged))
            });
        }
        table.rows.push(row);
    }
    table.note = String::from(
        "A bin holds what is above its lower border, up to its upper one. (4) weighs terms, (3) does not.",
    );
    table
}

/// The same as curves, one for each equation that has judged pairs.
pub(super) fn curves(bins: &Bins) -> Vec<Curve> {
    let names = ["(4), weighted", "(3), equal weights"];
    let curve = |(name, bins): (&str, &[Bin; BINS])| {
        let judged = (bins.iter().enumerate()).filter(|(_, bin)| bin.judged > 0);
        let spots = judged.map(|(number, bin)| Spot {
            x: (52.5 + 5.0 * number as f64) / 100.0,
            y: share(bin.same, bin.judged),
            label: format!(
                "{}: {} of {} judged",
                bin_name(number),
                bin.same,
                bin.judged
            ),
        });
        Curve {
            name: name.to_owned(),
            spots: spots.collect(),
            marked: None,
        }
    };
    let mut all: Vec<Curve> = names.into_iter().zip(bins).map(curve).collect();
    all.retain(|curve| !curve.spots.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_what_is_above_their_lower_border() {
        let bin = |part, whole| bin_of(Score { part, whole });
        assert_eq!(
            [bin(1, 2), bin(11, 20), bin(51, 100), bin(56, 100)],
            [None, Some(0), Some(0), Some(1)]
        );
        assert_eq!(
            [bin(19, 20), bin(96, 100), bin(1, 1), bin(0, 1)],
            [Some(8), Some(9), Some(9), None]
        );
        assert_eq!(
            [bin_name(0), bin_name(9)],
            ["0.50\u{2013}0.55", "0.95\u{2013}1.00"]
        );
    }
}
