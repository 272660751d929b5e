//! Pairs drawn by score, a sheet on which they are judged, and the precision of each bin.

use super::{Lab, On, pairs};
use crate::sample::Sample;
use clap::Args;
use std::path::{Path, PathBuf};
use tegula::error::{Error, Result};
use tegula::evidence::Findings;
use tegula::pair::Pair;
use tegula::recipe::{Keys, Measure, Recipe, Weights};
use tegula::sketch::words::WordKeys;
use tegula::threshold::{Score, Threshold};
use tegula_io::fetch::{self, Wanted};
use tegula_io::lines::Lines;
use tegula_io::tables::Formulas;
use tegula_report::evaluate::{ReadOptions, Truth};
use tegula_report::form::share;
use tegula_report::render;
use tegula_report::table::{Cell, Kind, Table};

/// What is drawn, and what judges it.
#[derive(Debug, Args)]
pub struct Degrees {
    #[command(flatten)]
    on: On,
    /// Pairs drawn in each bin.
    #[arg(long, value_name = "N", default_value_t = 200)]
    draw: usize,
    /// Labelled pairs or groups, as `tegula evaluate` reads them: they judge what is drawn.
    #[arg(long, value_name = "GOLD")]
    gold: Option<PathBuf>,
}

/// Bins, each a twentieth wide.
const BINS: usize = 10;
/// The equations: weighted, and with equal weights.
const EQUATIONS: [u32; 2] = [4, 3];
/// The columns of the sheet.
const COLUMNS: [&str; 8] = [
    "bin", "equation", "degree", "id_a", "id_b", "text_a", "text_b", "same",
];

/// What is known of a bin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Bin {
    /// Pairs in it; none where a sheet was read, which does not say.
    pairs: Option<u64>,
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
type Bins = [[Bin; BINS]; 2];

/// Draws, and judges by gold.
pub(super) fn run(asked: &Degrees) -> Result<Vec<Table>> {
    let truth = asked
        .gold
        .as_ref()
        .map(|path| Truth::read(path, &ReadOptions::default()))
        .transpose()?;
    let lab = Lab::open(&asked.on)?;
    if lab.recipe.measure != Measure::WeightedResemblance {
        return Err(Error::usage(
            "recipe: expected one that measures weighted resemblance",
        ));
    }
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
        for (number, sample) in samples(&found, asked.draw, recipe.seed.into())?
            .into_iter()
            .enumerate()
        {
            bins[number].pairs = Some(sample.offered());
            let drawn = sample.finish();
            let units: Vec<[u32; 2]> = drawn
                .iter()
                .map(|pair| [pair.a, pair.b].map(|group| found.groups.first[group as usize]))
                .collect();
            let texts = texts(&lab, &found, units.as_flattened())?;
            for ((pair, units), texts) in drawn.iter().zip(units).zip(texts.chunks_exact(2)) {
                let [a, b] = units.map(|unit| found.units.id(unit));
                let same = truth.as_ref().and_then(|truth| truth.says(&a, &b));
                bins[number].judge(same);
                let degree = format!("{:.6}", pairs(&found)?.score(pair).as_f64());
                let [text_a, text_b] = [texts[0].clone(), texts[1].clone()];
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
    lab.keep(&render::tsv(&sheet, Formulas::Kept))?;
    Ok(vec![table(&bins)])
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

/// The texts of units, in their order.
fn texts(lab: &Lab, found: &Findings, units: &[u32]) -> Result<Vec<String>> {
    let records = &found.units.records;
    let wanted = |unit: &u32| {
        let record = found.units.record_of(*unit);
        let start = records.byte_start[record];
        let bytes = Some(start..start + records.byte_len[record]);
        Wanted {
            file: records.file[record],
            number: records.number[record],
            bytes,
        }
    };
    let whole = fetch::texts(
        &lab.inputs.main,
        &units.iter().map(wanted).collect::<Vec<_>>(),
    )?;
    let cut = |(unit, text): (&u32, Option<String>)| {
        let text = text.unwrap_or_default();
        match found.units.parts.get(*unit as usize) {
            Some(part) => text.get(part.part().text).unwrap_or_default().to_owned(),
            None => text,
        }
    };
    Ok(units.iter().zip(whole).map(cut).collect())
}

/// Reads a sheet that was judged.
pub(super) fn judged(path: &Path) -> Result<Vec<Table>> {
    let mut lines = Lines::open(path)?;
    let head = lines
        .next_line()?
        .map_or_else(String::new, |(_, line)| line.to_owned());
    let column = |name: &str| {
        let place = head.split('\t').position(|column| column == name);
        place.ok_or_else(|| {
            Error::data(format!("expected a column \"{name}\", found none")).at(path)
        })
    };
    let [of_bin, of_equation, of_same] = [column("bin")?, column("equation")?, column("same")?];
    let mut bins = Bins::default();
    while let Some((number, line)) = lines.next_line()? {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |place: usize| cells.get(place).map_or("", |cell| cell.trim());
        let wrong = |wanted: &str, found: &str| {
            Error::data(format!("expected {wanted}, found \"{found}\""))
                .at(path)
                .record(number)
        };
        let equation = EQUATIONS
            .iter()
            .position(|equation| equation.to_string() == cell(of_equation));
        let equation = equation.ok_or_else(|| wrong("the equation 4 or 3", cell(of_equation)))?;
        let bin = (0..BINS).find(|bin| bin_name(*bin) == cell(of_bin));
        let bin = bin.ok_or_else(|| wrong("a bin as it was written", cell(of_bin)))?;
        bins[equation][bin].judge(match cell(of_same) {
            "" => None,
            "1" => Some(true),
            "0" => Some(false),
            other => return Err(wrong("1 or 0 in the column \"same\"", other)),
        });
    }
    Ok(vec![table(&bins)])
}

/// The precision of each bin, by both equations.
fn table(bins: &Bins) -> Table {
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
            row.push(pairs.map_or(Cell::Empty, Cell::Count));
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

    #[test]
    fn a_judged_sheet_is_counted_and_a_wrong_one_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheet.tsv");
        let read = |rows: &str| {
            std::fs::write(&path, format!("bin\tequation\tsame\n{rows}")).unwrap();
            judged(&path)
        };
        let bin = bin_name(3);
        let tables = read(&format!(
            "{bin}\t4\t1\n{bin}\t4\t0\n{bin}\t4\t\n{bin}\t3\t1\n"
        ))
        .unwrap();
        assert_eq!(tables[0].rows[3][2..4], [Cell::Count(2), Cell::Share(0.5)]);
        assert_eq!(tables[0].rows[3][5..], [Cell::Count(1), Cell::Share(1.0)]);
        for rows in [
            format!("{bin}\t4\tperhaps\n"),
            format!("{bin}\t5\t1\n"),
            "0.1\t4\t1\n".to_owned(),
        ] {
            assert_eq!(read(&rows).unwrap_err().record_number(), Some(2), "{rows}");
        }
    }
}
