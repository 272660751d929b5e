//! The answers of a judge: read and written as labelled pairs, which can also serve as a gold
//! standard.

use super::strata::key;
use crate::evaluate::{Labelled, labelled, says};
use std::collections::HashMap;
use std::path::Path;
use tegula::error::{ErrorKind, Result};
use tegula::tsv::Formulas;

/// A judge's answer about a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// They are copies.
    Copies,
    /// They are not copies.
    Different,
    /// It could not be decided.
    Unsure,
}

impl Answer {
    /// Its label: 1, 0 or `?`.
    pub fn label(self) -> &'static str {
        match self {
            Self::Copies => "1",
            Self::Different => "0",
            Self::Unsure => "?",
        }
    }

    /// The answer that a label stands for.
    pub(super) fn read(label: &str) -> Option<Self> {
        says(label).ok().map(Self::of)
    }

    fn of(label: Option<bool>) -> Self {
        match label {
            Some(true) => Self::Copies,
            Some(false) => Self::Different,
            None => Self::Unsure,
        }
    }
}

/// Answers by pair, in the order in which they were given.
#[derive(Debug, Clone, Default)]
pub struct Answers {
    list: Vec<([String; 2], Answer)>,
    places: HashMap<u128, usize>,
}

impl Answers {
    /// Reads some lists of answers; `formulas` are those of TSV.
    ///
    /// # Errors
    /// If a list cannot be read, or two answers to a pair differ.
    pub fn read(paths: &[&Path], formulas: Formulas) -> Result<Self> {
        let mut all = Self::default();
        for path in paths {
            for Labelled { ids, label } in labelled(path, formulas)? {
                let answer = Answer::of(label);
                if all.get(&ids).is_some_and(|before| before != answer) {
                    return Err(ErrorKind::Data
                        .expected("one label for a pair")
                        .found(format!("two for {} and {}", ids[0], ids[1]))
                        .at(path)
                        .hint("remove one of them"));
                }
                all.set(&ids, Some(answer));
            }
        }
        Ok(all)
    }

    /// The answer to a pair.
    pub fn get(&self, ids: &[String; 2]) -> Option<Answer> {
        self.of(key([&ids[0], &ids[1]]))
    }

    pub(super) fn of(&self, key: u128) -> Option<Answer> {
        self.places.get(&key).map(|at| self.list[*at].1)
    }

    /// Gives an answer to a pair, or takes it back.
    pub fn set(&mut self, ids: &[String; 2], answer: Option<Answer>) {
        let key = key([&ids[0], &ids[1]]);
        match (self.places.get(&key), answer) {
            (Some(at), Some(answer)) => self.list[*at].1 = answer,
            (None, Some(answer)) => {
                self.places.insert(key, self.list.len());
                self.list.push((ids.clone(), answer));
            }
            (Some(at), None) => {
                self.list.remove(*at);
                self.places = (0..)
                    .zip(&self.list)
                    .map(|(at, (ids, _))| (super::strata::key([&ids[0], &ids[1]]), at))
                    .collect();
            }
            (None, None) => {}
        }
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All of them, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = (&[String; 2], Answer)> {
        self.list.iter().map(|(ids, answer)| (ids, *answer))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sheet;
    use super::*;

    fn pair(a: &str, b: &str) -> [String; 2] {
        [a.to_owned(), b.to_owned()]
    }

    #[test]
    fn answers_are_read_as_they_were_written() {
        for formulas in [Formulas::Kept, Formulas::Escaped] {
            read_back(formulas);
        }
    }

    fn read_back(formulas: Formulas) {
        let mut answers = Answers::default();
        answers.set(&pair("a\tb", "c"), Some(Answer::Copies));
        answers.set(&pair("=a", "'=a"), Some(Answer::Different));
        answers.set(&pair("d", "e"), Some(Answer::Different));
        answers.set(&pair("f", "g"), Some(Answer::Copies));
        answers.set(&pair("f", "h"), Some(Answer::Unsure));
        answers.set(&pair("e", "d"), Some(Answer::Copies));
        answers.set(&pair("f", "g"), None);
        assert_eq!(answers.len(), 4);
        let folder = tempfile::tempdir().unwrap();
        let (tsv, jsonl) = (folder.path().join("a.tsv"), folder.path().join("a.jsonl"));
        std::fs::write(&tsv, Sheet::new(true, formulas).with(&answers)).unwrap();
        std::fs::write(&jsonl, Sheet::new(false, formulas).with(&answers)).unwrap();
        for paths in [&[&*tsv][..], &[&*jsonl], &[&*tsv, &*jsonl]] {
            let read = Answers::read(paths, formulas).unwrap();
            assert!(read.iter().eq(answers.iter()));
            assert_eq!(read.get(&pair("c", "a\tb")), Some(Answer::Copies));
        }
        std::fs::write(&tsv, "d\te\t0\n").unwrap();
        let error = Answers::read(&[&tsv, &jsonl], formulas)
            .unwrap_err()
            .to_string();
        assert!(error.contains("two for d and e"), "{error}");
        std::fs::write(&tsv, "d\te\n").unwrap();
        assert!(Answers::read(&[&tsv], formulas).is_err());
        std::fs::write(&tsv, "").unwrap();
        assert!(Answers::read(&[&tsv], formulas).unwrap().is_empty());
    }
}
