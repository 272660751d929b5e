//! What tasks send to each other: rows of one kind under a key, as bytes, in Arrow batches.

use super::rows::{pack, pack_rows, unpack, unpack_rows};
use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array as _, BinaryArray, GenericBinaryArray, Int64Array, OffsetSizeTrait, RecordBatch,
    StringArray,
};
use arrow_buffer::Buffer;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use std::collections::BTreeMap;
use std::sync::Arc;
use tegula::steps::{Column, Rows};
use tegula::{Error, ErrorKind, Result};

/// What the rows of a message are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Some files that a task reads.
    Split,
    /// Parts of large files.
    Parts,
    /// Where records begin in these.
    Begins,
    /// The records of indexes that may match a text of a split.
    InIndexes,
    /// What the survey says of some records.
    Surveyed,
    /// What was passed over in a file, and repaired.
    Tallies,
    /// How often terms occur.
    Counts,
    /// The tokens of the texts of a split that are compared; 0 for those that are not.
    Firsts,
    /// Texts that are compared.
    Texts,
    /// Distinct features of texts that are compared.
    Sets,
    /// Shingles, by partition.
    Rows,
    /// Features or keys that are known by a fingerprint, by partition.
    Occurrences,
    /// Positions whose shingles occur elsewhere, by split.
    Shared,
    /// Chains of shingles, by partition.
    Chains,
    /// Positions of chains that must be split.
    Torn,
    /// Features that several texts have.
    Lists,
    /// How many features of a list so many texts have.
    Histograms,
    /// How much less texts weigh, by split.
    Lighter,
    /// Candidates, once for each key that they share.
    Met,
    /// Ranked features, by split.
    Ranked,
    /// Texts by ranked feature.
    Postings,
    /// Candidates, by the split of the smaller text, then by that of the larger.
    Candidates,
    /// Texts sent to be compared: what they are compared by, and their bodies.
    Sent,
    /// The bodies of these.
    Bodies,
    /// The ranked features of these.
    SentRanked,
    /// Matches, with what rescoring says of each.
    Matches,
    /// Further scores of matches.
    Rescored,
    /// How many pairs were compared, and hidden for which reason.
    Counted,
    /// Edits of the records of a file.
    Edits,
    /// Files that a task has written.
    Written,
    /// Why a task failed.
    Failed,
    /// What a task has cost.
    Work,
}

impl Kind {
    const ALL: [(Self, &'static str); 32] = [
        (Self::Split, "split"),
        (Self::Parts, "parts"),
        (Self::Begins, "begins"),
        (Self::InIndexes, "in_indexes"),
        (Self::Surveyed, "surveyed"),
        (Self::Tallies, "tallies"),
        (Self::Counts, "counts"),
        (Self::Firsts, "firsts"),
        (Self::Texts, "texts"),
        (Self::Sets, "sets"),
        (Self::Rows, "rows"),
        (Self::Occurrences, "occurrences"),
        (Self::Shared, "shared"),
        (Self::Chains, "chains"),
        (Self::Torn, "torn"),
        (Self::Lists, "lists"),
        (Self::Histograms, "histograms"),
        (Self::Lighter, "lighter"),
        (Self::Met, "met"),
        (Self::Ranked, "ranked"),
        (Self::Postings, "postings"),
        (Self::Candidates, "candidates"),
        (Self::Sent, "sent"),
        (Self::Bodies, "bodies"),
        (Self::SentRanked, "sent_ranked"),
        (Self::Matches, "matches"),
        (Self::Rescored, "rescored"),
        (Self::Counted, "counted"),
        (Self::Edits, "edits"),
        (Self::Written, "written"),
        (Self::Failed, "failed"),
        (Self::Work, "work"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let mut all = Self::ALL.into_iter();
        all.find(|(kind, _)| *kind == self)
            .map_or("", |(_, name)| name)
    }

    fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|(_, known)| *known == name).map(|(kind, _)| kind)
    }
}

/// Rows of one kind under a key.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// What the rows are.
    pub kind: Kind,
    /// A partition of features, a split, or another part of the work; below 2^63.
    pub key: u64,
    /// The rows.
    pub bytes: Buffer,
}

/// Bytes of rows in a message, unless a row is larger.
const MOST: usize = 256 << 10;

/// The kind of the numbers of a list of features.
const LIST: [u8; 8] = *b"TGLIST01";

