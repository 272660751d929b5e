//! Rows sorted into partitions, in memory as far as the ceiling allows and otherwise on scratch.
//!
//! Each thread appends through its own [`Writer`], so the order of rows in a partition is
//! unspecified, and all users sort a partition by a total order first.

use crate::context::{Context, Reservation, make_room};
use crate::error::{Error, Result};
use crate::spill::{Place, Spill};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The size of a piece in bytes: small pieces can reuse freed memory.
pub(crate) const PIECE: usize = 4096;

/// Rows by partition.
pub struct Partitions<T> {
    context: Context,
    parts: Vec<Mutex<Part<T>>>,
    buffer: usize,
    shared: RwLock<Shared>,
}

/// The rows of a partition, taken out of it.
pub(crate) struct Pieces<T> {
    held: Vec<Vec<T>>,
    spilled: Vec<T>,
}

impl<T> Pieces<T> {
    /// The pieces.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[T]> + Clone {
        let held = self.held.iter().map(|piece| &piece[..]);
        held.chain(std::iter::once(&self.spilled[..]))
    }
}

struct Part<T> {
    pieces: Vec<Vec<T>>,
    /// The last piece on scratch.
    last: Place,
    rows: u64,
}

struct Shared {
    reservation: Option<Reservation>,
    /// The maximum number of bytes in memory, if the ceiling has room for them.
    most: u64,
    spill: Option<Spill>,
    /// Why the last rows of a writer could not be stored.
    failed: Option<Error>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: bytemuck::Pod + Send> Partitions<T> {
    /// `count` empty partitions; writers add rows in pieces of `buffer`.
    pub fn new(context: &Context, count: usize, buffer: usize) -> Self {
        let part = || {
            Mutex::new(Part {
                pieces: Vec::new(),
                last: Place::default(),
                rows: 0,
            })
        };
        Self {
            context: context.clone(),
            parts: (0..count.max(1)).map(|_| part()).collect(),
            buffer: buffer.max(1),
            shared: RwLock::new(Shared {
                reservation: context.budget.try_reserve(0),
                most: u64::MAX,
                spill: None,
                failed: None,
            }),
        }
    }

    /// Keeps at most this many bytes of rows in memory. If the rows will not all fit, 0 is best:
    /// memory in small pieces is returned to the system late.
    #[must_use]
    pub fn keep_at_most(self, bytes: u64) -> Self {
        self.change().most = bytes;
        self
    }

    /// The number of partitions.
    pub fn count(&self) -> usize {
        self.parts.len()
    }

    /// A writer for one thread. Drop all writers, then [`Partitions::seal`].
    pub fn writer(&self) -> Writer<'_, T> {
        Writer {
            partitions: self,
            buffers: (0..self.parts.len()).map(|_| Vec::new()).collect(),
        }
    }

    /// The number of rows in a partition.
    pub fn rows(&self, partition: usize) -> u64 {
        lock(&self.parts[partition]).rows
    }

    /// The number of rows in all partitions.
    pub fn all_rows(&self) -> u64 {
        (0..self.count())
            .map(|partition| self.rows(partition))
            .sum()
    }

    /// Bytes of the largest partition.
    pub fn largest(&self) -> u64 {
        let rows = (0..self.count()).map(|partition| self.rows(partition));
        size_of::<T>() as u64 * rows.max().unwrap_or(0)
    }

