//! Look-ups of single pairs in a gold standard.

use super::gold::{self, Gold, Kind};
use super::ids::Ids;
use super::options::ReadOptions;
use std::path::Path;
use tegula::error::Result;

/// The truth about pairs.
#[derive(Debug)]
pub struct Truth {
    ids: Ids,
    gold: Gold,
    /// Whether the gold standard also contains pairs labelled as different.
    negatives: bool,
}

impl Truth {
    /// Reads labelled pairs or groups.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn read(path: &Path, options: &ReadOptions) -> Result<Self> {
        let mut ids = Ids::default();
        let read = gold::read(path, options, &mut ids, &mut [])?;
        let gold = Gold::new(read, &ids);
        let negatives = gold.negatives() > 0;
        Ok(Self {
            ids,
            gold,
            negatives,
        })
    }

    /// Whether two documents are copies; none if unknown: groups that lack one of them, or labelled
    /// pairs, some of them labelled as different, that lack this pair. If the gold standard lists
    /// only copies, all other pairs are different.
    pub fn says(&self, a: &str, b: &str) -> Option<bool> {
        let known = self
            .ids
            .get(a)
            .zip(self.ids.get(b))
            .and_then(|(a, b)| self.gold.says(a, b));
        let lists_all = matches!(self.gold.kind, Kind::Pairs(_)) && !self.negatives;
        known.or(lists_all.then_some(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth(list: &str) -> Truth {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gold.tsv");
        std::fs::write(&path, list).unwrap();
        Truth::read(&path, &ReadOptions::default()).unwrap()
    }

    #[test]
    fn what_is_not_listed_is_false_only_where_the_list_is_of_copies() {
        let groups = truth("id\tgroup\na\t1\nb\t1\nc\t2\n");
        assert_eq!(
            [
                groups.says("a", "b"),
                groups.says("b", "c"),
                groups.says("a", "x")
            ],
            [Some(true), Some(false), None]
        );
        let labelled = truth("id_a\tid_b\tlabel\na\tb\t1\nb\tc\t0\n");
        assert_eq!(
            [
                labelled.says("b", "a"),
                labelled.says("b", "c"),
                labelled.says("a", "c")
            ],
            [Some(true), Some(false), None]
        );
        let copies = truth("a\tb\n");
        assert_eq!(
            [copies.says("a", "b"), copies.says("a", "x")],
            [Some(true), Some(false)]
        );
    }
}
