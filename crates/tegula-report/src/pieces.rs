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

/// Equal tokens, one part of each text; or what each text has between two of these.
#[derive(Debug)]
struct Stretch {
    /// How equal tokens are displayed.
    equal: Option<Look>,
    sides: [Vec<Part>; 2],
}

impl Stretch {
    fn equal(look: Look, tokens: [&Range<usize>; 2]) -> Self {
        Self {
            equal: Some(look),
            sides: tokens.map(|tokens| vec![Part::new(look, tokens.clone())]),
        }
    }

    fn differing(at: usize, parts: Vec<Part>) -> Self {
        let mut sides = [Vec::new(), Vec::new()];
        sides[at] = parts;
        Self { equal: None, sides }
    }

    /// Where equal tokens are in both texts.
    fn tokens(&self) -> Option<[Range<usize>; 2]> {
        match &self.sides {
            [a, b] if self.equal.is_some() => Some([a, b].map(|parts| parts[0].tokens.clone())),
            _ => None,
        }
    }

    fn is_empty(&self) -> bool {
        let mut parts = self.sides.iter().flatten();
        parts.all(|part| part.tokens.is_empty())
    }

    /// Takes the first tokens off.
    fn take_first(&mut self, count: usize) -> [Range<usize>; 2] {
        self.sides.each_mut().map(|parts| {
            let tokens = &mut parts[0].tokens;
            tokens.start += count;
            tokens.start - count..tokens.start
        })
    }

    /// Takes the last tokens off.
    fn take_last(&mut self, count: usize) -> [Range<usize>; 2] {
        self.sides.each_mut().map(|parts| {
            let tokens = &mut parts[0].tokens;
            tokens.end -= count;
            tokens.end..tokens.end + count
        })
    }

    /// Adds tokens before its own.
    fn prepend(&mut self, tokens: [Range<usize>; 2]) {
        let look = self.equal.unwrap_or(Look::Only);
        for (parts, tokens) in self.sides.iter_mut().zip(tokens) {
            match parts.first_mut() {
                Some(first) if first.look == look => first.tokens.start = tokens.start,
                _ => parts.insert(0, Part::new(look, tokens)),
            }
        }
    }

    /// Adds tokens after its own.
    fn append(&mut self, tokens: [Range<usize>; 2]) {
        let look = self.equal.unwrap_or(Look::Only);
        for (parts, tokens) in self.sides.iter_mut().zip(tokens) {
            push(parts, Part::new(look, tokens));
        }
    }
}

