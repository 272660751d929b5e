//! Statistics of terms: in how many units each occurs, and how often. Counted over a collection,
//! merged, saved, and read back.
//!
//! A term is a token after normalisation, identified by 64 bits. Logarithms are computed in
//! integers, so that weights and all results based on them are the same on every machine.

use crate::context::{Context, Reservation};
use crate::error::{Error, Result};
use crate::hash::{self, Hashed};
use crate::text::classes::Class;
use crate::tsv;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The counts of a term.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Term {
    /// The number of units that contain it.
    pub documents: u32,
    /// Its occurrences in all of them.
    pub occurrences: u32,
    /// Its word class, if classes were requested: that of most of its occurrences, with ties broken
    /// by the order of classes.
    pub class: Class,
}

type Table<T> = HashMap<u64, T, BuildHasherDefault<Hashed>>;

/// Document frequencies of a collection.
#[derive(Debug, Default)]
pub struct Statistics {
    documents: u64,
    terms: Table<Term>,
    /// By class, the frequencies of its least and its most frequent term.
    extremes: [Option<(u32, u32)>; Class::ALL.len()],
    /// The idf of terms in 1, 2, 3 units and so on.
    idfs: Vec<u32>,
}

/// The unit of fixed-point logarithms: 1.0 as an integer.
pub const ONE: u32 = 1 << 10;

/// The binary logarithm of `a / b` in steps of 1/1024, rounded down; 0 unless `a` is above `b`.
pub fn log2(a: u64, b: u64) -> u32 {
    if a <= b || b == 0 {
        return 0;
    }
    let ratio = (u128::from(a) << 64) / u128::from(b);
    let whole = ratio.ilog2();
    // The mantissa, 1.0 to 2.0 in steps of 2^-31; squared, its carry is the next bit of the
    // logarithm.
    let mut mantissa = (ratio >> (whole - 31)) as u64;
    let mut log = whole - 64;
    for _ in 0..10 {
        mantissa = (mantissa * mantissa) >> 31;
        let carry = mantissa >> 32;
        mantissa >>= carry;
        log = log << 1 | carry as u32;
    }
    log
}

impl Statistics {
    /// The number of units in the collection.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The counts of the term with this id.
    #[inline]
    pub fn term(&self, id: u64) -> Option<Term> {
        self.terms.get(&id).copied()
    }

    /// idf = log2(N / n) in steps of 1/1024; a term in no unit counts as in a single one.
    pub fn idf(&self, documents: u32) -> u32 {
        let documents = documents.max(1);
        let known = self.idfs.get(documents as usize - 1).copied();
        known.unwrap_or_else(|| log2(self.documents, u64::from(documents)))
    }

    /// The maximum idf, log2(N).
    pub fn highest_idf(&self) -> u32 {
        log2(self.documents, 1)
    }

    /// The occurrences of the least and the most frequent term of a class.
    pub fn extremes(&self, class: Class) -> Option<(u32, u32)> {
        self.extremes[class as usize]
    }

