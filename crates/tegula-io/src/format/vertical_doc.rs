//! Parses a vertical document: lines, tokens, paragraphs and sentences, and the text.

use std::borrow::Cow;
use std::ops::Range;
use tegula::error::{ErrorKind, Result};
use tegula::record::Level;

/// The names of tags in a vertical file.
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
    /// Whether the user named it: then it is also what a line counts as where lines are tokens.
    pub(crate) named: bool,
    /// Whether lines are tokens, unchanged, instead of words.
    pub(crate) as_is: bool,
}

/// What the white space before tags and tokens means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Indent {
    /// Before a token it is an empty first column.
    #[default]
    None,
    /// No line of the document has a word in the first column: it cannot be the word column, so the
    /// white space is taken for indentation.
    Words,
    /// The document is written with indentation, as its tags show.
    All,
}

/// A line without the white space before it.
fn unindented(line: &str) -> &str {
    line.trim_start_matches([' ', '\t'])
}

/// The kind of a line.
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
    /// The kind of a line. A tag begins with `<` and a letter, `/`, `!` or `?`, and ends with `>`,
    /// with white space around it or without; everything else is a token.
    pub(crate) fn line(&self, line: &str) -> Line {
        let line = unindented(line.trim_end());
        let Some(tag) = line.strip_prefix('<').and_then(|l| l.strip_suffix('>')) else {
            return if line.is_empty() {
                Line::Other
            } else {
                Line::Token
            };
        };
        if !tag.starts_with(|c: char| matches!(c, '/' | '!' | '?' | '_') || c.is_alphabetic()) {
            return Line::Token;
        }
        let (closes, tag) = match tag.strip_prefix('/') {
            Some(tag) => (true, tag),
            None => (false, tag),
        };
        let name_end = tag
            .find(|c: char| c.is_whitespace() || c == '/')
            .unwrap_or(tag.len());
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

    /// The kind of a tag without attributes, like nearly all except those of documents; `None` for
    /// those that [`Names::line`] must examine.
    fn bare(&self, line: &[u8]) -> Option<Line> {
        let inner = line.strip_prefix(b"<")?.strip_suffix(b">")?;
        let level = |name: &[u8]| match name {
            name if name == self.par.as_bytes() => Some(Level::Paragraph),
            name if name == self.sent.as_bytes() => Some(Level::Sentence),
            _ => None,
        };
        match inner {
            [b'/', name @ ..] => level(name).map(Line::Close),
            [name @ .., b'/'] => {
                (name == self.glue.as_bytes() && self.glue != self.doc && level(name).is_none())
                    .then_some(Line::Glue)
            }
            name => level(name).map(Line::Open),
        }
    }

    /// What the white space before the lines of a document means. That of tokens is indentation if
    /// some tag is indented, and most tokens are.
    fn indent(&self, record: &str) -> Indent {
        let bytes = record.as_bytes();
        // Nearly all documents are without any.
        let begins = |line: &[u8]| memchr::memmem::find(bytes, line).is_some();
        if !record.starts_with([' ', '\t']) && !begins(b"\n\t") && !begins(b"\n ") {
            return Indent::None;
        }
        let (mut tags, mut tokens, mut inner) = (false, 0_usize, 0_usize);
        for line in record.lines() {
            let is_inner = line.starts_with([' ', '\t']);
            match self.line(line) {
                Line::Token => {
                    tokens += 1;
                    inner += usize::from(is_inner);
                }
                Line::Other if line.trim().is_empty() => {}
                _ => tags |= is_inner,
            }
        }
        if tags && inner > tokens / 2 {
            Indent::All
        } else if self.column == 0 && tokens > 0 && inner == tokens {
            Indent::Words
        } else {
            Indent::None
        }
    }

    /// What counts as the token where lines are tokens: the named column, else the line.
    pub(crate) fn own_token<'a>(&self, line: &'a str, indent: Indent) -> Result<&'a str> {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        if self.named {
            self.cell(line, indent)
        } else if indent == Indent::All {
            Ok(unindented(line))
        } else {
            Ok(line)
        }
    }

    /// The kind of the line at `at`, its text, and its end.
    fn next<'a>(
        &self,
        record: &'a str,
        at: usize,
        indent: Indent,
    ) -> Result<(Line, Cow<'a, str>, usize)> {
        let end = line_end(record.as_bytes(), at);
        let line = &record[at..end];
        if let Some(kind) = line
            .strip_suffix('\n')
            .and_then(|line| self.bare(line.as_bytes()))
        {
            return Ok((kind, Cow::Borrowed(""), end));
        }
        let kind = if begins_word(&record.as_bytes()[at..]) {
            Line::Token
        } else {
            self.line(line)
        };
        let word = if kind == Line::Token {
            self.word(line, indent)?
        } else {
            Cow::Borrowed("")
        };
        Ok((kind, word, end))
    }

    /// The part of a token line that is text.
    fn word<'a>(&self, line: &'a str, indent: Indent) -> Result<Cow<'a, str>> {
        if self.as_is {
            return self.own_token(line, indent).map(Cow::Borrowed);
        }
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        Ok(entities(self.cell(line, indent)?))
    }

    /// The word column of a line without its end.
    fn cell<'a>(&self, line: &'a str, indent: Indent) -> Result<&'a str> {
        let mut rest = match indent {
            Indent::None => line,
            Indent::Words | Indent::All => unindented(line),
        };
        for _ in 0..self.column {
            let tab = memchr::memchr(b'\t', rest.as_bytes()).ok_or_else(|| {
                let shown: String = line.chars().take(40).collect();
                ErrorKind::Data
                    .expected(format!("at least {} columns", self.column + 1))
                    .found(format!("the line `{shown}`"))
                    .hint("set ⟨word_column⟩ to the word column")
            })?;
            rest = &rest[tab + 1..];
        }
        let end = memchr::memchr(b'\t', rest.as_bytes()).unwrap_or(rest.len());
        Ok(&rest[..end])
    }
}

