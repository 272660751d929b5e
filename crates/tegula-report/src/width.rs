//! How many columns of a terminal texts take.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that a text takes.
pub fn columns(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Columns that a character takes.
pub fn columns_of(c: char) -> usize {
    UnicodeWidthChar::width(c).unwrap_or(0)
}
