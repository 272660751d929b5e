//! The page itself, section by section.

use maud::{Markup, html};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;
use tegula::error::Result;
use tegula::summary::{Amounts, Balance};
use tegula_io::tables::{Coverage, Spans};

use super::Searched;
use super::cases::{self, Group, Shelf};
use super::clusters::{self, Cluster};
use super::seen::{BINS, Case, ROWS, Seen, bin_name};
use crate::form::{count, decimal, percent, plural, share};
use crate::html::chart::{self, Bar, Chart, bars, lying};
use crate::html::sides::{self, Shown};
use crate::html::table::table;
use crate::html::{Page, Section, clean};
use crate::run::{Run, Stage, plural as units_of};
use crate::table::Table;
use crate::tables::{self, Counts, Parts, levels as levels_by_field};

/// The maximum number of rows of a table by file or field.
const PARTS: usize = 100;
/// The maximum number of bars of a chart by a field.
const BARS: usize = 12;
/// The maximum number of input files listed.
const FILES: usize = 200;

/// The contents for a stage.
pub(super) struct View<'a> {
    stage: &'a Stage,
    counts: Option<Counts>,
    seen: Seen,
    clusters: Option<clusters::StageClusters>,
    groups: Vec<Group>,
    shelf: Shelf,
}

impl<'a> View<'a> {
    /// Gathers the contents.
    pub(super) fn of(
        run: &Run,
        stage: &'a Stage,
        number: usize,
        searched: Option<&Searched>,
    ) -> Result<Self> {
        let counts = if stage.is_decided() {
            Some(Counts::of(stage)?)
        } else {
            None
        };
        let seen = Seen::of(stage, cases::SHOWN)?;
        let groups = cases::groups(stage, &seen, searched)?;
        let shelf = Shelf::fill(run, stage, number, &groups)?;
        Ok(Self {
            stage,
            counts,
            seen,
            clusters: clusters::StageClusters::of(stage)?,
            groups,
            shelf,
        })
    }

    /// What cannot be shown, and why.
    pub(super) fn missing(&self) -> impl Iterator<Item = String> {
        self.shelf
            .missing()
            .into_iter()
            .map(|(why, texts)| format!("{} of the cases: {why}", plural(texts, "text")))
    }

    fn gone(&self) -> &str {
        if self.stage.verb == "marked" {
            "marked"
        } else {
            "removed"
        }
    }
}

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
                @let (all, gone) = (counts.balance.input, counts.balance.removed);
                @if run.is_staged() { h3 { (clean(&view.stage.name)) } }
                dl.facts {
                    div { dt { (units_of(counts.level)) } dd { (count(all.units)) } }
                    div { dt { (units_of(counts.level)) " " (view.gone()) } dd { (percent(share(gone.units, all.units))) } }
                    div { dt { "tokens" } dd { (count(all.tokens)) } }
                    div { dt { "tokens " (view.gone()) } dd { (percent(share(gone.tokens, all.tokens))) } }
                    @if let Some(found) = &view.clusters { div { dt { "clusters" } dd { (count(found.count())) } } }
                }
            }
        }
    }
}

