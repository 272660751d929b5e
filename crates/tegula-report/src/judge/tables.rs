//! What answers say about all pairs: estimates, what they cover, and both as tables.

use super::Judging;
use super::estimate::{Estimated, Sample, ratio, sum};
use super::strata::{Listed, Stratum};
use crate::evaluate::{Gap, Interval, sentence};
use crate::form::{count, plural};
use crate::table::{Cell, Kind, Table};
use serde::Serialize;
use tegula::error::{ErrorKind, Result};

/// An estimated figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// Its name: `precision`, `recall`, or their difference.
    pub name: &'static str,
    /// The run that it refers to; for a difference, the second minus the first.
    pub run: String,
    /// The estimate.
    pub value: f64,
    /// Its 95 % interval.
    pub interval: Interval,
}

/// Judged pairs of a stratum.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Which pairs: `found` or `below`; with two runs `both`, or those of only one.
    pub of: String,
    /// Their scores.
    pub scores: String,
    /// All of them.
    pub pairs: u64,
    /// Those judged.
    pub judged: u64,
    /// Copies among these.
    pub copies: u64,
    /// Their share, if any was judged.
    pub share: Option<f64>,
    /// Its interval.
    pub interval: Option<Interval>,
}

/// The estimates, and what they are from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// The figures.
    pub figures: Vec<Figure>,
    /// What the figures cover, and what they do not; with two runs, which is better.
    pub says: Vec<String>,
    /// By stratum.
    pub strata: Vec<Row>,
}

impl Judging {
    /// Estimates from the answers.
    ///
    /// # Errors
    /// If no answer is about a pair of the runs.
    pub fn estimate(&self) -> Result<Estimate> {
        if self.samples.iter().all(|sample| sample.judged == 0) {
            let found = match self.strangers {
                0 => "none".to_owned(),
                others => format!("{} to other pairs", plural(others, "answer")),
            };
            return Err(ErrorKind::Data
                .expected("answers to pairs of the run")
                .found(found)
                .hint("use the answers to pairs that were drawn from this run"));
        }
        let (figures, better) = match &self.names[..] {
            [first, second] => self.of_two(first, second),
            _ => (self.of_one(), Vec::new()),
        };
        let mut says = self.covered(&figures);
        says.extend(better);
        Ok(Estimate {
            figures,
            says,
            strata: self.judged(),
        })
    }

    /// Whether there are pairs below the threshold.
    pub fn has_below(&self) -> bool {
        self.strata.iter().any(|stratum| !stratum.found)
    }

    /// The number of pairs in strata of some kind; those without answers count as none.
    fn weight(&self, at: usize, of: impl Fn(&Stratum) -> bool) -> f64 {
        if self.samples[at].judged > 0 && of(&self.strata[at]) {
            self.samples[at].pairs as f64
        } else {
            0.0
        }
    }

    fn pairs(&self, of: impl Fn(&Stratum, &Sample) -> bool) -> u64 {
        let all = self.strata.iter().zip(&self.samples);
        all.filter(|(stratum, sample)| of(stratum, sample))
            .map(|(_, sample)| sample.pairs)
            .sum()
    }

    /// The share of copies among strata of some kind.
    fn precision(&self, of: impl Fn(&Stratum) -> bool + Copy) -> Option<Estimated> {
        let all: f64 = (0..self.strata.len()).map(|at| self.weight(at, of)).sum();
        (all > 0.0).then(|| clamped(sum(&self.samples, |at| self.weight(at, of) / all)))
    }

    /// The share of all copies that are in strata of some kind.
    fn recall(&self, of: impl Fn(&Stratum) -> bool + Copy) -> Option<Estimated> {
        ratio(
            &self.samples,
            |at| self.weight(at, of),
            |at| self.weight(at, |_| true),
            (0.0, 1.0),
        )
    }

