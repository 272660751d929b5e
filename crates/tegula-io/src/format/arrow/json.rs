//! Arrow values as JSON, for JSONL files and metadata fields.
//!
//! Dates and times are ISO 8601 strings; decimals, binary values (base64), durations and numbers
//! that are not finite become strings too, because JSON has no type for them or its readers would
//! round them.

use std::fmt::{Debug, Write as _};

use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions as calendar;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DecimalType, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, IntervalDayTimeType, IntervalMonthDayNano, IntervalMonthDayNanoType,
    IntervalYearMonthType, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, RecordBatch, StructArray};
use arrow_schema::{DataType, Fields, IntervalUnit, TimeUnit};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::tables::escape_json as quote;
use crate::tables::strings::Strings;

/// What kind of JSON value was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Null,
    /// A string, whatever the column's type.
    Text,
    /// A number, boolean, list or object.
    Other,
}

/// The representation of a type that JSON lacks; none if JSON has it. The error is a type that
/// cannot be represented at all.
pub(crate) fn conversion(data_type: &DataType) -> Result<Option<&'static str>, String> {
    use DataType as T;
    Ok(match data_type {
        T::Null | T::Boolean | T::Utf8 | T::LargeUtf8 | T::Utf8View => None,
        T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_) => {
            Some("string in base64")
        }
        T::List(field) | T::LargeList(field) | T::FixedSizeList(field, _) => {
            conversion(field.data_type())?
        }
        T::Map(field, _) => {
            let T::Struct(entry) = field.data_type() else {
                return Err(data_type.to_string());
            };
            for field in entry {
                conversion(field.data_type())?;
            }
            match entry.first() {
                Some(key) if Strings::fits(key.data_type()) => None,
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
        decimal if decimal.is_decimal() => Some("string of digits"),
        number if number.is_numeric() => None,
        time if time.is_temporal() => Some("string in ISO 8601"),
        other => return Err(other.to_string()),
    })
}