fn capital(text: &str) -> String {
    tables::capital(text)
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
            @if run.is_staged() { h3 { (number) ". " (clean(&view.stage.name)) " (" (clean(&view.stage.method())) ", " (view.gone()) ")" } }
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
            @if let Some(identical) = top("identical") { (plural(identical, "unit")) " with an identical copy. " }
            @if let Some(short) = top("short_units").filter(|short| *short > 0) { (plural(short, "unit")) " with fewer than twice the tokens of a shingle. " }
            @if let Some(repeated) = top("repeated_ids").filter(|repeated| *repeated > 0) { (plural(repeated, "record")) " with the id of an earlier one." }
            @if let Some(bad) = top("bad_records").filter(|bad| *bad > 0) { " " (plural(bad, "bad record")) " skipped." }
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

fn lengths(view: &View, counts: &Counts, id: &str, tables: &[Option<Table>; 2]) -> Markup {
    let units = units_of(counts.level);
    let classes: Vec<(u64, &Balance)> = counts.lengths.filled().collect();
    let draw = |what: &str, of: fn(&Amounts) -> u64| {
        let list: Vec<Bar> = classes
            .iter()
            .map(|(class, balance)| Bar {
                label: chart::class_name(chart::class_of(*class)),
                dark: of(&balance.kept),
                light: of(&balance.removed),
            })
            .collect();
        let title = format!(
            "{} {} and kept by length, in percent of all {what}",
            capital(what),
            view.gone()
        );
        let chart = Chart {
            id: &format!("{id}-{what}"),
            title: &title,
            across: "length in tokens",
            counted: what,
            parts: Some(("kept", view.gone())),
            whole: Some(of(&counts.balance.input)),
        };
        bars(chart, &list)
    };
    html! {
        (draw(units, |amounts| amounts.units))
        (draw("tokens", |amounts| amounts.tokens))
        @for made in tables.iter().flatten() { details { summary { (clean(&made.title)) } div.inside { (table(made)) } } }
    }
}

fn by_part(view: &View, name: &str, parts: &Parts, made: Option<Table>, id: &str) -> Markup {
    let sorted = parts.sorted();
    let list: Vec<Bar> = sorted
        .iter()
        .take(BARS)
        .map(|(name, balance)| Bar {
            label: (*name).to_owned(),
            dark: balance.kept.units,
            light: balance.removed.units,
        })
        .collect();
    let title = format!(
        "{}: units {} and kept{}",
        name,
        view.gone(),
        if sorted.len() > BARS {
            ", those with the largest losses"
        } else {
            ""
        }
    );
    let chart = Chart {
        id,
        title: &title,
        across: name,
        counted: "units",
        parts: Some(("kept", view.gone())),
        whole: None,
    };
    let shown = made.map(|mut table| {
        let all = table.rows.len();
        if all > PARTS + 1 {
            let total = table.rows.pop();
            table.rows.truncate(PARTS);
            table.rows.extend(total);
            let shown = (count(PARTS as u64), count(all as u64));
            let _ = write!(
                table.note,
                " The first {} rows of {}; the tables of the run have all.",
                shown.0, shown.1
            );
        }
        table
    });
    html! {
        h3 { (clean(name)) }
        @if sorted.len() > 1 { (lying(chart, &list)) }
        @if let Some(made) = &shown { (table(made)) }
    }
}

fn scores(view: &View, id: &str) -> Markup {
    let first = view
        .seen
        .scores
        .iter()
        .position(|count| *count > 0)
        .unwrap_or(BINS);
    let list: Vec<Bar> = view
        .seen
        .scores
        .iter()
        .enumerate()
        .skip(first.min(BINS.saturating_sub(4)))
        .map(|(bin, count)| Bar {
            label: bin_name(bin),
            dark: *count,
            light: 0,
        })
        .collect();
    let all: u64 = view.seen.scores.iter().sum();
    if all == 0 {
        return html! { p { "No unit was " (view.gone()) "." } };
    }
    let title = format!("Units {} by their score", view.gone());
    let chart = Chart {
        id,
        title: &title,
        across: "score, from this value up to that of the next bar",
        counted: "units",
        parts: None,
        whole: None,
    };
    html! {
        (bars(chart, &list))
        p.note { "The score is that against the witness. " (plural(all, "unit")) " in all; " (count(view.seen.scores[BINS])) " of them at 1." }
    }
}

fn of_clusters(view: &View, found: &clusters::StageClusters, id: &str) -> Markup {
    let mut list: Vec<Bar> = Vec::new();
    for (size, number) in &found.sizes {
        let label = if *size <= 4 {
            size.to_string()
        } else {
            class_above(*size)
        };
        match list.last_mut() {
            Some(last) if last.label == label => last.dark += number,
            _ => list.push(Bar {
                label,
                dark: *number,
                light: 0,
            }),
        }
    }
    let chart = Chart {
        id,
        title: "Clusters by the number of their members",
        across: "members",
        counted: "clusters",
        parts: None,
        whole: None,
    };
    html! {
        p { (plural(found.count(), "cluster")) ": units that are connected by pairs. A low density indicates a chain, in which not every unit matches every other." }
        (bars(chart, &list))
        h3 { "The largest" }
        @for cluster in &found.largest { (of_cluster(view, cluster)) }
    }
}

/// Classes of cluster sizes above 4: 5 to 8, 9 to 16, ...
fn class_above(size: u32) -> String {
    let upper = size.next_power_of_two();
    format!("{}\u{2013}{}", upper / 2 + 1, upper)
}

fn of_cluster(view: &View, cluster: &Cluster) -> Markup {
    let more = u64::from(cluster.size).saturating_sub(cluster.members.len() as u64);
    let fate = |unit: Option<u64>| {
        let kept = unit
            .and_then(|unit| view.seen.kept.get(unit as usize))
            .copied();
        kept.map_or("", |kept| if kept { "kept" } else { view.gone() })
    };
    html! {
        details {
            summary { span.id { (clean(&cluster.id)) } ": " (plural(u64::from(cluster.size), "unit")) ", lowest score " span.score { (decimal(cluster.min_edge)) }
                @if let Some(density) = cluster.density { ", " (percent(density)) " of its pairs match" } }
            div.inside {
                div.box tabindex="0" { table {
                    caption.hidden-visually { "Members" }
                    thead { tr { th scope="col" { "member" } th scope="col" { "verdict" } } }
                    tbody { @for (unit, id) in &cluster.members { tr { th scope="row" { span.id { (clean(id)) } } td { (fate(*unit)) } } } }
                } }
                @if more > 0 { p.note { "and " (plural(more, "more unit")) "; clusters.parquet lists all." } }
            }
        }
    }
}

fn of_cases(view: &View, later: bool) -> Markup {
    html! {
        (sides::legend(false))
        @for line in view.missing() { p.missing { "Not shown: " (clean(&line)) } }
        @if later { p.note { "Texts are shown as in the inputs, including parts that earlier stages removed." } }
        @for group in &view.groups {
            h3 { (group.title) }
            p.note { (clean(&group.note)) }
            @if group.cases.is_empty() { p { "None." } }
            @for (number, case) in group.cases.iter().enumerate() { (of_case(view, group, case, number == 0)) }
        }
    }
}

fn of_case(view: &View, group: &Group, case: &Case, open: bool) -> Markup {
    let name = |unit: u64| {
        view.shelf
            .units
            .get(&unit)
            .map_or_else(|| format!("unit {unit}"), |unit| unit.id.clone())
    };
    let (a, b) = (name(case.a), case.b.map(name));
    let text = |unit: u64| view.shelf.texts.get(&unit);
    let body = match (text(case.a), case.b.and_then(text), &view.shelf.comparer) {
        (Some(Ok(x)), Some(Ok(y)), Some(comparer)) => {
            let found = comparer.compare(x, y);
            let m = &found.counts;
            let heads = (
                format!("{}: {a}", group.heads.0),
                format!("{}: {}", group.heads.1, b.as_deref().unwrap_or_default()),
            );
            html! {
                p.note { "sscr " (decimal(m.sscr().as_f64())) ", ssr " (decimal(m.ssr().as_f64())) "; " (plural(found.passages.len() as u64, "shared passage")) "; "
                    (count(found.a.tokens() as u64)) " and " (plural(found.b.tokens() as u64, "token")) "." }
                (sides::sides(&found, (x, y), (&heads.0, &heads.1), Shown::BRIEF))
            }
        }
        (Some(Ok(x)), None, _) => sides::beginning(x, Shown::BRIEF.piece),
        // The reason is given once, above.
        _ => html! { p.missing { "The texts cannot be shown." } },
    };
    html! {
        details open[open] {
            summary { span.id { (clean(&a)) } @if let Some(b) = &b { " and " span.id { (clean(b)) } } ", score " span.score { (decimal(case.score)) } }
            div.inside { (body) }
        }
    }
}

fn verdicts(view: &View, id: &str) -> Markup {
    let seen = &view.seen;
    let left_out = seen.units.saturating_sub(seen.rows.len() as u64);
    html! {
        p {
            (count(seen.rows.len() as u64)) " of " (plural(seen.units, "unit")) ", those that were " (view.gone()) " first."
            @if left_out > 0 { " A page lists at most " (count(ROWS as u64)) "; " code { "tegula explain" } " shows any of them." }
        }
        div.search hidden {
            label for={ (id) "-box" } { "Search for an id" }
            input type="search" id={ (id) "-box" } data-filters={ (id) "-table" } autocomplete="off" spellcheck="false";
            p.note id={ (id) "-table-said" } role="status" {}
        }
        @if seen.rows.len() > 50 { p.note.on-paper { "In print the first 50." } }
        div.box.tall.verdicts tabindex="0" role="group" aria-label="Verdicts" {
            table.stack id={ (id) "-table" } {
                caption.hidden-visually { "Verdicts" }
                thead { tr { th scope="col" { "id" } th scope="col" { "verdict" } th.n scope="col" { "score" } th scope="col" { "witness" } th scope="col" { "label" } } }
                tbody {
                    @for row in &seen.rows {
                        tr {
                            th scope="row" { (clean(&row.id)) } td data-head="verdict" { (clean(&row.fate)) } td.n data-head="score" { (row.score.map(decimal).unwrap_or_default()) }
                            td.t data-head="witness" { (clean(row.witness.as_deref().unwrap_or_default())) } td data-head="label" { (clean(row.label.as_deref().unwrap_or_default())) }
                        }
                    }
                }
            }
        }
    }
}
