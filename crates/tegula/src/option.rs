//! Options in messages: the library marks them, and each front end spells them.
//!
//! An option is `--id-key` on a command line but `id_key` in a function, and a message must use the
//! reader's spelling. So texts of the library write its name in mathematical angle brackets, as in
//! `name the field with ⟨id_key⟩`, optionally with a value after an equals sign: `⟨tokens=found⟩`.
//! User input must not be inside a mark, as it may contain anything: `⟨set⟩ {key}`, not
//! `⟨set={key}⟩`. Anything in such a text that looks like a mark is treated as one; the rest is
//! unchanged.

use std::borrow::Cow;

/// How a front end spells an option: from its name in snake case, and its value if there is one.
pub type Spelling<'a> = &'a dyn Fn(&str, Option<&str>) -> String;

const OPEN: char = '⟨';
const CLOSE: char = '⟩';

/// The text with each mark replaced.
pub fn spell<'a>(text: &'a str, spelling: Spelling<'_>) -> Cow<'a, str> {
    let mut spelt = String::new();
    let mut done = 0;
    for (start, _) in text.match_indices(OPEN) {
        if let Some((name, value, end)) = mark_at(text, start) {
            spelt.push_str(&text[done..start]);
            spelt.push_str(&spelling(name, value));
            done = end;
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    spelt.push_str(&text[done..]);
    Cow::Owned(spelt)
}

/// The spelling of the library itself: `id_key`, `tokens = found`.
pub fn plain(name: &str, value: Option<&str>) -> String {
    value.map_or_else(|| name.to_owned(), |value| format!("{name} = {value}"))
}

/// Leaves marks unchanged, for texts that become part of others.
pub fn mark(name: &str, value: Option<&str>) -> String {
    value.map_or_else(
        || format!("{OPEN}{name}{CLOSE}"),
        |value| format!("{OPEN}{name}={value}{CLOSE}"),
    )
}

/// The option at the beginning of a text.
pub(crate) fn first(text: &str) -> Option<&str> {
    text.starts_with(OPEN)
        .then(|| mark_at(text, 0))
        .flatten()
        .map(|(name, ..)| name)
}

/// The name and value of the mark that begins at a byte, and its end.
fn mark_at(text: &str, start: usize) -> Option<(&str, Option<&str>, usize)> {
    let inner = start + OPEN.len_utf8();
    let close = inner + text[inner..].find([OPEN, CLOSE])?;
    if !text[close..].starts_with(CLOSE) {
        return None;
    }
    let (name, value) = match text[inner..close].split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (&text[inner..close], None),
    };
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    is_name.then_some((name, value, close + CLOSE.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_front_end_has_its_own_words() {
        let text = "use ⟨tokens=found⟩, or name the field with ⟨id_key⟩";
        assert_eq!(
            spell(text, &plain),
            "use tokens = found, or name the field with id_key"
        );
        assert_eq!(spell(text, &mark), text);
        let shouted = |name: &str, value: Option<&str>| {
            format!("{}{}", name.to_uppercase(), value.unwrap_or_default())
        };
        assert_eq!(
            spell(text, &shouted),
            "use TOKENSfound, or name the field with ID_KEY"
        );
        assert_eq!(
            spell("⟨set=onion.short=exact⟩", &plain),
            "set = onion.short=exact"
        );
    }

    #[test]
    fn brackets_of_users_are_left_alone_unless_they_look_like_a_mark() {
        for text in [
            "",
            "no mark",
            "⟨",
            "⟩",
            "⟨⟩",
            "⟨Ab⟩",
            "⟨a b⟩",
            "⟨=x⟩",
            "⟨a",
            "a⟩⟨",
            "⟨1⟩",
            "⟨a=⟨",
            "日⟨本⟩",
        ] {
            assert_eq!(spell(text, &plain), text);
        }
        assert_eq!(spell("⟨ a ⟨b⟩⟩ ⟨a=⟨c⟩", &plain), "⟨ a b⟩ ⟨a=c");
    }

    #[test]
    fn a_text_may_begin_with_an_option() {
        assert_eq!(first("⟨output=-⟩: expected one file"), Some("output"));
        assert_eq!(first("expected ⟨output⟩"), None);
        assert_eq!(first("⟨no mark⟩"), None);
    }
}
