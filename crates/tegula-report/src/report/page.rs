//! The page itself, section by section.

use maud::{Markup, html};
use serde_json::Value;
use std::path::PathBuf;
use tegula::error::Result;
use tegula_io::tables::{Coverage, Spans};

use super::sections::{by_part, lengths, of_cases, of_clusters, scores, verdicts};
use super::view::View;
use crate::form::{count, percent, plural, share};
use crate::html::table::table;
use crate::html::{Page, Section, clean};
use crate::run::{Run, Stage, plural as units_of};
use crate::table::Table;
use crate::tables::{self, levels as levels_by_field};

/// The maximum number of input files listed.
const FILES: usize = 200;

/// The page as HTML.
pub(super) fn render(
    run: &Run,
    views: &[View],
    words: Option<&Result<Vec<Table>>>,
) -> Result<String> {
    let mut sections = vec![Section::new("run", "What was run", what(run, views))];
    let counted = views.iter().all(|view| view.counts.is_some());
    let all = if counted {
        tables::of_run(run)?
    } else {
        Vec::new()
    };
    // Those are shown with the run's own pairs and clusters.
    let mut all = all
        .into_iter()
        .filter(|table| !table.name.starts_with(levels_by_field::NAME));
    if let Some(balance) = all.next() {
        sections.push(Section::new("balance", "Balance", table(&balance)));
    }
    for (number, view) in (1..).zip(views) {
        let id = |name: &str| {
            if run.is_staged() {
                format!("{name}-{number}")
            } else {
                name.to_owned()
            }
        };
        let title = |name: &str| {
            if run.is_staged() {
                format!("{number}. {}: {name}", view.stage.name)
            } else {
                name.to_owned()
            }
        };
        let mut add = |name: &str, head: &str, body: Markup| {
            sections.push(Section::new(&id(name), &title(head), body));
        };
        if let Some(counts) = &view.counts {
            let (units, tokens) = (all.next(), all.next());
            add(
                "lengths",
                "Length",
                lengths(view, counts, &id("lengths"), &[units, tokens]),
            );
            let mut parts = vec![("File".to_owned(), &counts.files)];
            // For a single file the table would repeat the balance.
            let skipped = usize::from(counts.files.len() < 2);
            parts.extend(
                counts
                    .fields
                    .iter()
                    .map(|(name, parts)| (name.clone(), parts)),
            );
            let body = html! {
                @for (place, (name, parts)) in parts.iter().enumerate() {
                    @let made = all.next();
                    @if place >= skipped { (by_part(view, name, parts, made, &format!("{}-{place}", id("parts")))) }
                }
            };
            if parts.len() > skipped {
                add(
                    "parts",
                    if counts.fields.is_empty() {
                        "By file"
                    } else {
                        "By file and field"
                    },
                    body,
                );
            }
            add("scores", "Scores", scores(view, &id("scores")));
        }
        if let Some(found) = view.clusters.as_ref().filter(|found| found.count() > 0) {
            add(
                "clusters",
                "Clusters",
                of_clusters(view, found, &id("clusters")),
            );
        }
        if view
            .groups
            .iter()
            .any(|group| !group.cases.is_empty() || !group.note.is_empty())
        {
            add("cases", "Cases", of_cases(view, number > 1));
        }
        if !view.seen.rows.is_empty() {
            add("verdicts", "Verdicts", verdicts(view, &id("verdicts")));
        }
    }
    match words {
        Some(Ok(tables)) if !tables.is_empty() => {
            sections.push(Section::new(
                "words",
                "Words",
                html! { @for made in tables { (table(made)) } },
            ));
        }
        Some(Err(error)) => sections.push(Section::new(
            "words",
            "Words",
            html! { p.missing { "Words cannot be counted. " (clean(&error.to_string())) } },
        )),
        _ => {}
    }
    let title = title(run);
    Ok(Page {
        title,
        lead: lead(run, views),
        sections,
    }
    .render())
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
    let info = run.info();
    // To the minute.
    let date = info.date.as_deref().and_then(|date| date.get(..16));
    let methods: Vec<String> = run.stages().iter().map(Stage::method).collect();
    html! {
        p { "Recipe: " (clean(&methods.join(", then "))) ". Run " code { (clean(&run.name())) } @if let Some(date) = date { ", " (clean(&date.replace('T', " "))) " UTC" } "." }
        @if let Some(line) = &info.command_line {
            div.command { code id="command-line" { (clean(line)) } button type="button" data-copies="command-line" hidden { "Copy" } }
        }
        @if !run.info().done { p.missing { "The run is incomplete; the page shows its partial results." } }
        @for view in views {
            @if let Some(counts) = &view.counts {
                @let (all, removed) = (counts.balance.input, counts.balance.removed);
                @if run.is_staged() { h3 { (clean(&view.stage.name)) } }
                dl.facts {
                    div { dt { (units_of(counts.level)) } dd { (count(all.units)) } }
                    div { dt { (units_of(counts.level)) " " (view.removed()) } dd { (percent(share(removed.units, all.units))) } }
                    div { dt { "tokens" } dd { (count(all.tokens)) } }
                    div { dt { "tokens " (view.removed()) } dd { (percent(share(removed.tokens, all.tokens))) } }
                    @if let Some(found) = &view.clusters { div { dt { "clusters" } dd { (count(found.count())) } } }
                }
            }
        }
    }
}

