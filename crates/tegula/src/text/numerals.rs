//! Converts digits of any notation to ASCII digits.

use super::origin::{Origin, Rewriter};
use super::unicode::{Kind, kind};
use std::ops::Range;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// What to do with digits that are not ASCII, or spaced.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Numerals {
    /// Keep them.
    #[default]
    Keep,
    /// They become ASCII digits, one for one:
    ///
    /// - digits of every script (`٤٢`), in circles (`❹`) and as keycaps (`4️⃣`);
    /// - Chinese digits, including those of banknotes (`壹贰叁`, `一二三`), if at least three digits are
    ///   adjacent and two of them are Chinese: `一` is a word, also in `2021一带一路`. Numbers with
    ///   place values (`三十五`) are kept;
    /// - five or more single digits separated by white space (but no line end) or `-–_.·•*~`, with
    ///   at most three of these between two digits, are joined: `1 3 8 0 0` becomes `13800`.
    Ascii,
}

/// Chinese digits are a number if at least this many digits are adjacent.
const CHINESE_RUN: usize = 3;

/// And at least this many of them are Chinese.
const CHINESE_DIGITS: usize = 2;

/// At least this many spaced single digits are joined.
const SPACED_RUN: usize = 5;

/// The maximum number of characters between two spaced digits.
const SPACE: usize = 3;

/// A digit in the text.
struct Digit {
    range: Range<usize>,
    value: u8,
    chinese: bool,
    /// Whether it is already a plain ASCII digit.
    plain: bool,
}

/// `text` with its digits in ASCII; `None` if nothing changes.
pub(crate) fn rewrite(text: &str) -> Option<(String, Origin)> {
    // A few single ASCII digits are kept.
    if text.is_ascii() && text.bytes().filter(u8::is_ascii_digit).count() < SPACED_RUN {
        return None;
    }
    let digits = digits(text);
    let mut rewriter = Rewriter::new(text);
    let mut rest = &digits[..];
    while let Some(first) = rest.first() {
        let together = together(rest);
        let spaced = spaced(text, rest);
        let run = if spaced >= SPACED_RUN {
            spaced
        } else {
            together
        };
        let chinese = rest[..run].iter().filter(|digit| digit.chinese).count();
        let number = run >= CHINESE_RUN && chinese >= CHINESE_DIGITS;
        let mut behind = first.range.start;
        for digit in &rest[..run] {
            if behind < digit.range.start {
                rewriter.replace(behind..digit.range.start, "");
            }
            behind = digit.range.end;
            if !digit.plain && (number || !digit.chinese) {
                rewriter.replace_by(digit.range.clone(), char::from(b'0' + digit.value));
            }
        }
        rest = &rest[run..];
    }
    rewriter.finish()
}

/// The number of adjacent digits.
fn together(digits: &[Digit]) -> usize {
    let gaps = digits
        .windows(2)
        .take_while(|pair| pair[0].range.end == pair[1].range.start);
    1 + gaps.count()
}

/// The number of single digits separated only by spacing.
fn spaced(text: &str, digits: &[Digit]) -> usize {
    let is_space = |c: char| {
        (c.is_whitespace() && c != '\n' && c != '\r') || "-\u{2013}_.\u{B7}\u{2022}*~".contains(c)
    };
    let split = |pair: &&[Digit]| {
        let gap = &text[pair[0].range.end..pair[1].range.start];
        (1..=SPACE).contains(&gap.chars().take(SPACE + 1).count()) && gap.chars().all(is_space)
    };
    let count = 1 + digits.windows(2).take_while(split).count();
    // The last one may be the first of several adjacent digits.
    if count > 1 && together(&digits[count - 1..]) > 1 {
        count - 1
    } else {
        count
    }
}

fn digits(text: &str) -> Vec<Digit> {
    const KEYCAP: char = '\u{20E3}';
    let mut digits = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_ascii() && !c.is_ascii_digit() {
            continue;
        }
        let Some((value, chinese)) = value(c) else {
            continue;
        };
        let mut end = at + c.len_utf8();
        for expected in ['\u{FE0F}', KEYCAP] {
            if text[end..].starts_with(expected)
                && text[end..]
                    .trim_start_matches('\u{FE0F}')
                    .starts_with(KEYCAP)
            {
                end += expected.len_utf8();
                chars.next();
            }
        }
        digits.push(Digit {
            range: at..end,
            value,
            chinese,
            plain: c.is_ascii_digit() && end == at + 1,
        });
    }
    digits
}