    /// The sum of `f` over all terms.
    pub fn sum(&self, f: impl Fn(Term) -> u64) -> u64 {
        self.terms
            .values()
            .fold(0, |sum, term| sum.saturating_add(f(*term)))
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> u64 {
        self.terms.capacity() as u64 * BYTES
    }

    fn new(documents: u64, terms: Table<Term>) -> Self {
        let mut extremes = [None; Class::ALL.len()];
        // Minimum and maximum do not depend on the order of the table.
        #[expect(
            clippy::iter_over_hash_type,
            reason = "the least and the greatest are the same in any order"
        )]
        for term in terms.values() {
            let (least, greatest) =
                extremes[term.class as usize].get_or_insert((term.occurrences, term.occurrences));
            *least = (*least).min(term.occurrences);
            *greatest = (*greatest).max(term.occurrences);
        }
        let few = terms
            .values()
            .map(|term| u64::from(term.documents))
            .max()
            .unwrap_or(0)
            .min(FEW);
        let idfs = (1..=few).map(|few| log2(documents, few)).collect();
        Self {
            documents,
            terms,
            extremes,
            idfs,
        }
    }

    /// Of so many units, from the [counts](Pending::counts) of all of them.
    pub(crate) fn of(
        documents: u64,
        counts: impl IntoIterator<Item = (u64, Class, u32, u32)>,
    ) -> Self {
        let mut table = Table::<Counts>::default();
        for (id, class, documents, occurrences) in counts {
            table
                .entry(id)
                .or_default()
                .add(class, documents, occurrences);
        }
        let terms = table.into_iter().map(|(id, counts)| (id, counts.term()));
        Self::new(documents, terms.collect())
    }

    /// Reads the output of [`Counter::write`]; `normalise` identifies the steps with which the
    /// terms must have been normalised.
    ///
    /// # Errors
    /// If a line is invalid, or the terms were normalised differently.
    pub fn read(input: impl BufRead, normalise: &str) -> Result<Self> {
        let mut lines = (1..).zip(input.lines());
        let mut line = || -> Result<Option<(u64, String)>> {
            match lines.next() {
                None => Ok(None),
                Some((number, Ok(line))) => Ok(Some((number, line))),
                Some((number, Err(error))) => Err(Error::data(format!(
                    "line {number}: expected UTF-8 text: {error}"
                ))
                .hint("create it again with tegula stats")),
            }
        };
        let wrong = |number: u64, expected: &str, found: &str| {
            let found: String = found.chars().take(60).collect();
            Error::data(format!(
                "line {number}: expected {expected}, found '{found}'"
            ))
            .hint("create it again with tegula stats")
        };
        let mut head = |name: &str| {
            let (number, line) = line()?.unwrap_or_default();
            match line
                .strip_prefix("# ")
                .and_then(|line| line.strip_prefix(name))
            {
                Some(value) => Ok((number, value.trim().to_owned())),
                None => Err(wrong(number.max(1), &format!("'# {name}'"), &line)),
            }
        };
        head(MAGIC)?;
        let (number, documents) = head("documents")?;
        let documents = documents
            .parse()
            .map_err(|_| wrong(number, "a number of documents", &documents))?;
        let (_, steps) = head("normalise")?;
        if steps != normalise {
            return Err(Error::usage(format!(
                "statistics: their terms were normalised with {steps}, those of the recipe with {normalise}"
            ))
            .hint("create statistics with the recipe's normalisation: tegula stats ⟨normalize⟩ or ⟨recipe⟩"));
        }
        let mut terms = Table::default();
        while let Some((number, line)) = line()? {
            if line == COLUMNS {
                continue;
            }
            let fields: Vec<&str> = line.split('\t').collect();
            let [term, documents, occurrences, class] = fields[..] else {
                return Err(wrong(number, "four columns separated by tabs", &line));
            };
            let count = |text: &str| text.parse::<u32>().ok().filter(|count| *count > 0);
            let (Some(documents), Some(occurrences)) = (count(documents), count(occurrences))
            else {
                return Err(wrong(number, "counts above 0", &line));
            };
            let class = Class::named(class).ok_or_else(|| wrong(number, "a word class", class))?;
            terms.insert(
                hash::token(tsv::unescape(term).as_bytes()).id,
                Term {
                    documents,
                    occurrences,
                    class,
                },
            );
        }
        Ok(Self::new(documents, terms))
    }
}

const MAGIC: &str = "tegula statistics 1";
const COLUMNS: &str = "term\tdocuments\toccurrences\tclass";

/// The number of documents up to which idf is precomputed: enough for almost all terms.
const FEW: u64 = 1 << 13;
/// Bytes of a term in a table, including its share of empty slots.
pub(crate) const BYTES: u64 = 40;
/// Additional bytes of a term during counting: its votes, its spelling.
pub(crate) const BYTES_COUNTED: u64 = 56;

#[derive(Debug, Default)]
struct Counts {
    documents: u32,
    occurrences: u32,
    votes: Option<Box<[u32; Class::ALL.len()]>>,
    spelling: Option<Box<str>>,
}

/// Counts terms, from any thread.
#[derive(Debug)]
pub struct Counter {
    shards: Vec<Mutex<Table<Counts>>>,
    documents: AtomicU64,
    held: Mutex<Reservation>,
    terms: AtomicU64,
}

/// A thread's counts before they are added to a [`Counter`].
#[derive(Debug, Default)]
pub struct Pending {
    documents: u64,
    rows: Vec<(u64, u32, Class)>,
    spelled: HashMap<u64, Box<str>>,
    unit: Vec<(u64, Class)>,
}

