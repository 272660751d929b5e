//! Cells of a table: builds, reads, and prints a column of each type.

use arrow_array::builder::{
    ArrayBuilder, FixedSizeBinaryBuilder, PrimitiveBuilder, StringBuilder, StringDictionaryBuilder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, FixedSizeBinaryArray, PrimitiveArray, new_null_array,
};
use arrow_schema::DataType;
use std::fmt::Write as _;
use std::sync::Arc;
use tegula::tsv::Formulas;

use super::numbers;
use super::strings::Strings;

/// The maximum length of a string in bytes: two of them still fit Arrow's 32-bit offsets, beyond
/// which its builders would panic.
pub(crate) const LONGEST: usize = 1 << 29;

/// The two open text forms of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Tab separated: floats with at most six decimals, null as an empty cell.
    Tsv(Formulas),
    /// One JSON object per line: floats with full precision, null as `null`.
    Json,
}

impl Form {
    /// This form; TSV with formulas written in this way.
    #[must_use]
    pub fn with(self, formulas: Formulas) -> Self {
        match self {
            Self::Tsv(_) => Self::Tsv(formulas),
            Self::Json => Self::Json,
        }
    }
}

/// A type of cell.
pub(crate) trait Cell {
    /// The value in a row.
    type Value<'a>: Copy;
    /// Builds a column.
    type Builder;
    /// A column, read by row.
    type Column;

    /// Whether a cell may be empty; such a column may be missing altogether when a table is read.
    const NULLABLE: bool = false;
    /// Names the type in messages.
    const EXPECTED: &'static str;

