//! The grids of a sweep over shingle lengths and thresholds (Benko 2013, §3.2 and §3.3).

use super::{Sweep, SweepCell};
use maud::{Markup, html};
use tegula::error::{ErrorKind, Result};
use tegula::threshold::{Score, Threshold};
use tegula_report::form::{capital, count, percent, share};
use tegula_report::html::chart::{self, Bar, Chart};
use tegula_report::html::curves::{Curve, Curves, Spot, curves_in_range};
use tegula_report::html::heat::{Heat, heat};
use tegula_report::html::table::folded;
use tegula_report::html::{Page, Section, clean};
use tegula_report::run;
use tegula_report::table::{Cell, Kind, Table};
use tegula_report::tables::class_name;

/// Creates the grids of units and of tokens, and the length classes for each n.
///
/// # Errors
/// If the results do not fill the grid.
pub fn tables(sweep: &Sweep) -> Result<Vec<Table>> {
    let (expected, found) = (
        sweep.ngrams.len() * sweep.thresholds.len(),
        sweep.cells.len(),
    );
    if expected != found {
        return Err(ErrorKind::Usage
            .expected(format!("{expected} results of a sweep"))
            .found(found));
    }
    let grids = Grids(sweep);
    let mut tables = vec![grids.grid(false), grids.grid(true)];
    for (place, n) in sweep.ngrams.iter().enumerate() {
        tables.extend(grids.lengths(place, *n));
    }
    Ok(tables)
}

/// What is counted in a cell.
type Measured = fn(&SweepCell) -> u64;

/// The page of a sweep: what is removed as heat maps, curves and by length, and all tables.
///
/// # Errors
/// If the results do not fill the grid.
pub(super) fn page(sweep: &Sweep) -> Result<String> {
    let tables = tables(sweep)?;
    let units = run::plural(sweep.level);
    let map = |what: &str, of: Measured, all: u64| Heat {
        title: format!("{} removed, of {}", capital(what), count(all)),
        corner: "threshold".to_owned(),
        columns: sweep.ngrams.iter().map(|n| format!("{n}-grams")).collect(),
        rows: (0..)
            .zip(&sweep.thresholds)
            .map(|(row, threshold)| {
                let cells = (0..sweep.ngrams.len()).filter_map(|n| sweep.cell(n, row));
                let shares = cells.map(|cell| share(of(cell), all)).collect();
                (threshold.to_string(), shares)
            })
            .collect(),
    };
    let curves = |what: &str, of: Measured, all: u64| {
        let curve = |(at, n): (usize, &usize)| Curve {
            name: format!("{n}-grams"),
            spots: (0..sweep.thresholds.len())
                .filter_map(|row| {
                    let removed = of(sweep.cell(at, row)?);
                    Some(spot(sweep.thresholds[row], removed, all))
                })
                .collect(),
            marked: None,
        };
        let chart = Curves {
            id: &format!("removed-{what}"),
            title: &format!("{} removed, by threshold", capital(what)),
            across: "threshold",
            up: "share removed",
        };
        let lines: Vec<Curve> = sweep.ngrams.iter().enumerate().map(curve).collect();
        curves_in_range(&chart, &lines, "")
    };
    let drawn: [(&str, Measured, u64); 2] = [
        (units, |cell| cell.units, sweep.units),
        ("tokens", |cell| cell.tokens, sweep.tokens),
    ];
    let sections = vec![
        Section::new(
            "maps",
            "What would be removed",
            html! { @for (what, of, all) in drawn { (heat(&map(what, of, all))) (curves(what, of, all)) } },
        ),
        Section::new(
            "lengths",
            "By length",
            html! { @for n in 0..sweep.ngrams.len() { (by_length(sweep, n)) } },
        ),
        Section::new(
            "tables",
            "Tables",
            html! { @for made in &tables { (folded(made)) } },
        ),
    ];
    Ok(Page {
        title: "Sweep over n-grams and thresholds".to_owned(),
        lead: html! { p { "Recipe: " (clean(&sweep.method)) "." } },
        sections,
    }
    .render())
}

/// What is removed at a threshold, as a point.
fn spot(threshold: Threshold, removed: u64, all: u64) -> Spot {
    let removed = share(removed, all);
    Spot {
        x: threshold.as_f64(),
        y: removed,
        label: format!("{threshold}: {}", percent(removed)),
    }
}

