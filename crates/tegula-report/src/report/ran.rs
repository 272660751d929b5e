//! How a run was made: its command and inputs, pairs by threshold, seconds, recipe and options.

use maud::{Markup, html};
use serde_json::Value;
use tegula_io::tables::{Coverage, Spans};

use super::view::View;
use crate::form::{count, plural};
use crate::html::table::folded;
use crate::html::{clean, name};
use crate::run::{Run, Stage};
use crate::tables::levels as levels_by_field;

/// The maximum number of input files listed.
const FILES: usize = 200;

/// How the run was made.
pub(super) fn ran(run: &Run, views: &[View]) -> Markup {
    let info = run.info();
    let named: Vec<String> = run
        .named_inputs()
        .unwrap_or_default()
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let bytes: u64 = run.inputs().iter().map(|input| input.bytes).sum();
    let command = run.stages()[0]
        .info()
        .options
        .get("command")
        .or_else(|| info.options.get("command"));
    html! {
        @if let Some(line) = &info.command_line {
            div.command { code id="command-line" { (clean(line)) } button type="button" data-copies="command-line" hidden { "Copy" } }
        }
        div.box tabindex="0" {
            table {
                caption.hidden-visually { "The run" }
                tbody {
                    @if let Some(command) = command.and_then(Value::as_str).filter(|_| info.command_line.is_none()) { tr { th scope="row" { "command" } td { code { "tegula " (clean(command)) } } } }
                    @if !named.is_empty() { tr { th scope="row" { "inputs" } td { @for (at, input) in named.iter().enumerate() { @if at > 0 { ", " } (name::name(input)) } } } }
                    tr { th scope="row" { "files" } td { (plural(run.inputs().len() as u64, "file")) ", " (plural(bytes, "byte")) } }
                    @if let Some(date) = info.date.as_deref().and_then(|date| date.get(..16)) { tr { th scope="row" { "date" } td { (clean(&date.replace('T', " "))) " UTC" } } }
                    tr { th scope="row" { "version" } td { (clean(&info.version)) } }
                    tr { th scope="row" { "recipe" } td { code { (clean(&info.recipe_hash)) } } }
                }
            }
        }
        @for (number, view) in (1..).zip(views) {
            @if run.is_staged() { h3 { (number) ". " (clean(&view.stage.name)) " (" (clean(&view.stage.method())) ", " (view.removed()) ")" } }
            // Onion and passages have no pairs.
            @if !view.stage.has::<Coverage>() && !view.stage.has::<Spans>() { (levels(view.stage)) }
            @for made in levels_by_field::by_field(view.stage) { (folded(&made)) }
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
                tbody { @for input in inputs.iter().take(FILES) { tr { th scope="row" { (name::name(&input.name)) } td.n { (count(input.bytes)) } } } }
            }
        }
        @if inputs.len() > FILES { p.note { "and " (plural((inputs.len() - FILES) as u64, "more file")) "; run.json lists all." } }
    }
}
