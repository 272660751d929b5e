//! What in an index resembles texts.

use crate::command::{Answer, Command};
use crate::host::Host;
use crate::opened::{Opened, Opening, claims, single};
use crate::options::{self, InputOptions, PairOptions, RecipeOptions};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use tegula::compare::Comparison;
use tegula::error::{Error, Result};
use tegula::evidence::Millionths;
use tegula::index::{Answered, Asking, Index, Match};
use tegula::printable;
use tegula::threshold::{Score, Threshold};
use tegula_io::outputs::Packed;
use tegula_io::store;
use tegula_report::side_by_side::{self, Style};

tegula::options! {
    /// A question to an index.
    pub struct QuerySpec under "" {
        /// The folder of an index
        #[serde(with = "tegula_io::path")]
        pub index: PathBuf => "INDEX",
    } under "Question" {
        /// Lowest score of a match: 0.8, 80% or 4/5 [default: that of the index]
        pub threshold: Option<Threshold> => "T",

        /// At most N matches for each text; without ⟨threshold⟩, the N texts that resemble it most,
        /// whatever their scores
        pub top: Option<usize> => "N",

        /// Also list the passages that a text and its match share, with their start and end
        /// (exclusive) in both, in code points
        pub passages: bool => "",

        /// Show each match beside the text, as `tegula explain` does, instead of lines of JSON
        pub explain: bool => "",
    } under "Output" {
        /// Output file, compressed according to its name [default: -, standard output]
        #[serde(with = "tegula_io::path::option")]
        pub output: Option<PathBuf> => "FILE",
    }
    blocks {
        /// What to ask about, and how to read it.
        pub input: InputOptions,
    }
    besides {}
}

/// What was asked.
#[derive(Debug, Default, serde::Serialize)]
#[non_exhaustive]
pub struct Queried {
    /// Texts, or parts of texts, that were asked about.
    pub asked: u64,
    /// Those with a match.
    pub matched: u64,
    /// All matches.
    pub matches: u64,
    #[serde(skip)]
    explained: Vec<Explained>,
    #[serde(skip)]
    is_explained: bool,
}

/// A text beside what resembles it.
#[derive(Debug)]
struct Explained {
    id: String,
    text: String,
    /// The id of each, its score, its text, and what both share.
    matches: Vec<(String, Score, String, Comparison)>,
}

impl Answer for Queried {
    fn json(&self) -> Result<Value> {
        Ok(json!(self))
    }

    fn text(&self, width: usize, colours: bool) -> Option<String> {
        let style = Style {
            width,
            colours,
            full: false,
        };
        let mut out = String::new();
        for Explained { id, text, matches } in &self.explained {
            let id = &*printable::line(id);
            if matches.is_empty() {
                let _ = writeln!(out, "{id}: nothing in the index resembles it\n");
            }
            for (other_id, score, other, comparison) in matches {
                let other_id = &*printable::line(other_id);
                let _ = writeln!(out, "{id} and {other_id}: score {score}\n");
                let texts = (text.as_str(), other.as_str());
                out.push_str(&side_by_side::show(
                    comparison,
                    texts,
                    (id, other_id),
                    style,
                ));
                out.push('\n');
            }
        }
        self.is_explained.then_some(out)
    }
}

impl Command for QuerySpec {
    const NAME: &'static str = "query";
    const ABOUT: &'static str = "Find the texts in an index that resemble these";
    const EXAMPLES: &'static str = "Examples:
  tegula query ads.idx new.jsonl
  tegula query ads.idx new.jsonl --threshold 0.9 --top 3 -o matches.jsonl.zst
  echo 'Bright flat of three rooms' | tegula query ads.idx - --format text --top 5
  tegula query essays.idx essay.txt --explain

A line of JSON for each text, in input order: its id, and its matches, the best first and of equal scores the
oldest first, each with its id, score, number of shared shingles, and the fields that the index keeps. The
matches are exactly those of tegula pairs --against.";
    const SHOWN: options::Shown = options::Shown::running(&["width"]);
    type Answer = Queried;

