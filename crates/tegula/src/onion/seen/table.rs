//! By fingerprint, in a table: eight bytes for each n-gram, and the unit where it was first seen if
//! sources are requested.
//!
//! Open addressing with linear probing, in segments by the uppermost bits of ids. Each segment
//! grows separately and by a third, so that the table is never much larger than needed. A slot's
//! position follows from the next bits, so that growing moves slots in order, and partitions sorted
//! by id fill the table sequentially.

use super::set::{self, Found, Place, SeenSet, State};
use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::hash::Fingerprint;

/// A slot: 32 bits of id after those of the segment, 30 of check, and the [state](State); 0 is
/// empty.
type Slot = u64;

/// The bits of a slot that hold the [state](State).
const STATE: Slot = set::STATE as Slot;
/// The maximum load, as a fraction.
const FULL: (usize, usize) = (7, 10);
/// Bits of the id that choose a segment.
const SEGMENT_BITS: u32 = 4;
/// The minimum number of slots in a segment.
const LEAST: usize = 16;
/// The bits of a place that give the position in its segment.
const WITHIN: u32 = 48;

#[derive(Default)]
struct Segment {
    slots: Vec<Slot>,
    /// By slot, the unit that first contained the n-gram; empty if not requested.
    units: Vec<u32>,
    held: usize,
}

/// The n-grams seen, by fingerprint.
pub struct SeenTable {
    segments: Vec<Segment>,
    /// Whether n-grams can be added without being admitted.
    open: bool,
    /// Whether units are stored.
    with_units: bool,
    reservation: Reservation,
}

impl SeenTable {
    /// # Errors
    /// If even an empty table does not fit under the memory ceiling.
    pub(in crate::onion) fn new(context: &Context, open: bool, with_units: bool) -> Result<Self> {
        let reservation = context.budget.reserve(0, WHAT)?;
        let segments = (0..1 << SEGMENT_BITS).map(|_| Segment::default()).collect();
        Ok(Self {
            segments,
            open,
            with_units,
            reservation,
        })
    }

    /// Bytes that a table of this many n-grams needs without units, allowing for uneven segments.
    pub(in crate::onion) fn bytes_for(ngrams: u64) -> u64 {
        let slots = (ngrams * FULL.1 as u64).div_ceil(FULL.0 as u64);
        (slots + slots / 32 + ((2 * LEAST as u64) << SEGMENT_BITS)) * size_of::<Slot>() as u64
    }

    pub(in crate::onion) fn bytes(&self) -> u64 {
        self.segments.iter().map(Segment::bytes).sum()
    }

    /// Reserves space for this many n-grams in total, even in a closed table.
    pub(in crate::onion) fn make_room(&mut self, all: usize) -> Result<()> {
        let each = all.div_ceil(self.segments.len());
        (0..self.segments.len()).try_for_each(|at| {
            if self.segments[at].is_short_of(each) {
                self.grow(at, each)
            } else {
                Ok(())
            }
        })
    }

    /// Reserves space for `more` n-grams in a segment.
    fn grow(&mut self, at: usize, more: usize) -> Result<()> {
        let segment = &mut self.segments[at];
        let now = segment.slots.len();
        let least = ((segment.held + more) * FULL.1).div_ceil(FULL.0).max(LEAST);
        // A third more if the ceiling allows, otherwise less, down to what is needed now.
        let wanted = [now / 3 * 4, now / 8 * 9];
        let with_units = self.with_units;
        let bytes = |slots: usize| {
            (slots * (size_of::<Slot>() + if with_units { size_of::<u32>() } else { 0 })) as u64
        };
        let slots = match wanted
            .into_iter()
            .find(|slots| *slots > least && self.reservation.try_grow(bytes(*slots)))
        {
            Some(slots) => slots,
            None => self.reservation.grow(bytes(least), WHAT).map(|()| least)?,
        };
        segment.grow(slots, with_units);
        self.reservation.shrink(bytes(now));
        Ok(())
    }

    /// Admits an n-gram to a closed table.
    ///
    /// # Errors
    /// If it does not fit under the memory ceiling.
    pub(in crate::onion) fn admit(&mut self, fingerprint: Fingerprint) -> Result<()> {
        let at = segment_of(fingerprint.id);
        if self.segments[at].is_short_of(1) {
            self.grow(at, 1)?;
        }
        let segment = &mut self.segments[at];
        let within = segment.find(fingerprint);
        if segment.slots[within] == 0 {
            segment.slots[within] = slot_of(fingerprint, State::Unseen);
            segment.held += 1;
        }
        Ok(())
    }
}

impl SeenSet for SeenTable {
    type Key = Fingerprint;

