//! JSON in any layout: an array of objects, as annotation tools and APIs export it, or objects one
//! after the other. A record is an object, with what separates it from the one before; fields and
//! edits are those of JSONL.

use super::json_value::{Value, blank, is_several, separator};
use super::jsonl::Jsonl;
use super::{Cut, Format, MarkPlace, MarkStyle, PassOver, Patch, Place, Settings};
use crate::convert::{Fields, json_fields};
use crate::edit::Marks;
use crate::format::facts::{self, FormatFacts};
use crate::options::FormatName;
use std::ops::Range;
use tegula::error::{ErrorKind, Result};
use tegula::record::Batch;

/// What is known about the format before a file is opened.
pub(super) const FACTS: FormatFacts = FormatFacts {
    name: FormatName::Json,
    noun: "a JSON file",
    endings: &["json"],
    recognises,
    has_fields: true,
    has_marks: false,
    has_tokens: false,
    is_bytes: false,
    places: &[MarkPlace::Attribute],
    texts: facts::in_fields,
};

/// A bracket and what can follow it, or the brace of an object that does not end on its line.
fn recognises(sample: &facts::Sample) -> bool {
    let text = sample.text.trim_start();
    let begins = |open, next: &str| {
        let inner = text.strip_prefix(open).map(str::trim_start);
        inner.is_some_and(|inner| inner.starts_with(|c| next.contains(c)))
    };
    begins('[', "{]")
        || (begins('{', "\"}")
            && (Value::default()
                .end(text.lines().next().unwrap_or_default().as_bytes())
                .is_none()
                || text
                    .lines()
                    .any(|line| line.trim_end() == "{" || is_several(line))))
}

/// The reader and editor of JSON arrays.
#[derive(Debug)]
pub(crate) struct JsonArray {
    element: Jsonl,
    is_array: bool,
    /// Whether the file is one object.
    is_single: bool,
}

impl JsonArray {
    /// Takes the names of the fields from the options, and the layout from the file's beginning,
    /// which may be `whole`.
    pub(crate) fn new(sample: &[u8], whole: bool, settings: &Settings) -> Self {
        let text = sample.trim_ascii();
        let is_array = text.starts_with(b"[");
        let is_single = whole
            && !is_array
            && Value::default()
                .end(text)
                .is_none_or(|end| end == text.len());
        Self {
            element: Jsonl::new(settings),
            is_array,
            is_single,
        }
    }
}

/// The element of a record.
fn element(record: &str) -> Result<(usize, &str)> {
    let lead = separator(record.as_bytes());
    let element = &record[lead..];
    if element.is_empty() || element.starts_with(']') {
        return Err(ErrorKind::Data
            .expected("an object and then `]`, with nothing after it, at the end of a JSON array")
            .hint("repair the end of the file, or skip such records with ⟨on_bad_record=skip⟩"));
    }
    Ok((lead, element))
}

impl Format for JsonArray {
    fn cut(&self, text: &[u8], place: Place) -> Cut {
        let mut at = if place.head { self.head(text) } else { 0 };
        let mut ranges = Vec::new();
        loop {
            let start = if place.head && ranges.is_empty() {
                at + blank(&text[at..])
            } else {
                at
            };
            if place.head && ranges.is_empty() && text.get(start) == Some(&b',') {
                // It separates nothing.
                ranges.push(start..start + 1);
                at = start + 1;
                continue;
            }
            let value = at + separator(&text[at..]);
            let rest = &text[value..];
            if rest.is_empty() && place.end && !self.is_array {
                return Cut::ranges(text.len(), ranges);
            }
            if rest.first() == Some(&b']')
                && place.end
                && blank(&rest[1..]) + 1 == rest.len()
                && !text[at..value].contains(&b',')
            {
                return Cut::ranges(text.len(), ranges);
            }
            let end = Value::default()
                .end(rest)
                .filter(|end| *end > 0)
                .map(|end| value + end);
            // Only what follows shows that a record is complete, and that the array continues or is
            // closed.
            let end = end.filter(|end| place.end || blank(&text[*end..]) < text.len() - end);
            match end {
                Some(end) => {
                    ranges.push(start..end);
                    at = end;
                }
                None if place.end => {
                    ranges.push(start..text.len());
                    return Cut::ranges(text.len(), ranges);
                }
                None => {
                    return if ranges.is_empty() {
                        Cut::nothing()
                    } else {
                        Cut::ranges(at, ranges)
                    };
                }
            }
        }
    }

    fn pass_over(&self) -> Option<Box<dyn PassOver + '_>> {
        Some(Box::new(Value::default()))
    }

    fn head(&self, text: &[u8]) -> usize {
        let space = blank(text);
        space + usize::from(text.get(space) == Some(&b'['))
    }

    fn lead(&self, record: &str) -> usize {
        separator(record.as_bytes())
    }

    fn close(&self, text: &[u8]) -> &'static str {
        if !self.is_array || text.trim_ascii_end().ends_with(b"]") {
            ""
        } else {
            "\n]\n"
        }
    }

    fn file_is_record(&self) -> bool {
        self.is_single
    }

    fn decode(&self, record: &str, batch: &mut Batch) -> Result<bool> {
        self.element.decode(element(record)?.1, batch)
    }

    fn fields<'a>(&'a self, record: &'a str) -> Result<Fields<'a>> {
        json_fields(element(record)?.1)
    }

    fn remove(&self, record: &str, cuts: &[Range<usize>]) -> Result<Vec<Patch>> {
        let (lead, element) = element(record)?;
        Ok(behind(lead, self.element.remove(element, cuts)?))
    }

    fn mark(&self, record: &str, marks: &Marks, style: &MarkStyle) -> Result<Vec<Patch>> {
        let (lead, element) = element(record)?;
        Ok(behind(lead, self.element.mark(element, marks, style)?))
    }

    fn escape(&self) -> fn(char) -> String {
        self.element.escape()
    }
}

/// Patches of an element as those of its record.
fn behind(lead: usize, mut patches: Vec<Patch>) -> Vec<Patch> {
    for patch in &mut patches {
        patch.at = patch.at.start + lead..patch.at.end + lead;
    }
    patches
}
