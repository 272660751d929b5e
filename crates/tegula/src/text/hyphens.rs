//! Rejoins words hyphenated at line ends.

use super::origin::Origin;

/// What to do with hyphens at line ends.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Hyphens {
    /// Keep them.
    #[default]
    Keep,
    /// A hyphen between a letter and a line end is removed together with the white space after it,
    /// if a lower-case letter follows: `Konzer-⏎vator` becomes `Konzervator`, also across a blank
    /// line. Soft hyphens are always removed.
    Join,
}

const SOFT: char = '\u{AD}';

fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | SOFT)
}

/// The text after this step; `None` if it is certain that nothing changes.
pub(crate) fn joined(text: &str) -> Option<(String, Origin)> {
    if !may_occur(text) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut origin = Origin::default();
    join(text, &mut out, &mut origin);
    Some((out, origin))
}

/// Whether `text` may contain a word to join.
fn may_occur(text: &str) -> bool {
    text.contains(is_hyphen)
}

/// Appends `text` with its words joined to `out` and records in `origin` where each part came from.
fn join(text: &str, out: &mut String, origin: &mut Origin) {
    let mut copied = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        if at >= copied && is_hyphen(c) {
            let behind = at + c.len_utf8();
            let gap = if last.is_some_and(char::is_alphabetic) {
                gap(&text[behind..])
            } else {
                None
            };
            if let Some(gap) = gap.or((c == SOFT).then_some(0)) {
                if copied < at {
                    origin.copied(out.len(), copied..at);
                    out.push_str(&text[copied..at]);
                }
                copied = behind + gap;
            }
        }
        last = Some(c);
    }
    if copied < text.len() {
        origin.copied(out.len(), copied..text.len());
        out.push_str(&text[copied..]);
    }
}

/// The length of white space that contains a line end and is followed by a lower-case letter.
fn gap(rest: &str) -> Option<usize> {
    let word = rest.trim_start();
    let gap = rest.len() - word.len();
    (rest[..gap].contains('\n') && word.chars().next().is_some_and(char::is_lowercase))
        .then_some(gap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn joined(text: &str) -> String {
        let mut out = String::new();
        join(text, &mut out, &mut Origin::default());
        out
    }

    #[test]
    fn words_parted_at_a_line_end_are_whole_again() {
        for (text, whole) in [
            ("Konzer-\nvator", "Konzervator"),
            ("Konzer- \r\n\r\n  vator a", "Konzervator a"),
            ("kon\u{AD}trola a kon\u{2010}\ntrola", "kontrola a kontrola"),
            ("Nord-\nSüd", "Nord-\nSüd"),
            ("a -\nb", "a -\nb"),
            ("1-\nb", "1-\nb"),
            ("česko-slovenský", "česko-slovenský"),
            ("a-", "a-"),
            ("a-\n", "a-\n"),
            ("a-\nb-\nc", "abc"),
        ] {
            assert_eq!(joined(text), whole);
        }
    }

    proptest! {
        #[test]
        fn only_hyphens_and_white_space_go(text in "[ab\\-\u{AD}\u{2010} \n\rČ1]{0,24}") {
            let mut out = String::new();
            let mut origin = Origin::default();
            join(&text, &mut out, &mut origin);
            let solid = |text: &str| text.chars().filter(|c| !c.is_whitespace() && !is_hyphen(*c)).collect::<String>();
            prop_assert_eq!(solid(&out), solid(&text));
            for (at, c) in out.char_indices() {
                let back = origin.back(at..at + c.len_utf8());
                prop_assert_eq!(&text[back], c.to_string());
            }
        }
    }
}
