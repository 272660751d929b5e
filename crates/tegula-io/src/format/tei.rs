//! TEI P5 and I5: documents in XML elements, written back with all bytes outside an edit unchanged.
//!
//! Documents are: in a `teiCorpus` each `TEI`, in an `idsCorpus` each `idsText`, otherwise the
//! file, whatever its root element; or each element of a given name. A file that is one document is
//! a record from its first byte to its last, like plain text. Text between documents belongs to
//! none. The text and its units are described in [`super::tei_walk`].

use super::marks::{clashing, given, notes, of_record, of_span};
use super::spot::Spot;
use super::tei_doc::{Element, Elements, Parsed};
use super::tei_walk::parse;
use super::vertical::attributes_patch;
use super::vertical_doc::{attributes, entities};
use super::xml::{Entities, TagKind, Tags, is_name, is_space, local};
use super::{Cut, Format, MarkPlace, MarkStyle, Note, Patch, Place, Settings, count_tag, is_cut};
use crate::convert::{FieldValue, Fields};
use crate::edit::Marks;
use crate::format::facts::{self, FormatFacts};
use crate::options::FormatName;
use crate::options::ReadOptions;
use crate::options::Reading;
use crate::written;
use std::collections::BTreeMap;
use std::ops::Range;
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::{Batch, Segment};

/// What is known about the format before a file is opened.
pub(super) const FACTS: FormatFacts = FormatFacts {
    name: FormatName::Tei,
    noun: "a TEI file",
    endings: &["xml", "tei"],
    recognises,
    has_fields: false,
    has_marks: true,
    has_tokens: false,
    is_bytes: false,
    places: &[MarkPlace::Attribute, MarkPlace::Standoff],
    texts,
};

/// Recognises a root element of TEI or I5.
fn recognises(sample: &facts::Sample) -> bool {
    let text = sample.text;
    let xml = is_xml(sample);
    let root = Tags::new(text.as_bytes())
        .next()
        .filter(|tag| xml || text[..tag.at.start].trim_ascii().is_empty());
    root.is_some_and(|tag| {
        matches!(
            &text[tag.name],
            "TEI" | "TEI.2" | "teiCorpus" | "teiCorpus.2" | "idsCorpus" | "idsDoc" | "idsText"
        )
    })
}

/// Whether a file declares itself as XML.
pub(crate) fn is_xml(sample: &facts::Sample) -> bool {
    sample.text.trim_start().starts_with("<?xml")
}

fn texts(options: &ReadOptions) -> String {
    options.tei.doc_element.as_ref().map_or_else(
        || "characters of elements".into(),
        |name| format!("documents in <{name}>"),
    )
}

/// The reader and editor of TEI and I5.
#[derive(Debug)]
pub(crate) struct Tei {
    names: Elements,
    /// Whether the file is one document.
    whole: bool,
    /// The number of wanted values that are names of the id, by preference.
    ids: usize,
}

impl Tei {
    /// For the file that begins with `sample`.
    pub(crate) fn new(sample: &[u8], settings: &Settings) -> Self {
        let options = &settings.options;
        let root = Tags::new(sample)
            .next()
            .map(|tag| String::from_utf8_lossy(&sample[tag.name]).into_owned());
        let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let docs: Vec<String> = match (&options.tei.doc_element, root.as_deref()) {
            (Some(name), _) => vec![name.clone()],
            (None, Some("teiCorpus" | "teiCorpus.2")) => named(&["TEI", "TEI.2"]),
            (None, Some("idsCorpus" | "idsDoc")) => named(&["idsText"]),
            _ => Vec::new(),
        };
        let whole = docs.is_empty() || root.is_some_and(|root| docs.contains(&root));
        let ids: Vec<String> = match &options.id_key {
            Some(name) => vec![name.clone()],
            None => named(&["xml:id", "textSigle", "id"]),
        };
        let valid = std::str::from_utf8(sample).map_or_else(|error| error.valid_up_to(), str::len);
        let names = Elements {
            docs,
            paragraphs: options.tags.par_elements(),
            sentences: vec![options.tags.sent_tag().to_owned()],
            skip: options.tei.skip_elements(),
            original: options.tei.reading == Some(Reading::Original),
            wanted: ids.iter().chain(&options.needs.fields).cloned().collect(),
            entities: Entities::declared(std::str::from_utf8(&sample[..valid]).unwrap_or_default()),
        };
        Self {
            names,
            whole,
            ids: ids.len(),
        }
    }

