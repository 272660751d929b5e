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
    let mut rows = paired(found);
    keep_numbers_whole(&mut rows, found, texts);
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

    /// Whether tokens may be added: those that are elsewhere are exactly these.
    fn can_grow(&self) -> bool {
        let is_moved =
            |part: &Option<Part>| part.as_ref().is_some_and(|part| part.look == Look::Moved);
        !self.are_equal() && !is_moved(&self.a) && !is_moved(&self.b)
    }
}

/// The rows of a comparison, differences next to each other.
fn paired(found: &Comparison) -> Vec<Parts> {
    let mut rows: Vec<Parts> = Vec::with_capacity(found.rows.len());
    let mut waiting = false;
    for row in &found.rows {
        let part = |look, tokens: &Range<usize>, elsewhere: Option<&Range<usize>>| {
            Some(Part {
                look,
                written: false,
                tokens: tokens.clone(),
                elsewhere: elsewhere.cloned(),
            })
        };
        let one = |tokens, elsewhere: Option<&Range<usize>>| {
            let look = if elsewhere.is_some() {
                Look::Moved
            } else {
                Look::Only
            };
            part(look, tokens, elsewhere)
        };
        match row {
            Row::Both { a, b, covered } => {
                let look = if *covered { Look::Shared } else { Look::Thin };
                rows.push(Parts {
                    a: part(look, a, None),
                    b: part(look, b, None),
                });
            }
            Row::OnlyA { a, elsewhere } => rows.push(Parts {
                a: one(a, elsewhere.as_ref()),
                b: None,
            }),
            Row::OnlyB { b, elsewhere } => {
                let b = one(b, elsewhere.as_ref());
                match rows.last_mut() {
                    Some(last) if waiting => last.b = b,
                    _ => rows.push(Parts { a: None, b }),
                }
            }
        }
        waiting = matches!(row, Row::OnlyA { .. });
    }
    rows
}

/// Moves equal tokens at the edge of a difference into it while the edge is inside a number.
fn keep_numbers_whole(rows: &mut Vec<Parts>, found: &Comparison, texts: (&str, &str)) {
    let is_split = |a: usize, b: usize| {
        is_inside_number(&found.a, texts.0, a) || is_inside_number(&found.b, texts.1, b)
    };
    for at in 1..rows.len() {
        let (before, after) = rows.split_at_mut(at);
        let (first, second) = (&mut before[at - 1], &mut after[0]);
        let (equal, other, is_end) = if first.are_equal() && second.can_grow() {
            (first, second, true)
        } else if first.can_grow() && second.are_equal() {
            (second, first, false)
        } else {
            continue;
        };
        let (Some(a), Some(b)) = (&mut equal.a, &mut equal.b) else {
            continue;
        };
        let edge = |part: &Part| {
            if is_end {
                part.tokens.end
            } else {
                part.tokens.start
            }
        };
        while !a.tokens.is_empty() && is_split(edge(a), edge(b)) {
            for (from, to) in [(&mut *a, &mut other.a), (&mut *b, &mut other.b)] {
                let at = edge(from);
                let to = to.get_or_insert_with(|| Part {
                    look: Look::Only,
                    written: false,
                    tokens: at..at,
                    elsewhere: None,
                });
                if is_end {
                    from.tokens.end -= 1;
                    to.tokens.start -= 1;
                } else {
                    from.tokens.start += 1;
                    to.tokens.end += 1;
                }
            }
        }
    }
    rows.retain(|row| {
        row.a
            .iter()
            .chain(&row.b)
            .any(|part| !part.tokens.is_empty())
    });
}

/// Whether a token and the one before it are parts of one number: nothing or one mark stands
/// between their digits.
fn is_inside_number(side: &Side, text: &str, token: usize) -> bool {
    if token == 0 || token >= side.len() {
        return false;
    }
    let (before, after) = (side.bytes(token - 1..token), side.bytes(token..token + 1));
    let is_digit = |c: Option<char>| c.is_some_and(char::is_numeric);
    let part = |range: Range<usize>| text.get(range).unwrap_or_default();
    let mut between = part(before.end..after.start.max(before.end)).chars();
    let is_mark = |c: char| !c.is_whitespace() && !c.is_alphanumeric();
    between.next().is_none_or(is_mark)
        && between.next().is_none()
        && is_digit(part(before).chars().next_back())
        && is_digit(part(after).chars().next())
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
