//! Templates as an HTML page: the constant text of each with its slots, and what fills them.

use super::{Piece, Template, Templates};
use maud::{Markup, html};
use tegula_report::form::{count, plural};
use tegula_report::html::{Page, Section, clean};

/// Templates listed.
const LISTED: usize = 100;
/// Fillers listed of a slot.
const FILLERS: usize = 25;
/// Ids listed of a template.
const IDS: usize = 50;

/// The page.
pub(super) fn page(all: &Templates) -> String {
    let texts: u64 = all.list.iter().map(|template| template.texts).sum();
    let lead = html! {
        dl.facts {
            div { dt { "texts" } dd { (count(all.found.units.len() as u64)) } }
            div { dt { "templates" } dd { (count(all.list.len() as u64)) } }
            div { dt { "texts of templates" } dd { (count(texts)) } }
        }
    };
    let listed = html! {
        @if all.list.is_empty() { p { "No texts have a template." } }
        @else {
            p { "Templates of the most texts first. All texts of a template have its constant text; numbers stand for slots." }
            @for (number, template) in (1..).zip(all.list.iter().take(LISTED)) {
                (shown(all, number, template))
            }
            @if all.list.len() > LISTED {
                p { "... and " (count((all.list.len() - LISTED) as u64)) " more." }
            }
        }
    };
    Page {
        title: "Templates".to_owned(),
        lead,
        sections: vec![Section::new("templates", "Templates", listed)],
    }
    .render()
}

/// A template.
fn shown(all: &Templates, number: usize, template: &Template) -> Markup {
    html! {
        details id={ "template-" (number) } open[number == 1] {
            summary { b { (plural(template.texts, "text")) } ": " (pattern(template)) }
            div.inside {
                @for (slot, fillers) in (1..).zip(template.slots()) {
                    p {
                        mark.slot { (slot) } " " (plural(fillers.len() as u64, "filler")) ": "
                        @for (at, (filler, texts)) in fillers.iter().take(FILLERS).enumerate() {
                            @if at > 0 { " · " }
                            @if filler.is_empty() { i { "nothing" } } @else { (clean(filler)) }
                            @if *texts > 1 { span.times { " ×" (count(*texts)) } }
                        }
                        @if fillers.len() > FILLERS { " · ... " (count((fillers.len() - FILLERS) as u64)) " more" }
                    }
                }
                @if let Some(regex) = &template.regex { p { code { (regex) } } }
                p.note {
                    "In "
                    @for (at, unit) in template.units.iter().take(IDS).enumerate() {
                        @if at > 0 { ", " }
                        span.id { (clean(&all.found.units.id(*unit))) }
                    }
                    @if template.units.len() > IDS { " and " (count((template.units.len() - IDS) as u64)) " more" }
                }
            }
        }
    }
}

/// Its text with numbers for slots.
fn pattern(template: &Template) -> Markup {
    let mut slots = 1..;
    let numbered = template.pieces.iter().map(|piece| match piece {
        Piece::Constant(text) => html! { (clean(text)) " " },
        Piece::Slot(_) => html! { mark.slot { (slots.next().unwrap_or(0)) } " " },
    });
    html! { @for piece in numbered { (piece) } }
}
