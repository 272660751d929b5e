//! Parses a TEI or I5 document: elements, text, and the values of its header.

use super::spot::Spot;
use super::tei_doc::{BREAKS, Element, Elements, INLINE, Parsed, TextSource};
use super::tei_readings::{is_silent, unread};
use super::tei_tokens::{Joint, Neighbours, Token};
use super::xml::{EntityBudget, character, is_name, is_space, local};
use quick_xml::events::Event;
use quick_xml::{Reader, XmlVersion};
use std::ops::Range;
use tegula::error::{Error, Result};
use tegula::record::Level;

/// The maximum nesting of elements.
pub(crate) const DEPTH: usize = 512;

/// Parses a document and appends its text to `out`. `spot` is its position in the file, for errors.
/// `detail` requests the data needed for edits.
pub(crate) fn parse(
    names: &Elements,
    record: &str,
    spot: Spot,
    out: &mut String,
    detail: bool,
) -> Result<Parsed> {
    let base = out.len();
    let mut walk = TreeWalk {
        names,
        record,
        base,
        out,
        detail,
        parsed: Parsed {
            values: vec![None; names.wanted.len()],
            ..Parsed::default()
        },
        stack: Vec::new(),
        fresh: 0,
        end: 0,
        border: Border::None,
        space: None,
        skip: None,
        header: None,
        captures: Vec::new(),
        budget: EntityBudget::default(),
        unread: unread(record, names.original),
        neighbours: Neighbours::default(),
        word: None,
    };
    walk.run().map_err(|Fault { at, error }| {
        let mut spot = spot;
        spot.pass(&record.as_bytes()[..at.min(record.len())]);
        let placed = Error::data(format!(
            "line {}, column {}: {}",
            spot.line,
            spot.column,
            error.marked().0
        ));
        placed.hint("repair the file, or skip such documents with ⟨on_bad_record=skip⟩")
    })?;
    Ok(walk.parsed)
}

/// An error and its offset in the record.
struct Fault {
    at: usize,
    error: Error,
}

fn fault(at: usize, message: impl Into<String>) -> Fault {
    Fault {
        at,
        error: Error::data(message),
    }
}

/// Checks a tag outside all elements: it must be the only document.
fn begins(outside: bool, seen: bool, at: &Range<usize>) -> Result<(), Fault> {
    if outside && seen {
        return Err(fault(
            at.start,
            "expected the end of the file after its root element, found another element",
        ));
    }
    Ok(())
}

/// The separator between the previous text and the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Border {
    None,
    /// A line break, which may be inside a word.
    Break,
    Space,
    Line,
}

/// An open element.
struct Open<'a> {
    name: &'a str,
    /// Its index in the list of elements.
    listed: Option<usize>,
    level: Option<Level>,
    /// The start of its text, once it has any.
    text: Option<usize>,
    border: Border,
    token: Option<Token>,
}

/// A value of the header being read.
struct Capture {
    wanted: usize,
    depth: usize,
    value: String,
}

struct TreeWalk<'a> {
    names: &'a Elements,
    record: &'a str,
    base: usize,
    out: &'a mut String,
    detail: bool,
    parsed: Parsed,
    stack: Vec<Open<'a>>,
    /// Open elements from this one on have no text yet.
    fresh: usize,
    /// The end of the last text.
    end: usize,
    border: Border,
    /// White space that is not yet part of the text.
    space: Option<Range<usize>>,
    /// The depth of a skipped element.
    skip: Option<usize>,
    /// The depth of the header.
    header: Option<usize>,
    captures: Vec<Capture>,
    budget: EntityBudget,
    /// The starts of the readings that are not text.
    unread: Vec<usize>,
    /// The tokens around this place.
    neighbours: Neighbours,
    /// The depth of the word that this is in.
    word: Option<usize>,
}

