//! Damage in the columns that nobody compares. A row that is written back needs all its columns, so
//! under a policy that passes over bad records all of them are read once. Where a value may be null,
//! those that cannot be read are written as nulls ([`super::nulls`]). In any other column the rows of
//! a damaged page are bad records before anything is decided about them.
//!
//! Rows are lost by the windows in which they are decoded; if what follows the damage cannot be
//! found, the rest of the row group is.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use parquet::basic::{Compression, Type as Physical};
use parquet::column::page::PageReader;
use parquet::column::reader::{
    ColumnReader, ColumnReaderImpl, get_column_reader, get_typed_column_reader,
};
use parquet::data_type::{
    BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type,
    Int64Type, Int96Type,
};
use parquet::errors::ParquetError;
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::ColumnDescPtr;
use tegula::error::{Error, ErrorKind, Result};

use super::columns::range;
use super::decoding::{step, too_few};
use super::open::{Opened, Refusal};
use super::pages;
use crate::limits::size;
use crate::store::File;
use crate::tables::guard;

/// Rows of a row group that cannot be read in one column.
#[derive(Debug, Clone)]
pub(super) struct Lost {
    /// Rows of the group, from 0.
    pub(super) rows: Range<usize>,
    pub(super) column: String,
    pub(super) why: Refusal,
}

/// The rows of a file that cannot be read, by row group: each column of a group is read once.
#[derive(Debug, Default)]
pub(super) struct LostRows(Mutex<HashMap<Place, LostThere>>);

/// A row group, and its column whose values may be null; none for all other columns.
type Place = (usize, Option<usize>);

/// Those of a place, once they are known.
type LostThere = Arc<Mutex<Option<Arc<[Lost]>>>>;

impl LostRows {
    /// Those of a place, which `find` finds on the first call.
    pub(super) fn at(
        &self,
        place: Place,
        find: impl FnOnce() -> Result<Vec<Lost>>,
    ) -> Result<Arc<[Lost]>> {
        let there = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(place).or_default())
        };
        let mut found = there.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = &*found {
            return Ok(Arc::clone(found));
        }
        Ok(Arc::clone(found.insert(find()?.into())))
    }
}

impl Opened {
    /// Why some of these rows of a row group cannot be written back; none if they can, or if it does
    /// not matter.
    pub(super) fn lost(&self, group: usize, rows: &Range<usize>) -> Result<Option<Refusal>> {
        if !self.whole_rows {
            return Ok(None);
        }
        let known = self.guard.known::<LostRows>();
        let all = known.at((group, None), || self.find_lost(group))?;
        let here = |lost: &&Lost| lost.rows.start < rows.end && rows.start < lost.rows.end;
        Ok(all.iter().find(here).map(|lost| Refusal {
            column: Some(lost.column.clone()),
            ..lost.why.clone()
        }))
    }

    fn find_lost(&self, group: usize) -> Result<Vec<Lost>> {
        let columns = self.meta.metadata().row_group(group).columns();
        let mut all = Vec::new();
        for (leaf, column) in columns.iter().enumerate() {
            // A codec that cannot be read is no damage: such a column can only be copied as stored.
            if self.leaves.contains(&leaf) || column.compression() == Compression::LZO {
                continue;
            }
            if self.may_be_null(group, leaf) {
                // Damage costs no rows, but what the memory ceiling refuses is no damage.
                let refused = self.refuse_pages(group, leaf)?;
                all.extend(refused.filter(|lost| lost.why.kind == ErrorKind::Memory));
            } else {
                all.extend(self.find_lost_of(group, leaf, Steps::Windows(self.window(group)))?);
            }
        }
        Ok(all)
    }

    /// The column among those wanted in which rows of a group cannot be read.
    pub(super) fn culprit(&self, group: usize) -> Option<String> {
        let damaged = |leaf: &&usize| {
            let lost = self.find_lost_of(group, **leaf, Steps::Windows(self.group_rows(group)));
            lost.is_ok_and(|lost| !lost.is_empty())
        };
        let leaf = self.leaves.iter().find(damaged)?;
        let column = self.meta.metadata().row_group(group).columns().get(*leaf)?;
        Some(column.column_path().parts().join("/"))
    }

