//! 64 bytes at a time: the few vector operations on bytes behind tokenisation, in the instructions
//! of each processor.
//!
//! [`Lanes`] is the contract, [`Portable`] its definition in plain code, and tests verify that
//! every other implementation gives the same bits. A value of an implementation that needs certain
//! instructions exists only on processors that have them, so its methods are safe.

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

/// Bytes processed in one step, one for each bit of a mask.
pub(super) const WIDTH: usize = 64;

/// Operations on 64 bytes at once. The lowest bit of a mask is for the first byte.
///
/// They must not be called in closures, nor in what maps an array: these are functions of their own,
/// which are not compiled for the processor, so each instruction in them would be a call.
pub(super) trait Lanes: Copy {
    /// 64 bytes in registers.
    type Bytes: Copy;

    /// Loads the bytes.
    fn load(self, from: &[u8; WIDTH]) -> Self::Bytes;

    /// Stores the bytes.
    fn store(self, bytes: Self::Bytes, to: &mut [u8; WIDTH]);

    /// Which bytes are in the range of `count` values starting at `first`.
    fn within(self, bytes: Self::Bytes, first: u8, count: u8) -> u64;

    /// Which bytes are at least `first` and at most `last`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "it is part of a loop over blocks")]
    fn between(self, bytes: Self::Bytes, first: u8, last: u8) -> u64 {
        self.within(bytes, first, last - first + 1)
    }

    /// Which bytes equal `byte`.
    fn equal(self, bytes: Self::Bytes, byte: u8) -> u64;

    /// Which bytes are odd.
    fn odd(self, bytes: Self::Bytes) -> u64;

    /// Which bytes are at least 0x80.
    fn high(self, bytes: Self::Bytes) -> u64;

    /// Adds `more`, modulo 256, to the bytes in the mask.
    fn add(self, bytes: Self::Bytes, to: u64, more: u8) -> Self::Bytes;

    /// Writes the indices of the set bits of `mask`, each plus `base`; returns their number.
    /// Entries after them are unspecified.
    fn places(self, mask: u64, base: u32, to: &mut [u32; WIDTH]) -> usize;
}

/// An operation on whole texts, compiled for each kind of lanes.
pub(super) trait Task {
    /// Its result.
    type Out;

    /// Runs it; must be inlined, with everything that it calls.
    fn run<L: Lanes>(self, lanes: L) -> Self::Out;
}

/// All indices of set bits, one by one.
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

/// The best lanes of this processor.
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
    /// Runs the task with these lanes.
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

    /// Their name.
    pub(super) fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => "avx512",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "avx2",
            #[cfg(target_arch = "aarch64")]
            Self::Neon(_) => "neon",
            Self::Portable(_) => "portable",
        }
    }

    /// All lanes that this processor supports, the best first.
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
            let Self {
                bytes,
                mask,
                byte,
                count,
                base,
            } = self;
            let (v, defined) = (lanes.load(bytes), Portable.load(bytes));
            let (mut out, mut wanted) = ([0; WIDTH], [0; WIDTH]);
            lanes.store(v, &mut out);
            assert_eq!(out, *bytes);
            assert_eq!(
                lanes.within(v, byte, count),
                Portable.within(defined, byte, count),
                "{byte} {count}"
            );
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
                assert_eq!(
                    within >> at & 1 == 1,
                    byte.wrapping_sub(first) < count,
                    "{byte} {first} {count}"
                );
            }
        }
    }
}
