//! What was removed by file and by each field, over time where its values are dates.

use maud::{Markup, html};
use std::fmt::Write as _;
use tegula::field::MISSING;
use tegula::summary::Balance;

use super::view::View;
use crate::form::{count, percent, plural, share, slug};
use crate::html::chart::{Bar, Chart, bars, lying};
use crate::html::clean;
use crate::html::table::table;
use crate::run::{noun, plural as units_of};
use crate::table::Table;
use crate::tables::{self, Counts, Parts, Periods};

/// The maximum number of bars of a chart by a field.
const BARS: usize = 12;

/// The maximum number of rows of a table by file or field.
const PARTS: usize = 100;

/// What was removed by file and by each field; none for one file without fields.
pub(super) fn by_part(view: &View, id: &str) -> Option<Markup> {
    let counts = view.counts?;
    // For a single file the table would repeat the balance.
    let files = (counts.files.len() > 1).then_some(("File", &counts.files));
    let fields = counts
        .fields
        .iter()
        .map(|(name, parts)| (name.as_str(), parts));
    let all: Vec<(&str, &Parts)> = files.into_iter().chain(fields).collect();
    if all.is_empty() {
        return None;
    }
    let dates = view.stage.dates();
    Some(html! {
        @for (at, (field, parts)) in all.into_iter().enumerate() {
            @let id = format!("{id}-{at}");
            h3 { (clean(field)) }
            @if let Some(periods) = Periods::of(parts, &dates) { (over_time(view, counts, field, &periods, &id)) }
            @else if parts.len() > BARS && parts.sorted().iter().all(|(_, all)| all.input.units == 1) {
                p.note { "Each of the " (count(parts.len() as u64)) " " (units_of(counts.level)) " has a value of its own." }
            }
            @else { (by_name(view, counts, field, parts, &id)) }
        }
    })
}

fn bar((label, balance): &(impl AsRef<str>, Balance)) -> Bar {
    Bar {
        label: label.as_ref().to_owned(),
        dark: balance.kept.units,
        light: balance.removed.units,
    }
}

/// The largest loss, in a sentence.
fn most<'a>(
    view: &View,
    counts: &Counts,
    list: impl Iterator<Item = (&'a str, Balance)>,
    of: &str,
) -> Markup {
    let mut worst: Option<(&str, Balance)> = None;
    for (name, balance) in list {
        if balance.removed.units > worst.map_or(0, |(_, most)| most.removed.units) {
            worst = Some((name, balance));
        }
    }
    html! {
        @if let Some((name, all)) = worst {
            p { "Most were " (view.removed()) " " (of) " " @if name == MISSING { "those without a value" } @else { strong { (clean(name)) } } ": " (count(all.removed.units)) " of " (count(all.input.units)) " " (units_of(counts.level))
                " (" (percent(share(all.removed.units, all.input.units))) ")." }
        }
    }
}

fn over_time(view: &View, counts: &Counts, field: &str, periods: &Periods, id: &str) -> Markup {
    let period = periods.period.name();
    let units = units_of(counts.level);
    let list: Vec<Bar> = periods.list.iter().map(bar).collect();
    let title = format!(
        "{units} {} and {}, by {period}",
        view.removed(),
        view.kept()
    );
    let chart = Chart {
        id,
        title: &crate::form::capital(&title),
        across: period,
        counted: units,
        parts: Some((view.kept(), view.removed())),
        whole: None,
    };
    let by = format!("{field}, by {period}");
    let made = tables::parts(
        &format!("by-{}", slug(field)),
        &by,
        counts,
        &periods.parts(),
    );
    html! {
        (most(view, counts, periods.list.iter().map(|(name, all)| (name.as_str(), *all)), "in"))
        (bars(chart, &list))
        @if periods.undated.input.units > 0 { p.note { (plural(periods.undated.input.units, noun(counts.level))) " without a date." } }
        details { summary { "Table by " (period) } div.inside { (table(&made)) } }
    }
}

fn by_name(view: &View, counts: &Counts, field: &str, parts: &Parts, id: &str) -> Markup {
    let sorted = parts.sorted();
    let list: Vec<Bar> = sorted.iter().take(BARS).map(bar).collect();
    let units = units_of(counts.level);
    let title = format!(
        "{units} {} and {}{}",
        view.removed(),
        view.kept(),
        if sorted.len() > BARS {
            ", those with the largest losses"
        } else {
            ""
        }
    );
    let chart = Chart {
        id,
        title: &crate::form::capital(&title),
        across: field,
        counted: units,
        parts: Some((view.kept(), view.removed())),
        whole: None,
    };
    let made = shortened(tables::parts(
        &format!("by-{}", slug(field)),
        field,
        counts,
        parts,
    ));
    html! {
        @if sorted.len() > 1 { (most(view, counts, sorted.iter().copied(), "from")) (lying(chart, &list)) }
        @if sorted.len() > BARS { details { summary { "Table by " (clean(field)) } div.inside { (table(&made)) } } }
        @else { (table(&made)) }
    }
}

/// The beginning of a long table, with its total.
fn shortened(mut table: Table) -> Table {
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
}
