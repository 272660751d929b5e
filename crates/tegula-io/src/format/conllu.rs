//! CoNLL-U: one word per line in ten columns, comments before each sentence, blank lines after it;
//! and CoNLL-U Plus, whose columns are those of `# global.columns`.
//!
//! A document begins at the block of lines with `# newdoc`; any text before the first one is also a
//! document, so a file without any is one document. The comments of a document's first block, up to
//! the first `newpar`, `sent_id` or `text`, belong to the document: they contain its id and its
//! metadata, and are kept as long as the document. An edit removes whole sentences, as ids and
//! heads count the words of one.

use super::conllu_columns::{Columns, header as file_header};
use super::conllu_comment::comment;
use super::conllu_doc::{Parsed, Sentence, parse};
use super::marks::{clashing, number, of_record, of_span};
use super::spot::{Spot, is_blank};
use super::{Cut, Format, MarkPlace, MarkStyle, PassOver, Passed, Patch, Place, Settings};
use crate::convert::{FieldValue, Fields};
use crate::edit::{Marks, SpanMark};
use crate::format::facts::{self, FormatFacts};
use crate::options::FormatName;
use crate::written;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use tegula::error::{Error, ErrorKind, Result};
use tegula::hash;
use tegula::record::{Batch, Level, OwnToken, Segment, Tagged};
use tegula::text::classes::Class;

/// What is known about the format before a file is opened.
pub(super) const FACTS: FormatFacts = FormatFacts {
    name: FormatName::Conllu,
    noun: "a CoNLL-U file",
    endings: &["conllu", "conllup", "cupt"],
    recognises,
    has_fields: false,
    has_marks: true,
    has_tokens: true,
    is_bytes: false,
    places: &[MarkPlace::Attribute, MarkPlace::Misc],
    texts: |_| "forms, documents from # newdoc".into(),
};

/// Recognises a list of columns, or a first word in ten columns after comments.
fn recognises(sample: &facts::Sample) -> bool {
    if file_header(sample.text.as_bytes()).is_some() {
        return true;
    }
    let token = sample
        .text
        .lines()
        .find(|line| !line.trim_ascii().is_empty() && !line.starts_with('#'));
    token.is_some_and(|line| {
        (line.starts_with("1\t") || line.starts_with("1-") || line.starts_with("0.1\t"))
            && line.matches('\t').count() == 9
    })
}

/// Longer blocks of lines are not searched for the start of a document.
const BLOCK: usize = 64 << 10;

/// The reader and editor of CoNLL-U.
#[derive(Debug)]
pub(crate) struct Conllu {
    columns: Columns,
    id: String,
    fields: Vec<String>,
    /// Whether word classes are requested.
    classes: bool,
    own_tokens: bool,
}

impl Conllu {
    /// For the file that begins with `sample`; uses the names of id and fields from the options.
    pub(crate) fn new(sample: &[u8], settings: &Settings) -> Self {
        let options = &settings.options;
        Self {
            columns: Columns::of_file(&String::from_utf8_lossy(sample)),
            id: options.id_key.clone().unwrap_or_else(|| "newdoc id".into()),
            fields: options.needs.fields.clone(),
            classes: options.needs.classes,
            own_tokens: options.needs.own_tokens,
        }
    }
}

/// Whether a line begins a document.
fn opens(line: &[u8]) -> bool {
    let inner = line.strip_prefix(b"#").map(<[u8]>::trim_ascii);
    inner
        .and_then(|inner| inner.strip_prefix(b"newdoc"))
        .is_some_and(|rest| matches!(rest.first(), None | Some(b' ' | b'\t' | b'=')))
}

/// The starts of blocks that begin a document. In one pass, as no block is read twice.
fn openings(text: &[u8], end: bool) -> Vec<usize> {
    let mut found = Vec::new();
    let mut seen = 0;
    for at in memchr::memmem::find_iter(text, b"newdoc") {
        let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |at| at + 1);
        let Some(stop) = memchr::memchr(b'\n', &text[at..])
            .map(|step| at + step + 1)
            .or(end.then_some(text.len()))
        else {
            break;
        };
        if start < seen || !opens(&text[start..stop]) {
            continue;
        }
        let mut block = start;
        while block > seen {
            let line = memchr::memrchr(b'\n', &text[..block - 1]).map_or(0, |at| at + 1);
            if is_blank(&text[line..block]) {
                break;
            }
            block = line;
        }
        // At `seen` it is the block of the previous mark.
        if block > seen || seen == 0 {
            found.push(block);
        }
        seen = stop;
    }
    found
}

