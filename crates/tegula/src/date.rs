//! Parses dates in human and machine formats.
//!
//! [`DateFormat::read`] supports ISO 8601 and RFC 3339, RFC 2822, days with the name of the month,
//! days separated by dots, and plain years. `03/04/2019`, which is one day in London and another in
//! Boston, is [`Reading::Ambiguous`] and needs an explicit format. *Not useful for* words such as
//! "yesterday", or for calendars other than the Gregorian one.

use crate::error::{Error, Result};
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::strtime::BrokenDownTime;
use jiff::fmt::temporal::Pieces;
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, ToSpan};
use std::collections::HashMap;
use std::str::FromStr;

/// The format of dates: any of the known forms, or formats given by the user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DateFormat {
    /// The forms to try, in this order; empty for [`Form::Known`] alone.
    forms: Vec<Form>,
}

/// A form of dates.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    /// All known forms.
    Known,
    /// A format with directives such as `%d`.
    Pattern(String),
}

/// A day, and a time in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Seconds and nanoseconds since 1970: in UTC if the value has an offset, otherwise as if it
    /// were in UTC. Compared first.
    second: (i64, i32),
    /// The day as written.
    date: Date,
}

impl Moment {
    fn new(date: Date, time: Option<Time>, offset: Option<Offset>) -> Option<Self> {
        // A sign before a year is a hyphen that a format has read as one.
        if date.year() < 0 {
            return None;
        }
        let local = DateTime::from_parts(date, time.unwrap_or_default());
        let zone = offset.unwrap_or(Offset::UTC);
        let stamp = zone.to_timestamp(local).ok()?;
        Some(Self {
            second: (stamp.as_second(), stamp.subsec_nanosecond()),
            date,
        })
    }

    /// Days from 1970-01-01 to the day as written.
    pub fn day(self) -> i64 {
        let epoch = Date::constant(1970, 1, 1);
        epoch
            .until(self.date)
            .map_or(0, |span| i64::from(span.get_days()))
    }

    /// The day as `YYYY-MM-DD`.
    pub fn date(self) -> String {
        self.date.to_string()
    }
}

/// The result of parsing a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// A date.
    Date(Moment),
    /// A date that would be another one if day, month and year were in another order.
    Ambiguous,
    /// No date, or one in an unknown form.
    None,
}

impl Reading {
    /// The date, if it is one.
    pub fn moment(self) -> Option<Moment> {
        match self {
            Self::Date(moment) => Some(moment),
            Self::Ambiguous | Self::None => None,
        }
    }
}

impl FromIterator<Self> for DateFormat {
    fn from_iter<T: IntoIterator<Item = Self>>(formats: T) -> Self {
        Self {
            forms: formats
                .into_iter()
                .flat_map(|format| format.forms)
                .collect(),
        }
    }
}

impl FromStr for DateFormat {
    type Err = Error;

    /// `auto`, or a format with the directives of `strftime`. It must include the year.
    fn from_str(text: &str) -> Result<Self> {
        if text == "auto" {
            return Ok(Self {
                forms: vec![Form::Known],
            });
        }
        let wrong = |why: String| {
            Error::of("⟨date_format⟩")
                .expected("directives such as %d.%m.%Y")
                .found(format!("'{text}': {why}"))
                .hint("%Y is the year, %m the month, %d the day, %b and %B the month's name, %H:%M:%S the time, %z the offset from UTC, %s seconds since 1970")
        };
        // Output in this format must parse, and days that it distinguishes must remain different.
        let mut read: HashMap<Date, String> = HashMap::new();
        for days in (0..365).step_by(13) {
            let then = DateTime::constant(2001, 1, 1, 4, 5, 6, 0) + days.days();
            let zoned = TimeZone::UTC
                .to_zoned(then)
                .map_err(|error| wrong(error.to_string()))?;
            let written = BrokenDownTime::from(&zoned)
                .to_string(text)
                .map_err(|error| wrong(error.to_string()))?;
            let Some(moment) =
                by_pattern(text, &written).filter(|moment| moment.date.year() == then.year())
            else {
                return Err(wrong("it does not include the year".into()));
            };
            if let Some(other) = read
                .insert(moment.date, written.clone())
                .filter(|other| *other != written)
            {
                return Err(wrong(format!(
                    "'{other}' and '{written}' would both be {}; a week number needs a weekday to be a date, as in %Y-W%W-%w",
                    moment.date
                )));
            }
        }
        Ok(Self {
            forms: vec![Form::Pattern(text.to_owned())],
        })
    }
}