    fn run(&self, host: &Host) -> Result<Queried> {
        store::check_local("⟨index⟩", &self.index)?;
        let index = Index::open(&self.index, &host.context)?;
        let output = self.output.as_deref().unwrap_or(Path::new("-"));
        let mut input = self
            .input
            .spec(&RecipeOptions::default(), &PairOptions::default())?;
        if input.paths.is_empty() {
            input.paths.push("-".into());
        }
        super::index::outside(&self.index, &input.paths)?;
        let staged = single(index.recipe());
        let outputs = claims::outputs(host, [], &[("⟨output⟩", Some(output))])?;
        let opened = Opened::new(
            host,
            &outputs,
            Opening {
                output: Some(output),
                compares_wholes: false,
                ..Opening::new(&input, &staged)
            },
        )?;
        if self.explain && self.output.is_some() {
            return Err(Error::of("⟨explain⟩")
                .expected("a terminal, or standard output")
                .found("⟨output⟩")
                .hint("leave one of the two out"));
        }
        let asking = Asking::new(&index, self.threshold, self.top, self.compares())?;
        opened.begin()?;
        let mut written = if self.explain {
            None
        } else {
            Some(Packed::create(&outputs, output)?)
        };
        let mut queried = Queried {
            is_explained: self.explain,
            ..Queried::default()
        };
        opened.read(|bad| {
            let answer = |answered: Answered| {
                let matches = answered.matches.len() as u64;
                let shown = if self.explain {
                    Shown::Beside(explained(&asking, answered))
                } else {
                    Shown::Line(line(&asking, &answered))
                };
                Ok((shown, matches))
            };
            let take = |(shown, matches): (Shown, u64)| {
                queried.asked += 1;
                queried.matched += u64::from(matches > 0);
                queried.matches += matches;
                match (shown, &mut written) {
                    (Shown::Line(line), Some(written)) => written
                        .write_all(line.as_bytes())
                        .map_err(|error| Error::io("write", output, error)),
                    (Shown::Line(_), None) => Ok(()),
                    (Shown::Beside(explained), _) => {
                        queried.explained.push(explained);
                        Ok(())
                    }
                }
            };
            let inputs = &opened.inputs;
            index.ask_all(&host.context, (inputs, bad), asking.question, answer, take)
        })?;
        if let Some(written) = written {
            written.finish()?;
        }
        opened.publish()?;
        Ok(queried)
    }
}

impl QuerySpec {
    /// The option for which texts are compared, if there is one.
    fn compares(&self) -> Option<&str> {
        match (self.passages, self.explain) {
            (true, _) => Some("⟨passages⟩"),
            (_, true) => Some("⟨explain⟩"),
            _ => None,
        }
    }
}

/// What resembles a text that is compared as one unit: as `tegula query` writes it, without
/// [`QuerySpec::threshold`] and [`QuerySpec::top`] at the threshold of the index.
///
/// # Errors
/// As for the command.
pub fn matches(
    index: &Index,
    text: &str,
    (threshold, top): (Option<Threshold>, Option<usize>),
    passages: bool,
) -> Result<Value> {
    let compares = passages.then_some("⟨passages⟩");
    let asking = Asking::new(index, threshold, top, compares)?;
    let found = index.ask(text, asking.question)?;
    Ok(all_json(&asking, text, &found))
}

/// An answer as it is shown.
enum Shown {
    Line(String),
    Beside(Explained),
}

/// The answer in a line.
fn line(asking: &Asking, answered: &Answered) -> String {
    let matches = all_json(asking, answered.text, &answered.matches);
    let line = json!({"id": answered.id, "matches": matches});
    // A line may be shown on a terminal, which must not obey what is in it.
    printable::json(&line.to_string()).into_owned() + "\n"
}

fn all_json(asking: &Asking, text: &str, found: &[Match]) -> Value {
    found
        .iter()
        .map(|found| one_json(asking, text, found))
        .collect()
}

fn one_json(asking: &Asking, text: &str, found: &Match) -> Value {
    let mut all = Map::new();
    all.insert("id".into(), json!(found.id(asking.level)));
    all.insert("score".into(), json!(Millionths::of(found.score).as_f64()));
    if let Some(shared) = found.shared {
        all.insert("shared".into(), json!(shared));
    }
    for (name, value) in asking.fields.iter().zip(&found.fields) {
        all.insert(name.clone(), json!(value));
    }
    if let Some(passages) = asking.passages(text, found) {
        all.insert("passages".into(), json!(passages));
    }
    Value::Object(all)
}

/// The answer, with the texts of the matches.
fn explained(asking: &Asking, answered: Answered) -> Explained {
    let matches = answered.matches.iter().filter_map(|found| {
        let (comparison, other) = asking.compare(answered.text, found)?;
        let id = found.id(asking.level);
        Some((id, found.score, other.to_owned(), comparison))
    });
    Explained {
        matches: matches.collect(),
        text: answered.text.to_owned(),
        id: answered.id,
    }
}