    /// All partitions, in ranges of at most this many bytes, or of one partition.
    pub(crate) fn ranges(&self, bytes: u64) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut room = 0;
        for partition in 0..self.count() {
            let more = self.rows(partition) * size_of::<T>() as u64;
            match ranges.last_mut() {
                Some(range) if more <= room => range.end += 1,
                _ => {
                    ranges.push(partition..partition + 1);
                    room = bytes;
                }
            }
            room = room.saturating_sub(more);
        }
        ranges
    }

    /// Whether any rows were spilled.
    pub fn spilled(&self) -> bool {
        self.shared().spill.is_some()
    }

    /// Finishes writing.
    ///
    /// # Errors
    /// If the last rows of a writer could not be stored.
    pub fn seal(&self) -> Result<()> {
        let mut shared = self.change();
        if let Some(spill) = &mut shared.spill {
            spill.seal()?;
        }
        shared.failed.take().map_or(Ok(()), Err)
    }

    /// Removes and returns a partition's rows: in unspecified order, or in that of its only writer.
    ///
    /// # Errors
    /// If scratch cannot be read.
    pub fn take(&self, partition: usize) -> Result<Vec<T>> {
        let mut part = lock(&self.parts[partition]);
        let rows = self.read(&part)?;
        let freed = part
            .pieces
            .drain(..)
            .map(|piece| size_of_val(&piece[..]) as u64)
            .sum();
        part.last = Place::default();
        part.rows = 0;
        drop(part);
        if let Some(reservation) = &mut self.change().reservation {
            reservation.shrink(freed);
        }
        Ok(rows)
    }

    /// Removes and returns a partition's rows, in pieces: they need not be copied if they are read
    /// from front to back.
    ///
    /// # Errors
    /// If scratch cannot be read.
    pub(crate) fn take_pieces(&self, partition: usize) -> Result<Pieces<T>> {
        let mut part = lock(&self.parts[partition]);
        let held = std::mem::take(&mut part.pieces);
        let mut spilled = Vec::new();
        let in_memory: usize = held.iter().map(Vec::len).sum();
        let count = part.rows as usize - in_memory;
        make_room(&mut spilled, count, "a share of the features")?;
        spilled.resize(count, T::zeroed());
        self.read_spilled(&part, &mut spilled)?;
        part.last = Place::default();
        part.rows = 0;
        drop(part);
        if let Some(reservation) = &mut self.change().reservation {
            reservation.shrink((size_of::<T>() * in_memory) as u64);
        }
        Ok(Pieces { held, spilled })
    }

    /// A partition's rows, which are kept.
    ///
    /// # Errors
    /// If scratch cannot be read.
    pub fn look(&self, partition: usize) -> Result<Vec<T>> {
        self.read(&lock(&self.parts[partition]))
    }

    fn read(&self, part: &Part<T>) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        make_room(&mut rows, part.rows as usize, "a share of the features")?;
        // Rows in memory precede all spilled rows.
        part.pieces
            .iter()
            .for_each(|piece| rows.extend_from_slice(piece));
        let in_memory = rows.len();
        rows.resize(part.rows as usize, T::zeroed());
        self.read_spilled(part, &mut rows[in_memory..])?;
        Ok(rows)
    }

    /// Reads the spilled rows of a partition.
    fn read_spilled(&self, part: &Part<T>, rows: &mut [T]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let is_pending = self.shared().spill.as_ref().is_some_and(Spill::is_pending);
        if is_pending && let Some(spill) = &mut self.change().spill {
            spill.flush()?;
        }
        match &self.shared().spill {
            Some(spill) => spill.read(part.last, rows),
            None => Ok(()),
        }
    }

    fn shared(&self) -> RwLockReadGuard<'_, Shared> {
        self.shared.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self) -> RwLockWriteGuard<'_, Shared> {
        self.shared.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends rows to a partition that has no writer; their order is preserved.
    ///
    /// # Errors
    /// If scratch is full.
    pub fn put(&self, partition: usize, rows: &[T]) -> Result<()> {
        rows.chunks(self.buffer)
            .try_for_each(|some| self.push(partition, &mut some.to_vec()))
    }

    /// Stores the contents of a full buffer, and empties it.
    #[cold]
    fn make_room(&self, partition: usize, buffer: &mut Vec<T>) -> Result<()> {
        if !buffer.is_empty() {
            self.push(partition, buffer)?;
        }
        buffer.reserve_exact(self.buffer);
        Ok(())
    }

    /// Appends and clears a piece: in memory if there is room, otherwise on scratch.
    fn push(&self, partition: usize, rows: &mut Vec<T>) -> Result<()> {
        let bytes = size_of_val(&rows[..]) as u64;
        self.context.work.moved(bytes);
        let mut part = lock(&self.parts[partition]);
        part.rows += rows.len() as u64;
        let mut shared = self.change();
        if shared.spill.is_none() {
            let (most, free) = (shared.most, self.context.budget.free());
            // Three eighths of free memory, not counting what is held here, are left for others and
            // for later stages.
            let may_hold = |held: u64| held <= most.min((free + held) / 8 * 5);
            if shared
                .reservation
                .as_mut()
                .is_some_and(|r| may_hold(r.bytes() + bytes) && r.try_grow(bytes))
            {
                drop(shared);
                part.pieces.push(std::mem::take(rows));
                return Ok(());
            }
            // From now on all rows are spilled; those in memory remain there.
            shared.spill = Some(Spill::new(self.context.scratch.file()?));
        }
        if let Some(spill) = &mut shared.spill {
            part.last = spill.append(part.last, rows)?;
        }
        rows.clear();
        Ok(())
    }
}

