//! 64 bytes at a time: the few operations on vectors of bytes that the front end is made of, in the instructions of each processor.
//!
//! [`Lanes`] is the contract, [`Portable`] its definition in plain code, and every other implementation gives the same bits, which tests
//! hold it to. A value of one that needs certain instructions can only be had from a processor that has them, so that its methods are safe.

#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub(super) use neon::Neon;
pub(super) use portable::Portable;
#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

/// Bytes that are looked at in one step, one for each bit of a mask.
pub(super) const WIDTH: usize = 64;

/// What can be done with 64 bytes at once. A mask has the bit of the first byte lowest.
pub(super) trait Lanes: Copy {
    /// 64 bytes in registers.
    type Bytes: Copy;

    /// The bytes.
    fn load(self, from: &[u8; WIDTH]) -> Self::Bytes;

    /// Writes the bytes.
    fn store(self, bytes: Self::Bytes, to: &mut [u8; WIDTH]);

    /// Which bytes are `first` or one of those above it, `count` of them in all.
    fn within(self, bytes: Self::Bytes, first: u8, count: u8) -> u64;

    /// Which bytes are `byte`.
    fn equal(self, bytes: Self::Bytes, byte: u8) -> u64;

    /// Which bytes are odd numbers.
    fn odd(self, bytes: Self::Bytes) -> u64;

    /// Which bytes are 0x80 and above.
    fn high(self, bytes: Self::Bytes) -> u64;

    /// The bytes, with `more` added, modulo 256, to those in the mask.
    fn add(self, bytes: Self::Bytes, to: u64, more: u8) -> Self::Bytes;

    /// Writes the places of the bits of `mask`, each with `base` added; returns how many. What stands behind them is anything.
    fn places(self, mask: u64, base: u32, to: &mut [u32; WIDTH]) -> usize;
}

/// Work on whole texts, compiled for each of the lanes.
pub(super) trait Task {
    /// What comes of it.
    type Out;

    /// Does it; is to be inlined, as is all that it calls.
    fn run<L: Lanes>(self, lanes: L) -> Self::Out;
}

/// Every place of a bit, one by one.
#[inline(always)]
#[expect(clippy::inline_always, reason = "it is part of a loop over blocks")]
fn places_one_by_one(mut mask: u64, base: u32, to: &mut [u32; WIDTH]) -> usize {
    let count = mask.count_ones() as usize;
    for place in &mut to[..count] {
        *place = base + mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
    }
    count
}

/// The lanes of this processor.
#[derive(Debug, Clone, Copy)]
pub(super) enum Best {
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    Portable(Portable),
}

impl Best {
    /// Does the work in these lanes.
    #[inline]
    pub(super) fn run<T: Task>(self, task: T) -> T::Out {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(lanes) => lanes.run(task),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(lanes) => lanes.run(task),
            #[cfg(target_arch = "aarch64")]
            Self::Neon(lanes) => task.run(lanes),
            Self::Portable(lanes) => task.run(lanes),
        }
    }

    /// All that this processor can do, the best first.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let fast = [Avx512::new().map(Self::Avx512), Avx2::new().map(Self::Avx2)];
        #[cfg(target_arch = "aarch64")]
        let fast = [Neon::new().map(Self::Neon)];
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let fast = [None];
        fast.into_iter().flatten().chain([Self::Portable(Portable)])
    }
}

impl Default for Best {
    fn default() -> Self {
        Self::all().next().unwrap_or(Self::Portable(Portable))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Holds what lanes say of some bytes against the definition.
    struct Check<'a> {
        bytes: &'a [u8; WIDTH],
        mask: u64,
        byte: u8,
        count: u8,
        base: u32,
    }

    impl Task for Check<'_> {
        type Out = ();

        fn run<L: Lanes>(self, lanes: L) {
            let Self { bytes, mask, byte, count, base } = self;
            let (v, defined) = (lanes.load(bytes), Portable.load(bytes));
            let (mut out, mut wanted) = ([0; WIDTH], [0; WIDTH]);
            lanes.store(v, &mut out);
            assert_eq!(out, *bytes);
            assert_eq!(lanes.within(v, byte, count), Portable.within(defined, byte, count), "{byte} {count}");
            assert_eq!(lanes.equal(v, byte), Portable.equal(defined, byte));
            assert_eq!(lanes.odd(v), Portable.odd(defined));
            assert_eq!(lanes.high(v), Portable.high(defined));
            lanes.store(lanes.add(v, mask, byte), &mut out);
            Portable.store(Portable.add(defined, mask, byte), &mut wanted);
            assert_eq!(out, wanted);
            let (mut at, mut wanted) = ([0; WIDTH], [0; WIDTH]);
            let found = lanes.places(mask, base, &mut at);
            assert_eq!(found, Portable.places(mask, base, &mut wanted));
            assert_eq!(at[..found], wanted[..found]);
        }
    }

    proptest! {
        #[test]
        fn all_lanes_are_equal(
            bytes in prop::collection::vec(any::<u8>(), WIDTH), mask in any::<u64>(), sparse in any::<u64>(),
            byte in any::<u8>(), count in any::<u8>(), base in 0..u32::MAX - 64,
        ) {
            let bytes: [u8; WIDTH] = bytes.try_into().unwrap();
            for mask in [mask, mask & sparse, mask & sparse & sparse.rotate_left(7), 0, u64::MAX] {
                for best in Best::all() {
                    best.run(Check { bytes: &bytes, mask, byte, count, base });
                }
            }
        }
    }

    #[test]
    fn the_portable_ones_are_as_defined() {
        let bytes: [u8; WIDTH] = std::array::from_fn(|at| (at * 5) as u8);
        for (first, count) in [(0, 0), (0, 255), (b'a', 26), (200, 100), (128, 128)] {
            let within = Portable.within(Portable.load(&bytes), first, count);
            for (at, byte) in bytes.iter().enumerate() {
                assert_eq!(within >> at & 1 == 1, byte.wrapping_sub(first) < count, "{byte} {first} {count}");
            }
        }
    }
}
