//! The closing summary of a run: a few lines, all figures, or JSON.

mod brief;
mod figures;
mod full;

use crate::output;
use serde_json::{Map, Value, json};
use tegula::error::Result;
use tegula_io::passed_over::PassedOver;
use tegula_run::{Outcome, Report, RunSpec, describe};

/// The summaries of a run as one JSON object, and its use of resources.
///
/// # Errors
/// None in practice; a report is always representable.
pub(crate) fn json(reports: &[Report]) -> Result<String> {
    let mut all = if let [report] = reports {
        report.json()?
    } else {
        stages(reports)?
    };
    all.append(&mut crate::machine::took().json());
    Ok(format!("{}\n", Value::Object(all)))
}

/// Lines about what the files hold besides the records that were read, under a summary.
pub(crate) fn passed_over(over: &[PassedOver]) -> String {
    let line = |over| format!("passed over: {}\n", describe::passed_over(over));
    over.iter().map(line).collect()
}

/// The summaries of several stages.
fn stages(reports: &[Report]) -> Result<Map<String, Value>> {
    let stage = |report: &Report| {
        let mut all = report.json()?;
        all.remove("version");
        all.shift_insert(0, "stage".into(), json!(report.stage));
        Ok(Value::Object(all))
    };
    let stages = reports.iter().map(stage).collect::<Result<Vec<Value>>>()?;
    Ok(Map::from_iter([
        ("version".to_owned(), env!("CARGO_PKG_VERSION").into()),
        ("stages".to_owned(), Value::Array(stages)),
    ]))
}

/// The requested level of detail of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Warnings only.
    Nothing,
    /// A few lines.
    Brief,
    /// All figures.
    All,
    /// All figures as JSON on standard output.
    Json,
}

impl Asked {
    /// The level of detail that these switches request.
    pub(crate) fn of(json: bool, verbose: bool, quiet: bool) -> Self {
        match (json, verbose, quiet) {
            (true, ..) => Self::Json,
            (_, true, _) => Self::All,
            (.., true) => Self::Nothing,
            _ => Self::Brief,
        }
    }
}

/// Shows the closing summary of a run, and its warnings.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn tell(spec: &RunSpec, outcome: &Outcome, asked: Asked) -> Result<()> {
    let reports = outcome.reports();
    match asked {
        Asked::Nothing => {}
        Asked::Brief => output::tell(&brief::text(spec, outcome)),
        Asked::All => reports
            .iter()
            .for_each(|report| output::tell(&full::text(report))),
        Asked::Json => output::json(&json(reports)?)?,
    }
    for report in reports {
        let stage = report
            .stage
            .as_ref()
            .map_or(String::new(), |stage| format!("stage {stage}: "));
        report
            .summary
            .warnings
            .iter()
            .for_each(|warning| output::warn(&format!("{stage}{warning}")));
    }
    Ok(())
}
