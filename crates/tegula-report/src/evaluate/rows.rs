//! Rows of lists from other programs: TSV with or without a header, and JSON Lines.

use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tegula::error::{Error, ErrorKind, Result};
use tegula::tsv::Formulas;
use tegula_io::lines::Lines;

/// Where the ids and the label of a pair are in each line of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PairPlaces {
    /// In columns, by index, below a line of their names or not.
    Columns {
        /// The ids.
        ids: [usize; 2],
        /// The label.
        label: usize,
        /// Whether the first line has the names of the columns.
        header: bool,
    },
    /// In fields with these names; the label is `label`.
    Fields([String; 2]),
}

/// Names of the two ids of a pair; the last are only for JSON, since the first line of TSV may
/// contain them as ids.
const PAIRS: [[&str; 2]; 4] = [
    ["id_a", "id_b"],
    ["id1", "id2"],
    ["id_1", "id_2"],
    ["a", "b"],
];

/// The required columns of a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowColumns<'a> {
    /// The column of the id, if a row has one id.
    pub(super) id: &'a str,
    /// The column of its group or cluster.
    pub(super) group: &'a str,
    /// The column of the label or score of a pair.
    pub(super) third: &'a str,
    /// Other columns that are read if they exist.
    pub(super) more: &'a [&'a str],
    /// What was done with formulas in TSV.
    pub(super) formulas: Formulas,
}

/// The kind of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Two ids per row.
    Pairs,
    /// An id and its group per row.
    Groups,
}

/// A row of a list.
#[derive(Debug)]
pub(super) struct Row<'a> {
    /// The first id of a pair, or the id.
    pub(super) first: Cow<'a, str>,
    /// The second id of a pair, or the group; a group may be missing.
    pub(super) second: Option<Cow<'a, str>>,
    /// The label or score of a pair.
    pub(super) third: Option<Cow<'a, str>>,
    /// Whether it represents only itself, not pairs of several equal texts.
    pub(super) is_one: bool,
    /// The other columns.
    pub(super) more: Vec<Option<Cow<'a, str>>>,
}

/// Columns with the number of equal texts represented by each text of a pair.
const EQUAL: [&str; 2] = ["equal_a", "equal_b"];

/// The layout of a row.
enum Layout {
    /// In columns, by index: ids, the third, the numbers of equal texts they represent, and others.
    Places(
        [usize; 2],
        Option<usize>,
        [Option<usize>; 2],
        Vec<Option<usize>>,
    ),
    /// In fields, by name.
    Names([String; 2], String, Vec<String>),
}

/// A list, read sequentially.
pub(super) struct Rows {
    lines: Lines,
    path: PathBuf,
    layout: Layout,
    shape: Shape,
    formulas: Formulas,
    /// The first line, if it is a row.
    first: Option<String>,
    /// The names of the columns, or the fields of the first row; none if columns have no names.
    names: Vec<String>,
    /// Whether any row had the third column.
    pub(super) thirds: bool,
}

impl Rows {
    /// Opens a list and detects its kind from its first line; none if it is empty. `shape` is the
    /// required kind, if known.
    ///
    /// # Errors
    /// If it cannot be read, or does not have the columns of a list.
    pub(super) fn open(
        path: &Path,
        wanted: RowColumns,
        shape: Option<Shape>,
    ) -> Result<Option<Self>> {
        let mut lines = Lines::open(path)?;
        let Some((_, line)) = lines.next_line()? else {
            return Ok(None);
        };
        let line = line.to_owned();
        let (names, is_header): (Vec<String>, bool) = if line.starts_with('{') {
            (object(&line, path, 1)?.into_keys().collect(), false)
        } else {
            (line.split('\t').map(str::to_owned).collect(), true)
        };
        let place = |name: &str| names.iter().position(|column| column == name);
        let pair = PAIRS[..PAIRS.len() - usize::from(is_header)]
            .iter()
            .find(|[a, b]| place(a).is_some() && place(b).is_some());
        let groups = place(wanted.id).zip(place(wanted.group));
        let more = || wanted.more.iter().map(|name| place(name)).collect();
        let named = || wanted.more.iter().map(|name| (*name).to_owned()).collect();
        let (layout, shape, header) = match (pair, groups, shape) {
            (Some([a, b]), _, None | Some(Shape::Pairs)) => {
                let layout = match place(a).zip(place(b)) {
                    Some((a, b)) if is_header => {
                        Layout::Places([a, b], place(wanted.third), EQUAL.map(place), more())
                    }
                    _ => Layout::Names(
                        [a, b].map(|name| (*name).to_owned()),
                        wanted.third.to_owned(),
                        named(),
                    ),
                };
                (layout, Shape::Pairs, is_header)
            }
            (_, Some((id, group)), None | Some(Shape::Groups)) => {
                let names = || [wanted.id, wanted.group].map(str::to_owned);
                let layout = if is_header {
                    Layout::Places([id, group], None, [None; 2], more())
                } else {
                    Layout::Names(names(), String::new(), named())
                };
                (layout, Shape::Groups, is_header)
            }
            _ if is_header && matches!(names.len(), 2 | 3) => {
                let third = (names.len() == 3).then_some(2);
                (
                    Layout::Places([0, 1], third, [None; 2], vec![None; wanted.more.len()]),
                    shape.unwrap_or(Shape::Pairs),
                    false,
                )
            }
            _ => return Err(unknown(&names, wanted).at(path)),
        };
        Ok(Some(Self {
            lines,
            path: path.to_path_buf(),
            layout,
            shape,
            formulas: wanted.formulas,
            names: if line.starts_with('{') || header {
                names
            } else {
                Vec::new()
            },
            first: (!header).then_some(line),
            thirds: false,
        }))
    }

