//! Lines of a stream, decompressed if its content is compressed: with their ends for pipes, and as
//! text for lists outside collections.

use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use tegula::error::{Error, ErrorKind, Result};

use crate::compress::{Compression, Ending, Input};
use crate::store::File;

/// Bytes read at a time, at least.
pub(crate) const PIECE: usize = 1 << 16;
/// Longer lines of a list are refused.
const LONGEST: usize = 64 << 20;

/// Reads a stream line by line, each as soon as it arrives. Memory: the longest line.
pub(crate) struct RawLines {
    input: Input,
    pub(crate) path: PathBuf,
    buffer: Vec<u8>,
    /// The start of the next line in the buffer.
    at: usize,
    /// Bytes of the stream before the buffer.
    before: u64,
    /// Lines so far.
    pub(crate) number: u64,
    longest: usize,
    ended: bool,
}

/// The first bytes of a stream, as many as show how it is compressed; no more than a first line, as
/// whoever writes the next may wait for an answer to it.
fn head(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = vec![0; PIECE];
    let mut len = 0;
    while len < Compression::HEAD && !head[..len].contains(&b'\n') {
        match stream.read(&mut head[len..]) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    head.truncate(len);
    Ok(head)
}

impl RawLines {
    /// Opens a stream; `-` is standard input. Its first bytes, for which this waits, tell whether it is
    /// compressed. Lines of more than `longest` bytes are refused.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(crate) fn open(path: &Path, longest: usize) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut stream: Box<dyn Read + Send> = if path.as_os_str() == "-" {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path)?)
        };
        let head = head(&mut stream).map_err(|error| Error::io("read", path, error))?;
        let compression = Compression::decide(&head, Compression::of_name(&name).1);
        let input = Input::new(io::Cursor::new(head).chain(stream), compression, path)?;
        Ok(Self {
            input,
            path: path.to_path_buf(),
            buffer: Vec::new(),
            at: 0,
            before: 0,
            number: 0,
            longest,
            ended: false,
        })
    }

    /// The next line, as a range for [`RawLines::bytes`].
    ///
    /// # Errors
    /// If the stream cannot be read or decompressed, or the line is too long.
    pub(crate) fn next_line(&mut self) -> Result<Option<Range<usize>>> {
        let mut searched = self.at;
        let end = loop {
            if let Some(found) = memchr::memchr(b'\n', &self.buffer[searched..]) {
                break searched + found + 1;
            }
            if self.ended {
                if self.at == self.buffer.len() {
                    return Ok(None);
                }
                break self.buffer.len();
            }
            self.buffer.drain(..self.at);
            self.before += self.at as u64;
            self.at = 0;
            searched = self.buffer.len();
            if searched > self.longest {
                return Err(ErrorKind::Data
                    .expected(format!("lines below {} MiB", self.longest >> 20))
                    .at(&self.path)
                    .record(self.number + 1));
            }
            // In ever larger steps, as the buffer grows for each.
            let most = PIECE.max(searched);
            match self.input.fill_some(&mut self.buffer, most, &self.path)? {
                Ending::More => {}
                Ending::End => self.ended = true,
                Ending::Damaged(message) => {
                    return Err(ErrorKind::Data
                        .expected("a complete file")
                        .found(format!("that {message}"))
                        .at(&self.path));
                }
            }
        };
        self.number += 1;
        Ok(Some(std::mem::replace(&mut self.at, end)..end))
    }

    /// The bytes of the last line, with its end if it has one.
    pub(crate) fn bytes(&self, line: Range<usize>) -> &[u8] {
        &self.buffer[line]
    }

    /// Where the last line is in the stream.
    pub(crate) fn place(&self, line: &Range<usize>) -> Range<u64> {
        self.before + line.start as u64..self.before + line.end as u64
    }
}

/// Reads a file line by line, in UTF-8, without line ends and without a byte-order mark. Memory: the
/// longest line, which must be below 64 MiB.
pub struct Lines(RawLines);

impl Lines {
    /// Opens a file; `-` is standard input. Files with the extension `.gz`, `.zst`, `.bz2` or `.xz`
    /// are decompressed.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> Result<Self> {
        RawLines::open(path, LONGEST).map(Self)
    }

    /// The next line with its number, from 1; empty lines are skipped, but counted.
    ///
    /// # Errors
    /// If the file cannot be read or decompressed, or the line is not UTF-8.
    pub fn next_line(&mut self) -> Result<Option<(u64, &str)>> {
        let range = loop {
            let Some(line) = self.0.next_line()? else {
                return Ok(None);
            };
            let bytes = self.0.bytes(line.clone());
            let mark: &[u8] = match self.0.number {
                1 if bytes.starts_with(b"\xef\xbb\xbf") => b"\xef\xbb\xbf",
                _ => b"",
            };
            let rest = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
            if rest.len() > mark.len() {
                break line.start + mark.len()..line.start + rest.len();
            }
        };
        match std::str::from_utf8(self.0.bytes(range)) {
            Ok(line) => Ok(Some((self.0.number, line))),
            Err(_) => Err(ErrorKind::Data
                .expected("UTF-8")
                .found("other bytes")
                .at(&self.0.path)
                .record(self.0.number)),
        }
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
