//! Round trips: the output has what the input has.
#![allow(
    clippy::single_range_in_vec_init,
    reason = "a list of cuts may hold one"
)]

pub(crate) use crate::rewrite_bench::{Bench, SIZES, bench, own, show};

use super::*;
use crate::edit::SpanMark;
use crate::format_tests::{TABLE, VERTICAL};
use crate::options::{CsvOptions, Needs, ReadOptions};
use std::fs;
use std::path::Path;
use tegula::record::Batch;
use tempfile::TempDir;

pub(crate) const LINES: &str = "{\"id\": \"a\", \"text\": \"Erster Text\\nmit \\u00e9 und \\\"Zitat\\\"\", \"n\": 1}\n\n  \r\n\
    {\"text\":\"zweiter – ohne\",\"id\":2,\"x\":{\"y\":[1,\"tief\"]}}\r\n\
    { \"a\" : [ ] , \"text\" : \"dritter\" }\n\t\n\
    {\"id\":\"d\",\"text\":\"ohne Zeilenende\"}";

#[test]
fn jsonl_is_read_and_kept() {
    for size in SIZES {
        for text in [
            LINES.to_owned(),
            format!("{LINES}\n\n"),
            format!("\u{feff}{LINES}\r\n"),
        ] {
            let options = ReadOptions {
                needs: Needs {
                    fields: vec!["n".into(), "/x/y/1".into()],
                    ..Needs::default()
                },
                ..ReadOptions::default()
            };
            let bench = bench("a.jsonl", text.as_bytes(), &options, size);
            let batch = bench.read();
            assert!(batch.bad.is_empty(), "{:?}", batch.bad);
            assert_eq!(
                bench.texts(),
                [
                    "Erster Text\nmit é und \"Zitat\"",
                    "zweiter – ohne",
                    "dritter",
                    "ohne Zeilenende"
                ]
            );
            let numbers: Vec<_> = batch.records.iter().map(|r| r.number).collect();
            assert_eq!(numbers, [1, 4, 5, 7]);
            let ids: Vec<_> = batch.records.iter().map(|r| batch.id_of(r)).collect();
            assert_eq!(ids, [Some("a"), Some("2"), None, Some("d")]);
            assert_eq!(batch.fields_of(&batch.records[0]), [Some("1".into()), None]);
            assert_eq!(
                batch.fields_of(&batch.records[1]),
                [None, Some("tief".into())]
            );
            bench.check_lossless(text.as_bytes());
        }
    }
}

#[test]
fn bad_lines_are_named_and_the_rest_is_read() {
    let text = b"{\"text\":\"a\"}\n{\"text\":\"b\"} x\n{\"body\":\"c\",\"url\":1}\n{\"text\":null}\n{\"text\":\"\xff\"}\n[1]\n{\"text\":\"z\"}\n";
    for size in SIZES {
        let bench = bench("a.jsonl", text, &ReadOptions::default(), size);
        let batch = bench.read();
        assert_eq!(
            batch.records.iter().map(|r| r.number).collect::<Vec<_>>(),
            [1, 7]
        );
        assert_eq!(
            batch.bad.iter().map(|b| b.number).collect::<Vec<_>>(),
            [2, 3, 4, 5, 6]
        );
        let messages: Vec<_> = batch.bad.iter().map(|b| b.error.message()).collect();
        assert!(
            messages[0].contains("trailing characters at byte 14"),
            "{}",
            messages[0]
        );
        assert!(
            messages[1].ends_with("found no such field; its fields are: body, url"),
            "{}",
            messages[1]
        );
        assert!(messages[2].contains("found null"), "{}", messages[2]);
        assert!(
            messages[3].contains("invalid byte 0xff at byte 72 of the file"),
            "{}",
            messages[3]
        );
        assert!(messages[4].contains("`{`"), "{}", messages[4]);
        assert_eq!(batch.bad[1].error.record_number(), Some(3));
        assert!(batch.bad[1].error.path().is_some());
        assert_eq!(batch.bad[3].raw, b"{\"text\":\"\xff\"}\n");
        bench.check_lossless(text);
    }
}

