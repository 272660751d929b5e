//! Masks parts that vary between copies of the same message: links, addresses, phone numbers,
//! names. Each becomes one token.
//!
//! The rules are for ASCII, and meant for short messages in any language: masked parts need no
//! white space around them, as between Chinese characters, but must not be adjacent to a letter or
//! digit.
//!
//! - `url`: `http://…`, `https://…`, `ftp://…` and `www.…`; otherwise labels with a dot that end in
//!   a common top-level domain, or have a path (`t.cn/A6x`). Sentence punctuation at the end is not
//!   part of it.
//! - `email`: a local part, `@`, a domain with a dot.
//! - `phone`: 7 to 15 digits in groups of two or more, separated by a space, hyphen, dot, slash or
//!   parentheses. It begins with `+`, `0` or `(`, or its groups have at least three digits and are
//!   separated only by spaces or hyphens, or it is one group of 8 to 13 digits. Dates
//!   (`2011-02-18`, `20110218`), years and grouped thousands are excluded. Codes of up to six
//!   digits are kept: they are the point of a message.
//! - `name`: `@` followed by letters, digits, `_` and `-`, the first a letter; no letter or digit
//!   before.

use super::origin::{Origin, Rewriter};
use super::unicode::{Kind, kind};
use serde::de::{Deserializer, Error as _};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A kind of part to mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mask {
    /// A link.
    Url,
    /// A mail address.
    Email,
    /// A phone number.
    Phone,
    /// A name after `@`.
    Name,
}

impl Mask {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Url, Self::Email, Self::Phone, Self::Name];

    /// The token that replaces it. A text that contains this token literally has the same token.
    pub fn token(self) -> &'static str {
        match self {
            Self::Url => "‹url›",
            Self::Email => "‹email›",
            Self::Phone => "‹phone›",
            Self::Name => "‹name›",
        }
    }
}

/// Which parts to mask. In a recipe: `"none"`, `"all"`, or a list such as `["url", "phone"]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Masks(Vec<Mask>);

impl Masks {
    /// Nothing.
    pub const NONE: Self = Self(Vec::new());

    /// All kinds.
    pub fn all() -> Self {
        Self(Mask::ALL.to_vec())
    }

    /// These kinds.
    pub fn new(mut masks: Vec<Mask>) -> Self {
        masks.sort_unstable();
        masks.dedup();
        Self(masks)
    }

    /// Whether nothing is masked.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    fn has(&self, mask: Mask) -> bool {
        self.0.contains(&mask)
    }
}

impl Serialize for Masks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.len() {
            0 => serializer.serialize_str("none"),
            4 => serializer.serialize_str("all"),
            _ => self.0.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Masks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Name(String),
            List(Vec<Mask>),
        }
        match Either::deserialize(deserializer) {
            Ok(Either::Name(name)) if name == "none" => Ok(Self::NONE),
            Ok(Either::Name(name)) if name == "all" => Ok(Self::all()),
            Ok(Either::List(masks)) => Ok(Self::new(masks)),
            _ => Err(D::Error::custom(
                "expected \"none\", \"all\", or a list of \"url\", \"email\", \"phone\" and \"name\"",
            )),
        }
    }
}

/// The end of the mask token at `at`, if there is one.
#[inline]
pub(crate) fn written(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    if !rest.starts_with('‹') {
        return None;
    }
    Mask::ALL
        .iter()
        .map(|mask| mask.token())
        .find(|token| rest.starts_with(token))
        .map(|token| at + token.len())
}

/// `text` with the parts in `masks` replaced; `None` if there are none.
pub(crate) fn mask(text: &str, masks: &Masks) -> Option<(String, Origin)> {
    let mut rewriter = Rewriter::new(text);
    for (range, mask) in parts(text).filter(|(_, mask)| masks.has(*mask)) {
        rewriter.replace(range, mask.token());
    }
    rewriter.finish()
}

/// All parts of `text` that a mask could replace, in order, with their kinds.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = (Range<usize>, Mask)> {
    parts_past(text, plain_words)
}

