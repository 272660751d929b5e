//! Conversions: no digit is lost, and values without a type are listed.

use std::borrow::Cow;
use std::path::Path;

use super::infer::Kind;
use super::*;
use crate::edit::{Marks, SpanMark};
use crate::format::parquet::for_each_row;
use crate::guard::InputGuard;
use crate::limits::Limits;
use crate::options::{FormatName, ReadOptions};
use crate::outputs::Outputs;
use crate::rewrite::MarkStyle;

fn convert(
    lines: &[&str],
    path: &Path,
    format: FormatName,
    options: &SinkOptions,
    marks: Option<&Marks>,
) -> Vec<Conversion> {
    let outputs = Outputs::default();
    let mut inference = Inference::new();
    for line in lines {
        inference.observe(&json_fields(line).unwrap());
    }
    let columns = inference.finish();
    let mut sink = RecordSink::create(&outputs, path, format, Some(&columns), options).unwrap();
    for line in lines {
        let fields = json_fields(line).unwrap();
        sink.push(&OutputRecord {
            fields: &fields,
            text: "täxt",
            marks,
        })
        .unwrap();
    }
    assert!(!path.exists());
    assert_eq!(sink.records(), lines.len() as u64);
    let conversions = sink.finish().unwrap();
    outputs.publish().unwrap();
    conversions
}

/// The rows of a Parquet file as JSON Lines.
fn back(path: &Path) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("back.jsonl");
    let outputs = Outputs::default();
    let mut sink = RecordSink::create(
        &outputs,
        &out,
        FormatName::Jsonl,
        None,
        &SinkOptions::default(),
    )
    .unwrap();
    let guard = InputGuard::of(path).unwrap();
    let options = ReadOptions::default();
    for_each_row(&guard, &options, &Limits::default(), &mut |_, fields| {
        sink.push(&OutputRecord {
            fields,
            text: "",
            marks: None,
        })?;
        Ok(true)
    })
    .unwrap();
    sink.finish().unwrap();
    outputs.publish().unwrap();
    std::fs::read_to_string(out)
        .unwrap()
        .lines()
        .map(Into::into)
        .collect()
}

const LINES: [&str; 3] = [
    r#"{"id":9007199254740993,"big":18446744073709551615,"f":0.1,"b":true,"mixed":"x","nested":{"a":[1.10]},"huge":123456789012345678901,"text":"a\nb","i2f":1}"#,
    r#"{"id":-9223372036854775808,"big":0,"f":1e300,"b":false,"mixed":7,"nested":null,"huge":1,"text":"\u00e4","i2f":2.5,"late":"z"}"#,
    r#"{"text":"c"}"#,
];

#[test]
fn json_becomes_typed_columns_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let listed = convert(
        &LINES,
        &path,
        FormatName::Parquet,
        &SinkOptions::default(),
        None,
    );
    let columns: Vec<&str> = listed
        .iter()
        .map(|conversion| conversion.column.as_str())
        .collect();
    assert_eq!(columns, ["mixed", "nested", "huge"]);
    assert_eq!(listed[0].from, "strings, integers");
    let lines = back(&path);
    assert_eq!(
        lines[0],
        r#"{"id":9007199254740993,"big":18446744073709551615,"f":0.1,"b":true,"mixed":"\"x\"","nested":"{\"a\":[1.10]}","huge":"123456789012345678901","text":"a\nb","i2f":1.0,"late":null}"#
    );
    assert_eq!(
        lines[1],
        r#"{"id":-9223372036854775808,"big":0,"f":1e300,"b":false,"mixed":"7","nested":null,"huge":"1","text":"ä","i2f":2.5,"late":"z"}"#
    );
    assert!(lines[2].starts_with(r#"{"id":null,"#));
}

#[test]
fn columns_take_the_type_that_holds_every_value() {
    let kind_of = |values: &[&str]| {
        let mut inference = Inference::new();
        for value in values {
            inference.observe(&json_fields(&format!("{{\"a\":{value}}}")).unwrap());
        }
        inference.finish().columns[0].1
    };
    assert_eq!(kind_of(&["1", "null", "-1"]), Kind::Int);
    assert_eq!(kind_of(&["9223372036854775808", "1"]), Kind::Unsigned);
    assert_eq!(kind_of(&["9223372036854775808", "-1"]), Kind::Json);
    assert_eq!(kind_of(&["1", "0.5"]), Kind::Float);
    assert_eq!(kind_of(&["9007199254740993", "0.5"]), Kind::Json);
    assert_eq!(kind_of(&["-0"]), Kind::Float);
    assert_eq!(kind_of(&["0.12345678901234567"]), Kind::Float);
    assert_eq!(kind_of(&["0.1234567890123456789"]), Kind::Json);
    assert_eq!(kind_of(&["1e999"]), Kind::Json);
    assert_eq!(kind_of(&["1e-400"]), Kind::Json);
    assert_eq!(kind_of(&["0.0", "0e5"]), Kind::Float);
    assert_eq!(kind_of(&["null"]), Kind::Text);
    assert_eq!(kind_of(&["true", "1"]), Kind::Json);
    assert_eq!(kind_of(&["\"a\"", "null"]), Kind::Text);
}

fn marks() -> Marks {
    Marks {
        duplicate_of: Some("w,1".into()),
        duplicate_score: Some(0.5),
        cluster_id: None,
        spans: Some(vec![SpanMark {
            text: 0..3,
            duplicate_of: None,
            score: 1.0,
        }]),
        counts: Vec::new(),
    }
}

#[test]
fn json_lines_keep_every_digit_and_take_marks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let options = SinkOptions {
        marks: true,
        style: MarkStyle {
            spans: true,
            prefix: "x_".into(),
            ..MarkStyle::default()
        },
    };
    let line = r#"{"n":1.10,"big":123456789012345678901234567890,"s":"\u0007\"","l":[1, {"a":null}],"n":2.50}"#;
    let listed = convert(&[line], &path, FormatName::Jsonl, &options, Some(&marks()));
    assert!(listed.is_empty());
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        concat!(
            r#"{"n":2.50,"big":123456789012345678901234567890,"s":"\u0007\"","l":[1, {"a":null}],"x_duplicate_of":"w,1","#,
            r#""x_duplicate_score":0.5,"x_cluster_id":null,"x_duplicate_spans":[{"start":0,"end":2,"duplicate_of":null,"score":1}]}"#,
            "\n"
        )
    );
}

