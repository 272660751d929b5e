//! Tables in the format implied by their file name: Parquet, TSV or JSON Lines, the text formats
//! optionally as `.gz` and `.zst`.
//!
//! TSV has a header line with the columns' names, numbers with at most six decimals, and null as an
//! empty cell; tabs, line ends and backslashes inside a cell are written `\t`, `\n`, `\r` and `\\`.
//! JSON Lines has one object per line and floats with full precision, so scores near a threshold
//! should be kept there or in Parquet. Both are read back with columns in any order; other columns
//! are ignored.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde_json::value::RawValue;
use tegula::error::{Error, ErrorKind, Result};
use tegula::tsv::Formulas;

use super::cell::Form;
use super::parquet_table::{Rows, TableInfo, TableReader, TableWriter};
use super::table::{self, Table};
use crate::outputs::{AtomicFile, Outputs};
use crate::store::File;

/// Rows parsed at a time.
const BATCH_ROWS: usize = 8_192;
/// Bytes of lines parsed at a time.
const BATCH_BYTES: usize = 16 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Squeeze {
    None,
    Gz,
    Zst,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Parquet,
    Text(Form, Squeeze),
}

/// The format implied by a file name.
fn kind(path: &Path) -> Result<Kind> {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default();
    let (stem, squeeze) = if let Some(stem) = name.strip_suffix(".gz") {
        (stem, Squeeze::Gz)
    } else if let Some(stem) = name.strip_suffix(".zst") {
        (stem, Squeeze::Zst)
    } else {
        (name.as_str(), Squeeze::None)
    };
    match stem.rsplit_once('.').map(|(_, extension)| extension) {
        Some("tsv") => Ok(Kind::Text(Form::Tsv(Formulas::Kept), squeeze)),
        Some("jsonl" | "ndjson") => Ok(Kind::Text(Form::Json, squeeze)),
        Some("parquet") if squeeze == Squeeze::None => Ok(Kind::Parquet),
        _ => Err(ErrorKind::Usage
            .expected("a table with the extension .parquet, .tsv or .jsonl")
            .found(format!("\"{name}\""))
        .at(path)
        .hint(
            "text tables may also have the extension .tsv.gz, .tsv.zst, .jsonl.gz or .jsonl.zst",
        )),
    }
}

/// Checks a table's name before any work is done for it.
pub fn check_table_name(path: &Path) -> Result<()> {
    kind(path).map(drop)
}

/// Whether a table of this name is TSV.
pub fn is_tsv(path: &Path) -> bool {
    matches!(kind(path), Ok(Kind::Text(Form::Tsv(_), _)))
}

enum Stream {
    Plain(BufWriter<AtomicFile>),
    Gz(Box<GzEncoder<BufWriter<AtomicFile>>>),
    Zst(Box<zstd::Encoder<'static, BufWriter<AtomicFile>>>),
}

impl Stream {
    fn create(outputs: &Outputs, path: &Path, squeeze: Squeeze) -> Result<Self> {
        let out = BufWriter::with_capacity(1 << 16, outputs.create(path)?);
        Ok(match squeeze {
            Squeeze::None => Self::Plain(out),
            Squeeze::Gz => Self::Gz(Box::new(GzEncoder::new(out, Compression::default()))),
            Squeeze::Zst => Self::Zst(Box::new(
                zstd::Encoder::new(out, 0).map_err(|error| Error::io("create", path, error))?,
            )),
        })
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Plain(out) => out.write_all(bytes),
            Self::Gz(out) => out.write_all(bytes),
            Self::Zst(out) => out.write_all(bytes),
        }
    }

    fn finish(self) -> std::io::Result<AtomicFile> {
        let out = match self {
            Self::Plain(out) => out,
            Self::Gz(out) => out.finish()?,
            Self::Zst(out) => out.finish()?,
        };
        out.into_inner()
            .map_err(std::io::IntoInnerError::into_error)
    }
}

enum Sink<T: Table> {
    Parquet(Box<TableWriter<T>>),
    Text {
        stream: Stream,
        form: Form,
        path: PathBuf,
        line: String,
        rows: u64,
    },
}

/// Writes a table in the format implied by its file name.
pub struct TableFileWriter<T: Table>(Sink<T>);

