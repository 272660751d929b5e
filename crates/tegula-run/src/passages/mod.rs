//! Passages: what texts share with each other, or with the texts of another collection.

mod found;
mod marks;

pub use found::Passages;

use crate::host::Host;
use crate::opened::inputs::Inputs;
use crate::opened::{Opened, Opening, claims, single};
use crate::spec::{InputSpec, OutputSpec, StdoutForm};
use crate::table_output::TableOutput;
use crate::targets::{Targets, Writing};
use marks::PassageMarks;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tegula::constraint::Constraints;
use tegula::error::{Error, Result};
use tegula::field::FieldNeed;
use tegula::passages::{self, Families};
use tegula::recipe::Recipe;
use tegula_io::edit::Edit;
use tegula_io::outputs::{Outputs, Role};
use tegula_io::tables::{self, Formulas, PassageRow, TableInfo, check_table_name};

/// The specification of a search for passages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassagesSpec {
    /// What to read, and how. With `against`, passages are those that the collection shares with
    /// it, and none within either.
    pub input: InputSpec,
    /// The unit, and how tokens are normalised.
    pub recipe: Recipe,
    /// What counts as a passage.
    pub wanted: passages::Wanted,
    /// The constraints on pairs of texts.
    pub constraints: Constraints,
    /// A field with the date of each text, so that the earliest text comes first in a family.
    pub date: Option<String>,
    /// The table to write: .tsv, .jsonl or .parquet; `-` is standard output.
    pub output: Option<PathBuf>,
    /// Its format on standard output.
    pub form: StdoutForm,
    /// What is done with formulas in TSV.
    #[serde(default)]
    pub formulas: Formulas,
    /// Whether to keep the places of each family, for a list or a page; the table has none.
    pub places: bool,
    /// The collection with its passages marked, if a path is set: each in the later of its texts,
    /// or in the one that is not in `against`; of overlapping ones the longest.
    pub marked: OutputSpec,
}

/// Finds passages and writes their table. The caller claims further outputs in `outputs` before,
/// and publishes all of them after.
///
/// # Errors
/// Invalid options, or errors of the inputs, the memory ceiling, scratch or the output.
pub fn passages(host: &Host, spec: &PassagesSpec, outputs: &Outputs) -> Result<Passages> {
    spec.wanted.check()?;
    if spec.wanted.inside && !spec.input.against.is_empty() {
        return Err(Error::usage(
            "⟨inside⟩: expected no ⟨against⟩, under which every passage is shared with those files",
        )
        .hint("leave out one of the two"));
    }
    let context = &host.context;
    let table = spec.output.as_deref();
    if let Some(path) = table.filter(|path| path.as_os_str() != "-") {
        check_table_name(path)?;
    }
    let written: Vec<(&str, Option<&Path>)> = std::iter::once(("⟨output⟩", table))
        .chain(host.written())
        .collect();
    claims::claim(host, outputs, [], &written)?;
    if let Some(path) = &spec.marked.path {
        outputs.claim("⟨marked⟩", path, Role::Undecided)?;
    }
    let recipe = single(&spec.recipe);
    let opened = Opened::new(
        host,
        outputs,
        Opening {
            constraints: spec.constraints.clone(),
            fields: spec
                .date
                .as_deref()
                .map(FieldNeed::dates)
                .into_iter()
                .collect(),
            output: table,
            writes_records: spec.marked.path.is_some(),
            compares_wholes: false,
            ..Opening::new(&spec.input, &recipe)
        },
    )?;
    let targets = Targets::resolve(writing(host, outputs, &opened.inputs, spec))?;
    opened.begin()?;
    let job = opened.job(&spec.recipe, None);
    let (found, _) = opened.read(|bad| passages::find(context, job, &spec.wanted, bad))?;
    let families = Families::new(context, &found.passages, found.units.len(), spec.places)?;
    let mut all = Passages {
        found,
        families,
        inputs: opened.inputs,
        rows: 0,
        marks: 0,
        min_tokens: spec.wanted.min_tokens,
    };
    if let Some(path) = table {
        all.rows = write(outputs, path, spec, &all)?;
    }
    if spec.marked.path.is_some() {
        let (marks, _held) = PassageMarks::new(host, &all, (&spec.recipe, spec.date.as_deref()))?;
        let edit = |file, number| marks.edit(file, number);
        let warnings =
            targets.write(writing(host, outputs, &all.inputs, spec), &edit, &|_, _| {
                Edit::Drop
            })?;
        for warning in warnings {
            host.warn(&warning);
        }
        all.marks = marks.count();
    }
    Ok(all)
}

/// The collection with marks.
fn writing<'a>(
    host: &'a Host,
    outputs: &'a Outputs,
    inputs: &'a Inputs,
    spec: &'a PassagesSpec,
) -> Writing<'a> {
    Writing {
        host,
        outputs,
        main: &inputs.main,
        spec: &spec.marked,
        option: "⟨marked⟩",
        marks: true,
        parts: true,
        passages: true,
    }
}

fn write(outputs: &Outputs, path: &Path, spec: &PassagesSpec, all: &Passages) -> Result<u64> {
    let Passages {
        found, families, ..
    } = all;
    let info = TableInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        recipe: String::new(),
        fields: Vec::new(),
    };
    let mut table =
        TableOutput::<tables::Passages>::create(outputs, path, (spec.form, spec.formulas), &info)?;
    let mut families = families.of.iter();
    found.passages.for_each(|passage| {
        let Some(family) = families.next() else {
            return Ok(());
        };
        let (a, b) = (&passage.a, &passage.b);
        table.push(&PassageRow {
            id_a: &found.units.id(a.unit),
            start_a: a.chars.start,
            end_a: a.chars.end,
            id_b: &found.units.id(b.unit),
            start_b: b.chars.start,
            end_b: b.chars.end,
            tokens: passage.tokens(),
            identity: f64::from(passage.same) / f64::from(passage.same + passage.edits),
            rarity: (passage.rarity as f64 / 100.0).round() / 10.0,
            family: u64::from(*family) + 1,
            byte_start_a: a.bytes.start,
            byte_end_a: a.bytes.end,
            byte_start_b: b.bytes.start,
            byte_end_b: b.bytes.end,
            equal_a: all.equal(a.unit),
            equal_b: all.equal(b.unit),
            text: spec.wanted.texts.then_some(&*passage.text),
        })
    })?;
    let rows = table.rows;
    table.finish()?;
    Ok(rows)
}
