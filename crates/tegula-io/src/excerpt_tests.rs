//! Reading in parts gives the same as reading the whole.

use super::*;
use crate::encoding;
use crate::format_tests::{TABLE, VERTICAL};
use crate::options::{Needs, ReadOptions};
use crate::rewrite::tests::{LINES, SIZES, bench};
use crate::tei_tests::{CORPUS, PLAY};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tegula::error::ErrorKind;
use tegula::record::Record;
use tempfile::TempDir;

/// Everything that batches hold about records, by file and number.
type Seen = BTreeMap<(u32, u64), (Range<u64>, String)>;

fn add(batch: &Batch, file: u32, seen: &mut Seen) {
    for record in &batch.records {
        let whole = |record: &Record| {
            let tokens = batch.tokens_of(record).iter();
            let tokens = tokens.map(|token| (token.at, token.fingerprint));
            format!(
                "{:?} {:?} {:?} {:?} {:?} {:?}",
                batch.text_of(record),
                batch.id_of(record),
                batch.segments_of(record),
                batch.fields_of(record),
                &batch.tags[record.tags.clone()],
                tokens.collect::<Vec<_>>(),
            )
        };
        let again = seen.insert((file, record.number), (record.bytes.clone(), whole(record)));
        assert!(again.is_none(), "record {} comes twice", record.number);
    }
}

/// Reads chunks, which come in input order, and adds up their bytes.
fn seen(chunks: Chunks<'_>) -> Result<(Seen, u64)> {
    let (mut seen, mut bytes, mut last) = (Seen::new(), 0, None);
    for chunk in chunks {
        let chunk = chunk?;
        let mut batch = Batch::default();
        chunk.read(&mut batch);
        for record in &batch.records {
            let place = Some((chunk.file(), record.number));
            assert!(last < place, "{last:?} {place:?}");
            last = place;
        }
        add(&batch, chunk.file(), &mut seen);
        bytes += chunk.disk_bytes();
    }
    Ok((seen, bytes))
}

fn whole(collection: &Collection) -> Seen {
    seen(collection.chunks().unwrap()).unwrap().0
}

/// Fetches records, of one file in this way if there is one.
fn fetched(
    collection: &Collection,
    all: &Seen,
    is_wanted: impl Fn(u32, u64) -> bool + Sync,
    way: Option<Way>,
) -> Result<(Seen, u64, u64)> {
    let of_file = |file: u32| -> Places<'_> {
        let of_file = all.range((file, 0)..(file + 1, 0));
        let is_wanted = &is_wanted;
        let wanted = of_file.filter(move |((_, number), _)| is_wanted(file, *number));
        Box::new(wanted.map(|((_, number), (bytes, _))| Place {
            number: *number,
            bytes: bytes.clone(),
        }))
    };
    let wanted = Wanted::new(&of_file);
    let Fetched { chunks, bytes } = match way {
        None => collection.fetch(wanted)?,
        Some(way) => Fetched {
            chunks: on(collection, 0, way, wanted)?,
            bytes: Extent::of(wanted.of_file(0), collection.files()[0].bytes).windows,
        },
    };
    let (seen, read) = seen(chunks)?;
    Ok((seen, read, bytes))
}

fn only(all: &Seen, is_wanted: impl Fn(u32, u64) -> bool) -> Seen {
    all.iter()
        .filter(|((file, number), _)| is_wanted(*file, *number))
        .map(|(place, record)| (*place, record.clone()))
        .collect()
}

#[test]
fn records_of_every_format_are_found_at_their_places() {
    let lines = "{\"text\":\"Grün\",\"x\":1}\n\n{\"text\":\"中文 €\"}\r\n \n{\"text\":\"c\"}";
    let array = "[{\"text\":\"a\",\"x\":2} ,\n{\"text\":\"b\"},{\"text\":\"\"}]\n";
    let mails = "From a@b.c Mon Nov 23 10:58:55 2026\nSubject: x\n\none\n\n".repeat(3);
    let archive = "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\none\r\n\r\n".repeat(3);
    let of = |label: &str, text: &str| {
        let mut bytes = Vec::new();
        let encoding = encoding::by_label(label).unwrap().unwrap();
        encoding::encode(text, encoding, |_| "?".into(), &mut bytes);
        bytes
    };
    let marked = |text: &str| [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let files: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a.jsonl", LINES.into(), "auto"),
        ("b.jsonl", marked(lines), "auto"),
        ("c.jsonl", of("gb18030", lines), "gb18030"),
        ("d.jsonl", of("utf-16le", lines), "utf-16le"),
        ("a.csv", TABLE.into(), "auto"),
        ("b.csv", of("utf-16be", TABLE), "utf-16be"),
        ("a.vert", VERTICAL.into(), "auto"),
        ("a.conllu", crate::conllu_tests::sample().into(), "auto"),
        ("a.xml", PLAY.into(), "auto"),
        ("b.xml", CORPUS.into(), "auto"),
        ("a.json", array.into(), "auto"),
        ("a.mbox", mails.into(), "auto"),
        ("a.warc", archive.into(), "auto"),
        ("a.txt", "one text\n".into(), "auto"),
        ("a.html", "<p>one page</p>".into(), "auto"),
    ];
    for (name, bytes, encoding) in files {
        for size in SIZES {
            let options = ReadOptions {
                encoding: Some(encoding.into()),
                needs: Needs {
                    fields: vec!["x".into(), "file.name".into()],
                    ..Needs::default()
                },
                ..ReadOptions::default()
            };
            let bench = bench(name, &bytes, &options, size);
            let collection = &bench.collection;
            let all = whole(collection);
            assert!(!all.is_empty(), "{name}");
            assert!(collection.guards()[0].knows_all(), "{name}");
            let last = all.keys().last().unwrap().1;
            for number in 0..=last {
                for is_wanted in [|a, b| a == b, |a, b| a != b] {
                    let is_wanted = |_, of: u64| is_wanted(of, number);
                    let expected = only(&all, is_wanted);
                    let (found, read, bytes) =
                        fetched(collection, &all, is_wanted, Some(Way::Parts)).unwrap();
                    assert_eq!(found, expected, "{name}");
                    assert_eq!(read, bytes, "{name}");
                }
            }
        }
    }
}