/// The same; `pass` returns how many bytes of words can be skipped at once.
fn parts_past(
    text: &str,
    pass: impl Fn(&[u8]) -> Option<usize>,
) -> impl Iterator<Item = (Range<usize>, Mask)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    // Whether the preceding text is part of a word.
    let mut inside = false;
    std::iter::from_fn(move || {
        while let Some(&byte) = bytes.get(at) {
            if byte.is_ascii_alphabetic()
                && !inside
                && let Some(end) = pass(&bytes[at..])
            {
                at += end;
                inside = bytes[at - 1] != b'-';
                continue;
            }
            let begins = byte.is_ascii_alphanumeric() || matches!(byte, b'@' | b'+' | b'(');
            if begins
                && !inside
                && let Some((end, mask)) = found(text, at)
            {
                // Parts are skipped as a whole: `@b.com` is not a name in `a@b.com`.
                let start = std::mem::replace(&mut at, end);
                return Some((start..end, mask));
            }
            if byte < 0x80 {
                inside = byte.is_ascii_alphanumeric() || byte == b'_';
                at += 1;
            } else {
                let c = text[at..].chars().next()?;
                inside = matches!(kind(c), Kind::Letter | Kind::Mark | Kind::Number);
                at += c.len_utf8();
            }
        }
        None
    })
}

/// The length of the letters, `_` and `-` at the beginning of `rest`, if no masked part begins
/// among them: it would contain a digit, or be continued by one of a few characters.
fn plain_words(rest: &[u8]) -> Option<usize> {
    let end = count(rest, |byte| {
        byte.is_ascii_alphabetic() || byte == b'_' || byte == b'-'
    });
    let goes_on = rest
        .get(end)
        .is_some_and(|byte| byte.is_ascii_digit() || b"@.:%+".contains(byte));
    (!goes_on).then_some(end)
}

/// The part that begins at `at`.
fn found(text: &str, at: usize) -> Option<(usize, Mask)> {
    let (before, rest) = text.as_bytes().split_at(at);
    let (length, mask) = match rest.first()? {
        b'@' => (name(&text[at..])?, Mask::Name),
        b'+' | b'(' => (phone(rest)?, Mask::Phone),
        _ => email(rest)
            .map(|length| (length, Mask::Email))
            .or_else(|| Some((url(rest)?, Mask::Url)))
            .or_else(|| {
                Some((
                    phone(rest).filter(|_| !is_number_before(before))?,
                    Mask::Phone,
                ))
            })?,
    };
    Some((at + length, mask))
}

/// Whether a number may continue after `before`, as after `3.`.
fn is_number_before(before: &[u8]) -> bool {
    matches!(before, [.., digit, b'.' | b','] if digit.is_ascii_digit())
}

fn count(bytes: &[u8], inside: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| inside(**byte)).count()
}

fn email(rest: &[u8]) -> Option<usize> {
    let local = count(rest, |byte| {
        byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte)
    });
    if local == 0 || rest.get(local) != Some(&b'@') {
        return None;
    }
    let (domain, top) = domain(&rest[local + 1..])?;
    (top.len() >= 2).then_some(local + 1 + domain)
}

/// The length of the domain at the beginning of `rest`, and its last label, which has only letters.
/// There are at least two labels.
fn domain(rest: &[u8]) -> Option<(usize, &[u8])> {
    let mut end = 0;
    let mut top: &[u8] = &[];
    let mut labels = 0;
    loop {
        let label = count(&rest[end..], |byte| {
            byte.is_ascii_alphanumeric() || byte == b'-'
        });
        if label == 0 {
            // The preceding dot ends the sentence.
            end = end.checked_sub(1)?;
            break;
        }
        top = &rest[end..end + label];
        labels += 1;
        end += label;
        if rest.get(end) != Some(&b'.') {
            break;
        }
        end += 1;
    }
    (labels >= 2 && top.iter().all(u8::is_ascii_alphabetic)).then_some((end, top))
}

/// Top-level domains that make a dotted word a link; those that are also words, such as `so` and
/// `me`, need a path.
const TOP_LEVEL_DOMAINS: [&str; 36] = [
    "com", "net", "org", "info", "biz", "edu", "gov", "mil", "int", "cn", "hk", "tw", "jp", "kr",
    "sg", "de", "ch", "uk", "fr", "eu", "ru", "pl", "cz", "sk", "hu", "nl", "tv", "cc", "io",
    "app", "xyz", "top", "vip", "club", "shop", "site",
];

fn url(rest: &[u8]) -> Option<usize> {
    for scheme in [&b"http://"[..], b"https://", b"ftp://", b"www."] {
        if rest
            .get(..scheme.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(scheme))
        {
            let tail = path(&rest[scheme.len()..]);
            return (tail > 0).then_some(scheme.len() + tail);
        }
    }
    let (end, top) = domain(rest)?;
    let mut end = end;
    let port = match rest.get(end) {
        Some(b':') => count(&rest[end + 1..], |byte| byte.is_ascii_digit()),
        _ => 0,
    };
    if port > 0 {
        end += 1 + port;
    }
    let tail = if matches!(rest.get(end), Some(b'/' | b'?')) {
        path(&rest[end..])
    } else {
        0
    };
    let known = TOP_LEVEL_DOMAINS
        .iter()
        .any(|known| known.as_bytes().eq_ignore_ascii_case(top));
    let has_path = tail > 1 && rest[end] == b'/' && (2..=6).contains(&top.len());
    (known || has_path).then_some(end + tail)
}

