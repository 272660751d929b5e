//! An evaluation as an HTML page.

use super::Evaluation;
use crate::form::decimal;
use crate::html::chart::{Curve, Spot, curve};
use crate::html::table::table;
use crate::html::{Page, Section, clean};
use maud::{Markup, html};

impl Evaluation {
    /// The page: the main figures, the precision-recall curve if there are thresholds, and all
    /// tables. `gold` and `result` are the names of the compared lists.
    pub fn page(&self, gold: &str, result: &str) -> String {
        let tables = self.tables();
        let shown = |name: &str| tables.iter().find(|one| one.name == name);
        let part = |id: &str, title: &str, names: &[&str], before: Markup| {
            let tables: Vec<_> = names.iter().filter_map(|name| shown(name)).collect();
            (!tables.is_empty()).then(|| {
                Section::new(
                    id,
                    title,
                    html! { (before) @for one in &tables { (table(one)) } },
                )
            })
        };
        let sections = [
            part("removals", "By removal", &["removals"], html! {}),
            part("pairs", "By pair", &["pairs", "labels"], html! {}),
            part("documents", "By document", &["documents"], html! {}),
            part("thresholds", "By threshold", &["thresholds"], self.drawn()),
            part(
                "tuned",
                "Chosen on one half, judged by the other",
                &["tuned"],
                html! {},
            ),
        ];
        let lead = html! {
            p { "Compared with " span.id { (clean(gold)) } "." }
            dl.facts {
                @for (name, value) in self.facts() { div { dt { (name) } dd { (value) } } }
            }
        };
        Page {
            title: format!("Evaluation of {result}"),
            lead,
            sections: sections.into_iter().flatten().collect(),
        }
        .render()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let scores = self.measures.pairs.scores;
        let shown = |share: Option<f64>| share.map_or_else(|| "\u{2013}".to_owned(), decimal);
        vec![
            ("precision", shown(scores.precision)),
            ("recall", shown(scores.recall)),
            ("F1", shown(scores.f1)),
            ("adjusted Rand index", decimal(self.measures.ari)),
            (
                "macro F1 by document",
                shown(self.measures.documents.macro_f1),
            ),
        ]
    }

    /// The precision-recall curve.
    fn drawn(&self) -> Markup {
        let Some(sweep) = &self.sweep else {
            return html! {};
        };
        let spot = |point: &super::Point| Spot {
            x: point.pairs.scores.recall.unwrap_or(0.0),
            y: point.pairs.scores.precision.unwrap_or(1.0),
            label: format!(
                "from {:.4}: precision {:.4}, recall {:.4}, F1 {:.4}",
                point.threshold,
                point.pairs.scores.precision.unwrap_or(1.0),
                point.pairs.scores.recall.unwrap_or(0.0),
                point.pairs.scores.f1.unwrap_or(0.0)
            ),
        };
        let spots: Vec<Spot> = sweep.points.iter().map(spot).collect();
        let title = "Precision against recall, from the highest threshold to the lowest";
        curve(
            &Curve {
                id: "precision-recall",
                title,
                across: "recall",
                up: "precision",
            },
            &spots,
            &spot(&sweep.best),
            "best F1",
        )
    }
}
