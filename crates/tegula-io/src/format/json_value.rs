//! Where a JSON value ends, and what separates it from the next.

use super::json;
use super::{PassOver, Passed};

/// How far a reader is into a value.
#[derive(Debug, Default)]
pub(super) struct Value {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    is_begun: bool,
}

impl Value {
    /// Reads on; returns where the value ends, if it does. A number or a word ends before what
    /// follows it.
    pub(super) fn end(&mut self, text: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(byte) = text.get(at) {
            if self.in_string {
                let step = if self.is_escaped {
                    Some(0)
                } else {
                    memchr::memchr2(b'"', b'\\', &text[at..])
                };
                at += step? + 1;
                if std::mem::take(&mut self.is_escaped) {
                    continue;
                }
                self.is_escaped = text[at - 1] == b'\\';
                self.in_string = self.is_escaped;
                if self.depth == 0 && !self.in_string {
                    return Some(at);
                }
                continue;
            }
            match byte {
                b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => {
                    return Some(at);
                }
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }
}

impl PassOver for Value {
    fn next(&mut self, text: &[u8]) -> Passed {
        let lead = if std::mem::replace(&mut self.is_begun, true) {
            0
        } else {
            separator(text)
        };
        self.end(&text[lead..])
            .map_or(Passed::Through(text.len()), |end| Passed::Ends(lead + end))
    }
}

/// The length of white space at the beginning.
pub(super) fn blank(text: &[u8]) -> usize {
    text.iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count()
}

/// The length of what separates an element from the one before.
pub(super) fn separator(text: &[u8]) -> usize {
    let space = blank(text);
    match text.get(space) {
        Some(b',') => space + 1 + blank(&text[space + 1..]),
        _ => space,
    }
}

/// Whether a line begins with an object, and another follows.
pub(super) fn is_several(line: &str) -> bool {
    let line = line.trim_start();
    let end = Value::default().end(line.as_bytes());
    line.starts_with('{')
        && end.is_some_and(|end| {
            json::object(&line[..end], |_, _| ()).is_ok()
                && line[end + separator(&line.as_bytes()[end..])..].starts_with('{')
        })
}