impl TreeWalk<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        let mut reader = Reader::from_str(self.record);
        // A byte-order mark is skipped without being counted.
        let shift = if self.record.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            0
        };
        let mut seen = false;
        loop {
            let start = reader.buffer_position() as usize + shift;
            let event = reader.read_event().map_err(|error| {
                fault(reader.error_position() as usize + shift, error.to_string())
            })?;
            let at = start..reader.buffer_position() as usize + shift;
            let outside = self.stack.is_empty();
            match event {
                Event::Start(tag) => {
                    begins(outside, seen, &at)?;
                    seen = true;
                    self.open(&tag, at)?;
                }
                Event::Empty(tag) => {
                    begins(outside, seen, &at)?;
                    seen = true;
                    self.open(&tag, at.clone())?;
                    self.close(at.end);
                }
                Event::End(_) => self.close(at.end),
                Event::Text(text) => self.characters(&text, at.start, false)?,
                Event::CData(text) if !outside => {
                    self.characters(&text, at.start + "<![CDATA[".len(), true)?;
                }
                Event::GeneralRef(name) if !outside => self.reference(&name, at)?,
                Event::Decl(_) if at.start == shift => {}
                Event::Comment(_) | Event::PI(_) => {}
                Event::DocType(_) if outside && !seen => {}
                Event::Eof => break,
                _ => {
                    return Err(fault(
                        at.start,
                        "expected text or elements, found a declaration or reference out of place",
                    ));
                }
            }
        }
        if let Some(open) = self.stack.last() {
            return Err(fault(
                self.record.len(),
                format!("expected </{}>, found the end of the document", open.name),
            ));
        }
        if !seen {
            return Err(fault(self.record.len(), "expected an element, found none"));
        }
        Ok(())
    }

    fn open(
        &mut self,
        tag: &quick_xml::events::BytesStart<'_>,
        at: Range<usize>,
    ) -> Result<(), Fault> {
        let len = tag.name().as_ref().len();
        let name = self
            .record
            .get(at.start + 1..at.start + 1 + len)
            .unwrap_or_default();
        if !is_name(name) {
            return Err(fault(
                at.start,
                format!("expected the name of an element, found `{}`", shown(name)),
            ));
        }
        if self.stack.len() == DEPTH {
            return Err(fault(
                at.start,
                format!("expected elements no more than {DEPTH} deep, found <{name}> deeper"),
            ));
        }
        let name = local(name);
        let root = self.stack.is_empty();
        if root {
            self.parsed.root = at.clone();
            let docs = &self.names.docs;
            if !docs.is_empty() && !docs.iter().any(|doc| doc == name) {
                let message = format!(
                    "expected documents in <{}>, found none in the file",
                    docs.join("> or <")
                );
                return Err(fault(at.start, message));
            }
        }
        let mut breaks = true;
        let mut when = None;
        let mut token = Token::of(name);
        for attribute in tag.attributes() {
            let attribute = attribute
                .map_err(|error| fault(at.start, format!("in the tag of <{name}>: {error}")))?;
            let key = attribute.key.as_ref();
            if attribute.value.contains('<') || !is_name(key) {
                return Err(fault(
                    at.start,
                    format!(
                        "in the tag of <{name}>: expected attributes with values, found `{}`",
                        shown(key)
                    ),
                ));
            }
            breaks &= !(key == "break" && attribute.value == "no");
            if let Some(token) = &mut token {
                token.attribute(key, &attribute.value);
            }
            if root || (key == "when" && self.header.is_some()) {
                let value = attribute
                    .normalized_value(XmlVersion::default())
                    .map_or_else(|_| attribute.value.to_string(), Into::into);
                if root {
                    self.value(key, &value);
                } else {
                    when = Some(value);
                }
            }
        }
        self.header_value(name, when.as_deref());
        let depth = self.stack.len();
        if self.header.is_none() && matches!(name, "teiHeader" | "idsHeader") {
            self.header = Some(depth);
        }
        let unread = self.unread.binary_search(&at.start).is_ok();
        let skipped = unread || self.names.skip.iter().any(|skip| skip == name);
        if self.skip.is_none() && skipped && !root {
            self.skip = Some(depth);
        }
        let mut open = Open {
            name,
            listed: None,
            level: None,
            text: None,
            border: Border::None,
            token: None,
        };
        if self.skip.is_none() {
            let is =
                |names: &[String], level| names.iter().any(|n| n == name) && !self.inside(level);
            open.level = if is(&self.names.paragraphs, Level::Paragraph) {
                Some(Level::Paragraph)
            } else if is(&self.names.sentences, Level::Sentence) {
                Some(Level::Sentence)
            } else {
                None
            };
            open.border = match open.level {
                Some(Level::Sentence) => Border::Space,
                None if INLINE.contains(&name) => Border::None,
                None if BREAKS.contains(&name) && !breaks => Border::None,
                None if BREAKS.contains(&name) => Border::Break,
                _ => Border::Line,
            };
            open.token = token.filter(|_| self.word.is_none());
            if let Some(token) = open.token {
                self.neighbours.open(token);
                self.word = token.is_word.then_some(depth);
            }
            self.border = self.border.max(open.border);
            if open.level.is_some() || (self.detail && self.inside(Level::Paragraph)) {
                open.listed = Some(self.parsed.elements.len());
                self.parsed.elements.push(Element {
                    raw: at.clone(),
                    tag: at,
                    text: 0..0,
                    level: open.level,
                });
            }
        }
        self.stack.push(open);
        Ok(())
    }

    fn inside(&self, level: Level) -> bool {
        self.stack.iter().any(|open| open.level == Some(level))
    }

    fn close(&mut self, end: usize) {
        let Some(open) = self.stack.pop() else { return };
        let depth = self.stack.len();
        if depth == 0 {
            self.parsed.root_end = end;
        }
        self.fresh = self.fresh.min(depth);
        if let Some(token) = open.token {
            self.neighbours.close(token);
            self.word = None;
        }
        self.border = self.border.max(open.border);
        if let Some(element) = open.listed.and_then(|at| self.parsed.elements.get_mut(at)) {
            element.raw.end = end;
            element.text = open.text.map_or(0..0, |start| start..self.end);
        }
        if self.skip == Some(depth) {
            self.skip = None;
        }
        if self.header == Some(depth) {
            self.header = None;
        }
        while let Some(capture) = self.captures.pop_if(|capture| capture.depth == depth) {
            let value = capture
                .value
                .split_ascii_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            let place = &mut self.parsed.values[capture.wanted];
            if place.is_none() && !value.is_empty() {
                *place = Some(value);
            }
        }
    }

    /// Stores an attribute of the document.
    fn value(&mut self, name: &str, value: &str) {
        for (wanted, place) in self.names.wanted.iter().zip(&mut self.parsed.values) {
            if wanted == name {
                *place = Some(value.to_owned());
            }
        }
    }

    /// Stores an element of the header, by its date or its text.
    fn header_value(&mut self, name: &str, when: Option<&str>) {
        if self.header.is_none() {
            return;
        }
        for (index, wanted) in self.names.wanted.iter().enumerate() {
            if wanted != name || self.parsed.values[index].is_some() {
                continue;
            }
            match when {
                Some(when) if !when.trim().is_empty() => {
                    self.parsed.values[index] = Some(when.to_owned());
                }
                _ => self.captures.push(Capture {
                    wanted: index,
                    depth: self.stack.len(),
                    value: String::new(),
                }),
            }
        }
    }

    fn characters(&mut self, text: &str, start: usize, cdata: bool) -> Result<(), Fault> {
        if self.stack.is_empty() {
            return match text.bytes().position(|byte| !is_space(byte)) {
                Some(at) if text[at..] != *"\u{feff}" => Err(fault(
                    start + at,
                    format!(
                        "expected nothing outside the root element, found `{}`",
                        shown(&text[at..])
                    ),
                )),
                _ => Ok(()),
            };
        }
        if !cdata && let Some(at) = memchr::memmem::find(text.as_bytes(), b"]]>") {
            return Err(fault(
                start + at,
                "expected text, found `]]>` outside CDATA",
            ));
        }
        for capture in &mut self.captures {
            capture.value.push_str(text);
        }
        if self.silent() {
            return Ok(());
        }
        let bytes = text.as_bytes();
        if self.word.is_some() && bytes.contains(&b'\n') && bytes.iter().copied().all(is_space) {
            // Layout between the parts of a word.
            return Ok(());
        }
        let mut at = 0;
        while at < bytes.len() {
            let space = is_space(bytes[at]);
            let len = bytes[at..]
                .iter()
                .position(|byte| is_space(*byte) != space)
                .unwrap_or(bytes.len() - at);
            let raw = start + at..start + at + len;
            if space {
                match &mut self.space {
                    Some(known) if known.end == raw.start => known.end = raw.end,
                    Some(_) => {}
                    none => *none = Some(raw),
                }
            } else {
                self.push(&text[at..at + len], raw, true, cdata);
            }
            at += len;
        }
        Ok(())
    }

    /// Whether text is skipped here.
    fn silent(&self) -> bool {
        self.skip.is_some() || self.stack.last().is_some_and(|open| is_silent(open.name))
    }

    fn reference(&mut self, name: &str, at: Range<usize>) -> Result<(), Fault> {
        let mut text = None;
        match character(name) {
            Some(c) => text = Some(c.to_string()),
            None if name.starts_with('#') || !is_name(name) => {
                return Err(fault(
                    at.start,
                    format!(
                        "expected a character or an entity, found the reference `&{};`",
                        shown(name)
                    ),
                ));
            }
            // An unknown entity in skipped text is not an error.
            None if self.silent() && self.captures.is_empty() => {}
            None => {
                text = self
                    .names
                    .entities
                    .text(name, &mut self.budget)
                    .map_err(|error| Fault {
                        at: at.start,
                        error,
                    })?;
            }
        }
        let text = text.unwrap_or_else(|| self.record[at.clone()].to_owned());
        for capture in &mut self.captures {
            capture.value.push_str(&text);
        }
        if !self.silent() && !text.is_empty() {
            self.push(&text, at, false, false);
        }
        Ok(())
    }

    /// Appends text, preceded by the separator from the previous text.
    fn push(&mut self, text: &str, raw: Range<usize>, plain: bool, cdata: bool) {
        let mut space = self.space.take();
        let mut border = std::mem::replace(&mut self.border, Border::None);
        let joint = self.neighbours.text();
        // A line break inside a word is layout, as is the white space beside it.
        let is_inside = || {
            let word = self.word.and_then(|depth| self.stack.get(depth));
            word.is_some_and(|word| word.text.is_some())
        };
        let is_one_word = joint == Some(Joint::Nothing) || (border == Border::Break && is_inside());
        if is_one_word && border <= Border::Break {
            (border, space) = (Border::None, None);
        } else if joint == Some(Joint::Space) {
            border = border.max(Border::Break);
        }
        if self.out.len() > self.base {
            let at = self.out.len() - self.base;
            match (border, space) {
                (Border::Line, _) => self.out.push('\n'),
                (Border::Break | Border::Space, None) => self.out.push(' '),
                (_, Some(space)) => {
                    self.out.push(' ');
                    self.piece(at..at + 1, space, false, cdata);
                }
                (Border::None, None) => {}
            }
        }
        let start = self.out.len() - self.base;
        self.out.push_str(text);
        self.end = self.out.len() - self.base;
        self.piece(start..self.end, raw, plain, cdata);
        for open in &mut self.stack[self.fresh..] {
            open.text = Some(start);
        }
        self.fresh = self.stack.len();
    }

    fn piece(&mut self, text: Range<usize>, raw: Range<usize>, plain: bool, cdata: bool) {
        if !self.detail {
            return;
        }
        match self.parsed.pieces.last_mut() {
            Some(last)
                if plain
                    && last.plain
                    && last.text.end == text.start
                    && last.raw.end == raw.start
                    && last.cdata == cdata =>
            {
                last.text.end = text.end;
                last.raw.end = raw.end;
            }
            _ => self.parsed.pieces.push(TextSource {
                text,
                raw,
                plain,
                cdata,
            }),
        }
    }
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}
