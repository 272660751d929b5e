//! What is counted of a term.

use crate::hash::Hashed;
use crate::text::classes::Class;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

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

/// Something of each term, by its id.
pub(super) type Table<T> = HashMap<u64, T, BuildHasherDefault<Hashed>>;

/// The columns of a file of terms.
pub(super) const COLUMNS: &str = "term\tdocuments\toccurrences\tclass";

/// Bytes of a term in a table, including its share of empty slots.
pub(crate) const BYTES: u64 = 40;
/// The counts of a term so far.
#[derive(Debug, Default)]
pub(super) struct Counts {
    documents: u32,
    occurrences: u32,
    votes: Option<Box<[u32; Class::ALL.len()]>>,
    /// For statistics that are written.
    pub(super) spelling: Option<Box<str>>,
}

impl Counts {
    /// Adds occurrences of one class, and the units they are in.
    pub(super) fn add(&mut self, class: Class, documents: u32, occurrences: u32) {
        self.documents = self.documents.saturating_add(documents);
        self.occurrences = self.occurrences.saturating_add(occurrences);
        if class != Class::default() || self.votes.is_some() {
            // Votes for the first class, which all terms have if classes were not requested, follow
            // from the sum.
            let votes = self.votes.get_or_insert_default();
            votes[class as usize] = votes[class as usize].saturating_add(occurrences);
        }
    }

    pub(super) fn term(&self) -> Term {
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