impl DateFormat {
    /// The date in a value.
    pub fn read(&self, value: &str) -> Reading {
        let value = value.trim();
        if self.forms.is_empty() {
            return known(value);
        }
        let mut found = Reading::None;
        for form in &self.forms {
            let reading = match form {
                Form::Known => known(value),
                Form::Pattern(pattern) => {
                    by_pattern(pattern, value).map_or(Reading::None, Reading::Date)
                }
            };
            match reading {
                Reading::Date(_) => return reading,
                Reading::Ambiguous => found = reading,
                Reading::None => {}
            }
        }
        found
    }
}

/// The date in a value of a given format.
fn by_pattern(pattern: &str, value: &str) -> Option<Moment> {
    let mut parts = BrokenDownTime::parse(pattern, value).ok()?;
    if let Some(stamp) = parts.timestamp() {
        return of_timestamp(stamp);
    }
    let date = if let Ok(date) = parts.to_date() {
        date
    } else {
        // A year or a month means its first day.
        parts
            .year()
            .filter(|_| parts.day_of_year().is_none() && parts.weekday().is_none())?;
        parts.set_month(Some(parts.month().unwrap_or(1))).ok()?;
        parts.set_day(Some(parts.day().unwrap_or(1))).ok()?;
        parts.to_date().ok()?
    };
    // The directive for a four-digit year also accepts two digits: 03/04/19 is not in the year 19.
    let named = date.year() >= 1000 || value.contains(&format!("{:04}", date.year()));
    Moment::new(date, parts.to_time().ok(), parts.offset()).filter(|_| named)
}

fn of_timestamp(stamp: Timestamp) -> Option<Moment> {
    let local = Offset::UTC.to_datetime(stamp);
    Moment::new(local.date(), Some(local.time()), None)
}

/// The date in a value of a known form.
fn known(value: &str) -> Reading {
    if value.len() > LONGEST {
        return Reading::None;
    }
    match digits(value).or_else(|| iso(value)) {
        Some(moment) => Reading::Date(moment),
        None => words(value),
    }
}

/// No date is longer than this; longer values are not examined.
const LONGEST: usize = 80;

/// `2002`, `20021101`, `20021101120000`: all digits.
fn digits(value: &str) -> Option<Moment> {
    if !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let pattern = match value.len() {
        4 => return Moment::new(day(value.parse().ok()?, 1, 1)?, None, None),
        8 => "%Y%m%d",
        14 => "%Y%m%d%H%M%S",
        _ => return None,
    };
    by_pattern(pattern, value)
}

/// `2002-11`, and the forms of ISO 8601 and RFC 3339: a day, with or without a time and an offset
/// from UTC.
fn iso(value: &str) -> Option<Moment> {
    let bytes = value.as_bytes();
    let leading = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if leading != 4 && leading != 8 {
        return None;
    }
    if leading == 4 && value.len() == 7 && matches!(bytes[4], b'-' | b'/' | b'.') {
        return Moment::new(
            day(value[..4].parse().ok()?, value[5..].parse().ok()?, 1)?,
            None,
            None,
        );
    }
    // As programs print it: a name instead of the offset.
    let (value, utc) = match value.rsplit_once(' ') {
        Some((front, "UTC" | "GMT" | "Z")) => (front, true),
        _ => (value, false),
    };
    // A leading year makes the order unambiguous.
    let year_first = |byte: &u8| matches!(byte, b'/' | b'.');
    let plain =
        value.is_ascii() && value.len() >= 10 && bytes[4] == bytes[7] && year_first(&bytes[4]);
    let value = if plain {
        format!(
            "{}-{}-{}{}",
            &value[..4],
            &value[5..7],
            &value[8..10],
            &value[10..]
        )
    } else {
        value.into()
    };
    let pieces = Pieces::parse(&value).ok()?;
    let offset = pieces.to_numeric_offset().or(utc.then_some(Offset::UTC));
    Moment::new(pieces.date(), pieces.time(), offset)
}

