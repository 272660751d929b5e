//! The run folder: what a run found, as open tables, and back again.

mod read;
mod rows;
mod write;

pub(crate) use read::Stored;
pub(crate) use rows::measures;
pub(crate) use write::{Evidence, Kept, recipe_hash, stages_info, write};

use crate::args::{ConstraintArgs, InputArgs};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;
use tegula::constraint::Constraints;
use tegula::error::{Error, ErrorKind, Result};
use tegula_io::options::ReadOptions;

/// What `run.json` keeps of the options: all that is needed to read the same units in the same roles again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunOptions {
    /// The command that made the run.
    pub(crate) command: String,
    /// The inputs, as they were named.
    #[serde(with = "tegula_io::path::list")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The references, as they were named.
    #[serde(with = "tegula_io::path::list")]
    pub(crate) against: Vec<PathBuf>,
    /// How they were read.
    pub(crate) read: ReadOptions,
    /// `--within`; runs of earlier versions had one field at most.
    #[serde(deserialize_with = "several")]
    pub(crate) within: Vec<String>,
    /// `--across`.
    pub(crate) across: Option<String>,
    /// `--window`: the field and the days.
    pub(crate) window: Option<(String, u32)>,
    /// `--min-tokens`.
    #[serde(default)]
    pub(crate) min_tokens: u32,
    /// Which pairs are kept.
    pub(crate) evidence: Kept,
    /// File and number of the records that could not be read and were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<(u32, u64)>,
}

/// None, one or several.
fn several<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Fields {
        None,
        One(String),
        Several(Vec<String>),
    }
    Ok(match Fields::deserialize(value)? {
        Fields::None => Vec::new(),
        Fields::One(field) => vec![field],
        Fields::Several(fields) => fields,
    })
}

impl RunOptions {
    /// The options of a new run.
    pub(crate) fn new(command: &str, input: &InputArgs, pairs: &ConstraintArgs, read: ReadOptions, evidence: Kept) -> Self {
        Self {
            command: command.to_owned(),
            inputs: input.inputs.clone(),
            against: pairs.against.clone(),
            read,
            within: pairs.within.iter().map(ToString::to_string).collect(),
            across: pairs.across.as_ref().map(ToString::to_string),
            window: pairs.window.as_ref().map(|window| (window.field.to_string(), window.days)),
            min_tokens: pairs.min_tokens.unwrap_or(0),
            evidence,
            left_out: Vec::new(),
        }
    }

    /// Which pairs counted.
    pub(crate) fn constraints(&self, references_from: Option<u32>) -> Result<Constraints> {
        let key = |text: &Option<String>| text.as_ref().map(|text| text.parse()).transpose();
        let window = self.window.as_ref().map(|(field, days)| Ok::<_, Error>((field.parse()?, *days))).transpose()?;
        let within = self.within.iter().map(|text| text.parse()).collect::<Result<_>>()?;
        Ok(Constraints { within, across: key(&self.across)?, window, references_from, min_tokens: self.min_tokens })
    }

    /// Whether a run with these options found what one with `other` finds.
    pub(crate) fn finds_as(&self, other: &Self) -> bool {
        self.plain() == other.plain()
    }

    /// What decides on what is found: how inputs are read, and which pairs count.
    ///
    /// # Errors
    /// None in practice; the options are always representable.
    pub(crate) fn reading(&self) -> Result<String> {
        Ok(serde_json::Value::Object(self.plain().to_map()?).to_string())
    }

    fn plain(&self) -> Self {
        Self {
            command: String::new(),
            evidence: Kept::All,
            left_out: Vec::new(),
            read: ReadOptions { fields: Vec::new(), ..self.read.clone() },
            ..self.clone()
        }
    }

    fn to_map(&self) -> Result<Map<String, Value>> {
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) => Ok(map),
            Ok(_) => Ok(Map::new()),
            Err(error) => Err(Error::new(ErrorKind::Run, format!("cannot write the options as JSON: {error}"))),
        }
    }

    pub(crate) fn from_map(map: &Map<String, Value>) -> Result<Self, serde_json::Error> {
        serde_json::from_value(Value::Object(map.clone()))
    }
}