    /// The type of the Arrow column.
    fn data_type() -> DataType;
    /// An empty column.
    fn builder() -> Self::Builder;
    /// Appends a cell and returns its bytes of text; none if it is too long for a column.
    fn push(builder: &mut Self::Builder, value: Self::Value<'_>) -> Option<usize>;
    /// Appends an empty cell.
    fn push_null(builder: &mut Self::Builder);
    /// Appends a cell read from a text form; `false` where it cannot be one.
    fn parse(builder: &mut Self::Builder, text: Option<&str>) -> bool;
    /// The finished column; resets the builder.
    fn finish(builder: &mut Self::Builder) -> ArrayRef;
    /// The column as this type; none if the array has another type.
    fn column(array: &ArrayRef) -> Option<Self::Column>;
    /// A column of this many nulls, if they are allowed.
    fn missing(_rows: usize) -> Option<Self::Column> {
        None
    }
    /// Whether a cell is null.
    fn is_null(column: &Self::Column, row: usize) -> bool;
    /// The cell of a row; the caller ensures that it is not null unless nulls are allowed.
    fn get(column: &Self::Column, row: usize) -> Self::Value<'_>;
    /// Writes a cell as text.
    fn show(value: Self::Value<'_>, form: Form, out: &mut String);
}

/// A cell with a string.
pub(crate) enum Text {}
/// A cell with one of few strings, stored as a dictionary.
pub(crate) enum Label {}
/// A cell with JSON: a JSON value in JSON Lines, elsewhere a string.
pub(crate) enum Json {}
/// A cell with a 128-bit digest.
pub(crate) enum Digest {}

/// A number of a table.
pub(crate) trait Number: ArrowPrimitiveType + Sized {
    /// The type in messages.
    const EXPECTED: &'static str;
    /// The array's numbers in this type, if they can be converted without loss.
    fn cast(array: &ArrayRef) -> Option<PrimitiveArray<Self>>;
    /// Reads a number.
    fn parse(text: &str) -> Option<Self::Native>;
    /// Writes a number.
    fn show(value: Self::Native, form: Form, out: &mut String);
}

macro_rules! integer {
    ($arrow:ty, $native:ty, $expected:literal) => {
        impl Number for $arrow {
            const EXPECTED: &'static str = $expected;

            fn cast(array: &ArrayRef) -> Option<PrimitiveArray<Self>> {
                numbers::integers(array)
            }

            fn parse(text: &str) -> Option<$native> {
                text.parse().ok()
            }

            fn show(value: $native, _: Form, out: &mut String) {
                let _ = write!(out, "{value}");
            }
        }
    };
}

integer!(UInt64Type, u64, "an integer");
integer!(UInt32Type, u32, "an integer below 2^32");

impl Number for Float64Type {
    const EXPECTED: &'static str = "a number";

    fn cast(array: &ArrayRef) -> Option<PrimitiveArray<Self>> {
        numbers::floats(array)
    }

    fn parse(text: &str) -> Option<f64> {
        text.parse().ok().filter(|value: &f64| value.is_finite())
    }

    fn show(value: f64, form: Form, out: &mut String) {
        match form {
            Form::Json if !value.is_finite() => out.push_str("null"),
            _ => {
                let text = decimals(value, DECIMALS);
                out.push_str(&text);
                // A JSON column keeps its type, even if its numbers are integers.
                if matches!(form, Form::Json) && !text.contains('.') {
                    out.push_str(".0");
                }
            }
        }
    }
}

/// Decimals of a number in a text table.
pub const DECIMALS: usize = 6;
/// Decimals of a score in a mark.
pub(crate) const OF_MARKS: usize = 4;

/// A number with as many decimals as needed, at most this many, truncated. So a score below a
/// threshold with as many decimals is also below it as text, and only that of equal texts is
/// written as 1.
pub fn decimals(value: f64, most: usize) -> String {
    // The shortest form that parses back to the same number, without an exponent.
    let mut text = format!("{value}");
    if let Some(point) = text.find('.') {
        text.truncate(text.len().min(point + 1 + most));
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    text
}

macro_rules! number_cells {
    ($($native:ty => $arrow:ty),*) => {$(
        impl Cell for $native {
            type Value<'a> = $native;
            type Builder = PrimitiveBuilder<$arrow>;
            type Column = PrimitiveArray<$arrow>;
            const EXPECTED: &'static str = <$arrow as Number>::EXPECTED;

            fn data_type() -> DataType {
                <$arrow as ArrowPrimitiveType>::DATA_TYPE
            }
            fn builder() -> Self::Builder {
                PrimitiveBuilder::new()
            }
            fn push(builder: &mut Self::Builder, value: $native) -> Option<usize> {
                builder.append_value(value);
                Some(0)
            }
            fn push_null(builder: &mut Self::Builder) {
                builder.append_null();
            }
            fn parse(builder: &mut Self::Builder, text: Option<&str>) -> bool {
                match text.and_then(<$arrow as Number>::parse) {
                    Some(value) => { builder.append_value(value); true }
                    None => false,
                }
            }
            fn finish(builder: &mut Self::Builder) -> ArrayRef {
                Arc::new(builder.finish())
            }
            fn column(array: &ArrayRef) -> Option<Self::Column> {
                <$arrow as Number>::cast(array)
            }
            fn is_null(column: &Self::Column, row: usize) -> bool {
                column.is_null(row)
            }
            fn get(column: &Self::Column, row: usize) -> $native {
                column.value(row)
            }
            fn show(value: $native, form: Form, out: &mut String) {
                <$arrow as Number>::show(value, form, out);
            }
        }
    )*};
}

number_cells!(u64 => UInt64Type, u32 => UInt32Type, f64 => Float64Type);

macro_rules! text_cells {
    ($($cell:ty, $builder:ty, $data_type:expr, $json:expr);*) => {$(
        impl Cell for $cell {
            type Value<'a> = &'a str;
            type Builder = $builder;
            type Column = Strings;
            const EXPECTED: &'static str = "a string";

            fn data_type() -> DataType {
                $data_type
            }
            fn builder() -> Self::Builder {
                Self::Builder::new()
            }
            fn push(builder: &mut Self::Builder, value: &str) -> Option<usize> {
                (value.len() <= LONGEST).then(|| builder.append_value(value))?;
                Some(value.len())
            }
            fn push_null(builder: &mut Self::Builder) {
                builder.append_null();
            }
            fn parse(builder: &mut Self::Builder, text: Option<&str>) -> bool {
                text.is_some_and(|text| Self::push(builder, text).is_some())
            }
            fn finish(builder: &mut Self::Builder) -> ArrayRef {
                ArrayBuilder::finish(builder)
            }
            fn column(array: &ArrayRef) -> Option<Self::Column> {
                Strings::of(array)
            }
            fn is_null(column: &Self::Column, row: usize) -> bool {
                column.get(row).is_none()
            }
            fn get(column: &Self::Column, row: usize) -> &str {
                column.get(row).unwrap_or_default()
            }
            fn show(value: &str, form: Form, out: &mut String) {
                match form {
                    Form::Tsv(formulas) => formulas.write(value, out),
                    Form::Json => $json(value, out),
                }
            }
        }
    )*};
}

text_cells!(
    Text, StringBuilder, DataType::Utf8, escape_json;
    Json, StringBuilder, DataType::Utf8, |json: &str, out: &mut String| out.push_str(json);
    Label, StringDictionaryBuilder<Int32Type>,
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)), escape_json
);

impl<C: Cell> Cell for Option<C> {
    type Value<'a> = Option<C::Value<'a>>;
    type Builder = C::Builder;
    type Column = C::Column;
    const NULLABLE: bool = true;
    const EXPECTED: &'static str = C::EXPECTED;

