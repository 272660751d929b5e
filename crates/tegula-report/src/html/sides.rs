//! Two texts side by side on a page.

use maud::{Markup, html};
use tegula::compare::{Comparison, Side};

use super::clean;
use super::name::name;
use crate::differing::Differing;
use crate::form::{count, plural};
use crate::pieces::{self, Line, Look, Piece};

/// Limits on how much of two texts is shown.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    /// The maximum number of characters of a piece; the middle of longer ones is omitted.
    pub piece: usize,
    /// The same of equal text between differences, where most of the texts is equal.
    pub equal: usize,
    /// The maximum number of pieces.
    pub pieces: usize,
    /// Bytes before the first shared passage from which most of them are omitted.
    pub before: usize,
}

impl Shown {
    /// Shows everything.
    pub const ALL: Self = Self {
        piece: usize::MAX,
        equal: usize::MAX,
        pieces: usize::MAX,
        before: usize::MAX,
    };
    /// Shows passages with their context: the middle of long pieces is omitted.
    pub const SHORT: Self = Self {
        piece: 700,
        equal: 400,
        pieces: 800,
        before: usize::MAX,
    };
    /// For one of many pairs on a page.
    pub const BRIEF: Self = Self {
        piece: 400,
        equal: 160,
        pieces: 60,
        before: 800,
    };
    /// For a first look.
    pub const GLANCE: Self = Self {
        piece: 260,
        equal: 120,
        pieces: 14,
        before: 240,
    };
}

/// Bytes of a row of the table from which the next piece begins another.
const ROW: usize = 240;

/// Fewer tokens than these are not worth a note that they are omitted.
const FEW: u64 = 8;

/// Bytes of a difference that has a row of its own.
const APART: usize = 160;

/// What is lit in a pair: the smaller part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lit {
    /// The differences: most of the two texts is equal.
    Differences,
    /// What both have.
    Shared,
}

impl Lit {
    fn of(lines: &[Line]) -> Self {
        let tokens = |equal: bool| -> usize {
            let pieces = lines.iter().flat_map(|line| line.a.iter().chain(&line.b));
            let chosen = pieces.filter(|piece| is_equal(piece.look) == equal);
            chosen.map(|piece| piece.tokens.len()).sum()
        };
        if tokens(true) > tokens(false) {
            Self::Differences
        } else {
            Self::Shared
        }
    }

    /// The maximum number of characters of a piece.
    fn limit(self, look: Look, shown: Shown) -> usize {
        if self == Self::Differences && is_equal(look) {
            shown.equal
        } else {
            shown.piece
        }
    }

    /// The class of a piece of the first or second text; none for text that is not marked.
    fn class(self, piece: &Piece, second: bool) -> Option<&'static str> {
        match (self, piece.look) {
            (Self::Differences, Look::Shared | Look::Thin) if piece.written => Some("written"),
            (Self::Shared, Look::Shared) if piece.written => Some("shared written"),
            (_, Look::Moved) => Some("moved"),
            (Self::Differences, Look::Only) => Some(if second { "added" } else { "lost" }),
            (Self::Shared, Look::Shared) => Some("shared"),
            (Self::Shared, Look::Thin) => Some("thin"),
            (Self::Differences, Look::Shared | Look::Thin) | (Self::Shared, Look::Only) => None,
        }
    }
}

fn is_equal(look: Look) -> bool {
    matches!(look, Look::Shared | Look::Thin)
}

/// The meaning of the marks that occur.
fn legend(lines: &[Line], lit: Lit, ignores: bool) -> Markup {
    let any = |is: &dyn Fn(&Piece) -> bool| {
        let mut pieces = lines.iter().flat_map(|line| line.a.iter().chain(&line.b));
        pieces.any(is)
    };
    let has = |look: Look| any(&|piece| piece.look == look);
    html! {
        ul.legend aria-label="What the marks mean" {
            @match lit {
                Lit::Differences => {
                    @if has(Look::Only) { li { span.sample.lost { "in the first" } span.sample.added { "in the second" } "only in one; what is not marked is in both" } }
                    @else if !has(Look::Moved) { li { "Both have the same words in the same order." } }
                }
                Lit::Shared => {
                    @if has(Look::Shared) { li { span.sample.shared { "in both" } "shared passage" } }
                    @if has(Look::Thin) { li { span.sample.thin { "short" } "equal, but not counted" } }
                    @if has(Look::Only) { li { "not marked: only in one" } }
                }
            }
            @if any(&|piece| piece.written) { li { span.sample.written { "Written" } "equal, but written differently: case, punctuation, or what is masked" } }
            @if has(Look::Moved) { li { span.sample.moved { "elsewhere" } "moved or repeated" } }
            @if ignores { li { span.sample.ignored { "ignored" } "does not count" } }
        }
    }
}

