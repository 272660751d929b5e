//! Sections of a file, which [`Collection`](crate::collection::Collection) reads without what is before them: lines of JSONL that is not
//! compressed, or row groups of Parquet.

use serde::{Deserialize, Serialize};
use std::ops::Range;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::Collection;
    use crate::options::ReadOptions;
    use proptest::prelude::*;
    use std::fmt::Write as _;
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;
    use tegula::error::{ErrorKind, Result};
    use tegula::record::{Batch, Chunks, Source as _};

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
