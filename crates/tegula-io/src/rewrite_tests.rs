//! What goes in comes out.

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
        assert_eq!(in_folder, [path.clone()], "a temporary file is left");
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