impl Message {
    /// The columns of messages in Arrow batches.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("kind", DataType::Utf8, false),
            Field::new("key", DataType::Int64, false),
            Field::new("bytes", DataType::Binary, false),
        ]))
    }

    /// As an Arrow batch.
    ///
    /// # Errors
    /// If they have more than 2 GiB of bytes.
    pub fn to_arrow(messages: &[Self]) -> Result<RecordBatch> {
        let bytes: usize = messages.iter().map(|message| message.bytes.len()).sum();
        if i32::try_from(bytes).is_err() {
            return Err(ErrorKind::Data
                .expected("less than 2 GiB of data in a batch")
                .found(format!("{bytes} bytes"))
                .hint("use more, smaller files"));
        }
        let kinds = messages.iter().map(|message| message.kind.name());
        let keys = messages.iter().map(|message| message.key as i64);
        let rows = messages.iter().map(|message| &message.bytes[..]);
        RecordBatch::try_new(
            Self::schema(),
            vec![
                Arc::new(StringArray::from_iter_values(kinds)),
                Arc::new(Int64Array::from_iter_values(keys)),
                Arc::new(BinaryArray::from_iter_values(rows)),
            ],
        )
        .map_err(|error| Error::new(ErrorKind::Data, error.to_string()))
    }

    /// The messages of an Arrow batch.
    ///
    /// # Errors
    /// If it has other columns, or kinds of messages that this version does not know.
    pub fn from_arrow(batch: &RecordBatch) -> Result<Vec<Self>> {
        let wrong = || {
            ErrorKind::Data
                .expected("messages of this version of Tegula")
                .found("other data")
                .hint("install the same version of tegula on the driver and on every worker")
        };
        let column = |name| batch.column_by_name(name).ok_or_else(wrong);
        let kinds = column("kind")?;
        let keys = column("key")?
            .as_primitive_opt::<Int64Type>()
            .ok_or_else(wrong)?;
        let bytes = column("bytes")?;
        let kind = |at: usize| match kinds.data_type() {
            DataType::Utf8 => kinds.as_string_opt::<i32>().map(|kinds| kinds.value(at)),
            DataType::LargeUtf8 => kinds.as_string_opt::<i64>().map(|kinds| kinds.value(at)),
            _ => None,
        };
        let rows = |at: usize| match bytes.data_type() {
            DataType::Binary => bytes.as_binary_opt::<i32>().map(|bytes| slice(bytes, at)),
            DataType::LargeBinary => bytes.as_binary_opt::<i64>().map(|bytes| slice(bytes, at)),
            _ => None,
        };
        (0..batch.num_rows())
            .map(|at| {
                let kind = kind(at).and_then(Kind::named).ok_or_else(wrong)?;
                Ok(Self {
                    kind,
                    key: keys.value(at) as u64,
                    bytes: rows(at).ok_or_else(wrong)?,
                })
            })
            .collect()
    }
}

/// A value of an array, without a copy.
fn slice<O: OffsetSizeTrait>(array: &GenericBinaryArray<O>, at: usize) -> Buffer {
    let from = array.value_offsets()[at].as_usize();
    let length = array.value_length(at).as_usize();
    array.values().slice_with_length(from, length)
}

/// What a task sends.
#[derive(Default)]
pub(crate) struct Sent(pub(crate) Vec<Message>);

impl Sent {
    /// Bytes of all messages.
    pub(crate) fn bytes(&self) -> u64 {
        self.0
            .iter()
            .map(|message| message.bytes.len() as u64)
            .sum()
    }

    pub(crate) fn put(&mut self, kind: Kind, key: u64, bytes: Vec<u8>) {
        let bytes = Buffer::from_vec(bytes);
        self.0.push(Message { kind, key, bytes });
    }

    /// Sends rows, of which `part` says to what part of the key's data they belong.
    pub(crate) fn rows<T: Column>(&mut self, kind: Kind, key: u64, part: u32, rows: &[T]) {
        let most = (MOST / size_of::<T>().max(1)).max(1);
        for rows in rows.chunks(most) {
            self.put(kind, key, pack_rows(part, rows));
        }
    }

    /// Sends rows to where `key` says for each.
    pub(crate) fn route<T: Column>(
        &mut self,
        kind: Kind,
        rows: impl IntoIterator<Item = T>,
        key: impl Fn(&T) -> u64,
    ) {
        let mut by_key = BTreeMap::<u64, Vec<T>>::new();
        for row in rows {
            by_key.entry(key(&row)).or_default().push(row);
        }
        for (key, rows) in by_key {
            self.rows(kind, key, 0, &rows);
        }
    }

