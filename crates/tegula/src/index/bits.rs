//! Numbers in bytes: of variable length, and of a fixed number of bits. The same on every machine.

/// Appends a number, seven bits a byte, the lowest first.
pub(super) fn put(mut number: u64, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads bytes from front to back; all methods return none at their end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    /// A number that [`put`] wrote.
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for (at, byte) in self.0.iter().enumerate().take(10) {
            number |= u64::from(byte & 127).checked_shl(7 * at as u32)?;
            if *byte < 128 {
                self.0 = &self.0[at + 1..];
                return Some(number);
            }
        }
        None
    }

    /// A number that is a length in memory.
    pub(super) fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    /// So many bytes.
    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// A text after its length.
    pub(super) fn text(&mut self) -> Option<&'a str> {
        let length = self.length()?;
        std::str::from_utf8(self.take(length)?).ok()
    }
}

/// Eight bytes from here on as a number; those beyond the end count as 0.
#[inline]
pub(super) fn word(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    if let Some(whole) = rest.first_chunk() {
        return u64::from_le_bytes(*whole);
    }
    let mut part = [0; 8];
    part[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(part)
}

/// Bytes that so many numbers take.
pub(super) fn packed(count: usize, bits: u32) -> Option<usize> {
    Some(count.checked_mul(bits as usize)?.div_ceil(8))
}

/// Appends numbers of at most 32 bits.
pub(super) fn pack(numbers: impl IntoIterator<Item = u32>, bits: u32, out: &mut Vec<u8>) {
    let (mut pending, mut filled) = (0_u64, 0);
    for number in numbers {
        pending |= u64::from(number) << filled;
        filled += bits;
        while filled >= 8 {
            out.push(pending as u8);
            pending >>= 8;
            filled -= 8;
        }
    }
    if filled > 0 {
        out.push(pending as u8);
    }
}

/// The number at this place.
#[inline]
pub(super) fn unpack(bytes: &[u8], at: usize, bits: u32) -> u32 {
    let from = at * bits as usize;
    (word(bytes, from / 8) >> (from % 8) & ((1 << bits) - 1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(
            numbers in prop::collection::vec(any::<u32>(), 0..200),
            bits in 0..=32_u32,
            large in any::<u64>(),
        ) {
            let mask = ((1_u64 << bits) - 1) as u32;
            let mut out = Vec::new();
            pack(numbers.iter().map(|number| number & mask), bits, &mut out);
            prop_assert_eq!(Some(out.len()), packed(numbers.len(), bits));
            for (at, number) in numbers.iter().enumerate() {
                prop_assert_eq!(unpack(&out, at, bits), number & mask);
            }
            out.clear();
            put(large, &mut out);
            put(1, &mut out);
            let mut bytes = Bytes(&out);
            prop_assert_eq!((bytes.number(), bytes.number()), (Some(large), Some(1)));
            prop_assert_eq!(bytes.number(), None);
        }
    }
}