fn what(run: &Run, views: &[View]) -> Markup {
    let info = run.info();
    let named: Vec<String> = run
        .named_inputs()
        .unwrap_or_default()
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let mut warnings: Vec<&String> = info.warnings.iter().collect();
    for view in views {
        warnings.extend(
            view.stage
                .info()
                .warnings
                .iter()
                .filter(|warning| !info.warnings.contains(warning)),
        );
    }
    let bytes: u64 = run.inputs().iter().map(|input| input.bytes).sum();
    let command = run.stages()[0]
        .info()
        .options
        .get("command")
        .or_else(|| info.options.get("command"));
    html! {
        @if !warnings.is_empty() {
            ul.warnings aria-label="Warnings" { @for warning in warnings { li { (clean(warning)) } } }
        }
        div.box tabindex="0" {
            table {
                caption { "The run" }
                tbody {
                    @if let Some(command) = command.and_then(Value::as_str).filter(|_| info.command_line.is_none()) { tr { th scope="row" { "command" } td { code { "tegula " (clean(command)) } } } }
                    @if !named.is_empty() { tr { th scope="row" { "inputs" } td { @for (at, name) in named.iter().enumerate() { @if at > 0 { ", " } code { (clean(name)) } } } } }
                    tr { th scope="row" { "files" } td { (plural(run.inputs().len() as u64, "file")) ", " (plural(bytes, "byte")) } }
                    tr { th scope="row" { "version" } td { (clean(&info.version)) } }
                    tr { th scope="row" { "recipe" } td { code { (clean(&info.recipe_hash)) } } }
                }
            }
        }
        @for (number, view) in (1..).zip(views) {
            @if run.is_staged() { h3 { (number) ". " (clean(&view.stage.name)) " (" (clean(&view.stage.method())) ", " (view.removed()) ")" } }
            // Onion and passages have no pairs.
            @if !view.stage.has::<Coverage>() && !view.stage.has::<Spans>() { (levels(view.stage)) }
            @for made in levels_by_field::by_field(view.stage) { (table(&made)) }
            (timings(view.stage))
            details { summary { "Recipe and options" } div.inside {
                (values("Recipe, all fields", &view.stage.info().recipe))
                @if let Some(read) = view.stage.info().options.get("read") { (values("How the inputs were read", read)) }
                @let others: serde_json::Map<String, Value> = view.stage.info().options.iter().filter(|(key, _)| key.as_str() != "read").map(|(k, v)| (k.clone(), v.clone())).collect();
                (values("Other options", &Value::Object(others)))
            } }
        }
        details { summary { "Input files" } div.inside { (files(run)) } }
    }
}