    fn parse(&self, record: &str, out: &mut String, detail: bool) -> Result<Parsed> {
        parse(&self.names, record, Spot::default(), out, detail)
    }

    fn is_doc(&self, name: &[u8]) -> bool {
        self.names.docs.iter().any(|doc| doc.as_bytes() == name)
    }
}

impl Format for Tei {
    fn cut(&self, text: &[u8], place: Place) -> Cut {
        let all = || Cut::ranges(text.len(), std::iter::once(0..text.len()).collect());
        if self.whole {
            return if place.end && !text.is_empty() {
                all()
            } else {
                Cut::nothing()
            };
        }
        let mut records: Vec<Range<usize>> = Vec::new();
        // The open document, and the nesting of elements with its name.
        let mut open: Option<(usize, usize)> = None;
        // The skipped element outside documents, and the nesting of elements with its name.
        let mut passed: Option<(&[u8], usize)> = None;
        for tag in Tags::new(text) {
            let name = &text[tag.name];
            if let Some((header, depth)) = &mut passed {
                match tag.kind {
                    TagKind::Open if name == *header => *depth += 1,
                    TagKind::Close if name == *header => *depth -= 1,
                    _ => {}
                }
                if *depth == 0 {
                    passed = None;
                }
                continue;
            }
            let doc = self.is_doc(name);
            match (&mut open, tag.kind) {
                (Some((_, depth)), TagKind::Open) if doc => *depth += 1,
                (Some((start, depth)), TagKind::Close) if doc => {
                    *depth -= 1;
                    if *depth == 0 {
                        records.push(*start..tag.at.end);
                        open = None;
                    }
                }
                (None, TagKind::Open) if doc => open = Some((tag.at.start, 1)),
                (None, TagKind::Empty) if doc => records.push(tag.at),
                (None, TagKind::Open)
                    if self.names.skip.iter().any(|skip| skip.as_bytes() == name) =>
                {
                    passed = Some((name, 1));
                }
                _ => {}
            }
        }
        if !place.end {
            return Cut::ranges(records.last().map_or(0, |last| last.end), records);
        }
        if let Some((start, _)) = open {
            // Never closed: the rest is one bad document.
            records.push(start..text.len());
        }
        if records.is_empty() && place.head && text.iter().any(|byte| !is_space(*byte)) {
            // A file without any: report it as bad instead of skipping it silently.
            return all();
        }
        Cut::ranges(text.len(), records)
    }

    fn decode(&self, record: &str, batch: &mut Batch) -> Result<bool> {
        self.decode_at(record, Spot::default(), batch)
    }

    fn decode_at(&self, record: &str, spot: Spot, batch: &mut Batch) -> Result<bool> {
        let mut parsed = parse(&self.names, record, spot, &mut batch.text, false)?;
        let units = parsed
            .elements
            .into_iter()
            .filter(|element| !element.text.is_empty());
        batch.segments.extend(units.filter_map(|unit| {
            let id = xml_id(&record[unit.tag.clone()]).map(String::into_boxed_str);
            unit.level.map(|level| Segment {
                level,
                text: unit.text,
                id,
            })
        }));
        let id = parsed.values[..self.ids].iter().flatten().next();
        batch.ids.push_str(id.map_or("", String::as_str));
        let has_id = id.is_some();
        batch.fields.extend(parsed.values.drain(self.ids..));
        Ok(has_id)
    }

    fn names_lines(&self) -> bool {
        true
    }

    fn file_is_record(&self) -> bool {
        self.whole
    }

