//! Runs on a cluster write the bytes that runs on one machine write, for every recipe that compares
//! texts, however messages arrive.

use crate::Numbers;
use arrow_array::{RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use tegula::decide::Policy;
use tegula::recipe::Staged;
use tegula::{ErrorKind, constraint::Constraints};
use tegula_io::outputs::{Outputs, Packed};
use tegula_run::cluster::Here;
use tegula_run::commands::named;
use tegula_run::{BadRecordPolicy, Host, PairsKept, RunKind, RunSpec, recipe};

/// Texts with chains of copies, one with many copies, empty, blank, very long ones, and ones that are
/// not English.
fn texts(seed: u64, count: usize) -> Vec<String> {
    let mut numbers = Numbers(seed);
    let words = |numbers: &mut Numbers, count: u64| -> Vec<String> {
        (0..count)
            .map(|_| match numbers.below(9) {
                0 => format!("Straße{}", numbers.below(900)),
                1 => format!("{}", numbers.below(90)),
                _ => format!("w{}", numbers.below(3000)),
            })
            .collect()
    };
    let mut all: Vec<Vec<String>> = Vec::new();
    let template = words(&mut numbers, 40);
    for at in 0..count {
        let mut text = match numbers.below(12) {
            0 => template.clone(),
            1..=5 if at > 0 => all[at - 1 - numbers.below((at as u64).min(9)) as usize].clone(),
            6 if at % 5 == 0 => words(&mut numbers, 4000),
            7 => words(&mut numbers, 4),
            _ => {
                let count = 10 + numbers.below(80);
                words(&mut numbers, count)
            }
        };
        for _ in 0..numbers.below(4) {
            if !text.is_empty() {
                let place = numbers.below(text.len() as u64) as usize;
                text[place] = format!("e{}", numbers.below(50));
            }
        }
        if numbers.below(4) == 0 {
            let more = words(&mut numbers, 6);
            text.extend(more);
        }
        all.push(text);
    }
    let mut texts: Vec<String> = all
        .iter()
        .enumerate()
        .map(|(at, words)| {
            let (first, rest) = words.split_at(words.len() / 2);
            let breaks = if at % 3 == 0 { "\n\n" } else { " " };
            format!("{}{breaks}{}", first.join(" "), rest.join(" "))
        })
        .collect();
    texts.extend(["", "", " \n ", "…", "…", "愛は愛", "愛は愛"].map(String::from));
    texts
}

fn line(at: usize, text: &str) -> String {
    let value = match at % 29 {
        7 => serde_json::Value::Null,
        _ => text.into(),
    };
    let source = ["a", "b", "c"][at % 3];
    let date = format!("2024-03-{:02}", 1 + at * 7 % 28);
    // Ids repeat.
    let line = serde_json::json!({
        "id": format!("t{}", at % 97), "text": value, "source": source, "date": date, "n": at,
    });
    format!("{line}\n")
}

/// A folder of files of several formats.
fn collection(folder: &Path, texts: &[String]) {
    fs::create_dir_all(folder.join("sub")).unwrap();
    let outputs = Outputs::new(true);
    let names = [
        "a.jsonl",
        "b.jsonl.gz",
        "c.jsonl.zst",
        "sub/d.jsonl",
        "e.jsonl",
    ];
    let parts: Vec<&[String]> = texts.chunks(texts.len() / 6 + 1).collect();
    for (number, name) in names.into_iter().enumerate() {
        let mut file = Packed::create(&outputs, &folder.join(name)).unwrap();
        for (at, text) in parts
            .get(number)
            .copied()
            .unwrap_or_default()
            .iter()
            .enumerate()
        {
            file.put(line(at + number * 1000, text).as_bytes()).unwrap();
        }
        file.finish().unwrap();
    }
    outputs.publish().unwrap();
    let rows = parts.get(5).copied().unwrap_or_default();
    let column = |of: &dyn Fn(usize, &String) -> String| {
        Arc::new(StringArray::from_iter_values(
            rows.iter().enumerate().map(|(at, text)| of(at, text)),
        )) as _
    };
    let batch = RecordBatch::try_from_iter([
        ("id", column(&|at, _| format!("p{at}"))),
        ("text", column(&|_, text| text.clone())),
        ("source", column(&|at, _| ["a", "d"][at % 2].into())),
        (
            "date",
            column(&|at, _| format!("2024-04-{:02}", 1 + at % 28)),
        ),
    ])
    .unwrap();
    let file = File::create(folder.join("f.parquet")).unwrap();
    let groups = WriterProperties::builder()
        .set_max_row_group_row_count(Some(20))
        .build();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(groups)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// All files of a folder, without times.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in walkdir::WalkDir::new(folder) {
        let entry = entry.unwrap();
        let name = entry.path().strip_prefix(folder).unwrap();
        let name = name.to_string_lossy().into_owned();
        if !entry.file_type().is_file() || name.ends_with(".tegula.json") {
            continue;
        }
        let bytes = fs::read(entry.path()).unwrap();
        if name.ends_with("run.json") {
            all.insert("counts".into(), counts(&bytes).to_string().into_bytes());
        } else {
            all.insert(name, bytes);
        }
    }
    all
}

