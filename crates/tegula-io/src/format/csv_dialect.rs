//! The dialect of a CSV file: how rows and cells are separated, and how this is detected.
//!
//! Of the delimiters `,` `;` tab `|` and the quotes `"` `'` and none, the pair under which the rows
//! of the sample agree best on their number of cells wins; more cells are preferred, then the more
//! common characters. The first row is a header if it contains the text column's name, or if its
//! cells look like names: short, distinct, not empty.

use super::extent::{PassOver, Passed};
use crate::options::{FormatName, ReadOptions};
use std::borrow::Cow;
use std::ops::Range;

/// Rows examined.
const ROWS: usize = 200;

/// A longer cell is not a column name.
const NAME: usize = 64;

/// The dialect of a CSV file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Dialect {
    /// Separates the cells.
    pub delimiter: char,
    /// Encloses a cell; none if quotes have no meaning.
    pub quote: Option<char>,
    /// Whether the first row contains the column names.
    pub header: bool,
    /// The names of the columns, `1`, `2`, ... without a header.
    pub columns: Vec<String>,
}

/// The characters that separate and enclose cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Separates cells.
    pub(crate) delimiter: u8,
    /// Encloses cells, if quotes have a meaning.
    pub(crate) quote: Option<u8>,
}

/// A row parsed piece by piece.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenRow {
    shape: Shape,
    at: InRow,
}

/// The state at the end of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InRow {
    /// Before a cell.
    Border,
    /// In an unquoted cell, or after a quoted one.
    Bare,
    /// Between quotes.
    Quoted,
    /// After a quote, which either closes the cell or is the first of two.
    Quote,
}

impl OpenRow {
    /// A row at its beginning.
    pub(crate) fn new(shape: Shape) -> Self {
        Self {
            shape,
            at: InRow::Border,
        }
    }
}

impl PassOver for OpenRow {
    fn next(&mut self, text: &[u8]) -> Passed {
        let Shape { delimiter, quote } = self.shape;
        let mut place = 0;
        while let Some(byte) = text.get(place) {
            let is_quote = Some(*byte) == quote;
            place += 1;
            self.at = match self.at {
                InRow::Quoted if !is_quote => {
                    place += memchr::memchr(quote.unwrap_or_default(), &text[place..])
                        .unwrap_or(text.len() - place);
                    InRow::Quoted
                }
                InRow::Quoted => InRow::Quote,
                InRow::Border | InRow::Quote if is_quote => InRow::Quoted,
                _ if *byte == b'\n' => return Passed::Ends(place),
                _ if *byte == delimiter => InRow::Border,
                _ => {
                    place += memchr::memchr2(delimiter, b'\n', &text[place..])
                        .unwrap_or(text.len() - place);
                    InRow::Bare
                }
            };
        }
        Passed::Through(text.len())
    }
}

/// The cells of one row.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    /// Their ranges, including quotes.
    pub(crate) cells: Vec<Range<usize>>,
    /// Length including the line end.
    pub(crate) len: usize,
    /// Whether a quoted cell is not closed.
    pub(crate) open: bool,
}

impl Shape {
    /// The length of the first row with its line end; `None` if it may continue after the text.
    pub(crate) fn row_end(self, text: &[u8], end: bool) -> Option<usize> {
        let mut at = 0;
        loop {
            // At the beginning of a cell.
            if self.quote.is_some() && text.get(at).copied() == self.quote {
                match self.close(text, at) {
                    Some(closed) => at = closed,
                    None => return end.then_some(text.len()),
                }
                // A quote at the end of the text may be the first of two.
                if at == text.len() {
                    return end.then_some(at);
                }
            }
            match memchr::memchr2(self.delimiter, b'\n', &text[at..]) {
                Some(step) if text[at + step] == b'\n' => return Some(at + step + 1),
                // Without quotes only line ends matter.
                Some(_) if self.quote.is_none() => {
                    return match memchr::memchr(b'\n', &text[at..]) {
                        Some(step) => Some(at + step + 1),
                        None => end.then_some(text.len()),
                    };
                }
                Some(step) => at += step + 1,
                None => return end.then_some(text.len()),
            }
        }
    }

