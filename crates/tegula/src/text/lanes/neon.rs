//! NEON, available on every 64-bit ARM processor.
#![expect(unsafe_code, reason = "vector instructions are called by their names")]
#![expect(clippy::inline_always, reason = "it is part of a loop over blocks")]

use super::{Lanes, WIDTH, places_one_by_one};
use std::arch::aarch64::{
    uint8x16_t, vaddq_u8, vandq_u8, vceqq_u8, vcltq_u8, vcombine_u8, vcreate_u8, vdup_n_u8,
    vdupq_n_u8, vgetq_lane_u64, vld1q_u8, vpaddq_u8, vreinterpretq_s8_u8, vreinterpretq_u8_s8,
    vreinterpretq_u64_u8, vshrq_n_s8, vst1q_u8, vsubq_u8, vtstq_u8,
};

/// A processor with NEON.
#[derive(Debug, Clone, Copy)]
pub(in crate::text) struct Neon(());

/// The bit for each of eight bytes.
const BITS: u64 = 0x8040_2010_0804_0201;

// SAFETY of all blocks below: a value of `Neon` exists only if `new` has detected the instructions,
// and pointers are to borrowed arrays of 64 bytes.
impl Neon {
    /// Available if the processor has it.
    pub(in crate::text) fn new() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self(()))
    }

    /// One bit for each byte, which is all ones or all zeros.
    #[inline(always)]
    fn bits(quarters: [uint8x16_t; 4]) -> u64 {
        // SAFETY: as above. Sums of distinct bits combine them; three rounds reduce 64 bytes to
        // eight.
        unsafe {
            let bit = vcombine_u8(vcreate_u8(BITS), vcreate_u8(BITS));
            let [a, b, c, d] = quarters.map(|quarter| vandq_u8(quarter, bit));
            let sums = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)))
        }
    }
}

impl Lanes for Neon {
    type Bytes = [uint8x16_t; 4];

    #[inline(always)]
    fn load(self, from: &[u8; WIDTH]) -> Self::Bytes {
        // SAFETY: as above.
        [0, 16, 32, 48].map(|at| unsafe { vld1q_u8(from.as_ptr().add(at)) })
    }

    #[inline(always)]
    fn store(self, bytes: Self::Bytes, to: &mut [u8; WIDTH]) {
        for (at, quarter) in bytes.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { vst1q_u8(to.as_mut_ptr().add(16 * at), quarter) }
        }
    }

    #[inline(always)]
    fn within(self, bytes: Self::Bytes, first: u8, count: u8) -> u64 {
        // SAFETY: as above.
        Self::bits(bytes.map(|quarter| unsafe {
            vcltq_u8(vsubq_u8(quarter, vdupq_n_u8(first)), vdupq_n_u8(count))
        }))
    }

    #[inline(always)]
    fn equal(self, bytes: Self::Bytes, byte: u8) -> u64 {
        // SAFETY: as above.
        Self::bits(bytes.map(|quarter| unsafe { vceqq_u8(quarter, vdupq_n_u8(byte)) }))
    }

    #[inline(always)]
    fn odd(self, bytes: Self::Bytes) -> u64 {
        // SAFETY: as above.
        Self::bits(bytes.map(|quarter| unsafe { vtstq_u8(quarter, vdupq_n_u8(1)) }))
    }

    #[inline(always)]
    fn high(self, bytes: Self::Bytes) -> u64 {
        // SAFETY: as above. Copies the sign to all bits.
        Self::bits(bytes.map(|quarter| unsafe {
            vreinterpretq_u8_s8(vshrq_n_s8::<7>(vreinterpretq_s8_u8(quarter)))
        }))
    }

    #[inline(always)]
    fn add(self, mut bytes: Self::Bytes, to: u64, more: u8) -> Self::Bytes {
        for (at, quarter) in bytes.iter_mut().enumerate() {
            let [low, high] = [to >> (16 * at), to >> (16 * at + 8)].map(|mask| mask as u8);
            // SAFETY: as above. Each byte receives the byte of the mask that contains its bit.
            *quarter = unsafe {
                let mask = vcombine_u8(vdup_n_u8(low), vdup_n_u8(high));
                let is_set = vtstq_u8(mask, vcombine_u8(vcreate_u8(BITS), vcreate_u8(BITS)));
                vaddq_u8(*quarter, vandq_u8(is_set, vdupq_n_u8(more)))
            };
        }
        bytes
    }

    #[inline(always)]
    fn places(self, mask: u64, base: u32, to: &mut [u32; WIDTH]) -> usize {
        places_one_by_one(mask, base, to)
    }
}
