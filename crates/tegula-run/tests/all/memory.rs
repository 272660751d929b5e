//! Runs over tables in memory find, decide and write the same as runs over Parquet files with the
//! same rows.

use crate::Numbers;
use arrow_array::{
    ArrayRef, Int64Array, RecordBatch, StringArray, StringViewArray, TimestampMillisecondArray,
};
use parquet::arrow::ArrowWriter;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tegula::machine::Limits;
use tegula::{ErrorKind, recipe::Staged};
use tegula_io::memory::Table;
use tegula_io::options::ReadOptions;
use tegula_run::{BadRecordPolicy, Host, PairsKept, Removed, RunKind, RunSpec, recipe};

const NO_FILES: [PathBuf; 0] = [];

/// Texts of some paragraphs, many of which are revisions of earlier ones.
fn texts(seed: u64, count: usize, words: u64) -> Vec<String> {
    let mut numbers = Numbers(seed);
    let mut all: Vec<String> = Vec::new();
    for at in 0..count {
        let fresh = |numbers: &mut Numbers| -> String {
            let paragraphs = (0..=numbers.below(3)).map(|_| {
                let words = (0..words / 2 + numbers.below(words))
                    .map(|_| format!("w{}", numbers.below(5_000)));
                words.collect::<Vec<_>>().join(" ")
            });
            paragraphs.collect::<Vec<_>>().join("\n\n")
        };
        let text = if at > 2 && numbers.below(3) == 0 {
            let earlier = all[numbers.below(at as u64) as usize].clone();
            match numbers.below(3) {
                0 => earlier,
                1 => format!("{earlier} and more"),
                _ => format!("{earlier}\n\n{}", fresh(&mut numbers)),
            }
        } else {
            fresh(&mut numbers)
        };
        all.push(text);
    }
    all
}

/// A table of such texts in batches of odd sizes; `holes` says that some rows have no text.
fn table(name: &str, seed: u64, count: usize, words: u64, holes: bool) -> Table {
    let texts = texts(seed, count, words);
    let mut numbers = Numbers(seed);
    let days: Vec<Option<String>> = (0..count)
        .map(|at| {
            (at % 11 != 5).then(|| {
                format!(
                    "2024-{:02}-{:02}",
                    1 + numbers.below(12),
                    1 + numbers.below(28)
                )
            })
        })
        .collect();
    let held = (0..count).map(|at| (!holes || at % 17 != 3).then_some(texts[at].as_str()));
    let columns: [(&str, ArrayRef); 5] = [
        (
            "id",
            Arc::new(
                (0..count as i64)
                    .map(|at| Some(at + seed as i64 * 100_000))
                    .collect::<Int64Array>(),
            ),
        ),
        ("text", Arc::new(held.collect::<StringViewArray>())),
        ("date", Arc::new(days.into_iter().collect::<StringArray>())),
        (
            "lang",
            Arc::new(
                (0..count)
                    .map(|at| Some(["de", "en"][at % 2]))
                    .collect::<StringArray>(),
            ),
        ),
        (
            "time",
            Arc::new(
                (0..count as i64)
                    .map(Some)
                    .collect::<TimestampMillisecondArray>(),
            ),
        ),
    ];
    let all =
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
            .unwrap();
    let (mut batches, mut at, mut size) = (Vec::new(), 0, 1);
    while at < count {
        let rows = size.min(count - at);
        batches.push(all.slice(at, rows));
        at += rows;
        size = size * 3 + 1;
    }
    Table::new(name, batches).unwrap()
}

fn save(folder: &Path, table: &Table) -> PathBuf {
    let path = folder.join(table.name());
    let mut writer =
        ArrowWriter::try_new(File::create(&path).unwrap(), table.schema().clone(), None).unwrap();
    for batch in table.batches() {
        writer.write(batch).unwrap();
    }
    writer.close().unwrap();
    path
}

