//! `dedup` and `mark` as commands: what their options mean.

use crate::added::Added;
use crate::command::{Answer, Command};
use crate::host::Host;
use crate::options::{
    ClusterOptions, EvidenceOptions, InputOptions, KeepOptions, PairOptions, RecipeOptions, Shown,
};
use crate::outcome::Outcome;
use crate::spec::{ListSpec, OutputSpec, PairsKept, RunKind, RunSpec};
use crate::stage_report::{self, Report};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tegula::declare::Options as _;
use tegula::error::{Error, Result};
use tegula_io::rewrite::MarkPlace;

tegula::options! {
    /// Writes a collection without its copies.
    pub struct DedupSpec under "Output" {
        /// Write the removed records, each with its witness and score, to this file or folder
        #[serde(with = "tegula_io::path::option")]
        pub removed: Option<PathBuf> => "OUTPUT",

        /// Write nothing, and exit with code 1 if there are duplicates
        pub check: bool => "",
    }
    blocks before {
        /// What it shares with `mark`.
        pub write: WriteOptions,
    }
    besides {}
}

tegula::options! {
    /// Writes a collection with its copies marked.
    pub struct MarkSpec
    blocks {
        /// What it shares with `dedup`.
        pub write: WriteOptions,
    }
    besides {}
}

tegula::options! {
    /// What is read, decided and written.
    pub struct WriteOptions
    blocks {
        /// What to read, and how.
        pub input: InputOptions,
        /// What to write.
        pub output: OutputOptions,
        /// How texts are compared.
        pub recipe: RecipeOptions,
        /// Which copy is kept.
        pub keep: KeepOptions,
        /// Which pairs count.
        pub pairs: PairOptions,
        /// The evidence to keep.
        pub run: EvidenceOptions,
        /// The evidence to decide from.
        pub earlier: EarlierOptions,
        /// Where texts are compared.
        pub cluster: ClusterOptions,
    }
    besides {}
}

tegula::options! {
    /// What to write.
    pub struct OutputOptions under "Output" {
        /// Output: a file for a single input file, else a folder that mirrors the input names; `-` is
        /// standard output
        #[serde(with = "tegula_io::path::option")]
        pub output: Option<PathBuf> => "OUTPUT",

        /// Write into folders that hold other files: files written there by an earlier run of tegula
        /// are removed, all others are kept
        pub overwrite: bool => "",

        /// List the ids of the duplicates (removed) or of all other units (kept), on standard output or
        /// in a file; may be repeated
        pub list: Vec<ListSpec> => "removed|kept[=FILE]",

        /// Write the digest and id of each unit to this file, one per line, sorted by digest; an asterisk
        /// in a third column marks digests that several units have
        #[serde(with = "tegula_io::path::option")]
        pub fingerprints: Option<PathBuf> => "FILE",

        /// With ⟨fingerprints⟩: list each digest once, with the first of its units
        pub unified: bool => "",
        /// Add to each kept record: copies, the number of removed texts it stands for;
        /// copies_by:FIELD, the same by values of a field; rank, its place in its cluster; may be
        /// repeated
        pub add: Vec<Added> => "FIGURE",

        /// Prefix for the names of the marks, `duplicate_of` and so on [default: none]
        pub mark_prefix: Option<String> => "PREFIX",

        /// Vertical, CoNLL-U, TEI and WARC: where to write marks [default: attribute]
        pub mark_place: Option<MarkPlace> => "PLACE",
    }
}

tegula::options! {
    /// The evidence of an earlier run, decided on again.
    pub struct EarlierOptions under "Evidence and summary" {
        /// Which pairs to keep in the ⟨run⟩ folder [default: witness]
        pub evidence: Option<PairsKept> => "WHAT",

        /// Decide again from the evidence of an earlier run, at the same or a higher threshold or by
        /// another policy; reads texts only to write them
        #[serde(with = "tegula_io::path::option")]
        pub from: Option<PathBuf> => "RUN",

        /// New location of the inputs of the ⟨from⟩ run, if they have moved
        #[serde(with = "tegula_io::path::option")]
        pub root: Option<PathBuf> => "DIR",
    }
}

