//! The inside of a vertical document: lines, tokens, paragraphs and sentences, and the text that they make.

use std::borrow::Cow;
use std::ops::Range;
use tegula::error::{Error, Result};
use tegula::record::Level;

/// The names that a vertical file uses.
#[derive(Debug)]
pub(crate) struct Names {
    /// Of the document tag.
    pub(crate) doc: String,
    /// Of the paragraph tag.
    pub(crate) par: String,
    /// Of the sentence tag.
    pub(crate) sent: String,
    /// Of the tag that joins two tokens.
    pub(crate) glue: String,
    /// The word column, counted from 0.
    pub(crate) column: usize,
    /// Whole lines instead of words.
    pub(crate) as_is: bool,
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    /// A token.
    Token,
    /// The tag of a document.
    Doc,
    /// The tag that opens a paragraph or sentence.
    Open(Level),
    /// The tag that closes one.
    Close(Level),
    /// The tag that joins two tokens.
    Glue,
    /// Another tag, a comment, or a blank line.
    Other,
}

impl Names {
    /// What a line is. A tag begins with `<` and a letter, `/`, `!` or `?`, and ends with `>`; all else is a token.
    pub(crate) fn line(&self, line: &str) -> Line {
        let line = line.trim_end();
        let Some(tag) = line.strip_prefix('<').and_then(|l| l.strip_suffix('>')) else {
            return if line.is_empty() { Line::Other } else { Line::Token };
        };
        if !tag.starts_with(|c: char| c.is_alphabetic() || "/!?_".contains(c)) {
            return Line::Token;
        }
        let (closes, tag) = match tag.strip_prefix('/') {
            Some(tag) => (true, tag),
            None => (false, tag),
        };
        let name_end = tag.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(tag.len());
        let name = &tag[..name_end];
        let empty = !closes && tag.ends_with('/');
        let level = if name == self.par {
            Level::Paragraph
        } else if name == self.sent {
            Level::Sentence
        } else if name == self.doc {
            return Line::Doc;
        } else if name == self.glue && !closes {
            return Line::Glue;
        } else {
            return Line::Other;
        };
        match (closes, empty) {
            (true, _) => Line::Close(level),
            (_, true) => Line::Other,
            _ => Line::Open(level),
        }
    }

    /// The kind of the line at `at`, its text, and its end.
    fn next<'a>(&self, record: &'a str, at: usize) -> Result<(Line, Cow<'a, str>, usize)> {
        let bytes = record.as_bytes();
        let plain = bytes.get(at).is_some_and(|first| *first > b' ' && *first != b'<');
        if plain && self.column == 0 && !self.as_is {
            // By far the most lines are this: a short word at the beginning of a line that is no tag.
            let (mut stop, mut ampersand) = (at, false);
            while stop < bytes.len() && !matches!(bytes[stop], b'\t' | b'\n') {
                ampersand |= bytes[stop] == b'&';
                stop += 1;
            }
            let word = &record[at..stop];
            let end = match bytes.get(stop) {
                Some(b'\t') => line_end(bytes, stop),
                _ => (stop + 1).min(bytes.len()),
            };
            let word = match bytes.get(stop) {
                Some(b'\t') => word,
                _ => word.strip_suffix('\r').unwrap_or(word),
            };
            let word = if ampersand { entities(word) } else { Cow::Borrowed(word) };
            return Ok((Line::Token, word, end));
        }
        let end = line_end(bytes, at);
        let line = &record[at..end];
        let kind = if plain { Line::Token } else { self.line(line) };
        let word = if kind == Line::Token { self.word(line)? } else { Cow::Borrowed("") };
        Ok((kind, word, end))
    }

    /// The part of a token line that is text.
    fn word<'a>(&self, line: &'a str) -> Result<Cow<'a, str>> {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        if self.as_is {
            return Ok(Cow::Borrowed(line));
        }
        let mut rest = line;
        for _ in 0..self.column {
            let tab = memchr::memchr(b'\t', rest.as_bytes()).ok_or_else(|| {
                let shown: String = line.chars().take(40).collect();
                Error::data(format!("expected at least {} columns, found the line `{shown}`", self.column + 1))
                    .hint("name the word column with --word-column")
            })?;
            rest = &rest[tab + 1..];
        }
        let end = memchr::memchr(b'\t', rest.as_bytes()).unwrap_or(rest.len());
        Ok(entities(&rest[..end]))
    }
}

/// The end of the line that `at` is in, its line end included.
fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |step| at + step + 1)
}

/// A paragraph or sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Structure {
    /// Which of the two.
    pub(crate) level: Level,
    /// Its tag's line.
    pub(crate) tag: Range<usize>,
    /// All its lines, tags included.
    pub(crate) lines: Range<usize>,
    /// Its bytes of the text; empty where it has no token.
    pub(crate) text: Range<usize>,
}

