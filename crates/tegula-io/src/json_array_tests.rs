//! JSON arrays and objects in any layout: read, removed, cut and marked; the output is JSON again.
#![allow(
    clippy::single_range_in_vec_init,
    reason = "a list of cuts may hold one"
)]

use crate::edit::Edit;
use crate::options::{FormatName, Needs, ReadOptions};
use crate::rewrite::RewriteOptions;
use crate::rewrite::tests::{SIZES, bench, marks};
use crate::rewrite_bench::own;
use proptest::prelude::*;
use serde_json::{Value, json};

const ARRAYS: [&str; 5] = [
    r#"[{"text":"a"},{"text":"b"},{"text":"c"}]"#,
    "\u{feff}[\n  {\n    \"text\": \"a\",\n    \"x\": {\"y\": [1, \"]\"]}\n  },\n  {\"text\": \"b\"}\n ,\t{ \"text\" : \"c\" } \n]\n",
    "  [ {\"q\":\"\\\"}{\",\"text\":\"a\"} , {\"text\":\"b\\\\\"}\n,{\"text\":\"c\"}]\r\n\r\n",
    "[{\"text\":\"a\"}]",
    " [ ]\n",
];

fn parsed(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes)
        .unwrap()
        .trim_start_matches('\u{feff}');
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn any_part_of_an_array_is_an_array() {
    for text in ARRAYS {
        let all = parsed(text.as_bytes());
        for size in SIZES {
            let bench = bench("a.json", text.as_bytes(), &ReadOptions::default(), size);
            assert_eq!(bench.collection.format(0).unwrap().0, FormatName::Json);
            let texts = bench.texts();
            assert_eq!(
                texts,
                all.iter()
                    .map(|value| value["text"].as_str().unwrap())
                    .collect::<Vec<_>>(),
                "size {size}: {text}"
            );
            for threads in [1, 3] {
                let options = RewriteOptions {
                    threads,
                    ..RewriteOptions::default()
                };
                for kept in 0..1_u64 << all.len() {
                    let is_kept = |number: u64| kept >> (number - 1) & 1 == 1;
                    let out = bench.write(&options, &|_, number| {
                        if is_kept(number) {
                            Edit::Keep
                        } else {
                            Edit::Drop
                        }
                    });
                    let expected: Vec<_> = (1..)
                        .zip(&all)
                        .filter(|(n, _)| is_kept(*n))
                        .map(|(_, value)| value.clone())
                        .collect();
                    assert_eq!(parsed(&out), expected, "size {size}: {text}");
                    if kept + 1 == 1 << all.len() {
                        assert_eq!(out, text.as_bytes());
                    }
                }
            }
        }
    }
}

#[test]
fn elements_are_cut_and_marked() {
    for size in SIZES {
        let bench = bench(
            "a.json",
            ARRAYS[1].as_bytes(),
            &ReadOptions::default(),
            size,
        );
        let options = RewriteOptions {
            marks: true,
            ..RewriteOptions::default()
        };
        let out = bench.write(&options, &|_, number| match number {
            1 => Edit::Drop,
            2 => Edit::Cut(vec![0..1]),
            _ => Edit::Mark(marks(false)),
        });
        let values = parsed(&out);
        assert_eq!(values[0], json!({"text": ""}));
        assert!(
            values[1]["text"] == "c" && !values[1]["duplicate_of"].is_null(),
            "{values:?}"
        );
    }
}

#[test]
fn what_is_cut_short_is_closed() {
    for limit in 1..4 {
        let options = ReadOptions {
            limit: Some(limit),
            ..ReadOptions::default()
        };
        for size in SIZES {
            let bench = bench("a.json", ARRAYS[2].as_bytes(), &options, size);
            let out = bench.write(&RewriteOptions::default(), &|_, _| Edit::Keep);
            assert_eq!(parsed(&out).len() as u64, limit.min(3), "size {size}");
        }
    }
}