/// What is in a folder besides the descriptions of runs, which have times and paths, and the seals
/// of folders, which have their checksums.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        if path.is_dir() {
            let inner = contents(&path).into_iter();
            all.extend(inner.map(|(within, bytes)| (name.join(within), bytes)));
        } else if name != Path::new("run.json") && name != Path::new(".tegula.json") {
            let bytes = fs::read(&path).unwrap();
            all.insert(name, bytes);
        }
    }
    all
}

/// The removed units, and all files that a run writes into its folder.
type Found = (Vec<Removed>, BTreeMap<PathBuf, Vec<u8>>);

struct Case {
    kind: RunKind,
    recipe: Staged,
    tables: Vec<Table>,
    against: Vec<Table>,
    output: Option<&'static str>,
    memory: Option<u64>,
}

impl Case {
    fn of(recipe_name: &str) -> Self {
        Self {
            kind: RunKind::Dedup,
            recipe: recipe(recipe_name).unwrap(),
            tables: vec![table("posts.parquet", 1, 150, 60, false)],
            against: Vec::new(),
            output: None,
            memory: None,
        }
    }

    fn host(&self, folder: &Path) -> Host {
        let mut limits = Limits::default();
        limits.memory = self.memory.or(Some(1 << 30));
        limits.threads = Some(2);
        limits.scratch = Some(folder.to_path_buf());
        Host::new(limits.context().unwrap())
    }

    fn run(&self, folder: &Path, in_memory: bool, set: &dyn Fn(&mut RunSpec)) -> Found {
        let files = folder.join("in");
        fs::create_dir_all(&files).unwrap();
        let kept = folder.join(if in_memory { "memory" } else { "files" });
        let method = self.recipe.clone();
        let mut spec = if in_memory {
            RunSpec::new(self.kind, method, NO_FILES)
                .of_tables(self.tables.clone())
                .against_tables(self.against.clone())
        } else {
            let paths = |tables: &[Table]| {
                tables
                    .iter()
                    .map(|table| save(&files, table))
                    .collect::<Vec<_>>()
            };
            RunSpec::new(self.kind, method, paths(&self.tables)).against(paths(&self.against))
        };
        spec = spec.keeping(kept.join("run"), PairsKept::All);
        if let Some(output) = self.output {
            spec = spec.to(kept.join(output));
        }
        set(&mut spec);
        let outcome = tegula_run::run(&self.host(folder), &spec).unwrap();
        let mut written = contents(&kept);
        // The list of bad records has paths.
        for list in written
            .iter_mut()
            .filter(|(name, _)| name.ends_with("records.tsv"))
        {
            let text = String::from_utf8_lossy(list.1);
            *list.1 = text
                .replace(&format!("{}/", files.display()), "")
                .into_bytes();
        }
        let found = (outcome.removed().collect(), written);
        assert!(outcome.duplicates() > 0 || self.kind == RunKind::Pairs);
        found
    }

    /// Checks that both ways agree.
    fn check(&self, set: &dyn Fn(&mut RunSpec)) {
        let folder = tempfile::tempdir().unwrap();
        let (memory, files) = (
            self.run(folder.path(), true, set),
            self.run(folder.path(), false, set),
        );
        assert_eq!(memory.0, files.0);
        let names = |found: &Found| found.1.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&memory), names(&files));
        for (name, bytes) in &memory.1 {
            assert!(*bytes == files.1[name], "{} differs", name.display());
        }
    }
}

#[test]
fn every_recipe_finds_the_same_as_in_files() {
    for name in ["copies", "sscr", "ssr", "onion", "simhash", "simfinder"] {
        Case::of(name).check(&|_| {});
    }
}

#[test]
fn recipes_of_several_stages_find_the_same_as_in_files() {
    Case::of("benko").check(&|_| {});
}

