//! Inputs as people name them.

use super::*;
use std::fs;
use tegula::error::ErrorKind;
use tegula::record::{Batch, Source};
use tempfile::TempDir;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = TempDir::new().unwrap();
    for (name, content) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    dir
}

fn open(inputs: &[PathBuf]) -> Result<Collection> {
    Collection::open(inputs, &ReadOptions::default(), &std::env::temp_dir())
}

fn names(collection: &Collection) -> Vec<&str> {
    collection.files().iter().map(|f| f.name.as_str()).collect()
}

fn numbers(collection: &Collection) -> Vec<(u32, u64)> {
    let mut batch = Batch::default();
    let mut all = Vec::new();
    for chunk in collection.chunks().unwrap() {
        let chunk = chunk.unwrap();
        batch.clear();
        chunk.read(&mut batch);
        all.extend(batch.records.iter().map(|r| (chunk.file(), r.number)));
    }
    all
}

const LINE: &str = "{\"text\":\"a\"}\n";

#[test]
fn a_folder_is_walked_in_the_order_of_its_bytes() {
    let dir = folder(&[
        ("b.jsonl", LINE),
        ("a/z.txt", "text"),
        ("a.md", "text"),
        ("A.vert", "<doc>\nx\n</doc>\n"),
        (".hidden/x.txt", "no"),
        (".x.txt", "no"),
        ("notes.xyz", "no"),
        ("empty.txt", ""),
    ]);
    let collection = open(&[dir.path().into()]).unwrap();
    assert_eq!(
        names(&collection),
        ["A.vert", "a.md", "a/z.txt", "b.jsonl", "empty.txt"]
    );
    let skipped: Vec<_> = collection.skipped().iter().map(|s| s.why).collect();
    assert_eq!(skipped.len(), 3);
    assert!(skipped.contains(&SkipReason::UnknownEnding));
    assert_eq!(collection.warnings().len(), 1);
    assert!(collection.warnings()[0].contains("empty.txt"));
    assert_eq!(numbers(&collection), [(0, 1), (1, 1), (2, 1), (3, 1)]);
    assert!(!collection.is_single());
}

#[test]
fn several_inputs_get_names_of_their_own_and_are_read_once() {
    let dir = folder(&[
        ("x/a.jsonl", LINE),
        ("y/a.jsonl", LINE),
        ("y/b/a.jsonl", LINE),
    ]);
    let at = |name: &str| dir.path().join(name);
    let collection = open(&[
        at("x/a.jsonl"),
        at("y/a.jsonl"),
        at("y"),
        at("x/../x/a.jsonl"),
    ])
    .unwrap();
    assert_eq!(names(&collection), ["a.jsonl", "a-2.jsonl", "y/b/a.jsonl"]);
    assert_eq!(
        collection.warnings().len(),
        2,
        "{:?}",
        collection.warnings()
    );
}

#[test]
fn what_cannot_be_read_is_known_before_anything_is() {
    let dir = folder(&[
        ("a.jsonl", LINE),
        ("b.bin", "\0\u{1}\0\0\u{2}"),
        ("none/x.xyz", ""),
    ]);
    let at = |name: &str| dir.path().join(name);
    let error = open(&[at("a.jsonl"), at("missing.jsonl")]).unwrap_err();
    assert_eq!(
        (error.kind(), error.path()),
        (ErrorKind::Io, Some(at("missing.jsonl").as_path()))
    );
    let error = open(&[at("b.bin")]).unwrap_err();
    assert!(error.advice().unwrap().contains("set format"));
    assert!(
        open(&[at("none")])
            .unwrap_err()
            .message()
            .contains("known format")
    );
    assert_eq!(open(&[]).unwrap_err().kind(), ErrorKind::Usage);
    let wrong = [
        ReadOptions {
            encoding: Some("klingon".into()),
            ..ReadOptions::default()
        },
        ReadOptions {
            vertical: crate::options::VerticalOptions {
                word_column: Some(crate::options::Column::Number(0)),
                ..crate::options::VerticalOptions::default()
            },
            ..ReadOptions::default()
        },
        ReadOptions {
            vertical: crate::options::VerticalOptions {
                doc_tag: Some("<doc>".into()),
                ..crate::options::VerticalOptions::default()
            },
            ..ReadOptions::default()
        },
        ReadOptions {
            csv: crate::options::CsvOptions {
                delimiter: Some(tegula::declare::Character(b'\n')),
                ..crate::options::CsvOptions::default()
            },
            ..ReadOptions::default()
        },
        ReadOptions {
            csv: crate::options::CsvOptions {
                delimiter: Some(tegula::declare::Character(b'"')),
                quote: Some(tegula::declare::Character(b'"')),
                ..crate::options::CsvOptions::default()
            },
            ..ReadOptions::default()
        },
        ReadOptions {
            text_key: vec![String::new()],
            ..ReadOptions::default()
        },
    ];
    for options in wrong {
        let error = Collection::open(&[at("a.jsonl")], &options, dir.path()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(error.option().is_some(), "{error}");
    }
}

#[test]
fn files_of_any_name_are_told_by_content() {
    let dir = folder(&[
        ("lines", LINE),
        ("tags.dat", "<doc id=\"1\">\nx\n</doc>\n"),
        ("prose", "Es war einmal.\n"),
    ]);
    let format = |name: &str, options: &ReadOptions| {
        let path = dir.path().join(name);
        Collection::open(&[path], options, dir.path())
            .unwrap()
            .format(0)
            .unwrap()
            .0
    };
    let auto = ReadOptions::default();
    assert_eq!(format("lines", &auto), FormatName::Jsonl);
    assert_eq!(format("tags.dat", &auto), FormatName::Vertical);
    assert_eq!(format("prose", &auto), FormatName::Text);
    let csv = ReadOptions {
        format: Some(FormatName::Csv),
        ..auto
    };
    assert_eq!(format("lines", &csv), FormatName::Csv);
}

#[test]
fn a_limit_counts_over_all_files() {
    let dir = folder(&[
        ("a.jsonl", &LINE.repeat(3)),
        ("b.jsonl", &LINE.repeat(3)),
        ("c.txt", "x"),
    ]);
    for limit in 0..=8 {
        let options = ReadOptions {
            limit: Some(limit),
            ..ReadOptions::default()
        };
        let collection = Collection::open(&[dir.path().into()], &options, dir.path()).unwrap();
        assert_eq!(numbers(&collection).len() as u64, limit.min(7));
    }
}

#[test]
fn a_source_yields_the_same_each_time() {
    let dir = folder(&[("a.jsonl", &LINE.repeat(300)), ("b.csv", "id,text\n1,x\n")]);
    let collection = open(&[dir.path().into()]).unwrap().chunked(64);
    assert_eq!(numbers(&collection), numbers(&collection));
    assert!(collection.chunks().unwrap().count() > 50);
    assert_eq!(collection.text_bytes(), 300 * LINE.len() as u64 + 12);
    let description = collection.describe(1).unwrap();
    assert_eq!(description.dialect.unwrap().columns, ["id", "text"]);
    assert!(collection.describe(2).is_err());
}
