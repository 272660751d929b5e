//! Tab-separated cells of tables.

use std::borrow::Cow;

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
    }

    #[test]
    fn a_lone_backslash_stands_for_itself() {
        assert_eq!(unescape("C:\\dir\\"), "C:\\dir\\");
    }
}
