//! Real texts to start from: files and folders, read by the readers that Tegula itself reads with.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use tegula::record::{Batch, Record, Source as _};
use tegula::{Error, Result};
use tegula_io::collection::Collection;
use tegula_io::options::ReadOptions;

/// A file or folder, and how much of it is taken at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file or folder.
    pub path: PathBuf,
    /// Millions of characters; the text in which they are reached is the last.
    pub most: Option<u64>,
}

impl FromStr for Source {
    type Err = std::convert::Infallible;

    /// `PATH`, or `PATH@MILLIONS`.
    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        if let Some((path, most)) = text.rsplit_once('@')
            && let Ok(most) = most.parse()
        {
            return Ok(Self {
                path: path.into(),
                most: Some(most),
            });
        }
        Ok(Self {
            path: text.into(),
            most: None,
        })
    }
}

/// Opens one file or folder with the default options.
///
/// # Errors
/// When it cannot be opened.
pub fn open(path: &Path) -> Result<Collection> {
    Collection::open(
        &[path.to_path_buf()],
        &ReadOptions::default(),
        &std::env::temp_dir(),
    )
}

/// Hands every record to `each`, with the batch that holds it, until `each` says that it is enough.
///
/// # Errors
/// The first bad record, and what `each` gives.
pub fn each_record(
    collection: &Collection,
    mut each: impl FnMut(&Batch, &Record) -> Result<bool>,
) -> Result<()> {
    let mut batch = Batch::default();
    for chunk in collection.chunks()? {
        batch.clear();
        chunk?.read(&mut batch);
        if !batch.bad.is_empty() {
            return Err(batch.bad.swap_remove(0).error);
        }
        for record in &batch.records {
            if !each(&batch, record)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// An error of reading or writing `path`, as [`Error`] shows it.
pub(crate) fn failed<'a>(doing: &'a str, path: &'a Path) -> impl Fn(std::io::Error) -> Error + 'a {
    move |error| Error::io(doing, path, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_may_have_a_limit() {
        let source = |text: &str| -> Source { text.parse().unwrap() };
        assert_eq!(
            source("a.jsonl@30"),
            Source {
                path: "a.jsonl".into(),
                most: Some(30)
            }
        );
        assert_eq!(
            source("me@home.txt"),
            Source {
                path: "me@home.txt".into(),
                most: None
            }
        );
    }

    #[test]
    fn texts_come_in_order_until_it_is_enough() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(
            folder.path().join("a.jsonl"),
            "{\"text\": \"one\"}\n{\"text\": \"two\"}\n",
        )
        .unwrap();
        std::fs::write(folder.path().join("b.txt"), "three").unwrap();
        let mut texts = Vec::new();
        each_record(&open(folder.path()).unwrap(), |batch, record| {
            texts.push(batch.text_of(record).to_owned());
            Ok(texts.len() < 3)
        })
        .unwrap();
        assert_eq!(texts, ["one", "two", "three"]);
    }
}
