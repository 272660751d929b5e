//! Rows on scratch, in pieces. A piece begins with the address of the previous piece of its
//! partition, so that nothing in memory grows with the number of pieces.

use crate::error::Result;
use crate::scratch::SpillFile;

/// Bytes that are written at once.
const AT_ONCE: usize = 1 << 18;
/// Bytes of the place of the previous piece.
const LINK: usize = size_of::<Place>();

/// Where the last piece of a partition is, and the number of its rows: none, at first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Place(u64);

impl Place {
    /// Bits of the number of rows.
    const ROWS: u32 = 16;
    /// The maximum number of rows in a piece.
    const MOST: usize = (1 << Self::ROWS) - 1;

    fn new(start: u64, rows: usize) -> Self {
        Self(start << Self::ROWS | rows as u64)
    }

    fn start(self) -> u64 {
        self.0 >> Self::ROWS
    }

    fn rows(self) -> usize {
        (self.0 & Self::MOST as u64) as usize
    }
}

/// Pieces of all partitions.
pub(crate) struct Spill {
    file: SpillFile,
    written: u64,
    pending: Vec<u8>,
}

impl Spill {
    /// Nothing yet.
    pub(crate) fn new(file: SpillFile) -> Self {
        Self {
            file,
            written: 0,
            pending: Vec::new(),
        }
    }

    /// Appends rows to the partition whose last piece is `last`, and returns the address of the new
    /// last piece.
    ///
    /// # Errors
    /// If scratch is full.
    pub(crate) fn append<T: bytemuck::Pod>(&mut self, last: Place, rows: &[T]) -> Result<Place> {
        rows.chunks(Place::MOST).try_fold(last, |last, rows| {
            let bytes: &[u8] = bytemuck::cast_slice(rows);
            if self.pending.len() + LINK + bytes.len() > AT_ONCE {
                self.flush()?;
            }
            let start = self.written + self.pending.len() as u64;
            self.pending.extend_from_slice(&last.0.to_le_bytes());
            self.pending.extend_from_slice(bytes);
            Ok(Place::new(start, rows.len()))
        })
    }

    /// Whether appended rows cannot be read yet.
    pub(crate) fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Writes what is pending.
    ///
    /// # Errors
    /// If scratch is full.
    pub(crate) fn flush(&mut self) -> Result<()> {
        self.written += self.file.append(&self.pending)?.length;
        self.pending.clear();
        Ok(())
    }

    /// Frees the buffer when all is written.
    ///
    /// # Errors
    /// If scratch is full.
    pub(crate) fn seal(&mut self) -> Result<()> {
        self.flush()?;
        self.pending = Vec::new();
        Ok(())
    }

    /// Reads the rows of the partition whose last piece is `last`; `out` has room for just these.
    ///
    /// # Errors
    /// If scratch cannot be read.
    pub(crate) fn read<T: bytemuck::Pod>(&self, last: Place, out: &mut [T]) -> Result<()> {
        let (mut place, mut end, mut piece) = (last, out.len(), Vec::new());
        while let Some(start) = end.checked_sub(place.rows()).filter(|start| *start < end) {
            let rows: &mut [u8] = bytemuck::cast_slice_mut(&mut out[start..end]);
            piece.resize(LINK + rows.len(), 0);
            self.file.read_at(place.start(), &mut piece)?;
            if let Some((link, found)) = piece.split_first_chunk::<LINK>() {
                rows.copy_from_slice(found);
                place = Place(u64::from_le_bytes(*link));
            }
            end = start;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn pieces_of_several_partitions_come_back_in_order() {
        let mut spill = Spill::new(Scratch::system().file().unwrap());
        let mut last = [Place::default(); 3];
        let mut all: [Vec<u32>; 3] = Default::default();
        for step in 0..40_000_u32 {
            let partition = (step % 7 % 3) as usize;
            let rows: Vec<u32> = (step..step + step % 5).collect();
            last[partition] = spill.append(last[partition], &rows).unwrap();
            all[partition].extend(rows);
        }
        assert!(spill.is_pending() && spill.written > AT_ONCE as u64);
        // More than a piece can have.
        let many: Vec<u32> = (0..3 * Place::MOST as u32 + 5).collect();
        last[1] = spill.append(last[1], &many).unwrap();
        all[1].extend(many);
        spill.seal().unwrap();
        for (last, all) in last.into_iter().zip(all) {
            let mut found = vec![0; all.len()];
            spill.read(last, &mut found).unwrap();
            assert_eq!(found, all);
            // The last rows alone.
            let mut found = vec![0; last.rows()];
            spill.read(last, &mut found).unwrap();
            assert_eq!(found, all[all.len() - found.len()..]);
        }
        spill.read::<u32>(Place::default(), &mut []).unwrap();
    }

    #[test]
    fn full_scratch_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = Spill::new(Scratch::new(folder.path(), 10).file().unwrap());
        spill.append(Place::default(), &[1_u64, 2]).unwrap();
        assert!(spill.seal().is_err());
    }
}
