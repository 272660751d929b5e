//! The pages of studies: the pictures of the papers, and all tables.

use super::growth::{self, Run};
use super::{Length, StudySpec, degrees, keys};
use crate::describe;
use crate::options::is_page;
use maud::{Markup, html};
use tegula::recipe::Recipe;
use tegula_report::html::chart::{self, Bar, Chart};
use tegula_report::html::curves::{Curves, curves_in_range};
use tegula_report::html::table::table;
use tegula_report::html::{Page, Section, clean, plot};
use tegula_report::table::{Cell, Table};

/// The page of growth, or its pictures alone.
pub(super) fn growth(runs: &[Run], by: Length, spec: &StudySpec, recipe: &Recipe) -> String {
    let plots = growth::plots(runs, by);
    if !spec.output.as_deref().is_some_and(is_page) {
        return plot::file(&plots);
    }
    let pictures = html! {
        p { "Each dot is a run on a prefix of the input. The dashed straight line is linear growth, the dashed curve the best fit, if there is one." }
        @for plot in &plots { (plot::figure(plot)) }
    };
    let title = "Time and memory by the length of the input";
    rendered(title, pictures, &[growth::table(runs, by)], recipe)
}

/// The page of `SimFinder`'s figures, whose tables are those of degrees, of keys by size and by
/// features, and of what is skipped.
pub(super) fn simfinder(bins: &degrees::Bins, tables: &[Table], recipe: &Recipe) -> String {
    let precision = Curves {
        id: "precision",
        title: "Precision by degree (Figs. 1 and 2)",
        across: "degree",
        up: "precision",
    };
    let curves = degrees::curves(bins);
    let pictures = html! {
        @if curves.is_empty() {
            p { "Pairs are not judged: a list of labelled pairs, or the sheet with labels, draws precision by degree (Figs. 1 and 2)." }
        }
        (curves_in_range(&precision, &curves, ""))
        @if let [_, sizes, features, ..] = tables {
            (recall(sizes, "recall-by-size", "Recall by the size of keys (Fig. 3)", "features in a key; base: two words in a row"))
            (compared(sizes, "compared-by-size", "Comparisons by the size of keys (Fig. 4)", "features in a key; base: two words in a row"))
            (recall(features, "recall-by-features", "Recall by the number of features (Fig. 5)", "features; (5): by inequality (5); base: two words in a row"))
            (compared(features, "compared-by-features", "Comparisons by the number of features (Fig. 6)", "features; (5): by inequality (5); base: two words in a row"))
        }
    };
    rendered("The figures of SimFinder", pictures, tables, recipe)
}

/// Texts with a duplicate that keys find too, of those of the baseline, which is the last row.
fn recall(keys: &Table, id: &str, title: &str, across: &str) -> Markup {
    let Some(Cell::Count(all)) = keys.rows.last().and_then(|row| row.get(3)) else {
        return html! {};
    };
    let bar = |row: &Vec<Cell>| match (&row[0], &row[4]) {
        (Cell::Text(label), Cell::Share(recall)) => {
            let found = (recall * *all as f64).round() as u64;
            Some(Bar {
                label: short(label),
                dark: found,
                light: all - found,
            })
        }
        _ => None,
    };
    let chart = Chart {
        id,
        title,
        across,
        counted: "texts",
        parts: Some(("found", "missed")),
        whole: Some(*all),
    };
    chart::bars(chart, &keys.rows.iter().filter_map(bar).collect::<Vec<_>>())
}

/// The head of a row, as short as the label of a bar has to be.
fn short(head: &str) -> String {
    match head {
        keys::BASELINE => "base",
        keys::INEQUALITY => "(5)",
        other => other,
    }
    .to_owned()
}

/// Pairs of texts that are compared.
fn compared(keys: &Table, id: &str, title: &str, across: &str) -> Markup {
    let bar = |row: &Vec<Cell>| match (&row[0], &row[1]) {
        (Cell::Text(label), Cell::Count(compared)) => Some(Bar {
            label: short(label),
            dark: *compared,
            light: 0,
        }),
        _ => None,
    };
    let chart = Chart {
        id,
        title,
        across,
        counted: "comparisons",
        parts: None,
        whole: None,
    };
    chart::bars(chart, &keys.rows.iter().filter_map(bar).collect::<Vec<_>>())
}

fn rendered(title: &str, pictures: Markup, tables: &[Table], recipe: &Recipe) -> String {
    let tables = html! { @for made in tables { (table(made)) } };
    Page {
        title: title.to_owned(),
        lead: html! { p { "Recipe: " (clean(&describe::swept(recipe))) "." } },
        sections: vec![
            Section::new("figures", "Figures", pictures),
            Section::new("tables", "Tables", tables),
        ],
    }
    .render()
}
