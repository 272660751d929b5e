//! The file that answers are kept in. What it holds already stays, byte for byte, except for labels
//! that change: other columns, their order, rows of other pairs. New answers are added at the end.

use super::answers::{Answer, Answers};
use crate::evaluate::{PairPlaces, pair_places};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::Path;
use tegula::error::Result;
use tegula::tsv::Formulas;
use tegula_io::store;
use tegula_io::tables::escape_json;

/// A file of answers.
#[derive(Debug)]
pub struct Sheet {
    /// What it holds already.
    text: String,
    places: PairPlaces,
    /// Whether the labels of its fields are numbers.
    numbers: bool,
    /// The columns of its first line.
    columns: usize,
    /// What is done with formulas in its columns.
    formulas: Formulas,
}

/// The pair of a line.
struct Line<'t> {
    ids: [Cow<'t, str>; 2],
    /// Where its label is, as it is written; none if there is no place for one.
    label: Option<Range<usize>>,
}

impl Sheet {
    /// A new file: TSV, or JSON Lines.
    pub fn new(tsv: bool, formulas: Formulas) -> Self {
        let (text, places) = if tsv {
            let places = PairPlaces::Columns {
                ids: [0, 1],
                label: 2,
                header: true,
            };
            ("id_a\tid_b\tlabel\n", places)
        } else {
            ("", PairPlaces::Fields(["id_a", "id_b"].map(str::to_owned)))
        };
        Self {
            text: text.to_owned(),
            places,
            numbers: false,
            columns: 3,
            formulas,
        }
    }

    /// A file that is there, if it holds anything.
    ///
    /// # Errors
    /// If it cannot be read, or is not a list of labelled pairs.
    pub fn open(path: &Path, formulas: Formulas) -> Result<Option<Self>> {
        let Some(places) = pair_places(path)? else {
            return Ok(None);
        };
        let text = store::read_text(path)?;
        let first = lines(&text).next().unwrap_or_default();
        let mut sheet = Self {
            columns: first.split('\t').count(),
            numbers: false,
            places,
            text,
            formulas,
        };
        let is_number = |line: &str| {
            let label = sheet.line(line).and_then(|found| found.label);
            label.is_some_and(|at| matches!(&line[at], "0" | "1"))
        };
        sheet.numbers = lines(&sheet.text).any(is_number);
        Ok(Some(sheet))
    }

    /// What the file holds with these answers.
    pub fn with(&self, answers: &Answers) -> String {
        let mut out = String::with_capacity(self.text.len() + 64);
        let mut there = HashSet::new();
        let end = if self.text.contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        };
        for (number, whole) in self.text.split_inclusive('\n').enumerate() {
            let line = content(whole);
            let found = match &self.places {
                PairPlaces::Columns { header: true, .. } if number == 0 => None,
                _ => self.line(line),
            };
            let answer = found.as_ref().and_then(|found| {
                there.insert(super::strata::key([&found.ids[0], &found.ids[1]]));
                answers.get(&found.ids.clone().map(Cow::into_owned))
            });
            match found.zip(answer) {
                Some((Line { label, .. }, answer)) => {
                    let start = whole.find(line).unwrap_or_default();
                    out.push_str(&whole[..start]);
                    self.answered(line, label, answer, &mut out);
                    out.push_str(&whole[start + line.len()..]);
                }
                None => out.push_str(whole),
            }
        }
        if !out.is_empty() && !out.ends_with('\n') {
            out.push_str(end);
        }
        for (ids, answer) in answers.iter() {
            if !there.contains(&super::strata::key([&ids[0], &ids[1]])) {
                self.row(ids, answer, &mut out);
                out.push_str(end);
            }
        }
        out
    }

    /// The pair of a line; none if it is no row.
    fn line<'t>(&self, line: &'t str) -> Option<Line<'t>> {
        match &self.places {
            PairPlaces::Columns { ids, label, .. } => {
                let mut cells: Vec<Range<usize>> = Vec::with_capacity(self.columns);
                for cell in line.split('\t') {
                    let start = cells.last().map_or(0, |last| last.end + 1);
                    cells.push(start..start + cell.len());
                }
                let id = |place: usize| Some(self.formulas.read(&line[cells.get(place)?.clone()]));
                Some(Line {
                    ids: [id(ids[0])?, id(ids[1])?],
                    label: cells.get(*label).cloned(),
                })
            }
            PairPlaces::Fields(names) => {
                let object: BTreeMap<String, &RawValue> = serde_json::from_str(line).ok()?;
                let id = |name: &String| {
                    let raw = object.get(name)?.get();
                    let text = serde_json::from_str::<String>(raw);
                    Some(Cow::Owned(text.unwrap_or_else(|_| raw.to_owned())))
                };
                Some(Line {
                    ids: [id(&names[0])?, id(&names[1])?],
                    label: object.get("label").and_then(|raw| within(line, raw.get())),
                })
            }
        }
    }

    /// A line with the label of an answer, unless it has one that means the same.
    fn answered(&self, line: &str, label: Option<Range<usize>>, answer: Answer, out: &mut String) {
        let is_json = matches!(self.places, PairPlaces::Fields(_));
        let written = label.clone().map(|at| line[at].trim_matches('"'));
        if written.is_some_and(|written| Answer::read(written) == Some(answer)) {
            out.push_str(line);
            return;
        }
        match label {
            Some(at) => {
                out.push_str(&line[..at.start]);
                if is_json {
                    self.value(answer, Some(&line[at.clone()]), out);
                } else {
                    out.push_str(answer.label());
                }
                out.push_str(&line[at.end..]);
            }
            None if is_json => {
                let inner = line.trim_end().strip_suffix('}').unwrap_or(line);
                out.push_str(inner);
                out.push_str(",\"label\":");
                self.value(answer, None, out);
                out.push('}');
            }
            None => {
                out.push_str(line);
                if let PairPlaces::Columns { label, .. } = &self.places {
                    let cells = line.split('\t').count();
                    out.push_str(&"\t".repeat(label + 1 - cells));
                }
                out.push_str(answer.label());
            }
        }
    }

    /// The label of an answer in JSON, of the type of the one that it replaces, else of those of the
    /// file.
    fn value(&self, answer: Answer, replaced: Option<&str>, out: &mut String) {
        let replaced = replaced.filter(|raw| *raw != "null");
        let label = answer.label();
        match (answer, replaced) {
            (Answer::Unsure, _) => escape_json(label, out),
            (_, Some("true" | "false")) => {
                out.push_str(if label == "1" { "true" } else { "false" });
            }
            (_, Some(raw)) if raw.starts_with('"') => escape_json(label, out),
            (_, None) if !self.numbers => escape_json(label, out),
            _ => out.push_str(label),
        }
    }

    /// A new row; its other columns are empty.
    fn row(&self, ids: &[String; 2], answer: Answer, out: &mut String) {
        match &self.places {
            PairPlaces::Columns {
                ids: places, label, ..
            } => {
                for column in 0..self.columns.max(3) {
                    if column > 0 {
                        out.push('\t');
                    }
                    match places.iter().position(|place| *place == column) {
                        Some(which) => self.formulas.write(&ids[which], out),
                        None if column == *label => out.push_str(answer.label()),
                        None => {}
                    }
                }
            }
            PairPlaces::Fields(names) => {
                out.push('{');
                for (name, id) in names.iter().zip(ids) {
                    escape_json(name, out);
                    out.push(':');
                    escape_json(id, out);
                    out.push(',');
                }
                out.push_str("\"label\":");
                self.value(answer, None, out);
                out.push('}');
            }
        }
    }
}

