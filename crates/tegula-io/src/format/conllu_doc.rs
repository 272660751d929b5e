//! Parses a CoNLL-U document: sentences, their lines and comments, paragraphs, and the text.

use super::conllu_columns::{Columns, KEY};
use super::conllu_comment::{begins, comment};
use std::ops::Range;
use tegula::error::{Error, Result};

/// A sentence: its block of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// All its lines, including the blank ones after it.
    pub(crate) lines: Range<usize>,
    /// In the first block of a document, the end of the document's comments; elsewhere the start of
    /// the block.
    pub(crate) header: usize,
    /// The line that begins a paragraph.
    pub(crate) newpar: Option<Range<usize>>,
    /// The end of its comments.
    pub(crate) comments: usize,
    /// The start of its blank lines.
    pub(crate) blank: usize,
    /// Its bytes of the text; empty if it has no token.
    pub(crate) text: Range<usize>,
}

/// A token of text: a word, or several that are written as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    /// Its column MISC; empty at the end of its line if the file has none.
    pub(crate) misc: Range<usize>,
    /// Its column UPOS, the universal part of speech; empty if the file has none.
    pub(crate) tag: Range<usize>,
    /// Its start in the text; a word inside a longer token starts where that does.
    pub(crate) text: usize,
    /// Its form in the text; none for a word inside a longer token.
    pub(crate) form: Option<Range<usize>>,
}

/// A parsed document. Offsets in the text count from the start of the document's text.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    /// The sentences, in order.
    pub(crate) sentences: Vec<Sentence>,
    /// The paragraphs, as indices of sentences; empty if the document marks none.
    pub(crate) paragraphs: Vec<Range<usize>>,
    /// Every word and token, without empty nodes; only if requested.
    pub(crate) tokens: Vec<Token>,
}

impl Parsed {
    /// The text of a paragraph.
    pub(crate) fn text(&self, paragraph: &Range<usize>) -> Range<usize> {
        let mut texts = self.sentences[paragraph.clone()]
            .iter()
            .map(|s| &s.text)
            .filter(|text| !text.is_empty());
        let first = texts.next().cloned().unwrap_or_default();
        first.start..texts.next_back().map_or(first.end, |last| last.end)
    }
}

/// The start of the next line.
fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |step| at + step + 1)
}

/// Parses a document and appends its text to `out`. `line` is the number of its first line, for
/// errors.
///
/// Sentences are joined by a space, paragraphs by a blank line, words by a space unless MISC says
/// `SpaceAfter=No`.
pub(crate) fn parse(
    columns: &Columns,
    record: &str,
    mut line: u64,
    out: &mut String,
    tokens: bool,
) -> Result<Parsed> {
    let base = out.len();
    let bytes = record.as_bytes();
    let mut parsed = Parsed::default();
    let mut at = 0;
    while at < record.len() {
        let end = line_end(bytes, at);
        if record[at..end].trim_ascii().is_empty() {
            // Blank lines before the first sentence; those after a sentence belong to it.
            at = end;
            line += 1;
            continue;
        }
        let mut block = Block {
            columns,
            record,
            base,
            at,
            line,
            first: parsed.sentences.is_empty(),
        };
        let sentence = block.sentence(out, &mut parsed, tokens)?;
        (at, line) = (block.at, block.line);
        parsed.sentences.push(sentence);
    }
    let marked = (0..)
        .zip(&parsed.sentences)
        .filter(|(_, sentence)| sentence.newpar.is_some());
    let mut begins: Vec<usize> = marked.map(|(index, _)| index).collect();
    if begins.first().is_some_and(|first| *first > 0) {
        // Sentences before the first mark form a separate paragraph.
        begins.insert(0, 0);
    }
    let ends = begins
        .iter()
        .skip(1)
        .copied()
        .chain([parsed.sentences.len()]);
    parsed.paragraphs = begins
        .iter()
        .zip(ends)
        .map(|(begin, end)| *begin..end)
        .collect();
    Ok(parsed)
}

/// A block of lines being parsed.
struct Block<'a> {
    columns: &'a Columns,
    record: &'a str,
    base: usize,
    at: usize,
    line: u64,
    first: bool,
}

