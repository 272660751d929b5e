//! The sections of a stage: what recurs, lengths, scores, clusters, verdicts.

use maud::{Markup, html};
use tegula::summary::{Amounts, Balance};

use super::clusters::{Cluster, LARGEST};
use super::seen::{BINS, bin_name};
use super::view::View;
use crate::form::{capital, count, decimal, percent, plural};
use crate::html::chart::{self, Bar, Chart, bars};
use crate::html::table::{folded, table};
use crate::html::{clean, name};
use crate::run::{noun, plural as units_of};
use crate::tables;

pub(super) fn lengths(view: &View, id: &str) -> Option<Markup> {
    let counts = view.counts?;
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
            "{} {} and {} by length, in percent of all {what}",
            capital(what),
            view.removed(),
            view.kept()
        );
        let chart = Chart {
            id: &format!("{id}-{what}"),
            title: &title,
            across: &format!("length in {}", counts.tokens),
            counted: what,
            parts: Some((view.kept(), view.removed())),
            whole: Some(of(&counts.balance.input)),
        };
        bars(chart, &list)
    };
    let made = [false, true].map(|tokens| tables::lengths(counts, tokens));
    Some(html! {
        (draw(units, |amounts| amounts.units))
        (draw(&counts.tokens, |amounts| amounts.tokens))
        @for made in &made { (folded(made)) }
    })
}

pub(super) fn scores(view: &View, id: &str) -> Option<Markup> {
    view.counts?;
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
        return None;
    }
    let level = view.stage.level();
    let title = format!("{} {} by score", capital(units_of(level)), view.removed());
    let chart = Chart {
        id,
        title: &title,
        across: "score, from this value up to that of the next bar",
        counted: units_of(level),
        parts: None,
        whole: None,
    };
    let whole = view.seen.scores[BINS];
    Some(html! {
        p { (count(whole)) " of " (plural(all, noun(level))) " " (view.removed()) " have a score of 1" @if all > whole { ", and " (count(all - whole)) " a lower one" } "." }
        (bars(chart, &list))
        @if view.is_in_order() { p.note { "The score is the share of the tokens that are in n-grams of preceding text." } }
        @else { p.note { "The score is that against the witness, the kept one that each is most similar to." } }
    })
}

pub(super) fn of_clusters(view: &View, id: &str) -> Option<Markup> {
    let found = view.clusters.as_ref().filter(|found| found.count() > 0)?;
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
    let (clusters, units) = (found.count(), units_of(view.stage.level()));
    let members: u64 = found
        .sizes
        .iter()
        .map(|(size, number)| u64::from(*size) * number)
        .sum();
    let largest = found.sizes.keys().next_back().copied().unwrap_or_default();
    Some(html! {
        p { (plural(clusters, "cluster")) " of " (count(members)) " " (units) "; the largest has " (count(largest.into())) "." }
        (bars(chart, &list))
        h3 { "The largest" @if clusters > LARGEST as u64 { " " (LARGEST) } }
        p.note { "Pairs connect the members of a cluster. A low density indicates a chain, in which not every member matches every other." }
        @for cluster in &found.largest { (of_cluster(view, cluster)) }
    })
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
        kept.map_or("", |kept| if kept { view.kept() } else { view.removed() })
    };
    html! {
        details {
            summary { (name::label(&cluster.id)) ": " (plural(u64::from(cluster.size), noun(view.stage.level()))) ", lowest score " span.score { (decimal(cluster.min_edge)) }
                @if let Some(density) = cluster.density { ", " (percent(density)) " of its pairs match" } }
            div.inside {
                div.box tabindex="0" { table {
                    caption.hidden-visually { "Members" }
                    thead { tr { th scope="col" { "member" } th scope="col" { "verdict" } } }
                    tbody { @for (unit, id) in &cluster.members { tr { th scope="row" { (name::name(id)) } td { (fate(*unit)) } } } }
                } }
                @if more > 0 { p.note { "and " (plural(more, "more member")) "; clusters.parquet lists all." } }
            }
        }
    }
}

pub(super) fn recurring(view: &View, id: &str) -> Option<Markup> {
    let mut made = view.recurring.clone()?;
    id.clone_into(&mut made.name);
    Some(table(&made))
}

pub(super) fn verdicts(view: &View, id: &str) -> Option<Markup> {
    let seen = &view.seen;
    if seen.rows.is_empty() {
        return None;
    }
    let units = units_of(view.stage.level());
    let left_out = seen.units.saturating_sub(seen.rows.len() as u64);
    let has_labels = seen.rows.iter().any(|row| row.label.is_some());
    Some(html! {
        @if left_out > 0 {
            p { (count(seen.rows.len() as u64)) " of " (count(seen.units)) " " (units) ", those that were " (view.removed()) " first; "
                code { "tegula explain" } " shows any of them." }
        }
        div.search hidden {
            label for={ (id) "-box" } { "Search for an id" }
            input type="search" id={ (id) "-box" } data-filters={ (id) "-table" } autocomplete="off" spellcheck="false";
            p.note id={ (id) "-table-said" } role="status" {}
        }
        div.box.tall tabindex="0" role="group" aria-label="Verdicts" {
            table.stack id={ (id) "-table" } {
                caption.hidden-visually { "Verdicts" }
                thead { tr { th scope="col" { "id" } th scope="col" { "verdict" } th.n scope="col" { "score" } th scope="col" { "witness" } @if has_labels { th scope="col" { "label" } } } }
                tbody {
                    @for row in &seen.rows {
                        tr {
                            th scope="row" { (name::label(&row.id)) } td data-head="verdict" { (clean(&row.fate)) } td.n data-head="score" { (row.score.map(decimal).unwrap_or_default()) }
                            td.t data-head="witness" { @if let Some(witness) = &row.witness { (name::label(witness)) } }
                            @if has_labels { td data-head="label" { (clean(row.label.as_deref().unwrap_or_default())) } }
                        }
                    }
                }
            }
        }
    })
}
