//! Figures by classes of documents: by length, or by the values of a field.

use super::counting::count;
use super::judged::Judged;
use super::resample::{ByGroup, ScoreIntervals};
use super::sides::PairScores;
use super::sorter::{By, Sorter};
use crate::html::chart::class_name;
use serde::Serialize;
use std::cmp::Reverse;
use tegula::field::FieldPart;

/// The maximum number of classes shown; the others are added up.
const CLASSES: usize = 40;

/// Figures by class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Classes {
    /// The field, `tokens`, or `characters`.
    pub by: String,
    /// The classes: lengths and dates ascending, other values with the most documents first.
    pub classes: Vec<Class>,
}

/// A class of documents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Class {
    /// Its value, or its lengths.
    pub class: String,
    /// Its judged documents.
    pub documents: u64,
    /// Figures by pair; a pair with one document in the class counts half.
    #[serde(flatten)]
    pub pairs: PairScores,
    /// Intervals of the scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<ScoreIntervals>,
}

impl Classes {
    /// The figures of every class.
    pub(super) fn of(sorter: &Sorter, judged: &Judged) -> Self {
        let gold = judged.gold;
        let mut documents = vec![0_u64; sorter.names.len()];
        let code_of = |id: u32| sorter.codes.get(id as usize).copied().unwrap_or(0) as usize;
        for id in 0..gold.groups.len() {
            documents[code_of(id as u32)] += u64::from(gold.judged[id]);
        }
        let mut order: Vec<usize> = (0..sorter.names.len())
            .filter(|code| documents[*code] > 0)
            .collect();
        match &sorter.by {
            By::Field(key) if key.part == FieldPart::Whole => {
                order.sort_by_key(|code| (Reverse(documents[*code]), *code));
            }
            By::Field(_) => order.sort_by_key(|code| (*code == 0, &sorter.names[*code])),
            By::Tokens(_) | By::Characters(_) => {
                order.sort_by_key(|code| rank(&sorter.names[*code]));
            }
        }
        let shown = order.len().min(CLASSES);
        let mut places = vec![shown; sorter.names.len()];
        for (place, code) in order.iter().take(shown).enumerate() {
            places[*code] = place;
        }
        let mut counts: Vec<ByGroup> = (0..=shown).map(|_| ByGroup::default()).collect();
        count(gold, judged.pairs, judged.counting, |one| {
            counts[places[code_of(one.document)]].add(one.group, one.sides);
        });
        let rest = order[shown..].iter().map(|code| documents[*code]).sum();
        let mut classes = Vec::new();
        for (place, counts) in counts.iter().enumerate() {
            let (class, documents) = match order.get(place).filter(|_| place < shown) {
                Some(code) => (sorter.names[*code].clone(), documents[*code]),
                None => ("(others)".to_owned(), rest),
            };
            if documents > 0 {
                classes.push(Class {
                    class,
                    documents,
                    pairs: counts.total().scores(),
                    intervals: judged.sampled(counts).map(|all| all.intervals(false)),
                });
            }
        }
        Self {
            by: sorter.by.name(),
            classes,
        }
    }
}

/// The place of a class of lengths among others; those without a text come last.
fn rank(name: &str) -> usize {
    (0..=u64::BITS as usize)
        .find(|class| class_name(*class) == name)
        .unwrap_or(usize::MAX)
}
