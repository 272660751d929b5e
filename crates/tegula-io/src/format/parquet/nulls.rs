//! Values that nobody compares, cannot be read, and may be null: these are written as nulls, so that
//! their rows are kept, and counted.
//!
//! They are lost by pages, as a damaged one says nothing about its neighbours. If nothing says where
//! the next one begins, the rest of the row group is lost; if the headers contradict the footer, so
//! that no value can be assigned to its row, all of it.

use std::ops::Range;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use tegula::error::Result;

use super::damage::{Found, Lost, LostRows, Scan, Steps};
use super::decoding::too_few;
use super::open::Opened;

/// Rows with the reason why their values cannot be read.
type LostPages = Vec<(Range<usize>, ParquetError)>;

impl Opened {
    /// Whether values of a column of a row group that cannot be read are written as nulls: nobody
    /// compares them, and no other part of the row depends on them.
    pub(super) fn may_be_null(&self, group: usize, leaf: usize) -> bool {
        let column = self.meta.metadata().row_group(group).column(leaf);
        let shape = column.column_descr();
        self.whole_rows
            && !self.leaves.contains(&leaf)
            && shape.path().parts().len() == 1
            && (shape.max_def_level(), shape.max_rep_level()) == (1, 0)
            // A codec that cannot be read is no damage.
            && column.compression() != Compression::LZO
    }

    /// The rows of a row group whose values in this column are written as nulls, in order.
    pub(super) fn nulls(&self, group: usize, leaf: usize) -> Result<Arc<[Lost]>> {
        if !self.may_be_null(group, leaf) {
            return Ok(Arc::default());
        }
        let known = self.guard.known::<LostRows>();
        known.at((group, Some(leaf)), || self.find_nulls(group, leaf))
    }

    fn find_nulls(&self, group: usize, leaf: usize) -> Result<Vec<Lost>> {
        let mut lost = self.find_lost_of(group, leaf, Steps::Pages)?;
        // Such a page is not decoded under a low memory ceiling, and must not be found under a high
        // one only.
        if !lost.is_empty() && self.is_implausible(group, leaf, self.largest_page(group, leaf)?) {
            lost.truncate(1);
            for lost in &mut lost {
                lost.rows = 0..self.group_rows(group);
            }
        }
        Ok(lost)
    }
}

impl Scan<'_> {
    /// Finds the pages that cannot be read.
    pub(super) fn by_pages<T: DataType>(&self, found: Found<'_>) {
        let Err(error) = self.read_at_once::<T>() else {
            return;
        };
        match self.lost_pages::<T>() {
            // Only the index leads to its values, so that no row is lost, but the column must not be
            // copied as stored.
            Ok(lost) if lost.is_empty() => found(0..0, error),
            Ok(lost) => lost.into_iter().for_each(|(rows, why)| found(rows, why)),
            Err(error) => found(0..self.rows, error),
        }
    }

    /// Reads the whole column as stored. It must have a value for each row and no others.
    fn read_at_once<T: DataType>(&self) -> Result<(), ParquetError> {
        self.guarded(|| {
            let mut reader = self.typed::<T>(Box::new((self.pages)(false)?));
            self.read(&mut reader, self.rows)?;
            match reader.skip_records(1)? {
                0 => Ok(()),
                _ => Err(self.too_many()),
            }
        })
    }

    /// Reads each page by itself. An error says that the values cannot be assigned to rows.
    fn lost_pages<T: DataType>(&self) -> Result<LostPages, ParquetError> {
        let mut pages = (self.pages)(true)?;
        let mut dictionary = Ok(None);
        let mut lost = LostPages::new();
        let mut row = 0;
        loop {
            let next = match self.guarded(|| pages.peek_next_page()) {
                Ok(Some(next)) => next,
                Ok(None) if row == self.rows => break,
                Ok(None) => return Err(too_few(self.rows, row)),
                Err(error) => {
                    if row < self.rows {
                        lost.push((row..self.rows, error));
                    }
                    break;
                }
            };
            let page = self.guarded(|| pages.get_next_page());
            if next.is_dict {
                dictionary = page;
                continue;
            }
            let count = next.num_rows.or(next.num_levels).unwrap_or_default();
            let end = row.checked_add(count).filter(|end| *end <= self.rows);
            let end = end.ok_or_else(|| self.too_many())?;
            let read = page.and_then(|page| self.read_page::<T>(&dictionary, page, count));
            if let Err(error) = read {
                lost.push((row..end, error));
            }
            row = end;
        }
        match dictionary {
            // A reader passes over a damaged dictionary only together with the page behind it.
            Err(error) if lost.first().is_none_or(|(rows, _)| rows.start > 0) => Err(error),
            _ => Ok(lost),
        }
    }

    /// Reads a page that must have so many values.
    fn read_page<T: DataType>(
        &self,
        dictionary: &Result<Option<Page>, ParquetError>,
        page: Option<Page>,
        count: usize,
    ) -> Result<(), ParquetError> {
        let page = page.ok_or_else(|| too_few(count, 0))?;
        if page.num_values() as usize != count {
            return Err(too_few(count, page.num_values() as usize));
        }
        let needs_dictionary = matches!(
            page.encoding(),
            Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY
        );
        let dictionary = match dictionary {
            Ok(dictionary) => dictionary.clone().filter(|_| needs_dictionary),
            Err(_) if needs_dictionary => {
                let message = "expected a readable dictionary, found damage";
                return Err(ParquetError::General(message.into()));
            }
            Err(_) => None,
        };
        let pages: Vec<Page> = dictionary.into_iter().chain([page]).collect();
        self.guarded(|| {
            let mut reader = self.typed::<T>(Box::new(SomePages(pages.into_iter())));
            self.read(&mut reader, count)
        })
    }

    fn too_many(&self) -> ParquetError {
        ParquetError::General(format!("expected {} rows, found more", self.rows))
    }
}

/// Pages that are read from one end to the other.
struct SomePages(std::vec::IntoIter<Page>);

impl Iterator for SomePages {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(Ok)
    }
}

impl PageReader for SomePages {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        Ok(self.0.next())
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        Ok(None)
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        Ok(())
    }
}
