//! Results evaluated against labelled pairs or groups.

use crate::command::{Answer, Command};
use crate::host::Host;
use crate::opened::claims;
use crate::options::{FormulaOptions, Shown, in_option, is_page};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tegula::declare::Number;
use tegula::error::{Error, ErrorKind, Result};
use tegula::field::FieldKey;
use tegula_io::tables::is_tsv;
use tegula_report::evaluate::{
    By, Comparison, Evaluation, Half, Options, Positive, RESAMPLES, ReadOptions, evaluate,
};
use tegula_report::form::plural;

tegula::options! {
    /// An evaluation of results.
    pub struct EvaluateSpec under "" {
        /// Ground truth: labelled pairs, or groups
        #[serde(with = "tegula_io::path")]
        pub gold: PathBuf => "GOLD",

        /// Results to evaluate: pairs, clusters, or the folder of a run; - is standard input
        #[serde(with = "tegula_io::path::list")]
        pub results: Vec<PathBuf> => "RESULT",
    } under "Gold" {
        /// Groups as gold: the field of the ids [default: id]
        pub id_key: Option<String> => "FIELD",

        /// Groups as gold: the field of the group [default: group]
        pub group_key: Option<String> => "FIELD",

        /// Read gold without a header as ids and groups, not as pairs
        pub groups: bool => "",

        /// Pairs as gold: the column of the label [default: label, or the third]
        pub label: Option<String> => "COLUMN",

        /// Labels that mean a copy, separated by commas, or >=NUMBER [default: 1, true, yes, dup or
        /// duplicate]
        pub positive: Option<String> => "LABELS",

        /// List of the ids of all documents, one per line or as a field of records, for gold pairs that
        /// do not name them all
        #[serde(with = "tegula_io::path::option")]
        pub documents: Option<PathBuf> => "FILE",
    } under "Judging" {
        /// Judge only pairs labelled in gold; without this option, pairs absent from gold count as
        /// wrong
        pub judged_only: bool => "",

        /// Lowest score of a pair that counts [default: all count]
        pub threshold: Option<Number> => "T",

        /// The column of the score in the result [default: score]
        pub score: Option<String> => "COLUMN",

        /// Judge the clusters of a run folder instead of its pairs and verdicts
        pub clusters: bool => "",

        /// Map paragraphs and sentences of the result to their documents [default: only those absent
        /// from gold]
        pub roll_up: bool => "",

        /// Count all pairs inside the clusters that the pairs form (the transitive closure)
        pub transitive: bool => "",

        /// Evaluate the result at every score, and report the best threshold
        pub sweep: bool => "",

        /// Judge only one half of the documents; copies are always in the same half
        pub half: Option<Half> => "HALF",

        /// Choose the threshold with the best F1 on half a, and report half b at that threshold
        pub tune: bool => "",

        /// Also judge by the values of a field of the documents: source, or date:year; may be repeated
        pub by: Vec<FieldKey> => "FIELD",

        /// Also judge by the length of the documents, in classes of powers of two
        pub by_length: Option<LengthUnit> => "UNIT",

        /// With ⟨by_length⟩: the field of the text [default: text]
        pub text_key: Option<String> => "FIELD",

        /// Resamples of the groups for 95 % confidence intervals; 0 for none [default: 1000]
        pub resamples: Option<u32> => "N",
    } under "Output" {
        /// Write an HTML page with all tables and, with ⟨sweep⟩, the precision-recall curves
        #[serde(with = "tegula_io::path::option")]
        pub output: Option<PathBuf> => "FILE.html",
    }
    blocks {
        /// What is done with formulas in TSV, read or written.
        pub formulas: FormulaOptions,
    }
    besides {
        /// Whether the figures are printed as TSV.
        pub prints_tsv: bool,
    }
}

tegula::choices! {
    /// What length is counted in.
    pub enum LengthUnit {
        /// Tokens, as they are found by default
        Tokens = "tokens",
        /// Characters
        Characters = "characters",
    }
}

/// The maximum number of resamples, which takes minutes.
const MOST_RESAMPLES: u32 = 100_000;

impl Answer for Comparison {
    fn json(&self) -> Result<Value> {
        Self::json(self)
    }
}

impl Command for EvaluateSpec {
    const NAME: &'static str = "evaluate";
    const ABOUT: &'static str = "Evaluate results against labelled pairs or groups, and compare them: precision, recall, F1 and the adjusted Rand index";
    const EXAMPLES: &'static str = "Examples:
  tegula evaluate labels.tsv pairs.parquet
  tegula evaluate labels.tsv pairs.tsv --label grade --positive cut,light --judged-only
  tegula evaluate docs.jsonl.zst pairs.parquet --group-key group --sweep -o curve.html
  tegula evaluate docs.jsonl.zst others.tsv --transitive --tune
  tegula evaluate docs.jsonl run/
  tegula evaluate docs.jsonl copies/ sscr/ --by source --by-length tokens

GOLD holds labelled pairs (id_a, id_b and, if some are not copies, label), or groups (id and group): TSV or JSON Lines, optionally .gz
or .zst; pairs may be two or three columns without a header. RESULT is the output of pairs, cluster or --run, or any TSV or JSON Lines
with id_a, id_b and score. For a run, its removals are judged by their witnesses, as are the pairs it kept.

Without --threshold, all pairs of the result count. To sweep a wider range, produce the result at a low threshold.

Intervals are 95 % percentile intervals of resamples of whole groups. Several results are judged by the same
resamples; a sentence says which is better, and whether that may be chance.";
    const SHOWN: Shown = Shown::only(&["form", "width"]);
    const RULES_OUT: &'static [(&'static str, &'static [&'static str])] =
        &[("tune", &["half", "threshold"])];
    type Answer = Comparison;

    fn run(&self, host: &Host) -> Result<Comparison> {
        self.check()?;
        let (reading, judging) = (self.reading()?, self.judging());
        let results: Vec<&Path> = self.results.iter().map(PathBuf::as_path).collect();
        let documents = self.documents.as_deref();
        let read = std::iter::once(self.gold.as_path())
            .chain(results.iter().copied())
            .chain(documents);
        let outputs = claims::files(host, read, &[("⟨output⟩", self.output.as_deref())])?;
        let found = host
            .context
            .pool()?
            .install(|| evaluate(&self.gold, &results, documents, &reading, &judging))?;
        for (name, evaluation) in found.names.iter().zip(&found.evaluations) {
            let of = if results.len() > 1 {
                name
            } else {
                "the result"
            };
            warn(host, of, evaluation);
        }
        if let Some(path) = &self.output {
            outputs.write(path, found.page(&name(&self.gold)).as_bytes())?;
        }
        claims::publish(host, &outputs)?;
        Ok(found)
    }
}

