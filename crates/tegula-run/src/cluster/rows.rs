//! Rows of 32-bit numbers as bytes: column by column, each in the form that is shortest for its first.
//!
//! Most columns are sorted, or nearly: rows of a text follow each other, and those of a list its ranks.
//! So they take two thirds of the bytes of their numbers or fewer, which is what goes over the network.

use tegula::steps::{Column, to_numbers};
use tegula::{Error, ErrorKind, Result};

/// How the numbers of a column are written.
#[derive(Clone, Copy)]
enum Form {
    /// Four bytes each.
    Whole = 0,
    /// Seven bits a byte, the lowest first, as few bytes as the number needs.
    Short = 1,
    /// The difference to the number before, with the sign in the lowest bit, as above.
    Steps = 2,
}

/// Bytes before the columns: the kind, the part, numbers of a row, rows.
const HEAD: usize = 8 + 4 + 1 + 4;

/// Rows by which the form of a column is chosen.
const SAMPLE: usize = 512;

/// Rows as bytes, with their kind and the part of a key's data to which they belong.
pub(super) fn pack_rows<T: Column>(part: u32, rows: &[T]) -> Vec<u8> {
    pack(T::KIND, part, size_of::<T>() / 4, to_numbers(rows))
}

/// Rows of `width` numbers as bytes, with their kind and part.
pub(super) fn pack(kind: [u8; 8], part: u32, width: usize, numbers: &[u32]) -> Vec<u8> {
    let rows = numbers.len() / width.max(1);
    let mut bytes = Vec::with_capacity(HEAD + width + 4 * numbers.len());
    bytes.extend_from_slice(&kind);
    bytes.extend_from_slice(&part.to_le_bytes());
    bytes.push(width as u8);
    bytes.extend_from_slice(&(rows as u32).to_le_bytes());
    for at in 0..width {
        let column = || numbers.iter().skip(at).step_by(width).copied();
        let short: usize = column().take(SAMPLE).map(length).sum();
        let steps: usize = differences(column()).take(SAMPLE).map(length).sum();
        let form = if steps.min(short) >= 4 * rows.min(SAMPLE) {
            Form::Whole
        } else if steps < short {
            Form::Steps
        } else {
            Form::Short
        };
        bytes.push(form as u8);
        match form {
            Form::Whole => column().for_each(|number| bytes.extend(number.to_le_bytes())),
            Form::Short => column().for_each(|number| put(&mut bytes, number)),
            Form::Steps => differences(column()).for_each(|number| put(&mut bytes, number)),
        }
    }
    bytes
}

/// The part and the rows.
///
/// # Errors
/// If they are others.
pub(super) fn unpack_rows<T: Column>(bytes: &[u8]) -> Result<(u32, Vec<T>)> {
    let (part, width, count, columns) = head(T::KIND, bytes)?;
    if width != size_of::<T>() / 4 {
        return Err(wrong(T::KIND));
    }
    let mut rows = vec![T::zeroed(); count];
    let numbers = bytemuck::cast_slice_mut(&mut rows);
    read(columns, width, numbers).ok_or_else(|| wrong(T::KIND))?;
    Ok((part, rows))
}

/// The part, and how many numbers a row has; the numbers of all rows are added.
///
/// # Errors
/// If they are others.
pub(super) fn unpack(kind: [u8; 8], bytes: &[u8], numbers: &mut Vec<u32>) -> Result<(u32, usize)> {
    let (part, width, count, columns) = head(kind, bytes)?;
    let from = numbers.len();
    numbers.resize(from + width * count, 0);
    read(columns, width, &mut numbers[from..]).ok_or_else(|| wrong(kind))?;
    Ok((part, width))
}

fn wrong(kind: [u8; 8]) -> Error {
    ErrorKind::Data
        .expected(format!("rows of the kind {}", kind.escape_ascii()))
        .found("others")
        .hint("install the same version of tegula on the driver and on every worker")
}