/// The length of the characters allowed in a link, without sentence punctuation at the end.
fn path(rest: &[u8]) -> usize {
    let mut length = count(rest, |byte| {
        byte.is_ascii_graphic() && !b"<>\"\\^`{|}".contains(&byte)
    });
    while length > 0 && b".,;:!?'*)]_~".contains(&rest[length - 1]) {
        // A closing parenthesis belongs to the link if it was opened inside.
        if rest[length - 1] == b')' && rest[..length].contains(&b'(') {
            break;
        }
        length -= 1;
    }
    length
}

fn name(rest: &str) -> Option<usize> {
    /// Longer names are not masked; in characters.
    const LONGEST: usize = 30;
    let behind = &rest[1..];
    let first = behind.chars().next()?;
    if !matches!(
        kind(first),
        Kind::Letter | Kind::Spaceless | Kind::Underscore
    ) {
        return None;
    }
    let inside = |c: char| {
        c == '-'
            || matches!(
                kind(c),
                Kind::Letter | Kind::Spaceless | Kind::Underscore | Kind::Number | Kind::Mark
            )
    };
    let length: usize = behind
        .chars()
        .take(LONGEST)
        .take_while(|&c| inside(c))
        .map(char::len_utf8)
        .sum();
    Some(1 + length)
}

/// The length of the phone number at the beginning of `rest`.
fn phone(rest: &[u8]) -> Option<usize> {
    const DIGITS: std::ops::RangeInclusive<usize> = 7..=15;
    let plus = rest.first() == Some(&b'+');
    let opened = rest.first() == Some(&b'(');
    let mut at = usize::from(plus || opened);
    if plus && rest.get(at) == Some(&b'(') {
        at += 1;
    }
    let mut groups: Vec<&[u8]> = Vec::new();
    let mut parted_by = Vec::new();
    let mut end = at;
    loop {
        let length = count(&rest[at..], |byte| byte.is_ascii_digit());
        // A letter after a group makes it something else, as in `10pm`; so does a continuation of
        // the number.
        let next = rest.get(at + length);
        let goes_on = match next {
            Some(b'.' | b',' | b':') => {
                rest.get(at + length + 1).is_some_and(u8::is_ascii_digit) && next != Some(&b'.')
            }
            Some(b'%' | b'_' | b'@') => true,
            Some(byte) => byte.is_ascii_alphabetic(),
            None => false,
        };
        let short = length < 2 && !(plus && groups.is_empty() && length == 1);
        if short || goes_on {
            break;
        }
        groups.push(&rest[at..at + length]);
        end = at + length;
        if groups.len() == 1 && length >= *DIGITS.start() && !plus {
            if next == Some(&b'.') && rest.get(end + 1).is_some_and(u8::is_ascii_digit) {
                return None;
            }
            break;
        }
        let gap = count(&rest[end..], |byte| b" -./()".contains(&byte));
        if gap == 0
            || gap > 2
            || (gap == 2 && !rest[end..end + 2].iter().any(|byte| b"()".contains(byte)))
        {
            break;
        }
        parted_by.extend_from_slice(&rest[end..end + gap]);
        at = end + gap;
    }
    let digits: usize = groups.iter().map(|group| group.len()).sum();
    let first = *groups.first()?;
    let marked = plus || opened || first.first() == Some(&b'0');
    let plausible = match groups.len() {
        1 => marked || (8..=13).contains(&digits),
        _ => {
            marked
                || (parted_by.iter().all(|byte| b" -".contains(byte))
                    && groups.iter().all(|group| group.len() > 2))
        }
    };
    (plausible && DIGITS.contains(&digits) && !is_date(&groups) && (marked || !is_count(&groups)))
        .then_some(end)
}

/// Whether the groups form a date, or years.
fn is_date(groups: &[&[u8]]) -> bool {
    let number = |digits: &[u8]| {
        digits.iter().fold(0_u32, |number, digit| {
            number
                .saturating_mul(10)
                .saturating_add(u32::from(digit - b'0'))
        })
    };
    let is_year = |digits: &[u8]| digits.len() == 4 && (1900..2100).contains(&number(digits));
    let day_and_month =
        |a: &[u8], b: &[u8]| a.len() <= 2 && b.len() <= 2 && number(a).max(number(b)) <= 31;
    match groups {
        [one] if one.len() == 8 => {
            is_year(&one[..4])
                && (1..=12).contains(&number(&one[4..6]))
                && (1..=31).contains(&number(&one[6..]))
        }
        [a, b, c] => (is_year(a) && day_and_month(b, c)) || (is_year(c) && day_and_month(a, b)),
        _ => groups.iter().all(|group| is_year(group)),
    }
}

