//! Parquet values as JSON, for JSONL files and metadata fields.
//!
//! Dates and times become ISO 8601 strings; decimals, binary values (base64), durations and non-finite numbers also become strings, because
//! JSON has no type for them or its readers would round them.

use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DurationMicrosecondType,
    DurationMillisecondType, DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, IntervalDayTimeType, IntervalMonthDayNanoType, IntervalYearMonthType, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use base64::Engine as _;

/// What kind of JSON value was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Null,
    /// A string, whatever the column's type.
    Text,
    /// A number, boolean, list or object.
    Other,
}

/// The representation of a type that JSON lacks; none if JSON has it. The error is a type that cannot be represented at all.
pub(super) fn conversion(data_type: &DataType) -> Result<Option<&'static str>, String> {
    use DataType as T;
    Ok(match data_type {
        T::Null
        | T::Boolean
        | T::Int8
        | T::Int16
        | T::Int32
        | T::Int64
        | T::UInt8
        | T::UInt16
        | T::UInt32
        | T::UInt64
        | T::Float16
        | T::Float32
        | T::Float64
        | T::Utf8
        | T::LargeUtf8
        | T::Utf8View => None,
        T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_) => Some("string in base64"),
        T::Decimal32(..) | T::Decimal64(..) | T::Decimal128(..) | T::Decimal256(..) => Some("string of digits"),
        T::Date32 | T::Date64 | T::Timestamp(..) | T::Time32(_) | T::Time64(_) | T::Duration(_) | T::Interval(_) => {
            Some("string in ISO 8601")
        }
        T::List(field) | T::LargeList(field) | T::FixedSizeList(field, _) => conversion(field.data_type())?,
        T::Map(field, _) => {
            let T::Struct(entry) = field.data_type() else {
                return Err(data_type.to_string());
            };
            for field in entry {
                conversion(field.data_type())?;
            }
            match entry.first() {
                Some(key) if crate::tables::strings::Strings::fits(key.data_type()) => None,
                _ => Some("list of key and value"),
            }
        }
        T::Struct(fields) => {
            let mut first = None;
            for field in fields {
                first = first.or(conversion(field.data_type())?);
            }
            first
        }
        T::Dictionary(_, values) => conversion(values)?,
        other => return Err(other.to_string()),
    })
}

/// Appends a value as plain text, strings without quotes; `false` if it is null.
pub(super) fn plain(array: &ArrayRef, row: usize, out: &mut String) -> bool {
    let start = out.len();
    match write(array, row, out) {
        Shape::Null => {
            out.truncate(start);
            false
        }
        Shape::Other => true,
        Shape::Text => {
            if let Ok(text) = serde_json::from_str::<String>(&out[start..]) {
                out.truncate(start);
                out.push_str(&text);
            }
            true
        }
    }
}

/// Appends a JSON string.
pub(super) fn quote(text: &str, out: &mut String) {
    crate::tables::escape_json(text, out);
}

fn text(text: &str, out: &mut String) -> Shape {
    quote(text, out);
    Shape::Text
}

fn null(out: &mut String) -> Shape {
    out.push_str("null");
    Shape::Null
}

fn number(value: impl std::fmt::Display, out: &mut String) -> Shape {
    let _ = write!(out, "{value}");
    Shape::Other
}

