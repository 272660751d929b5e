//! Two texts in two columns.

use crate::form::plural;
use crate::paint::paint;
use crate::pieces::{self, Line, Look, Piece};
use crate::width::{columns, columns_of};
use std::fmt::Write;
use tegula::compare::{Comparison, Side};
use tegula::printable;

/// How the columns are drawn.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether differences are coloured.
    pub colours: bool,
    /// Whether long shared passages are shown in full.
    pub full: bool,
}

/// Lines of a shared passage above which its middle is omitted.
const LONG: usize = 7;
/// Lines then shown at its beginning, and at its end.
const SHOWN: usize = 2;

/// The mark before a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mark {
    #[default]
    None,
    Thin,
    Written,
    OnlyFirst,
    OnlySecond,
    Moved,
}

impl Mark {
    /// All but the empty one, as the legend lists them.
    const LISTED: [Self; 5] = [
        Self::OnlyFirst,
        Self::OnlySecond,
        Self::Moved,
        Self::Written,
        Self::Thin,
    ];

    fn of(piece: &Piece, second: bool) -> Self {
        match piece.look {
            Look::Shared | Look::Thin if piece.written => Self::Written,
            Look::Shared => Self::None,
            Look::Thin => Self::Thin,
            Look::Only if second => Self::OnlySecond,
            Look::Only => Self::OnlyFirst,
            Look::Moved => Self::Moved,
        }
    }

    /// Its character, its colour, and its meaning.
    fn drawn(self) -> (char, &'static str, &'static str) {
        match self {
            Self::None => (' ', "", ""),
            Self::Thin => ('.', "2", "equal, but not counted"),
            Self::Written => (':', "36", "equal, but written differently"),
            Self::OnlyFirst => ('-', "31", "only in the first"),
            Self::OnlySecond => ('+', "32", "only in the second"),
            Self::Moved => ('~', "33", "moved or repeated"),
        }
    }
}

/// The meaning of the marks that occur, and an empty line; nothing if none does.
fn legend(lines: &[Line], width: usize) -> String {
    let marks: Vec<Mark> = lines
        .iter()
        .flat_map(|line| {
            let first = line.a.iter().map(|piece| Mark::of(piece, false));
            first.chain(line.b.iter().map(|piece| Mark::of(piece, true)))
        })
        .collect();
    let (mut out, mut used) = (String::new(), 0);
    for mark in Mark::LISTED.into_iter().filter(|mark| marks.contains(mark)) {
        let (mark, _, meaning) = mark.drawn();
        let room = 2 + columns(meaning);
        let between = match used {
            0 => "",
            _ if used + 3 + room <= width => "   ",
            _ => "\n",
        };
        used = if between == "   " {
            used + 3 + room
        } else {
            room
        };
        let _ = write!(out, "{between}{mark} {meaning}");
    }
    if !out.is_empty() {
        out.push_str("\n\n");
    }
    out
}

/// One column's share of a row.
#[derive(Debug, Default)]
struct Cell {
    lines: Vec<String>,
    /// Where each line begins in the text of the cell.
    starts: Vec<usize>,
    mark: Mark,
}

impl Cell {
    fn new(text: &str, width: usize, mark: Mark) -> Self {
        let (starts, lines) = wrap(text, width).into_iter().unzip();
        Self {
            lines,
            starts,
            mark,
        }
    }

    /// Omits the middle, and says how many of the piece's tokens begin there.
    fn shorten(&mut self, piece: &Piece, side: &Side, width: usize) {
        if self.lines.len() <= 2 * SHOWN {
            return;
        }
        let middle = SHOWN..self.lines.len() - SHOWN;
        let omitted = piece.bytes.start + self.starts[middle.start]
            ..piece.bytes.start + self.starts[middle.end];
        let begins = |token: &usize| omitted.contains(&side.bytes(*token..token + 1).start);
        let tokens = piece.tokens.clone().filter(begins).count() as u64;
        let note = format!("[... {} omitted ...]", plural(tokens, "equal token"));
        let note = wrap(&note, width).into_iter().map(|(_, line)| line);
        self.lines.splice(middle, note);
    }
}

