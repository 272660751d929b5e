//! What the texts of an index have in common: the dictionary of zstd with which blocks are compressed, so
//! that small blocks, which are read faster, take no more space than large ones.
//!
//! It is made of the first texts, when there are enough, and stays: blocks that were compressed with it
//! are merged as they are.

use super::pages::damaged;
use crate::error::{Error, ErrorKind, Result};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;
use zstd::zstd_safe::{CDict, DDict};

/// Bytes of records of which one is made.
pub(super) const ENOUGH: usize = 2 << 20;
/// The most bytes of one.
const MOST: usize = 32 << 10;

/// A dictionary.
pub(super) struct Primer {
    bytes: Vec<u8>,
    pub(super) compresses: CDict<'static>,
    pub(super) decompresses: DDict<'static>,
}

/// Where the dictionary of an index is.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrimerFile {
    /// The number of its file.
    pub file: u64,
    /// Its checksum.
    pub check: String,
}

impl Primer {
    /// Made of records of these lengths, which lie one after the other; none if they have too little in
    /// common.
    pub(super) fn train(records: &[u8], lengths: &[usize], level: i32) -> Option<Self> {
        let bytes = zstd::dict::from_continuous(records, lengths, MOST).ok()?;
        Self::new(bytes, level)
    }

    fn new(bytes: Vec<u8>, level: i32) -> Option<Self> {
        Some(Self {
            compresses: CDict::try_create(&bytes, level)?,
            decompresses: DDict::try_create(&bytes)?,
            bytes,
        })
    }

    /// Writes a file, which must not exist, and waits until the disk has it.
    pub(super) fn write(&self, path: &Path, file: u64) -> Result<PrimerFile> {
        File::create_new(path)
            .and_then(|mut file| {
                file.write_all(&self.bytes)?;
                file.sync_all()
            })
            .map_err(|error| Error::io("write", path, error))?;
        let check = check(&self.bytes);
        Ok(PrimerFile { file, check })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it is damaged.
    pub(super) fn read(path: &Path, known: &PrimerFile, level: i32) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|error| Error::io("read", path, error))?;
        if check(&bytes) != known.check {
            return Err(damaged(
                path,
                "the compression dictionary of the index",
                "another",
            ));
        }
        let memory = || ErrorKind::Memory.expected("memory for a compression dictionary");
        Self::new(bytes, level).ok_or_else(memory)
    }

    /// Whether this is the other one.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

fn check(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}