/// The items by which the texts differ; nothing if they do not.
pub fn differing(differing: &Differing) -> Markup {
    html! { @if let Some(sentence) = differing.sentence() { p { (clean(&sentence)) } } }
}

/// The two columns, with the meaning of their marks. Where most of the texts is equal the
/// differences are marked, else what they share.
pub fn sides(found: &Comparison, texts: (&str, &str), heads: (&str, &str), shown: Shown) -> Markup {
    below(found, texts, (&name(heads.0), &name(heads.1)), shown)
}

/// The same below heads of the caller's.
pub fn below(
    found: &Comparison,
    texts: (&str, &str),
    heads: (&Markup, &Markup),
    shown: Shown,
) -> Markup {
    let lines = pieces::lines(found, texts);
    let lit = Lit::of(&lines);
    let begins_late = first_shown(&lines, shown.before);
    let (skipped, rest) = lines.split_at(begins_late.unwrap_or(0));
    let left_out = rest.len().saturating_sub(shown.pieces);
    let listed = &rest[..rest.len() - left_out];
    let ignores = [&found.a, &found.b]
        .into_iter()
        .any(|side| (0..side.len()).any(|token| side.is_ignored(token)));
    let cell = |row: &[Line], second: bool| {
        let (side, text) = if second {
            (&found.b, texts.1)
        } else {
            (&found.a, texts.0)
        };
        let pieces = || {
            row.iter().filter_map(move |line| {
                if second {
                    line.b.as_ref()
                } else {
                    line.a.as_ref()
                }
            })
        };
        let differs =
            lit == Lit::Differences && pieces().any(|piece| !is_equal(piece.look) || piece.written);
        // What is before the first shared passage must not push it out of sight.
        let is_before = begins_late.is_some() && row.as_ptr() == listed.as_ptr();
        let limit = |at: usize, look: Look| {
            let most = lit.limit(look, shown);
            if is_before && at == 0 {
                most.min(shown.before / 2)
            } else {
                most
            }
        };
        html! {
            td.differs[differs] dir="auto" { @for (at, piece) in pieces().enumerate() {
                (drawn(piece, lit.class(piece, second), &inside(piece, (side, text), limit(at, piece.look), at == 0)))
            } }
        }
    };
    html! {
        (legend(&lines, lit, ignores))
        div.box tabindex="0" {
            table.sides {
                caption.hidden-visually { "The two texts side by side" }
                thead { tr { th scope="col" { (heads.0) } th scope="col" { (heads.1) } } }
                tbody {
                    @if !skipped.is_empty() {
                        tr { td { (left_before(skipped.iter().filter_map(|line| line.a.as_ref()))) } td { (left_before(skipped.iter().filter_map(|line| line.b.as_ref()))) } }
                    }
                    @for row in rows(listed, texts) { tr { (cell(row, false)) (cell(row, true)) } }
                    @if left_out > 0 {
                        tr { td colspan="2" { span.gap { "[\u{2026} " (plural(left_out as u64, "more piece")) " omitted \u{2026}]" } } }
                    }
                }
            }
        }
    }
}

/// With much before the first shared passage, the line before it, which is the first one shown.
fn first_shown(lines: &[Line], most: usize) -> Option<usize> {
    let is_shared = |line: &Line| matches!(&line.a, Some(piece) if piece.look == Look::Shared);
    let first = lines.iter().position(is_shared)?;
    let bytes = |of: fn(&Line) -> &Option<Piece>| -> usize {
        let pieces = lines[..first].iter().filter_map(|line| of(line).as_ref());
        pieces.map(|piece| piece.bytes.len()).sum()
    };
    let is_much = bytes(|line| &line.a).max(bytes(|line| &line.b)) > most;
    is_much.then(|| first.saturating_sub(1))
}

/// How much of a text is omitted before what is shown.
fn left_before<'a>(pieces: impl Iterator<Item = &'a Piece>) -> Markup {
    let tokens: usize = pieces.map(|piece| piece.tokens.len()).sum();
    html! {
        @if tokens > 0 { span.gap { "[\u{2026} " (plural(tokens as u64, "token")) " before this omitted \u{2026}]" } }
    }
}

/// A piece with its mark.
fn drawn(piece: &Piece, class: Option<&str>, inside: &Markup) -> Markup {
    let place = piece.elsewhere.as_ref().map(|other| {
        format!(
            "from token {} on in the other text",
            count(other.start as u64 + 1)
        )
    });
    html! { @if let Some(class) = class { span class=(class) title=[place] { (inside) } } @else { (inside) } }
}

