//! Metadata fields of records: a dictionary column for each, and values derived from them (the year
//! of a date, an order of values).

use crate::date::{DateFormat, Moment, Reading};
use crate::declare::Parsed;
use crate::error::{Error, ErrorKind, Result};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// The label of a missing value in tables.
pub const MISSING: &str = "(missing)";

/// Of this many values, one may be an ambiguous date.
const FEW: usize = 10;

/// One field of all records. Code 0 is the missing value.
#[derive(Debug, Default)]
pub struct FieldColumn {
    name: String,
    codes: Vec<u32>,
    values: Vec<String>,
    lookup: HashMap<String, u32>,
    expected: Expected,
}

/// What the values of a field must be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expected {
    /// The type of values.
    pub holds: Holds,
    /// The format of dates.
    pub dates: DateFormat,
}

/// The type of values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Holds {
    /// Anything.
    #[default]
    Anything,
    /// Dates.
    Dates,
    /// Numbers.
    Numbers,
    /// Preferably one of these; other values are allowed.
    Listed(Vec<String>),
}

impl Expected {
    /// Whether a value can be used.
    pub fn fits(&self, value: &str) -> bool {
        match &self.holds {
            Holds::Anything => true,
            Holds::Dates => self.dates.read(value).moment().is_some(),
            Holds::Numbers => number(value).is_some(),
            Holds::Listed(values) => values.iter().any(|listed| listed == value),
        }
    }

    /// Refuses a value with an ambiguous date if it must be a date of `field`.
    ///
    /// # Errors
    /// Names the value.
    pub fn check(&self, field: &str, value: &str) -> Result<()> {
        if self.holds != Holds::Dates || self.dates.read(value) != Reading::Ambiguous {
            return Ok(());
        }
        Err(Error::of(format!("field '{field}'"))
            .expected("unambiguous dates")
            .found(format!("'{value}'"))
            .hint("give their format, as in ⟨date_format=%d/%m/%Y⟩ or ⟨date_format=%m/%d/%Y⟩"))
    }

    /// The error if no value of `field` is valid, of which `value` is an example.
    pub fn nothing_fits(&self, field: &str, value: &str) -> Error {
        let (expected, hint) = match &self.holds {
            Holds::Anything => ("values".to_owned(), "use another field"),
            Holds::Dates => (
                "dates".into(),
                "use a field with dates, or give their format, as in ⟨date_format=%d.%m.%Y⟩",
            ),
            Holds::Numbers => (
                "numbers".into(),
                "use a field with numbers; newest and oldest are for dates",
            ),
            Holds::Listed(values) => (
                format!("one of {}", values.join(", ")),
                "use values that occur",
            ),
        };
        Error::of(format!("field '{field}'"))
            .expected(expected)
            .found(format!("none; it contains values such as '{value}'"))
            .hint(hint)
    }
}

/// A number: integers are compared exactly, as floats cannot distinguish long ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number {
    float: f64,
    whole: i128,
}

impl Number {
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        self.float
            .total_cmp(&other.float)
            .then(self.whole.cmp(&other.whole))
    }
}

/// The value as a number.
pub(crate) fn number(value: &str) -> Option<Number> {
    let value = value.trim();
    let float: f64 = value.parse().ok().filter(|number: &f64| !number.is_nan())?;
    // A float that equals no integer differs from all of them anyway.
    Some(Number {
        float,
        whole: value.parse().unwrap_or(float as i128),
    })
}

impl FieldColumn {
    /// An empty column.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            values: vec![MISSING.to_owned()],
            ..Self::default()
        }
    }

    /// The same, with expected values.
    #[must_use]
    pub fn expecting(self, expected: Expected) -> Self {
        Self { expected, ..self }
    }

    /// The field's name, as requested.
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

    /// All distinct values by code; the first is for missing values.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// The value as a date.
    pub fn date(&self, value: &str) -> Option<Moment> {
        self.expected.dates.read(value).moment()
    }

    /// Refuses ambiguous dates in a field of dates, unless they are few.
    ///
    /// # Errors
    /// Names the first one.
    pub(crate) fn check(&self) -> Result<()> {
        self.check_as(&self.expected)
    }

    /// The same, of values that must be `expected`.
    fn check_as(&self, expected: &Expected) -> Result<()> {
        let wrong: Vec<bool> = self
            .values
            .iter()
            .enumerate()
            .map(|(code, value)| code > 0 && expected.check(&self.name, value).is_err())
            .collect();
        if !wrong.contains(&true) {
            return Ok(());
        }
        let (mut all, mut first, mut ambiguous) = (0_usize, None, 0_usize);
        for code in self.codes.iter().filter(|code| **code > 0) {
            all += 1;
            if wrong[*code as usize] {
                ambiguous += 1;
                first = first.or(Some(*code as usize));
            }
        }
        // A few are slips, which count as missing; many are a format that the user knows.
        match first {
            Some(first) if ambiguous * FEW > all => expected.check(&self.name, &self.values[first]),
            _ => Ok(()),
        }
    }

    /// The number of records, of those that `counts` admits, whose value is not of the required
    /// type, and the first such value.
    pub fn misfits(&self, counts: impl Fn(usize) -> bool) -> Option<(u64, &str)> {
        if !matches!(self.expected.holds, Holds::Dates | Holds::Numbers) {
            return None;
        }
        let fits: Vec<bool> = self
            .values
            .iter()
            .map(|value| self.expected.fits(value))
            .collect();
        let is_one = |record: &usize| {
            self.codes[*record] > 0 && !fits[self.codes[*record] as usize] && counts(*record)
        };
        let mut records = (0..self.codes.len()).filter(is_one).peekable();
        let first = self.get(*records.peek()?)?;
        Some((records.count() as u64, first))
    }

    /// The required type of values, if there is one: `dates` or `numbers`.
    pub fn kind(&self) -> &'static str {
        match self.expected.holds {
            Holds::Anything | Holds::Listed(_) => "values",
            Holds::Dates => "dates",
            Holds::Numbers => "numbers",
        }
    }

    /// The number of records without the field.
    pub fn missing(&self) -> usize {
        self.codes.iter().filter(|code| **code == 0).count()
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> u64 {
        (self.codes.capacity() * 4 + self.values.iter().map(|v| v.len() * 2 + 96).sum::<usize>())
            as u64
    }
}

