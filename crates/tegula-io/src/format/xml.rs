//! Common to all XML files: tags in text that may be truncated or invalid, and the entities
//! declared in the file.
//!
//! Complete, valid text is read by quick-xml; this module finds the boundaries of documents before
//! that.

use std::collections::HashMap;
use std::ops::Range;
use tegula::error::{ErrorKind, Result};

/// The kind of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TagKind {
    /// Opens an element.
    Open,
    /// Closes one.
    Close,
    /// Is an empty element.
    Empty,
}

/// A tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag {
    /// Its bytes.
    pub(crate) at: Range<usize>,
    /// Its kind.
    pub(crate) kind: TagKind,
    /// Its name, without a prefix.
    pub(crate) name: Range<usize>,
}

/// The tags of a piece of text; comments, CDATA, processing instructions and the document type are
/// skipped. Ends at incomplete markup.
pub(crate) struct Tags<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Tags<'a> {
    /// Starts at the beginning.
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }
}

/// The end of the markup at the beginning of `rest` that ends with `end`.
fn closed(rest: &[u8], from: usize, end: &[u8]) -> Option<usize> {
    memchr::memmem::find(rest.get(from..)?, end).map(|at| from + at + end.len())
}

/// The end of a tag, where a quoted `>` has no meaning.
fn tag(rest: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr::memchr3(b'>', b'"', b'\'', rest.get(at..)?)?;
        match rest[at] {
            b'>' => return Some(at + 1),
            quote => at += memchr::memchr(quote, &rest[at + 1..])? + 2,
        }
    }
}

/// The end of a document type declaration.
fn doctype(rest: &[u8]) -> Option<usize> {
    let (mut at, mut inside) = (2, false);
    loop {
        match rest.get(at)? {
            b'>' if !inside => return Some(at + 1),
            b'[' => inside = true,
            b']' => inside = false,
            quote @ (b'"' | b'\'') => at += 1 + memchr::memchr(*quote, &rest[at + 1..])?,
            b'<' if rest[at..].starts_with(b"<!--") => {
                at += closed(&rest[at..], 4, b"-->")?;
                continue;
            }
            b'<' if rest[at..].starts_with(b"<?") => {
                at += closed(&rest[at..], 2, b"?>")?;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
}

impl Iterator for Tags<'_> {
    type Item = Tag;

    fn next(&mut self) -> Option<Tag> {
        loop {
            let start = self.at + memchr::memchr(b'<', self.text.get(self.at..)?)?;
            let rest = &self.text[start..];
            let other = match rest.get(1)? {
                b'?' => Some(closed(rest, 2, b"?>")),
                b'!' if b"<!--".starts_with(&rest[..rest.len().min(4)]) => {
                    Some(closed(rest, 4, b"-->"))
                }
                b'!' if b"<![CDATA[".starts_with(&rest[..rest.len().min(9)]) => {
                    Some(closed(rest, 9, b"]]>"))
                }
                b'!' => Some(doctype(rest)),
                _ => None,
            };
            if let Some(end) = other {
                self.at = start + end?;
                continue;
            }
            let end = start + tag(rest)?;
            self.at = end;
            let closes = rest[1] == b'/';
            let from = start + if closes { 2 } else { 1 };
            let inner = &self.text[from..end - 1];
            let len = inner
                .iter()
                .position(|byte| is_space(*byte) || *byte == b'/')
                .unwrap_or(inner.len());
            let prefix = memchr::memchr(b':', &inner[..len]).map_or(0, |colon| colon + 1);
            let kind = match (closes, inner.last()) {
                (true, _) => TagKind::Close,
                (false, Some(b'/')) => TagKind::Empty,
                _ => TagKind::Open,
            };
            return Some(Tag {
                at: start..end,
                kind,
                name: from + prefix..from + len,
            });
        }
    }
}

/// White space as defined by XML.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Whether this can be the name of an element, attribute or entity.
pub(crate) fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    let inner = |c: char| c.is_alphanumeric() || "-._:".contains(c) || !c.is_ascii();
    chars
        .next()
        .is_some_and(|c| c.is_alphabetic() || "_:".contains(c))
        && chars.all(inner)
}

/// A name without its prefix.
pub(crate) fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// The encoding in the XML declaration.
pub(crate) fn declared_encoding(sample: &[u8]) -> Option<&str> {
    let head = sample.strip_prefix(b"<?xml")?;
    let head = std::str::from_utf8(&head[..closed(head, 0, b"?>")?]).ok()?;
    let value = head[head.find("encoding")? + 8..]
        .trim_start()
        .strip_prefix('=')?
        .trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split(quote).next()
}

/// The maximum bytes of text from entities of a record: enough for letters and phrases, too little
/// for bombs.
const ENTITY_BYTES: usize = 1 << 20;

/// The maximum nesting of entities.
const ENTITY_DEPTH: usize = 16;

/// The entities that the document type itself declares, by name. External ones are not included:
/// they are never read.
#[derive(Debug, Default)]
pub(crate) struct Entities {
    values: HashMap<String, String>,
}

/// The remaining bytes for the entities of a record.
#[derive(Debug)]
pub(crate) struct EntityBudget(usize);

impl Default for EntityBudget {
    fn default() -> Self {
        Self(ENTITY_BYTES)
    }
}

impl Entities {
    /// The entities declared at the beginning of a file. Unsupported declarations are skipped.
    pub(crate) fn declared(sample: &str) -> Self {
        let mut found = Self::default();
        let Some(start) = sample.find("<!DOCTYPE") else {
            return found;
        };
        let end = doctype(&sample.as_bytes()[start..]).map_or(sample.len(), |end| start + end);
        // It must be before the root element to be a declaration.
        let root = Tags::new(sample.as_bytes())
            .next()
            .map_or(sample.len(), |tag| tag.at.start);
        let mut rest = if start < root {
            &sample[start..end]
        } else {
            ""
        };
        while let Some(at) = rest.find("<!") {
            rest = &rest[at..];
            if rest.starts_with("<!--") {
                rest = closed(rest.as_bytes(), 4, b"-->").map_or("", |end| &rest[end..]);
                continue;
            }
            let Some(declaration) = rest.strip_prefix("<!ENTITY") else {
                rest = &rest[2..];
                continue;
            };
            let declaration = declaration.trim_start();
            let name = &declaration[..declaration
                .find(|c: char| c.is_whitespace())
                .unwrap_or(declaration.len())];
            let value = declaration[name.len()..].trim_start();
            rest = value;
            if let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\''))
                && let Some(end) = value[1..].find(quote)
            {
                rest = &value[end + 2..];
                if is_name(name) {
                    found
                        .values
                        .entry(name.to_owned())
                        .or_insert_with(|| value[1..=end].to_owned());
                }
            }
        }
        found
    }

    /// The text of an entity; `None` if it is not declared here, or contains markup.
    ///
    /// # Errors
    /// If the entities of the record expand to more than a mebibyte, or are nested too deeply.
    pub(crate) fn text(&self, name: &str, budget: &mut EntityBudget) -> Result<Option<String>> {
        let mut out = String::new();
        Ok(self.expand(name, 0, budget, &mut out)?.then_some(out))
    }

    fn expand(
        &self,
        name: &str,
        depth: usize,
        budget: &mut EntityBudget,
        out: &mut String,
    ) -> Result<bool> {
        let Some(value) = self.values.get(name) else {
            return Ok(false);
        };
        if depth == ENTITY_DEPTH {
            return Err(ErrorKind::Data
                .expected(format!("entities no more than {ENTITY_DEPTH} deep"))
                .found(format!("`&{name};` deeper")));
        }
        let mut rest = value.as_str();
        loop {
            let at = rest.find(['&', '<']).unwrap_or(rest.len());
            // The reference itself also counts: very many empty ones are no better.
            budget.0 = budget.0.checked_sub(at + 1).ok_or_else(|| {
                ErrorKind::Data
                    .expected(format!(
                        "entities that expand to at most {ENTITY_BYTES} bytes"
                    ))
                    .found(format!("more in `&{name};`"))
            })?;
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let Some(inner) = rest.strip_prefix('&') else {
                return Ok(rest.is_empty());
            };
            let Some((inner, behind)) = inner.split_once(';') else {
                return Ok(false);
            };
            match character(inner) {
                Some(c) => out.push(c),
                None if !self.expand(inner, depth + 1, budget, out)? => return Ok(false),
                None => {}
            }
            rest = behind;
        }
    }
}

