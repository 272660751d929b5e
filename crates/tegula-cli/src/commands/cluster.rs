//! `tegula cluster`: clusters stored pairs at another threshold.

use crate::commands::{Asked, Show};
use crate::output;
use crate::terminal::{count, plural, say};
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::commands::cluster::{ClusterSpec, Clustered};

impl Show for ClusterSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let found = asked.run()?;
        if !asked.is_quiet() {
            output::tell(&summary(asked, &found));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn summary(asked: &Asked<ClusterSpec>, found: &Clustered) -> String {
    let beyond = if found.strict { "above" } else { "at or above" };
    let threshold = asked.spec.threshold;
    let from = threshold.map_or_else(String::new, |threshold| format!(" {beyond} {threshold}"));
    let mut out = match found.pairs {
        0 => format!("no pairs{from}\n"),
        pairs => format!(
            "{}{from} in {} of {}\n",
            plural(pairs, "pair"),
            plural(found.clusters, "cluster"),
            plural(found.units, "unit")
        ),
    };
    if let Some(largest) = &found.largest {
        say!(
            out,
            "largest: {} with {} units, lowest score {:.4}, density {:.4}",
            largest.id,
            count(largest.units),
            largest.min_edge,
            largest.density
        );
    }
    if found.loops > 0 {
        say!(
            out,
            "ignored, as they pair an id with itself: {}",
            plural(found.loops, "pair")
        );
    }
    out
}
