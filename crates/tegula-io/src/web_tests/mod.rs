//! Web pages and archives: read, kept byte for byte, removed, marked, and skipped.

mod damage;
mod pages;

use crate::edit::{Edit, Marks};
use crate::options::{FormatName, Needs, PageOptions, PageText, ReadOptions};
use crate::rewrite::tests::{Bench, SIZES, bench, marks};
use crate::rewrite::{MarkPlace, MarkStyle, RewriteOptions};
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
