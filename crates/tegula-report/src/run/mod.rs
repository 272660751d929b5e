//! A run folder opened for a report: its description, its stages, and its units with their
//! verdicts.
//!
//! ```no_run
//! use tegula_report::run::Run;
//!
//! let run = Run::open("evidence".as_ref())?;
//! for stage in run.stages() {
//!     let mut removed = 0;
//!     stage.for_each(|unit| {
//!         removed += u64::from(unit.is_removed());
//!         Ok(())
//!     })?;
//!     println!("{}: {removed} units", stage.name);
//! }
//! # Ok::<(), tegula::Error>(())
//! ```

mod fetch;
mod read;
mod walk;

pub use fetch::Place;
pub use read::Text;
pub use walk::{Unit, Verdict, Walk};

use serde::Deserialize;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tegula::date::DateFormat;
use tegula::error::{Error, ErrorKind, Result};
use tegula::field::FieldKey;
use tegula::recipe::Recipe;
use tegula::record::Level;
use tegula_io::memory;
use tegula_io::options::ReadOptions;
use tegula_io::store;
use tegula_io::tables::{InputFile, RunFolder, RunInfo, StageInfo, Table, Verdicts, Whereabouts};

/// An open run. Only `run.json` is held in memory.
#[derive(Debug, Clone)]
pub struct Run {
    folder: RunFolder,
    info: RunInfo,
    /// The inputs at their current locations.
    inputs: Vec<InputFile>,
    whereabouts: Whereabouts,
    stages: Vec<Stage>,
}

/// A stage of a run: a whole plain run, or one of several recipes, which read what earlier stages
/// kept.
#[derive(Debug, Clone)]
pub struct Stage {
    /// Its name; for a plain run that of the recipe.
    pub name: String,
    /// The action on its duplicates: `removed` or `marked`. Empty if the run made no decision.
    pub verb: String,
    folder: RunFolder,
    info: RunInfo,
}

impl Run {
    /// Opens a run folder.
    ///
    /// # Errors
    /// If there is no run, or one of its stages is missing.
    pub fn open(root: &Path) -> Result<Self> {
        Self::open_moved(root, None, &[])
    }

    /// Opens a run folder whose inputs are now in the folder `moved`, if given, or are tables in memory
    /// that the caller still has.
    ///
    /// # Errors
    /// As [`Run::open`].
    pub fn open_moved(root: &Path, moved: Option<&Path>, tables: &[memory::Table]) -> Result<Self> {
        let folder = RunFolder::open(root)?;
        let info = folder.info()?;
        let stages = if info.stages.is_empty() {
            vec![Stage::plain(folder.clone(), info.clone())]
        } else {
            info.stages
                .iter()
                .map(|stage| Stage::inside(&folder, stage))
                .collect::<Result<_>>()?
        };
        let read = if info.inputs.is_empty() {
            &stages[0].info
        } else {
            &info
        };
        let whereabouts = Whereabouts::of(read, moved).holding(tables);
        let inputs = read
            .inputs
            .iter()
            .map(|input| whereabouts.file(input))
            .collect();
        Ok(Self {
            folder,
            info,
            inputs,
            whereabouts,
            stages,
        })
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The name of its folder, for headings.
    pub fn name(&self) -> String {
        let path = self.path();
        let named = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        named.unwrap_or_else(|| path.display().to_string())
    }

    /// The contents of `run.json`.
    pub fn info(&self) -> &RunInfo {
        &self.info
    }

    /// Its stages, in order; there is at least one.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Whether it has several stages.
    pub fn is_staged(&self) -> bool {
        !self.info.stages.is_empty()
    }

    /// The input files, references last, at their current locations.
    pub fn inputs(&self) -> &[InputFile] {
        &self.inputs
    }

    /// The inputs as named, for display.
    ///
    /// # Errors
    /// If `run.json` does not contain them.
    pub fn named_inputs(&self) -> Result<Vec<PathBuf>> {
        Ok(self.input()?.paths)
    }

    /// The current locations of the inputs, to open the collection again.
    ///
    /// # Errors
    /// If `run.json` does not contain them.
    pub fn present_inputs(&self) -> Result<Vec<PathBuf>> {
        Ok(self
            .named_inputs()?
            .iter()
            .map(|path| self.whereabouts.named(path))
            .collect())
    }

    /// How the inputs were read.
    ///
    /// # Errors
    /// If `run.json` does not contain them, or another version wrote it.
    pub fn read_options(&self) -> Result<ReadOptions> {
        Ok(self.input()?.read)
    }

    fn input(&self) -> Result<Input> {
        let wrong = |why: String| {
            Error::new(ErrorKind::Run, why)
                .at(self.path())
                .hint("run again with this version")
        };
        let own = self
            .info
            .options
            .get(INPUT)
            .or_else(|| self.stages[0].info.options.get(INPUT));
        let own = own.ok_or_else(|| {
            wrong(format!(
                "expected the option '{INPUT}' in run.json, found none"
            ))
        })?;
        Input::deserialize(own).map_err(|error| {
            wrong(format!(
                "expected the option '{INPUT}' of this version in run.json: {error}"
            ))
        })
    }
}

/// The key of the input options in `run.json`.
const INPUT: &str = "input";

/// The inputs of a run, and how they were read.
#[derive(Deserialize)]
struct Input {
    #[serde(with = "tegula_io::path::list")]
    paths: Vec<PathBuf>,
    read: ReadOptions,
}

impl Stage {
    fn plain(folder: RunFolder, info: RunInfo) -> Self {
        let decided = store::is_file(&folder.table::<Verdicts>());
        let verb = match info.options.get("command").and_then(Value::as_str) {
            _ if !decided => "",
            Some("mark") => "marked",
            _ => "removed",
        };
        let named = info.recipe.get("recipe").and_then(Value::as_str);
        Self {
            name: named.unwrap_or("run").to_owned(),
            verb: verb.to_owned(),
            folder,
            info,
        }
    }