/// The value of a digit, and whether it is a Chinese one.
fn value(c: char) -> Option<(u8, bool)> {
    let from = |first: char, value: u8| Some((value + (c as u32 - first as u32) as u8, false));
    let chinese = |value| Some((value, true));
    match c {
        '0'..='9' => from('0', 0),
        '\0'..='\u{65F}' => None,
        '〇' | '零' | '○' => chinese(0),
        '一' | '壹' | '弌' | '壱' | '幺' => chinese(1),
        '二' | '贰' | '貳' | '弐' => chinese(2),
        '三' | '叁' | '參' | '叄' | '参' => chinese(3),
        '四' | '肆' => chinese(4),
        '五' | '伍' => chinese(5),
        '六' | '陆' | '陸' => chinese(6),
        '七' | '柒' => chinese(7),
        '八' | '捌' => chinese(8),
        '九' | '玖' => chinese(9),
        '\u{24F5}'..='\u{24FD}' => from('\u{24F5}', 1),
        '\u{2776}'..='\u{277E}' => from('\u{2776}', 1),
        '\u{2780}'..='\u{2788}' => from('\u{2780}', 1),
        '\u{278A}'..='\u{2792}' => from('\u{278A}', 1),
        '\u{24FF}' | '\u{1F10B}' | '\u{1F10C}' => Some((0, false)),
        _ => decimal(c).map(|value| (value, false)),
    }
}

/// The value of a decimal digit (general category Nd). Such digits come in blocks from 0 to 9, so
/// the number of digits before one in its block is its value.
fn decimal(c: char) -> Option<u8> {
    let is_decimal =
        |c: char| kind(c) == Kind::Number && c.general_category() == GeneralCategory::DecimalNumber;
    if !is_decimal(c) {
        return None;
    }
    let before = (1..)
        .map_while(|back| char::from_u32((c as u32).checked_sub(back)?))
        .take_while(|&c| is_decimal(c));
    u8::try_from(before.count() % 10).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ascii(text: &str) -> String {
        rewrite(text).map_or_else(|| text.to_owned(), |(out, _)| out)
    }

    #[test]
    fn digits_of_all_scripts_are_ascii() {
        assert_eq!(ascii("٤٢ ४२ ๔๒ ❹➁➋⓵⓿"), "42 42 42 42210");
        assert_eq!(
            ascii("4\u{FE0F}\u{20E3}2\u{20E3} 4\u{FE0F}"),
            "42 4\u{FE0F}"
        );
        assert!(rewrite("42 and 7").is_none());
    }

    #[test]
    fn rows_of_decimal_digits_are_whole() {
        let is_decimal = |c: &char| c.general_category() == GeneralCategory::DecimalNumber;
        let all: Vec<u32> = ('\0'..=char::MAX)
            .filter(is_decimal)
            .map(u32::from)
            .collect();
        for row in all.chunk_by(|a, b| a + 1 == *b) {
            assert_eq!(row.len() % 10, 0, "U+{:04X}", row[0]);
        }
    }

    #[test]
    fn chinese_digits_count_where_three_stand_together() {
        assert_eq!(ascii("加微信一三八零零,壹贰叁"), "加微信13800,123");
        assert_eq!(ascii("1三8零O"), "1380O");
        assert_eq!(ascii("2021一带一路 64一周年"), "2021一带一路 64一周年");
        for text in ["一个", "三三两两", "三十五", "第一", "一 一", "陆一"] {
            assert_eq!(ascii(text), text);
        }
    }

    #[test]
    fn spaced_digits_are_joined() {
        assert_eq!(ascii("call 1 3 8 0 0 now"), "call 13800 now");
        assert_eq!(ascii("1-3-8-0-0, 一 . 三 . 八 . 零 . 零"), "13800, 13800");
        for text in [
            "1 3 8 0",
            "1, 2, 3, 4, 5",
            "1 3 8 00",
            "1\n2\n3\n4\n5",
            "1    2    3    4    5",
        ] {
            assert_eq!(ascii(text), text);
        }
        assert_eq!(ascii("1 3 8 0 0 138"), "13800 138");
    }
}
