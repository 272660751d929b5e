//! The run folder: findings as open tables, and their reader.

mod names;
mod read;
mod rows;
mod write;

pub use names::recipe_hash;
pub(crate) use names::{stage_name, staged_hash};
pub use read::Stored;
pub use rows::measures;
pub(crate) use write::{Evidence, stages_info, write};

use crate::spec::RunSpec;
use serde_json::{Map, Value};
use std::path::PathBuf;
use tegula::error::{Error, ErrorKind, Result};
use tegula::recipe::{Recipe, Staged};
use tegula_io::tables::RunInfo;

/// The key of the recipe in `run.json`: separate from the rest of the specification, and unchanged
/// since the first version.
const RECIPE: &str = "recipe";
/// The records that could not be read and were skipped, among the options in `run.json`.
const SKIPPED_RECORDS: &str = "skipped_records";

/// The specification in `run.json` under `options`: without the recipe, but with file and number of
/// the skipped records.
fn options(spec: &RunSpec, skipped_records: &[(u32, u64)]) -> Result<Map<String, Value>> {
    let wrong = |error: serde_json::Error| {
        Error::new(
            ErrorKind::Run,
            format!("cannot write the options as JSON: {error}"),
        )
    };
    let Value::Object(mut map) = serde_json::to_value(spec).map_err(wrong)? else {
        return Ok(Map::new());
    };
    map.shift_remove(RECIPE);
    if !skipped_records.is_empty() {
        map.insert(
            SKIPPED_RECORDS.to_owned(),
            serde_json::to_value(skipped_records).map_err(wrong)?,
        );
    }
    Ok(map)
}

/// The specification in `run.json`, and the skipped records.
fn specification(info: &RunInfo) -> Result<(RunSpec, Vec<(u32, u64)>), serde_json::Error> {
    let mut map = info.options.clone();
    let skipped_records = map
        .shift_remove(SKIPPED_RECORDS)
        .map_or(Ok(Vec::new()), serde_json::from_value)?;
    let command = map.get("command").cloned().map_or(
        Ok(None),
        serde_json::from_value::<Option<crate::spec::RunKind>>,
    )?;
    let staged = if info.stages.is_empty() {
        let recipe: Recipe = serde_json::from_value(info.recipe.clone())?;
        let action = command.map_or(tegula::recipe::Action::Remove, crate::spec::RunKind::action);
        serde_json::to_value(Staged::single(recipe, action))?
    } else {
        info.recipe.clone()
    };
    map.insert(RECIPE.to_owned(), staged);
    Ok((RunSpec::from_value(Value::Object(map))?, skipped_records))
}

/// The inputs and references of a run as named, if this can be read.
pub(crate) fn named_inputs(info: &RunInfo) -> Vec<PathBuf> {
    specification(info).map_or_else(
        |_| Vec::new(),
        |(spec, _)| {
            spec.input
                .paths
                .into_iter()
                .chain(spec.input.against)
                .collect()
        },
    )
}
