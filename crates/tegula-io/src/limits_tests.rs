//! Records that are too long for the memory ceiling, in every format.

use super::*;
use crate::block::Piece;
use crate::collection::Collection;
use crate::edit::Edit;
use crate::format::Records;
use crate::options::ReadOptions;
use crate::outputs::{Outputs, Packed};
use crate::rewrite::{RewriteOptions, rewrite};
use crate::target::Target;
use tegula::record::{Batch, Chunk, Source};

const LONGEST: usize = 4 << 10;

/// Files of five records, and the place of the third, which has `words` words.
fn samples(words: usize) -> Vec<(&'static str, String, std::ops::Range<usize>)> {
    let long = "a longer, and longer text ".repeat(words / 5);
    let lines = long.replace(' ', "\n");
    let place = |whole: &str, record: &str| {
        let at = whole.find(record).unwrap();
        at..at + record.len()
    };
    let mut all = Vec::new();
    let mut add = |name, records: Vec<String>, head: &str| {
        let whole = head.to_owned() + &records.concat();
        let at = place(&whole, &records[2]);
        all.push((name, whole, at));
    };
    let five = |record: &dyn Fn(usize, &str) -> String| {
        (0..5)
            .map(|at| record(at, if at == 2 { &long } else { "short" }))
            .collect::<Vec<_>>()
    };
    add(
        "a.jsonl",
        five(&|at, text| format!("{{\"id\": {at}, \"text\": \"{text}\"}}\n")),
        "",
    );
    add(
        "a.tsv",
        five(&|at, text| format!("{at}\t{text}\r\n")),
        "id\ttext\n",
    );
    add(
        "a.csv",
        five(&|at, text| format!("{at},\"{text}\"\"\n, x\"\n")),
        "id,text\n",
    );
    let five = |record: &dyn Fn(usize, &str) -> String| {
        (0..5)
            .map(|at| record(at, if at == 2 { &lines } else { "short\n" }))
            .collect::<Vec<_>>()
    };
    add(
        "a.vert",
        five(&|at, text| format!("<doc id=\"{at}\">\n{text}</doc>\n")),
        "",
    );
    let sentence = |text: &str| {
        let words = (1..).zip(text.lines());
        words
            .map(|(at, word)| format!("{at}\t{word}\t_\t_\t_\t_\t_\t_\t_\t_\n"))
            .collect::<Vec<_>>()
            .concat()
    };
    add(
        "a.conllu",
        five(&|at, text| format!("# newdoc id = {at}\n{}\n", sentence(text))),
        "",
    );
    all
}

#[test]
fn a_record_that_is_too_long_is_a_bad_one_and_those_behind_it_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits {
        longest: LONGEST,
        memory: 30_000_000,
        ..Limits::default()
    };
    for (name, content, place) in samples(40_000) {
        for ending in ["", ".gz", ".zst", ".bz2", ".xz"] {
            for chunk in [64, 1000, 4 << 10] {
                let path = folder.path().join(format!("{name}{ending}"));
                let outputs = Outputs::default();
                let mut packed = Packed::create(&outputs, &path).unwrap();
                packed.put(content.as_bytes()).unwrap();
                packed.finish().unwrap();
                outputs.publish().unwrap();
                let collection = Collection::open(
                    std::slice::from_ref(&path),
                    &ReadOptions::default(),
                    folder.path(),
                )
                .unwrap()
                .chunked(chunk)
                .limited(limits.clone());
                let mut batch = Batch::default();
                collection
                    .chunks()
                    .unwrap()
                    .for_each(|chunk| chunk.unwrap().read(&mut batch));
                let numbers: Vec<u64> = batch.records.iter().map(|record| record.number).collect();
                assert_eq!(numbers, [1, 2, 4, 5], "{name}{ending} by {chunk}");
                let [bad] = &batch.bad[..] else {
                    panic!("{name}: {:?}", batch.bad)
                };
                assert_eq!(
                    (bad.number, bad.bytes.clone()),
                    (3, place.start as u64..place.end as u64),
                    "{name} by {chunk}"
                );
                assert_eq!(bad.error.kind(), ErrorKind::Memory);
                // If it is omitted, the others are unchanged.
                let out = folder.path().join(format!("out-{name}"));
                let target = Target::resolve(&out, &collection).unwrap();
                let outputs = Outputs::default();
                rewrite(
                    &collection,
                    (&outputs, &target),
                    &|_, _| Edit::Keep,
                    &RewriteOptions::default(),
                    &|_| Ok(()),
                )
                .unwrap();
                outputs.publish().unwrap();
                let left = content[..place.start].to_owned() + &content[place.end..];
                assert_eq!(
                    std::fs::read_to_string(&out).unwrap(),
                    left,
                    "{name}{ending} by {chunk}"
                );
                std::fs::remove_file(out).unwrap();
            }
        }
    }
}