/// Appends a value as JSON. A value of an unsupported type becomes null.
#[expect(clippy::too_many_lines, reason = "one line for each of Arrow's types")]
pub(super) fn write(array: &ArrayRef, row: usize, out: &mut String) -> Shape {
    use DataType as T;
    if row >= array.len() || array.is_null(row) {
        return null(out);
    }
    macro_rules! cell {
        ($arrow:ty) => {
            match array.as_primitive_opt::<$arrow>() {
                Some(array) => array.value(row),
                None => return null(out),
            }
        };
    }
    match array.data_type() {
        T::Boolean => match array.as_boolean_opt() {
            Some(array) => number(array.value(row), out),
            None => null(out),
        },
        T::Int8 => number(cell!(Int8Type), out),
        T::Int16 => number(cell!(Int16Type), out),
        T::Int32 => number(cell!(Int32Type), out),
        T::Int64 => number(cell!(Int64Type), out),
        T::UInt8 => number(cell!(UInt8Type), out),
        T::UInt16 => number(cell!(UInt16Type), out),
        T::UInt32 => number(cell!(UInt32Type), out),
        T::UInt64 => number(cell!(UInt64Type), out),
        T::Float16 => float32(cell!(Float16Type).to_f32(), out),
        T::Float32 => float32(cell!(Float32Type), out),
        T::Float64 => float64(cell!(Float64Type), out),
        T::Utf8 | T::LargeUtf8 | T::Utf8View => string(array, row, out),
        T::Binary => match array.as_binary_opt::<i32>() {
            Some(array) => binary(array.value(row), out),
            None => null(out),
        },
        T::LargeBinary => match array.as_binary_opt::<i64>() {
            Some(array) => binary(array.value(row), out),
            None => null(out),
        },
        T::BinaryView => match array.as_binary_view_opt() {
            Some(array) => binary(array.value(row), out),
            None => null(out),
        },
        T::FixedSizeBinary(_) => match array.as_fixed_size_binary_opt() {
            Some(array) => binary(array.value(row), out),
            None => null(out),
        },
        T::Decimal32(_, scale) => decimal(&cell!(Decimal32Type).to_string(), *scale, out),
        T::Decimal64(_, scale) => decimal(&cell!(Decimal64Type).to_string(), *scale, out),
        T::Decimal128(_, scale) => decimal(&cell!(Decimal128Type).to_string(), *scale, out),
        T::Decimal256(_, scale) => decimal(&cell!(Decimal256Type).to_string(), *scale, out),
        T::Date32 => text(&date(i64::from(cell!(Date32Type))), out),
        T::Date64 => text(&date(cell!(Date64Type).div_euclid(86_400_000)), out),
        T::Timestamp(unit, zone) => {
            let value = match unit {
                TimeUnit::Second => cell!(TimestampSecondType),
                TimeUnit::Millisecond => cell!(TimestampMillisecondType),
                TimeUnit::Microsecond => cell!(TimestampMicrosecondType),
                TimeUnit::Nanosecond => cell!(TimestampNanosecondType),
            };
            // With a time zone the stored value is UTC; without one it is local time.
            text(&timestamp(value, *unit, zone.is_some()), out)
        }
        T::Time32(TimeUnit::Second) => text(&time(i64::from(cell!(Time32SecondType)), TimeUnit::Second), out),
        T::Time32(_) => {
            let value = i64::from(cell!(Time32MillisecondType));
            text(&time(value, TimeUnit::Millisecond), out)
        }
        T::Time64(TimeUnit::Microsecond) => text(&time(cell!(Time64MicrosecondType), TimeUnit::Microsecond), out),
        T::Time64(_) => text(&time(cell!(Time64NanosecondType), TimeUnit::Nanosecond), out),
        T::Duration(unit) => {
            let value = match unit {
                TimeUnit::Second => cell!(DurationSecondType),
                TimeUnit::Millisecond => cell!(DurationMillisecondType),
                TimeUnit::Microsecond => cell!(DurationMicrosecondType),
                TimeUnit::Nanosecond => cell!(DurationNanosecondType),
            };
            text(&format!("PT{}S", seconds(value, *unit)), out)
        }
        T::Interval(IntervalUnit::YearMonth) => text(&format!("P{}M", cell!(IntervalYearMonthType)), out),
        T::Interval(IntervalUnit::DayTime) => {
            let value = cell!(IntervalDayTimeType);
            let seconds = seconds(i64::from(value.milliseconds), TimeUnit::Millisecond);
            text(&format!("P{}DT{seconds}S", value.days), out)
        }
        T::Interval(IntervalUnit::MonthDayNano) => {
            let value = cell!(IntervalMonthDayNanoType);
            let seconds = seconds(value.nanoseconds, TimeUnit::Nanosecond);
            text(&format!("P{}M{}DT{seconds}S", value.months, value.days), out)
        }
        T::List(_) => match array.as_list_opt::<i32>() {
            Some(array) => list(&array.value(row), out),
            None => null(out),
        },
        T::LargeList(_) => match array.as_list_opt::<i64>() {
            Some(array) => list(&array.value(row), out),
            None => null(out),
        },
        T::FixedSizeList(..) => match array.as_fixed_size_list_opt() {
            Some(array) => list(&array.value(row), out),
            None => null(out),
        },
        T::Struct(_) => object(array, row, out),
        T::Map(..) => map(array, row, out),
        T::Dictionary(..) => match array.as_any_dictionary_opt() {
            Some(dictionary) => {
                // Only the keys of this row: all of them for each row would take quadratic time.
                let one = array.slice(row, 1);
                let key = one.as_any_dictionary_opt();
                let key = key.and_then(|one| one.normalized_keys().first().copied());
                write(dictionary.values(), key.unwrap_or(usize::MAX), out)
            }
            None => null(out),
        },
        _ => null(out),
    }
}