/// Writes files and reads them.
fn collection(dir: &Path, files: &[Vec<u8>], size: usize) -> Collection {
    for (index, bytes) in files.iter().enumerate() {
        fs::write(dir.join(format!("{index:02}.jsonl")), bytes).unwrap();
    }
    let options = ReadOptions {
        needs: Needs {
            fields: vec!["n".into()],
            ..Needs::default()
        },
        ..ReadOptions::default()
    };
    Collection::open(&[dir.into()], &options, dir)
        .unwrap()
        .chunked(size)
}

/// A line of about this many bytes, or a blank one.
fn line(number: usize, bytes: usize, ending: &str) -> String {
    if bytes.is_multiple_of(7) {
        return format!(" {ending}");
    }
    let text = "Wörter ".repeat(bytes / 8);
    format!("{{\"id\":\"{number}\",\"n\":{bytes},\"text\":\"{text}{number}\"}}{ending}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_records_of_any_lines_are_those_of_a_whole_pass(
        files in proptest::collection::vec((
            proptest::collection::vec(prop_oneof![8 => 0_usize..3000, 2 => 0_usize..400_000, 1 => 900_000_usize..2_500_000], 0..40),
            any::<bool>(),
            any::<bool>(),
            any::<bool>(),
        ), 1..4),
        share in 1_u64..40,
        seed in any::<u64>(),
        size in prop_oneof![1_usize..3000, 100_000_usize..2_000_000],
    ) {
        let files: Vec<Vec<u8>> = files
            .into_iter()
            .map(|(lines, has_mark, is_dos, is_closed)| {
                let ending = if is_dos { "\r\n" } else { "\n" };
                let mut text = if has_mark { "\u{feff}".to_owned() } else { String::new() };
                lines.iter().enumerate().for_each(|(at, bytes)| text += &line(at, *bytes, ending));
                if !is_closed {
                    text.truncate(text.trim_end().len());
                }
                text.into_bytes()
            })
            .collect();
        let dir = TempDir::new().unwrap();
        let collection = collection(dir.path(), &files, size);
        let all = whole(&collection);
        let is_wanted = |file: u32, number: u64| {
            let hash = xxhash_rust::xxh3::xxh3_64_with_seed(&number.to_le_bytes(), seed ^ u64::from(file));
            hash.is_multiple_of(share)
        };
        let expected = only(&all, is_wanted);
        let (found, read, bytes) = fetched(&collection, &all, is_wanted, None).unwrap();
        prop_assert_eq!(read, bytes);
        prop_assert!(bytes <= collection.files().iter().map(|file| file.bytes * 9 / 8).sum());
        for (place, record) in &expected {
            prop_assert_eq!(found.get(place), Some(record));
        }
        for (place, record) in &found {
            prop_assert_eq!(all.get(place), Some(record));
        }
        // And where it does not pay.
        let (found, read, bytes) = fetched(&collection, &all, is_wanted, Some(Way::Parts)).unwrap();
        prop_assert_eq!(found, only(&all, |file, number| file == 0 && is_wanted(file, number)));
        prop_assert_eq!(read, bytes);
    }
}

/// A file of eight windows, with records of a hundred kilobytes.
fn eight() -> Vec<u8> {
    let lines = (0..80).map(|number| line(number, 100_001 + number - number % 7, "\n"));
    lines.collect::<String>().into_bytes()
}

#[test]
fn only_windows_with_wanted_records_are_read() {
    let dir = TempDir::new().unwrap();
    let collection = collection(dir.path(), &[eight(), eight()], 1 << 20);
    let all = whole(&collection);
    fs::remove_file(dir.path().join("01.jsonl")).unwrap();
    let is_wanted = |file, number| file == 0 && (number == 40 || number == 41);
    let (found, read, bytes) = fetched(&collection, &all, is_wanted, None).unwrap();
    assert_eq!(found, only(&all, is_wanted), "no other file is opened");
    assert_eq!(read, bytes);
    assert!(read <= 2 << 20, "{read}");
    let nothing = fetched(&collection, &all, |_, _| false, None).unwrap();
    assert_eq!(nothing, (Seen::new(), 0, 0));
}

