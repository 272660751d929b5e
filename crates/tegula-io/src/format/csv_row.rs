//! The rows of a CSV file: where they and their cells end, and what a cell means.

use super::extent::{PassOver, Passed};
use memchr::{memchr, memchr2, memchr3};
use std::borrow::Cow;
use std::ops::Range;

/// The characters with a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Separates cells.
    pub(crate) delimiter: u8,
    /// Encloses cells, if quotes have a meaning.
    pub(crate) quote: Option<u8>,
    /// Takes the meaning from the character after it: any quote, a delimiter, a line end or itself.
    /// Before others it is text.
    pub(crate) escape: Option<u8>,
    /// Begins a row that is a comment.
    pub(crate) comment: Option<u8>,
    /// Ends rows: a line feed or, in old files, a carriage return.
    pub(crate) end: u8,
}

/// A row parsed piece by piece.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenRow {
    shape: Shape,
    at: InRow,
    /// Whether the next character has no meaning.
    is_escaped: bool,
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
            is_escaped: false,
        }
    }
}

impl PassOver for OpenRow {
    fn next(&mut self, text: &[u8]) -> Passed {
        let Shape {
            delimiter,
            quote,
            escape,
            end,
            ..
        } = self.shape;
        let mut place = 0;
        while let Some(byte) = text.get(place) {
            place += 1;
            let is_quoted = self.at == InRow::Quoted;
            let was_escaped = std::mem::take(&mut self.is_escaped);
            self.is_escaped = !was_escaped && Some(*byte) == escape;
            if was_escaped || self.is_escaped {
                if !is_quoted {
                    self.at = InRow::Bare;
                }
                continue;
            }
            let is_quote = Some(*byte) == quote;
            self.at = match self.at {
                InRow::Quoted if !is_quote => {
                    let quote = quote.unwrap_or_default();
                    place += memchr2(quote, escape.unwrap_or(quote), &text[place..])
                        .unwrap_or(text.len() - place);
                    InRow::Quoted
                }
                InRow::Quoted => InRow::Quote,
                InRow::Border | InRow::Quote if is_quote => InRow::Quoted,
                _ if *byte == end => return Passed::Ends(place),
                _ if *byte == delimiter => InRow::Border,
                _ => {
                    place += memchr3(delimiter, end, escape.unwrap_or(end), &text[place..])
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
    /// Whether the row that begins here is a comment.
    pub(crate) fn is_comment(self, row: &[u8]) -> bool {
        self.comment.is_some() && row.first().copied() == self.comment
    }

    /// The length of the first row with its line end; `None` if it may continue after the text.
    pub(crate) fn row_end(self, text: &[u8], end: bool) -> Option<usize> {
        let line = |at: usize| match memchr(self.end, &text[at..]) {
            Some(step) => Some(at + step + 1),
            None => end.then_some(text.len()),
        };
        if self.is_comment(text) {
            return line(0);
        }
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
            // Without quotes and escapes only line ends matter.
            if self.quote.is_none() && self.escape.is_none() {
                return line(at);
            }
            match self.stop(text, at) {
                Some(stop) if text[stop] == self.end => return Some(stop + 1),
                Some(stop) => at = stop + 1,
                None => return end.then_some(text.len()),
            }
        }
    }

    /// The next delimiter or line end, from inside an unquoted cell or after a quoted one.
    fn stop(self, text: &[u8], mut at: usize) -> Option<usize> {
        let Some(escape) = self.escape else {
            return memchr2(self.delimiter, self.end, text.get(at..)?).map(|step| at + step);
        };
        loop {
            at += memchr3(self.delimiter, self.end, escape, text.get(at..)?)?;
            if text[at] != escape {
                return Some(at);
            }
            at += 2;
        }
    }

    /// The position after the quote that closes the cell opened at `at`.
    pub(super) fn close(self, text: &[u8], at: usize) -> Option<usize> {
        let quote = self.quote?;
        let mut at = at + 1;
        loop {
            at += match self.escape {
                Some(escape) => memchr2(quote, escape, text.get(at..)?)?,
                None => memchr(quote, &text[at..])?,
            } + 1;
            if text[at - 1] == quote && text.get(at) != Some(&quote) {
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
            let stop = self.stop(text, at).unwrap_or(text.len());
            if text.get(stop) == Some(&self.delimiter) {
                row.cells.push(start..stop);
                at = stop + 1;
                continue;
            }
            let ends_in_return =
                self.end == b'\n' && stop > start && text[stop - 1] == b'\r' && !row.open;
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
            return self.unescaped(cell);
        };
        let closed = self.close(cell.as_bytes(), 0).unwrap_or(cell.len() + 1);
        let inner = cell.get(1..(closed - 1).max(1)).unwrap_or_default();
        let after = cell.get(closed..).unwrap_or_default();
        let quote = char::from(quote);
        let escape = self.escape.map(char::from);
        if after.is_empty() && !inner.contains(quote) && escape.is_none_or(|it| !inner.contains(it))
        {
            return Cow::Borrowed(inner);
        }
        let mut text = String::with_capacity(cell.len());
        let mut characters = inner.chars().peekable();
        while let Some(c) = characters.next() {
            let next = characters.peek().copied();
            let stands_for_next = (c == quote && next == Some(quote))
                || (Some(c) == escape && next.is_some_and(|next| self.is_special(next)));
            text.push(if stands_for_next {
                characters.next().unwrap_or(c)
            } else {
                c
            });
        }
        text.push_str(&self.unescaped(after));
        Cow::Owned(text)
    }

    /// The text of an unquoted cell.
    fn unescaped(self, cell: &str) -> Cow<'_, str> {
        let escape = self.escape.map(char::from);
        let Some(escape) = escape.filter(|escape| cell.contains(*escape)) else {
            return Cow::Borrowed(cell);
        };
        let mut text = String::with_capacity(cell.len());
        let mut characters = cell.chars().peekable();
        while let Some(c) = characters.next() {
            let next = characters.next_if(|next| c == escape && self.is_special(*next));
            text.push(next.unwrap_or(c));
        }
        Cow::Owned(text)
    }

    /// Whether an escape before this character has a meaning.
    fn is_special(self, c: char) -> bool {
        let own = [Some(self.delimiter), self.quote, self.escape];
        matches!(c, '\n' | '\r' | '"' | '\'')
            || own.into_iter().flatten().any(|byte| c == char::from(byte))
    }

    /// A cell for a text, quoted if it was or must be. Without quotes and escapes, separators of
    /// cells or rows become spaces.
    pub(crate) fn quoted(self, text: &str, always: bool) -> String {
        let special = |c: char| c == char::from(self.delimiter) || c == '\n' || c == '\r';
        let escaped = |text: &str, is_escaped: &dyn Fn(char) -> bool| {
            let mut out = String::with_capacity(text.len() + 2);
            for c in text.chars() {
                if is_escaped(c) {
                    out.extend(self.escape.map(char::from));
                }
                out.push(c);
            }
            out
        };
        let is_escape = |c: char| Some(c) == self.escape.map(char::from);
        let begins_comment = self.is_comment(text.as_bytes());
        let Some(quote) = self.quote.map(char::from) else {
            return if self.escape.is_some() {
                escaped(text, &|c| special(c) || is_escape(c))
            } else {
                text.replace(special, " ")
            };
        };
        if always || begins_comment || text.starts_with(quote) || text.contains(special) {
            let inner = if self.escape.is_some() {
                escaped(text, &|c| c == quote || is_escape(c))
            } else {
                text.replace(quote, &format!("{quote}{quote}"))
            };
            format!("{quote}{inner}{quote}")
        } else {
            escaped(text, &is_escape)
        }
    }
}
