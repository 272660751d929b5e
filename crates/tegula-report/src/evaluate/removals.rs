//! Evaluates the removals of a run: whether the witness of a removed text is a copy of it.

use super::found::{Found, Removal};
use super::gold::Gold;
use super::options::Options;
use super::resample::ByGroup;
use super::sides::Sides;
use serde::Serialize;
use tegula::evaluation::Scores;

/// The units that a run removed or marked, in judged documents.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Removals {
    /// Units with a witness in another document.
    pub removed: u64,
    /// Those whose witness is a copy according to the gold standard.
    pub right: u64,
    /// Units without a witness, or with one inside their document, which the gold standard does not
    /// cover.
    pub unjudged: u64,
    /// Documents that could be removed: all but one of each group. None if the units are parts of
    /// documents.
    pub removable: Option<u64>,
    /// Right over removed; recall and F1 if units are documents.
    #[serde(flatten)]
    pub scores: Scores,
}

impl Removals {
    /// The figures, and the same by the group of the removed document.
    pub(super) fn of(
        list: &[Removal],
        gold: &Gold,
        found: &Found,
        options: &Options,
    ) -> (Self, ByGroup) {
        let (mut removed, mut right, mut unjudged) = (0, 0, 0);
        let mut groups = ByGroup::default();
        // Scores of parts differ from those of the documents that they represent.
        let threshold = options.threshold.filter(|_| !found.rolled_up);
        let admitted = |removal: &&Removal| {
            threshold.is_none_or(|least| {
                removal
                    .score
                    .is_some_and(|score| found.reaches(least, score))
            })
        };
        for removal in list.iter().filter(admitted) {
            if !gold.judged[removal.id as usize] {
                let is_unknown = options.judged_only && !gold.is_labelled(removal.id);
                unjudged += u64::from(is_unknown);
                continue;
            }
            let truth = removal
                .witness
                .filter(|witness| *witness != removal.id)
                .map(|witness| gold.says(removal.id, witness));
            match truth {
                None => unjudged += 1,
                Some(None) if options.judged_only => unjudged += 1,
                Some(truth) => {
                    let hits = u64::from(truth == Some(true));
                    removed += 1;
                    right += hits;
                    let one = Sides {
                        found: 1,
                        hits,
                        positives: 0,
                    };
                    groups.add(gold.groups[removal.id as usize], one);
                }
            }
        }
        let mut all = 0;
        for (group, size) in (0..).zip(&gold.sizes) {
            if *size > 1 && gold.judged[group as usize] {
                let one = Sides {
                    positives: u64::from(size - 1),
                    ..Sides::default()
                };
                groups.add(group, one);
                all += one.positives;
            }
        }
        let removable = (!found.rolled_up).then_some(all);
        let mut scores = Scores::of(right, removed, removable.unwrap_or(0));
        if removable.is_none() {
            (scores.recall, scores.f1) = (None, None);
        }
        let removals = Self {
            removed,
            right,
            unjudged,
            removable,
            scores,
        };
        (removals, groups)
    }
}
