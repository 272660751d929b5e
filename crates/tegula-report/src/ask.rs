//! The page on which an index is asked: a text is pasted, and what resembles it shown beside it.

use crate::form::plural;
use crate::html::{Kind, Page, Section, clean};
use maud::html;
use std::ffi::OsStr;
use tegula::index::{Description, Index};

/// The page of a server for an index; it asks the server that it came from.
pub fn page(index: &Index) -> String {
    let Description { recipe, texts, .. } = index.description();
    let name = index.path().file_name().map(OsStr::to_string_lossy);
    let name = name.unwrap_or_else(|| index.path().to_string_lossy());
    let threshold = recipe.threshold.to_string();
    let lead = html! {
        p { span id="ask-texts" { (plural(index.description().records(), "text")) }
            ", compared by the recipe " code { (recipe.recipe) } " with a threshold of " (threshold) ". Every match is proved by comparing the texts." }
        noscript { p.missing { "This page needs JavaScript, which your browser does not run." } }
    };
    let question = html! {
        form id="ask" data-texts[texts] data-threshold=(threshold) {
            label for="ask-text" { "Text" }
            textarea id="ask-text" rows="7" dir="auto" spellcheck="false" placeholder="Paste a text, or drop a file here" aria-describedby="ask-how" {}
            p.note id="ask-how" { "Ctrl+Enter asks. Nothing is stored." }
            div.ask-row {
                button type="submit" { "Find similar texts" }
                button type="button" id="ask-open" { "Open a file\u{2026}" }
                input type="file" id="ask-file" hidden;
                span { label for="ask-least" { "Score from" } input type="number" id="ask-least" min="0.01" max="1" step="0.01" placeholder=(threshold); }
                span { label for="ask-top" { "At most" } input type="number" id="ask-top" min="1" max="100" value="10" required; " matches" }
            }
            p id="ask-token" hidden {
                label for="ask-secret" { "Token" }
                input type="password" id="ask-secret" autocomplete="off";
                " " span.note { "This server requires a token." }
            }
        }
    };
    let matches = html! {
        div.ask-row {
            p id="ask-said" role="status" { "No search yet." }
            button type="button" id="ask-nearest" hidden { "Show the nearest" }
            button type="button" id="ask-link" hidden { "Copy a link to this result" }
        }
        div id="ask-matches" {}
    };
    Page {
        title: clean(&name).into_owned(),
        lead,
        sections: vec![
            Section::new("question", "Question", question),
            Section::new("matches", "Matches", matches),
        ],
    }
    .render_as(Kind::Ask)
}