/// Whether the groups form one number with thousands separators.
fn is_count(groups: &[&[u8]]) -> bool {
    groups.len() > 1 && groups[0].len() <= 3 && groups[1..].iter().all(|group| group.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_that_are_passed_over_hide_nothing(text in "([abwtp19 .@:/%+_é-]|www\\.|http://|\\.com|0171 ){0,30}") {
            let slowly: Vec<_> = parts_past(&text, |_| None).collect();
            prop_assert_eq!(parts(&text).collect::<Vec<_>>(), slowly);
        }
    }

    fn masked(text: &str) -> String {
        mask(text, &Masks::all()).map_or_else(|| text.to_owned(), |(out, _)| out)
    }

    #[test]
    fn links_are_one_token() {
        assert_eq!(
            masked("看http://t.cn/A6xYz,快来 https://example.org/a?b=c&d)."),
            "看‹url›,快来 ‹url›)."
        );
        assert_eq!(
            masked("www.example.com. t.cn/A6x点击 Example.COM:8080/x! WWW.x"),
            "‹url›. ‹url›点击 ‹url›! ‹url›"
        );
        assert_eq!(masked("http://en.wikipedia.org/wiki/A_(b) x"), "‹url› x");
        for text in [
            "ok.so going",
            "and/or",
            "e.g. this",
            "19.30",
            "www.",
            "http:// x",
            "v1.2/x",
            "wait...what",
            "a.m./p.m.",
            "file.txt",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn addresses_and_names_are_one_token() {
        assert_eq!(
            masked("mail a.b+c@example.co.uk, or @张三 and @bob_1!"),
            "mail ‹email›, or ‹name› and ‹name›!"
        );
        for text in ["meet @5pm", "a@b", "@ home", "x@", "foo@bar baz"] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn phone_numbers_are_one_token() {
        for number in [
            "13800138000",
            "+86 138 0013 8000",
            "010-12345678",
            "(0171) 123-4567",
            "9123 4567",
            "91234567",
            "400-820-8820",
            "0171/1234567",
            "+49 (171) 1234567",
            "+14155550123",
            "138-0013-8000",
        ] {
            assert_eq!(
                masked(&format!("电话{number}。 call {number} or")),
                "电话‹phone›。 call ‹phone› or",
                "{number}"
            );
        }
        assert_eq!(
            masked("91234567 4pm, 91234567 98765432."),
            "‹phone› 4pm, ‹phone› ‹phone›."
        );
    }

    #[test]
    fn codes_dates_and_amounts_stay() {
        for text in [
            "code 482913",
            "2011-02-18",
            "18.02.2011",
            "20110218",
            "2011 2012",
            "1 000 000",
            "12345678.90",
            "123456789012345678",
            "at 10pm 12",
            "A12345678",
            "12345678x",
            "31省 2例",
            "10086",
            "12:30 12:45",
            "3.14159265",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn masks_are_read_from_names_and_lists() {
        let read = |text: &str| {
            let table: toml::Table = text.parse().unwrap();
            table["m"].clone().try_into::<Masks>()
        };
        assert_eq!(read("m = 'none'").unwrap(), Masks::NONE);
        assert_eq!(read("m = 'all'").unwrap(), Masks::all());
        let some = read("m = ['phone', 'url', 'phone']").unwrap();
        assert_eq!(some, Masks::new(vec![Mask::Url, Mask::Phone]));
        assert_eq!(mask("a@b.cn t.cn/x", &some).unwrap().0, "a@b.cn ‹url›");
        for wrong in ["m = 'some'", "m = ['link']", "m = 3"] {
            assert!(
                read(wrong)
                    .unwrap_err()
                    .to_string()
                    .contains("a list of \"url\""),
                "{wrong}"
            );
        }
    }

    proptest! {
        #[test]
        fn what_is_masked_maps_back(text in "([a-c@.:/+()0-9 -]|http://|www\\.|@|é|東|\\.cn|\\.com){0,40}") {
            if let Some((out, origin)) = mask(&text, &Masks::all()) {
                let mut last = 0;
                for (at, c) in out.char_indices() {
                    let back = origin.back(at..at + c.len_utf8());
                    prop_assert!(text.get(back.clone()).is_some_and(|source| !source.is_empty()));
                    prop_assert!(back.start >= last);
                    last = back.start;
                }
            }
        }
    }
}