/// The name of the opening or empty tag on a line.
pub(crate) fn opened(line: &str) -> Option<&str> {
    let tag = unindented(line.trim_end())
        .strip_prefix('<')?
        .strip_suffix('>')?;
    let name = &tag[..tag
        .find(|c: char| c.is_whitespace() || c == '/')
        .unwrap_or(tag.len())];
    name.starts_with(|c: char| c == '_' || c.is_alphabetic())
        .then_some(name)
}

/// The end of the line that contains `at`, including the line end.
fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |step| at + step + 1)
}

/// A paragraph or sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Structure {
    /// Which of the two.
    pub(crate) level: Level,
    /// The line of its tag.
    pub(crate) tag: Range<usize>,
    /// All its lines, including tags.
    pub(crate) lines: Range<usize>,
    /// Its bytes of the text; empty if it has no token.
    pub(crate) text: Range<usize>,
}

/// A parsed document. Offsets in the text count from the start of the document's text.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    /// Paragraphs and sentences by start, a paragraph before its sentences.
    pub(crate) structures: Vec<Structure>,
    /// Every line with its range in the record and, for a token, its range in the text; only if
    /// requested.
    pub(crate) lines: Vec<(Line, Range<usize>, Range<usize>)>,
    /// What the white space before its lines means.
    pub(crate) indent: Indent,
}

impl Parsed {
    /// The bytes of indentation before a line.
    pub(crate) fn indentation(&self, line: &str) -> usize {
        match self.indent {
            Indent::None => 0,
            Indent::Words | Indent::All => line.len() - unindented(line).len(),
        }
    }
}

/// Bytes that end the word of an ordinary line, or make the line a different kind.
static STOPS: [bool; 256] = {
    let mut table = [false; 256];
    table[b'\t' as usize] = true;
    table[b'\n' as usize] = true;
    table[b'\r' as usize] = true;
    table[b'&' as usize] = true;
    table
};

/// Whether a line begins with neither a tag nor white space.
fn begins_word(line: &[u8]) -> bool {
    line.first()
        .is_some_and(|first| *first > b' ' && *first != b'<')
}

/// The ends of the word at `at` and of its line. Most lines are of this kind: a word in the first
/// column that is not a tag and contains no entity; `None` for all others, which [`Names::next`]
/// reads.
#[inline]
fn ordinary(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let rest = &bytes[at..];
    if !begins_word(rest) {
        return None;
    }
    let len = rest
        .iter()
        .position(|byte| STOPS[usize::from(*byte)])
        .unwrap_or(rest.len());
    let stop = at + len;
    match rest.get(len) {
        Some(b'\n') => Some((stop, stop + 1)),
        Some(b'\t') => Some((stop, line_end(bytes, stop))),
        Some(b'\r') if rest.get(len + 1) == Some(&b'\n') => Some((stop, stop + 2)),
        None => Some((stop, stop)),
        Some(_) => None,
    }
}

/// Parses a document and appends its text to `out`.
///
/// A paragraph ends at its closing tag, at the next paragraph or at the document's end; a sentence
/// also where its paragraph ends or the next begins. A closing tag without an opening one is
/// ignored.
pub(crate) fn parse(names: &Names, record: &str, out: &mut String, lines: bool) -> Result<Parsed> {
    let base = out.len();
    let mut parsed = Parsed {
        indent: names.indent(record),
        ..Parsed::default()
    };
    let mut open = Open::default();
    let joint = if names.as_is { '\n' } else { ' ' };
    let plain = names.column == 0 && !names.as_is;
    let (mut at, mut glued, mut last_token) = (0, true, 0);
    while at < record.len() {
        let (kind, word, end) = match ordinary(record.as_bytes(), at).filter(|_| plain) {
            Some((stop, end)) => (Line::Token, Cow::Borrowed(&record[at..stop]), end),
            None => names.next(record, at, parsed.indent)?,
        };
        let mut text = 0..0;
        match kind {
            Line::Token => {
                if !glued {
                    out.push(joint);
                }
                text.start = out.len() - base;
                out.push_str(&word);
                text.end = out.len() - base;
                open.grow(&text);
                glued = false;
                last_token = end;
            }
            Line::Glue => glued |= !names.as_is,
            Line::Open(level) => {
                open.close(&mut parsed.structures, level, at);
                open.open(&mut parsed.structures, level, at..end);
            }
            Line::Close(level) => open.close(&mut parsed.structures, level, end),
            Line::Doc if at > 0 => open.close(&mut parsed.structures, Level::Paragraph, at),
            Line::Doc | Line::Other => {}
        }
        if lines {
            parsed.lines.push((kind, at..end, text));
        }
        at = end;
    }
    open.close(&mut parsed.structures, Level::Paragraph, last_token);
    Ok(parsed)
}