/// The lines of a text, without their ends and a byte-order mark.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
        .map(content)
        .filter(|line| !line.is_empty())
}

fn content(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    line.strip_prefix('\u{feff}').unwrap_or(line)
}

/// Where a part of a text is in it.
fn within(text: &str, part: &str) -> Option<Range<usize>> {
    let start = part.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    let at = start..start + part.len();
    (text.get(at.clone()) == Some(part)).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(name: &str, text: &str, given: &[(&str, &str, Answer)]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let mut answers = Answers::read(&[&path], Formulas::Kept).unwrap();
        for (a, b, answer) in given {
            answers.set(&[(*a).to_owned(), (*b).to_owned()], Some(*answer));
        }
        let sheet = Sheet::open(&path, Formulas::Kept).unwrap();
        let tsv = path.extension().is_some_and(|ending| ending == "tsv");
        sheet
            .unwrap_or_else(|| Sheet::new(tsv, Formulas::Kept))
            .with(&answers)
    }

    #[test]
    fn columns_of_others_stay_as_they_are() {
        let text = "note\tid_a\tlabel\tid_b\tgrade\r\nx\\ty\ta\tyes\tb\t 7 \r\n\r\n\tc\t\td\t\r\nz\te\t1\tf\tq";
        let given = [
            ("b", "a", Answer::Copies),
            ("d", "c", Answer::Different),
            ("g", "h\t", Answer::Unsure),
        ];
        assert_eq!(
            kept("gold.tsv", text, &given),
            "note\tid_a\tlabel\tid_b\tgrade\r\nx\\ty\ta\tyes\tb\t 7 \r\n\r\n\tc\t0\td\t\r\nz\te\t1\tf\tq\r\n\tg\t?\th\\t\t\r\n"
        );
        let given = [("a", "b", Answer::Different), ("c", "d", Answer::Copies)];
        assert_eq!(kept("bare.tsv", "a\tb\t1\n", &given), "a\tb\t0\nc\td\t1\n");
        assert_eq!(
            kept("new.tsv", "", &given[1..]),
            "id_a\tid_b\tlabel\nc\td\t1\n"
        );
    }

    #[test]
    fn fields_of_others_stay_as_they_are_and_numbers_stay_numbers() {
        let text = "\u{feff}{\"by\": \"me\", \"id_a\":\"a\",\"id_b\":\"b\", \"label\": 1, \"x\": [1.50]}\n{\"id_a\":\"c\",\"id_b\":7}\n{\"id_a\":\"e\",\"id_b\":\"f\",\"label\":0} \n";
        let given = [
            ("a", "b", Answer::Copies),
            ("c", "7", Answer::Copies),
            ("e", "f", Answer::Copies),
            ("g", "h", Answer::Different),
            ("i", "j", Answer::Unsure),
        ];
        let expected = "\u{feff}{\"by\": \"me\", \"id_a\":\"a\",\"id_b\":\"b\", \"label\": 1, \"x\": [1.50]}\n{\"id_a\":\"c\",\"id_b\":7,\"label\":1}\n{\"id_a\":\"e\",\"id_b\":\"f\",\"label\":1} \n{\"id_a\":\"g\",\"id_b\":\"h\",\"label\":0}\n{\"id_a\":\"i\",\"id_b\":\"j\",\"label\":\"?\"}\n";
        assert_eq!(kept("gold.jsonl", text, &given), expected);
        let text = "{\"id1\":\"a\",\"id2\":\"b\",\"label\":\"dup\"}\n";
        let given = [("a", "b", Answer::Different), ("c", "d", Answer::Copies)];
        assert_eq!(
            kept("words.jsonl", text, &given),
            "{\"id1\":\"a\",\"id2\":\"b\",\"label\":\"0\"}\n{\"id1\":\"c\",\"id2\":\"d\",\"label\":\"1\"}\n"
        );
    }
}
