//! Hits: the records of a JSONL stream, each passed on as soon as its line has arrived.
//!
//! *Useful for* pipes that wait for an answer to each line. *Not useful for* collections, which are
//! read in blocks on all threads.

use crate::format::Format as _;
use crate::format::Settings;
use crate::format::jsonl::Jsonl;
use crate::format::marks::{number, optional};
use crate::format::spot::is_blank;
use crate::lines::RawLines;
use crate::memory::{self, Table};
use crate::options::ReadOptions;
use std::fmt::Write as _;
use std::path::Path;
use tegula::error::{ErrorKind, Result};
use tegula::record::{BadRecord, Batch};
use tegula::threshold::Score;

/// Longer lines are refused.
const LONGEST: usize = 256 << 20;
/// The mark at the beginning of some files in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";
/// The field that lists the hits hidden under a kept one.
const FIELD: &str = "hidden";

/// Reads a JSONL stream hit by hit. Blank lines are skipped, but count as lines. Memory: the longest
/// line, at most 256 MiB.
pub struct Hits {
    lines: RawLines,
    jsonl: Jsonl,
    /// Lines that are not blank.
    rank: u64,
    batch: Batch,
}

/// A line of the stream.
pub struct Hit<'a> {
    /// Its place among the lines that are not blank, from 1.
    pub rank: u64,
    /// Its line, from 1.
    pub number: u64,
    /// All its bytes, with the line end if it has one.
    pub line: &'a [u8],
    /// What it holds.
    pub content: Result<Content<'a>, BadRecord>,
}

/// Calls `visit` with each row of a table in memory, whose lines are empty.
///
/// # Errors
/// If there is no such column; those of `visit`.
pub fn for_each_row(
    table: &Table,
    text_keys: &[String],
    mut visit: impl FnMut(Hit<'_>) -> Result<()>,
) -> Result<()> {
    memory::for_each_text(table, text_keys, |number, text| {
        visit(Hit {
            rank: number,
            number,
            line: &[],
            content: text.map(|text| Content {
                text,
                id: None,
                place: None,
            }),
        })
    })
}

/// What a hit holds.
#[derive(Debug, Clone, Copy)]
pub struct Content<'a> {
    /// The text.
    pub text: &'a str,
    /// Its id, if it has one.
    pub id: Option<&'a str>,
    /// Where a list of hidden hits is inserted in its line.
    place: Option<Slot>,
}

/// Where a field is inserted in a line.
#[derive(Debug, Clone, Copy)]
struct Slot {
    at: usize,
    is_first: bool,
}

impl Hits {
    /// Opens a stream; `-` is standard input. It is decompressed if its first bytes, for which this
    /// waits, are those of gzip, zstd, bzip2 or xz.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path, text_keys: &[String], id_key: Option<&str>) -> Result<Self> {
        let settings = Settings {
            options: ReadOptions {
                text_key: text_keys.to_vec(),
                id_key: id_key.map(str::to_owned),
                ..ReadOptions::default()
            },
            encoding: None,
            name_pattern: None,
        };
        Ok(Self {
            lines: RawLines::open(path, LONGEST)?,
            jsonl: Jsonl::new(&settings),
            rank: 0,
            batch: Batch::default(),
        })
    }

    /// The next hit; with `expands`, a list of hidden hits can be added to it.
    ///
    /// # Errors
    /// If the stream cannot be read or decompressed, or a line is too long. A line without a text
    /// is not an error, but a bad record.
    pub fn next_hit(&mut self, expands: bool) -> Result<Option<Hit<'_>>> {
        let line = loop {
            let Some(line) = self.lines.next_line()? else {
                return Ok(None);
            };
            if !is_blank(self.lines.bytes(line.clone())) {
                break line;
            }
        };
        self.rank += 1;
        let (number, bytes) = (self.lines.number, self.lines.place(&line));
        let line = self.lines.bytes(line);
        self.batch.clear();
        let read = Self::read(&self.jsonl, line, bytes.start, &mut self.batch, expands);
        let content = match read {
            Ok((has_id, place)) => Ok(Content {
                text: &self.batch.text,
                id: has_id.then_some(self.batch.ids.as_str()),
                place,
            }),
            Err(error) => Err(BadRecord {
                number,
                bytes,
                raw: line.to_vec(),
                error: error.at(&self.lines.path).record(number),
            }),
        };
        Ok(Some(Hit {
            rank: self.rank,
            number,
            line,
            content,
        }))
    }

    /// Reads a line that begins at a byte of the stream.
    fn read(
        jsonl: &Jsonl,
        line: &[u8],
        start: u64,
        batch: &mut Batch,
        expands: bool,
    ) -> Result<(bool, Option<Slot>)> {
        let skipped = if start == 0 && line.starts_with(MARK) {
            MARK.len()
        } else {
            0
        };
        let ours = "repair the line, or skip such lines with ⟨on_bad_record=skip⟩";
        let record = std::str::from_utf8(&line[skipped..]).map_err(|error| {
            let at = skipped + error.valid_up_to();
            ErrorKind::Data
                .expected("UTF-8")
                .found(format!(
                    "the invalid byte 0x{:02x} at byte {} of the stream",
                    line[at],
                    start + at as u64
                ))
                .hint(ours)
        })?;
        let slot = expands
            .then(|| Jsonl::place_of(record, FIELD))
            .transpose()
            .map_err(|error| error.hint(ours))?
            .map(|(at, any)| Slot {
                at: skipped + at,
                is_first: !any,
            });
        let has_id = jsonl.decode(record, batch).map_err(|error| {
            match error.marked().1 {
                Some(advice) if !advice.contains("⟨format") => error.also(ours),
                // Other formats are not an option here.
                _ => error.hint(format!(
                    "{ours}; hits are read as JSONL, one object in each line"
                )),
            }
        })?;
        Ok((has_id, slot))
    }
}