#[test]
fn most_of_a_file_is_read_as_all_of_it_is_and_so_is_a_file_that_was_not_read_yet() {
    let dir = TempDir::new().unwrap();
    let files = [eight(), b"{\"text\":\"x\"}\n\n{\"text\":\"y\"}\n".to_vec()];
    let all = whole(&collection(dir.path(), &files, 1 << 20));
    let fresh = collection(dir.path(), &files, 1 << 20);
    let one = |file, number| file == 0 && number == 5;
    let (found, read, bytes) = fetched(&fresh, &all, one, None).unwrap();
    assert_eq!((found, read), (only(&all, |file, _| file == 0), bytes));
    assert_eq!(bytes, files[0].len() as u64);
    let (found, ..) = fetched(&fresh, &all, |_, number| number != 5, None).unwrap();
    assert_eq!(found, all);
    let limited = ReadOptions {
        limit: Some(30),
        needs: Needs {
            fields: vec!["n".into()],
            ..Needs::default()
        },
        ..ReadOptions::default()
    };
    let limited = Collection::open(&[dir.path().into()], &limited, dir.path()).unwrap();
    let all = whole(&limited);
    let (found, ..) = fetched(&limited, &all, one, None).unwrap();
    assert_eq!(found, all, "of a file read in part nothing can be compared");
}

#[test]
fn a_change_is_noticed_in_what_is_read() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("00.jsonl");
    let bytes = eight();
    let set = |bytes: &[u8], time| {
        fs::write(&path, bytes).unwrap();
        std::fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(time)
            .unwrap();
    };
    let at_window = |window: usize, record: &(Range<u64>, String)| {
        windows(&record.0).contains(&(window as u64))
    };
    for window in 0..8 {
        let collection = collection(dir.path(), std::slice::from_ref(&bytes), 1 << 20);
        let all = whole(&collection);
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        let mut other = bytes.clone();
        // A space within a text, so that only its bytes reveal the change.
        let from = (window << 20) + 1000;
        let at = from + memchr::memchr(b' ', &other[from..]).unwrap();
        other[at] = b'_';
        set(&other, time);
        let mut noticed = 0;
        for record in all.keys() {
            let is_wanted = |file, number| (file, number) == *record;
            match fetched(&collection, &all, is_wanted, None) {
                Ok((found, ..)) => {
                    assert!(!at_window(window, &all[record]));
                    assert_eq!(found, only(&all, is_wanted));
                }
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Changed, "{error}");
                    // The first window is also read to know the format.
                    assert!(window == 0 || at_window(window, &all[record]));
                    collection.guards()[0].check().unwrap_err();
                    noticed += 1;
                }
            }
        }
        assert!(noticed > 5, "{noticed}");
    }
    let collection = collection(dir.path(), std::slice::from_ref(&bytes), 1 << 20);
    let all = whole(&collection);
    let one = |_, number| number == 70;
    set(&bytes[..bytes.len() - 1], std::time::SystemTime::now());
    let error = fetched(&collection, &all, one, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Changed, "{error}");
    let beyond = Place {
        number: 1,
        bytes: 0..bytes.len() as u64 + 1,
    };
    set(&bytes, std::time::SystemTime::now());
    let collection = self::collection(dir.path(), std::slice::from_ref(&bytes), 1 << 20);
    whole(&collection);
    let of_file = |_: u32| -> Places<'_> { Box::new(std::iter::once(beyond.clone())) };
    let chunks = on(&collection, 0, Way::Parts, Wanted::new(&of_file)).unwrap();
    let error = seen(chunks).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Changed, "{error}");
}

#[test]
fn a_large_record_is_alone_and_says_what_it_takes() {
    let dir = TempDir::new().unwrap();
    let text = "w ".repeat(4 << 20);
    let large = format!("{{\"text\":\"{text}\"}}\n");
    let file = [line(1, 500, "\n"), large, line(3, 500, "\n")].concat();
    let bytes = file.len() as u64;
    let collection = collection(dir.path(), &[file.into_bytes()], 1 << 20);
    let large =
        |chunks: Chunks<'_>| -> Vec<_> { chunks.map(|chunk| chunk.unwrap().large()).collect() };
    let first = large(collection.chunks().unwrap());
    assert!(first[1].is_some(), "{first:?}");
    let all = whole(&collection);
    let places: Vec<Place> = all
        .iter()
        .map(|((_, number), (bytes, _))| Place {
            number: *number,
            bytes: bytes.clone(),
        })
        .collect();
    let of_file = |_: u32| -> Places<'_> { Box::new(places.iter().cloned()) };
    let wanted = Wanted::new(&of_file);
    assert_eq!(
        large(on(&collection, 0, Way::Parts, wanted).unwrap()),
        first
    );
    let (found, read) = seen(on(&collection, 0, Way::Parts, wanted).unwrap()).unwrap();
    assert_eq!((found, read), (all, bytes));
}
