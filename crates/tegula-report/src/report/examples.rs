//! Examples: pairs of units side by side.

use maud::{Markup, html};

use super::cases::Group;
use super::seen::Case;
use super::view::View;
use crate::form::{count, decimal, plural};
use crate::html::sides::{self, Shown};
use crate::html::{clean, name};

/// The first look: what a user decides by whether the run did what it should.
pub(super) fn first_look(view: &View) -> Option<Markup> {
    if view.looks.is_empty() {
        return None;
    }
    Some(html! {
        @for line in view.missing() { p.missing { "Not shown: " (clean(&line)) } }
        @for look in view.looks.iter().filter(|look| view.has_text(&look.case)) {
            article.look {
                h3 { (look.title) @if view.has_scores() { ", score " span.score { (decimal(look.case.score)) } } }
                p.note { (look.note) }
                (of_texts(view, look.heads, &look.case, Shown::GLANCE))
            }
        }
    })
}

/// All examples, folded.
pub(super) fn of_cases(view: &View) -> Option<Markup> {
    let groups = || view.groups.iter().filter(|group| !group.note.is_empty());
    groups().next()?;
    Some(html! {
        @for group in groups() {
            h3 { (group.title) }
            p.note { (clean(&group.note)) }
            @if group.cases.is_empty() { p { "None." } }
            @for case in &group.cases { (of_case(view, group, case)) }
        }
        @if view.is_later { p.note { "Texts are shown as in the inputs, including parts that earlier stages removed." } }
    })
}

fn of_case(view: &View, group: &Group, case: &Case) -> Markup {
    html! {
        details {
            summary { (name::label(&id(view, case.a))) @if let Some(b) = case.b { " and " (name::label(&id(view, b))) } @if view.has_scores() { ", score " span.score { (decimal(case.score)) } } }
            div.inside { (of_texts(view, group.heads, case, Shown::BRIEF)) }
        }
    }
}

fn id(view: &View, unit: u64) -> String {
    let unit_of = view.case_texts.units.get(&unit);
    unit_of.map_or_else(|| format!("unit {unit}"), |unit| unit.id.clone())
}

/// The two texts, with the figures of their comparison.
fn of_texts(view: &View, heads: (&str, &str), case: &Case, shown: Shown) -> Markup {
    let text = |unit: u64| view.case_texts.texts.get(&unit);
    match (
        text(case.a),
        case.b.and_then(text),
        &view.case_texts.comparers,
    ) {
        (Some(Ok(x)), Some(Ok(y)), Some((comparer, items))) => {
            let found = comparer.compare(x, y);
            let m = &found.counts;
            // Only the id is cut if there is little space.
            let head = |role: &str, unit: Option<u64>| {
                let id = unit.map(|unit| id(view, unit)).unwrap_or_default();
                html! { (role) ": " (name::name(&id)) }
            };
            let heads = (head(heads.0, Some(case.a)), head(heads.1, case.b));
            html! {
                (sides::differing(&items.compare((x, y))))
                (sides::below(&found, (x, y), (&heads.0, &heads.1), shown))
                p.note { "sscr " (decimal(m.sscr().as_f64())) ", ssr " (decimal(m.ssr().as_f64())) "; " (plural(found.passages.len() as u64, "shared passage")) "; "
                    (count(found.a.tokens() as u64)) " and " (plural(found.b.tokens() as u64, "token")) "." }
            }
        }
        (Some(Ok(x)), None, _) => sides::beginning(x, shown.piece),
        // The reason is given once, above.
        _ => html! { p.missing { "The texts cannot be shown." } },
    }
}
