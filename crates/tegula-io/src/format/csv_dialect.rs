//! The dialect of a CSV file: how it is detected, and what its columns are called.
//!
//! Of the delimiters `,` `;` tab `|` and the quotes `"` `'` and none, the pair under which the rows
//! of the sample agree best on their number of cells wins; more cells are preferred, then the more
//! common characters. A backslash is an escape if the rows agree better with it. Spaces, `:` and `#`
//! also occur in prose, so they are delimiters only if all rows of the sample agree, in more cells than
//! under the usual ones, and not all do under these. The first row is a header if it contains the text column's name, or if its cells look like names: short, distinct,
//! not empty. Before it there may be a line `sep=;` for spreadsheets, and comments after `#`.

use super::csv_row::Shape;
use crate::options::{FormatName, ReadOptions};
use std::collections::HashSet;

/// Rows examined.
const ROWS: usize = 200;

/// Delimiters that other tables have in their cells.
const RARE: [u8; 3] = [b'#', b' ', b':'];

/// Without a header that names the text, a table with a rare delimiter has so many rows and cells at
/// least: a few lines of prose may have as many words each.
const CLEAR: (usize, usize) = (5, 3);

/// With fewer rows than this it may be chance that all are shorter than the header.
const SHORT: usize = 3;

/// A longer cell is not a column name.
const NAME: usize = 64;

/// The dialect of a CSV file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Dialect {
    /// Separates the cells.
    pub delimiter: char,
    /// Encloses a cell; none if quotes have no meaning.
    pub quote: Option<char>,
    /// Comes before a quote that belongs to the text; none if such a quote is doubled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escape: Option<char>,
    /// Begins a comment; none if the only comments are before the header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<char>,
    /// Whether the first row contains the column names.
    pub header: bool,
    /// The names of the columns, `1`, `2`, ... without a header; the second `name` is `name_2`.
    pub columns: Vec<String>,
    /// Cells in a row: fewer than there are columns if all rows lack the last ones.
    #[serde(skip)]
    pub(crate) width: usize,
    /// The lines before the header that belong to no record.
    #[serde(skip)]
    pub(crate) preamble: Preamble,
    /// The names that several columns have.
    #[serde(skip)]
    pub(crate) repeated: Vec<String>,
}

/// The lines before the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Preamble {
    /// Their bytes.
    pub(crate) len: usize,
    /// How many of them are comments.
    pub(crate) comments: usize,
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
    let end = line_end(sample);
    let (separator, begin) = separator_line(sample, end);
    let comments = match options.csv.comment {
        // They are rows like others, anywhere.
        Some(_) => Vec::new(),
        None => leading_comments(&sample[begin..], end),
    };
    let table = &sample[comments.last().map_or(begin, |end| begin + end)..];
    let shape = best_shape(name, (separator, end), (table, whole), options, keys);
    let cells = |row: &[u8]| columns_of(shape, &String::from_utf8_lossy(row));
    let mut first = cells(rows(shape, table, whole).next().unwrap_or_default());
    let (mut kept, mut at) = (comments.len(), sample.len() - table.len());
    // A row of as many cells as the others is one of them, unless the header comes after it.
    let holds_keys = keys.iter().all(|key| first.contains(key));
    let width = commonest(&mut counts(shape, table, whole, ROWS)).0;
    while kept > 0 && width > 1 && !holds_keys {
        let start = begin + kept.checked_sub(2).map_or(0, |before| comments[before]);
        let row = cells(
            rows(shape, &sample[start..at], true)
                .next()
                .unwrap_or_default(),
        );
        if row.len() != width {
            break;
        }
        (first, kept, at) = (row, kept - 1, start);
    }
    // A single column does not tell comments from its rows.
    if width <= 1 && !holds_keys && kept > 0 {
        (kept, at) = (0, begin);
        first = cells(rows(shape, &sample[at..], whole).next().unwrap_or_default());
    }
    let table = rows(shape, &sample[at..], whole);
    let next: Vec<_> = table.skip(1).take(ROWS).map(cells).collect();
    let header = !options.csv.no_header && is_header(&first, keys, &next);
    let (columns, repeated) = if header {
        distinct(first)
    } else {
        let numbers = (1..=first.len()).map(|number| number.to_string());
        (numbers.collect(), Vec::new())
    };
    let below = next.first().map_or(0, Vec::len);
    let is_short = header
        && (2..columns.len()).contains(&below)
        && next.len() >= SHORT
        && next.iter().all(|row| row.len() == below);
    let dialect = Dialect {
        delimiter: char::from(shape.delimiter),
        quote: shape.quote.map(char::from),
        escape: shape.escape.map(char::from),
        comment: shape.comment.map(char::from),
        header,
        width: if is_short { below } else { columns.len() },
        columns,
        preamble: Preamble {
            len: at,
            comments: kept,
        },
        repeated,
    };
    (shape, dialect)
}

