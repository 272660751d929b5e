//! Runs a task: it takes all messages under a key and sends others, and depends on nothing else.

use super::at::At;
use super::job::{Job, Work};
use super::message::{Kind, Message, Received, Sent, from_bytes};
use super::plan::Worker;
use super::rows::unpack_rows;
use arrow_array::RecordBatch;
use std::sync::Arc;
use std::time::Instant;
use tegula::statistics::Statistics;
use tegula::steps::{self, Count, Method};
use tegula::{ErrorKind, Result};

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
        let at = At {
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