    /// Sends the shingles of a partition.
    pub(crate) fn shingles(&mut self, key: u64, rows: &Rows) {
        let width = rows.width().max(1) as usize;
        for numbers in rows.numbers().chunks(MOST / 4 / width * width) {
            self.put(Kind::Rows, key, pack(Rows::KIND, 0, width, numbers));
        }
    }

    /// Sends a list of a partition.
    pub(crate) fn list(&mut self, partition: u64, number: u32, list: &[u32]) {
        self.put(Kind::Lists, partition, pack(LIST, number, 1, list));
    }

    /// Sends a value.
    ///
    /// # Errors
    /// None in practice.
    pub(crate) fn value(
        &mut self,
        kind: Kind,
        key: u64,
        value: &impl serde::Serialize,
    ) -> Result<()> {
        self.put(kind, key, to_bytes(value)?);
        Ok(())
    }
}

/// The messages of one key, by kind.
#[derive(Default)]
pub(crate) struct Received(pub(crate) Vec<Message>);

impl Received {
    /// The bytes of the messages of a kind.
    pub(crate) fn of(&self, kind: Kind) -> impl Iterator<Item = &[u8]> {
        let all = self.0.iter().filter(move |message| message.kind == kind);
        all.map(|message| &message.bytes[..])
    }

    /// All rows of a kind.
    ///
    /// # Errors
    /// If they are others.
    pub(crate) fn rows<T: Column>(&self, kind: Kind) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        for bytes in self.of(kind) {
            join(&mut rows, unpack_rows::<T>(bytes)?.1);
        }
        Ok(rows)
    }

    /// All rows of a kind, by part.
    ///
    /// # Errors
    /// If they are others.
    pub(crate) fn parts<T: Column>(&self, kind: Kind) -> Result<BTreeMap<u32, Vec<T>>> {
        let mut parts = BTreeMap::<u32, Vec<T>>::new();
        for bytes in self.of(kind) {
            let (part, rows) = unpack_rows::<T>(bytes)?;
            join(parts.entry(part).or_default(), rows);
        }
        Ok(parts)
    }

    /// All shingles.
    ///
    /// # Errors
    /// If they are other rows.
    pub(crate) fn shingles(&self) -> Result<Rows> {
        let (mut numbers, mut of_row) = (Vec::new(), None);
        for bytes in self.of(Kind::Rows) {
            let (_, width) = unpack(Rows::KIND, bytes, &mut numbers)?;
            if of_row.replace(width).is_some_and(|before| before != width) {
                return Err(ErrorKind::Data
                    .expected("rows of one search")
                    .found("those of searches of different sizes"));
            }
        }
        match of_row {
            Some(width) => Rows::from_numbers(width as u32, numbers),
            None => Ok(Rows::default()),
        }
    }

    /// The lists of a partition, with their numbers.
    ///
    /// # Errors
    /// If they are other numbers.
    pub(crate) fn lists(&self) -> Result<Vec<(u32, Vec<u32>)>> {
        self.of(Kind::Lists)
            .map(|bytes| {
                let mut list = Vec::new();
                let (number, _) = unpack(LIST, bytes, &mut list)?;
                Ok((number, list))
            })
            .collect()
    }

    /// The values of a kind.
    ///
    /// # Errors
    /// If they are others.
    pub(crate) fn values<T: serde::de::DeserializeOwned>(&self, kind: Kind) -> Result<Vec<T>> {
        self.of(kind).map(from_bytes).collect()
    }
}

fn join<T>(rows: &mut Vec<T>, more: Vec<T>) {
    if rows.is_empty() {
        *rows = more;
    } else {
        rows.extend(more);
    }
}

/// A value as bytes.
///
/// # Errors
/// None in practice.
pub(crate) fn to_bytes(value: &impl serde::Serialize) -> Result<Vec<u8>> {
    postcard::to_allocvec(value).map_err(|error| Error::new(ErrorKind::Data, error.to_string()))
}

/// A value from its bytes.
///
/// # Errors
/// If they are those of another.
pub(crate) fn from_bytes<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    postcard::from_bytes(bytes).map_err(|error| {
        ErrorKind::Data
            .expected("messages of this version of Tegula")
            .found(format!("others ({error})"))
            .hint("install the same version of tegula on the driver and on every worker")
    })
}
