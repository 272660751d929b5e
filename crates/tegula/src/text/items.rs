//! Items of a text that may be the only difference between two messages: links, addresses, phone
//! numbers, amounts, codes and numbers.
//!
//! Items are found in the text after invisible characters are removed, characters are in form NFKC
//! and digits are ASCII, regardless of the recipe's steps. In order of precedence at each place:
//!
//! - `links`, `emails`, `phones`: what their masks replace;
//! - `amounts`: a number with a currency sign, `%` or `‰` beside it, or before or behind a currency's
//!   code or name, with at most one space between: `$5`, `5 %`, `EUR 20`, `99元`;
//! - `codes`: a run of ASCII letters and digits that has both, no small letter, and four characters
//!   or more; or four digits or more, or two to four groups of three digits with one space or hyphen
//!   between;
//! - `numbers`: all other numbers.

use super::form::Form;
use super::invisible::Invisible;
use super::masks::{self, Mask};
use super::normalise::{Normalisation, Normaliser};
use super::numerals::Numerals;
use super::unicode::{Kind, kind};
use crate::error::Result;
use serde::de::{Deserializer, Error as _};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A kind of item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemKind {
    /// A link.
    Links,
    /// A mail address.
    Emails,
    /// A phone number.
    Phones,
    /// A number with a currency or a per cent sign.
    Amounts,
    /// A code: digits, or capitals and digits.
    Codes,
    /// Any other number.
    Numbers,
}

impl ItemKind {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Links,
        Self::Emails,
        Self::Phones,
        Self::Amounts,
        Self::Codes,
        Self::Numbers,
    ];

    /// Its name, as in recipes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Links => "links",
            Self::Emails => "emails",
            Self::Phones => "phones",
            Self::Amounts => "amounts",
            Self::Codes => "codes",
            Self::Numbers => "numbers",
        }
    }
}

/// Kinds of items on which the texts of a pair must agree. In a recipe: `"none"`, `"all"`, or a
/// list such as `["links", "amounts"]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Distinct(Vec<ItemKind>);

impl Distinct {
    /// All kinds.
    pub fn all() -> Self {
        Self(ItemKind::ALL.to_vec())
    }

    /// These kinds.
    pub fn new(mut kinds: Vec<ItemKind>) -> Self {
        kinds.sort_unstable();
        kinds.dedup();
        Self(kinds)
    }

    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The kinds, in order.
    pub fn kinds(&self) -> &[ItemKind] {
        &self.0
    }
}

impl Serialize for Distinct {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.len() {
            0 => serializer.serialize_str("none"),
            6 => serializer.serialize_str("all"),
            _ => self.0.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Name(String),
            List(Vec<ItemKind>),
        }
        match Either::deserialize(deserializer) {
            Ok(Either::Name(name)) if name == "none" => Ok(Self::default()),
            Ok(Either::Name(name)) if name == "all" => Ok(Self::all()),
            Ok(Either::List(kinds)) => Ok(Self::new(kinds)),
            _ => {
                let names = ItemKind::ALL.map(|kind| format!("\"{}\"", kind.name()));
                Err(D::Error::custom(format!(
                    "expected \"none\", \"all\", or a list of {}",
                    names.join(", ")
                )))
            }
        }
    }
}

/// An item of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its kind.
    pub kind: ItemKind,
    /// Its characters; for an amount, the number before its unit, and no separators of thousands.
    pub value: String,
    /// Its bytes in the original text, with the unit of an amount; two amounts may share a unit, as in
    /// `5$7`.
    pub range: Range<usize>,
}

/// Finds items of some kinds.
#[derive(Debug)]
pub struct Items {
    normaliser: Normaliser,
    kinds: Distinct,
}

impl Items {
    /// For these kinds; the markup of texts is treated as in `steps`.
    ///
    /// # Errors
    /// None in practice; the steps that it uses are valid.
    pub fn new(steps: &Normalisation, kinds: Distinct) -> Result<Self> {
        let normaliser = Normaliser::new(&Normalisation {
            markup: steps.markup,
            invisible: Invisible::Remove,
            form: Form::Nfkc,
            numerals: Numerals::Ascii,
            ..Normalisation::default()
        })?;
        Ok(Self { normaliser, kinds })
    }

    /// The items of a text, in order.
    pub fn of(&self, text: &str) -> Vec<Item> {
        let rewritten = self.normaliser.rewritten(text);
        let mut items = found(&rewritten.text);
        items.retain(|item| self.kinds.kinds().contains(&item.kind));
        for item in &mut items {
            item.range = rewritten.back(item.range.clone());
        }
        items
    }

