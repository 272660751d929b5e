//! CSV and TSV. A record is a row of data; its number does not count the header.
//!
//! A quote opens a quoted cell only at the beginning of the cell; inside, two quotes stand for one,
//! as does a quote after an escape. Line ends inside quotes belong to the cell. Blank lines and
//! comments between rows are skipped. A row must
//! have as many cells as the header (without one: as the first row): a different number nearly
//! always indicates another dialect, and would put marks into the wrong column. Only if all rows of the
//! sample lack the same number of last cells, as some programs leave empty ones out, are these missing.

use super::csv_dialect::sniff;
use super::csv_row::{OpenRow, Shape};
use super::joined::{JOINT, split_cuts};
use super::marks::clashing;
use super::{Cut, Dialect, Format, MarkStyle, PassOver, Patch, Place, Settings};
use crate::convert::{Fields, csv_fields};
use crate::edit::{Marks, SpanMark};
use crate::format::MarkPlace;
use crate::format::facts::{self, FormatFacts};
use crate::format::{MarkColumn, MarkValue};
use crate::options::FormatName;
use crate::passed_over::{Beside, What};
use std::borrow::Cow;
use std::ops::Range;
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::Batch;

/// What is known about the format before a file is opened.
pub(super) const FACTS: FormatFacts = FormatFacts {
    name: FormatName::Csv,
    noun: "a CSV file",
    endings: &["csv"],
    recognises: facts::never,
    has_fields: true,
    has_marks: false,
    has_tokens: false,
    is_bytes: false,
    places: &[MarkPlace::Attribute],
    texts: facts::in_fields,
};

/// The same for TSV.
pub(super) const TSV_FACTS: FormatFacts = FormatFacts {
    name: FormatName::Tsv,
    noun: "a TSV file",
    endings: &["tsv"],
    ..FACTS
};

/// The reader and editor of CSV.
#[derive(Debug)]
pub(crate) struct Csv {
    shape: Shape,
    dialect: Dialect,
    /// The columns of the text, by name and index.
    texts: Vec<(String, Option<usize>)>,
    id: Option<usize>,
    fields: Vec<Option<usize>>,
    /// A name of a column to read that several have.
    unclear: Option<String>,
}

impl Csv {
    /// Determines the dialect from the beginning of the file.
    pub(crate) fn new(name: FormatName, sample: &[u8], whole: bool, settings: &Settings) -> Self {
        let options = &settings.options;
        let keys = settings.text_keys();
        let (shape, mut dialect) = sniff(name, sample, whole, options, &keys);
        // A text that no row has is not missing: something else is wrong.
        let place = |name: &String| place_of(&dialect, name);
        if keys.iter().filter_map(place).any(|at| at >= dialect.width) {
            dialect.width = dialect.columns.len();
        }
        let place = |name: &String| place_of(&dialect, name);
        let mut named = keys
            .iter()
            .chain(&options.id_key)
            .chain(&options.needs.fields);
        let unclear = named.find(|name| dialect.repeated.contains(name)).cloned();
        Self {
            unclear,
            texts: keys.iter().map(|key| (key.clone(), place(key))).collect(),
            id: match &options.id_key {
                Some(key) => place(key),
                None => dialect.columns.iter().position(|column| column == "id"),
            },
            fields: options.needs.fields.iter().map(place).collect(),
            shape,
            dialect,
        }
    }

    /// The cells of the text columns.
    fn text_cells(&self, cells: &[Range<usize>]) -> Result<Vec<Range<usize>>> {
        self.texts
            .iter()
            .map(|(name, place)| {
                place.and_then(|at| cells.get(at)).cloned().ok_or_else(|| {
                    ErrorKind::Data
                        .expected(format!("a column `{name}`"))
                        .found(format!("no such column; the columns are: {}", self.dialect.columns.join(", ")))
                    .hint("set ⟨text_key⟩ to the column of the text; check ⟨delimiter⟩ and ⟨no_header⟩")
                })
            })
            .collect()
    }