#[test]
fn fields_constraints_and_references_count() {
    let mut case = Case::of("copies");
    case.tables.push(table("more.parquet", 1, 80, 60, false));
    case.check(&|spec| {
        spec.policy.keep = "newest:date,first".parse().unwrap();
        spec.constraints.within = vec!["lang".parse().unwrap()];
    });
    case.against = vec![table("old.parquet", 1, 40, 60, false)];
    case.check(&|spec| spec.evidence.by = vec!["date:year".parse().unwrap()]);
    case.check(&|spec| spec.input.read.limit = Some(170));
}

#[test]
fn bad_records_are_skipped_and_quarantined_alike() {
    let mut case = Case::of("copies");
    case.tables = vec![table("posts.parquet", 2, 150, 60, true)];
    case.output = Some("out.jsonl");
    case.check(&|spec| spec.input.records.bad.on_bad_record = Some(BadRecordPolicy::Skip));
    case.check(&|spec| spec.input.records.bad.on_bad_record = Some(BadRecordPolicy::Quarantine));
    let folder = tempfile::tempdir().unwrap();
    let spec =
        RunSpec::new(RunKind::Dedup, case.recipe.clone(), NO_FILES).of_tables(case.tables.clone());
    let error = tegula_run::run(&case.host(folder.path()), &spec)
        .err()
        .unwrap();
    assert_eq!(error.path(), Some(Path::new("posts.parquet")));
    assert_eq!(error.record_number(), Some(4));
}

#[test]
fn a_low_ceiling_changes_nothing() {
    let mut case = Case::of("copies");
    case.tables = vec![table("posts.parquet", 3, 4_000, 150, true)];
    case.memory = Some(64 << 20);
    case.check(&|spec| spec.input.records.bad.on_bad_record = Some(BadRecordPolicy::Skip));
}

#[test]
fn pairs_are_the_same() {
    let mut case = Case::of("sscr");
    case.kind = RunKind::Pairs;
    case.output = Some("pairs.tsv");
    case.check(&|_| {});
}

#[test]
fn records_are_written_as_from_files() {
    for unit in [
        tegula::record::Level::Document,
        tegula::record::Level::Paragraph,
    ] {
        let mut case = Case::of("copies");
        case.recipe.stages[0].recipe.unit = unit;
        for (kind, output) in [
            (RunKind::Dedup, "out.jsonl"),
            (RunKind::Mark, "out.csv"),
            (RunKind::Mark, "out.jsonl"),
        ] {
            (case.kind, case.output) = (kind, Some(output));
            case.check(&|spec| {
                if kind == RunKind::Dedup {
                    let path = spec.output.path.clone().unwrap();
                    spec.output.removed = Some(path.with_extension("removed.jsonl"));
                }
            });
        }
    }
}

#[test]
fn records_of_several_tables_are_written_to_one_parquet_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut case = Case::of("copies");
    case.tables.push(table("more", 1, 80, 60, false));
    case.output = Some("out.parquet");
    let (removed, _) = case.run(folder.path(), true, &|_| {});
    let written = tegula_io::check_parquet(
        &folder.path().join("memory/out.parquet"),
        &ReadOptions::default(),
    )
    .unwrap();
    assert_eq!(written.rows, 230 - removed.len() as u64);
    assert_eq!(
        written.columns[1],
        ("text".to_owned(), "Utf8View".to_owned())
    );
}

