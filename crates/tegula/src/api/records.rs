//! Records read one by one, again for each pass.

use super::Record;
use super::chunk::chunks_of;
use crate::error::Result;
use crate::record::{Chunks, Source, SourceFile};
use std::fmt;

/// A source made from a function that restarts reading each time: a query, a download, the lines of
/// a file. A run calls it once per pass, two or three times by default, and it must produce the
/// same records each time. An error ends the run.
///
/// ```
/// use tegula::source::Records;
/// use tegula::{Dedup, Record};
///
/// // Lines of an archive that is decoded as it is read.
/// let archive = ["2021\tthe bridge is open again", "2019\tthe bridge is closed", "2023\tTHE BRIDGE IS CLOSED"];
/// let lines = Records::new(&["year"], || {
///     Ok(archive.iter().map(|line| {
///         let (year, text) = line.split_once('\t').unwrap_or(("", line));
///         Ok(Record::new(text).field("year", year))
///     }))
/// });
/// let result = Dedup::recipe("exact")?.keep("highest:year")?.run_source(&lines)?;
/// assert_eq!(result.kept().collect::<Vec<_>>(), [0, 2]);
/// # Ok::<(), tegula::Error>(())
/// ```
///
/// # Cost
/// One thread calls it and pulls its records, a quarter of a megabyte at a time; all others
/// normalise and compare.
pub struct Records<'a> {
    names: Vec<String>,
    begin: Box<Begin<'a>>,
    file: [SourceFile; 1],
}

/// Restarts reading.
type Begin<'a> =
    dyn Fn() -> Result<Box<dyn Iterator<Item = Result<Record<'a>>> + Send + 'a>> + Sync + 'a;

/// Bytes of text assumed if the size is unknown.
const ASSUMED: u64 = 64 << 20;

impl<'a> Records<'a> {
    /// `fields` are the fields that records may have and a run may need; `begin` returns the
    /// records from the start.
    pub fn new<I>(fields: &[&str], begin: impl Fn() -> Result<I> + Sync + 'a) -> Self
    where
        I: Iterator<Item = Result<Record<'a>>> + Send + 'a,
    {
        let file = SourceFile {
            path: "records".into(),
            name: "records".to_owned(),
            bytes: ASSUMED,
        };
        Self {
            names: fields.iter().map(|name| (*name).to_owned()).collect(),
            begin: Box::new(move || begin().map(|records| Box::new(records) as Box<_>)),
            file: [file],
        }
    }

    /// The approximate size of the text in bytes, 64 MiB by default: it affects progress and the
    /// initial sizes of tables, but no result.
    #[must_use]
    pub fn bytes(mut self, about: u64) -> Self {
        self.file[0].bytes = about;
        self
    }
}

impl Source for Records<'_> {
    fn files(&self) -> &[SourceFile] {
        &self.file
    }

    fn text_bytes(&self) -> u64 {
        self.file[0].bytes
    }

    fn field_names(&self) -> &[String] {
        &self.names
    }

    fn chunks(&self) -> Result<Chunks<'_>> {
        Ok(Box::new(chunks_of((self.begin)()?, &self.names, false)))
    }
}

impl fmt::Debug for Records<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records")
            .field("names", &self.names)
            .finish_non_exhaustive()
    }
}
