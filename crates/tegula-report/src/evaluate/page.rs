//! Evaluations as an HTML page.

use super::{Comparison, Evaluation, Intervals, Point};
use crate::form::{decimal, interval};
use crate::html::curves::{Curve, Curves, Spot, curves};
use crate::html::table::table;
use crate::html::{Page, Section, clean};
use maud::{Markup, html};

impl Comparison {
    /// The page: the main figures, the precision-recall curves if there are thresholds, and all
    /// tables. `gold` is the name of the gold standard.
    pub fn page(&self, gold: &str) -> String {
        let tables = self.tables();
        let part = |id: &str, title: &str, names: &[&str], before: Markup| {
            let is_named = |name: &str| names.iter().any(|start| name.starts_with(start));
            let tables: Vec<_> = tables.iter().filter(|one| is_named(&one.name)).collect();
            (!tables.is_empty()).then(|| {
                Section::new(
                    id,
                    title,
                    html! { (before) @for one in &tables { (table(one)) } },
                )
            })
        };
        let sections = [
            part("differences", "Differences", &["differences"], html! {}),
            part("removals", "By removal", &["removals"], html! {}),
            part("pairs", "By pair", &["pairs", "labels"], html! {}),
            part("classes", "By class of documents", &["classes-"], html! {}),
            part("documents", "By document", &["documents"], html! {}),
            part("thresholds", "By threshold", &["thresholds"], self.drawn()),
            part(
                "tuned",
                "Chosen on one half, judged by the other",
                &["tuned"],
                html! {},
            ),
        ];
        let several = self.evaluations.len() > 1;
        let lead = html! {
            p { "Compared with " span.id { (clean(gold)) } "." }
            @for (name, evaluation) in self.names.iter().zip(&self.evaluations) {
                @if several { h3 { span.id { (clean(name)) } } }
                dl.facts {
                    @for (name, value, ends) in evaluation.facts() {
                        div { dt { (name) @if let Some(ends) = ends { br; (ends) } } dd { (value) } }
                    }
                }
            }
        };
        let results = match &self.names[..] {
            [name] => name.clone(),
            names => format!("{} results", names.len()),
        };
        Page {
            title: format!("Evaluation of {results}"),
            lead,
            sections: sections.into_iter().flatten().collect(),
        }
        .render()
    }

    /// The precision-recall curves.
    fn drawn(&self) -> Markup {
        let swept = self.names.iter().zip(&self.evaluations);
        let lines: Vec<Curve> = swept
            .filter_map(|(name, evaluation)| {
                let sweep = evaluation.sweep.as_ref()?;
                Some(Curve {
                    name: name.clone(),
                    spots: sweep.points.iter().map(spot).collect(),
                    marked: Some(spot(&sweep.best)),
                })
            })
            .collect();
        let title = "Precision against recall, from the highest threshold to the lowest";
        let chart = Curves {
            id: "precision-recall",
            title,
            across: "recall",
            up: "precision",
        };
        curves(&chart, &lines, "best F1")
    }
}

fn spot(point: &Point) -> Spot {
    let scores = point.pairs.scores;
    Spot {
        x: scores.recall.unwrap_or(0.0),
        y: scores.precision.unwrap_or(1.0),
        label: format!(
            "from {:.4}: precision {:.4}, recall {:.4}, F1 {:.4}",
            point.threshold,
            scores.precision.unwrap_or(1.0),
            scores.recall.unwrap_or(0.0),
            scores.f1.unwrap_or(0.0)
        ),
    }
}

impl Evaluation {
    /// The main figures, with their intervals.
    fn facts(&self) -> Vec<(&'static str, String, Option<String>)> {
        let scores = self.measures.pairs.scores;
        let shown = |share: Option<f64>| share.map_or_else(|| "\u{2013}".to_owned(), decimal);
        let ends = |of: fn(Intervals) -> Option<super::Interval>| {
            let ends = of(self.intervals?)?;
            Some(interval([ends.low, ends.high]))
        };
        vec![
            (
                "precision",
                shown(scores.precision),
                ends(|of| of.pairs.precision),
            ),
            ("recall", shown(scores.recall), ends(|of| of.pairs.recall)),
            ("F1", shown(scores.f1), ends(|of| of.pairs.f1)),
            (
                "adjusted Rand index",
                decimal(self.measures.ari),
                ends(|of| of.ari),
            ),
            (
                "macro F1 by document",
                shown(self.measures.documents.macro_f1),
                ends(|of| of.macro_f1),
            ),
        ]
    }
}
