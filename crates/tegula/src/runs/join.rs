//! The join: all texts are indexed and probe, as far as the bounds of the measure ask for it.

use super::features::Texts;
use super::measure::{Marks, Partners, RunMeasure};
use crate::context::{Amount, Context};
use crate::error::Result;
use crate::evidence::PairSink;
use crate::join::{Allow, Pair};
use rayon::prelude::*;

/// A text that has a run.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    key: i32,
    text: u32,
}

/// Where the indexed runs occur.
struct Index {
    starts: Vec<u32>,
    entries: Vec<Entry>,
    /// For each text the largest key among its entries and those of later texts.
    top: Vec<i32>,
}

/// Texts that a thread takes at once.
const STEP: usize = 128;
/// Pairs that are handed over at once.
const FULL: usize = 1 << 15;

/// A thread's buffers.
#[derive(Default)]
struct Worker {
    pairs: Vec<Pair>,
    /// For each text the last one that met it.
    met: Vec<u32>,
    marks: Marks,
}

/// What texts probe.
struct Join<'a> {
    texts: &'a Texts,
    measure: &'a RunMeasure,
    allow: Allow<'a>,
    /// By feature: what the rest of its text from it on comes to.
    suffixes: Vec<u32>,
    index: Index,
}

/// Hands over all pairs of texts whose runs may be enough: `a` and `b` are numbers of texts.
///
/// # Errors
/// What the memory ceiling or the sink gives.
pub(super) fn join(context: &Context, texts: &Texts, measure: &RunMeasure, allow: Allow, sink: &PairSink) -> Result<()> {
    let bytes = texts.features.len() as u64 * 12 + u64::from(texts.ranks) * 8 + texts.len() as u64 * 8;
    let _held = context.budget.reserve(bytes, "the index of runs")?;
    let suffixes = suffixes(texts, measure);
    let index = Index::new(texts, measure, &suffixes);
    let join = Join { texts, measure, allow, suffixes, index };
    let steps = texts.len().div_ceil(STEP);
    context.progress.begin("joining", Some(steps as u64), Amount::Items);
    let workers: Vec<Worker> = (0..steps)
        .into_par_iter()
        .try_fold(Worker::default, |mut worker, step| {
            worker.met.resize(texts.len(), u32::MAX);
            (step * STEP..((step + 1) * STEP).min(texts.len())).for_each(|text| join.probe(text, &mut worker));
            if worker.pairs.len() >= FULL {
                sink.take(&mut worker.pairs)?;
            }
            context.progress.advance(1);
            context.check()?;
            Ok(worker)
        })
        .collect::<Result<_>>()?;
    context.progress.end();
    workers.into_iter().try_for_each(|mut worker| sink.take(&mut worker.pairs))
}

fn suffixes(texts: &Texts, measure: &RunMeasure) -> Vec<u32> {
    let mut all = vec![0; texts.features.len()];
    let mut jobs: Vec<(std::ops::Range<usize>, &mut [u32])> = Vec::new();
    let mut rest = &mut all[..];
    for from in (0..texts.len()).step_by(STEP) {
        let some = from..(from + STEP).min(texts.len());
        let (own, later) = rest.split_at_mut(texts.starts[some.end] - texts.starts[some.start]);
        jobs.push((some, own));
        rest = later;
    }
    jobs.into_par_iter().for_each_init(Marks::default, |marks, (some, mut out)| {
        for text in some {
            let (own, later) = out.split_at_mut(texts.range(text).len());
            measure.suffixes(texts, text, marks, own);
            out = later;
        }
    });
    all
}

/// The features of a text that are indexed: its rarest, each run once.
fn indexed<'a>(
    texts: &'a Texts,
    measure: &'a RunMeasure,
    suffixes: &'a [u32],
    text: usize,
) -> impl Iterator<Item = (u32, u32)> + 'a {
    let size = measure.size(texts, text);
    let range = texts.range(text);
    let mut last = u32::MAX;
    texts.features[range.clone()]
        .iter()
        .zip(&suffixes[range])
        .map(|(feature, suffix)| (feature.run, *suffix))
        .take_while(move |(_, suffix)| measure.indexes(*suffix, size))
        .filter(move |(run, _)| std::mem::replace(&mut last, *run) != *run)
}

