//! Web pages and archives: read, kept byte for byte, removed, marked, and skipped.

use crate::edit::{Edit, Marks};
use crate::options::{FormatName, Needs, PageOptions, PageText, ReadOptions};
use crate::rewrite::tests::{Bench, SIZES, bench, marks};
use crate::rewrite::{MarkPlace, MarkStyle, RewriteOptions};
use proptest::prelude::*;
use std::io::{Read as _, Write as _};
use tegula::context::Context;
use tegula::error::ErrorKind;
use tegula::record::{Batch, Source as _};
use tegula::scratch::Scratch;

/// A record of an archive.
fn record(kind: &str, id: u32, fields: &str, block: &[u8]) -> Vec<u8> {
    let mut out = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:x:{id}>\r\nWARC-Target-URI: http://a/{id}\r\n{fields}Content-Length: {}\r\n\r\n",
        block.len()
    )
    .into_bytes();
    out.extend_from_slice(block);
    out.extend_from_slice(b"\r\n\r\n");
    out
}

/// A response with this header and body.
fn response(id: u32, header: &str, body: &[u8]) -> Vec<u8> {
    let block = [format!("HTTP/1.1 200 OK\r\n{header}\r\n").as_bytes(), body].concat();
    record("response", id, "", &block)
}

const HTML: &str = "Content-Type: text/html; charset=iso-8859-2\r\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// An archive with every kind of record, and the texts in it.
fn archive() -> (Vec<Vec<u8>>, Vec<(usize, &'static str)>) {
    let picture: Vec<u8> = (0..=255).cycle().take(5000).collect();
    let chunked = b"4\r\n<p>c\r\n8\r\nhunks</p\r\n1\r\n>\r\n0\r\n\r\n";
    let records = vec![
        record("warcinfo", 0, "", b"software: x\r\n"),
        record("request", 1, "", b"GET / HTTP/1.1\r\n\r\n"),
        response(2, HTML, b"<p>\xbelut\xe1</p>"),
        response(3, "Content-Type: image/png\r\n", &picture),
        response(
            4,
            "Content-Type: text/html\r\nContent-Encoding: gzip\r\n",
            &gzip(b"<p>packed</p>"),
        ),
        response(
            5,
            "Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n",
            chunked,
        ),
        record(
            "conversion",
            6,
            "Content-Type: text/plain\r\n",
            "čistý text\nWARC/1.0\r\n".as_bytes(),
        ),
        record(
            "response",
            7,
            "",
            b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>no</p>",
        ),
        record(
            "metadata",
            8,
            "Content-Type: application/warc-fields\r\n",
            b"a: b\r\n",
        ),
        response(9, "", b" <!DOCTYPE html><title>t</title>untyped"),
        record("response", 10, "", b"no http at all"),
        record("resource", 11, "Content-Type: image/gif\r\n", b"GIF89a"),
        record("revisit", 12, "", b""),
    ];
    let texts = vec![
        (2, "žlutá"),
        (4, "packed"),
        (5, "chunks"),
        (6, "čistý text\nWARC/1.0\r\n"),
        (9, "untyped"),
    ];
    (records, texts)
}

fn all() -> ReadOptions {
    ReadOptions {
        page: PageOptions {
            text: Some(PageText::All),
        },
        ..ReadOptions::default()
    }
}

fn texts(bench: &Bench) -> Vec<String> {
    bench.texts()
}

#[test]
fn an_archive_gives_its_texts_and_keeps_the_rest() {
    let (records, expected) = archive();
    let bytes = records.concat();
    for size in SIZES {
        let bench = bench("a.warc", &bytes, &all(), size);
        assert_eq!(bench.collection.format(0).unwrap().0, FormatName::Warc);
        let read: Vec<&str> = expected.iter().map(|(_, text)| *text).collect();
        assert_eq!(texts(&bench), read, "size {size}");
        bench.check_lossless(&bytes);
        // Each subset: the others remain, byte for byte.
        for dropped in 0..1_u32 << expected.len() {
            let is_dropped = |number: u64| dropped >> (number - 1) & 1 == 1;
            let out = bench.write(&RewriteOptions::default(), &|_, number| {
                if is_dropped(number) {
                    Edit::Drop
                } else {
                    Edit::Keep
                }
            });
            let removed: Vec<usize> = (1..)
                .zip(&expected)
                .filter(|(number, _)| is_dropped(*number))
                .map(|(_, (at, _))| *at)
                .collect();
            let left: Vec<u8> = (records.iter().enumerate())
                .filter(|(at, _)| !removed.contains(at))
                .flat_map(|(_, record)| record.clone())
                .collect();
            assert_eq!(out, left, "size {size} without {removed:?}");
        }
    }
}

#[test]
fn captures_have_fields() {
    let bytes = archive().0.concat();
    let options = ReadOptions {
        needs: Needs {
            fields: [
                "url",
                "status",
                "type",
                "charset",
                "title",
                "warc-type",
                "x",
            ]
            .map(str::to_owned)
            .to_vec(),
            ..all().needs
        },
        ..all()
    };
    let batch = bench("a.warc", &bytes, &options, 100).read();
    let of = |at: usize| {
        let found = batch.fields_of(&batch.records[at]).iter();
        found
            .map(|value| value.as_deref().unwrap_or("-"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(of(0), "http://a/2 200 text/html ISO-8859-2 - response -");
    assert_eq!(of(3), "http://a/6 - text/plain UTF-8 - conversion -");
    assert_eq!(of(4), "http://a/9 200 - UTF-8 t response -");
    assert_eq!(batch.id_of(&batch.records[0]), Some("urn:x:2"));
    let options = ReadOptions {
        id_key: Some("url".into()),
        ..all()
    };
    let batch = bench("a.warc", &bytes, &options, 100).read();
    assert_eq!(batch.id_of(&batch.records[0]), Some("http://a/2"));
}

#[test]
fn each_record_is_a_member_of_a_compressed_archive() {
    let records = archive().0;
    for (name, packed) in [
        ("a.warc.gz", gzip(&records.concat())),
        (
            "a.warc.zst",
            zstd::encode_all(&*records.concat(), 3).unwrap(),
        ),
    ] {
        for size in SIZES {
            let bench = bench(name, &packed, &all(), size);
            let written = bench
                .write_as(&format!("o{name}"), &RewriteOptions::default(), &|_, _| {
                    Edit::Keep
                })
                .unwrap();
            let (mut rest, mut found) = (&*written, Vec::new());
            while !rest.is_empty() {
                let mut member = Vec::new();
                if name.ends_with("gz") {
                    let mut decoder = flate2::bufread::GzDecoder::new(rest);
                    decoder.read_to_end(&mut member).unwrap();
                    rest = decoder.into_inner();
                } else {
                    let mut decoder = zstd::Decoder::with_buffer(rest).unwrap().single_frame();
                    decoder.read_to_end(&mut member).unwrap();
                    rest = decoder.finish();
                }
                found.push(member);
            }
            assert_eq!(found, records, "{name} size {size}");
        }
    }
}

#[test]
fn a_copy_can_become_a_revisit() {
    let (records, _) = archive();
    let style = MarkStyle {
        place: MarkPlace::Revisit,
        ..MarkStyle::default()
    };
    let options = RewriteOptions {
        marks: true,
        style,
        ..RewriteOptions::default()
    };
    for size in SIZES {
        let bench = bench("a.warc", &records.concat(), &all(), size);
        let out = bench.write(&options, &|_, number| match number {
            2 => Edit::Mark(marks(false)),
            3 => Edit::Mark(Marks::default()),
            _ => Edit::Keep,
        });
        let mut expected = records.clone();
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n";
        let own = marks(false);
        expected[4] = format!(
            "WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Profile: urn:tegula:near-duplicate\r\nWARC-Refers-To: <{}>\r\nWARC-Record-ID: <urn:x:4>\r\nWARC-Target-URI: http://a/4\r\nDuplicate-Score: {}\r\nDuplicate-Cluster: {}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{head}\r\n\r\n",
            crate::written::uri(&own.duplicate_of.unwrap()),
            own.duplicate_score.unwrap(),
            crate::written::header(&own.cluster_id.unwrap()),
            head.len()
        )
        .into_bytes();
        assert_eq!(
            String::from_utf8_lossy(&out),
            String::from_utf8_lossy(&expected.concat())
        );
    }
}

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

#[test]
fn every_version_of_http_is_read() {
    let lines = [
        "HTTP/1.1 200 OK",
        "HTTP/2 200",
        "HTTP/2 200 ",
        "HTTP/2.0 200 OK",
        "HTTP/3 200",
        "http/1.1 200 ok",
        "HTTP/1.0 203 Non-Authoritative Information",
        "ICY 200 OK",
        "HTTP 206",
    ];
    let page = |id: u32, line: &str, end: &str| {
        let lines = [
            "Content-Type: text/html;",
            " charset=iso-8859-2",
            "X: y",
            "",
            "",
        ];
        let block = format!("{line}{end}{}<p>page {id}</p>", lines.join(end));
        record("response", id, "", block.as_bytes())
    };
    for end in ["\r\n", "\n"] {
        let mut parts: Vec<Vec<u8>> = (0..)
            .zip(&lines)
            .map(|(id, line)| page(id, line, end))
            .collect();
        for line in [
            "HTTP/2 404",
            "SSH-2.0 200",
            "HTTP/2",
            "HTTP/2 2000",
            "HTTP/3 301",
        ] {
            parts.push(page(99, line, end));
        }
        for size in SIZES {
            let found = bench("a.warc", &parts.concat(), &all(), size);
            let expected: Vec<String> = (0..lines.len()).map(|id| format!("page {id}")).collect();
            assert_eq!(found.texts(), expected);
            found.check_lossless(&parts.concat());
            let over = &found.collection.passed_over()[0];
            assert_eq!(over.format, FormatName::Warc);
            assert_eq!(
                over.reasons().collect::<Vec<_>>(),
                [("no HTTP header", 3), ("status 3xx", 1), ("status 4xx", 1)]
            );
        }
    }
}

#[test]
fn what_is_passed_over_is_counted_once() {
    let bytes = archive().0.concat();
    for size in SIZES {
        let found = bench("a.warc", &bytes, &all(), size);
        assert!(found.collection.passed_over().is_empty());
        found.read();
        found.texts();
        let over = &found.collection.passed_over()[0];
        let mut expected = [
            ("not HTML or plain text", 2),
            ("metadata", 1),
            ("no HTTP header", 1),
            ("requests", 1),
            ("revisits", 1),
            ("status 4xx", 1),
            ("warcinfo", 1),
        ];
        expected[1..].sort_unstable();
        let mut reasons: Vec<_> = over.reasons().collect();
        reasons[1..].sort_unstable();
        assert_eq!(reasons, expected, "size {size}");
        assert!(found.collection.repaired().is_empty());
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

#[test]
fn folded_lines_of_a_header_are_one() {
    let block =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html;\r\n\tcharset=iso-8859-2\r\n\r\n<p>\u{be}</p>";
    let block: Vec<u8> = block.chars().map(|c| u8::try_from(c).unwrap()).collect();
    for end in ["\r\n", "\n"] {
        let fields = format!("X-Note: one{end} two{end}\t three{end}");
        let bytes = record("response", 1, &fields, &block);
        for size in SIZES {
            let options = ReadOptions {
                needs: Needs {
                    fields: vec!["x-note".into(), "charset".into()],
                    ..all().needs
                },
                ..all()
            };
            let found = bench("a.warc", &bytes, &options, size);
            let batch = found.read();
            let some = |text: &str| Some(text.to_owned());
            assert_eq!(batch.fields, [some("one two three"), some("ISO-8859-2")]);
            assert_eq!(found.texts(), ["ž"]);
            found.check_lossless(&bytes);
        }
    }
    // A line that belongs to none.
    let bytes = b"WARC/1.0\r\n folded\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    let batch = bench("a.warc", bytes, &all(), 1000).read();
    assert!(batch.bad[0].error.to_string().contains("names and values"));
}

#[test]
fn a_page_is_a_file() {
    let html = b"<html lang=sk><meta charset=windows-1250><title>T</title><body><p>\x9elut\xfd</p>";
    for size in SIZES {
        let options = ReadOptions {
            needs: Needs {
                fields: vec!["title".into(), "charset".into(), "none".into()],
                ..all().needs
            },
            ..all()
        };
        let bench = bench("a.htm", html, &options, size);
        assert_eq!(bench.texts(), ["žlutý"]);
        let batch = bench.read();
        assert_eq!(batch.id_of(&batch.records[0]), Some("a.htm"));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(batch.fields, [some("T"), some("windows-1250"), None]);
        bench.check_lossless(html);
        let cut = |_, _| Edit::Cut(std::iter::once(0..1).collect());
        let error = bench
            .write_as("o.htm", &RewriteOptions::default(), &cut)
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
    }
    // Pages without text match only if they are equal.
    let empty = |script: &str| bench("a.html", script.as_bytes(), &all(), 10).compared();
    assert_eq!(empty("<script>1</script>"), empty("<script>1</script>"));
    assert_ne!(empty("<script>1</script>"), empty("<script>2</script>"));
    assert!(empty("<p>")[0].trim().is_empty());
}

#[test]
fn a_page_of_many_tags_is_in_a_block_of_its_own() {
    let dense = "<p>x".repeat(30_000);
    let parts = [
        response(1, HTML, b"<p>a</p>"),
        response(2, HTML, b"<p>b</p>"),
        response(3, HTML, dense.as_bytes()),
        response(4, HTML, b"<p>c</p>"),
    ];
    let bytes = parts.concat();
    let found = bench("a.warc", &bytes, &ReadOptions::default(), 1 << 20);
    let blocks: Vec<_> = found
        .collection
        .chunks()
        .unwrap()
        .map(|chunk| chunk.unwrap())
        .collect();
    let records: Vec<(usize, bool)> = (blocks.iter())
        .map(|chunk| {
            let mut batch = Batch::default();
            chunk.read(&mut batch);
            (batch.records.len(), chunk.large().is_some())
        })
        .collect();
    assert_eq!(records, [(2, false), (1, false), (1, false)]);
    let texts = found.texts();
    assert_eq!((texts.len(), &*texts[3]), (4, "c"));
    found.check_lossless(&bytes);
    // Compressed, the page is as large.
    let words: Vec<String> = (0..150_000).map(|at| format!("<p>text {at}")).collect();
    let packed = gzip(format!("<html>{}", words.concat()).as_bytes());
    let size = format!("{:x}\r\n", packed.len());
    let chunks = [size.as_bytes(), &packed, b"\r\n0\r\n\r\n"];
    let encoded = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
    let chunked = format!("{encoded}Transfer-Encoding: chunked\r\n");
    for (header, body) in [(encoded, packed.clone()), (&*chunked, chunks.concat())] {
        let bytes = [&parts[0][..], &response(5, header, &body), &parts[1]].concat();
        let found = bench("a.warc", &bytes, &ReadOptions::default(), 1 << 20);
        let chunks = found.collection.chunks().unwrap();
        let large: Vec<bool> = chunks
            .map(|chunk| chunk.unwrap().large().is_some())
            .collect();
        assert_eq!(large, [false, true, false]);
        assert_eq!(found.texts().len(), 3);
    }
    // All text needs no tree.
    assert_eq!(
        bench("a.warc", &bytes, &all(), 1 << 20)
            .collection
            .chunks()
            .unwrap()
            .count(),
        1
    );
    // The memory it needs is estimated before it is read.
    let context = Context::new(1, 64 << 20, Scratch::system());
    let dense = format!("<html>{}", "<p>x".repeat(250_000));
    let page = bench("a.html", dense.as_bytes(), &ReadOptions::default(), 1 << 20);
    let limited = page.collection.within(&context);
    let mut batch = Batch::default();
    limited
        .chunks()
        .unwrap()
        .for_each(|chunk| chunk.unwrap().read(&mut batch));
    assert_eq!(batch.bad[0].error.kind(), ErrorKind::Memory);
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