    /// Where pairs have their ids and their label; none in columns without a label.
    pub(super) fn pair_places(&self) -> Option<PairPlaces> {
        match &self.layout {
            Layout::Places(ids, label, ..) => Some(PairPlaces::Columns {
                ids: *ids,
                label: (*label)?,
                header: self.first.is_none(),
            }),
            Layout::Names(ids, ..) => Some(PairPlaces::Fields(ids.clone())),
        }
    }

    /// Its kind.
    pub(super) fn shape(&self) -> Shape {
        self.shape
    }

    /// The names of its columns, or of the fields of its first row.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Calls `each` with every row.
    ///
    /// # Errors
    /// Errors of reading and of `each`; those of `each` get the location of the row.
    pub(super) fn for_each(mut self, mut each: impl FnMut(Row) -> Result<()>) -> Result<bool> {
        if let Some(line) = self.first.take() {
            let row = row(
                (&self.layout, self.formulas),
                self.shape,
                &line,
                &self.path,
                1,
            )?;
            self.thirds |= row.third.is_some();
            each(row).map_err(|error| error.at(&self.path).record(1))?;
        }
        while let Some((number, line)) = self.lines.next_line()? {
            let row = row(
                (&self.layout, self.formulas),
                self.shape,
                line,
                &self.path,
                number,
            )?;
            self.thirds |= row.third.is_some();
            each(row).map_err(|error| error.at(&self.path).record(number))?;
        }
        Ok(self.thirds)
    }
}

fn unknown(names: &[String], wanted: RowColumns) -> Error {
    let shown: String = names.join(", ").chars().take(200).collect();
    ErrorKind::Data
        .expected(format!("the columns id_a and id_b, or {} and {}", wanted.id, wanted.group))
        .found(shown)
        .hint("pairs may also be two or three columns without a header; ⟨id_key⟩ and ⟨group_key⟩ name other columns of groups")
}

fn object<'t>(line: &'t str, path: &Path, number: u64) -> Result<BTreeMap<String, &'t RawValue>> {
    serde_json::from_str(line).map_err(|error| {
        ErrorKind::Data
            .expected(format!("a JSON object: {error}"))
            .at(path)
            .record(number)
    })
}

