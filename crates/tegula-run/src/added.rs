//! Figures that are added to kept records: how many texts a record stands for, and its rank.

use crate::verdicts::Verdicts;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tegula::declare::Parsed;
use tegula::error::{Error, ErrorKind, Result};
use tegula::field::{FieldKey, MISSING, find};
use tegula::recipe::Stage;
use tegula::record::Level;
use tegula_io::edit::Count;
use tegula_io::tables::escape_json;

/// A figure that kept records get.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Added {
    /// The number of removed texts that it stands for.
    Copies,
    /// The same by the values of a field of theirs.
    CopiesBy(FieldKey),
    /// Its rank among the kept texts of its cluster.
    Rank,
}

impl Parsed for Added {
    fn parsed(text: &str) -> Result<Self> {
        match text.split_once(':') {
            None if text == "copies" => Ok(Self::Copies),
            None if text == "rank" => Ok(Self::Rank),
            Some(("copies_by", key)) => FieldKey::parsed(key).map(Self::CopiesBy),
            _ => Err(ErrorKind::Usage
                .expected("one of copies, copies_by:FIELD and rank")
                .found(format!("'{text}'"))),
        }
    }
}

impl TryFrom<String> for Added {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parsed(&text)
    }
}

impl From<Added> for String {
    fn from(added: Added) -> Self {
        match added {
            Added::Copies => "copies".into(),
            Added::CopiesBy(key) => format!("copies_by:{key}"),
            Added::Rank => "rank".into(),
        }
    }
}

impl Added {
    /// The field by which it counts.
    pub(crate) fn field(&self) -> Option<&FieldKey> {
        match self {
            Self::CopiesBy(key) => Some(key),
            Self::Copies | Self::Rank => None,
        }
    }

    /// The name of its column: what XML could not use as a name becomes an underscore.
    pub(crate) fn column(&self) -> String {
        let usable = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let name = String::from(self.clone());
        let letters = name.chars().map(|c| if usable(c) { c } else { '_' });
        letters.collect()
    }

    /// Refuses figures of recipes that have none, and columns of one name.
    ///
    /// # Errors
    /// A usage error naming the option.
    pub(crate) fn check(all: &[Self], stages: &[Stage]) -> Result<()> {
        let wrong = || Error::of("⟨add⟩");
        if all.is_empty() {
            return Ok(());
        }
        if stages
            .iter()
            .any(|stage| stage.recipe.unit != Level::Document)
        {
            return Err(wrong()
                .expected("a recipe that compares documents, as only these are counted")
                .found("one that compares parts of them"));
        }
        if stages.iter().any(|stage| stage.recipe.onion.is_some()) {
            return Err(wrong()
                .expected("a recipe that compares pairs, as others name no witness")
                .found("one that keeps what was not seen before"));
        }
        let mut names: Vec<String> = all.iter().map(Self::column).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(wrong()
                .expected("figures with different names")
                .found(format!("`{}` twice", pair[0]))),
            None => Ok(()),
        }
    }
}

/// The figures of kept records, from the verdicts of all stages.
pub(crate) struct Figures<'a> {
    all: &'a [Added],
    stages: &'a [Verdicts<'a>],
    /// For each figure by a field and each stage: the codes of the parts, and these.
    parts: Vec<Vec<(Vec<u32>, Vec<String>)>>,
}

impl<'a> Figures<'a> {
    /// Prepares these figures.
    ///
    /// # Errors
    /// If a field was not read.
    pub(crate) fn new(all: &'a [Added], stages: &'a [Verdicts<'a>]) -> Result<Self> {
        let of_stage = |key: &FieldKey, stage: &Verdicts| {
            let column = find(&stage.found.units.records.fields, &key.name)?;
            Ok(key.parts(column))
        };
        let of_key = |key: &FieldKey| stages.iter().map(|stage| of_stage(key, stage)).collect();
        let keys = all
            .iter()
            .map(|added| added.field().map_or(Ok(Vec::new()), of_key));
        Ok(Self {
            all,
            stages,
            parts: keys.collect::<Result<_>>()?,
        })
    }

    /// Those of a kept record.
    pub(crate) fn of(&self, file: u32, number: u64) -> Vec<(String, Count)> {
        let mut copies = Vec::new();
        self.stood_for(self.stages.len(), (file, number), &mut copies);
        let figure = |(place, added): (usize, &Added)| match added {
            Added::Copies => Count::Number(copies.len() as u64),
            Added::CopiesBy(key) => Count::ByValue(self.by_value(place, key, &copies)),
            Added::Rank => Count::Number(u64::from(self.rank(file, number))),
        };
        let all = self.all.iter().enumerate();
        all.map(|(place, added)| (added.column(), figure((place, added))))
            .collect()
    }

    /// The stage and index of each record that a kept one stands for: those whose witness it is, and
    /// those that these stood for in the stages before.
    fn stood_for(&self, before: usize, (file, number): (u32, u64), out: &mut Vec<(usize, usize)>) {
        for (place, stage) in self.stages[..before].iter().enumerate() {
            let (Some(record), Some(standing)) = (stage.record(file, number), &stage.standing)
            else {
                continue;
            };
            let units = &stage.found.units;
            for removed in units
                .of_record(record)
                .flat_map(|unit| standing.stands_for(unit))
            {
                let record = units.record_of(removed);
                out.push((place, record));
                let of_removed = (units.records.file[record], units.records.number[record]);
                self.stood_for(place, of_removed, out);
            }
        }
    }

    /// A JSON object of the numbers of records by value, in the order of values.
    fn by_value(&self, figure: usize, key: &FieldKey, records: &[(usize, usize)]) -> String {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for (stage, record) in records {
            let fields = &self.stages[*stage].found.units.records.fields;
            let (codes, names) = &self.parts[figure][*stage];
            let value = find(fields, &key.name).map_or(MISSING, |column| {
                &names[codes[column.code(*record) as usize] as usize]
            });
            *counts.entry(value).or_default() += 1;
        }
        let mut json = String::from("{");
        for (value, count) in counts {
            json.push_str(if json.len() > 1 { "," } else { "" });
            escape_json(value, &mut json);
            json.push(':');
            json.push_str(&count.to_string());
        }
        json.push('}');
        json
    }

    /// Its rank in the first stage in which it is in a cluster, as that one names the cluster; 1 if it
    /// is in none.
    fn rank(&self, file: u32, number: u64) -> u32 {
        let ranks = self.stages.iter().filter_map(|stage| {
            let unit = stage
                .found
                .units
                .of_record(stage.record(file, number)?)
                .next()?;
            stage.standing.as_ref()?.rank(unit)
        });
        ranks.into_iter().next().unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_names_that_every_format_can_write() {
        for (text, column) in [
            ("copies", "copies"),
            ("rank", "rank"),
            ("copies_by:source", "copies_by_source"),
            ("copies_by:date:year", "copies_by_date_year"),
            ("copies_by:/meta/url", "copies_by__meta_url"),
        ] {
            let added = Added::parsed(text).unwrap();
            assert_eq!(added.column(), column);
            assert_eq!(String::from(added), text);
        }
        for wrong in ["copy", "copies:source", "copies_by:", "copies_by", "rank:1"] {
            assert!(Added::parsed(wrong).is_err(), "{wrong}");
        }
    }
}
