//! Which records of a segment are removed: a bit for each.

use super::pages::damaged;
use crate::columns::{from_bytes, to_bytes};
use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// What the file is, with the version of its layout.
const KIND: [u8; 8] = *b"TGREMOV1";

/// The removed records of a segment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Removed {
    bits: Vec<u32>,
    count: u32,
}

impl Removed {
    /// None, of so many records.
    pub(super) fn none(records: u32) -> Self {
        Self {
            bits: vec![0; records.div_ceil(u32::BITS) as usize],
            count: 0,
        }
    }

    /// Whether a record is removed.
    #[inline]
    pub(super) fn has(&self, record: u32) -> bool {
        let word = self.bits.get((record / u32::BITS) as usize);
        word.is_some_and(|word| word >> (record % u32::BITS) & 1 == 1)
    }

    /// Removes a record; returns whether it was there.
    pub(super) fn add(&mut self, record: u32) -> bool {
        if self.has(record) {
            return false;
        }
        if let Some(word) = self.bits.get_mut((record / u32::BITS) as usize) {
            *word |= 1 << (record % u32::BITS);
            self.count += 1;
        }
        true
    }

    /// How many are removed.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Writes a file, which must not exist, and waits until the disk has it.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let bytes = to_bytes(KIND, [&self.bits]);
        File::create_new(path)
            .and_then(|mut file| {
                file.write_all(&bytes)?;
                file.sync_all()
            })
            .map_err(|error| Error::io("write", path, error))
    }

    /// Reads the file of a segment with so many records.
    pub(super) fn read(path: &Path, records: u32) -> Result<Self> {
        let bytes = fs::read(path).map_err(|error| Error::io("read", path, error))?;
        let columns = from_bytes::<1>(KIND, &bytes).ok();
        let [bits] = columns
            .filter(|[bits]| bits.len() == records.div_ceil(u32::BITS) as usize)
            .ok_or_else(|| damaged(path, "a list of removed records", "something else"))?;
        let count = bits.iter().map(|word| word.count_ones()).sum();
        Ok(Self { bits, count })
    }
}