    /// The position after the quote that closes the cell opened at `at`.
    fn close(self, text: &[u8], at: usize) -> Option<usize> {
        let quote = self.quote?;
        let mut at = at + 1;
        loop {
            at += memchr::memchr(quote, &text[at..])? + 1;
            if text.get(at) != Some(&quote) {
                return Some(at);
            }
            at += 1;
        }
    }

    /// The first row of `text`.
    pub(crate) fn row(self, text: &[u8], end: bool) -> Row {
        let mut row = Row::default();
        let mut at = 0;
        loop {
            let start = at;
            if self.quote.is_some() && text.get(at).copied() == self.quote {
                let closed = self.close(text, at);
                row.open = closed.is_none();
                at = closed.unwrap_or(text.len());
            }
            let stop = memchr::memchr2(self.delimiter, b'\n', &text[at..])
                .map_or(text.len(), |step| at + step);
            if text.get(stop) == Some(&self.delimiter) {
                row.cells.push(start..stop);
                at = stop + 1;
                continue;
            }
            let ends_in_return = stop > start && text[stop - 1] == b'\r' && !row.open;
            row.cells.push(start..stop - usize::from(ends_in_return));
            row.len = (stop + 1).min(text.len());
            row.open |= !end && stop == text.len();
            return row;
        }
    }

    /// Whether a cell is enclosed in quotes.
    pub(crate) fn is_quoted(self, cell: &str) -> bool {
        self.quote.is_some() && cell.as_bytes().first().copied() == self.quote
    }

    /// The text of a cell.
    pub(crate) fn unquoted(self, cell: &str) -> Cow<'_, str> {
        let (true, Some(quote)) = (self.is_quoted(cell), self.quote) else {
            return Cow::Borrowed(cell);
        };
        let closed = self.close(cell.as_bytes(), 0).unwrap_or(cell.len() + 1);
        let inner = &cell[1..(closed - 1).max(1)];
        let after = cell.get(closed..).unwrap_or_default();
        let quote = char::from(quote);
        if after.is_empty() && !inner.contains(quote) {
            return Cow::Borrowed(inner);
        }
        let mut text = inner.replace(&format!("{quote}{quote}"), &quote.to_string());
        text.push_str(after);
        Cow::Owned(text)
    }

    /// A cell for a text, quoted if it was or must be. Without quotes, separators of cells or rows
    /// become spaces.
    pub(crate) fn quoted(self, text: &str, always: bool) -> String {
        let special = |c: char| c == char::from(self.delimiter) || c == '\n' || c == '\r';
        let Some(quote) = self.quote.map(char::from) else {
            return text.replace(special, " ");
        };
        if always || text.starts_with(quote) || text.contains(special) {
            let doubled = text.replace(quote, &format!("{quote}{quote}"));
            format!("{quote}{doubled}{quote}")
        } else {
            text.to_owned()
        }
    }
}

/// The text of every cell of a row.
pub(crate) fn columns_of(shape: Shape, row: &str) -> Vec<String> {
    (shape.row(row.as_bytes(), true).cells.into_iter())
        .map(|cell| shape.unquoted(&row[cell]).into_owned())
        .collect()
}

