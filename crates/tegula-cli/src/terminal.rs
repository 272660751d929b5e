//! The terminal that data is shown on: its width, and its colours.

pub(crate) use tegula_report::form::{count, plural};
pub(crate) use tegula_report::screen::{clipped, columns, say, show, size, table};

use std::borrow::Cow;
use std::io::IsTerminal;

/// The number of columns if it is unknown.
const COLUMNS: usize = 100;

/// Columns of standard output: as requested, otherwise the terminal's, otherwise a hundred.
pub(crate) fn width(asked: Option<usize>) -> usize {
    room(asked).unwrap_or(COLUMNS).max(20)
}

/// The columns that were asked for, or else those of the terminal; none in a file or a pipe.
pub(crate) fn room(asked: Option<usize>) -> Option<usize> {
    asked.or_else(|| {
        let (terminal_size::Width(columns), _) = std::io::stdout()
            .is_terminal()
            .then(terminal_size::terminal_size)
            .flatten()?;
        Some(columns.into())
    })
}

/// A text whose lines of prose are wrapped at spaces to a number of columns, and keep their indent. Lines
/// in columns, or with colours, are left as they are.
pub(crate) fn folded(text: &str, width: usize) -> Cow<'_, str> {
    let is_long = |line: &str| columns(line) > width && is_prose(line);
    if !text.lines().any(is_long) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        let (line, end) = line
            .strip_suffix('\n')
            .map_or((line, ""), |line| (line, "\n"));
        if is_long(line) {
            let body = line.trim_start_matches(' ');
            let indent = line.len() - body.len();
            out.push_str(&line[..indent]);
            out.push_str(&hanging(body, width, indent));
        } else {
            out.push_str(line);
        }
        out.push_str(end);
    }
    out.into()
}

/// Whether a line consists of words with single spaces between them.
fn is_prose(line: &str) -> bool {
    let body = line.trim_start_matches(' ');
    body.contains(' ') && !body.contains("  ") && !body.contains(['\t', '\u{1b}', '\u{2502}'])
}

/// A text wrapped at spaces to a number of columns, where something of `indent` columns precedes its
/// first line, and blanks the others. A word that is longer than a line is not broken.
pub(crate) fn hanging(text: &str, width: usize, indent: usize) -> String {
    let (mut out, mut used) = (String::new(), indent);
    for word in text.split(' ') {
        let room = columns(word);
        if used > indent && used + 1 + room > width {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            used = indent;
        } else if used > indent {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += room;
    }
    out
}

/// Whether data on standard output may carry colours.
pub(crate) fn colours() -> bool {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    wanted && std::io::stdout().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_wrapped_and_keeps_its_indent() {
        let text = "one two three four\n  five six seven eight\nshort\n";
        assert_eq!(
            folded(text, 12),
            "one two\nthree four\n  five six\n  seven\n  eight\nshort\n"
        );
        assert!(matches!(folded(text, 40), Cow::Borrowed(_)));
        // A long word is left to the terminal, and a prompt without a line end.
        assert_eq!(folded("to abcdefghij or? ", 8), "to\nabcdefghij\nor? ");
    }

    #[test]
    fn what_is_in_columns_or_coloured_stays() {
        for line in [
            "name  a b c d e f",
            "a\tb c d e f g h",
            "\u{1b}[1mab\u{1b}[0m cd ef gh",
            "abcdefghijklmnop",
        ] {
            assert_eq!(folded(line, 8), line);
        }
    }

    #[test]
    fn a_label_is_before_its_text() {
        assert_eq!(hanging("one two three", 14, 6), "one two\n      three");
        assert_eq!(hanging("", 14, 6), "");
    }
}
