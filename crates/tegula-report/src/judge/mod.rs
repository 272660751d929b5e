//! Judging pairs by hand: a sample of the pairs of a run, stratified by score (and, with two runs,
//! by which of them has the pair), and estimates for all pairs from the answers.
//!
//! Which pairs of a stratum are drawn depends on their ids and on the seed only, and a larger sample
//! contains a smaller one. Scores are not shown, as they would sway the judge, and pairs of all strata are
//! mixed, so that answers to the first of them are a sample too.
//!
//! # Cost
//! Each table of pairs is read once, with two runs twice. Memory: the sample, for each stratum
//! once; with two runs, 16 bytes for each pair.

mod answers;
mod estimate;
mod page;
mod sample;
mod sheet;
mod strata;
mod tables;
mod texts;

pub use answers::{Answer, Answers};
pub use sample::SampledPair;
pub use sheet::Sheet;
pub use strata::Stratum;
pub use tables::{Estimate, Figure, Row};
pub use texts::Shown;

use crate::run::{Run, Stage};
use estimate::Sample;
use sample::StratifiedSample;
use std::collections::HashSet;
use strata::{Listed, Pair, Source, Strata};
use tegula::error::{Error, ErrorKind, Result};
use tegula::evidence::reaches;
use tegula_io::tables::{Pairs, Verdicts};

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The number of pairs.
    pub pairs: usize,
    /// Other seeds draw other pairs.
    pub seed: u64,
    /// The lowest score of a pair that counts as found; the run's own if not set. Pairs below it that
    /// the run lists are drawn as well, for the recall.
    pub threshold: Option<f64>,
}

/// Pairs below the threshold that a search found later: numbers of two units, and their score.
pub type Below = [(u64, u64, f64)];

/// The pairs of a run, or of two runs, and a sample of them.
#[derive(Debug)]
pub struct Judging {
    /// The names of the runs.
    pub names: Vec<String>,
    /// What pairs are drawn from.
    listed: Listed,
    /// The least similar pairs first.
    strata: Vec<Stratum>,
    samples: Vec<Sample>,
    /// Answers that could not decide.
    unsure: u64,
    /// Answers to pairs that no run lists.
    strangers: u64,
    /// The sample, in the order in which it is shown.
    pub drawn: Vec<SampledPair>,
}

impl Judging {
    /// Draws pairs of one or two runs, and counts the answers so far. `below` are pairs below the
    /// threshold of a single run that it does not list.
    ///
    /// # Errors
    /// If a run cannot be read, lists no pairs, has several stages, or does not reach down to the
    /// threshold; if two runs have different inputs, or units.
    pub fn new(
        runs: &[&Run],
        options: Options,
        answers: &Answers,
        below: Option<&Below>,
    ) -> Result<Self> {
        let stages = runs
            .iter()
            .map(|run| stage(run))
            .collect::<Result<Vec<_>>>()?;
        if let [first, second] = runs {
            check(first, second)?;
        }
        let listed = listed(&stages)?;
        let sources = stages
            .iter()
            .map(|stage| source(stage, listed, options))
            .collect::<Result<Vec<_>>>()?;
        let mut strata = Strata::new();
        let mut sample = StratifiedSample::new(options.pairs, options.seed);
        let mut counted = Counted::default();
        let mut take = |pair: Pair, stratum: Stratum, run: usize| {
            let key = pair.key();
            let at = strata.push(stratum);
            let answer = answers.of(key);
            counted.push(at, answer);
            sample.offer(key, pair, at, run, answer.is_some());
        };
        if let [first, second] = &sources[..] {
            let (in_first, in_second) = (has(first)?, has(second)?);
            for (at, source, other) in [(0, first, &in_second), (1, second, &in_first)] {
                source.for_each(|pair, is_found| {
                    let both = other.contains(&pair.name(listed));
                    if is_found && !(both && at == 1) {
                        let who = if both { 0 } else { 1 + at };
                        take(pair, Stratum::found(pair.score, Some(who)), at);
                    }
                    Ok(())
                })?;
            }
        } else {
            sources[0].for_each(|pair, is_found| {
                take(pair, Stratum::of(pair.score, is_found), 0);
                Ok(())
            })?;
            if let Some(below) = below {
                sources[0].near(stages[0], below, |pair| {
                    take(pair, Stratum::of(pair.score, false), 0);
                })?;
            }
        }
        let order = strata.order();
        let samples = order
            .iter()
            .map(|at| counted.sample(*at, strata.pairs[*at]))
            .collect();
        let judging = Self {
            names: names(runs),
            listed,
            strata: order.iter().map(|at| strata.list[*at]).collect(),
            samples,
            unsure: counted.unsure,
            strangers: answers.len() as u64 - counted.met,
            drawn: sample.finish(&strata.pairs),
        };
        if judging.strata.is_empty() {
            return Err(
                Error::new(ErrorKind::Run, "expected pairs to judge, found none")
                    .at(runs[0].path())
                    .hint("the run found no copies; repeat it with a lower threshold"),
            );
        }
        Ok(judging)
    }
}