#[test]
fn jsonl_cuts_touch_only_the_text() {
    let options = ReadOptions::default();
    let line = "{\"k\":\"x\", \"text\" : \"ab\\u00e9\\ncd\\ud83d\\ude00ef\" ,\"z\":1}\r\n";
    let bench = bench("a.jsonl", line.as_bytes(), &options, 10);
    let text = &bench.texts()[0];
    assert_eq!(text, "abé\ncd😀ef");
    let cut = |cuts: Vec<std::ops::Range<usize>>| {
        let out = bench.write(&RewriteOptions::default(), &move |_, _| {
            Edit::Cut(cuts.clone())
        });
        String::from_utf8(out).unwrap()
    };
    let expect = |inner: &str| format!("{{\"k\":\"x\", \"text\" : \"{inner}\" ,\"z\":1}}\r\n");
    assert_eq!(cut(vec![0..5]), expect("cd\\ud83d\\ude00ef"));
    assert_eq!(cut(vec![1..4, 7..11]), expect("a\\ncdef"));
    assert_eq!(cut(vec![11..13]), expect("ab\\u00e9\\ncd\\ud83d\\ude00"));
    assert_eq!(cut(vec![]), line);
}

#[test]
fn several_text_fields_are_one_text() {
    let options = ReadOptions {
        text_key: vec!["title".into(), "/body/de".into()],
        ..ReadOptions::default()
    };
    let line = "{\"body\":{\"de\":\"Leib\"},\"title\":\"Kopf\"}\n";
    let bench = bench("a.jsonl", line.as_bytes(), &options, 10);
    assert_eq!(bench.texts(), ["Kopf\n\nLeib"]);
    let out = bench.write(&RewriteOptions::default(), &|_, _| Edit::Cut(vec![2..8]));
    assert_eq!(
        show(&out),
        show(b"{\"body\":{\"de\":\"ib\"},\"title\":\"Ko\"}\n")
    );
}

pub(crate) fn marks(span: bool) -> Marks {
    Marks {
        duplicate_of: Some("w\"1".into()),
        duplicate_score: Some(0.875),
        cluster_id: Some("c".into()),
        spans: span.then(|| {
            vec![SpanMark {
                text: 2..8,
                duplicate_of: None,
                score: 1.0,
            }]
        }),
        counts: Vec::new(),
    }
}

#[test]
fn jsonl_marks_stand_before_the_brace() {
    let text = "{\"text\":\"éé😀x\"}\n{\"text\":\"b\" }";
    let bench = bench("a.jsonl", text.as_bytes(), &ReadOptions::default(), 10);
    let out = bench.write(&RewriteOptions::default(), &|_, number| {
        Edit::Mark(if number == 1 {
            marks(true)
        } else {
            Marks::default()
        })
    });
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "{\"text\":\"éé😀x\",\"duplicate_of\":\"w\\\"1\",\"duplicate_score\":0.875,\"cluster_id\":\"c\",\
         \"duplicate_spans\":[{\"start\":1,\"end\":3,\"duplicate_of\":null,\"score\":1}]}\n\
         {\"text\":\"b\" ,\"duplicate_of\":null,\"duplicate_score\":null,\"cluster_id\":null}"
    );
    let taken = super::tests::bench(
        "a.jsonl",
        b"{\"text\":\"a\",\"cluster_id\":1}",
        &ReadOptions::default(),
        10,
    );
    let options = RewriteOptions::default();
    let edits = |_, _| Edit::Mark(marks(false));
    let error = taken.write_as("o", &options, &edits).unwrap_err();
    assert!(
        error.message().contains("cluster_id") && error.advice().unwrap().contains("mark_prefix")
    );
    assert_eq!(error.record_number(), Some(1));
    let style = MarkStyle {
        prefix: "t_".into(),
        ..MarkStyle::default()
    };
    let out = taken.write(&RewriteOptions { style, ..options }, &edits);
    assert!(show(&out).contains("t_cluster_id"));
}