/// The names of columns, made distinct, and those that were not.
fn distinct(cells: Vec<String>) -> (Vec<String>, Vec<String>) {
    let all: HashSet<String> = cells.iter().cloned().collect();
    let mut taken: HashSet<String> = HashSet::new();
    let mut repeated = Vec::new();
    let names = cells.into_iter().map(|cell| {
        if taken.insert(cell.clone()) {
            return cell;
        }
        let free = (2..=u64::MAX)
            .map(|number| format!("{cell}_{number}"))
            .find(|name| !all.contains(name) && !taken.contains(name));
        let name = free.unwrap_or_else(|| cell.clone());
        if !repeated.contains(&cell) {
            repeated.push(cell);
        }
        taken.insert(name.clone());
        name
    });
    (names.collect(), repeated)
}

/// What ends rows: a line feed, unless only carriage returns are outside quotes.
fn line_end(sample: &[u8]) -> u8 {
    let (mut is_quoted, mut returns) = (false, false);
    for (at, byte) in sample.iter().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' if !is_quoted => return b'\n',
            b'\r' if !is_quoted && sample.get(at + 1) != Some(&b'\n') => returns = true,
            _ => {}
        }
    }
    if returns { b'\r' } else { b'\n' }
}

/// The delimiter in a first line `sep=;`, which tells it to spreadsheets, and where the line ends.
fn separator_line(sample: &[u8], end: u8) -> (Option<u8>, usize) {
    let len = memchr::memchr(end, sample).map_or(sample.len(), |at| at + 1);
    let line = without_end(&sample[..len]);
    let line = line
        .strip_prefix(b"\"")
        .and_then(|line| line.strip_suffix(b"\""))
        .unwrap_or(line);
    match line.split_at_checked(4) {
        Some((name, [delimiter @ ..=0x7f])) if name.eq_ignore_ascii_case(b"sep=") => {
            (Some(*delimiter), len)
        }
        _ => (None, 0),
    }
}

/// A line without what ends it.
fn without_end(line: &[u8]) -> &[u8] {
    let ends = line.iter().rev();
    let ends = ends.take_while(|byte| matches!(byte, b'\r' | b'\n'));
    &line[..line.len() - ends.count()]
}

/// Where the lines after `#` end that a file begins with; blank ones may be between them.
fn leading_comments(sample: &[u8], end: u8) -> Vec<usize> {
    let (mut at, mut ends) = (0, Vec::new());
    loop {
        let blank = sample[at..].iter();
        at += blank.take_while(|b| matches!(b, b'\r' | b'\n')).count();
        let len = memchr::memchr(end, &sample[at..]);
        let (Some(b'#'), Some(len)) = (sample.get(at), len) else {
            return ends;
        };
        at += len + 1;
        ends.push(at);
    }
}

/// The shape under which the rows of a table agree best.
fn best_shape(
    name: FormatName,
    (separator, end): (Option<u8>, u8),
    (table, whole): (&[u8], bool),
    options: &ReadOptions,
    keys: &[String],
) -> Shape {
    let asked = &options.csv;
    let delimiter = asked.delimiter.map(|it| it.0).or(separator);
    let is_open = delimiter.is_none() && name != FormatName::Tsv;
    let delimiters: Vec<u8> = match (delimiter, name) {
        (Some(delimiter), _) => vec![delimiter],
        (None, FormatName::Tsv) => vec![b'\t'],
        _ => vec![b',', b';', b'\t', b'|'],
    };
    let (escape, comment) = (asked.escape.map(|it| it.0), asked.comment.map(|it| it.0));
    let quotes: Vec<Option<u8>> = match asked.quote.map(|it| it.0) {
        Some(0) => vec![None],
        Some(quote) => vec![Some(quote)],
        None => vec![Some(b'"'), Some(b'\''), None],
    };
    let fitting = |delimiter: u8| {
        let plain = quotes.iter().map(move |quote| Shape {
            delimiter,
            quote: *quote,
            escape: escape.filter(|escape| Some(*escape) != *quote),
            comment,
            end,
        });
        let shapes =
            plain.flat_map(|plain| std::iter::once(plain).chain(escaping(plain, table, options)));
        shapes.map(|shape| (score(shape, table, whole, ROWS), shape))
    };
    // Of equally good ones the first.
    let better =
        |best: (Score, Shape), other: (Score, Shape)| if other.0 > best.0 { other } else { best };
    let mut best = delimiters.into_iter().flat_map(fitting).reduce(better);
    if is_open && let Some((usual, _)) = best.filter(|(usual, _)| usual.0 < 100) {
        let clear = RARE
            .into_iter()
            .filter_map(|delimiter| fitting(delimiter).reduce(better))
            .filter(|(score, shape)| score.2 > usual.2 && is_clear(*shape, (table, whole), keys));
        best = clear.reduce(better).or(best);
    }
    let shape = best.map_or(
        Shape {
            delimiter: b',',
            quote: Some(b'"'),
            escape,
            comment,
            end,
        },
        |(_, shape)| shape,
    );
    // Escapes are rare: those further down count as well.
    let all = |shape| score(shape, table, whole, usize::MAX);
    match escaping(shape, table, options) {
        Some(other) if all(other) > all(shape) => other,
        _ => shape,
    }
}

