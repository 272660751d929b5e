//! `tegula study degrees`: pairs drawn by score, a sheet on which they are judged, and the precision of each bin.

use super::{Lab, On, Shown, ending};
use crate::output;
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tegula::draw::Draw;
use tegula::error::{Error, Result};
use tegula::evidence::Findings;
use tegula::pair::Pair;
use tegula::recipe::{Keys, Measure, Recipe, Weights};
use tegula::sketch::words::WordKeys;
use tegula::threshold::{Score, Threshold};
use tegula_io::fetch::{self, Wanted};
use tegula_io::lines::Lines;
use tegula_report::evaluate::{ReadOptions, Truth};
use tegula_report::form::share;
use tegula_report::render;
use tegula_report::table::{Cell, Kind, Table};

/// Arguments of `tegula study degrees`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula study degrees messages.jsonl -o sheet.tsv
  tegula study degrees --judged sheet.tsv
  tegula study degrees messages.jsonl --gold pairs.tsv --draw 1000
  tegula study degrees weibo.tsv --set normalise.boundaries=chinese -o sheet.tsv

Fill the column \"same\" of the sheet with 1 or 0, then read it back with --judged. Rows without an answer do not count.

Equation 4 is the recipe's weighted resemblance, equation 3 the same with a weight of 1 for every term. Candidates are the texts that
share two words in a row, so that both equations are held against the same pairs; --own-keys takes the recipe's.")]
pub(super) struct DegreesArgs {
    #[command(flatten)]
    on: On,

    /// Pairs drawn in each bin
    #[arg(long, value_name = "N", default_value_t = 200, help_heading = "Experiment")]
    draw: usize,

    /// Nominate by the recipe's keys, and not by two words in a row
    #[arg(long, help_heading = "Experiment")]
    own_keys: bool,

    /// What is true, labelled pairs or groups as tegula evaluate reads them: it judges what is drawn
    #[arg(long, value_name = "GOLD", conflicts_with = "judged", help_heading = "Experiment")]
    gold: Option<PathBuf>,

    /// Print the precision of a sheet that was judged, and draw nothing
    #[arg(long, value_name = "SHEET.tsv", conflicts_with_all = ["inputs", "output"], help_heading = "Experiment")]
    judged: Option<PathBuf>,

    /// Write the sheet with the pairs that were drawn
    #[arg(long, short, value_name = "SHEET.tsv", help_heading = "Output")]
    output: Option<PathBuf>,

    #[command(flatten)]
    shown: Shown,
}

/// Bins, each a twentieth wide.
const BINS: usize = 10;
/// The equations: weighted, and with equal weights.
const EQUATIONS: [u32; 2] = [4, 3];

/// Where a bin of an equation is.
type Place = (u32, usize);

/// What is known of a bin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Bin {
    /// Pairs in it; none where a sheet was read, which does not say.
    pairs: Option<u64>,
    drawn: u64,
    judged: u64,
    same: u64,
}

type Bins = BTreeMap<Place, Bin>;

/// Draws, or reads what was judged.
pub(super) fn degrees(args: &DegreesArgs) -> Result<()> {
    if let Some(path) = &args.judged {
        return args.shown.show(&[table(&judged(path)?)]);
    }
    if let Some(path) = &args.output {
        ending(path, &["tsv"])?;
    } else if args.gold.is_none() {
        return Err(Error::usage("-o: expected a file for the sheet, found none")
            .hint("name it, as in -o sheet.tsv, or name with --gold what judges the pairs"));
    }
    let truth = args.gold.as_ref().map(|path| Truth::read(path, &ReadOptions::default())).transpose()?;
    let lab = Lab::open(&args.on, args.output.as_deref())?;
    let base = recipe(&lab.recipe, args.own_keys)?;
    let mut bins = Bins::new();
    let mut sheet = empty_sheet();
    for equation in EQUATIONS {
        let recipe = match equation {
            4 => base.clone(),
            _ => Recipe { weights: Some(Weights::Equal), ..base.clone() },
        };
        let found = lab.find(&recipe)?;
        let drawn = draw(&found, args.draw, recipe.seed.into())?;
        write_rows(&lab, &found, (equation, drawn), truth.as_ref(), &mut bins, &mut sheet)?;
    }
    if let Some(path) = &args.output {
        lab.outputs.write(path, render::tsv(&sheet).as_bytes())?;
    }
    lab.outputs.publish()?;
    if truth.is_some() && bins.values().all(|bin| bin.judged == 0) {
        output::warn("--gold knows none of the pairs that were drawn");
    }
    args.shown.show(&[table(&bins)])
}

