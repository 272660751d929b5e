//! A file in a temporary folder, for tests: read, written back, and compared.

use crate::collection::Collection;
use crate::edit::Edit;
use crate::options::ReadOptions;
use crate::outputs::Outputs;
use crate::rewrite::{Edits, RewriteOptions, rewrite};
use crate::target::Target;
use std::fs;
use tegula::error::Result;
use tegula::record::{Batch, Source as _};
use tempfile::TempDir;

/// A collection of one file in a separate folder.
pub(crate) struct Bench {
    pub(crate) dir: TempDir,
    pub(crate) collection: Collection,
}

pub(crate) fn bench(name: &str, bytes: &[u8], options: &ReadOptions, chunk: usize) -> Bench {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, bytes).unwrap();
    let collection = Collection::open(&[path], options, dir.path())
        .unwrap()
        .chunked(chunk);
    Bench { dir, collection }
}

/// A text, or nothing where there is only white space.
pub(crate) fn own(text: &str) -> &str {
    if text.trim().is_empty() { "" } else { text }
}

impl Bench {
    pub(crate) fn read(&self) -> Batch {
        let mut batch = Batch::default();
        for chunk in self.collection.chunks().unwrap() {
            chunk.unwrap().read(&mut batch);
        }
        batch
    }

    /// The texts; none where white space stands for the bytes of a record.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.compared()
            .iter()
            .map(|text| own(text).to_owned())
            .collect()
    }

    /// What is compared of each record.
    pub(crate) fn compared(&self) -> Vec<String> {
        let batch = self.read();
        assert!(batch.bad.is_empty(), "{:?}", batch.bad);
        batch
            .records
            .iter()
            .map(|r| batch.text_of(r).to_owned())
            .collect()
    }

    pub(crate) fn write_as(
        &self,
        name: &str,
        options: &RewriteOptions,
        edits: Edits<'_>,
    ) -> Result<Vec<u8>> {
        let path = self.dir.path().join("out").join(name);
        let target = Target::resolve(&path, &self.collection)?;
        let outputs = Outputs::default();
        let result = rewrite(
            &self.collection,
            (&outputs, &target),
            edits,
            options,
            &|_| Ok(()),
        )
        .and_then(|_| outputs.publish().map(|done| done.named));
        drop(outputs);
        let in_folder: Vec<_> = fs::read_dir(path.parent().unwrap())
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path())
            .collect();
        result?;
        assert!(
            in_folder
                .iter()
                .all(|p| p.extension().is_none_or(|e| e != "part")),
            "a temporary file is left"
        );
        Ok(fs::read(path).unwrap())
    }

    pub(crate) fn write(&self, options: &RewriteOptions, edits: Edits<'_>) -> Vec<u8> {
        self.write_as("out", options, edits).unwrap()
    }

    /// Keeps every byte when nothing is edited, and the right ones when records are removed.
    pub(crate) fn check_lossless(&self, bytes: &[u8]) {
        for threads in [1, 3] {
            let options = RewriteOptions {
                threads,
                ..RewriteOptions::default()
            };
            assert_eq!(show(&self.write(&options, &|_, _| Edit::Keep)), show(bytes));
        }
        let batch = self.read();
        let places: Vec<_> = (batch.records.iter().map(|r| (r.number, r.bytes.clone())))
            .chain(batch.bad.iter().map(|b| (b.number, b.bytes.clone())))
            .collect();
        let options = RewriteOptions {
            threads: 2,
            ..RewriteOptions::default()
        };
        let mut gaps = Vec::new();
        let mut sorted = places.clone();
        sorted.sort_by_key(|(number, _)| *number);
        let mut at = 0;
        for (_, place) in &sorted {
            gaps.push(at..place.start as usize);
            at = place.end as usize;
        }
        gaps.push(at..bytes.len());
        for (index, (number, place)) in sorted.iter().enumerate() {
            let kept = self.write(&options, &|_, n| {
                if n == *number { Edit::Keep } else { Edit::Drop }
            });
            let mut expected: Vec<u8> = Vec::new();
            for (gap_index, gap) in gaps.iter().enumerate() {
                expected.extend(&bytes[gap.clone()]);
                if gap_index == index {
                    expected.extend(&bytes[place.start as usize..place.end as usize]);
                }
            }
            assert_eq!(show(&kept), show(&expected), "keep {number}");
        }
    }
}

pub(crate) fn show(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

pub(crate) const SIZES: [usize; 5] = [1, 7, 40, 333, 1 << 20];
