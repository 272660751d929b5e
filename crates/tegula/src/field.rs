//! Metadata fields of records: a dictionary column each, and what is derived from one (the year of a date, an order of values).

use crate::error::{Error, Result};
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// The label of a missing value in tables.
pub const MISSING: &str = "(missing)";

/// One field of all records. Code 0 is the missing value.
#[derive(Debug, Default)]
pub struct FieldColumn {
    name: String,
    codes: Vec<u32>,
    values: Vec<String>,
    lookup: HashMap<String, u32>,
}

impl FieldColumn {
    /// An empty column.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), codes: Vec::new(), values: vec![MISSING.to_owned()], lookup: HashMap::new() }
    }

    /// The field's name, as it was asked for.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Appends one record's value.
    pub fn push(&mut self, value: Option<&str>) {
        let code = match value {
            None => 0,
            Some(value) => self.lookup.get(value).copied().unwrap_or_else(|| {
                let code = self.values.len() as u32;
                self.values.push(value.to_owned());
                self.lookup.insert(value.to_owned(), code);
                code
            }),
        };
        self.codes.push(code);
    }

    /// One record's value.
    pub fn get(&self, record: usize) -> Option<&str> {
        match self.codes[record] {
            0 => None,
            code => Some(&self.values[code as usize]),
        }
    }

    /// One record's code; 0 is missing.
    pub fn code(&self, record: usize) -> u32 {
        self.codes[record]
    }

    /// All distinct values by code; the first stands for the missing one.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// How many records lack the field.
    pub fn missing(&self) -> usize {
        self.codes.iter().filter(|code| **code == 0).count()
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> u64 {
        (self.codes.capacity() * 4 + self.values.iter().map(|v| v.len() * 2 + 96).sum::<usize>()) as u64
    }
}

/// A field, or a part of its date: `source`, `date:year`, `date:month`, `date:day`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldKey {
    /// The field's name.
    pub name: String,
    /// Which part of the value is meant.
    pub part: FieldPart,
}

/// Which part of a field's value is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldPart {
    /// All of it.
    Whole,
    /// The year of a date.
    Year,
    /// Year and month of a date.
    Month,
    /// The day of a date and time.
    Day,
}

impl FromStr for FieldKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, part) = match text.rsplit_once(':') {
            Some((name, "year")) => (name, FieldPart::Year),
            Some((name, "month")) => (name, FieldPart::Month),
            Some((name, "day")) => (name, FieldPart::Day),
            _ => (text, FieldPart::Whole),
        };
        if name.is_empty() {
            return Err(Error::usage(format!("expected a field name, such as source or date:year, found '{text}'")));
        }
        Ok(Self { name: name.to_owned(), part })
    }
}

impl fmt::Display for FieldKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        f.write_str(match self.part {
            FieldPart::Whole => "",
            FieldPart::Year => ":year",
            FieldPart::Month => ":month",
            FieldPart::Day => ":day",
        })
    }
}

impl FieldKey {
    /// The part of a value that the key means, for people; the value itself where it is no date.
    pub fn shown(&self, value: &str) -> String {
        let length = match self.part {
            FieldPart::Whole => return value.to_owned(),
            FieldPart::Year => 4,
            FieldPart::Month => 7,
            FieldPart::Day => 10,
        };
        day_number(value).map_or_else(|| value.to_owned(), |day| day.date[..length].to_owned())
    }

    /// For each code of `column` the code of the part: equal parts have equal codes, the missing value keeps 0. A value that is no date
    /// is missing where a part of a date is asked for.
    pub fn codes(&self, column: &FieldColumn) -> Vec<u32> {
        let mut lookup: HashMap<String, u32> = HashMap::new();
        let mut codes = vec![0];
        for (code, value) in column.values().iter().enumerate().skip(1) {
            let part = match (self.part, day_number(value)) {
                (FieldPart::Whole, _) => {
                    codes.push(code as u32);
                    continue;
                }
                (_, None) => {
                    codes.push(0);
                    continue;
                }
                (FieldPart::Year, Some(day)) => day.date[..4].to_owned(),
                (FieldPart::Month, Some(day)) => day.date[..7].to_owned(),
                (FieldPart::Day, Some(day)) => day.date,
            };
            let next = lookup.len() as u32 + 1;
            codes.push(*lookup.entry(part).or_insert(next));
        }
        codes
    }
}

/// A calendar day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day {
    /// Days since 1970-01-01.
    pub number: i64,
    /// `YYYY-MM-DD`.
    pub date: String,
}

/// The day that a value names: an ISO date, with or without a time behind it, `YYYY-MM`, `YYYY`, or `YYYYMMDD`.
pub fn day_number(value: &str) -> Option<Day> {
    let value = value.trim();
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let date = match (digits, value.len()) {
        (8, _) => format!("{}-{}-{}", &value[..4], &value[4..6], &value[6..8]),
        (4, 4) => format!("{value}-01-01"),
        (4, 7) => format!("{value}-01"),
        (4, _) => value.get(..10)?.to_owned(),
        _ => return None,
    };
    let date: jiff::civil::Date = date.parse().ok()?;
    let epoch = jiff::civil::Date::constant(1970, 1, 1);
    let number = i64::from(epoch.until(date).ok()?.get_days());
    Some(Day { number, date: date.to_string() })
}

/// Seconds-and-fraction order of a date-time value: the day, then the rest of the text (ISO times sort as text).
pub fn date_order(value: &str) -> Option<(i64, &str)> {
    let day = day_number(value)?;
    Some((day.number, value.trim().get(10..).unwrap_or("")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_in_the_usual_forms() {
        assert_eq!(day_number("1970-01-02").unwrap().number, 1);
        assert_eq!(day_number("2002-11-01T10:00:00Z").unwrap().date, "2002-11-01");
        assert_eq!(day_number("20021101").unwrap().date, "2002-11-01");
        assert_eq!(day_number("2002-11").unwrap().date, "2002-11-01");
        assert_eq!(day_number("2002").unwrap().date, "2002-01-01");
        for wrong in ["", "x", "2002-13-01", "200", "20021301", "2002-1-1", "äöü"] {
            assert!(day_number(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn parts_of_dates_share_codes() {
        let mut column = FieldColumn::new("date");
        for value in [Some("2002-11-01"), None, Some("2002-12-01"), Some("2003-01-01"), Some("soon")] {
            column.push(value);
        }
        let codes = "date:year".parse::<FieldKey>().unwrap().codes(&column);
        assert_eq!((0..5).map(|r| codes[column.code(r) as usize]).collect::<Vec<_>>(), [1, 0, 1, 2, 0]);
        assert_eq!(column.missing(), 1);
    }
}