/// The recipe from half on, with the candidates of the paper's baseline.
fn recipe(asked: &Recipe, own_keys: bool) -> Result<Recipe> {
    if asked.measure != Measure::WeightedResemblance {
        return Err(Error::usage(format!("--recipe {}: expected one that measures weighted resemblance", asked.recipe))
            .hint("simfinder does; another recipe can be given measure and weights with --set"));
    }
    let keys = if own_keys { asked.keys } else { Some(Keys::Words(WordKeys { size: 2 })) };
    let recipe = Recipe { threshold: Threshold::new(1, 2)?, keys, transitive: false, ..asked.clone() };
    recipe.check()?;
    Ok(recipe)
}

/// The bin of a score above a half: (0.50, 0.55] is the first. A score at an upper border belongs to the bin below it, as scores count
/// that are above the threshold.
fn bin_of(score: Score) -> Option<usize> {
    let twentieth = (20 * score.part).div_ceil(score.whole.max(1));
    (11..=20).contains(&twentieth).then(|| twentieth as usize - 11)
}

fn bin_name(bin: usize) -> String {
    let low = 50 + 5 * bin;
    format!("{}.{:02}\u{2013}{}.{:02}", low / 100, low % 100, (low + 5) / 100, (low + 5) % 100)
}

/// By bin: how many pairs there are, and those drawn.
fn draw(found: &Findings, most: usize, seed: u64) -> Result<Vec<(u64, Vec<Pair>)>> {
    let mut draws: Vec<Draw<Pair>> = (0..BINS).map(|_| Draw::new(most, seed)).collect();
    super::pairs(found)?.for_each(|pair| {
        if let Some(bin) = bin_of(super::pairs(found)?.score(&pair)) {
            draws[bin].offer((pair.a, pair.b), pair);
        }
        Ok(())
    })?;
    Ok(draws.into_iter().map(|draw| (draw.offered(), draw.finish())).collect())
}

fn empty_sheet() -> Table {
    let text = Kind::Text;
    let columns = [
        ("bin", text),
        ("equation", Kind::Count),
        ("degree", Kind::Score),
        ("id_a", text),
        ("id_b", text),
        ("text_a", text),
        ("text_b", text),
        ("same", text),
    ];
    Table::new("sheet", "Pairs to be judged", &columns)
}

/// Adds what was drawn under an equation to the bins and to the sheet.
fn write_rows(
    lab: &Lab,
    found: &Findings,
    (equation, drawn): (u32, Vec<(u64, Vec<Pair>)>),
    truth: Option<&Truth>,
    bins: &mut Bins,
    sheet: &mut Table,
) -> Result<()> {
    let units: Vec<u32> = drawn
        .iter()
        .flat_map(|(_, pairs)| pairs)
        .flat_map(|pair| [pair.a, pair.b].map(|group| found.groups.first[group as usize]))
        .collect();
    let mut texts = texts(lab, found, &units)?.into_iter();
    let mut units = units.chunks_exact(2);
    for (number, (pairs, drawn)) in drawn.iter().enumerate() {
        let bin = bins.entry((equation, number)).or_default();
        (bin.pairs, bin.drawn) = (Some(*pairs), drawn.len() as u64);
        for pair in drawn {
            let [id_a, id_b] = units.next().map_or_else(Default::default, |two| [found.units.id(two[0]), found.units.id(two[1])]);
            let same = truth.and_then(|truth| truth.says(&id_a, &id_b));
            bin.judged += u64::from(same.is_some());
            bin.same += u64::from(same == Some(true));
            sheet.rows.push(vec![
                Cell::Text(bin_name(number)),
                Cell::Count(equation.into()),
                Cell::Share(super::pairs(found)?.score(pair).as_f64()),
                Cell::Text(id_a),
                Cell::Text(id_b),
                Cell::Text(texts.next().unwrap_or_default()),
                Cell::Text(texts.next().unwrap_or_default()),
                same.map_or(Cell::Empty, |same| Cell::Text(u8::from(same).to_string())),
            ]);
        }
    }
    Ok(())
}

