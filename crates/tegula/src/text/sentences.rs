//! Sentences as tokens: the chunks of COPS (Brin, Davis and Garcia-Molina 1995).

use super::origin::{Origin, Rewriter};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// `text` with a space for each line end inside a paragraph, so that a sentence is the same however
/// its lines are broken; `None` if there are none. Paragraphs are separated by blank lines.
pub(crate) fn unwrapped(text: &str) -> Option<(String, Origin)> {
    let mut rewriter = Rewriter::new(text);
    let mut lines = text.split_inclusive('\n').peekable();
    let mut at = 0;
    while let Some(line) = lines.next() {
        at += line.len();
        let content = line.trim_end();
        let goes_on = lines.peek().is_some_and(|next| !next.trim().is_empty());
        if goes_on && !content.is_empty() {
            rewriter.replace_by(at - (line.len() - content.len())..at, ' ');
        }
    }
    rewriter.finish()
}

/// The first sentence of `text` at or after the byte `from`, without white space around it:
/// boundaries are those of UAX #29.
pub(crate) fn next(text: &str, from: usize) -> Option<Range<usize>> {
    text[from..]
        .split_sentence_bound_indices()
        .find_map(|(at, sentence)| {
            let trimmed = sentence.trim();
            let start = from + at + (sentence.len() - sentence.trim_start().len());
            (!trimmed.is_empty()).then(|| start..start + trimmed.len())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(range) = next(text, at) {
            at = range.end;
            found.push(&text[range]);
        }
        found
    }

    #[test]
    fn sentences_have_no_white_space_around_them() {
        assert_eq!(all(" One. Two!\n\nThree "), ["One.", "Two!", "Three"]);
        assert_eq!(all("一。二！"), ["一。", "二！"]);
        assert!(all(" \n ").is_empty() && all("").is_empty());
    }

    #[test]
    fn lines_of_a_paragraph_are_one() {
        let text = "A sentence \r\nin lines.\nNext\n\nTitle\n \nEnd\n";
        let (out, origin) = unwrapped(text).unwrap();
        assert_eq!(out, "A sentence in lines. Next\n\nTitle\n \nEnd\n");
        assert_eq!(&text[origin.back(0..20)], "A sentence \r\nin lines.");
        assert_eq!(all(&out), ["A sentence in lines.", "Next", "Title", "End"]);
        assert!(unwrapped("One line.\n\nAnother.\n").is_none());
    }
}