#[test]
fn an_input_is_never_the_output() {
    let bench = bench(
        "a.jsonl",
        b"{\"text\":\"a\"}\n",
        &ReadOptions::default(),
        10,
    );
    let folder = Collection::open(
        &[bench.dir.path().into()],
        &ReadOptions::default(),
        Path::new("."),
    )
    .unwrap();
    let refused = |output: &Path, collection: &Collection| {
        let outputs = Outputs::default();
        outputs.guard(collection.guards()).unwrap();
        Target::resolve(output, collection)
            .unwrap()
            .claim(&outputs, "-o", collection, false)
            .is_err()
    };
    assert!(refused(
        &bench.dir.path().join("a.jsonl"),
        &bench.collection
    ));
    assert!(refused(
        &bench.dir.path().join("./x/../a.jsonl"),
        &bench.collection
    ));
    assert!(
        refused(bench.dir.path(), &bench.collection),
        "the file's own folder"
    );
    assert!(refused(bench.dir.path(), &folder));
    assert!(!refused(&bench.dir.path().with_extension("other"), &folder));
}

#[test]
fn compressed_files_and_their_damage() {
    use crate::compress::{Compression, Output};
    use std::io::Write as _;
    let text: String = (1..=500)
        .flat_map(|n| [format!("{{\"text\":\"Text {} {n}\"}}\n", n * 7919 % 1000)])
        .collect();
    for (ending, compression) in [
        ("gz", Compression::Gzip),
        ("zst", Compression::Zstd),
        ("bz2", Compression::Bzip2),
        ("xz", Compression::Xz),
    ] {
        let mut packed = Vec::new();
        let mut output = Output::new(&mut packed, compression).unwrap();
        output.write_all(text.as_bytes()).unwrap();
        output.finish().unwrap();
        let name = format!("a.jsonl.{ending}");
        let whole = bench(&name, &packed, &ReadOptions::default(), 100);
        assert_eq!(whole.texts().len(), 500);
        let out = whole
            .write_as(
                &format!("out.jsonl.{ending}"),
                &RewriteOptions::default(),
                &|_, _| Edit::Keep,
            )
            .unwrap();
        assert_eq!(
            bench(&name, &out, &ReadOptions::default(), 100).texts(),
            whole.texts()
        );
        assert_eq!(
            whole.write(&RewriteOptions::default(), &|_, _| Edit::Keep),
            text.as_bytes()
        );

        let cut = bench(
            &name,
            &packed[..packed.len() * 2 / 3],
            &ReadOptions::default(),
            100,
        );
        let batch = cut.read();
        assert_eq!(batch.bad.len(), 1);
        let bad = &batch.bad[0];
        assert_eq!(bad.number, batch.records.len() as u64 + 1);
        assert!(
            bad.error.message().starts_with("the file ends inside"),
            "{}",
            bad.error
        );
        let end = batch.records.last().map_or(0, |r| r.bytes.end as usize);
        assert_eq!(bad.bytes.start as usize, end);
        assert!(text.as_bytes()[end..].starts_with(&bad.raw));
        assert_eq!(
            cut.write(&RewriteOptions::default(), &|_, _| Edit::Keep),
            text.as_bytes()[..end]
        );
    }
}

#[test]
fn limits_and_single_records() {
    use crate::fetch::{Wanted, texts};
    let conllu = crate::conllu_tests::sample();
    for (name, text) in [
        ("a.jsonl", LINES),
        ("a.vert", VERTICAL),
        ("a.csv", TABLE),
        ("a.conllu", &conllu),
        ("a.xml", crate::tei_tests::CORPUS),
    ] {
        for size in SIZES {
            let all = bench(name, text.as_bytes(), &ReadOptions::default(), size);
            let batch = all.read();
            let wanted: Vec<_> = (batch.records.iter().rev())
                .map(|r| Wanted {
                    file: 0,
                    number: r.number,
                    bytes: (r.number % 2 == 0).then(|| r.bytes.clone()),
                })
                .chain([
                    Wanted {
                        file: 0,
                        number: 99,
                        bytes: None,
                    },
                    Wanted {
                        file: 7,
                        number: 1,
                        bytes: None,
                    },
                ])
                .collect();
            let mut expected: Vec<_> = all.compared().into_iter().rev().map(Some).collect();
            expected.extend([None, None]);
            assert_eq!(texts(&all.collection, &wanted).unwrap(), expected);
            for limit in 0..=batch.records.len() {
                let options = ReadOptions {
                    limit: Some(limit as u64),
                    ..ReadOptions::default()
                };
                let some = bench(name, text.as_bytes(), &options, size);
                assert_eq!(some.texts(), all.texts()[..limit]);
                let out = some.write(&RewriteOptions::default(), &|_, _| Edit::Keep);
                assert!(text.as_bytes().starts_with(&out));
            }
        }
    }
}