/// Rows of the table: pieces follow each other like text. A row ends after an equal piece where a
/// line ends, or a word if it is long enough, and a long difference has a row of its own.
fn rows<'a>(lines: &'a [Line], texts: (&'a str, &'a str)) -> impl Iterator<Item = &'a [Line]> {
    let bytes = |line: &Line| {
        let of = |piece: &Option<Piece>| piece.as_ref().map_or(0, |piece| piece.bytes.len());
        of(&line.a).max(of(&line.b))
    };
    let equal = |line: &Line| line.a.as_ref().is_some_and(|piece| is_equal(piece.look));
    let end_with = move |line: &Line, ends: fn(char) -> bool| {
        let ends = |piece: &Option<Piece>, text: &str| {
            let text = piece
                .as_ref()
                .and_then(|piece| text.get(piece.bytes.clone()));
            text.is_some_and(|text| text.ends_with(ends))
        };
        ends(&line.a, texts.0) && ends(&line.b, texts.1)
    };
    let is_apart = move |line: &Line| !equal(line) && bytes(line) >= APART;
    let mut used = 0;
    lines.chunk_by(move |line, next| {
        used += bytes(line);
        let is_full = equal(line)
            && (end_with(line, |c| c == '\n')
                || used >= ROW && end_with(line, char::is_whitespace));
        let goes_on = !is_full && !is_apart(line) && !is_apart(next);
        used *= usize::from(goes_on);
        goes_on
    })
}

/// The beginning of a text shown on its own.
pub fn beginning(text: &str, most: usize) -> Markup {
    let end = text
        .char_indices()
        .nth(most)
        .map_or(text.len(), |(at, _)| at);
    html! {
        p.alone dir="auto" { (squeezed(&clean(&text[..end]))) @if end < text.len() { " " span.gap { "[\u{2026} the rest omitted \u{2026}]" } } }
    }
}

/// The text of a piece; the middle of a long one is omitted, and ignored text is grey. No empty line
/// is at the beginning of a cell, or around what is omitted.
fn inside(piece: &Piece, (side, text): (&Side, &str), most: usize, is_first: bool) -> Markup {
    let mut bytes = piece.bytes.clone();
    let begun = |bytes: std::ops::Range<usize>| {
        let blank = text
            .get(bytes.clone())
            .map_or(0, |part| part.len() - part.trim_start().len());
        bytes.start + blank..bytes.end
    };
    if is_first {
        bytes = begun(bytes);
    }
    let Some(whole) = text.get(bytes.clone()) else {
        return html! {};
    };
    // Few texts are counted: bytes are at least as many as characters.
    if whole.len() <= most || whole.chars().count() <= most {
        return greyed(piece, side, text, bytes);
    }
    let half = most / 2;
    let head = whole
        .char_indices()
        .nth(half)
        .map_or(whole.len(), |(at, _)| at);
    let tail = whole
        .char_indices()
        .rev()
        .nth(half.saturating_sub(1))
        .map_or(0, |(at, _)| at);
    let head = whole[..head]
        .rfind(char::is_whitespace)
        .filter(|at| *at > head / 2)
        .unwrap_or(head);
    let tail = whole[tail..]
        .find(char::is_whitespace)
        .filter(|at| *at < half)
        .map_or(tail, |at| tail + at);
    let skipped = (bytes.start + head, bytes.start + tail);
    let tokens = piece.tokens.clone().filter(|token| {
        let span = side.bytes(*token..*token + 1);
        span.start >= skipped.0 && span.end <= skipped.1
    });
    let tokens = tokens.count() as u64;
    if tokens < FEW {
        return greyed(piece, side, text, bytes);
    }
    html! {
        (greyed(piece, side, text, bytes.start..bytes.start + text[bytes.start..skipped.0].trim_end().len()))
        span.gap { "[\u{2026} " (plural(tokens, if piece.look == Look::Shared { "equal token" } else { "token" })) " omitted \u{2026}]" }
        (greyed(piece, side, text, begun(skipped.1..bytes.end)))
    }
}

/// A part of a piece; runs of ignored tokens are marked.
fn greyed(piece: &Piece, side: &Side, text: &str, bytes: std::ops::Range<usize>) -> Markup {
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for token in piece.tokens.clone().filter(|token| side.is_ignored(*token)) {
        let span = side.bytes(token..token + 1);
        let span = span.start.clamp(bytes.start, bytes.end)..span.end.clamp(bytes.start, bytes.end);
        match runs.last_mut() {
            _ if span.is_empty() => {}
            Some(last) if token > piece.tokens.start && side.is_ignored(token - 1) => {
                last.end = span.end;
            }
            _ => runs.push(span),
        }
    }
    let part =
        |range: std::ops::Range<usize>| squeezed(&clean(text.get(range).unwrap_or_default()));
    let mut at = bytes.start;
    html! {
        @for run in runs {
            (part(at..run.start))
            span.ignored { (part(run.clone())) }
            ({ at = run.end; "" })
        }
        (part(at..bytes.end))
    }
}