    fn inside(run: &RunFolder, stage: &StageInfo) -> Result<Self> {
        let plain = Path::new(&stage.folder)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        if !plain || stage.folder.is_empty() {
            return Err(Error::new(
                ErrorKind::Run,
                format!(
                    "expected a stage inside the run's folder, found '{}'",
                    stage.folder
                ),
            )
            .at(run.path()));
        }
        let folder = RunFolder::open(&run.path().join(&stage.folder))?;
        let info = folder.info()?;
        Ok(Self {
            name: stage.name.clone(),
            verb: stage.verb.clone(),
            folder,
            info,
        })
    }

    /// Its folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Its `run.json`.
    pub fn info(&self) -> &RunInfo {
        &self.info
    }

    /// Whether a table exists.
    pub fn has<T: Table>(&self) -> bool {
        store::is_file(&self.folder.table::<T>())
    }

    /// Whether there was a decision on units; `tegula pairs` makes none.
    pub fn is_decided(&self) -> bool {
        self.has::<Verdicts>()
    }

    /// Its recipe.
    ///
    /// # Errors
    /// If another version wrote it.
    pub fn recipe(&self) -> Result<Recipe> {
        serde_json::from_value(self.info.recipe.clone()).map_err(|error| {
            Error::new(
                ErrorKind::Run,
                format!("expected a recipe of this version in run.json: {error}"),
            )
            .at(self.folder.path())
            .hint("run again with this version")
        })
    }

    /// A field of the recipe as text, whatever version wrote it.
    pub fn recipe_field(&self, name: &str) -> Option<String> {
        match self.info.recipe.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            other => Some(other.to_string()),
        }
    }

    /// What its units are counted by: the fields and parts of fields that the run names, then any
    /// other of the `columns` of its tables.
    pub fn keys(&self, columns: &[String]) -> Vec<FieldKey> {
        let of = |part: &str, option: &str| self.info.options.get(part)?.get(option).cloned();
        let named = [
            of("evidence", "by"),
            of("constraints", "within"),
            of("constraints", "across"),
            of("policy", "keep_per"),
        ];
        let mut keys: Vec<FieldKey> = Vec::new();
        for named in named.into_iter().flatten() {
            let listed: Vec<FieldKey> = serde_json::from_value(named.clone())
                .or_else(|_| serde_json::from_value(named).map(|key| vec![key]))
                .unwrap_or_default();
            for key in listed {
                if columns.contains(&key.name) && !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
        let has = |column: &&String| keys.iter().any(|key| key.name == **column);
        let others: Vec<FieldKey> = columns
            .iter()
            .filter(|column| !has(column))
            .map(|column| FieldKey::whole(column))
            .collect();
        keys.extend(others);
        keys
    }

    /// How the run read dates.
    pub fn dates(&self) -> DateFormat {
        let formats = self.info.options.get(INPUT);
        let formats = formats.and_then(|input| input.get("read")?.get("date_formats"));
        let formats = formats.and_then(Value::as_array).into_iter().flatten();
        formats
            .filter_map(|format| format.as_str()?.parse::<DateFormat>().ok())
            .collect()
    }

    /// The level of its units.
    pub fn level(&self) -> Level {
        self.info
            .recipe
            .get("unit")
            .and_then(|unit| serde_json::from_value(unit.clone()).ok())
            .unwrap_or(Level::Document)
    }

    /// The method with its main parameters, such as `plain by paragraph` or
    /// `sscr by document, 5-grams, from 0.8`.
    pub fn method(&self) -> String {
        let name = self
            .recipe_field("recipe")
            .unwrap_or_else(|| self.name.clone());
        let mut method = format!("{name} by {}", noun(self.level()));
        let measure = self.recipe_field("measure");
        if measure.as_deref() != Some("equality") {
            if let Some(ngram) = self.recipe_field("ngram") {
                let _ = write!(method, ", {ngram}-grams");
            }
            if measure.as_deref() != Some("passages")
                && let Some(threshold) = self.recipe_field("threshold")
            {
                let _ = write!(method, ", threshold {threshold}");
            }
        }
        method
    }
}

/// The noun for a unit of this level.
pub fn noun(level: Level) -> &'static str {
    match level {
        Level::Document => "document",
        Level::Paragraph => "paragraph",
        Level::Line => "line",
        Level::Sentence => "sentence",
        Level::Passage => "passage",
    }
}

/// The plural noun for units of this level.
pub fn plural(level: Level) -> &'static str {
    match level {
        Level::Document => "documents",
        Level::Paragraph => "paragraphs",
        Level::Line => "lines",
        Level::Sentence => "sentences",
        Level::Passage => "passages",
    }
}

#[cfg(test)]
mod tests;
