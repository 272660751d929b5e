//! Evaluates a result against a gold standard: precision, recall and F1 by pair and by document,
//! the adjusted Rand index of the clusters, and the same at every threshold.
//!
//! # Cost
//! Both lists are read once. Memory: each id once, 8 bytes per document, 16 per pair of the result
//! and per labelled pair; a sweep needs the pairs once more. Sweeping costs a sort and one pass.

mod closing;
mod found;
mod gold;
mod ids;
mod page;
mod parts;
mod removals;
mod rows;
mod run;
mod sweep;
mod tables;
mod tally;
#[cfg(test)]
mod tests;
mod truth;

use closing::Closing;
use found::Found;
use gold::{Gold, Kind};
use ids::Ids;
use rows::{RowColumns, Rows, Shape};
use serde::Serialize;
use std::borrow::Cow;
use std::path::Path;
use sweep::Counting;
use tally::{Rule, Tally};
use tegula::error::{Error, Result};
use tegula_io::lines::Lines;

pub use found::Listed;
pub use gold::Positive;
pub use removals::Removals;
pub use sweep::{Point, Sweep};
pub use tally::{DocumentScores, PairScores, Scores};
pub use truth::Truth;

/// Options for reading the lists.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    /// The column of the id, if the gold standard has groups.
    pub id_key: String,
    /// The column of the group.
    pub group_key: String,
    /// The column of the label, if the gold standard has pairs; by default `label`, if it exists.
    pub label: Option<String>,
    /// Which labels mean copies.
    pub positive: Positive,
    /// Whether a gold standard without a header has groups.
    pub groups: bool,
    /// The column of the score in the result.
    pub score: String,
    /// For a run, judge its clusters instead of its pairs.
    pub clusters: bool,
    /// Replace the ids of paragraphs or sentences in the result by those of their documents;
    /// without it, only ids not in the gold standard are replaced.
    pub roll_up: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            id_key: "id".to_owned(),
            group_key: "group".to_owned(),
            label: None,
            positive: Positive::Customary,
            groups: false,
            score: "score".to_owned(),
            clusters: false,
            roll_up: false,
        }
    }
}

/// A half of the documents, with all copies of each: to choose a threshold on one half and judge it
/// by the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Half {
    /// The first half.
    A,
    /// The second half.
    B,
}

/// How to judge a result.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own, and any may go with any other"
)]
pub struct Options {
    /// Count only pairs at or above this; all if not set.
    pub threshold: Option<f64>,
    /// Count any two documents of one cluster as a found pair.
    pub transitive: bool,
    /// Judge only labelled pairs.
    pub judged_only: bool,
    /// Judge only these documents.
    pub half: Option<Half>,
    /// Also judge the result at every threshold.
    pub sweep: bool,
    /// Choose the threshold with the best F1 on half a, and judge half b by it.
    pub tune: bool,
}

/// Facts about the gold standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GoldFacts {
    /// Whether it has groups rather than labelled pairs.
    pub groups: bool,
    /// Documents: those of the gold standard, and if it has pairs also those of the result.
    pub documents: u64,
    /// Pairs of copies.
    pub positives: u64,
    /// Pairs labelled as different.
    pub negatives: u64,
}

/// Facts about the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResultFacts {
    /// Distinct pairs; for clusters, those of each member with the first.
    pub pairs: u64,
    /// What it lists.
    pub of: Listed,
    /// Whether ids of paragraphs or sentences were replaced by their documents.
    pub rolled_up: bool,
    /// Whether the scores of such documents are the shares of their tokens in matching parts, as
    /// recorded by a run.
    pub by_share: bool,
    /// Whether its pairs have scores.
    pub scored: bool,
    /// Ids that are not in the gold standard.
    pub unknown_ids: u64,
    /// One of them.
    pub unknown_id: Option<String>,
    /// Rows of an id with itself, which are ignored.
    pub loops: u64,
}

/// The share of a label's pairs that were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LabelCount {
    /// The label.
    pub label: String,
    /// Whether it means copies.
    pub positive: bool,
    /// The number of its pairs.
    pub pairs: u64,
    /// The number of these that were found.
    pub found: u64,
}

/// All measures of one result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measures {
    /// By pair.
    pub pairs: PairScores,
    /// By document: one with any copy and any partner counts as correct.
    pub documents: DocumentScores,
    /// By document: only one with all its copies among its partners counts as correct (the rule of
    /// the CORE benchmark).
    pub documents_whole: DocumentScores,
    /// The adjusted Rand index of the clusters.
    pub ari: f64,
}