impl<T: Table> TableFileWriter<T> {
    /// Creates the table at `path`; metadata fields (`info.fields`) are only written to Parquet, and
    /// `formulas` are those of TSV.
    pub fn create(
        outputs: &Outputs,
        path: &Path,
        formulas: Formulas,
        info: &TableInfo,
    ) -> Result<Self> {
        let Kind::Text(form, squeeze) = kind(path)? else {
            return Ok(Self(Sink::Parquet(Box::new(TableWriter::create(
                outputs, path, info,
            )?))));
        };
        let mut stream = Stream::create(outputs, path, squeeze)?;
        let form = form.with(formulas);
        if form != Form::Json {
            let names: Vec<&str> = T::columns().iter().map(|column| column.name).collect();
            let header = names.join("\t") + "\n";
            stream
                .write(header.as_bytes())
                .map_err(|error| Error::io("write", path, error))?;
        }
        Ok(Self(Sink::Text {
            stream,
            form,
            path: path.to_path_buf(),
            line: String::new(),
            rows: 0,
        }))
    }

    /// Appends a row.
    pub fn push(&mut self, row: &T::Row<'_>) -> Result<()> {
        match &mut self.0 {
            Sink::Parquet(writer) => writer.push(row),
            Sink::Text {
                stream,
                form,
                path,
                line,
                rows,
            } => {
                line.clear();
                T::show(row, *form, line);
                line.push('\n');
                *rows += 1;
                stream
                    .write(line.as_bytes())
                    .map_err(|error| Error::io("write", path, error))
            }
        }
    }

    /// Writes pending rows; the file is then ready to be renamed. Returns the number of rows.
    pub fn finish(self) -> Result<u64> {
        match self.0 {
            Sink::Parquet(writer) => writer.finish(),
            Sink::Text {
                stream, path, rows, ..
            } => {
                stream
                    .finish()
                    .map_err(|error| Error::io("write", &path, error))?
                    .finish()?;
                Ok(rows)
            }
        }
    }
}

/// Reads a table of any of the formats from the beginning, batch by batch; `formulas` says how TSV
/// was written.
pub fn read_table<T: Table>(
    path: &Path,
    formulas: Formulas,
) -> Result<Box<dyn Iterator<Item = Result<Rows<T>>>>> {
    let Kind::Text(form, squeeze) = kind(path)? else {
        return Ok(Box::new(TableReader::<T>::open(path)?));
    };
    let file = File::open(path)?;
    let lines: Box<dyn BufRead> = match squeeze {
        Squeeze::None => Box::new(BufReader::with_capacity(1 << 16, file)),
        Squeeze::Gz => Box::new(BufReader::new(MultiGzDecoder::new(BufReader::new(file)))),
        Squeeze::Zst => Box::new(BufReader::new(
            zstd::Decoder::new(file).map_err(|error| Error::io("read", path, error))?,
        )),
    };
    let mut table = TextTable::<T> {
        lines,
        path: path.to_path_buf(),
        form: form.with(formulas),
        places: Vec::new(),
        names: T::columns().iter().map(|column| column.name).collect(),
        builders: T::builders(),
        row: 0,
        done: false,
    };
    if form != Form::Json {
        table.read_header()?;
    }
    Ok(Box::new(table))
}

/// Longer lines are refused.
const LONGEST: u64 = 64 << 20;

struct TextTable<T: Table> {
    lines: Box<dyn BufRead>,
    path: PathBuf,
    form: Form,
    /// TSV: for each column of the table, its index in a line.
    places: Vec<Option<usize>>,
    names: Vec<&'static str>,
    builders: T::Builders,
    row: u64,
    done: bool,
}

