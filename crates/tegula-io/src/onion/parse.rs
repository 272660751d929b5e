//! Parses the bytes of vertical text into documents, paragraphs and tokens.
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
use super::ngrams::Ngrams;
use super::tags::{Line, Tags};
use tegula::error::{ErrorKind, Result};
use tegula::hash::{self, Fingerprint, LANE};
use tegula::onion::{Document, Text};
use tegula::text::lines::LineEnds;

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
pub(super) struct Parsed<K> {
    /// The output: the chunk itself, or with a mark before each line.
    pub(super) text: Vec<u8>,
    pub(super) pieces: Vec<LineBlock>,
    documents: Vec<Document<K>>,
    /// Documents in use.
    count: usize,
    /// Bytes read from disk for it.
    pub(super) disk: u64,
    /// Set for an unusually large chunk.
    held: Option<Held>,
}

impl<K: Default> Parsed<K> {
    /// The documents in order.
    pub(super) fn documents(&self) -> &[Document<K>] {
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
    pub(super) fn mark(&mut self, start: usize, end: usize, ends: &mut LineEnds) {
        let piece = &mut self.text[start..end];
        if let Some(mark) = piece.first_mut() {
            *mark = GONE;
        }
        for from in (0..piece.len()).step_by(BLOCK) {
            let block = &piece[from..piece.len().min(from + BLOCK)];
            for end in ends.find(block) {
                if let Some(mark) = piece.get_mut(from + *end as usize + 1) {
                    *mark = GONE;
                }
            }
        }
    }
}

/// The maximum number of n-grams for which a document's buffers are kept.
const RETAINED: usize = 16 << 10;

/// Bytes in which line ends are found in one step.
const BLOCK: usize = 16 << 10;
/// A line up to this length is copied as if it had it.
const COPIED: usize = 32;

/// Parses chunks; one for each thread.
pub(super) struct Parser<'a, N> {
    tags: &'a Tags,
    ngrams: N,
    /// Whether marks are written before the lines.
    marks: bool,
    ends: LineEnds,
    /// The line of the input that is parsed, and that at which the current document begins.
    line: u64,
    first_line: u64,
    tokens: Vec<Fingerprint>,
    lengths: Vec<u32>,
    /// The last tokens, not yet added to their paragraph: how many, and where they end in the text.
    run: u32,
    run_end: usize,
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

impl<'a, N: Ngrams> Parser<'a, N> {
    pub(super) fn new(tags: &'a Tags, ngrams: N, marks: bool) -> Self {
        Self {
            tags,
            ngrams,
            marks,
            ends: LineEnds::default(),
            line: 0,
            first_line: 0,
            tokens: Vec::new(),
            lengths: Vec::new(),
            run: 0,
            run_end: 0,
            state: State::Outside,
            first_piece: 0,
            first_paragraph: 0,
        }
    }

