//! Collections of tables in memory.

use super::{CHUNK, Collection, no_file};
use crate::compress::Compression;
use crate::encoding;
use crate::file_fields;
use crate::format::Settings;
use crate::guard::InputGuard;
use crate::limits::Limits;
use crate::memory::{Layout, Table};
use crate::option_checks::check;
use crate::options::{FormatName, ReadOptions};
use std::sync::Arc;
use tegula::error::{ErrorKind, Result};
use tegula::record::SourceFile;
use tegula::scratch::Scratch;

impl Collection {
    /// A collection of tables in memory, each of which is read in place as if it were a file.
    ///
    /// # Errors
    /// If an option is invalid, there is no table, or two have the same name.
    pub fn of_tables(tables: &[Table], options: &ReadOptions) -> Result<Self> {
        check(options)?;
        let name_pattern = file_fields::pattern(options)?;
        if tables.is_empty() {
            return Err(ErrorKind::Usage
                .expected("at least one table")
                .found("none"));
        }
        for (at, table) in tables.iter().enumerate() {
            if tables[..at]
                .iter()
                .any(|other| other.name() == table.name())
            {
                return Err(ErrorKind::Usage
                    .expected("tables of different names")
                    .found(format!("'{}' twice", table.name())));
            }
        }
        if let Some(pattern) = &name_pattern {
            file_fields::check(pattern, tables.iter().map(Table::name))?;
        }
        let of = |table| Arc::new(Layout::new(table, options, CHUNK));
        let layouts: Vec<Arc<Layout>> = tables.iter().map(of).collect();
        let name = |layout: &Arc<Layout>| layout.table.name().to_owned();
        let files = layouts.iter().map(|layout| SourceFile {
            path: name(layout).into(),
            name: name(layout),
            bytes: layout.bytes,
        });
        let guards = layouts.iter().map(|layout| {
            let guard = InputGuard::in_memory(layout.table.name(), layout.bytes);
            Arc::new(guard)
        });
        // Rows of columns, addressed by their numbers.
        let kind = (FormatName::Parquet, Compression::None);
        Ok(Self {
            files: files.collect(),
            places: layouts.iter().map(|layout| name(layout).into()).collect(),
            mail_folders: Vec::new(),
            guards: guards.collect(),
            kinds: vec![kind; layouts.len()],
            skipped: Vec::new(),
            warnings: Vec::new(),
            unmatched: Vec::new(),
            links: Vec::new(),
            settings: Settings {
                encoding: encoding::by_label(options.encoding())?,
                options: options.clone(),
                name_pattern,
            },
            folders: Vec::new(),
            single: layouts.len() == 1,
            tables: layouts,
            chunk: CHUNK,
            limits: Limits::default(),
            _spooled: Vec::new(),
            tallies: Arc::default(),
        })
    }

    /// A collection of only this file, opened again with these options.
    ///
    /// # Errors
    /// As [`Self::open_in`]; if there is no such file.
    pub fn alone(&self, file: u32, options: &ReadOptions, scratch: &Scratch) -> Result<Self> {
        if let Some(layout) = self.layout(file) {
            return Self::of_tables(std::slice::from_ref(&layout.table), options);
        }
        let Some(source) = self.files.get(file as usize) else {
            return Err(no_file(file));
        };
        Self::open_in(None, std::slice::from_ref(&source.path), options, scratch)
    }

    /// Whether the files are tables in memory.
    pub fn is_in_memory(&self) -> bool {
        !self.tables.is_empty()
    }

    /// A table in memory, and how it is read.
    pub(crate) fn layout(&self, file: u32) -> Option<&Arc<Layout>> {
        self.tables.get(file as usize)
    }
}
