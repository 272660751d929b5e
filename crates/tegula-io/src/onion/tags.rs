//! The tags that begin documents and paragraphs.

use memchr::memmem;
use tegula::error::{Error, Result};

/// The tags that begin documents and paragraphs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tags {
    document: Tag,
    paragraph: Option<Tag>,
    /// A line end, followed by the beginning of a document's tag.
    border: Vec<u8>,
    /// Whether an input without these tags is refused.
    required: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Tag(Vec<u8>);

impl Tag {
    /// Whether `rest`, the text after `<` or `</`, begins with this name.
    fn begins(&self, rest: &[u8]) -> bool {
        rest.strip_prefix(&self.0[..]).is_some_and(|rest| {
            rest.first()
                .is_none_or(|b| b.is_ascii_whitespace() || b"/>".contains(b))
        })
    }
}

/// The kind of a line of structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    DocumentOpens,
    DocumentCloses,
    ParagraphOpens,
    ParagraphCloses,
    Other,
}

impl Tags {
    /// The names of the tags, without brackets.
    ///
    /// # Errors
    /// If one cannot be the name of a tag.
    pub fn new(document: &str, paragraph: &str) -> Result<Self> {
        for (what, tag) in [("document", document), ("paragraph", paragraph)] {
            if tag.is_empty() || tag.contains(|c: char| c.is_whitespace() || "<>/".contains(c)) {
                return Err(Error::of(format!("{what} tag"))
                    .expected("the name of a tag, such as doc")
                    .found(format!("'{tag}'")));
            }
        }
        let tag = |name: &str| Tag(name.as_bytes().to_vec());
        let border = [b"\n<", document.as_bytes()].concat();
        Ok(Self {
            document: tag(document),
            paragraph: (paragraph != document).then(|| tag(paragraph)),
            border,
            required: true,
        })
    }

    /// The name of the document's tag.
    pub(super) fn document(&self) -> &[u8] {
        &self.document.0
    }

    /// The same tags, whether or not the input contains them: the rules apply to any bytes.
    #[cfg(test)]
    pub(super) fn optional(self) -> Self {
        Self {
            required: false,
            ..self
        }
    }

    /// Whether an input without these tags is refused.
    pub(super) fn are_required(&self) -> bool {
        self.required
    }

    /// Whether paragraphs have a tag other than that of documents.
    pub(super) fn has_paragraphs(&self) -> bool {
        self.paragraph.is_some()
    }

    /// The name of the paragraph's tag, if it is a different one.
    pub(super) fn paragraph(&self) -> Option<std::borrow::Cow<'_, str>> {
        self.paragraph
            .as_ref()
            .map(|tag| String::from_utf8_lossy(&tag.0))
    }

    /// The start of the last document in `bytes`, unless it is the first byte.
    pub(super) fn last_border(&self, bytes: &[u8]) -> Option<usize> {
        let mut searched = bytes.len();
        loop {
            let at = memmem::rfind(&bytes[..searched], &self.border)?;
            let behind = &bytes[at + 2..];
            // At the end of the bytes read so far it is not known whether the name continues.
            if self.document.begins(behind) && behind.len() > self.document.0.len() {
                return Some(at + 1);
            }
            searched = at + self.border.len() - 1;
        }
    }

    /// The kind of a line.
    pub(super) fn line(&self, line: &[u8]) -> Line {
        let (closes, rest) = match line {
            [b'<', b'/', rest @ ..] => (true, rest),
            [b'<', rest @ ..] => (false, rest),
            _ => return Line::Other,
        };
        let paragraph = self.paragraph.as_ref().is_some_and(|tag| tag.begins(rest));
        match (self.document.begins(rest), paragraph, closes) {
            (true, _, false) => Line::DocumentOpens,
            (true, _, true) => Line::DocumentCloses,
            (_, true, false) => Line::ParagraphOpens,
            (_, true, true) => Line::ParagraphCloses,
            _ => Line::Other,
        }
    }
}
