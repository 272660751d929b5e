//! AVX-512 and AVX2.
#![expect(unsafe_code, reason = "vector instructions are called by their names")]
#![expect(
    clippy::inline_always,
    reason = "a vector instruction is only one inside a function that is compiled for it"
)]

use super::{Lanes, Task, WIDTH};
use std::arch::x86_64::{
    __m256i, __m512i, _mm_loadl_epi64, _mm256_add_epi8, _mm256_add_epi32, _mm256_and_si256,
    _mm256_cmpeq_epi8, _mm256_cvtepu8_epi32, _mm256_loadu_si256, _mm256_min_epu8, _mm256_set1_epi8,
    _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi64x, _mm256_shuffle_epi8,
    _mm256_slli_epi16, _mm256_storeu_si256, _mm256_sub_epi8, _mm512_add_epi32,
    _mm512_castsi512_si128, _mm512_cmpeq_epi8_mask, _mm512_cmplt_epu8_mask, _mm512_cvtepu8_epi32,
    _mm512_extracti32x4_epi32, _mm512_loadu_si512, _mm512_mask_add_epi8,
    _mm512_maskz_compress_epi8, _mm512_movepi8_mask, _mm512_set1_epi8, _mm512_set1_epi32,
    _mm512_storeu_si512, _mm512_sub_epi8, _mm512_test_epi8_mask,
};

/// Defines a kind of processor by whether it may be used and its features, which are both detected and enabled for compilation.
macro_rules! processor {
    ($(#[$what:meta])* $name:ident if $allowed:expr, $($feature:tt),+) => {
        $(#[$what])*
        #[derive(Debug, Clone, Copy)]
        pub(in crate::text) struct $name(());

        impl $name {
            /// Available if the processor has all features.
            pub(in crate::text) fn new() -> Option<Self> {
                ($allowed $(&& is_x86_feature_detected!($feature))+).then_some(Self(()))
            }

            /// Runs the task in functions compiled for it.
            #[inline]
            pub(super) fn run<T: Task>(self, task: T) -> T::Out {
                #[target_feature($(enable = $feature),+)]
                fn compiled<T: Task>(lanes: $name, task: T) -> T::Out {
                    task.run(lanes)
                }
                // SAFETY: `new` has detected the instructions.
                unsafe { compiled(self, task) }
            }
        }
    };
}

processor! {
    /// A processor with AVX-512 (foundation, BW and VBMI2), available since 2019.
    Avx512 if cfg!(not(feature = "without-avx512")), "avx512f", "avx512bw", "avx512vbmi2", "bmi1", "bmi2", "lzcnt", "popcnt"
}

processor! {
    /// A processor with AVX2, like most since 2013.
    Avx2 if true, "avx2", "bmi1", "bmi2", "lzcnt", "popcnt"
}

/// 0 to 63.
static PLACES: [u8; WIDTH] = {
    let mut places = [0; WIDTH];
    let mut at = 0;
    while at < WIDTH {
        places[at] = at as u8;
        at += 1;
    }
    places
};

// SAFETY of all blocks below: a value of `Avx512` exists only if `new` has detected the
// instructions, and pointers are to borrowed arrays of 64 bytes or 64 numbers.
impl Lanes for Avx512 {
    type Bytes = __m512i;

    #[inline(always)]
    fn load(self, from: &[u8; WIDTH]) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, bytes: __m512i, to: &mut [u8; WIDTH]) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), bytes) }
    }

    #[inline(always)]
    fn within(self, bytes: __m512i, first: u8, count: u8) -> u64 {
        // SAFETY: as above.
        unsafe {
            _mm512_cmplt_epu8_mask(
                _mm512_sub_epi8(bytes, _mm512_set1_epi8(first as i8)),
                _mm512_set1_epi8(count as i8),
            )
        }
    }

    #[inline(always)]
    fn equal(self, bytes: __m512i, byte: u8) -> u64 {
        // SAFETY: as above.
        unsafe { _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    fn odd(self, bytes: __m512i) -> u64 {
        // SAFETY: as above.
        unsafe { _mm512_test_epi8_mask(bytes, _mm512_set1_epi8(1)) }
    }

    #[inline(always)]
    fn high(self, bytes: __m512i) -> u64 {
        // SAFETY: as above.
        unsafe { _mm512_movepi8_mask(bytes) }
    }

    #[inline(always)]
    fn add(self, bytes: __m512i, to: u64, more: u8) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_mask_add_epi8(bytes, to, bytes, _mm512_set1_epi8(more as i8)) }
    }

    #[inline(always)]
    fn places(self, mask: u64, base: u32, to: &mut [u32; WIDTH]) -> usize {
        let count = mask.count_ones() as usize;
        // SAFETY: as above; 16 numbers are written at 0, 16, 32 and 48.
        unsafe {
            let places =
                _mm512_maskz_compress_epi8(mask, _mm512_loadu_si512(PLACES.as_ptr().cast()));
            let base = _mm512_set1_epi32(base as i32);
            let to = to.as_mut_ptr();
            let first = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places));
            _mm512_storeu_si512(to.cast(), _mm512_add_epi32(first, base));
            if count > 16 {
                let second = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32::<1>(places));
                _mm512_storeu_si512(to.add(16).cast(), _mm512_add_epi32(second, base));
            }
            if count > 32 {
                let third = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32::<2>(places));
                _mm512_storeu_si512(to.add(32).cast(), _mm512_add_epi32(third, base));
                let fourth = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32::<3>(places));
                _mm512_storeu_si512(to.add(48).cast(), _mm512_add_epi32(fourth, base));
            }
        }
        count
    }
}