#[test]
fn a_record_that_is_only_heavy_is_refused_once_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content, place) in samples(400_000) {
        let limits = Limits {
            longest: 100 << 20,
            memory: 1 << 20,
            ..Limits::default()
        };
        let path = folder.path().join(name);
        std::fs::write(&path, &content).unwrap();
        let open = |limits| {
            let collection = Collection::open(
                std::slice::from_ref(&path),
                &ReadOptions::default(),
                folder.path(),
            )
            .unwrap();
            let mut batch = Batch::default();
            let collection = collection.chunked(1000).limited(limits);
            collection
                .chunks()
                .unwrap()
                .for_each(|chunk| chunk.unwrap().read(&mut batch));
            (batch.records.len(), batch.bad)
        };
        let (records, bad) = open(limits);
        assert_eq!((records, bad.len()), (4, 1), "{name}");
        assert_eq!(bad[0].bytes, place.start as u64..place.end as u64);
        // Under the ceiling that the hint names it is read.
        let hint = bad[0]
            .error
            .advice()
            .unwrap()
            .rsplit(' ')
            .next()
            .unwrap()
            .trim_end_matches('M')
            .parse::<u64>()
            .unwrap();
        let context = Context::new(1, hint << 20, tegula::scratch::Scratch::system());
        assert_eq!(
            open(Limits::of(&context, false)).0,
            5,
            "{name} under {hint}M"
        );
    }
}

#[test]
fn a_large_record_is_alone_in_its_block() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content, place) in samples(400_000) {
        let path = folder.path().join(name);
        std::fs::write(&path, &content).unwrap();
        let collection = Collection::open(&[path], &ReadOptions::default(), folder.path())
            .unwrap()
            .chunked(4 << 10);
        let mut large = Vec::new();
        for piece in collection.pieces(0, None) {
            let Piece::Block(block) = piece.unwrap() else {
                panic!("{name}")
            };
            if let Some(record) = block.large() {
                let count = match &block.records {
                    Records::Lines => 1,
                    Records::Ranges(ranges) => ranges.len(),
                };
                large.push((count, record.number, block.raw.len() < place.len() + 100));
            }
        }
        assert_eq!(large, [(1, 3, true)], "{name}");
    }
}

#[test]
fn where_the_file_is_the_record_or_no_end_shows_the_rest_of_the_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let words = "word ".repeat(10_000);
    let limits = Limits {
        longest: LONGEST,
        memory: 30_000_000,
        ..Limits::default()
    };
    for (name, content, found) in [
        ("a.txt", words.clone(), "found one of 50.0 kB"),
        (
            "a.xml",
            format!("<TEI><p>{words}</p></TEI>"),
            "found one of 50.0 kB",
        ),
        (
            "b.xml",
            format!("<teiCorpus><TEI><p>{words}</p></TEI></teiCorpus>"),
            "found none that ends in the first 4096 bytes of the remaining 50.0 kB",
        ),
        (
            "a.csv",
            format!("id,text\n1,\"{words}"),
            "found none that ends in the first 4096 bytes of the remaining 50.0 kB",
        ),
        (
            "a.jsonl",
            words.clone(),
            "found none that ends in the first 4096 bytes of the remaining 50.0 kB",
        ),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let collection = Collection::open(&[path], &ReadOptions::default(), folder.path()).unwrap();
        let collection = collection.chunked(1000).limited(limits.clone());
        let mut batch = Batch::default();
        collection
            .chunks()
            .unwrap()
            .for_each(|chunk| chunk.unwrap().read(&mut batch));
        assert_eq!((batch.records.len(), batch.bad.len()), (0, 1), "{name}");
        let error = &batch.bad[0].error;
        assert!(error.message().ends_with(found), "{error}");
    }
}
