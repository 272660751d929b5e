//! The decision of a run on a unit, in prose and as JSON.

use super::lookup::{Cluster, Run, Unit, Verdict};
use serde_json::{Value, json};
use tegula_report::form::{count, plural};
use tegula_report::say;

/// Maximum number of removed units to name.
const NAMED: usize = 5;

/// A unit and the run's verdict on it.
pub(super) struct Case {
    pub(super) run: Run,
    pub(super) unit: Unit,
    pub(super) verdict: Option<Verdict>,
    pub(super) cluster: Option<Cluster>,
}

impl Case {
    /// The most informative other unit: the witness, else the best of those removed because of it,
    /// else another of its cluster.
    pub(super) fn other(&self) -> Option<String> {
        let verdict = self.verdict.as_ref();
        let witness = verdict
            .and_then(|verdict| verdict.witness.as_ref())
            .map(|(_, id)| id);
        let victim = || {
            verdict
                .and_then(|verdict| verdict.because_of_it.first())
                .map(|(_, id, _)| id)
        };
        witness
            .or_else(victim)
            .or_else(|| self.cluster.as_ref()?.other.as_ref())
            .cloned()
    }

    /// The score of the unit and another one, if the run kept it: that of a witness.
    pub(super) fn score_with(&self, other: &Unit) -> Option<f64> {
        let verdict = self.verdict.as_ref()?;
        match &verdict.witness {
            Some((witness, _)) if *witness == other.number => verdict.score,
            _ => verdict
                .because_of_it
                .iter()
                .find(|(unit, ..)| *unit == other.number)
                .map(|(_, _, score)| *score),
        }
    }

    /// What was decided, and why; `other` is the unit beside it.
    pub(super) fn prose(&self, other: Option<&Unit>, other_named: bool) -> String {
        let mut out = String::new();
        let id = &self.unit.id;
        let is_onion = self.run.recipe.onion.is_some();
        let method = format!("{} {}", self.run.recipe.recipe, self.run.recipe.bound());
        let least = self.run.min_tokens();
        let short = u64::from(self.unit.tokens) < least;
        if short {
            let tokens = plural(self.unit.tokens.into(), "token");
            say!(
                out,
                "{id} has {tokens}; it was compared with no other unit, as only units of at least {least} are."
            );
        }
        match &self.verdict {
            _ if short => return out,
            None => {
                say!(
                    out,
                    "{id}: the run found pairs by {method}, and made no decisions."
                );
            }
            Some(verdict) => self.verdict(verdict, other, &method, &mut out),
        }
        match &self.cluster {
            None if self.run.recipe.measure.is_in_order() => {}
            None => out.push_str("It is in no cluster.\n"),
            Some(cluster) => {
                let density = cluster.density.map_or_else(String::new, |density| {
                    format!(", {:.0} % of all its pairs match", 100.0 * density)
                });
                say!(
                    out,
                    "Its cluster is that of {}: {} units, the lowest score {:.4}{density}.",
                    cluster.id,
                    count(cluster.size.into()),
                    cluster.min_edge
                );
                if cluster.is_chain() {
                    out.push_str(
                        "That is a chain: most of its units match some others but not each other, so not all of them have the same content.\n",
                    );
                }
            }
        }
        if !other_named && self.other().is_none() && !is_onion {
            say!(out, "No other unit matches it by {method}.");
        }
        out
    }