    fn reserve(&mut self, keys: impl Iterator<Item = Fingerprint>) -> Result<()> {
        // A closed table needs none.
        if !self.open {
            return Ok(());
        }
        let mut more = [0_usize; 1 << SEGMENT_BITS];
        keys.for_each(|key| more[segment_of(key.id)] += 1);
        let few = more
            .iter()
            .zip(&self.segments)
            .enumerate()
            .filter(|(_, (more, segment))| segment.is_short_of(**more));
        let few: Vec<usize> = few.map(|(at, _)| at).collect();
        few.into_iter().try_for_each(|at| self.grow(at, more[at]))
    }

    #[inline]
    fn touch(&self, keys: impl Iterator<Item = Fingerprint>) {
        let touched = keys.fold(0, |all, Fingerprint { id, .. }| {
            let segment = &self.segments[segment_of(id)];
            all ^ segment
                .slots
                .get(segment.home(rest_of(id)))
                .copied()
                .unwrap_or_default()
        });
        std::hint::black_box(touched);
    }

    #[inline]
    fn look(&mut self, fingerprint: Fingerprint, unit: u32) -> Option<Found> {
        let number = segment_of(fingerprint.id);
        let segment = &mut self.segments[number];
        if segment.slots.is_empty() {
            return None;
        }
        let within = segment.find(fingerprint);
        let place = (number as Place) << WITHIN | within as Place;
        let slot = &mut segment.slots[within];
        if *slot == 0 {
            if !self.open {
                return None;
            }
            segment.held += 1;
        } else if State::is_seen(*slot as u32) {
            return Some(Found {
                place,
                is_seen: true,
            });
        }
        // New, or seen only in removed paragraphs of earlier documents, which do not count.
        *slot = slot_of(fingerprint, State::Here);
        segment.note(within, unit);
        Some(Found {
            place,
            is_seen: false,
        })
    }

    #[inline]
    fn end(&mut self, place: Place, unit: u32, kept: bool) {
        let segment = &mut self.segments[(place >> WITHIN) as usize];
        let slot = &mut segment.slots[within(place)];
        if *slot & STATE == State::Earlier as Slot {
            return;
        }
        *slot = *slot & !STATE | State::after(kept) as Slot;
        if kept {
            segment.note(within(place), unit);
        }
    }

    #[inline]
    fn unit(&self, place: Place) -> Option<u32> {
        self.segments[(place >> WITHIN) as usize]
            .units
            .get(within(place))
            .copied()
    }

    fn held(&self) -> u64 {
        self.segments
            .iter()
            .map(|segment| segment.held as u64)
            .sum()
    }
}

/// The table's name in messages.
const WHAT: &str = "the table of previously seen n-grams";

#[inline]
fn segment_of(id: u64) -> usize {
    (id >> (64 - SEGMENT_BITS)) as usize
}

/// The bits of an id stored in its slot.
#[inline]
fn rest_of(id: u64) -> u32 {
    (id >> (32 - SEGMENT_BITS)) as u32
}

#[inline]
fn slot_of(fingerprint: Fingerprint, state: State) -> Slot {
    Slot::from(rest_of(fingerprint.id)) << 32
        | Slot::from(fingerprint.check as u32) & !STATE
        | state as Slot
}

#[inline]
fn within(place: Place) -> usize {
    (place & ((1 << WITHIN) - 1)) as usize
}

impl Segment {
    fn bytes(&self) -> u64 {
        (size_of_val(&self.slots[..]) + size_of_val(&self.units[..])) as u64
    }

    fn is_short_of(&self, more: usize) -> bool {
        more > 0 && (self.held + more) * FULL.1 > self.slots.len() * FULL.0
    }

    fn grow(&mut self, slots: usize, with_units: bool) {
        let old = std::mem::replace(&mut self.slots, vec![0; slots]);
        let units = std::mem::replace(
            &mut self.units,
            if with_units {
                vec![0; slots]
            } else {
                Vec::new()
            },
        );
        for (at, slot) in old.iter().enumerate().filter(|(_, slot)| **slot != 0) {
            let mut place = self.home((*slot >> 32) as u32);
            while self.slots[place] != 0 {
                place = self.after(place);
            }
            self.slots[place] = *slot;
            if with_units {
                self.units[place] = units[at];
            }
        }
    }

    #[inline]
    fn note(&mut self, place: usize, unit: u32) {
        if let Some(place) = self.units.get_mut(place) {
            *place = unit;
        }
    }

    #[inline]
    fn home(&self, rest: u32) -> usize {
        ((u128::from(rest) * self.slots.len() as u128) >> 32) as usize
    }

    #[inline]
    fn after(&self, place: usize) -> usize {
        if place + 1 == self.slots.len() {
            0
        } else {
            place + 1
        }
    }

    /// The slot of an n-gram, or the empty one where it belongs.
    #[inline]
    fn find(&self, fingerprint: Fingerprint) -> usize {
        let wanted = slot_of(fingerprint, State::Unseen) | STATE;
        let mut place = self.home(rest_of(fingerprint.id));
        loop {
            let slot = self.slots[place];
            if slot == 0 || slot | STATE == wanted {
                return place;
            }
            place = self.after(place);
        }
    }
}