/// A run that has been executed, with its specification.
pub struct Ran {
    /// What was asked for, with everything resolved.
    pub spec: RunSpec,
    /// What was found and decided.
    pub outcome: Outcome,
}

impl Answer for Ran {
    fn json(&self) -> Result<Value> {
        stage_report::all(self.outcome.reports())
    }

    fn warnings(&self) -> Vec<String> {
        let of_stage = |report: &Report| {
            let stage = report.stage.as_ref();
            let stage = stage.map_or(String::new(), |stage| format!("stage {stage}: "));
            let warnings = report.summary.warnings.iter();
            warnings
                .map(move |warning| format!("{stage}{warning}"))
                .collect::<Vec<_>>()
        };
        self.outcome.reports().iter().flat_map(of_stage).collect()
    }
}

impl Ran {
    /// Executes a specification.
    ///
    /// # Errors
    /// As for [`crate::run`].
    pub fn new(host: &Host, spec: RunSpec) -> Result<Self> {
        let outcome = crate::run(host, &spec)?;
        Ok(Self { spec, outcome })
    }
}

impl Command for DedupSpec {
    const NAME: &'static str = "dedup";
    const ABOUT: &'static str = "Write the collection back without its copies";
    const EXAMPLES: &'static str = "Examples:
  tegula dedup news.jsonl.gz -o news.clean.jsonl.gz
  tegula dedup shards/ -o clean/ --threshold 0.9 --keep newest:date --run evidence/
  tegula dedup --from evidence/ --threshold 0.95 -o stricter/
  tegula dedup new.jsonl --against old/ --check";
    const SHOWN: Shown = Shown::running(&["json", "verbose"]);
    const RULES_OUT: &'static [(&'static str, &'static [&'static str])] =
        &[("check", &["output", "removed"])];
    type Answer = Ran;

    fn run(&self, host: &Host) -> Result<Ran> {
        let host = &self.write.host(host)?;
        Ran::new(host, self.spec(host)?)
    }
}

impl DedupSpec {
    /// What the options mean.
    ///
    /// # Errors
    /// Usage errors naming the option; under `auto`, errors of the inputs, of which a sample is read.
    pub fn spec(&self, host: &Host) -> Result<RunSpec> {
        if self.check {
            let written = [
                ("⟨output⟩", self.write.output.output.is_some()),
                ("⟨removed⟩", self.removed.is_some()),
            ];
            if let Some((option, _)) = written.iter().find(|(_, is_given)| *is_given) {
                return Err(Error::of("⟨check⟩")
                    .expected(format!("no {option}, as nothing is written"))
                    .found("both")
                    .hint("leave out one of the two"));
            }
        }
        let mut spec =
            self.write
                .spec(host, RunKind::Dedup, self.removed.is_some() || self.check)?;
        spec.output.removed.clone_from(&self.removed);
        Ok(spec)
    }
}

impl Command for MarkSpec {
    const NAME: &'static str = "mark";
    const ABOUT: &'static str = "Write the collection back with its copies marked";
    const EXAMPLES: &'static str = "Examples:
  tegula mark news.csv -o marked.csv
  tegula mark corpus.vert --unit paragraph -o marked.vert
  tegula mark old.jsonl new.jsonl -o marked/ --mark-prefix tegula_";
    const SHOWN: Shown = Shown::running(&["json", "verbose"]);
    type Answer = Ran;

    fn run(&self, host: &Host) -> Result<Ran> {
        let host = &self.write.host(host)?;
        Ran::new(host, self.write.spec(host, RunKind::Mark, false)?)
    }
}

impl OutputOptions {
    fn spec(&self) -> OutputSpec {
        OutputSpec {
            path: self.output.clone(),
            overwrite: self.overwrite,
            lists: self.list.clone(),
            fingerprints: self.fingerprints.clone(),
            unified: self.unified,
            added: self.add.clone(),
            mark_prefix: self.mark_prefix.clone().unwrap_or_default(),
            mark_place: self.mark_place.unwrap_or_default(),
            ..OutputSpec::default()
        }
    }
}

/// Options that ⟨from⟩ accepts, though the run determines the others.
const ANEW: [&str; 4] = ["threshold", "date_format", "run", "by"];

