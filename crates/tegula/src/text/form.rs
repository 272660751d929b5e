//! Normal forms: a fast check, and a rewrite that tracks offsets.

use super::origin::Origin;
use super::unicode::{MOVES_IN_NFC, MOVES_IN_NFKC, entry, table};
use unicode_normalization::{UnicodeNormalization, is_nfc, is_nfkc};

/// The Unicode normal form to apply (UAX #15).
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// No normalisation: `é` as one character differs from `é` as two.
    None,
    /// Canonical composition: the same characters are equal, however they were encoded.
    #[default]
    Nfc,
    /// Compatibility composition: also `ﬁ` = `fi`, `²` = `2`, full width = half width.
    Nfkc,
}

/// `text` in the form; `None` if it is already in it.
pub(crate) fn rewritten(form: Form, text: &str) -> Option<(String, Origin)> {
    if is_in(form, text) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut origin = Origin::default();
    rewrite(form, text, &mut out, &mut origin);
    Some((out, origin))
}

/// Whether `text` is already in the form.
pub(crate) fn is_in(form: Form, text: &str) -> bool {
    match form {
        Form::None => true,
        Form::Nfc => !may_move_in_nfc(text) || is_nfc(text),
        Form::Nfkc => text.is_ascii() || is_nfkc(text),
    }
}

/// Whether `text` has a character that NFC may change. Most texts have none, and most bytes need no
/// closer check: no character below U+0300 changes, nor any that begins with the bytes CF, D0 and
/// D1 (Greek and Cyrillic).
fn may_move_in_nfc(text: &str) -> bool {
    const STEP: usize = 16;
    let table = table();
    let suspicious = |byte: u8| byte >= 0xCC && !(0xCF..=0xD1).contains(&byte);
    let mut from = 0;
    for chunk in text.as_bytes().chunks(STEP) {
        // Without short-circuiting, so that the compiler can vectorise it.
        if chunk
            .iter()
            .fold(false, |any, &byte| any | suspicious(byte))
        {
            let start = boundary(text, from);
            let end = boundary(text, from + chunk.len());
            let moves = |c: char| entry(table, c) & MOVES_IN_NFC != 0;
            if text[start..end].chars().any(moves) {
                return true;
            }
        }
        from += chunk.len();
    }
    false
}

/// The first character boundary at or after `at`.
fn boundary(text: &str, at: usize) -> usize {
    (at..text.len())
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(text.len())
}

/// Appends `text` in the form to `out` and records in `origin` where each part came from. Changed
/// parts map back as a whole: a base character with its marks.
pub(crate) fn rewrite(form: Form, text: &str, out: &mut String, origin: &mut Origin) {
    let moves = match form {
        Form::None => 0,
        Form::Nfc => MOVES_IN_NFC,
        Form::Nfkc => MOVES_IN_NFKC,
    };
    let table = table();
    let mut copied = 0; // all before is in `out`
    let mut formed = String::new();
    let mut start = 0; // the stretch begins here
    let mut unsure = false; // and has a character that may move
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if entry(table, c) & moves == 0 {
            start = at;
        } else {
            unsure = true;
        }
        let end = chars.peek().map_or(text.len(), |&(next, _)| next);
        let stretch_ends = chars
            .peek()
            .is_none_or(|&(_, next)| entry(table, next) & moves == 0);
        if !stretch_ends || !unsure {
            continue;
        }
        unsure = false;
        let stretch = &text[start..end];
        match form {
            Form::None => formed.push_str(stretch),
            Form::Nfc => formed.extend(stretch.nfc()),
            Form::Nfkc => formed.extend(stretch.nfkc()),
        }
        if formed != stretch {
            // Only the part that differs is replaced: `½` after a space must not map back to both.
            let mut head = common(stretch.chars(), formed.chars());
            let mut tail = common(stretch[head..].chars().rev(), formed[head..].chars().rev());
            if head + tail == stretch.len() {
                (head, tail) = (0, 0); // inserted text also has a source
            }
            copy(text, copied..start + head, out, origin);
            origin.replaced(out.len(), start + head..end - tail);
            out.push_str(&formed[head..formed.len() - tail]);
            copied = end - tail;
        }
        formed.clear();
        start = end;
    }
    copy(text, copied..text.len(), out, origin);
}

/// The length in bytes of the common prefix.
fn common(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    let equal = a.zip(b).take_while(|(a, b)| a == b);
    equal.map(|(c, _)| c.len_utf8()).sum()
}

fn copy(text: &str, range: std::ops::Range<usize>, out: &mut String, origin: &mut Origin) {
    if !range.is_empty() {
        origin.copied(out.len(), range.clone());
        out.push_str(&text[range]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rewritten(form: Form, text: &str) -> String {
        let mut out = String::new();
        rewrite(form, text, &mut out, &mut Origin::default());
        out
    }

    #[test]
    fn the_bytes_that_need_no_look_never_move() {
        for c in '\0'..='\u{7FF}' {
            let lead = c.to_string().as_bytes()[0];
            if lead < 0xCC || (0xCF..=0xD1).contains(&lead) {
                assert_eq!(entry(table(), c) & MOVES_IN_NFC, 0, "{c:?}");
            }
        }
    }

    #[test]
    fn a_composed_letter_maps_back_to_its_parts() {
        let text = "xe\u{301}y";
        let mut out = String::new();
        let mut origin = Origin::default();
        rewrite(Form::Nfc, text, &mut out, &mut origin);
        assert_eq!(out, "xéy");
        assert_eq!(origin.back(1..3), 1..4);
        assert_eq!(origin.back(3..4), 4..5);
    }

    fn texts() -> impl Strategy<Value = String> {
        let odd = prop::sample::select(vec![
            'e',
            '\u{301}',
            '\u{323}',
            '\u{307}',
            'é',
            'ᄀ',
            'ᅡ',
            'ᆨ',
            '가',
            'K',
            'Å',
            '\u{344}',
            '½',
            'ﬁ',
            'ж',
            'щ',
            'ö',
            '“',
            '\u{FB2C}',
            'の',
            '\u{3099}',
            'か',
            '\0',
            ' ',
            '\u{1D15E}',
        ]);
        prop_oneof![
            prop::collection::vec(odd, 0..40).prop_map(|chars| chars.into_iter().collect()),
            any::<String>(),
        ]
    }

    proptest! {
        #[test]
        fn equals_the_crate(text in texts()) {
            prop_assert_eq!(rewritten(Form::Nfc, &text), text.nfc().collect::<String>());
            prop_assert_eq!(rewritten(Form::Nfkc, &text), text.nfkc().collect::<String>());
            prop_assert_eq!(is_in(Form::Nfc, &text), text.nfc().eq(text.chars()));
            prop_assert_eq!(is_in(Form::Nfkc, &text), text.nfkc().eq(text.chars()));
            prop_assert_eq!(rewritten(Form::None, &text), text);
        }
    }
}
