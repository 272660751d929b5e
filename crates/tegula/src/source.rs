//! Custom sources, for texts that are not in memory, for
//! [`Dedup::run_source`](crate::Dedup::run_source).
//!
//! [`Records`] creates one from a function that restarts reading each time. To decode records on
//! several threads, or read several files, implement [`Source`]: it yields [`Chunk`]s in reading
//! order, each of which contains whole records, and can be decoded on any thread into a [`Batch`].
//! It is read sequentially, several times, and must yield the same each time.
//!
//! ```
//! use tegula::source::{Batch, Chunk, Chunks, Source, SourceFile};
//! use tegula::{Dedup, Record, Result};
//!
//! /// The pages of a book, generated on demand.
//! struct Book([SourceFile; 1]);
//! struct Page(u64);
//!
//! impl Source for Book {
//!     fn files(&self) -> &[SourceFile] {
//!         &self.0
//!     }
//!     fn text_bytes(&self) -> u64 {
//!         self.0[0].bytes
//!     }
//!     fn field_names(&self) -> &[String] {
//!         &[]
//!     }
//!     fn chunks(&self) -> Result<Chunks<'_>> {
//!         Ok(Box::new((1..=4).map(|number| Ok(Box::new(Page(number)) as Box<dyn Chunk>))))
//!     }
//! }
//!
//! impl Chunk for Page {
//!     fn file(&self) -> u32 {
//!         0
//!     }
//!     fn disk_bytes(&self) -> u64 {
//!         30
//!     }
//!     fn read(&self, batch: &mut Batch) {
//!         let text = format!("Chapter {} of the novel begins here", self.0 % 3);
//!         batch.push(self.0, &Record::new(text), &[]);
//!     }
//! }
//!
//! let book = Book([SourceFile { path: "book".into(), name: "book".into(), bytes: 120 }]);
//! let result = Dedup::recipe("exact")?.run_source(&book)?;
//! assert_eq!(result.removed().map(|removed| (removed.index, removed.witness.index())).collect::<Vec<_>>(), [(3, Some(0))]);
//! # Ok::<(), tegula::Error>(())
//! ```

pub use crate::api::Records;
pub use crate::record::{BadRecord, Batch, Chunk, Chunks, LargeRecord, Source, SourceFile};
