//! A small pseudo-random number generator: the same numbers for a seed on every machine and in
//! every version.

/// xoshiro256** (Blackman and Vigna), its state filled by splitmix64.
#[derive(Debug, Clone)]
pub struct Random([u64; 4]);

impl Random {
    /// The generator of `seed`.
    pub fn new(seed: u64) -> Self {
        let mut state = seed;
        Self(std::array::from_fn(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.0;
        let result = b.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// A number below `end`, and 0 where `end` is 0. The bias, below `end` in 2^64, does no harm
    /// here.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// A number from `first` to `last`, both included.
    pub fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last.saturating_sub(first) + 1)
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items, if there are any.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// Puts the items in a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_do_not_move() {
        // Corpora are named by their seed: other numbers would be other corpora.
        let mut random = Random::new(5);
        assert_eq!(
            [random.bits(), random.bits(), random.bits()],
            [
                5_320_248_114_040_590_185,
                11_106_458_710_588_138_716,
                11_982_022_302_389_484_462
            ]
        );
    }

    #[test]
    fn numbers_stay_in_range_and_reach_all_of_it() {
        let mut random = Random::new(1);
        let mut seen = [false; 7];
        for _ in 0..200 {
            seen[random.below(7)] = true;
            assert!((3..=5).contains(&random.between(3, 5)));
        }
        assert_eq!(seen, [true; 7]);
        assert_eq!(random.below(0), 0);
        assert_eq!(random.pick::<u8>(&[]), None);
    }

    #[test]
    fn shuffling_loses_nothing() {
        let mut items: Vec<u32> = (0..100).collect();
        Random::new(2).shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert!(items.iter().copied().eq(0..100));
    }
}
