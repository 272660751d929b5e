//! The complete specification of a run: created by a program, or by the command line from its
//! arguments, and stored in `run.json`. It refers only to files, except where a program has its
//! texts in memory.

use crate::added::Added;
use crate::mail;
use crate::options::RecordOptions;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;
use tegula::constraint::Constraints;
use tegula::decide::Policy;
use tegula::declare::{Options as _, Parsed};
use tegula::error::{Error, ErrorKind, Result};
use tegula::field::{FieldKey, FieldNeed};
use tegula::recipe::{Action, Recipe, Staged};
use tegula_io::memory::Table;
use tegula_io::options::{Needs, ReadOptions};
use tegula_io::rewrite::MarkPlace;
use tegula_io::tables::Formulas;

/// The version of the JSON form of [`RunSpec`].
pub const VERSION: u32 = 2;

/// The specification of a run.
///
/// Created by [`RunSpec::dedup`], [`mark`](RunSpec::mark), [`pairs`](RunSpec::pairs), or
/// [`from_run`](RunSpec::from_run) for a new decision on the findings of an earlier run; after
/// setting its fields, [`run`](crate::run) executes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunSpec {
    /// The [`VERSION`] in which the specification was created.
    pub version: u32,
    /// The kind of output.
    pub command: RunKind,
    /// What to read, and how.
    pub input: InputSpec,
    /// The method: one stage or several, each with its threshold.
    pub recipe: Staged,
    /// The digests of the statistics files that the recipe names, set when a run reads them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statistics: Vec<String>,
    /// The constraints on pairs.
    #[serde(default)]
    pub constraints: Constraints,
    /// Which copy is kept.
    #[serde(default)]
    pub policy: Policy,
    /// What to write.
    #[serde(default)]
    pub output: OutputSpec,
    /// The evidence to keep.
    #[serde(default)]
    pub evidence: EvidenceSpec,
    /// The run whose evidence is decided on again; the inputs are read only for writing the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Earlier>,
}

/// The kind of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RunKind {
    /// The collection without its copies.
    Dedup,
    /// The collection with its copies marked.
    Mark,
    /// A table of the pairs.
    Pairs,
}

impl RunKind {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dedup => "dedup",
            Self::Mark => "mark",
            Self::Pairs => "pairs",
        }
    }

    /// The action on duplicates, unless the recipe specifies it.
    pub fn action(self) -> Action {
        match self {
            Self::Dedup => Action::Remove,
            Self::Mark | Self::Pairs => Action::Mark,
        }
    }
}

/// What to read, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct InputSpec {
    /// Files and folders, in order; `-` is standard input.
    #[serde(with = "tegula_io::path::list")]
    pub paths: Vec<PathBuf>,
    /// Files and folders of references: compared, but never removed or written.
    #[serde(with = "tegula_io::path::list", skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<PathBuf>,
    /// Tables in memory, in order, instead of files and folders; each is known by its name. They
    /// are not part of the JSON form, and a run folder has no texts of them.
    #[serde(skip)]
    pub tables: Vec<Table>,
    /// Tables in memory as references, instead of files and folders.
    #[serde(skip)]
    pub against_tables: Vec<Table>,
    /// How to read files. The run itself adds the fields that it needs.
    pub read: ReadOptions,
    /// What to do with records that cannot be read, or whose ids repeat.
    pub records: RecordOptions,
    /// The stages with explicitly chosen normalisation steps, for which it is an error if no file
    /// needs them.
    #[serde(skip)]
    pub steps_named: Vec<String>,
}

/// What to write.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct OutputSpec {
    /// The collection, or the table of pairs: a file, a folder, or `-` for standard output; no
    /// output if not set.
    #[serde(
        with = "tegula_io::path::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub path: Option<PathBuf>,
    /// The removed records, each with its witness and score: a file or folder.
    #[serde(
        with = "tegula_io::path::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub removed: Option<PathBuf>,
    /// Whether to write into folders that contain other files.
    pub overwrite: bool,
    /// Lists of ids.
    #[serde(
        rename = "list",
        deserialize_with = "one_or_more",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub lists: Vec<ListSpec>,
    /// A file for the digest and the id of each unit.
    #[serde(
        with = "tegula_io::path::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub fingerprints: Option<PathBuf>,
    /// Whether that file has each digest once.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unified: bool,
    /// The figures to add to kept records.
    #[serde(rename = "add", skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<Added>,
    /// The prefix of the names of marks.
    pub mark_prefix: String,
    /// Where to write marks in files.
    pub mark_place: MarkPlace,
    /// Pairs: whether each pair of units has a row, rather than each pair of groups of equal units.
    pub expand: bool,
    /// Pairs: the form of the table on standard output.
    pub form: StdoutForm,
    /// Pairs: what is done with formulas in TSV.
    pub formulas: Formulas,
}

