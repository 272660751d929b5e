//! Vertical text: one token per line, columns separated by tabs, structure in tags on separate
//! lines.
//!
//! Documents:
//! - a `<doc>` tag opens one, `</doc>` or the next `<doc>` closes it, and so does the file's end;
//! - tokens in no `<doc>` form a separate document, up to the next `<doc>` or `</doc>`, so a file
//!   without any `<doc>` is one document;
//! - tags between documents (such as a `<corpus>` around them) belong to none and are kept.
//!
//! The text is the word column, entities decoded, joined by one space, by nothing across `<g/>`.
//! The attributes of the `<doc>` tag are the metadata, its `id` is the id. Paragraphs and sentences
//! are those of the tags; see [`super::vertical_doc`].

use super::marks::{clashing, of_record, of_span};
use super::vertical_doc::{Line, Names, Parsed, Structure, attributes, entities, opened, parse};
use super::{
    Cut, Format, MarkPlace, MarkStyle, PassOver, Passed, Patch, Place, Settings, count_tag,
};
use crate::convert::{FieldValue, Fields};
use crate::edit::Marks;
use crate::format::facts::{self, FormatFacts};
use crate::options::FormatName;
use crate::passed_over::{Beside, What};
use crate::written;
use std::collections::BTreeMap;
use std::ops::Range;
use tegula::error::{ErrorKind, Result};
use tegula::hash;
use tegula::record::{Batch, Level, OwnToken, Segment, Tagged};
use tegula::text::classes::Class;

/// What is known about the format before a file is opened.
pub(super) const FACTS: FormatFacts = FormatFacts {
    name: FormatName::Vertical,
    noun: "a vertical file",
    endings: &["vert", "vertical", "vrt"],
    recognises,
    has_fields: false,
    has_marks: true,
    has_tokens: true,
    is_bytes: false,
    places: &[
        MarkPlace::Attribute,
        MarkPlace::FirstColumn,
        MarkPlace::LastColumn,
    ],
    texts: |options| {
        format!(
            "column {}, documents in <{}>",
            options.vertical.word_column().unwrap_or(1),
            options.vertical.doc_tag()
        )
    },
};

/// Recognises a tag on the first line, and one of the tags of documents, paragraphs and sentences
/// on a separate line.
fn recognises(sample: &facts::Sample) -> bool {
    let mut lines = sample.text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty());
    let tags = [
        sample.options.vertical.doc_tag(),
        sample.options.tags.par_tag(),
        sample.options.tags.sent_tag(),
    ];
    let is_tag = |line: &str, tag: &str| {
        line.strip_prefix('<')
            .and_then(|rest| rest.strip_prefix(tag))
            .is_some_and(|rest| {
                rest.find('>').is_some_and(|at| at + 1 == rest.len())
                    && rest.starts_with(['>', ' ', '\t'])
            })
    };
    first.is_some_and(|line| line.starts_with('<') && line.ends_with('>'))
        && sample
            .text
            .lines()
            .map(str::trim)
            .any(|line| tags.iter().any(|tag| is_tag(line, tag)))
}

/// A file may end with a document that no tag closes, but not in the middle of it.
const CUT_OFF: &str = "documents cut off by the end of their file, read as far as they go";

/// A longer line is not a tag.
const TAG: usize = 64 << 10;

/// The reader and editor of vertical text.
#[derive(Debug)]
pub(crate) struct Vertical {
    names: Names,
    /// The column with the tags, counted from 0, if classes are requested.
    tags: Option<usize>,
    id: String,
    fields: Vec<String>,
    own_tokens: bool,
}

impl Vertical {
    /// Uses the names of tags and fields from the options.
    pub(crate) fn new(settings: &Settings) -> Self {
        let options = &settings.options;
        Self {
            names: Names {
                doc: options.vertical.doc_tag().to_owned(),
                par: options.tags.par_tag().to_owned(),
                sent: options.tags.sent_tag().to_owned(),
                glue: options.vertical.glue_tag().to_owned(),
                column: options.vertical.word_column().unwrap_or(1).max(1) - 1,
                named: options.vertical.word_column.is_some(),
                as_is: options.needs.as_is,
            },
            tags: options
                .vertical
                .tag_column()
                .filter(|_| options.needs.classes)
                .map(|column| column.max(1) - 1),
            id: options.id_key.clone().unwrap_or_else(|| "id".into()),
            fields: options.needs.fields.clone(),
            own_tokens: options.needs.own_tokens,
        }
    }

