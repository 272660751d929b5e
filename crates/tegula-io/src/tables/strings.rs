//! A column of strings in any Arrow layout.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, LargeStringArray, StringArray, StringViewArray};
use arrow_schema::DataType;

use super::numbers;

/// Strings in any of Arrow's layouts, read by row.
#[derive(Debug, Clone)]
pub(crate) enum Strings {
    Small(StringArray),
    Large(LargeStringArray),
    View(StringViewArray),
    /// Keys into the values.
    Dictionary(Int64Array, Box<Strings>),
}

impl Strings {
    /// Whether a column of this type can be read as strings.
    pub(crate) fn fits(data_type: &DataType) -> bool {
        match data_type {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
            DataType::Dictionary(_, values) => Self::fits(values),
            _ => false,
        }
    }

    /// The strings of `array`; none if it has another type.
    pub(crate) fn of(array: &ArrayRef) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => Self::Small(array.as_string_opt::<i32>()?.clone()),
            DataType::LargeUtf8 => Self::Large(array.as_string_opt::<i64>()?.clone()),
            DataType::Utf8View => Self::View(array.as_string_view_opt()?.clone()),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary_opt()?;
                let keys = numbers::integers::<Int64Type>(dictionary.keys())?;
                Self::Dictionary(keys, Box::new(Self::of(dictionary.values())?))
            }
            _ => return None,
        })
    }

    /// The string of a row; none if it is null.
    pub(crate) fn get(&self, row: usize) -> Option<&str> {
        match self {
            Self::Small(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Large(array) => array.is_valid(row).then(|| array.value(row)),
            Self::View(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Dictionary(keys, values) => {
                let key = keys
                    .is_valid(row)
                    .then(|| usize::try_from(keys.value(row)).ok())
                    .flatten()?;
                (key < values.len()).then(|| values.get(key)).flatten()
            }
        }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Small(array) => array.len(),
            Self::Large(array) => array.len(),
            Self::View(array) => array.len(),
            Self::Dictionary(keys, _) => keys.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::DictionaryArray;
    use arrow_array::types::{Int32Type, UInt8Type};
    use std::sync::Arc;

    #[test]
    fn every_layout_reads_alike() {
        let rows = vec![
            Some("a"),
            None,
            Some("längere Zeichenkette, die keine Ansicht im Wort hält"),
            Some("a"),
        ];
        let layouts: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from(rows.clone())),
            Arc::new(LargeStringArray::from(rows.clone())),
            Arc::new(StringViewArray::from(rows.clone())),
            Arc::new(rows.iter().copied().collect::<DictionaryArray<Int32Type>>()),
            Arc::new(rows.iter().copied().collect::<DictionaryArray<UInt8Type>>()),
        ];
        for layout in &layouts {
            let strings = Strings::of(layout).unwrap();
            assert!(Strings::fits(layout.data_type()));
            let read: Vec<Option<&str>> = (0..strings.len()).map(|row| strings.get(row)).collect();
            assert_eq!(read, rows);
        }
    }
}
