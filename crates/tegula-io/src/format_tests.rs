//! Text, vertical and CSV files: read, kept, cut and marked.
#![allow(
    clippy::single_range_in_vec_init,
    reason = "a list of cuts may hold one"
)]

use crate::edit::{Edit, Marks, SpanMark};
use crate::encoding::encode;
use crate::options::{Column, CsvOptions, Needs, ReadOptions, VerticalOptions};
use crate::rewrite::tests::{SIZES, bench, marks, show};
use crate::rewrite::{MarkPlace, MarkStyle, RewriteOptions};

#[test]
fn text_is_one_record_in_any_encoding() {
    let cases: [(&str, &[u8], &str, &str); 8] = [
        (
            "auto",
            b"it\x92s \x93quoted\x94 caf\xe9\r\n",
            "it\u{2019}s \u{201c}quoted\u{201d} café\r\n",
            "windows-1252",
        ),
        ("iso-8859-15", b"\xa4 1\n", "€ 1\n", "ISO-8859-15"),
        ("gb18030", b"\xd6\xd0\xce\xc4|x\n", "中文|x\n", "gb18030"),
        (
            "auto",
            b"\xff\xfea\0\x3d\xd8\x00\xde\n\0b\0",
            "a😀\nb",
            "UTF-16LE",
        ),
        ("auto", b"\xfe\xff\0a\x0a\x0a\0\n\0b", "aਊ\nb", "UTF-16BE"),
        ("utf-16", b"\xfe\xff\0a", "a", "UTF-16BE"),
        ("auto", b"\xef\xbb\xbfUTF-8 \xc3\xa4", "UTF-8 ä", "UTF-8"),
        ("auto", b"plain", "plain", "UTF-8"),
    ];
    for (label, bytes, text, encoding) in cases {
        for size in [1, 1000] {
            let options = ReadOptions {
                encoding: Some(label.into()),
                needs: Needs {
                    fields: vec!["x".into()],
                    ..Needs::default()
                },
                ..ReadOptions::default()
            };
            let bench = bench("a.txt", bytes, &options, size);
            assert_eq!(bench.texts(), [text]);
            let batch = bench.read();
            assert_eq!(batch.id_of(&batch.records[0]), Some("a.txt"));
            assert_eq!(batch.fields, [None]);
            assert_eq!(
                bench.collection.describe(0).unwrap().encoding.unwrap(),
                encoding
            );
            bench.check_lossless(bytes);
            // Every cut of one character takes that character's bytes.
            for (at, c) in text.char_indices() {
                let cut = at..at + c.len_utf8();
                let out = bench.write(&RewriteOptions::default(), &|_, _| {
                    Edit::Cut(vec![cut.clone()])
                });
                let again = crate::rewrite::tests::bench("b.txt", &out, &options, size);
                let expected = format!("{}{}", &text[..at], &text[cut.end..]);
                if !expected.is_empty() && !expected.is_ascii() {
                    assert_eq!(again.texts(), [expected]);
                }
            }
        }
    }
    let bench = bench("a.txt", b"x", &ReadOptions::default(), 10);
    let edits = |_, _| Edit::Mark(marks(false));
    let error = bench
        .write_as("o", &RewriteOptions::default(), &edits)
        .unwrap_err();
    assert_eq!(error.kind(), tegula::error::ErrorKind::Usage);
}

pub(crate) const VERTICAL: &str = "<corpus name=\"x\">\n<doc id=\"a\" year='1900' t=\"&quot;q&quot;\">\n<head/>\n<p n=\"1\">\n<s>\nDas\tART\nHaus\tN\n<g/>\n.\t$.\n</s>\n<s>\n\
    Es\tP\nsteht\tV\n</s>\n</p>\n<p>\n&lt;3\tX\n</p>\n</doc>\n\n<doc id=\"b\"/>\n<doc>\n<s>\nallein\n</doc>\n<!-- stray -->\nstreu\nner\n<doc id=\"c\">\n<p>\noffen\n<p>\nauch\n</corpus>\n";

