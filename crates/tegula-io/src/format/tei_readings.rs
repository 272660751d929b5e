//! Which readings of a TEI document are text: exactly one of those in a `choice`, in an apparatus
//! and in a substitution, so that alternatives never form one word.
//!
//! A `del` and an `add` with nothing but white space between them are a substitution as well, as
//! many editions omit `subst`.

use super::xml::{TagKind, Tags, is_space, local};

/// Elements whose children are alternatives.
const ALTERNATIVES: [&str; 4] = ["choice", "app", "rdgGrp", "subst"];

/// Whether all text directly inside an element of this name is layout.
pub(crate) fn is_silent(name: &str) -> bool {
    ALTERNATIVES.contains(&name)
}

/// An open element.
struct Open<'a> {
    name: &'a str,
    start: usize,
    /// The children of an element of alternatives: their names and starts.
    readings: Vec<(&'a str, usize)>,
    /// The last child, if it was a deletion or an addition: its name, start and end.
    last: Option<(&'a str, usize, usize)>,
}

/// The starts of the elements that are not read, in order; with `original`, those are the
/// corrections, else what was corrected.
pub(crate) fn unread(record: &str, original: bool) -> Vec<usize> {
    let bytes = record.as_bytes();
    let occurs = |name: &&str| {
        memchr::memmem::find_iter(bytes, name.as_bytes())
            .any(|at| at > 0 && matches!(bytes[at - 1], b'<' | b':'))
    };
    if !ALTERNATIVES.iter().chain(&["del"]).any(occurs) {
        return Vec::new();
    }
    let dropped = if original { "add" } else { "del" };
    let mut unread = Vec::new();
    let mut stack: Vec<Open<'_>> = Vec::new();
    for tag in Tags::new(bytes) {
        let name = local(&record[tag.name.clone()]);
        if tag.kind != TagKind::Close {
            if let Some(parent) = stack.last_mut() {
                let last = parent.last.take();
                if is_silent(parent.name) {
                    parent.readings.push((name, tag.at.start));
                } else if matches!(name, "del" | "add")
                    && let Some((other, start, end)) = last
                    && other != name
                    && bytes[end..tag.at.start].iter().copied().all(is_space)
                {
                    unread.push(if name == dropped { tag.at.start } else { start });
                }
            }
            stack.push(Open {
                name,
                start: tag.at.start,
                readings: Vec::new(),
                last: None,
            });
        }
        if tag.kind != TagKind::Open
            && let Some(open) = stack.pop()
        {
            skip(&open, original, dropped, &mut unread);
            if let (Some(parent), "del" | "add") = (stack.last_mut(), open.name) {
                parent.last = Some((open.name, open.start, tag.at.end));
            }
        }
    }
    unread.sort_unstable();
    unread
}

/// Adds the alternatives that are not read.
fn skip(open: &Open<'_>, original: bool, dropped: &str, unread: &mut Vec<usize>) {
    let all = || open.readings.iter();
    let chosen = match open.name {
        "choice" => {
            let others: &[&str] = if original {
                &["corr", "reg", "expan", "ex"]
            } else {
                &["sic", "orig", "abbr", "am"]
            };
            let preferred = all().position(|(name, _)| !others.contains(name));
            preferred.or((!open.readings.is_empty()).then_some(0))
        }
        "app" | "rdgGrp" => {
            let lemma = all().position(|(name, _)| *name == "lem");
            lemma.or_else(|| all().position(|(name, _)| matches!(*name, "rdg" | "rdgGrp")))
        }
        "subst" if all().any(|(name, _)| *name != dropped) => {
            let lost = all().filter(|(name, _)| *name == dropped);
            unread.extend(lost.map(|(_, start)| *start));
            return;
        }
        _ => return,
    };
    if let Some(chosen) = chosen {
        let others = all().enumerate().filter(|(index, _)| *index != chosen);
        unread.extend(others.map(|(_, (_, start))| *start));
    }
}
