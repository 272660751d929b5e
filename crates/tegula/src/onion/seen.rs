//! The seen-set: n-grams with the unit of their first sight, one probe for one cache line.
//!
//! Open addressing with linear probing. A slot's place follows from the id's uppermost bits, so that growing the table moves slots in
//! order, and partitions sorted by id fill it from front to back.

use crate::context::{Context, Reservation};
use crate::error::{Error, ErrorKind, Result};
use crate::hash::Fingerprint;
use crate::hugepages::advise;

/// 64 bits of id, 31 of check, whether the n-gram is known, and the unit that it was seen in.
#[derive(Clone, Copy)]
#[repr(C)]
struct Slot {
    id: u64,
    check: u32,
    /// The unit plus [`UNITS`]; [`EMPTY`], [`ADMITTED`].
    unit: u32,
}

/// In a slot's check: the n-gram stands in a kept paragraph of a finished document.
const KNOWN: u32 = 1 << 31;
/// In a slot's unit: nothing is here.
const EMPTY: u32 = 0;
/// In a slot's unit: may be seen, and has not been yet.
const ADMITTED: u32 = 1;
/// What the first unit is stored as.
const UNITS: u32 = 2;
/// The share of slots that may be taken, as a fraction.
const FULL: (usize, usize) = (3, 4);
/// The least number of slots.
const LEAST: usize = 64;

/// What looking at an n-gram gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sight {
    /// Its slot; stays where it is until the table grows.
    pub(super) place: usize,
    /// The unit that made it known.
    pub(super) known: Option<u32>,
}

pub(super) struct Seen {
    context: Context,
    slots: Vec<Slot>,
    held: usize,
    /// Whether n-grams that are not in the table may enter it.
    open: bool,
    reservation: Option<Reservation>,
}

impl Seen {
    /// The largest number of a unit.
    pub(super) const LAST_UNIT: u32 = u32::MAX - UNITS;

    pub(super) fn new(context: &Context, open: bool) -> Self {
        Self { context: context.clone(), slots: Vec::new(), held: 0, open, reservation: None }
    }

    /// Bytes that a table of so many n-grams takes.
    pub(super) fn bytes_for(ngrams: u64) -> u64 {
        (ngrams * FULL.1 as u64).div_ceil(FULL.0 as u64).max(LEAST as u64) * size_of::<Slot>() as u64
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.slots.len() * size_of::<Slot>()) as u64
    }

    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// Makes room for `more` n-grams, so that no slot moves while they enter. A closed table needs none.
    pub(super) fn reserve(&mut self, more: usize) -> Result<()> {
        if !self.open {
            return Ok(());
        }
        self.make_room(more)
    }

    /// Makes room for `more` n-grams, in a closed table too.
    pub(super) fn make_room(&mut self, more: usize) -> Result<()> {
        let least = ((self.held + more) * FULL.1).div_ceil(FULL.0).max(LEAST);
        if least <= self.slots.len() {
            return Ok(());
        }
        // Twice the size if the ceiling allows, else less, down to what is needed now.
        let wanted = [2 * self.slots.len(), self.slots.len() / 2 * 3, self.slots.len() / 4 * 5, least];
        for slots in wanted.into_iter().filter(|slots| *slots >= least) {
            if let Some(reservation) = self.context.budget.try_reserve((slots * size_of::<Slot>()) as u64) {
                self.grow(slots, reservation);
                return Ok(());
            }
        }
        let bytes = (least * size_of::<Slot>()) as u64;
        self.context.budget.reserve(bytes, "the table of n-grams seen").map(drop)
    }

    fn grow(&mut self, slots: usize, reservation: Reservation) {
        let empty = Slot { id: 0, check: 0, unit: EMPTY };
        let mut table = Vec::with_capacity(slots);
        advise(&mut table);
        table.resize(slots, empty);
        let old = std::mem::replace(&mut self.slots, table);
        for slot in old.iter().filter(|slot| slot.unit != EMPTY) {
            let mut place = self.home(slot.id);
            while self.slots[place].unit != EMPTY {
                place = self.after(place);
            }
            self.slots[place] = *slot;
        }
        drop(old);
        self.reservation = Some(reservation);
    }

    #[inline]
    fn home(&self, id: u64) -> usize {
        ((u128::from(id) * self.slots.len() as u128) >> 64) as usize
    }

    #[inline]
    fn after(&self, place: usize) -> usize {
        if place + 1 == self.slots.len() { 0 } else { place + 1 }
    }

    /// Brings the slots of some ids near: bare loads overlap far better than loads with work behind each.
    #[inline]
    pub(super) fn touch(&self, ids: impl Iterator<Item = u64>) {
        if !self.slots.is_empty() {
            let touched = ids.fold(0, |all, id| all ^ self.slots[self.home(id)].unit);
            std::hint::black_box(touched);
        }
    }

    /// The slot of an n-gram, or the empty one where it would be.
    #[inline]
    fn find(&self, fingerprint: Fingerprint) -> usize {
        let check = fingerprint.check as u32 & !KNOWN;
        let mut place = self.home(fingerprint.id);
        loop {
            let slot = &self.slots[place];
            if slot.unit == EMPTY || (slot.id == fingerprint.id && slot.check & !KNOWN == check) {
                return place;
            }
            place = self.after(place);
        }
    }

    /// Looks at an n-gram in `unit` of the document that begins with unit `first`, and notes that it was seen there.
    /// `None` if it may not enter the table. There must be room for it.
    #[inline]
    pub(super) fn look(&mut self, fingerprint: Fingerprint, unit: u32, first: u32) -> Option<Sight> {
        if self.slots.is_empty() {
            return None;
        }
        let place = self.find(fingerprint);
        let slot = &mut self.slots[place];
        if slot.unit == EMPTY {
            if !self.open {
                return None;
            }
            *slot = Slot { id: fingerprint.id, check: fingerprint.check as u32 & !KNOWN, unit: unit + UNITS };
            self.held += 1;
            return Some(Sight { place, known: None });
        }
        if slot.check & KNOWN != 0 || slot.unit >= first + UNITS {
            return Some(Sight { place, known: Some(slot.unit - UNITS) });
        }
        // Seen in a removed paragraph of an earlier document only, which does not count.
        slot.unit = unit + UNITS;
        Some(Sight { place, known: None })
    }

    /// The n-gram in a slot stands in `unit`, which is kept: it is known from now on.
    #[inline]
    pub(super) fn know(&mut self, place: usize, unit: u32) {
        let slot = &mut self.slots[place];
        if slot.check & KNOWN == 0 {
            slot.check |= KNOWN;
            slot.unit = unit + UNITS;
        }
    }

    /// Lets an n-gram into a closed table. There must be room for it.
    pub(super) fn admit(&mut self, fingerprint: Fingerprint) -> Result<()> {
        if self.held + 1 >= self.slots.len() {
            return Err(Error::new(ErrorKind::Memory, "more n-grams than there is room for"));
        }
        let place = self.find(fingerprint);
        if self.slots[place].unit == EMPTY {
            self.slots[place] = Slot { id: fingerprint.id, check: fingerprint.check as u32 & !KNOWN, unit: ADMITTED };
            self.held += 1;
        }
        Ok(())
    }
}