fn string(array: &ArrayRef, row: usize, out: &mut String) -> Shape {
    let value = match array.data_type() {
        DataType::Utf8 => array.as_string_opt::<i32>().map(|array| array.value(row)),
        DataType::LargeUtf8 => array.as_string_opt::<i64>().map(|array| array.value(row)),
        _ => array.as_string_view_opt().map(|array| array.value(row)),
    };
    match value {
        Some(value) => text(value, out),
        None => null(out),
    }
}

fn binary(value: &[u8], out: &mut String) -> Shape {
    text(&base64::engine::general_purpose::STANDARD.encode(value), out)
}

fn float64(value: f64, out: &mut String) -> Shape {
    if value.is_finite() {
        // Debug writes the shortest digits that represent the number, with an exponent if it is long.
        let _ = write!(out, "{value:?}");
        return Shape::Other;
    }
    text(not_finite(value), out)
}

fn float32(value: f32, out: &mut String) -> Shape {
    if value.is_finite() {
        let _ = write!(out, "{value:?}");
        return Shape::Other;
    }
    text(not_finite(f64::from(value)), out)
}

fn not_finite(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

/// An unscaled number with its decimal point inserted.
fn decimal(digits: &str, scale: i8, out: &mut String) -> Shape {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits),
    };
    let value = match usize::try_from(scale) {
        Ok(0) => format!("{sign}{digits}"),
        Ok(scale) => {
            let digits = format!("{digits:0>width$}", width = scale + 1);
            let (whole, part) = digits.split_at(digits.len() - scale);
            format!("{sign}{whole}.{part}")
        }
        Err(_) => {
            let zeros = "0".repeat(usize::from(scale.unsigned_abs()));
            format!("{sign}{digits}{zeros}")
        }
    };
    text(&value, out)
}

fn list(items: &ArrayRef, out: &mut String) -> Shape {
    out.push('[');
    for row in 0..items.len() {
        if row > 0 {
            out.push(',');
        }
        write(items, row, out);
    }
    out.push(']');
    Shape::Other
}

fn object(array: &ArrayRef, row: usize, out: &mut String) -> Shape {
    let Some(array) = array.as_struct_opt() else {
        return null(out);
    };
    out.push('{');
    for (place, (field, column)) in array.fields().iter().zip(array.columns()).enumerate() {
        if place > 0 {
            out.push(',');
        }
        quote(field.name(), out);
        out.push(':');
        write(column, row, out);
    }
    out.push('}');
    Shape::Other
}