/// Pairs and clusters at several thresholds, as in the run summary.
fn levels(stage: &Stage) -> Markup {
    let counts = &stage.info().counts;
    let Some(levels) = counts
        .get("levels")
        .and_then(Value::as_array)
        .filter(|levels| !levels.is_empty())
    else {
        return html! {};
    };
    let number = |level: &Value, key: &str| {
        level
            .get(key)
            .and_then(Value::as_u64)
            .map(count)
            .unwrap_or_default()
    };
    let top = |key: &str| counts.get(key).and_then(Value::as_u64);
    html! {
        div.box tabindex="0" {
            table {
                caption { "Pairs and clusters by threshold" }
                thead { tr { th.n scope="col" { "threshold" } th.n scope="col" { "pairs" } th.n scope="col" { "units in them" } th.n scope="col" { "clusters" } } }
                tbody {
                    @for level in levels {
                        tr {
                            th.n scope="row" { (clean(&plain(level.get("threshold").unwrap_or(&Value::Null)))) }
                            td.n { (number(level, "pairs")) } td.n { (number(level, "units")) } td.n { (number(level, "clusters")) }
                        }
                    }
                }
            }
        }
        p.note {
            @if let Some(note) = stage.recipe().ok().and_then(|recipe| recipe.note_on_levels()).filter(|_| levels.len() > 1) { "Counts are " (note) ". " }
            @if let Some(pairs) = counts.get("pairs_about").and_then(Value::as_u64) {
                "There are about " (count(pairs)) " pairs, too many to list: the table counts those of a kept and a removed text. "
            }
            @if let Some(identical) = top("identical") { (plural(identical, "unit")) " with the same " (stage.recipe().map_or("token", |recipe| recipe.token())) "s as another. " }
            @if let Some(short) = top("short_units").filter(|short| *short > 0) { (plural(short, "unit")) " with fewer than twice the tokens of a shingle. " }
            @if let Some(repeated) = top("repeated_ids").filter(|repeated| *repeated > 0) { (plural(repeated, "record")) " with the id of an earlier one." }
            @if let Some(bad) = top("bad_records").filter(|bad| *bad > 0) { " " (plural(bad, "bad record")) " skipped." }
            @for (format, reasons) in counts.get("passed_over").and_then(Value::as_object).into_iter().flatten() {
                " Passed over in " (clean(format)) " files: "
                @for (at, (why, found)) in reasons.as_object().into_iter().flatten().enumerate() {
                    @if at > 0 { ", " } (clean(why)) " " (count(found.as_u64().unwrap_or_default()))
                }
                "."
            }
        }
    }
}

fn timings(stage: &Stage) -> Markup {
    let timings = &stage.info().timings;
    let seconds: Vec<(&String, f64)> = timings
        .iter()
        .filter_map(|(name, value)| Some((name, value.as_f64()?)))
        .collect();
    if seconds.is_empty() {
        return html! {};
    }
    let all: f64 = seconds.iter().map(|(_, seconds)| seconds).sum();
    html! {
        p.note {
            "Seconds: "
            @for (at, (name, seconds)) in seconds.iter().enumerate() { @if at > 0 { ", " } (clean(name)) " " (format!("{seconds:.2}")) }
            "; " (format!("{all:.2}")) " in total."
        }
    }
}

/// A tree of values as a table, with dotted names; empty values are omitted.
fn values(caption: &str, value: &Value) -> Markup {
    fn flat(prefix: &str, value: &Value, out: &mut Vec<(String, String)>) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    let name = if prefix.is_empty() {
                        key.clone()
                    } else {
                        format!("{prefix}.{key}")
                    };
                    flat(&name, value, out);
                }
            }
            Value::Array(list) if list.iter().all(|value| !value.is_object()) => {
                if !list.is_empty() {
                    let shown: Vec<String> = list.iter().take(50).map(plain).collect();
                    out.push((prefix.to_owned(), shown.join(", ")));
                }
            }
            Value::Array(list) => {
                list.iter()
                    .enumerate()
                    .take(50)
                    .for_each(|(at, value)| flat(&format!("{prefix}.{}", at + 1), value, out));
            }
            Value::Null => {}
            other => out.push((prefix.to_owned(), plain(other))),
        }
    }
    let mut list = Vec::new();
    flat("", value, &mut list);
    html! {
        @if !list.is_empty() {
            div.box tabindex="0" { table { caption { (caption) } tbody { @for (name, value) in &list { tr { th scope="row" { (clean(name)) } td.t { (clean(value)) } } } } } }
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn files(run: &Run) -> Markup {
    let inputs = run.inputs();
    html! {
        div.box.tall[inputs.len() > 24] tabindex="0" {
            table {
                caption { "Files in reading order" }
                thead { tr { th scope="col" { "file" } th.n scope="col" { "bytes" } } }
                tbody { @for input in inputs.iter().take(FILES) { tr { th scope="row" { span.id { (clean(&input.name)) } } td.n { (count(input.bytes)) } } } }
            }
        }
        @if inputs.len() > FILES { p.note { "and " (plural((inputs.len() - FILES) as u64, "more file")) "; run.json lists all." } }
    }
}
