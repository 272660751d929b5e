//! Damage in the columns that nobody compares. A row that is written back needs all its columns, so
//! under a policy that passes over bad records all of them are read once, and the rows of a damaged
//! page are bad records before anything is decided about them.
//!
//! Rows are lost by the windows in which they are decoded; if what follows the damage cannot be
//! found, the rest of the row group is.

use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use parquet::basic::{Compression, Type as Physical};
use parquet::column::reader::{
    ColumnReader, ColumnReaderImpl, get_column_reader, get_typed_column_reader,
};
use parquet::data_type::{
    BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type,
    Int64Type, Int96Type,
};
use parquet::errors::ParquetError;
use parquet::file::serialized_reader::SerializedPageReader;
use tegula::error::{Error, ErrorKind, Result};

use super::copy::{step, too_few};
use super::open::{Opened, Refusal};
use crate::tables::guard;

/// Rows of a row group that cannot be read in one column.
#[derive(Debug, Clone)]
struct Lost {
    /// Rows of the group, from 0.
    rows: Range<usize>,
    column: String,
    why: Refusal,
}

/// The rows of a file that cannot be written back, by row group: each group is read once.
#[derive(Debug, Default)]
struct LostRows(Mutex<HashMap<usize, LostOfGroup>>);

/// Those of a row group, once they are known.
type LostOfGroup = Arc<Mutex<Option<Arc<[Lost]>>>>;

impl LostRows {
    /// Those of a row group, which `find` finds on the first call.
    fn of_group(
        &self,
        group: usize,
        find: impl FnOnce() -> Result<Vec<Lost>>,
    ) -> Result<Arc<[Lost]>> {
        let of_group = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(group).or_default())
        };
        let mut found = of_group.lock().unwrap_or_else(PoisonError::into_inner);
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
        let all = known.of_group(group, || self.find_lost(group))?;
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
            all.extend(self.find_lost_of(group, leaf, self.window(group))?);
        }
        Ok(all)
    }

    /// The column among those wanted in which rows of a group cannot be read.
    pub(super) fn culprit(&self, group: usize) -> Option<String> {
        let damaged = |leaf: &&usize| {
            let lost = self.find_lost_of(group, **leaf, self.group_rows(group));
            lost.is_ok_and(|lost| !lost.is_empty())
        };
        let leaf = self.leaves.iter().find(damaged)?;
        let column = self.meta.metadata().row_group(group).columns().get(*leaf)?;
        Some(column.column_path().parts().join("/"))
    }

    /// The rows of a row group that cannot be read in one column, by windows.
    fn find_lost_of(&self, group: usize, leaf: usize, window: usize) -> Result<Vec<Lost>> {
        let column = self.meta.metadata().row_group(group).column(leaf);
        let rows = self.group_rows(group);
        let name = column.column_path().parts().join("/");
        if let Err(error) = self.check_column(group, leaf) {
            return match error.kind() {
                ErrorKind::Memory => Ok(vec![Lost {
                    rows: 0..rows,
                    column: name,
                    why: Refusal::of(&error),
                }]),
                _ => Err(error),
            };
        }
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
            open: &|| self.column_reader(group, leaf, true),
            rows,
            window,
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
        let pages =
            SerializedPageReader::new(Arc::new(file), column, self.group_rows(group), pages)?;
        Ok(get_column_reader(
            column.column_descr_ptr(),
            Box::new(pages),
        ))
    }
}

/// A column being read from one end to the other.
struct Scan<'a> {
    path: &'a Path,
    open: &'a dyn Fn() -> Result<ColumnReader, ParquetError>,
    rows: usize,
    window: usize,
    /// Rows decoded at a time.
    step: usize,
}

impl Scan<'_> {
    fn run<T: DataType>(&self, found: &mut dyn FnMut(Range<usize>, ParquetError)) {
        let mut reader = self.reader::<T>(0);
        let mut at = 0;
        while at < self.rows {
            let end = at.saturating_add(self.window).min(self.rows);
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
            let mut reader = get_typed_column_reader::<T>((self.open)()?);
            match reader.skip_records(rows)? {
                skipped if skipped == rows => Ok(reader),
                skipped => Err(too_few(rows, skipped)),
            }
        })
    }

    fn read<T: DataType>(
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
    fn guarded<R>(
        &self,
        decode: impl FnOnce() -> Result<R, ParquetError>,
    ) -> Result<R, ParquetError> {
        guard(self.path, || Ok(decode()))
            .unwrap_or_else(|error| Err(ParquetError::General(error.message().to_owned())))
    }
}