/// The character of a predefined entity or of a character reference.
pub(crate) fn character(name: &str) -> Option<char> {
    let c = super::vertical_doc::entity(name)?;
    (!matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')).then_some(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(&str, TagKind)> {
        Tags::new(text.as_bytes())
            .map(|tag| (&text[tag.name], tag.kind))
            .collect()
    }

    #[test]
    fn tags_are_found_between_what_only_looks_like_them() {
        use TagKind::{Close, Empty, Open};
        let text = "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b '<c>]'><!-- ' --><?x ]?>]><!-- <d> --><t:a e='>'>\
            <![CDATA[<f>]]><g/><h i=\"/>\" /></t:a>";
        assert_eq!(
            names(text),
            [("a", Open), ("g", Empty), ("h", Empty), ("a", Close)]
        );
        for end in 0..text.len() {
            let part = names(&text[..end]);
            assert!(names(text).starts_with(&part), "{part:?}");
        }
    }

    #[test]
    fn entities_are_expanded_within_limits() {
        let entities =
            |declared: &str| Entities::declared(&format!("<!DOCTYPE a [{declared}]><a/>"));
        let text = |declared: &str, name: &str| {
            entities(declared).text(name, &mut EntityBudget::default())
        };
        assert_eq!(
            text("<!ENTITY a \"&#228;&b;\"><!ENTITY b '&amp;x'>", "a")
                .unwrap()
                .unwrap(),
            "ä&x"
        );
        for none in [
            "<!ENTITY a SYSTEM 'file:///etc/passwd'>",
            "<!ENTITY a '<b>'>",
            "<!ENTITY % a 'b'>",
            "<!-- <!ENTITY a 'b'> -->",
            "",
        ] {
            assert_eq!(text(none, "a").unwrap(), None, "{none}");
        }
        assert!(
            text("<!ENTITY a '&b;'><!ENTITY b '&a;'>", "a")
                .unwrap_err()
                .message()
                .contains("deep")
        );
        for leaf in ["lol", ""] {
            let level =
                |n: usize| format!("<!ENTITY a{n} '{}'>", format!("&a{};", n - 1).repeat(10));
            let bomb = (1..12).map(level).collect::<Vec<_>>().concat();
            let error = text(&format!("<!ENTITY a0 '{leaf}'>{bomb}"), "a11").unwrap_err();
            assert!(error.message().contains("at most 1048576 bytes"), "{error}");
        }
        assert_eq!(
            declared_encoding(b"<?xml version='1.0' encoding = \"utf-16\" ?>"),
            Some("utf-16")
        );
    }
}