#[test]
fn vertical_is_read_and_kept() {
    for size in SIZES {
        for text in [
            VERTICAL.to_owned(),
            VERTICAL.replace('\n', "\r\n"),
            format!("\u{feff}{VERTICAL}").trim_end().to_owned(),
        ] {
            let options = ReadOptions {
                needs: Needs {
                    fields: vec!["year".into(), "t".into()],
                    ..Needs::default()
                },
                ..ReadOptions::default()
            };
            let bench = bench("a.vert", text.as_bytes(), &options, size);
            assert_eq!(
                bench.texts(),
                [
                    "Das Haus. Es steht <3",
                    "",
                    "allein",
                    "streu ner",
                    "offen auch"
                ],
                "size {size}"
            );
            let batch = bench.read();
            let ids: Vec<_> = batch.records.iter().map(|r| batch.id_of(r)).collect();
            assert_eq!(ids, [Some("a"), Some("b"), None, None, Some("c")]);
            let numbers: Vec<_> = batch.records.iter().map(|r| r.number).collect();
            assert_eq!(numbers, [1, 2, 3, 4, 5]);
            assert_eq!(
                batch.fields_of(&batch.records[0]),
                [Some("1900".into()), Some("\"q\"".into())]
            );
            let first = &batch.records[0];
            let segments: Vec<_> = batch
                .segments_of(first)
                .iter()
                .map(|s| &batch.text_of(first)[s.text.clone()])
                .collect();
            assert_eq!(
                segments,
                ["Das Haus. Es steht", "Das Haus.", "Es steht", "<3"]
            );
            assert_eq!(batch.segments_of(&batch.records[4]).len(), 2);
            bench.check_lossless(text.as_bytes());
        }
    }
    let bench = bench(
        "a.vrt",
        b"ein\nText\nohne <doc>\n",
        &ReadOptions::default(),
        3,
    );
    assert_eq!(bench.texts(), ["ein Text ohne <doc>"]);
}

#[test]
fn vertical_columns_and_whole_lines() {
    let options = ReadOptions {
        vertical: VerticalOptions {
            word_column: Some(Column::Number(2)),
            ..VerticalOptions::default()
        },
        ..ReadOptions::default()
    };
    let bench1 = bench(
        "a.vert",
        b"<doc>\na\tA\tx\nb\tB\n</doc>\n<doc>\nc\n</doc>\n",
        &options,
        5,
    );
    let batch = bench1.read();
    assert_eq!(batch.text, "A B");
    assert!(batch.bad[0].error.message().contains("at least 2 columns"));
    assert_eq!(batch.bad[0].number, 2);
    let options = ReadOptions {
        needs: Needs {
            as_is: true,
            ..Needs::default()
        },
        ..ReadOptions::default()
    };
    let bench2 = bench(
        "a.vert",
        b"<doc>\n&amp;\tA\r\n<g/>\nb\tB\n</doc>\n",
        &options,
        5,
    );
    assert_eq!(bench2.texts(), ["&amp;\tA\nb\tB"]);
}

#[test]
fn vertical_cuts_take_lines() {
    let bench = bench("a.vert", VERTICAL.as_bytes(), &ReadOptions::default(), 50);
    let cut = |range: std::ops::Range<usize>| {
        let edit = move |_, n| {
            if n == 1 {
                Edit::Cut(vec![range.clone()])
            } else {
                Edit::Keep
            }
        };
        String::from_utf8(bench.write(&RewriteOptions::default(), &edit)).unwrap()
    };
    // "Das Haus. Es steht <3"
    assert_eq!(
        cut(0..10),
        VERTICAL.replace("<s>\nDas\tART\nHaus\tN\n<g/>\n.\t$.\n</s>\n", "")
    );
    assert_eq!(
        cut(10..18),
        VERTICAL.replace("<s>\nEs\tP\nsteht\tV\n</s>\n", "")
    );
    assert_eq!(
        cut(0..19),
        VERTICAL.replace("<p n=\"1\">\n<s>\nDas\tART\nHaus\tN\n<g/>\n.\t$.\n</s>\n<s>\nEs\tP\nsteht\tV\n</s>\n</p>\n", "")
    );
    assert_eq!(cut(4..8), VERTICAL.replace("Haus\tN\n<g/>\n", ""));
}

#[test]
fn vertical_marks_are_attributes_or_columns() {
    let bench = bench("a.vert", VERTICAL.as_bytes(), &ReadOptions::default(), 50);
    let spans = vec![SpanMark {
        text: 10..18,
        duplicate_of: Some("<w>".into()),
        score: 0.5,
    }];
    let marks = Marks {
        cluster_id: Some("k".into()),
        spans: Some(spans),
        ..Marks::default()
    };
    let edit = |_, n| {
        if n == 1 {
            Edit::Mark(marks.clone())
        } else {
            Edit::Keep
        }
    };
    let out = String::from_utf8(bench.write(&RewriteOptions::default(), &edit)).unwrap();
    let expected = VERTICAL
        .replace("&quot;q&quot;\">", "&quot;q&quot;\" cluster_id=\"k\">")
        .replace(
            "<s>\nEs",
            "<s duplicate_of=\"&lt;w&gt;\" duplicate_score=\"0.5\">\nEs",
        );
    assert_eq!(out, expected);
    let style = MarkStyle {
        place: MarkPlace::LastColumn,
        ..MarkStyle::default()
    };
    let options = RewriteOptions {
        marks: true,
        style,
        threads: 2,
    };
    let out = String::from_utf8(bench.write(&options, &edit)).unwrap();
    assert!(
        out.contains("Haus\tN\t0\n")
            && out.contains("Es\tP\t1\nsteht\tV\t1\n")
            && out.contains("\nstreu\t0\n")
    );
}

