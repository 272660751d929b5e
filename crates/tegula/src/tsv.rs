//! Tab-separated cells of tables.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What is done with cells that a spreadsheet would run as formulas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Formulas {
    /// Nothing.
    #[default]
    Kept,
    /// An apostrophe is put before them, so that a spreadsheet shows them as text.
    Escaped,
}

impl Formulas {
    /// Appends a cell, as [`escape`] does.
    pub fn write(self, text: &str, out: &mut String) {
        if self == Self::Escaped && is_formula(text) {
            out.push('\'');
        }
        escape(text, out);
    }

    /// The opposite of [`Formulas::write`].
    pub fn read(self, cell: &str) -> Cow<'_, str> {
        let is_escaped = |cell: &str| cell.strip_prefix('\'').is_some_and(is_formula);
        match unescape(cell) {
            Cow::Borrowed(text) if self == Self::Escaped && is_escaped(text) => {
                Cow::Borrowed(&text[1..])
            }
            Cow::Owned(text) if self == Self::Escaped && is_escaped(&text) => {
                Cow::Owned(text[1..].to_owned())
            }
            text => text,
        }
    }
}

/// Whether a spreadsheet may run a text as a formula: it begins like one and is no number. Full-width
/// characters begin one as well where a keyboard types them. Quotation marks around a cell are
/// dropped when a spreadsheet opens it, so they do not count; nor do apostrophes, so that a text that
/// has one already gets another, and each is read back as it was.
fn is_formula(text: &str) -> bool {
    const BEGIN: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    let is_number = || {
        let is_part = |byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
        text.bytes().all(is_part) && text.parse::<f64>().is_ok()
    };
    text.trim_start_matches(['"', '\'']).starts_with(BEGIN) && !is_number()
}

/// Appends a cell: tabs, line ends and backslashes are written `\t`, `\n`, `\r`, `\\`; nothing else
/// is touched.
pub fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\\' => out.push_str("\\\\"),
            other => out.push(other),
        }
    }
}

/// The opposite of [`escape`]; a backslash before any other character stands for itself.
pub fn unescape(cell: &str) -> Cow<'_, str> {
    if !cell.contains('\\') {
        return Cow::Borrowed(cell);
    }
    let mut out = String::with_capacity(cell.len());
    let mut chars = cell.chars();
    while let Some(c) = chars.next() {
        let escaped = if c == '\\' {
            chars.clone().next()
        } else {
            None
        };
        out.push(match escaped {
            Some('t') => '\t',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('\\') => '\\',
            _ => {
                out.push(c);
                continue;
            }
        });
        chars.next();
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cells_round_trip(text in any::<String>()) {
            let mut cell = String::new();
            escape(&text, &mut cell);
            prop_assert!(!cell.contains(['\t', '\n', '\r']));
            prop_assert_eq!(unescape(&cell), text);
        }

        #[test]
        fn escaped_formulas_round_trip(text in "['\"]{0,2}[-=+@＝\t\\\\]?['=0-9.e-]{0,4}\\PC{0,4}") {
            let mut cell = String::new();
            Formulas::Escaped.write(&text, &mut cell);
            prop_assert!(!is_formula(&cell) || cell.starts_with('\''));
            prop_assert_eq!(Formulas::Escaped.read(&cell), text);
        }
    }

    #[test]
    fn formulas_have_an_apostrophe_and_numbers_have_none() {
        for formula in [
            "=HYPERLINK(\"x\")",
            "+1+cmd",
            "-2+3",
            "@SUM(A1)",
            "-",
            "-inf",
            "＝1",
            "\t=1",
            "\r=1",
            "\"=1\"",
            "'=1",
        ] {
            let mut cell = String::new();
            Formulas::Escaped.write(formula, &mut cell);
            let mut plain = String::new();
            Formulas::Kept.write(formula, &mut plain);
            assert_eq!(cell, format!("'{plain}"));
            assert_eq!(Formulas::Kept.read(&cell), unescape(&cell));
        }
        for text in ["-1.5", "+3", "-2e-7", "a=b", "1-2", "'", "", "'tis", " =1"] {
            let mut cell = String::new();
            Formulas::Escaped.write(text, &mut cell);
            assert_eq!(cell, text);
        }
    }

    #[test]
    fn a_lone_backslash_stands_for_itself() {
        assert_eq!(unescape("C:\\dir\\"), "C:\\dir\\");
    }
}