/// A kept line that waits for the hits hidden under it.
pub struct Expanded {
    line: Vec<u8>,
    place: Slot,
    hidden: String,
}

impl Expanded {
    /// A kept line, nothing hidden under it yet. None if it was read without `expands`.
    pub fn new(line: &[u8], content: &Content<'_>) -> Option<Self> {
        content.place.map(|place| Self {
            line: line.to_vec(),
            place,
            hidden: String::new(),
        })
    }

    /// Lists a hidden hit.
    pub fn hide(&mut self, id: Option<&str>, rank: u64, score: Score) {
        if !self.hidden.is_empty() {
            self.hidden.push(',');
        }
        let (id, score) = (optional(id), number(score.as_f64()));
        let _ = write!(
            self.hidden,
            "{{\"id\":{id},\"rank\":{rank},\"score\":{score}}}"
        );
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        (size_of::<Self>() + self.line.capacity() + self.hidden.capacity()) as u64
    }

    /// The line with the list.
    pub fn into_line(self) -> Vec<u8> {
        let Slot { at, is_first } = self.place;
        let comma = if is_first { "" } else { "," };
        let field = format!("{comma}\"{FIELD}\":[{}]", self.hidden);
        let mut line = self.line;
        line.splice(at..at, field.into_bytes());
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::PIECE;

    /// The lines of a stream with their ranks, and texts or errors.
    fn read(bytes: &[u8], expands: bool) -> Vec<(u64, String)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hits");
        std::fs::write(&path, bytes).unwrap();
        let mut hits = Hits::open(&path, &[], None).unwrap();
        let (mut all, mut whole) = (Vec::new(), Vec::new());
        while let Some(hit) = hits.next_hit(expands).unwrap() {
            whole.extend_from_slice(hit.line);
            let shown = match hit.content {
                Ok(content) => format!("{}={}", content.id.unwrap_or("-"), content.text),
                Err(bad) => format!("{}: {}", bad.number, bad.error.message()),
            };
            all.push((hit.rank, shown));
        }
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let filled: Vec<&[u8]> = lines.filter(|line| !is_blank(line)).collect();
        assert_eq!(whole, filled.concat());
        all
    }

    #[test]
    fn lines_come_as_they_are() {
        let stream =
            "\u{feff}{\"id\":7,\"text\":\"a\\u00e4\"}\r\n\n{\"text\":\"\"}\n[]\n{\"text\":\"x\"}";
        let all = read(stream.as_bytes(), true);
        let shown: Vec<_> = all
            .iter()
            .map(|(rank, text)| (*rank, text.as_str()))
            .collect();
        assert_eq!(shown[..2], [(1, "7=aä"), (2, "-=")]);
        assert!(
            shown[2].1.starts_with("4: expected one JSON object"),
            "{shown:?}"
        );
        assert_eq!(shown[3], (4, "-=x"));
        assert_eq!(read(b"", false), []);
        assert_eq!(read(b"\n \n", false), []);
    }

    #[test]
    fn other_bytes_are_told_with_their_place() {
        let all = read(b"{\"text\":\"a\"}\n{\"text\":\"\xff\"}\n", false);
        let byte = "2: expected UTF-8, found the invalid byte 0xff at byte 22 of the stream";
        assert_eq!(all[1], (2, byte.to_owned()));
    }

    #[test]
    fn a_long_line_is_whole() {
        let long = format!("{{\"text\":\"{}\"}}\n", "x".repeat(5 * PIECE));
        let all = read(long.repeat(3).as_bytes(), false);
        assert!(all.iter().all(|(_, text)| text.len() == 5 * PIECE + 2));
    }

    #[test]
    fn a_list_stands_at_the_end_of_its_object() {
        for (line, expected) in [
            (
                "{\"text\":\"a\"} \n",
                "{\"text\":\"a\",\"hidden\":[{\"id\":\"b\",\"rank\":2,\"score\":0.6666},{\"id\":null,\"rank\":9,\"score\":1}]} \n",
            ),
            (
                "\u{feff}{}",
                "\u{feff}{\"hidden\":[{\"id\":\"b\",\"rank\":2,\"score\":0.6666},{\"id\":null,\"rank\":9,\"score\":1}]}",
            ),
        ] {
            let skipped = line.len() - line.trim_start_matches('\u{feff}').len();
            let (at, any) = Jsonl::place_of(&line[skipped..], FIELD).unwrap();
            let place = Some(Slot {
                at: skipped + at,
                is_first: !any,
            });
            let mut expanded = Expanded::new(
                line.as_bytes(),
                &Content {
                    text: "",
                    id: None,
                    place,
                },
            )
            .unwrap();
            expanded.hide(Some("b"), 2, Score { part: 2, whole: 3 });
            expanded.hide(None, 9, Score::ONE);
            assert_eq!(expanded.into_line(), expected.as_bytes());
        }
        let taken = read(b"{\"text\":\"a\",\"hidden\":1}\n", true);
        assert!(
            taken[0].1.contains("already has a field `hidden`"),
            "{taken:?}"
        );
    }
}