/// A list of ids, one per line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListSpec {
    /// Which ids.
    pub which: ListWhich,
    /// The file; `-` is standard output.
    #[serde(with = "tegula_io::path")]
    pub path: PathBuf,
}

impl Parsed for ListSpec {
    fn parsed(text: &str) -> Result<Self> {
        let (which, file) = text.split_once('=').unwrap_or((text, "-"));
        let which = match which {
            "removed" => ListWhich::Removed,
            "kept" => ListWhich::Kept,
            _ => {
                return Err(ErrorKind::Usage
                    .expected("removed, kept, removed=FILE or kept=FILE")
                    .found(format!("'{text}'")));
            }
        };
        if file.is_empty() {
            return Err(ErrorKind::Usage
                .expected("the name of a file after the equals sign")
                .found(format!("'{text}'")));
        }
        Ok(Self {
            which,
            path: file.into(),
        })
    }
}

/// Lists, or one of a run of an earlier version.
fn one_or_more<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<ListSpec>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Lists {
        One(ListSpec),
        More(Vec<ListSpec>),
    }
    Ok(match Lists::deserialize(from)? {
        Lists::One(list) => vec![list],
        Lists::More(lists) => lists,
    })
}

/// Which ids to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListWhich {
    /// Those of duplicates.
    Removed,
    /// Those of all others.
    Kept,
}

tegula::choices! {
    /// The form of a table on standard output.
    pub enum StdoutForm, by default Tsv {
        /// Tab-separated cells with a header
        Tsv = "tsv",
        /// One JSON object per line
        Jsonl = "jsonl",
    }
}

/// The evidence to keep in addition to the output.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct EvidenceSpec {
    /// The run folder; nothing is kept if not set.
    #[serde(
        with = "tegula_io::path::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub folder: Option<PathBuf>,
    /// Whether to resume from what the folder contains for the same recipe and inputs.
    #[serde(skip)]
    pub resume: bool,
    /// Which pairs to keep.
    pub pairs: PairsKept,
    /// The fields by which to break down the summary.
    pub by: Vec<FieldKey>,
    /// The number of texts whose partners are all searched for, to measure what keys missed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_recall: Option<u32>,
}

tegula::choices! {
    /// Which pairs to keep.
    pub enum PairsKept, by default Witness {
        /// The witness of each duplicate, in the verdicts
        Witness = "witness",
        /// All pairs at or above the threshold; needed to decide again
        All = "all",
    }
}

/// An earlier run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Earlier {
    /// Its folder.
    #[serde(with = "tegula_io::path")]
    pub run: PathBuf,
    /// The folder to which its inputs have moved, if any.
    #[serde(
        default,
        with = "tegula_io::path::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub moved: Option<PathBuf>,
}

impl RunSpec {
    /// A run of a recipe on files and folders.
    pub fn new(
        command: RunKind,
        recipe: impl Into<Method>,
        paths: impl IntoIterator<Item = impl Into<PathBuf>>,
    ) -> Self {
        let Method(mut recipe) = recipe.into();
        let (single, marks) = (recipe.stages.len() == 1, command.action() == Action::Mark);
        if single || marks {
            recipe
                .stages
                .iter_mut()
                .for_each(|stage| stage.action = command.action());
        }
        let paths = paths.into_iter().map(Into::into).collect();
        let pairs = if command == RunKind::Pairs {
            PairsKept::All
        } else {
            PairsKept::default()
        };
        Self {
            version: VERSION,
            command,
            input: InputSpec {
                paths,
                ..InputSpec::default()
            },
            recipe,
            statistics: Vec::new(),
            constraints: Constraints::default(),
            policy: Policy::default(),
            output: OutputSpec::default(),
            evidence: EvidenceSpec {
                pairs,
                ..EvidenceSpec::default()
            },
            from: None,
        }
    }

