//! A file in pages, each with a checksum: written from front to back, read at random.
//!
//! A page is checked when it is first read, so that opening a file of any size is quick, and nothing
//! is answered from damaged bytes. The sections of a file and the checksums of its pages are listed at
//! its end, with a checksum of their own.

use crate::error::{Error, ErrorKind, Result};
use memmap2::Mmap;
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a page.
const PAGE: usize = 1 << 12;
/// What the files are, with the version of their layout.
const MAGIC: [u8; 8] = *b"TGINDEX1";
/// Bytes of the end after the table of sections: the number of sections, where the checksums begin,
/// the checksum of everything from there to here, and the kind.
const TAIL: usize = 32;

/// Writes a file.
pub(super) struct PageWriter {
    path: PathBuf,
    file: File,
    pending: Vec<u8>,
    sums: Vec<u8>,
    written: u64,
    sections: Vec<u64>,
}

/// Bytes that are written at once.
const AT_ONCE: usize = 1 << 20;

impl PageWriter {
    /// Creates a file, which must not exist.
    pub(super) fn create(path: PathBuf) -> Result<Self> {
        let file = File::create_new(&path).map_err(|error| Error::io("create", &path, error))?;
        Ok(Self {
            path,
            file,
            pending: Vec::with_capacity(AT_ONCE + PAGE),
            sums: Vec::new(),
            written: 0,
            sections: Vec::new(),
        })
    }

    /// Bytes written to the section so far.
    pub(super) fn position(&self) -> u64 {
        self.all() - self.sections.iter().sum::<u64>()
    }

    fn all(&self) -> u64 {
        self.written + self.pending.len() as u64
    }

    /// Appends to the section.
    pub(super) fn put(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(AT_ONCE));
            self.pending.extend_from_slice(now);
            bytes = later;
            if self.pending.len() >= AT_ONCE {
                self.write(self.pending.len() / PAGE * PAGE)?;
            }
        }
        Ok(())
    }

    /// Ends a section, which may be empty.
    pub(super) fn end_section(&mut self) {
        self.sections.push(self.position());
    }

    fn write(&mut self, length: usize) -> Result<()> {
        let pages = &self.pending[..length];
        for page in pages.chunks(PAGE) {
            let sum = xxh3_64(page) as u32;
            self.sums.extend_from_slice(&sum.to_le_bytes());
        }
        (self.file.write_all(pages)).map_err(|error| Error::io("write", &self.path, error))?;
        self.written += length as u64;
        self.pending.drain(..length);
        Ok(())
    }

    /// Ends the file and waits until the disk has it; returns its length.
    pub(super) fn finish(mut self) -> Result<u64> {
        self.write(self.pending.len())?;
        let sums_from = self.written;
        let mut end = std::mem::take(&mut self.sums);
        for section in &self.sections {
            end.extend_from_slice(&section.to_le_bytes());
        }
        end.extend_from_slice(&(self.sections.len() as u64).to_le_bytes());
        end.extend_from_slice(&sums_from.to_le_bytes());
        let sum = xxh3_64(&end);
        end.extend_from_slice(&sum.to_le_bytes());
        end.extend_from_slice(&MAGIC);
        (self.file.write_all(&end))
            .and_then(|()| self.file.sync_all())
            .map_err(|error| Error::io("write", &self.path, error))?;
        Ok(sums_from + end.len() as u64)
    }
}

/// A file that is read.
pub(super) struct Pages {
    path: PathBuf,
    map: Mmap,
    /// Where the checksums begin.
    sums_from: usize,
    sections: Vec<Range<usize>>,
    /// By page, whether it has been checked.
    checked: Vec<AtomicU64>,
}