/// What a run counts and warns of, without when it did.
fn counts(run: &[u8]) -> serde_json::Value {
    let run: serde_json::Value = serde_json::from_slice(run).unwrap();
    serde_json::json!([run["counts"], run["warnings"]])
}

struct Case<'a> {
    kind: RunKind,
    recipe: Staged,
    constraints: Constraints,
    keep: &'a str,
    against: Option<&'a str>,
    pairs: PairsKept,
}

impl Case<'_> {
    fn of(kind: RunKind, name: &str) -> Self {
        let mut recipe = recipe(name).unwrap();
        for stage in &mut recipe.stages {
            if name != "exact" && name != "plain" && name != "simhash" && name != "i-match" {
                let lower = stage.recipe.with("threshold", "0.5");
                stage.recipe = lower.unwrap_or_else(|_| stage.recipe.clone());
            }
        }
        Self {
            kind,
            recipe,
            constraints: Constraints::default(),
            keep: "longest",
            against: None,
            pairs: PairsKept::default(),
        }
    }

    /// What a run writes: the output, and what it removed, and its evidence.
    fn written(&self, input: &Path, host: &Host) -> BTreeMap<String, Vec<u8>> {
        let root = tempfile::tempdir().unwrap();
        let output = match self.kind {
            RunKind::Pairs => "pairs.tsv",
            _ => "output",
        };
        let input = relative(input);
        let mut spec = RunSpec::new(self.kind, self.recipe.clone(), [input.join("main")])
            .to(root.path().join(output))
            .keeping(root.path().join("run"), self.pairs);
        if self.kind == RunKind::Dedup {
            spec.output.removed = Some(root.path().join("removed"));
        }
        if let Some(others) = self.against {
            spec = spec.against([input.join(others)]);
        }
        spec.input.records.bad.on_bad_record = Some(match self.kind {
            RunKind::Dedup => BadRecordPolicy::Quarantine,
            _ => BadRecordPolicy::Skip,
        });
        spec.constraints = self.constraints.clone();
        spec.policy = Policy {
            keep: self.keep.parse().unwrap(),
            ..Policy::default()
        };
        tegula_run::run(host, &spec).unwrap();
        files(root.path())
    }

    /// How many bytes differ from those of the inputs is left to other tests.
    fn is_the_same_everywhere(&self, input: &Path, clusters: &[(u64, usize, u64)]) {
        let wanted = self.written(input, &Host::usual().unwrap());
        assert!(wanted.len() > 2 || self.kind == RunKind::Pairs);
        for (partitions, batch, split_bytes) in clusters {
            let mut here = Here::new(*partitions, *batch);
            here.split_bytes = *split_bytes;
            let found = self.written(input, &Host::usual().unwrap().on(Arc::new(here)));
            let what = (self.kind, &self.recipe.stages[0].recipe.recipe, partitions);
            let names = |all: &BTreeMap<String, Vec<u8>>| all.keys().cloned().collect::<Vec<_>>();
            assert_eq!(names(&found), names(&wanted), "{what:?}");
            for (name, bytes) in &wanted {
                let same = found[name] == *bytes;
                assert!(
                    same,
                    "{what:?}: {name} differs: {}",
                    difference(bytes, &found[name])
                );
            }
        }
    }
}

