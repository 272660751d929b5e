//! Plain code: the definition, and the fallback for all other processors. Loops over arrays of
//! bytes, which compilers vectorise.

use super::{Lanes, WIDTH, places_one_by_one};

/// Any processor.
#[derive(Debug, Clone, Copy)]
pub(in crate::text) struct Portable;

/// The lowest bits of 64 bytes, as one number.
#[inline]
fn bits(bytes: &[u8; WIDTH]) -> u64 {
    let mut all = 0;
    for (at, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        // The multiplication gathers the eight bits in the uppermost byte.
        let gathered = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        all |= gathered << (8 * at);
    }
    all
}

impl Lanes for Portable {
    type Bytes = [u8; WIDTH];

    #[inline]
    fn load(self, from: &[u8; WIDTH]) -> Self::Bytes {
        *from
    }

    #[inline]
    fn store(self, bytes: Self::Bytes, to: &mut [u8; WIDTH]) {
        *to = bytes;
    }

    #[inline]
    fn within(self, bytes: Self::Bytes, first: u8, count: u8) -> u64 {
        bits(&bytes.map(|byte| u8::from(byte.wrapping_sub(first) < count)))
    }

    #[inline]
    fn equal(self, bytes: Self::Bytes, byte: u8) -> u64 {
        bits(&bytes.map(|other| u8::from(other == byte)))
    }

    #[inline]
    fn odd(self, bytes: Self::Bytes) -> u64 {
        bits(&bytes.map(|byte| byte & 1))
    }

    #[inline]
    fn high(self, bytes: Self::Bytes) -> u64 {
        bits(&bytes.map(|byte| byte >> 7))
    }

    #[inline]
    fn add(self, mut bytes: Self::Bytes, to: u64, more: u8) -> Self::Bytes {
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = byte.wrapping_add(more * (to >> at & 1) as u8);
        }
        bytes
    }

    #[inline]
    fn places(self, mask: u64, base: u32, to: &mut [u32; WIDTH]) -> usize {
        places_one_by_one(mask, base, to)
    }
}
