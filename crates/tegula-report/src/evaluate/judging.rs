//! Judges one result: measures, intervals, labels, classes and thresholds.

use super::classes::Classes;
use super::closing::Closing;
use super::counting::{Counting, count};
use super::evaluation::{
    Evaluation, GoldFacts, Intervals, LabelCount, Measures, ResultFacts, Tuned,
};
use super::found::{Found, Pair};
use super::gold::{Gold, Kind};
use super::ids::Ids;
use super::judged::Judged;
use super::options::{Half, Options};
use super::partitions::Partitions;
use super::removals::Removals;
use super::resample::{ByGroup, Sampled};
use super::sorter::Sorter;
use super::sweep;
use super::tally::{Rule, Tally, macro_f1, of_classes};
use std::borrow::Cow;
use tegula::error::{Error, Result};

/// By default, a document counts as found from this share of its tokens in matching parts.
const HALF: f64 = 0.5;

/// A result, and how it is judged.
pub(super) struct Judge<'a> {
    pub(super) ids: &'a Ids,
    pub(super) found: &'a Found,
    pub(super) sorters: &'a [Sorter],
    pub(super) options: &'a Options,
    pub(super) transitive: bool,
}

/// Figures of all resamples, to compare results.
pub(super) struct Samples {
    pub(super) pairs: Option<Sampled>,
    pub(super) removals: Option<Sampled>,
}

