//! `tegula explain`: why a text was kept or removed, and what it shares with its witness.

mod breakdown;
mod lookup;

use crate::form::pretty;
use crate::side_by_side::{self, LEGEND, Style};
use crate::terminal::{self, count, say};
use crate::{comparison, output};
use clap::Args;
use lookup::{Cluster, Run, Unit, Verdict};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use tegula::compare::{Comparer, Comparison};
use tegula::engine::breakdown::Breakdown;
use tegula::engine::hidden::{Found, HiddenBy, hidden_by};
use tegula::engine::rescore;
use tegula::error::{Error, Result};
use tegula::recipe::Recipe;
use tegula::threshold::{Score, Threshold};
use tegula_report::differing::{Differing, ItemComparer};
use tegula_report::figures::ratio;

/// Arguments of `tegula explain`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tegula explain run/ T03/JUL.31966\n  tegula explain run/ news.jsonl:17 news.jsonl:4 --full"
)]
pub(crate) struct ExplainArgs {
    /// The folder of a run
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// The id of a unit
    #[arg(value_name = "ID")]
    id: String,

    /// Compare it with this unit instead of its witness
    #[arg(value_name = "OTHER_ID")]
    other: Option<String>,

    /// New location of the inputs of the run, if they have moved
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    /// Show shared passages in full, however long
    #[arg(long)]
    full: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Width in columns [default: that of the terminal, or 100]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
}

/// Maximum number of removed units to name.
const NAMED: usize = 5;

/// Explains a decision.
///
/// # Errors
/// When there is no such run or unit, or the inputs have changed since the run.
pub(crate) fn explain(args: &ExplainArgs) -> Result<ExitCode> {
    tegula_run::opened::claims::files(&crate::host::usual(true)?, [args.run.as_path()], &[])?;
    let mut runs = Run::open_stages(&args.run, args.root.as_deref())?;
    if runs.iter().any(|run| !run.info.done) {
        output::warn("the run is incomplete; its partial results are shown");
    }
    let staged = runs.len() > 1;
    if staged {
        // A unit is in the stages of its level, up to the one that removed it.
        let mut with_it = Vec::new();
        for run in runs.drain(..) {
            if run.has_unit(&args.id)? {
                with_it.push(run);
            }
        }
        runs = with_it;
        if runs.is_empty() {
            return Err(Error::usage(format!(
                "there is no unit '{}' in any stage of the run",
                args.id
            ))
            .at(&args.run)
            .hint("the units.parquet of each stage lists the ids"));
        }
    }
    if args.json {
        let mut stages = runs
            .iter()
            .map(|run| explain_in(run, args).map(|(case, other)| case.json(other.as_ref())));
        let value = if staged {
            stages.collect::<Result<Value>>()?
        } else {
            stages.next().transpose()?.unwrap_or_default()
        };
        output::json(&pretty(&value)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = Style {
        width: terminal::width(args.width),
        colours: terminal::colours(),
        full: args.full,
    };
    let mut out = String::new();
    for run in &runs {
        if staged {
            let gap = if out.is_empty() { "" } else { "\n" };
            out.push_str(gap);
            say!(
                out,
                "stage {}: {}",
                run.stage,
                tegula_run::describe::recipe(&run.recipe)
            );
        }
        let (case, other) = explain_in(run, args)?;
        out.push_str(&case.prose(args.other.is_some()));
        if let Some(compared) = &other {
            compared.show(&case, style, &mut out);
        }
    }
    output::show(&out)?;
    Ok(ExitCode::SUCCESS)
}

/// The verdict of a run, or of one of its stages, on the unit, beside the most informative other
/// unit.
fn explain_in<'a>(run: &'a Run, args: &ExplainArgs) -> Result<(Case<'a>, Option<Compared>)> {
    let unit = run.units(&[&args.id])?.remove(0);
    let verdict = run.verdict(&unit)?;
    let cluster = run.cluster(&unit)?;
    let case = Case {
        run,
        unit,
        verdict,
        cluster,
    };
    let compared = match args.other.clone().or_else(|| case.other()) {
        Some(id) => {
            let mut compared = Compared::new(run, &case.unit, run.units(&[&id])?.remove(0))?;
            let texts = (compared.texts.0.as_str(), compared.texts.1.as_str());
            compared.breakdown = breakdown::parts(
                run,
                (&args.run, args.root.as_deref()),
                texts,
                case.score_with(&compared.other),
            )?;
            compared.hidden = compared.hidden(&run.recipe, &case.unit)?;
            Some(compared)
        }
        None => None,
    };
    Ok((case, compared))
}

/// A unit and the run's verdict on it.
struct Case<'a> {
    run: &'a Run,
    unit: Unit,
    verdict: Option<Verdict>,
    cluster: Option<Cluster>,
}

