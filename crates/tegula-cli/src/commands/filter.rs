//! `tegula filter`: a stream of hits without near copies.

use crate::commands::{Asked, Show};
use crate::terminal::{count, plural};
use crate::{machine, output};
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::{FilterSpec, Filtered};

impl Show for FilterSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let filtered = asked.run()?;
        if asked.shown.json {
            output::json(&json(&filtered))?;
        } else if !asked.is_quiet() {
            output::tell(&closing(&filtered));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The summary in a line.
fn closing(filtered: &Filtered) -> String {
    let Filtered {
        hits,
        kept,
        hidden,
        known,
        dropped,
        skipped,
        seconds,
        ..
    } = *filtered;
    let dropped = match dropped {
        0 => String::new(),
        hits => format!(", {} dropped as templates", count(hits)),
    };
    let known = match known {
        0 => String::new(),
        hits => format!(" ({} by the index)", count(hits)),
    };
    let skipped = match skipped {
        0 => String::new(),
        lines => format!(", {} skipped", plural(lines, "bad line")),
    };
    format!(
        "{}: {} kept, {} hidden{known}{dropped}{skipped}; {seconds:.2} s, {:.3} ms a hit\n",
        plural(hits, "hit"),
        count(kept),
        count(hidden),
        seconds * 1000.0 / hits.max(1) as f64
    )
}

/// The summary as JSON.
fn json(filtered: &Filtered) -> String {
    let mut all = serde_json::json!(filtered);
    if let Some(all) = all.as_object_mut() {
        all.append(&mut machine::took().json());
    }
    format!("{all:#}\n")
}
