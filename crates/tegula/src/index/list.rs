//! Ascending numbers below a limit in little more than the fewest possible bits, of which any part can
//! be read (Elias and Fano; Vigna 2013, quasi-succinct indices).
//!
//! The lower bits of each number are packed; the upper ones are a sequence of bits: for the i-th number
//! x, the bit at (x >> low) + i is set. So n numbers below u take about 2 + log2(u/n) bits each.

use super::bits::{pack, packed, unpack, word};

/// The lower bits of n numbers below a limit.
fn low_bits(count: usize, limit: u64) -> u32 {
    (limit / (count as u64).max(1)).max(1).ilog2().min(31)
}

/// Bytes of the upper bits.
fn high_bytes(count: usize, limit: u64, low: u32) -> Option<usize> {
    let last = usize::try_from(limit.saturating_sub(1) >> low).ok()?;
    Some((count.checked_add(last)?).div_ceil(8))
}

/// Appends ascending, distinct numbers below the limit, which is at most 2^32.
pub(super) fn write(numbers: &[u32], limit: u64, out: &mut Vec<u8>) {
    let low = low_bits(numbers.len(), limit);
    let mask = ((1_u64 << low) - 1) as u32;
    pack(numbers.iter().map(|number| number & mask), low, out);
    let from = out.len();
    let bytes = high_bytes(numbers.len(), limit, low).unwrap_or(0);
    out.resize(from + bytes, 0);
    for (at, number) in numbers.iter().enumerate() {
        let bit = (number >> low) as usize + at;
        out[from + bit / 8] |= 1 << (bit % 8);
    }
}

/// A list that [`write()`] wrote.
#[derive(Debug, Clone, Copy)]
pub(super) struct List<'a> {
    low: &'a [u8],
    high: &'a [u8],
    bits: u32,
    count: usize,
}

impl<'a> List<'a> {
    /// So many numbers below a limit; none if there are fewer bytes.
    pub(super) fn new(bytes: &'a [u8], count: usize, limit: u64) -> Option<Self> {
        let bits = low_bits(count, limit);
        let (low, rest) = bytes.split_at_checked(packed(count, bits)?)?;
        let high = rest.get(..high_bytes(count, limit, bits)?)?;
        Some(Self {
            low,
            high,
            bits,
            count,
        })
    }

    /// How many numbers there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.low.len() + self.high.len()
    }

    /// The numbers from this one on, each with its place. In damaged bytes they may be any.
    #[inline]
    pub(super) fn from(self, least: u32) -> impl Iterator<Item = (usize, u32)> + use<'a> {
        let mut numbers = self.after_zeros((least >> self.bits) as usize);
        std::iter::from_fn(move || {
            loop {
                let (at, number) = numbers.next()?;
                if number >= least {
                    return Some((at, number));
                }
            }
        })
    }

    /// Looks up numbers that are asked about in ascending order.
    pub(super) fn seek(self) -> Seek<'a> {
        Seek {
            numbers: self.after_zeros(0),
            next: None,
        }
    }

    /// All numbers.
    pub(super) fn iter(self) -> impl Iterator<Item = u32> + use<'a> {
        self.after_zeros(0).map(|(_, number)| number)
    }

    /// The place of a number, if it is there.
    pub(super) fn find(self, number: u32) -> Option<usize> {
        let (at, found) = self.from(number).next()?;
        (found == number).then_some(at)
    }

    /// The numbers whose upper bits are at least this.
    #[inline]
    fn after_zeros(self, zeros: usize) -> Numbers<'a> {
        let (mut byte, mut before) = (0, 0);
        // Whole words before the bit that ends the last number with smaller upper bits.
        while byte + 8 <= self.high.len() {
            let here = word(self.high, byte).count_zeros() as usize;
            if before + here >= zeros {
                break;
            }
            before += here;
            byte += 8;
        }
        let mut bits = word(self.high, byte);
        let mut skipped = 0;
        if before < zeros {
            let mut absent = !bits;
            for _ in before + 1..zeros {
                absent &= absent.wrapping_sub(1);
            }
            skipped = (absent.trailing_zeros() + 1).min(64);
            bits &= u64::MAX.checked_shl(skipped).unwrap_or(0);
        }
        Numbers {
            list: self,
            byte,
            bits,
            at: (byte * 8 + skipped as usize).saturating_sub(zeros),
        }
    }
}