/// The comments that belong to the document.
fn header<'a>(
    record: &'a str,
    parsed: &Parsed,
) -> impl Iterator<Item = (&'a str, Option<&'a str>)> {
    let range = parsed
        .sentences
        .first()
        .map_or(0..0, |sentence| sentence.lines.start..sentence.header);
    record[range].lines().filter_map(comment)
}

fn value<'a>(record: &'a str, parsed: &Parsed, name: &str) -> Option<&'a str> {
    header(record, parsed)
        .find(|(key, _)| *key == name)
        .and_then(|(_, value)| value)
}

/// A document that is too long to be held in memory.
struct Document;

impl PassOver for Document {
    fn next(&mut self, text: &[u8]) -> Passed {
        if let Some(block) = openings(text, false).first() {
            return Passed::Ends(*block);
        }
        // The last block of lines may be the start of one that begins a document.
        let blank = memchr::memmem::rfind(text, b"\n\n").map(|at| at + 2);
        let block = blank.max(memchr::memmem::rfind(text, b"\n\r\n").map(|at| at + 3));
        Passed::Through(
            block
                .filter(|at| text.len() - at <= BLOCK)
                .unwrap_or(text.len()),
        )
    }
}

impl Format for Conllu {
    fn cut(&self, text: &[u8], place: Place) -> Cut {
        let mut borders = openings(text, place.end);
        // The list of columns belongs to no document.
        let listed = if place.head { file_header(text) } else { None };
        let mut first = listed.map_or(0, |header| header.end);
        if let Some(border) = borders.first_mut() {
            *border = first.max(*border);
        }
        while first < text.len() {
            let end =
                memchr::memchr(b'\n', &text[first..]).map_or(text.len(), |step| first + step + 1);
            if !is_blank(&text[first..end]) {
                break;
            }
            first = end;
        }
        if first < text.len() && borders.first().is_none_or(|border| *border > first) {
            borders.insert(0, first);
        }
        if place.end {
            borders.extend((!borders.is_empty()).then_some(text.len()));
        }
        let records: Vec<_> = borders.windows(2).map(|pair| pair[0]..pair[1]).collect();
        let len = if place.end {
            text.len()
        } else {
            records.last().map_or(0, |last| last.end)
        };
        Cut::ranges(len, records)
    }

