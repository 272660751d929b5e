//! How many texts of a collection have each shingle, so that others can be weighed in the same way.
//!
//! Only shingles in several texts are listed. All others count as being in one, those of texts of
//! other collections too, so that a text weighs the same in whatever collection it is. A shingle is
//! identified by the 64 bits of its id.

use super::file::{self, Lines};
use crate::error::Result;
use crate::hash;
use std::io::{BufRead, Write};

const COLUMNS: &str = "shingle\tdocuments";

/// The number of texts with each shingle.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ShingleCounts {
    /// The shingles that several texts have, in order of id.
    ids: Vec<u64>,
    /// How many have each.
    texts: Vec<u32>,
    /// By the uppermost bits of an id, the index of the first that has these or higher ones.
    firsts: Vec<u32>,
    /// How far an id is shifted to get these bits.
    shift: u32,
}

impl ShingleCounts {
    /// Bytes of a shingle.
    pub(crate) const BYTES: u64 = 13;

    /// From rows in ascending order of id.
    pub(crate) fn new(ids: Vec<u64>, texts: Vec<u32>) -> Self {
        // Ids are hashes, so there are about eight with the same uppermost bits.
        let bits = (ids.len() as u64 / 8).next_power_of_two().trailing_zeros();
        let shift = 63 - bits.min(62);
        let mut firsts = Vec::with_capacity((1 << (64 - shift)) + 1);
        for (at, id) in ids.iter().enumerate() {
            let prefix = (id >> shift) as usize;
            firsts.resize(firsts.len().max(prefix + 1), at as u32);
        }
        firsts.resize((1 << (64 - shift)) + 1, ids.len() as u32);
        Self {
            ids,
            texts,
            firsts,
            shift,
        }
    }

    /// The number of shingles that several texts have.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Bytes held.
    pub(super) fn heap_bytes(&self) -> u64 {
        (8 * self.ids.capacity() + 4 * (self.texts.capacity() + self.firsts.capacity())) as u64
    }

    /// How many texts have the shingle with this id.
    #[inline]
    pub(crate) fn of(&self, id: u64) -> u32 {
        let prefix = (id >> self.shift) as usize;
        let (Some(from), Some(to)) = (self.firsts.get(prefix), self.firsts.get(prefix + 1)) else {
            return 1;
        };
        let (from, to) = (*from as usize, *to as usize);
        let found = self.ids[from..to].binary_search(&id);
        found.map_or(1, |at| self.texts[from + at])
    }

    /// What a file of them says that it counts.
    pub(super) fn describe(n: usize) -> String {
        format!("shingles of {n} tokens, {}", hash::SCHEME)
    }

    /// Reads the rows of a file; `columns` is the first line after its head.
    pub(super) fn read(mut lines: Lines<impl BufRead>, columns: Option<String>) -> Result<Self> {
        let (mut ids, mut texts) = (Vec::new(), Vec::new());
        if columns.as_deref() != Some(COLUMNS) {
            return Err(lines.wrong(
                "the columns 'shingle' and 'documents'",
                &columns.unwrap_or_default(),
            ));
        }
        while let Some(row) = lines.row()? {
            let fields = row.split_once('\t');
            let row_of = fields.and_then(|(id, count)| {
                let id = u64::from_str_radix(id, 16).ok()?;
                Some((id, count.parse::<u32>().ok().filter(|count| *count > 1)?))
            });
            let Some((id, count)) = row_of else {
                return Err(lines.wrong("16 hexadecimal digits, a tab and a count above 1", &row));
            };
            if ids.last().is_some_and(|last| *last >= id) {
                return Err(lines.wrong("shingles in ascending order", &row));
            }
            if ids.len() == u32::MAX as usize {
                return Err(lines.wrong("at most 4,294,967,295 shingles", &row));
            }
            ids.push(id);
            texts.push(count);
        }
        Ok(Self::new(ids, texts))
    }
}

/// Writes how many texts have each shingle.
pub struct ShingleWriter<'a> {
    out: &'a mut dyn Write,
    rows: u64,
}