    /// Refuses any column of a row group that must be decoded, wanted or not.
    pub(super) fn check_column(&self, group: usize, leaf: usize) -> Result<()> {
        let bytes = self.largest_page(group, leaf)?;
        let Some(refusal) = self.too_large(group, leaf, bytes) else {
            return Ok(());
        };
        if self.is_implausible(group, leaf, bytes) {
            let message = format!(
                "expected pages that fit into their column, found the header of one of {}",
                size(bytes)
            );
            return Err(Error::data(message).at(&self.path));
        }
        Err(Error::new(refusal.kind, refusal.message)
            .hint(refusal.hint)
            .at(&self.path))
    }

    /// Bytes of the largest page or dictionary of a column, according to their headers.
    pub(super) fn largest_page(&self, group: usize, leaf: usize) -> Result<u64> {
        let failed = |error| Error::io("read", &self.path, error);
        let Some((start, length)) = range(self.meta.metadata().row_group(group).column(leaf))
        else {
            return Ok(0);
        };
        let mut file = self.guard.open()?;
        let found = pages::look(&mut file, start, length).map_err(failed)?;
        Ok(found.largest.max(found.dictionary))
    }

    /// Whether a page of so many bytes is larger than its column, so that its header is damaged.
    pub(super) fn is_implausible(&self, group: usize, leaf: usize, bytes: u64) -> bool {
        let column = self.meta.metadata().row_group(group).column(leaf);
        u64::try_from(column.uncompressed_size()).is_ok_and(|all| bytes > all)
    }

    /// All rows of a row group, if a page of this column is too large to be decoded.
    fn refuse_pages(&self, group: usize, leaf: usize) -> Result<Option<Lost>> {
        match self.check_column(group, leaf) {
            Ok(()) => Ok(None),
            Err(error) if matches!(error.kind(), ErrorKind::Data | ErrorKind::Memory) => {
                Ok(Some(Lost {
                    rows: 0..self.group_rows(group),
                    column: self.column_name(leaf),
                    why: Refusal::of(&error),
                }))
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn column_name(&self, leaf: usize) -> String {
        let column = self.meta.parquet_schema().column(leaf);
        column.path().parts().join("/")
    }

    /// The rows of a row group that cannot be read in one column.
    pub(super) fn find_lost_of(
        &self,
        group: usize,
        leaf: usize,
        steps: Steps,
    ) -> Result<Vec<Lost>> {
        if let Some(lost) = self.refuse_pages(group, leaf)? {
            return Ok(vec![lost]);
        }
        let column = self.meta.metadata().row_group(group).column(leaf);
        let rows = self.group_rows(group);
        let name = self.column_name(leaf);
        let mut lost = Vec::new();
        let mut found = |rows, error: ParquetError| {
            let why = Refusal::of(&Error::data(error.to_string()));
            lost.push(Lost {
                rows,
                column: name.clone(),
                why,
            });
        };
        let scan = Scan {
            path: &self.path,
            pages: &|indexed| self.page_reader(group, leaf, indexed),
            shape: column.column_descr_ptr(),
            rows,
            steps,
            step: step(column, rows),
        };
        match column.column_type() {
            Physical::BOOLEAN => scan.run::<BoolType>(&mut found),
            Physical::INT32 => scan.run::<Int32Type>(&mut found),
            Physical::INT64 => scan.run::<Int64Type>(&mut found),
            Physical::INT96 => scan.run::<Int96Type>(&mut found),
            Physical::FLOAT => scan.run::<FloatType>(&mut found),
            Physical::DOUBLE => scan.run::<DoubleType>(&mut found),
            Physical::BYTE_ARRAY => scan.run::<ByteArrayType>(&mut found),
            Physical::FIXED_LEN_BYTE_ARRAY => scan.run::<FixedLenByteArrayType>(&mut found),
        }
        if !lost.is_empty() {
            // A changed file or a failing disk must not be mistaken for damage.
            self.guard.check()?;
            self.read_bytes(group, &[leaf])?;
        }
        Ok(lost)
    }

    /// Reads a column of a row group value by value; `indexed` says that pages may be passed over,
    /// which an index of them, if there is one, makes possible whatever their headers say.
    pub(super) fn column_reader(
        &self,
        group: usize,
        leaf: usize,
        indexed: bool,
    ) -> Result<ColumnReader, ParquetError> {
        let pages = self.page_reader(group, leaf, indexed)?;
        let shape = self.meta.parquet_schema().column(leaf);
        Ok(get_column_reader(shape, Box::new(pages)))
    }

    fn page_reader(
        &self,
        group: usize,
        leaf: usize,
        indexed: bool,
    ) -> Result<SerializedPageReader<File>, ParquetError> {
        let file: File = self
            .guard
            .open()
            .map_err(|error| ParquetError::External(Box::new(error)))?;
        let metadata = self.meta.metadata();
        let column = metadata.row_group(group).column(leaf);
        let index = metadata.page_index_for_row_group(group);
        let pages = index
            .offset_index(leaf)
            .filter(|_| indexed)
            .map(|index| index.page_locations().clone());
        SerializedPageReader::new(Arc::new(file), column, self.group_rows(group), pages)
    }
}

/// How a column is read, and lost where it cannot be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Steps {
    /// So many rows at a time.
    Windows(usize),
    /// Page by page, where each value is a row.
    Pages,
}

/// A column being read from one end to the other.
pub(super) struct Scan<'a> {
    path: &'a Path,
    /// Opens its pages, by their index or by their headers.
    pub(super) pages: OpenPages<'a>,
    pub(super) shape: ColumnDescPtr,
    pub(super) rows: usize,
    steps: Steps,
    /// Rows decoded at a time.
    step: usize,
}

/// Opens the pages of a column.
type OpenPages<'a> = &'a dyn Fn(bool) -> Result<SerializedPageReader<File>, ParquetError>;

/// Receives rows that cannot be read, and why.
pub(super) type Found<'f> = &'f mut dyn FnMut(Range<usize>, ParquetError);

impl Scan<'_> {
    fn run<T: DataType>(&self, found: Found<'_>) {
        match self.steps {
            Steps::Windows(rows) => self.by_windows::<T>(rows, found),
            Steps::Pages => self.by_pages::<T>(found),
        }
    }