/// White space with a line end becomes one line end: empty lines would make the columns long.
fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = 0..0;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            blank.end = at + c.len_utf8();
            continue;
        }
        push_blank(&text[blank.clone()], &mut out);
        out.push(c);
        blank = at + c.len_utf8()..at + c.len_utf8();
    }
    push_blank(&text[blank], &mut out);
    out
}

fn push_blank(blank: &str, out: &mut String) {
    if blank.contains('\n') {
        out.push('\n');
    } else {
        out.push_str(blank);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tegula::compare::Comparer;
    use tegula::recipe::Recipe;

    fn comparer() -> Comparer {
        Comparer::new(&Recipe::named("sscr").unwrap().with("ngram", "2").unwrap()).unwrap()
    }

    #[test]
    fn texts_are_escaped_and_marked() {
        let (a, b) = ("x y <script>alert(1)</script>", "x y \"onmouseover=\"z");
        let page = sides(
            &comparer().compare(a, b),
            (a, b),
            ("<a>", "b\"c"),
            Shown::ALL,
        )
        .into_string();
        assert!(
            !page.contains("<script") && page.contains("&lt;script&gt;"),
            "{page}"
        );
        assert!(!page.contains("\"onmouseover") && page.contains("&lt;a&gt;"));
        assert!(page.contains("class=\"shared\"") && page.contains("only in one"));
    }

    #[test]
    fn the_smaller_part_is_lit() {
        let shown = |a: &str, b: &str| {
            sides(&comparer().compare(a, b), (a, b), ("a", "b"), Shown::ALL).into_string()
        };
        let near = shown(
            "one two three four 80,000 six seven",
            "one two three four 90,000 six seven",
        );
        assert!(!near.contains("class=\"shared\""), "{near}");
        assert!(
            near.contains("<span class=\"lost\">80,000 </span>"),
            "{near}"
        );
        assert!(
            near.contains("<span class=\"added\">90,000 </span>"),
            "{near}"
        );
        assert_eq!(
            near.matches("<tr>").count(),
            2,
            "the head and one row: {near}"
        );
        let far = shown("one two and nothing that is equal", "here one two is else");
        assert!(
            far.contains("<span class=\"shared\">one two </span>"),
            "{far}"
        );
        assert!(!far.contains("class=\"lost\""), "{far}");
        let written = shown("one two, three", "one two three");
        assert!(
            written.contains("<span class=\"written\">two, </span>"),
            "{written}"
        );
        assert!(shown("a b c", "a b c").contains("the same words in the same order"));
    }

    #[test]
    fn empty_lines_are_left_out() {
        assert_eq!(squeezed("a \r\n\n  b  c\n"), "a\nb  c\n");
    }

    #[test]
    fn the_middle_of_long_pieces_is_left_out() {
        let long = "word another ".repeat(200);
        let found = comparer().compare(&long, &long);
        let page = sides(
            &found,
            (&long, &long),
            ("a", "b"),
            Shown {
                piece: 100,
                equal: 100,
                pieces: 5,
                before: 100,
            },
        )
        .into_string();
        assert!(page.contains("equal tokens omitted"), "{page}");
        assert!(page.len() < 2_000);
        assert!(
            !sides(&found, (&long, &long), ("a", "b"), Shown::ALL)
                .into_string()
                .contains("omitted")
        );
    }

    #[test]
    fn little_of_what_is_before_the_first_shared_passage_is_shown() {
        let before: Vec<String> = (0..100).map(|n| format!("word{n}")).collect();
        let (a, b) = (
            format!("{} one two three", before.join(" ")),
            "one two three",
        );
        let found = comparer().compare(&a, b);
        let page = sides(&found, (&a, b), ("a", "b"), Shown::GLANCE).into_string();
        assert!(page.contains("one two three") && page.contains("tokens omitted"));
        assert!(
            page.find("one two").unwrap() < page.find("word0").unwrap() + 3 * Shown::GLANCE.before,
            "{page}"
        );
    }

    #[test]
    fn what_is_ignored_is_grey_and_nothing_is_lost() {
        let (a, b) = ("the task is this: p q r", "the task is this! p q r");
        let found = comparer().ignoring("the task is this").compare(a, b);
        let page = sides(&found, (a, b), ("a", "b"), Shown::ALL).into_string();
        assert!(
            page.contains("<span class=\"ignored\">the task is</span>")
                && page.contains("<span class=\"ignored\">this</span>:"),
            "{page}"
        );
        assert_eq!(page.matches("p q r").count(), 2);
    }
}
