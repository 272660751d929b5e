//! The figures of a stage of a run.

use crate::describe;
use serde_json::{Map, Value, json};
use std::time::Duration;
use tegula::error::{Error, Result};
use tegula::recipe::Recipe;
use tegula::summary::Summary;
use tegula_io::passed_over::PassedOver;

/// The summary of a stage, with diagnostics.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// Number and name of the stage, if there are several.
    pub stage: Option<String>,
    /// The counts.
    pub summary: Summary,
    /// The action on duplicates: `removed` or `marked`; none if there was no decision.
    pub verb: Option<&'static str>,
    /// Records that could not be read.
    pub bad_records: u64,
    /// Records from which some text was removed.
    pub cut_records: u64,
    /// Files that were not read.
    pub skipped: Vec<String>,
    /// What the files hold besides the records that were compared, by format.
    pub passed_over: Vec<PassedOver>,
    /// Which tokens were used.
    pub tokens: String,
    /// Which columns of vertical files were compared, if they have several.
    pub columns: Option<String>,
    /// The duration of each step.
    pub timings: Vec<(&'static str, Duration)>,
    /// The recipe with all its parameters.
    pub recipe: Recipe,
}

/// The summaries of a run as one JSON object; with several stages, a list of them.
///
/// # Errors
/// None in practice; a report is always representable.
pub(crate) fn all(reports: &[Report]) -> Result<Value> {
    if let [report] = reports {
        return report.json().map(Value::Object);
    }
    let stage = |report: &Report| {
        let mut all = report.json()?;
        all.remove("version");
        all.shift_insert(0, "stage".into(), json!(report.stage));
        Ok(Value::Object(all))
    };
    let stages = reports.iter().map(stage).collect::<Result<Vec<Value>>>()?;
    Ok(json!({"version": env!("CARGO_PKG_VERSION"), "stages": stages}))
}

impl Report {
    /// The counts as JSON, without figures that depend on the machine.
    ///
    /// # Errors
    /// None in practice; counts are always representable.
    pub fn counts(&self) -> Result<Map<String, Value>> {
        let wrong = |error: serde_json::Error| {
            Error::data(format!("cannot write the summary as JSON: {error}"))
        };
        let Value::Object(mut counts) = serde_json::to_value(&self.summary).map_err(wrong)? else {
            return Ok(Map::new());
        };
        counts.insert("tokens".into(), self.tokens.as_str().into());
        if let Some(columns) = &self.columns {
            counts.insert("columns".into(), columns.as_str().into());
        }
        counts.insert("bad_records".into(), self.bad_records.into());
        counts.insert("records_cut".into(), self.cut_records.into());
        counts.insert("skipped".into(), json!(self.skipped));
        counts.insert(
            "passed_over".into(),
            describe::passed_over_json(&self.passed_over),
        );
        Ok(counts)
    }

    /// Seconds by step.
    pub fn seconds(&self) -> Map<String, Value> {
        let seconds = |time: &Duration| json!((time.as_secs_f64() * 1e3).round() / 1e3);
        self.timings
            .iter()
            .map(|(stage, time)| ((*stage).to_owned(), seconds(time)))
            .collect()
    }

    /// Version, recipe, counts and seconds as one JSON object.
    ///
    /// # Errors
    /// None in practice; a report is always representable.
    pub fn json(&self) -> Result<Map<String, Value>> {
        let wrong = |error: serde_json::Error| {
            Error::data(format!("cannot write the recipe as JSON: {error}"))
        };
        let mut all = Map::new();
        all.insert("version".into(), env!("CARGO_PKG_VERSION").into());
        all.insert(
            "recipe".into(),
            serde_json::to_value(&self.recipe).map_err(wrong)?,
        );
        all.append(&mut self.counts()?);
        all.insert("seconds".into(), Value::Object(self.seconds()));
        Ok(all)
    }
}
