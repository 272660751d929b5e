use super::pages::reseal;
use super::segment::section;
use crate::{Dedup, Index, Record, Unit};
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::OnceLock;

fn text(number: usize) -> String {
    format!("one two three four five six {} {number}", number % 7)
}

fn record(number: usize) -> Record<'static> {
    let record = Record::new(text(number)).id(number.to_string());
    record.field("f", "value")
}

/// Files by their names below a folder.
type Files = Vec<(PathBuf, Vec<u8>)>;

/// An index of two segments.
fn files(texts: bool, unit: Unit) -> Files {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("idx");
    let dedup = Dedup::recipe("ssr").unwrap().unit(unit);
    let index = if texts {
        Index::create(&path, &dedup, &["f"]).unwrap()
    } else {
        Index::create_without_texts(&path, &dedup, &["f"]).unwrap()
    };
    index.add((0..40).map(record)).unwrap();
    index.add((40..50).map(record)).unwrap();
    drop(index);
    let (mut found, mut folders) = (Vec::new(), vec![path.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap().path();
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let bytes = std::fs::read(&entry).unwrap();
                found.push((entry.strip_prefix(&path).unwrap().to_owned(), bytes));
            }
        }
    }
    found
}

/// Asks and changes an index after changes of a segment's bytes, with checksums that fit.
fn hostile(files: &[(PathBuf, Vec<u8>)], changes: &[(usize, u8)]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("idx");
    std::fs::create_dir_all(path.join("segments")).unwrap();
    let mut changed = 0;
    for (name, bytes) in files {
        let mut bytes = bytes.clone();
        if name.ends_with("segments/00000001") {
            let body = bytes.len() - 200;
            for (at, value) in changes {
                bytes[at % body] ^= value;
            }
            reseal(&mut bytes, section::COUNT);
            changed += 1;
        }
        std::fs::write(path.join(name), bytes).unwrap();
    }
    assert_eq!(changed, 1);
    // Whatever it says, it ends with an answer or an error.
    let Ok(index) = Index::open(&path) else {
        return;
    };
    for number in [0, 3, 45] {
        let _ = index.query(&text(number));
        let _ = index.ranked(&text(number), 3);
        let _ = index.text(&number.to_string());
    }
    let _ = index.check();
    let _ = index.remove(["3", "44"]);
    let _ = index.merge();
    let _ = index.replace([record(5)]);
}

/// Those of texts or none, and of documents or paragraphs.
static MADE: [OnceLock<Files>; 4] = [const { OnceLock::new() }; 4];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn hostile_segments_are_refused_or_answered_without_a_panic(
        texts in any::<bool>(),
        parts in any::<bool>(),
        changes in prop::collection::vec((any::<usize>(), 1..=255_u8), 1..6),
    ) {
        let unit = if parts { Unit::Paragraph } else { Unit::Document };
        let made = &MADE[usize::from(texts) + 2 * usize::from(parts)];
        hostile(made.get_or_init(|| files(texts, unit)), &changes);
    }
}
