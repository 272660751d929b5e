//! Pairs of a run judged by people, and what the answers say about all pairs.

use crate::command::{self, Command};
use crate::host::Host;
use crate::near_misses;
use crate::opened::claims;
use crate::options::{self, FormulaOptions};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tegula::error::{Error, Result};
use tegula::threshold::Threshold;
use tegula_io::outputs::Outputs;
use tegula_io::store;
use tegula_io::tables::{Formulas, is_tsv};
use tegula_report::judge::{Answers, Estimate, Judging, Options, Sheet, Shown};
use tegula_report::run::Run;

tegula::options! {
    /// Pairs of a run, drawn to be judged.
    pub struct JudgeSpec under "" {
        /// The folder of a run
        #[serde(with = "tegula_io::path")]
        pub run: PathBuf => "RUN",
    } under "Pairs" {
        /// Another run on the same inputs: draw pairs that both have, and pairs that only one has
        #[serde(with = "tegula_io::path::option")]
        pub with: Option<PathBuf> => "RUN",

        /// Number of pairs to draw [default: 100]
        pub pairs: Option<u32> => "N",

        /// Seed of the sample: other seeds draw other pairs [default: 1]
        pub seed: Option<u64> => "N",

        /// Lowest score of a pair that counts as found; pairs of the run below it are drawn as well, for
        /// the recall [default: that of the run]
        pub threshold: Option<Threshold> => "T",

        /// Search the inputs again for pairs up to a tenth below the run's threshold, and draw from
        /// these as well, for the recall
        pub near_misses: bool => "",

        /// New location of the inputs of the runs, if they have moved
        #[serde(with = "tegula_io::path::option")]
        pub root: Option<PathBuf> => "DIR",
    } under "Answers" {
        /// Answers so far: estimate from them, or, with ⟨output⟩, judge the pairs not answered yet; may
        /// be repeated
        #[serde(with = "tegula_io::path::list")]
        pub answers: Vec<PathBuf> => "FILE",

        /// Ask about each pair in the terminal, and save each answer at once to this file (.tsv,
        /// .jsonl), from which a later session continues; or write a page for judging the pairs in
        /// a browser, offline (.html)
        #[serde(with = "tegula_io::path::option")]
        pub output: Option<PathBuf> => "FILE",
    }
    blocks {
        /// What is done with formulas in TSV, read or written.
        pub formulas: FormulaOptions,
    }
    besides {
        /// Whether the estimates are printed as TSV.
        pub prints_tsv: bool,
    }
}

/// The maximum number of pairs: more than anyone judges.
const MOST: u32 = 10_000;

/// Pairs below the threshold of a run from which is drawn, the best first.
const NEAR: usize = 1_000_000;

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Page,
    Tsv,
    Jsonl,
}

/// Asks people for their answers.
pub trait Asker {
    /// Asks for each of the pairs without an answer; `keep` is called after each answer, and saves
    /// all of them. The end is up to those who are asked.
    ///
    /// # Errors
    /// Those of `keep`, and of the conversation.
    fn ask(
        &mut self,
        drawn: &Judging,
        texts: &Shown,
        answers: &mut Answers,
        keep: &dyn Fn(&Answers) -> Result<()>,
    ) -> Result<()>;
}

/// Pairs that were drawn, and what the answers say.
pub struct Judged {
    /// The number of pairs that were drawn.
    pub drawn: u64,
    /// The number of answers.
    pub answered: u64,
    /// The precision, and the recall if there are pairs below the threshold; none without answers
    /// that decide.
    pub estimate: Option<Estimate>,
    /// Whether a page was written to judge the pairs in.
    pub is_page: bool,
    /// Whether pairs below the threshold, or another run, say something about the recall.
    pub has_recall: bool,
}

impl command::Answer for Judged {
    fn json(&self) -> Result<Value> {
        Ok(match &self.estimate {
            Some(estimate) => json!(estimate),
            None => json!({"drawn": self.drawn, "answered": self.answered}),
        })
    }
}