/// For each byte, the indices of its set bits, lowest first.
static BITS: [[u8; 8]; 256] = {
    let mut all = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut count, mut bit) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                all[byte][count] = bit as u8;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    all
};

/// The uppermost bit of each byte. The compiler knows what the intrinsic does, takes masks for vectors
/// of bits, and computes each bit of 64 by itself; it does not look into this.
#[inline]
#[target_feature(enable = "avx2")]
fn uppermost(bytes: __m256i) -> u32 {
    let bits;
    // SAFETY: the instruction only reads one register and writes another.
    unsafe {
        std::arch::asm!(
            "vpmovmskb {bits:e}, {bytes}",
            bits = out(reg) bits,
            bytes = in(ymm_reg) bytes,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    bits
}

impl Avx2 {
    /// The uppermost bits.
    #[inline(always)]
    fn bits([low, high]: [__m256i; 2]) -> u64 {
        // SAFETY: a value of `Avx2` exists only if `new` has detected the instructions.
        let [low, high] = unsafe { [uppermost(low), uppermost(high)] };
        u64::from(low) | u64::from(high) << 32
    }

    /// Adds `more` to the bytes in the mask.
    #[inline(always)]
    fn add_half(half: __m256i, mask: u32, more: u8) -> __m256i {
        // SAFETY: as above. Each byte receives the byte of the mask that contains its bit, and is
        // kept if the bit is set.
        unsafe {
            let spread = _mm256_setr_epi64x(
                0,
                0x0101_0101_0101_0101,
                0x0202_0202_0202_0202,
                0x0303_0303_0303_0303,
            );
            let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
            let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(mask as i32), spread);
            let is_set = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit);
            _mm256_add_epi8(half, _mm256_and_si256(is_set, _mm256_set1_epi8(more as i8)))
        }
    }
}

// SAFETY of all blocks below: a value of `Avx2` exists only if `new` has detected the instructions,
// and pointers are to borrowed arrays of 64 bytes.
impl Lanes for Avx2 {
    type Bytes = [__m256i; 2];

    #[inline(always)]
    fn load(self, from: &[u8; WIDTH]) -> Self::Bytes {
        // SAFETY: as above.
        unsafe {
            [
                _mm256_loadu_si256(from.as_ptr().cast()),
                _mm256_loadu_si256(from.as_ptr().add(32).cast()),
            ]
        }
    }

    #[inline(always)]
    fn store(self, [low, high]: Self::Bytes, to: &mut [u8; WIDTH]) {
        // SAFETY: as above.
        unsafe {
            _mm256_storeu_si256(to.as_mut_ptr().cast(), low);
            _mm256_storeu_si256(to.as_mut_ptr().add(32).cast(), high);
        }
    }

    #[inline(always)]
    fn within(self, [low, high]: Self::Bytes, first: u8, count: u8) -> u64 {
        let Some(last) = count.checked_sub(1) else {
            return 0;
        };
        // SAFETY: as above. Below or equal: the minimum leaves the value unchanged.
        unsafe {
            let (first, last) = (_mm256_set1_epi8(first as i8), _mm256_set1_epi8(last as i8));
            let (low, high) = (_mm256_sub_epi8(low, first), _mm256_sub_epi8(high, first));
            Self::bits([
                _mm256_cmpeq_epi8(_mm256_min_epu8(low, last), low),
                _mm256_cmpeq_epi8(_mm256_min_epu8(high, last), high),
            ])
        }
    }

    #[inline(always)]
    fn equal(self, [low, high]: Self::Bytes, byte: u8) -> u64 {
        // SAFETY: as above.
        unsafe {
            let byte = _mm256_set1_epi8(byte as i8);
            Self::bits([_mm256_cmpeq_epi8(low, byte), _mm256_cmpeq_epi8(high, byte)])
        }
    }

    #[inline(always)]
    fn odd(self, [low, high]: Self::Bytes) -> u64 {
        // SAFETY: as above. The lowest bit becomes the uppermost.
        unsafe { Self::bits([_mm256_slli_epi16::<7>(low), _mm256_slli_epi16::<7>(high)]) }
    }

    #[inline(always)]
    fn high(self, bytes: Self::Bytes) -> u64 {
        Self::bits(bytes)
    }

    #[inline(always)]
    fn add(self, [low, high]: Self::Bytes, to: u64, more: u8) -> Self::Bytes {
        [
            Self::add_half(low, to as u32, more),
            Self::add_half(high, (to >> 32) as u32, more),
        ]
    }

    #[inline(always)]
    fn places(self, mask: u64, base: u32, to: &mut [u32; WIDTH]) -> usize {
        let mut count = 0;
        for (at, byte) in (0..).step_by(8).zip(mask.to_le_bytes()) {
            // SAFETY: as above; before byte n of the mask at most 8 n places are written.
            unsafe {
                let bits = _mm_loadl_epi64(BITS[usize::from(byte)].as_ptr().cast());
                let base = _mm256_set1_epi32((base + at) as i32);
                let places = _mm256_add_epi32(_mm256_cvtepu8_epi32(bits), base);
                _mm256_storeu_si256(to.as_mut_ptr().add(count).cast(), places);
            }
            count += byte.count_ones() as usize;
        }
        count
    }
}
