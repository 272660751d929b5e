//! Checks whether an input has the tags that begin documents and paragraphs.
//!
//! A wrong name would make everything one document, or each document one paragraph, and find no
//! duplicates. An input without any tags is one document.

use super::tags::{Line, Tags};
use crate::compress::{Ending, Input};
use crate::format::opened;
use std::collections::BTreeMap;
use std::path::Path;
use tegula::context::Context;
use tegula::error::{Error, ErrorKind, Result};

/// Bytes examined at once.
const PIECE: usize = 1 << 20;
/// A longer line is not a tag.
const LINE: usize = 64 << 10;
/// Tags inside paragraphs, which cannot be document tags.
const INNER: [&str; 2] = ["<s>", "<g>"];

/// The tags found in an input.
#[derive(Debug)]
pub(super) struct TagCheck<'a> {
    tags: &'a Tags,
    begun: bool,
    documents: bool,
    paragraphs: bool,
    others: BTreeMap<String, u64>,
}

impl<'a> TagCheck<'a> {
    /// No tags found yet.
    pub(super) fn new(tags: &'a Tags) -> Self {
        let met = !tags.are_required();
        Self {
            tags,
            begun: met,
            documents: met,
            paragraphs: met || !tags.has_paragraphs(),
            others: BTreeMap::new(),
        }
    }

    /// Whether both tags were found.
    pub(super) fn is_met(&self) -> bool {
        self.documents && self.paragraphs
    }

    /// Examines the next lines.
    ///
    /// # Errors
    /// If the first of them is JSON.
    pub(super) fn examine(&mut self, lines: &[u8]) -> Result<()> {
        if !self.begun && !lines.is_empty() {
            self.begun = true;
            let first = lines
                .split(|byte| *byte == b'\n')
                .next()
                .unwrap_or_default()
                .trim_ascii();
            let json = || match serde_json::from_slice::<serde::de::IgnoredAny>(first) {
                Ok(_) => true,
                Err(error) => error.is_eof() && first.len() > LINE,
            };
            if first.starts_with(b"{") && json() {
                return Err(ErrorKind::Usage
                    .expected("a vertical file, one token per line")
                    .found("JSON")
                    .hint("use tegula dedup ⟨recipe=onion⟩, which reads JSON"));
            }
        }
        if self.is_met() {
            return Ok(());
        }
        for line in lines
            .split(|byte| *byte == b'\n')
            .filter(|line| line.starts_with(b"<") && line.len() < LINE)
        {
            match self.tags.line(line) {
                Line::DocumentOpens => self.documents = true,
                Line::ParagraphOpens => self.paragraphs = true,
                Line::DocumentCloses | Line::ParagraphCloses => continue,
                Line::Other => {}
            }
            if self.is_met() {
                break;
            }
            if let Some(name) = opened(&String::from_utf8_lossy(line)) {
                *self.others.entry(format!("<{name}>")).or_default() += 1;
            }
        }
        Ok(())
    }

    /// Refuses an input without document tags, if other tags may be its document tags.
    ///
    /// # Errors
    /// Lists the tags found.
    pub(super) fn check_documents(&self) -> Result<()> {
        let paragraph = self.tags.paragraph().map(|name| format!("<{name}>"));
        let is_other =
            |tag: &String| !INNER.contains(&tag.as_str()) && paragraph.as_ref() != Some(tag);
        if self.documents || !self.others.keys().any(is_other) {
            return Ok(());
        }
        Err(self.absent(
            "documents",
            &String::from_utf8_lossy(self.tags.document()),
            "set ⟨doc_tag⟩ to their tag",
        ))
    }

    /// Refuses an input with tags, but none of paragraphs; to be called at its end.
    ///
    /// # Errors
    /// Lists the tags found.
    pub(super) fn check_paragraphs(&self) -> Result<()> {
        if self.paragraphs || self.others.is_empty() {
            return Ok(());
        }
        let document = String::from_utf8_lossy(self.tags.document());
        let hint =
            format!("set ⟨par_tag⟩ to their tag; ⟨par_tag⟩ {document} judges whole documents");
        Err(self.absent(
            "paragraphs",
            &self.tags.paragraph().unwrap_or_default(),
            &hint,
        ))
    }

    fn absent(&self, what: &str, tag: &str, hint: &str) -> Error {
        let mut order: Vec<_> = self.others.iter().collect();
        order.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let there: Vec<String> = order
            .iter()
            .take(30)
            .map(|(tag, count)| format!("{tag} ({count})"))
            .collect();
        ErrorKind::Usage
            .expected(format!("{what} in <{tag}>"))
            .found(format!("none; the tags found are: {}", there.join(", ")))
            .hint(hint)
    }
}

/// Checks that an input has the tags, before it is processed. Ends once both were found.
///
/// # Errors
/// Lists the tags found; an error if the input cannot be read.
pub(super) fn check(context: &Context, mut input: Input, path: &Path, tags: &Tags) -> Result<()> {
    let mut check = TagCheck::new(tags);
    let mut bytes = Vec::new();
    // Whether the next bytes are the rest of a line that is too long for a tag.
    let mut inside = false;
    loop {
        context.check()?;
        let wanted = bytes.len() + PIECE;
        let ending = input.fill(&mut bytes, wanted, path)?;
        let end = memchr::memrchr(b'\n', &bytes).map(|at| at + 1);
        let whole = match end {
            Some(end) if ending == Ending::More => end,
            None if ending == Ending::More && bytes.len() < PIECE => 0,
            _ => bytes.len(),
        };
        let from = if inside {
            memchr::memchr(b'\n', &bytes[..whole]).map_or(whole, |at| at + 1)
        } else {
            0
        };
        inside = end.is_none() && (inside || whole > 0);
        check
            .examine(&bytes[from..whole])
            .map_err(|error| error.at(path))?;
        bytes.drain(..whole);
        match ending {
            _ if check.is_met() => return Ok(()),
            Ending::More => {}
            // Damage is reported when the input is read.
            Ending::Damaged(_) => return Ok(()),
            Ending::End => {
                return check
                    .check_documents()
                    .and_then(|()| check.check_paragraphs())
                    .map_err(|error| error.at(path));
            }
        }
    }
}