#[test]
fn a_run_says_that_its_texts_were_in_memory_and_is_decided_again_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut case = Case::of("copies");
    case.against = vec![table("old.parquet", 1, 40, 60, false)];
    let (removed, _) = case.run(folder.path(), true, &|_| {});
    let (of_files, _) = case.run(folder.path(), false, &|_| {});
    assert_eq!(removed, of_files);
    let root = folder.path().join("memory/run");
    let info = tegula_io::tables::RunFolder::open(&root)
        .unwrap()
        .info()
        .unwrap();
    let inputs: Vec<_> = info
        .inputs
        .iter()
        .map(|input| (input.name.as_str(), input.in_memory))
        .collect();
    assert_eq!(
        inputs,
        [("posts.parquet", true), ("against/old.parquet", true)]
    );
    assert!(
        info.inputs
            .iter()
            .all(|input| input.check.is_none() && input.absolute.is_none())
    );

    let host = case.host(folder.path());
    let again = |root: &Path| {
        let mut spec = RunSpec::from_run(RunKind::Dedup, root, None).unwrap();
        spec.recipe.stages[0].recipe.threshold = "0.9".parse().unwrap();
        spec.policy.keep = "first".parse().unwrap();
        spec
    };
    let decide = |root: &Path| {
        tegula_run::run(&host, &again(root))
            .unwrap()
            .removed()
            .collect::<Vec<_>>()
    };
    let decided = decide(&root);
    assert_eq!(decided, decide(&folder.path().join("files/run")));
    assert!(!decided.is_empty() && decided != removed);

    let error = tegula_run::run(&host, &again(&root).to(folder.path().join("out.jsonl")))
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::Run);
    assert!(error.message().contains("were in memory"), "{error}");
    let error = RunSpec::of_run(&root).unwrap_err();
    assert!(error.message().contains("were in memory"), "{error}");
}

#[test]
fn what_tables_cannot_do_is_refused_in_plain_words() {
    let folder = tempfile::tempdir().unwrap();
    let case = Case::of("copies");
    let host = case.host(folder.path());
    let fresh = || {
        RunSpec::new(RunKind::Dedup, case.recipe.clone(), NO_FILES).of_tables(case.tables.clone())
    };
    let refused = |spec: &RunSpec| {
        let error = tegula_run::run(&host, spec).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
        error.to_string()
    };
    let mut spec = fresh();
    spec.input.paths = vec![save(folder.path(), &case.tables[0])];
    assert!(refused(&spec).contains("either files or tables in memory"));
    let mut spec = fresh().keeping(folder.path().join("run"), PairsKept::All);
    spec.evidence.resume = true;
    assert!(refused(&spec).contains("resume"));
    let mut spec = fresh();
    spec.input.read.encoding = Some("utf-8".into());
    assert!(refused(&spec).contains("encoding: expected files"));
    assert!(refused(&fresh().to("-")).contains("found standard output"));
    assert!(refused(&fresh().to(folder.path())).contains("found a folder"));
    assert!(
        refused(&fresh().to(folder.path().join("out.xyz")))
            .contains("a name without a known extension")
    );
    assert!(refused(&fresh().against_tables(case.tables.clone())).contains("among both"));
    let mut spec = fresh();
    spec.policy.keep = "newest:day".parse().unwrap();
    let message = refused(&spec);
    assert!(message.contains("id, text, date, lang, time"), "{message}");
    let mut spec = fresh();
    spec.input.read.csv.no_header = true;
    refused(&spec);
}

#[test]
fn files_and_tables_are_compared_with_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let case = Case::of("copies");
    let host = case.host(folder.path());
    let path = save(folder.path(), &table("old.parquet", 1, 40, 60, false));
    let new = case.tables[0].clone();
    let spec = || RunSpec::new(RunKind::Dedup, case.recipe.clone(), NO_FILES);
    let mixed = tegula_run::run(&host, &spec().of_tables([new.clone()]).against([&path])).unwrap();
    let old = table("old.parquet", 1, 40, 60, false);
    let tables = tegula_run::run(
        &host,
        &spec().of_tables([new.clone()]).against_tables([old]),
    )
    .unwrap();
    assert_eq!(
        mixed.removed().collect::<Vec<_>>(),
        tables.removed().collect::<Vec<_>>()
    );
    let mut spec = RunSpec::new(RunKind::Dedup, case.recipe.clone(), [&path]);
    spec = spec.against_tables([new]);
    assert!(tegula_run::run(&host, &spec).unwrap().duplicates() > 0);
}