/// A line as a row.
fn row<'t>(
    (layout, formulas): (&Layout, Formulas),
    shape: Shape,
    line: &'t str,
    path: &Path,
    number: u64,
) -> Result<Row<'t>> {
    let bad = |what: String| Error::data(what).at(path).record(number);
    let more = |count: Option<&str>| count.is_some_and(|count| !matches!(count, "" | "1" | "null"));
    let (first, second, third, is_one, more_cells) = match layout {
        Layout::Places([first, second], third, equal, others) => {
            let cells: Vec<&str> = line.split('\t').collect();
            let cell = |place: usize| cells.get(place).map(|cell| formulas.read(cell));
            let missing = || {
                bad(format!(
                    "expected at least {} cells, found {}",
                    1 + first.max(second),
                    cells.len()
                ))
            };
            let second = cell(*second).ok_or_else(missing)?;
            let is_one = !equal
                .iter()
                .flatten()
                .any(|place| more(cells.get(*place).copied()));
            (
                cell(*first).ok_or_else(missing)?,
                Some(second),
                third.and_then(cell),
                is_one,
                others.iter().map(|place| place.and_then(cell)).collect(),
            )
        }
        Layout::Names([first, second], third, others) => {
            let object = object(line, path, number)?;
            let field = |name: &str| object.get(name).and_then(|raw| scalar(raw.get()));
            let id = field(first).ok_or_else(|| {
                bad(format!(
                    "expected a string or a number in \"{first}\", found none"
                ))
            })?;
            let is_one = !EQUAL
                .iter()
                .any(|name| more(object.get(*name).map(|raw| raw.get())));
            (
                Cow::Owned(id),
                field(second).map(Cow::Owned),
                field(third).map(Cow::Owned),
                is_one,
                others
                    .iter()
                    .map(|name| field(name).map(Cow::Owned))
                    .collect::<Vec<_>>(),
            )
        }
    };
    let second = second.filter(|cell| !cell.is_empty());
    if first.is_empty() || (second.is_none() && shape == Shape::Pairs) {
        return Err(bad("expected an id, found nothing".to_owned()));
    }
    Ok(Row {
        first,
        second,
        third: third.filter(|cell| !cell.is_empty()),
        is_one,
        more: more_cells
            .into_iter()
            .map(|cell| cell.filter(|cell| !cell.is_empty()))
            .collect(),
    })
}

/// A JSON string's text; a number or truth value as it is written; nothing for null, lists and
/// objects.
fn scalar(raw: &str) -> Option<String> {
    match raw.as_bytes().first() {
        Some(b'"') => serde_json::from_str(raw).ok(),
        Some(b'{' | b'[' | b'n') | None => None,
        Some(_) => Some(raw.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: RowColumns = RowColumns {
        id: "id",
        group: "group",
        third: "label",
        more: &[],
        formulas: Formulas::Kept,
    };

    type Cells = (String, Option<String>, Option<String>);

    fn read(text: &str, shape: Option<Shape>) -> Result<(Shape, Vec<Cells>)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        std::fs::write(&path, text).unwrap();
        let rows = Rows::open(&path, WANTED, shape)?.unwrap();
        let of = rows.shape();
        let mut all = Vec::new();
        let own = |cell: Option<Cow<str>>| cell.map(Cow::into_owned);
        rows.for_each(|row| {
            all.push((row.first.into_owned(), own(row.second), own(row.third)));
            Ok(())
        })?;
        Ok((of, all))
    }

    fn cells(first: &str, second: &str, third: &str) -> Cells {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        (first.to_owned(), some(second), some(third))
    }

    #[test]
    fn pairs_are_known_by_their_columns() {
        let expected = (Shape::Pairs, vec![cells("x", "y", "1")]);
        for text in [
            "id_a\tid_b\tlabel\nx\ty\t1\n",
            "label\tid1\tother\tid2\n1\tx\t?\ty\n",
            "{\"a\":\"x\",\"b\":\"y\",\"label\":1}\n",
            "x\ty\t1\n",
        ] {
            assert_eq!(read(text, None).unwrap(), expected, "{text}");
        }
        assert_eq!(
            read("x\\ty\ty\n", None).unwrap().1,
            [cells("x\ty", "y", "")]
        );
        assert_eq!(
            read("{\"id_a\":1,\"id_b\":\"y\",\"label\":null}", None)
                .unwrap()
                .1,
            [cells("1", "y", "")]
        );
    }

    #[test]
    fn groups_are_known_by_theirs() {
        let expected = (Shape::Groups, vec![cells("x", "g", "")]);
        for text in [
            "id\tgroup\nx\tg\n",
            "text\tgroup\tid\n?\tg\tx\n",
            "{\"text\":{},\"id\":\"x\",\"group\":\"g\"}",
        ] {
            assert_eq!(read(text, None).unwrap(), expected, "{text}");
        }
        assert_eq!(read("x\tg\n", Some(Shape::Groups)).unwrap(), expected);
        assert_eq!(
            read("{\"id\":\"x\",\"group\":\"g\"}\n{\"id\":\"y\"}", None)
                .unwrap()
                .1[1],
            cells("y", "", "")
        );
    }

    #[test]
    fn what_is_no_list_is_refused_with_its_line() {
        for text in ["one\n", "a\tb\tc\td\n", "{\"id\":1}", "{"] {
            assert!(read(text, None).is_err(), "{text}");
        }
        for text in [
            "x\ty\nz\n",
            "x\ty\n\ty\n",
            "{\"a\":\"x\",\"b\":\"y\"}\n{\"a\":\"x\"}",
        ] {
            assert_eq!(
                read(text, None).unwrap_err().record_number(),
                Some(2),
                "{text}"
            );
        }
    }
}
