//! The sections of a stage: lengths, parts, scores, clusters, cases, verdicts.

use maud::{Markup, html};
use std::fmt::Write as _;
use tegula::summary::{Amounts, Balance};

use super::cases::Group;
use super::clusters::{self, Cluster};
use super::seen::{BINS, Case, ROWS, bin_name};
use super::view::View;
use crate::form::{capital, count, decimal, percent, plural};
use crate::html::chart::{self, Bar, Chart, bars, lying};
use crate::html::clean;
use crate::html::sides::{self, Shown};
use crate::html::table::table;
use crate::run::plural as units_of;
use crate::table::Table;
use crate::tables::{Counts, Parts};

/// The maximum number of bars of a chart by a field.
const BARS: usize = 12;

/// The maximum number of bars of a chart by a part of dates.
const DATES: usize = 40;

/// The maximum number of rows of a table by file or field.
const PARTS: usize = 100;

pub(super) fn lengths(
    view: &View,
    counts: &Counts,
    id: &str,
    tables: &[Option<Table>; 2],
) -> Markup {
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
            view.removed()
        );
        let chart = Chart {
            id: &format!("{id}-{what}"),
            title: &title,
            across: "length in tokens",
            counted: what,
            parts: Some(("kept", view.removed())),
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

pub(super) fn by_part(
    view: &View,
    name: &str,
    parts: &Parts,
    made: Option<Table>,
    id: &str,
) -> Markup {
    let sorted = parts.sorted();
    // Years in their order are read at a glance.
    let most = if parts.are_dates() { DATES } else { BARS };
    let mut charted: Vec<usize> = (0..sorted.len()).collect();
    charted.sort_by_key(|at| std::cmp::Reverse(sorted[*at].1.removed.units));
    charted.truncate(most);
    charted.sort_unstable();
    let list: Vec<Bar> = charted
        .into_iter()
        .map(|at| sorted[at])
        .map(|(name, balance)| Bar {
            label: name.to_owned(),
            dark: balance.kept.units,
            light: balance.removed.units,
        })
        .collect();
    let title = format!(
        "{}: units {} and kept{}",
        name,
        view.removed(),
        if sorted.len() > most {
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
        parts: Some(("kept", view.removed())),
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

pub(super) fn scores(view: &View, id: &str) -> Markup {
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
        return html! { p { "No unit was " (view.removed()) "." } };
    }
    let title = format!("Units {} by their score", view.removed());
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

pub(super) fn of_clusters(view: &View, found: &clusters::StageClusters, id: &str) -> Markup {
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
pub(super) fn class_above(size: u32) -> String {
    let upper = size.next_power_of_two();
    format!("{}\u{2013}{}", upper / 2 + 1, upper)
}

pub(super) fn of_cluster(view: &View, cluster: &Cluster) -> Markup {
    let more = u64::from(cluster.size).saturating_sub(cluster.members.len() as u64);
    let fate = |unit: Option<u64>| {
        let kept = unit
            .and_then(|unit| view.seen.kept.get(unit as usize))
            .copied();
        kept.map_or("", |kept| if kept { "kept" } else { view.removed() })
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

pub(super) fn of_cases(view: &View, later: bool) -> Markup {
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

pub(super) fn of_case(view: &View, group: &Group, case: &Case, open: bool) -> Markup {
    let name = |unit: u64| {
        view.case_texts
            .units
            .get(&unit)
            .map_or_else(|| format!("unit {unit}"), |unit| unit.id.clone())
    };
    let (a, b) = (name(case.a), case.b.map(name));
    let text = |unit: u64| view.case_texts.texts.get(&unit);
    let body = match (
        text(case.a),
        case.b.and_then(text),
        &view.case_texts.comparers,
    ) {
        (Some(Ok(x)), Some(Ok(y)), Some((comparer, items))) => {
            let found = comparer.compare(x, y);
            let m = &found.counts;
            let heads = (
                format!("{}: {a}", group.heads.0),
                format!("{}: {}", group.heads.1, b.as_deref().unwrap_or_default()),
            );
            html! {
                p.note { "sscr " (decimal(m.sscr().as_f64())) ", ssr " (decimal(m.ssr().as_f64())) "; " (plural(found.passages.len() as u64, "shared passage")) "; "
                    (count(found.a.tokens() as u64)) " and " (plural(found.b.tokens() as u64, "token")) "." }
                (sides::differing(&items.compare((x, y))))
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

pub(super) fn verdicts(view: &View, id: &str) -> Markup {
    let seen = &view.seen;
    let left_out = seen.units.saturating_sub(seen.rows.len() as u64);
    html! {
        p {
            (count(seen.rows.len() as u64)) " of " (plural(seen.units, "unit")) ", those that were " (view.removed()) " first."
            @if left_out > 0 { " A page lists at most " (count(ROWS as u64)) "; " code { "tegula explain" } " shows any of them." }
        }
        div.search hidden {
            label for={ (id) "-box" } { "Search for an id" }
            input type="search" id={ (id) "-box" } data-filters={ (id) "-table" } autocomplete="off" spellcheck="false";
            p.note id={ (id) "-table-said" } role="status" {}
        }
        div.box.tall tabindex="0" role="group" aria-label="Verdicts" {
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
