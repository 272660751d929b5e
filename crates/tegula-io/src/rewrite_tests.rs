//! What goes in comes out.
#![allow(clippy::single_range_in_vec_init, reason = "a list of cuts may hold one")]

use super::*;
use crate::edit::SpanMark;
use crate::options::ReadOptions;
use std::fs;
use std::path::Path;
use tegula::record::Batch;
use tempfile::TempDir;

/// A collection of one file in a folder of its own.
pub(crate) struct Bench {
    pub(crate) dir: TempDir,
    pub(crate) collection: Collection,
}

pub(crate) fn bench(name: &str, bytes: &[u8], options: &ReadOptions, chunk: usize) -> Bench {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, bytes).unwrap();
    let collection = Collection::open(&[path], options, dir.path()).unwrap().chunked(chunk);
    Bench { dir, collection }
}

impl Bench {
    pub(crate) fn read(&self) -> Batch {
        let mut batch = Batch::default();
        for chunk in self.collection.chunks().unwrap() {
            chunk.unwrap().read(&mut batch);
        }
        batch
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        let batch = self.read();
        assert!(batch.bad.is_empty(), "{:?}", batch.bad);
        batch.records.iter().map(|r| batch.text_of(r).to_owned()).collect()
    }

    pub(crate) fn write_as(&self, name: &str, options: &RewriteOptions, edits: Edits<'_>) -> Result<Vec<u8>> {
        let path = self.dir.path().join("out").join(name);
        let target = Target::resolve(&path, &self.collection)?;
        let result = rewrite(&self.collection, &target, edits, options, &|_| ());
        let in_folder: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path()).collect();
        result?;
        assert!(in_folder.iter().all(|p| p.extension().is_none_or(|e| e != "part")), "a temporary file is left");
        Ok(fs::read(path).unwrap())
    }

    pub(crate) fn write(&self, options: &RewriteOptions, edits: Edits<'_>) -> Vec<u8> {
        self.write_as("out", options, edits).unwrap()
    }

    /// Keeps every byte when nothing is edited, and the right ones when records go.
    pub(crate) fn check_lossless(&self, bytes: &[u8]) {
        for threads in [1, 3] {
            let options = RewriteOptions { threads, ..RewriteOptions::default() };
            assert_eq!(show(&self.write(&options, &|_, _| Edit::Keep)), show(bytes));
        }
        let batch = self.read();
        let places: Vec<_> = (batch.records.iter().map(|r| (r.number, r.bytes.clone())))
            .chain(batch.bad.iter().map(|b| (b.number, b.bytes.clone())))
            .collect();
        let options = RewriteOptions { threads: 2, ..RewriteOptions::default() };
        let mut gaps = Vec::new();
        let mut sorted = places.clone();
        sorted.sort_by_key(|(number, _)| *number);
        let mut at = 0;
        for (_, place) in &sorted {
            gaps.push(at..place.start as usize);
            at = place.end as usize;
        }
        gaps.push(at..bytes.len());
        for (index, (number, place)) in sorted.iter().enumerate() {
            let kept = self.write(&options, &|_, n| if n == *number { Edit::Keep } else { Edit::Drop });
            let mut expected: Vec<u8> = Vec::new();
            for (gap_index, gap) in gaps.iter().enumerate() {
                expected.extend(&bytes[gap.clone()]);
                if gap_index == index {
                    expected.extend(&bytes[place.start as usize..place.end as usize]);
                }
            }
            assert_eq!(show(&kept), show(&expected), "keep {number}");
        }
    }
}