    /// Parses a chunk of whole documents. The chunk's bytes are swapped with the text of `out`, or
    /// copied to it.
    pub(super) fn parse(&mut self, chunk: &mut Chunk, out: &mut Parsed<N::Key>) -> Result<()> {
        out.clear();
        out.disk = chunk.disk;
        out.held = chunk.held.take();
        self.first_paragraph = 0;
        self.state = State::Outside;
        self.line = chunk.first_line;
        let bytes = &chunk.bytes;
        if self.marks {
            let marks = chunk.lines as usize * KEPT.len();
            out.text.resize(bytes.len() + marks, 0);
        }
        let (mut start, mut to) = (0, 0);
        let mut ends = std::mem::take(&mut self.ends);
        for (block, from) in bytes.chunks(BLOCK).zip((0..).step_by(BLOCK)) {
            for end in ends.find(block) {
                let end = from + *end as usize;
                to = self.parse_line(bytes, (start, end, end + 1), to, out)?;
                start = end + 1;
            }
        }
        self.ends = ends;
        if start < bytes.len() {
            self.parse_line(bytes, (start, bytes.len(), bytes.len()), to, out)?;
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

    /// Parses the line from `start` to `end`; the next one begins at `next`. With marks, it is
    /// copied to the output at `to`. Returns where the output then ends.
    #[inline]
    fn parse_line(
        &mut self,
        bytes: &[u8],
        (start, end, next): (usize, usize, usize),
        to: usize,
        out: &mut Parsed<N::Key>,
    ) -> Result<usize> {
        let to = if self.marks {
            copy(bytes, (start, next), &mut out.text, to)
        } else {
            next
        };
        if bytes.get(start) == Some(&b'<') {
            self.structure(&bytes[start..end], to, out)?;
        } else {
            let token = match bytes[start..].first_chunk::<LANE>() {
                Some(lane) if end - start <= LANE => hash::short_token(lane, end - start),
                _ => hash::token(&bytes[start..end]),
            };
            self.token(token, to, out);
        }
        self.line += 1;
        Ok(to)
    }

    #[inline]
    fn token(&mut self, token: Fingerprint, end: usize, out: &mut Parsed<N::Key>) {
        if self.run == 0 && !self.is_in_paragraph() {
            self.open_paragraph(out);
        }
        self.tokens.push(token);
        self.run += 1;
        self.run_end = end;
    }

    /// Adds the last tokens to their paragraph.
    fn end_run(&mut self, out: &mut Parsed<N::Key>) {
        if self.run > 0
            && let (Some(length), Some(piece)) = (self.lengths.last_mut(), out.pieces.last_mut())
        {
            *length += std::mem::take(&mut self.run);
            piece.end = self.run_end;
        }
    }

    fn is_in_paragraph(&self) -> bool {
        matches!(
            self.state,
            State::Document {
                paragraph: true,
                ..
            }
        )
    }

    fn structure(&mut self, line: &[u8], end: usize, out: &mut Parsed<N::Key>) -> Result<()> {
        self.end_run(out);
        match self.tags.line(line) {
            Line::DocumentOpens => {
                self.end_document(None, out)?;
                self.state = State::Document {
                    tagged: true,
                    paragraph: false,
                };
                self.first_piece = out.pieces.len();
                self.first_line = self.line;
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
                if !self.is_in_paragraph() {
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
    fn open_paragraph(&mut self, out: &mut Parsed<N::Key>) {
        let tagged = match self.state {
            State::Document { tagged, .. } => tagged,
            State::Outside => {
                self.first_piece = out.pieces.len();
                self.first_line = self.line;
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
    fn end_document(&mut self, tag: Option<usize>, out: &mut Parsed<N::Key>) -> Result<()> {
        self.end_run(out);
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
                    return Err(ErrorKind::Data
                        .expected("at most 4294967295 tokens in a document")
                        .found("more"));
                }
                if out.documents.len() == out.count {
                    out.documents.push(Document::default());
                }
                let text = Text {
                    tokens: &self.tokens,
                    lengths: &self.lengths,
                    first: self.first_line,
                    salt: Fingerprint::default(),
                };
                self.ngrams.document(text, &mut out.documents[out.count])?;
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

/// Copies a line with a mark before it, and returns where it ends.
#[inline]
fn copy(bytes: &[u8], (start, end): (usize, usize), text: &mut [u8], to: usize) -> usize {
    let from = to + KEPT.len();
    let after = from + (end - start);
    text[to..from].copy_from_slice(KEPT);
    match (
        bytes[start..].first_chunk::<COPIED>(),
        text[from..].first_chunk_mut::<COPIED>(),
    ) {
        // A copy of a fixed length is a few instructions; what follows is overwritten by the next.
        (Some(line), Some(place)) if end - start <= COPIED => *place = *line,
        _ => text[from..after].copy_from_slice(&bytes[start..end]),
    }
    after
}

/// Adds a line to the current piece.
fn extend<K>(out: &mut Parsed<K>, end: usize) {
    if let Some(piece) = out.pieces.last_mut() {
        piece.end = end;
    }
}