/// A threshold chosen on one half and judged by the other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tuned {
    /// The threshold, and its figures on half a, where it is the best.
    pub chosen: Point,
    /// Its figures on half b.
    pub reported: Measures,
    /// The best possible figures on half b, with a threshold chosen there.
    pub possible: Point,
}

/// The evaluation of a result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// What gold holds.
    pub gold: GoldFacts,
    /// What the result holds.
    pub result: ResultFacts,
    /// The threshold used.
    pub threshold: Option<f64>,
    /// See [`Options::transitive`]; always true for clusters.
    pub transitive: bool,
    /// See [`Options::judged_only`].
    pub judged_only: bool,
    /// See [`Options::half`].
    pub half: Option<Half>,
    /// The removals of the run, if it made a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removals: Option<Removals>,
    /// The measures.
    #[serde(flatten)]
    pub measures: Measures,
    /// By label, if the gold standard has pairs with few distinct labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelCount>,
    /// At every threshold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
    /// With a threshold chosen on half a.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tuned: Option<Tuned>,
}

/// Evaluates `result` against `gold`. `documents` lists the ids of all documents, for a gold
/// standard of pairs that does not contain all.
///
/// # Errors
/// If a list cannot be read or is invalid, the gold standard has no positive pair, no id of the
/// result is known, or thresholds are requested but pairs have no scores.
pub fn evaluate(
    gold: &Path,
    result: &Path,
    documents: Option<&Path>,
    read: &ReadOptions,
    options: &Options,
) -> Result<Evaluation> {
    let mut ids = Ids::default();
    let truth = gold::read(gold, read, &mut ids)?;
    heeded(&truth, read, documents.is_some()).map_err(|error| error.at(gold))?;
    if let Some(path) = documents {
        all_documents(path, read, &mut ids)?;
    }
    let closed = documents.is_some() || matches!(truth, gold::Read::Groups { .. });
    let found = found::read(result, read, &mut ids, closed)?;
    let mut truth = Gold::new(truth, &ids, options.half);
    let facts = GoldFacts {
        groups: matches!(truth.kind, Kind::Groups),
        documents: ids.len() as u64,
        positives: truth.positives(),
        negatives: truth.negatives(),
    };
    if facts.positives == 0 {
        let what = if facts.groups {
            "no two documents are in one group"
        } else {
            "no pair is labelled as copies"
        };
        return Err(Error::data(format!("expected pairs of copies, found none: {what}")).at(gold));
    }
    let strangers = if closed {
        found.pairs.is_empty()
    } else {
        !found.met
    };
    if strangers && found.unknown > 0 {
        return Err(Error::data(format!(
            "expected ids of the gold standard, found others, such as \"{}\"",
            found.example.unwrap_or_default()
        ))
        .at(result)
        .hint(if facts.groups {
            "set ⟨id_key⟩ to the field of the ids in the gold standard"
        } else {
            "a text must have the same id in the gold standard and in the result"
        }));
    }
    if let (Some(threshold), Some(least)) = (options.threshold, found.least)
        && read.score == ReadOptions::default().score
        && !found.by_share
        && threshold < least.as_f64()
    {
        return Err(Error::usage(format!(
            "⟨threshold⟩: expected at least {least}, the run's, found {threshold}"
        ))
        .at(result)
        .hint("pairs below the run's threshold were not kept; repeat the run with a lower one"));
    }
    let asked = [
        (options.sweep, "⟨sweep⟩"),
        (options.tune, "⟨tune⟩"),
        (options.threshold.is_some(), "⟨threshold⟩"),
    ];
    if let Some((_, name)) = asked.iter().find(|(asked, _)| *asked && !found.scored) {
        return Err(
            Error::usage(format!("{name}: expected pairs with scores, found none")).at(result),
        );
    }
    if found.mixed && options.threshold.is_some() {
        return Err(Error::usage(
            "⟨threshold⟩: expected stages with the same comparison, found some that require scores strictly above it",
        )
        .at(result)
        .hint("use the folder of a stage"));
    }
    let judge = Judge {
        ids: &ids,
        found: &found,
        options,
        transitive: options.transitive || found.of == Listed::Clusters,
    };
    judge.evaluation(&mut truth, facts)
}

