//! Sections of a file, each of which can be read without what is before it: lines of JSONL that is not
//! compressed, or row groups of Parquet.

use crate::collection::{Collection, no_file};
use crate::compress::Compression;
use crate::file_fields::FileFields;
use crate::format::parquet;
use crate::options::FormatName;
use crate::stream::FileStream;
use serde::{Deserialize, Serialize};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use tegula::error::{Error, Result};
use tegula::record::Chunks;

/// Consecutive records of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Where they are: bytes of lines, or row groups; to the end of the file if it ends at `u64::MAX`.
    pub places: Range<u64>,
    /// The number of the first.
    pub first: u64,
}

/// The records that begin in some bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begins {
    /// Where the first of them is, as in a [`Section`]; none if there are none.
    pub at: Option<u64>,
    /// How many there are; in JSONL blank lines count.
    pub records: u64,
}

impl Section {
    /// The sections of a file, given what begins in consecutive parts of it, from its first byte to its
    /// last.
    pub fn all(parts: &[Begins]) -> Vec<Self> {
        let (mut all, mut first) = (Vec::<Self>::new(), 1);
        for part in parts {
            if let Some(at) = part.at {
                if let Some(before) = all.last_mut() {
                    before.places.end = at;
                }
                all.push(Self {
                    places: at..u64::MAX,
                    first,
                });
            }
            first += part.records;
        }
        all
    }
}

impl Collection {
    /// Whether a file may have sections, by its format.
    pub fn may_have_sections(&self, file: u32) -> bool {
        let is_jsonl = self.format(file) == Some((FormatName::Jsonl, Compression::None));
        self.options().limit.is_none() && (is_jsonl || self.is_stored_parquet(file))
    }

    fn is_stored_parquet(&self, file: u32) -> bool {
        let format = self.format(file).map(|(format, _)| format);
        format == Some(FormatName::Parquet) && self.layout(file).is_none()
    }