    /// A hash of the items in any order, each as often as it occurs; 0 if there are none.
    pub fn hash(&self, text: &str) -> u128 {
        let mut items = self.of(text);
        if items.is_empty() {
            return 0;
        }
        items.sort_unstable_by(|a, b| (a.kind, &a.value).cmp(&(b.kind, &b.value)));
        let mut bytes = Vec::new();
        for item in items {
            bytes.push(item.kind as u8);
            bytes.extend_from_slice(item.value.as_bytes());
            bytes.push(0xFF); // in no UTF-8
        }
        xxhash_rust::xxh3::xxh3_128(&bytes)
    }
}

/// The items of each text that the other lacks, or has less often: by kind, those of the first and
/// of the second, in order.
pub fn differences<'i>(
    a: &'i [Item],
    b: &'i [Item],
) -> Vec<(ItemKind, Vec<&'i Item>, Vec<&'i Item>)> {
    let alone = |kind: ItemKind, of: &'i [Item], other: &[Item]| {
        let mut rest: Vec<&str> = other
            .iter()
            .filter(|item| item.kind == kind)
            .map(|item| item.value.as_str())
            .collect();
        let mut alone: Vec<&Item> = of.iter().filter(|item| item.kind == kind).collect();
        alone.retain(|item| {
            let place = rest.iter().position(|value| *value == item.value);
            place.map(|place| rest.swap_remove(place)).is_none()
        });
        alone
    };
    ItemKind::ALL
        .into_iter()
        .map(|kind| (kind, alone(kind, a, b), alone(kind, b, a)))
        .filter(|(_, a, b)| !a.is_empty() || !b.is_empty())
        .collect()
}

/// Names and codes of currencies, in lower case, in addition to the signs.
const UNITS: [&str; 36] = [
    "usd", "eur", "gbp", "cny", "rmb", "jpy", "inr", "sgd", "hkd", "twd", "aud", "cad", "chf",
    "pln", "czk", "huf", "rub", "sek", "nok", "dkk", "rs", "dollar", "dollars", "euro", "euros",
    "pound", "pounds", "bucks", "cents", "percent", "元", "块", "円", "圆", "角", "万元",
];

fn found(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut parts = masks::parts(text).peekable();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        while parts.next_if(|(part, _)| part.end <= at).is_some() {}
        if let Some((part, mask)) = parts.next_if(|(part, _)| part.start == at) {
            at = part.end;
            let kind = match mask {
                Mask::Url => ItemKind::Links,
                Mask::Email => ItemKind::Emails,
                Mask::Phone => ItemKind::Phones,
                Mask::Name => continue,
            };
            let value = text[part.clone()].to_owned();
            items.push(Item {
                kind,
                value,
                range: part,
            });
        } else if c.is_ascii_alphanumeric() {
            let end = at + word(&text[at..]);
            let limit = parts.peek().map_or(text.len(), |(part, _)| part.start);
            if let Some(item) = number(text, at, end, limit.max(end)) {
                at = item.range.end.max(end);
                items.push(item);
            } else {
                at = end;
            }
        } else {
            at += c.len_utf8();
        }
    }
    items
}

/// The length of the ASCII letters and digits at the beginning.
fn word(rest: &str) -> usize {
    rest.bytes().take_while(u8::is_ascii_alphanumeric).count()
}