/// An object if the keys are strings, otherwise a list of pairs.
fn map(array: &ArrayRef, row: usize, out: &mut String) -> Shape {
    let Some(array) = array.as_map_opt() else {
        return null(out);
    };
    let entries = array.value(row);
    let (Some(keys), Some(values)) = (entries.columns().first(), entries.columns().get(1)) else {
        return null(out);
    };
    let named = crate::tables::strings::Strings::fits(keys.data_type());
    out.push(if named { '{' } else { '[' });
    for row in 0..entries.len() {
        out.push_str(if row > 0 { "," } else { "" });
        out.push_str(if named { "" } else { "[" });
        write(keys, row, out);
        out.push(if named { ':' } else { ',' });
        write(values, row, out);
        out.push_str(if named { "" } else { "]" });
    }
    out.push(if named { '}' } else { ']' });
    Shape::Other
}

/// Units per second, and the digits of the fraction.
fn per_second(unit: TimeUnit) -> (i64, usize) {
    match unit {
        TimeUnit::Second => (1, 0),
        TimeUnit::Millisecond => (1_000, 3),
        TimeUnit::Microsecond => (1_000_000, 6),
        TimeUnit::Nanosecond => (1_000_000_000, 9),
    }
}

/// The civil date of a day since 1970-01-01, in the proleptic Gregorian calendar.
fn date(days: i64) -> String {
    // Years begin in March here, so that the leap day is the last of its year; eras have 400 years.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    if (0..=9999).contains(&year) {
        format!("{year:04}-{month:02}-{day:02}")
    } else {
        // ISO 8601 requires a sign for longer years.
        format!("{year:+05}-{month:02}-{day:02}")
    }
}

/// The time of day of a count of units since midnight; with a fraction only if it is not zero.
fn time(value: i64, unit: TimeUnit) -> String {
    let (per_second, digits) = per_second(unit);
    let second = value.div_euclid(per_second);
    let part = value.rem_euclid(per_second);
    let mut out = format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
    if part != 0 {
        let _ = write!(out, ".{part:0digits$}");
    }
    out
}

fn timestamp(value: i64, unit: TimeUnit, utc: bool) -> String {
    let per_day = 86_400 * per_second(unit).0;
    let zone = if utc { "Z" } else { "" };
    format!("{}T{}{zone}", date(value.div_euclid(per_day)), time(value.rem_euclid(per_day), unit))
}

/// A count of units as decimal seconds.
fn seconds(value: i64, unit: TimeUnit) -> String {
    let (per_second, digits) = per_second(unit);
    let sign = if value < 0 { "-" } else { "" };
    let value = value.unsigned_abs();
    let per_second = per_second.unsigned_abs();
    let part = value % per_second;
    if part == 0 { format!("{sign}{}", value / per_second) } else { format!("{sign}{}.{part:0digits$}", value / per_second) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_iso() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(-1), "1969-12-31");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(-719_528), "0000-01-01");
        assert_eq!(date(2_932_897), "+10000-01-01");
        assert_eq!(timestamp(-1, TimeUnit::Millisecond, true), "1969-12-31T23:59:59.999Z");
        assert_eq!(timestamp(1_700_000_000, TimeUnit::Second, false), "2023-11-14T22:13:20");
        assert_eq!(seconds(-1_500, TimeUnit::Millisecond), "-1.500");
        // The ends of the range must not overflow.
        for value in [i64::MIN, i64::MAX] {
            for unit in [TimeUnit::Second, TimeUnit::Nanosecond] {
                let _ = timestamp(value, unit, true);
            }
        }
    }

    #[test]
    fn decimals_keep_every_digit() {
        let shown = |digits: &str, scale| {
            let mut out = String::new();
            decimal(digits, scale, &mut out);
            out
        };
        assert_eq!(shown("-12345", 2), "\"-123.45\"");
        assert_eq!(shown("5", 3), "\"0.005\"");
        assert_eq!(shown("5", 0), "\"5\"");
        assert_eq!(shown("5", -2), "\"500\"");
    }
}