impl<T: Table> TextTable<T> {
    /// The next line without its end; `false` at the end of the file.
    fn read_line(&mut self, line: &mut Vec<u8>) -> Result<bool> {
        line.clear();
        let read = self.lines.by_ref().take(LONGEST).read_until(b'\n', line);
        read.map_err(|error| Error::io("read", &self.path, error).record(self.row + 1))?;
        if line.len() as u64 == LONGEST {
            return Err(self.bad(format!("expected lines below {} MiB", LONGEST >> 20)));
        }
        if line.is_empty() {
            return Ok(false);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Ok(true)
    }

    fn bad(&self, message: String) -> Error {
        Error::data(message).at(&self.path).record(self.row + 1)
    }

    fn read_header(&mut self) -> Result<()> {
        let mut line = Vec::new();
        if !self.read_line(&mut line)? {
            self.done = true;
            return Ok(());
        }
        let header = String::from_utf8_lossy(&line);
        let header = header.trim_start_matches('\u{feff}');
        let found: Vec<&str> = header.split('\t').collect();
        self.places = self
            .names
            .iter()
            .map(|name| found.iter().position(|column| column == name))
            .collect();
        for (column, place) in T::columns().iter().zip(&self.places) {
            if place.is_none() && !column.nullable {
                return Err(ErrorKind::Data
                    .expected(format!("a header line with a column \"{}\"", column.name))
                    .found(found.join(", "))
                .at(&self.path)
                .hint(
                    "the first line of a TSV table contains its column names, separated by tabs",
                ));
            }
        }
        Ok(())
    }

    fn parse_line(&mut self, line: &[u8]) -> Result<()> {
        let Ok(line) = std::str::from_utf8(line) else {
            return Err(self.bad("expected UTF-8, found other bytes".into()));
        };
        let cells = match self.form {
            Form::Tsv(formulas) => self.tsv_cells(line, formulas)?,
            Form::Json => self.json_cells(line)?,
        };
        let cell = |place: usize| cells.get(place).and_then(Option::as_deref);
        T::parse(&mut self.builders, &cell).map_err(|place| {
            let name = self.names.get(place).copied().unwrap_or_default();
            let expected = T::expected(place);
            let found = cell(place).map_or_else(|| "nothing".into(), |text| format!("\"{text}\""));
            self.bad(format!(
                "expected {expected} in column \"{name}\", found {found}"
            ))
        })?;
        self.row += 1;
        Ok(())
    }

    fn tsv_cells(&self, line: &str, formulas: Formulas) -> Result<Vec<Option<String>>> {
        let raw: Vec<&str> = line.split('\t').collect();
        self.places
            .iter()
            .map(|place| match place {
                None => Ok(None),
                Some(place) => {
                    let cell = raw.get(*place).ok_or_else(|| {
                        self.bad(format!(
                            "expected at least {} cells, found {}",
                            place + 1,
                            raw.len()
                        ))
                    })?;
                    Ok(Some(formulas.read(cell).into_owned()))
                }
            })
            .collect()
    }

    fn json_cells(&self, line: &str) -> Result<Vec<Option<String>>> {
        // Raw values: a number keeps its digits, so that a score is read as it was written.
        let object: BTreeMap<String, &RawValue> = serde_json::from_str(line)
            .map_err(|error| self.bad(format!("expected a JSON object: {error}")))?;
        Ok(self
            .names
            .iter()
            .map(|name| match object.get(*name)?.get() {
                "null" => None,
                text if text.starts_with('"') => serde_json::from_str(text).ok(),
                text => Some(text.to_owned()),
            })
            .collect())
    }

    fn batch(&mut self) -> Result<Option<Rows<T>>> {
        let mut line = Vec::new();
        let (mut rows, mut bytes) = (0, 0);
        while rows < BATCH_ROWS && bytes < BATCH_BYTES {
            if !self.read_line(&mut line)? {
                self.done = true;
                break;
            }
            if line.is_empty() {
                continue;
            }
            self.parse_line(&line)?;
            rows += 1;
            bytes += line.len();
        }
        if rows == 0 {
            return Ok(None);
        }
        let columns = T::finish(&mut self.builders);
        let schema = Arc::new(Schema::new(table::fields::<T>()));
        let batch = RecordBatch::try_new(schema, columns)
            .map_err(|error| self.bad(format!("expected whole rows: {error}")))?;
        Rows::new(&batch, 0).map(Some)
    }
}

impl<T: Table> Iterator for TextTable<T> {
    type Item = Result<Rows<T>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let batch = self.batch();
        if batch.is_err() {
            // The builders may contain half a row; nothing after it can be trusted.
            self.done = true;
        }
        batch.transpose()
    }
}
