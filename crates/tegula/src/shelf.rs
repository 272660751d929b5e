//! Arrays put away under a number and taken once, in memory while the ceiling allows and on scratch beyond.

use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::scratch::{Extent, SpillFile};
use std::sync::{Mutex, PoisonError};

/// Arrays of `u32` by number.
pub(crate) struct Shelf {
    context: Context,
    places: Mutex<Places>,
}

struct Places {
    kept: Vec<Place>,
    /// Bytes that may still be held in memory: half of what is free at the start, the rest is for the stage that takes them.
    room: u64,
    spill: Option<SpillFile>,
}

enum Place {
    Empty,
    Memory(Vec<u32>, #[expect(dead_code, reason = "gives the bytes back when dropped")] Reservation),
    Scratch(Extent),
}

impl Shelf {
    /// Places `0..count`, all empty.
    pub(crate) fn new(context: &Context, count: usize) -> Self {
        let kept = (0..count).map(|_| Place::Empty).collect();
        Self { context: context.clone(), places: Mutex::new(Places { kept, room: context.budget.free() / 2, spill: None }) }
    }

    /// Puts an array away.
    ///
    /// # Errors
    /// When scratch is full.
    pub(crate) fn put(&self, number: usize, array: Vec<u32>) -> Result<()> {
        let bytes = 4 * array.len() as u64;
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let reservation = if bytes <= places.room { self.context.budget.try_reserve(bytes) } else { None };
        if reservation.is_some() {
            places.room -= bytes;
        }
        places.kept[number] = if let Some(reservation) = reservation {
            Place::Memory(array, reservation)
        } else {
            let mut spill = match places.spill.take() {
                Some(spill) => spill,
                None => self.context.scratch.file()?,
            };
            let extent = spill.append(bytemuck::cast_slice(&array));
            places.spill = Some(spill);
            Place::Scratch(extent?)
        };
        Ok(())
    }

    /// Takes an array back; an empty place gives an empty one.
    ///
    /// # Errors
    /// When scratch fails.
    pub(crate) fn take(&self, number: usize) -> Result<Vec<u32>> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut places.kept[number], Place::Empty) {
            Place::Empty => Ok(Vec::new()),
            Place::Memory(array, _) => Ok(array),
            Place::Scratch(extent) => {
                let mut array = vec![0; extent.length as usize / 4];
                if let Some(spill) = &places.spill {
                    spill.read(extent, bytemuck::cast_slice_mut(&mut array))?;
                }
                Ok(array)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Budget;
    use crate::scratch::Scratch;

    #[test]
    fn arrays_come_back_from_memory_and_scratch() {
        let context = Context::new(1, Budget::OVERHEAD + 80, Scratch::system());
        let shelf = Shelf::new(&context, 4);
        shelf.put(1, vec![1; 10]).unwrap();
        shelf.put(2, vec![2; 10]).unwrap();
        assert_eq!(shelf.take(2).unwrap(), [2; 10]);
        assert_eq!(shelf.take(1).unwrap(), [1; 10]);
        assert!(shelf.take(0).unwrap().is_empty() && shelf.take(1).unwrap().is_empty());
        assert_eq!(context.budget.free(), 80);
    }
}
