//! The closing summary of a run: a few lines, all figures, or JSON.

mod brief;
mod figures;
mod full;

use crate::output;
use tegula::error::Result;
use tegula_io::passed_over::PassedOver;
use tegula_run::command::Answer;
use tegula_run::commands::dedup::Ran;
use tegula_run::describe;
use tegula_run::options::ShownOptions;

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

/// Shows the closing summary of a run, in the detail that is asked for, and its warnings.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn tell(ran: &Ran, asked: &ShownOptions) -> Result<()> {
    if asked.json {
        output::json(&json(ran)?)?;
    } else if asked.verbose {
        for report in ran.outcome.reports() {
            output::tell(&full::text(report));
        }
    } else if !asked.progress.quiet {
        output::tell(&brief::text(&ran.spec, &ran.outcome));
    }
    for warning in ran.warnings() {
        output::warn(&warning);
    }
    Ok(())
}
