//! Labelled pairs as a list: the answers of a judge.

use super::positive::Positive;
use super::rows::{PairPlaces, RowColumns, Rows, Shape};
use std::path::Path;
use tegula::error::{Error, ErrorKind, Result};
use tegula::tsv::Formulas;

/// A labelled pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    /// Its ids, as listed.
    pub ids: [String; 2],
    /// Whether it is a pair of copies; none if that could not be decided.
    pub label: Option<bool>,
}

const WANTED: RowColumns = RowColumns {
    id: "id",
    group: "group",
    third: "label",
    more: &[],
    formulas: Formulas::Kept,
};

/// Where labelled pairs have their ids and labels; none in an empty list.
///
/// # Errors
/// If the list cannot be read, or is not one of labelled pairs.
pub fn pair_places(path: &Path) -> Result<Option<PairPlaces>> {
    let rows = Rows::open(path, WANTED, Some(Shape::Pairs))?;
    rows.map(|rows| rows.pair_places().ok_or_else(|| no_labels().at(path)))
        .transpose()
}

/// Whether a label means copies; none if that could not be decided.
///
/// # Errors
/// If it is not a customary one.
pub fn says(label: &str) -> Result<Option<bool>> {
    Positive::Customary.says(Some(label))
}

fn no_labels() -> Error {
    ErrorKind::Data
        .expected("labels in a column \"label\"")
        .found("none")
}

/// Reads labelled pairs, in the forms of a gold standard; `formulas` are those of TSV. Pairs without
/// a label are skipped.
///
/// # Errors
/// If the list cannot be read, or is not one of labelled pairs.
pub fn labelled(path: &Path, formulas: Formulas) -> Result<Vec<Labelled>> {
    let mut list = Vec::new();
    let wanted = RowColumns { formulas, ..WANTED };
    let Some(rows) = Rows::open(path, wanted, Some(Shape::Pairs))? else {
        return Ok(list);
    };
    let labels = rows.for_each(|row| {
        let Some(label) = row.third else {
            return Ok(());
        };
        list.push(Labelled {
            ids: [row.first, row.second.unwrap_or_default()].map(std::borrow::Cow::into_owned),
            label: says(&label)?,
        });
        Ok(())
    })?;
    if labels {
        Ok(list)
    } else {
        Err(no_labels().at(path))
    }
}
