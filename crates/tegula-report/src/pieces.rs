//! Splits two texts into the rows of a side-by-side view, for terminal and page alike.

use std::ops::Range;
use tegula::compare::{Comparison, Row, Side};

/// How a piece of text is displayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// In both texts, and covered by common shingles.
    Shared,
    /// In both texts, but too short for a shingle.
    Thin,
    /// Only in this text.
    Only,
    /// Elsewhere in the other text: moved or repeated.
    Moved,
}

/// A piece of one of the texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// How it is displayed.
    pub look: Look,
    /// Its tokens.
    pub tokens: Range<usize>,
    /// Its bytes, including white space and marks around the tokens, so that the pieces cover the
    /// whole text.
    pub bytes: Range<usize>,
    /// Where the other text contains the same tokens, if elsewhere.
    pub elsewhere: Option<Range<usize>>,
}

/// A row of the two-column view.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// The piece of the first text.
    pub a: Option<Piece>,
    /// The piece of the second text.
    pub b: Option<Piece>,
}

/// The rows of the two-column view. Text in only one of the two is put next to text in only the
/// other.
pub fn lines(found: &Comparison, texts: (&str, &str)) -> Vec<Line> {
    let (mut left, mut right) = (
        Cutter::new(&found.a, texts.0),
        Cutter::new(&found.b, texts.1),
    );
    let mut lines: Vec<Line> = Vec::with_capacity(found.rows.len());
    let mut waiting = false;
    for row in &found.rows {
        match row {
            Row::Both { a, b, covered } => {
                let look = if *covered { Look::Shared } else { Look::Thin };
                lines.push(Line {
                    a: Some(left.take(a, look, None)),
                    b: Some(right.take(b, look, None)),
                });
                waiting = false;
            }
            Row::OnlyA { a, elsewhere } => {
                lines.push(Line {
                    a: Some(left.take(a, only(elsewhere.as_ref()), elsewhere.clone())),
                    b: None,
                });
                waiting = true;
            }
            Row::OnlyB { b, elsewhere } => {
                let piece = Some(right.take(b, only(elsewhere.as_ref()), elsewhere.clone()));
                match lines.last_mut() {
                    Some(line) if waiting => line.b = piece,
                    _ => lines.push(Line { a: None, b: piece }),
                }
                waiting = false;
            }
        }
    }
    lines
}

fn only(elsewhere: Option<&Range<usize>>) -> Look {
    if elsewhere.is_some() {
        Look::Moved
    } else {
        Look::Only
    }
}

/// Splits a text at the tokens where rows end; text between two rows belongs to the first.
struct Cutter<'a> {
    side: &'a Side,
    text: &'a str,
    at: usize,
}

impl<'a> Cutter<'a> {
    fn new(side: &'a Side, text: &'a str) -> Self {
        Self { side, text, at: 0 }
    }

    fn take(
        &mut self,
        tokens: &Range<usize>,
        look: Look,
        elsewhere: Option<Range<usize>>,
    ) -> Piece {
        let end = tokens.end;
        let to = if end < self.side.len() {
            // An opening bracket or quotation mark belongs to the next token.
            let next = self.side.bytes(end..end + 1).start;
            let last = self.side.bytes(0..end).end.min(next);
            let between = self.text.get(last..next).unwrap_or_default();
            between
                .rfind(char::is_whitespace)
                .map_or(next, |blank| next - between[blank..].trim_start().len())
        } else {
            self.text.len()
        };
        let bytes = self.at..to.max(self.at);
        self.at = bytes.end;
        Piece {
            look,
            tokens: tokens.clone(),
            bytes,
            elsewhere,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tegula::compare::Comparer;
    use tegula::recipe::Recipe;

    #[test]
    fn pieces_are_all_of_both_texts() {
        let comparer =
            Comparer::new(&Recipe::named("sscr").unwrap().with("ngram", "2").unwrap()).unwrap();
        for (a, b) in [
            (
                "The cat sat, down on the mat! Yes. a b",
                "a b The cat (stood) down on the mat!",
            ),
            ("", "x y"),
            ("?", "?"),
            ("\u{e9} \u{1f600} x", "x \u{e9} \u{1f600}"),
        ] {
            let found = comparer.compare(a, b);
            let lines = lines(&found, (a, b));
            let all = |text: &str, of: &dyn Fn(&Line) -> Option<Piece>| -> String {
                lines
                    .iter()
                    .filter_map(of)
                    .map(|piece| text[piece.bytes].to_owned())
                    .collect()
            };
            assert_eq!(all(a, &|line| line.a.clone()), a);
            assert_eq!(all(b, &|line| line.b.clone()), b);
        }
    }

    #[test]
    fn what_only_one_has_stands_beside_what_only_the_other_has() {
        let comparer =
            Comparer::new(&Recipe::named("sscr").unwrap().with("ngram", "2").unwrap()).unwrap();
        let (a, b) = ("a b (red) c d", "a b green c d");
        let found = comparer.compare(a, b);
        let lines = lines(&found, (a, b));
        assert_eq!(lines.len(), 3);
        let middle = &lines[1];
        assert_eq!(&a[middle.a.clone().unwrap().bytes], "(red) ");
        assert_eq!(&b[middle.b.clone().unwrap().bytes], "green ");
        assert_eq!(middle.a.as_ref().unwrap().look, Look::Only);
    }
}
