//! The page itself: what was found in sentences, then section by section.

use maud::{Markup, html};
use std::path::PathBuf;
use tegula::error::Result;

use super::examples::{first_look, of_cases};
use super::parts::by_part;
use super::ran::ran;
use super::sections::{lengths, of_clusters, recurring, scores, verdicts};
use super::view::View;
use crate::form::{count, percent, plural, share};
use crate::html::table::table;
use crate::html::{Page, Section, clean};
use crate::run::{Run, Stage, plural as units_of};
use crate::table::Table;
use crate::tables::{self, Counts};

/// Warnings shown; further ones are folded.
const WARNINGS: usize = 2;

/// The page as HTML.
pub(super) fn render(
    run: &Run,
    views: &[View],
    counts: &[Counts],
    words: Option<&Result<Vec<Table>>>,
) -> String {
    let mut sections = Vec::new();
    let mut add = |id: &str, title: &str, body: Option<Markup>| {
        sections.extend(body.map(|body| Section::new(id, title, body)));
    };
    let each = |id: &str, of: &dyn Fn(&View, &str) -> Option<Markup>| each(run, views, id, of);
    add(
        "examples",
        "Examples",
        each("examples", &|view, _| first_look(view)),
    );
    // Of units inside texts, such as lines of boilerplate, the list is what the run was made for.
    add(
        "recurring",
        "What recurs most",
        each("recurring", &recurring),
    );
    let all = (!counts.is_empty()).then(|| table(&tables::balance(run, counts)));
    add("balance", "Balance", all);
    add("parts", "Source and time", each("parts", &by_part));
    add("lengths", "Length", each("lengths", &lengths));
    add("scores", "Score", each("scores", &scores));
    add("clusters", "Clusters", each("clusters", &of_clusters));
    add(
        "cases",
        "More examples",
        each("cases", &|view, _| of_cases(view)),
    );
    add("verdicts", "Verdicts", each("verdicts", &verdicts));
    add("words", "Words", words.and_then(counted));
    add(
        "run",
        "The run",
        Some(
            html! { details { summary { "Command, inputs, recipe and seconds" } div.inside { (ran(run, views)) } } },
        ),
    );
    Page {
        title: title(run),
        lead: lead(run, views),
        sections,
    }
    .render()
}

/// The contents of a section: those of each stage, under its name if there are several; none if no
/// stage has any.
fn each(
    run: &Run,
    views: &[View],
    id: &str,
    of: &dyn Fn(&View, &str) -> Option<Markup>,
) -> Option<Markup> {
    if !run.is_staged() {
        return views.first().and_then(|view| of(view, id));
    }
    let bodies: Vec<Markup> = (1..)
        .zip(views)
        .filter_map(|(number, view)| {
            let id = format!("{id}-{number}");
            let body = of(view, &id)?;
            Some(html! { div.stage id=(id) { h3.stage { (number) ". " (clean(&view.stage.name)) } (body) } })
        })
        .collect();
    (!bodies.is_empty()).then(|| crate::html::markup(bodies))
}

fn counted(words: &Result<Vec<Table>>) -> Option<Markup> {
    match words {
        Ok(tables) if tables.is_empty() => None,
        Ok(tables) => Some(html! {
            @for made in tables.iter().filter(|made| !made.rows.is_empty()) { (table(made)) }
            @for made in tables.iter().filter(|made| made.rows.is_empty()) {
                p { (clean(&made.title)) ": none is clearly more frequent in what was removed than in what is left." }
            }
        }),
        Err(error) => {
            Some(html! { p.missing { "Words cannot be counted. " (clean(&error.to_string())) } })
        }
    }
}

/// What the run looked at.
fn title(run: &Run) -> String {
    let named = run.named_inputs().unwrap_or_default();
    let name = |path: &PathBuf| {
        path.file_name().map_or_else(
            || path.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        )
    };
    match named.as_slice() {
        [] => format!("Run {}", run.name()),
        [one] if one.as_os_str() == "-" => "Duplicates in standard input".to_owned(),
        [one] => format!("Duplicates in {}", name(one)),
        [first, rest @ ..] => format!("Duplicates in {} and {} more", name(first), rest.len()),
    }
}

