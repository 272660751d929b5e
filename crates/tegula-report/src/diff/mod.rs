//! Compares two runs on the same inputs: which copies each caught (Benko 2013, §3.4).
//!
//! The units are those of the run that splits texts more finely; if both are equal, those of the
//! first. The other run caught a unit if it removed the unit that contains its beginning: so a
//! paragraph is caught with its document. A run of several stages caught what any of its stages
//! caught.

mod cursor;
mod page;
mod tables;

use crate::html::chart::class_of;
use crate::run::{Place, Run, Unit, plural};
use cursor::{Cursor, Spot};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::Level;
use tegula::summary::Amounts;

/// Which of two runs caught a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Caught {
    /// Both did.
    Both,
    /// Only the first.
    First,
    /// Only the second.
    Second,
    /// Neither.
    Neither,
}

impl Caught {
    /// All of them, in display order.
    pub const ALL: [Self; 4] = [Self::Both, Self::First, Self::Second, Self::Neither];

    fn of(first: bool, second: bool) -> Self {
        match (first, second) {
            (true, true) => Self::Both,
            (true, false) => Self::First,
            (false, true) => Self::Second,
            (false, false) => Self::Neither,
        }
    }

    /// In a word, as in lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::First => "first",
            Self::Second => "second",
            Self::Neither => "neither",
        }
    }
}

/// The verdict of a run on a unit.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Fate {
    /// `kept`, `removed` or `marked`.
    pub verdict: String,
    /// The unit that it matches, if there is one.
    pub witness: Option<String>,
    /// The score.
    pub score: Option<f64>,
    /// An exception, or `onion`.
    pub label: Option<String>,
    /// The text of the witness, shown with examples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness_text: Option<String>,
    #[serde(skip)]
    witness_unit: Option<(usize, u64)>,
}

/// A unit, and the verdicts of both runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Its id.
    pub id: String,
    /// Its file.
    pub file: String,
    /// Its record.
    pub record: u64,
    /// Its tokens, as counted by its run.
    pub tokens: u64,
    /// Which runs caught it.
    pub caught: Caught,
    /// The verdict of each run.
    pub fates: [Fate; 2],
    /// Its text, for examples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip)]
    place: Option<Place>,
}

/// A comparison of two runs.
#[derive(Debug, Clone, Serialize)]
pub struct Diff {
    /// The names of the runs.
    pub names: [String; 2],
    /// Their methods, stage by stage.
    pub methods: [Vec<String>; 2],
    /// The level of the units.
    pub level: Level,
    /// Which of the runs the units are from: 0 or 1.
    pub units_of: usize,
    /// By [`Caught`], in the order of [`Caught::ALL`].
    pub total: [Amounts; 4],
    /// The same, by length class.
    pub classes: Vec<[Amounts; 4]>,
    /// Units without a counterpart in the other run; they are in no other count.
    pub unmatched: Amounts,
    /// Some units of each kind, with distinct tokens, in the order of their digests.
    pub examples: Vec<Compared>,
}

/// Receives each compared unit.
pub type Sink<'a> = &'a mut dyn FnMut(&Compared) -> Result<()>;

impl Diff {
    /// Compares two runs in one pass over both; `sink` receives each unit that either caught. Keeps
    /// `examples` units of each kind, without their texts: those with the smallest digests, which
    /// is as good as a random sample and reproducible.
    ///
    /// # Errors
    /// If the runs have different inputs, cannot be compared, or cannot be read.
    pub fn of(runs: [&Run; 2], examples: usize, sink: Sink) -> Result<Self> {
        check(runs)?;
        let driver = driver(runs)?;
        let other = runs[1 - driver];
        let spot = spot(runs, driver)?;
        let files: HashMap<&str, u64> = (0..)
            .zip(other.inputs())
            .map(|(at, input)| (input.name.as_str(), at))
            .collect();
        let mut cursors = other
            .stages()
            .iter()
            .map(|stage| Cursor::new(stage, &files, spot))
            .collect::<Result<Vec<_>>>()?;
        let own = &runs[driver].stages()[0];
        let mut walk = own.walk()?;
        let mut diff = Self {
            names: names(runs),
            methods: runs.map(|run| run.stages().iter().map(crate::run::Stage::method).collect()),
            level: own.level(),
            units_of: driver,
            total: Default::default(),
            classes: Vec::new(),
            unmatched: Amounts::default(),
            examples: Vec::new(),
        };
        let mut chosen: [BTreeMap<u128, Compared>; 4] = Default::default();
        let mut place = cursor::Counter::default();
        while let Some(unit) = walk.step()? {
            let key = place.key(&unit, &files, spot)?;
            if unit.is_reference() {
                continue;
            }
            let one = Amounts {
                units: 1,
                tokens: unit.tokens(),
                bytes: unit.text_bytes(),
            };
            let there = meet(&mut cursors, key)?;
            let Some(opposite) = there.and_then(|at| cursors[at].unit()) else {
                crate::tables::add_amounts(&mut diff.unmatched, one);
                continue;
            };
            if opposite.is_reference() {
                continue;
            }
            let removed = opposite.is_removed();
            let caught = if driver == 0 {
                Caught::of(unit.is_removed(), removed)
            } else {
                Caught::of(removed, unit.is_removed())
            };
            diff.add(caught, one);
            let kind = &mut chosen[caught as usize];
            let wanted = examples > 0
                && (kind.len() < examples
                    || kind
                        .last_key_value()
                        .is_some_and(|(digest, _)| unit.digest() < *digest));
            if caught != Caught::Neither || wanted {
                let mut fates = [fate(&unit, 0), fate(&opposite, there.unwrap_or_default())];
                if driver == 1 {
                    fates.reverse();
                }
                let compared = compared(&unit, caught, fates);
                if caught != Caught::Neither {
                    sink(&compared)?;
                }
                if wanted {
                    kind.insert(unit.digest(), compared);
                    if kind.len() > examples {
                        kind.pop_last();
                    }
                }
            }
        }
        diff.examples = chosen.into_iter().flat_map(BTreeMap::into_values).collect();
        Ok(diff)
    }

