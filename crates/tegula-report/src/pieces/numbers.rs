//! Numbers of several tokens, which stay whole: none is cut where equal or moved tokens begin or end.

use super::{Look, Part};
use std::ops::Range;
use tegula::compare::{Comparison, Row, Side};

/// Equal tokens, one part of each text; or what each text has between two of these.
#[derive(Debug)]
pub(super) struct Stretch {
    /// How equal tokens are displayed.
    equal: Option<Look>,
    pub(super) sides: [Vec<Part>; 2],
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

/// The stretches of a comparison, none of which begins or ends inside a number: what equal or moved
/// tokens have of such a number is shown as different, with the rest of it.
pub(super) fn keep_numbers_whole(found: &Comparison, texts: (&str, &str)) -> Vec<Stretch> {
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

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;
    use tegula::compare::Comparer;
    use tegula::recipe::Recipe;

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
