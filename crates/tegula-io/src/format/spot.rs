//! Lines and columns in files, and blank lines.

/// A position in a file as lines and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
    /// The line, from 1.
    pub(crate) line: u64,
    /// The character in the line, from 1.
    pub(crate) column: u64,
}

impl Default for Spot {
    fn default() -> Self {
        Self { line: 1, column: 1 }
    }
}

impl Spot {
    /// Advances past this text.
    pub(crate) fn pass(&mut self, text: &[u8]) {
        let last = match memchr::memrchr(b'\n', text) {
            Some(end) => {
                self.line += memchr::memchr_iter(b'\n', text).count() as u64;
                self.column = 1;
                &text[end + 1..]
            }
            None => text,
        };
        self.column += last.iter().filter(|byte| (**byte & 0xC0) != 0x80).count() as u64;
    }
}

/// Whether a line contains only white space.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter()
        .all(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'))
}
