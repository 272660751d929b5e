//! An evaluation as tables.

use super::{
    Classes, DocumentScores, Evaluation, Half, Interval, Listed, PairScores, Point, Removals,
    ScoreIntervals, Scores,
};
use crate::form::{count, plural};
use crate::table::{Cell, Column, Kind, Table};

/// The maximum number of rows in the table of thresholds: those at twentieths, and the best.
const STEPS: u32 = 20;

fn share(share: Option<f64>) -> Cell {
    share.map_or(Cell::Empty, Cell::Share)
}

/// An interval.
pub(super) fn ends(interval: Option<Interval>) -> Cell {
    interval.map_or(Cell::Empty, |ends| Cell::Interval([ends.low, ends.high]))
}

/// The columns of scores, each with its interval if there are intervals.
fn score_columns(intervals: bool) -> Vec<(&'static str, Kind)> {
    let named = |name: &'static str| {
        let both = [(name, Kind::Score), (name, Kind::Interval)];
        both.into_iter().take(1 + usize::from(intervals))
    };
    ["Precision", "Recall", "F1"]
        .into_iter()
        .flat_map(named)
        .collect()
}

/// Scores, each with its interval if there are intervals.
fn score_cells(of: Scores, intervals: Option<ScoreIntervals>) -> Vec<Cell> {
    let Some(intervals) = intervals else {
        return scores(of).to_vec();
    };
    let ends_of = [intervals.precision, intervals.recall, intervals.f1].map(ends);
    scores(of)
        .into_iter()
        .zip(ends_of)
        .flat_map(<[Cell; 2]>::from)
        .collect()
}

fn scores(scores: Scores) -> [Cell; 3] {
    [
        share(scores.precision),
        share(scores.recall),
        share(scores.f1),
    ]
}

impl Evaluation {
    /// The tables: measures, then by label, by threshold, and tuned, if available.
    pub fn tables(&self) -> Vec<Table> {
        let mut tables: Vec<Table> = self
            .removals
            .iter()
            .map(|removals| self.by_removal(removals))
            .collect();
        tables.extend([self.by_pair(), self.by_document()]);
        tables.extend((!self.labels.is_empty()).then(|| self.by_label()));
        tables.extend(self.classes.iter().map(|classes| self.by_class(classes)));
        tables.extend(self.sweep.as_ref().map(|sweep| self.by_threshold(sweep)));
        tables.extend(self.tuned.as_ref().map(tuned_table));
        tables
    }

    fn by_removal(&self, removals: &Removals) -> Table {
        let intervals = self.intervals.and_then(|intervals| intervals.removals);
        let mut columns = vec![
            ("Removed", Kind::Count),
            ("Right", Kind::Count),
            ("Removable", Kind::Count),
        ];
        columns.extend(score_columns(intervals.is_some()));
        let mut table = Table::new(
            "removals",
            &format!("{}, by removal", self.what()),
            &columns,
        );
        let mut row = vec![
            Cell::Count(removals.removed),
            Cell::Count(removals.right),
            removals.removable.map_or(Cell::Empty, Cell::Count),
        ];
        row.extend(score_cells(removals.scores, intervals));
        table.rows.push(row);
        let mut notes =
            vec!["A removal is right if its witness, the kept text, is a copy.".to_owned()];
        if removals.removable.is_some() {
            notes.push("All documents but one of each group are removable.".to_owned());
        }
        if removals.unjudged > 0 {
            notes.push(format!(
                "Without a witness in another document, and not judged: {}.",
                count(removals.unjudged)
            ));
        }
        table.note = notes.join(" ");
        table
    }

    fn by_pair(&self) -> Table {
        let intervals = self.intervals.map(|intervals| intervals.pairs);
        let mut table = Table::new("pairs", &format!("{}, by pair", self.what()), &PAIRS);
        let mut columns = score_columns(intervals.is_some());
        columns.push(("ARI", Kind::Score));
        columns.extend(intervals.map(|_| ("ARI", Kind::Interval)));
        table.columns.extend(columns.into_iter().map(Column::from));
        let mut row = pair_counts(&self.measures.pairs);
        row.extend(score_cells(self.measures.pairs.scores, intervals));
        row.push(Cell::Share(self.measures.ari));
        row.extend(self.intervals.map(|intervals| ends(intervals.ari)));
        table.rows.push(row);
        let mut notes = vec![format!(
            "Gold: {}, {} of copies{}.",
            plural(self.gold.documents, "document"),
            plural(self.gold.positives, "pair"),
            match self.gold.negatives {
                0 => String::new(),
                negatives => format!(
                    ", {} that {} not",
                    count(negatives),
                    if negatives == 1 { "is" } else { "are" }
                ),
            }
        )];
        notes.push(match (self.transitive, self.judged_only) {
            (true, false) => "All pairs inside a cluster count as found.".to_owned(),
            (true, true) => {
                "Labelled pairs inside a cluster count as found; others are not judged.".to_owned()
            }
            (false, true) => "Only labelled pairs are judged.".to_owned(),
            (false, false) => "Pairs that are not in gold count as wrong.".to_owned(),
        });
        if self.result.of == Listed::Verdicts {
            notes.push("The run kept only pairs of removed units and their witnesses.".to_owned());
        }
        if self.result.rolled_up {
            let score = if self.result.by_share {
                "the score of two documents is the larger share of either's tokens in parts that match the other"
            } else {
                "two documents are a pair, with the best score of their parts"
            };
            notes.push(format!(
                "Paragraphs and sentences represent their documents: {score}."
            ));
        }
        notes.push("ARI is the adjusted Rand index of the clusters.".to_owned());
        notes.extend(self.intervals.map(|intervals| {
            format!(
                "The 95 % intervals are from {} of the {} with true or found pairs.{}",
                plural(intervals.resamples.into(), "resample"),
                plural(intervals.pairs.groups, "group"),
                if intervals.pairs.groups < FEW {
                    " With so few groups, they are too narrow."
                } else {
                    ""
                }
            )
        }));
        table.note = notes.join(" ");
        table
    }

