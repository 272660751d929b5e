//! Pairs that another program listed: a TSV file with a header, plain or `.zst`.

use crate::source::failed;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use tegula::{Error, Result};

/// A listed pair. What the file has no column for is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The ids.
    pub ids: [String; 2],
    /// Resemblance in ten-thousandths.
    pub j: Option<u64>,
    /// Distinct shingles of each.
    pub sizes: [Option<u64>; 2],
    /// Shingles in common.
    pub common: Option<u64>,
}

/// Where the columns stand.
struct Columns {
    ids: [usize; 2],
    j: Option<usize>,
    sizes: [Option<usize>; 2],
    common: Option<usize>,
}

impl Columns {
    /// Finds the columns by name; a first line without ids is a row, and its first two cells are
    /// the ids.
    fn of(header: &str) -> (Self, bool) {
        let names: Vec<&str> = header.split('\t').collect();
        let find = |wanted: &[&str]| names.iter().position(|name| wanted.contains(name));
        let ids = find(&["id1", "id_a"]).zip(find(&["id2", "id_b"]));
        let columns = Self {
            ids: ids.map_or([0, 1], |(a, b)| [a, b]),
            j: find(&["j5_word"]),
            sizes: [find(&["n1"]), find(&["n2"])],
            common: find(&["common"]),
        };
        (columns, ids.is_some())
    }

    fn row(&self, line: &str) -> Option<Listed> {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |place: usize| cells.get(place).copied().filter(|cell| !cell.is_empty());
        let number = |place: Option<usize>| match place {
            None => Some(None),
            Some(place) => cell(place)?.parse().ok().map(Some),
        };
        Some(Listed {
            ids: [cell(self.ids[0])?.to_owned(), cell(self.ids[1])?.to_owned()],
            j: match self.j {
                None => None,
                Some(place) => Some(ten_thousandths(cell(place)?)?),
            },
            sizes: [number(self.sizes[0])?, number(self.sizes[1])?],
            common: number(self.common)?,
        })
    }
}

/// `0.6833` as 6833. Digits beyond the fourth are cut off.
fn ten_thousandths(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits: String = fraction.chars().chain("0000".chars()).take(4).collect();
    Some(whole.parse::<u64>().ok()?.checked_mul(10_000)? + digits.parse::<u64>().ok()?)
}

/// The pairs of a file, in its order.
///
/// # Errors
/// When the file cannot be read, or a line has not what the header promises.
pub fn read(path: &Path) -> Result<Vec<Listed>> {
    let file = File::open(path).map_err(failed("open", path))?;
    let zst = path.extension().is_some_and(|ending| ending == "zst");
    let lines: Box<dyn BufRead> = if zst {
        Box::new(BufReader::new(
            zstd::Decoder::new(file).map_err(failed("read", path))?,
        ))
    } else {
        Box::new(BufReader::new(file))
    };
    let mut lines = lines.lines();
    let Some(first) = lines.next() else {
        return Ok(Vec::new());
    };
    let first = first.map_err(failed("read", path))?;
    let (columns, is_header) = Columns::of(&first);
    let mut pairs = Vec::new();
    let rows = (!is_header).then_some(Ok(first)).into_iter().chain(lines);
    for (line, number) in rows.zip(1 + u64::from(is_header)..) {
        let line = line.map_err(failed("read", path))?;
        pairs.push(columns.row(&line).ok_or_else(|| {
            Error::data(format!(
                "expected two ids and the numbers that the header names, found \"{line}\""
            ))
            .at(path)
            .record(number)
        })?);
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<Listed>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pairs.tsv");
        std::fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn columns_are_found_by_name() {
        let pairs = read_text("id1\tid2\tsame_group\tj5_word\tn1\tn2\tcommon\tj5_ws\na\tb\t1\t0.6833\t98\t104\t82\t\n").unwrap();
        let expected = Listed {
            ids: ["a".into(), "b".into()],
            j: Some(6833),
            sizes: [Some(98), Some(104)],
            common: Some(82),
        };
        assert_eq!(pairs, [expected]);
        let pairs = read_text("id_a\tid_b\nx y\tz\n").unwrap();
        assert_eq!(
            pairs,
            [Listed {
                ids: ["x y".into(), "z".into()],
                j: None,
                sizes: [None; 2],
                common: None
            }]
        );
        assert_eq!(read_text("x\tz\n").unwrap().len(), 1);
        assert!(read_text("").unwrap().is_empty());
    }

    #[test]
    fn broken_lines_are_named() {
        let error = read_text("id1\tid2\tj5_word\na\tb\t0.5\na\tb\thalf\n").unwrap_err();
        assert_eq!(error.record_number(), Some(3));
        assert_eq!(
            (
                ten_thousandths("1"),
                ten_thousandths("0.5"),
                ten_thousandths("0.12345")
            ),
            (Some(10_000), Some(5000), Some(1234))
        );
    }
}
