//! `tegula study keys`: what keys of several sizes nominate and find, against texts that share two words in a row.

use super::{Lab, On, Shown, ending, number, write_tsv};
use clap::Args;
use std::path::PathBuf;
use std::time::Instant;
use tegula::error::Result;
use tegula::evidence::Findings;
use tegula::recipe::{Keys, Recipe};
use tegula::sketch::grams::GramKeys;
use tegula::sketch::words::WordKeys;
use tegula_report::form::share;
use tegula_report::table::{Cell, Kind, Table};

/// Arguments of `tegula study keys`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula study keys messages.jsonl
  tegula study keys messages.jsonl --sizes 2,3,4 --features 4,8,16 -o keys.tsv
  tegula study keys weibo.tsv --set normalise.boundaries=chinese --form tsv

The baseline compares all texts that share two words in a row, and may take long where many do; --set common=1000 leaves out words in a row
that more than a thousand different texts have.")]
pub(super) struct KeysArgs {
    #[command(flatten)]
    on: On,

    /// Features in a key, each of these, of as many features as inequality (5) says
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', default_value = "1,2,3,4,5", help_heading = "Experiment")]
    sizes: Vec<u32>,

    /// Features of a text, each of these, in keys of three
    #[arg(
        long,
        value_name = "N,N,...",
        value_delimiter = ',',
        default_value = "2,3,4,5,6,7,8,9,10,11,12",
        help_heading = "Experiment"
    )]
    features: Vec<u32>,

    /// Write the tables to this file
    #[arg(long, short, value_name = "TABLES.tsv", help_heading = "Output")]
    output: Option<PathBuf>,

    #[command(flatten)]
    shown: Shown,
}

/// Features in a key where their number is studied: the paper's.
const SIZE: u32 = 3;
/// Words in a row that the baseline compares by.
const BASELINE: Keys = Keys::Words(WordKeys { size: 2 });

/// What keys came to.
struct Outcome {
    candidates: u64,
    /// By group: whether it has a duplicate.
    duplicated: Vec<bool>,
    seconds: f64,
}

impl Outcome {
    fn of(lab: &Lab, keys: Keys) -> Result<Self> {
        let recipe = Recipe { keys: Some(keys), transitive: false, ..lab.recipe.clone() };
        recipe.check()?;
        let clock = Instant::now();
        let found = lab.find(&recipe)?;
        Ok(Self {
            candidates: found.notes.candidates.map_or(0, |nominated| nominated.candidates),
            duplicated: duplicated(&found)?,
            seconds: clock.elapsed().as_secs_f64(),
        })
    }

    fn texts(&self) -> u64 {
        self.duplicated.iter().filter(|one| **one).count() as u64
    }

    /// Texts that this and the other one found a duplicate of.
    fn also(&self, other: &Self) -> u64 {
        self.duplicated.iter().zip(&other.duplicated).filter(|(a, b)| **a && **b).count() as u64
    }
}

fn duplicated(found: &Findings) -> Result<Vec<bool>> {
    let mut duplicated = vec![false; found.groups.len()];
    super::pairs(found)?.for_each(|pair| {
        duplicated[pair.a as usize] = true;
        duplicated[pair.b as usize] = true;
        Ok(())
    })?;
    Ok(duplicated)
}

/// Runs all keys, and shows both tables.
pub(super) fn keys(args: &KeysArgs) -> Result<()> {
    args.output.as_ref().map(|path| ending(path, &["tsv"])).transpose()?;
    let lab = Lab::open(&args.on, args.output.as_deref())?;
    let grams = |size, features| Keys::Grams(GramKeys { size, features });
    // What cannot be is refused before anything is read.
    let all = args.sizes.iter().map(|size| grams(*size, 0)).chain(args.features.iter().map(|features| grams(SIZE, *features)));
    for keys in all {
        Recipe { keys: Some(keys), ..lab.recipe.clone() }.check()?;
    }
    let baseline = Outcome::of(&lab, BASELINE)?;
    let paper = Outcome::of(&lab, grams(SIZE, 0))?;
    let mut by_size = table("keys-by-size", "Keys by their size, features by inequality (5)", "Size");
    for size in &args.sizes {
        let own = if *size == SIZE { None } else { Some(Outcome::of(&lab, grams(*size, 0))?) };
        by_size.rows.push(row(size.to_string(), own.as_ref().unwrap_or(&paper), &baseline));
    }
    by_size.rows.push(row("two words in a row".to_owned(), &baseline, &baseline));
    let mut by_features = table("keys-by-features", "Keys of three by the number of features", "Features");
    for features in &args.features {
        by_features.rows.push(row(features.to_string(), &Outcome::of(&lab, grams(SIZE, *features))?, &baseline));
    }
    by_features.rows.push(row("inequality (5)".to_owned(), &paper, &baseline));
    by_features.rows.push(row("two words in a row".to_owned(), &baseline, &baseline));
    let note = format!(
        "Texts count once, however often they stand there; the threshold is {}. Recall is the share of the baseline's texts with a duplicate \
         that have one here as well; \"found / baseline\" divides the numbers, as the paper has it.",
        lab.recipe.threshold
    );
    by_features.note.clone_from(&note);
    by_size.note = note;
    let tables = [by_size, by_features];
    if let Some(path) = &args.output {
        write_tsv(&lab.outputs, path, &tables)?;
    }
    lab.outputs.publish()?;
    args.shown.show(&tables)
}

fn table(name: &str, title: &str, first: &str) -> Table {
    let columns = [
        (first, Kind::Text),
        ("Compared", Kind::Count),
        ("Of baseline", Kind::Percent),
        ("Texts with a duplicate", Kind::Count),
        ("Recall", Kind::Percent),
        ("Found / baseline", Kind::Percent),
        ("Seconds", Kind::Text),
    ];
    Table::new(name, title, &columns)
}

fn row(name: String, outcome: &Outcome, baseline: &Outcome) -> Vec<Cell> {
    vec![
        Cell::Text(name),
        Cell::Count(outcome.candidates),
        Cell::Share(share(outcome.candidates, baseline.candidates)),
        Cell::Count(outcome.texts()),
        Cell::Share(share(outcome.also(baseline), baseline.texts())),
        Cell::Share(share(outcome.texts(), baseline.texts())),
        number(outcome.seconds, 1),
    ]
}