    fn of_one(&self) -> Vec<Figure> {
        let run = self.names.first().cloned().unwrap_or_default();
        let figure = |name, found: Option<Estimated>| {
            found.map(|found| Figure {
                name,
                run: run.clone(),
                value: found.value,
                interval: found.interval,
            })
        };
        let below = (0..self.strata.len()).any(|at| self.weight(at, |one| !one.found) > 0.0);
        let found = self.precision(|one| one.found);
        let recall = found.and_then(|_| self.recall(|one| one.found));
        [
            figure("precision", found),
            figure("recall", recall.filter(|_| below)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// The figures of two runs, and sentences that compare them.
    fn of_two(&self, first: &str, second: &str) -> (Vec<Figure>, Vec<String>) {
        let names = [first, second];
        let (mut figures, mut says) = (Vec::new(), Vec::new());
        let has = |run: usize| move |one: &Stratum| one.who == Some(0) || one.who == Some(1 + run);
        let precision = [0, 1].map(|run| self.precision(has(run)));
        let recall = [0, 1].map(|run| self.recall(has(run)));
        let all = [0, 1].map(|run| {
            let weights = (0..self.strata.len()).map(|at| self.weight(at, has(run)));
            weights.sum::<f64>().max(1.0)
        });
        let share = |at: usize, run: usize| self.weight(at, has(run)) / all[run];
        let gap = |at: usize| share(at, 1) - share(at, 0);
        let more = |at: usize| self.weight(at, has(1)) - self.weight(at, has(0));
        let differences = [
            Some(sum(&self.samples, gap)),
            ratio(
                &self.samples,
                more,
                |at| self.weight(at, |_| true),
                (-1.0, 1.0),
            ),
        ];
        for (name, of, difference) in [
            ("precision", precision, differences[0]),
            ("recall", recall, differences[1]),
        ] {
            for (run, found) in names.iter().zip(of) {
                figures.extend(found.map(|found| Figure {
                    name,
                    run: (*run).to_owned(),
                    value: found.value,
                    interval: found.interval,
                }));
            }
            if let ([Some(a), Some(b)], Some(difference)) = (of, difference) {
                let name_of_both = if name == "recall" {
                    "difference in recall"
                } else {
                    "difference in precision"
                };
                figures.push(Figure {
                    name: name_of_both,
                    run: format!("{second} - {first}"),
                    value: difference.value,
                    interval: difference.interval,
                });
                let gap = Gap {
                    difference: difference.value,
                    interval: Some(difference.interval),
                };
                let (a, b) = ((first, Some(a.value)), (second, Some(b.value)));
                says.push(sentence("", name, gap, a, b));
            }
        }
        (figures, says)
    }

    /// What figures cover, in sentences.
    fn covered(&self, figures: &[Figure]) -> Vec<String> {
        let two = self.names.len() > 1;
        let mut says = Vec::new();
        let judged = self.pairs(|stratum, sample| stratum.found && sample.judged > 0);
        if judged > 0 {
            let by = if two { "either run" } else { "the run" };
            says.push(match self.listed {
                Listed::Pairs => format!(
                    "Precision: the share of copies among {} found by {by}.",
                    plural(judged, "pair")
                ),
                Listed::Removals => format!(
                    "Precision: the share, among {} that {by} removed, whose witness is a copy.",
                    plural(judged, "unit")
                ),
            });
        }
        let lacking = self.pairs(|_, sample| sample.judged == 0);
        if lacking > 0 {
            says.push(format!(
                "Not covered, as no pair of their strata is judged: {}.",
                plural(lacking, "pair")
            ));
        }
        says.push(
            match self.listed {
                Listed::Pairs => "Pairs of equal texts are not among them: of each group of equal texts one is listed.",
                Listed::Removals => "Removals of texts with the same tokens as their witness are not among them, unless the recipe finds no others.",
            }
            .to_owned(),
        );
        let recall = figures.iter().any(|figure| figure.name == "recall");
        if two && recall {
            says.push("Recall: a run's share of the copies that either run found; copies that both missed are not counted.".to_owned());
        } else if recall {
            let below = self.pairs(|stratum, sample| !stratum.found && sample.judged > 0);
            let lowest = self.strata.iter().filter(|one| !one.found);
            let lowest = lowest.map(|one| one.tenth).min().unwrap_or_default();
            says.push(format!(
                "Recall: of all copies among these and {} below the threshold (down to scores in {}), the share that was found; \
                 less similar copies are not counted, and would lower it.",
                plural(below, "pair"),
                Stratum { found: false, who: None, tenth: lowest }.scores()
            ));
        } else {
            says.push("There is no recall without judged pairs below the threshold.".to_owned());
        }
        if self.unsure > 0 {
            says.push(format!(
                "Excluded, as undecided: {}.",
                plural(self.unsure, "pair")
            ));
        }
        if self.strangers > 0 {
            says.push(format!(
                "Excluded, as pairs that are not listed here: {}.",
                plural(self.strangers, "answer")
            ));
        }
        says
    }

    /// The strata, the most similar pairs first.
    fn judged(&self) -> Vec<Row> {
        let row = |(stratum, sample): (&Stratum, &Sample)| {
            let share = sample.share();
            let is_judged = sample.judged > 0;
            Row {
                of: match stratum.who {
                    None if stratum.found => "found".to_owned(),
                    None => "below".to_owned(),
                    Some(0) => "both".to_owned(),
                    Some(run) => format!("only {}", self.names[run - 1]),
                },
                scores: stratum.scores(),
                pairs: sample.pairs,
                judged: sample.judged,
                copies: sample.copies,
                share: is_judged.then_some(share.value),
                interval: is_judged.then_some(share.interval),
            }
        };
        let all = self.strata.iter().zip(&self.samples);
        all.rev().map(row).collect()
    }
}

/// A share is from 0 to 1.
fn clamped(found: Estimated) -> Estimated {
    Estimated {
        value: found.value,
        interval: Interval {
            low: found.interval.low.max(0.0),
            high: found.interval.high.min(1.0),
        },
    }
}

impl Estimate {
    /// The tables: the figures, and the strata.
    pub fn tables(&self) -> Vec<Table> {
        let ends = |interval: Interval| Cell::Interval([interval.low, interval.high]);
        let columns = [
            ("Figure", Kind::Text),
            ("Run", Kind::Text),
            ("Estimate", Kind::Score),
            ("Estimate", Kind::Interval),
        ];
        let judged: u64 = self.strata.iter().map(|stratum| stratum.judged).sum();
        let title = format!("Estimates from {}", plural(judged, "judged pair"));
        let mut figures = Table::new("estimates", &title, &columns);
        for figure in &self.figures {
            figures.rows.push(vec![
                Cell::Text(figure.name.to_owned()),
                Cell::Text(figure.run.clone()),
                Cell::Share(figure.value),
                ends(figure.interval),
            ]);
        }
        figures.note = self.says.join(" ");
        let columns = [
            ("Pairs", Kind::Text),
            ("Score", Kind::Text),
            ("Number", Kind::Count),
            ("Judged", Kind::Count),
            ("Copies", Kind::Count),
            ("Share", Kind::Score),
            ("Share", Kind::Interval),
        ];
        let mut strata = Table::new("strata", "By stratum", &columns);
        for one in &self.strata {
            strata.rows.push(vec![
                Cell::Text(one.of.clone()),
                Cell::Text(one.scores.clone()),
                Cell::Count(one.pairs),
                Cell::Count(one.judged),
                Cell::Count(one.copies),
                one.share.map_or(Cell::Empty, Cell::Share),
                one.interval.map_or(Cell::Empty, ends),
            ]);
        }
        let all: u64 = self.strata.iter().map(|stratum| stratum.pairs).sum();
        strata.note = format!(
            "A figure weighs each stratum by its number of pairs, {} in all.",
            count(all)
        );
        vec![figures, strata]
    }
}