/// Whether all rows agree under a shape with a rare delimiter, and are no lines of prose.
fn is_clear(shape: Shape, (table, whole): (&[u8], bool), keys: &[String]) -> bool {
    let rows: Vec<Vec<String>> = rows(shape, table, whole)
        .take(ROWS)
        .map(|row| columns_of(shape, &String::from_utf8_lossy(row)))
        .collect();
    let Some(first) = rows.first() else {
        return false;
    };
    let is_named = keys
        .iter()
        .all(|key| key.parse::<usize>().is_err() && first.contains(key));
    let is_alike = |row: &Vec<String>| row.len() == first.len() && !row[0].is_empty();
    let is_large = rows.len() >= CLEAR.0 && first.len() >= CLEAR.1;
    first.len() > 1 && rows.len() > 1 && rows.iter().all(is_alike) && (is_named || is_large)
}

/// A shape with a backslash as an escape, if there are backslashes that can be one.
fn escaping(shape: Shape, table: &[u8], options: &ReadOptions) -> Option<Shape> {
    if options.csv.escape.is_some() || shape.escape.is_some() {
        return None;
    }
    let mut special = [shape.quote, Some(shape.delimiter)].into_iter().flatten();
    special
        .any(|byte| memchr::memmem::find(table, &[b'\\', byte]).is_some())
        .then_some(Shape {
            escape: Some(b'\\'),
            ..shape
        })
}

/// The numbers of cells in rows; 0 for one that is not closed.
fn counts(shape: Shape, sample: &[u8], whole: bool, most: usize) -> Vec<usize> {
    let parsed = rows(shape, sample, whole).map(|row| shape.row(row, true));
    parsed
        .map(|row| if row.open { 0 } else { row.cells.len() })
        .take(most)
        .collect()
}

/// The most frequent of these numbers, and how often it occurs.
fn commonest(counts: &mut [usize]) -> (usize, usize) {
    counts.sort_unstable();
    counts
        .chunk_by(|a, b| a == b)
        .max_by_key(|run| (run.len(), run[0]))
        .map_or((0, 0), |run| (run[0], run.len()))
}

/// How well a shape fits, most important first: the share of rows with the most frequent number of
/// cells (as a percentage, if that number is above 1), whether quoted cells end where cells end,
/// and the number of cells.
type Score = (usize, usize, usize);

fn score(shape: Shape, sample: &[u8], whole: bool, most: usize) -> Score {
    let mut counts: Vec<usize> = Vec::new();
    let (mut clean, mut quoted) = (0, 0);
    for row in rows(shape, sample, whole).take(most) {
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
    let commonest = commonest(&mut counts);
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

/// The complete rows of a sample that are neither blank nor comments.
fn rows(shape: Shape, sample: &[u8], whole: bool) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let len = shape.row_end(&sample[at..], whole).filter(|len| *len > 0)?;
        at += len;
        Some(&sample[at - len..at])
    })
    .filter(move |row| !shape.is_comment(row) && !row.iter().all(|b| matches!(b, b'\r' | b'\n')))
}

/// Whether the first row contains column names; `next` are the rows after it.
fn is_header(cells: &[String], keys: &[String], next: &[Vec<String>]) -> bool {
    let is_number = |key: &String| key.parse::<usize>().is_ok();
    // A number may be a cell like others.
    let is_repeated = |key: &String| cells.iter().filter(|cell| *cell == key).count() > 1;
    if (keys.iter()).all(|key| cells.contains(key) && !(is_number(key) && is_repeated(key))) {
        return true;
    }
    if keys.iter().all(is_number) && cells.iter().any(|c| c.len() > NAME) {
        return false;
    }
    let mut names: Vec<&String> = cells.iter().collect();
    names.sort();
    names.dedup();
    let is_name = |cell: &String| {
        !cell.trim().is_empty()
            && cell.len() <= NAME
            && cell.parse::<f64>().is_err()
            && !cell.contains('\n')
    };
    // Names may be repeated where what is below them is of another kind.
    let is_told_apart = || {
        let below = |at: usize| next.iter().filter_map(move |row| row.get(at));
        let is_other = |cell: &String| cell.parse::<f64>().is_ok() || cell.len() > NAME;
        (0..cells.len()).any(|at| below(at).count() > 0 && below(at).all(is_other))
    };
    cells.iter().all(is_name) && (names.len() == cells.len() || is_told_apart())
}
