//! Two texts by every measure and side by side, or all texts of a folder with each other.

mod folder;
mod pair;
mod texts;

use crate::command::{Answer, Command};
use crate::describe;
use crate::host::Host;
use crate::opened::{Opened, Opening, claims, single};
use crate::options::{FormulaOptions, InputOptions, PairOptions, RecipeOptions, Shown, is_page};
use pair::Two;
use serde_json::Value;
use std::path::PathBuf;
use tegula::compare::Comparer;
use tegula::error::{Error, ErrorKind, Result};
use tegula::index::Index;
use tegula::recipe::Recipe;
use tegula::record::Level;
use tegula::threshold::Threshold;
use tegula_io::store;
use tegula_io::tables::{check_table_name, is_tsv};
use tegula_report::form::plural;
use tegula_report::matrix::Matrix;
use texts::Texts;

tegula::options! {
    /// A comparison of texts.
    pub struct CompareSpec under "Output" {
        /// Output of the comparison: an HTML page; for a folder, also its pairs (.tsv, .jsonl,
        /// .parquet)
        #[serde(with = "tegula_io::path::option")]
        pub output: Option<PathBuf> => "FILE",

        /// A text whose shingles are ignored, such as the assignment that all texts answer
        #[serde(with = "tegula_io::path::option")]
        pub ignore: Option<PathBuf> => "FILE",

        /// Texts that the others are compared with, and not with each other, such as those of last
        /// year (a folder or file; may be repeated)
        #[serde(with = "tegula_io::path::list")]
        pub baseline: Vec<PathBuf> => "PATH",

        /// Show long passages in full
        pub full: bool => "",
    }
    blocks {
        /// What is done with formulas.
        pub formulas: FormulaOptions,
        /// The texts: two files, or a folder or file with several.
        pub input: InputOptions,
        /// How they are compared.
        pub recipe: RecipeOptions,
    }
    besides {}
}

/// Texts that were compared.
pub struct Compared {
    job: Job,
    which: Which,
    /// The name of what is ignored.
    ignored: Option<String>,
    /// The names of the inputs.
    inputs: Vec<String>,
    full: bool,
}

/// What is compared, and how.
struct Job {
    texts: Texts,
    comparer: Comparer,
    recipe: Recipe,
}

enum Which {
    Two(Box<Two>),
    All(Matrix),
}

/// The default recipe for the texts of a folder.
const RELATED: &str = "sscr-containment";

impl Command for CompareSpec {
    const NAME: &'static str = "compare";
    const ABOUT: &'static str =
        "Compare two texts by every measure, side by side, or all texts in a folder";
    const EXAMPLES: &'static str = "Examples:
  tegula compare draft.txt print.txt
  tegula compare draft.txt print.txt -o both.html
  tegula compare essays/ -o essays.html --ignore assignment.docx --baseline last-year/
  tegula compare essays/ --threshold 0.3 -o pairs.tsv";
    const SHOWN: Shown = Shown::running(&["json", "width"]);
    type Answer = Compared;

    fn run(&self, host: &Host) -> Result<Compared> {
        self.check()?;
        let formulas = self
            .formulas
            .of(self.output.as_deref().is_some_and(is_tsv))?;
        let recipe = self.resolved(host)?;
        let outputs = claims::outputs(host, [], &[("⟨output⟩", self.output.as_deref())])?;
        let mut input = self.input.spec(&self.recipe, &PairOptions::default())?;
        input.against.clone_from(&self.baseline);
        let staged = single(&recipe);
        let opened = Opened::new(
            host,
            &outputs,
            Opening {
                output: self.output.as_deref(),
                ..Opening::new(&input, &staged)
            },
        )?;
        let ignored = match &self.ignore {
            Some(path) => Some(texts::one(&opened, path, &staged)?),
            None => None,
        };
        opened.begin()?;
        let comparer = Comparer::new(&recipe)?;
        let job = Job {
            comparer: match &ignored {
                Some(text) => comparer.ignoring(text),
                None => comparer,
            },
            texts: Texts::read(&opened)?,
            recipe,
        };
        let which = match job.texts.len() {
            few @ (0 | 1) => {
                return Err(ErrorKind::Usage
                    .expected("at least two texts")
                    .found(few)
                    .hint("name two files, or a folder or a file with several texts"));
            }
            2 if self.is_of_two() => {
                if let Some(path) = self.output.as_deref().filter(|path| !is_page(path)) {
                    return Err(Error::of("⟨output⟩")
                        .expected("a page (.html) of two texts")
                        .found("a table")
                        .at(path)
                        .hint("the figures are in the JSON of the comparison"));
                }
                Which::Two(Box::new(Two::new(&job, &host.context)?))
            }
            _ => Which::All(folder::find(&job, &opened)?),
        };
        let name = |path: &PathBuf| {
            path.file_name().map_or_else(
                || path.display().to_string(),
                |name| name.to_string_lossy().into_owned(),
            )
        };
        let found = Compared {
            job,
            which,
            ignored: self.ignore.as_ref().map(name),
            inputs: self.input.inputs.iter().map(name).collect(),
            full: self.full,
        };
        match (&self.output, &found.which) {
            (Some(path), Which::All(matrix)) if !is_page(path) => {
                folder::write_table(&outputs, path, (&found.job.recipe, formulas), matrix)?;
            }
            (Some(path), _) => outputs.write(path, found.page().as_bytes())?,
            _ => {}
        }
        opened.publish()?;
        Ok(found)
    }
}