#[test]
fn tables_quote_what_they_must() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let options = SinkOptions {
        marks: true,
        ..SinkOptions::default()
    };
    let lines = [
        r#"{"a":"x,y","b":"say \"hi\"","n":1.50}"#,
        r#"{"c":{"d":1},"a":" edge","b":"two\nlines"}"#,
    ];
    let listed = convert(&lines, &path, FormatName::Csv, &options, Some(&marks()));
    assert_eq!(listed.len(), 1);
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "a,b,n,c,duplicate_of,duplicate_score,cluster_id\n\
         \"x,y\",\"say \"\"hi\"\"\",1.50,,\"w,1\",0.5,\n\
         \" edge\",\"two\nlines\",,\"{\"\"d\"\":1}\",\"w,1\",0.5,\n"
    );
}

#[test]
fn an_empty_cell_alone_is_not_a_blank_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tsv");
    convert(
        &[r#"{"a":"x"}"#, r#"{"a":null}"#],
        &path,
        FormatName::Tsv,
        &SinkOptions::default(),
        None,
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "a\nx\n\"\"\n");
}

#[test]
fn parquet_takes_marks_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let options = SinkOptions {
        marks: true,
        style: MarkStyle {
            spans: true,
            prefix: String::new(),
            ..MarkStyle::default()
        },
    };
    convert(
        &[r#"{"text":"a"}"#],
        &path,
        FormatName::Parquet,
        &options,
        Some(&marks()),
    );
    assert_eq!(
        back(&path),
        [
            r#"{"text":"a","duplicate_of":"w,1","duplicate_score":0.5,"cluster_id":null,"duplicate_spans":[{"start":0,"end":2,"duplicate_of":null,"score":1.0}]}"#
        ]
    );
}

#[test]
fn clashes_and_formats_without_fields_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let outputs = Outputs::default();
    let options = SinkOptions {
        marks: true,
        ..SinkOptions::default()
    };
    let fields = json_fields(r#"{"cluster_id":1}"#).unwrap();
    let mut inference = Inference::new();
    inference.observe(&fields);
    let columns = inference.finish();
    for format in [FormatName::Parquet, FormatName::Csv] {
        let error = RecordSink::create(&outputs, &path, format, Some(&columns), &options)
            .err()
            .unwrap();
        assert!(error.advice().unwrap().contains("mark_prefix"));
    }
    let mut sink = RecordSink::create(&outputs, &path, FormatName::Jsonl, None, &options).unwrap();
    let error = sink
        .push(&OutputRecord {
            fields: &fields,
            text: "",
            marks: None,
        })
        .unwrap_err();
    assert_eq!(error.record_number(), Some(1));
    assert!(
        RecordSink::create(
            &outputs,
            &path,
            FormatName::Parquet,
            None,
            &SinkOptions::default()
        )
        .is_err()
    );
    assert!(
        RecordSink::create(
            &outputs,
            &path,
            FormatName::Vertical,
            None,
            &SinkOptions::default()
        )
        .is_err()
    );
    drop((sink, outputs));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_input_that_changed_between_the_passes_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let outputs = Outputs::default();
    let mut inference = Inference::new();
    inference.observe(&json_fields(r#"{"a":1}"#).unwrap());
    let mut sink = RecordSink::create(
        &outputs,
        &path,
        FormatName::Parquet,
        Some(&inference.finish()),
        &SinkOptions::default(),
    )
    .unwrap();
    let fields = json_fields(r#"{"a":"x"}"#).unwrap();
    assert!(
        sink.push(&OutputRecord {
            fields: &fields,
            text: "",
            marks: None
        })
        .is_err()
    );
}

#[test]
fn other_formats_give_fields() {
    let names = ["a".to_owned(), "b".to_owned()];
    let row = csv_fields(&names, ["1", "2", "3"].map(Cow::from));
    assert_eq!(row[2], ("3".into(), FieldValue::Text("3".into())));
    assert_eq!(
        csv_fields(&names, ["1"].map(Cow::from))[1].1,
        FieldValue::Null
    );
    let mut fields = text_fields(Some("d1"), "t", [("year", Some("1901")), ("id", Some("x"))]);
    assert_eq!(fields.len(), 3);
    assert!(replace_text(&mut fields, "text", "u"));
    assert!(!replace_text(&mut fields, "body", "u"));
    assert_eq!(fields[1].1, FieldValue::Text("u".into()));
    assert!(json_fields("[1]").is_err());
    assert!(json_fields("{} x").is_err());
}

#[test]
fn an_empty_collection_makes_an_empty_file() {
    let folder = tempfile::tempdir().unwrap();
    for (name, format) in [
        ("a.parquet", FormatName::Parquet),
        ("a.csv", FormatName::Csv),
        ("a.jsonl", FormatName::Jsonl),
    ] {
        let path = folder.path().join(name);
        assert!(convert(&[], &path, format, &SinkOptions::default(), None).is_empty());
        assert!(path.exists());
    }
    assert!(back(&folder.path().join("a.parquet")).is_empty());
}