/// Adds a part of the same text; what only that text has is one part with what is before it.
fn push(parts: &mut Vec<Part>, part: Part) {
    match parts.last_mut() {
        _ if part.tokens.is_empty() => {}
        Some(last) if last.look == part.look && part.look != Look::Moved => {
            last.tokens.end = part.tokens.end;
        }
        _ => parts.push(part),
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

/// The stretches of a comparison, none of which begins or ends inside a number: what equal or moved
/// tokens have of such a number is shown as different, with the rest of it.
fn keep_numbers_whole(found: &Comparison, texts: (&str, &str)) -> Vec<Stretch> {
    let is_split = |a: usize, b: usize| is_split(found, texts, a, b);
    let outside = |a: &Range<usize>, b: &Range<usize>| outside_numbers(found, texts, (a, b));
    let mut out: Vec<Stretch> = Vec::new();
    for row in &found.rows {
        let mut next = match row {
            Row::Both { a, b, covered } => {
                let look = if *covered { Look::Shared } else { Look::Thin };
                Stretch::equal(look, [a, b])
            }
            Row::OnlyA { a, elsewhere } => {
                let parts = unequal(a, elsewhere.as_ref(), outside);
                Stretch::differing(0, parts)
            }
            Row::OnlyB { b, elsewhere } => {
                let parts = unequal(b, elsewhere.as_ref(), |b, a| outside(a, b));
                Stretch::differing(1, parts)
            }
        };
        while let Some(mut last) = out.pop() {
            settle(&mut last, &mut next, is_split);
            // Now the one before that is the neighbour.
            if last.is_empty() {
                continue;
            }
            if last.equal.is_none() && next.equal.is_none() {
                for (parts, more) in last.sides.iter_mut().zip(&mut next.sides) {
                    more.drain(..).for_each(|part| push(parts, part));
                }
            }
            out.push(last);
            break;
        }
        if !next.is_empty() {
            out.push(next);
        }
    }
    out
}

/// Of two neighbours, moves equal tokens into the other while the boundary is inside a number; if
/// both are equal, into the one that is not covered.
fn settle(last: &mut Stretch, next: &mut Stretch, is_split: impl Fn(usize, usize) -> bool) {
    let to_last = next.equal.is_some() && last.equal != Some(Look::Shared);
    let to_next = last.equal.is_some() && !to_last;
    if let (true, Some([a, b])) = (to_last, next.tokens()) {
        let count = (0..a.len()).find(|at| !is_split(a.start + at, b.start + at));
        let taken = next.take_first(count.unwrap_or(a.len()));
        last.append(taken);
    } else if let (true, Some([a, b])) = (to_next, last.tokens()) {
        let count = (0..a.len()).find(|at| !is_split(a.end - at, b.end - at));
        let taken = last.take_last(count.unwrap_or(a.len()));
        if !taken[0].is_empty() {
            next.prepend(taken);
        }
    }
}

/// The parts of tokens that are in one text only, or elsewhere in the other; `outside` says what
/// remains of those that are in both.
fn unequal(
    tokens: &Range<usize>,
    elsewhere: Option<&Range<usize>>,
    outside: impl Fn(&Range<usize>, &Range<usize>) -> Range<usize>,
) -> Vec<Part> {
    let Some(there) = elsewhere else {
        return vec![Part::new(Look::Only, tokens.clone())];
    };
    let rest = outside(tokens, there);
    let (start, end) = (tokens.start + rest.start, tokens.start + rest.end);
    let moved = Part {
        elsewhere: Some(there.start + rest.start..there.start + rest.end),
        ..Part::new(Look::Moved, start..end)
    };
    let mut parts = Vec::new();
    push(&mut parts, Part::new(Look::Only, tokens.start..start));
    push(&mut parts, moved);
    push(&mut parts, Part::new(Look::Only, end..tokens.end));
    parts
}

/// What remains of a passage of both texts if it begins after a number in which it began, and ends
/// before one in which it ended: its tokens, counted from its first.
pub fn outside_numbers(
    found: &Comparison,
    texts: (&str, &str),
    (a, b): (&Range<usize>, &Range<usize>),
) -> Range<usize> {
    let splits = |at: usize| is_split(found, texts, a.start + at, b.start + at);
    let start = (0..a.len()).find(|at| !splits(*at)).unwrap_or(a.len());
    let end = (start..=a.len()).rev().find(|at| !splits(*at));
    start..end.unwrap_or(start)
}

/// Whether the boundary before these tokens is inside a number in either text.
fn is_split(found: &Comparison, texts: (&str, &str), a: usize, b: usize) -> bool {
    is_inside_number(&found.a, texts.0, a) || is_inside_number(&found.b, texts.1, b)
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

    /// The pieces that differ or moved, and the sides they are on.
    fn unequal_pieces(a: &str, b: &str) -> Vec<(Look, char, String)> {
        let recipe = Recipe::named("sscr").unwrap().with("ngram", "2").unwrap();
        let found = Comparer::new(&recipe).unwrap().compare(a, b);
        let mut all = Vec::new();
        for line in lines(&found, (a, b)) {
            let sides = [(line.a, 'a', a), (line.b, 'b', b)];
            for (piece, side, text) in sides {
                let piece = piece.filter(|piece| matches!(piece.look, Look::Only | Look::Moved));
                all.extend(piece.map(|it| (it.look, side, text[it.bytes].trim().to_owned())));
            }
        }
        all
    }

    #[test]
    fn a_moved_piece_begins_after_a_number_that_it_has_a_part_of() {
        let piece = |look, side, text: &str| (look, side, text.to_owned());
        assert_eq!(
            unequal_pieces(
                "It cost 80,000 euros and more. The bridge is old and grey and tall indeed.",
                "The bridge is old and grey and tall indeed. It cost 95,000 euros and more.",
            ),
            [
                piece(Look::Moved, 'a', "It cost"),
                piece(Look::Only, 'a', "80,000"),
                piece(Look::Moved, 'a', "euros and more."),
                piece(Look::Moved, 'b', "It cost"),
                piece(Look::Only, 'b', "95,000"),
                piece(Look::Moved, 'b', "euros and more."),
            ]
        );
        // And it ends before one.
        assert_eq!(
            unequal_pieces(
                "it cost 80,000 the bridge is old and grey and tall",
                "the bridge is old and grey and tall it cost 80,500",
            ),
            [
                piece(Look::Moved, 'a', "it cost"),
                piece(Look::Only, 'a', "80,000"),
                piece(Look::Moved, 'b', "it cost"),
                piece(Look::Only, 'b', "80,500"),
            ]
        );
        // The whole number moves with its text.
        assert_eq!(
            unequal_pieces(
                "80,000 euros the bridge is old and grey",
                "the bridge is old and grey 80,000 euros",
            ),
            [
                piece(Look::Moved, 'a', "80,000 euros"),
                piece(Look::Moved, 'b', "80,000 euros"),
            ]
        );
    }

    #[test]
    fn a_number_is_one_piece_also_where_its_middle_is_equal() {
        assert_eq!(
            unequal_pieces("in 12,000,345 of us", "in 14,000,777 of us"),
            [
                (Look::Only, 'a', "12,000,345".to_owned()),
                (Look::Only, 'b', "14,000,777".to_owned()),
            ]
        );
    }

    #[test]
    fn what_remains_of_a_passage_is_outside_numbers() {
        let recipe = Recipe::named("sscr").unwrap().with("ngram", "2").unwrap();
        let (a, b) = ("about 80,000 euros by 1.5", "only 95,000 euros by 1.7");
        let found = Comparer::new(&recipe).unwrap().compare(a, b);
        let [passage] = &found.passages[..] else {
            panic!("{:?}", found.passages);
        };
        assert_eq!(&a[found.a.bytes(passage.a.clone())], "000 euros by 1");
        let rest = outside_numbers(&found, (a, b), (&passage.a, &passage.b));
        assert_eq!(rest, 1..3);
    }
}