    /// A short description of what was judged.
    fn what(&self) -> String {
        let of = match self.half {
            None => "The result".to_owned(),
            Some(Half::A) => "The result on half a".to_owned(),
            Some(Half::B) => "The result on half b".to_owned(),
        };
        self.threshold.map_or_else(
            || of.clone(),
            |threshold| format!("{of} at or above {threshold}"),
        )
    }

    fn by_document(&self) -> Table {
        let mut columns = vec![
            ("A document counts as found", Kind::Text),
            ("Class", Kind::Text),
            ("Documents", Kind::Count),
            ("Found", Kind::Count),
            ("Right", Kind::Count),
        ];
        columns.extend(score_columns(self.intervals.is_some()));
        let mut table = Table::new(
            "documents",
            &format!("{}, by document", self.what()),
            &columns,
        );
        let all = self.intervals.as_ref();
        for (rule, of, intervals) in [
            (
                "with any of its copies",
                &self.measures.documents,
                all.map(|all| (all.documents, all.macro_f1)),
            ),
            (
                "only with all of them",
                &self.measures.documents_whole,
                all.map(|all| (all.documents_whole, all.macro_f1_whole)),
            ),
        ] {
            table.rows.extend(document_rows(rule, of, intervals));
        }
        table.note = format!(
            "The second row is the rule of the CORE benchmark: a document of which only some copies were found is wrong, not missed. \
             The mean over both classes is macro F1. The partners of {} of the documents are just their copies.",
            crate::form::percent(self.measures.documents.accuracy)
        );
        table
    }

    fn by_class(&self, classes: &Classes) -> Table {
        let mut columns = vec![
            (classes.by.as_str(), Kind::Text),
            ("Documents", Kind::Count),
        ];
        columns.extend(PAIRS);
        columns.extend(score_columns(self.intervals.is_some()));
        let name = format!("classes-{}", file_name(&classes.by));
        let title = format!("{}, by {}", self.what(), classes.by);
        let mut table = Table::new(&name, &title, &columns);
        for class in &classes.classes {
            let mut row = vec![
                Cell::Text(class.class.clone()),
                Cell::Count(class.documents),
            ];
            row.extend(pair_counts(&class.pairs));
            row.extend(score_cells(class.pairs.scores, class.intervals));
            table.rows.push(row);
        }
        table.note.push_str(
            "A pair of documents of two classes counts half in each; sums are rounded up.",
        );
        table
    }

    fn by_label(&self) -> Table {
        let columns = [
            ("Label", Kind::Text),
            ("Copies", Kind::Text),
            ("Pairs", Kind::Count),
            ("Found", Kind::Count),
            ("%", Kind::Percent),
        ];
        let mut table = Table::new("labels", &format!("{}, by label", self.what()), &columns);
        for label in &self.labels {
            table.rows.push(vec![
                Cell::Text(label.label.clone()),
                Cell::Text(if label.positive { "yes" } else { "no" }.to_owned()),
                Cell::Count(label.pairs),
                Cell::Count(label.found),
                Cell::Share(crate::form::share(label.found, label.pairs)),
            ]);
        }
        table
    }

    fn by_threshold(&self, sweep: &super::Sweep) -> Table {
        let mut table = pair_table(
            "thresholds",
            &format!("{}, by threshold", self.what()),
            &["Threshold"],
        );
        for point in shown(sweep) {
            table.rows.push(pair_row(
                vec![Cell::Share(point.threshold)],
                &point.pairs,
                point.ari,
            ));
        }
        let (best, ari) = (&sweep.best, &sweep.best_ari);
        table.note = format!(
            "Best F1: {:.4} at {:.6}. Best ARI: {:.4} at {:.6}.",
            best.pairs.scores.f1.unwrap_or(0.0),
            best.threshold,
            ari.ari,
            ari.threshold
        );
        table
    }
}