/// A field, or a part of its date: `source`, `date:year`, `date:month`, `date:day`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FieldKey {
    /// The field's name.
    pub name: String,
    /// The part of the value.
    pub part: FieldPart,
}

/// A part of a field's value, ordered from the finest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FieldPart {
    /// All of it.
    Whole,
    /// The day of a date and time.
    Day,
    /// Year and month of a date.
    Month,
    /// The year of a date.
    Year,
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
            return Err(ErrorKind::Usage
                .expected("a field name, such as source or date:year")
                .found(format!("'{text}'")));
        }
        Ok(Self {
            name: name.to_owned(),
            part,
        })
    }
}

impl Parsed for FieldKey {
    fn parsed(text: &str) -> Result<Self> {
        text.parse()
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

impl TryFrom<String> for FieldKey {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<FieldKey> for String {
    fn from(key: FieldKey) -> Self {
        key.to_string()
    }
}

impl FieldKey {
    /// All of a field's value.
    pub fn whole(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            part: FieldPart::Whole,
        }
    }

    /// Whether equal values under this key are always equal under the other: equal months imply
    /// equal years.
    pub(crate) fn settles(&self, other: &Self) -> bool {
        self.name == other.name && self.part <= other.part
    }

    /// The part of the value for this key, with dates in the format `dates`; none if it must be a
    /// date and is not.
    pub fn of(&self, value: &str, dates: &DateFormat) -> Option<String> {
        let length = match self.part {
            FieldPart::Whole => return Some(value.to_owned()),
            FieldPart::Year => 4,
            FieldPart::Month => 7,
            FieldPart::Day => 10,
        };
        let mut date = dates.read(value).moment()?.date();
        date.truncate(length);
        Some(date)
    }

    /// For each code of `column` the code of the part, and the parts by code: equal parts have
    /// equal codes, the missing value keeps 0. If a part of a date is requested, other values count
    /// as missing.
    pub fn parts(&self, column: &FieldColumn) -> (Vec<u32>, Vec<String>) {
        let mut lookup: HashMap<String, u32> = HashMap::new();
        let (mut codes, mut names) = (vec![0], vec![MISSING.to_owned()]);
        for value in column.values().iter().skip(1) {
            let Some(part) = self.of(value, &column.expected.dates) else {
                codes.push(0);
                continue;
            };
            let next = names.len() as u32;
            codes.push(*lookup.entry(part).or_insert_with_key(|part| {
                names.push(part.clone());
                next
            }));
        }
        (codes, names)
    }

    /// For each code of `column` the code of the part, as in [`FieldKey::parts`].
    pub fn codes(&self, column: &FieldColumn) -> Vec<u32> {
        self.parts(column).0
    }
}

/// A field required by a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldNeed {
    /// The name of the field.
    pub name: String,
    /// The required type of its values.
    pub holds: Holds,
}

impl FieldNeed {
    /// Dates in a field.
    pub fn dates(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            holds: Holds::Dates,
        }
    }
}

impl From<&FieldKey> for FieldNeed {
    fn from(key: &FieldKey) -> Self {
        let holds = if key.part == FieldPart::Whole {
            Holds::Anything
        } else {
            Holds::Dates
        };
        Self {
            name: key.name.clone(),
            holds,
        }
    }
}