pub(crate) fn show(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

const SIZES: [usize; 5] = [1, 7, 40, 333, 1 << 20];

const LINES: &str = "{\"id\": \"a\", \"text\": \"Erster Text\\nmit \\u00e9 und \\\"Zitat\\\"\", \"n\": 1}\n\n  \r\n\
    {\"text\":\"zweiter – ohne\",\"id\":2,\"x\":{\"y\":[1,\"tief\"]}}\r\n\
    { \"a\" : [ ] , \"text\" : \"dritter\" }\n\t\n\
    {\"id\":\"d\",\"text\":\"ohne Zeilenende\"}";

#[test]
fn jsonl_is_read_and_kept() {
    for size in SIZES {
        for text in [LINES.to_owned(), format!("{LINES}\n\n"), format!("\u{feff}{LINES}\r\n")] {
            let options = ReadOptions { fields: vec!["n".into(), "/x/y/1".into()], ..ReadOptions::default() };
            let bench = bench("a.jsonl", text.as_bytes(), &options, size);
            let batch = bench.read();
            assert!(batch.bad.is_empty(), "{:?}", batch.bad);
            assert_eq!(bench.texts(), ["Erster Text\nmit é und \"Zitat\"", "zweiter – ohne", "dritter", "ohne Zeilenende"]);
            let numbers: Vec<_> = batch.records.iter().map(|r| r.number).collect();
            assert_eq!(numbers, [1, 4, 5, 7]);
            let ids: Vec<_> = batch.records.iter().map(|r| batch.id_of(r)).collect();
            assert_eq!(ids, [Some("a"), Some("2"), None, Some("d")]);
            assert_eq!(batch.fields_of(&batch.records[0]), [Some("1".into()), None]);
            assert_eq!(batch.fields_of(&batch.records[1]), [None, Some("tief".into())]);
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
        assert_eq!(batch.records.iter().map(|r| r.number).collect::<Vec<_>>(), [1, 7]);
        assert_eq!(batch.bad.iter().map(|b| b.number).collect::<Vec<_>>(), [2, 3, 4, 5, 6]);
        let messages: Vec<_> = batch.bad.iter().map(|b| b.error.message().to_owned()).collect();
        assert!(messages[0].contains("the end of the line should stand at byte 14"), "{}", messages[0]);
        assert!(messages[1].ends_with("found no such field; its fields are: body, url"), "{}", messages[1]);
        assert!(messages[2].contains("found null"), "{}", messages[2]);
        assert!(messages[3].contains("invalid byte 0xff at byte 72 of the file"), "{}", messages[3]);
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
        let out = bench.write(&RewriteOptions::default(), &move |_, _| Edit::Cut(cuts.clone()));
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
    let options = ReadOptions { text_keys: vec!["title".into(), "/body/de".into()], ..ReadOptions::default() };
    let line = "{\"body\":{\"de\":\"Leib\"},\"title\":\"Kopf\"}\n";
    let bench = bench("a.jsonl", line.as_bytes(), &options, 10);
    assert_eq!(bench.texts(), ["Kopf\n\nLeib"]);
    let out = bench.write(&RewriteOptions::default(), &|_, _| Edit::Cut(vec![2..8]));
    assert_eq!(show(&out), show(b"{\"body\":{\"de\":\"ib\"},\"title\":\"Ko\"}\n"));
}

fn marks(span: bool) -> Marks {
    Marks {
        duplicate_of: Some("w\"1".into()),
        duplicate_score: Some(0.875),
        cluster_id: Some("c".into()),
        spans: span.then(|| vec![SpanMark { text: 2..8, duplicate_of: None, score: 1.0 }]),
    }
}

#[test]
fn jsonl_marks_stand_before_the_brace() {
    let text = "{\"text\":\"éé😀x\"}\n{\"text\":\"b\" }";
    let bench = bench("a.jsonl", text.as_bytes(), &ReadOptions::default(), 10);
    let out = bench
        .write(&RewriteOptions::default(), &|_, number| Edit::Mark(if number == 1 { marks(true) } else { Marks::default() }));
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "{\"text\":\"éé😀x\",\"duplicate_of\":\"w\\\"1\",\"duplicate_score\":0.875,\"cluster_id\":\"c\",\
         \"duplicate_spans\":[{\"start\":1,\"end\":3,\"duplicate_of\":null,\"score\":1}]}\n\
         {\"text\":\"b\" ,\"duplicate_of\":null,\"duplicate_score\":null,\"cluster_id\":null}"
    );
    let taken = super::tests::bench("a.jsonl", b"{\"text\":\"a\",\"cluster_id\":1}", &ReadOptions::default(), 10);
    let options = RewriteOptions::default();
    let edits = |_, _| Edit::Mark(marks(false));
    let error = taken.write_as("o", &options, &edits).unwrap_err();
    assert!(error.message().contains("cluster_id") && error.advice().unwrap().contains("--mark-prefix"));
    assert_eq!(error.record_number(), Some(1));
    let style = MarkStyle { prefix: "t_".into(), ..MarkStyle::default() };
    let out = taken.write(&RewriteOptions { style, ..options }, &edits);
    assert!(show(&out).contains("t_cluster_id"));
}

#[test]
fn an_input_is_never_the_output() {
    let bench = bench("a.jsonl", b"{\"text\":\"a\"}\n", &ReadOptions::default(), 10);
    let input = bench.dir.path().join("a.jsonl");
    assert!(Target::resolve(&input, &bench.collection).is_err());
    assert!(Target::resolve(&bench.dir.path().join("./x/../a.jsonl"), &bench.collection).is_err());
    assert!(Target::resolve(bench.dir.path(), &bench.collection).is_err());
    let folder = Collection::open(&[bench.dir.path().into()], &ReadOptions::default(), Path::new(".")).unwrap();
    assert!(Target::resolve(&bench.dir.path().join("new/deep"), &folder).is_err());
    let sibling = bench.dir.path().with_extension("other");
    assert_eq!(Target::resolve(&sibling, &folder).unwrap(), Target::Folder(sibling));
}

#[test]
fn text_is_one_record_in_any_encoding() {
    let cases: [(&str, &[u8], &str, &str); 8] = [
        ("auto", b"it\x92s \x93quoted\x94 caf\xe9\r\n", "it\u{2019}s \u{201c}quoted\u{201d} café\r\n", "windows-1252"),
        ("iso-8859-15", b"\xa4 1\n", "€ 1\n", "ISO-8859-15"),
        ("gb18030", b"\xd6\xd0\xce\xc4|x\n", "中文|x\n", "gb18030"),
        ("auto", b"\xff\xfea\0\x3d\xd8\x00\xde\n\0b\0", "a😀\nb", "UTF-16LE"),
        ("auto", b"\xfe\xff\0a\x0a\x0a\0\n\0b", "aਊ\nb", "UTF-16BE"),
        ("utf-16", b"\xfe\xff\0a", "a", "UTF-16BE"),
        ("auto", b"\xef\xbb\xbfUTF-8 \xc3\xa4", "UTF-8 ä", "UTF-8"),
        ("auto", b"plain", "plain", "UTF-8"),
    ];
    for (label, bytes, text, encoding) in cases {
        for size in [1, 1000] {
            let options = ReadOptions { encoding: label.into(), fields: vec!["x".into()], ..ReadOptions::default() };
            let bench = bench("a.txt", bytes, &options, size);
            assert_eq!(bench.texts(), [text]);
            let batch = bench.read();
            assert_eq!(batch.id_of(&batch.records[0]), Some("a.txt"));
            assert_eq!(batch.fields, [None]);
            assert_eq!(bench.collection.describe(0).unwrap().encoding.unwrap(), encoding);
            bench.check_lossless(bytes);
            // Every cut of one character takes that character's bytes.
            for (at, c) in text.char_indices() {
                let cut = at..at + c.len_utf8();
                let out = bench.write(&RewriteOptions::default(), &|_, _| Edit::Cut(vec![cut.clone()]));
                let again = super::tests::bench("b.txt", &out, &options, size);
                let expected = format!("{}{}", &text[..at], &text[cut.end..]);
                if !expected.is_empty() && !expected.is_ascii() {
                    assert_eq!(again.texts(), [expected]);
                }
            }
        }
    }
    let bench = bench("a.txt", b"x", &ReadOptions::default(), 10);
    let edits = |_, _| Edit::Mark(marks(false));
    let error = bench.write_as("o", &RewriteOptions::default(), &edits).unwrap_err();
    assert_eq!(error.kind(), tegula::error::ErrorKind::Usage);
}

const VERTICAL: &str = "<corpus name=\"x\">\n<doc id=\"a\" year='1900' t=\"&quot;q&quot;\">\n<head/>\n<p n=\"1\">\n<s>\nDas\tART\nHaus\tN\n<g/>\n.\t$.\n</s>\n<s>\n\
    Es\tP\nsteht\tV\n</s>\n</p>\n<p>\n&lt;3\tX\n</p>\n</doc>\n\n<doc id=\"b\"/>\n<doc>\n<s>\nallein\n</doc>\n<!-- stray -->\nstreu\nner\n<doc id=\"c\">\n<p>\noffen\n<p>\nauch\n</corpus>\n";

#[test]
fn vertical_is_read_and_kept() {
    for size in SIZES {
        for text in [VERTICAL.to_owned(), VERTICAL.replace('\n', "\r\n"), format!("\u{feff}{VERTICAL}").trim_end().to_owned()] {
            let options = ReadOptions { fields: vec!["year".into(), "t".into()], ..ReadOptions::default() };
            let bench = bench("a.vert", text.as_bytes(), &options, size);
            assert_eq!(bench.texts(), ["Das Haus. Es steht <3", "", "allein", "streu ner", "offen auch"], "size {size}");
            let batch = bench.read();
            let ids: Vec<_> = batch.records.iter().map(|r| batch.id_of(r)).collect();
            assert_eq!(ids, [Some("a"), Some("b"), None, None, Some("c")]);
            let numbers: Vec<_> = batch.records.iter().map(|r| r.number).collect();
            assert_eq!(numbers, [1, 2, 3, 4, 5]);
            assert_eq!(batch.fields_of(&batch.records[0]), [Some("1900".into()), Some("\"q\"".into())]);
            let first = &batch.records[0];
            let segments: Vec<_> = batch.segments_of(first).iter().map(|s| &batch.text_of(first)[s.text.clone()]).collect();
            assert_eq!(segments, ["Das Haus. Es steht", "Das Haus.", "Es steht", "<3"]);
            assert_eq!(batch.segments_of(&batch.records[4]).len(), 2);
            bench.check_lossless(text.as_bytes());
        }
    }
    let bench = bench("a.vrt", b"ein\nText\nohne <doc>\n", &ReadOptions::default(), 3);
    assert_eq!(bench.texts(), ["ein Text ohne <doc>"]);
}

#[test]
fn vertical_columns_and_whole_lines() {
    let options = ReadOptions { word_column: 2, ..ReadOptions::default() };
    let bench1 = bench("a.vert", b"<doc>\na\tA\tx\nb\tB\n</doc>\n<doc>\nc\n</doc>\n", &options, 5);
    let batch = bench1.read();
    assert_eq!(batch.text, "A B");
    assert!(batch.bad[0].error.message().contains("at least 2 columns"));
    assert_eq!(batch.bad[0].number, 2);
    let options = ReadOptions { as_is: true, ..ReadOptions::default() };
    let bench2 = bench("a.vert", b"<doc>\n&amp;\tA\r\n<g/>\nb\tB\n</doc>\n", &options, 5);
    assert_eq!(bench2.texts(), ["&amp;\tA\nb\tB"]);
}

#[test]
fn vertical_cuts_take_lines() {
    let bench = bench("a.vert", VERTICAL.as_bytes(), &ReadOptions::default(), 50);
    let cut = |range: std::ops::Range<usize>| {
        let edit = move |_, n| if n == 1 { Edit::Cut(vec![range.clone()]) } else { Edit::Keep };
        String::from_utf8(bench.write(&RewriteOptions::default(), &edit)).unwrap()
    };
    // "Das Haus. Es steht <3"
    assert_eq!(cut(0..10), VERTICAL.replace("<s>\nDas\tART\nHaus\tN\n<g/>\n.\t$.\n</s>\n", ""));
    assert_eq!(cut(10..18), VERTICAL.replace("<s>\nEs\tP\nsteht\tV\n</s>\n", ""));
    assert_eq!(
        cut(0..19),
        VERTICAL.replace("<p n=\"1\">\n<s>\nDas\tART\nHaus\tN\n<g/>\n.\t$.\n</s>\n<s>\nEs\tP\nsteht\tV\n</s>\n</p>\n", "")
    );
    assert_eq!(cut(4..8), VERTICAL.replace("Haus\tN\n<g/>\n", ""));
}

#[test]
fn vertical_marks_are_attributes_or_columns() {
    let bench = bench("a.vert", VERTICAL.as_bytes(), &ReadOptions::default(), 50);
    let spans = vec![SpanMark { text: 10..18, duplicate_of: Some("<w>".into()), score: 0.5 }];
    let marks = Marks { cluster_id: Some("k".into()), spans: Some(spans), ..Marks::default() };
    let edit = |_, n| if n == 1 { Edit::Mark(marks.clone()) } else { Edit::Keep };
    let out = String::from_utf8(bench.write(&RewriteOptions::default(), &edit)).unwrap();
    let expected = VERTICAL
        .replace("&quot;q&quot;\">", "&quot;q&quot;\" cluster_id=\"k\">")
        .replace("<s>\nEs", "<s duplicate_of=\"&lt;w&gt;\" duplicate_score=\"0.5\">\nEs");
    assert_eq!(out, expected);
    let style = MarkStyle { place: MarkPlace::LastColumn, ..MarkStyle::default() };
    let options = RewriteOptions { marks: true, style, threads: 2 };
    let out = String::from_utf8(bench.write(&options, &edit)).unwrap();
    assert!(out.contains("Haus\tN\t0\n") && out.contains("Es\tP\t1\nsteht\tV\t1\n") && out.contains("\nstreu\t0\n"));
}

const TABLE: &str =
    "id;text;year\r\n1;\"erste \"\"Zeile\"\"\r\nzweite; Zeile\";1900\r\n\r\nzwei;ohne 'Quote\" hier;\r\n3;\"letzte\";1901";

#[test]
fn csv_is_read_and_kept() {
    for size in SIZES {
        for text in [TABLE.to_owned(), format!("\u{feff}{TABLE}\n"), TABLE.replace("\r\n", "\n")] {
            let options = ReadOptions { fields: vec!["year".into(), "none".into()], ..ReadOptions::default() };
            let bench = bench("a.csv", text.as_bytes(), &options, size);
            let end = if text.contains('\r') { "\r\n" } else { "\n" };
            assert_eq!(bench.texts(), [&format!("erste \"Zeile\"{end}zweite; Zeile"), "ohne 'Quote\" hier", "letzte"]);
            let batch = bench.read();
            assert_eq!(batch.ids, "1zwei3");
            assert_eq!(batch.records[2].number, 3);
            assert_eq!(batch.fields[..4], [Some("1900".into()), None, None, None]);
            let dialect = bench.collection.describe(0).unwrap().dialect.unwrap();
            assert_eq!((dialect.delimiter, dialect.quote, dialect.header), (';', Some('"'), true));
            bench.check_lossless(text.as_bytes());
        }
    }
}

#[test]
fn csv_edits() {
    let bench = bench("a.csv", TABLE.as_bytes(), &ReadOptions::default(), 9);
    let edit = |_, n| if n == 1 { Edit::Cut(vec![0..6, 13..15]) } else { Edit::Keep };
    let out = bench.write(&RewriteOptions::default(), &edit);
    assert_eq!(show(&out), show(TABLE.replace("erste \"\"Zeile\"\"\r\n", "\"\"Zeile\"\"").as_bytes()));
    let options = RewriteOptions { marks: true, ..RewriteOptions::default() };
    let edit = |_, n| if n == 2 { Edit::Mark(marks(false)) } else { Edit::Keep };
    let out = String::from_utf8(bench.write(&options, &edit)).unwrap();
    assert!(out.starts_with("id;text;year;duplicate_of;duplicate_score;cluster_id\r\n"), "{out}");
    assert!(out.contains("hier;;w\"1;0.875;c\r\n"), "{out}");
    assert!(out.ends_with("1901;;;"), "{out}");
}

#[test]
fn csv_dialects() {
    let dialect = |name: &str, text: &str, options: ReadOptions| {
        let bench = bench(name, text.as_bytes(), &options, 100);
        let d = bench.collection.describe(0).unwrap().dialect.unwrap();
        (d.delimiter, d.quote, d.header, d.columns)
    };
    let plain = ReadOptions::default;
    let keyed = |key: &str| ReadOptions { text_keys: vec![key.into()], ..plain() };
    let news = "Web;'Die \"Firma\", die; gibt''s'\nInland;'Noch ein Text, mit Komma'\n";
    let (delimiter, quote, header, columns) = dialect("a.csv", news, ReadOptions { no_header: true, ..keyed("2") });
    assert_eq!((delimiter, quote, header, columns.len()), (';', Some('\''), false, 2));
    let (delimiter, _, header, columns) = dialect("a.tsv", "x:1\t\"Wort\nx:2\tzwei\n", keyed("2"));
    assert_eq!((delimiter, header, columns.len()), ('\t', true, 2));
    let (_, quote, ..) = dialect("a.tsv", "id\ttext\n1\t\"auf\n2\tb \"c\"\n3\td\n", plain());
    assert_eq!(quote, None);
    let (delimiter, ..) = dialect("a.csv", "a|text\n1|x, y\n2|z; w\n", plain());
    assert_eq!(delimiter, '|');
}

#[test]
fn csv_rows_that_do_not_fit_are_bad() {
    let text = "id,text\n1,a\n2,b,c\n3\n4,d\n5,\"open\n6,e\n";
    let options = ReadOptions { quote: Some(b'"'), ..ReadOptions::default() };
    let bench1 = bench("a.csv", text.as_bytes(), &options, 4);
    let batch = bench1.read();
    assert_eq!(batch.text, "ad");
    assert_eq!(batch.bad.iter().map(|b| b.number).collect::<Vec<_>>(), [2, 3, 5]);
    assert!(batch.bad[2].error.message().contains("closing quote"));
    bench1.check_lossless(text.as_bytes());
    let bench2 = bench("a.csv", b"id,body\n1,a\n", &ReadOptions::default(), 4);
    assert!(bench2.read().bad[0].error.message().ends_with("the columns are: id, body"));
}

#[test]
fn other_encodings_of_line_formats() {
    let lines = "{\"id\":\"ä\",\"text\":\"größer – ok\"}\n\n{\"text\":\"zwei\"}\r\n{\"text\":\"€ drei\"}";
    let rows = "id|text\nä|größer\n2|\"zwei\nZeilen\"\n";
    let vert = "<doc id=\"ä\">\ngroß\n</doc>\n<doc>\nklein\n</doc>\n";
    for label in ["windows-1252", "utf-16le", "utf-16be", "gb18030", "shift_jis"] {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
        for (name, text) in [("a.jsonl", lines), ("a.csv", rows), ("a.vert", vert)] {
            let text = match label {
                "shift_jis" => text.replace(['ä', 'ö', 'ß', '€'], "ソ").replace('–', "表"),
                _ => text.to_owned(),
            };
            let mut bytes = Vec::new();
            encode(&text, encoding, |_| unreachable!(), &mut bytes);
            for size in SIZES {
                let options = ReadOptions { encoding: label.into(), ..ReadOptions::default() };
                let wide = bench(name, &bytes, &options, size);
                let narrow = bench(name, text.as_bytes(), &ReadOptions::default(), size);
                assert_eq!(wide.texts(), narrow.texts());
                wide.check_lossless(&bytes);
                // An edited file, decoded, is the edited decoded file.
                let edit = |_, number| match number {
                    1 => Edit::Mark(Marks { cluster_id: Some("x".into()), ..Marks::default() }),
                    _ => Edit::Keep,
                };
                let options = RewriteOptions { marks: true, ..RewriteOptions::default() };
                let mut expected = Vec::new();
                let edited = String::from_utf8(narrow.write(&options, &edit)).unwrap();
                encode(&edited, encoding, |_| unreachable!(), &mut expected);
                assert_eq!(show(&wide.write(&options, &edit)), show(&expected));
            }
        }
    }
}

#[test]
fn compressed_files_and_their_damage() {
    use crate::compress::{Compression, Output};
    use std::io::Write as _;
    let text: String = (1..=500).flat_map(|n| [format!("{{\"text\":\"Text {} {n}\"}}\n", n * 7919 % 1000)]).collect();
    for (ending, compression) in
        [("gz", Compression::Gzip), ("zst", Compression::Zstd), ("bz2", Compression::Bzip2), ("xz", Compression::Xz)]
    {
        let mut packed = Vec::new();
        let mut output = Output::new(&mut packed, compression).unwrap();
        output.write_all(text.as_bytes()).unwrap();
        output.finish().unwrap();
        let name = format!("a.jsonl.{ending}");
        let whole = bench(&name, &packed, &ReadOptions::default(), 100);
        assert_eq!(whole.texts().len(), 500);
        let out = whole.write_as(&format!("out.jsonl.{ending}"), &RewriteOptions::default(), &|_, _| Edit::Keep).unwrap();
        assert_eq!(bench(&name, &out, &ReadOptions::default(), 100).texts(), whole.texts());
        assert_eq!(whole.write(&RewriteOptions::default(), &|_, _| Edit::Keep), text.as_bytes());

        let cut = bench(&name, &packed[..packed.len() * 2 / 3], &ReadOptions::default(), 100);
        let batch = cut.read();
        assert_eq!(batch.bad.len(), 1);
        let bad = &batch.bad[0];
        assert_eq!(bad.number, batch.records.len() as u64 + 1);
        assert!(bad.error.message().starts_with("the file ends inside"), "{}", bad.error);
        let end = batch.records.last().map_or(0, |r| r.bytes.end as usize);
        assert_eq!(bad.bytes.start as usize, end);
        assert!(text.as_bytes()[end..].starts_with(&bad.raw));
        assert_eq!(cut.write(&RewriteOptions::default(), &|_, _| Edit::Keep), text.as_bytes()[..end]);
    }
}

#[test]
fn limits_and_single_records() {
    use crate::fetch::{Wanted, for_each_raw, texts};
    for (name, text) in [("a.jsonl", LINES), ("a.vert", VERTICAL), ("a.csv", TABLE)] {
        for size in SIZES {
            let all = bench(name, text.as_bytes(), &ReadOptions::default(), size);
            let batch = all.read();
            let wanted: Vec<_> = (batch.records.iter().rev())
                .map(|r| Wanted { file: 0, number: r.number, bytes: (r.number % 2 == 0).then(|| r.bytes.clone()) })
                .chain([Wanted { file: 0, number: 99, bytes: None }, Wanted { file: 7, number: 1, bytes: None }])
                .collect();
            let mut expected: Vec<_> = all.texts().into_iter().rev().map(Some).collect();
            expected.extend([None, None]);
            assert_eq!(texts(&all.collection, &wanted).unwrap(), expected);
            let mut raw = Vec::new();
            for_each_raw(&all.collection, &|_, n| n != 1, &mut |_, _, bytes| {
                raw.push(bytes.to_vec());
                Ok(())
            })
            .unwrap();
            let places =
                batch.records.iter().skip(1).map(|r| text.as_bytes()[r.bytes.start as usize..r.bytes.end as usize].to_vec());
            assert_eq!(raw, places.collect::<Vec<_>>());
            for limit in 0..=batch.records.len() {
                let options = ReadOptions { limit: Some(limit as u64), ..ReadOptions::default() };
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
    let collection = Collection::open(std::slice::from_ref(&input), &ReadOptions::default(), dir.path()).unwrap();
    let target = Target::resolve(&dir.path().join("out"), &collection).unwrap();
    let options = RewriteOptions { threads: 3, ..RewriteOptions::default() };
    let seen = std::sync::atomic::AtomicU64::new(0);
    let progress = |bytes| {
        seen.fetch_add(bytes, Ordering::Relaxed);
    };
    let edit = |_, n| if n == 2 { Edit::Drop } else { Edit::Keep };
    let written = rewrite(&collection, &target, &edit, &options, &progress).unwrap();
    assert_eq!((written.kept, written.dropped, written.files.len()), (190 - 18 + 1, 18, 21));
    assert_eq!(written.files, target.paths(&collection));
    let disk: u64 = collection.files().iter().map(|f| f.bytes).sum();
    assert_eq!(seen.load(Ordering::Relaxed), disk);
    assert_eq!(fs::read_to_string(dir.path().join("out/deep/03.jsonl")).unwrap(), line.repeat(2));

    // Marks have no place in the last file: none of the others may bear its name.
    let target = Target::resolve(&dir.path().join("no"), &collection).unwrap();
    let edit = |_, _| Edit::Mark(Marks::default());
    let error = rewrite(&collection, &target, &edit, &options, &progress).unwrap_err();
    assert_eq!(error.path(), Some(input.join("x.txt").as_path()));
    let files = walkdir::WalkDir::new(dir.path().join("no")).into_iter().filter(|e| e.as_ref().unwrap().file_type().is_file());
    assert_eq!(files.count(), 0);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_survive(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..60), size in 1_usize..20) {
        for name in ["a.jsonl", "a.csv", "a.vert", "a.txt", "a.tsv"] {
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
        crate::format::json::quote_into(&text, &mut json);
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
            let options = ReadOptions { encoding: "utf-8".into(), quote: Some(b'"'), ..ReadOptions::default() };
            let before = bench(name, file.as_bytes(), &options, 10);
            proptest::prop_assert_eq!(&before.texts()[0], &text);
            let edit = |_, n| if n == 1 { Edit::Cut(vec![start..end]) } else { Edit::Keep };
            let out = before.write(&RewriteOptions::default(), &edit);
            let after = bench(name, &out, &options, 10);
            proptest::prop_assert_eq!(&after.texts()[0], &rest);
        }
    }

    #[test]
    fn any_lines_survive(
        pieces in proptest::collection::vec(proptest::sample::select(vec![
            "<doc>", "</doc>", "<doc id=\"ä\">", "<p>", "</p>", "<s>", "</s>", "<g/>", "\n", "\n", "\n", "\r\n", "Wort", "\t",
            "{\"text\":\"a\"}", "\"", ",", ";", "'", "\u{feff}", "ä", "id,text", " ", "&amp;", "{", "}", "\\",
        ]), 0..30),
        size in 1_usize..20,
    ) {
        let text = pieces.concat();
        for name in ["a.jsonl", "a.csv", "a.vert", "a.txt", "a.tsv"] {
            let small = bench(name, text.as_bytes(), &ReadOptions::default(), size);
            small.check_lossless(text.as_bytes());
            // Where blocks end changes nothing.
            let large = bench(name, text.as_bytes(), &ReadOptions::default(), 1 << 20);
            let (a, b) = (small.read(), large.read());
            proptest::prop_assert_eq!((&a.text, &a.ids, &a.records, &a.segments), (&b.text, &b.ids, &b.records, &b.segments));
            let bad = |batch: &Batch| batch.bad.iter().map(|b| (b.number, b.bytes.clone())).collect::<Vec<_>>();
            proptest::prop_assert_eq!(bad(&a), bad(&b));
            // A cut of everything and of nothing.
            for record in &b.records {
                let len = record.text.len();
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
    let options = RewriteOptions { marks: true, ..RewriteOptions::default() };
    let out = bench1.write(&options, &|_, n| if n == 2 { Edit::Drop } else { Edit::Keep });
    assert_eq!(show(&out), show(b"id,text,duplicate_of,duplicate_score,cluster_id\n1,a,,,\n3,c,,,\n"));
    let error = bench1.write_as("o.parquet", &options, &|_, _| Edit::Keep);
    assert_eq!(error.unwrap_err().kind(), tegula::error::ErrorKind::Usage);
}
