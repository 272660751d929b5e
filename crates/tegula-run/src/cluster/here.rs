//! A cluster in one process, for tests: what is sent arrives in some order, in batches of some size.

use super::message::{Kind, Message};
use super::plan::Worker;
use super::runner::Runner;
use super::{Engine, Flow, From};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use tegula::Result;

/// A cluster in one process, for tests.
#[derive(Debug)]
pub struct Here {
    /// The partitions in which messages are brought together.
    pub partitions: u64,
    /// Messages in a batch.
    pub batch: usize,
    /// Bytes of files that a task reads.
    pub split_bytes: u64,
    kept: Mutex<BTreeMap<(String, Kind), Vec<Message>>>,
}

impl Here {
    /// With so many partitions, and messages in a batch.
    pub fn new(partitions: u64, batch: usize) -> Self {
        Self {
            partitions: partitions.max(1),
            batch: batch.max(1),
            split_bytes: 1,
            kept: Mutex::default(),
        }
    }

    fn kept(&self, flow: &str, kind: Kind) -> Vec<Message> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let of = kept.get(&(flow.to_owned(), kind));
        of.cloned().unwrap_or_default()
    }
}

/// A number that a scrambled order follows.
fn scrambled(number: u64) -> u64 {
    let mixed = (number ^ 0x5bd1_e995).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

impl Engine for Here {
    fn split_bytes(&self) -> u64 {
        self.split_bytes
    }

    fn run(&self, flow: &Flow) -> Result<()> {
        let mut messages = match &flow.from {
            From::Driver(messages) => messages.clone(),
            From::Kept(flow, kind) => self.kept(flow, *kind),
        };
        for stage in &flow.stages {
            if let Some((flow, kind)) = &stage.with {
                messages.extend(self.kept(flow, *kind));
            }
            let mut partitions = BTreeMap::<u64, Vec<Message>>::new();
            for (at, message) in (0..).zip(messages) {
                let of = if stage.brings_together {
                    scrambled(message.key)
                } else {
                    at
                };
                let own = partitions.entry(of % self.partitions).or_default();
                // Neither the first nor the last to come is the first to go.
                let place = scrambled(own.len() as u64) as usize % (own.len() + 1);
                own.insert(place, message);
            }
            messages = Vec::new();
            for mut own in partitions.into_values() {
                if stage.brings_together {
                    own.sort_by_key(|message| message.key);
                }
                let worker = Worker::new(&flow.plan)?;
                let mut runner = Runner::new(&worker, &stage.job)?;
                let mut sent = Vec::new();
                for some in own.chunks(self.batch) {
                    sent.extend(runner.push(&Message::to_arrow(some)?)?);
                }
                sent.extend(runner.finish()?);
                for batch in &sent {
                    messages.extend(Message::from_arrow(batch)?);
                }
            }
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(name, _), _| *name != flow.name);
        for message in messages {
            let of = (flow.name.clone(), message.kind);
            kept.entry(of).or_default().push(message);
        }
        Ok(())
    }

    fn read(
        &self,
        flow: &str,
        kind: Kind,
        each: &mut dyn FnMut(Message) -> Result<()>,
    ) -> Result<()> {
        let mut messages = self.kept(flow, kind);
        messages.sort_by_key(|message| message.key);
        messages.into_iter().try_for_each(each)
    }
}
