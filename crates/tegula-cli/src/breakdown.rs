//! How a score is made up, where shingles do not show it, for `explain` and `compare`.

use crate::terminal::{self, say};
use serde_json::{Value, json};
use tegula::engine::breakdown::{Breakdown, Parts};
use tegula_report::score::{Explained, explained};

/// The score and how it is made up, in prose and a table.
pub(crate) fn show(breakdown: &Breakdown, measure: &str, width: usize) -> String {
    let Explained { sentences, terms } = explained(breakdown, measure);
    let mut out = String::new();
    for sentence in sentences {
        say!(out, "{sentence}");
    }
    let what = match breakdown.parts {
        Parts::Terms { n: 2.., .. } => "shingle",
        _ => "term",
    };
    if !terms.is_empty() {
        let mut table = terminal::table(&[what, "share"], width);
        for row in terms {
            table.add_row(row);
        }
        out.push_str(&terminal::show(table));
    }
    out
}

/// The same as JSON.
pub(crate) fn json(breakdown: &Breakdown) -> Value {
    let parts = match &breakdown.parts {
        Parts::Bits { a, b } => {
            json!({"simhash_a": format!("{a:016x}"), "simhash_b": format!("{b:016x}")})
        }
        Parts::Slots { agree, slots } => json!({"agree": agree, "slots": slots}),
        Parts::Terms {
            shared,
            terms,
            n,
            everywhere,
        } => {
            json!({"n": n, "terms_a": terms.0, "terms_b": terms.1, "shared": shared, "everywhere": everywhere})
        }
    };
    json!({"score": breakdown.score.as_f64(), "part": breakdown.score.part, "whole": breakdown.score.whole, "of": parts})
}
