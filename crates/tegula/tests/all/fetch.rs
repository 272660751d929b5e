//! Later passes ask a source for the records that they need, and for no others.

use std::collections::BTreeSet;
use std::sync::Mutex;
use tegula::record::{Fetched, Wanted};
use tegula::source::{Batch, Chunk, Chunks, Source, SourceFile};
use tegula::{Dedup, Record, Result};

/// Two files with a text for each chunk, some of which are there only on the first pass.
struct Library {
    files: [SourceFile; 2],
    texts: Vec<(u32, u64, String)>,
    lost: Option<usize>,
    asked: Mutex<BTreeSet<(u32, u64)>>,
}

struct Page(u32, u64, String);

impl Chunk for Page {
    fn file(&self) -> u32 {
        self.0
    }
    fn disk_bytes(&self) -> u64 {
        self.2.len() as u64
    }
    fn read(&self, batch: &mut Batch) {
        batch.push(self.1, &Record::new(self.2.as_str()), &[]);
    }
}

impl Source for Library {
    fn files(&self) -> &[SourceFile] {
        &self.files
    }
    fn text_bytes(&self) -> u64 {
        self.texts.iter().map(|(.., text)| text.len() as u64).sum()
    }
    fn field_names(&self) -> &[String] {
        &[]
    }
    fn chunks(&self) -> Result<Chunks<'_>> {
        let pages = self.texts.iter().cloned();
        Ok(Box::new(pages.map(|(file, number, text)| {
            Ok(Box::new(Page(file, number, text)) as Box<dyn Chunk>)
        })))
    }
    fn fetch<'a>(&'a self, wanted: Wanted<'a>) -> Result<Fetched<'a>> {
        let mut asked = self.asked.lock().unwrap();
        for file in 0..2 {
            let places = wanted.of_file(file);
            asked.extend(places.map(|place| (file, place.number)));
        }
        let (asked, lost) = (asked.clone(), self.lost);
        let pages = self.texts.iter().enumerate();
        let left = pages.filter(move |(at, (file, number, _))| {
            asked.contains(&(*file, *number)) && lost != Some(*at)
        });
        let chunks = left.map(|(_, (file, number, text))| {
            Ok(Box::new(Page(*file, *number, text.clone())) as Box<dyn Chunk>)
        });
        Ok(Fetched {
            chunks: Box::new(chunks),
            bytes: 0,
        })
    }
}

fn words(from: usize, to: usize) -> String {
    let words: Vec<String> = (from..to).map(|word| format!("w{word}")).collect();
    words.join(" ")
}

/// Near copies: the second text of the first file, the first of the second.
fn library(lost: Option<usize>) -> Library {
    let file = |name: &str| SourceFile {
        path: name.into(),
        name: name.into(),
        bytes: 1000,
    };
    Library {
        files: [file("a"), file("b")],
        texts: vec![
            (0, 1, words(1000, 1100)),
            (0, 2, words(0, 100)),
            (1, 1, words(3, 103)),
            (1, 2, words(2000, 2100)),
            (1, 3, words(5000, 5100)),
        ],
        lost,
        asked: Mutex::default(),
    }
}

#[test]
fn a_source_is_asked_for_candidates_only_and_references_stand_behind_its_files() {
    for recipe in ["ssr", "sketch"] {
        let source = library(None);
        let reference = words(4998, 5098);
        let result = Dedup::recipe(recipe)
            .unwrap()
            .against([reference.as_str()])
            .run_source(&source)
            .unwrap();
        let removed: Vec<_> = result.removed().map(|removed| removed.index).collect();
        assert_eq!(removed, [2, 4], "{recipe}");
        let asked = source.asked.lock().unwrap();
        let candidates = BTreeSet::from([(0, 2), (1, 1), (1, 3)]);
        assert_eq!(*asked, candidates, "{recipe}");
    }
}

#[test]
fn a_text_that_is_not_there_again_is_an_error() {
    let error = Dedup::recipe("ssr")
        .unwrap()
        .run_source(&library(Some(2)))
        .err()
        .unwrap();
    let text = error.to_string();
    assert!(text.contains("of 2 texts 1 are still there"), "{text}");
}
