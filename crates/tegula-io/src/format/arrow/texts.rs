//! A column of texts: strings in any Arrow layout, bytes that some writers do not mark as strings,
//! or nothing at all.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BinaryArray, BinaryViewArray, Int64Array, LargeBinaryArray};
use arrow_schema::DataType;

use crate::tables::numbers::integers;
use crate::tables::strings::Strings;

/// Texts by row.
#[derive(Debug, Clone)]
pub(crate) enum Texts {
    Strings(Strings),
    Binary(BinaryArray),
    Large(LargeBinaryArray),
    View(BinaryViewArray),
    /// Keys into the values.
    Dictionary(Int64Array, Box<Texts>),
    /// Every row is null, whatever the type.
    Nothing,
}

/// The text of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Text<'a> {
    Some(&'a str),
    Null,
    /// Bytes that are not UTF-8.
    Invalid(&'a [u8]),
}

impl<'a> Text<'a> {
    /// The text, if there is a valid one.
    pub(crate) fn as_str(self) -> Option<&'a str> {
        match self {
            Self::Some(text) => Some(text),
            Self::Null | Self::Invalid(_) => None,
        }
    }
}

/// Whether a column of this type holds bytes, which may be strings that the writer did not mark.
pub(crate) fn holds_bytes(data_type: &DataType) -> bool {
    match data_type {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
        DataType::Dictionary(_, values) => holds_bytes(values),
        _ => false,
    }
}

impl Texts {
    /// Whether a column of this type can be read as texts.
    pub(crate) fn fits(data_type: &DataType) -> bool {
        holds_bytes(data_type) || *data_type == DataType::Null || Strings::fits(data_type)
    }

    /// The texts of `array`; nothing if it has another type.
    pub(crate) fn of(array: &ArrayRef) -> Self {
        let texts = match array.data_type() {
            DataType::Binary => array.as_binary_opt::<i32>().cloned().map(Self::Binary),
            DataType::LargeBinary => array.as_binary_opt::<i64>().cloned().map(Self::Large),
            DataType::BinaryView => array.as_binary_view_opt().cloned().map(Self::View),
            DataType::Dictionary(_, values) if !Strings::fits(values) => {
                array.as_any_dictionary_opt().and_then(|dictionary| {
                    let keys = integers::<Int64Type>(dictionary.keys())?;
                    Some(Self::Dictionary(
                        keys,
                        Box::new(Self::of(dictionary.values())),
                    ))
                })
            }
            _ => Strings::of(array).map(Self::Strings),
        };
        texts.unwrap_or(Self::Nothing)
    }

    /// The length of a row's text in bytes; 0 without one.
    pub(crate) fn bytes(&self, row: usize) -> usize {
        match self {
            Self::Binary(array) => array.is_valid(row).then(|| array.value(row).len()),
            Self::Large(array) => array.is_valid(row).then(|| array.value(row).len()),
            Self::View(array) => array.is_valid(row).then(|| array.value(row).len()),
            Self::Strings(strings) => strings.get(row).map(str::len),
            Self::Nothing => None,
            Self::Dictionary(keys, values) => keys
                .is_valid(row)
                .then(|| usize::try_from(keys.value(row)).ok())
                .flatten()
                .map(|key| values.bytes(key)),
        }
        .unwrap_or(0)
    }

    /// The text of a row.
    pub(crate) fn get(&self, row: usize) -> Text<'_> {
        let bytes = match self {
            Self::Strings(strings) => return strings.get(row).map_or(Text::Null, Text::Some),
            Self::Nothing => return Text::Null,
            Self::Dictionary(keys, values) => {
                let key = keys.is_valid(row).then(|| usize::try_from(keys.value(row)));
                return match key {
                    Some(Ok(key)) => values.get(key),
                    _ => Text::Null,
                };
            }
            Self::Binary(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Large(array) => array.is_valid(row).then(|| array.value(row)),
            Self::View(array) => array.is_valid(row).then(|| array.value(row)),
        };
        match bytes.map(|bytes| (bytes, std::str::from_utf8(bytes))) {
            None => Text::Null,
            Some((_, Ok(text))) => Text::Some(text),
            Some((bytes, Err(_))) => Text::Invalid(bytes),
        }
    }
}
