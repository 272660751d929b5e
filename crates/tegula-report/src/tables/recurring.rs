//! What recurs most: the largest clusters of units inside texts, such as boilerplate, with their text.

use crate::run::{Place, Run, Stage, plural};
use crate::table::{Cell, Column, Kind, Table};
use std::collections::HashMap;
use tegula::error::Result;
use tegula::record::Level;
use tegula_io::tables::{Clusters, TableReader};

/// The number of clusters listed.
const ROWS: usize = 100;
/// Characters of a text that are shown.
const SHOWN: usize = 80;

/// A cluster, while its members are read.
#[derive(Default)]
struct Recurring {
    id: String,
    first: Option<u64>,
    units: u64,
    documents: u64,
    /// The document of the last member: those of a cluster are in input order.
    last: String,
}

impl Recurring {
    fn row(&self) -> Vec<Cell> {
        vec![
            Cell::Count(self.units),
            Cell::Count(self.documents),
            Cell::Text(self.id.clone()),
        ]
    }
}

/// The units that recur most; none for whole documents, or without clusters. If the inputs can no longer
/// be read, there is no column of texts, and the note says why.
///
/// # Errors
/// If a table of the folder cannot be read.
pub(crate) fn recurring(run: &Run, stage: &Stage) -> Result<Option<Table>> {
    let level = stage.level();
    if level == Level::Document || !stage.has::<Clusters>() {
        return Ok(None);
    }
    let found = largest(stage, level)?;
    if found.is_empty() {
        return Ok(None);
    }
    let mut places = HashMap::new();
    stage.for_each(|unit| {
        if found
            .iter()
            .any(|cluster| cluster.first == Some(unit.number()))
        {
            places.insert(unit.number(), Place::of(unit));
        }
        Ok(())
    })?;
    let place = |cluster: &Recurring| places.get(&cluster.first?).cloned();
    let wanted: Vec<Place> = found.iter().filter_map(place).collect();
    let read = run.texts(&wanted);
    let units = plural(level);
    let heading = [units[..1].to_uppercase(), units[1..].to_owned()].concat();
    let mut note = format!(
        "At most the {ROWS} largest clusters: their {units}, the documents that contain them, and the earliest."
    );
    let mut columns = vec![
        Column::from((heading.as_str(), Kind::Count)),
        Column::from(("Documents", Kind::Count)),
        Column::from(("Earliest", Kind::Text)),
    ];
    let mut rows: Vec<Vec<Cell>> = found.iter().map(Recurring::row).collect();
    match read {
        Ok(texts) => {
            columns.insert(0, Column::from(("Text", Kind::Text)));
            let mut texts = texts.into_iter();
            for (cluster, row) in found.iter().zip(&mut rows) {
                let text = place(cluster).and_then(|_| texts.next()).flatten();
                row.insert(
                    0,
                    text.map_or(Cell::Empty, |text| Cell::Text(excerpt(&text))),
                );
            }
        }
        Err(why) => note = format!("{note} The texts cannot be shown: {why}"),
    }
    Ok(Some(Table {
        name: "recurring".into(),
        title: format!("{heading} that recur most"),
        note,
        columns,
        rows,
        total: false,
    }))
}

/// The largest clusters, with ties in input order.
fn largest(stage: &Stage, level: Level) -> Result<Vec<Recurring>> {
    let mut largest: Vec<Recurring> = Vec::new();
    let mut take = |cluster: Recurring| {
        let place = largest.partition_point(|other| other.units >= cluster.units);
        if cluster.units > 0 && place < ROWS {
            largest.insert(place, cluster);
            largest.truncate(ROWS);
        }
    };
    let mut current = Recurring::default();
    TableReader::<Clusters>::open(&stage.folder().table::<Clusters>())?.for_each(|row| {
        if current.id != row.cluster_id {
            let next = Recurring {
                id: row.cluster_id.to_owned(),
                first: row.unit,
                ..Recurring::default()
            };
            take(std::mem::replace(&mut current, next));
        }
        let document = row
            .id
            .rsplit_once(level.mark())
            .map_or(row.id, |(id, _)| id);
        current.units += 1;
        if current.documents == 0 || current.last != document {
            current.documents += 1;
            document.clone_into(&mut current.last);
        }
        Ok(())
    })?;
    take(current);
    Ok(largest)
}

/// The beginning of a text, on one line.
fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}
