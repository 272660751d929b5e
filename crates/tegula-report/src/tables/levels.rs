//! Pairs, units and clusters by the values of a field at several thresholds, as counted in the run
//! summary.

use crate::form::{capital, slug};
use crate::run::{self, Stage};
use crate::table::{Cell, Kind, Table};
use serde_json::Value;
use std::fmt::Write as _;

/// The prefix of the names of these tables.
pub(crate) const NAME: &str = "levels-by-";

/// The table of a stage: pairs, units in them and clusters at its threshold and above.
pub(crate) fn of_stage(stage: &Stage) -> Option<Table> {
    let levels = stage.info().counts.get("levels")?.as_array()?;
    let units = run::plural(stage.level());
    let columns = [
        ("Threshold", Kind::Text),
        ("Pairs", Kind::Count),
        (&capital(units), Kind::Count),
        ("Clusters", Kind::Count),
    ];
    let title = format!("Pairs, {units} in them and clusters by threshold");
    let mut table = Table::new("levels", &title, &columns);
    let note = stage
        .recipe()
        .ok()
        .and_then(|recipe| recipe.note_on_levels());
    table.note = note.map_or_else(String::new, |note| format!("Counts are {note}."));
    for level in levels {
        let mut row = vec![Cell::Text(text(&level["threshold"]))];
        row.extend(counts(level));
        table.rows.push(row);
    }
    Some(table)
}

/// The counts at a threshold.
fn counts(level: &Value) -> [Cell; 3] {
    ["pairs", "units", "clusters"]
        .map(|count| level[count].as_u64().map_or(Cell::Empty, Cell::Count))
}

/// A value as text.
fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The tables of a stage, one for each field by which its summary is broken down.
pub(crate) fn by_field(stage: &Stage) -> Vec<Table> {
    let fields = stage
        .info()
        .counts
        .get("levels_by_field")
        .and_then(Value::as_array);
    fields
        .into_iter()
        .flatten()
        .filter_map(|by| of_field(stage, by))
        .collect()
}

fn of_field(stage: &Stage, by: &Value) -> Option<Table> {
    let field = by.get("field")?.as_str()?;
    let values = by.get("values")?.as_array()?;
    let levels = |value: &Value| {
        value
            .get("levels")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let units = run::plural(stage.level());
    let heads: Vec<String> = values
        .first()
        .map(levels)?
        .iter()
        .map(|level| text(&level["threshold"]))
        .collect();
    let names: Vec<String> = heads
        .iter()
        .flat_map(|from| {
            [
                format!("Pairs from {from}"),
                format!("{} from {from}", capital(units)),
                format!("Clusters from {from}"),
            ]
        })
        .collect();
    let mut columns = vec![(field, Kind::Text)];
    columns.extend(names.iter().map(|name| (name.as_str(), Kind::Count)));
    let title = format!("Pairs, {units} in them and clusters by {field}, at several thresholds");
    let mut table = Table::new(&format!("{NAME}{}", slug(field)), &title, &columns);
    table.note =
        format!("Pairs in which both {units} have the value; values without pairs are omitted.");
    if let Some(note) = stage
        .recipe()
        .ok()
        .and_then(|recipe| recipe.note_on_levels())
    {
        let _ = write!(table.note, " Counts are {note}.");
    }
    if let Some(more) = by
        .get("more")
        .and_then(Value::as_u64)
        .filter(|more| *more > 0)
    {
        let _ = write!(table.note, " And {} more values.", crate::form::count(more));
    }
    for value in values {
        let mut row = vec![Cell::Text(text(&value["name"]))];
        for level in levels(value) {
            row.extend(counts(&level));
        }
        row.resize(table.columns.len(), Cell::Empty);
        table.rows.push(row);
    }
    Some(table)
}
