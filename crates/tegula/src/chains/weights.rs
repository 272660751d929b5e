//! The weights of texts, by the rarity of their shingles.

use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::rarity::{self, Rarity};
use std::sync::atomic::{AtomicU64, Ordering};

/// What texts weigh, while features are listed by any thread.
pub(super) struct Weights<'a> {
    pub(super) rarity: Rarity<'a>,
    /// The weight of a shingle that no other text has.
    pub(super) single: u32,
    /// By group, how much less its shingles weigh than if no other text had them.
    less: Vec<AtomicU64>,
    _held: Reservation,
}

impl<'a> Weights<'a> {
    /// Of so many groups.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub(super) fn new(context: &Context, groups: usize, rarity: Rarity<'a>) -> Result<Self> {
        let bytes = 8 * groups as u64;
        Ok(Self {
            rarity,
            single: rarity.weight(1),
            _held: context.budget.reserve(bytes, "the weights of texts")?,
            less: (0..groups).map(|_| AtomicU64::new(0)).collect(),
        })
    }

    /// Adds a feature of a group that counts so many times, with the weight of one; returns the
    /// group and the weight of the feature.
    #[inline]
    pub(super) fn add(&self, group: u32, times: u32, weight: u32) -> [u32; 2] {
        let less = u64::from(times) * u64::from(self.single - weight);
        self.less[group as usize].fetch_add(less, Ordering::Relaxed);
        [group, times * weight]
    }

    /// Forgets all features.
    pub(super) fn clear(&mut self) {
        for less in &mut self.less {
            *less.get_mut() = 0;
        }
    }

    /// The weight of each text, also as [`rarity::below`] stores it; `sets` are how many shingles
    /// it has, each as often as it counts.
    pub(super) fn of_texts(self, sets: &[u32]) -> (Vec<u32>, Vec<u64>) {
        let of = |(set, less): (&u32, AtomicU64)| {
            u64::from(*set) * u64::from(self.single) - less.into_inner()
        };
        let totals: Vec<u64> = sets.iter().zip(self.less).map(of).collect();
        let below = totals.iter().map(|weight| rarity::below(*weight)).collect();
        (below, totals)
    }
}
