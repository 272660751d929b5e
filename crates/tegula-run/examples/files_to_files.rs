//! Files to files: a JSONL file without its copies, the copies beside it, and the evidence.
//!
//! `cargo run -p tegula-run --example files_to_files -- news.jsonl clean.jsonl`

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use tegula_run::{Host, Observer, PairsKept, RunSpec, recipe};

struct Shown;

impl Observer for Shown {
    fn warn(&self, text: &str) {
        println!("warning: {text}");
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(input), Some(output)) = (arguments.next(), arguments.next()) else {
        println!("usage: files_to_files INPUT OUTPUT");
        return Ok(());
    };
    let mut spec = RunSpec::dedup(recipe("copies")?, [input], &output)
        .keeping(format!("{output}.run"), PairsKept::All);
    spec.output.removed = Some(format!("{output}.removed").into());
    spec.policy.keep = "longest,first".parse()?;
    let outcome = tegula_run::run(&Host::usual()?.observed_by(Shown), &spec)?;
    for removed in outcome.removed() {
        println!(
            "{} is a copy of {} ({:.3})",
            removed.id,
            removed.witness.unwrap_or_default(),
            removed.score.unwrap_or(1.0)
        );
    }
    println!(
        "{} removed; the evidence is in {output}.run",
        outcome.duplicates()
    );
    Ok(())
}