pub(crate) const TABLE: &str = "id;text;year\r\n1;\"erste \"\"Zeile\"\"\r\nzweite; Zeile\";1900\r\n\r\nzwei;ohne 'Quote\" hier;\r\n3;\"letzte\";1901";

#[test]
fn csv_is_read_and_kept() {
    for size in SIZES {
        for text in [
            TABLE.to_owned(),
            format!("\u{feff}{TABLE}\n"),
            TABLE.replace("\r\n", "\n"),
        ] {
            let options = ReadOptions {
                needs: Needs {
                    fields: vec!["year".into(), "none".into()],
                    ..Needs::default()
                },
                ..ReadOptions::default()
            };
            let bench = bench("a.csv", text.as_bytes(), &options, size);
            let end = if text.contains('\r') { "\r\n" } else { "\n" };
            assert_eq!(
                bench.texts(),
                [
                    &format!("erste \"Zeile\"{end}zweite; Zeile"),
                    "ohne 'Quote\" hier",
                    "letzte"
                ]
            );
            let batch = bench.read();
            assert_eq!(batch.ids, "1zwei3");
            assert_eq!(batch.records[2].number, 3);
            assert_eq!(batch.fields[..4], [Some("1900".into()), None, None, None]);
            let dialect = bench.collection.describe(0).unwrap().dialect.unwrap();
            assert_eq!(
                (dialect.delimiter, dialect.quote, dialect.header),
                (';', Some('"'), true)
            );
            bench.check_lossless(text.as_bytes());
        }
    }
}

#[test]
fn csv_edits() {
    let bench = bench("a.csv", TABLE.as_bytes(), &ReadOptions::default(), 9);
    let edit = |_, n| {
        if n == 1 {
            Edit::Cut(vec![0..6, 13..15])
        } else {
            Edit::Keep
        }
    };
    let out = bench.write(&RewriteOptions::default(), &edit);
    assert_eq!(
        show(&out),
        show(
            TABLE
                .replace("erste \"\"Zeile\"\"\r\n", "\"\"Zeile\"\"")
                .as_bytes()
        )
    );
    let options = RewriteOptions {
        marks: true,
        ..RewriteOptions::default()
    };
    let edit = |_, n| {
        if n == 2 {
            Edit::Mark(marks(false))
        } else {
            Edit::Keep
        }
    };
    let out = String::from_utf8(bench.write(&options, &edit)).unwrap();
    assert!(
        out.starts_with("id;text;year;duplicate_of;duplicate_score;cluster_id\r\n"),
        "{out}"
    );
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
    let keyed = |key: &str| ReadOptions {
        text_key: vec![key.into()],
        ..plain()
    };
    let news = "Web;'Die \"Firma\", die; gibt''s'\nInland;'Noch ein Text, mit Komma'\n";
    let (delimiter, quote, header, columns) = dialect(
        "a.csv",
        news,
        ReadOptions {
            csv: CsvOptions {
                no_header: true,
                ..keyed("2").csv
            },
            ..keyed("2")
        },
    );
    assert_eq!(
        (delimiter, quote, header, columns.len()),
        (';', Some('\''), false, 2)
    );
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
    let options = ReadOptions {
        csv: CsvOptions {
            quote: Some(tegula::declare::Character(b'"')),
            ..CsvOptions::default()
        },
        ..ReadOptions::default()
    };
    let bench1 = bench("a.csv", text.as_bytes(), &options, 4);
    let batch = bench1.read();
    assert_eq!(batch.text, "ad");
    assert_eq!(
        batch.bad.iter().map(|b| b.number).collect::<Vec<_>>(),
        [2, 3, 5]
    );
    assert!(batch.bad[2].error.message().contains("closing quote"));
    bench1.check_lossless(text.as_bytes());
    let bench2 = bench("a.csv", b"id,body\n1,a\n", &ReadOptions::default(), 4);
    assert!(
        bench2.read().bad[0]
            .error
            .message()
            .ends_with("the columns are: id, body")
    );
}