impl Case<'_> {
    /// The most informative other unit: the witness, else the best of those removed because of it,
    /// else another of its cluster.
    fn other(&self) -> Option<String> {
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
    fn score_with(&self, other: &Unit) -> Option<f64> {
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

    fn prose(&self, other_named: bool) -> String {
        let mut out = String::new();
        let id = &self.unit.id;
        let is_onion = self.run.recipe.onion.is_some();
        let method = format!("{} {}", self.run.recipe.recipe, self.run.recipe.bound());
        let least = self.run.min_tokens();
        let short = u64::from(self.unit.tokens) < least;
        if short {
            let tokens = terminal::plural(self.unit.tokens.into(), "token");
            say!(
                out,
                "{id} has {tokens}; with --min-tokens {least} it was compared with no other unit."
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
            Some(verdict) => self.verdict(verdict, &method, &mut out),
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

    fn verdict(&self, verdict: &Verdict, method: &str, out: &mut String) {
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
        let matches = if measure.is_directed() || measure.is_of_passages() {
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
            (None, Some("reference")) => say!(
                out,
                "{id} is a reference (--against): references are never removed."
            ),
            (None, Some("keep-none")) => {
                say!(
                    out,
                    "{id} was {}: another unit matches it{score} ({method}), and --keep none keeps no copy.",
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

    fn json(&self, compared: Option<&Compared>) -> Value {
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
            "comparison": compared.map(|compared| compared.json(&self.unit)),
        })
    }
}

/// A unit beside another.
struct Compared {
    other: Unit,
    texts: (String, String),
    /// What they are besides their texts, if they are messages.
    apart: [String; 2],
    found: Comparison,
    n: usize,
    /// The scores of rescoring, if the recipe rescores pairs.
    levenshtein: Option<Score>,
    unmasked: Option<Score>,
    /// The links, amounts and codes by which they differ.
    differing: Differing,
    /// The composition of the score, if shingles do not determine it.
    breakdown: Option<Breakdown>,
    /// The rule that hides the pair, though its score reaches the threshold.
    hidden: Option<HiddenBy>,
}

impl Compared {
    fn new(run: &Run, unit: &Unit, other: Unit) -> Result<Self> {
        let comparer = Comparer::new(&run.recipe)?;
        let texts = (run.origin().text(unit)?, run.origin().text(&other)?);
        let found = comparer.compare(&texts.0, &texts.1);
        let apart = run.apart([unit, &other])?;
        let ratio = |_| rescore::levenshtein_ratio(comparer.normaliser(), &texts.0, &texts.1);
        let levenshtein = run.recipe.levenshtein.map(ratio);
        let unmasked = rescore::unmasked_score(&run.recipe, &texts.0, &texts.1)?;
        let differing = ItemComparer::new(&run.recipe)?.compare((&texts.0, &texts.1));
        Ok(Self {
            other,
            differing,
            n: comparer.n(),
            texts,
            apart,
            found,
            levenshtein,
            unmasked,
            breakdown: None,
            hidden: None,
        })
    }

    /// The rule by which a run with this recipe hides the pair; none if it counts, or if its score is
    /// below the recipe's threshold or not known.
    fn hidden(&self, recipe: &Recipe, unit: &Unit) -> Result<Option<HiddenBy>> {
        let of_texts = || recipe.measure.rules().of_texts(&self.found.counts);
        let score = match &self.breakdown {
            Some(breakdown) => Some(breakdown.score),
            None if recipe.is_of_two_texts() => of_texts(),
            None => None,
        };
        let reaches = |score: &Score| recipe.measure.admits(recipe.threshold, *score);
        if !recipe.may_hide() || !score.as_ref().is_some_and(reaches) {
            return Ok(None);
        }
        let found = Found {
            texts: (&self.texts.0, &self.texts.1),
            score,
            tokens: unit.tokens.min(self.other.tokens),
        };
        hidden_by(recipe, &recipe.check()?, recipe.items()?.as_ref(), found)
    }

    /// Why the run did not compare the two, if they are messages.
    fn kept_apart(&self) -> Option<&'static str> {
        tegula_run::mail::why_apart(&self.apart[0], &self.apart[1])
    }

    fn show(&self, case: &Case, style: Style, out: &mut String) {
        let m = &self.found.counts;
        let mut table = terminal::table(&["", &case.unit.id, &self.other.id], style.width);
        let mut row = |name: &str, a: String, b: String| {
            table.add_row([name.to_owned(), a, b]);
        };
        let place = |unit: &Unit| format!("{}, record {}", unit.file, count(unit.record));
        row("where", place(&case.unit), place(&self.other));
        row(
            "tokens",
            count(case.unit.tokens.into()),
            count(self.other.tokens.into()),
        );
        if self.apart.iter().any(|apart| !apart.is_empty()) {
            let shown = |apart: &str| match apart {
                "" => "nothing".to_owned(),
                some => some.to_owned(),
            };
            row("besides text", shown(&self.apart[0]), shown(&self.apart[1]));
        }
        row("of which covered", count(m.covered_a), count(m.covered_b));
        row(
            &format!("distinct shingles of {}", self.n),
            count(m.set_a),
            count(m.set_b),
        );
        row("of which common", count(m.common), String::new());
        row("ssr", ratio(m.ssr()), String::new());
        row("sscr", ratio(m.sscr()), String::new());
        row(
            "ssr containment",
            ratio(m.shingle_containment().0),
            ratio(m.shingle_containment().1),
        );
        row(
            "sscr containment",
            ratio(m.token_containment().0),
            ratio(m.token_containment().1),
        );
        for (name, score) in [
            ("Levenshtein ratio", self.levenshtein),
            ("without masks", self.unmasked),
        ] {
            if let Some(score) = score {
                row(name, ratio(score), String::new());
            }
        }
        out.push('\n');
        out.push_str(&terminal::show(table));
        if let Some(sentence) = breakdown::sentence(&case.run.recipe, case.score_with(&self.other))
        {
            out.push_str(&sentence);
            out.push('\n');
        }
        if let Some(breakdown) = &self.breakdown {
            out.push_str(&crate::breakdown::show(
                breakdown,
                case.run.recipe.measure.says(),
                style.width,
            ));
        }
        if m.equal {
            out.push_str("The two are equal after normalisation.\n");
        } else if m.common == 0 {
            out.push_str("The two share no shingle.\n");
        }
        if let Some(sentence) = self.differing.sentence() {
            say!(out, "{sentence}");
        }
        if let Some(why) = self.kept_apart() {
            let _ = writeln!(out, "The run did not compare the two: {why}.");
        }
        if let Some(rule) = &self.hidden {
            say!(out, "The run hides the pair: {rule}.");
        }
        let _ = writeln!(out, "\n{LEGEND}\n");
        let texts = (self.texts.0.as_str(), self.texts.1.as_str());
        out.push_str(&side_by_side::show(
            &self.found,
            texts,
            (&case.unit.id, &self.other.id),
            style,
        ));
    }

    fn json(&self, unit: &Unit) -> Value {
        let mut map = comparison::json(&self.found, (&self.texts.0, &self.texts.1), self.n);
        if let Some(Value::Object(measures)) = map.get_mut("measures") {
            for (name, score) in [
                ("levenshtein", self.levenshtein),
                ("unmasked", self.unmasked),
            ] {
                measures.extend(score.map(|score| (name.to_owned(), score.as_f64().into())));
            }
        }
        map.extend(
            self.breakdown
                .as_ref()
                .map(|breakdown| ("score".to_owned(), crate::breakdown::json(breakdown))),
        );
        map.extend(
            self.differing
                .json()
                .map(|differing| ("differing".to_owned(), differing)),
        );
        map.extend(self.hidden.as_ref().map(|rule| {
            let (score, least) = rule.score().unzip();
            let hidden = json!({
                "rule": rule.rule(),
                "score": score.map(Score::as_f64),
                "least": least.map(Threshold::as_f64),
            });
            ("hidden".to_owned(), hidden)
        }));
        let apart = self.kept_apart();
        map.extend(apart.map(|why| ("kept_apart".to_owned(), json!(why))));
        map.insert("a".to_owned(), place(unit, &self.texts.0, &self.apart[0]));
        let b = place(&self.other, &self.texts.1, &self.apart[1]);
        map.insert("b".to_owned(), b);
        // As always: the two units first.
        let mut ordered = Map::new();
        for key in [
            "a",
            "b",
            "score",
            "measures",
            "differing",
            "hidden",
            "kept_apart",
            "passages",
            "rows",
        ] {
            ordered.extend(map.remove_entry(key));
        }
        Value::Object(ordered)
    }
}

fn place(unit: &Unit, text: &str, apart: &str) -> Value {
    let mut place = json!({"id": unit.id, "file": unit.file, "record": unit.record, "tokens": unit.tokens, "text": text});
    if !apart.is_empty() {
        place["besides_text"] = apart.into();
    }
    place
}