impl WriteOptions {
    /// The host of the run.
    fn host(&self, host: &Host) -> Result<Host> {
        self.cluster.host(self.recipe.read_by(host))
    }

    /// What the options mean; `is_enough` says that the command writes something else.
    fn spec(&self, host: &Host, kind: RunKind, is_enough: bool) -> Result<RunSpec> {
        let output = self.output.spec();
        if output.unified && output.fingerprints.is_none() {
            return Err(Error::of("⟨unified⟩").problem("it needs ⟨fingerprints⟩"));
        }
        let EarlierOptions {
            evidence,
            from,
            root,
        } = &self.earlier;
        let asked = [
            is_enough,
            output.path.is_some(),
            !output.lists.is_empty(),
            output.fingerprints.is_some(),
            self.run.run.is_some(),
        ];
        if !asked.contains(&true) {
            let check = match kind {
                RunKind::Dedup => ", or ⟨check⟩ to write nothing",
                _ => "",
            };
            return Err(Error::of("⟨output⟩")
                .expected("an output")
                .found("none")
                .hint(format!(
                    "name a file or folder, or - for standard output; or use ⟨list⟩ or ⟨run⟩{check}"
                )));
        }
        for (option, is_given, needed, is_there) in [
            (
                "⟨evidence⟩",
                evidence.is_some(),
                "⟨run⟩",
                self.run.run.is_some(),
            ),
            ("⟨root⟩", root.is_some(), "⟨from⟩", from.is_some()),
        ] {
            if is_given && !is_there {
                return Err(Error::of(option).problem(format!("it needs {needed}")));
            }
        }
        if from.is_none() {
            self.input.check_any()?;
        }
        let policy = self.keep.policy()?;
        let mut spec = match from {
            Some(run) => self.again(kind, run)?,
            None => self.search(host, kind)?,
        };
        let mut stages = spec.recipe.stages.iter();
        if let Some(stage) = stages.find(|stage| stage.recipe.onion.is_some()) {
            policy.check_order_decides()?;
            if !self.keep.keep.is_empty() && !policy.keep.is_first() {
                return Err(Error::of("⟨keep⟩")
                    .problem(format!(
                        "it has no effect in the recipe {}: the first text is always kept",
                        stage.recipe.recipe
                    ))
                    .hint("sort the input, or use a recipe that compares pairs"));
            }
        }
        spec.policy = policy;
        spec.output = output;
        spec.evidence = self.run.spec();
        spec.evidence.pairs = evidence.unwrap_or_default();
        Ok(spec)
    }

    /// A search of the inputs.
    fn search(&self, host: &Host, kind: RunKind) -> Result<RunSpec> {
        let advised = self.recipe.advised(host, &self.input, &self.pairs, true)?;
        let recipe = advised.staged(kind.action(), host.recipes())?;
        let mut spec = RunSpec::new(kind, recipe, Vec::<PathBuf>::new());
        spec.input = self.input.spec(&advised, &self.pairs)?;
        spec.input.steps_named = advised.steps_named(&spec.recipe);
        spec.constraints = self.pairs.constraints();
        Ok(spec)
    }

    /// A new decision on what an earlier run found.
    fn again(&self, kind: RunKind, run: &Path) -> Result<RunSpec> {
        let mut all = (self.input.given().into_iter())
            .chain(self.recipe.given())
            .chain(self.pairs.given())
            .chain(self.run.given());
        if let Some(option) = all.find(|option| !ANEW.contains(option)) {
            return Err(Error::of(format!("⟨{option}⟩"))
                .problem("it is determined by the run of ⟨from⟩")
                .hint("only ⟨threshold⟩, the ⟨keep⟩ options and the output can be changed"));
        }
        let mut spec = RunSpec::from_run(kind, run, self.earlier.root.as_deref())?;
        if let Some(threshold) = self.recipe.threshold {
            spec.recipe.stages[0].recipe.threshold = threshold;
        }
        if !self.pairs.date_format.is_empty() {
            spec.input.read.date_formats = self
                .input
                .spec(&self.recipe, &self.pairs)?
                .read
                .date_formats;
        }
        Ok(spec)
    }
}