/// One thread's writer to [`Partitions`].
pub struct Writer<'a, T: bytemuck::Pod + Send> {
    partitions: &'a Partitions<T>,
    buffers: Vec<Vec<T>>,
}

impl<T: bytemuck::Pod + Send> Writer<'_, T> {
    /// Appends a row.
    ///
    /// # Errors
    /// If scratch is full.
    #[inline]
    pub fn push(&mut self, partition: usize, row: T) -> Result<()> {
        let buffer = &mut self.buffers[partition];
        if buffer.len() == buffer.capacity() {
            self.partitions.make_room(partition, buffer)?;
        }
        buffer.push(row);
        Ok(())
    }
}

impl<T: bytemuck::Pod + Send> Drop for Writer<'_, T> {
    /// Stores the rows that are still buffered.
    fn drop(&mut self) {
        for (partition, buffer) in self
            .buffers
            .iter_mut()
            .enumerate()
            .filter(|(_, buffer)| !buffer.is_empty())
        {
            buffer.shrink_to_fit();
            if let Err(error) = self.partitions.push(partition, buffer) {
                self.partitions.change().failed = Some(error);
                return;
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
    fn rows_come_back_whether_they_were_spilled_or_not() {
        for memory in [Budget::OVERHEAD + 100, Budget::OVERHEAD + (1 << 20)] {
            let context = Context::new(1, memory, Scratch::system());
            let partitions = Partitions::<u64>::new(&context, 4, 3);
            let mut writer = partitions.writer();
            for i in 0..1_000_u64 {
                writer.push((i % 4) as usize, i).unwrap();
            }
            drop(writer);
            partitions.seal().unwrap();
            assert_eq!(partitions.spilled(), memory < Budget::OVERHEAD + 1_000);
            for p in 0..4 {
                let mut rows = partitions.take(p).unwrap();
                rows.sort_unstable();
                assert_eq!(
                    rows,
                    (0..1_000).filter(|i| i % 4 == p as u64).collect::<Vec<_>>()
                );
            }
            assert_eq!(context.budget.free(), memory - Budget::OVERHEAD);
        }
    }

    #[test]
    fn ranges_have_all_partitions_and_no_more_bytes_than_wanted_or_one() {
        let context = Context::new(1, Budget::OVERHEAD + (1 << 20), Scratch::system());
        let partitions = Partitions::<u32>::new(&context, 6, 3);
        for (partition, rows) in [(0, 1), (1, 2), (3, 9), (4, 1)] {
            partitions.put(partition, &vec![7; rows]).unwrap();
        }
        assert_eq!(partitions.ranges(4 * 3), [0..3, 3..4, 4..6]);
        assert!(partitions.ranges(4 * 99).iter().eq([&(0..6)]));
        assert_eq!(partitions.ranges(0), [0..1, 1..3, 3..4, 4..6]);
    }

    #[test]
    fn rows_that_are_put_keep_their_order() {
        for memory in [Budget::OVERHEAD + 100, Budget::OVERHEAD + (1 << 20)] {
            let context = Context::new(1, memory, Scratch::system());
            let partitions = Partitions::<u32>::new(&context, 2, 3);
            for from in [0, 10, 20] {
                partitions
                    .put(1, &(from..from + 10).collect::<Vec<_>>())
                    .unwrap();
            }
            for _ in 0..2 {
                assert_eq!(partitions.look(1).unwrap(), (0..30).collect::<Vec<_>>());
            }
            assert_eq!(partitions.take(1).unwrap(), (0..30).collect::<Vec<_>>());
            assert!(
                partitions.take(1).unwrap().is_empty() && partitions.look(0).unwrap().is_empty()
            );
        }
    }
}