impl Index {
    fn new(texts: &Texts, measure: &RunMeasure, suffixes: &[u32]) -> Self {
        let mut starts = vec![0_u32; texts.ranks as usize + 1];
        let mut top = vec![i32::MIN / 2; texts.len() + 1];
        for (text, top) in top[..texts.len()].iter_mut().enumerate() {
            let mut all = indexed(texts, measure, suffixes, text);
            if let Some((run, suffix)) = all.next() {
                // Keys fall with the suffix, so the first is the largest.
                *top = measure.key(suffix, measure.size(texts, text));
                starts[run as usize + 1] += 1;
            }
            all.for_each(|(run, _)| starts[run as usize + 1] += 1);
        }
        for text in (0..texts.len()).rev() {
            top[text] = top[text].max(top[text + 1]);
        }
        for run in 1..starts.len() {
            starts[run] += starts[run - 1];
        }
        let mut entries = vec![Entry::default(); starts.last().copied().unwrap_or(0) as usize];
        let mut next = starts.clone();
        for text in 0..texts.len() {
            let size = measure.size(texts, text);
            for (run, suffix) in indexed(texts, measure, suffixes, text) {
                let next = &mut next[run as usize];
                entries[*next as usize] = Entry { key: measure.key(suffix, size), text: text as u32 };
                *next += 1;
            }
        }
        let mut index = Self { starts, entries, top };
        if measure.sorts_by_key() {
            index.sort();
        }
        index
    }

    /// Sorts the entries of each run by key, the largest first.
    fn sort(&mut self) {
        const RUNS: usize = 1 << 14;
        let mut lists: Vec<(&[u32], &mut [Entry])> = Vec::new();
        let (mut rest, mut done) = (&mut self.entries[..], 0);
        for bounds in self.starts.chunks(RUNS) {
            let last = bounds.last().copied().unwrap_or(0);
            let end = self.starts.get(lists.len() * RUNS + bounds.len()).copied().unwrap_or(last);
            let (own, later) = rest.split_at_mut((end - done) as usize);
            lists.push((bounds, own));
            (rest, done) = (later, end);
        }
        lists.into_par_iter().for_each(|(bounds, entries)| {
            let from = bounds[0];
            for (at, start) in bounds.iter().enumerate() {
                let end = bounds.get(at + 1).map_or(entries.len(), |end| (end - from) as usize);
                let list = &mut entries[(start - from) as usize..end];
                if list.len() > 1 {
                    list.sort_unstable_by_key(|entry| (std::cmp::Reverse(entry.key), entry.text));
                }
            }
        });
    }

    fn of(&self, run: u32) -> &[Entry] {
        &self.entries[self.starts[run as usize] as usize..self.starts[run as usize + 1] as usize]
    }
}

impl Join<'_> {
    /// Finds the partners of a text.
    fn probe(&self, text: usize, worker: &mut Worker) {
        let Self { texts, measure, suffixes, index, .. } = self;
        let (size, range) = (measure.size(texts, text), texts.range(text));
        let mut last = u32::MAX;
        for (feature, suffix) in texts.features[range.clone()].iter().zip(&suffixes[range]) {
            if !measure.probes(*suffix, size, index.top[text + 1]) {
                break;
            }
            if std::mem::replace(&mut last, feature.run) == feature.run {
                continue;
            }
            let key = measure.key(*suffix, size);
            for entry in self.partners(text, size, index.of(feature.run)) {
                let other = entry.text as usize;
                if measure.sorts_by_key() {
                    if entry.key + key < 0 {
                        break;
                    }
                    if other <= text {
                        continue;
                    }
                }
                if other == text || worker.met[other] == text as u32 {
                    continue;
                }
                worker.met[other] = text as u32;
                if measure.may((*suffix, size), (entry.key, measure.size(texts, other))) {
                    self.compare(text, other, worker);
                }
            }
        }
    }

    /// The entries of a run that may be partners of a text.
    fn partners<'a>(&self, text: usize, size: u32, list: &'a [Entry]) -> &'a [Entry] {
        let of = |entry: &Entry| self.measure.size(self.texts, entry.text as usize);
        match self.measure.partners(size) {
            Partners::Earlier(least) => {
                let list = &list[..list.partition_point(|entry| (entry.text as usize) < text)];
                &list[list.partition_point(|entry| of(entry) < least)..]
            }
            Partners::Later if self.measure.sorts_by_key() => list,
            Partners::Later => &list[list.partition_point(|entry| entry.text as usize <= text)..],
            Partners::Others(least) => &list[list.partition_point(|entry| of(entry) < least)..],
        }
    }

    /// Keeps two texts whose runs may be enough.
    fn compare(&self, text: usize, other: usize, worker: &mut Worker) {
        let Self { texts, measure, suffixes, .. } = self;
        if self.allow.is_some_and(|allow| !allow(texts.groups[text], texts.groups[other])) {
            return;
        }
        let (a, b) = (text.min(other), text.max(other));
        if let Some((in_a, in_b)) = measure.bound(texts, suffixes, (a, b), &mut worker.marks) {
            worker.pairs.push(Pair { a: a as u32, b: b as u32, in_a, in_b });
        }
    }
}