fn lead(run: &Run, views: &[View]) -> Markup {
    let methods: Vec<String> = run.stages().iter().map(Stage::method).collect();
    html! {
        @for view in views {
            @if run.is_staged() { h3 { (clean(&view.stage.name)) } }
            p.claim { (clean(&claim(view))) }
            @if let Some(counts) = view.counts { (facts(view, counts)) }
        }
        @if !run.info().done { p.missing { "The run is incomplete; the page shows its partial results." } }
        (warnings(run, views))
        p.note { "Recipe: " (clean(&methods.join(", then "))) ". " a href="#run" { "How it was run" } }
    }
}

/// What a stage found, in a sentence.
fn claim(view: &View) -> String {
    let Some(counts) = view.counts else {
        return match &view.clusters {
            Some(found) => format!(
                "{} of similar texts were found.",
                plural(found.count(), "cluster")
            ),
            None => "The pairs of this run were listed, and nothing was removed.".to_owned(),
        };
    };
    let (all, gone) = (counts.balance.input.units, counts.balance.removed.units);
    let units = units_of(counts.level);
    let verb = view.removed();
    if gone == 0 {
        return format!("None of the {} {units} were {verb}.", count(all));
    }
    let were = if gone == 1 { "was" } else { "were" };
    let share = percent(share(gone, all));
    let said = format!(
        "{} of {} {units} ({share}) {were} {verb}",
        count(gone),
        count(all)
    );
    if view.is_in_order() {
        let each = if gone == 1 { "its" } else { "their" };
        return format!(
            "{said}: enough of {each} tokens are in n-grams of preceding text, or what stands around was removed, too."
        );
    }
    let witnesses = view.seen.witnesses;
    if witnesses == 0 {
        return format!("{said}.");
    }
    let near = view.copy();
    let of = match (witnesses, counts.references.units) {
        (1, 0) => format!("the one that was {}", view.kept()),
        (1, _) => "another".to_owned(),
        (_, 0) => format!("one of {} that were {}", count(witnesses), view.kept()),
        _ => format!("one of {} others", count(witnesses)),
    };
    let each = if gone == 1 { "it" } else { "each" };
    format!("{said}: {each} is {near} of {of}.")
}

fn facts(view: &View, counts: &Counts) -> Markup {
    let (all, removed, kept) = (
        counts.balance.input,
        counts.balance.removed,
        counts.balance.kept,
    );
    html! {
        dl.facts {
            div { dt { (units_of(counts.level)) " " (view.kept()) " of " (count(all.units)) } dd { (count(kept.units)) } }
            div { dt { "of all " (counts.tokens) " " (view.removed()) } dd { (percent(share(removed.tokens, all.tokens))) } }
            div { dt { (counts.tokens) " " (view.kept()) " of " (count(all.tokens)) } dd { (count(kept.tokens)) } }
            @if let Some(found) = &view.clusters { div { dt { "clusters" } dd { (count(found.count())) } } }
        }
    }
}

fn warnings(run: &Run, views: &[View]) -> Markup {
    let info = run.info();
    let mut warnings: Vec<&String> = info.warnings.iter().collect();
    for view in views {
        let own = view.stage.info().warnings.iter();
        warnings.extend(own.filter(|warning| !info.warnings.contains(warning)));
    }
    let (shown, folded) = warnings.split_at(warnings.len().min(WARNINGS));
    html! {
        @if !shown.is_empty() {
            div.warnings {
                ul aria-label="Warnings" { @for warning in shown { li { (clean(warning)) } } }
                @if !folded.is_empty() {
                    details { summary { (plural(folded.len() as u64, "more warning")) } ul { @for warning in folded { li { (clean(warning)) } } } }
                }
            }
        }
    }
}
