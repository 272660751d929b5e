//! Arrays put away under a number, looked at and taken, in memory while the ceiling allows and on scratch beyond.

use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::scratch::{Extent, SpillFile};
use std::sync::{Mutex, PoisonError};

/// Arrays by number.
pub(crate) struct Shelf<T> {
    context: Context,
    places: Mutex<Places<T>>,
}

struct Places<T> {
    kept: Vec<Place<T>>,
    /// Bytes that may still be held in memory: half of what is free at the start, the rest is for the stage that takes them.
    room: u64,
    spill: Option<SpillFile>,
}

enum Place<T> {
    Empty,
    Memory(Vec<T>, Reservation),
    Scratch(Extent),
}

impl<T: bytemuck::Pod> Shelf<T> {
    /// Places `0..count`, all empty.
    pub(crate) fn new(context: &Context, count: usize) -> Self {
        let kept = (0..count).map(|_| Place::Empty).collect();
        Self { context: context.clone(), places: Mutex::new(Places { kept, room: context.budget.free() / 2, spill: None }) }
    }

    /// Puts an array away.
    ///
    /// # Errors
    /// When scratch is full.
    pub(crate) fn put(&self, number: usize, array: Vec<T>) -> Result<()> {
        let bytes = size_of_val(&array[..]) as u64;
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
    pub(crate) fn take(&self, number: usize) -> Result<Vec<T>> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let place = std::mem::replace(&mut places.kept[number], Place::Empty);
        places.read(place).map(|(array, _)| array)
    }

    /// Shows an array to `f`, and leaves it where it is. Not to be called for one number by two threads at once.
    ///
    /// # Errors
    /// When scratch fails.
    pub(crate) fn show<R>(&self, number: usize, f: impl FnOnce(&[T]) -> R) -> Result<R> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let place = std::mem::replace(&mut places.kept[number], Place::Empty);
        let extent = if let Place::Scratch(extent) = &place { Some(*extent) } else { None };
        let (array, held) = places.read(place)?;
        drop(places);
        let shown = f(&array);
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.kept[number] = match (extent, held) {
            (Some(extent), _) => Place::Scratch(extent),
            (None, Some(held)) => Place::Memory(array, held),
            (None, None) => Place::Empty,
        };
        Ok(shown)
    }
}

impl<T: bytemuck::Pod> Places<T> {
    /// The array of a place, and the memory that it has.
    fn read(&self, place: Place<T>) -> Result<(Vec<T>, Option<Reservation>)> {
        match place {
            Place::Empty => Ok((Vec::new(), None)),
            Place::Memory(array, held) => Ok((array, Some(held))),
            Place::Scratch(extent) => {
                let mut array = vec![T::zeroed(); extent.length as usize / size_of::<T>()];
                if let Some(spill) = &self.spill {
                    spill.read(extent, bytemuck::cast_slice_mut(&mut array))?;
                }
                Ok((array, None))
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
        shelf.put(1, vec![1_u32; 10]).unwrap();
        shelf.put(2, vec![2; 10]).unwrap();
        for number in [1, 2, 1, 2] {
            assert_eq!(shelf.show(number, <[u32]>::to_vec).unwrap(), [number as u32; 10]);
        }
        assert_eq!(shelf.take(2).unwrap(), [2; 10]);
        assert_eq!(shelf.take(1).unwrap(), [1; 10]);
        assert!(shelf.take(0).unwrap().is_empty() && shelf.take(1).unwrap().is_empty());
        assert_eq!(context.budget.free(), 80);
    }
}