    /// Writes the files and folders to `output` without their copies.
    pub fn dedup(
        recipe: impl Into<Method>,
        paths: impl IntoIterator<Item = impl Into<PathBuf>>,
        output: impl Into<PathBuf>,
    ) -> Self {
        Self::new(RunKind::Dedup, recipe, paths).to(output)
    }

    /// Writes the files and folders to `output` with their copies marked.
    pub fn mark(
        recipe: impl Into<Method>,
        paths: impl IntoIterator<Item = impl Into<PathBuf>>,
        output: impl Into<PathBuf>,
    ) -> Self {
        Self::new(RunKind::Mark, recipe, paths).to(output)
    }

    /// Writes the pairs of the files and folders to `output`: a `.parquet`, `.tsv` or `.jsonl`
    /// file.
    pub fn pairs(
        recipe: impl Into<Method>,
        paths: impl IntoIterator<Item = impl Into<PathBuf>>,
        output: impl Into<PathBuf>,
    ) -> Self {
        Self::new(RunKind::Pairs, recipe, paths).to(output)
    }

    /// The same, written as JSON and read back.
    pub(crate) fn through_json(&self) -> Result<Self> {
        let mut read = Self::from_json(&self.to_json()?)?;
        // What is not part of the JSON: the options to name if no file needs them, whether to resume,
        // and tables in memory.
        (read.input.steps_named).clone_from(&self.input.steps_named);
        read.evidence.resume = self.evidence.resume;
        (read.input.tables).clone_from(&self.input.tables);
        (read.input.against_tables).clone_from(&self.input.against_tables);
        debug_assert_eq!(read, *self);
        Ok(read)
    }

    /// Writes to this file or folder, or `-`.
    #[must_use]
    pub fn to(mut self, output: impl Into<PathBuf>) -> Self {
        self.output.path = Some(output.into());
        self
    }

    /// Keeps the evidence in this folder.
    #[must_use]
    pub fn keeping(mut self, folder: impl Into<PathBuf>, pairs: PairsKept) -> Self {
        self.evidence.folder = Some(folder.into());
        self.evidence.pairs = pairs;
        self
    }

    /// Also compares with these files and folders, which are neither removed nor written.
    #[must_use]
    pub fn against(mut self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.input.against = paths.into_iter().map(Into::into).collect();
        self
    }