    /// The lines with document tags: the start of each, and whether it closes. In one pass, however
    /// long documents are.
    fn doc_tags<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = (usize, bool)> + 'a {
        memchr::memmem::find_iter(text, self.names.doc.as_bytes()).filter_map(|at| {
            let before = &text[..at];
            let closes = before.ends_with(b"</");
            let tag = at.checked_sub(if closes { 2 } else { 1 })?;
            let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t');
            let start = tag - text[..tag].iter().rev().take_while(is_space).count();
            let begins = text[tag] == b'<' && (start == 0 || text[start - 1] == b'\n');
            let after = text.get(at + self.names.doc.len()).copied();
            let ends = matches!(
                after,
                None | Some(b' ' | b'\t' | b'>' | b'/' | b'\r' | b'\n')
            );
            (begins && ends).then_some((start, closes))
        })
    }

    /// The part of the lines outside documents that nevertheless forms one: from its first to its
    /// last token or unit.
    fn stray(&self, text: &[u8], range: Range<usize>) -> Option<Range<usize>> {
        let (mut at, mut found) = (range.start, None::<Range<usize>>);
        while at < range.end {
            let end =
                memchr::memchr(b'\n', &text[at..range.end]).map_or(range.end, |step| at + step + 1);
            let line = String::from_utf8_lossy(&text[at..end]);
            match self.names.line(&line) {
                Line::Token | Line::Open(_) => {
                    found = Some(found.map_or(at, |found| found.start)..end);
                }
                Line::Close(_) | Line::Glue => {
                    if let Some(found) = &mut found {
                        found.end = end;
                    }
                }
                Line::Doc | Line::Other => {}
            }
            at = end;
        }
        found
    }

    /// Whether the last document of a file, which no tag closes, looks cut off: its last line has no
    /// end, or a paragraph or sentence is open although it closes others.
    fn is_cut_off(&self, document: &[u8]) -> bool {
        if !document.ends_with(b"\n") {
            return true;
        }
        let text = String::from_utf8_lossy(document);
        let lines: Vec<Line> = text.lines().map(|line| self.names.line(line)).collect();
        let count = |line: Line| lines.iter().filter(|found| **found == line).count();
        [Level::Paragraph, Level::Sentence].iter().any(|level| {
            let closed = count(Line::Close(*level));
            closed > 0 && count(Line::Open(*level)) > closed
        })
    }

    /// The line of the document's tag, if it has one.
    fn doc_tag<'a>(&self, record: &'a str) -> Option<&'a str> {
        let end = record.find('\n').map_or(record.len(), |at| at + 1);
        let line = &record[..end];
        let opens = !line.trim_start().starts_with("</");
        (self.names.line(line) == Line::Doc && opens).then_some(line)
    }

    /// The value of an attribute of the document.
    fn attribute(&self, record: &str, name: &str) -> Option<String> {
        attributes(self.doc_tag(record)?)
            .find(|(found, _)| *found == name)
            .map(|(_, value)| entities(value).into_owned())
    }

    fn mark_tags(&self, record: &str, marks: &Marks, style: &MarkStyle) -> Result<Vec<Patch>> {
        let values = of_record(marks);
        let mut patches = Vec::new();
        match self.doc_tag(record) {
            Some(tag) => {
                patches.extend(attributes_patch(record, 0..tag.len(), &values, style)?);
            }
            None if values.iter().any(|(_, value)| value.is_some()) => {
                return Err(ErrorKind::Data
                    .expected(format!("a <{}> tag to carry the marks", self.names.doc))
                    .found("tokens outside documents")
                    .hint(
                        "name the document tag with ⟨doc_tag⟩, or mark tokens in a separate column",
                    ));
            }
            None => {}
        }
        let spans = marks.spans.as_deref().unwrap_or_default();
        if spans.is_empty() {
            return Ok(patches);
        }
        let parsed = parse(&self.names, record, &mut String::new(), true)?;
        let mut structures: Vec<_> = parsed.structures.iter().collect();
        structures.sort_by_key(|unit| unit.text.start);
        let tokens: Vec<_> = parsed
            .lines
            .iter()
            .filter(|(kind, ..)| *kind == Line::Token)
            .collect();
        for span in spans {
            let values = of_span(span);
            let from = structures.partition_point(|unit| unit.text.start < span.text.start);
            let here = structures[from..]
                .iter()
                .take_while(|unit| unit.text.start == span.text.start);
            let mut found = false;
            for unit in here.filter(|unit| unit.text == span.text) {
                found = true;
                patches.extend(attributes_patch(record, unit.tag.clone(), &values, style)?);
            }
            if !found {
                // A sentence that the file does not mark gets a structure around its lines.
                let from = tokens.partition_point(|(_, _, text)| text.start < span.text.start);
                let inside = &tokens[from..from
                    + tokens[from..].partition_point(|(_, _, text)| text.start < span.text.end)];
                let (Some((_, first, _)), Some((_, last, _))) = (inside.first(), inside.last())
                else {
                    continue;
                };
                let line = &record[first.clone()];
                let indentation = &line[..parsed.indentation(line)];
                patches.extend(structure_patches(
                    record,
                    first.start..last.end,
                    indentation,
                    &values,
                    style,
                ));
            }
        }
        patches.sort_by_key(|patch| patch.at.start);
        Ok(patches)
    }

    fn mark_column(&self, record: &str, marks: &Marks, first: bool) -> Result<Vec<Patch>> {
        let parsed = parse(&self.names, record, &mut String::new(), true)?;
        let whole = marks.duplicate_of.is_some() || marks.duplicate_score.is_some();
        let spans = marks.spans.as_deref().unwrap_or_default();
        let tokens = parsed
            .lines
            .iter()
            .filter(|(kind, ..)| *kind == Line::Token);
        Ok(tokens
            .map(|(_, line, text)| {
                let inside = whole || spans.iter().any(|span| span.text.contains(&text.start));
                let digit = if inside { '1' } else { '0' };
                if first {
                    let at = line.start + parsed.indentation(&record[line.clone()]);
                    return Patch::insert(at, format!("{digit}\t"));
                }
                let end = record[line.clone()].trim_end_matches(['\r', '\n']).len();
                Patch::insert(line.start + end, format!("\t{digit}"))
            })
            .collect())
    }
}

