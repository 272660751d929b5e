//! Parses the bytes of vertical text into documents, paragraphs and n-grams.
//!
//! - A document begins at its tag and ends at its closing tag or where the next one begins. Tokens
//!   between documents form a separate document; structure between documents belongs to none, and
//!   is kept.
//! - A paragraph begins at its tag and ends at its closing tag, or where the next one or the
//!   document ends. Lines of a document outside its paragraphs form separate paragraphs, from one
//!   paragraph to the next.
//! - A line is a tag if the name is followed by white space, `>`, `/` or the end of the line. If
//!   paragraphs and documents have the same tag, a document is one paragraph.

use super::chunk::{Chunk, Held};
use super::tags::{Line, Tags};
use memchr::memchr;
use tegula::error::{Error, Result};
use tegula::hash::{self, Fingerprint, LANE};
use tegula::onion::Document;
use tegula::shingle::Shingler;

/// The mark before each kept line.
const KEPT: &[u8] = b"0\t";
/// The first byte of the mark before each removed line.
const GONE: u8 = b'1';

/// The unit with which a piece of the chunk is kept or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// None: it is kept.
    None,
    /// A document's tags: the document's number in the chunk.
    Document(u32),
    /// The number of a paragraph in the chunk.
    Paragraph(u32),
}

/// Lines that are kept or removed together.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineBlock {
    /// Its end in the text; it begins where the previous piece ends.
    pub(super) end: usize,
    pub(super) owner: Owner,
}

/// A chunk prepared for the judge and the output.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// The output: the chunk itself, or with a mark before each line.
    pub(super) text: Vec<u8>,
    pub(super) pieces: Vec<LineBlock>,
    documents: Vec<Document>,
    /// Documents in use.
    count: usize,
    /// Bytes read from disk for it.
    pub(super) disk: u64,
    /// Set for an unusually large chunk.
    held: Option<Held>,
}

impl Parsed {
    /// The documents in order.
    pub(super) fn documents(&self) -> &[Document] {
        &self.documents[..self.count]
    }

    fn clear(&mut self) {
        self.text.clear();
        self.pieces.clear();
        // Buffers are reused, except large ones: otherwise each would eventually be as large as the
        // largest document.
        self.documents
            .retain(|document| document.ngrams.capacity() <= RETAINED);
        self.count = 0;
        self.disk = 0;
        self.let_go();
    }

    /// Releases memory that only a large chunk needs; the contents of the buffers are no longer
    /// valid.
    pub(super) fn let_go(&mut self) {
        if self.held.is_some() {
            *self = Self::default();
        }
    }

    /// Marks a piece as removed.
    pub(super) fn mark(&mut self, start: usize, end: usize) {
        let piece = &mut self.text[start..end];
        let mut at = 0;
        while let Some(mark) = piece.get_mut(at) {
            *mark = GONE;
            match memchr(b'\n', &piece[at..]) {
                Some(line) => at += line + 1,
                None => return,
            }
        }
    }
}

/// The maximum number of n-grams for which a document's buffers are kept.
const RETAINED: usize = 16 << 10;

/// Parses chunks; one for each thread.
pub(super) struct Parser<'a> {
    tags: &'a Tags,
    shingler: Shingler,
    whole: bool,
    /// Whether marks are written before the lines.
    marks: bool,
    tokens: Vec<Fingerprint>,
    lengths: Vec<u32>,
    /// Whether a document, and a paragraph in it, are open.
    state: State,
    /// The first piece of the current document, and its first paragraph in the chunk.
    first_piece: usize,
    first_paragraph: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before, between or after documents.
    Outside,
    /// In a document.
    Document { tagged: bool, paragraph: bool },
}

impl<'a> Parser<'a> {
    pub(super) fn new(tags: &'a Tags, shingler: Shingler, whole: bool, marks: bool) -> Self {
        Self {
            tags,
            shingler,
            whole,
            marks,
            tokens: Vec::new(),
            lengths: Vec::new(),
            state: State::Outside,
            first_piece: 0,
            first_paragraph: 0,
        }
    }