    fn cells(&self, record: &str) -> Result<Vec<Range<usize>>> {
        if let Some(name) = &self.unclear {
            return Err(unclear(&self.dialect, name));
        }
        let row = self.shape.row(record.as_bytes(), true);
        if row.open {
            return Err(ErrorKind::Data
                .expected("a closing quote")
                .found("the end of the file")
                .hint("if the quote character is another one, set ⟨quote⟩"));
        }
        if self.runs_on(record, &row.cells) {
            return Err(ErrorKind::Data
                .expected("a delimiter or the end of the row after the closing quote of a cell of several lines")
                .found("text")
                .hint("a quote before it is probably not closed: close it, set ⟨quote⟩ if quotes have no meaning, or skip such records with ⟨on_bad_record=skip⟩"));
        }
        let expected = self.dialect.width;
        let full = self.dialect.columns.len();
        if ![expected, full].contains(&row.cells.len()) {
            return Err(ErrorKind::Data.expected(format!("{expected} cells")).found(row.cells.len())
            .hint(if record.starts_with('#') && self.shape.comment.is_none() {
                "if it is a comment, set ⟨comment⟩ to #"
            } else {
                "check ⟨delimiter⟩, ⟨quote⟩ and ⟨escape⟩, or skip such records with ⟨on_bad_record=skip⟩"
            }));
        }
        Ok(row.cells)
    }

    /// Whether a cell of several lines has text after its closing quote, other than spaces. Its own quote
    /// was not closed then, so that it ends where the next one begins, and has swallowed rows.
    fn runs_on(&self, record: &str, cells: &[Range<usize>]) -> bool {
        let end = self.shape.end;
        let ends = |text: &[u8]| memchr::memchr(end, text).is_some();
        // Hardly any row has several lines.
        let Some((_, inner)) = record.as_bytes().split_last() else {
            return false;
        };
        ends(inner)
            && cells.iter().any(|cell| {
                let cell = &record[cell.clone()];
                self.shape.is_quoted(cell)
                    && self.shape.close(cell.as_bytes(), 0).is_some_and(|at| {
                        ends(&cell.as_bytes()[..at]) && !cell[at..].trim().is_empty()
                    })
            })
    }

    /// Where the header is in the beginning of a file.
    fn header(&self, text: &[u8], whole: bool) -> Option<Range<usize>> {
        let mut at = self.dialect.preamble.len;
        loop {
            let end = at + self.shape.row_end(text.get(at..)?, whole)?;
            let row = &text[at..end];
            if row.is_empty() || !(self.shape.is_comment(row) || is_blank(row)) {
                return Some(at..end);
            }
            at = end;
        }
    }

    /// Adds cells after the last of a row of so many, in the columns after the last.
    fn append(&self, end: usize, before: usize, cells: &[String]) -> Vec<Patch> {
        let missing = self.dialect.columns.len().saturating_sub(before);
        let mut with = String::from(self.dialect.delimiter).repeat(missing);
        for cell in cells {
            with.push(self.dialect.delimiter);
            with.push_str(&self.shape.quoted(cell, false));
        }
        vec![Patch::insert(end, with)]
    }
}

fn is_blank(row: &[u8]) -> bool {
    row.iter().all(|byte| matches!(byte, b'\r' | b'\n'))
}

/// The error if several columns have a name that is to be read.
fn unclear(dialect: &Dialect, name: &str) -> Error {
    let others = format!("{name}_");
    let is_renamed = |column: &str| {
        let number = column.strip_prefix(&others);
        column == name || number.is_some_and(|number| number.parse::<u64>().is_ok())
    };
    let columns = (1..).zip(&dialect.columns);
    let places: Vec<String> = columns
        .filter(|(_, column)| is_renamed(column))
        .map(|(place, _): (usize, _)| place.to_string())
        .collect();
    ErrorKind::Data
        .expected(format!("one column `{name}`"))
        .found(format!("several: columns {}", places.join(", ")))
        .hint("name the column by its number, as in ⟨text_key⟩ 2")
}

/// The index of a column: by name, otherwise by its number.
fn place_of(dialect: &Dialect, name: &String) -> Option<usize> {
    let by_name = dialect.columns.iter().position(|column| column == name);
    by_name.or_else(|| {
        let number: usize = name.parse().ok()?;
        (1..=dialect.columns.len())
            .contains(&number)
            .then(|| number - 1)
    })
}

impl Format for Csv {
    fn cut(&self, text: &[u8], place: Place) -> Cut {
        let mut rows = Vec::new();
        let mut header = place.head && self.dialect.header;
        let mut beside = Vec::new();
        let mut at = 0;
        let mut comment = |at| {
            let what = What::PassedOver("comment lines");
            beside.push(Beside { at, what });
        };
        if place.head {
            let preamble = self.dialect.preamble;
            if text.len() < preamble.len && !place.end {
                return Cut::nothing();
            }
            at = preamble.len.min(text.len());
            (0..preamble.comments).for_each(|_| comment(0));
        }
        let mut len = at;
        while at < text.len() {
            let end = self.shape.row_end(&text[at..], place.end);
            let Some(end) = end.map(|end| at + end) else {
                break;
            };
            let row = &text[at..end];
            if self.shape.is_comment(row) {
                comment(at);
            } else if !is_blank(row) && !std::mem::take(&mut header) {
                rows.push(at..end);
            }
            (at, len) = (end, end);
        }
        // The header alone is not a block: whether it was read must not depend on block boundaries.
        if rows.is_empty() && !place.end {
            return Cut::nothing();
        }
        Cut::ranges(len, rows).with(beside)
    }

