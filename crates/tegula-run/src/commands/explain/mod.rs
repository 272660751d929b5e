//! Why a run kept or removed a text, and what the text shares with its witness.

mod breakdown;
mod case;
mod compared;
mod lookup;

use crate::command::{Answer, Command};
use crate::describe;
use crate::host::Host;
use crate::opened::claims;
use crate::options::Shown;
use case::Case;
use compared::Compared;
use lookup::Run;
use serde_json::Value;
use std::path::PathBuf;
use tegula::error::{Error, Result};
use tegula_report::say;
use tegula_report::side_by_side::Style;

tegula::options! {
    /// An explanation of a decision.
    pub struct ExplainSpec under "" {
        /// The folder of a run
        #[serde(with = "tegula_io::path")]
        pub run: PathBuf => "RUN",

        /// The id of a unit
        pub id: String => "ID",

        /// Compare it with this unit instead of its witness
        pub other: Option<String> => "OTHER_ID",
    } under "Options" {
        /// New location of the inputs of the run, if they have moved
        #[serde(with = "tegula_io::path::option")]
        pub root: Option<PathBuf> => "DIR",

        /// Show shared passages in full, however long
        pub full: bool => "",
    }
}

/// The decisions on a unit: one by each stage that decided on it.
pub struct Explained {
    cases: Vec<(Case, Option<Compared>)>,
    is_staged: bool,
    other_named: bool,
    full: bool,
}

impl Command for ExplainSpec {
    const NAME: &'static str = "explain";
    const ABOUT: &'static str =
        "Explain why a text was kept or removed, and show what it shares with its witness";
    const EXAMPLES: &'static str = "Examples:
  tegula explain run/ T03/JUL.31966
  tegula explain run/ news.jsonl:17 news.jsonl:4 --full";
    const SHOWN: Shown = Shown::only(&["json", "width"]);
    type Answer = Explained;

    fn run(&self, host: &Host) -> Result<Explained> {
        claims::files(host, [self.run.as_path()], &[])?;
        let mut runs = Run::open_stages(&self.run, self.root.as_deref(), host.tables())?;
        if runs.iter().any(|run| !run.info.done) {
            host.warn("the run is incomplete; its partial results are shown");
        }
        let is_staged = runs.len() > 1;
        if is_staged {
            // A unit is in the stages of its level, up to the one that removed it.
            let mut with_it = Vec::new();
            for run in runs.drain(..) {
                if run.has_unit(&self.id)? {
                    with_it.push(run);
                }
            }
            runs = with_it;
            if runs.is_empty() {
                return Err(Error::usage(format!(
                    "there is no unit '{}' in any stage of the run",
                    self.id
                ))
                .at(&self.run)
                .hint("the units.parquet of each stage lists the ids"));
            }
        }
        let cases = runs.into_iter().map(|run| self.case(host, run));
        Ok(Explained {
            cases: cases.collect::<Result<_>>()?,
            is_staged,
            other_named: self.other.is_some(),
            full: self.full,
        })
    }
}

impl ExplainSpec {
    /// The verdict of a run, or of one of its stages, on the unit, beside the most informative other
    /// unit.
    fn case(&self, host: &Host, run: Run) -> Result<(Case, Option<Compared>)> {
        let unit = run.units(&[&self.id])?.remove(0);
        let verdict = run.verdict(&unit)?;
        let cluster = run.cluster(&unit)?;
        let case = Case {
            run,
            unit,
            verdict,
            cluster,
        };
        let run = &case.run;
        let Some(id) = self.other.clone().or_else(|| case.other()) else {
            return Ok((case, None));
        };
        let mut compared = Compared::new(run, &case.unit, run.units(&[&id])?.remove(0))?;
        let texts = (compared.texts.0.as_str(), compared.texts.1.as_str());
        compared.breakdown = breakdown::parts(
            host,
            run,
            (&self.run, self.root.as_deref()),
            texts,
            case.score_with(&compared.other),
        )?;
        compared.hidden = compared.hidden(&run.recipe, &case.unit)?;
        Ok((case, Some(compared)))
    }
}

impl Answer for Explained {
    fn json(&self) -> Result<Value> {
        let cases = self.cases.iter();
        let mut cases = cases.map(|(case, other)| {
            let other = other.as_ref().map(|compared| compared.json(&case.unit));
            case.json(other.as_ref())
        });
        Ok(if self.is_staged {
            cases.collect()
        } else {
            cases.next().unwrap_or_default()
        })
    }

    fn text(&self, width: usize, colours: bool) -> Option<String> {
        let style = Style {
            width,
            colours,
            full: self.full,
        };
        let mut out = String::new();
        for (case, other) in &self.cases {
            if self.is_staged {
                let gap = if out.is_empty() { "" } else { "\n" };
                out.push_str(gap);
                let recipe = describe::recipe(&case.run.recipe);
                say!(out, "stage {}: {recipe}", case.run.stage);
            }
            out.push_str(&case.prose(
                other.as_ref().map(|compared| &compared.other),
                self.other_named,
            ));
            if let (Some(compared), false) = (other, self.other_named) {
                out.push_str(&compared.smaller_share(case).unwrap_or_default());
            }
            if let Some(compared) = other {
                compared.show(case, style, &mut out);
            }
        }
        Some(out)
    }
}
