//! Texts in memory as a source.

use super::Record;
use super::chunk::chunks_of;
use crate::date::DateFormat;
use crate::error::{Error, Result};
use crate::field::{Expected, FieldNeed};
use crate::record::{Chunks, Source, SourceFile};

/// Records in memory, as one file with the given name. Borrowed texts are copied only while a chunk
/// is read.
pub(super) struct Memory<'a> {
    records: Vec<Record<'a>>,
    /// The fields that the run needs.
    names: Vec<String>,
    file: [SourceFile; 1],
    /// Whether each character is a token.
    characters: bool,
}

impl<'a> Memory<'a> {
    pub(super) fn new(
        name: &str,
        records: Vec<Record<'a>>,
        names: Vec<String>,
        characters: bool,
    ) -> Self {
        let bytes = records
            .iter()
            .map(|record| record.text().len() as u64)
            .sum();
        let file = SourceFile {
            path: name.into(),
            name: name.to_owned(),
            bytes,
        };
        Self {
            records,
            names,
            file: [file],
            characters,
        }
    }

    /// Heap size of the list, without the texts, which are the caller's.
    pub(super) fn heap_bytes(&self) -> u64 {
        (self.records.capacity() * size_of::<Record>()) as u64
    }

    /// Refuses fields that no record has, and fields without a usable value.
    ///
    /// # Errors
    /// Names the field, and lists the fields that records have.
    pub(super) fn check(&self, needs: &[FieldNeed], dates: &DateFormat) -> Result<()> {
        if self.records.is_empty() {
            return Ok(());
        }
        for need in needs {
            let expected = Expected {
                holds: need.holds.clone(),
                dates: dates.clone(),
            };
            let mut values = self
                .records
                .iter()
                .filter_map(|record| record.value(&need.name))
                .peekable();
            match values.peek().copied() {
                None => return Err(self.has_none(&need.name)),
                Some(first) if !values.any(|value| expected.fits(value)) => {
                    expected.check(&need.name, first)?;
                    return Err(expected.nothing_fits(&need.name, first));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn has_none(&self, name: &str) -> Error {
        let mut had: Vec<&str> = self.records.iter().flat_map(Record::names).collect();
        had.sort_unstable();
        had.dedup();
        let had = if had.is_empty() {
            "none".to_owned()
        } else {
            had.join(", ")
        };
        Error::of(format!("field '{name}'"))
            .expected("records that have it")
            .found("none")
            .hint(format!("the fields that records have are: {had}"))
    }
}

impl Source for Memory<'_> {
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
        Ok(Box::new(chunks_of(
            self.records.iter().map(Ok),
            &self.names,
            self.characters,
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Batch;

    #[test]
    fn chunks_hold_all_records_once_and_large_ones_are_alone() {
        let short = "a few words ".repeat(2000);
        let long = "words ".repeat(1 << 20);
        let texts = [&short, "", &long, &short, &long, &short, &short, ""];
        let memory = Memory::new(
            "texts",
            texts.iter().map(Record::from).collect(),
            vec!["f".into()],
            false,
        );
        let mut batch = Batch::default();
        for chunk in memory.chunks().unwrap() {
            let chunk = chunk.unwrap();
            let before = batch.records.len();
            chunk.read(&mut batch);
            assert!(chunk.large().is_none() || batch.records.len() == before + 1);
            assert_eq!(
                chunk.large().is_some(),
                batch.text_of(&batch.records[before]).len() > 1 << 20
            );
        }
        let read: Vec<&str> = batch
            .records
            .iter()
            .map(|record| batch.text_of(record))
            .collect();
        assert_eq!(read, texts);
        assert!(batch.records.iter().map(|record| record.number).eq(1..=8));
    }
}