    fn pass_over(&self) -> Option<Box<dyn PassOver + '_>> {
        Some(Box::new(OpenRow::new(self.shape)))
    }

    fn head(&self, text: &[u8]) -> usize {
        if self.dialect.header {
            self.header(text, false).map_or(0, |header| header.end)
        } else {
            0
        }
    }

    fn decode(&self, record: &str, batch: &mut Batch) -> Result<bool> {
        let cells = self.cells(record)?;
        for (index, cell) in self.text_cells(&cells)?.into_iter().enumerate() {
            if index > 0 {
                batch.text.push_str(JOINT);
            }
            batch.text.push_str(&self.shape.unquoted(&record[cell]));
        }
        let value = |at: usize| {
            cells
                .get(at)
                .map(|cell| self.shape.unquoted(&record[cell.clone()]))
        };
        let id = self.id.and_then(value).filter(|id| !id.is_empty());
        batch.ids.push_str(id.as_deref().unwrap_or_default());
        for field in &self.fields {
            let value = field.and_then(value).map(Cow::into_owned);
            batch.fields.push(value.filter(|value| !value.is_empty()));
        }
        Ok(id.is_some())
    }

    fn fields<'a>(&'a self, record: &'a str) -> Result<Fields<'a>> {
        let cells = self.cells(record)?;
        Ok(csv_fields(
            &self.dialect.columns,
            cells
                .into_iter()
                .map(|cell| self.shape.unquoted(&record[cell])),
        ))
    }

    fn remove(&self, record: &str, cuts: &[Range<usize>]) -> Result<Vec<Patch>> {
        let cells = self.cells(record)?;
        let cells = self.text_cells(&cells)?;
        let texts: Vec<_> = (cells.iter())
            .map(|cell| self.shape.unquoted(&record[cell.clone()]))
            .collect();
        let parts = split_cuts(texts.iter().map(|text| text.len()), cuts);
        let mut patches = Vec::new();
        for ((cell, text), cuts) in cells.into_iter().zip(texts).zip(parts) {
            if cuts.is_empty() {
                continue;
            }
            let mut rest = text.into_owned();
            for cut in cuts.into_iter().rev() {
                rest.replace_range(cut, "");
            }
            let was_quoted = self.shape.is_quoted(&record[cell.clone()]);
            let with = self.shape.quoted(&rest, was_quoted);
            patches.push(Patch { at: cell, with });
        }
        patches.sort_by_key(|patch| patch.at.start);
        Ok(patches)
    }

    fn mark(&self, record: &str, marks: &Marks, style: &MarkStyle) -> Result<Vec<Patch>> {
        let cells = self.cells(record)?;
        let end = cells.last().map_or(0, |cell| cell.end);
        let spans = |spans: &[SpanMark]| {
            if spans.is_empty() {
                return Ok(String::new());
            }
            let texts: Vec<_> = (self.text_cells(&cells)?.into_iter())
                .map(|cell| self.shape.unquoted(&record[cell]))
                .collect();
            Ok(super::marks::spans_json(&texts.join(JOINT), spans))
        };
        let values = (style.marks(style.spans).iter())
            .map(|column| match column.of(marks) {
                Some(MarkValue::Text(text)) => Ok(text.to_owned()),
                Some(value) => MarkColumn::json(value, spans),
                None => Ok(String::new()),
            })
            .collect::<Result<Vec<String>>>()?;
        Ok(self.append(end, cells.len(), &values))
    }

    fn mark_head(&self, text: &str, style: &MarkStyle) -> Result<Vec<Patch>> {
        let names: Vec<String> = (style.marks(style.spans).into_iter())
            .map(|column| column.name)
            .collect();
        if !self.dialect.header {
            return Ok(Vec::new());
        }
        if let Some(name) = names
            .iter()
            .find(|name| self.dialect.columns.contains(name))
        {
            return Err(clashing(name));
        }
        let text = text.as_bytes();
        let start = self.header(text, true).map_or(text.len(), |row| row.start);
        let row = self.shape.row(&text[start..], true);
        let end = start + row.cells.last().map_or(0, |cell| cell.end);
        Ok(self.append(end, row.cells.len(), &names))
    }

    fn marks_all(&self, _style: &MarkStyle) -> bool {
        true
    }

    fn dialect(&self) -> Option<&Dialect> {
        Some(&self.dialect)
    }
}
