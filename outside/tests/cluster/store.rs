//! What tasks leave for others: Arrow batches in files or in memory, or rows.

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::PathBuf;
use tegula_run::steps::{self, Column, Rows};

/// Data with a key are in the partition of the key's hash, and come back in any order.
pub(crate) struct Store {
    kept: Kept,
    partitions: u64,
    /// Bytes of columns by stage.
    bytes: RefCell<BTreeMap<String, u64>>,
    messages: RefCell<u64>,
}

/// By stage and partition, rows with their keys.
type InMemory<R> = RefCell<BTreeMap<(String, u64), Vec<(u64, R)>>>;

enum Kept {
    Files(PathBuf),
    Batches(InMemory<RecordBatch>),
    Rows(InMemory<Box<dyn Any>>),
}

/// What can be sent.
pub(crate) trait Sent: Sized + Default + 'static {
    fn to_arrow(&self) -> RecordBatch;
    fn from_arrow(batch: &RecordBatch) -> Self;
    fn bytes(&self) -> u64;
    fn is_empty(&self) -> bool;
    fn join(&mut self, other: Self);
}

impl<T: Column> Sent for Vec<T> {
    fn to_arrow(&self) -> RecordBatch {
        steps::to_arrow(self).unwrap()
    }

    fn from_arrow(batch: &RecordBatch) -> Self {
        steps::from_arrow(batch).unwrap()
    }

    fn bytes(&self) -> u64 {
        size_of_val(&self[..]) as u64
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn join(&mut self, other: Self) {
        if self.is_empty() {
            *self = other;
        } else {
            self.extend(other);
        }
    }
}

impl Sent for Rows {
    fn to_arrow(&self) -> RecordBatch {
        steps::rows_to_arrow(self).unwrap()
    }

    fn from_arrow(batch: &RecordBatch) -> Self {
        steps::rows_from_arrow(batch).unwrap()
    }

    fn bytes(&self) -> u64 {
        size_of_val(self.numbers()) as u64
    }

    fn is_empty(&self) -> bool {
        self.numbers().is_empty()
    }

    fn join(&mut self, other: Self) {
        if self.numbers().is_empty() {
            *self = other;
        } else {
            self.extend(&other).unwrap();
        }
    }
}

/// A number that a scrambled order follows.
fn scrambled(number: u64) -> u64 {
    let mixed = (number ^ 0x5bd1_e995).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

impl Store {
    pub(crate) fn in_files(folder: PathBuf, partitions: u64) -> Self {
        Self::with(Kept::Files(folder), partitions)
    }

    /// As Arrow batches in memory.
    pub(crate) fn in_batches(partitions: u64) -> Self {
        Self::with(Kept::Batches(RefCell::default()), partitions)
    }

    /// As they are.
    pub(crate) fn in_rows(partitions: u64) -> Self {
        Self::with(Kept::Rows(RefCell::default()), partitions)
    }

    fn with(kept: Kept, partitions: u64) -> Self {
        Self {
            kept,
            partitions,
            bytes: RefCell::default(),
            messages: RefCell::default(),
        }
    }

    /// Numbers of partitions.
    pub(crate) fn partitions(&self) -> std::ops::Range<u64> {
        0..self.partitions
    }

    /// Bytes of all columns, by stage.
    pub(crate) fn bytes(&self) -> BTreeMap<String, u64> {
        self.bytes.borrow().clone()
    }

    pub(crate) fn put<S: Sent>(&self, stage: &str, key: u64, sent: S) {
        if sent.is_empty() {
            return;
        }
        *self.bytes.borrow_mut().entry(stage.to_owned()).or_default() += sent.bytes();
        let partition = scrambled(key) % self.partitions;
        match &self.kept {
            Kept::Rows(kept) => {
                let mut kept = kept.borrow_mut();
                let own = kept.entry((stage.to_owned(), partition)).or_default();
                own.push((key, Box::new(sent)));
            }
            Kept::Batches(kept) => {
                let mut kept = kept.borrow_mut();
                let own = kept.entry((stage.to_owned(), partition)).or_default();
                // Neither the first nor the last to come is the first to go.
                let at = scrambled(own.len() as u64) as usize % (own.len() + 1);
                own.insert(at, (key, sent.to_arrow()));
            }
            Kept::Files(folder) => {
                let mut messages = self.messages.borrow_mut();
                *messages += 1;
                let folder = folder.join(stage).join(partition.to_string());
                fs::create_dir_all(&folder).unwrap();
                // Names sort in no order of keys or time.
                let order = scrambled(*messages);
                let file = File::create_new(folder.join(format!("{order:020}-{key}"))).unwrap();
                let batch = sent.to_arrow();
                let mut writer = StreamWriter::try_new(file, &batch.schema()).unwrap();
                writer.write(&batch).unwrap();
                writer.finish().unwrap();
            }
        }
    }

    /// All of a stage in a partition, by key.
    pub(crate) fn take<S: Sent>(&self, stage: &str, partition: u64) -> BTreeMap<u64, S> {
        let mut found: BTreeMap<u64, S> = BTreeMap::new();
        match &self.kept {
            Kept::Rows(kept) => {
                let own = kept.borrow_mut().remove(&(stage.to_owned(), partition));
                for (key, sent) in own.unwrap_or_default() {
                    let sent = *sent.downcast::<S>().unwrap();
                    found.entry(key).or_default().join(sent);
                }
            }
            Kept::Batches(kept) => {
                let own = kept.borrow_mut().remove(&(stage.to_owned(), partition));
                for (key, batch) in own.unwrap_or_default() {
                    found.entry(key).or_default().join(S::from_arrow(&batch));
                }
            }
            Kept::Files(folder) => {
                let Ok(files) = fs::read_dir(folder.join(stage).join(partition.to_string())) else {
                    return found;
                };
                let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
                paths.sort();
                for path in paths {
                    let name = path.file_name().unwrap().to_str().unwrap();
                    let key = name.split_once('-').unwrap().1.parse().unwrap();
                    let reader = StreamReader::try_new(File::open(&path).unwrap(), None).unwrap();
                    for batch in reader {
                        found
                            .entry(key)
                            .or_default()
                            .join(S::from_arrow(&batch.unwrap()));
                    }
                }
            }
        }
        found
    }

    /// All of a stage, by key.
    pub(crate) fn take_all<S: Sent>(&self, stage: &str) -> BTreeMap<u64, S> {
        self.partitions()
            .flat_map(|partition| self.take(stage, partition))
            .collect()
    }

    /// All rows of a stage.
    pub(crate) fn rows<T: Column>(&self, stage: &str) -> Vec<T> {
        self.take_all::<Vec<T>>(stage)
            .into_values()
            .flatten()
            .collect()
    }
}