/// The texts of units, in their order.
fn texts(lab: &Lab, found: &Findings, units: &[u32]) -> Result<Vec<String>> {
    let records = &found.units.records;
    let wanted: Vec<Wanted> = units
        .iter()
        .map(|unit| {
            let record = found.units.record_of(*unit);
            let start = records.byte_start[record];
            Wanted {
                file: records.file[record],
                number: records.number[record],
                bytes: Some(start..start + records.byte_len[record]),
            }
        })
        .collect();
    let whole = fetch::texts(&lab.inputs.main, &wanted)?;
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
fn judged(path: &Path) -> Result<Bins> {
    let mut lines = Lines::open(path)?;
    let head: Vec<String> = match lines.next_line()? {
        Some((_, line)) => line.split('\t').map(str::to_owned).collect(),
        None => Vec::new(),
    };
    let column = |name: &str| {
        head.iter().position(|column| column == name).ok_or_else(|| {
            Error::data(format!("expected a column \"{name}\", found none"))
                .at(path)
                .hint("the sheet is what tegula study degrees -o sheet.tsv wrote")
        })
    };
    let (of_bin, of_equation, of_same) = (column("bin")?, column("equation")?, column("same")?);
    let mut bins = Bins::new();
    while let Some((number, line)) = lines.next_line()? {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |place: usize| cells.get(place).map_or("", |cell| cell.trim());
        let wrong = |what: String| Error::data(what).at(path).record(number);
        let bin = (0..BINS)
            .find(|bin| bin_name(*bin) == cell(of_bin))
            .ok_or_else(|| wrong(format!("expected a bin such as {}, found \"{}\"", bin_name(0), cell(of_bin))))?;
        let equation = EQUATIONS
            .into_iter()
            .find(|equation| equation.to_string() == cell(of_equation))
            .ok_or_else(|| wrong(format!("expected the equation 3 or 4, found \"{}\"", cell(of_equation))))?;
        let same = match cell(of_same).to_ascii_lowercase().as_str() {
            "" => None,
            "1" | "yes" | "y" | "true" => Some(true),
            "0" | "no" | "n" | "false" => Some(false),
            other => return Err(wrong(format!("expected 1 or 0 in the column \"same\", found \"{other}\""))),
        };
        let bin = bins.entry((equation, bin)).or_default();
        bin.drawn += 1;
        bin.judged += u64::from(same.is_some());
        bin.same += u64::from(same == Some(true));
    }
    Ok(bins)
}

/// The precision of each bin, by both equations.
fn table(bins: &Bins) -> Table {
    let mut columns: Vec<(String, Kind)> = vec![("Degree".into(), Kind::Text)];
    let counted = bins.values().any(|bin| bin.pairs.is_some());
    for equation in EQUATIONS {
        if counted {
            columns.push((format!("({equation}) pairs"), Kind::Count));
        }
        columns.push((format!("({equation}) judged"), Kind::Count));
        columns.push((format!("({equation}) precision"), Kind::Percent));
    }
    let columns: Vec<(&str, Kind)> = columns.iter().map(|(name, kind)| (name.as_str(), *kind)).collect();
    let mut table = Table::new("precision-by-degree", "Precision by degree, under equations (4) and (3)", &columns);
    for number in 0..BINS {
        let mut row = vec![Cell::Text(bin_name(number))];
        for equation in EQUATIONS {
            let bin = bins.get(&(equation, number)).copied().unwrap_or_default();
            if counted {
                row.push(Cell::Count(bin.pairs.unwrap_or(0)));
            }
            row.push(Cell::Count(bin.judged));
            row.push(if bin.judged == 0 { Cell::Empty } else { Cell::Share(share(bin.same, bin.judged)) });
        }
        table.rows.push(row);
    }
    table.note = String::from("A bin holds what is above its lower border, up to its upper one. (4) weighs terms, (3) does not.");
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_what_is_above_their_lower_border() {
        let bin = |part, whole| bin_of(Score { part, whole });
        assert_eq!([bin(1, 2), bin(11, 20), bin(51, 100), bin(56, 100)], [None, Some(0), Some(0), Some(1)]);
        assert_eq!([bin(19, 20), bin(96, 100), bin(1, 1), bin(0, 1)], [Some(8), Some(9), Some(9), None]);
        assert_eq!([bin_name(0), bin_name(9)], ["0.50\u{2013}0.55", "0.95\u{2013}1.00"]);
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
        let bins = read(&format!("{bin}\t4\t1\n{bin}\t4\tno\n{bin}\t4\t\n{bin}\t3\tYes\n")).unwrap();
        assert_eq!(bins[&(4, 3)], Bin { pairs: None, drawn: 3, judged: 2, same: 1 });
        assert_eq!(bins[&(3, 3)].same, 1);
        for rows in [format!("{bin}\t4\tperhaps\n"), format!("{bin}\t5\t1\n"), "0.1\t4\t1\n".to_owned()] {
            assert_eq!(read(&rows).unwrap_err().record_number(), Some(2), "{rows}");
        }
    }
}
