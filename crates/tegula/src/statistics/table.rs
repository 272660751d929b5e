//! Document frequencies, counted and read back.

use super::file::Lines;
use super::log::log2;
use super::shingles::ShingleCounts;
use super::term::{BYTES, COLUMNS, Counts, Table, Term};
use crate::context::{Context, Reservation};
use crate::error::{Error, Result};
use crate::hash;
use crate::text::classes::Class;
use std::io::BufRead;

/// The number of documents up to which idf is precomputed: enough for almost all terms.
const FEW: u64 = 1 << 13;

/// Document frequencies of a collection.
#[derive(Debug, Default)]
pub struct Statistics {
    documents: u64,
    terms: Table<Term>,
    /// By class, the frequencies of its least and its most frequent term.
    extremes: [Option<(u32, u32)>; Class::ALL.len()],
    /// The idf of terms in 1, 2, 3 units and so on.
    idfs: Vec<u32>,
    shingles: Option<ShingleCounts>,
    digest: u64,
    held: Option<Reservation>,
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
            + self.shingles.as_ref().map_or(0, ShingleCounts::heap_bytes)
    }

    pub(super) fn new(documents: u64, terms: Table<Term>) -> Self {
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
            ..Self::default()
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

    /// Of so many texts, from the number of those with each shingle; `held` is the memory for it.
    pub(crate) fn of_shingles(documents: u64, counts: ShingleCounts, held: Reservation) -> Self {
        Self {
            documents,
            shingles: Some(counts),
            held: Some(held),
            ..Self::default()
        }
    }

    /// Reads what [`Counter::write`] or [`ShingleWriter`] wrote: counts of shingles of this
    /// many tokens, or of terms. `normalise` identifies the steps with which texts must have been
    /// normalised.
    ///
    /// # Errors
    /// If a line is invalid, other features were counted, or texts were normalised differently.
    pub fn read(input: impl BufRead, normalise: &str, shingles: Option<usize>) -> Result<Self> {
        let mut lines = Lines::new(input);
        let documents = lines.head(normalise)?;
        let (counted, columns) = lines.counted()?;
        let wanted = shingles.map(ShingleCounts::describe);
        if counted != wanted {
            let name = |counts: &Option<String>| counts.clone().unwrap_or_else(|| "terms".into());
            return Err(Error::of("statistics")
                .expected(format!("counts of {}", name(&wanted)))
                .found(format!("counts of {}", name(&counted)))
                .hint("count with the same recipe: tegula stats ⟨recipe⟩ ⟨ngram⟩"));
        }
        if shingles.is_some() {
            return Ok(Self {
                documents,
                shingles: Some(ShingleCounts::read(lines, columns)?),
                ..Self::default()
            });
        }
        let mut terms = Table::default();
        let (formulas, columns) = lines.formulas(columns)?;
        if columns.as_deref() != Some(COLUMNS) {
            let found = columns.unwrap_or_default();
            return Err(lines.wrong("the columns 'term' to 'class'", &found));
        }
        while let Some(row) = lines.row()? {
            let fields: Vec<&str> = row.split('\t').collect();
            let [term, documents, occurrences, class] = fields[..] else {
                return Err(lines.wrong("four columns separated by tabs", &row));
            };
            let count = |text: &str| text.parse::<u32>().ok().filter(|count| *count > 0);
            let (Some(documents), Some(occurrences)) = (count(documents), count(occurrences))
            else {
                return Err(lines.wrong("counts above 0", &row));
            };
            let class = Class::named(class).ok_or_else(|| lines.wrong("a word class", class))?;
            terms.insert(
                hash::token(formulas.read(term).as_bytes()).id,
                Term {
                    documents,
                    occurrences,
                    class,
                },
            );
        }
        Ok(Self::new(documents, terms))
    }

    /// The number of texts with each shingle, if shingles were counted.
    pub fn shingles(&self) -> Option<&ShingleCounts> {
        self.shingles.as_ref()
    }

    /// The digest of the file that it was read from.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Notes the digest of its file, and reserves the memory that it takes, as long as it exists.
    ///
    /// # Errors
    /// If there is not enough.
    pub fn hold(&mut self, context: &Context, digest: u64) -> Result<()> {
        self.digest = digest;
        let bytes = self.heap_bytes();
        self.held = Some(context.budget.reserve(bytes, "the table of frequencies")?);
        Ok(())
    }
}