    fn by_windows<T: DataType>(&self, window: usize, found: Found<'_>) {
        let mut reader = self.reader::<T>(0);
        let mut at = 0;
        while at < self.rows {
            let end = at.saturating_add(window).min(self.rows);
            let read = match reader {
                Ok(mut open) => {
                    let read = self.guarded(|| self.read(&mut open, end - at));
                    read.map(|()| open)
                }
                Err(error) => Err(error),
            };
            reader = match read {
                Ok(open) => Ok(open),
                Err(error) => match self.reader::<T>(end) {
                    Ok(open) if end < self.rows => {
                        found(at..end, error);
                        Ok(open)
                    }
                    _ => return found(at..self.rows, error),
                },
            };
            at = end;
        }
    }

    /// A reader behind the first rows.
    fn reader<T: DataType>(&self, rows: usize) -> Result<ColumnReaderImpl<T>, ParquetError> {
        self.guarded(|| {
            let mut reader = self.typed::<T>(Box::new((self.pages)(true)?));
            match reader.skip_records(rows)? {
                skipped if skipped == rows => Ok(reader),
                skipped => Err(too_few(rows, skipped)),
            }
        })
    }

    /// A reader of these pages.
    pub(super) fn typed<T: DataType>(&self, pages: Box<dyn PageReader>) -> ColumnReaderImpl<T> {
        get_typed_column_reader::<T>(get_column_reader(Arc::clone(&self.shape), pages))
    }

    pub(super) fn read<T: DataType>(
        &self,
        reader: &mut ColumnReaderImpl<T>,
        rows: usize,
    ) -> Result<(), ParquetError> {
        let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
        let mut left = rows;
        while left > 0 {
            values.clear();
            defined.clear();
            repeated.clear();
            let wanted = left.min(self.step);
            let (read, ..) = reader.read_records(
                wanted,
                Some(&mut defined),
                Some(&mut repeated),
                &mut values,
            )?;
            if read != wanted {
                return Err(too_few(wanted, read));
            }
            left -= read;
        }
        Ok(())
    }

    /// Decodes; a panic of the decoder is damage too.
    pub(super) fn guarded<R>(
        &self,
        decode: impl FnOnce() -> Result<R, ParquetError>,
    ) -> Result<R, ParquetError> {
        guard(self.path, || Ok(decode()))
            .unwrap_or_else(|error| Err(ParquetError::General(error.message())))
    }
}