/// A path from the current folder, which machines of a cluster do not share.
fn relative(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap();
    let up = here.components().skip(1).map(|_| Component::ParentDir);
    up.chain(path.components().skip(1)).collect()
}

fn difference(wanted: &[u8], found: &[u8]) -> String {
    let [wanted, found] = [wanted, found].map(|all| String::from_utf8_lossy(all).into_owned());
    let lines = wanted.lines().zip(found.lines());
    let first = lines.clone().find(|(a, b)| a != b);
    format!("{} and {} bytes, {first:.300?}", wanted.len(), found.len())
}

fn input(seed: u64, count: usize) -> tempfile::TempDir {
    let input = tempfile::tempdir().unwrap();
    collection(&input.path().join("main"), &texts(seed, count));
    collection(&input.path().join("others"), &texts(seed ^ 3, count / 3));
    input
}

const ALL: [(u64, usize, u64); 3] = [(1, 1000, 1), (3, 7, 9000), (8, 50, 1 << 20)];

#[test]
fn every_recipe_that_compares_texts() {
    let input = input(7, 260);
    for (at, name) in [
        "copies",
        "sscr",
        "ssr",
        "ssr-containment",
        "sscr-containment",
        "exact",
        "plain",
        "sketch",
        "sketch-mod",
        "super-shingle",
        "simhash",
        "i-match",
        "cosine",
        "simfinder",
        "messages",
        "revisions",
        "mixed",
        "cops",
    ]
    .into_iter()
    .enumerate()
    {
        let kind = [RunKind::Dedup, RunKind::Mark][at % 2];
        Case::of(kind, name).is_the_same_everywhere(input.path(), &ALL[at % 3..=at % 3]);
    }
}

#[test]
fn constraints_keep_orders_and_references() {
    let input = input(9, 200);
    let mut index = (named("index").unwrap().new)();
    for (option, name) in [("index", "index"), ("inputs", "others")] {
        let path = input.path().join(name);
        index.set(option, path.as_os_str()).unwrap().unwrap();
    }
    for (option, value) in [("on_bad_record", "skip"), ("replace", "true")] {
        index.set(option, value.as_ref()).unwrap().unwrap();
    }
    index.run(&Host::usual().unwrap(), 80).unwrap();
    let within = Constraints {
        within: vec!["source".parse().unwrap()],
        ..Constraints::default()
    };
    let across = Constraints {
        across: Some("source".parse().unwrap()),
        min_tokens: 3,
        ..Constraints::default()
    };
    let window = Constraints {
        window: Some(("date".parse().unwrap(), 5)),
        ..Constraints::default()
    };
    for (at, (name, constraints, keep, against)) in [
        ("copies", Constraints::default(), "first", None),
        (
            "copies",
            Constraints::default(),
            "newest:date",
            Some("others"),
        ),
        (
            "copies",
            within.clone(),
            "priority:source=c,a",
            Some("index"),
        ),
        ("ssr", across, "shortest", None),
        ("messages", window.clone(), "none", None),
        ("sketch", within, "oldest:date", Some("others")),
        ("revisions", window, "last", Some("others")),
    ]
    .into_iter()
    .enumerate()
    {
        let case = Case {
            constraints,
            keep,
            against,
            pairs: PairsKept::All,
            ..Case::of([RunKind::Mark, RunKind::Dedup][at % 2], name)
        };
        case.is_the_same_everywhere(input.path(), &ALL[at % 3..=at % 3]);
    }
}