    fn add(&mut self, caught: Caught, one: Amounts) {
        crate::tables::add_amounts(&mut self.total[caught as usize], one);
        let class = class_of(one.tokens);
        if self.classes.len() <= class {
            self.classes.resize(class + 1, Default::default());
        }
        crate::tables::add_amounts(&mut self.classes[class][caught as usize], one);
    }

    /// Reads the texts of the examples and of their witnesses.
    ///
    /// # Errors
    /// If the inputs have changed since the runs.
    pub fn fetch(&mut self, runs: [&Run; 2]) -> Result<()> {
        let own = runs[self.units_of];
        let places: Vec<Place> = self
            .examples
            .iter()
            .filter_map(|example| example.place.clone())
            .collect();
        for (example, text) in self.examples.iter_mut().zip(own.texts(&places)?) {
            example.text = text;
        }
        for (side, run) in runs.iter().enumerate() {
            let mut wanted: Vec<(usize, u64)> = self
                .examples
                .iter()
                .filter_map(|e| e.fates[side].witness_unit)
                .collect();
            wanted.sort_unstable();
            wanted.dedup();
            let mut places = Vec::new();
            for (number, stage) in run.stages().iter().enumerate() {
                if !wanted.iter().any(|(stage, _)| *stage == number) {
                    continue;
                }
                stage.for_each(|unit| {
                    if wanted.binary_search(&(number, unit.number())).is_ok() {
                        places.push(Place::of(unit));
                    }
                    Ok(())
                })?;
            }
            // Stages are read in order, and so are the units within them: the positions are in the
            // requested order.
            let texts = run.texts(&places)?;
            for example in &mut self.examples {
                let fate = &mut example.fates[side];
                let at = fate
                    .witness_unit
                    .and_then(|unit| wanted.binary_search(&unit).ok());
                fate.witness_text = at.and_then(|at| texts.get(at).cloned().flatten());
            }
        }
        Ok(())
    }

    /// The share of units on which both runs agree.
    pub fn agreement(&self) -> f64 {
        let [both, _, _, neither] = self.units();
        (both + neither) / self.units().iter().sum::<f64>().max(1.0)
    }

    /// Cohen's kappa: agreement beyond chance for two runs that remove as much; none if chance
    /// explains all of it.
    pub fn kappa(&self) -> Option<f64> {
        let [both, first, second, neither] = self.units();
        let all = both + first + second + neither;
        let (p, q) = ((both + first) / all, (both + second) / all);
        let chance = p * q + (1.0 - p) * (1.0 - q);
        (all > 0.0 && chance < 1.0).then(|| ((both + neither) / all - chance) / (1.0 - chance))
    }

    /// Units that both caught, as a share of those that either caught.
    pub fn overlap(&self) -> Option<f64> {
        let [both, first, second, _] = self.units();
        let either = both + first + second;
        (either > 0.0).then(|| both / either)
    }

    fn units(&self) -> [f64; 4] {
        self.total.map(|amounts| amounts.units as f64)
    }
}

/// Advances all cursors to a position: returns the stage that removed the unit there, else the last
/// that kept it; none if no stage has one.
fn meet(cursors: &mut [Cursor], key: cursor::Key) -> Result<Option<usize>> {
    let mut there = None;
    for (at, cursor) in cursors.iter_mut().enumerate() {
        if cursor.meet(key)? {
            there = Some(at);
            if cursor.unit().is_some_and(|unit| unit.is_removed()) {
                break;
            }
        }
    }
    Ok(there)
}

