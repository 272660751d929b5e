//! Splits two texts into the rows of a side-by-side view, for terminal and page alike.

mod numbers;

pub use numbers::outside_numbers;

use numbers::{Stretch, keep_numbers_whole};
use std::ops::Range;
use tegula::compare::{Comparison, Side};

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
    /// Whether its tokens are written differently in the other text, though equal after
    /// normalisation: in case, punctuation, or what the recipe masks.
    pub written: bool,
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
/// other, a number of several tokens ("80,000") is in one piece, and so are equal tokens that are
/// written differently. Cost: one pass over both texts.
pub fn lines(found: &Comparison, texts: (&str, &str)) -> Vec<Line> {
    let rows = paired(keep_numbers_whole(found, texts));
    let rows = split_by_writing(rows, found, texts);
    let (mut left, mut right) = (
        Cutter::new(&found.a, texts.0),
        Cutter::new(&found.b, texts.1),
    );
    rows.into_iter()
        .map(|row| Line {
            a: row.a.map(|part| left.take(part)),
            b: row.b.map(|part| right.take(part)),
        })
        .collect()
}

/// The tokens of a piece that is not yet cut.
#[derive(Debug)]
struct Part {
    look: Look,
    written: bool,
    tokens: Range<usize>,
    elsewhere: Option<Range<usize>>,
}

impl Part {
    fn new(look: Look, tokens: Range<usize>) -> Self {
        Self {
            look,
            written: false,
            tokens,
            elsewhere: None,
        }
    }
}

/// The parts of a row.
#[derive(Debug, Default)]
struct Parts {
    a: Option<Part>,
    b: Option<Part>,
}

impl Parts {
    /// Whether the two are equal.
    fn are_equal(&self) -> bool {
        let look = self.a.as_ref().map(|part| part.look);
        matches!(look, Some(Look::Shared | Look::Thin))
    }
}

/// The rows of the parts, differences next to each other.
fn paired(all: Vec<Stretch>) -> Vec<Parts> {
    let mut rows = Vec::with_capacity(all.len());
    for stretch in all {
        let [mut a, b] = stretch.sides;
        let mut b = b.into_iter();
        let last = a.pop();
        let single = |part| Parts {
            a: Some(part),
            b: None,
        };
        rows.extend(a.into_iter().map(single));
        if last.is_some() {
            rows.push(Parts {
                a: last,
                b: b.next(),
            });
        }
        rows.extend(b.map(|part| Parts {
            a: None,
            b: Some(part),
        }));
    }
    rows
}

/// Equal tokens between two that are written differently with which they share a piece.
const NEAR: usize = 1;

/// The maximum number of tokens of a word, where tokens are characters.
const LONGEST: usize = 40;

/// Gives equal tokens that are written differently rows of their own, with the words they are in.
fn split_by_writing(rows: Vec<Parts>, found: &Comparison, texts: (&str, &str)) -> Vec<Parts> {
    let is_same = |a: usize, b: usize| {
        let (a, b) = (written(&found.a, texts.0, a), written(&found.b, texts.1, b));
        a == b || a.split_whitespace().eq(b.split_whitespace())
    };
    let mut out = Vec::with_capacity(rows.len());
    for row in rows {
        let (Some(a), Some(b)) = (&row.a, &row.b) else {
            out.push(row);
            continue;
        };
        if !row.are_equal() || a.tokens.len() != b.tokens.len() {
            out.push(row);
            continue;
        }
        let (first_a, first_b) = (a.tokens.start, b.tokens.start);
        let starts_word = |at: usize| {
            is_start_of_word(&found.a, texts.0, first_a + at)
                && is_start_of_word(&found.b, texts.1, first_b + at)
        };
        let mut runs: Vec<Range<usize>> = Vec::new();
        for at in (0..a.tokens.len()).filter(|at| !is_same(first_a + at, first_b + at)) {
            // Tokens may be characters.
            let mut before = (at.saturating_sub(LONGEST)..=at).rev();
            let start = before.find(|at| starts_word(*at)).unwrap_or(at);
            let last = (at + LONGEST).min(a.tokens.len());
            let end = (at + 1..last).find(|at| starts_word(*at)).unwrap_or(last);
            match runs.last_mut() {
                Some(last) if start <= last.end + NEAR => last.end = last.end.max(end),
                _ => runs.push(start..end),
            }
        }
        let part = |of: &Part, tokens: Range<usize>, written| {
            Some(Part {
                look: of.look,
                written,
                tokens: of.tokens.start + tokens.start..of.tokens.start + tokens.end,
                elsewhere: None,
            })
        };
        let mut push = |tokens: Range<usize>, written| {
            if !tokens.is_empty() {
                out.push(Parts {
                    a: part(a, tokens.clone(), written),
                    b: part(b, tokens, written),
                });
            }
        };
        let mut at = 0;
        for run in runs {
            push(at..run.start, false);
            at = run.end;
            push(run, true);
        }
        push(at..a.tokens.len(), false);
    }
    out
}