/// Refuses fields that no record has, and fields without a valid value; `dates` is the format of
/// dates.
///
/// # Errors
/// Names the field, and lists the fields that records have.
pub fn check(columns: &[FieldColumn], needs: &[FieldNeed], dates: &DateFormat) -> Result<()> {
    for need in needs {
        let column = find(columns, &need.name)?;
        let expected = Expected {
            holds: need.holds.clone(),
            dates: dates.clone(),
        };
        let values = || column.values.iter().skip(1);
        column.check_as(&expected)?;
        if let (false, Some(value)) = (
            values().any(|value| expected.fits(value)),
            column.values.get(1),
        ) {
            return Err(expected.nothing_fits(&need.name, value));
        }
        if !column.codes.is_empty() && column.values.len() == 1 {
            let had: Vec<&str> = columns
                .iter()
                .filter(|column| column.values.len() > 1)
                .map(FieldColumn::name)
                .collect();
            let had = if had.is_empty() {
                "none".to_owned()
            } else {
                had.join(", ")
            };
            return Err(Error::of(format!("field '{}'", need.name))
                .expected("records that have it")
                .found("none")
                .hint(format!(
                    "the fields that were kept and that records have are: {had}"
                )));
        }
    }
    Ok(())
}

/// The column with this name.
///
/// # Errors
/// If the field was not read.
pub fn find<'a>(columns: &'a [FieldColumn], name: &str) -> Result<&'a FieldColumn> {
    columns
        .iter()
        .find(|column| column.name() == name)
        .ok_or_else(|| {
            Error::usage(format!("field '{name}' was not kept in the run"))
                .hint("run again with the field requested, or leave out ⟨from⟩")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_settles_itself_and_the_coarser_ones() {
        let settles =
            |a: &str, b: &str| a.parse::<FieldKey>().unwrap().settles(&b.parse().unwrap());
        assert!(
            settles("date", "date:day")
                && settles("date:month", "date:year")
                && settles("source", "source")
        );
        assert!(
            !settles("date:year", "date:month")
                && !settles("date:day", "date")
                && !settles("date", "source")
        );
    }

    #[test]
    fn parts_of_dates_share_codes() {
        let mut column = FieldColumn::new("date");
        for value in [
            Some("2002-11-01"),
            None,
            Some("2002-12-01"),
            Some("2003-01-01"),
            Some("soon"),
        ] {
            column.push(value);
        }
        let codes = "date:year".parse::<FieldKey>().unwrap().codes(&column);
        assert_eq!(
            (0..5)
                .map(|r| codes[column.code(r) as usize])
                .collect::<Vec<_>>(),
            [1, 0, 1, 2, 0]
        );
        assert_eq!(column.missing(), 1);
    }

    #[test]
    fn long_integers_are_told_apart() {
        let ascending = [
            "-inf",
            "-1.5",
            "0",
            "0.5",
            "1450000000000000001",
            "1450000000000000002",
            "1e300",
        ];
        let numbers: Vec<Number> = ascending
            .iter()
            .map(|value| number(value).unwrap())
            .collect();
        for (a, b) in (0..numbers.len()).flat_map(|a| (0..numbers.len()).map(move |b| (a, b))) {
            assert_eq!(
                numbers[a].compare(&numbers[b]),
                a.cmp(&b),
                "{} {}",
                ascending[a],
                ascending[b]
            );
        }
        assert!(
            number("7")
                .unwrap()
                .compare(&number(" 7.0").unwrap())
                .is_eq()
        );
        assert!(number("seven").is_none() && number("nan").is_none());
    }

    #[test]
    fn what_is_no_date_is_counted_shown_and_refused() {
        let dates = DateFormat::default();
        let column = |holds: Holds, values: &[&str]| {
            let mut column = FieldColumn::new("f").expecting(Expected {
                holds,
                ..Expected::default()
            });
            for value in values {
                column.push(Some(*value).filter(|value| !value.is_empty()));
            }
            column
        };
        let some = column(
            Holds::Dates,
            &["26-FEB-1987 15:01", "", "soon", "2002", "soon"],
        );
        assert_eq!(some.misfits(|_| true), Some((2, "soon")));
        assert_eq!(some.misfits(|record| record > 2), Some((1, "soon")));
        assert!(check(&[some], &[FieldNeed::dates("f")], &dates).is_ok());
        let listed = Holds::Listed(vec!["a".into(), "b".into()]);
        for (holds, values, expected) in [
            (Holds::Dates, &["soon", "late"][..], "'soon'"),
            (Holds::Dates, &["2002", "03/04/2019"], "03/04/2019"),
            (Holds::Dates, &["", ""], "expected records that have it"),
            (Holds::Anything, &["", ""], "expected records that have it"),
            (Holds::Numbers, &["x", ""], "expected numbers"),
            (listed, &["x", "y"], "expected one of a, b"),
        ] {
            let need = FieldNeed {
                name: "f".into(),
                holds: holds.clone(),
            };
            let error = check(&[column(holds, values)], &[need], &dates).unwrap_err();
            assert!(error.message().contains(expected), "{error}");
        }
    }
}
