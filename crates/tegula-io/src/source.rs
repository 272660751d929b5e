//! A collection as the source of a run.

use crate::collection::Collection;
use crate::excerpt;
use crate::options::FormatName;
use tegula::error::Result;
use tegula::record::{Chunk, Fetched, Source, SourceFile, Wanted};

impl Source for Collection {
    fn files(&self) -> &[SourceFile] {
        self.list()
    }

    fn text_bytes(&self) -> u64 {
        let bytes = |(number, file): (u32, &SourceFile)| {
            let ratio = match self.format(number) {
                _ if self.layout(number).is_some() => 1,
                Some((FormatName::Parquet, _)) => 3,
                Some((_, compression)) => compression.ratio(),
                None => 1,
            };
            file.bytes.saturating_mul(ratio)
        };
        (0..).zip(self.list()).map(bytes).sum()
    }

    fn field_names(&self) -> &[String] {
        &self.options().needs.fields
    }

    fn chunks(&self) -> Result<Box<dyn Iterator<Item = Result<Box<dyn Chunk>>> + Send + '_>> {
        Ok(Box::new(self.all_chunks()))
    }

    fn fetch<'a>(&'a self, wanted: Wanted<'a>) -> Result<Fetched<'a>> {
        excerpt::fetch(self, wanted)
    }
}