    fn fields<'a>(&'a self, record: &'a str) -> Result<Fields<'a>> {
        let mut text = String::new();
        let mut parsed = self.parse(record, &mut text, false)?;
        let value = |value: Option<String>| {
            value.map_or(FieldValue::Null, |value| FieldValue::Text(value.into()))
        };
        let rest = parsed.values.split_off(self.ids);
        let id = parsed.values.into_iter().flatten().next();
        let mut fields: Fields<'a> = vec![
            ("id".into(), value(id)),
            ("text".into(), FieldValue::Text(text.into())),
        ];
        for (name, value) in attributes(&record[parsed.root]) {
            if !name.starts_with("xmlns")
                && !self.names.wanted[..self.ids].iter().any(|id| id == name)
                && name != "text"
            {
                fields.push((name.into(), FieldValue::Text(entities(value))));
            }
        }
        for (name, found) in self.names.wanted[self.ids..].iter().zip(rest) {
            if fields.iter().all(|(known, _)| known != name) {
                fields.push((name.into(), value(found)));
            }
        }
        Ok(fields)
    }

    fn names(&self, record: &str, _inner: bool) -> Vec<String> {
        let bytes = record.as_bytes();
        let mut names: Vec<String> = Vec::new();
        let mut add = |name: &str| {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        };
        let (mut root, mut header, mut open) = (true, false, None);
        for tag in Tags::new(bytes) {
            let name = local(&record[tag.name.clone()]);
            if std::mem::take(&mut root) {
                let own = attributes(&record[tag.at.clone()]).map(|(name, _)| name);
                own.filter(|name| !name.starts_with("xmlns"))
                    .for_each(&mut add);
            }
            if matches!(name, "teiHeader" | "idsHeader") {
                header = tag.kind == TagKind::Open;
                if !header {
                    break;
                }
            } else if header {
                // An element of the header has a value if it contains only text, or has a date.
                let closes = tag.kind == TagKind::Close && open.as_ref() == Some(&tag.name.start);
                let when = tag.kind != TagKind::Close
                    && attributes(&record[tag.at.clone()]).any(|(name, _)| name == "when");
                if when || closes {
                    add(name);
                }
            }
            // The position of the name in the tag that would close this one.
            let text = (tag.kind == TagKind::Open)
                .then(|| {
                    memchr::memchr(b'<', &bytes[tag.at.end..])
                        .map(|len| tag.at.end..tag.at.end + len)
                })
                .flatten();
            open = text
                .filter(|text| !record[text.clone()].trim().is_empty())
                .map(|text| text.end + 2);
        }
        names
    }

    fn tags(&self, text: &str, tally: &mut BTreeMap<String, u64>) {
        for tag in Tags::new(text.as_bytes()).filter(|tag| tag.kind != TagKind::Close) {
            count_tag(local(&text[tag.name]), tally);
        }
    }

    fn remove(&self, record: &str, cuts: &[Range<usize>]) -> Result<Vec<Patch>> {
        let mut text = String::new();
        let parsed = self.parse(record, &mut text, true)?;
        // The first cut that does not end before an offset.
        let from = |at: usize| cuts.partition_point(|cut| cut.end <= at);
        let covered = |text: &Range<usize>| {
            cuts.get(from(text.start))
                .is_some_and(|cut| cut.start <= text.start && text.end <= cut.end)
        };
        // Units that lose all their text, and such elements inside paragraphs, are removed with
        // their tags, the outermost first.
        let mut removed: Vec<Range<usize>> = Vec::new();
        for element in parsed
            .elements
            .iter()
            .filter(|element| !element.text.is_empty() && is_cut(&text, &element.text, cuts))
        {
            if removed
                .last()
                .is_none_or(|last| last.end <= element.raw.start)
            {
                removed.push(element.raw.clone());
            }
        }
        // Elsewhere only characters are removed.
        let mut ranges: Vec<(Range<usize>, bool)> = removed
            .iter()
            .cloned()
            .map(|range| (range, false))
            .collect();
        for piece in &parsed.pieces {
            let place = removed.partition_point(|range| range.end <= piece.raw.start);
            if removed
                .get(place)
                .is_some_and(|range| range.start <= piece.raw.start)
            {
                continue;
            }
            if !piece.plain {
                if covered(&piece.text) {
                    ranges.push((piece.raw.clone(), piece.cdata));
                }
                continue;
            }
            for cut in cuts[from(piece.text.start)..]
                .iter()
                .take_while(|cut| cut.start < piece.text.end)
            {
                let start = piece.raw.start + cut.start.max(piece.text.start) - piece.text.start;
                let end = piece.raw.start + cut.end.min(piece.text.end) - piece.text.start;
                ranges.push((start..end, piece.cdata));
            }
        }
        ranges.retain(|(range, _)| !range.is_empty());
        ranges.sort_by_key(|(range, _)| range.start);
        let mut joined: Vec<(Range<usize>, bool)> = Vec::new();
        for (range, cdata) in ranges {
            match joined.last_mut() {
                Some((last, inside)) if last.end >= range.start && *inside == cdata => {
                    last.end = last.end.max(range.end);
                }
                _ => joined.push((range, cdata)),
            }
        }
        let bytes = record.as_bytes();
        let patch = |(at, cdata): (Range<usize>, bool)| {
            // `]]>` must not arise where it was not before.
            let closes = at.start > 0
                && bytes[at.start - 1] == b']'
                && matches!(bytes.get(at.end), Some(b']' | b'>'));
            let with = match (closes, cdata) {
                (false, _) => "",
                (true, false) => "<!---->",
                (true, true) => "]]><![CDATA[",
            };
            Patch {
                at,
                with: with.into(),
            }
        };
        Ok(joined.into_iter().map(patch).collect())
    }

    fn mark(&self, record: &str, marks: &Marks, style: &MarkStyle) -> Result<Vec<Patch>> {
        if style.place != MarkPlace::Attribute {
            return Err(style.place.unknown("TEI", "attribute or standoff"));
        }
        let first = style.name("duplicate_of");
        if !is_name(&first) || first.contains(':') {
            return Err(Error::of("⟨mark_prefix⟩")
                .expected("a valid beginning of an attribute's name")
                .found(format!("`{}`", style.prefix)));
        }
        let parsed = self.parse(record, &mut String::new(), marks.spans.is_some())?;
        let values = of_record(marks);
        let mut patches = Vec::new();
        let mut around = Vec::new();
        patches.extend(attributes_patch(
            record,
            parsed.root.clone(),
            &values,
            style,
        )?);
        for span in marks.spans.iter().flatten() {
            let values = of_span(span);
            let mut units = units_at(&parsed, &span.text).peekable();
            if units.peek().is_none() {
                around.extend(segments(record, &parsed, &span.text, &values, style)?);
            }
            for unit in units {
                patches.extend(attributes_patch(record, unit.tag.clone(), &values, style)?);
            }
        }
        patches.sort_by_key(|patch| patch.at.start);
        if let Some(pair) = patches
            .windows(2)
            .find(|pair| pair[0].at.start == pair[1].at.start)
        {
            // The document is also a unit: one tag cannot have both marks.
            return Err(clashing(
                pair[0]
                    .with
                    .trim_start()
                    .split('=')
                    .next()
                    .unwrap_or_default(),
            ));
        }
        patches.append(&mut around);
        patches.sort_by_key(|patch| patch.at.start);
        Ok(patches)
    }

    fn standoff(&self, record: &str, marks: &Marks) -> Result<Vec<Note>> {
        let parsed = self.parse(record, &mut String::new(), marks.spans.is_some())?;
        let id = |tag: &Range<usize>| xml_id(&record[tag.clone()]);
        let root = parsed.root.start..parsed.root_end;
        let mut notes = notes(root, id(&parsed.root), marks);
        for span in marks.spans.iter().flatten() {
            let (at, id) = match units_at(&parsed, &span.text).next() {
                Some(unit) => (unit.raw.clone(), id(&unit.tag)),
                // A sentence that the file does not mark: its characters.
                None => (raw(&parsed, &span.text).ok_or_else(no_text)?, None),
            };
            let values = of_span(span);
            notes.push(Note {
                at,
                id,
                values: given(values),
            });
        }
        Ok(notes)
    }

    fn escape(&self) -> fn(char) -> String {
        |c| format!("&#{};", u32::from(c))
    }
}

