//! By number: four bytes for each n-gram that occurs more than once, and four for the unit where it
//! was first seen if sources are requested.
//!
//! N-grams are [numbered](super::super::Numbers) by a part of their hash, so two may have one number.
//! The first to be looked up owns its slot, which keeps another part of its hash; the few others are
//! in a map.

use super::set::{Found, Place, STATE, SeenSet, State};
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
    /// By place, the unit that first contained the n-gram; empty if not requested.
    units: Vec<u32>,
    other_units: Vec<u32>,
    with_units: bool,
    /// Numbers looked up.
    held: u64,
    reservation: Reservation,
}

/// Bytes of a slot.
const SLOT: u64 = size_of::<u32>() as u64;
/// Bytes of one of the other n-grams, in a map that is half full.
const OTHER: u64 = 2 * (size_of::<(Numbered, u32)>() as u64 + 1) + 4 * SLOT;
/// From here on, places are those of other n-grams.
const OTHERS: Place = 1 << 32;
/// The set's name in messages.
const WHAT: &str = "what is remembered of n-grams";

impl SeenNumbers {
    /// For numbers below `count`.
    pub(crate) fn new(context: &Context, count: u64, with_units: bool) -> Result<Self> {
        let lists = 1 + u64::from(with_units);
        let reservation = context.budget.reserve(count * SLOT * lists, WHAT)?;
        let zeros = |count: usize| -> Result<Vec<u32>> {
            let mut list = Vec::new();
            make_room(&mut list, count, WHAT)?;
            list.resize(count, 0);
            Ok(list)
        };
        Ok(Self {
            slots: zeros(count as usize)?,
            places: HashMap::new(),
            others: Vec::new(),
            units: zeros(if with_units { count as usize } else { 0 })?,
            other_units: Vec::new(),
            with_units,
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

    #[inline]
    fn note(&mut self, place: Place, unit: u32) {
        let units = if place < OTHERS {
            self.units.get_mut(place as usize)
        } else {
            self.other_units.get_mut((place - OTHERS) as usize)
        };
        if let Some(noted) = units {
            *noted = unit;
        }
    }

    /// The place of an n-gram whose number belongs to another.
    #[cold]
    fn other(&mut self, key: Numbered) -> Place {
        let next = self.others.len() as u32;
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.others.push(0);
            if self.with_units {
                self.other_units.push(0);
            }
            self.held += 1;
        }
        OTHERS + Place::from(place)
    }
}

impl SeenSet for SeenNumbers {
    type Key = Numbered;

    fn reserve(&mut self, _: impl Iterator<Item = Numbered>) -> Result<()> {
        // The few others are paid for after each document.
        let slots = (self.slots.len() + self.units.len()) as u64;
        let bytes = slots * SLOT + self.others.len() as u64 * OTHER;
        let more = bytes.saturating_sub(self.reservation.bytes());
        self.reservation.grow(more, WHAT)
    }

    #[inline]
    fn touch(&self, keys: impl Iterator<Item = Numbered>) {
        let touched = keys.fold(0, |all, key| all ^ self.slots[key.number as usize]);
        std::hint::black_box(touched);
    }

    #[inline]
    fn look(&mut self, key: Numbered, unit: u32) -> Option<Found> {
        let check = key.check & !STATE;
        let slot = &mut self.slots[key.number as usize];
        self.held += u64::from(*slot == 0);
        let (place, slot) = if *slot == 0 || *slot & !STATE == check {
            (Place::from(key.number), slot)
        } else {
            let place = self.other(Numbered { check, ..key });
            (place, self.slot(place))
        };
        let is_seen = State::is_seen(*slot);
        if !is_seen {
            *slot = check | State::Here as u32;
            self.note(place, unit);
        }
        Some(Found { place, is_seen })
    }

    #[inline]
    fn end(&mut self, place: Place, unit: u32, kept: bool) {
        let slot = self.slot(place);
        if *slot & STATE != State::Earlier as u32 {
            *slot = *slot & !STATE | State::after(kept) as u32;
            if kept {
                self.note(place, unit);
            }
        }
    }

    #[inline]
    fn unit(&self, place: Place) -> Option<u32> {
        let units = if place < OTHERS {
            self.units.get(place as usize)
        } else {
            self.other_units.get((place - OTHERS) as usize)
        };
        units.copied()
    }

    fn held(&self) -> u64 {
        self.held
    }
}
