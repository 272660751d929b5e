//! A unit beside another: every measure, and the two texts.

use super::breakdown;
use super::case::Case;
use super::lookup::{Run, Unit};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use tegula::compare::{Comparer, Comparison};
use tegula::engine::breakdown::Breakdown;
use tegula::engine::hidden::{Found, HiddenBy, hidden_by};
use tegula::engine::loss::Loss;
use tegula::engine::rescore;
use tegula::error::Result;
use tegula::recipe::Recipe;
use tegula::threshold::{Score, Threshold};
use tegula_report::differing::{Differing, ItemComparer};
use tegula_report::figures::ratio;
use tegula_report::form::count;
use tegula_report::side_by_side::{self, Style};
use tegula_report::{comparison, say, score, screen};

/// A unit beside another.
pub(super) struct Compared {
    pub(super) other: Unit,
    pub(super) texts: (String, String),
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
    pub(super) breakdown: Option<Breakdown>,
    /// What the score loses for missing numbers.
    loss: Option<Loss>,
    /// The rule that hides the pair, though its score reaches the threshold.
    pub(super) hidden: Option<HiddenBy>,
}

impl Compared {
    pub(super) fn new(run: &Run, unit: &Unit, other: Unit) -> Result<Self> {
        let comparer = Comparer::new(&run.recipe)?;
        let texts = (run.origin().text(unit)?, run.origin().text(&other)?);
        let found = comparer.compare(&texts.0, &texts.1);
        let apart = run.apart([unit, &other])?;
        let ratio = |_| rescore::levenshtein_ratio(comparer.normaliser(), &texts.0, &texts.1);
        let levenshtein = run.recipe.levenshtein.map(ratio);
        let unmasked = rescore::unmasked_score(&run.recipe, &texts.0, &texts.1)?;
        let shorter = unit.tokens.min(other.tokens);
        let both = (&texts.0[..], &texts.1[..]);
        let loss = Loss::of(&run.recipe, comparer.normaliser(), both, shorter);
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
            loss,
            hidden: None,
        })
    }

    /// The rule by which a run with this recipe hides the pair; none if it counts, or if its score is
    /// below the recipe's threshold or not known.
    pub(super) fn hidden(&self, recipe: &Recipe, unit: &Unit) -> Result<Option<HiddenBy>> {
        let of_texts = || recipe.measure.rules().of_texts(&self.found.counts);
        let before = |of: &Breakdown| of.lost.as_ref().map_or(of.score, |(_, before)| *before);
        let score = match &self.breakdown {
            Some(breakdown) => Some(before(breakdown)),
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
            loss: self.loss.as_ref(),
            tokens: unit.tokens.min(self.other.tokens),
        };
        hidden_by(recipe, &recipe.check()?, recipe.items()?.as_ref(), found)
    }

    /// What share of the unit is in its witness, if the score is the larger share, that of the witness.
    pub(super) fn smaller_share(&self, case: &Case) -> Option<String> {
        let measure = case.run.recipe.measure;
        let (witness, _) = case.verdict.as_ref()?.witness.as_ref()?;
        let score = case.score_with(&self.other)?;
        if !measure.is_directed() || *witness != self.other.number {
            return None;
        }
        let m = &self.found.counts;
        let shares = [m.shingle_containment(), m.token_containment()];
        let shares = shares.map(|(own, other)| (own.as_f64(), other.as_f64()));
        let is_score = |share: f64| (share - score).abs() < 1e-9;
        let (own, other) = shares.into_iter().find(|(a, b)| is_score(a.max(*b)))?;
        (own < other).then(|| {
            format!("That score is the witness's share; the share of this text is {own:.4}.\n")
        })
    }

    /// Why the run did not compare the two, if they are messages.
    fn kept_apart(&self) -> Option<&'static str> {
        crate::mail::why_apart(&self.apart[0], &self.apart[1])
    }

    pub(super) fn show(&self, case: &Case, style: Style, out: &mut String) {
        let m = &self.found.counts;
        let mut table = screen::table(&["", &case.unit.id, &self.other.id], style.width);
        let mut row = |name: &str, a: String, b: String| {
            table.add_row([name.to_owned(), a, b]);
        };
        let place = |unit: &Unit| format!("{}, record {}", unit.file, count(unit.record));
        row("where", place(&case.unit), place(&self.other));
        let tokens = format!("{}s", case.run.recipe.token());
        // A run may count the tokens of the file, with punctuation; here words are compared.
        let in_run = (u64::from(case.unit.tokens), u64::from(self.other.tokens));
        if in_run != (m.tokens_a, m.tokens_b) {
            row(
                &format!("{tokens} in the run"),
                count(in_run.0),
                count(in_run.1),
            );
        }
        row(&tokens, count(m.tokens_a), count(m.tokens_b));
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
        out.push_str(&screen::show(&table));
        if let Some(sentence) = breakdown::sentence(&case.run.recipe, case.score_with(&self.other))
        {
            out.push_str(&sentence);
            out.push('\n');
        }
        if let Some(breakdown) = &self.breakdown {
            out.push_str(&score::show(
                breakdown,
                case.run.recipe.measure.says(),
                style.width,
            ));
        } else if let Some(loss) = &self.loss {
            say!(out, "{}", score::lost(loss));
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
        out.push('\n');
        let texts = (self.texts.0.as_str(), self.texts.1.as_str());
        out.push_str(&side_by_side::show(
            &self.found,
            texts,
            (&case.unit.id, &self.other.id),
            style,
        ));
    }

    pub(super) fn json(&self, unit: &Unit) -> Value {
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
                .map(|breakdown| ("score".to_owned(), score::json(breakdown))),
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
