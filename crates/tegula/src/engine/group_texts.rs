//! One row of numbers for each of some groups, as the bytes or the tokens of its text: put by any
//! thread, in memory while the ceiling allows and on scratch beyond, and read in any order.

use std::borrow::Cow;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::context::{Context, Reservation};
use crate::error::{Error, ErrorKind, Result};
use crate::scratch::{Extent, SpillFile};

/// The texts of groups.
pub(super) struct GroupTexts<T> {
    context: Context,
    /// By group: which of the rows it is, [`NONE`] for no row.
    places: Vec<u32>,
    rows: Vec<OnceLock<Row<T>>>,
    room: Mutex<Room>,
}

enum Row<T> {
    Memory(Box<[T]>),
    Scratch(Extent),
}

struct Room {
    reservation: Reservation,
    /// Bytes that may still be held; the rest of what is free is for the stage that compares the
    /// texts.
    left: u64,
    spill: Option<SpillFile>,
}

const NONE: u32 = u32::MAX;

impl<T: bytemuck::Pod> GroupTexts<T> {
    /// Room for the groups that are `wanted`.
    pub(super) fn new(context: &Context, wanted: &[bool]) -> Result<Self> {
        let count = wanted.iter().filter(|wanted| **wanted).count();
        let bytes = wanted.len() * size_of::<u32>() + count * size_of::<OnceLock<Row<T>>>();
        let reservation = context
            .budget
            .reserve(bytes as u64, "the places of texts")?;
        let mut next = 0..;
        Ok(Self {
            context: context.clone(),
            places: wanted
                .iter()
                .map(|wanted| {
                    if *wanted {
                        next.next().unwrap_or(NONE)
                    } else {
                        NONE
                    }
                })
                .collect(),
            rows: (0..count).map(|_| OnceLock::new()).collect(),
            room: Mutex::new(Room {
                reservation,
                left: context.budget.free() / 2,
                spill: None,
            }),
        })
    }

    /// Takes the row of a group that is wanted.
    pub(super) fn put(&self, group: u32, row: Box<[T]>) -> Result<()> {
        let Some(place) = self.rows.get(self.places[group as usize] as usize) else {
            return Ok(());
        };
        // With what the allocator adds.
        let bytes = size_of_val(&row[..]) as u64 + 16;
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        let row = if bytes <= room.left && room.reservation.try_grow(bytes) {
            room.left -= bytes;
            Row::Memory(row)
        } else {
            let file = match &mut room.spill {
                Some(file) => file,
                none => none.insert(self.context.scratch.file()?),
            };
            Row::Scratch(file.append(bytemuck::cast_slice(&row))?)
        };
        drop(room);
        let _set = place.set(row);
        Ok(())
    }

    /// The row of a group.
    pub(super) fn get(&self, group: u32) -> Result<Cow<'_, [T]>> {
        let missing = || Error::new(ErrorKind::Run, "expected a text that was read, found none");
        let place = self.places[group as usize] as usize;
        let extent = match self
            .rows
            .get(place)
            .and_then(OnceLock::get)
            .ok_or_else(missing)?
        {
            Row::Memory(row) => return Ok(Cow::Borrowed(row)),
            Row::Scratch(extent) => *extent,
        };
        let mut row = vec![T::zeroed(); extent.length as usize / size_of::<T>()];
        let room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        room.spill
            .as_ref()
            .ok_or_else(missing)?
            .read(extent, bytemuck::cast_slice_mut(&mut row))?;
        Ok(Cow::Owned(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Budget;
    use crate::scratch::Scratch;

    #[test]
    fn texts_come_back_from_memory_and_scratch() {
        let context = Context::new(1, Budget::OVERHEAD + 560, Scratch::system());
        let texts = GroupTexts::new(&context, &[true, false, false, true, true]).unwrap();
        let long: Vec<u64> = (0..50).collect();
        for (group, row) in [(3, &[7][..]), (0, &long), (4, &[])] {
            texts.put(group, row.into()).unwrap();
        }
        assert!(
            matches!(texts.rows[1].get(), Some(Row::Memory(_)))
                && matches!(texts.rows[0].get(), Some(Row::Scratch(_)))
        );
        assert_eq!(
            [0, 3, 4].map(|group| texts.get(group).unwrap().into_owned()),
            [long, vec![7], vec![]]
        );
        assert_eq!(texts.get(1).unwrap_err().kind(), ErrorKind::Run);
    }
}