/// Tokens removed by length at the strictest threshold, and what the most lenient one adds (the last
/// pictures of §3.2 and §3.3).
fn by_length(sweep: &Sweep, ngram: usize) -> Markup {
    let mut order: Vec<usize> = (0..sweep.thresholds.len()).collect();
    order.sort_by_key(|row| {
        let threshold = sweep.thresholds[*row];
        Score {
            part: threshold.numerator(),
            whole: threshold.denominator(),
        }
    });
    let ends = order.last().zip(order.first());
    let Some((strict, lenient)) = ends.filter(|(strict, lenient)| strict != lenient) else {
        return html! {};
    };
    let at = |row: usize, class: usize| {
        let cell = sweep.cell(ngram, row);
        let classes = cell.map_or(&[][..], |cell| &cell.tokens_by_class);
        classes.get(class).copied().unwrap_or(0)
    };
    let classes = sweep.cell(ngram, *lenient);
    let classes = classes.map_or(0, |cell| cell.tokens_by_class.len());
    let bars: Vec<Bar> = (0..classes)
        .skip_while(|class| at(*lenient, *class) == 0)
        .map(|class| Bar {
            label: chart::class_name(class),
            dark: at(*strict, class),
            light: at(*lenient, class).saturating_sub(at(*strict, class)),
        })
        .collect();
    let n = sweep.ngrams[ngram];
    let [strict, lenient] = [*strict, *lenient].map(|row| sweep.thresholds[row]);
    let chart = Chart {
        id: &format!("lengths-{n}"),
        title: &format!(
            "Tokens removed by {n}-grams, by length of the {}, in percent of all tokens",
            run::noun(sweep.level)
        ),
        across: "length in tokens",
        counted: "tokens",
        parts: Some((&format!("at {strict}"), &format!("more at {lenient}"))),
        whole: Some(sweep.tokens),
    };
    chart::bars(chart, &bars)
}

struct Grids<'a>(&'a Sweep);

