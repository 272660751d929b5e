//! Labelled pairs as a list: the answers of a judge.

use super::positive::Positive;
use super::rows::{RowColumns, Rows, Shape};
use std::path::Path;
use tegula::error::{Error, Result};

/// A labelled pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    /// Its ids, as listed.
    pub ids: [String; 2],
    /// Whether it is a pair of copies; none if that could not be decided.
    pub label: Option<bool>,
}

/// Reads labelled pairs, in the forms of a gold standard. Pairs without a label are skipped.
///
/// # Errors
/// If the list cannot be read, or is not one of labelled pairs.
pub fn labelled(path: &Path) -> Result<Vec<Labelled>> {
    let wanted = RowColumns {
        id: "id",
        group: "group",
        third: "label",
        more: &[],
    };
    let mut list = Vec::new();
    let Some(rows) = Rows::open(path, wanted, Some(Shape::Pairs))? else {
        return Ok(list);
    };
    let labels = rows.for_each(|row| {
        let Some(label) = row.third else {
            return Ok(());
        };
        list.push(Labelled {
            ids: [row.first, row.second.unwrap_or_default()].map(std::borrow::Cow::into_owned),
            label: Positive::Customary.says(Some(&label))?,
        });
        Ok(())
    })?;
    if labels {
        Ok(list)
    } else {
        Err(Error::data("expected labels in a column \"label\", found none").at(path))
    }
}
