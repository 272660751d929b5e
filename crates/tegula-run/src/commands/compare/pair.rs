//! Two texts by every measure, side by side.

use super::Compared;
use crate::commands::statistics;
use serde_json::{Value, json};
use tegula::compare::Comparison;
use tegula::context::Context;
use tegula::engine;
use tegula::engine::breakdown::Breakdown;
use tegula::error::Result;
use tegula_report::differing::{Differing, ItemComparer};
use tegula_report::figures::{Distances, Figure, Sequences, figures};
use tegula_report::html::pair::{Pair, page};
use tegula_report::html::sides::Shown;
use tegula_report::score::{self, explained};
use tegula_report::side_by_side::{self, Style};
use tegula_report::{comparison, say, screen};

/// What two texts have in common.
pub(super) struct Two {
    found: Comparison,
    distances: Distances,
    breakdown: Option<Breakdown>,
    differing: Differing,
    figures: Vec<Figure>,
}

impl Two {
    /// Compares the two.
    ///
    /// # Errors
    /// If the statistics of the recipe cannot be read.
    pub(super) fn new(of: &super::Job, context: &Context) -> Result<Self> {
        let texts = (of.texts.text(0), of.texts.text(1));
        let found = of.comparer.compare(texts.0, texts.1);
        let distances = Distances::of(&found, texts);
        let statistics = statistics::load(&of.recipe, context)?.unwrap_or_default();
        Ok(Self {
            breakdown: engine::breakdown::breakdown(&of.recipe, &statistics, texts.0, texts.1)?,
            differing: ItemComparer::new(&of.recipe)?.compare(texts),
            figures: figures(&found, &distances, of.comparer.n()),
            found,
            distances,
        })
    }

    /// As a page.
    pub(super) fn page(&self, of: &Compared) -> String {
        let method = of.method();
        let score = self.breakdown.as_ref();
        let score = score.map(|breakdown| explained(breakdown, of.job.recipe.measure.says()));
        let pair = Pair {
            found: &self.found,
            texts: of.two(),
            ids: (of.job.texts.id(0), of.job.texts.id(1)),
            figures: &self.figures,
            method: &method,
            differing: &self.differing,
            score: score.as_ref(),
        };
        let shown = if of.full { Shown::ALL } else { Shown::SHORT };
        page(pair, shown).render()
    }

    /// For a terminal.
    pub(super) fn text(&self, of: &Compared, width: usize, colours: bool) -> String {
        let style = Style {
            width,
            colours,
            full: of.full,
        };
        let (texts, ids) = (of.two(), (of.job.texts.id(0), of.job.texts.id(1)));
        let mut table = screen::table(&["", ids.0, ids.1], width);
        for figure in &self.figures {
            table.add_row([
                figure.name.as_str(),
                &figure.a,
                figure.b.as_deref().unwrap_or_default(),
            ]);
        }
        let mut out = screen::show(&table);
        if self.found.counts.equal {
            out.push_str("The two are equal after normalisation.\n");
        } else if self.found.counts.common == 0 {
            out.push_str("The two share no shingle.\n");
        }
        if let Some(why) = of.job.texts.kept_apart(0, 1) {
            say!(out, "A run does not compare the two: {why}.");
        }
        if let Some(breakdown) = &self.breakdown {
            out.push('\n');
            out.push_str(&score::show(breakdown, of.job.recipe.measure.says(), width));
        }
        if let Some(sentence) = self.differing.sentence() {
            say!(out, "{sentence}");
        }
        out.push('\n');
        out.push_str(&side_by_side::show(&self.found, texts, ids, style));
        out
    }

    /// As JSON.
    pub(super) fn json(&self, of: &Compared) -> Value {
        let (found, texts) = (&self.found, of.two());
        let side = |at: usize, tokens: usize| json!({"id": of.job.texts.id(at), "tokens": tokens});
        let sequences = Sequences::of(found);
        let mut map = comparison::json(found, texts, of.job.comparer.n());
        map.insert("a".to_owned(), side(0, found.a.tokens()));
        map.insert("b".to_owned(), side(1, found.b.tokens()));
        map.insert(
            "ignored".to_owned(),
            json!({"file": of.ignored, "common": found.counts.ignored}),
        );
        map.insert(
            "sequences".to_owned(),
            json!({
                "count": sequences.count, "longest": sequences.longest, "mean": sequences.mean(),
                "tokens": sequences.tokens, "out_of_order": sequences.out_of_order,
            }),
        );
        map.insert("levenshtein".to_owned(), json!(self.distances));
        let apart = of.job.texts.kept_apart(0, 1);
        map.extend(apart.map(|why| ("kept_apart".to_owned(), json!(why))));
        map.extend(
            self.differing
                .json()
                .map(|differing| ("differing".to_owned(), differing)),
        );
        let breakdown = self.breakdown.as_ref();
        map.extend(breakdown.map(|breakdown| ("score".to_owned(), score::json(breakdown))));
        Value::Object(map)
    }
}