/// Refuses options for the other kind of gold standard.
fn heeded(truth: &gold::Read, read: &ReadOptions, documents: bool) -> Result<()> {
    let usual = ReadOptions::default();
    let id = read.id_key != usual.id_key && !documents;
    let (options, found) = match truth {
        gold::Read::Groups { .. } => (
            [
                ("⟨label⟩", read.label.is_some()),
                ("⟨positive⟩", read.positive != usual.positive),
            ],
            "groups",
        ),
        gold::Read::Pairs { .. } => (
            [
                ("⟨group_key⟩", read.group_key != usual.group_key),
                ("⟨id_key⟩", id),
            ],
            "pairs",
        ),
    };
    let other = if found == "groups" {
        "labelled pairs"
    } else {
        "groups"
    };
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Error::usage(format!(
            "{option}: expected gold of {other}, found {found}"
        ))
        .hint("leave it out")),
        None => Ok(()),
    }
}

/// Adds the ids of all documents.
fn all_documents(path: &Path, read: &ReadOptions, ids: &mut Ids) -> Result<()> {
    if plain_list(path, &read.id_key, ids)? {
        return Ok(());
    }
    // An id and any second field: the id itself serves if no other field is known.
    let wanted = RowColumns {
        id: &read.id_key,
        group: &read.id_key,
        third: "",
    };
    let Some(rows) = Rows::open(path, wanted, Some(Shape::Groups))? else {
        return Ok(());
    };
    rows.for_each(|row| ids.number(&row.first).map(drop))
        .map(drop)
}

/// Adds the ids of a list with one id per line, if it is one: its first line has no tab and is not
/// JSON. A first line with the name of the id field is a header.
fn plain_list(path: &Path, id_key: &str, ids: &mut Ids) -> Result<bool> {
    let mut lines = Lines::open(path)?;
    let mut first = true;
    while let Some((_, line)) = lines.next_line()? {
        if first && (line.starts_with('{') || line.contains('\t')) {
            return Ok(false);
        }
        if !(line.is_empty() || (first && line == id_key)) {
            ids.number(line)?;
        }
        first = false;
    }
    Ok(true)
}

/// By default, a document counts as found from this share of its tokens in matching parts.
const HALF: f64 = 0.5;

struct Judge<'a> {
    ids: &'a Ids,
    found: &'a Found,
    options: &'a Options,
    transitive: bool,
}

impl Judge<'_> {
    fn evaluation(&self, gold: &mut Gold, facts: GoldFacts) -> Result<Evaluation> {
        // If parts represent documents, sharing one part does not make two documents copies.
        let half =
            (self.found.by_share && !self.options.sweep && !self.options.tune).then_some(HALF);
        let threshold = self.options.threshold.or(half);
        let pairs = &*self.cut(threshold, |least, score| match self.options.threshold {
            Some(_) => self.found.reaches(least, score),
            None => score >= least,
        });
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
            removals: self
                .found
                .removals
                .as_ref()
                .map(|list| Removals::of(list, gold, self.found, self.options)),
            measures: self.measures(gold, pairs),
            labels: self.labels(gold, pairs),
            sweep: if self.options.sweep {
                sweep::sweep(gold, pairs, self.counting())
            } else {
                None
            },
            tuned: if self.options.tune {
                self.tuned(gold, pairs)
            } else {
                None
            },
        };
        if self.options.tune && evaluation.tuned.is_none() {
            return Err(Error::data(
                "⟨tune⟩: expected pairs to choose a threshold by, found none",
            ));
        }
        Ok(evaluation)
    }

    fn counting(&self) -> Counting {
        Counting {
            transitive: self.transitive,
            labelled: self.options.judged_only,
        }
    }

    /// The pairs that reach a threshold.
    fn cut(
        &self,
        threshold: Option<f64>,
        reaches: impl Fn(f64, f64) -> bool,
    ) -> Cow<'_, [found::Pair]> {
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

    fn measures(&self, gold: &Gold, pairs: &[found::Pair]) -> Measures {
        let tally = if self.transitive {
            Tally::of_clusters(gold, pairs, self.options.judged_only)
        } else {
            Tally::of_pairs(gold, pairs, self.options.judged_only)
        };
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
    fn labels(&self, gold: &Gold, pairs: &[found::Pair]) -> Vec<LabelCount> {
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
    fn tuned(&self, gold: &mut Gold, pairs: &[found::Pair]) -> Option<Tuned> {
        gold.judge(self.ids, Some(Half::A));
        let chosen = sweep::sweep(gold, pairs, self.counting())?.best;
        gold.judge(self.ids, Some(Half::B));
        let possible = sweep::sweep(gold, pairs, self.counting())?.best;
        let reported = self.measures(
            gold,
            &self.cut(Some(chosen.threshold), |least, score| score >= least),
        );
        gold.judge(self.ids, self.options.half);
        Some(Tuned {
            chosen,
            reported,
            possible,
        })
    }
}