/// The item whose word is `at..end`, if it has a digit and is one; nothing from `limit` on belongs
/// to it.
fn number(text: &str, at: usize, end: usize, limit: usize) -> Option<Item> {
    let word = &text[at..end];
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        // Behind letters, a number counts only as part of a code, or of an amount such as `Rs5`.
        let letters = word.bytes().take_while(u8::is_ascii_alphabetic).count();
        if letters < end - at && is_unit(&word[..letters]) {
            return number(text, at + letters, end, limit);
        }
        let is_code = word.len() > 3
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && !word.bytes().any(|byte| byte.is_ascii_lowercase());
        return is_code.then(|| item(ItemKind::Codes, word, at..end));
    }
    let bytes = text.as_bytes();
    let mut stop = at + digits;
    // Decimals and thousands.
    while stop + 1 < limit && matches!(bytes[stop], b'.' | b',') && bytes[stop + 1].is_ascii_digit()
    {
        stop += 1;
        stop += bytes[stop..limit]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
    }
    let digits_only = &text[at..stop];
    if let Some(unit) = unit_before(text, at).or_else(|| unit_behind(text, stop..limit)) {
        let name = text[unit.clone()].to_ascii_lowercase();
        let value = format!("{} {name}", plain(digits_only));
        let range = at.min(unit.start)..stop.max(unit.end);
        return Some(item(ItemKind::Amounts, &value, range));
    }
    let letters_behind = stop < end;
    if letters_behind && word.len() > 3 && !word.bytes().any(|byte| byte.is_ascii_lowercase()) {
        return Some(item(ItemKind::Codes, word, at..end));
    }
    let whole = !digits_only.contains(['.', ',']);
    if whole && !letters_behind && digits == 3 {
        // Groups of three digits.
        let mut groups = stop;
        for _ in 0..3 {
            let rest = &bytes[groups..limit];
            let is_group = rest.len() > 3
                && matches!(rest[0], b' ' | b'-')
                && rest[1..4].iter().all(u8::is_ascii_digit)
                && rest.get(4).is_none_or(|byte| !byte.is_ascii_alphanumeric());
            if !is_group {
                break;
            }
            groups += 4;
        }
        if groups > stop {
            let value = text[at..groups].replace([' ', '-'], "");
            return Some(item(ItemKind::Codes, &value, at..groups));
        }
    }
    let kind = if whole && !letters_behind && digits > 3 {
        ItemKind::Codes
    } else {
        ItemKind::Numbers
    };
    Some(item(kind, &plain(digits_only), at..stop))
}

fn item(kind: ItemKind, value: &str, range: Range<usize>) -> Item {
    Item {
        kind,
        value: value.to_owned(),
        range,
    }
}

/// A number without separators of thousands.
fn plain(number: &str) -> String {
    let groups: Vec<&str> = number.split(',').collect();
    if groups.len() > 1
        && groups[1..]
            .iter()
            .all(|group| group.split('.').next().is_some_and(|head| head.len() == 3))
    {
        groups.concat()
    } else {
        number.to_owned()
    }
}

fn is_sign(c: char) -> bool {
    matches!(
        c,
        '$' | '€'
            | '£'
            | '¥'
            | '₹'
            | '₽'
            | '₩'
            | '₫'
            | '₺'
            | '₴'
            | '₱'
            | '฿'
            | '%'
            | '‰'
    )
}

fn is_unit(word: &str) -> bool {
    UNITS.iter().any(|unit| unit.eq_ignore_ascii_case(word))
}

/// The unit that ends before `at`, with at most a full stop and a space between.
fn unit_before(text: &str, at: usize) -> Option<Range<usize>> {
    let before = &text[..at];
    let trimmed = before.strip_suffix(' ').unwrap_or(before);
    let last = trimmed.chars().next_back()?;
    if is_sign(last) && !matches!(last, '%' | '‰') {
        return Some(trimmed.len() - last.len_utf8()..trimmed.len());
    }
    let trimmed = trimmed.strip_suffix('.').unwrap_or(trimmed);
    let letters = trimmed.bytes().rev().take_while(u8::is_ascii_alphabetic);
    let start = trimmed.len() - letters.count();
    is_unit(&trimmed[start..]).then_some(start..trimmed.len())
}