impl Grids<'_> {
    /// Thresholds as rows, shingle lengths as columns: numbers, then percentages.
    fn grid(&self, tokens: bool) -> Table {
        let units = run::plural(self.0.level);
        let (name, what, all) = if tokens {
            ("sweep-tokens", "tokens", self.0.tokens)
        } else {
            ("sweep-units", units, self.0.units)
        };
        let heads: Vec<String> = self.0.ngrams.iter().map(|n| format!("{n}-grams")).collect();
        let shares: Vec<String> = heads.iter().map(|head| format!("{head} %")).collect();
        let mut columns = vec![("Threshold", Kind::Text)];
        columns.extend(heads.iter().map(|head| (head.as_str(), Kind::Count)));
        columns.extend(shares.iter().map(|head| (head.as_str(), Kind::Percent)));
        let title = format!("{} removed by threshold and n-gram length", capital(what));
        let mut table = Table::new(name, &title, &columns);
        table.note = format!(
            "Recipe: {}. Percentages are of all {what}: {}.",
            self.0.method,
            count(all)
        );
        for (row, threshold) in self.0.thresholds.iter().enumerate() {
            let values: Vec<u64> = (0..self.0.ngrams.len())
                .filter_map(|n| self.0.cell(n, row))
                .map(|cell| if tokens { cell.tokens } else { cell.units })
                .collect();
            let counts = values.iter().map(|value| Cell::Count(*value));
            let shares = values.iter().map(|value| Cell::Share(share(*value, all)));
            table.rows.push(
                std::iter::once(Cell::Text(threshold.to_string()))
                    .chain(counts)
                    .chain(shares)
                    .collect(),
            );
        }
        table
    }

    /// Length classes as rows, thresholds as columns: removed tokens, then percentages of all
    /// tokens.
    fn lengths(&self, place: usize, n: usize) -> Option<Table> {
        let cells: Vec<&SweepCell> = (0..self.0.thresholds.len())
            .filter_map(|threshold| self.0.cell(place, threshold))
            .collect();
        let classes = cells
            .iter()
            .map(|cell| cell.tokens_by_class.len())
            .max()
            .filter(|classes| *classes > 0)?;
        let heads: Vec<String> = self.0.thresholds.iter().map(ToString::to_string).collect();
        let shares: Vec<String> = heads.iter().map(|head| format!("{head} %")).collect();
        let mut columns = vec![("Length", Kind::Count)];
        columns.extend(heads.iter().map(|head| (head.as_str(), Kind::Count)));
        columns.extend(shares.iter().map(|head| (head.as_str(), Kind::Percent)));
        let noun = run::noun(self.0.level);
        let title =
            format!("Tokens removed by {n}-grams at each threshold, by length of the {noun}");
        let mut table = Table::new(
            &format!("sweep-length-classes-tokens-{n}"),
            &title,
            &columns,
        );
        table.note = format!(
            "Length in tokens: class 4 has 4 to 7, and so on. Percentages are of all tokens: {}.",
            count(self.0.tokens)
        );
        let mut row = |head: Cell, values: Vec<u64>| {
            let shares: Vec<Cell> = values
                .iter()
                .map(|value| Cell::Share(share(*value, self.0.tokens)))
                .collect();
            table.rows.push(
                std::iter::once(head)
                    .chain(values.into_iter().map(Cell::Count))
                    .chain(shares)
                    .collect(),
            );
        };
        let of =
            |cell: &SweepCell, class: usize| cell.tokens_by_class.get(class).copied().unwrap_or(0);
        let first = (0..classes)
            .find(|class| cells.iter().any(|cell| of(cell, *class) > 0))
            .unwrap_or(0);
        for class in first..classes {
            row(
                Cell::Count(class_name(class)),
                cells.iter().map(|cell| of(cell, class)).collect(),
            );
        }
        row(
            Cell::Text("Total".to_owned()),
            cells.iter().map(|cell| cell.tokens).collect(),
        );
        table.total = true;
        Some(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tegula::record::Level;
    use tegula_io::tables::Formulas;
    use tegula_report::render::tsv;

    /// Benko 2013, §3.3: paragraphs and tokens removed by Onion.
    fn papers_sweep() -> Sweep {
        let units: [[u64; 4]; 3] = [
            [23_119_807, 20_164_592, 17_353_000, 16_652_531],
            [16_541_810, 15_294_473, 13_738_966, 13_285_899],
            [12_697_603, 12_027_316, 11_187_422, 10_890_177],
        ];
        let tokens: [[u64; 4]; 3] = [
            [364_942_345, 276_284_030, 218_857_869, 201_514_920],
            [245_171_349, 217_137_998, 184_131_198, 171_852_183],
            [203_061_064, 184_798_690, 161_354_010, 152_246_068],
        ];
        let cells = units.iter().flatten().zip(tokens.iter().flatten());
        Sweep {
            method: "onion".to_owned(),
            level: Level::Paragraph,
            ngrams: vec![5, 7, 10],
            thresholds: ["0.5", "0.7", "0.9", "0.95"]
                .map(|t| t.parse().unwrap())
                .to_vec(),
            cells: cells
                .map(|(units, tokens)| SweepCell {
                    units: *units,
                    tokens: *tokens,
                    tokens_by_class: vec![0, 0, *tokens],
                })
                .collect(),
            units: 51_536_717,
            tokens: 1_226_218_915,
            passed_over: Vec::new(),
        }
    }

    #[test]
    fn the_papers_sweep_gives_the_papers_grids() {
        let tables = tables(&papers_sweep()).unwrap();
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "sweep-units",
                "sweep-tokens",
                "sweep-length-classes-tokens-5",
                "sweep-length-classes-tokens-7",
                "sweep-length-classes-tokens-10"
            ]
        );
        // "aggressive" settings remove 45 % of the paragraphs with 30 % of the tokens.
        let units = tsv(&tables[0], Formulas::Kept);
        assert!(
            units.contains("\n0.5\t23119807\t16541810\t12697603\t44.8608\t32.0971\t24.6380\n"),
            "{units}"
        );
        let tokens = tsv(&tables[1], Formulas::Kept);
        assert!(
            tokens.contains("\n0.5\t364942345\t245171349\t203061064\t29.7616\t"),
            "{tokens}"
        );
        assert!(
            tokens.contains("\n0.95\t201514920\t171852183\t152246068\t16.4338\t14.0148\t12.4159\n"),
            "{tokens}"
        );
        let lengths = tsv(&tables[4], Formulas::Kept);
        assert!(
            lengths.starts_with("Length\t0.5\t0.7\t0.9\t0.95\t0.5 %\t"),
            "{lengths}"
        );
        assert!(lengths.contains("\n2\t203061064\t"), "{lengths}");
        let page = page(&papers_sweep()).unwrap();
        for picture in [
            "Paragraphs removed, of 51,536,717",
            "chart-removed-paragraphs-wide",
            "chart-removed-tokens-wide",
            "0.5: 29.76 %",
            "chart-lengths-10-wide",
            "2\u{2013}3: 152,246,068 at 0.95, 50,814,996 more at 0.5",
        ] {
            assert!(page.contains(picture), "{picture}");
        }
        let mut broken = papers_sweep();
        broken.cells.pop();
        assert!(super::tables(&broken).is_err());
    }
}