/// The patches that put a structure with these attributes around lines.
fn structure_patches(
    record: &str,
    lines: Range<usize>,
    indentation: &str,
    values: &[(&str, Option<String>)],
    style: &MarkStyle,
) -> [Patch; 2] {
    let name = style.name("duplicate");
    let line_end = if record.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let mut tag = format!("{indentation}<{name}");
    for (mark, value) in values {
        if let Some(value) = value {
            for piece in [" ", &style.name(mark), "=\"", &written::xml(value), "\""] {
                tag.push_str(piece);
            }
        }
    }
    let close = if record[lines.clone()].ends_with('\n') {
        format!("{indentation}</{name}>{line_end}")
    } else {
        format!("{line_end}{indentation}</{name}>")
    };
    [
        Patch::insert(lines.start, format!("{tag}>{line_end}")),
        Patch::insert(lines.end, close),
    ]
}

/// The patch that adds attributes to a tag.
pub(super) fn attributes_patch(
    record: &str,
    tag: Range<usize>,
    values: &[(&str, Option<String>)],
    style: &MarkStyle,
) -> Result<Option<Patch>> {
    let line = record[tag.clone()].trim_end();
    let mut with = String::new();
    for (mark, value) in values {
        let name = style.name(mark);
        if attributes(line).any(|(found, _)| found == name) {
            return Err(clashing(&name));
        }
        if let Some(value) = value {
            for piece in [" ", &name, "=\"", &written::xml(value), "\""] {
                with.push_str(piece);
            }
        }
    }
    let inner = line.strip_suffix('>').unwrap_or(line);
    let inner = inner.strip_suffix('/').unwrap_or(inner).trim_end();
    Ok((!with.is_empty()).then(|| Patch::insert(tag.start + inner.len(), with)))
}

