//! The columns of a CoNLL-U file: its ten, or those that a CoNLL-U Plus file lists in
//! `# global.columns` at its beginning, in any order.
//!
//! The list belongs to the file and not to its first document, so it stays whatever is removed.

use super::conllu_comment::{begins, comment};
use super::spot::is_blank;
use std::ops::Range;

/// The key of the comment that lists the columns.
pub(crate) const KEY: &str = "global.columns";

/// The columns of CoNLL-U.
const USUAL: [&str; 10] = [
    "ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC",
];

/// The columns of a file, and where those are that matter here, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns {
    /// As the file lists them, separated by spaces; none if it lists none.
    listed: Option<String>,
    pub(crate) count: usize,
    pub(crate) id: Option<usize>,
    pub(crate) form: Option<usize>,
    pub(crate) tag: Option<usize>,
    pub(crate) misc: Option<usize>,
}

impl Default for Columns {
    fn default() -> Self {
        Self::of(&USUAL)
    }
}

impl Columns {
    fn of(names: &[&str]) -> Self {
        let place = |wanted: &str| {
            let mut all = names.iter();
            all.position(|name| name.eq_ignore_ascii_case(wanted))
        };
        Self {
            listed: None,
            count: names.len(),
            id: place("ID"),
            form: place("FORM"),
            tag: place("UPOS"),
            misc: place("MISC"),
        }
    }

    /// The columns of the file that begins with `sample`.
    pub(crate) fn of_file(sample: &str) -> Self {
        match header(sample.as_bytes()).and_then(|header| last_comment(sample.get(header)?)) {
            Some((_, Some(list))) => Self {
                listed: Some(normal(list)),
                ..Self::of(&list.split_whitespace().collect::<Vec<_>>())
            },
            _ => Self::default(),
        }
    }

    /// Whether these are the columns in a comment of the file.
    pub(crate) fn are(&self, list: Option<&str>) -> bool {
        list.is_some() && self.listed == list.map(normal)
    }

    /// The columns, for messages.
    pub(crate) fn names(&self) -> String {
        let usual = || USUAL.join(" ");
        self.listed.clone().unwrap_or_else(usual)
    }
}

fn normal(list: &str) -> String {
    list.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The last comment of these lines.
fn last_comment(lines: &str) -> Option<(&str, Option<&str>)> {
    lines.lines().rev().find_map(comment)
}

/// The lines at the beginning of a file up to the list of its columns: no others than comments that
/// say nothing about a document or a sentence. None if it has no such list.
pub(crate) fn header(text: &[u8]) -> Option<Range<usize>> {
    let mut at = 0;
    while at < text.len() {
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |step| at + step + 1);
        let line = &text[at..end];
        if !is_blank(line) {
            let (key, _) = std::str::from_utf8(line).ok().and_then(comment)?;
            if key == KEY {
                return Some(0..end);
            }
            let of_units = ["newdoc", "newpar", "sent_id", "text"];
            if of_units.iter().any(|word| begins(key, word)) {
                return None;
            }
        }
        at = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_their_names() {
        let plus = Columns::of_file("# made by hand\n# global.columns = FORM  id X:Y upos\n1\t");
        assert_eq!(
            (plus.count, plus.id, plus.form, plus.tag, plus.misc),
            (4, Some(1), Some(0), Some(3), None)
        );
        assert!(plus.are(Some("FORM id X:Y upos")) && !plus.are(Some("FORM id")));
        assert_eq!(plus.names(), "FORM id X:Y upos");
        for text in [
            "",
            "# text = a\n# global.columns = FORM\n",
            "1\ta\n# global.columns = FORM\n",
            "# global.columns\n",
        ] {
            assert_eq!(Columns::of_file(text), Columns::default(), "{text}");
        }
        assert_eq!(Columns::default().count, 10);
    }
}