#[test]
fn what_is_no_array_of_objects_is_a_bad_record() {
    let cases: [(&str, &[&str], &[u64]); 9] = [
        (
            "[{\"text\":\"a\"}, 3, \"x,]\", null, {\"text\":\"b\"}]",
            &["a", "b"],
            &[2, 3, 4],
        ),
        (
            "[{\"text\":\"a\"}, [{\"text\":\"x\"}], {\"text\":\"b\"}]",
            &["a", "b"],
            &[2],
        ),
        ("[ ,{\"text\":\"a\"}]", &["a"], &[1]),
        ("[{\"text\":\"a\"},\n]\n", &["a"], &[2]),
        ("[{\"text\":\"a\"}", &["a"], &[2]),
        ("[{\"text\":\"a\"},", &["a"], &[2]),
        ("[{\"text\":\"a\"},{\"text\":\"b", &["a"], &[2]),
        ("[{\"text\":\"a\"}] [{\"text\":\"b\"}]", &["a"], &[2]),
        ("[{\"text\":\"a\"},,{\"text\":\"b\"}]", &["a"], &[2]),
    ];
    let options = ReadOptions {
        format: Some(FormatName::Json),
        ..ReadOptions::default()
    };
    for (text, texts, bad) in cases {
        for size in SIZES {
            let bench = bench("a.json", text.as_bytes(), &options, size);
            let batch = bench.read();
            let found: Vec<_> = batch
                .records
                .iter()
                .map(|record| batch.text_of(record))
                .collect();
            let numbers: Vec<_> = batch.bad.iter().map(|bad| bad.number).collect();
            assert_eq!((&*found, &*numbers), (texts, bad), "size {size}: {text}");
        }
    }
}

#[test]
fn a_file_may_be_one_object_or_several() {
    let one = "{\n  \"id\": 7,\n  \"text\": \"a\"\n}\n";
    for (text, texts) in [
        (one.to_owned(), vec!["a"]),
        (format!("{one}{one}\n{one}"), vec!["a"; 3]),
    ] {
        for size in SIZES {
            let bench = bench("a.json", text.as_bytes(), &ReadOptions::default(), size);
            assert_eq!(
                (bench.collection.format(0).unwrap().0, bench.texts()),
                (
                    FormatName::Json,
                    texts.iter().map(ToString::to_string).collect()
                )
            );
            assert_eq!(
                bench.write(&RewriteOptions::default(), &|_, _| Edit::Keep),
                text.as_bytes()
            );
        }
    }
    let lines = bench(
        "a.json",
        b"{\"text\":\"a\"}\n{\"text\":\"b\"}\n",
        &ReadOptions::default(),
        100,
    );
    assert_eq!(lines.collection.format(0).unwrap().0, FormatName::Jsonl);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_layout_is_read(
        texts in proptest::collection::vec("[\\PC\"\\\\,\\[\\]{}\n]{0,12}", 0..8),
        spaces in proptest::collection::vec("[ \t\r\n]{0,3}", 40),
        drop in any::<u8>(),
        size in 1_usize..60,
    ) {
        let mut space = spaces.iter().cycle();
        let mut next = || space.next().unwrap().as_str();
        let mut text = format!("{}[{}", next(), next());
        for (index, value) in texts.iter().enumerate() {
            let (before, after) = (next(), next());
            let comma = if index > 0 { "," } else { "" };
            text.extend([format!("{before}{comma}{after}{{\"text\":{}{}}}{}", next(), json!(value), next())]);
        }
        text.extend(["]", next()]);
        let options = ReadOptions { format: Some(FormatName::Json), ..ReadOptions::default() };
        let bench = bench("a.json", text.as_bytes(), &options, size);
        prop_assert_eq!(bench.texts(), texts.iter().map(|text| own(text)).collect::<Vec<_>>());
        let is_kept = |number: u64| drop >> (number - 1) & 1 == 0;
        let out = bench.write(&RewriteOptions::default(), &|_, number| if is_kept(number) { Edit::Keep } else { Edit::Drop });
        let left: Vec<_> = parsed(&out).into_iter().map(|value| value["text"].as_str().unwrap().to_owned()).collect();
        let expected: Vec<_> = (1..).zip(&texts).filter(|(number, _)| is_kept(*number)).map(|(_, text)| text.clone()).collect();
        prop_assert_eq!(left, expected);
    }
}