/// Whether a token is at the start of a word; in scripts without spaces, each is.
fn is_start_of_word(side: &Side, text: &str, token: usize) -> bool {
    let halves = text.split_at_checked(cut(side, text, token));
    let (before, after) = halves.unwrap_or_default();
    let ends = |c: char| c.is_whitespace() || c >= '\u{2e80}';
    token == 0
        || before.chars().next_back().is_none_or(ends)
        || after.chars().next().is_none_or(ends)
}

/// A token as written, with the marks around it.
fn written<'a>(side: &Side, text: &'a str, token: usize) -> &'a str {
    let start = if token == 0 {
        0
    } else {
        cut(side, text, token)
    };
    text.get(start..cut(side, text, token + 1))
        .unwrap_or_default()
}

/// The byte at which a text is split before a token, or its end. An opening bracket or quotation
/// mark belongs to the token after it.
fn cut(side: &Side, text: &str, token: usize) -> usize {
    if token >= side.len() {
        return text.len();
    }
    let next = side.bytes(token..token + 1).start;
    let last = side.bytes(0..token).end.min(next);
    let between = text.get(last..next).unwrap_or_default();
    between
        .rfind(char::is_whitespace)
        .map_or(next, |blank| next - between[blank..].trim_start().len())
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

    fn take(&mut self, part: Part) -> Piece {
        let to = cut(self.side, self.text, part.tokens.end);
        let bytes = self.at..to.max(self.at);
        self.at = bytes.end;
        Piece {
            look: part.look,
            written: part.written,
            tokens: part.tokens,
            bytes,
            elsewhere: part.elsewhere,
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
            ("we sold 80,000 last year", "we sold 90,000 last year"),
            ("in 3.5 and 80,000", "80,000 in 3.7"),
            (
                "it cost 80,000 euros (and more) by 1.5 of it",
                "by 1.7 of it 95,000 euros (and more) it cost 80,500,000",
            ),
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

    #[test]
    fn equal_tokens_that_are_written_differently_are_apart() {
        let comparer =
            Comparer::new(&Recipe::named("sscr").unwrap().with("ngram", "2").unwrap()).unwrap();
        let differ = |a: &str, b: &str| -> Vec<(String, String)> {
            let lines = lines(&comparer.compare(a, b), (a, b));
            let pieces = lines
                .iter()
                .filter_map(|line| Some((line.a.as_ref()?, line.b.as_ref()?)));
            let written = pieces.filter(|(x, y)| x.written && y.written);
            let shown = written
                .map(|(x, y)| (a[x.bytes.clone()].to_owned(), b[y.bytes.clone()].to_owned()));
            shown.collect()
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            differ(
                "We came, we saw, and then we left at once.",
                "We came, we saw and then we left\n\nat once!"
            ),
            [pair("saw, ", "saw "), pair("once.", "once!")]
        );
        // One token between them is not worth a row of its own.
        assert_eq!(
            differ(
                "one (two) three Four five six Seven",
                "one two three four five six seven"
            ),
            [
                pair("(two) three Four ", "two three four "),
                pair("Seven", "seven")
            ]
        );
        assert_eq!(differ("the same\ttext", "the same  text"), []);
        let characters = Comparer::new(&Recipe::named("messages").unwrap()).unwrap();
        let (a, b) = ("win a ca$h prize today", "win a cash prize today");
        let found = lines(&characters.compare(a, b), (a, b));
        let pieces = found.iter().filter_map(|line| line.a.as_ref());
        let written = pieces
            .filter(|piece| piece.written)
            .map(|piece| &a[piece.bytes.clone()]);
        assert_eq!(written.collect::<Vec<_>>(), ["ca$h "]);
    }

    #[test]
    fn numbers_are_in_one_piece() {
        let comparer =
            Comparer::new(&Recipe::named("sscr").unwrap().with("ngram", "2").unwrap()).unwrap();
        for (a, b, expected) in [
            (
                "they sold 80,000 of them",
                "they sold 90,000 of them",
                ("80,000 ", "90,000 "),
            ),
            (
                "they sold 80,000 of them",
                "they sold 80,500 of them",
                ("80,000 ", "80,500 "),
            ),
            (
                "on 12:30 or later",
                "on 12:30:15 or later",
                ("12:30 ", "12:30:15 "),
            ),
            ("from 1, 2 on it", "from 1, 3 on it", ("2 ", "3 ")),
        ] {
            let lines = lines(&comparer.compare(a, b), (a, b));
            let differ: Vec<(&str, &str)> = lines
                .iter()
                .filter_map(|line| Some((line.a.as_ref()?, line.b.as_ref()?)))
                .filter(|(x, _)| x.look == Look::Only)
                .map(|(x, y)| (&a[x.bytes.clone()], &b[y.bytes.clone()]))
                .collect();
            assert_eq!(differ, [expected]);
        }
    }
}