#[test]
fn other_encodings_of_line_formats() {
    let lines =
        "{\"id\":\"ä\",\"text\":\"größer – ok\"}\n\n{\"text\":\"zwei\"}\r\n{\"text\":\"€ drei\"}";
    let rows = "id|text\nä|größer\n2|\"zwei\nZeilen\"\n";
    let vert = "<doc id=\"ä\">\ngroß\n</doc>\n<doc>\nklein\n</doc>\n";
    for label in [
        "windows-1252",
        "utf-16le",
        "utf-16be",
        "gb18030",
        "shift_jis",
    ] {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
        for (name, text) in [("a.jsonl", lines), ("a.csv", rows), ("a.vert", vert)] {
            let text = match label {
                "shift_jis" => text.replace(['ä', 'ö', 'ß', '€'], "ソ").replace('–', "表"),
                _ => text.to_owned(),
            };
            let mut bytes = Vec::new();
            encode(&text, encoding, |_| unreachable!(), &mut bytes);
            for size in SIZES {
                let options = ReadOptions {
                    encoding: Some(label.into()),
                    ..ReadOptions::default()
                };
                let wide = bench(name, &bytes, &options, size);
                let narrow = bench(name, text.as_bytes(), &ReadOptions::default(), size);
                assert_eq!(wide.texts(), narrow.texts());
                wide.check_lossless(&bytes);
                // An edited file, decoded, is the edited decoded file.
                let edit = |_, number| match number {
                    1 => Edit::Mark(Marks {
                        cluster_id: Some("x".into()),
                        ..Marks::default()
                    }),
                    _ => Edit::Keep,
                };
                let options = RewriteOptions {
                    marks: true,
                    ..RewriteOptions::default()
                };
                let mut expected = Vec::new();
                let edited = String::from_utf8(narrow.write(&options, &edit)).unwrap();
                encode(&edited, encoding, |_| unreachable!(), &mut expected);
                assert_eq!(show(&wide.write(&options, &edit)), show(&expected));
            }
        }
    }
}

#[test]
fn units_are_cut_and_marked_at_once() {
    let conllu = |keep: bool| {
        let removed = if keep {
            "# newpar\n1\tweg\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
        } else {
            ""
        };
        let mark = if keep { "" } else { "# duplicate_score = 1\n" };
        format!(
            "# newdoc\n{removed}# newpar\n# sent_id = 2\n{mark}1\tda\t_\t_\t_\t_\t_\t_\t_\t_\n2\tist\t_\t_\t_\t_\t_\t_\t_\t_\n\n# newpar\n1\tEnde\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
        )
    };
    let cases = [
        (
            "a.vert",
            "<doc>\n<p>\nweg\n</p>\n<p>\n<s>\nda\nist\n</s>\nwas\n</p>\n</doc>\n".to_owned(),
            "<doc>\n<p>\n<s duplicate_score=\"1\">\nda\nist\n</s>\nwas\n</p>\n</doc>\n".to_owned(),
        ),
        (
            "a.xml",
            "<TEI><p><s>we</s> <s>g</s></p> <p>\n<s>da ist</s> was</p></TEI>".to_owned(),
            "<TEI> <p>\n<s duplicate_score=\"1\">da ist</s> was</p></TEI>".to_owned(),
        ),
        (
            "a.conllu",
            conllu(true),
            conllu(false).replace(
                "# newpar\n# sent_id = 2\n# duplicate_score = 1\n",
                "# newpar\n# duplicate_score = 1\n# sent_id = 2\n",
            ),
        ),
    ];
    for (name, text, expected) in cases {
        let bench = bench(name, text.as_bytes(), &ReadOptions::default(), 50);
        let whole = bench.texts().remove(0);
        let at = |part: &str| whole.find(part).map(|at| at..at + part.len()).unwrap();
        let cuts = if name == "a.xml" {
            vec![at("we"), at("g")]
        } else {
            vec![at("weg")]
        };
        let span = SpanMark {
            text: at("da ist"),
            duplicate_of: None,
            score: 1.0,
        };
        let marks = Marks {
            spans: Some(vec![span]),
            ..Marks::default()
        };
        let edit = |_, _| Edit::Change {
            cuts: cuts.clone(),
            marks: marks.clone(),
        };
        let options = RewriteOptions {
            marks: true,
            ..RewriteOptions::default()
        };
        assert_eq!(
            String::from_utf8(bench.write(&options, &edit)).unwrap(),
            expected
        );
    }
}
