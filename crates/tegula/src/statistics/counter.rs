//! Counts terms from any thread, and writes the counts.

use super::file;
use super::table::Statistics;
use super::term::{BYTES, COLUMNS, Counts, Table, Term};
use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::text::classes::Class;
use crate::tsv::Formulas;
use std::collections::HashMap;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Additional bytes of a term during counting: its votes, its spelling.
pub(crate) const BYTES_COUNTED: u64 = 56;

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

    /// The number of units that were added; clears it.
    pub(crate) fn documents(&mut self) -> u64 {
        std::mem::take(&mut self.documents)
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
            held.grow(more, &format!("the table of terms ({terms} so far)")).map_err(|refused| {
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

    /// Writes the terms with a spelling, in Unicode order; the file says what was done with formulas.
    ///
    /// # Errors
    /// Any error from `out`.
    pub fn write(
        self,
        normalise: &str,
        formulas: Formulas,
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        file::write_head(out, self.documents.into_inner(), normalise, None)?;
        file::write_formulas(out, formulas)?;
        writeln!(out, "{COLUMNS}")?;
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
        let (mut cell, rows) = (String::new(), all.len() as u64);
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
            formulas.write(&term, &mut cell);
            writeln!(out, "{cell}\t{documents}\t{occurrences}\t{}", class.name())?;
        }
        file::write_end(out, rows)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ONE;
    use super::*;
    use crate::context::Budget;
    use crate::hash;
    use crate::scratch::Scratch;

    #[test]
    fn counts_are_merged_written_and_read_back() {
        let context = Context::new(1, Budget::OVERHEAD + (64 << 20), Scratch::system());
        let counter = || {
            let counter = Counter::new(&context).unwrap();
            for units in [["a b a", "b c\\d =x"], ["a", "b b"]] {
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
        for formulas in [Formulas::Escaped, Formulas::Kept] {
            file.clear();
            counter().write("x", formulas, &mut file).unwrap();
            let back = Statistics::read(&file[..], "x", None).unwrap();
            assert_eq!((back.documents(), back.len()), (4, 4));
            for word in ["a", "b", "c\\d", "=x"] {
                assert_eq!(of(&back, word), of(&counted, word));
            }
        }
        assert!(
            Statistics::read(&file[..], "y", None)
                .unwrap_err()
                .message()
                .contains("normalised")
        );
        for damaged in [
            "",
            "# tegula statistics 1\n",
            "# tegula statistics 1\n# documents x\n",
        ] {
            assert!(Statistics::read(damaged.as_bytes(), "x", None).is_err());
        }
        let text = String::from_utf8(file).unwrap();
        for (from, to) in [("\t2\t", "\t0\t"), ("\t2\t", "\t"), ("\t3\t4", "\t3\t-4")] {
            assert!(Statistics::read(text.replace(from, to).as_bytes(), "x", None).is_err());
        }
    }
}
