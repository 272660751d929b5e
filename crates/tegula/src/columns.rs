//! Columns of whole numbers as bytes: the same on every machine, with their kind and version, and a
//! checksum.

use crate::error::{ErrorKind, Result};

/// What the columns are, with the version of their layout.
pub(crate) type Kind = [u8; 8];

/// The bytes of columns: their kind, the length of each, all numbers in little-endian order, a
/// checksum.
pub(crate) fn to_bytes<const N: usize>(kind: Kind, columns: [&[u32]; N]) -> Vec<u8> {
    let numbers: usize = columns.iter().map(|column| column.len()).sum();
    let mut bytes = Vec::with_capacity(8 * (N + 2) + 4 * numbers);
    bytes.extend_from_slice(&kind);
    for column in columns {
        bytes.extend_from_slice(&(column.len() as u64).to_le_bytes());
    }
    for column in columns {
        let from = bytes.len();
        bytes.resize(from + 4 * column.len(), 0);
        for (place, value) in bytes[from..].as_chunks_mut::<4>().0.iter_mut().zip(column) {
            *place = value.to_le_bytes();
        }
    }
    let sum = xxhash_rust::xxh3::xxh3_64(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

/// Columns from [`to_bytes`].
///
/// # Errors
/// If the bytes are damaged, or are other columns.
pub(crate) fn from_bytes<const N: usize>(kind: Kind, bytes: &[u8]) -> Result<[Vec<u32>; N]> {
    let damaged = || {
        let kind = kind.escape_ascii();
        ErrorKind::Data
            .expected(format!("columns of the kind {kind}"))
            .found("others, or damaged ones")
    };
    let (body, sum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
    if xxhash_rust::xxh3::xxh3_64(body) != u64::from_le_bytes(*sum) {
        return Err(damaged());
    }
    let (found, body) = body.split_first_chunk::<8>().ok_or_else(damaged)?;
    let (lengths, mut rest) = body.split_at_checked(8 * N).ok_or_else(damaged)?;
    if *found != kind {
        return Err(damaged());
    }
    let mut columns = [const { Vec::new() }; N];
    for (column, length) in columns.iter_mut().zip(lengths.as_chunks::<8>().0) {
        let length = usize::try_from(u64::from_le_bytes(*length)).ok();
        let (own, later) = length
            .and_then(|length| length.checked_mul(4))
            .and_then(|length| rest.split_at_checked(length))
            .ok_or_else(damaged)?;
        column.extend(
            own.as_chunks::<4>()
                .0
                .iter()
                .map(|value| u32::from_le_bytes(*value)),
        );
        rest = later;
    }
    if rest.is_empty() {
        Ok(columns)
    } else {
        Err(damaged())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_these_on_every_machine() {
        let columns = [&[1, 0x0102_0304][..], &[], &[u32::MAX - 1]];
        let bytes = to_bytes(*b"TGTEST01", columns);
        let (body, sum) = bytes.split_at(bytes.len() - 8);
        assert_eq!(
            body,
            b"TGTEST01\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\x04\x03\x02\x01\xfe\xff\xff\xff"
        );
        assert_eq!(sum, [204, 206, 11, 78, 255, 150, 138, 188]);
        assert_eq!(from_bytes(*b"TGTEST01", &bytes).unwrap(), columns);
    }
}
