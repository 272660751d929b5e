//! The experiments of two papers on any collection: how time and memory grow (Kupietz 2005, Fig. 1; Gong
//! et al. 2008, Figs. 7 to 10), and what SimFinder's scores, keys and transitivity are worth (Gong et
//! al. 2008, §4). `bench/papers/simfinder.md` and `crates/tegula/JOINS.md` have what they gave.

mod degrees;
mod growth;
mod keys;
mod lab;
mod page;
mod sample;
#[cfg(test)]
mod tests;
mod transitivity;

use crate::command::{Answer, Command};
use crate::host::Host;
use crate::opened::claims;
use crate::options::{InputOptions, RecipeOptions, Shown, TablesOptions, is_page};
use lab::Lab;
use serde_json::{Value, json};
use std::path::PathBuf;
use tegula::declare::{Commas, Options as _};
use tegula::error::{Error, ErrorKind, Result};
use tegula_report::render;
use tegula_report::table::{Cell, Table};
use tegula_report::tables::write_tables;

tegula::options! {
    /// A study: experiments of a paper, with its tables and figures.
    pub struct StudySpec under "" {
        /// What to study: how cost grows, or the figures of the paper on SimFinder
        pub figures: Option<Figures> => "growth|simfinder",
    } under "Study" {
        /// growth: number of prefixes of the input, each twice as long as the one before; the last
        /// is the whole input [default: 4]
        pub steps: Option<u32> => "N",

        /// growth: unit of length in the plots and the fitted curve [default: records]
        pub by: Option<Length> => "LENGTH",

        /// simfinder: numbers of features in a key to try [default: 1,2,3,4,5]
        pub sizes: Commas<u32> => "N,N,...",

        /// simfinder: numbers of features of a text to try, in keys of three [default: 2,3,4, and so on
        /// to 12]
        pub features: Commas<u32> => "N,N,...",

        /// simfinder: pairs drawn from each twentieth of the scores, to be judged [default: 200]
        pub draw: Option<u32> => "N",

        /// simfinder: labelled pairs or groups, as `tegula evaluate` reads them, that judge the pairs
        /// drawn; also a ⟨sheet⟩ with labels
        #[serde(with = "tegula_io::path::option")]
        pub gold: Option<PathBuf> => "GOLD",
    } under "Output" {
        /// simfinder: write the pairs drawn as TSV, with their texts and an empty column label for
        /// judgements, 1 or 0
        #[serde(with = "tegula_io::path::option")]
        pub sheet: Option<PathBuf> => "FILE.tsv",

        /// Write an HTML page with pictures and tables; for growth also the pictures alone, as .svg
        #[serde(with = "tegula_io::path::option")]
        pub output: Option<PathBuf> => "FILE.html",
    }
    blocks {
        /// A folder of tables.
        pub folder: TablesOptions,
        /// What to read, and how.
        pub input: InputOptions,
        /// The method; simfinder, unless one is named.
        pub recipe: RecipeOptions,
    }
    besides {}
}

tegula::choices! {
    /// What is studied.
    pub enum Figures {
        /// Time and memory by the length of the input
        Growth = "growth",
        /// Precision by score, keys by size and number, and transitivity
        Simfinder = "simfinder",
    }
}

tegula::choices! {
    /// A unit of length of the input.
    pub enum Length, by default Records {
        /// Records
        Records = "records",
        /// Tokens after normalisation
        Tokens = "tokens",
    }
}

impl Command for StudySpec {
    const NAME: &'static str = "study";
    const ABOUT: &'static str =
        "Repeat the experiments of two papers on a collection, with their tables and figures";
    const EXAMPLES: &'static str = "Examples:
  tegula study growth news.jsonl --recipe sscr --by tokens -o growth.html
  tegula study simfinder messages.jsonl --gold pairs.tsv -o figures.html
  tegula study simfinder messages.jsonl --sheet sheet.tsv

growth reads a part of the input from its beginning, then twice as much, and so on: shuffle sorted records first.
Times and memory are of this machine, with all that runs on it, and differ from run to run; everything else is the
same in each. The baseline of simfinder compares all texts that share two words in a row, and may take long where
many do; --set common=1000 ignores words in a row that more than a thousand different texts have.";
    const SHOWN: Shown = Shown::running(&["json"]);
    const IS_LISTED: bool = false;
    type Answer = Studied;

    fn run(&self, host: &Host) -> Result<Studied> {
        study(host, self)
    }
}