impl<'a> ShingleWriter<'a> {
    /// Begins a file for shingles of this many tokens; `normalise` identifies the steps with which
    /// the texts were normalised.
    ///
    /// # Errors
    /// Any error from `out`.
    pub fn begin(
        out: &'a mut dyn Write,
        documents: u64,
        normalise: &str,
        n: usize,
    ) -> std::io::Result<Self> {
        let counted = ShingleCounts::describe(n);
        file::write_head(out, documents, normalise, Some(&counted))?;
        writeln!(out, "{COLUMNS}")?;
        Ok(Self { out, rows: 0 })
    }

    /// Adds a shingle that several texts have; ids must ascend.
    ///
    /// # Errors
    /// Any error from `out`.
    pub fn put(&mut self, id: u64, texts: u32) -> std::io::Result<()> {
        self.rows += 1;
        writeln!(self.out, "{id:016x}\t{texts}")
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Any error from `out`.
    pub fn end(self) -> std::io::Result<()> {
        file::write_end(self.out, self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Statistics;
    use super::*;
    use crate::hash::mix;

    fn file(rows: &[(u64, u32)]) -> Vec<u8> {
        let mut file = Vec::new();
        let mut writer = ShingleWriter::begin(&mut file, 9, "x", 3).unwrap();
        for (id, texts) in rows {
            writer.put(*id, *texts).unwrap();
        }
        writer.end().unwrap();
        file
    }

    #[test]
    fn counts_are_found_and_all_others_are_one() {
        for count in [0_u64, 1, 7, 8, 9, 1000] {
            let mut rows: Vec<(u64, u32)> =
                (0..count).map(|at| (mix(at + 1), 2 + at as u32)).collect();
            rows.extend([(0, 5), (u64::MAX, 6)].iter().take(count as usize));
            rows.sort_unstable();
            let read = Statistics::read(&file(&rows)[..], "x", Some(3)).unwrap();
            assert_eq!(read.documents(), 9);
            let counts = read.shingles().unwrap();
            assert_eq!(counts.len(), rows.len());
            for (id, texts) in rows {
                assert_eq!(counts.of(id), texts);
                assert_eq!(counts.of(id ^ 1 << 40), 1);
            }
            assert_eq!(counts.of(mix(count + 9)), 1);
        }
    }

    #[test]
    fn damaged_files_and_those_of_other_features_are_refused() {
        let whole = String::from_utf8(file(&[(5, 2), (7, 3)])).unwrap();
        let read = |text: &str, n| Statistics::read(text.as_bytes(), "x", n);
        assert!(read(&whole, Some(3)).is_ok());
        for (from, to, expected) in [
            ("0005\t2", "0008\t2", "ascending"),
            ("0005\t2", "0007\t2", "ascending"),
            ("0005\t2", "0005\t1", "a count above 1"),
            ("0005\t2", "000g\t2", "hexadecimal"),
            ("0005\t2", "0005 2", "a tab"),
            ("shingle\t", "term\t", "columns"),
            (
                "of 3 tokens",
                "of 4 tokens",
                "found counts of shingles of 4",
            ),
            ("# normalise x", "# normalise y", "normalised"),
            (
                "# documents 9",
                "# documents 4294967296",
                "a number of documents",
            ),
            ("# end 2\n", "", "found 'the end of the file after 2 rows'"),
            (
                "0000000000000005\t2\n",
                "",
                "expected 1 rows, found '# end 2'",
            ),
            (
                "# end 2\n",
                "# end 2\n0000000000000009\t2\n",
                "the end of the file",
            ),
        ] {
            let error = read(&whole.replace(from, to), Some(3)).unwrap_err();
            assert!(error.message().contains(expected), "{error}");
        }
        assert!(
            read(&whole, None)
                .unwrap_err()
                .message()
                .contains("expected counts of terms")
        );
        let terms = "# tegula statistics 1\n# documents 2\n# normalise x\nterm\tdocuments\toccurrences\tclass\n# end 0\n";
        assert!(read(terms, None).is_ok());
        assert!(
            read(terms, Some(3))
                .unwrap_err()
                .message()
                .contains("found counts of terms")
        );
    }
}
