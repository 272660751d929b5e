//! Cells in columns that line up, fitted to the width of a terminal.
//!
//! Numbers are never wrapped or cut. A text of several words is wrapped, and a name is cut in the
//! middle, so that its beginning and its end remain. Where not even the least widths of the columns
//! fit, each row has its texts on one line and its numbers on the next.

use crate::width::{columns, columns_of};
use std::ops::Range;

/// Columns between two cells.
const GAP: usize = 2;

/// What is left of a name, at least.
const NAME: usize = 24;

/// Columns of a text of several words, at least.
const PROSE: usize = 12;

/// Columns before the numbers of a row that are below its texts.
const INDENT: usize = 2;

/// How the cells of a column are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Form {
    /// A single word is a name; other texts are wrapped.
    #[default]
    Text,
    /// What rows are about; wrapped only if it takes more than half of the width.
    Label,
    /// A name, on one line whatever it consists of.
    Name,
    /// A number, at the right.
    Number,
}

/// A grid of cells, whose lines are those that its texts have, or as many as wrapping needs.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    head: Vec<Head>,
    rows: Vec<Vec<String>>,
    forms: Vec<Form>,
}

impl Grid {
    /// A grid without rows; an empty head is not shown. Heads that have line ends take two lines where
    /// there is room, whatever these are.
    pub(crate) fn new(head: Vec<String>) -> Self {
        let mut grid = Self::default();
        grid.widen(head.len());
        grid.head = head.into_iter().map(|text| Head::new(&text)).collect();
        grid
    }

    fn widen(&mut self, cells: usize) {
        let wide = self.forms.len().max(cells);
        self.forms.resize(wide, Form::Text);
    }

    /// Adds a row; cells that it lacks are empty.
    pub(crate) fn add_row(&mut self, cells: Vec<String>) {
        self.widen(cells.len());
        self.rows.push(cells);
    }

    /// Says how the cells of a column are shown.
    pub(crate) fn set(&mut self, column: usize, form: Form) {
        self.widen(column + 1);
        self.forms[column] = form;
    }

    /// The grid, in lines of at most this many columns if its numbers allow it.
    pub(crate) fn show(&self, width: usize) -> String {
        let all: Vec<usize> = (0..self.forms.len()).collect();
        let is_number = |column: &usize| self.forms[*column] == Form::Number;
        let (numbers, texts): (Vec<usize>, Vec<usize>) = all.iter().partition(|at| is_number(at));
        let one_line = self.part(&all, 0, width);
        let parts = if one_line.fits || numbers.is_empty() || texts.is_empty() {
            vec![one_line]
        } else {
            vec![
                self.part(&texts, 0, width),
                self.part(&numbers, INDENT, width),
            ]
        };
        let mut out = String::new();
        if !self.head.is_empty() {
            let head: Vec<String> = self.head.iter().map(|head| head.text.clone()).collect();
            for part in &parts {
                self.draw(&head, part, &mut out);
            }
            out = out.replace(JOINT, " ");
        }
        for row in &self.rows {
            for part in &parts {
                self.draw(row, part, &mut out);
            }
        }
        out
    }

    /// Those of these columns that have something in them, side by side.
    fn part(&self, columns: &[usize], indent: usize, width: usize) -> Part {
        let needs = columns.iter().map(|at| (*at, self.need(*at, width)));
        let (columns, needs): (Vec<usize>, Vec<Range<usize>>) =
            needs.filter(|(_, need)| need.end > 0).unzip();
        let between = GAP * columns.len().saturating_sub(1);
        let room = width.saturating_sub(indent + between);
        let widths = fitted(&needs, room);
        let tight = columns
            .iter()
            .zip(&needs)
            .zip(widths)
            .map(|((at, need), width)| {
                (
                    *at,
                    if self.forms[*at] == Form::Number {
                        self.tight(*at, need, width)
                    } else {
                        width
                    },
                )
            });
        Part {
            fits: needs.iter().map(|need| need.start).sum::<usize>() <= room,
            columns: tight.collect(),
            indent,
        }
    }

    /// The width of a column of numbers whose head is wrapped to a width.
    fn tight(&self, column: usize, need: &Range<usize>, width: usize) -> usize {
        let head = self.head.get(column).map_or("", |head| &head.text);
        wrapped(head, width)
            .iter()
            .map(|line| columns(line))
            .fold(need.start, usize::max)
    }