impl CompareSpec {
    /// Refuses contradictory options, before anything is opened.
    fn check(&self) -> Result<()> {
        if self.input.inputs.is_empty() {
            return Err(ErrorKind::Usage
                .expected("two texts or a folder")
                .found("none")
                .hint("tegula compare A B, or tegula compare FOLDER"));
        }
        let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
        if self.ignore.as_ref().is_some_and(is_stdin) {
            return Err(Error::of("⟨ignore⟩")
                .expected("a file")
                .found("standard input"));
        }
        if self.baseline.iter().any(is_stdin) {
            return Err(Error::of("⟨baseline⟩")
                .expected("a file or folder")
                .found("standard input"));
        }
        if let Some(path) = self.baseline.iter().find(|path| Index::is_one(path)) {
            return Err(Error::of("⟨baseline⟩")
                .expected("texts")
                .found("an index")
                .at(path)
                .hint("tegula query asks an index which of its texts resemble these"));
        }
        match &self.output {
            Some(path) if !is_page(path) => check_table_name(path).map_err(|_| {
                Error::of("⟨output⟩")
                    .expected("a name that ends in .html, .tsv, .jsonl or .parquet")
                    .at(path)
            }),
            _ => Ok(()),
        }
    }

    /// Whether two files are named.
    fn is_of_two(&self) -> bool {
        let inputs = &self.input.inputs;
        inputs.len() == 2
            && self.baseline.is_empty()
            && inputs.iter().all(|input| !store::is_folder(input))
    }

    /// The recipe: by default, containment of at least 0.1.
    fn resolved(&self, host: &Host) -> Result<Recipe> {
        let mut asked = self.recipe.clone();
        asked.recipe.get_or_insert_with(|| RELATED.to_owned());
        if self.recipe.recipe.is_none() && asked.threshold.is_none() {
            asked.threshold = Some(Threshold::new(1, 10)?);
        }
        let recipe = asked.recipe(host.recipes())?;
        if recipe.unit != Level::Document {
            return Err(Error::of("⟨unit⟩")
                .problem("expected document, as whole texts are compared, found another unit")
                .hint("tegula pairs compares paragraphs and sentences"));
        }
        let wrong = |what: &str| Error::of(format!("⟨recipe⟩ {}", recipe.recipe)).problem(what);
        let weighs = recipe.needs_statistics() || recipe.measure.needs_rarity();
        if weighs && recipe.statistics.is_none() {
            return Err(wrong("expected statistics, as its scores depend on frequencies in a collection, found none").hint(
                "name a file from tegula stats with ⟨statistics⟩; or list the pairs of a collection with tegula pairs",
            ));
        }
        if !recipe.is_of_two_texts() && !self.is_of_two() {
            return Err(wrong(
                "expected two texts, as its scores are not available for a folder, found a folder",
            )
            .hint("name two files, or list pairs with tegula pairs"));
        }
        Ok(recipe)
    }
}

impl Compared {
    /// Whether there are exactly two texts, each in a file of its own.
    pub fn is_of_two(&self) -> bool {
        matches!(self.which, Which::Two(_))
    }

    /// The result for a folder, in one line.
    pub fn summary(&self) -> Option<String> {
        match &self.which {
            Which::Two(_) => None,
            Which::All(matrix) => Some(folder::summary(self, matrix)),
        }
    }

    /// As a page.
    fn page(&self) -> String {
        match &self.which {
            Which::Two(two) => two.page(self),
            Which::All(matrix) => folder::draw(self, matrix),
        }
    }

    /// The first two texts.
    fn two(&self) -> (&str, &str) {
        (self.job.texts.text(0), self.job.texts.text(1))
    }

    /// The method of comparison, in a line.
    fn method(&self) -> String {
        let tokens = plural(self.job.comparer.n() as u64, "token");
        format!(
            "Shingles of {tokens}; {}.",
            describe::normalisation(&self.job.recipe)
        )
    }
}

impl Answer for Compared {
    fn json(&self) -> Result<Value> {
        Ok(match &self.which {
            Which::Two(two) => two.json(self),
            Which::All(matrix) => folder::as_json(self, matrix),
        })
    }

    fn text(&self, width: usize, colours: bool) -> Option<String> {
        Some(match &self.which {
            Which::Two(two) => two.text(self, width, colours),
            Which::All(matrix) => folder::show(self, matrix, width),
        })
    }
}
