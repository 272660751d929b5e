//! What a score is made of, where shingles do not say it, for `explain` and `compare`.

use crate::terminal::{self, plural};
use serde_json::{Value, json};
use std::fmt::Write;
use tegula::engine::breakdown::{Breakdown, Parts};
use tegula_report::figures::ratio;
use tegula_report::form::percent;

/// Terms that are listed.
const LISTED: usize = 12;

/// The score and what is behind it, in prose and a table.
pub(crate) fn show(breakdown: &Breakdown, measure: &str, width: usize) -> String {
    let mut out = format!("The score of the two is {}: {measure}.\n", ratio(breakdown.score));
    match &breakdown.parts {
        Parts::Bits { a, b } => {
            let _ = writeln!(out, "Their simhashes are {a:016x} and {b:016x}; these bits differ: {:016x}.", a ^ b);
        }
        Parts::Slots { agree, slots } => {
            let named: Vec<String> = agree.iter().map(|slot| (slot + 1).to_string()).collect();
            let which = if named.is_empty() { "none".to_owned() } else { named.join(" ") };
            let _ = writeln!(out, "Of {slots} slots these agree: {which}.");
        }
        Parts::Terms { shared, terms, everywhere } => {
            let _ = writeln!(
                out,
                "They share {} of {} and {}; of what they have in common these are:",
                plural(shared.len() as u64, "term"),
                terms.0,
                terms.1
            );
            let mut table = terminal::table(&["term", "share"], width);
            for term in shared.iter().take(LISTED) {
                table.add_row([term.term.clone(), percent(term.share)]);
            }
            if shared.len() > LISTED {
                let rest = shared[LISTED..].iter().map(|term| term.share).sum();
                table.add_row([format!("{} more", shared.len() - LISTED), percent(rest)]);
            }
            if *everywhere > 0.0 {
                table.add_row(["terms taken to be in every text".to_owned(), percent(*everywhere)]);
            }
            out.push_str(&terminal::show(table));
        }
    }
    out
}

/// The same as JSON.
pub(crate) fn json(breakdown: &Breakdown) -> Value {
    let parts = match &breakdown.parts {
        Parts::Bits { a, b } => json!({"simhash_a": format!("{a:016x}"), "simhash_b": format!("{b:016x}")}),
        Parts::Slots { agree, slots } => json!({"agree": agree, "slots": slots}),
        Parts::Terms { shared, terms, everywhere } => {
            json!({"terms_a": terms.0, "terms_b": terms.1, "shared": shared, "everywhere": everywhere})
        }
    };
    json!({"score": breakdown.score.as_f64(), "part": breakdown.score.part, "whole": breakdown.score.whole, "of": parts})
}