impl Command for JudgeSpec {
    const NAME: &'static str = "judge";
    const ABOUT: &'static str =
        "Judge a sample of a run's pairs by hand, and estimate its precision and recall";
    const EXAMPLES: &'static str = "Examples:
  tegula judge run/ -o answers.tsv
  tegula judge run/ --pairs 200 -o judge.html
  tegula judge run/ --answers answers.jsonl
  tegula judge copies/ --with sscr/ -o judge.html
  tegula pairs docs.jsonl --threshold 0.5 --run wide/ && tegula judge wide/ --threshold 0.75 -o answers.tsv

Pairs are drawn from each tenth of the score and, with two runs, from those that both have and those that only one
has, in proportion to the square roots of their numbers. The same seed draws the same pairs, and a larger sample
contains a smaller one. You may stop after any number of answers.

Answers are a gold standard for tegula evaluate --judged-only as well.";
    const SHOWN: options::Shown = options::Shown::running(&["form", "width"]);
    const RULES_OUT: &'static [(&'static str, &'static [&'static str])] =
        &[("with", &["threshold", "near_misses"])];
    type Answer = Judged;

    fn run(&self, host: &Host) -> Result<Judged> {
        judge(host, self, None)
    }
}

/// Draws pairs of a run, and has them judged: by those who are asked, on a page, or by answers that
/// there are.
///
/// # Errors
/// When there is no such run, it lists no pairs, or a file cannot be read or written.
pub fn judge(host: &Host, spec: &JudgeSpec, asker: Option<&mut dyn Asker>) -> Result<Judged> {
    let written = spec.output.as_deref().map(written).transpose()?;
    spec.check(written, asker.is_some())?;
    let formulas = spec.formulas()?;
    let answers: Vec<&Path> = spec.answers.iter().map(PathBuf::as_path).collect();
    let folders = || std::iter::once(spec.run.as_path()).chain(spec.with.as_deref());
    let read = folders().chain(answers.iter().copied());
    let output = spec.output.as_deref();
    let outputs = claims::outputs(host, read, &[("⟨output⟩", output)])?;
    let runs = folders()
        .map(|run| Run::open_moved(run, spec.root.as_deref(), host.tables()))
        .collect::<Result<Vec<_>>>()?;
    let runs: Vec<&Run> = runs.iter().collect();
    for input in runs.iter().flat_map(|run| run.inputs()) {
        outputs.protect(&input.path)?;
    }
    outputs.begin()?;
    // An earlier session with the same output is continued.
    let is_sheet = matches!(written, Some(Written::Tsv | Written::Jsonl));
    let earlier = output.filter(|path| is_sheet && store::is_file(path));
    let lists: Vec<&Path> = answers.into_iter().chain(earlier).collect();
    let mut answers = Answers::read(&lists, formulas)?;
    let below = spec.below(host)?;
    let judging = |answers: &Answers| {
        let options = Options {
            pairs: spec.pairs.unwrap_or(100) as usize,
            seed: spec.seed.unwrap_or(1),
            threshold: spec.threshold.map(Threshold::as_f64),
        };
        Judging::new(&runs, options, answers, below.as_deref())
    };
    let drawn = judging(&answers)?;
    let judged = |answers: &Answers, estimate| Judged {
        drawn: drawn.drawn.len() as u64,
        answered: answers.len() as u64,
        estimate,
        is_page: written == Some(Written::Page),
        has_recall: spec.with.is_some() || drawn.has_below(),
    };
    let (Some(path), Some(written)) = (output, written) else {
        claims::publish(host, &outputs)?;
        return Ok(judged(&answers, Some(drawn.estimate()?)));
    };
    let texts = drawn.texts(&runs)?;
    if written == Written::Page {
        let methods: Vec<String> = runs.iter().map(|run| run.stages()[0].method()).collect();
        outputs.write(path, drawn.page(&texts, &answers, &methods).as_bytes())?;
        claims::publish(host, &outputs)?;
        return Ok(judged(&answers, None));
    }
    // In place after each answer; an interruption removes only what is not in place yet.
    let kept = Outputs::new(false);
    let open = |path| Sheet::open(path, formulas);
    let sheet = earlier.map(open).transpose()?.flatten();
    let sheet = sheet.unwrap_or_else(|| Sheet::new(written == Written::Tsv, formulas));
    let keep = |answers: &Answers| {
        kept.write(path, sheet.with(answers).as_bytes())?;
        kept.publish().map(drop)
    };
    keep(&answers)?;
    if let Some(asker) = asker {
        asker.ask(&drawn, &texts, &mut answers, &keep)?;
    }
    // Undecided answers are no basis for estimates.
    let estimate = judging(&answers)?.estimate().ok();
    Ok(judged(&answers, estimate))
}

