//! The page on which pairs are judged: it works offline, keeps answers in the browser, and saves
//! them as a file.

use super::{Answers, Judging, Shown};
use crate::form::count;
use crate::html::sides::{Shown as Limits, differing, sides};
use crate::html::{Kind, Page, Section, clean};
use maud::html;
use tegula::{hash, printable};
use tegula_io::tables::escape_json;

/// An id as a script reads it back: a page shows control characters as escapes, and answers need
/// the id itself.
fn as_json(id: &str) -> String {
    let mut json = String::new();
    escape_json(id, &mut json);
    printable::json(&json).into_owned()
}

impl Judging {
    /// The page, with the answers so far. `method` is how each run found its pairs.
    pub fn page(&self, shown: &Shown, answers: &Answers, methods: &[String]) -> String {
        let mut ids = hash::Sequence::default();
        for id in self.drawn.iter().flat_map(|one| &one.ids) {
            ids.push(hash::token(id.as_bytes()));
        }
        let key = format!("{:032x}", ids.finish().digest());
        let body = html! {
            noscript { p.missing { "This page needs JavaScript to take answers, which your browser does not run." } }
            div id="judge-bar" hidden {
                p id="judge-said" role="status" {}
                div.answers role="group" aria-label="Answer" {
                    button type="button" data-answer="y" aria-pressed="false" { "Copies " kbd { "y" } }
                    button type="button" data-answer="n" aria-pressed="false" { "Different " kbd { "n" } }
                    button type="button" data-answer="?" aria-pressed="false" { "Unsure " kbd { "?" } }
                }
                div.moves {
                    button type="button" data-go="-1" aria-label="Previous pair" { "\u{2190}" }
                    button type="button" data-go="1" aria-label="Next pair" { "\u{2192}" }
                    button type="button" { "Save answers" }
                }
            }
            div id="judge" data-key=(key) {
                @for (number, (one, texts)) in self.drawn.iter().zip(&shown.texts).enumerate() {
                    @let texts = (texts[0].as_str(), texts[1].as_str());
                    article id={ "pair-" (number + 1) } data-a=(as_json(&one.ids[0])) data-b=(as_json(&one.ids[1]))
                        data-label=[answers.get(&one.ids).map(super::Answer::label)] aria-label={ "Pair " (number + 1) } {
                        (differing(&shown.items.compare(texts)))
                        (sides(&shown.comparer.compare(texts.0, texts.1), texts, (&one.ids[0], &one.ids[1]), Limits::SHORT))
                    }
                }
            }
        };
        let drawn = count(self.drawn.len() as u64);
        let lead = html! {
            p { (drawn) " pairs, drawn from those of "
                @for (at, name) in self.names.iter().enumerate() { @if at > 0 { " and " } span.id { (clean(name)) } } ". "
                "Are the two texts copies of each other? Scores are not shown, as they would sway the answer. "
                "Answers stay in this browser until you save them as a file." }
            @for method in methods { p.note { (clean(method)) } }
        };
        Page {
            title: "Pairs to judge".to_owned(),
            lead,
            sections: vec![Section::new("pairs", "Pairs", body)],
        }
        .render_as(Kind::Judge)
    }
}
