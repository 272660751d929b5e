//! Determines the sizes of a column's pages before decompressing any: the decoder allocates
//! according to a page's own header, and a footer contains nothing about single pages.
//!
//! Headers are structs in Thrift's compact protocol, each followed by a page of the stated size.
//! Only sizes and counts are read.

use crate::store::File;
use std::io::{Read, Seek, SeekFrom};

/// Bytes of a header read at first; statistics may make it longer.
const HEAD: usize = 256;
/// The maximum length of a header.
const LONGEST: usize = 16 << 20;
/// The type that ends a struct.
const END: u8 = 0;
/// The maximum nesting of structs; a header has three levels.
const DEPTH: u32 = 16;

/// Facts about the pages of a column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Pages {
    /// Bytes of the dictionary, decompressed.
    pub(super) dictionary: u64,
    /// The number of values in it.
    pub(super) entries: u64,
    /// Bytes of the largest page other than a dictionary, decompressed.
    pub(super) largest: u64,
    /// The number of values before that page.
    pub(super) before: u64,
}

/// Reads the headers of the pages in `length` bytes from `start` on. An invalid header ends it: the
/// decoder will report it.
pub(super) fn look(file: &mut File, start: u64, length: u64) -> std::io::Result<Pages> {
    let mut found = Pages::default();
    let (mut at, mut values) = (start, 0_u64);
    let end = start.saturating_add(length);
    let mut buffer = Vec::new();
    while at < end {
        let Some((header, size)) = header(file, at, end, &mut buffer)? else {
            break;
        };
        if header.is_dictionary {
            found.dictionary = found.dictionary.max(header.decompressed);
            found.entries = found.entries.max(header.values);
        } else {
            if header.decompressed > found.largest {
                (found.largest, found.before) = (header.decompressed, values);
            }
            values = values.saturating_add(header.values);
        }
        at = at.saturating_add(size).saturating_add(header.compressed);
    }
    Ok(found)
}

/// A page's header.
#[derive(Debug, Default, PartialEq, Eq)]
struct Header {
    is_dictionary: bool,
    decompressed: u64,
    compressed: u64,
    values: u64,
}

/// The header at `at` and its length.
fn header(
    file: &mut File,
    at: u64,
    end: u64,
    buffer: &mut Vec<u8>,
) -> std::io::Result<Option<(Header, u64)>> {
    let most = usize::try_from(end - at).unwrap_or(usize::MAX).min(LONGEST);
    let mut wanted = HEAD.min(most);
    loop {
        buffer.clear();
        file.seek(SeekFrom::Start(at))?;
        file.by_ref().take(wanted as u64).read_to_end(buffer)?;
        let mut thrift = Thrift {
            bytes: buffer,
            at: 0,
        };
        if let Some(header) = thrift.header() {
            return Ok(Some((header, thrift.at as u64)));
        }
        if wanted == most || buffer.len() < wanted {
            return Ok(None);
        }
        wanted = wanted.saturating_mul(8).min(most);
    }
}

/// Reads Thrift's compact protocol; `None` if it is invalid or truncated.
struct Thrift<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Thrift<'_> {
    fn header(&mut self) -> Option<Header> {
        let mut header = Header::default();
        let mut last = 0;
        loop {
            match self.field(&mut last)? {
                (_, END) => return Some(header),
                (1, 5) => header.is_dictionary = self.number()? == 2,
                (2, 5) => header.decompressed = u64::try_from(self.number()?).ok()?,
                (3, 5) => header.compressed = u64::try_from(self.number()?).ok()?,
                // A data page, a dictionary, or a data page of version 2: the number of values
                // comes first.
                (5 | 7 | 8, 12) => {
                    let mut inner = 0;
                    loop {
                        match self.field(&mut inner)? {
                            (_, END) => break,
                            (1, 5) => header.values = u64::try_from(self.number()?).ok()?,
                            (_, kind) => self.skip(kind, DEPTH)?,
                        }
                    }
                }
                (_, kind) => self.skip(kind, DEPTH)?,
            }
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn number(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    /// The next field's number and type.
    fn field(&mut self, last: &mut i64) -> Option<(i64, u8)> {
        let byte = self.byte()?;
        if byte == END {
            return Some((*last, END));
        }
        *last = match byte >> 4 {
            0 => self.number()?,
            step => last.checked_add(i64::from(step))?,
        };
        Some((*last, byte & 0x0f))
    }

    fn skip(&mut self, kind: u8, depth: u32) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.varint()?),
            7 => self.pass(8)?,
            8 => {
                let length = self.varint()?;
                self.pass(length)?;
            }
            9 | 10 => {
                let byte = self.byte()?;
                let count = if byte >> 4 == 15 {
                    self.varint()?
                } else {
                    u64::from(byte >> 4)
                };
                for _ in 0..count {
                    // Booleans take a byte each here.
                    self.skip(
                        if matches!(byte & 0x0f, 1 | 2) {
                            3
                        } else {
                            byte & 0x0f
                        },
                        depth,
                    )?;
                }
            }
            12 => {
                let mut last = 0;
                loop {
                    match self.field(&mut last)? {
                        (_, END) => break,
                        (_, kind) => self.skip(kind, depth)?,
                    }
                }
            }
            // A header has no maps.
            _ => return None,
        }
        Some(())
    }

    fn pass(&mut self, bytes: u64) -> Option<()> {
        self.at = self
            .at
            .checked_add(usize::try_from(bytes).ok()?)
            .filter(|at| *at <= self.bytes.len())?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_and_anything_else_is_not() {
        // A data page of 10 bytes, 20 decompressed, 3 values, with statistics in between.
        let bytes = [
            0x15, 0x00, 0x15, 0x28, 0x15, 0x14, 0x2c, 0x15, 0x06, 0x15, 0x00, 0x3c, 0x18, 0x02,
            b'a', b'b', 0x00, 0x00, 0x00,
        ];
        let header = Thrift {
            bytes: &bytes,
            at: 0,
        }
        .header();
        assert_eq!(
            header,
            Some(Header {
                is_dictionary: false,
                decompressed: 20,
                compressed: 10,
                values: 3
            })
        );
        for length in 0..bytes.len() {
            assert_eq!(
                Thrift {
                    bytes: &bytes[..length],
                    at: 0
                }
                .header(),
                None
            );
        }
        let mut nested = vec![0x1c; 100_000];
        nested.push(0);
        assert_eq!(
            Thrift {
                bytes: &nested,
                at: 0
            }
            .header(),
            None
        );
        assert_eq!(
            Thrift {
                bytes: &[0x15, 0x01, 0x15, 0x01, 0],
                at: 0
            }
            .header(),
            None,
            "less than no bytes"
        );
    }
}