    /// The least width of a column, and the one at which nothing is wrapped or cut.
    fn need(&self, column: usize, width: usize) -> Range<usize> {
        let form = self.forms[column];
        let whole = |cell: &str| cell.lines().map(columns).max().unwrap_or(0);
        let mut need = 0..0;
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        for cell in cells {
            let whole = whole(cell);
            let least = match form {
                Form::Number => whole,
                Form::Label => whole.min(width / 2),
                Form::Text if cell.contains(' ') => whole.min(PROSE),
                Form::Text | Form::Name => whole.min(NAME),
            };
            need = need.start.max(least)..need.end.max(whole);
        }
        let head = self.head.get(column).map_or(0..0, |head| head.need.clone());
        need.start.max(head.start.min(NAME))..need.end.max(head.end)
    }

    /// Appends a row of a part.
    fn draw(&self, row: &[String], part: &Part, out: &mut String) {
        let cells: Vec<Vec<String>> = (part.columns.iter())
            .map(|(at, width)| {
                let cell = row.get(*at).map_or("", String::as_str);
                let is_name = self.forms[*at] == Form::Name || !cell.contains(' ');
                let lines = cell.lines();
                if is_name {
                    lines.map(|line| cut(line, *width)).collect()
                } else {
                    lines.flat_map(|line| wrapped(line, *width)).collect()
                }
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
        for number in 0..height {
            let mut line = " ".repeat(part.indent);
            for (place, (cell, (at, width))) in cells.iter().zip(&part.columns).enumerate() {
                let text = cell.get(number).map_or("", String::as_str);
                let space = " ".repeat(width.saturating_sub(columns(text)));
                if place > 0 {
                    line.push_str(&" ".repeat(GAP));
                }
                if self.forms[*at] == Form::Number {
                    line.extend([space.as_str(), text]);
                } else {
                    line.extend([text, space.as_str()]);
                }
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
}

/// A space at which no line ends.
const JOINT: char = '\u{a0}';

/// The head of a column.
#[derive(Debug)]
struct Head {
    /// On one line; marks stay on the line of the word before them.
    text: String,
    /// The width of its longest word, and the one at which it is in as few lines as it should be.
    need: Range<usize>,
}

impl Head {
    fn new(head: &str) -> Self {
        let mut text = String::new();
        for word in head.split_whitespace() {
            if !text.is_empty() {
                let is_mark = !word.contains(char::is_alphanumeric);
                text.push(if is_mark { JOINT } else { ' ' });
            }
            text.push_str(word);
        }
        let longest = text.split(' ').map(columns).max().unwrap_or(0);
        let whole = columns(&text);
        let mut widths = longest..whole;
        let most = head
            .contains('\n')
            .then(|| widths.find(|width| wrapped(&text, *width).len() <= 2))
            .flatten();
        Self {
            text,
            need: longest..most.unwrap_or(whole),
        }
    }
}

/// Columns of a grid that are on one line, with their widths.
struct Part {
    columns: Vec<(usize, usize)>,
    indent: usize,
    fits: bool,
}

/// Widths that fit into the room if the least ones do: what is left goes to the narrowest columns
/// that need more.
fn fitted(needs: &[Range<usize>], room: usize) -> Vec<usize> {
    let widths = |level: usize| {
        needs
            .iter()
            .map(move |need| need.end.min(level.max(need.start)))
    };
    let mut level = 0;
    let most = needs.iter().map(|need| need.end).max().unwrap_or(0);
    while level < most && widths(level + 1).sum::<usize>() <= room {
        level += 1;
    }
    let mut fitted: Vec<usize> = widths(level).collect();
    let mut left = room.saturating_sub(fitted.iter().sum());
    for (width, need) in fitted.iter_mut().zip(needs) {
        if left > 0 && *width < need.end {
            *width += 1;
            left -= 1;
        }
    }
    fitted
}

/// A name in at most this many columns: its beginning, an ellipsis, and its end.
pub(crate) fn cut(name: &str, width: usize) -> String {
    if columns(name) <= width {
        return name.to_owned();
    }
    let room = width.saturating_sub(1);
    let mut taken = 0;
    let fits = |most: usize, taken: &mut usize, c: char| {
        *taken += columns_of(c);
        *taken <= most
    };
    let start: String = (name.chars())
        .take_while(|c| fits(room.div_ceil(2), &mut taken, *c))
        .collect();
    taken = 0;
    let mut end: Vec<char> = (name.chars().rev())
        .take_while(|c| fits(room / 2, &mut taken, *c))
        .collect();
    end.reverse();
    format!("{start}…{}", end.into_iter().collect::<String>())
}

/// A text in lines of at most this many columns, wrapped at spaces; words that are longer are
/// broken. Spaces at its beginning remain.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    if columns(text) <= width {
        return vec![text.to_owned()];
    }
    let (width, mut lines) = (width.max(1), Vec::new());
    let indent = text.len() - text.trim_start_matches(' ').len();
    let mut line = text[..indent].to_owned();
    let mut is_started = false;
    for word in text[indent..].split(' ') {
        if is_started && columns(&line) + 1 + columns(word) > width {
            lines.push(std::mem::take(&mut line));
        } else if is_started {
            line.push(' ');
        }
        is_started = true;
        for c in word.chars() {
            if columns(&line) + columns_of(c) > width && !line.trim_start().is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "a_very_long_file_name_of_the_first_witness_1834_London.txt";

    fn grid(head: &[&str], rows: &[&[&str]], numbers: Range<usize>) -> Grid {
        let owned = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect();
        let mut grid = Grid::new(owned(head));
        for row in rows {
            grid.add_row(owned(row));
        }
        for column in numbers {
            grid.set(column, Form::Number);
        }
        grid
    }

    #[test]
    fn names_are_cut_in_the_middle() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("0123456789", 7), "012…789");
        assert_eq!(cut("0123456789", 6), "012…89");
        // Wide characters take two columns.
        assert_eq!(cut("一二三四五六", 7), "一…六");
        assert_eq!(cut("0123456789", 0), "…");
        let table = grid(&["file", "size"], &[&[LONG, "17"]], 1..2);
        assert_eq!(
            table.show(40),
            "file                                size\n\
             a_very_long_file_…_1834_London.txt    17\n"
        );
    }

    #[test]
    fn texts_are_wrapped_and_long_words_broken() {
        assert_eq!(wrapped("  one two three", 9), ["  one two", "three"]);
        assert_eq!(wrapped("to abcdefghij", 4), ["to", "abcd", "efgh", "ij"]);
        assert_eq!(wrapped("", 4), [""]);
        assert_eq!(wrapped("一二", 1), ["一", "二"]);
        let table = grid(
            &[],
            &[&["passes", "one: digests and shingles; then texts"]],
            0..0,
        );
        assert_eq!(
            table.show(32),
            "passes  one: digests and\n        shingles; then texts\n"
        );
    }

    #[test]
    fn heads_of_numbers_are_wrapped_before_names_are_cut() {
        let table = grid(
            &["text", "first in second"],
            &[&["abcdefghij", "0.5"]],
            1..2,
        );
        assert_eq!(
            table.show(20),
            "text        first in\n              second\nabcdefghij       0.5\n"
        );
    }

    #[test]
    fn long_heads_take_two_lines_and_marks_stay_with_words() {
        let table = grid(
            &["Size", "Texts\nwith\na\nduplicate", "Found\n/\nbaseline"],
            &[&["two", "7", "100.00"]],
            1..3,
        );
        assert_eq!(
            table.show(80),
            "Size   Texts with   Found /\n      a duplicate  baseline\ntwo             7    100.00\n"
        );
        // Where there is less room they take three, and no word is broken.
        assert_eq!(
            table.show(25),
            "Size      Texts   Found /\n         with a  baseline\n      duplicate\n\
             two           7    100.00\n"
        );
    }

    #[test]
    fn where_columns_do_not_fit_numbers_are_below_texts() {
        let table = grid(
            &["first", "second", "score", "shared"],
            &[&[LONG, LONG, "0.8824", "1,234"], &["a", "b", "1", "2"]],
            2..4,
        );
        assert_eq!(
            table.show(50),
            "first                     second\n   score  shared\n\
             a_very_long_…_London.txt  a_very_long_…_London.txt\n  \
             0.8824   1,234\n\
             a                         b\n       1       2\n"
        );
    }

    #[test]
    fn any_width_is_possible() {
        let table = grid(
            &["", "a head of several words", "n"],
            &[
                &["一二三四五六七八九十", LONG, "1,234,567"],
                &["only one"],
                &[],
            ],
            2..3,
        );
        for width in 0..120 {
            let text = table.show(width);
            assert!(text.contains("1,234,567"), "{text}");
            assert!(width < 60 || text.lines().all(|line| columns(line) <= width));
        }
        assert_eq!(Grid::default().show(80), "");
    }
}
