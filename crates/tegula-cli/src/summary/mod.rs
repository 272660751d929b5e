//! The closing summary of a run: a few lines, all figures, or JSON.

mod brief;
mod figures;
mod full;

use crate::output;
use tegula::error::Result;
use tegula_io::passed_over::PassedOver;
use tegula_run::command::Answer;
use tegula_run::dedup::Ran;
use tegula_run::describe;

/// The summaries of a run as one JSON object, and its use of resources.
fn json(ran: &Ran) -> Result<String> {
    let mut all = ran.json()?;
    if let Some(all) = all.as_object_mut() {
        all.append(&mut crate::machine::took().json());
    }
    Ok(format!("{all}\n"))
}

/// Lines about what the files hold besides the records that were read, under a summary.
pub(crate) fn passed_over(over: &[PassedOver]) -> String {
    let line = |over| format!("passed over: {}\n", describe::passed_over(over));
    over.iter().map(line).collect()
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

/// Shows the closing summary of a run, and its warnings.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn tell(ran: &Ran, asked: Asked) -> Result<()> {
    let reports = ran.outcome.reports();
    match asked {
        Asked::Nothing => {}
        Asked::Brief => output::tell(&brief::text(&ran.spec, &ran.outcome)),
        Asked::All => reports
            .iter()
            .for_each(|report| output::tell(&full::text(report))),
        Asked::Json => output::json(&json(ran)?)?,
    }
    for warning in ran.warnings() {
        output::warn(&warning);
    }
    Ok(())
}
