//! Ids and names of files on a page: long ones are cut in the middle, where they differ least.

use maud::{Markup, html};

use super::clean;

/// Characters up to which a name is never cut, on its own and in a table.
const SHORT: usize = 32;
const IN_TABLE: usize = 18;
/// Characters of the end that are always shown.
const END: usize = 14;

/// Characters of a head of a matrix.
const HEAD: usize = 22;

/// A name. A long one is cut to the space that there is; pointing at it or focusing it shows all of
/// it.
pub fn name(text: &str) -> Markup {
    cut(text, Some("0"))
}

/// The same within a link or a summary, which is what is focused.
pub fn label(text: &str) -> Markup {
    cut(text, None)
}

/// The same in the letters of the text around it, in a column of a table, which may be narrow.
pub fn plain(text: &str) -> Markup {
    let text = clean(text);
    match end_of(&text, IN_TABLE) {
        None => html! { (text) },
        Some(end) => {
            html! { span.cut title=(text) tabindex="0" { span { (&text[..end]) } span { (&text[end..]) } } }
        }
    }
}

fn cut(text: &str, tabindex: Option<&str>) -> Markup {
    let text = clean(text);
    match end_of(&text, SHORT) {
        None => html! { span.id { (text) } },
        Some(end) => {
            html! { span.id.cut title=(text) tabindex=[tabindex] { span { (&text[..end]) } span { (&text[end..]) } } }
        }
    }
}

/// Where the end of a name of more than `short` characters begins.
fn end_of(text: &str, short: usize) -> Option<usize> {
    let length = text.chars().count();
    let at = text.char_indices().nth(length.saturating_sub(END));
    at.filter(|_| length > short).map(|(at, _)| at)
}

/// Names for the heads of a matrix: without what all have in common at their beginning and end, and
/// long ones cut in the middle.
pub fn distinct(names: &[String]) -> Vec<String> {
    let (start, end) = common(names);
    let inner = |name: &String| {
        let inner = &name[start..name.len() - end];
        let length = inner.chars().count();
        if length <= HEAD {
            return inner.to_owned();
        }
        let first = inner.chars().take(HEAD / 2);
        let last = inner.chars().skip(length - (HEAD - 1 - HEAD / 2));
        first
            .chain(std::iter::once('\u{2026}'))
            .chain(last)
            .collect()
    };
    names.iter().map(inner).collect()
}

/// What names have in common at their beginning and their end, in bytes: folders and the extension;
/// if names are long even so, up to marks that separate words. Nothing if a name would be empty
/// without it.
fn common(names: &[String]) -> (usize, usize) {
    let [first, rest @ ..] = names else {
        return (0, 0);
    };
    if rest.is_empty() {
        return (0, 0);
    }
    let same = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| -> usize {
        let pairs = a.zip(b).take_while(|(a, b)| a == b);
        pairs.map(|(c, _)| c.len_utf8()).sum()
    };
    let starts = rest
        .iter()
        .map(|name| same(&mut first.chars(), &mut name.chars()));
    let ends = rest
        .iter()
        .map(|name| same(&mut first.chars().rev(), &mut name.chars().rev()));
    let (start, end) = (starts.min().unwrap_or(0), ends.min().unwrap_or(0));
    let up_to = |is_start: &dyn Fn(char) -> bool, is_end: &dyn Fn(char) -> bool| {
        let head = first[..start].char_indices().rev();
        let mut heads = head.filter(|(_, c)| is_start(*c));
        let tail = &first[first.len() - end..];
        (
            heads.next().map_or(0, |(at, c)| at + c.len_utf8()),
            tail.find(is_end).map_or(0, |at| end - at),
        )
    };
    let is_mark = |c: char| !c.is_alphanumeric();
    let (mut start, mut end) = up_to(&|c| c == '/' || c == '\\', &|c| c == '.');
    let is_long = |name: &String| {
        let inner = name.len().saturating_sub(start + end);
        inner > HEAD && name.chars().count() > HEAD
    };
    if names.iter().any(is_long) {
        (start, end) = up_to(&is_mark, &is_mark);
    }
    if names.iter().any(|name| name.len() <= start + end) {
        (0, 0)
    } else {
        (start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_in_two_parts_and_nothing_is_lost() {
        assert_eq!(
            name("<a>").into_string(),
            "<span class=\"id\">&lt;a&gt;</span>"
        );
        let long = format!("{}\u{e9}", "https://example.org/".repeat(3));
        let shown = name(&long).into_string();
        assert!(shown.contains("tabindex=\"0\"") && shown.contains(&format!("title=\"{long}\"")));
        assert!(
            shown.contains("<span>.org/\u{e9}") || shown.contains("mple.org/\u{e9}</span>"),
            "{shown}"
        );
        assert!(!label(&long).into_string().contains("tabindex"));
    }

    #[test]
    fn common_parts_end_at_marks() {
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        let of = |given: &[&str]| common(&names(given));
        assert_eq!(of(&["essays/a-1.txt", "essays/a-2.txt"]), (7, 4));
        assert_eq!(of(&["one.txt", "one.txt"]), (0, 4));
        assert_eq!(of(&["essay1", "essay2"]), (0, 0));
        assert_eq!(of(&["a\u{2013}b", "a\u{2013}c"]), (0, 0));
        assert_eq!(of(&["in/anna.docx", "in/anna.pdf"]), (3, 0));
        let long = |end: &str| format!("{}\u{2013}{end}", "a".repeat(40));
        assert_eq!(of(&[&long("b"), &long("c")]), (43, 0));
        assert_eq!(of(&["a.txt"]), (0, 0));
        assert_eq!(of(&[]), (0, 0));
        assert_eq!(
            distinct(&names(&["x/one.txt", "x/two.txt"])),
            ["one", "two"]
        );
        let long = format!("x/{}-end.txt", "a".repeat(40));
        let heads = distinct(&names(&[&long, "x/b.txt"]));
        assert_eq!(heads, ["aaaaaaaaaaa\u{2026}aaaaaa-end", "b"]);
    }
}