/// A name as the stem of a file.
fn file_name(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}

/// Columns of counts by pair.
const PAIRS: [(&str, Kind); 3] = [
    ("True pairs", Kind::Count),
    ("Found", Kind::Count),
    ("Right", Kind::Count),
];

/// Fewer groups than these are said to be few.
const FEW: u64 = 20;

fn pair_counts(pairs: &PairScores) -> Vec<Cell> {
    [pairs.positives, pairs.found, pairs.hits]
        .map(Cell::Count)
        .to_vec()
}

/// The points of a table: the lowest of each step, and the best.
fn shown(sweep: &super::Sweep) -> Vec<&Point> {
    let points = &sweep.points;
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    if points.len() <= STEPS as usize {
        return points.iter().collect();
    }
    // Steps of twentieths if scores are shares; otherwise as many steps over their range.
    let shares = last.threshold >= 0.0 && first.threshold <= 1.0;
    let (from, step) = if shares {
        (0.0, 0.05)
    } else {
        (
            last.threshold,
            (first.threshold - last.threshold) / f64::from(STEPS),
        )
    };
    let mut shown: Vec<&Point> = Vec::new();
    for number in (0..=STEPS).rev() {
        let least = from + f64::from(number) * step - 1e-9;
        // A threshold admits the same as the last point at or above it.
        if let Some(point) = points.iter().rev().find(|point| point.threshold >= least)
            && !shown.iter().any(|one| one.threshold <= point.threshold)
        {
            shown.push(point);
        }
    }
    shown.push(&sweep.best);
    shown.push(&sweep.best_ari);
    shown.sort_by(|x, y| y.threshold.total_cmp(&x.threshold));
    shown.dedup_by(|x, y| x.threshold.total_cmp(&y.threshold).is_eq());
    shown
}

fn tuned_table(tuned: &super::Tuned) -> Table {
    let mut table = pair_table(
        "tuned",
        "A threshold chosen on half a, judged by half b",
        &["Half", "Threshold"],
    );
    table.columns[0].kind = Kind::Text;
    let threshold = tuned.chosen.threshold;
    let mut row = |name: &str, threshold: f64, pairs: &PairScores, ari: f64| {
        table.rows.push(pair_row(
            vec![Cell::Text(name.to_owned()), Cell::Share(threshold)],
            pairs,
            ari,
        ));
    };
    row(
        "a, where it was chosen",
        threshold,
        &tuned.chosen.pairs,
        tuned.chosen.ari,
    );
    row("b", threshold, &tuned.reported.pairs, tuned.reported.ari);
    row(
        "b, at its own best",
        tuned.possible.threshold,
        &tuned.possible.pairs,
        tuned.possible.ari,
    );
    table.note.push_str("Documents belong to the half of their group; a pair across the halves counts half in each.");
    table
}

/// A table with these columns, followed by those of figures by pair.
fn pair_table(name: &str, title: &str, before: &[&str]) -> Table {
    let mut columns: Vec<(&str, Kind)> = before.iter().map(|name| (*name, Kind::Score)).collect();
    columns.extend(PAIRS);
    columns.extend(score_columns(false));
    columns.push(("ARI", Kind::Score));
    Table::new(name, title, &columns)
}

fn pair_row(mut row: Vec<Cell>, pairs: &PairScores, ari: f64) -> Vec<Cell> {
    row.extend(pair_counts(pairs));
    row.extend(scores(pairs.scores));
    row.push(Cell::Share(ari));
    row
}

/// The rows of a rule; `intervals` are those of the class of duplicates, and of macro F1.
fn document_rows(
    rule: &str,
    of: &DocumentScores,
    intervals: Option<(ScoreIntervals, Option<Interval>)>,
) -> [Vec<Cell>; 3] {
    let (class_ends, mean_ends) = intervals.unzip();
    let row = |class: &str, counts: [Cell; 3], values: Scores, ends: Option<ScoreIntervals>| {
        let mut row = vec![Cell::Text(rule.to_owned()), Cell::Text(class.to_owned())];
        row.extend(counts);
        // Columns of intervals are there for all rows, or for none.
        row.extend(score_cells(
            values,
            ends.or(intervals.map(|_| ScoreIntervals::default())),
        ));
        row
    };
    let duplicates = [of.right + of.missed, of.right + of.wrong, of.right];
    let others = [of.rest + of.wrong, of.rest + of.missed, of.rest];
    let mean = Scores {
        precision: None,
        recall: None,
        f1: of.macro_f1,
    };
    let mean_ends = mean_ends.map(|f1| ScoreIntervals {
        f1,
        ..ScoreIntervals::default()
    });
    let none = [Cell::Empty, Cell::Empty, Cell::Empty];
    [
        row(
            "duplicate",
            duplicates.map(Cell::Count),
            of.duplicates,
            class_ends,
        ),
        row("no duplicate", others.map(Cell::Count), of.others, None),
        row("mean", none, mean, mean_ends),
    ]
}