/// Counts of answers by stratum.
#[derive(Debug, Default)]
struct Counted {
    /// Judged pairs, and copies among them.
    judged: Vec<(u64, u64)>,
    unsure: u64,
    met: u64,
}

impl Counted {
    fn push(&mut self, stratum: usize, answer: Option<Answer>) {
        if self.judged.len() <= stratum {
            self.judged.resize(stratum + 1, (0, 0));
        }
        self.met += u64::from(answer.is_some());
        match answer {
            None => {}
            Some(Answer::Unsure) => self.unsure += 1,
            Some(answer) => {
                let (judged, copies) = &mut self.judged[stratum];
                *judged += 1;
                *copies += u64::from(answer == Answer::Copies);
            }
        }
    }

    fn sample(&self, stratum: usize, pairs: u64) -> Sample {
        let (judged, copies) = self.judged.get(stratum).copied().unwrap_or_default();
        Sample {
            pairs,
            judged,
            copies,
        }
    }
}

/// The names of runs: those of their folders, or their paths if these are the same.
fn names(runs: &[&Run]) -> Vec<String> {
    let named: Vec<String> = runs.iter().map(|run| run.name()).collect();
    match &named[..] {
        [first, second] if first == second => runs
            .iter()
            .map(|run| run.path().display().to_string())
            .collect(),
        _ => named,
    }
}

/// The single stage of a run.
fn stage(run: &Run) -> Result<&Stage> {
    match run.stages() {
        [stage] if !run.is_staged() => Ok(stage),
        _ => Err(ErrorKind::Usage
            .expected("a run of one stage")
            .found("one of several")
            .at(run.path())
            .hint("use the folder of a stage, as in RUN/1-documents")),
    }
}

/// What the runs list: pairs, or removals with their witnesses if one of them kept no pairs.
fn listed(stages: &[&Stage]) -> Result<Listed> {
    if stages.iter().all(|stage| stage.has::<Pairs>()) {
        return Ok(Listed::Pairs);
    }
    match stages.iter().find(|stage| !stage.has::<Verdicts>()) {
        None => Ok(Listed::Removals),
        Some(stage) => Err(Error::new(
            ErrorKind::Run,
            "expected pairs in both runs or decisions in both, found pairs in one and decisions in the other",
        )
        .at(stage.folder().path())
        .hint("create both with pairs, or with dedup and ⟨evidence=all⟩")),
    }
}

/// The pairs of a stage.
fn source(stage: &Stage, listed: Listed, options: Options) -> Result<Source<'_>> {
    let threshold = options.threshold;
    let mut strict = false;
    if let Some(threshold) = threshold {
        let recipe = stage.recipe()?;
        strict = recipe.measure.is_strict();
        let least = recipe.threshold.as_f64();
        if !recipe.measure.is_equality() && threshold < least {
            return Err(Error::of("⟨threshold⟩")
                .expected(format!("at least {least}, the run's"))
                .found(threshold)
            .at(stage.folder().path())
            .hint(
                "pairs below the run's threshold were not kept; repeat the run with a lower one",
            ));
        }
    }
    Ok(Source {
        folder: stage.folder(),
        listed,
        // A run whose recipe cannot be read any more has all its removals.
        leaves_equal: (stage.recipe()).is_ok_and(|recipe| !recipe.measure.is_equality()),
        is_found: Box::new(move |score| {
            threshold.is_none_or(|threshold| reaches(strict, threshold, score))
        }),
    })
}

/// What a run found, by name.
fn has(source: &Source) -> Result<HashSet<u128>> {
    let mut names = HashSet::new();
    source.for_each(|pair, is_found| {
        if is_found {
            names.insert(pair.name(source.listed));
        }
        Ok(())
    })?;
    Ok(names)
}

/// Refuses two runs of different inputs or units.
fn check(first: &Run, second: &Run) -> Result<()> {
    let inputs = |run: &Run| -> Vec<(String, u64)> {
        let files = run.inputs().iter();
        files.map(|file| (file.name.clone(), file.bytes)).collect()
    };
    let wrong = |what: &str| {
        Err(Error::new(
            ErrorKind::Run,
            format!("expected two runs on the same {what}"),
        )
        .at(second.path())
        .hint("run both recipes on the same files, by the same unit"))
    };
    if inputs(first) != inputs(second) {
        return wrong("inputs");
    }
    if first.stages()[0].level() != second.stages()[0].level() {
        return wrong("units");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
