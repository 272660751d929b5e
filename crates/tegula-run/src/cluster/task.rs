//! Tasks: each takes all messages under a key and sends others, and depends on nothing else.

use super::message::{Kind, Message, Received, Sent, from_bytes, to_bytes};
use super::plan::Worker;
use super::rows::unpack_rows;
use arrow_array::RecordBatch;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use tegula::stage_input::RemovedUnits;
use tegula::statistics::Statistics;
use tegula::steps::{self, Count, Extent, Histogram, Method};
use tegula::{ErrorKind, Result};

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
    Write(super::write::Writing),
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
    fn takes(&self) -> &'static [Kind] {
        match self {
            Self::Survey => &[Kind::Split],
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
        matches!(self, Self::Survey | Self::Features | Self::Ranked(_))
    }

    fn name(&self) -> String {
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

/// Bytes of messages that are taken together.
const TOGETHER: usize = 4 << 20;
/// Bytes of rows for a byte of messages, about.
const UNPACKED: u64 = 3;
/// Messages in a batch that is sent.
const BATCH: usize = 256;

/// Runs a task over messages in order of their keys.
pub struct Runner {
    worker: Arc<Worker>,
    job: Job,
    statistics: Statistics,
    /// The messages of a key that may not be complete.
    held: Vec<Message>,
    /// Keys that are complete.
    ready: Vec<(u64, Received)>,
    bytes: usize,
    work: Work,
    has_failed: bool,
}

impl Runner {
    /// A run of a task, which the driver has described.
    ///
    /// # Errors
    /// If the description is of another version.
    pub fn new(worker: &Arc<Worker>, job: &[u8]) -> Result<Self> {
        let job: Job = from_bytes(job)?;
        let statistics = if let Some(given) = worker.given_statistics()? {
            given
        } else {
            let (texts, counts) = &job.agreed.counts;
            let counts = match &counts[..] {
                [] => Vec::new(),
                counts => unpack_rows::<Count>(counts)?.1,
            };
            steps::statistics(*texts, &counts)
        };
        let work = Work {
            task: job.task.name(),
            process: std::process::id(),
            seconds: 0.0,
            received: 0,
            sent: 0,
            keys: Vec::new(),
        };
        Ok(Self {
            worker: Arc::clone(worker),
            job,
            statistics,
            held: Vec::new(),
            ready: Vec::new(),
            bytes: 0,
            work,
            has_failed: false,
        })
    }

    /// Takes messages, whose keys follow each other in order; returns what is sent.
    ///
    /// # Errors
    /// If a file cannot be read now, but perhaps later. All other errors are sent.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>> {
        let clock = Instant::now();
        let mut sent = Sent::default();
        for message in Message::from_arrow(batch)? {
            self.work.received += message.bytes.len() as u64;
            if !self.job.task.takes().contains(&message.kind) {
                sent.0.push(message);
                continue;
            }
            let ends = self
                .held
                .first()
                .is_some_and(|held| held.key != message.key);
            if ends || self.job.task.takes_each() {
                self.complete();
            }
            if self
                .work
                .keys
                .last()
                .is_some_and(|last| *last >= message.key)
            {
                return Err(ErrorKind::Cluster
                    .expected("messages sorted by key within each partition")
                    .found("another order")
                    .hint("this engine cannot be used: use Apache Spark"));
            }
            self.bytes += message.bytes.len();
            self.held.push(message);
        }
        if self.bytes > TOGETHER {
            self.take(&mut sent)?;
        }
        self.work.seconds += clock.elapsed().as_secs_f64();
        self.batches(sent)
    }

    /// Takes what is left.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn finish(&mut self) -> Result<Vec<RecordBatch>> {
        let clock = Instant::now();
        let mut sent = Sent::default();
        self.complete();
        self.take(&mut sent)?;
        self.work.seconds += clock.elapsed().as_secs_f64();
        let mut batches = self.batches(sent)?;
        let mut last = Sent::default();
        last.value(Kind::Work, 0, &self.work)?;
        batches.push(Message::to_arrow(&last.0)?);
        Ok(batches)
    }

    /// The held messages are all of their key.
    fn complete(&mut self) {
        let held = std::mem::take(&mut self.held);
        if let Some(first) = held.first() {
            if !self.job.task.takes_each() {
                self.work.keys.push(first.key);
            }
            self.ready.push((first.key, Received(held)));
        }
    }

    /// Runs the task on all complete keys.
    fn take(&mut self, sent: &mut Sent) -> Result<()> {
        let ready = std::mem::take(&mut self.ready);
        let all = UNPACKED * self.bytes as u64;
        let bytes = |message: &Message| message.bytes.len();
        self.bytes = self.held.iter().map(bytes).sum();
        if self.has_failed {
            self.held.clear();
            return Ok(());
        }
        let budget = &self.worker.host.context.budget;
        let fits = budget.reserve(all, "what a task is sent").map(drop);
        match fits.and_then(|()| self.run(ready, sent)) {
            Err(error) if error.kind() != ErrorKind::Io => {
                self.has_failed = true;
                sent.value(Kind::Failed, 0, &error)
            }
            done => done,
        }
    }

    fn run(&self, ready: Vec<(u64, Received)>, sent: &mut Sent) -> Result<()> {
        if ready.is_empty() {
            return Ok(());
        }
        let worker = &self.worker;
        let method = Method::new(&worker.recipe, &self.statistics, &worker.constraints)?;
        let at = super::search::At {
            worker,
            method: &method,
            agreed: &self.job.agreed,
        };
        for (key, received) in ready {
            at.run(&self.job.task, key, &received, sent)?;
        }
        Ok(())
    }

    fn batches(&mut self, Sent(messages): Sent) -> Result<Vec<RecordBatch>> {
        let mut batches = Vec::new();
        let mut rest = &messages[..];
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |message: &&Message| {
                bytes += message.bytes.len();
                bytes <= TOGETHER
            };
            let count = rest.iter().take(BATCH).take_while(fits).count().max(1);
            let (some, more) = rest.split_at(count);
            batches.push(Message::to_arrow(some)?);
            rest = more;
        }
        self.work.sent += messages
            .iter()
            .map(|message| message.bytes.len() as u64)
            .sum::<u64>();
        Ok(batches)
    }
}