#[test]
fn objects_one_after_the_other_are_read_whatever_is_between_them() {
    let objects = [
        r#"{"text":"a"}"#,
        "{\n  \"text\": \"b }{\"\n}",
        r#"{"text":"c"}"#,
    ];
    for between in ["", " ", "\n", ",", "\r\n\r\n"] {
        for order in [[0, 2, 1], [1, 0, 2], [0, 1, 2]] {
            let parts = order.map(|at| objects[at]);
            let text = parts.join(between) + "\n";
            for size in SIZES {
                let found = bench("a.json", text.as_bytes(), &ReadOptions::default(), size);
                let texts = order.map(|at| ["a", "b }{", "c"][at]);
                assert_eq!(found.texts(), texts, "{text}");
                let out = found.write(&RewriteOptions::default(), &|_, _| Edit::Keep);
                assert_eq!(out, text.as_bytes());
                let out = found.write(&RewriteOptions::default(), &|_, number| {
                    if number == 1 { Edit::Drop } else { Edit::Keep }
                });
                let out = String::from_utf8(out).unwrap();
                assert_eq!(out.trim(), [parts[1], parts[2]].join(between));
            }
        }
    }
    // A line each remains the format of lines.
    let lines = "{\"text\":\"a\"}\n{\"text\":\"b\"}\n";
    let found = bench("a.json", lines.as_bytes(), &ReadOptions::default(), 100);
    assert_eq!(found.collection.format(0).unwrap().0, FormatName::Jsonl);
    // What is broken is still refused.
    for broken in [
        r#"{"text":"a"}{"text":"#,
        r#"{"text":"a"}{"text" "b"}"#,
        r#"{"text":"a"}{"text":"b"}}"#,
    ] {
        for size in SIZES {
            let found = bench("a.json", broken.as_bytes(), &ReadOptions::default(), size);
            let batch = found.read();
            assert_eq!(batch.bad.len(), 1, "{broken}");
            assert!(!batch.records.is_empty());
            let error = batch.bad[0].error.to_string();
            assert!(error.contains("a.json: record "), "{error}");
        }
    }
}

#[test]
fn a_line_that_is_no_object_is_refused_with_the_way_out() {
    for (line, advice) in [
        (r#"["a","b"]"#, "each line is an array"),
        (r#"[{"text":"a"}]"#, "each line is an array"),
        (r#"[{"text":"a"},"#, "the file is a JSON array"),
        ("[", "the file is a JSON array"),
        (r#"{"text":"a"}{"text":"b"}"#, "several objects"),
        (r#"{"text":"a"}x"#, "repair the record"),
    ] {
        let text = format!("{{\"text\":\"z\"}}\n{line}\n");
        let found = bench("a.jsonl", text.as_bytes(), &ReadOptions::default(), 100);
        let batch = found.read();
        assert_eq!((batch.records.len(), batch.bad.len()), (1, 1), "{line}");
        let (_, hint) = batch.bad[0].error.marked();
        assert!(hint.unwrap().contains(advice), "{line}: {hint:?}");
    }
}

#[test]
fn what_is_not_finite_comes_back_and_is_refused_where_it_is_read() {
    let line =
        "{\"id\":\"a\",\"text\":\"NaN:NaN,\",\"n\":NaN,\"x\":[Infinity,{\"y\":-Infinity}]}\n";
    let array = format!("[{}]\n", line.trim_end());
    for (name, text) in [("a.jsonl", line), ("a.json", &array)] {
        for size in SIZES {
            let found = bench(name, text.as_bytes(), &ReadOptions::default(), size);
            assert_eq!(found.texts(), ["NaN:NaN,"]);
            found.check_lossless(text.as_bytes());
            let out = found.write(
                &RewriteOptions {
                    marks: true,
                    ..RewriteOptions::default()
                },
                &|_, _| Edit::Mark(marks(false)),
            );
            let out = String::from_utf8(out).unwrap();
            assert!(
                out.contains("[Infinity,{\"y\":-Infinity}],\"duplicate_of\""),
                "{out}"
            );
            for field in ["n", "/x/0", "/x/1/y"] {
                let options = ReadOptions {
                    needs: Needs {
                        fields: vec![field.into()],
                        ..Needs::default()
                    },
                    ..ReadOptions::default()
                };
                let batch = bench(name, text.as_bytes(), &options, size).read();
                let error = batch.bad[0].error.to_string();
                assert!(
                    error.contains("record 1: expected a JSON value in"),
                    "{error}"
                );
            }
            let options = ReadOptions {
                text_key: vec!["n".into()],
                ..ReadOptions::default()
            };
            let batch = bench(name, text.as_bytes(), &options, size).read();
            assert_eq!(batch.bad.len(), 1);
        }
    }
}