/// The unit at the beginning of these bytes, behind at most one space.
fn unit_behind(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    let behind = &text[at.clone()];
    let rest = behind.strip_prefix(' ').unwrap_or(behind);
    let first = rest.chars().next()?;
    let len = if is_sign(first) {
        first.len_utf8()
    } else if kind(first) == Kind::Spaceless {
        let mut units = UNITS.iter().filter(|unit| !unit.is_ascii());
        units.find(|unit| rest.starts_with(**unit))?.len()
    } else {
        let len = word(rest);
        is_unit(&rest[..len]).then_some(len)?
    };
    let start = at.end - rest.len();
    Some(start..start + len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn items(text: &str) -> Vec<(ItemKind, String)> {
        let all = Items::new(&Normalisation::default(), Distinct::all()).unwrap();
        all.of(text)
            .into_iter()
            .map(|item| (item.kind, item.value))
            .collect()
    }

    fn values(text: &str, of: ItemKind) -> Vec<String> {
        items(text)
            .into_iter()
            .filter(|(kind, _)| *kind == of)
            .map(|(_, value)| value)
            .collect()
    }

    #[test]
    fn amounts_have_units_before_or_behind() {
        assert_eq!(
            values(
                "$5, 5 %, EUR 20, 1,000.50€, Rs.99, 99元, US$7, 3 dollars",
                ItemKind::Amounts
            ),
            [
                "5 $",
                "5 %",
                "20 eur",
                "1000.50 €",
                "99 rs",
                "99 元",
                "7 $",
                "3 dollars"
            ]
        );
        assert_eq!(
            values("￥１２ and ５％", ItemKind::Amounts),
            ["12 ¥", "5 %"]
        );
    }

    #[test]
    fn amounts_are_shown_with_their_units() {
        let all = Items::new(&Normalisation::default(), Distinct::all()).unwrap();
        let text = "$5, 5 %, EUR 20, 1,000.50€, Rs.99, ９９元, 7$8, 3 Dollars each";
        let shown: Vec<&str> = all
            .of(text)
            .iter()
            .map(|item| &text[item.range.clone()])
            .collect();
        let expected = [
            "$5",
            "5 %",
            "EUR 20",
            "1,000.50€",
            "Rs.99",
            "９９元",
            "7$",
            "$8",
            "3 Dollars",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn codes_are_long_numbers_or_capitals_with_digits() {
        assert_eq!(
            values(
                "code 4711, AB12CD, 481 920, 735-118, G-123456, K55X",
                ItemKind::Codes
            ),
            ["4711", "AB12CD", "481920", "735118", "123456", "K55X"]
        );
        for text in ["v1agra Fr33 mp3 iphone5", "12 of 3", "10am"] {
            assert_eq!(values(text, ItemKind::Codes), [""; 0], "{text}");
        }
        assert_eq!(
            values("31省新增2例, 3.5 or 12", ItemKind::Numbers),
            ["31", "2", "3.5", "12"]
        );
    }

    #[test]
    fn links_and_addresses_are_those_of_masks() {
        assert_eq!(
            items("see t.cn/A6x or a@b.de, call 13800138000, @bob"),
            [
                (ItemKind::Links, "t.cn/A6x".to_owned()),
                (ItemKind::Emails, "a@b.de".to_owned()),
                (ItemKind::Phones, "13800138000".to_owned()),
            ]
        );
    }

    #[test]
    fn differences_are_by_kind() {
        let all = Items::new(&Normalisation::default(), Distinct::all()).unwrap();
        let texts = ["pay $5 at a.com, $7", "pay $7 at b.com, $50 and $50"];
        let [a, b] = texts.map(|text| all.of(text));
        let found: Vec<_> = differences(&a, &b)
            .into_iter()
            .map(|(kind, a, b)| {
                let shown = |items: Vec<&Item>, of: usize| -> Vec<&str> {
                    items
                        .iter()
                        .map(|item| &texts[of][item.range.clone()])
                        .collect()
                };
                (kind, shown(a, 0), shown(b, 1))
            })
            .collect();
        assert_eq!(
            found,
            [
                (ItemKind::Links, vec!["a.com"], vec!["b.com"]),
                (ItemKind::Amounts, vec!["$5"], vec!["$50", "$50"]),
            ]
        );
        assert!(differences(&a, &a).is_empty());
    }

    #[test]
    fn kinds_are_read_from_names_and_lists() {
        let read = |text: &str| {
            let table: toml::Table = text.parse().unwrap();
            table["d"].clone().try_into::<Distinct>()
        };
        assert_eq!(read("d = 'all'").unwrap(), Distinct::all());
        let some = Distinct::new(vec![ItemKind::Links, ItemKind::Amounts]);
        assert_eq!(read("d = ['amounts', 'links', 'amounts']").unwrap(), some);
        assert!(
            read("d = ['dates']")
                .unwrap_err()
                .to_string()
                .contains("\"codes\"")
        );
    }

    proptest! {
        #[test]
        fn items_are_places_of_the_text_in_order(text in "([A-Ca-c0-9$€%.,元１東 -]|http://|\\.com|rs|@|\u{200B}){0,40}") {
            let all = Items::new(&Normalisation::default(), Distinct::all()).unwrap();
            let mut last = 0;
            for item in all.of(&text) {
                // Amounts may share a unit, but none is within another.
                prop_assert!(item.range.end > last && text.get(item.range.clone()).is_some_and(|part| !part.is_empty()), "{item:?}");
                last = item.range.end;
            }
        }
    }
}