impl JudgeSpec {
    /// Refuses contradictory options, before anything is opened.
    fn check(&self, written: Option<Written>, has_asker: bool) -> Result<()> {
        if written.is_none() && self.answers.is_empty() {
            return Err(Error::of("⟨output⟩").expected("an output").found("none").hint(
                "⟨output=answers.tsv⟩ asks about each pair in a terminal, ⟨output=judge.html⟩ writes a page to judge them in a browser, ⟨answers⟩ FILE estimates from answers",
            ));
        }
        if matches!(written, Some(Written::Tsv | Written::Jsonl)) && !has_asker {
            return Err(Error::of("⟨output⟩")
                .expected("a page, as there is no terminal to ask in")
                .found("a list of answers")
                .hint(
                    "name a page, as in ⟨output=judge.html⟩, or use tegula judge in a terminal",
                ));
        }
        if let Some(pairs) = self.pairs.filter(|pairs| !(1..=MOST).contains(pairs)) {
            return Err(Error::of("⟨pairs⟩")
                .expected(format!("1 to {MOST}"))
                .found(pairs));
        }
        let of_one = [
            ("⟨threshold⟩", self.threshold.is_some()),
            ("⟨near_misses⟩", self.near_misses),
        ];
        match of_one.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) if self.with.is_some() => Err(Error::of("⟨with⟩")
                .expected(format!("no {option}, which is for a single run"))
                .found("both")
                .hint("leave out one of the two")),
            _ => Ok(()),
        }
    }

    /// What is done with formulas in TSV, read or written.
    fn formulas(&self) -> Result<Formulas> {
        let mut lists = self.answers.iter().chain(&self.output);
        self.formulas
            .of(self.prints_tsv || lists.any(|path| is_tsv(path)))
    }

    /// Pairs below the threshold, searched for if requested.
    fn below(&self, host: &Host) -> Result<Option<Vec<(u64, u64, f64)>>> {
        if !self.near_misses {
            return Ok(None);
        }
        match near_misses::misses(host, &self.run, self.root.as_deref(), NEAR)? {
            Some(found) => {
                if found.pairs.len() == NEAR {
                    host.warn(&format!(
                        "of the pairs below the threshold only the best {NEAR} count"
                    ));
                }
                Ok(Some(found.pairs))
            }
            None => Err(Error::of("⟨near_misses⟩")
                .expected("a recipe with scores and a threshold above 0.1")
                .found("another")
                .at(&self.run)
                .hint("leave it out")),
        }
    }
}

/// The output that a name implies.
fn written(path: &Path) -> Result<Written> {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    match ending.to_str() {
        Some("html") => Ok(Written::Page),
        Some("tsv") => Ok(Written::Tsv),
        Some("jsonl") => Ok(Written::Jsonl),
        _ => Err(Error::of("⟨output⟩")
            .expected("a name that ends in .tsv, .jsonl or .html")
            .at(path)),
    }
}