/// The `xml:id` of a tag.
fn xml_id(tag: &str) -> Option<String> {
    attributes(tag)
        .find(|(name, _)| *name == "xml:id")
        .map(|(_, value)| entities(value).into_owned())
}

/// The paragraphs and sentences with this text.
fn units_at<'a>(parsed: &'a Parsed, text: &'a Range<usize>) -> impl Iterator<Item = &'a Element> {
    parsed
        .elements
        .iter()
        .filter(move |element| element.level.is_some() && element.text == *text)
}

/// The source of the text, from its first byte to its last; needs the pieces of the record.
fn raw(parsed: &Parsed, text: &Range<usize>) -> Option<Range<usize>> {
    let mut places = places(parsed, text).map(|(raw, _)| raw);
    let first = places.next()?;
    Some(first.start..places.last().map_or(first.end, |last| last.end))
}

/// The bytes of the record that form the text, piece by piece, and whether they are inside CDATA.
fn places<'a>(
    parsed: &'a Parsed,
    text: &'a Range<usize>,
) -> impl Iterator<Item = (Range<usize>, bool)> + 'a {
    let from = parsed
        .pieces
        .partition_point(|piece| piece.text.end <= text.start);
    parsed.pieces[from..]
        .iter()
        .take_while(|piece| piece.text.start < text.end)
        .map(|piece| {
            let inner = |at: usize| {
                if piece.plain {
                    piece.raw.start + at - piece.text.start
                } else {
                    piece.raw.start
                }
            };
            let start = if piece.text.start < text.start {
                inner(text.start)
            } else {
                piece.raw.start
            };
            let end = if piece.text.end > text.end && piece.plain {
                inner(text.end)
            } else {
                piece.raw.end
            };
            (start..end, piece.cdata)
        })
}