    fn verdict(&self, verdict: &Verdict, other: Option<&Unit>, method: &str, out: &mut String) {
        let id = &self.unit.id;
        let estimated = if self.run.recipe.is_estimate() {
            "n estimated"
        } else {
            ""
        };
        let score = verdict.score.map_or_else(String::new, |score| {
            format!(" with a{estimated} score of {score:.4}")
        });
        let measure = self.run.recipe.measure;
        // Under containment, the score is that of the shorter text.
        let is_longer = other.is_some_and(|other| {
            let witness = verdict.witness.as_ref().map(|(number, _)| *number);
            witness == Some(other.number) && other.tokens < self.unit.tokens
        });
        let matches = if measure.is_directed() && is_longer {
            "is contained in it"
        } else if measure.is_directed() || measure.is_of_passages() {
            "contains it"
        } else {
            "matches it"
        };
        let share = verdict
            .score
            .map_or_else(String::new, |score| format!("{:.1} %", 100.0 * score));
        let most = verdict
            .witness
            .as_ref()
            .map_or_else(String::new, |(_, id)| format!(", most of it in {id}"));
        match (&verdict.witness, verdict.label.as_deref()) {
            (_, Some("onion")) => {
                say!(
                    out,
                    "{id} was {}: {share} of its tokens were seen before{most} ({method}).",
                    verdict.fate
                );
            }
            (_, Some("smoothed")) => {
                say!(
                    out,
                    "{id} was {} with its surroundings, as it is short: {share} of its tokens were seen before{most} ({method}).",
                    verdict.fate
                );
            }
            (None, None) if self.run.recipe.onion.is_some() => {
                say!(
                    out,
                    "{id} was kept: {share} of its tokens were seen before ({method})."
                );
            }
            (Some((_, witness)), Some("transitive")) => {
                say!(
                    out,
                    "{id} was {}: {witness}, which is kept, is in one cluster with it; the two were not compared ({method}).",
                    verdict.fate
                );
            }
            (Some((_, witness)), _) => {
                say!(
                    out,
                    "{id} was {}: {witness}, which is kept, {matches}{score} ({method}).",
                    verdict.fate
                );
            }
            (None, Some("reference")) => {
                say!(out, "{id} is a reference: references are never removed.");
            }
            (None, Some("keep-none")) => {
                say!(
                    out,
                    "{id} was {}: another unit matches it{score} ({method}), and no copy is kept.",
                    verdict.fate
                );
            }
            (None, Some(label)) => say!(out, "{id} was {} ({label}){score}.", verdict.fate),
            (None, None) if verdict.fate == "kept" && verdict.because_of_it.is_empty() => {
                say!(
                    out,
                    "{id} was kept, and no unit was removed because of it ({method})."
                );
            }
            (None, None) => say!(out, "{id} was {}.", verdict.fate),
        }
        if !verdict.because_of_it.is_empty() {
            let named: Vec<String> = verdict
                .because_of_it
                .iter()
                .take(NAMED)
                .map(|(_, id, score)| format!("{id} ({score:.4})"))
                .collect();
            let all = verdict.because_of_it.len();
            let more = if all > NAMED {
                format!(" and {} more", count((all - NAMED) as u64))
            } else {
                String::new()
            };
            let units = if all == 1 { "unit" } else { "units" };
            let is_onion = self.run.recipe.onion.is_some();
            let role = if is_onion {
                "It is the source of most previously seen tokens of"
            } else {
                "It is the witness of"
            };
            say!(
                out,
                "{role} {} {units}: {}{more}.",
                count(all as u64),
                named.join(", ")
            );
        }
    }

    pub(super) fn json(&self, comparison: Option<&Value>) -> Value {
        let verdict = self.verdict.as_ref().map(|verdict| {
            let victims: Vec<Value> = verdict
                .because_of_it
                .iter()
                .map(|(_, id, score)| json!({"id": id, "score": score}))
                .collect();
            json!({
                "verdict": verdict.fate,
                "witness_id": verdict.witness.as_ref().map(|(_, id)| id),
                "score": verdict.score,
                "label": verdict.label,
                "witness_of": victims,
            })
        });
        let cluster = self.cluster.as_ref().map(|cluster| {
            json!({
                "cluster_id": cluster.id,
                "size": cluster.size,
                "min_edge": cluster.min_edge,
                "density": cluster.density,
                "chain": cluster.density.map(|_| cluster.is_chain()),
            })
        });
        json!({
            "id": self.unit.id,
            "recipe": self.run.info.recipe,
            "decision": verdict,
            "cluster": cluster,
            "scores_are_of_the_two_texts": self.run.recipe.is_of_two_texts(),
            "comparison": comparison,
        })
    }
}