impl Pending {
    /// For each term and class how many units and occurrences were added, in order; clears them.
    pub(crate) fn counts(&mut self) -> Vec<(u64, Class, u32, u32)> {
        self.rows.sort_unstable_by_key(|row| (row.0, row.2));
        let counts = self
            .rows
            .chunk_by(|a, b| (a.0, a.2) == (b.0, b.2))
            .map(|rows| {
                let units = rows.iter().map(|row| row.1).sum();
                (rows[0].0, rows[0].2, units, rows.len() as u32)
            })
            .collect();
        self.rows.clear();
        counts
    }

    /// Adds an occurrence of a term to the current unit.
    pub fn push(&mut self, id: u64, class: Class) {
        self.unit.push((id, class));
    }

    /// Sets the spelling of a term, for statistics that are written.
    pub fn spell(&mut self, id: u64, term: &str) {
        self.spelled.entry(id).or_insert_with(|| term.into());
    }

    /// Ends a unit.
    pub fn end_unit(&mut self) {
        self.documents += 1;
        self.unit.sort_unstable();
        let mut last = None;
        for (id, class) in self.unit.drain(..) {
            // The first row of a term in a unit counts the unit.
            self.rows.push((id, u32::from(last != Some(id)), class));
            last = Some(id);
        }
    }
}

const SHARDS: usize = 64;

impl Counter {
    /// An empty counter.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            documents: AtomicU64::new(0),
            held: Mutex::new(context.budget.reserve(0, "the table of terms")?),
            terms: AtomicU64::new(0),
        })
    }

    /// The number of units counted.
    pub fn documents(&self) -> u64 {
        self.documents.load(Ordering::Relaxed)
    }

    /// The number of distinct terms counted.
    pub fn terms(&self) -> u64 {
        self.terms.load(Ordering::Relaxed)
    }

    /// Adds a thread's counts, and clears them.
    ///
    /// # Errors
    /// If the table of terms does not fit in memory.
    pub fn take(&self, pending: &mut Pending) -> Result<()> {
        self.documents
            .fetch_add(std::mem::take(&mut pending.documents), Ordering::Relaxed);
        pending.rows.sort_unstable_by_key(|row| row.0);
        let mut fresh = 0;
        for shard in pending.rows.chunk_by(|a, b| a.0 >> 58 == b.0 >> 58) {
            let mut table = self.shards[(shard[0].0 >> 58) as usize]
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let before = table.len();
            for (id, documents, class) in shard {
                let counts = table.entry(*id).or_default();
                counts.add(*class, *documents, 1);
                if counts.spelling.is_none()
                    && let Some(term) = pending.spelled.get(id)
                {
                    counts.spelling = Some(term.clone());
                }
            }
            fresh += (table.len() - before) as u64;
        }
        pending.rows.clear();
        pending.spelled.clear();
        if fresh > 0 {
            let terms = self.terms.fetch_add(fresh, Ordering::Relaxed) + fresh;
            let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            let more = (terms * (BYTES + BYTES_COUNTED)).saturating_sub(held.bytes());
            held.grow(more, &format!("the table of terms, which are {terms} so far,")).map_err(|refused| {
                let enough = refused.enough().unwrap_or_default();
                refused.raise_to(
                    enough,
                    ", or take frequencies of a sample of the collection: tegula stats, then ⟨statistics⟩",
                )
            })?;
        }
        Ok(())
    }

    /// The counts; their memory stays reserved as long as the counter, which is then empty.
    pub fn finish(&self) -> Statistics {
        let mut terms = Table::default();
        for shard in &self.shards {
            let shard = std::mem::take(&mut *shard.lock().unwrap_or_else(PoisonError::into_inner));
            terms.extend(shard.into_iter().map(|(id, counts)| (id, counts.term())));
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let more = held.bytes().saturating_sub(terms.len() as u64 * BYTES);
        held.shrink(more);
        Statistics::new(self.documents.load(Ordering::Relaxed), terms)
    }

    /// Writes the terms with a spelling, in Unicode order.
    ///
    /// # Errors
    /// Any error from `out`.
    pub fn write(self, normalise: &str, out: &mut dyn Write) -> std::io::Result<()> {
        writeln!(
            out,
            "# {MAGIC}\n# documents {}\n# normalise {normalise}\n{COLUMNS}",
            self.documents.into_inner()
        )?;
        let mut all: Vec<(Box<str>, Term)> = Vec::new();
        for shard in self.shards {
            let shard = shard.into_inner().unwrap_or_else(PoisonError::into_inner);
            all.extend(
                shard
                    .into_values()
                    .filter_map(|mut counts| Some((counts.spelling.take()?, counts.term()))),
            );
        }
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut cell = String::new();
        for (
            term,
            Term {
                documents,
                occurrences,
                class,
            },
        ) in all
        {
            cell.clear();
            tsv::escape(&term, &mut cell);
            writeln!(out, "{cell}\t{documents}\t{occurrences}\t{}", class.name())?;
        }
        Ok(())
    }
}