impl Block<'_> {
    fn sentence(
        &mut self,
        out: &mut String,
        parsed: &mut Parsed,
        tokens: bool,
    ) -> Result<Sentence> {
        let start = self.at;
        let mut sentence = Sentence {
            lines: start..start,
            header: start,
            newpar: None,
            comments: start,
            blank: start,
            text: 0..0,
        };
        let mut in_header = self.first;
        let mut words = Words::default();
        while self.at < self.record.len() {
            let end = line_end(self.record.as_bytes(), self.at);
            let line = self.record[self.at..end].trim_end_matches(['\n', '\r']);
            if line.trim_ascii().is_empty() {
                break;
            }
            if let Some((key, value)) = comment(line) {
                if key == KEY && !self.columns.are(value) {
                    return Err(unlisted(self.line, self.columns));
                }
                if words.any {
                    return Err(malformed(
                        self.line,
                        "a token or a blank line",
                        "a comment inside a sentence",
                    ));
                }
                if begins(key, "newpar") && sentence.newpar.is_none() {
                    sentence.newpar = Some(self.at..end);
                }
                in_header &= !begins(key, "newpar") && key != "sent_id" && key != "text";
                if in_header {
                    sentence.header = end;
                }
                sentence.comments = end;
            } else {
                let cells = cells(line, self.columns)
                    .map_err(|(expected, found)| malformed(self.line, &expected, &found))?;
                let misc = match &cells.misc {
                    Some(misc) => self.at + misc.start..self.at + misc.end,
                    None => self.at + line.len()..self.at + line.len(),
                };
                let form = words
                    .next(&cells)
                    .map_err(|(expected, found)| malformed(self.line, &expected, &found))?;
                if form.is_some() {
                    let misc = &self.record[misc.clone()];
                    self.push(out, parsed, &mut sentence, &mut words, (cells.form, misc));
                }
                if tokens && !cells.id.is_some_and(|id| id.contains('.')) {
                    let text = if form.is_some() {
                        sentence.text.end - form.map_or(0, str::len)
                    } else {
                        words.outer
                    };
                    words.outer = text;
                    let tag = self.at + cells.tag.start..self.at + cells.tag.end;
                    let form = form.map(|form| text..text + form.len());
                    parsed.tokens.push(Token {
                        misc,
                        tag,
                        text,
                        form,
                    });
                }
            }
            self.at = end;
            self.line += 1;
        }
        words.end().map_err(|(expected, found)| {
            malformed(self.line.saturating_sub(1), &expected, &found)
        })?;
        sentence.blank = self.at;
        while self.at < self.record.len() {
            let end = line_end(self.record.as_bytes(), self.at);
            if !self.record[self.at..end].trim_ascii().is_empty() {
                break;
            }
            self.at = end;
            self.line += 1;
        }
        sentence.lines.end = self.at;
        Ok(sentence)
    }

    /// Appends a token's form, and the separator from the previous token.
    fn push(
        &self,
        out: &mut String,
        parsed: &Parsed,
        sentence: &mut Sentence,
        words: &mut Words,
        (form, misc): (&str, &str),
    ) {
        let opens = sentence.text.is_empty();
        if !opens && !words.glued {
            out.push(' ');
        } else if opens && out.len() > self.base {
            // There may be sentences without a word between this one and the last with any.
            let with_text = parsed
                .sentences
                .iter()
                .rposition(|sentence| !sentence.text.is_empty())
                .map_or(0, |last| last + 1);
            let new = sentence.newpar.is_some()
                || parsed.sentences[with_text..]
                    .iter()
                    .any(|s| s.newpar.is_some());
            out.push_str(if new { "\n\n" } else { " " });
        }
        if opens {
            sentence.text.start = out.len() - self.base;
        }
        out.push_str(form);
        sentence.text.end = out.len() - self.base;
        words.glued = misc.split('|').any(|item| item == "SpaceAfter=No");
    }
}

/// The relevant cells of a token line.
struct Cells<'a> {
    id: Option<&'a str>,
    form: &'a str,
    /// The positions of these in the line.
    misc: Option<Range<usize>>,
    tag: Range<usize>,
}