    fn data_type() -> DataType {
        C::data_type()
    }
    fn builder() -> Self::Builder {
        C::builder()
    }
    fn push(builder: &mut Self::Builder, value: Self::Value<'_>) -> Option<usize> {
        if let Some(value) = value {
            return C::push(builder, value);
        }
        C::push_null(builder);
        Some(0)
    }
    fn push_null(builder: &mut Self::Builder) {
        C::push_null(builder);
    }
    fn parse(builder: &mut Self::Builder, text: Option<&str>) -> bool {
        if text.is_some_and(|text| !text.is_empty()) {
            return C::parse(builder, text);
        }
        C::push_null(builder);
        true
    }
    fn finish(builder: &mut Self::Builder) -> ArrayRef {
        C::finish(builder)
    }
    fn column(array: &ArrayRef) -> Option<Self::Column> {
        if *array.data_type() == DataType::Null {
            Self::missing(array.len())
        } else {
            C::column(array)
        }
    }
    fn missing(rows: usize) -> Option<Self::Column> {
        C::column(&new_null_array(&C::data_type(), rows))
    }
    fn is_null(column: &Self::Column, row: usize) -> bool {
        C::is_null(column, row)
    }
    fn get(column: &Self::Column, row: usize) -> Self::Value<'_> {
        (!C::is_null(column, row)).then(|| C::get(column, row))
    }
    fn show(value: Self::Value<'_>, form: Form, out: &mut String) {
        match value {
            Some(value) => C::show(value, form, out),
            None if form == Form::Json => out.push_str("null"),
            None => {}
        }
    }
}

/// Bytes of a digest.
const DIGEST: i32 = 16;

impl Cell for Digest {
    type Value<'a> = [u8; 16];
    type Builder = FixedSizeBinaryBuilder;
    type Column = FixedSizeBinaryArray;
    const EXPECTED: &'static str = "a digest of 16 bytes";