fn fate(unit: &Unit, stage: usize) -> Fate {
    let Some(verdict) = unit.verdict() else {
        return Fate::default();
    };
    Fate {
        verdict: verdict.verdict.to_owned(),
        witness: verdict.witness_id.map(str::to_owned),
        score: verdict.score,
        label: verdict.label.map(str::to_owned),
        witness_text: None,
        witness_unit: verdict.witness.map(|witness| (stage, witness)),
    }
}

fn compared(unit: &Unit, caught: Caught, fates: [Fate; 2]) -> Compared {
    Compared {
        id: unit.id().to_owned(),
        file: unit.file().to_owned(),
        record: unit.record(),
        tokens: unit.tokens(),
        caught,
        fates,
        text: None,
        place: Some(Place::of(unit)),
    }
}

/// The names of the runs: those of their folders, if they differ.
fn names(runs: [&Run; 2]) -> [String; 2] {
    let names = runs.map(Run::name);
    if names[0] == names[1] {
        ["first".to_owned(), "second".to_owned()]
    } else {
        names
    }
}

/// Refuses runs without decisions, and runs of different inputs.
fn check(runs: [&Run; 2]) -> Result<()> {
    for run in runs {
        if let Some(stage) = run.stages().iter().find(|stage| !stage.is_decided()) {
            return Err(Error::new(
                ErrorKind::Run,
                "the run only found pairs and made no decision: there is nothing to compare",
            )
            .at(stage.folder().path())
            .hint("create it with tegula dedup or tegula mark"));
        }
    }
    let inputs = runs.map(|run| {
        run.inputs()
            .iter()
            .map(|input| (&input.name, input.bytes, &input.modified))
            .collect::<Vec<_>>()
    });
    if inputs[0] != inputs[1] {
        let differs = inputs[0]
            .iter()
            .zip(&inputs[1])
            .find(|(a, b)| a != b)
            .map(|(a, _)| a.0.as_str());
        let which = differs.map_or_else(
            || {
                format!(
                    "the first read {}, the second {}",
                    files(inputs[0].len()),
                    files(inputs[1].len())
                )
            },
            |name| format!("{name} is not the same in both"),
        );
        return Err(Error::new(
            ErrorKind::Run,
            format!("expected two runs on the same inputs: {which}"),
        )
        .at(runs[1].path())
        .hint("run both recipes on the same files"));
    }
    Ok(())
}

fn files(number: usize) -> String {
    crate::form::plural(number as u64, "file")
}

/// The run whose units are compared.
fn driver(runs: [&Run; 2]) -> Result<usize> {
    let last = runs.map(|run| {
        run.stages()
            .last()
            .map_or(Level::Document, crate::run::Stage::level)
    });
    let refused = |what: &str| {
        Err(Error::usage(format!("cannot compare the runs: {what}"))
            .hint("use the folder of one stage instead, as in RUN/3-sentences"))
    };
    match runs.map(Run::is_staged) {
        [true, true] => refused("both have several stages"),
        [true, false] if last[1] < last[0] => refused(&format!(
            "{} splits texts into {}, the first run also into {}",
            runs[1].name(),
            plural(last[1]),
            plural(last[0])
        )),
        [false, true] if last[0] < last[1] => refused(&format!(
            "{} splits texts into {}, the second run also into {}",
            runs[0].name(),
            plural(last[0]),
            plural(last[1])
        )),
        [true, false] => Ok(1),
        [false, true] => Ok(0),
        [false, false] => Ok(usize::from(last[1] > last[0])),
    }
}

/// How units are located in the other run.
fn spot(runs: [&Run; 2], driver: usize) -> Result<Spot> {
    let as_is = [
        runs[0].read_options()?.needs.as_is,
        runs[1].read_options()?.needs.as_is,
    ];
    if as_is[0] == as_is[1] {
        return Ok(Spot::Bytes);
    }
    // Texts assembled from lines in two ways have their paragraphs at different bytes, but equally
    // many.
    let level = runs[driver].stages()[0].level();
    let stages = runs[1 - driver].stages();
    if stages.iter().all(|stage| stage.level() == level) {
        return Ok(Spot::Number);
    }
    if stages.iter().all(|stage| stage.level() == Level::Document) {
        return Ok(Spot::Bytes);
    }
    Err(Error::usage(
        "cannot compare runs by paragraph and by sentence if only one uses lines unchanged",
    )
    .hint("run both with the same ⟨tokens⟩"))
}

#[cfg(test)]
mod tests;
