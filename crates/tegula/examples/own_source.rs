//! Texts that are read when they are needed: the files of a folder, as a source of one's own.
#![allow(clippy::print_stdout, reason = "it shows what it finds")]

use std::fs;
use std::path::Path;
use tegula::source::{BadRecord, Batch, Chunk, Chunks, Source, SourceFile};
use tegula::{Dedup, Error, Record, Result};

/// A folder; each file in it is a record.
struct Folder(Vec<SourceFile>);

/// One file, which is not read yet.
struct TextFile(u32, SourceFile);

impl Source for Folder {
    fn files(&self) -> &[SourceFile] {
        &self.0
    }

    fn text_bytes(&self) -> u64 {
        self.0.iter().map(|file| file.bytes).sum()
    }

    fn field_names(&self) -> &[String] {
        &[]
    }

    fn chunks(&self) -> Result<Chunks<'_>> {
        let files = (0..).zip(&self.0);
        Ok(Box::new(files.map(|(number, file)| {
            Ok(Box::new(TextFile(number, file.clone())) as Box<dyn Chunk>)
        })))
    }
}

impl Chunk for TextFile {
    fn file(&self) -> u32 {
        self.0
    }

    fn disk_bytes(&self) -> u64 {
        self.1.bytes
    }

    /// Is called on any thread, and again in each pass over the texts.
    fn read(&self, batch: &mut Batch) {
        match fs::read_to_string(&self.1.path) {
            Ok(text) => batch.push(1, &Record::new(text).id(&self.1.name), &[]),
            Err(error) => {
                let error = Error::io("read", &self.1.path, error);
                batch.bad.push(BadRecord {
                    number: 1,
                    bytes: 0..self.1.bytes,
                    raw: Vec::new(),
                    error,
                });
            }
        }
    }
}

fn main() -> Result<()> {
    // Any folder with texts will do; here are the built-in recipes, some of which are much alike.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("recipes");
    let wrong = |error| Error::io("read", &path, error);
    let mut files = Vec::new();
    for entry in fs::read_dir(&path).map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        let (name, bytes) = (
            entry.file_name().to_string_lossy().into_owned(),
            entry.metadata().map_err(wrong)?.len(),
        );
        files.push(SourceFile {
            path: entry.path(),
            name,
            bytes,
        });
    }
    // Folders have no order of their own, and results are in the order of the records.
    files.sort_by(|a, b| a.name.cmp(&b.name));

    let result = Dedup::recipe("ssr-containment")?
        .ngram(3)?
        .threshold("30%")?
        .run_source(&Folder(files))?;
    for removed in result.removed() {
        let witness = removed
            .witness
            .index()
            .and_then(|witness| result.id(witness))
            .unwrap_or_default();
        println!(
            "{:.2} of {} is in {witness}",
            removed.score,
            result.id(removed.index).unwrap_or_default()
        );
    }
    println!("{}", result.summary());
    assert_eq!(
        result.kept().count() + result.removed().count(),
        result.len()
    );
    Ok(())
}