/// Detects the dialect of a file from a sample of its beginning; characters set by options are used
/// unchanged.
pub(crate) fn sniff(
    name: FormatName,
    sample: &[u8],
    whole: bool,
    options: &ReadOptions,
    keys: &[String],
) -> (Shape, Dialect) {
    let delimiters: Vec<u8> = match (options.delimiter, name) {
        (Some(delimiter), _) => vec![delimiter],
        (None, FormatName::Tsv) => vec![b'\t'],
        _ => vec![b',', b';', b'\t', b'|'],
    };
    let quotes: Vec<Option<u8>> = match options.quote {
        Some(0) => vec![None],
        Some(quote) => vec![Some(quote)],
        None => vec![Some(b'"'), Some(b'\''), None],
    };
    let mut best: Option<(Score, Shape)> = None;
    for delimiter in delimiters {
        for quote in &quotes {
            let shape = Shape {
                delimiter,
                quote: *quote,
            };
            let score = score(shape, sample, whole);
            if best.is_none_or(|(other, _)| score > other) {
                best = Some((score, shape));
            }
        }
    }
    let shape = best.map_or(
        Shape {
            delimiter: b',',
            quote: Some(b'"'),
        },
        |(_, shape)| shape,
    );
    let first = String::from_utf8_lossy(rows(shape, sample, whole).next().unwrap_or_default());
    let cells = columns_of(shape, &first);
    let header = !options.no_header && is_header(&cells, keys);
    let columns = if header {
        cells
    } else {
        (1..=cells.len()).map(|number| number.to_string()).collect()
    };
    let dialect = Dialect {
        delimiter: char::from(shape.delimiter),
        quote: shape.quote.map(char::from),
        header,
        columns,
    };
    (shape, dialect)
}

/// How well a shape fits, most important first: the share of rows with the most frequent number of
/// cells (as a percentage, if that number is above 1), whether quoted cells end where cells end,
/// and the number of cells.
type Score = (usize, usize, usize);

fn score(shape: Shape, sample: &[u8], whole: bool) -> Score {
    let mut counts: Vec<usize> = Vec::new();
    let (mut clean, mut quoted) = (0, 0);
    for row in rows(shape, sample, whole) {
        let parsed = shape.row(row, true);
        for cell in &parsed.cells {
            let cell = &row[cell.clone()];
            if shape.quote.is_some() && cell.first().copied() == shape.quote {
                quoted += 1;
                clean += usize::from(shape.close(cell, 0) == Some(cell.len()));
            }
        }
        counts.push(if parsed.open { 0 } else { parsed.cells.len() });
    }
    counts.sort_unstable();
    let commonest = counts
        .chunk_by(|a, b| a == b)
        .max_by_key(|run| (run.len(), run[0]))
        .map_or((0, 0), |run| (run[0], run.len()));
    if commonest.0 < 2 {
        // A single column is also a table, if there is no better shape.
        return (0, clean.min(quoted), 0);
    }
    let share = commonest.1 * 100 / counts.len();
    // Quotes that open cells but do not close them are not quotes; those that do are better than
    // none. Without any in the sample, the default is used.
    let fit = match (quoted, shape.quote) {
        (0, Some(b'"')) => 60,
        (0, None) => 50,
        (0, _) => 40,
        _ => clean * 100 / quoted,
    };
    (share, fit, commonest.0)
}

/// The complete rows of a sample that are not blank.
fn rows(shape: Shape, sample: &[u8], whole: bool) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let len = shape.row_end(&sample[at..], whole).filter(|len| *len > 0)?;
        at += len;
        Some(&sample[at - len..at])
    })
    .filter(|row| !row.iter().all(|b| matches!(b, b'\r' | b'\n')))
    .take(ROWS)
}

/// Whether the first row contains column names.
fn is_header(cells: &[String], keys: &[String]) -> bool {
    if keys.iter().all(|key| cells.contains(key)) {
        return true;
    }
    if keys.iter().all(|key| key.parse::<usize>().is_ok()) && cells.iter().any(|c| c.len() > NAME) {
        return false;
    }
    let mut names: Vec<&String> = cells.iter().collect();
    names.sort();
    names.dedup();
    names.len() == cells.len()
        && cells.iter().all(|cell| {
            !cell.trim().is_empty()
                && cell.len() <= NAME
                && cell.parse::<f64>().is_err()
                && !cell.contains('\n')
        })
}