    fn data_type() -> DataType {
        DataType::FixedSizeBinary(DIGEST)
    }
    fn builder() -> Self::Builder {
        FixedSizeBinaryBuilder::new(DIGEST)
    }
    fn push(builder: &mut Self::Builder, value: [u8; 16]) -> Option<usize> {
        builder.append_value(value).ok()?;
        Some(DIGEST as usize)
    }
    fn push_null(builder: &mut Self::Builder) {
        builder.append_null();
    }
    fn parse(builder: &mut Self::Builder, text: Option<&str>) -> bool {
        let Some(text) = text.filter(|text| text.len() == 32 && text.is_ascii()) else {
            return false;
        };
        match u128::from_str_radix(text, 16) {
            Ok(value) => builder.append_value(value.to_be_bytes()).is_ok(),
            Err(_) => false,
        }
    }
    fn finish(builder: &mut Self::Builder) -> ArrayRef {
        Arc::new(builder.finish())
    }
    fn column(array: &ArrayRef) -> Option<Self::Column> {
        let array = array.as_fixed_size_binary_opt()?;
        (array.value_length() == DIGEST).then(|| array.clone())
    }
    fn is_null(column: &Self::Column, row: usize) -> bool {
        column.is_null(row)
    }
    fn get(column: &Self::Column, row: usize) -> [u8; 16] {
        column.value(row).try_into().unwrap_or_default()
    }
    fn show(value: [u8; 16], form: Form, out: &mut String) {
        let digits = format!("{:032x}", u128::from_be_bytes(value));
        Text::show(&digits, form, out);
    }
}

/// Writes a JSON string with its quotes.
pub fn escape_json(text: &str, out: &mut String) {
    let is_escaped = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    out.push('"');
    let (mut at, mut done) = (0, 0);
    for bytes in text.as_bytes().chunks(64) {
        // Without a branch for each byte, as hardly any is escaped.
        if bytes.iter().fold(false, |any, byte| any | is_escaped(byte)) {
            for (byte, at) in bytes.iter().zip(at..).filter(|(byte, _)| is_escaped(byte)) {
                out.push_str(&text[done..at]);
                done = at + 1;
                match byte {
                    b'\n' => out.push_str("\\n"),
                    b'\r' => out.push_str("\\r"),
                    b'\t' => out.push_str("\\t"),
                    0x08 => out.push_str("\\b"),
                    0x0c => out.push_str("\\f"),
                    b'"' | b'\\' => out.extend(['\\', char::from(*byte)]),
                    _ => {
                        let _ = write!(out, "\\u{byte:04x}");
                    }
                }
            }
        }
        at += bytes.len();
    }
    out.push_str(&text[done..]);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn json_strings_are_those_of_serde(text in "(\\PC|[\\x00-\\x22\\x5c\\x7f]){0,200}") {
            let mut out = String::new();
            escape_json(&text, &mut out);
            prop_assert_eq!(out, serde_json::to_string(&text).unwrap());
        }
    }

    #[test]
    fn numbers_have_the_decimals_they_need() {
        for (value, shown) in [
            (1.0, "1"),
            (0.8, "0.8"),
            (2.0 / 3.0, "0.666666"),
            (0.7, "0.7"),
            (1.0 - 1e-9, "0.999999"),
            (0.0, "0"),
            (1e-9, "0"),
            (1e20, "100000000000000000000"),
        ] {
            assert_eq!(decimals(value, DECIMALS), shown);
        }
        assert_eq!(decimals(5.0 / 6.0, OF_MARKS), "0.8333");
    }

    proptest! {
        #[test]
        fn a_text_reaches_a_threshold_where_its_number_does(part in 0..2_000_u32, whole in 1..2_000_u32, millionths in 1..=1_000_000_u32) {
            let part = part.min(whole);
            let read: f64 = decimals(f64::from(part) / f64::from(whole), DECIMALS).parse().unwrap();
            let reaches = u64::from(part) * 1_000_000 >= u64::from(millionths) * u64::from(whole);
            prop_assert_eq!(read >= f64::from(millionths) / 1e6, reaches);
        }
    }

    proptest! {
        #[test]
        fn json_escapes_are_what_serde_reads(text in any::<String>()) {
            let mut json = String::new();
            escape_json(&text, &mut json);
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }
}