    /// Parses a chunk of whole documents. The chunk's bytes are swapped with the text of `out`, or
    /// copied to it.
    pub(super) fn parse(&mut self, chunk: &mut Chunk, out: &mut Parsed) -> Result<()> {
        out.clear();
        out.disk = chunk.disk;
        out.held = chunk.held.take();
        self.first_paragraph = 0;
        self.state = State::Outside;
        let bytes = &chunk.bytes;
        let mut start = 0;
        while start < bytes.len() {
            let line_end =
                memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |length| start + length);
            let next = (line_end + 1).min(bytes.len());
            if self.marks {
                out.text.extend_from_slice(KEPT);
                out.text.extend_from_slice(&bytes[start..next]);
            }
            let end = if self.marks { out.text.len() } else { next };
            if bytes.get(start) == Some(&b'<') {
                self.structure(&bytes[start..line_end], end, out)?;
            } else {
                let token = match bytes
                    .get(start..)
                    .and_then(|rest| rest.first_chunk::<LANE>())
                {
                    Some(lane) if line_end - start <= LANE => {
                        hash::short_token(lane, line_end - start)
                    }
                    _ => hash::token(&bytes[start..line_end]),
                };
                self.token(token, end, out);
            }
            start = next;
        }
        self.end_document(None, out)?;
        if self.tokens.capacity() > RETAINED {
            self.tokens = Vec::new();
        }
        if !self.marks {
            std::mem::swap(&mut out.text, &mut chunk.bytes);
        }
        Ok(())
    }

    #[inline]
    fn token(&mut self, token: Fingerprint, end: usize, out: &mut Parsed) {
        if !matches!(
            self.state,
            State::Document {
                paragraph: true,
                ..
            }
        ) {
            self.open_paragraph(out);
        }
        self.tokens.push(token);
        if let (Some(length), Some(piece)) = (self.lengths.last_mut(), out.pieces.last_mut()) {
            *length += 1;
            piece.end = end;
        }
    }

    fn structure(&mut self, line: &[u8], end: usize, out: &mut Parsed) -> Result<()> {
        match self.tags.line(line) {
            Line::DocumentOpens => {
                self.end_document(None, out)?;
                self.state = State::Document {
                    tagged: true,
                    paragraph: false,
                };
                self.first_piece = out.pieces.len();
                out.pieces.push(LineBlock {
                    end,
                    owner: Owner::Document(out.count as u32),
                });
            }
            Line::DocumentCloses => self.end_document(Some(end), out)?,
            Line::ParagraphOpens => {
                self.open_paragraph(out);
                extend(out, end);
            }
            Line::ParagraphCloses | Line::Other => {
                if !matches!(
                    self.state,
                    State::Document {
                        paragraph: true,
                        ..
                    }
                ) {
                    self.open_paragraph(out);
                }
                extend(out, end);
                if let (Line::ParagraphCloses, State::Document { paragraph, .. }) =
                    (self.tags.line(line), &mut self.state)
                {
                    *paragraph = false;
                }
            }
        }
        Ok(())
    }

    /// Begins a paragraph, and a document without a tag if none is open.
    fn open_paragraph(&mut self, out: &mut Parsed) {
        let tagged = match self.state {
            State::Document { tagged, .. } => tagged,
            State::Outside => {
                self.first_piece = out.pieces.len();
                false
            }
        };
        self.state = State::Document {
            tagged,
            paragraph: true,
        };
        let number = self.first_paragraph + self.lengths.len() as u32;
        self.lengths.push(0);
        out.pieces.push(LineBlock {
            end: 0,
            owner: Owner::Paragraph(number),
        });
    }

    /// Ends the current document, if there is one, with its closing tag, if it has one.
    fn end_document(&mut self, tag: Option<usize>, out: &mut Parsed) -> Result<()> {
        let number = out.count as u32;
        match self.state {
            State::Outside => {
                out.pieces.extend(tag.map(|end| LineBlock {
                    end,
                    owner: Owner::None,
                }));
                return Ok(());
            }
            State::Document { tagged: false, .. } if self.tokens.is_empty() => {
                out.pieces.extend(tag.map(|end| LineBlock {
                    end,
                    owner: Owner::None,
                }));
                for piece in &mut out.pieces[self.first_piece..] {
                    piece.owner = Owner::None;
                }
            }
            State::Document { .. } => {
                out.pieces.extend(tag.map(|end| LineBlock {
                    end,
                    owner: Owner::Document(number),
                }));
                if u32::try_from(self.tokens.len()).is_err() {
                    return Err(Error::data(
                        "expected at most 4294967295 tokens in a document, found more",
                    ));
                }
                if out.documents.len() == out.count {
                    out.documents.push(Document::default());
                }
                out.documents[out.count].fill(
                    &self.shingler,
                    &self.tokens,
                    &self.lengths,
                    self.whole,
                );
                out.count += 1;
                self.first_paragraph += self.lengths.len() as u32;
            }
        }
        self.tokens.clear();
        self.lengths.clear();
        self.state = State::Outside;
        Ok(())
    }
}

/// Adds a line to the current piece.
fn extend(out: &mut Parsed, end: usize) {
    if let Some(piece) = out.pieces.last_mut() {
        piece.end = end;
    }
}
