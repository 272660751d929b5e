//! Splits records into units: the whole text, its paragraphs, its lines, or its sentences.

use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

crate::choices! {
    /// The levels at which a text can be split.
    pub enum Level {
        /// The whole record
        Document = "document",
        /// Its paragraphs
        Paragraph = "paragraph",
        /// Its lines
        Line = "line",
        /// Its sentences
        Sentence = "sentence",
        /// Passages that occur in other texts, wherever they begin and end: the recipe passages
        Passage = "passage",
    }
}

impl Level {
    /// What introduces the number of a unit of this level after the id of its record.
    #[doc(hidden)]
    pub fn mark(self) -> &'static str {
        match self {
            Self::Document => "",
            Self::Paragraph => "#p",
            Self::Line => "#l",
            Self::Sentence => "#s",
            Self::Passage => "#q",
        }
    }
}

/// A paragraph or sentence that the format itself marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// [`Level::Paragraph`] or [`Level::Sentence`].
    pub level: Level,
    /// Its bytes in the record's text.
    pub text: Range<usize>,
    /// The id that the format gives it.
    pub id: Option<Box<str>>,
}

/// A unit inside a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its bytes in the text.
    pub text: Range<usize>,
    /// Bytes to remove with the unit: the unit and the separator after it. Cuts of one call never
    /// overlap, unless the format's segments do.
    pub cut: Range<usize>,
}

/// Appends the units of `text` at `level` to `out`, in order.
///
/// - A document is the whole text, even an empty one.
/// - Paragraphs and sentences are those that the format marks, if it marks any of that level: text
///   around them is never removed.
/// - Lines end at line feeds, whatever the format marks: a line is without the white space at its end;
///   its cut includes the line end.
/// - Otherwise paragraphs are separated by blank lines (of white space only): a paragraph is its
///   lines without the white space at its end; its cut extends to the next paragraph, or to the end
///   of the text. Blank lines before the first paragraph belong to no cut.
/// - Otherwise sentences are those of UAX #29 inside each paragraph, marked or not, without
///   surrounding white space; the cut includes the white space, but not the separator of
///   paragraphs. Under this rule a line end ends a sentence.
///
/// White space alone is never a paragraph, line or sentence.
///
/// With `rejoin`, a broken paragraph or sentence is joined with the next one: if its last character
/// is a letter, a digit, a comma or a hyphen, and the next begins with a lower-case letter. So
/// texts with differently broken paragraphs, such as text extracted from pages, result in the same
/// units (Benko 2013 §2.1).
pub fn parts(text: &str, segments: &[Segment], level: Level, rejoin: bool, out: &mut Vec<Part>) {
    let first = out.len();
    found(text, segments, level, rejoin, out);
    if rejoin && matches!(level, Level::Paragraph | Level::Sentence) {
        join_broken(text, first, out);
    }
}

fn found(text: &str, segments: &[Segment], level: Level, rejoin: bool, out: &mut Vec<Part>) {
    match level {
        // Passages are found by comparing whole texts.
        Level::Document | Level::Passage => out.push(Part {
            text: 0..text.len(),
            cut: 0..text.len(),
        }),
        Level::Paragraph => {
            if !marked(text, segments, level, out) {
                paragraphs(text, |part| out.push(part));
            }
        }
        Level::Line => lines(text, |part| out.push(part)),
        Level::Sentence => {
            if marked(text, segments, level, out) {
                return;
            }
            let mut blocks = Vec::new();
            if !marked(text, segments, Level::Paragraph, &mut blocks) {
                paragraphs(text, |part| blocks.push(part));
            }
            if rejoin {
                join_broken(text, 0, &mut blocks);
            }
            for block in blocks {
                sentences(text, block.text, out);
            }
        }
    }
}

/// Joins broken units, starting at `first`, with the units after them.
fn join_broken(text: &str, first: usize, out: &mut Vec<Part>) {
    let breaks_off = |part: &Part| {
        let last = text[part.text.clone()].trim_end().chars().next_back();
        last.is_some_and(|c| c.is_alphanumeric() || matches!(c, ',' | '-' | '\u{2010}' | '\u{AD}'))
    };
    let goes_on = |part: &Part| {
        text[part.text.clone()]
            .trim_start()
            .chars()
            .next()
            .is_some_and(char::is_lowercase)
    };
    let mut kept = first;
    for at in first..out.len() {
        let (done, rest) = out.split_at_mut(at);
        let part = &rest[0];
        match done[first..kept].last_mut() {
            Some(last) if breaks_off(last) && goes_on(part) => {
                last.text.end = part.text.end.max(last.text.end);
                last.cut.end = part.cut.end.max(last.cut.end);
            }
            _ => {
                out.swap(kept, at);
                kept += 1;
            }
        }
    }
    out.truncate(kept);
}

