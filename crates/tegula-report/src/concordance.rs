//! Places of texts in their context, one on a line with what is looked for in a column, as
//! concordances show them.

use crate::grid::cut;
use crate::width::{columns, columns_of};
use tegula::printable;

/// The maximum number of columns of a name, and the least of a match.
const NAME: usize = 24;
const LEAST: usize = 12;
/// Columns between the parts of a line.
const GAPS: usize = 6;

/// A place in its context.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InContext {
    /// What is before it.
    pub before: String,
    /// The text of the place.
    pub text: String,
    /// What is after it.
    pub after: String,
}

/// The places with their names, in lines of at most this many columns: at most a third of each line for
/// the text on each side, and the middle of a long match omitted.
pub fn lines(places: &[(String, InContext)], width: usize) -> String {
    let places: Vec<[String; 4]> = places
        .iter()
        .map(|(name, place)| {
            let [before, text, after] =
                [&place.before, &place.text, &place.after].map(|text| line(text));
            [printable::line(name).into_owned(), before, text, after]
        })
        .collect();
    let widest = |at: usize| {
        places
            .iter()
            .map(|place| columns(&place[at]))
            .max()
            .unwrap_or(0)
    };
    let name = widest(0).min(NAME);
    let room = width.saturating_sub(name + GAPS);
    let side = (room / 3).min(room.saturating_sub(LEAST) / 2);
    let (before, after) = (widest(1).min(side), widest(3).min(side));
    let middle = room.saturating_sub(before + after).max(LEAST);
    let mut out = String::new();
    for [id, left, text, right] in &places {
        let (id, left, right) = (cut(id, name), end(left, before), start(right, after));
        let line = format!(
            "{id}{}  {}{left} [{}] {right}",
            " ".repeat(name - columns(&id)),
            " ".repeat(before - columns(&left)),
            cut(text, middle)
        );
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// A text on one line.
fn line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().map(printable::line).collect();
    words.join(" ")
}

/// The beginning of a text in at most this many columns.
fn start(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += columns_of(*c);
        used <= width
    };
    let kept: String = text.chars().take_while(fits).collect();
    kept + if width > 0 { "\u{2026}" } else { "" }
}

/// The end of a text in at most this many columns.
fn end(text: &str, width: usize) -> String {
    let turned: String = text.chars().rev().collect();
    start(&turned, width).chars().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_in_a_column_and_lines_fit() {
        let place = |name: &str, before: &str, text: &str, after: &str| {
            let place = InContext {
                before: before.into(),
                text: text.into(),
                after: after.into(),
            };
            (name.to_owned(), place)
        };
        let places = [
            place(
                "a",
                "in the beginning was",
                "the word\nand",
                "the word was with",
            ),
            place("letters/b", "", "the word and", "nothing"),
            place(
                &"x/".repeat(30),
                &"long ".repeat(30),
                &"word ".repeat(60),
                "词语".repeat(30).as_str(),
            ),
        ];
        for width in [60, 80, 120] {
            let shown = lines(&places, width);
            let columns_of_match: Vec<usize> = shown
                .lines()
                .map(|line| columns(&line[..line.find('[').unwrap()]))
                .collect();
            assert!(
                columns_of_match.windows(2).all(|two| two[0] == two[1]),
                "{shown}"
            );
            assert!(shown.lines().all(|line| columns(line) <= width), "{shown}");
        }
        let shown = lines(&places[..2], 80);
        assert_eq!(
            shown,
            "a          in the beginning was [the word and] the word was with\n\
             letters/b                       [the word and] nothing\n"
        );
        assert!(!lines(&places, 0).is_empty() && lines(&[], 80).is_empty());
    }
}
