//! The lines that separate the messages of a mailbox.
//!
//! A line `From ` separates if the header of a message follows it: a line that begins a field, after
//! some more lines `>From ` or `From `. Where the line itself has no date, as in `From ` or
//! `From -`, that must be one of the usual fields. Blank lines before it prove nothing, as texts
//! have them too. Whether a line separates depends on no more than a few lines after it, so that
//! the pieces in which a file is read do not matter.

use super::head::{is_delivery, is_field, is_usual};
use memchr::{memchr, memmem};

/// What begins the line before a message.
const FROM: &[u8] = b"From";
/// Bytes of the longest such line, and of the longest name of a field.
const LONGEST: usize = 1 << 10;
/// The most such lines before a message.
const LINES: usize = 8;
/// The months in the dates of such lines.
const MONTHS: [&[u8]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

/// The days of the week in them.
const DAYS: [&[u8]; 7] = [b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun"];

/// Whether a message begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begins {
    Yes,
    No,
    /// More of the file is needed to say it.
    Unknown,
}

/// Whether a message with its separator begins at the beginning of a line; `is_end` says that
/// nothing of the file follows `text`.
pub(crate) fn begins(text: &[u8], is_end: bool) -> Begins {
    let unknown = if is_end { Begins::No } else { Begins::Unknown };
    let (mut at, mut is_dated) = (0, false);
    for number in 0..=LINES {
        let rest = &text[at..];
        let window = &rest[..rest.len().min(LONGEST)];
        let end = memchr(b'\n', window);
        let line = &window[..end.unwrap_or(window.len())];
        let is_whole = end.is_some() || window.len() == LONGEST || is_end;
        if number > 0 && is_field(line) {
            return if is_dated || is_usual(line) {
                Begins::Yes
            } else {
                Begins::No
            };
        }
        let may_be_more = !is_whole && could_be(line, number);
        // The last line of a text may be one, too, and have no quotation mark.
        let continues = if line.starts_with(FROM) {
            number == 0 || is_dated
        } else {
            number > 0
        };
        match end {
            Some(end) if continues && is_delivery(line) => {
                is_dated |= has_date(line);
                at += end + 1;
            }
            _ if may_be_more => return unknown,
            _ => return Begins::No,
        }
    }
    Begins::No
}

/// Whether the beginning of a line may be that of one before a message or, after one, of a field.
fn could_be(line: &[u8], number: usize) -> bool {
    let known = line.len().min(FROM.len());
    number > 0 || line[..known] == FROM[..known]
}

/// The length of the lines before the header of the message at the beginning of `text`; 0 if it has
/// none.
pub(crate) fn lead(text: &[u8]) -> usize {
    let mut len = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n').take(LINES) {
        let is_own = len > 0 || line.starts_with(FROM);
        let is_whole = line.ends_with(b"\n") || line.len() == text.len();
        if !(is_own && is_whole && is_delivery(line)) {
            break;
        }
        len += line.len();
    }
    len
}

/// Where the next message in `text` begins, after its first `from` bytes; or, if that cannot be
/// said yet, the line that may begin it.
pub(crate) fn next(text: &[u8], from: usize, is_end: bool) -> (Begins, usize) {
    let before = from.saturating_sub(1);
    for at in memmem::find_iter(&text[before..], b"\nFrom") {
        let at = before + at + 1;
        match begins(&text[at..], is_end) {
            Begins::No => {}
            found => return (found, at),
        }
    }
    let line = memchr::memrchr(b'\n', &text[before..]).map(|at| before + at + 1);
    match line {
        Some(line) if !is_end && FROM.starts_with(&text[line..]) => (Begins::Unknown, line),
        _ => (Begins::No, text.len()),
    }
}

/// Whether a line has a date as those before messages do: a month, a year, and a time with seconds or
/// after a day of the week.
fn has_date(line: &[u8]) -> bool {
    let is_time = |at: &[u8]| at[1] == b':' && at[0].is_ascii_digit() && at[2].is_ascii_digit();
    let is_year = |at: &[u8]| at.iter().all(u8::is_ascii_digit);
    let has = |names: &[&[u8]]| line.windows(3).any(|at| names.contains(&at));
    let times = line.windows(3).filter(|at| is_time(at)).count();
    has(&MONTHS) && line.windows(4).any(is_year) && (times > 1 || (times == 1 && has(&DAYS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &str = "Subject: a\n\nb";

    #[test]
    fn a_header_follows_a_separator() {
        for line in [
            "From a@b Fri Nov 25 16:18:08 2016\n",
            "From a@b Fri Nov 25 16:18:08 2016\r\n",
            "From ???@??? Fri Nov 25 16:18:08 2016 +0100\nX:y\n",
            "From a@b Fri Nov 25 16:18 2016\nX:y\n",
            "From - \n",
            "From \n",
            "From\n",
            "From a@b Fri Nov 25 16:18:08 2016\n>From - Sat Apr 12 15:59:28 2025\n",
            "From \n>From \n>From x\n",
            "From a@b Fri Nov 25 16:18:08 2016\nFrom x\n",
        ] {
            assert_eq!(
                begins((line.to_owned() + FIELDS).as_bytes(), true),
                Begins::Yes,
                "{line}"
            );
        }
        for line in [
            "From 2019 to 2020 we wrote at 10:20\nthat this is text\n",
            "From 2019 to 2020 we wrote at 10:20\nNote: this is text\n",
            "From March 2019 on we wrote at 10:20\nNote: this is text\n",
            "From Mon Nov 23 10:58:55 2026 on,\nthis is text: ",
            "From Mon Nov 23 10:58:55 2026 on:\n\n",
            "From: a@b\n",
            ">From a@b Fri Nov 25 16:18:08 2016\n",
            "Fromage\n",
            "From here\nFrom a@b Fri Nov 25 16:18:08 2016\n",
            "\nFrom \n",
        ] {
            assert_eq!(
                begins((line.to_owned() + FIELDS).as_bytes(), true),
                Begins::No,
                "{line}"
            );
        }
        assert_eq!(
            begins(b"From a@b Fri Nov 25 16:18:08 2016\n", true),
            Begins::No
        );
        let many = "From \n".repeat(100) + FIELDS;
        assert_eq!(begins(many.as_bytes(), true), Begins::No);
    }

    #[test]
    fn the_answer_is_the_same_for_any_piece() {
        let long = "From ".to_owned() + &"x".repeat(2 * LONGEST) + "\n";
        for line in [
            "From \n",
            "From a\n>From b\n",
            "From a@b Fri Nov 25 16:18:08 2016\n",
            "From x\ny\n",
            &long,
        ] {
            let all = line.to_owned() + FIELDS + &"z".repeat(100);
            let whole = begins(all.as_bytes(), true);
            for len in 0..all.len() {
                let found = begins(&all.as_bytes()[..len], false);
                assert!(
                    found == whole || found == Begins::Unknown,
                    "{len} of {all:?}: {found:?}"
                );
            }
            assert_eq!(begins(all.as_bytes(), false), whole);
            let after = format!("a\n\n{all}");
            for len in 0..after.len() {
                let (found, at) = next(&after.as_bytes()[..len], 0, false);
                // What may begin a message is kept for the next piece.
                let expected = match (whole, len) {
                    (_, 0..=1) => Begins::No,
                    (Begins::Yes, 3..) => {
                        assert_eq!(at, 3);
                        found
                    }
                    _ => found,
                };
                assert_eq!(found, expected, "{len} of {after:?}");
            }
        }
    }
}
