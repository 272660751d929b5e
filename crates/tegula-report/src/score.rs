//! Explains scores that shingles do not explain.

use crate::figures::ratio;
use crate::form::{self, percent, plural};
use crate::say;
use crate::screen;
use serde_json::{Value, json};
use tegula::engine::breakdown::{Breakdown, Parts};
use tegula::engine::loss::Loss;
use tegula::recipe::MissingNumbers;

/// The maximum number of terms listed.
const LISTED: usize = 12;

/// An explanation of a score, with its terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// Sentences on the score and its components.
    pub sentences: Vec<String>,
    /// Shared terms, each with its share of the common weight; empty if no terms are compared.
    pub terms: Vec<[String; 2]>,
}

/// Explains a score; `measure` describes what the measure compares.
pub fn explained(breakdown: &Breakdown, measure: &str) -> Explained {
    let mut sentences = vec![format!(
        "The score of the two is {}: {measure}.",
        ratio(breakdown.score)
    )];
    if let Some((loss, before)) = &breakdown.lost {
        sentences.push(format!("Before missing numbers it was {}.", ratio(*before)));
        sentences.push(lost(loss));
    }
    let mut rows = Vec::new();
    match &breakdown.parts {
        Parts::Bits { a, b } => {
            sentences.push(format!(
                "Their simhashes are {a:016x} and {b:016x}; these bits differ: {:016x}.",
                a ^ b
            ));
        }
        Parts::Slots { agree, slots } => {
            let named: Vec<String> = agree.iter().map(|slot| (slot + 1).to_string()).collect();
            let which = if named.is_empty() {
                "none".to_owned()
            } else {
                named.join(" ")
            };
            sentences.push(format!("Of {slots} slots these agree: {which}."));
        }
        Parts::Terms {
            shared,
            terms: (a, b),
            n,
            everywhere,
        } => {
            let what = if *n == 1 { "term" } else { "shingle" };
            let count = plural(shared.len() as u64, what);
            sentences.push(format!(
                "They share {count} of {} and {}; the shares of the common weight are:",
                form::count(*a as u64),
                form::count(*b as u64)
            ));
            rows.extend(
                shared
                    .iter()
                    .take(LISTED)
                    .map(|term| [term.term.clone(), percent(term.share)]),
            );
            if let Some(rest @ [_, ..]) = shared.get(LISTED..) {
                rows.push([
                    format!("{} more", form::count(rest.len() as u64)),
                    percent(rest.iter().map(|term| term.share).sum()),
                ]);
            }
            if *everywhere > 0.0 {
                rows.push([
                    "terms assumed to be in every text".to_owned(),
                    percent(*everywhere),
                ]);
            }
        }
    }
    Explained {
        sentences,
        terms: rows,
    }
}

/// What a score loses for missing numbers, in a sentence.
pub fn lost(loss: &Loss) -> String {
    let of = |found: tegula::recipe::Missing| {
        format!(
            "{} of {}",
            form::count(found.missing.into()),
            form::count(found.of.into())
        )
    };
    if loss.numbers.is_empty() {
        return "No number of the text with fewer numbers is missing in the other.".to_owned();
    }
    let first = match loss.first_tokens {
        0 => String::new(),
        first => format!("{} among the first {first} tokens and ", of(loss.first)),
    };
    let named = loss.numbers.iter().take(LISTED).cloned();
    let rest = loss.numbers.len().saturating_sub(LISTED);
    let rest = (rest > 0).then(|| format!("{} more", form::count(rest as u64)));
    let named: Vec<String> = named.chain(rest).collect();
    format!(
        "It loses {:.4} for numbers that one text lacks: {first}{} in all ({}).",
        share(loss),
        of(loss.all),
        named.join(", ")
    )
}

/// What is lost, as a share of a score of 1.
fn share(loss: &Loss) -> f64 {
    f64::from(loss.billionths) / f64::from(MissingNumbers::ALL)
}

/// The score and how it is made up, in prose and a table.
pub fn show(breakdown: &Breakdown, measure: &str, width: usize) -> String {
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
        let mut table = screen::table(&[what, "share"], width);
        for row in terms {
            table.add_row(row);
        }
        out.push_str(&screen::show(&table));
    }
    out
}

/// The same as JSON.
pub fn json(breakdown: &Breakdown) -> Value {
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
    let mut found = json!({"score": breakdown.score.as_f64(), "part": breakdown.score.part, "whole": breakdown.score.whole, "of": parts});
    if let Some((loss, before)) = &breakdown.lost {
        found["before"] = before.as_f64().into();
        found["lost"] = json!({
            "score": share(loss),
            "first_tokens": loss.first_tokens,
            "missing_first": loss.first.missing,
            "of_first": loss.first.of,
            "missing": loss.all.missing,
            "of": loss.all.of,
            "numbers": loss.numbers,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use tegula::engine::breakdown::SharedTerm;
    use tegula::threshold::Score;

    #[test]
    fn terms_beyond_the_listed_ones_are_added_up() {
        let shared = (0..14)
            .map(|at| SharedTerm {
                term: format!("t{at}"),
                weight_a: 1,
                weight_b: 1,
                share: 0.05,
            })
            .collect();
        let parts = Parts::Terms {
            shared,
            terms: (20, 30),
            n: 1,
            everywhere: 0.3,
        };
        let found = explained(
            &Breakdown {
                score: Score { part: 1, whole: 2 },
                lost: None,
                parts,
            },
            "cosine",
        );
        assert_eq!(found.terms.len(), LISTED + 2);
        assert_eq!(
            found.terms[LISTED],
            ["2 more".to_owned(), "10.00 %".to_owned()]
        );
        assert!(found.sentences[1].starts_with("They share 14 terms of 20 and 30"));
        let bits = explained(
            &Breakdown {
                score: Score {
                    part: 63,
                    whole: 64,
                },
                lost: None,
                parts: Parts::Bits { a: 1, b: 3 },
            },
            "bits",
        );
        assert!(bits.terms.is_empty() && bits.sentences[1].ends_with("differ: 0000000000000002."));
    }
}
