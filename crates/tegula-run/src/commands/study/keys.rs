//! Candidates generated and pairs found by keys of several sizes, against texts that share two words
//! in a row (Gong et al. 2008, Figs. 3 to 6).

use super::lab::{Lab, pairs};
use super::number;
use std::time::Instant;
use tegula::error::Result;
use tegula::recipe::{Keys, Recipe};
use tegula::sketch::grams::GramKeys;
use tegula::sketch::words::WordKeys;
use tegula_report::form::share;
use tegula_report::table::{Cell, Kind, Table};

/// Features in a key, each of these, of as many features as inequality (5) says.
const SIZES: [u32; 5] = [1, 2, 3, 4, 5];
/// Features of a text, each of these, in keys of three.
const FEATURES: [u32; 11] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
/// Features in a key where their number is studied: the paper's.
const SIZE: u32 = 3;

/// The heads of the rows that are no numbers.
pub(super) const BASELINE: &str = "two words in a row";
pub(super) const INEQUALITY: &str = "inequality (5)";

/// What keys came to.
struct Outcome {
    candidates: u64,
    /// By group: whether it has a duplicate.
    duplicated: Vec<bool>,
    seconds: f64,
}

impl Outcome {
    fn of(lab: &Lab, keys: Keys) -> Result<Self> {
        let clock = Instant::now();
        let found = lab.find(&Recipe {
            keys: Some(keys),
            transitive: false,
            ..lab.recipe.clone()
        })?;
        let candidates = found.notes.candidates.unwrap_or_default().generated;
        let seconds = clock.elapsed().as_secs_f64();
        let mut duplicated = vec![false; found.groups.len()];
        pairs(&found)?.for_each(|pair| {
            duplicated[pair.a as usize] = true;
            duplicated[pair.b as usize] = true;
            Ok(())
        })?;
        Ok(Self {
            candidates,
            duplicated,
            seconds,
        })
    }

    /// Texts that this and the other one found a duplicate of.
    fn also(&self, other: &Self) -> u64 {
        self.duplicated
            .iter()
            .zip(&other.duplicated)
            .filter(|(a, b)| **a && **b)
            .count() as u64
    }

    fn row(&self, name: String, baseline: &Self) -> Vec<Cell> {
        let (texts, all) = (self.also(self), baseline.also(baseline));
        vec![
            Cell::Text(name),
            Cell::Count(self.candidates),
            Cell::Share(share(self.candidates, baseline.candidates)),
            Cell::Count(texts),
            Cell::Share(share(self.also(baseline), all)),
            Cell::Share(share(texts, all)),
            number(self.seconds, 1),
        ]
    }
}

/// Runs all keys.
pub(super) fn run(lab: &Lab) -> Result<[Table; 2]> {
    let grams = |size, features| Keys::Grams(GramKeys { size, features });
    let baseline = Outcome::of(lab, Keys::Words(WordKeys { size: 2 }))?;
    let table = |name, title, first, keys: Vec<(String, Keys)>| -> Result<Table> {
        let columns = [
            (first, Kind::Text),
            ("Compared", Kind::Count),
            ("Of baseline", Kind::Percent),
            ("Texts with a duplicate", Kind::Count),
            ("Recall", Kind::Percent),
            ("Found / baseline", Kind::Percent),
            ("Seconds", Kind::Count),
        ];
        let mut table = Table::new(name, title, &columns);
        for (name, keys) in keys {
            table
                .rows
                .push(Outcome::of(lab, keys)?.row(name, &baseline));
        }
        table
            .rows
            .push(baseline.row(BASELINE.to_owned(), &baseline));
        table.note = format!(
            "Texts count once, however often they occur; the threshold is {}. Recall is the share of the baseline's texts with a \
             duplicate that have one here as well; \"found / baseline\" divides the numbers, as the paper has it.",
            lab.recipe.threshold
        );
        Ok(table)
    };
    let sizes = asked(&lab.spec.sizes.0, &SIZES)
        .map(|size| (size.to_string(), grams(*size, 0)))
        .collect();
    let by_size = table(
        "keys-by-size",
        "Keys by their size, features by inequality (5)",
        "Size",
        sizes,
    )?;
    let counts = asked(&lab.spec.features.0, &FEATURES)
        .map(|count| (count.to_string(), grams(SIZE, *count)));
    let counts = counts
        .chain([(INEQUALITY.to_owned(), grams(SIZE, 0))])
        .collect();
    let by_features = table(
        "keys-by-features",
        "Keys of three by the number of features",
        "Features",
        counts,
    )?;
    Ok([by_size, by_features])
}

/// The numbers that are asked for; if there are none, the paper's.
fn asked<'n>(given: &'n [u32], usual: &'n [u32]) -> impl Iterator<Item = &'n u32> {
    if given.is_empty() { usual } else { given }.iter()
}
