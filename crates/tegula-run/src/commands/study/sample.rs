//! Random samples of a fixed size that depend only on the items offered.

use std::collections::BinaryHeap;
use tegula::hash::mix;

/// Draws a fixed number of the items offered, each with equal probability: those whose keys hash
/// lowest. The order of the items does not matter, so the sample is the same on any number of
/// threads.
///
/// # Cost
/// Memory for the items drawn; an item that is not drawn costs a hash and a comparison.
#[derive(Debug)]
pub(super) struct Sample<T> {
    most: usize,
    seed: u64,
    offered: u64,
    drawn: BinaryHeap<(u64, T)>,
}

impl<T: Ord> Sample<T> {
    /// Draws at most `most` items; another seed draws others.
    pub(super) fn new(most: usize, seed: u64) -> Self {
        Self {
            most,
            seed: mix(seed.wrapping_add(1)),
            offered: 0,
            drawn: BinaryHeap::new(),
        }
    }

    /// Offers an item by a pair of numbers that no other item has.
    pub(super) fn offer(&mut self, key: (u32, u32), item: T) {
        self.offered += 1;
        let place = mix(self.seed ^ (u64::from(key.0) << 32 | u64::from(key.1)));
        if self.drawn.len() < self.most {
            self.drawn.push((place, item));
        } else if let Some(mut last) = self.drawn.peek_mut()
            && place < last.0
        {
            *last = (place, item);
        }
    }

    /// Items offered so far.
    pub(super) fn offered(&self) -> u64 {
        self.offered
    }

    /// What was drawn, in order.
    pub(super) fn finish(self) -> Vec<T> {
        let mut items: Vec<T> = self.drawn.into_iter().map(|(_, item)| item).collect();
        items.sort_unstable();
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(most: usize, seed: u64, keys: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut sample = Sample::new(most, seed);
        keys.for_each(|key| sample.offer((key, 7), key));
        sample.finish()
    }

    #[test]
    fn a_draw_does_not_depend_on_the_order_of_the_offers() {
        let forth = drawn(10, 1, 0..1000);
        assert_eq!(forth.len(), 10);
        assert_eq!(forth, drawn(10, 1, (0..1000).rev()));
        assert_ne!(forth, drawn(10, 2, 0..1000));
        assert_eq!(drawn(10, 1, 0..3), [0, 1, 2]);
        assert!(drawn(0, 1, 0..3).is_empty());
    }

    #[test]
    fn every_item_has_the_same_chance() {
        let mut counts = [0_u32; 4];
        for seed in 0..400 {
            for item in drawn(25, seed, 0..100) {
                counts[(item / 25) as usize] += 1;
            }
        }
        // 2,500 are expected of each quarter, with a deviation of 37.
        assert!(
            counts.iter().all(|count| (2350..2650).contains(count)),
            "{counts:?}"
        );
    }
}