    /// Reads these tables in memory in place, instead of files; the list of paths is then empty.
    /// Records are written to a single file: as Parquet, JSON Lines, CSV or TSV.
    ///
    /// ```
    /// use std::path::PathBuf;
    /// use std::sync::Arc;
    /// use arrow_array::{RecordBatch, StringArray};
    /// use tegula_run::{Host, RunKind, RunSpec, Table, recipe};
    ///
    /// let texts = StringArray::from(vec!["the same five words here", "the same five words here"]);
    /// let batch = RecordBatch::try_from_iter([("text", Arc::new(texts) as _)])?;
    /// let table = Table::new("texts", vec![batch])?;
    /// let no_files: [PathBuf; 0] = [];
    /// let spec = RunSpec::new(RunKind::Dedup, recipe("copies")?, no_files).of_tables([table]);
    /// assert_eq!(tegula_run::run(&Host::usual()?, &spec)?.duplicates(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_tables(mut self, tables: impl IntoIterator<Item = Table>) -> Self {
        self.input.tables = tables.into_iter().collect();
        self
    }

    /// Also compares with these tables in memory, which are neither removed nor written.
    #[must_use]
    pub fn against_tables(mut self, tables: impl IntoIterator<Item = Table>) -> Self {
        self.input.against_tables = tables.into_iter().collect();
        self
    }

    /// As JSON; tables in memory are not part of it.
    ///
    /// # Errors
    /// None in practice; a specification is always representable.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string_pretty(self).map_err(|error| {
            Error::new(
                ErrorKind::Run,
                format!("cannot write the specification as JSON: {error}"),
            )
        })
    }

    /// From JSON.
    ///
    /// # Errors
    /// A usage error that names the field.
    pub fn from_json(text: &str) -> Result<Self> {
        let wrong = |error: serde_json::Error| {
            ErrorKind::Usage.expected(format!("the specification of a run: {error}"))
        };
        let value: Value = serde_json::from_str(text).map_err(wrong)?;
        let spec = Self::from_value(value).map_err(wrong)?;
        spec.recipe
            .stages
            .iter()
            .try_for_each(|stage| stage.recipe.check().map(drop))?;
        Ok(spec)
    }

    /// From the value of its JSON.
    pub(crate) fn from_value(value: Value) -> Result<Self, serde_json::Error> {
        use serde::de::Error as _;
        let version = value.get("version").unwrap_or(&Value::Null);
        if *version != VERSION {
            return Err(serde_json::Error::custom(format!(
                "version: expected {VERSION}, found {version}, as another version of the program wrote it"
            )));
        }
        if let Some(name) = unknown_option(&value) {
            return Err(serde_json::Error::custom(format!(
                "input.read: there is no option '{name}'"
            )));
        }
        serde_json::from_value(value)
    }

    /// The metadata fields that the run needs, and what each must contain.
    pub(crate) fn needed_fields(&self) -> Vec<FieldNeed> {
        let by = self.evidence.by.iter().map(FieldNeed::from);
        let added = self.output.added.iter().filter_map(Added::field);
        self.policy
            .needed_fields()
            .chain(added.map(FieldNeed::from))
            .chain(mail::needed(&self.constraints))
            .chain(by)
            .collect()
    }

    /// Whether records of the inputs are written.
    pub(crate) fn writes_records(&self) -> bool {
        let written = self.output.path.is_some() || self.output.removed.is_some();
        written && self.command != RunKind::Pairs
    }

    /// What affects the findings in addition to the recipe: how inputs are read, statistics, and the
    /// constraints on pairs.
    ///
    /// # Errors
    /// None in practice; the options are always representable.
    pub(crate) fn reading(&self) -> Result<String> {
        let read = ReadOptions {
            needs: Needs {
                fields: Vec::new(),
                ..self.input.read.needs.clone()
            },
            ..self.input.read.clone()
        };
        let input = InputSpec {
            paths: self.input.paths.clone(),
            against: self.input.against.clone(),
            read,
            ..InputSpec::default()
        };
        serde_json::to_string(&(input, &self.statistics, &self.constraints)).map_err(|error| {
            Error::new(
                ErrorKind::Run,
                format!("cannot write the options as JSON: {error}"),
            )
        })
    }
}

/// A name in the options for reading that no option has: options are stored beside those of formats,
/// where serde accepts any name.
fn unknown_option(spec: &Value) -> Option<&str> {
    const BESIDES: [&str; 2] = ["date_formats", "needs"];
    let declared = ReadOptions::declared();
    let is_known =
        |name: &str| BESIDES.contains(&name) || declared.iter().any(|option| option.name == name);
    let read = spec.pointer("/input/read")?.as_object()?;
    read.keys().map(String::as_str).find(|name| !is_known(name))
}

/// How to read files: as requested, with the fields that a run needs, and the requirements of its
/// recipe.
pub fn read_options(asked: &ReadOptions, recipe: &Staged, needs: &[FieldNeed]) -> ReadOptions {
    let any = |asks: fn(&Recipe) -> bool| recipe.stages.iter().any(|stage| asks(&stage.recipe));
    let mut fields = asked.needs.fields.clone();
    for need in needs {
        if !fields.contains(&need.name) {
            fields.push(need.name.clone());
        }
    }
    ReadOptions {
        needs: Needs {
            fields,
            classes: any(Recipe::weighs_by_class),
            own_tokens: any(Recipe::counts_own_tokens) || any(Recipe::counts_dropped_tokens),
            characters: any(Recipe::counts_characters_of_long_texts),
            least_reply: least_reply(recipe),
            ..asked.needs.clone()
        },
        ..asked.clone()
    }
}

/// The words that must be left of a message without quoted text to be compared without.
fn least_reply(recipe: &Staged) -> u32 {
    let stages = recipe.stages.iter();
    stages
        .map(|stage| stage.recipe.shortest_text())
        .max()
        .unwrap_or(0)
}

/// A recipe of one or more stages.
#[derive(Debug, Clone)]
pub struct Method(Staged);

impl From<Recipe> for Method {
    fn from(recipe: Recipe) -> Self {
        Self(Staged::single(recipe, Action::Remove))
    }
}

impl From<Staged> for Method {
    fn from(staged: Staged) -> Self {
        Self(staged)
    }
}