/// Iterates over numbers and their places.
struct Numbers<'a> {
    list: List<'a>,
    byte: usize,
    /// What is left of the word at that byte.
    bits: u64,
    at: usize,
}

impl Numbers<'_> {
    /// Passes over numbers whose upper bits are less than this: word by word, without reading them.
    #[inline]
    fn pass(&mut self, upper: usize) {
        loop {
            let ones = self.bits.count_ones() as usize;
            // The zeros before the next word.
            if (self.byte + 8) * 8 >= self.at + ones + upper {
                break;
            }
            self.at += ones;
            self.byte += 8;
            if self.byte >= self.list.high.len() {
                self.bits = 0;
                return;
            }
            self.bits = word(self.list.high, self.byte);
        }
        while self.bits != 0 {
            let bit = self.byte * 8 + self.bits.trailing_zeros() as usize;
            if bit >= self.at + upper {
                break;
            }
            self.bits &= self.bits - 1;
            self.at += 1;
        }
    }
}

/// Looks up ascending numbers in a list, at a cost that grows with the length of the list divided by 32.
pub(super) struct Seek<'a> {
    numbers: Numbers<'a>,
    /// The next number, if it was read.
    next: Option<u32>,
}

impl Seek<'_> {
    /// Whether a number is there, which must not be less than one that was asked about before.
    #[inline]
    pub(super) fn has(&mut self, number: u32) -> bool {
        if self.next.is_some_and(|next| next >= number) {
            return self.next == Some(number);
        }
        self.numbers
            .pass((number >> self.numbers.list.bits) as usize);
        self.next = None;
        for (_, next) in self.numbers.by_ref() {
            if next >= number {
                self.next = Some(next);
                return next == number;
            }
        }
        false
    }
}

impl Iterator for Numbers<'_> {
    type Item = (usize, u32);

    #[inline]
    fn next(&mut self) -> Option<(usize, u32)> {
        if self.at >= self.list.count {
            return None;
        }
        while self.bits == 0 {
            self.byte += 8;
            if self.byte >= self.list.high.len() {
                return None;
            }
            self.bits = word(self.list.high, self.byte);
        }
        let bit = self.byte * 8 + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        let at = self.at;
        self.at += 1;
        let upper = (bit.saturating_sub(at) as u64) << self.list.bits;
        let lower = unpack(self.list.low, at, self.list.bits);
        Some((at, upper as u32 | lower))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn any_part_of_a_list_comes_back(
            numbers in prop::collection::btree_set(any::<u32>(), 0..300),
            limit in 1..=1_u64 << 32,
            asked in any::<u32>(),
            noise in prop::collection::vec(any::<u8>(), 0..64),
        ) {
            let within = |number: u32| ((u64::from(number) * limit) >> 32) as u32;
            let numbers: BTreeSet<u32> = numbers.into_iter().map(within).collect();
            let numbers: Vec<u32> = numbers.into_iter().collect();
            let mut out = Vec::new();
            write(&numbers, limit, &mut out);
            let bytes = out.len();
            out.push(255);
            let list = List::new(&out, numbers.len(), limit).unwrap();
            prop_assert_eq!(list.bytes(), bytes);
            prop_assert_eq!(list.iter().collect::<Vec<_>>(), numbers.clone());
            let asked = within(asked);
            for asked in numbers.iter().copied().chain([asked, 0]) {
                let from = numbers.partition_point(|number| *number < asked);
                let truth: Vec<_> = (from..numbers.len()).map(|at| (at, numbers[at])).collect();
                prop_assert_eq!(list.from(asked).collect::<Vec<_>>(), truth);
                prop_assert_eq!(list.find(asked), numbers.binary_search(&asked).ok());
            }
            let mut seek = list.seek();
            for asked in (0..limit.min(3000) as u32).step_by(3).chain([asked.max(3000)]) {
                prop_assert_eq!(seek.has(asked), numbers.contains(&asked));
            }
            // Other bytes give other numbers, but no panic.
            if let Some(list) = List::new(&noise, numbers.len(), limit) {
                prop_assert!(list.from(asked).count() <= numbers.len());
                let mut seek = list.seek();
                (0..3000).step_by(7).for_each(|asked| {
                    seek.has(asked);
                });
            }
        }
    }
}