impl Judge<'_> {
    pub(super) fn evaluation(
        &self,
        gold: &mut Gold,
        facts: GoldFacts,
    ) -> Result<(Evaluation, Samples)> {
        // If parts represent documents, sharing one part does not make two documents copies.
        let half =
            (self.found.by_share && !self.options.sweep && !self.options.tune).then_some(HALF);
        let threshold = self.options.threshold.or(half);
        let pairs = &*self.cut(threshold, |least, score| match self.options.threshold {
            Some(_) => self.found.reaches(least, score),
            None => score >= least,
        });
        let tuned = if self.options.tune {
            let tuned = self.tuned(gold, pairs);
            let none =
                || Error::data("⟨tune⟩: expected pairs to choose a threshold by, found none");
            Some(tuned.ok_or_else(none)?)
        } else {
            None
        };
        let gold = &*gold;
        let judged = Judged {
            gold,
            pairs,
            counting: self.counting(),
            ids: self.ids,
            resamples: self.options.resamples,
        };
        let removals = self
            .found
            .removals
            .as_ref()
            .map(|list| Removals::of(list, gold, self.found, self.options));
        let (removals, removed) = removals.unzip();
        let tally = self.tally(gold, pairs);
        let mut counts = ByGroup::default();
        count(gold, pairs, self.counting(), |one| {
            counts.add(one.group, one.sides);
        });
        let samples = Samples {
            pairs: judged.sampled(&counts),
            removals: removed.as_ref().and_then(|counts| judged.sampled(counts)),
        };
        let intervals = self.intervals(&judged, &tally, &samples);
        let evaluation = Evaluation {
            gold: facts,
            result: ResultFacts {
                pairs: self.found.pairs.len() as u64,
                of: self.found.of,
                rolled_up: self.found.rolled_up,
                by_share: self.found.by_share,
                scored: self.found.scored,
                unknown_ids: self.found.unknown,
                unknown_id: self.found.example.clone(),
                loops: self.found.loops,
            },
            threshold,
            transitive: self.transitive,
            judged_only: self.options.judged_only,
            half: self.options.half,
            removals,
            measures: self.measures(gold, pairs, &tally),
            intervals,
            labels: self.labels(gold, pairs),
            classes: self
                .sorters
                .iter()
                .map(|sorter| Classes::of(sorter, &judged))
                .collect(),
            sweep: if self.options.sweep {
                sweep::sweep(gold, pairs, self.counting())
            } else {
                None
            },
            tuned,
        };
        Ok((evaluation, samples))
    }

    /// The intervals, if groups are resampled.
    fn intervals(&self, judged: &Judged, tally: &Tally, samples: &Samples) -> Option<Intervals> {
        let pairs = samples.pairs.as_ref()?;
        let gold = judged.gold;
        let all = judged.sampled(&Tally::documents_by_group(gold))?;
        let any = judged.sampled(&tally.by_group(gold, Rule::Any))?;
        let whole = judged.sampled(&tally.by_group(gold, Rule::All))?;
        let mean = |of: &Sampled| {
            of.among(&all, |_, counts, documents| {
                macro_f1(of_classes(counts, documents))
            })
        };
        Some(Intervals {
            resamples: self.options.resamples,
            pairs: pairs.intervals(false),
            ari: Partitions::of(gold, judged.pairs).interval(judged, &all),
            removals: samples
                .removals
                .as_ref()
                .map(|all| all.intervals(self.found.rolled_up)),
            documents: any.intervals(false),
            documents_whole: whole.intervals(false),
            macro_f1: mean(&any),
            macro_f1_whole: mean(&whole),
        })
    }

    fn counting(&self) -> Counting {
        Counting {
            transitive: self.transitive,
            labelled: self.options.judged_only,
        }
    }

    /// The pairs that reach a threshold.
    fn cut(&self, threshold: Option<f64>, reaches: impl Fn(f64, f64) -> bool) -> Cow<'_, [Pair]> {
        let Some(least) = threshold else {
            return Cow::Borrowed(&self.found.pairs);
        };
        self.found
            .pairs
            .iter()
            .filter(|pair| reaches(least, pair.score))
            .copied()
            .collect()
    }

    fn tally(&self, gold: &Gold, pairs: &[Pair]) -> Tally {
        if self.transitive {
            Tally::of_clusters(gold, pairs, self.options.judged_only)
        } else {
            Tally::of_pairs(gold, pairs, self.options.judged_only)
        }
    }

    fn measures(&self, gold: &Gold, pairs: &[Pair], tally: &Tally) -> Measures {
        let mut closing = Closing::new(gold, self.options.judged_only);
        for pair in pairs {
            closing.merge(pair.a, pair.b);
        }
        Measures {
            pairs: tally.sides(gold).scores(),
            documents: tally.documents(gold, Rule::Any),
            documents_whole: tally.documents(gold, Rule::All),
            ari: closing.rand_index(),
        }
    }

    /// The counts of each label's pairs.
    fn labels(&self, gold: &Gold, pairs: &[Pair]) -> Vec<LabelCount> {
        let Kind::Pairs(labelled) = &gold.kind else {
            return Vec::new();
        };
        let mut sets = tegula::cluster::UnionFind::new(self.ids.len());
        if self.transitive {
            for pair in pairs {
                sets.union(pair.a, pair.b);
            }
        }
        let mut counts: Vec<LabelCount> = labelled
            .names
            .iter()
            .map(|name| LabelCount {
                label: name.clone(),
                positive: false,
                pairs: 0,
                found: 0,
            })
            .collect();
        for one in &labelled.list {
            let Some(count) = counts.get_mut(one.name as usize) else {
                continue;
            };
            let (a, b) = one.pair;
            if !gold.judged[a as usize] {
                continue;
            }
            let is_found = if self.transitive {
                sets.find(a) == sets.find(b)
            } else {
                pairs
                    .binary_search_by_key(&one.pair, |pair| (pair.a, pair.b))
                    .is_ok()
            };
            count.positive |= one.positive;
            count.pairs += 1;
            count.found += u64::from(is_found);
        }
        counts
    }

    /// The threshold of the best F1 on half a, judged by half b.
    fn tuned(&self, gold: &mut Gold, pairs: &[Pair]) -> Option<Tuned> {
        gold.judge(self.ids, Some(Half::A), self.options.judged_only);
        let chosen = sweep::sweep(gold, pairs, self.counting())?.best;
        gold.judge(self.ids, Some(Half::B), self.options.judged_only);
        let possible = sweep::sweep(gold, pairs, self.counting())?.best;
        let above = self.cut(Some(chosen.threshold), |least, score| score >= least);
        let reported = self.measures(gold, &above, &self.tally(gold, &above));
        gold.judge(self.ids, self.options.half, self.options.judged_only);
        Some(Tuned {
            chosen,
            reported,
            possible,
        })
    }
}
