//! By number: four bytes for each n-gram that occurs more than once.
//!
//! N-grams are [numbered](super::super::Numbers) by a part of their hash, so two may have one number.
//! The first to be looked up owns its slot, which keeps another part of its hash; the few others are
//! in a map.

use super::set::{Place, STATE, SeenSet, Sight, State};
use crate::context::{Context, Reservation, make_room};
use crate::error::Result;
use std::collections::HashMap;

/// An n-gram: its number, and a check that differs between those with the same number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Numbered {
    /// The number.
    pub number: u32,
    /// 32 bits of the hash that are not in the number, of which 30 are compared.
    pub check: u32,
}

/// The n-grams seen, by number.
pub struct SeenNumbers {
    /// Check and state; 0 if the number was never looked up.
    slots: Vec<u32>,
    /// Places of other n-grams, in `others`.
    places: HashMap<Numbered, u32>,
    others: Vec<u32>,
    /// Numbers looked up.
    held: u64,
    reservation: Reservation,
}

/// Bytes of a slot.
const SLOT: u64 = size_of::<u32>() as u64;
/// Bytes of one of the other n-grams, in a map that is half full.
const OTHER: u64 = 2 * (size_of::<(Numbered, u32)>() as u64 + 1) + 2 * SLOT;
/// From here on, places are those of other n-grams.
const OTHERS: Place = 1 << 32;
/// The set's name in messages.
const WHAT: &str = "what is remembered of n-grams";

impl SeenNumbers {
    /// For numbers below `count`.
    pub(crate) fn new(context: &Context, count: u64) -> Result<Self> {
        let reservation = context.budget.reserve(count * SLOT, WHAT)?;
        let mut slots = Vec::new();
        make_room(&mut slots, count as usize, WHAT)?;
        slots.resize(count as usize, 0);
        Ok(Self {
            slots,
            places: HashMap::new(),
            others: Vec::new(),
            held: 0,
            reservation,
        })
    }

    fn slot(&mut self, place: Place) -> &mut u32 {
        if place < OTHERS {
            &mut self.slots[place as usize]
        } else {
            &mut self.others[(place - OTHERS) as usize]
        }
    }

    /// The place of an n-gram whose number belongs to another.
    #[cold]
    fn other(&mut self, key: Numbered) -> Place {
        let next = self.others.len() as u32;
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.others.push(0);
            self.held += 1;
        }
        OTHERS + Place::from(place)
    }
}

impl SeenSet for SeenNumbers {
    type Key = Numbered;

    fn reserve(&mut self, _: impl Iterator<Item = Numbered>) -> Result<()> {
        // The few others are paid for after each document.
        let bytes = self.slots.len() as u64 * SLOT + self.others.len() as u64 * OTHER;
        let more = bytes.saturating_sub(self.reservation.bytes());
        self.reservation.grow(more, WHAT)
    }

    #[inline]
    fn touch(&self, keys: impl Iterator<Item = Numbered>) {
        let touched = keys.fold(0, |all, key| all ^ self.slots[key.number as usize]);
        std::hint::black_box(touched);
    }

    #[inline]
    fn look(&mut self, key: Numbered, _: u32) -> Option<Sight> {
        let check = key.check & !STATE;
        let slot = &mut self.slots[key.number as usize];
        self.held += u64::from(*slot == 0);
        let (place, slot) = if *slot == 0 || *slot & !STATE == check {
            (Place::from(key.number), slot)
        } else {
            let place = self.other(Numbered { check, ..key });
            (place, self.slot(place))
        };
        let known = State::is_seen(*slot);
        if !known {
            *slot = check | State::Here as u32;
        }
        Some(Sight { place, known })
    }

    #[inline]
    fn end(&mut self, place: Place, _: u32, kept: bool) {
        let slot = self.slot(place);
        if *slot & STATE != State::Known as u32 {
            *slot = *slot & !STATE | State::after(kept) as u32;
        }
    }

    fn unit(&self, _: Place) -> Option<u32> {
        None
    }

    fn held(&self) -> u64 {
        self.held
    }
}