impl EvaluateSpec {
    /// Refuses contradictory options, before anything is opened.
    fn check(&self) -> Result<()> {
        let results = &self.results;
        if results.is_empty() {
            return Err(ErrorKind::Usage
                .expected("a result to evaluate")
                .found("none")
                .hint("name pairs, clusters, or the folder of a run"));
        }
        if results.contains(&self.gold) {
            return Err(ErrorKind::Usage
                .expected("two lists")
                .found("one for both")
                .at(&self.gold));
        }
        let is_repeated = |at: &usize| results[..*at].contains(&results[*at]);
        if let Some(at) = (0..results.len()).find(is_repeated) {
            return Err(ErrorKind::Usage
                .expected("different results")
                .found("one twice")
                .at(&results[at]));
        }
        if self
            .resamples
            .is_some_and(|resamples| resamples > MOST_RESAMPLES)
        {
            return Err(Error::of("⟨resamples⟩").expected(format!("at most {MOST_RESAMPLES}")));
        }
        for (option, is_given, needs) in [
            ("⟨half⟩", self.half.is_some(), !self.tune),
            ("⟨threshold⟩", self.threshold.is_some(), !self.tune),
        ] {
            if is_given && !needs {
                return Err(Error::of("⟨tune⟩")
                    .expected(format!("no {option}, which it chooses itself"))
                    .found("both")
                    .hint("leave out one of the two"));
            }
        }
        if self.text_key.is_some() && self.by_length.is_none() {
            return Err(Error::of("⟨text_key⟩")
                .problem("it needs ⟨by_length⟩")
                .hint("leave it out"));
        }
        match &self.output {
            Some(path) if !is_page(path) => Err(Error::of("⟨output⟩")
                .expected("a name that ends in .html")
                .at(path)
                .hint("figures in other forms are printed, or returned")),
            _ => Ok(()),
        }
    }

    /// How lists are read.
    fn reading(&self) -> Result<ReadOptions> {
        let customary = ReadOptions::default();
        let mut lists = self
            .results
            .iter()
            .chain([&self.gold])
            .chain(&self.documents);
        let has_tsv = self.prints_tsv || lists.any(|path| is_tsv(path));
        let positive = |labels: &String| labels.parse::<Positive>();
        let positive = self.positive.as_ref().map(positive).transpose();
        let positive = positive.map_err(|error| in_option("⟨positive⟩", error))?;
        let text = self.text_key.as_deref().unwrap_or("text");
        let by_length = self.by_length.map(|unit| match unit {
            LengthUnit::Tokens => By::Tokens(text.to_owned()),
            LengthUnit::Characters => By::Characters(text.to_owned()),
        });
        let by = self.by.iter().map(|key| By::Field(key.clone()));
        Ok(ReadOptions {
            id_key: self.id_key.clone().unwrap_or(customary.id_key),
            group_key: self.group_key.clone().unwrap_or(customary.group_key),
            label: self.label.clone(),
            positive: positive.unwrap_or(customary.positive),
            groups: self.groups,
            score: self.score.clone().unwrap_or(customary.score),
            clusters: self.clusters,
            roll_up: self.roll_up,
            by: by.chain(by_length).collect(),
            formulas: self.formulas.of(has_tsv)?,
        })
    }

    /// How results are judged.
    fn judging(&self) -> Options {
        Options {
            threshold: self.threshold.as_ref().map(Number::get),
            transitive: self.transitive,
            judged_only: self.judged_only,
            half: self.half,
            sweep: self.sweep,
            tune: self.tune,
            resamples: self.resamples.unwrap_or(RESAMPLES),
        }
    }
}

/// Warns of rows that were ignored, or may be unintended.
fn warn(host: &Host, of: &str, found: &Evaluation) {
    let result = &found.result;
    if let Some(example) = &result.unknown_id {
        let what = plural(result.unknown_ids, "id");
        // Gold pairs name only documents that have copies or were judged: others are to be
        // expected.
        if found.gold.groups {
            host.warn(&format!(
                "{what} of {of} not in gold, such as {example}; their pairs are ignored"
            ));
        } else if result.unknown_ids * 2 > found.gold.documents {
            host.warn(&format!("{what} of {of} not in gold, such as {example}"));
        }
    }
    if result.loops > 0 {
        host.warn(&format!(
            "{} of an id with itself ignored in {of}",
            plural(result.loops, "pair")
        ));
    }
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(
        || path.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}
