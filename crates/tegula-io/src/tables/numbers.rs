//! Columns of numbers as another type, as data frames write them.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, Float64Array, PrimitiveArray};

/// Integers of any width; none if the array has other values, or one that does not fit.
pub(crate) fn integers<To>(array: &dyn Array) -> Option<PrimitiveArray<To>>
where
    To: ArrowPrimitiveType,
    To::Native: TryFrom<i128>,
{
    if let Some(same) = array.as_primitive_opt::<To>() {
        return Some(same.clone());
    }
    macro_rules! first_of {
        ($($from:ty),*) => {$(
            if let Some(array) = array.as_primitive_opt::<$from>() {
                return array.try_unary(|value| To::Native::try_from(i128::from(value))).ok();
            }
        )*};
    }
    first_of!(
        Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type
    );
    None
}

/// Numbers with decimals, or integers of 64 bits.
pub(crate) fn floats(array: &dyn Array) -> Option<Float64Array> {
    if let Some(same) = array.as_primitive_opt::<Float64Type>() {
        return Some(same.clone());
    }
    if let Some(single) = array.as_primitive_opt::<Float32Type>() {
        return Some(single.unary(f64::from));
    }
    let integers = array.as_primitive_opt::<Int64Type>()?;
    Some(integers.unary(|value| value as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Float32Array, Int8Array, Int64Array, StringArray, UInt32Array, UInt64Array};

    #[test]
    fn integers_of_every_width_are_read_if_they_fit() {
        let small = Int8Array::from(vec![Some(1), None, Some(127)]);
        let read = integers::<UInt64Type>(&small).unwrap();
        assert_eq!(read, UInt64Array::from(vec![Some(1), None, Some(127)]));
        let large = UInt64Array::from(vec![Some(u32::MAX.into()), None]);
        let read = integers::<UInt32Type>(&large).unwrap();
        assert_eq!(read, UInt32Array::from(vec![Some(u32::MAX), None]));
        assert!(integers::<UInt32Type>(&UInt64Array::from(vec![1 << 32])).is_none());
        assert!(integers::<UInt64Type>(&Int64Array::from(vec![-1])).is_none());
        assert!(integers::<UInt64Type>(&Float32Array::from(vec![1.0])).is_none());
        assert!(integers::<UInt64Type>(&StringArray::from(vec!["1"])).is_none());
    }

    #[test]
    fn floats_may_be_stored_as_other_numbers() {
        let expected = Float64Array::from(vec![Some(1.0), None]);
        assert_eq!(floats(&expected), Some(expected.clone()));
        assert_eq!(
            floats(&Float32Array::from(vec![Some(1.0), None])),
            Some(expected.clone())
        );
        assert_eq!(
            floats(&Int64Array::from(vec![Some(1), None])),
            Some(expected)
        );
        assert!(floats(&UInt32Array::from(vec![1])).is_none());
    }
}