#[test]
fn pairs_paragraphs_and_stages() {
    let input = input(11, 200);
    for name in ["copies", "simfinder", "messages", "cosine"] {
        Case::of(RunKind::Pairs, name).is_the_same_everywhere(input.path(), &ALL);
    }
    let mut paragraphs = Case::of(RunKind::Dedup, "copies");
    let stage = &mut paragraphs.recipe.stages[0];
    stage.recipe = stage.recipe.with("unit", "paragraph").unwrap();
    paragraphs.is_the_same_everywhere(input.path(), &ALL);
    paragraphs.kind = RunKind::Mark;
    paragraphs.recipe.stages[0].action = tegula::recipe::Action::Mark;
    paragraphs.is_the_same_everywhere(input.path(), &ALL);
}

/// Of Rabin fingerprints with so small a modulus many are those of several shingles, so that upper bounds
/// are too high; the summary says by how much.
#[test]
fn bounds_by_fingerprints_that_collide() {
    let input = input(13, 200);
    let mut rabin = Case::of(RunKind::Dedup, "ssr");
    let stage = &mut rabin.recipe.stages[0];
    let small = "{ type = 'rabin', modulus = 1009 }";
    let letters = stage.recipe.with("normalise", "kupietz").unwrap();
    stage.recipe = letters.with("fingerprint", small).unwrap();
    let alone = rabin.written(input.path(), &Host::usual().unwrap());
    let counts: serde_json::Value = serde_json::from_slice(&alone["counts"]).unwrap();
    assert!(counts[0]["validation"]["mean_excess"].as_f64().unwrap() > 0.0);
    rabin.is_the_same_everywhere(input.path(), &ALL);
    let stage = &mut rabin.recipe.stages[0];
    stage.recipe = stage.recipe.with("measure", "coverage").unwrap();
    rabin.is_the_same_everywhere(input.path(), &ALL);
}

#[test]
fn what_a_cluster_does_not_do_is_refused() {
    let input = input(1, 20);
    let host = Host::usual().unwrap().on(Arc::new(Here::new(1, 1)));
    for name in ["onion", "passages"] {
        let spec = RunSpec::new(RunKind::Dedup, recipe(name).unwrap(), [input.path()]);
        let error = tegula_run::run(&host, &spec).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(
            error.to_string().contains("not supported on a cluster"),
            "{error}"
        );
    }
}

#[test]
fn a_task_that_lacks_memory_for_candidates_says_so() {
    let input = tempfile::tempdir().unwrap();
    let template: Vec<String> = (0..60).map(|at| format!("w{at}")).collect();
    let line = |at: usize| {
        let mut text = template.clone();
        text[at % 60] = format!("e{at}");
        format!("{}\n", serde_json::json!({"text": text.join(" ")}))
    };
    let lines: String = (0..1700).map(line).collect();
    fs::write(input.path().join("a.jsonl"), lines).unwrap();
    let run = |memory: u64| {
        let output = tempfile::tempdir().unwrap();
        let spec = RunSpec::new(RunKind::Dedup, recipe("copies").unwrap(), [input.path()])
            .to(output.path().join("output"));
        let host = Host::usual().unwrap().on(Arc::new(Here::new(2, 1000)));
        let done = tegula_run::run(&host.bounding_tasks(Some(memory)), &spec);
        done.map(drop)
            .map_err(|error| (error.kind(), error.to_string()))
    };
    let (kind, message) = run(64 << 20).unwrap_err();
    assert_eq!(kind, ErrorKind::Memory, "{message}");
    assert!(message.contains("the candidates of a task"), "{message}");
    run(1 << 30).unwrap();
}