/// An open paragraph or sentence: its index, and the start of its text, once it has any.
#[derive(Debug)]
struct Unit {
    index: usize,
    start: Option<usize>,
}

/// The open paragraph and sentence.
#[derive(Debug, Default)]
struct Open {
    par: Option<Unit>,
    sent: Option<Unit>,
    /// Whether one of them has no text yet.
    fresh: bool,
    /// The end of the last token in the text.
    end: usize,
}

impl Open {
    fn open(&mut self, all: &mut Vec<Structure>, level: Level, tag: Range<usize>) {
        let unit = Some(Unit {
            index: all.len(),
            start: None,
        });
        if level == Level::Paragraph {
            self.par = unit;
        } else {
            self.sent = unit;
        }
        self.fresh = true;
        all.push(Structure {
            level,
            lines: tag.clone(),
            tag,
            text: 0..0,
        });
    }

    /// Closes the structure of this level at this byte of the record; closing a paragraph also
    /// closes its sentence.
    fn close(&mut self, all: &mut [Structure], level: Level, at: usize) {
        let par = if level == Level::Paragraph {
            self.par.take()
        } else {
            None
        };
        for unit in [self.sent.take(), par].into_iter().flatten() {
            if let Some(structure) = all.get_mut(unit.index) {
                structure.lines.end = structure.lines.end.max(at);
                structure.text = unit.start.map_or(0..0, |start| start..self.end);
            }
        }
    }

    /// Adds a token.
    #[inline]
    fn grow(&mut self, text: &Range<usize>) {
        self.end = text.end;
        if self.fresh && !text.is_empty() {
            for unit in [&mut self.par, &mut self.sent].into_iter().flatten() {
                unit.start.get_or_insert(text.start);
            }
            self.fresh = false;
        }
    }
}

/// Text with the five entities of XML and numeric ones decoded; any other `&` is kept.
pub(crate) fn entities(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'&', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let decoded = (rest.find(';').filter(|end| *end <= 10))
            .and_then(|end| entity(&rest[1..end]).map(|c| (c, end + 1)));
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

/// The attributes of a tag's line, with raw values.
pub(crate) fn attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    let inner = tag.trim().trim_start_matches('<');
    let inner = inner.strip_suffix('>').unwrap_or(inner);
    let inner = inner.strip_suffix('/').unwrap_or(inner);
    let mut rest = inner
        .find(char::is_whitespace)
        .map_or("", |at| &inner[at..]);
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let name_end = rest
            .find(|c: char| c == '=' || c.is_whitespace())
            .unwrap_or(rest.len());
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

#[cfg(test)]
mod tests {
    use super::*;

    fn names(column: usize) -> Names {
        let [doc, par, sent, glue] = ["doc", "p", "s", "g"].map(str::to_owned);
        Names {
            doc,
            par,
            sent,
            glue,
            column,
            named: false,
            as_is: false,
        }
    }

    proptest::proptest! {
        #[test]
        fn ordinary_lines_are_what_all_lines_are(
            pieces in proptest::collection::vec(proptest::sample::select(vec![
                "Wort", "\t", "\n", "\n", "\r\n", "\r", "&amp;", "&", "<", "<p>", "</p>", "<s>", "</s>", "<g/>", "<doc>", " ", "ä", "\u{a0}", "x",
            ]), 0..40),
        ) {
            let record = pieces.concat();
            let names = names(0);
            let mut at = 0;
            while at < record.len() {
                let (kind, word, end) = names.next(&record, at, Indent::None).unwrap();
                if let Some(bare) = names.bare(record[at..end].trim_end_matches('\n').as_bytes()) {
                    proptest::prop_assert_eq!(names.line(&record[at..end]), bare);
                }
                if let Some((stop, line)) = ordinary(record.as_bytes(), at) {
                    proptest::prop_assert_eq!((kind, word.as_ref(), end), (Line::Token, &record[at..stop], line));
                }
                at = end;
            }
            let mut text = String::new();
            let parsed = parse(&names, &record, &mut text, true).unwrap();
            // A unit reaches from its first token that is not empty to its last one.
            for unit in &parsed.structures {
                let inside = |at: usize| unit.lines.contains(&at);
                let tokens: Vec<_> = (parsed.lines.iter())
                    .filter(|(kind, line, _)| *kind == Line::Token && inside(line.start))
                    .map(|(_, _, text)| text.clone())
                    .collect();
                let first = tokens.iter().find(|text| !text.is_empty());
                let expected = first.map_or(0..0, |first| first.start..tokens.last().map_or(0, |last| last.end));
                proptest::prop_assert_eq!(unit.text.clone(), expected);
            }
        }
    }
}
