//! Lines of a text file, for lists outside collections: in UTF-8, decompressed according to the
//! name.

use std::io;
use std::path::{Path, PathBuf};

use tegula::error::{Error, Result};

use crate::compress::{Compression, Ending, Input};

/// Bytes read at a time.
const PIECE: usize = 1 << 18;
/// Longer lines are refused.
const LONGEST: usize = 64 << 20;

/// Reads a file line by line, without line ends and without a byte-order mark. Memory: the longest
/// line, which must be below 64 MiB.
pub struct Lines {
    input: Input,
    path: PathBuf,
    buffer: Vec<u8>,
    /// The start of the next line in the buffer.
    at: usize,
    number: u64,
    ended: bool,
}

impl Lines {
    /// Opens a file; `-` is standard input. Files with the extension `.gz`, `.zst`, `.bz2` or `.xz`
    /// are decompressed.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let input = if path.as_os_str() == "-" {
            Input::new(io::stdin(), Compression::None, path)?
        } else {
            Input::open(path, Compression::of_name(&name).1)?
        };
        Ok(Self {
            input,
            path: path.to_path_buf(),
            buffer: Vec::new(),
            at: 0,
            number: 0,
            ended: false,
        })
    }

    /// The next line with its number, from 1; empty lines are skipped, but counted.
    ///
    /// # Errors
    /// If the file cannot be read or decompressed, or the line is not UTF-8.
    pub fn next_line(&mut self) -> Result<Option<(u64, &str)>> {
        let range = loop {
            let Some(line) = self.cut()? else {
                return Ok(None);
            };
            self.number += 1;
            let mark: &[u8] = if self.number == 1 {
                b"\xef\xbb\xbf"
            } else {
                b""
            };
            let start = line.start
                + if self.buffer[line.clone()].starts_with(mark) {
                    mark.len()
                } else {
                    0
                };
            if start < line.end {
                break start..line.end;
            }
        };
        match std::str::from_utf8(&self.buffer[range]) {
            Ok(line) => Ok(Some((self.number, line))),
            Err(_) => Err(Error::data("expected UTF-8, found other bytes")
                .at(&self.path)
                .record(self.number)),
        }
    }

    /// The range of the next line in the buffer, without its end.
    fn cut(&mut self) -> Result<Option<std::ops::Range<usize>>> {
        let mut searched = self.at;
        let end = loop {
            if let Some(found) = memchr::memchr(b'\n', &self.buffer[searched..]) {
                break searched + found;
            }
            if self.ended {
                if self.at == self.buffer.len() {
                    return Ok(None);
                }
                break self.buffer.len();
            }
            self.buffer.drain(..self.at);
            self.at = 0;
            searched = self.buffer.len();
            if searched > LONGEST {
                return Err(
                    Error::data(format!("expected lines below {} MiB", LONGEST >> 20))
                        .at(&self.path)
                        .record(self.number + 1),
                );
            }
            match self
                .input
                .fill(&mut self.buffer, searched + PIECE, &self.path)?
            {
                Ending::More => {}
                Ending::End => self.ended = true,
                Ending::Damaged(message) => {
                    return Err(Error::data(format!(
                        "expected a complete file, found that {message}"
                    ))
                    .at(&self.path));
                }
            }
        };
        let start = std::mem::replace(&mut self.at, (end + 1).min(self.buffer.len()));
        let carriage = end > start && self.buffer[end - 1] == b'\r';
        Ok(Some(start..end - usize::from(carriage)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn lines(path: &Path) -> Result<Vec<(u64, String)>> {
        let mut lines = Lines::open(path)?;
        let mut all = Vec::new();
        while let Some((number, line)) = lines.next_line()? {
            all.push((number, line.to_owned()));
        }
        Ok(all)
    }

    #[test]
    fn lines_come_without_ends_marks_and_empty_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tsv");
        std::fs::write(&path, "\u{feff}one\r\n\n two \nthree").unwrap();
        let expected = [(1, "one"), (3, " two "), (4, "three")]
            .map(|(number, line)| (number, line.to_owned()));
        assert_eq!(lines(&path).unwrap(), expected);
        std::fs::write(&path, "").unwrap();
        assert_eq!(lines(&path).unwrap(), []);
    }

    #[test]
    fn long_lines_and_compressed_ones_are_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tsv.zst");
        let long = "x".repeat(3 * PIECE);
        let mut file = zstd::Encoder::new(std::fs::File::create(&path).unwrap(), 1).unwrap();
        write!(file, "{long}\nshort\n").unwrap();
        file.finish().unwrap();
        assert_eq!(lines(&path).unwrap(), [(1, long), (2, "short".to_owned())]);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(lines(&path).unwrap_err().message().contains("a zstd frame"));
    }

    #[test]
    fn other_bytes_are_refused_with_their_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tsv");
        std::fs::write(&path, b"one\n\xff\n").unwrap();
        let error = lines(&path).unwrap_err();
        assert_eq!(
            (error.record_number(), error.path()),
            (Some(2), Some(path.as_path()))
        );
    }
}