/// Appends a value as plain text, strings without quotes; `false` if it is null.
pub(crate) fn plain(array: &ArrayRef, row: usize, out: &mut String) -> bool {
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

/// Appends bytes as JSON.
pub(crate) fn bytes(value: &[u8], out: &mut String) {
    quote(&BASE64.encode(value), out);
}

/// Appends a value as JSON. A value of a type that cannot be shown is null.
pub(crate) fn write(array: &ArrayRef, row: usize, out: &mut String) -> Shape {
    let start = out.len();
    let present = row < array.len() && array.is_valid(row);
    present
        .then(|| value(array, row, out))
        .flatten()
        .unwrap_or_else(|| {
            out.truncate(start);
            out.push_str("null");
            Shape::Null
        })
}

/// Appends a value that is not null; none if it cannot be shown.
fn value(array: &ArrayRef, row: usize, out: &mut String) -> Option<Shape> {
    use DataType as T;
    Some(match array.data_type() {
        T::Utf8 => text(array.as_string_opt::<i32>()?.value(row), out),
        T::LargeUtf8 => text(array.as_string_opt::<i64>()?.value(row), out),
        T::Utf8View => text(array.as_string_view_opt()?.value(row), out),
        T::Float16 => float(
            array.as_primitive_opt::<Float16Type>()?.value(row).to_f32(),
            out,
        ),
        T::Float32 => float(array.as_primitive_opt::<Float32Type>()?.value(row), out),
        T::Float64 => float(array.as_primitive_opt::<Float64Type>()?.value(row), out),
        T::Binary => text(
            &BASE64.encode(array.as_binary_opt::<i32>()?.value(row)),
            out,
        ),
        T::LargeBinary => text(
            &BASE64.encode(array.as_binary_opt::<i64>()?.value(row)),
            out,
        ),
        T::BinaryView => text(&BASE64.encode(array.as_binary_view_opt()?.value(row)), out),
        T::FixedSizeBinary(_) => text(
            &BASE64.encode(array.as_fixed_size_binary_opt()?.value(row)),
            out,
        ),
        T::List(_) => list(&array.as_list_opt::<i32>()?.value(row), out),
        T::LargeList(_) => list(&array.as_list_opt::<i64>()?.value(row), out),
        T::FixedSizeList(..) => list(&array.as_fixed_size_list_opt()?.value(row), out),
        T::Struct(_) => object(array.as_struct_opt()?, row, out),
        T::Map(..) => map(&array.as_map_opt()?.value(row), out)?,
        T::Dictionary(..) => {
            // Only the keys of this row: all keys for each row would take quadratic time.
            let one = array.slice(row, 1);
            let one = one.as_any_dictionary_opt()?;
            return Some(write(one.values(), *one.normalized_keys().first()?, out));
        }
        T::Boolean => {
            let value = array.as_boolean_opt()?.value(row);
            out.push_str(if value { "true" } else { "false" });
            Shape::Other
        }
        number if number.is_integer() => integer(array, row, out)?,
        _ => {
            out.push('"');
            simple(array, row, out)?;
            out.push('"');
            Shape::Text
        }
    })
}

/// The value of a row.
fn at<T: ArrowPrimitiveType>(array: &ArrayRef, row: usize) -> Option<T::Native> {
    Some(array.as_primitive_opt::<T>()?.value(row))
}

/// Appends an integer.
fn integer(array: &ArrayRef, row: usize, out: &mut String) -> Option<Shape> {
    use DataType as T;
    let value = match array.data_type() {
        T::Int8 => at::<Int8Type>(array, row)?.into(),
        T::Int16 => at::<Int16Type>(array, row)?.into(),
        T::Int32 => at::<Int32Type>(array, row)?.into(),
        T::Int64 => i128::from(at::<Int64Type>(array, row)?),
        T::UInt8 => at::<UInt8Type>(array, row)?.into(),
        T::UInt16 => at::<UInt16Type>(array, row)?.into(),
        T::UInt32 => at::<UInt32Type>(array, row)?.into(),
        T::UInt64 => at::<UInt64Type>(array, row)?.into(),
        _ => return None,
    };
    let _ = write!(out, "{value}");
    Some(Shape::Other)
}

/// Appends a date, a time, a span of time, or a decimal.
fn simple(array: &ArrayRef, row: usize, out: &mut String) -> Option<()> {
    use DataType as T;
    match array.data_type() {
        T::Date32 => {
            let stored = at::<Date32Type>(array, row)?;
            let time = calendar::date32_to_datetime(stored);
            moment(time.map(|time| time.date()), stored, "", out);
        }
        // Milliseconds, but called a date.
        T::Date64 => {
            let stored = at::<Date64Type>(array, row)?;
            let time = calendar::date64_to_datetime(stored);
            moment(time.map(|time| time.date()), stored, "", out);
        }
        T::Time32(TimeUnit::Second) => {
            let stored = at::<Time32SecondType>(array, row)?;
            moment(calendar::time32s_to_time(stored), stored, "", out);
        }
        T::Time32(_) => {
            let stored = at::<Time32MillisecondType>(array, row)?;
            moment(calendar::time32ms_to_time(stored), stored, "", out);
        }
        T::Time64(TimeUnit::Microsecond) => {
            let stored = at::<Time64MicrosecondType>(array, row)?;
            moment(calendar::time64us_to_time(stored), stored, "", out);
        }
        T::Time64(_) => {
            let stored = at::<Time64NanosecondType>(array, row)?;
            moment(calendar::time64ns_to_time(stored), stored, "", out);
        }
        T::Timestamp(unit, zone) => {
            let (stored, time) = match unit {
                TimeUnit::Second => {
                    let stored = at::<TimestampSecondType>(array, row)?;
                    (stored, calendar::timestamp_s_to_datetime(stored))
                }
                TimeUnit::Millisecond => {
                    let stored = at::<TimestampMillisecondType>(array, row)?;
                    (stored, calendar::timestamp_ms_to_datetime(stored))
                }
                TimeUnit::Microsecond => {
                    let stored = at::<TimestampMicrosecondType>(array, row)?;
                    (stored, calendar::timestamp_us_to_datetime(stored))
                }
                TimeUnit::Nanosecond => {
                    let stored = at::<TimestampNanosecondType>(array, row)?;
                    (stored, calendar::timestamp_ns_to_datetime(stored))
                }
            };
            // With a zone the stored value is UTC; without one it is local time and stays so.
            moment(time, stored, if zone.is_some() { "Z" } else { "" }, out);
        }
        T::Duration(unit) => {
            let (stored, span) = match unit {
                TimeUnit::Second => {
                    let stored = at::<DurationSecondType>(array, row)?;
                    (stored, calendar::try_duration_s_to_duration(stored))
                }
                TimeUnit::Millisecond => {
                    let stored = at::<DurationMillisecondType>(array, row)?;
                    (stored, calendar::try_duration_ms_to_duration(stored))
                }
                TimeUnit::Microsecond => {
                    let stored = at::<DurationMicrosecondType>(array, row)?;
                    (stored, Some(calendar::duration_us_to_duration(stored)))
                }
                TimeUnit::Nanosecond => {
                    let stored = at::<DurationNanosecondType>(array, row)?;
                    (stored, Some(calendar::duration_ns_to_duration(stored)))
                }
            };
            let _ = match span {
                Some(span) => write!(out, "{span}"),
                None => write!(out, "{stored}"),
            };
        }
        T::Interval(unit) => {
            let value = match unit {
                IntervalUnit::YearMonth => {
                    IntervalMonthDayNano::new(at::<IntervalYearMonthType>(array, row)?, 0, 0)
                }
                IntervalUnit::DayTime => {
                    let value = at::<IntervalDayTimeType>(array, row)?;
                    let nanoseconds = i64::from(value.milliseconds) * 1_000_000;
                    IntervalMonthDayNano::new(0, value.days, nanoseconds)
                }
                IntervalUnit::MonthDayNano => at::<IntervalMonthDayNanoType>(array, row)?,
            };
            let seconds = Decimal128Type::format_decimal(
                value.nanoseconds.into(),
                Decimal128Type::MAX_PRECISION,
                9,
            );
            let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
            let _ = write!(out, "P{}M{}DT{seconds}S", value.months, value.days);
        }
        T::Decimal32(..) => decimal(array.as_primitive_opt::<Decimal32Type>()?, row, out),
        T::Decimal64(..) => decimal(array.as_primitive_opt::<Decimal64Type>()?, row, out),
        T::Decimal128(..) => decimal(array.as_primitive_opt::<Decimal128Type>()?, row, out),
        T::Decimal256(..) => decimal(array.as_primitive_opt::<Decimal256Type>()?, row, out),
        _ => return None,
    }
    Some(())
}

/// Appends a moment, whose debug form is ISO 8601; outside the calendar's range, the number that
/// is stored.
fn moment(time: Option<impl Debug>, stored: impl Into<i64>, zone: &str, out: &mut String) {
    let _ = match time {
        Some(time) => write!(out, "{time:?}{zone}"),
        None => write!(out, "{}", stored.into()),
    };
}

fn decimal<T: DecimalType>(array: &PrimitiveArray<T>, row: usize, out: &mut String) {
    out.push_str(&array.value_as_string(row));
}

fn text(text: &str, out: &mut String) -> Shape {
    quote(text, out);
    Shape::Text
}

fn float(value: impl Into<f64> + Copy + std::fmt::Debug, out: &mut String) -> Shape {
    let name = match value.into() {
        // Debug writes the shortest digits that mean the same number, with an exponent where it is
        // long.
        finite if finite.is_finite() => {
            let _ = write!(out, "{value:?}");
            return Shape::Other;
        }
        negative if negative < 0.0 => "-Infinity",
        positive if positive > 0.0 => "Infinity",
        _ => "NaN",
    };
    text(name, out)
}

fn list(items: &ArrayRef, out: &mut String) -> Shape {
    out.push('[');
    for row in 0..items.len() {
        out.push_str(if row > 0 { "," } else { "" });
        write(items, row, out);
    }
    out.push(']');
    Shape::Other
}

fn object(array: &StructArray, row: usize, out: &mut String) -> Shape {
    write_object(array, row, out);
    Shape::Other
}

/// Appends a row of a batch as a JSON object on one line.
pub(crate) fn write_row(batch: &RecordBatch, row: usize, out: &mut String) {
    write_columns(batch.schema_ref().fields(), batch.columns(), row, out);
}

/// Appends a row of an Arrow batch as a JSON object on one line, as conversions write it.
pub fn write_object(array: &StructArray, row: usize, out: &mut String) {
    write_columns(array.fields(), array.columns(), row, out);
}

fn write_columns(fields: &Fields, columns: &[ArrayRef], row: usize, out: &mut String) {
    out.push('{');
    for (place, (field, column)) in fields.iter().zip(columns).enumerate() {
        out.push_str(if place > 0 { "," } else { "" });
        quote(field.name(), out);
        out.push(':');
        write(column, row, out);
    }
    out.push('}');
}

/// An object if the keys are strings, otherwise a list of pairs.
fn map(entries: &StructArray, out: &mut String) -> Option<Shape> {
    let (keys, values) = (entries.columns().first()?, entries.columns().get(1)?);
    let named = Strings::fits(keys.data_type());
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
    Some(Shape::Other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::{IntervalDayTime, IntervalMonthDayNano};
    use arrow_array::{
        Date32Array, Date64Array, Decimal128Array, DurationMillisecondArray, DurationSecondArray,
        Float64Array, IntervalDayTimeArray, IntervalMonthDayNanoArray, IntervalYearMonthArray,
        NullArray, Time32MillisecondArray, Time64NanosecondArray, TimestampMillisecondArray,
        TimestampSecondArray,
    };
    use std::sync::Arc;

    /// The values of a column, with spaces between.
    fn shown(array: impl Array + 'static) -> String {
        let array: ArrayRef = Arc::new(array);
        let cells = (0..array.len()).map(|row| {
            let mut out = String::new();
            write(&array, row, &mut out);
            out
        });
        cells.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn dates_and_times_are_iso() {
        assert_eq!(
            shown(Date32Array::from(vec![0, -1, 11_016, -719_528, 2_932_897])),
            r#""1970-01-01" "1969-12-31" "2000-02-29" "0000-01-01" "+10000-01-01""#
        );
        assert_eq!(
            shown(Date64Array::from(vec![0, -1])),
            r#""1970-01-01" "1969-12-31""#
        );
        assert_eq!(
            shown(TimestampSecondArray::from(vec![1_700_000_000])),
            r#""2023-11-14T22:13:20""#
        );
        // The name of a zone does not affect the stored value, which is UTC.
        for zone in ["UTC", "Europe/Berlin", "+02:00", "no zone"] {
            let times = TimestampMillisecondArray::from(vec![-1]).with_timezone(zone);
            assert_eq!(shown(times), r#""1969-12-31T23:59:59.999Z""#);
        }
        assert_eq!(
            shown(Time32MillisecondArray::from(vec![1, 86_399_000])),
            r#""00:00:00.001" "23:59:59""#
        );
        assert_eq!(
            shown(Time64NanosecondArray::from(vec![1])),
            r#""00:00:00.000000001""#
        );
    }

    #[test]
    fn spans_of_time_are_iso() {
        assert_eq!(
            shown(DurationMillisecondArray::from(vec![90_500, -1_500, 0])),
            r#""PT90.5S" "-PT1.5S" "P0D""#
        );
        assert_eq!(
            shown(IntervalYearMonthArray::from(vec![-14])),
            r#""P-14M0DT0S""#
        );
        let days = IntervalDayTimeArray::from(vec![IntervalDayTime::new(3, -1_500)]);
        assert_eq!(shown(days), r#""P0M3DT-1.5S""#);
        let all = IntervalMonthDayNanoArray::from(vec![
            IntervalMonthDayNano::new(1, 2, 3),
            IntervalMonthDayNano::MIN,
        ]);
        assert_eq!(
            shown(all),
            r#""P1M2DT0.000000003S" "P-2147483648M-2147483648DT-9223372036.854775808S""#
        );
    }

    #[test]
    fn times_beyond_the_calendar_are_the_numbers_that_are_stored() {
        assert_eq!(shown(Date32Array::from(vec![i32::MAX])), r#""2147483647""#);
        assert_eq!(
            shown(Date64Array::from(vec![i64::MIN])),
            r#""-9223372036854775808""#
        );
        assert_eq!(
            shown(TimestampSecondArray::from(vec![i64::MAX])),
            r#""9223372036854775807""#
        );
        assert_eq!(
            shown(TimestampSecondArray::from(vec![i64::MIN]).with_timezone("UTC")),
            r#""-9223372036854775808""#
        );
        assert_eq!(shown(Time32MillisecondArray::from(vec![-1])), r#""-1""#);
        assert_eq!(
            shown(DurationSecondArray::from(vec![i64::MAX])),
            r#""9223372036854775807""#
        );
        assert_eq!(
            shown(Time64NanosecondArray::from(vec![i64::MAX])),
            r#""9223372036854775807""#
        );
    }

    #[test]
    fn decimals_keep_every_digit() {
        for (value, scale, text) in [
            (-12_345, 2, r#""-123.45""#),
            (5, 3, r#""0.005""#),
            (5, 0, r#""5""#),
            (5, -2, r#""500""#),
        ] {
            let decimals = Decimal128Array::from(vec![value])
                .with_precision_and_scale(10, scale)
                .unwrap();
            assert_eq!(shown(decimals), text);
        }
    }

    #[test]
    fn numbers_that_json_lacks_are_strings() {
        let floats = [1.0, 1e16, 1e-7, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        assert_eq!(
            shown(Float64Array::from(floats.to_vec())),
            r#"1.0 1e16 1e-7 "NaN" "Infinity" "-Infinity""#
        );
        assert_eq!(shown(NullArray::new(1)), "null");
    }
}