    /// The records that begin in these bytes of a file; none if it must be read as a whole. Reads these
    /// bytes, and the beginning of the file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn begins(&self, file: u32, bytes: Range<u64>) -> Result<Option<Begins>> {
        if !self.may_have_sections(file) {
            return Ok(None);
        }
        let guard = &self.guards()[file as usize];
        if self.is_stored_parquet(file) {
            return parquet::begins(guard, &bytes, self.options(), self.limits());
        }
        if !self.stream(file)?.is_utf8() {
            return Ok(None);
        }
        let failed = |error| Error::io("read", guard.path(), error);
        // A line begins after the end of another.
        let from = bytes.start.saturating_sub(1);
        let mut open = guard.open()?;
        open.seek(SeekFrom::Start(from)).map_err(failed)?;
        let end = bytes.end.saturating_sub(1);
        let mut rest = BufReader::with_capacity(1 << 20, open.take(end.saturating_sub(from)));
        let mut found = Begins {
            at: (bytes.start == 0).then_some(0),
            records: u64::from(bytes.start == 0),
        };
        let mut place = from;
        loop {
            self.limits().check()?;
            let piece = rest.fill_buf().map_err(failed)?;
            if piece.is_empty() {
                return Ok(Some(found));
            }
            let ends = memchr::memchr_iter(b'\n', piece);
            if let Some(at) = ends.clone().next() {
                found.at.get_or_insert(place + at as u64 + 1);
            }
            found.records += ends.count() as u64;
            let read = piece.len();
            place += read as u64;
            rest.consume(read);
        }
    }

    /// The chunks of a section of a file, whatever the limit.
    ///
    /// # Errors
    /// If the file cannot be opened, or has no sections.
    pub fn chunks_of_section(&self, file: u32, section: &Section) -> Result<Chunks<'_>> {
        if !self.may_have_sections(file) {
            return Err(no_file(file));
        }
        if self.is_stored_parquet(file) {
            let guard = &self.guards()[file as usize];
            let name = &self.list()[file as usize].name;
            let fields = FileFields::of(name, guard, FormatName::Parquet, self.settings());
            let of = (self.options(), self.limits());
            let chunks = parquet::chunks_of_groups((file, guard), of, section)?;
            return Ok(Box::new(chunks.map(move |chunk| Ok(fields.on(chunk?)))));
        }
        let stream =
            FileStream::section(self.stream(file)?, &self.guards()[file as usize], section)?;
        Ok(self.chunks_of_stream(stream))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::ReadOptions;
    use proptest::prelude::*;
    use std::fmt::Write as _;
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;
    use tegula::error::ErrorKind;
    use tegula::record::{Batch, Source as _};

    fn open(path: &Path) -> Collection {
        let scratch = std::env::temp_dir();
        let inputs = [PathBuf::from(path)];
        let options = ReadOptions::default();
        Collection::open(&inputs, &options, &scratch).unwrap()
    }

    /// Everything that chunks say: records and bad records with their numbers and bytes.
    fn seen(chunks: Chunks<'_>) -> Result<Vec<String>> {
        let (mut seen, mut batch) = (Vec::new(), Batch::default());
        for chunk in chunks {
            batch.clear();
            chunk?.read(&mut batch);
            seen.extend(batch.records.iter().map(|record| {
                let (text, id) = (batch.text_of(record), batch.id_of(record));
                format!("{} {:?} {text} {id:?}", record.number, record.bytes)
            }));
            seen.extend(batch.bad.iter().map(|bad| {
                let message = bad.error.message();
                format!("{} {:?} {:?} {message}", bad.number, bad.bytes, bad.raw)
            }));
        }
        seen.sort();
        Ok(seen)
    }

    /// All sections of a file, looked for in parts of this many bytes.
    fn sections(collection: &Collection, part: u64) -> Vec<Section> {
        let bytes = collection.files()[0].bytes;
        let parts = (0..bytes.div_ceil(part)).map(|at| {
            let part = at * part..((at + 1) * part).min(bytes);
            collection.begins(0, part).unwrap().unwrap()
        });
        Section::all(&parts.collect::<Vec<_>>())
    }

    fn check(path: &Path, part: u64) -> usize {
        let whole = seen(open(path).chunks_of(0).unwrap()).unwrap();
        let sections = sections(&open(path), part);
        let collection = open(path);
        let mut all = Vec::new();
        for section in &sections {
            all.extend(seen(collection.chunks_of_section(0, section).unwrap()).unwrap());
        }
        all.sort();
        assert_eq!(all, whole);
        sections.len()
    }

    proptest! {
        #[test]
        fn sections_of_lines_are_the_file(
            mark in any::<bool>(),
            lines in prop::collection::vec((0_u8..8, 0_usize..60, any::<bool>()), 0..16),
            ends in any::<bool>(),
            part in 20_u64..400,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.jsonl");
            let mut text = String::from(if mark { "\u{feff}" } else { "" });
            for (kind, length, returns) in lines {
                let words = "é ".repeat(length);
                match kind {
                    0 => {}
                    1 => text.push_str("{\"text\": 3}"),
                    2 => text.push_str("not JSON"),
                    _ => {
                        let _written = write!(text, "{{\"id\":{length},\"text\":\"{words}\"}}");
                    }
                }
                text.push_str(if returns { "\r\n" } else { "\n" });
            }
            if !ends {
                text.push_str("{\"text\":\"the last\"}");
            }
            fs::write(&path, text).unwrap();
            check(&path, part);
        }
    }

    #[test]
    fn row_groups_are_sections() {
        use ::parquet::arrow::ArrowWriter;
        use ::parquet::file::properties::WriterProperties;
        use arrow_array::{RecordBatch, StringArray};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        let texts = (0..100).map(|at| (at % 7 > 0).then(|| format!("text {at}")));
        let column = Arc::new(texts.collect::<StringArray>()) as _;
        let rows = RecordBatch::try_from_iter_with_nullable([("text", column, true)]).unwrap();
        let groups = WriterProperties::builder().set_max_row_group_row_count(Some(9));
        let file = fs::File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, rows.schema(), Some(groups.build())).unwrap();
        writer.write(&rows).unwrap();
        writer.close().unwrap();
        assert_eq!(check(&path, 1), 12);
        assert!((2..12).contains(&check(&path, 500)));
        assert_eq!(check(&path, 1 << 20), 1);
    }

    #[test]
    fn other_files_have_none_and_changes_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let utf16 = folder.path().join("utf16.jsonl");
        let text = "{\"text\":\"one\"}\n{\"text\":\"two\"}\n";
        let wide = text.encode_utf16().flat_map(u16::to_le_bytes);
        fs::write(
            &utf16,
            [0xff, 0xfe].into_iter().chain(wide).collect::<Vec<_>>(),
        )
        .unwrap();
        assert_eq!(open(&utf16).begins(0, 0..20).unwrap(), None);
        let table = folder.path().join("a.csv");
        fs::write(&table, "text\none\n").unwrap();
        assert_eq!(open(&table).begins(0, 0..5).unwrap(), None);

        let path = folder.path().join("a.jsonl");
        fs::write(&path, text).unwrap();
        let collection = open(&path);
        let section = &sections(&collection, 10)[1];
        assert_eq!(
            seen(collection.chunks_of_section(0, section).unwrap())
                .unwrap()
                .len(),
            1
        );
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, text.replace("two", "six")).unwrap();
        fs::File::options()
            .append(true)
            .open(&path)
            .unwrap()
            .set_modified(time)
            .unwrap();
        let again = collection.chunks_of_section(0, section).and_then(seen);
        assert_eq!(again.unwrap_err().kind(), ErrorKind::Changed);
    }
}
