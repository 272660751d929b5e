//! Tasks, and what each needs to know.

use super::Stage;
use super::message::{Kind, to_bytes};
use super::write::Writing;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use tegula::Result;
use tegula::stage_input::RemovedUnits;
use tegula::steps::{Extent, Histogram};

/// A task.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Task {
    /// Reads the records of a split.
    Survey,
    /// Adds up the counts of terms.
    Count,
    /// The features of the texts of a split.
    Features,
    /// Which positions share shingles.
    Share,
    /// The chains of the texts of a split.
    Chains,
    /// Chains without the torn ones.
    Split(Vec<Range<u64>>),
    /// The chains that several texts share.
    Lists,
    /// The features that several texts have.
    Listed,
    /// What the texts of a split weigh.
    Weigh,
    /// Texts that share a key.
    Meet,
    /// Texts that share enough keys.
    Agree,
    /// Ranks the features of lists, by partition and list.
    Ranked(BTreeMap<(u64, u32), Histogram>),
    /// The features by which the texts of a split must be found, of lower ranks than this; and under
    /// which keys.
    Postings(u32, RankKeys),
    /// Texts that share a feature.
    Candidates,
    /// Sends the smaller texts of candidates to the larger.
    Send,
    /// Compares candidates.
    Verify,
    /// Writes the files of a split.
    Write(Writing),
    /// Asks indexes for the texts of a split.
    Ask,
    /// Looks where records begin in a part of a file.
    Sections,
}

/// Under which keys the postings of ranked features are: each key has about as many.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct RankKeys {
    /// The first rank of those that equally many texts have, how many of them are under one key, and
    /// the first key.
    spans: Vec<(u32, u32, u64)>,
}

/// Postings under a key, unless a feature has more.
const POSTINGS: u64 = 1 << 15;

impl RankKeys {
    /// For these numbers of features by number of texts; ranks are in this order.
    pub(crate) fn of(histograms: &[Histogram]) -> Self {
        let mut totals = BTreeMap::<u32, u64>::new();
        for (texts, count) in histograms.iter().flatten() {
            *totals.entry(*texts).or_default() += u64::from(*count);
        }
        let (mut rank, mut key, mut spans) = (0, 0, Vec::new());
        for (texts, count) in totals {
            let each = (POSTINGS / u64::from(texts.max(1))).max(1);
            spans.push((rank as u32, each as u32, key));
            rank += count;
            key += count.div_ceil(each);
        }
        Self { spans }
    }

    /// The key of a rank.
    pub(crate) fn key(&self, rank: u32) -> u64 {
        let at = self.spans.partition_point(|(first, ..)| *first <= rank);
        let span = self.spans.get(at.saturating_sub(1));
        let (first, each, key) = span.copied().unwrap_or((0, 1, 0));
        key + u64::from((rank - first) / each)
    }
}

/// What the tasks of a search agree on.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Agreed {
    /// How many texts are compared.
    pub(crate) extent: Extent,
    /// Partitions of features, as a power of two.
    pub(crate) bits: u32,
    /// By split, its first block of positions, or number of a text.
    pub(crate) starts: Vec<u64>,
    /// By split, the number of its first unit.
    pub(crate) units: Vec<u64>,
    /// What earlier stages have removed, if there are any.
    pub(crate) removed: Option<RemovedUnits>,
    /// How often terms occur, and in how many texts they were counted.
    pub(crate) counts: (u64, Vec<u8>),
}

/// A task with what it needs to know.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) task: Task,
    pub(crate) agreed: Agreed,
}

impl Job {
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        to_bytes(self)
    }
}

impl Task {
    /// The kinds of messages that it takes; others pass through.
    pub(super) fn takes(&self) -> &'static [Kind] {
        match self {
            Self::Sections => &[Kind::Parts],
            Self::Ask | Self::Survey => &[Kind::Split],
            Self::Count => &[Kind::Counts],
            Self::Features => &[Kind::Firsts],
            Self::Share => &[Kind::Rows],
            Self::Chains => &[Kind::Texts, Kind::Shared],
            Self::Split(_) | Self::Lists => &[Kind::Chains],
            Self::Listed | Self::Meet => &[Kind::Occurrences],
            Self::Weigh => &[Kind::Texts, Kind::Lighter],
            Self::Agree => &[Kind::Met],
            Self::Ranked(_) => &[Kind::Lists],
            Self::Postings(..) => &[Kind::Texts, Kind::Ranked],
            Self::Candidates => &[Kind::Postings],
            Self::Send => &[Kind::Texts, Kind::Ranked, Kind::Candidates],
            Self::Verify => &[
                Kind::Texts,
                Kind::Ranked,
                Kind::Candidates,
                Kind::Sent,
                Kind::Bodies,
                Kind::SentRanked,
            ],
            Self::Write(_) => &[Kind::Edits],
        }
    }

    /// Whether each message can be taken alone, so that they need not be brought together.
    pub(super) fn takes_each(&self) -> bool {
        matches!(
            self,
            Self::Sections | Self::Ask | Self::Survey | Self::Features | Self::Ranked(_)
        )
    }

    pub(super) fn name(&self) -> String {
        let named = format!("{self:?}");
        let end = named.find(|sign: char| !sign.is_alphanumeric());
        named[..end.unwrap_or(named.len())].to_lowercase()
    }
}

/// What a task has cost.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Work {
    pub(crate) task: String,
    pub(crate) process: u32,
    pub(crate) seconds: f64,
    pub(crate) received: u64,
    pub(crate) sent: u64,
    /// The keys of which it was given all messages, in order.
    pub(crate) keys: Vec<u64>,
}

/// A task of a flow.
///
/// # Errors
/// None in practice.
pub(super) fn stage(task: Task, agreed: &Agreed) -> Result<Stage> {
    let brings_together = !task.takes_each();
    let agreed = agreed.clone();
    Ok(Stage {
        job: Job { task, agreed }.to_bytes()?,
        brings_together,
        with: None,
    })
}
