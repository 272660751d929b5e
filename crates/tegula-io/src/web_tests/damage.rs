//! Records that are none, or of another length than they say.

use super::*;
use proptest::prelude::*;

#[test]
fn what_is_no_record_is_a_bad_one() {
    let good = response(1, HTML, b"<p>a</p>");
    let long = response(
        2,
        "Content-Type: text/html\r\nContent-Encoding: gzip\r\n",
        &gzip(&vec![b' '; 8 << 20]),
    );
    let cut = &good[..good.len() - 8];
    let nameless = b"WARC/1.0\r\nWARC-Type: response\r\n\r\nxx\r\n\r\n";
    let cases: [(&[&[u8]], &str); 6] = [
        (&[&good, b"<html>\r\n", &good], "WARC/1.0"),
        (&[&good, nameless, &good], "Content-Length"),
        (&[&good, &good, cut], "ends inside a WARC record"),
        (
            &[&good, &good, b"WARC/1.0\r\nWARC-Type: resp"],
            "ends inside the header",
        ),
        (
            &[
                &good,
                b"WARC/1.0\r\nContent-Length: 18446744073709551615\r\n\r\n",
            ],
            "ends inside",
        ),
        (&[&good, &long, &good], "longer one"),
    ];
    for (parts, message) in cases {
        for size in SIZES {
            let batch = bench("a.warc", &parts.concat(), &all(), size).read();
            assert_eq!(
                batch.bad.len(),
                1,
                "size {size}: {message}: {:?}",
                batch.bad
            );
            let error = batch.bad[0].error.to_string();
            assert!(error.contains(message), "{error}");
            assert_eq!(batch.bad[0].error.kind(), ErrorKind::Data);
            assert_eq!(batch.records.len() + 1, parts.len());
        }
    }
    // A picture truncated by the end of the file.
    let picture = response(3, "Content-Type: image/png\r\n", &[0; 4000]);
    for size in SIZES {
        let parts = [&*good, &picture[..2000]].concat();
        let batch = bench("a.warc", &parts, &all(), size).read();
        assert_eq!(
            (batch.records.len(), batch.bad.len()),
            (1, 1),
            "size {size}"
        );
    }
}

/// A record with another length in its header.
fn off_by(record: &[u8], by: i64) -> Vec<u8> {
    let text: String = record.iter().map(|byte| char::from(*byte)).collect();
    let (before, after) = text.split_once("Content-Length: ").unwrap();
    let (length, rest) = after.split_once("\r\n").unwrap();
    let length = length.parse::<i64>().unwrap() + by;
    let whole = format!("{before}Content-Length: {length}\r\n{rest}");
    whole.chars().map(|c| u8::try_from(c).unwrap()).collect()
}

#[test]
fn a_length_a_few_bytes_off_ends_at_the_next_record() {
    let page = |id| response(id, HTML, format!("<p>page {id}</p>\r\n<i></i>").as_bytes());
    let picture = |len| response(9, "Content-Type: image/png\r\n", &vec![7; len]);
    for by in [-30, -11, -8, -2, -1, 1, 3, 5, 6, 60] {
        for at in 0..4 {
            let mut parts = [page(1), picture(3000), page(2), page(3)];
            parts[at] = off_by(&parts[at], by);
            let bytes = parts.concat();
            for (name, bytes) in [
                ("a.warc", bytes.clone()),
                (
                    "a.warc.gz",
                    parts.iter().flat_map(|part| gzip(part)).collect(),
                ),
            ] {
                for size in SIZES {
                    let found = bench(name, &bytes, &all(), size);
                    let batch = found.read();
                    assert!(batch.bad.is_empty(), "{by} {at} {size}: {:?}", batch.bad);
                    let expected = ["page 1", "page 2", "page 3"];
                    assert_eq!(found.texts(), expected, "{by} {at} {size}");
                    let repaired = found.collection.repaired();
                    if !(1..=4).contains(&by) {
                        assert_eq!(repaired.len(), 1, "{by} {at} {size}");
                        assert!(repaired[0].contains("next record: 1, the first in a.warc"));
                    }
                    if name == "a.warc" {
                        found.check_lossless(&bytes);
                    }
                    let without = found
                        .write_as(
                            &format!("o{name}"),
                            &RewriteOptions::default(),
                            &|_, number| {
                                if number == 2 { Edit::Drop } else { Edit::Keep }
                            },
                        )
                        .unwrap();
                    let mut left = Vec::new();
                    if name == "a.warc" {
                        left = without;
                    } else {
                        let mut decoder = flate2::read::MultiGzDecoder::new(&*without);
                        decoder.read_to_end(&mut left).unwrap();
                    }
                    let mut kept = parts.to_vec();
                    kept.remove(2);
                    assert_eq!(left, kept.concat(), "{by} {at} {size}");
                }
            }
        }
    }
}

