//! Two texts side by side on a page.

use maud::{Markup, html};
use tegula::compare::{Comparison, Side};

use super::clean;
use crate::differing::Differing;
use crate::form::{count, plural};
use crate::pieces::{self, Look, Piece};

/// Limits on how much of two texts is shown.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    /// The maximum number of characters of a piece; the middle of longer ones is omitted.
    pub piece: usize,
    /// The maximum number of rows.
    pub rows: usize,
}

impl Shown {
    /// Shows everything.
    pub const ALL: Self = Self {
        piece: usize::MAX,
        rows: usize::MAX,
    };
    /// Shows passages with their context: the middle of long pieces is omitted.
    pub const SHORT: Self = Self {
        piece: 700,
        rows: 400,
    };
    /// For one of many pairs on a page.
    pub const BRIEF: Self = Self {
        piece: 400,
        rows: 60,
    };
}

/// The meaning of the colours.
pub fn legend(ignores: bool) -> Markup {
    html! {
        ul.legend aria-label="What the marks mean" {
            li { span.sample.shared { "in both" } "shared passage" }
            li { span.sample.only { "in one" } "only in this text" }
            li { span.sample.moved { "elsewhere" } "moved or repeated" }
            li { span.sample.thin { "short" } "equal, but too short to count" }
            @if ignores { li { span.sample.ignored { "ignored" } "does not count" } }
        }
    }
}

/// The items by which the texts differ; nothing if they do not.
pub fn differing(differing: &Differing) -> Markup {
    html! { @if let Some(sentence) = differing.sentence() { p { (clean(&sentence)) } } }
}

/// The two columns.
pub fn sides(found: &Comparison, texts: (&str, &str), heads: (&str, &str), shown: Shown) -> Markup {
    let lines = pieces::lines(found, texts);
    let left_out = lines.len().saturating_sub(shown.rows);
    let cell = |piece: Option<&Piece>, side: &Side, text: &str| match piece {
        None => html! { td {} },
        Some(piece) => {
            let class = match piece.look {
                Look::Shared => "shared",
                Look::Thin => "thin",
                Look::Only => "only",
                Look::Moved => "moved",
            };
            let place = piece.elsewhere.as_ref().map(|other| {
                format!(
                    "from token {} on in the other text",
                    count(other.start as u64 + 1)
                )
            });
            html! { td class=(class) dir="auto" title=[place] { (inside(piece, side, text, shown.piece)) } }
        }
    };
    html! {
        div.box tabindex="0" {
            table.sides {
                caption.hidden-visually { "The two texts side by side" }
                thead { tr { th scope="col" { span.id { (clean(heads.0)) } } th scope="col" { span.id { (clean(heads.1)) } } } }
                tbody {
                    @for line in lines.iter().take(shown.rows) {
                        tr { (cell(line.a.as_ref(), &found.a, texts.0)) (cell(line.b.as_ref(), &found.b, texts.1)) }
                    }
                    @if left_out > 0 {
                        tr { td colspan="2" { span.gap { "[\u{2026} " (plural(left_out as u64, "more row")) " omitted \u{2026}]" } } }
                    }
                }
            }
        }
    }
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

/// The text of a piece; the middle of a long one is omitted, and ignored text is grey.
fn inside(piece: &Piece, side: &Side, text: &str, most: usize) -> Markup {
    let bytes = piece.bytes.clone();
    let Some(whole) = text.get(bytes.clone()) else {
        return html! {};
    };
    // Twice the limit in bytes is at least half of it in characters, so that few texts are counted.
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
    html! {
        (greyed(piece, side, text, bytes.start..skipped.0))
        span.gap { "[\u{2026} " (plural(tokens, if piece.look == Look::Shared { "equal token" } else { "token" })) " omitted \u{2026}]" }
        (greyed(piece, side, text, skipped.1..bytes.end))
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
        assert!(page.contains("class=\"shared\"") && page.contains("class=\"only\""));
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
                rows: 5,
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
