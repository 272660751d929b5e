//! Tests of `date`.

use super::*;
use proptest::prelude::*;

fn date(value: &str) -> String {
    shown(&DateFormat::default(), value)
}

fn shown(format: &DateFormat, value: &str) -> String {
    match format.read(value) {
        Reading::Date(moment) => moment.date(),
        Reading::Ambiguous => "ambiguous".into(),
        Reading::None => "none".into(),
    }
}

#[test]
fn the_forms_that_people_and_machines_write_are_read() {
    for (day, values) in [
        (
            "2002-11-01",
            "2002-11-01|20021101|2002-11|2002/11/01|2002.11.01|20021101120000|2002-11-01T10:00:00Z|2002-11-01 10:00|\
             2002-11-01T10:00:00.123456+02:00|2002-11-01T10:00:00+0200|2002-11-01 10:00:00 UTC|2002-11-01 10:00:00+00:00|\
             2002-11-01T10:00:00+01:00[Europe/Berlin]|01.11.2002|1.11.2002|01.11.2002 15:01|1. 11. 2002|1 November 2002|\
             1 Nov 2002|Nov 1, 2002|November 1st, 2002|1st of November 2002|1. November 2002|Fri, 1 Nov 2002 10:00:00 -0400|\
             Fri, 01 Nov 2002 10:00:00 GMT|Fri Nov  1 10:00:00 2002|Fri Nov 1 10:00:00 UTC 2002|Friday, 01-Nov-2002 10:00:00 GMT|\
             1. novembra 2002|Freitag, 1. November 2002|November 2002|Nov-2002|1-NOV-2002|2002-Nov-01",
        ),
        (
            "1987-02-26",
            "26-FEB-1987 15:01:01.79|26-FEB-1987 15:01|26.02.1987|26/02/1987|02/26/1987|26-02-1987|26 February 1987",
        ),
        (
            "2021-01-02",
            "2 January 2021|January 2, 2021 at 10:00|Jan. 2, 2021 3:05 PM|Sat, 2 Jan 2021 15:09:59 +0100 (CET)",
        ),
        ("2019-03-03", "03/03/2019|3.3.2019"),
        ("1999-01-01", "1999"),
    ] {
        for value in values.split('|') {
            assert_eq!(date(value), day, "{value}");
        }
    }
    for value in [
        "03/04/2019",
        "11/1/2002",
        "3-4-2019",
        "01.11.02",
        "3/4/19",
        "26-FEB-87",
    ] {
        assert_eq!(date(value), "ambiguous", "{value}");
    }
    for value in [
        "",
        "x",
        "2002-13-01",
        "200",
        "20021301",
        "äöü",
        "31.02.2002",
        "32.01.2002",
        "soon",
        "1",
        "12",
        "2002-11-01 to 2003",
        "12:30",
        "May",
        "1.2.3.4",
        "1.2",
        "192.168.10.1",
        "page 3",
        "2002-11-01T25:00",
        "99.99.9999",
        "40-20-30",
    ] {
        assert_eq!(date(value), "none", "{value}");
    }
}

#[test]
fn moments_are_in_the_order_of_time() {
    let order = [
        "2002",
        "2002-11-01",
        "2002-11-01T00:00:01",
        "01.11.2002 10:00",
        "2002-11-01T12:00:00+01:00",
        "Fri, 1 Nov 2002 12:00:00 GMT",
        "Nov 1, 2002 3:05 pm",
        "2-NOV-2002",
    ];
    let moments: Vec<Moment> = order
        .iter()
        .map(|value| DateFormat::default().read(value).moment().unwrap())
        .collect();
    assert!(moments.is_sorted_by(|a, b| a < b), "{moments:?}");
    assert_eq!(
        DateFormat::default()
            .read("1970-01-02")
            .moment()
            .unwrap()
            .day(),
        1
    );
}

#[test]
fn formats_of_the_user_decide_alone() {
    let british: DateFormat = "%d/%m/%Y".parse().unwrap();
    assert_eq!(shown(&british, "03/04/2019"), "2019-04-03");
    assert_eq!(shown(&british, "2019-04-03"), "none");
    let both: DateFormat = [british, "auto".parse().unwrap()].into_iter().collect();
    assert_eq!(shown(&both, "03/04/2019"), "2019-04-03");
    assert_eq!(shown(&both, "2019-04-03"), "2019-04-03");
    assert_eq!(shown(&"%s".parse().unwrap(), "86400"), "1970-01-02");
    assert_eq!(shown(&"%m/%Y".parse().unwrap(), "11/2002"), "2002-11-01");
    for wrong in ["", "%H:%M", "%d.%m.", "%Q", "%", "day"] {
        assert!(wrong.parse::<DateFormat>().is_err(), "{wrong}");
    }
}

#[test]
fn a_format_that_reads_different_weeks_as_one_day_is_refused() {
    for wrong in ["%Y-W%W", "%Y W%U", "%Y-W%V"] {
        let error = wrong.parse::<DateFormat>().unwrap_err();
        assert!(
            error.message().contains("would both be 2001-01-01"),
            "{error}"
        );
    }
    for (format, value) in [
        ("%Y-W%W-%w", "2019-W09-1"),
        ("%G-W%V-%u", "2019-W10-1"),
        ("%Y-%j", "2019-063"),
    ] {
        assert_eq!(
            shown(&format.parse().unwrap(), value),
            "2019-03-04",
            "{format}"
        );
    }
}

#[test]
fn a_year_of_two_digits_is_not_one_of_antiquity() {
    let british: DateFormat = "%d/%m/%Y".parse().unwrap();
    assert_eq!(shown(&british, "03/04/19"), "none");
    assert_eq!(shown(&british, "03/04/0800"), "0800-04-03");
    assert_eq!(
        shown(&"%d/%m/%y".parse().unwrap(), "03/04/19"),
        "2019-04-03"
    );
    let both: DateFormat = [british, "%d/%m/%y".parse().unwrap()].into_iter().collect();
    assert_eq!(shown(&both, "03/04/19"), "2019-04-03");
}

proptest! {
    #[test]
    fn no_value_is_too_strange(value in "\\PC{0,30}|[0-9./: TZ+-]{0,24}|([0-9]{1,4}[-/. ,T:]){0,6}[A-Za-z]{0,9}") {
        let _ = DateFormat::default().read(&value);
    }

    #[test]
    fn what_is_written_is_read(year in 1_i16..9999, month in 1_i8..=12, number in 1_i8..=28) {
        let day = Date::new(year, month, number).unwrap();
        for pattern in ["%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y", "%d-%b-%Y 15:01", "%a, %d %b %Y 15:01:02 +0000", "%Y%m%d"] {
            let value = day.strftime(pattern).to_string();
            prop_assert_eq!(date(&value), day.to_string(), "{}", value);
        }
    }
}
