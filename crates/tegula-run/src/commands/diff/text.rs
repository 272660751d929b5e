//! The comparison of two runs for a terminal.

use std::fmt::Write as _;
use tegula::printable;
use tegula_report::diff::{Caught, Compared, Diff};
use tegula_report::form;
use tegula_report::screen::{columns, columns_of};
use tegula_report::{render, run, say};

/// Maximum number of lines of an example.
const LINES: usize = 2;
/// Rows of a table.
const ROWS: usize = 40;

pub(super) fn show(diff: &Diff, width: usize) -> String {
    let mut out = String::new();
    let wide = diff
        .names
        .iter()
        .map(|name| columns(name))
        .max()
        .unwrap_or_default();
    for (name, methods) in diff.names.iter().zip(&diff.methods) {
        let pad = " ".repeat(wide - columns(name));
        say!(out, "{name}{pad}  {}", methods.join("; then "));
    }
    out.push('\n');
    for (place, table) in diff.tables().iter().enumerate() {
        if place > 0 {
            out.push('\n');
        }
        out.push_str(&render::terminal(table, width, ROWS));
        if place == 0 {
            agreement(diff, &mut out);
        }
    }
    for caught in Caught::ALL {
        let mut examples = diff
            .examples
            .iter()
            .filter(|example| example.caught == caught)
            .peekable();
        if examples.peek().is_some() {
            out.push('\n');
            say!(out, "{}:", diff.head(caught));
        }
        for one in examples {
            example(one, diff, width, &mut out);
        }
    }
    out
}

fn agreement(diff: &Diff, out: &mut String) {
    let kappa = diff
        .kappa()
        .map_or_else(|| "not defined".to_owned(), |kappa| format!("{kappa:.4}"));
    let _ = write!(
        out,
        "\nThe runs agree on {:.2} % of the {}; Cohen's kappa {kappa}",
        100.0 * diff.agreement(),
        run::plural(diff.level)
    );
    if let Some(overlap) = diff.overlap() {
        let _ = write!(
            out,
            "; of those that either caught, both caught {:.2} %",
            100.0 * overlap
        );
    }
    out.push_str(".\n");
}

fn example(one: &Compared, diff: &Diff, width: usize, out: &mut String) {
    out.push('\n');
    say!(out, "  {}  ({})", one.id, form::plural(one.tokens, "token"));
    if let Some(text) = &one.text {
        shortened(text, 4, width, out);
    }
    for (name, fate) in diff.names.iter().zip(&one.fates) {
        let mut line = format!(
            "  {name}: {}",
            if fate.verdict.is_empty() {
                "not seen"
            } else {
                &fate.verdict
            }
        );
        if let Some(score) = fate.score {
            let _ = write!(line, ", score {score:.4}");
        }
        if let Some(label) = &fate.label {
            let _ = write!(line, " ({label})");
        }
        if let Some(witness) = &fate.witness {
            let _ = write!(line, ", because of {witness}");
        }
        say!(out, "{line}");
        if let Some(text) = fate
            .witness_text
            .as_ref()
            .filter(|text| Some(*text) != one.text.as_ref())
        {
            shortened(text, 6, width, out);
        }
    }
}

/// A text with its white space collapsed, in at most [`LINES`] lines.
fn shortened(text: &str, indent: usize, width: usize, out: &mut String) {
    let room = width.saturating_sub(indent).max(20);
    let mut lines: Vec<String> = vec![String::new()];
    let mut whole = true;
    'words: for word in text.split_whitespace() {
        let word = printable::line(word);
        let mut word = &*word;
        loop {
            let last = lines.len() - 1;
            let space = usize::from(!lines[last].is_empty());
            if columns(&lines[last]) + space + columns(word) <= room {
                lines[last].push_str(if space > 0 { " " } else { "" });
                lines[last].push_str(word);
                continue 'words;
            }
            if lines.len() == LINES {
                whole = false;
                break 'words;
            }
            if space > 0 {
                lines.push(String::new());
                continue;
            }
            // A word longer than a line, as in a script without spaces, is broken.
            let mut columns = 0;
            let fits = word.char_indices().find(|(_, c)| {
                columns += columns_of(*c);
                columns > room
            });
            let at = fits.map_or(word.len(), |(at, _)| at.max(1));
            lines[last].push_str(&word[..at]);
            word = &word[at..];
            lines.push(String::new());
        }
    }
    for (place, line) in lines.iter().enumerate() {
        let more = if !whole && place + 1 == lines.len() {
            " …"
        } else {
            ""
        };
        let _ = writeln!(out, "{}{line}{more}", " ".repeat(indent));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shortened_to_their_lines() {
        let mut out = String::new();
        shortened("one two\n three", 2, 40, &mut out);
        assert_eq!(out, "  one two three\n");
        for text in [
            "word ".repeat(40),
            "語".repeat(100),
            "x".repeat(100),
            "\u{1f600}".repeat(90),
        ] {
            out.clear();
            shortened(&text, 2, 32, &mut out);
            assert_eq!(out.lines().count(), LINES, "{out}");
            assert!(out.ends_with(" …\n"), "{out}");
            assert!(out.lines().all(|line| columns(line) <= 34), "{out}");
        }
        out.clear();
        shortened("", 2, 32, &mut out);
        assert_eq!(out, "  \n");
    }
}
