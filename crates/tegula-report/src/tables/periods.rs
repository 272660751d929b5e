//! Counts over time: the values of a field that are dates, by the period that gives a chart one can
//! read.

use jiff::civil::Date;
use tegula::date::DateFormat;
use tegula::field::MISSING;
use tegula::summary::Balance;

use super::counts::{Parts, add_balance};

/// The maximum number of periods.
const MOST: i32 = 48;
/// Of this many values, one may be no date.
const STRANGE: u64 = 10;

/// A period, ordered from the shortest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Period {
    Day,
    Month,
    Year,
    Decade,
    Century,
}

impl Period {
    const ALL: [Self; 5] = [
        Self::Day,
        Self::Month,
        Self::Year,
        Self::Decade,
        Self::Century,
    ];

    /// Its name in a sentence.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Month => "month",
            Self::Year => "year",
            Self::Decade => "decade",
            Self::Century => "century",
        }
    }

    /// The number of the period that a date is in: consecutive periods have consecutive numbers.
    fn number(self, date: Date) -> i32 {
        let year = i32::from(date.year());
        match self {
            Self::Day => (date - EPOCH).get_days(),
            Self::Month => 12 * year + i32::from(date.month()) - 1,
            Self::Year => year,
            Self::Decade => year.div_euclid(10),
            Self::Century => year.div_euclid(100),
        }
    }

    /// How the period with this number is written.
    fn written(self, number: i32) -> String {
        match self {
            Self::Day => {
                let date = EPOCH.checked_add(jiff::Span::new().days(number));
                date.unwrap_or(EPOCH).to_string()
            }
            Self::Month => format!(
                "{:04}-{:02}",
                number.div_euclid(12),
                number.rem_euclid(12) + 1
            ),
            Self::Year => format!("{number:04}"),
            Self::Decade => format!("{number:03}0s"),
            Self::Century => format!("{number:02}00s"),
        }
    }
}

const EPOCH: Date = Date::constant(1970, 1, 1);

/// Counts by period.
#[derive(Debug, Clone)]
pub(crate) struct Periods {
    pub(crate) period: Period,
    /// All periods from the first to the last, also those without units.
    pub(crate) list: Vec<(String, Balance)>,
    /// Units without a date.
    pub(crate) undated: Balance,
}

impl Periods {
    /// The names of some parts as dates, by the shortest period of which there are few; none if
    /// many of them are no dates, or all are in one.
    pub(crate) fn of(parts: &Parts, dates: &DateFormat) -> Option<Self> {
        let mut dated = Vec::with_capacity(parts.len());
        let mut undated = parts.rest().unwrap_or_default();
        let mut shortest = Period::Day;
        let mut strange = 0;
        for (name, balance) in parts.sorted() {
            if let Some((date, period)) = read(name, dates) {
                shortest = shortest.max(period);
                dated.push((date, balance));
            } else {
                strange += u64::from(name != MISSING);
                add_balance(&mut undated, &balance);
            }
        }
        if strange * STRANGE > dated.len() as u64 {
            return None;
        }
        let (first, last) = (
            dated.iter().map(|(date, _)| *date).min()?,
            dated.iter().map(|(date, _)| *date).max()?,
        );
        let mut longer = Period::ALL.into_iter().filter(|period| *period >= shortest);
        let period = longer.find(|period| period.number(last) - period.number(first) < MOST)?;
        let start = period.number(first);
        let mut list: Vec<(String, Balance)> = (start..=period.number(last))
            .map(|number| (period.written(number), Balance::default()))
            .collect();
        for (date, balance) in &dated {
            let at = period.number(*date) - start;
            if let Some((_, all)) = list.get_mut(at as usize) {
                add_balance(all, balance);
            }
        }
        (list.len() > 1).then_some(Self {
            period,
            list,
            undated,
        })
    }

    /// The same as parts, for a table: those without units are left out.
    pub(crate) fn parts(&self) -> Parts {
        let filled = self
            .list
            .iter()
            .filter(|(_, balance)| balance.input.units > 0);
        let mut all: Vec<(&str, Balance)> =
            filled.map(|(name, all)| (name.as_str(), *all)).collect();
        if self.undated.input.units > 0 {
            all.push((MISSING, self.undated));
        }
        Parts::dated(&all)
    }
}

/// A value as a date, and the period that it names.
fn read(value: &str, dates: &DateFormat) -> Option<(Date, Period)> {
    let is = |form: &str| {
        value.len() == form.len()
            && value
                .bytes()
                .zip(form.bytes())
                .all(|(byte, form)| match form {
                    b'0' => byte.is_ascii_digit(),
                    _ => byte == form,
                })
    };
    if is("0000") {
        Some((format!("{value}-01-01").parse().ok()?, Period::Year))
    } else if is("0000-00") {
        Some((format!("{value}-01").parse().ok()?, Period::Month))
    } else {
        Some((
            dates.read(value).moment()?.date().parse().ok()?,
            Period::Day,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tegula::summary::Amounts;

    fn periods(names: &[&str]) -> Option<(Period, Vec<(String, u64)>)> {
        let mut parts = Parts::default();
        let one = Amounts {
            units: 1,
            ..Amounts::default()
        };
        for name in names {
            parts.add(name, one, true);
        }
        let found = Periods::of(&parts, &DateFormat::default())?;
        let list = found.list.into_iter();
        Some((
            found.period,
            list.map(|(name, all)| (name, all.removed.units)).collect(),
        ))
    }

    #[test]
    fn the_shortest_period_of_which_there_are_few() {
        let named = |list: Vec<(String, u64)>| -> Vec<String> {
            list.into_iter()
                .map(|(name, units)| format!("{name} {units}"))
                .collect()
        };
        let (period, list) = periods(&["2020-02-28", "2020-03-01T10:00:00"]).unwrap();
        assert_eq!(period, Period::Day);
        assert_eq!(
            named(list),
            ["2020-02-28 1", "2020-02-29 0", "2020-03-01 1"]
        );
        let (period, list) = periods(&["2019-11-28", "2020-02-01", "2020-02-20"]).unwrap();
        assert_eq!(period, Period::Month);
        assert_eq!(
            named(list),
            ["2019-11 1", "2019-12 0", "2020-01 0", "2020-02 2"]
        );
        assert_eq!(periods(&["1999", "2020-02-01"]).unwrap().0, Period::Year);
        let (period, list) = periods(&["1799-01-01", "1801-02-01", "1999"]).unwrap();
        assert_eq!((period, list.len()), (Period::Decade, 21));
        assert_eq!(list[0], ("1790s".to_owned(), 1));
        let (period, list) = periods(&["0001", "1999"]).unwrap();
        assert_eq!((period, list[0].0.as_str()), (Period::Century, "0000s"));
    }

    #[test]
    fn names_are_no_dates_and_one_day_is_no_time() {
        assert!(periods(&["Draft", "Final"]).is_none());
        assert!(periods(&["2020-02-28", "2020-02-28T10:00:00"]).is_none());
        assert!(periods(&[]).is_none());
        assert!(periods(&[MISSING]).is_none());
    }
}