/// Appends the segments of `level`, and returns whether there are any: segments of white space
/// count, but are not units.
fn marked(text: &str, segments: &[Segment], level: Level, out: &mut Vec<Part>) -> bool {
    let mut any = false;
    for segment in segments.iter().filter(|segment| segment.level == level) {
        any = true;
        let range = &segment.text;
        if text.get(range.clone()).is_some_and(|text| !is_blank(text)) {
            out.push(Part {
                text: range.clone(),
                cut: range.clone(),
            });
        }
    }
    any
}

fn lines(text: &str, mut f: impl FnMut(Part)) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_end().len();
        let cut = at..at + line.len();
        at = cut.end;
        if trimmed > 0 {
            f(Part {
                text: cut.start..cut.start + trimmed,
                cut,
            });
        }
    }
}

fn paragraphs(text: &str, mut f: impl FnMut(Part)) {
    let mut open: Option<Range<usize>> = None; // the paragraph's text so far
    let mut after_blank = true;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_end().len();
        if trimmed == 0 {
            after_blank = true;
        } else {
            if after_blank && let Some(text) = open.take() {
                f(Part {
                    cut: text.start..at,
                    text,
                });
            }
            let start = open.map_or(at, |text| text.start);
            open = Some(start..at + trimmed);
            after_blank = false;
        }
        at += line.len();
    }
    if let Some(text) = open {
        f(Part {
            cut: text.start..at,
            text,
        });
    }
}

fn sentences(text: &str, block: Range<usize>, out: &mut Vec<Part>) {
    let first = out.len();
    for (at, sentence) in text[block.clone()].split_sentence_bound_indices() {
        let start = block.start + at;
        let end = start + sentence.len();
        let head = sentence.len() - sentence.trim_start().len();
        if head < sentence.len() {
            out.push(Part {
                text: start + head..start + sentence.trim_end().len(),
                cut: start..end,
            });
        } else if let Some(last) = out[first..].last_mut() {
            last.cut.end = end;
        }
    }
}

fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn units(text: &str, segments: &[Segment], level: Level) -> Vec<Part> {
        let mut out = Vec::new();
        parts(text, segments, level, false, &mut out);
        out
    }

    #[test]
    fn lines_are_cut_with_their_ends() {
        let text = "  a\r\n \n\nb \nc";
        let parts = units(text, &[], Level::Line);
        let shown: Vec<_> = (parts.iter())
            .map(|part| (&text[part.text.clone()], &text[part.cut.clone()]))
            .collect();
        assert_eq!(shown, [("  a", "  a\r\n"), ("b", "b \n"), ("c", "c")]);
        let segments = [Segment {
            level: Level::Paragraph,
            text: 0..3,
            id: None,
        }];
        assert_eq!(units(text, &segments, Level::Line), parts);
    }

    #[test]
    fn broken_paragraphs_and_sentences_are_rejoined() {
        let texts = |text: &'static str, level| -> Vec<&str> {
            let mut out = Vec::new();
            parts(text, &[], level, true, &mut out);
            out.into_iter().map(|part| &text[part.text]).collect()
        };
        let text = "The law of the\n\nland, as amen-\n\nded. Second one.\n\nA title\n\nNew text";
        assert_eq!(
            texts(text, Level::Paragraph),
            [
                "The law of the\n\nland, as amen-\n\nded. Second one.",
                "A title",
                "New text"
            ]
        );
        assert_eq!(
            texts(text, Level::Sentence),
            [
                "The law of the\n\nland, as amen-\n\nded.",
                "Second one.",
                "A title",
                "New text"
            ]
        );
        assert_eq!(texts(text, Level::Document), [text]);
        assert!(texts(" \n", Level::Paragraph).is_empty());
    }

    fn texts_and_cuts(text: &str, level: Level) -> Vec<(&str, &str)> {
        let pair = |part: Part| (&text[part.text], &text[part.cut]);
        units(text, &[], level).into_iter().map(pair).collect()
    }

    #[test]
    fn a_document_is_all_of_it() {
        for text in ["", " \n", "a\n\nb"] {
            let whole = 0..text.len();
            let expected = Part {
                text: whole.clone(),
                cut: whole,
            };
            assert_eq!(units(text, &[], Level::Document), [expected]);
        }
    }

    #[test]
    fn blank_lines_part_paragraphs() {
        assert_eq!(
            texts_and_cuts("\n  a\nb \r\n \t\r\n\n c\n\n\n", Level::Paragraph),
            [("  a\nb", "  a\nb \r\n \t\r\n\n"), (" c", " c\n\n\n")]
        );
        assert_eq!(
            texts_and_cuts("a\r\n\r\nb", Level::Paragraph),
            [("a", "a\r\n\r\n"), ("b", "b")]
        );
        assert!(texts_and_cuts(" \n\u{A0}\n", Level::Paragraph).is_empty());
        assert!(texts_and_cuts("", Level::Paragraph).is_empty());
    }

    #[test]
    fn sentences_lie_inside_paragraphs() {
        assert_eq!(
            texts_and_cuts("Eins. Zwei!  Drei\nvier?\n\n 5.", Level::Sentence),
            [
                ("Eins.", "Eins. "),
                ("Zwei!", "Zwei!  "),
                ("Drei", "Drei\n"),
                ("vier?", "vier?"),
                ("5.", " 5."),
            ]
        );
        assert!(texts_and_cuts("\n \n", Level::Sentence).is_empty());
    }

    #[test]
    fn the_formats_own_segments_are_taken_as_they_are() {
        let segment = |level, text| Segment {
            level,
            text,
            id: None,
        };
        let text = "A b. C\n\nd.\n \nE";
        let marked = [
            segment(Level::Paragraph, 0..11),
            segment(Level::Paragraph, 11..13),
            segment(Level::Sentence, 0..7),
        ];
        let spans = |segments: &[Segment], level| -> Vec<_> {
            let parts = units(text, segments, level).into_iter();
            parts.map(|part| (part.text, part.cut)).collect()
        };
        assert_eq!(spans(&marked, Level::Paragraph), [(0..11, 0..11)]);
        assert_eq!(spans(&marked, Level::Sentence), [(0..7, 0..7)]);
        // Paragraphs alone are marked: sentences by UAX #29 inside them.
        assert_eq!(
            spans(&marked[..2], Level::Sentence),
            [(0..4, 0..5), (5..6, 5..8), (8..10, 8..11)]
        );
        // A segment outside the text is not a unit.
        assert!(spans(&[segment(Level::Paragraph, 0..99)], Level::Paragraph).is_empty());
    }

    proptest! {
        #[test]
        fn cuts_tile_the_text(text in "([a-cA-Z. \n!?\r\t“”]|\r\n|\n\n|é|東。|\u{A0}|1\\.5){0,40}") {
            for level in [Level::Paragraph, Level::Line, Level::Sentence] {
                let mut at = 0;
                let mut rest = String::new();
                let mut whole = String::new();
                for part in units(&text, &[], level) {
                    prop_assert!(at <= part.cut.start);
                    prop_assert!(part.cut.start <= part.text.start && part.text.end <= part.cut.end);
                    prop_assert!(!is_blank(&text[part.text.clone()]));
                    prop_assert!(is_blank(&text[part.cut.start..part.text.start]));
                    prop_assert!(is_blank(&text[part.text.end..part.cut.end]));
                    rest.push_str(&text[at..part.cut.start]);
                    whole.push_str(&text[at..part.cut.start]);
                    whole.push_str(&text[part.cut.clone()]);
                    at = part.cut.end;
                }
                rest.push_str(&text[at..]);
                whole.push_str(&text[at..]);
                prop_assert!(is_blank(&rest), "{:?} is in no unit", rest);
                prop_assert_eq!(&whole, &text);
            }
        }

        #[test]
        fn sentences_refine_paragraphs(text in "[a-c. \n\r!]{0,40}") {
            let paragraphs = units(&text, &[], Level::Paragraph);
            for sentence in units(&text, &[], Level::Sentence) {
                let inside = |part: &Part| part.text.start <= sentence.cut.start && sentence.cut.end <= part.text.end;
                prop_assert!(paragraphs.iter().any(inside));
            }
        }
    }
}