fn day(year: i16, month: i8, day: i8) -> Option<Date> {
    Date::new(year, month, day).ok()
}

/// Dates of several words: `26-FEB-1987 15:01`, `Sat, 13 Jul 2024 15:09:59 -0400`,
/// `January 2, 2021`, `26.02.1987`, `03/04/2019`.
fn words(value: &str) -> Reading {
    let mut date = Words::default();
    let mut pieces = value
        .split([' ', ',', '\t', '(', ')'])
        .filter(|piece| !piece.is_empty());
    if pieces.try_for_each(|piece| date.piece(piece)).is_none() {
        Reading::None
    } else {
        date.reading()
    }
}

/// The parsed words of a date.
#[derive(Default)]
struct Words {
    /// Numbers in order, with their lengths: day, month and year.
    numbers: Vec<(i16, usize)>,
    /// The month, from its name, and how many numbers precede it.
    month: Option<(i8, usize)>,
    /// Dots after numbers: if there are two, the day comes first.
    points: usize,
    time: Option<Time>,
    afternoon: Option<bool>,
    offset: Option<Offset>,
}

impl Words {
    /// Parses a word; `None` if it is not part of a date.
    fn piece(&mut self, piece: &str) -> Option<()> {
        if piece.contains(':') {
            return self.time(piece);
        }
        if self.time.is_some() {
            if let Some(offset) = zone(piece) {
                self.offset = self.offset.or(Some(offset));
                return Some(());
            }
            if let "am" | "a.m." | "pm" | "p.m." = piece.to_ascii_lowercase().as_str() {
                self.afternoon = Some(piece.starts_with(['p', 'P']));
                return Some(());
            }
        }
        if piece.starts_with(|c: char| c.is_ascii_digit()) {
            self.points += piece.matches('.').count();
        }
        for part in piece.split(['-', '/', '.']).filter(|part| !part.is_empty()) {
            if part.bytes().all(|byte| byte.is_ascii_digit()) {
                self.numbers.push((part.parse().ok()?, part.len()));
            } else if let Some(number) = ordinal(part) {
                self.numbers.push((number, 2));
            } else if let Some(month) = month(part) {
                if self.month.replace((month, self.numbers.len())).is_some() {
                    return None;
                }
            } else if !is_weekday(part) && !matches!(part, "of" | "at") {
                return None;
            }
        }
        (self.numbers.len() <= 3).then_some(())
    }

    fn time(&mut self, piece: &str) -> Option<()> {
        if self.time.is_some() {
            return None;
        }
        let piece = piece.trim_end_matches('.');
        let lower = piece.to_ascii_lowercase();
        let clock = match (lower.strip_suffix("am"), lower.strip_suffix("pm")) {
            (Some(clock), _) => {
                self.afternoon = Some(false);
                clock
            }
            (_, Some(clock)) => {
                self.afternoon = Some(true);
                clock
            }
            _ => piece,
        };
        // The offset may follow immediately: 15:01:00+02:00.
        let (clock, offset) = match clock.find(['+', '-', 'Z', 'z']) {
            Some(at) => (&clock[..at], Some(zone(&clock[at..])?)),
            None => (clock, None),
        };
        self.offset = offset;
        let padded = if clock.find(':') == Some(1) {
            format!("0{clock}")
        } else {
            clock.to_owned()
        };
        self.time = Some(padded.parse().ok()?);
        Some(())
    }

    /// The time of day, including am or pm.
    fn clock(&self) -> Option<Time> {
        let time = self.time.unwrap_or_default();
        let hour = match (self.afternoon, time.hour()) {
            (None, hour) => hour,
            (Some(_), 0 | 13..) => return None,
            (Some(false), hour) => hour % 12,
            (Some(true), hour) => hour % 12 + 12,
        };
        Time::new(hour, time.minute(), time.second(), time.subsec_nanosecond()).ok()
    }