impl Pages {
    /// Opens a file of this length with so many sections, and checks its end.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if it cannot be opened, [`ErrorKind::Data`] if it is damaged.
    #[expect(
        unsafe_code,
        reason = "files are mapped, so that memory holds what is read"
    )]
    pub(super) fn open(path: PathBuf, length: u64, sections: usize) -> Result<Self> {
        let file = File::open(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => damaged(&path, "a segment", "no file"),
            _ => Error::io("open", &path, error),
        })?;
        // SAFETY: nothing changes a segment once it is written: it is created under a name that no file
        // has, and removed when nothing refers to it, which leaves the mapping as it is.
        let map = unsafe { Mmap::map(&file) };
        let map = map.map_err(|error| Error::io("read", &path, error))?;
        if map.len() as u64 != length {
            let found = format!("{} bytes", map.len());
            return Err(damaged(&path, format!("{length} bytes"), found));
        }
        let end = end_of(&map, sections);
        let (sums_from, lengths) =
            end.ok_or_else(|| damaged(&path, "a segment of an index", "something else"))?;
        let pages = sums_from.div_ceil(PAGE);
        let mut from = 0;
        let sections = lengths.into_iter().map(|length| {
            from += length;
            from - length..from
        });
        let sections = sections.collect();
        Ok(Self {
            path,
            map,
            sums_from,
            sections,
            checked: (0..pages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
        })
    }

    /// Bytes of a section.
    pub(super) fn len(&self, section: usize) -> usize {
        self.sections.get(section).map_or(0, ExactSizeIterator::len)
    }

    /// Bytes of a section, checked.
    ///
    /// # Errors
    /// [`ErrorKind::Data`] if they are damaged, or there are fewer.
    #[inline]
    pub(super) fn get(&self, section: usize, range: Range<usize>) -> Result<&[u8]> {
        let of = self.sections.get(section).cloned().unwrap_or_default();
        let is_in = range.start <= range.end && range.end <= of.len();
        if !is_in {
            return Err(self.damaged("a place in the file", "one beyond its end"));
        }
        let range = of.start + range.start..of.start + range.end;
        self.check(range.clone())?;
        Ok(&self.map[range])
    }

    /// The rest of a section from a place on, at most so many bytes of it.
    pub(super) fn at_most(&self, section: usize, from: usize, length: usize) -> Result<&[u8]> {
        let all = self.len(section);
        self.get(section, from.min(all)..from.saturating_add(length).min(all))
    }

    /// A whole section.
    pub(super) fn whole(&self, section: usize) -> Result<&[u8]> {
        self.get(section, 0..self.len(section))
    }

    #[inline]
    fn check(&self, range: Range<usize>) -> Result<()> {
        for page in range.start / PAGE..range.end.div_ceil(PAGE) {
            let (word, bit) = (&self.checked[page / 64], 1 << (page % 64));
            if word.load(Ordering::Relaxed) & bit == 0 {
                self.check_page(page)?;
                word.fetch_or(bit, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    #[cold]
    fn check_page(&self, page: usize) -> Result<()> {
        let from = page * PAGE;
        let sum = xxh3_64(&self.map[from..(from + PAGE).min(self.sums_from)]) as u32;
        let at = self.sums_from + 4 * page;
        if self.map[at..at + 4] == sum.to_le_bytes() {
            return Ok(());
        }
        let found = format!("another at byte {from}");
        Err(self.damaged("the checksum of every page", found))
    }

    /// Gives back the memory of a part of a section that is not needed soon.
    pub(super) fn forget(&self, section: usize, range: Range<usize>) {
        let of = self.sections.get(section).cloned().unwrap_or_default();
        self.give_back(of.start + range.start..(of.start + range.end).min(of.end));
    }

    /// Gives whole pages back to the system, which reads them again if they are needed.
    #[cfg(unix)]
    #[expect(unsafe_code, reason = "the interface covers other mappings, too")]
    fn give_back(&self, range: Range<usize>) {
        let (from, to) = (range.start.div_ceil(PAGE) * PAGE, range.end / PAGE * PAGE);
        if from < to {
            let advice = memmap2::UncheckedAdvice::DontNeed;
            // SAFETY: the mapping is of a file and read-only, so that its pages are read again.
            let _ = unsafe { self.map.unchecked_advise_range(advice, from, to - from) };
        }
    }

    /// Elsewhere the system decides.
    #[cfg(not(unix))]
    fn give_back(&self, _: Range<usize>) {}

    /// Checks all pages.
    ///
    /// # Errors
    /// [`ErrorKind::Data`] if one is damaged.
    pub(super) fn check_all(&self) -> Result<()> {
        (0..self.sums_from.div_ceil(PAGE)).try_for_each(|page| self.check_page(page))
    }

    /// The error if the file does not contain what it should.
    pub(super) fn damaged(
        &self,
        expected: impl std::fmt::Display,
        found: impl std::fmt::Display,
    ) -> Error {
        damaged(&self.path, expected, found)
    }
}

/// The error if a file of an index does not contain what it should.
pub(super) fn damaged(
    path: &Path,
    expected: impl std::fmt::Display,
    found: impl std::fmt::Display,
) -> Error {
    ErrorKind::Data
        .expected(expected)
        .found(found)
        .at(path)
        .hint(
            "the index is damaged: restore the folder from a copy, or make it again from its texts",
        )
}

/// Where the checksums begin, and the lengths of the sections.
fn end_of(bytes: &[u8], sections: usize) -> Option<(usize, Vec<usize>)> {
    let (body, tail) = bytes.split_last_chunk::<TAIL>()?;
    let number = |at: usize| {
        let bytes = tail.get(at..)?.first_chunk()?;
        usize::try_from(u64::from_le_bytes(*bytes)).ok()
    };
    let (count, sums_from) = (number(0)?, number(8)?);
    if tail[24..] != MAGIC || count != sections {
        return None;
    }
    let end = bytes.get(sums_from..bytes.len() - 16)?;
    if tail[16..24] != xxh3_64(end).to_le_bytes() {
        return None;
    }
    let sums = sums_from.div_ceil(PAGE).checked_mul(4)?;
    let table = body.get(sums_from.checked_add(sums)?..)?;
    let (lengths, rest) = table.as_chunks::<8>();
    let lengths = lengths
        .iter()
        .map(|length| usize::try_from(u64::from_le_bytes(*length)).ok())
        .collect::<Option<Vec<_>>>()?;
    let all = lengths
        .iter()
        .try_fold(0_usize, |sum, length| sum.checked_add(*length))?;
    (rest.is_empty() && lengths.len() == sections && all == sums_from)
        .then_some((sums_from, lengths))
}

/// Makes the checksums of a file fit its bytes, which were changed.
#[cfg(test)]
pub(super) fn reseal(bytes: &mut [u8], sections: usize) {
    let end = bytes.len();
    let Some((sums_from, _)) = end_of(bytes, sections) else {
        return;
    };
    let (pages, rest) = bytes.split_at_mut(sums_from);
    for (page, sum) in pages.chunks(PAGE).zip(rest.as_chunks_mut::<4>().0) {
        *sum = (xxh3_64(page) as u32).to_le_bytes();
    }
    let sum = xxh3_64(&bytes[sums_from..end - 16]);
    bytes[end - 16..end - 8].copy_from_slice(&sum.to_le_bytes());
}

/// Bytes that are given back at once.
const BACK: usize = 4 << 20;

impl Drop for Pages {
    fn drop(&mut self) {
        // To unmap a large file holds up all threads that first read a page of another meanwhile; to give its
        // pages back before does not.
        for from in (0..self.map.len()).step_by(BACK) {
            self.give_back(from..(from + BACK).min(self.map.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_come_back_and_every_damaged_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut writer = PageWriter::create(path.clone()).unwrap();
        let long: Vec<u8> = (0..3 * PAGE + 17).map(|at| (at * 7) as u8).collect();
        for section in [&b"abc"[..], &[], &long] {
            writer.put(section).unwrap();
            assert_eq!(writer.position(), section.len() as u64);
            writer.end_section();
        }
        let length = writer.finish().unwrap();
        let pages = Pages::open(path.clone(), length, 3).unwrap();
        assert_eq!(pages.whole(0).unwrap(), b"abc");
        assert!(pages.whole(1).unwrap().is_empty() && pages.whole(3).unwrap().is_empty());
        assert_eq!(pages.get(2, 5000..9000).unwrap(), &long[5000..9000]);
        assert_eq!(pages.at_most(2, 3 * PAGE, PAGE).unwrap().len(), 17);
        let beyond = 0..4;
        assert!(pages.get(0, beyond).is_err());
        pages.check_all().unwrap();
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(whole.len() as u64, length);
        for at in (0..whole.len())
            .step_by(211)
            .chain(whole.len() - 40..whole.len())
        {
            let mut bytes = whole.clone();
            bytes[at] ^= 16;
            let path = folder.path().join("b");
            std::fs::write(&path, &bytes).unwrap();
            let opened = Pages::open(path, length, 3);
            let checked = opened.and_then(|pages| pages.check_all());
            assert_eq!(checked.unwrap_err().kind(), ErrorKind::Data, "{at}");
        }
        assert!(Pages::open(path.clone(), length - 1, 3).is_err());
        assert!(Pages::open(path, length, 2).is_err());
    }
}
