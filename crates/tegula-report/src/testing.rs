//! Small run folders for tests.

use serde_json::json;
use std::path::Path;
use tegula::record::SourceFile;
use tegula_io::guard::InputGuard;
use tegula_io::outputs::Outputs;
use tegula_io::tables::{
    InputFile, RunFolder, RunInfo, StageInfo, TableInfo, TableWriter, UnitRow, Units, VerdictRow,
    Verdicts,
};
use tempfile::TempDir;

/// A unit of a fictitious run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given<'a> {
    pub(crate) id: &'a str,
    pub(crate) file: &'a str,
    pub(crate) record: u64,
    pub(crate) tokens: u32,
    pub(crate) bytes: u32,
    pub(crate) start: Option<u32>,
    pub(crate) removed: bool,
    pub(crate) witness: Option<(u64, &'a str, f64)>,
    pub(crate) label: Option<&'a str>,
    pub(crate) field: Option<&'a str>,
}

impl<'a> Given<'a> {
    pub(crate) fn kept(id: &'a str) -> Self {
        Self {
            id,
            file: "texts.jsonl",
            record: 0,
            tokens: 1,
            bytes: 1,
            start: None,
            removed: false,
            witness: None,
            label: None,
            field: None,
        }
    }

    pub(crate) fn removed(id: &'a str) -> Self {
        Self {
            removed: true,
            ..Self::kept(id)
        }
    }
}

/// A plain run by document.
pub(crate) fn run(units: &[Given]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "document", "removed", units);
    folder
}

/// A plain run by document over a file of JSON Lines, which is in the folder.
pub(crate) fn run_on(units: &[Given], lines: &str) -> TempDir {
    let folder = run(units);
    let inputs = folder.path().join("inputs");
    std::fs::create_dir_all(&inputs).unwrap();
    let path = inputs.join("texts.jsonl");
    std::fs::write(&path, lines).unwrap();
    let run = RunFolder::open(folder.path()).unwrap();
    let mut info = run.info().unwrap();
    info.recipe = serde_json::to_value(tegula::recipe::Recipe::named("exact").unwrap()).unwrap();
    info.options
        .insert("input".into(), json!({"paths": [&path], "read": {}}));
    let source = SourceFile {
        path,
        name: "texts.jsonl".into(),
        bytes: lines.len() as u64,
    };
    info.inputs = vec![InputFile::of(
        &source,
        &InputGuard::of(&source.path).unwrap(),
    )];
    let outputs = Outputs::default();
    run.write_info(&outputs, &info).unwrap();
    outputs.publish().unwrap();
    folder
}

/// A run of several stages: name, verb and units of each.
pub(crate) fn staged(stages: &[(&str, &str, &[Given])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let outputs = Outputs::default();
    let run = RunFolder::claim(&outputs, folder.path()).unwrap();
    let mut info = RunInfo {
        done: true,
        ..RunInfo::default()
    };
    for (number, (name, verb, units)) in (1..).zip(stages) {
        let inside = format!("{number}-{name}");
        let unit = if units.iter().any(|unit| unit.id.contains("#s")) {
            "sentence"
        } else {
            "document"
        };
        write(&folder.path().join(&inside), unit, verb, units);
        info.stages.push(StageInfo {
            name: (*name).to_owned(),
            folder: inside,
            verb: (*verb).to_owned(),
        });
    }
    run.write_info(&outputs, &info).unwrap();
    outputs.publish().unwrap();
    folder
}

/// Writes a run folder.
pub(crate) fn write(root: &Path, unit: &str, verb: &str, given: &[Given]) {
    let outputs = Outputs::default();
    let run = RunFolder::claim(&outputs, root).unwrap();
    let command = if verb == "marked" { "mark" } else { "dedup" };
    let mut info = RunInfo {
        recipe: json!({"recipe": "plain", "unit": unit, "measure": "equality", "ngram": 1, "threshold": "1"}),
        done: true,
        ..RunInfo::default()
    };
    info.options.insert("command".into(), command.into());
    info.options.insert(
        "input".into(),
        json!({"paths": ["texts.jsonl"], "read": {}}),
    );
    let input = |name: &str| InputFile {
        path: name.into(),
        absolute: None,
        name: name.to_owned(),
        bytes: 1000,
        modified: None,
        device: None,
        inode: None,
        tag: None,
        check: None,
        in_memory: false,
        table: None,
    };
    info.inputs = [
        "texts.jsonl",
        "a",
        "b",
        "c",
        "more.jsonl",
        "against/old.jsonl",
    ]
    .map(input)
    .to_vec();
    run.write_info(&outputs, &info).unwrap();
    let table = TableInfo {
        fields: vec!["source".into()],
        ..TableInfo::default()
    };
    let mut units = TableWriter::<Units>::create(&outputs, &run.table::<Units>(), &table).unwrap();
    let mut verdicts =
        TableWriter::<Verdicts>::create(&outputs, &run.table::<Verdicts>(), &TableInfo::default())
            .unwrap();
    for (number, given) in (0..).zip(given) {
        let row = UnitRow {
            unit: number,
            id: given.id,
            file: given.file,
            record: if given.record == 0 {
                number + 1
            } else {
                given.record
            },
            tokens: given.tokens,
            text_start: given.start,
            text_len: Some(given.bytes),
            ..UnitRow::default()
        };
        units.push_with(&row, &[given.field]).unwrap();
        let verdict = VerdictRow {
            id: given.id,
            unit: number,
            verdict: if given.removed { verb } else { "kept" },
            witness_id: given.witness.map(|(_, id, _)| id),
            witness: given.witness.map(|(unit, _, _)| unit),
            score: given.witness.map(|(_, _, score)| score),
            stage: "plain",
            label: given.label,
        };
        verdicts.push(&verdict).unwrap();
    }
    units.finish().unwrap();
    verdicts.finish().unwrap();
    outputs.publish().unwrap();
}
