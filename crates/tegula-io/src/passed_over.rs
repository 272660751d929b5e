//! What files hold besides the records that are compared, counted while they are read: pictures in
//! a web archive, comments in a table; and what was repaired to read a record, or to write it.
//!
//! A file is read several times, and not always to its end; the pass that saw most counts.

use crate::options::FormatName;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Something in a piece of text that is no record to be compared, or that had to be repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Beside {
    /// Where it begins.
    pub(crate) at: usize,
    /// What it is.
    pub(crate) what: What,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// It is not compared, for this reason.
    PassedOver(&'static str),
    /// It is read although this is wrong with it.
    Repaired(&'static str),
}

/// The counts of one file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Tally {
    over: BTreeMap<Cow<'static, str>, u64>,
    /// How many there are, and the offset of the first.
    repaired: BTreeMap<Cow<'static, str>, (u64, u64)>,
}

impl Tally {
    /// Counts what a block holds, which begins at an offset of the file.
    pub(crate) fn add(&mut self, found: &[Beside], offset: u64) {
        for Beside { at, what } in found {
            match what {
                What::PassedOver(why) => *self.over.entry((*why).into()).or_default() += 1,
                What::Repaired(what) => {
                    let first = (0, offset + *at as u64);
                    self.repaired.entry((*what).into()).or_insert(first).0 += 1;
                }
            }
        }
    }

    fn total(&self) -> u64 {
        let repaired = self.repaired.values().map(|(count, _)| count);
        self.over.values().chain(repaired).sum()
    }
}

/// The counts of all files of a collection.
#[derive(Debug, Default)]
pub(crate) struct Tallies(Mutex<BTreeMap<u32, Tally>>);

impl Tallies {
    /// Takes the counts of a pass over a file, as far as it has come.
    pub(crate) fn take(&self, file: u32, tally: &Tally) {
        let mut all = self.by_file();
        let known = all.entry(file).or_default();
        if tally.total() > known.total() {
            known.clone_from(tally);
        }
    }

    /// The counts of a file.
    pub(crate) fn of(&self, file: u32) -> Option<Tally> {
        self.by_file().get(&file).cloned()
    }

    fn by_file(&self) -> MutexGuard<'_, BTreeMap<u32, Tally>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was passed over, by the formats of the files.
    pub(crate) fn passed_over(
        &self,
        format_of: impl Fn(u32) -> Option<FormatName>,
    ) -> Vec<PassedOver> {
        let all = self.by_file();
        let of_format = |format: FormatName| {
            let mut reasons: BTreeMap<Cow<'static, str>, u64> = BTreeMap::new();
            let files = all
                .iter()
                .filter(|(file, _)| format_of(**file) == Some(format));
            for (why, count) in files.flat_map(|(_, tally)| &tally.over) {
                *reasons.entry(why.clone()).or_default() += count;
            }
            let mut reasons: Vec<_> = reasons.into_iter().collect();
            reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            (!reasons.is_empty()).then_some(PassedOver { format, reasons })
        };
        FormatName::ALL.into_iter().filter_map(of_format).collect()
    }

    /// What was repaired, in words: for each kind of damage how often, and where first.
    pub(crate) fn repaired<'a>(&self, name_of: impl Fn(u32) -> &'a str) -> Vec<String> {
        let mut kinds: BTreeMap<Cow<'static, str>, (u64, String)> = BTreeMap::new();
        for (file, tally) in self.by_file().iter() {
            for (what, (count, first)) in &tally.repaired {
                let place = || format!("{} at byte {first}", name_of(*file));
                let kind = kinds.entry(what.clone());
                kind.or_insert_with(|| (0, place())).0 += count;
            }
        }
        kinds
            .into_iter()
            .map(|(what, (count, first))| format!("{what}: {count}, the first in {first}"))
            .collect()
    }
}

/// What was passed over in the files of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    /// The format.
    pub format: FormatName,
    /// What was passed over or why, and how many of it; the most frequent first.
    pub reasons: Vec<(Cow<'static, str>, u64)>,
}

impl PassedOver {
    /// Adds the counts of other files of the format.
    pub fn add(&mut self, other: Self) {
        for (why, count) in other.reasons {
            match self.reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, known)) => *known += count,
                None => self.reasons.push((why, count)),
            }
        }
        self.reasons
            .sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    }

    /// The reasons, each with its count.
    pub fn reasons(&self) -> impl Iterator<Item = (&str, u64)> {
        self.reasons.iter().map(|(why, count)| (&**why, *count))
    }

    /// How much it is in all.
    pub fn total(&self) -> u64 {
        self.reasons.iter().map(|(_, count)| count).sum()
    }
}

/// Values that could not be read, and are null in an output.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Nulls(BTreeMap<(PathBuf, String), NullValues>);

/// Those of a column.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct NullValues {
    count: u64,
    /// Why the first of them could not be read.
    why: String,
}

impl Nulls {
    /// The maximum of columns that are told one by one.
    const NAMED: usize = 5;

    /// Counts values of a column of a file.
    pub(crate) fn count(&mut self, file: &Path, column: &str, count: u64, why: &str) {
        if count > 0 {
            let none = || NullValues {
                count: 0,
                why: why.to_owned(),
            };
            let place = (file.to_path_buf(), column.to_owned());
            self.0.entry(place).or_insert_with(none).count += count;
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for ((file, column), NullValues { count, why }) in &other.0 {
            self.count(file, column, *count, why);
        }
    }

    /// What was lost in an output, in words: a line for each column of each file, as far as they are
    /// few.
    pub fn told(&self, output: &Path) -> Vec<String> {
        let output = output.display();
        let named = self.0.iter().take(Self::NAMED);
        let mut lines: Vec<String> = named
            .map(|((file, column), NullValues { count, why })| {
                let (values, are) = match count {
                    1 => ("value", "is"),
                    _ => ("values", "are"),
                };
                format!(
                    "{}: {count} {values} of the column \"{column}\" could not be read and {are} null in {output}: {why}",
                    file.display()
                )
            })
            .collect();
        let more: Vec<u64> = self
            .0
            .values()
            .skip(Self::NAMED)
            .map(|of| of.count)
            .collect();
        if !more.is_empty() {
            lines.push(format!(
                "{output}: {} more values, in other columns or files, could not be read and are null",
                more.iter().sum::<u64>()
            ));
        }
        lines
    }
}