    fn reading(&self) -> Reading {
        let Some(clock) = self.clock() else {
            return Reading::None;
        };
        let at = |date: Option<Date>| {
            let moment = date.and_then(|date| Moment::new(date, Some(clock), self.offset));
            moment.map_or(Reading::None, Reading::Date)
        };
        let small = |number: i16| i8::try_from(number).ok();
        let of = |year: i16, month: i16, number: i16| day(year, small(month)?, small(number)?);
        match (self.month, &self.numbers[..]) {
            // 2 January 2021, January 2021, January 2, 2021.
            (Some((month, _)), [(number, ..=2), (year, 4)])
            | (Some((month, 1)), [(year, 4), (number, ..=2)]) => {
                at(of(*year, month.into(), *number))
            }
            (Some((month, _)), [(year, 4)]) => at(of(*year, month.into(), 1)),
            // 2 February 03 may be in 1903 or 2003, or the third of a month of 2002.
            (Some(_), [(_, ..=2), (_, ..=2)]) => Reading::Ambiguous,
            (None, [(first, ..=2), (second, ..=2), (year, 4)]) => {
                let (by_day, by_month) = (of(*year, *second, *first), of(*year, *first, *second));
                match (by_day, by_month) {
                    _ if self.points > 1 => at(by_day),
                    (Some(day), Some(other)) if day != other => Reading::Ambiguous,
                    (day, other) => at(day.or(other)),
                }
            }
            (None, [(first, ..=2), (second, ..=2), (third, ..=2)])
                if *first <= 31
                    && *second <= 31
                    && *third <= 99
                    && (*first <= 12 || *second <= 12) =>
            {
                Reading::Ambiguous
            }
            _ => Reading::None,
        }
    }
}

/// The UTC offset for a name or `+0100`; names with ambiguous offsets count as UTC.
fn zone(text: &str) -> Option<Offset> {
    let hours = match text {
        "Z" | "z" | "UT" | "UTC" | "GMT" => 0,
        "EST" | "CDT" => -5,
        "EDT" => -4,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" => -8,
        "CET" => 1,
        "CEST" => 2,
        _ => {
            let sign = match text.as_bytes().first()? {
                b'+' => 1,
                b'-' => -1,
                _ => return None,
            };
            let digits: String = text[1..].chars().filter(|c| *c != ':').collect();
            if !digits.bytes().all(|byte| byte.is_ascii_digit()) || !matches!(digits.len(), 2 | 4) {
                return None;
            }
            let hours: i32 = digits[..2].parse().ok()?;
            let minutes: i32 = digits
                .get(2..)
                .filter(|rest| !rest.is_empty())
                .map_or(Some(0), |rest| rest.parse().ok())?;
            return Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok();
        }
    };
    Offset::from_hours(hours).ok()
}

/// `1st`, `2nd`, `3rd`, `4th`.
fn ordinal(text: &str) -> Option<i16> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    matches!(&text[digits.len()..], "st" | "nd" | "rd" | "th").then_some(())?;
    digits.parse().ok()
}

/// The number of a month from its name, or an abbreviation of it, in English, German or Slovak.
fn month(text: &str) -> Option<i8> {
    const NAMES: [&[&str]; 12] = [
        &["january", "januar", "jänner", "január", "januára"],
        &["february", "februar", "feber", "február", "februára"],
        &["march", "märz", "marec", "marca"],
        &["april", "apríl", "apríla"],
        &["may", "mai", "máj", "mája"],
        &["june", "juni", "jún", "júna"],
        &["july", "juli", "júl", "júla"],
        &["august", "augusta"],
        &["september", "sept", "septembra"],
        &["october", "oktober", "október", "októbra"],
        &["november", "novembra"],
        &["december", "dezember", "decembra"],
    ];
    let text = text.to_lowercase();
    let short = text.chars().count() == 3;
    let named = |names: &&[&str]| {
        names
            .iter()
            .any(|name| *name == text || (short && name.starts_with(&text)))
    };
    let number = NAMES.iter().position(named)?;
    i8::try_from(number + 1).ok()
}

/// Whether it is a weekday's name, or an abbreviation of it, in English or German.
fn is_weekday(text: &str) -> bool {
    const NAMES: [&str; 15] = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "montag",
        "dienstag",
        "mittwoch",
        "donnerstag",
        "freitag",
        "samstag",
        "sonntag",
        "sonnabend",
    ];
    let text = text.to_lowercase();
    (2..=4).contains(&text.chars().count()) && NAMES.iter().any(|name| name.starts_with(&text))
        || NAMES.contains(&&text[..])
}

#[cfg(test)]
#[path = "date_tests.rs"]
mod tests;