/// The part, the numbers of a row, the rows, and the bytes of the columns.
fn head(kind: [u8; 8], bytes: &[u8]) -> Result<(u32, usize, usize, &[u8])> {
    let parts = || {
        let rest = bytes.strip_prefix(&kind[..])?;
        let (part, rest) = rest.split_first_chunk::<4>()?;
        let (width, rest) = rest.split_first()?;
        let (count, columns) = rest.split_first_chunk::<4>()?;
        let (width, count) = (usize::from(*width), u32::from_le_bytes(*count) as usize);
        // Each number has a byte.
        let is_whole = count.checked_mul(width)? <= columns.len();
        is_whole.then_some((u32::from_le_bytes(*part), width, count, columns))
    };
    parts().ok_or_else(|| wrong(kind))
}

fn read(mut bytes: &[u8], width: usize, numbers: &mut [u32]) -> Option<()> {
    let rows = numbers.len().checked_div(width)?;
    for at in 0..width {
        let (form, rest) = bytes.split_first()?;
        bytes = rest;
        let column = numbers.iter_mut().skip(at).step_by(width);
        match form {
            0 => {
                let (whole, rest) = bytes.split_at_checked(4 * rows)?;
                bytes = rest;
                for (number, bytes) in column.zip(whole.as_chunks::<4>().0) {
                    *number = u32::from_le_bytes(*bytes);
                }
            }
            1 => {
                for number in column {
                    *number = take(&mut bytes)?;
                }
            }
            2 => {
                let mut last = 0_u32;
                for number in column {
                    let step = take(&mut bytes)?;
                    last = last.wrapping_add(step >> 1 ^ (step & 1).wrapping_neg());
                    *number = last;
                }
            }
            _ => return None,
        }
    }
    bytes.is_empty().then_some(())
}

/// Differences between neighbours, with the sign in the lowest bit.
fn differences(numbers: impl Iterator<Item = u32>) -> impl Iterator<Item = u32> {
    let mut last = 0_u32;
    numbers.map(move |number| {
        let step = number.wrapping_sub(last) as i32;
        last = number;
        (step << 1 ^ step >> 31) as u32
    })
}

/// Bytes of a short number.
fn length(number: u32) -> usize {
    (u32::BITS + 6 - (number | 1).leading_zeros()) as usize / 7
}

fn put(bytes: &mut Vec<u8>, mut number: u32) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in (0..u32::BITS).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KIND: [u8; 8] = *b"TGTEST01";

    #[test]
    fn sorted_numbers_are_short() {
        let numbers: Vec<u32> = (0..1000)
            .flat_map(|at| [7 * at, at ^ 0x9e37_79b9])
            .collect();
        let bytes = pack(KIND, 0, 2, &numbers);
        assert!(bytes.len() < 1000 * 4, "{}", bytes.len());
    }

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(
            width in 1_usize..6,
            part: u32,
            numbers in prop::collection::vec(prop_oneof![any::<u32>(), 0_u32..300], 0..200),
        ) {
            let numbers = &numbers[..numbers.len() / width * width];
            let bytes = pack(KIND, part, width, numbers);
            let mut found = vec![1];
            prop_assert_eq!(unpack(KIND, &bytes, &mut found).unwrap(), (part, width));
            prop_assert_eq!(&found[1..], numbers);
            prop_assert!(bytes.len() <= HEAD + width + 5 * numbers.len());
            for end in 0..bytes.len() {
                prop_assert!(unpack(KIND, &bytes[..end], &mut Vec::new()).is_err());
            }
            prop_assert!(unpack(*b"TGTEST02", &bytes, &mut Vec::new()).is_err());
        }

        #[test]
        fn any_bytes_are_numbers_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let bytes = [&KIND[..], &bytes].concat();
            let mut found = Vec::new();
            if unpack(KIND, &bytes, &mut found).is_ok() {
                prop_assert!(found.len() <= bytes.len());
            }
        }
    }
}