#[test]
fn a_folder_is_mirrored_or_nothing_is_written() {
    let dir = TempDir::new().unwrap();
    let input = dir.path().join("in");
    fs::create_dir_all(input.join("deep")).unwrap();
    let line = "{\"text\":\"a\"}\n";
    for n in 0..20 {
        fs::write(input.join(format!("deep/{n:02}.jsonl")), line.repeat(n)).unwrap();
    }
    fs::write(input.join("x.txt"), "a text").unwrap();
    let collection = Collection::open(
        std::slice::from_ref(&input),
        &ReadOptions::default(),
        dir.path(),
    )
    .unwrap();
    let target = Target::resolve(&dir.path().join("out"), &collection).unwrap();
    let options = RewriteOptions {
        threads: 3,
        ..RewriteOptions::default()
    };
    let seen = std::sync::atomic::AtomicU64::new(0);
    let progress = |bytes| {
        seen.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    };
    let edit = |_, n| if n == 2 { Edit::Drop } else { Edit::Keep };
    let outputs = Outputs::default();
    let written = rewrite(&collection, (&outputs, &target), &edit, &options, &progress).unwrap();
    assert_eq!((written.kept, written.dropped), (190 - 18 + 1, 18));
    assert!(
        !dir.path().join("out/x.txt").exists(),
        "no name before all are whole"
    );
    let mut files = outputs.publish().unwrap().named;
    files.sort();
    assert_eq!(files, target.paths(&collection));
    let disk: u64 = collection.files().iter().map(|f| f.bytes).sum();
    assert_eq!(seen.load(Ordering::Relaxed), disk);
    assert_eq!(
        fs::read_to_string(dir.path().join("out/deep/03.jsonl")).unwrap(),
        line.repeat(2)
    );

    // The file of a removed text is removed as well, also an old one from an earlier run.
    fs::write(dir.path().join("out/x.txt"), "old").unwrap();
    let edit = |file, _| if file == 20 { Edit::Drop } else { Edit::Keep };
    let outputs = Outputs::default();
    let written = rewrite(&collection, (&outputs, &target), &edit, &options, &|_| {
        Ok(())
    })
    .unwrap();
    assert_eq!(
        (written.dropped, outputs.publish().unwrap().named.len()),
        (1, 20)
    );
    assert!(!dir.path().join("out/x.txt").exists());

    // The last file has no place for marks: none of the others may get its name.
    let target = Target::resolve(&dir.path().join("no"), &collection).unwrap();
    let edit = |_, _| Edit::Mark(Marks::default());
    let outputs = Outputs::default();
    let error = rewrite(&collection, (&outputs, &target), &edit, &options, &progress).unwrap_err();
    assert_eq!(error.path(), Some(input.join("x.txt").as_path()));
    drop(outputs);
    let files = walkdir::WalkDir::new(dir.path().join("no"))
        .into_iter()
        .flatten();
    assert_eq!(files.count(), 0);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_survive(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..60), size in 1_usize..20) {
        for name in ["a.jsonl", "a.csv", "a.vert", "a.txt", "a.tsv", "a.conllu", "a.xml"] {
            let bench = bench(name, &bytes, &ReadOptions::default(), size);
            bench.check_lossless(&bytes);
        }
    }

    #[test]
    fn a_cut_text_is_the_text_without_the_cut(
        text in proptest::collection::vec(proptest::prelude::any::<char>(), 1..30),
        escaped in proptest::prelude::any::<bool>(),
        at in 0_usize..30,
        len in 0_usize..30,
    ) {
        let text: String = text.into_iter().filter(|c| !matches!(c, '\0' | '\u{feff}')).collect();
        let mut borders: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        borders.push(text.len());
        let start = borders[at.min(borders.len() - 1)];
        let end = borders[(at + len).min(borders.len() - 1)];
        let rest = format!("{}{}", &text[..start], &text[end..]);
        let mut json = String::new();
        crate::tables::escape_json(&text, &mut json);
        if escaped {
            let all: String = text.chars().map(crate::format::json::unicode_escape).collect();
            json = format!("\"{all}\"");
        }
        let cell = format!("\"{}\"", text.replace('"', "\"\""));
        let files = [
            ("a.jsonl", format!("{{\"id\":1,\"text\":{json}}}\n")),
            ("a.csv", format!("id,text\n1,{cell}\n2,\"x\"\n")),
        ];
        for (name, file) in files {
            let options = ReadOptions { encoding: Some("utf-8".into()), csv: CsvOptions { quote: Some(tegula::declare::Character(b'"')), ..CsvOptions::default() }, ..ReadOptions::default() };
            let before = bench(name, file.as_bytes(), &options, 10);
            proptest::prop_assert_eq!(&before.texts()[0], own(&text));
            let edit = |_, n| if n == 1 { Edit::Cut(vec![start..end]) } else { Edit::Keep };
            let out = before.write(&RewriteOptions::default(), &edit);
            let after = bench(name, &out, &options, 10);
            proptest::prop_assert_eq!(&after.texts()[0], own(&rest));
        }
    }

    #[test]
    fn any_lines_survive(
        pieces in proptest::collection::vec(proptest::sample::select(vec![
            "<TEI>", "</TEI>", "<teiCorpus>", "</teiCorpus>", "<![CDATA[", "]]>", "<!--", "-->",
            "# newdoc\n", "# newpar\n", "# sent_id = 1\n", "1\tä\t_\t_\t_\t_\t_\t_\t_\t_\n", "2\tb\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n",
            "<doc>", "</doc>", "<doc id=\"ä\">", "<p>", "</p>", "<s>", "</s>", "<g/>", "\n", "\n", "\n", "\r\n", "Wort", "\t",
            "{\"text\":\"a\"}", "\"", ",", ";", "'", "\u{feff}", "ä", "id,text", " ", "&amp;", "{", "}", "\\",
        ]), 0..30),
        size in 1_usize..20,
    ) {
        let text = pieces.concat();
        for name in ["a.jsonl", "a.csv", "a.vert", "a.txt", "a.tsv", "a.conllu", "a.xml"] {
            let small = bench(name, text.as_bytes(), &ReadOptions::default(), size);
            small.check_lossless(text.as_bytes());
            // Block boundaries change nothing.
            let large = bench(name, text.as_bytes(), &ReadOptions::default(), 1 << 20);
            let (a, b) = (small.read(), large.read());
            proptest::prop_assert_eq!((&a.text, &a.ids, &a.records, &a.segments), (&b.text, &b.ids, &b.records, &b.segments));
            let bad = |batch: &Batch| batch.bad.iter().map(|b| (b.number, b.bytes.clone())).collect::<Vec<_>>();
            proptest::prop_assert_eq!(bad(&a), bad(&b));
            // A cut of everything, and of nothing where white space stands for a record without text.
            for record in &b.records {
                let is_empty = b.text[record.text.clone()].trim().is_empty();
                let len = if is_empty { 0 } else { record.text.len() };
                let edit = |_, n| if n == record.number { Edit::Cut(vec![0..len]) } else { Edit::Keep };
                small.write(&RewriteOptions::default(), &edit);
            }
        }
    }
}

#[test]
fn a_header_before_invalid_bytes_gets_its_columns() {
    let table = b"id,text\n1,a\n2,\xff\xc3\xa4\xc3\xb6\n3,c\n";
    let bench1 = bench("a.csv", table, &ReadOptions::default(), 1000);
    assert_eq!(bench1.read().bad[0].number, 2);
    let options = RewriteOptions {
        marks: true,
        ..RewriteOptions::default()
    };
    let out = bench1.write(&options, &|_, n| {
        if n == 2 { Edit::Drop } else { Edit::Keep }
    });
    assert_eq!(
        show(&out),
        show(b"id,text,duplicate_of,duplicate_score,cluster_id\n1,a,,,\n3,c,,,\n")
    );
    let error = bench1.write_as("o.parquet", &options, &|_, _| Edit::Keep);
    assert_eq!(error.unwrap_err().kind(), tegula::error::ErrorKind::Usage);
}