/// The cells of a token line.
fn cells<'a>(line: &'a str, columns: &Columns) -> Result<Cells<'a>, Fault> {
    let Some(form) = columns.form else {
        let expected = format!("a column FORM in `# {KEY}`");
        return Err((expected, format!("`{}`", columns.names())));
    };
    let places = [columns.id, Some(form), columns.tag, columns.misc];
    let mut cells: [Option<Range<usize>>; 4] = [const { None }; 4];
    let (mut at, mut count) = (0, 0);
    loop {
        let end = memchr::memchr(b'\t', &line.as_bytes()[at..]).map(|step| at + step);
        for (place, cell) in places.iter().zip(&mut cells) {
            if *place == Some(count) {
                *cell = Some(at..end.unwrap_or(line.len()));
            }
        }
        count += 1;
        match end {
            Some(end) => at = end + 1,
            None => break,
        }
    }
    if count != columns.count {
        let found = if count == 1 {
            format!("the line `{}`", shown(line))
        } else {
            count.to_string()
        };
        let expected = format!("{} columns, separated by tabs", columns.count);
        return Err((expected, found));
    }
    let [id, form, tag, misc] = cells;
    Ok(Cells {
        id: id.map(|id| &line[id]),
        form: &line[form.unwrap_or_default()],
        misc,
        tag: tag.unwrap_or_default(),
    })
}

/// What was expected, and what was found.
type Fault = (String, String);

/// The words of a sentence, with checks of their ids.
#[derive(Default)]
struct Words {
    any: bool,
    /// The number of the last word, and of the last empty node after it.
    last: u64,
    empty: u64,
    /// The last word of the current multi-word token.
    until: u64,
    glued: bool,
    /// The start of the current multi-word token in the text.
    outer: usize,
}

impl Words {
    /// Adds the next line; returns its form if it is text.
    fn next<'a>(&mut self, cells: &Cells<'a>) -> Result<Option<&'a str>, Fault> {
        self.any = true;
        let number = |text: &str| {
            text.parse::<u64>()
                .ok()
                .filter(|_| text.bytes().all(|b| b.is_ascii_digit()))
        };
        let next = self.last + 1;
        if cells.form.is_empty() {
            return Err(("a form in the column FORM".into(), "nothing".into()));
        }
        // Without ids every line is a word.
        let Some(id) = cells.id else {
            self.last = next;
            return Ok(Some(cells.form));
        };
        let wrong = || Err((format!("the id {next}"), format!("`{}`", shown(id))));
        if let Some((from, to)) = id.split_once('-') {
            return match (number(from), number(to)) {
                (Some(from), Some(to)) if from == next && to >= from && self.last >= self.until => {
                    self.until = to;
                    Ok(Some(cells.form))
                }
                _ => wrong(),
            };
        }
        if let Some((word, node)) = id.split_once('.') {
            return match (number(word), number(node)) {
                (Some(word), Some(node)) if word == self.last && node == self.empty + 1 => {
                    self.empty = node;
                    Ok(None)
                }
                _ => wrong(),
            };
        }
        if number(id) != Some(next) {
            return wrong();
        }
        self.last = next;
        self.empty = 0;
        Ok((next > self.until).then_some(cells.form))
    }

    /// At the sentence's end.
    fn end(&self) -> Result<(), Fault> {
        if self.last < self.until {
            return Err((
                format!("the words of a token up to {}", self.until),
                "the sentence's end".into(),
            ));
        }
        Ok(())
    }
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

fn malformed(line: u64, expected: &str, found: &str) -> Error {
    Error::data(format!("line {line}: expected {expected}, found {found}"))
        .hint("repair the line, or skip such documents with ⟨on_bad_record=skip⟩")
}

/// The error for a list of columns that are not those of the file.
fn unlisted(line: u64, columns: &Columns) -> Error {
    let message = format!(
        "line {line}: expected the columns of the file's beginning ({}), found another `# {KEY}`",
        columns.names()
    );
    Error::data(message).hint("begin the file with this line, and split it where columns change")
}