    fn pass_over(&self) -> Option<Box<dyn PassOver + '_>> {
        Some(Box::new(Document))
    }

    fn decode(&self, record: &str, batch: &mut Batch) -> Result<bool> {
        self.decode_at(record, Spot::default(), batch)
    }

    fn decode_at(&self, record: &str, spot: Spot, batch: &mut Batch) -> Result<bool> {
        let begin = batch.text.len();
        let parsed = parse(
            &self.columns,
            record,
            spot.line,
            &mut batch.text,
            self.own_tokens || self.classes,
        )?;
        let own = if self.own_tokens {
            &parsed.tokens[..]
        } else {
            &[]
        };
        batch.tokens.extend(own.iter().filter_map(|token| {
            let form = &batch.text[begin..][token.form.clone()?];
            Some(OwnToken {
                at: token.text,
                fingerprint: hash::token(form.as_bytes()),
            })
        }));
        let mut last = None;
        for token in parsed.tokens.iter().filter(|_| self.classes) {
            // For a multi-word token, the first word with a tag counts.
            let tag = &record[token.tag.clone()];
            if !matches!(tag, "" | "_") && last.replace(token.text) != Some(token.text) {
                batch.tags.push(Tagged {
                    at: token.text,
                    class: Class::from_tag(tag),
                });
            }
        }
        let segment = |level, text: Range<usize>, sentence: &Sentence, key: &str| {
            let mut comments = record[sentence.lines.start..sentence.comments]
                .lines()
                .filter_map(comment);
            let id = comments
                .find(|(name, _)| *name == key)
                .and_then(|(_, value)| value)
                .filter(|id| !id.is_empty());
            (!text.is_empty()).then_some(Segment {
                level,
                text,
                id: id.map(Box::from),
            })
        };
        let mut paragraphs = parsed.paragraphs.iter().peekable();
        for (index, sentence) in (0..).zip(&parsed.sentences) {
            if let Some(paragraph) = paragraphs.next_if(|paragraph| paragraph.start == index) {
                batch.segments.extend(segment(
                    Level::Paragraph,
                    parsed.text(paragraph),
                    sentence,
                    "newpar id",
                ));
            }
            batch.segments.extend(segment(
                Level::Sentence,
                sentence.text.clone(),
                sentence,
                "sent_id",
            ));
        }
        let id = value(record, &parsed, &self.id);
        batch.ids.push_str(id.unwrap_or_default());
        let fields = self
            .fields
            .iter()
            .map(|name| value(record, &parsed, name).map(str::to_owned));
        batch.fields.extend(fields);
        Ok(id.is_some())
    }

    fn names_lines(&self) -> bool {
        true
    }

    fn fields<'a>(&'a self, record: &'a str) -> Result<Fields<'a>> {
        let mut text = String::new();
        let parsed = parse(&self.columns, record, 1, &mut text, false)?;
        let string = |value: &'a str| FieldValue::Text(value.into());
        let mut fields: Fields<'a> = vec![
            (
                "id".into(),
                value(record, &parsed, &self.id).map_or(FieldValue::Null, string),
            ),
            ("text".into(), FieldValue::Text(text.into())),
        ];
        for (name, value) in header(record, &parsed) {
            if let Some(value) = value
                && name != self.id
                && name != "newdoc id"
                && fields.iter().all(|(known, _)| known != name)
            {
                fields.push((name.into(), string(value)));
            }
        }
        Ok(fields)
    }

    fn names(&self, record: &str, _inner: bool) -> Vec<String> {
        let Ok(parsed) = parse(&self.columns, record, 1, &mut String::new(), false) else {
            return Vec::new();
        };
        header(record, &parsed)
            .filter(|(_, value)| value.is_some())
            .map(|(name, _)| name.to_owned())
            .collect()
    }

    fn tags(&self, text: &str, tally: &mut BTreeMap<String, u64>) {
        // Comments without a key are remarks, all of them different.
        let is_key = |name: &str| {
            name.chars()
                .all(|c| c.is_alphanumeric() || "_-.:".contains(c))
        };
        for (name, value) in text.lines().filter_map(comment) {
            let name = name.strip_suffix(" id").unwrap_or(name);
            if !is_key(name) || (value.is_none() && !matches!(name, "newdoc" | "newpar")) {
                continue;
            }
            *tally.entry(format!("# {name}")).or_default() += 1;
        }
    }

    fn is_marked(&self, record: &str) -> bool {
        record
            .lines()
            .take_while(|line| line.starts_with('#'))
            .any(|line| opens(line.as_bytes()))
    }

    fn remove(&self, record: &str, cuts: &[Range<usize>]) -> Result<Vec<Patch>> {
        let parsed = parse(&self.columns, record, 1, &mut String::new(), false)?;
        let removed: Vec<bool> = (parsed.sentences.iter())
            .map(|sentence| {
                let cut = cuts.get(cuts.partition_point(|cut| cut.end < sentence.text.end));
                !sentence.text.is_empty() && cut.is_some_and(|cut| cut.start <= sentence.text.start)
            })
            .collect();
        let mut patches = Vec::new();
        for (index, sentence) in parsed
            .sentences
            .iter()
            .enumerate()
            .filter(|(index, _)| removed[*index])
        {
            let mut at = sentence.lines.start;
            let mut stays = |range: Range<usize>| {
                if !range.is_empty() {
                    patches.push(Patch::remove(at..range.start));
                    at = range.end;
                }
            };
            // Comments of the document are kept with it, those of a paragraph while it has a
            // sentence: they move to the next one.
            stays(sentence.lines.start..sentence.header);
            let paragraph = parsed
                .paragraphs
                .iter()
                .find(|paragraph| paragraph.start == index);
            if let (Some(line), Some(paragraph)) = (&sentence.newpar, paragraph)
                && removed[paragraph.clone()].contains(&false)
            {
                stays(line.clone());
            }
            if index == 0 && !removed.contains(&false) {
                // Without a following sentence they must not become part of the next document.
                stays(sentence.blank..sentence.lines.end);
            }
            patches.push(Patch::remove(at..sentence.lines.end));
        }
        patches.retain(|patch| !patch.at.is_empty());
        Ok(patches)
    }

    fn mark(&self, record: &str, marks: &Marks, style: &MarkStyle) -> Result<Vec<Patch>> {
        match style.place {
            MarkPlace::Attribute => mark_comments(&self.columns, record, marks, style),
            MarkPlace::Misc if self.columns.misc.is_none() => Err(ErrorKind::Data
                .expected("a column MISC for the marks")
                .found(format!("the columns {}", self.columns.names()))
                .hint("use ⟨mark_place=attribute⟩")),
            MarkPlace::Misc => mark_tokens(&self.columns, record, marks, style),
            place => Err(place.unknown("CoNLL-U", "attribute or misc")),
        }
    }
}