/// A document taken apart. Places in the text count from where the document's text begins.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    /// Paragraphs and sentences by their beginning, a paragraph before its sentences.
    pub(crate) structures: Vec<Structure>,
    /// Every line with its place in the record and, for a token, its place in the text; only where asked for.
    pub(crate) lines: Vec<(Line, Range<usize>, Range<usize>)>,
}

/// Takes a document apart and appends its text to `out`.
///
/// A paragraph ends at its closing tag, at the next paragraph or at the document's end; a sentence also where its paragraph
/// ends or the next begins. A closing tag without an opening one means nothing.
pub(crate) fn parse(names: &Names, record: &str, out: &mut String, lines: bool) -> Result<Parsed> {
    let base = out.len();
    let mut parsed = Parsed::default();
    let mut open = Open::default();
    let joint = if names.as_is { '\n' } else { ' ' };
    let (mut at, mut glued, mut last_token) = (0, true, 0);
    while at < record.len() {
        let (kind, word, end) = names.next(record, at)?;
        let mut text = 0..0;
        match kind {
            Line::Token => {
                if !glued {
                    out.push(joint);
                }
                text.start = out.len() - base;
                out.push_str(&word);
                text.end = out.len() - base;
                open.grow(&mut parsed.structures, &text);
                glued = false;
                last_token = end;
            }
            Line::Glue => glued |= !names.as_is,
            Line::Open(level) => {
                open.close(&mut parsed.structures, level, at);
                open.open(&mut parsed.structures, level, at..end);
            }
            Line::Close(level) => open.close(&mut parsed.structures, level, end),
            Line::Doc | Line::Other => {}
        }
        if kind == Line::Doc && at > 0 {
            open.close(&mut parsed.structures, Level::Paragraph, at);
        }
        if lines {
            parsed.lines.push((kind, at..end, text));
        }
        at = end;
    }
    open.close(&mut parsed.structures, Level::Paragraph, last_token);
    Ok(parsed)
}

/// The open paragraph and sentence, by their index.
#[derive(Debug, Default)]
struct Open {
    par: Option<usize>,
    sent: Option<usize>,
}

impl Open {
    fn open(&mut self, all: &mut Vec<Structure>, level: Level, tag: Range<usize>) {
        let index = Some(all.len());
        if level == Level::Paragraph {
            self.par = index;
        } else {
            self.sent = index;
        }
        all.push(Structure { level, lines: tag.clone(), tag, text: 0..0 });
    }

    /// Closes the structure of this level, and a sentence with its paragraph, at this byte of the record.
    fn close(&mut self, all: &mut [Structure], level: Level, at: usize) {
        let par = if level == Level::Paragraph { self.par.take() } else { None };
        for index in [self.sent.take(), par].into_iter().flatten() {
            if let Some(structure) = all.get_mut(index) {
                structure.lines.end = structure.lines.end.max(at);
            }
        }
    }

    /// Adds a token.
    fn grow(&self, all: &mut [Structure], text: &Range<usize>) {
        for index in [self.par, self.sent].into_iter().flatten() {
            if let Some(structure) = all.get_mut(index) {
                if structure.text.is_empty() {
                    structure.text.start = text.start;
                }
                structure.text.end = text.end;
            }
        }
    }
}

/// Text with the five entities of XML and numeric ones decoded; anything else after `&` stays.
pub(crate) fn entities(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'&', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let decoded = (rest.find(';').filter(|end| *end <= 10)).and_then(|end| entity(&rest[1..end]).map(|c| (c, end + 1)));
        let (c, len) = decoded.unwrap_or(('&', 1));
        out.push(c);
        rest = &rest[len..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The character of a predefined entity or a numeric one.
pub(crate) fn entity(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

/// The attributes of a tag's line, values as they stand.
pub(crate) fn attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    let inner = tag.trim_end().trim_start_matches('<');
    let inner = inner.strip_suffix('>').unwrap_or(inner);
    let inner = inner.strip_suffix('/').unwrap_or(inner);
    let mut rest = inner.find(char::is_whitespace).map_or("", |at| &inner[at..]);
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let name_end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let name = &rest[..name_end];
        rest = rest[name_end..].trim_start();
        let Some(value) = rest.strip_prefix('=') else {
            return Some((name, ""));
        };
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, after) = if let Some(quote) = quote {
            value[1..].split_once(quote).unwrap_or((&value[1..], ""))
        } else {
            value.split_at(value.find(char::is_whitespace).unwrap_or(value.len()))
        };
        rest = after;
        Some((name, value))
    })
}
