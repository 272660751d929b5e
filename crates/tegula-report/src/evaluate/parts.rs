//! Paragraphs and sentences that represent their documents: how much of each document is in parts
//! that match parts of another.

use super::found::Pair;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// The parts of documents, and their matches.
#[derive(Default)]
pub(super) struct Parts {
    /// For each part, its document and its tokens.
    by_id: HashMap<Box<str>, (Arc<str>, u32)>,
    /// The document of the last part.
    last: Option<Arc<str>>,
    /// By document, the tokens of all its parts.
    totals: HashMap<u32, u64>,
    /// Parts already counted for a document that they match.
    counted: HashSet<(Box<str>, u32)>,
    /// By two documents, the lower first, the tokens of each in parts that match the other.
    shared: BTreeMap<(u32, u32), [u64; 2]>,
}

impl Parts {
    /// Adds a part of a document.
    pub(super) fn push(&mut self, id: &str, (name, document): (&str, u32), tokens: u32) {
        // Parts of a document are consecutive.
        let name = self
            .last
            .take()
            .filter(|last| **last == *name)
            .unwrap_or_else(|| name.into());
        self.last = Some(Arc::clone(&name));
        self.by_id.insert(id.into(), (name, tokens));
        *self.totals.entry(document).or_default() += u64::from(tokens);
    }

    /// The document of a part.
    pub(super) fn document(&self, id: &str) -> Option<Arc<str>> {
        self.by_id.get(id).map(|(document, _)| Arc::clone(document))
    }

    /// Counts two matching parts, each with its document; returns whether both are known.
    pub(super) fn pair(&mut self, (id_a, a): (&str, u32), (id_b, b): (&str, u32)) -> bool {
        let (Some((_, of_a)), Some((_, of_b))) = (self.by_id.get(id_a), self.by_id.get(id_b))
        else {
            return false;
        };
        let (of_a, of_b) = (u64::from(*of_a), u64::from(*of_b));
        let shared = self.shared.entry((a.min(b), a.max(b))).or_default();
        for (id, tokens, own, other) in [(id_a, of_a, a, b), (id_b, of_b, b, a)] {
            if self.counted.insert((id.into(), other)) {
                shared[usize::from(own > other)] += tokens;
            }
        }
        true
    }

    /// The pairs of documents; the score is the larger share of their tokens.
    pub(super) fn into_pairs(self) -> Vec<Pair> {
        let share = |part: u64, of: u32| {
            part as f64 / self.totals.get(&of).copied().unwrap_or(0).max(1) as f64
        };
        let pair = |(&(a, b), &[in_a, in_b]): (&(u32, u32), &[u64; 2])| Pair {
            a,
            b,
            score: share(in_a, a).max(share(in_b, b)),
        };
        self.shared.iter().map(pair).collect()
    }
}
