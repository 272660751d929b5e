//! Removes dates and times at the beginning of lines, as chats and logs write them: `<13:53> Hello`.
//!
//! A timestamp is a time, or a date and a time, in brackets (`<>`, `[]`, `()`), or a date and a time
//! without them (`12.03.21, 13:53 - Anna: Hello`). A time alone without brackets is part of the
//! message (`18:30 at the station`), and so is a timestamp with nothing behind it.

use super::origin::{Origin, Rewriter};

/// What to do with a timestamp at the beginning of a line.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Timestamps {
    /// Keep it.
    #[default]
    Keep,
    /// It is removed, with the white space and a dash after it.
    Remove,
}

/// `text` without timestamps; `None` if there are none.
pub(crate) fn remove(text: &str) -> Option<(String, Origin)> {
    if !text.contains(':') {
        return None;
    }
    let mut rewriter = Rewriter::new(text);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let indented = line.trim_start();
        if let Some(rest) = after(indented).filter(|rest| !rest.trim().is_empty()) {
            let from = start + line.len() - indented.len();
            rewriter.replace(from..from + indented.len() - rest.len(), "");
        }
        start += line.len();
    }
    rewriter.finish()
}

/// What comes after a timestamp and the separator behind it.
fn after(line: &str) -> Option<&str> {
    let close = match line.chars().next()? {
        '<' => '>',
        '[' => ']',
        '(' => ')',
        '0'..='9' => {
            let (rest, has_date) = stamp(line)?;
            // Without brackets, white space shows where it ends.
            let behind = rest.trim_start();
            let behind = behind.strip_prefix(['-', '–', ',']).unwrap_or(behind);
            return (has_date && rest.starts_with(char::is_whitespace))
                .then(|| behind.trim_start());
        }
        _ => return None,
    };
    let (rest, _) = stamp(line[1..].trim_start())?;
    Some(rest.trim_start().strip_prefix(close)?.trim_start())
}

/// The rest after a time, with or without a date before or behind it, and whether there is one.
fn stamp(text: &str) -> Option<(&str, bool)> {
    let separated = |rest: &str| -> Option<usize> {
        let behind = rest
            .strip_prefix(',')
            .unwrap_or(rest)
            .trim_start_matches(' ');
        let behind = behind.strip_prefix('T').unwrap_or(behind);
        (behind.len() < rest.len()).then_some(rest.len() - behind.len())
    };
    if let Some(rest) = date(text) {
        return Some((time(&rest[separated(rest)?..])?, true));
    }
    let rest = time(text)?;
    match separated(rest).and_then(|skipped| date(&rest[skipped..])) {
        Some(rest) => Some((rest, true)),
        None => Some((rest, false)),
    }
}

/// The rest after a date of three numbers, one of which may be a year of four digits.
fn date(text: &str) -> Option<&str> {
    let (first, rest) = number(text, 4)?;
    let by = rest.chars().next().filter(|char| "-/.".contains(*char))?;
    let (_, rest) = number(&rest[1..], 2)?;
    let (last, rest) = number(rest.strip_prefix(by)?, 4)?;
    let lengths = (first.len(), last.len());
    matches!(lengths, (4, 1..=2) | (1..=2, 2 | 4)).then_some(rest)
}

/// The rest after hours and minutes, perhaps with seconds, their fraction, and the half of the day
/// or the distance from UTC.
fn time(text: &str) -> Option<&str> {
    let (hours, rest) = number(text, 2)?;
    let (minutes, mut rest) = number(rest.strip_prefix(':')?, 2)?;
    if minutes.len() != 2 || minutes >= "60" || (hours.len() == 2 && hours > "24") {
        return None;
    }
    if let Some(behind) = rest.strip_prefix(':') {
        rest = number(behind, 2)?.1;
        if let Some((_, behind)) = rest
            .strip_prefix(['.', ','])
            .and_then(|rest| number(rest, 9))
        {
            rest = behind;
        }
    }
    let half = rest.trim_start_matches([' ', '\u{202f}']);
    let is_half = half
        .get(..2)
        .is_some_and(|half| half.eq_ignore_ascii_case("am") || half.eq_ignore_ascii_case("pm"));
    if is_half && !half[2..].starts_with(char::is_alphanumeric) {
        return Some(&half[2..]);
    }
    if let Some(behind) = rest.strip_prefix(['+', '-'])
        && let Some((_, behind)) = number(behind, 4)
    {
        return Some(
            behind
                .strip_prefix(':')
                .and_then(|rest| number(rest, 2))
                .map_or(behind, |(_, rest)| rest),
        );
    }
    Some(rest.strip_prefix('Z').unwrap_or(rest))
}

/// One to `most` ASCII digits, and the rest, which does not begin with another.
fn number(text: &str, most: usize) -> Option<(&str, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    (1..=most).contains(&end).then(|| text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> String {
        remove(text).map_or_else(|| text.to_owned(), |(out, _)| out)
    }

    #[test]
    fn timestamps_of_chats_and_logs_are_removed() {
        for stamp in [
            "<13:53>",
            "[13:53:22] ",
            "(1:05 pm) ",
            "[12.03.21, 13:53:22] ",
            "12.03.21, 13:53 - ",
            "3/12/21, 1:53\u{202f}PM - ",
            "2021-03-12 13:53:22,123 ",
            "2021-03-12T13:53:22.5+01:00 ",
            "[2021-03-12T13:53Z] ",
            "[13:53, 12/03/2021] ",
            "  < 13:53 > ",
        ] {
            let indent = &stamp[..stamp.len() - stamp.trim_start().len()];
            assert_eq!(
                seen(&format!("{stamp}Hello")),
                format!("{indent}Hello"),
                "{stamp}"
            );
        }
        assert_eq!(seen("[13:53] a\r\n[13:54] b\nc"), "a\r\nb\nc");
    }

    #[test]
    fn other_beginnings_stay() {
        for text in [
            "18:30 at the station",
            "13:53",
            "[13:53]",
            "[13:53]\nHello",
            "<b>13:53</b>",
            "[1:2] a",
            "(13:75) a",
            "[99:10] a",
            "12.03.21 in the evening: yes",
            "1.2.3 10:30x",
            "Hello [13:53]",
            "2021-03-12 13:53",
            "[13:53",
            ": a",
        ] {
            assert!(remove(text).is_none(), "{text}");
        }
    }
}