/// The columns under their heads, after the meaning of their marks.
pub fn show(found: &Comparison, texts: (&str, &str), heads: (&str, &str), style: Style) -> String {
    // Two marks, each followed by a blank, and a bar between blanks.
    let width = (style.width.saturating_sub(7) / 2).max(8);
    let lines = pieces::lines(found, texts);
    let mut out = legend(&lines, style.width);
    let painter = Painter {
        width,
        colours: style.colours,
    };
    let head = |text: &str| Cell::new(text, width, Mark::None);
    painter.rows(Some(head(heads.0)), Some(head(heads.1)), &mut out);
    let _ = writeln!(
        out,
        "{}\u{2500}\u{253c}{}",
        "\u{2500}".repeat(width + 2),
        "\u{2500}".repeat(width + 3)
    );
    let cell = |piece: &Piece, second: bool| {
        let text = if second { texts.1 } else { texts.0 };
        let text = text.get(piece.bytes.clone()).unwrap_or_default();
        Cell::new(text, width, Mark::of(piece, second))
    };
    for line in lines {
        let mut left = line.a.as_ref().map(|piece| cell(piece, false));
        let mut right = line.b.as_ref().map(|piece| cell(piece, true));
        if let (Some(a), Some(b)) = (&mut left, &mut right)
            && let (Some(first), Some(second)) = (&line.a, &line.b)
            && matches!(first.look, Look::Shared | Look::Thin)
            && !style.full
            && a.lines.len().max(b.lines.len()) > LONG
        {
            a.shorten(first, &found.a, width);
            b.shorten(second, &found.b, width);
        }
        painter.rows(left, right, &mut out);
    }
    out
}

/// The lines of a text, at most `width` columns each, with the byte at which each begins; white space
/// is one blank, and control characters are shown as escapes.
fn wrap(text: &str, width: usize) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut line = (0, String::new());
    let (mut used, mut end) = (0, 0);
    for word in text.split_whitespace() {
        let at = end + text[end..].find(word).unwrap_or(0);
        end = at + word.len();
        let word = printable::line(word);
        if used > 0 && used + 1 + columns(&word) > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.1.push(' ');
            used += 1;
        } else {
            line.0 = at;
        }
        for c in word.chars() {
            if used + columns_of(c) > width {
                lines.push(std::mem::take(&mut line));
                // A word that is broken begins in its first line.
                line.0 = end;
                used = 0;
            }
            line.1.push(c);
            used += columns_of(c);
        }
    }
    if !line.1.is_empty() {
        lines.push(line);
    }
    lines
}

struct Painter {
    width: usize,
    colours: bool,
}

impl Painter {
    fn rows(&self, left: Option<Cell>, right: Option<Cell>, out: &mut String) {
        let (left, right) = (left.unwrap_or_default(), right.unwrap_or_default());
        for at in 0..left.lines.len().max(right.lines.len()) {
            let mut line = String::new();
            self.cell(left.lines.get(at), left.mark, &mut line);
            line.push_str(" \u{2502} ");
            self.cell(right.lines.get(at), right.mark, &mut line);
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }

    fn cell(&self, text: Option<&String>, mark: Mark, out: &mut String) {
        let Some(text) = text else {
            out.push_str(&" ".repeat(self.width + 2));
            return;
        };
        let (mark, colour, _) = mark.drawn();
        let shown = format!("{mark} {text}");
        if self.colours && !colour.is_empty() {
            out.push_str(&paint(colour, &shown));
        } else {
            out.push_str(&shown);
        }
        out.push_str(&" ".repeat(self.width.saturating_sub(columns(text))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tegula::compare::Comparer;
    use tegula::recipe::Recipe;

    fn shown(a: &str, b: &str, style: Style) -> String {
        let recipe = Recipe::named("sscr").unwrap().with("ngram", "2").unwrap();
        let found = Comparer::new(&recipe).unwrap().compare(a, b);
        show(&found, (a, b), ("one", "two"), style)
    }

    #[test]
    fn differences_are_marked_and_nothing_is_lost() {
        let style = Style {
            width: 40,
            colours: false,
            full: false,
        };
        let text = shown(
            "The cat sat, down on the mat! Yes. a b",
            "a b The cat stood down on the mat!",
            style,
        );
        insta::assert_snapshot!(text);
        for width in [0, 20, 33] {
            let narrow = shown(
                "词语 wide, and averyveryverylongword here",
                "词语 wide",
                Style { width, ..style },
            );
            assert!(
                narrow
                    .lines()
                    .skip_while(|line| !line.contains('\u{2502}'))
                    .all(|line| columns(line) <= 7 + 2 * 8.max(width / 2)),
                "{narrow}"
            );
        }
    }

    #[test]
    fn colours_and_long_passages() {
        let style = Style {
            width: 40,
            colours: true,
            full: false,
        };
        assert!(shown("a b c", "a b d", style).contains(&paint("31", "- c")));
        let long = "word another ".repeat(60);
        // Two pairs of words fit on a line, and four lines of thirty are shown.
        let wide = Style { width: 60, ..style };
        assert!(shown(&long, &long, wide).contains("[... 104 equal tokens"));
        assert!(
            !shown(
                &long,
                &long,
                Style {
                    full: true,
                    ..style
                }
            )
            .contains("...")
        );
        assert!(!shown("a\u{1b}[2J b c", "x", style).contains("\u{1b}[2J"));
    }
}