/// What a study found.
#[derive(Debug, Clone, PartialEq)]
pub struct Studied {
    /// Its tables.
    pub tables: Vec<Table>,
}

impl Answer for Studied {
    fn json(&self) -> Result<Value> {
        Ok(json!({ "tables": self.tables }))
    }

    fn text(&self, width: usize, _: bool) -> Option<String> {
        let shown = |table| render::terminal(table, width, usize::MAX);
        Some(self.tables.iter().map(shown).collect::<Vec<_>>().join("\n"))
    }
}

/// The options that only one study has.
const OF_GROWTH: [&str; 2] = ["steps", "by"];
const OF_SIMFINDER: [&str; 5] = ["sizes", "features", "draw", "gold", "sheet"];

impl StudySpec {
    /// What is studied, once options of the other study and impossible values are refused.
    fn checked(&self) -> Result<Figures> {
        let figures = self.figures.ok_or_else(|| {
            let what = ErrorKind::Usage.expected("growth or simfinder");
            what.found("none")
                .hint("name what to study, and then the inputs")
        })?;
        let of_other: &[&str] = match figures {
            Figures::Growth => &OF_SIMFINDER,
            Figures::Simfinder => &OF_GROWTH,
        };
        if let Some(option) = self.given().iter().find(|name| of_other.contains(name)) {
            return Err(Error::of(format!("⟨{option}⟩"))
                .problem("it has no effect in this study")
                .hint("leave it out"));
        }
        let range = |option: &str, value: u32, least: u32| {
            if (least..=16).contains(&value) {
                return Ok(());
            }
            let expected = format!("a number from {least} to 16");
            Err(Error::of(option).expected(expected).found(value))
        };
        range("⟨steps⟩", self.steps.unwrap_or(4), 2)?;
        (self.sizes.0.iter()).try_for_each(|size| range("⟨sizes⟩", *size, 1))?;
        (self.features.0.iter()).try_for_each(|count| range("⟨features⟩", *count, 1))?;
        if let Some(path) = &self.output {
            let is_picture = path.extension().is_some_and(|ending| ending == "svg");
            if !(is_page(path) || is_picture && figures == Figures::Growth) {
                return Err(Error::of("⟨output⟩")
                    .expected("a name that ends in .html, or for growth in .svg")
                    .at(path));
            }
        }
        self.input.check_any()?;
        if self
            .input
            .inputs
            .iter()
            .any(|input| input.as_os_str() == "-")
        {
            return Err(ErrorKind::Usage
                .expected("files or folders, as the input is read several times")
                .found("standard input"));
        }
        Ok(figures)
    }
}

/// Runs the experiments, and writes what the options ask for.
///
/// # Errors
/// Invalid options, or errors of the inputs, the memory ceiling, scratch or the outputs.
pub fn study(host: &Host, spec: &StudySpec) -> Result<Studied> {
    let figures = spec.checked()?;
    let formulas = spec.folder.checked(spec.sheet.is_some())?;
    let recipe = spec.recipe.otherwise(("simfinder", "0.65"))?;
    let recipe = recipe.recipe(host.recipes())?;
    let host = &spec.recipe.read_by(host);
    let written = [
        ("⟨output⟩", spec.output.as_deref()),
        ("⟨sheet⟩", spec.sheet.as_deref()),
    ];
    let read = spec.gold.as_deref().into_iter();
    let outputs = claims::with_tables(host, &spec.folder, read, &written)?;
    let lab = Lab::open(host, spec, &recipe, &outputs)?;
    let (tables, picture) = match figures {
        Figures::Growth => {
            let runs = growth::run(&lab)?;
            let by = spec.by.unwrap_or_default();
            (
                vec![growth::table(&runs, by)],
                page::growth(&runs, by, spec, &recipe),
            )
        }
        Figures::Simfinder => {
            let bins = degrees::run(&lab, formulas)?;
            let mut tables = vec![degrees::table(&bins)];
            tables.extend(keys::run(&lab)?);
            tables.push(transitivity::run(&lab)?);
            let page = page::simfinder(&bins, &tables, &recipe);
            (tables, page)
        }
    };
    if let Some(folder) = &spec.folder.tables {
        write_tables(&outputs, &tables, "a study", formulas, folder)?;
    }
    if let Some(path) = &spec.output {
        outputs.write(path, picture.as_bytes())?;
    }
    lab.opened.publish()?;
    Ok(Studied { tables })
}

/// A number with some decimals, as a cell.
fn number(value: f64, decimals: usize) -> Cell {
    Cell::Text(format!("{value:.decimals$}"))
}