#[test]
fn the_end_of_a_picture_is_found_wherever_a_block_ends() {
    let page = |id| response(id, HTML, format!("<p>page {id}</p>").as_bytes());
    let picture = response(9, "Content-Type: image/png\r\n", &vec![7; 3000]);
    for by in [-200, 0, 5, 60, 200] {
        let bytes = [page(1), off_by(&picture, by), page(2), page(3)].concat();
        // Blocks that end in the picture, at its end, and in the record after it.
        for size in (100..4000).step_by(37) {
            let found = bench("a.warc", &bytes, &all(), size);
            assert_eq!(found.texts(), ["page 1", "page 2", "page 3"], "{by} {size}");
            assert_eq!(found.collection.repaired().len(), usize::from(by != 0));
            let out = found.write(&RewriteOptions::default(), &|_, _| Edit::Keep);
            assert!(out == bytes, "{by} {size}");
        }
    }
}

#[test]
fn a_length_that_is_wrong_is_refused() {
    let page = |id| response(id, HTML, b"<p>some words of a page</p>");
    for (by, rest) in [(5000, 0), (70, 30), (1 << 40, 0), (5, 9)] {
        let parts = [page(1), off_by(&page(2), by)].concat();
        let bytes = &parts[..parts.len() - rest];
        for size in SIZES {
            let batch = bench("a.warc", bytes, &all(), size).read();
            assert_eq!(
                (batch.records.len(), batch.bad.len()),
                (1, 1),
                "{by} {size}"
            );
            let error = batch.bad[0].error.to_string();
            assert!(error.contains("record 2: "), "{error}");
            assert!(error.contains("ends inside a WARC record"), "{error}");
        }
    }
    // Far too short: what follows is no record.
    let long = response(2, HTML, "<p>words</p>".repeat(100).as_bytes());
    let bytes = [page(1), off_by(&long, -1000), page(3)].concat();
    for size in SIZES {
        let batch = bench("a.warc", &bytes, &all(), size).read();
        assert_eq!((batch.records.len(), batch.bad.len()), (3, 1));
        assert!(batch.bad[0].error.to_string().contains("record 3: "));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300), at in 0usize..2000) {
        let mut archive = archive().0.concat();
        let at = at.min(archive.len());
        let to = (at + bytes.len()).min(archive.len());
        archive[at..to].copy_from_slice(&bytes[..to - at]);
        // A file that begins like a compressed one is read as such.
        let magic: [&[u8]; 4] = [b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"];
        prop_assume!(!magic.iter().any(|magic| archive.starts_with(magic) || bytes.starts_with(magic)));
        let mut found = Vec::new();
        for size in [7, 100_000] {
            let bench = bench("a.warc", &archive, &all(), size);
            let batch = bench.read();
            found.push((batch.text.clone(), batch.bad.len()));
            let out = bench.write(&RewriteOptions::default(), &|_, _| Edit::Keep);
            prop_assert!(out == archive);
        }
        prop_assert_eq!(&found[0], &found[1]);
        let page = bench("a.html", &bytes, &all(), 50).read();
        prop_assert!(page.bad.is_empty());
    }
}