/// A document that is too long to be held in memory.
struct Document<'a> {
    format: &'a Vertical,
    /// Whether the next piece begins a line.
    at_line: bool,
}

impl PassOver for Document<'_> {
    fn next(&mut self, text: &[u8]) -> Passed {
        for (start, closes) in self
            .format
            .doc_tags(text)
            .filter(|(start, _)| *start > 0 || self.at_line)
        {
            let Some(end) = memchr::memchr(b'\n', &text[start..]).map(|step| start + step + 1)
            else {
                break;
            };
            if text[start..end].trim_ascii_end().ends_with(b">") {
                return Passed::Ends(if closes { end } else { start });
            }
        }
        // The last line may contain the beginning of a tag.
        let line = memchr::memrchr(b'\n', text)
            .map(|at| at + 1)
            .filter(|at| text.len() - at <= TAG);
        self.at_line = line.is_some();
        Passed::Through(line.unwrap_or(text.len()))
    }
}

impl Format for Vertical {
    fn cut(&self, text: &[u8], place: Place) -> Cut {
        let mut records = Vec::new();
        let mut open = None;
        // From here on nothing has been passed on yet.
        let mut done = 0;
        for (start, closes) in self.doc_tags(text) {
            let Some(end) = memchr::memchr(b'\n', &text[start..])
                .map(|step| start + step + 1)
                .or(place.end.then_some(text.len()))
            else {
                break;
            };
            let tag = text[start..end].trim_ascii_end();
            if !tag.ends_with(b">") {
                continue;
            }
            let border = if closes { end } else { start };
            match open.take() {
                Some(from) => records.push(from..border),
                None => records.extend(self.stray(text, done..border)),
            }
            done = border;
            if !closes {
                if tag.ends_with(b"/>") {
                    records.push(start..end);
                    done = end;
                } else {
                    open = Some(start);
                }
            }
        }
        if !place.end {
            return Cut::ranges(done, records);
        }
        let mut beside = Vec::new();
        match open {
            Some(from) => {
                records.push(from..text.len());
                if self.is_cut_off(&text[from..]) {
                    beside.push(Beside {
                        at: from,
                        what: What::Repaired(CUT_OFF),
                    });
                }
            }
            None => records.extend(self.stray(text, done..text.len())),
        }
        Cut::ranges(text.len(), records).with(beside)
    }