/// The patches that put a `<seg>` with these attributes around a sentence without an element. If
/// there are tags inside the sentence, there is one for each run of characters between them, and
/// `part` states which.
fn segments(
    record: &str,
    parsed: &Parsed,
    text: &Range<usize>,
    values: &[(&str, Option<String>)],
    style: &MarkStyle,
) -> Result<Vec<Patch>> {
    let mut runs: Vec<(Range<usize>, bool)> = Vec::new();
    for (raw, cdata) in places(parsed, text) {
        match runs.last_mut() {
            Some((last, inside)) if last.end == raw.start && *inside == cdata => last.end = raw.end,
            _ => runs.push((raw, cdata)),
        }
    }
    // White space between tags needs no mark.
    runs.retain(|(raw, _)| !record[raw.clone()].trim().is_empty());
    if runs.is_empty() {
        return Err(no_text());
    }
    let mut attributes = String::new();
    for (mark, value) in values {
        if let Some(value) = value {
            attributes.extend([" ", &style.name(mark), "=\"", &written::xml(value), "\""]);
        }
    }
    let last = runs.len() - 1;
    let mut patches = Vec::new();
    for (place, (raw, cdata)) in runs.into_iter().enumerate() {
        let part = match place {
            _ if last == 0 => "",
            0 => " part=\"I\"",
            place if place == last => " part=\"F\"",
            _ => " part=\"M\"",
        };
        let (before, behind) = if cdata {
            ("]]>", "<![CDATA[")
        } else {
            ("", "")
        };
        patches.push(Patch::insert(
            raw.start,
            format!("{before}<seg{part}{attributes}>{behind}"),
        ));
        patches.push(Patch::insert(raw.end, format!("{before}</seg>{behind}")));
    }
    Ok(patches)
}

fn no_text() -> Error {
    ErrorKind::Data
        .expected("the text of the unit in the document")
        .found("none of it")
        .hint("name the elements of such units with ⟨par_tag⟩ or ⟨sent_tag⟩")
}