impl Counts {
    /// Adds occurrences of one class, and the units they are in.
    fn add(&mut self, class: Class, documents: u32, occurrences: u32) {
        self.documents = self.documents.saturating_add(documents);
        self.occurrences = self.occurrences.saturating_add(occurrences);
        if class != Class::default() || self.votes.is_some() {
            // Votes for the first class, which all terms have if classes were not requested, follow
            // from the sum.
            let votes = self.votes.get_or_insert_default();
            votes[class as usize] = votes[class as usize].saturating_add(occurrences);
        }
    }

    fn term(&self) -> Term {
        let mut class = Class::default();
        if let Some(votes) = &self.votes {
            let mut votes = **votes;
            let others: u32 = votes.iter().sum();
            votes[Class::default() as usize] += self.occurrences.saturating_sub(others);
            let most = votes.iter().copied().max().unwrap_or(0);
            class = Class::ALL
                .into_iter()
                .find(|class| votes[*class as usize] == most)
                .unwrap_or_default();
        }
        Term {
            documents: self.documents,
            occurrences: self.occurrences,
            class,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Budget;
    use crate::scratch::Scratch;

    #[test]
    fn logarithms_are_those_of_the_mathematicians() {
        assert_eq!(log2(8, 1), 3 * ONE);
        assert_eq!(log2(1, 1), 0);
        assert_eq!(log2(1, 2), 0);
        for (a, b) in [
            (3, 2),
            (10, 1),
            (1_000_000, 7),
            (u64::MAX, 1),
            (u64::MAX, u64::MAX - 1),
            (1001, 1000),
        ] {
            let expected = ((a as f64).log2() - (b as f64).log2()) * f64::from(ONE);
            let found = f64::from(log2(a, b));
            assert!(
                (found - expected).abs() <= 1.01,
                "{a}/{b}: {found} {expected}"
            );
        }
    }

    #[test]
    fn counts_are_merged_written_and_read_back() {
        let context = Context::new(1, Budget::OVERHEAD + (64 << 20), Scratch::system());
        let counter = || {
            let counter = Counter::new(&context).unwrap();
            for units in [["a b a", "b c\\d"], ["a", "b b"]] {
                let mut pending = Pending::default();
                for unit in units {
                    for word in unit.split(' ') {
                        let id = hash::token(word.as_bytes()).id;
                        pending.push(id, Class::default());
                        pending.spell(id, word);
                    }
                    pending.end_unit();
                }
                counter.take(&mut pending).unwrap();
            }
            counter
        };
        let counted = counter().finish();
        assert_eq!(counted.documents(), 4);
        let of = |statistics: &Statistics, word: &str| {
            statistics.term(hash::token(word.as_bytes()).id).unwrap()
        };
        assert_eq!(
            (of(&counted, "a").documents, of(&counted, "a").occurrences),
            (2, 3)
        );
        assert_eq!(
            (of(&counted, "b").documents, of(&counted, "b").occurrences),
            (3, 4)
        );
        assert_eq!(counted.idf(1), 2 * ONE);
        let mut file = Vec::new();
        counter().write("x", &mut file).unwrap();
        let back = Statistics::read(&file[..], "x").unwrap();
        assert_eq!((back.documents(), back.len()), (4, 3));
        for word in ["a", "b", "c\\d"] {
            assert_eq!(of(&back, word), of(&counted, word));
        }
        assert!(
            Statistics::read(&file[..], "y")
                .unwrap_err()
                .message()
                .contains("normalised")
        );
        for damaged in [
            "",
            "# tegula statistics 1\n",
            "# tegula statistics 1\n# documents x\n",
        ] {
            assert!(Statistics::read(damaged.as_bytes(), "x").is_err());
        }
        let text = String::from_utf8(file).unwrap();
        for (from, to) in [("\t2\t", "\t0\t"), ("\t2\t", "\t"), ("\t3\t4", "\t3\t-4")] {
            assert!(Statistics::read(text.replace(from, to).as_bytes(), "x").is_err());
        }
    }
}