/// Inserts comment lines at an offset; `block` is where others may already be.
fn comments(
    record: &str,
    block: Range<usize>,
    at: usize,
    values: &[(&str, Option<String>)],
    style: &MarkStyle,
) -> Result<Option<Patch>> {
    let end = if memchr::memmem::find(record.as_bytes(), b"\r\n").is_some() {
        "\r\n"
    } else {
        "\n"
    };
    let mut with = String::new();
    for (mark, value) in values {
        let name = style.name(mark);
        if record[block.clone()]
            .lines()
            .filter_map(comment)
            .any(|(key, _)| key == name)
        {
            return Err(clashing(&name));
        }
        if let Some(value) = value {
            let _ = write!(with, "# {name} = {}{end}", written::comment(value));
        }
    }
    if !with.is_empty() && at > 0 && !record[..at].ends_with('\n') {
        // The last line of the file has no line end: it gets one, and its new neighbour loses its
        // own.
        with.truncate(with.len() - end.len());
        with.insert_str(0, end);
    }
    Ok((!with.is_empty()).then(|| Patch::insert(at, with)))
}

fn mark_comments(
    columns: &Columns,
    record: &str,
    marks: &Marks,
    style: &MarkStyle,
) -> Result<Vec<Patch>> {
    let parsed = parse(columns, record, 1, &mut String::new(), false)?;
    let values = of_record(marks);
    let block = |sentence: &Sentence| sentence.lines.start..sentence.comments;
    let mut patches = Vec::new();
    if let Some(first) = parsed.sentences.first() {
        patches.extend(comments(
            record,
            block(first),
            first.header,
            &values,
            style,
        )?);
    }
    for span in marks.spans.iter().flatten() {
        let values = of_span(span);
        let paragraph = parsed
            .paragraphs
            .iter()
            .find(|paragraph| parsed.text(paragraph) == span.text);
        let (sentence, at) =
            match paragraph.and_then(|paragraph| parsed.sentences.get(paragraph.start)) {
                Some(first) => (
                    first,
                    first.newpar.as_ref().map_or(first.header, |line| line.end),
                ),
                None => match parsed
                    .sentences
                    .iter()
                    .find(|sentence| sentence.text == span.text)
                {
                    Some(sentence) => (sentence, sentence.comments),
                    None if parsed.sentences.is_empty() => return Err(no_place()),
                    // A document without paragraph marks is a single paragraph.
                    None => {
                        let starts = parsed
                            .sentences
                            .iter()
                            .find(|s| s.text.start == span.text.start && !s.text.is_empty());
                        starts
                            .map(|sentence| (sentence, sentence.header))
                            .ok_or_else(no_place)?
                    }
                },
            };
        patches.extend(comments(record, block(sentence), at, &values, style)?);
    }
    patches.sort_by_key(|patch| patch.at.start);
    Ok(patches)
}

fn no_place() -> Error {
    ErrorKind::Data
        .expected("a sentence or paragraph of the file to carry the marks")
        .found("another unit")
}

fn mark_tokens(
    columns: &Columns,
    record: &str,
    marks: &Marks,
    style: &MarkStyle,
) -> Result<Vec<Patch>> {
    let parsed = parse(columns, record, 1, &mut String::new(), true)?;
    let spans = marks.spans.as_deref().unwrap_or_default();
    let whole = (marks.duplicate_of.is_some() || marks.duplicate_score.is_some())
        .then_some((marks.duplicate_of.as_deref(), marks.duplicate_score));
    let prefix = &style.prefix;
    let mut patches = Vec::new();
    for token in parsed.tokens {
        let misc = &record[token.misc.clone()];
        let key = |item: &str| {
            item.split('=')
                .next()
                .and_then(|key| key.strip_prefix(prefix))
                .map(str::to_owned)
        };
        if let Some(taken) = misc
            .split('|')
            .filter_map(key)
            .find(|key| ITEMS.contains(&key.as_str()))
        {
            return Err(clashing(&format!("{prefix}{taken}")));
        }
        let inside = |span: &&SpanMark| span.text.contains(&token.text);
        let Some((of, score)) = whole.or_else(|| {
            spans
                .iter()
                .find(inside)
                .map(|s| (s.duplicate_of.as_deref(), Some(s.score)))
        }) else {
            continue;
        };
        let mut with = if misc == "_" {
            String::new()
        } else {
            "|".into()
        };
        let _ = write!(with, "{prefix}{}=Yes", ITEMS[0]);
        if let Some(of) = of {
            let _ = write!(with, "|{prefix}{}={}", ITEMS[1], written::item(of));
        }
        if let Some(score) = score {
            let _ = write!(with, "|{prefix}{}={}", ITEMS[2], number(score));
        }
        let at = if misc == "_" {
            token.misc
        } else {
            token.misc.end..token.misc.end
        };
        patches.push(Patch { at, with });
    }
    Ok(patches)
}

/// The names of marks in MISC.
const ITEMS: [&str; 3] = ["Duplicate", "DuplicateOf", "DuplicateScore"];