    fn pass_over(&self) -> Option<Box<dyn PassOver + '_>> {
        Some(Box::new(Document {
            format: self,
            at_line: false,
        }))
    }

    fn decode(&self, record: &str, batch: &mut Batch) -> Result<bool> {
        let parsed = parse(
            &self.names,
            record,
            &mut batch.text,
            self.own_tokens || self.tags.is_some(),
        )?;
        for (_, line, text) in parsed
            .lines
            .iter()
            .filter(|(kind, ..)| *kind == Line::Token)
        {
            let line = record[line.clone()].trim_end_matches(['\r', '\n']);
            if self.own_tokens {
                batch.tokens.push(OwnToken {
                    at: text.start,
                    fingerprint: hash::token(self.names.own_token(line, parsed.indent)?.as_bytes()),
                });
            }
            if let Some(column) = self.tags {
                let cells = &line[parsed.indentation(line)..];
                let tag = cells.split('\t').nth(column).ok_or_else(|| {
                    let shown: String = line.chars().take(40).collect();
                    ErrorKind::Data
                        .expected(format!("at least {} columns", column + 1))
                        .found(format!("the line `{shown}`"))
                        .hint("set ⟨tag_column⟩ to the column of the tags")
                })?;
                batch.tags.push(Tagged {
                    at: text.start,
                    class: Class::from_tag(tag),
                });
            }
        }
        let units = parsed
            .structures
            .into_iter()
            .filter(|unit| !unit.text.is_empty());
        batch.segments.extend(units.map(|unit| Segment {
            level: unit.level,
            text: unit.text,
            id: None,
        }));
        let id = self.attribute(record, &self.id);
        batch.ids.push_str(id.as_deref().unwrap_or_default());
        for field in &self.fields {
            batch.fields.push(self.attribute(record, field));
        }
        Ok(id.is_some())
    }

    fn fields<'a>(&'a self, record: &'a str) -> Result<Fields<'a>> {
        let mut text = String::new();
        parse(&self.names, record, &mut text, false)?;
        let mut fields = vec![(
            "id".into(),
            self.attribute(record, &self.id)
                .map_or(FieldValue::Null, |id| FieldValue::Text(id.into())),
        )];
        fields.push(("text".into(), FieldValue::Text(text.into())));
        for (name, value) in self.doc_tag(record).into_iter().flat_map(attributes) {
            if name != self.id && name != "id" && name != "text" {
                fields.push((name.into(), FieldValue::Text(entities(value))));
            }
        }
        Ok(fields)
    }

    fn names(&self, record: &str, _inner: bool) -> Vec<String> {
        self.doc_tag(record)
            .into_iter()
            .flat_map(attributes)
            .map(|(name, _)| name.to_owned())
            .collect()
    }

    fn tags(&self, text: &str, tally: &mut BTreeMap<String, u64>) {
        text.lines()
            .filter_map(opened)
            .for_each(|name| count_tag(name, tally));
    }

    fn is_marked(&self, record: &str) -> bool {
        self.doc_tag(record).is_some()
    }

    fn remove(&self, record: &str, cuts: &[Range<usize>]) -> Result<Vec<Patch>> {
        let parsed = parse(&self.names, record, &mut String::new(), true)?;
        let inside = |at: usize| {
            let index = cuts.partition_point(|cut| cut.end <= at);
            cuts.get(index).is_some_and(|cut| cut.start <= at)
        };
        Ok(removed_lines(&parsed, &inside)
            .into_iter()
            .map(Patch::remove)
            .collect())
    }

    fn mark(&self, record: &str, marks: &Marks, style: &MarkStyle) -> Result<Vec<Patch>> {
        match style.place {
            MarkPlace::Attribute => self.mark_tags(record, marks, style),
            MarkPlace::FirstColumn => self.mark_column(record, marks, true),
            MarkPlace::LastColumn => self.mark_column(record, marks, false),
            place => Err(place.unknown("vertical files", "attribute, first-column or last-column")),
        }
    }

    fn marks_all(&self, style: &MarkStyle) -> bool {
        matches!(style.place, MarkPlace::FirstColumn | MarkPlace::LastColumn)
    }

    fn escape(&self) -> fn(char) -> String {
        |c| format!("&#{};", u32::from(c))
    }
}

/// The runs of lines to remove with the tokens that begin `inside` a cut: those tokens, the
/// paragraphs and sentences that lose all their tokens, including their tags, and glue that has
/// lost a neighbour.
fn removed_lines(parsed: &Parsed, inside: &dyn Fn(usize) -> bool) -> Vec<Range<usize>> {
    let tokens: Vec<(usize, bool)> = (parsed.lines.iter())
        .filter(|(kind, ..)| *kind == Line::Token)
        .map(|(_, _, text)| (text.start, inside(text.start)))
        .collect();
    // Prefix sums of kept tokens, so that a unit's loss is a subtraction.
    let mut stay = vec![0_usize];
    for (_, removed) in &tokens {
        stay.push(stay[stay.len() - 1] + usize::from(!removed));
    }
    let lost = |unit: &&Structure| {
        let first = tokens.partition_point(|(at, _)| *at < unit.text.start);
        let last = tokens.partition_point(|(at, _)| *at < unit.text.end);
        last > first && stay[last] == stay[first]
    };
    let mut units = parsed.structures.iter().filter(lost).peekable();
    let mut runs: Vec<Range<usize>> = Vec::new();
    let (mut token, mut unit_end) = (0, 0);
    for (kind, line, _) in &parsed.lines {
        while let Some(unit) = units.next_if(|unit| unit.lines.start <= line.start) {
            unit_end = unit_end.max(unit.lines.end);
        }
        let removed = |index: usize| tokens.get(index).is_some_and(|(_, removed)| *removed);
        let go = match kind {
            _ if line.start < unit_end => true,
            Line::Token => removed(token),
            Line::Glue => removed(token) || (token > 0 && removed(token - 1)),
            _ => false,
        };
        token += usize::from(*kind == Line::Token);
        if !go {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.end == line.start => run.end = line.end,
            _ => runs.push(line.clone()),
        }
    }
    runs
}
