//! Maps the bytes of a rewritten text to their source.

use std::ops::Range;

/// Maps ranges of a rewritten text back to the original.
#[derive(Debug, Default)]
pub(crate) struct Origin {
    pieces: Vec<Mapping>,
}

#[derive(Debug)]
struct Mapping {
    /// The start of the piece in the rewritten text.
    start: usize,
    /// Its source.
    source: Range<usize>,
    /// Whether it was copied byte for byte; otherwise it corresponds to its source as a whole.
    copied: bool,
}

impl Origin {
    /// Records that the rewritten text from `start` on is a copy of `source`.
    pub(crate) fn copied(&mut self, start: usize, source: Range<usize>) {
        self.push(start, source, true);
    }

    /// Records that the rewritten text from `start` on corresponds to `source` as a whole.
    pub(crate) fn replaced(&mut self, start: usize, source: Range<usize>) {
        self.push(start, source, false);
    }

    fn push(&mut self, start: usize, source: Range<usize>, copied: bool) {
        self.pieces.push(Mapping {
            start,
            source,
            copied,
        });
    }

    /// The source of a range of the rewritten text; the range must not be empty.
    pub(crate) fn back(&self, range: Range<usize>) -> Range<usize> {
        let start = self.piece(range.start).map_or(range.start, |piece| {
            if piece.copied {
                piece.source.start + (range.start - piece.start)
            } else {
                piece.source.start
            }
        });
        let end = self
            .piece(range.end.saturating_sub(1))
            .map_or(range.end, |piece| {
                if piece.copied {
                    piece.source.start + (range.end - piece.start)
                } else {
                    piece.source.end
                }
            });
        start..end
    }

    /// The piece that contains the byte `at` of the rewritten text.
    fn piece(&self, at: usize) -> Option<&Mapping> {
        let after = self.pieces.partition_point(|piece| piece.start <= at);
        self.pieces.get(after.checked_sub(1)?)
    }
}

/// Copies a text with some parts replaced; nothing is copied before the first replacement.
#[derive(Debug)]
pub(crate) struct Rewriter<'a> {
    text: &'a str,
    /// Everything before this is in `out`.
    copied: usize,
    out: String,
    origin: Origin,
    changed: bool,
}

impl<'a> Rewriter<'a> {
    /// Starts at the beginning of `text`.
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            copied: 0,
            out: String::new(),
            origin: Origin::default(),
            changed: false,
        }
    }

    /// Replaces `range`, which must be after all earlier replacements, with `with`; an empty `with`
    /// removes it.
    pub(crate) fn replace(&mut self, range: Range<usize>, with: &str) {
        self.copy(range.start);
        self.changed = true;
        if !with.is_empty() {
            self.origin.replaced(self.out.len(), range.clone());
            self.out.push_str(with);
        }
        self.copied = range.end;
    }

    /// As [`Rewriter::replace`], with one character.
    pub(crate) fn replace_by(&mut self, range: Range<usize>, with: char) {
        self.replace(range, with.encode_utf8(&mut [0; 4]));
    }

    /// The rewritten text and its mapping; `None` if nothing was replaced.
    pub(crate) fn finish(mut self) -> Option<(String, Origin)> {
        if !self.changed {
            return None;
        }
        self.copy(self.text.len());
        Some((self.out, self.origin))
    }

    fn copy(&mut self, to: usize) {
        if self.copied < to {
            self.origin.copied(self.out.len(), self.copied..to);
            self.out.push_str(&self.text[self.copied..to]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_go_back_through_copies_and_replacements() {
        // "a&amp;bc" became "a&bc"
        let mut origin = Origin::default();
        origin.copied(0, 0..1);
        origin.replaced(1, 1..6);
        origin.copied(2, 6..8);
        assert_eq!(origin.back(0..1), 0..1);
        assert_eq!(origin.back(0..2), 0..6);
        assert_eq!(origin.back(1..2), 1..6);
        assert_eq!(origin.back(2..3), 6..7);
        assert_eq!(origin.back(0..4), 0..8);
    }

    #[test]
    fn without_pieces_nothing_moved() {
        assert_eq!(Origin::default().back(3..5), 3..5);
    }

    #[test]
    fn a_rewriter_knows_the_way_back() {
        let mut rewriter = Rewriter::new("a--bcd");
        rewriter.replace(1..3, "");
        rewriter.replace_by(4..5, 'ö');
        let (out, origin) = rewriter.finish().unwrap();
        assert_eq!(out, "aböd");
        assert_eq!(
            (origin.back(0..2), origin.back(2..4), origin.back(4..5)),
            (0..4, 4..5, 5..6)
        );
        assert!(Rewriter::new("abc").finish().is_none());
    }
}
