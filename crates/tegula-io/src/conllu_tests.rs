//! CoNLL-U files: read, kept, cut and marked.
#![allow(
    clippy::single_range_in_vec_init,
    reason = "a list of cuts may hold one"
)]

use crate::edit::{Edit, Marks, SpanMark};
use crate::encoding::encode;
use crate::options::{Needs, ReadOptions};
use crate::rewrite::tests::{Bench, SIZES, bench, show};
use crate::rewrite::{MarkPlace, MarkStyle, RewriteOptions};
use std::ops::Range;

/// A word of a sentence.
fn word(id: &str, form: &str, misc: &str) -> String {
    format!("{id}\t{form}\t_\tX\t_\t_\t0\troot\t_\t{misc}\n")
}

/// Two documents, the first of two paragraphs and three sentences; the second without paragraphs.
pub(crate) fn sample() -> String {
    [
        "# newdoc id = a\n# date = 1995-01-02\n# newpar id = p1\n# sent_id = 1\n# text = Vámonos al mar.\n",
        &word("1-2", "Vámonos", "_"),
        &word("1", "Vamos", "_"),
        &word("2", "nos", "SpaceAfter=No"),
        &word("3", "al", "_"),
        &word("3.1", "oculto", "_"),
        &word("4", "mar", "SpaceAfter=No"),
        &word("5", ".", "_"),
        "\n# sent_id = 2\n",
        &word("1", "Sí", "A=b|SpaceAfter=No"),
        &word("2", "!", "SpaceAfter=No"),
        "\n\n# newpar\n# sent_id = 3\n",
        &word("1", "Fin", "_"),
        "\n# x\n# newdoc id = b\n# sent_id = 4\n",
        &word("1", "Otro", "_"),
        "\n# sent_id = 5\n",
        &word("1", "más", "_"),
    ]
    .concat()
}

fn segments(bench: &Bench, record: usize) -> Vec<String> {
    let batch = bench.read();
    let record = &batch.records[record];
    batch
        .segments_of(record)
        .iter()
        .map(|s| batch.text_of(record)[s.text.clone()].to_owned())
        .collect()
}

#[test]
fn conllu_is_read_and_kept() {
    for size in SIZES {
        for text in [
            sample(),
            sample().replace('\n', "\r\n"),
            format!("\u{feff}\n{}", sample()).trim_end().to_owned(),
        ] {
            let options = ReadOptions {
                needs: Needs {
                    fields: vec!["date".into(), "sent_id".into()],
                    ..Needs::default()
                },
                ..ReadOptions::default()
            };
            let bench = bench("a.conllu", text.as_bytes(), &options, size);
            assert_eq!(
                bench.texts(),
                ["Vámonos al mar. Sí!\n\nFin", "Otro más"],
                "size {size}"
            );
            let batch = bench.read();
            assert_eq!(batch.ids, "ab");
            assert_eq!(batch.fields, [Some("1995-01-02".into()), None, None, None]);
            assert_eq!(
                segments(&bench, 0),
                [
                    "Vámonos al mar. Sí!",
                    "Vámonos al mar.",
                    "Sí!",
                    "Fin",
                    "Fin"
                ]
            );
            assert_eq!(segments(&bench, 1), ["Otro", "más"]);
            bench.check_lossless(text.as_bytes());
        }
    }
    let text = format!("# sent_id = 1\n{}", word("1", "allein", "_"));
    let bench = bench("words", text.as_bytes(), &ReadOptions::default(), 9);
    assert_eq!(bench.texts(), ["allein"], "recognised by its content");
    assert_eq!(bench.read().id_of(&bench.read().records[0]), None);
}

#[test]
fn conllu_in_other_encodings() {
    for label in ["windows-1252", "utf-16le"] {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        encode(&sample(), encoding, |_| unreachable!(), &mut bytes);
        for size in SIZES {
            let options = ReadOptions {
                encoding: Some(label.into()),
                ..ReadOptions::default()
            };
            let bench = bench("a.conllu", &bytes, &options, size);
            assert_eq!(bench.texts(), ["Vámonos al mar. Sí!\n\nFin", "Otro más"]);
            bench.check_lossless(&bytes);
        }
    }
}

fn cut(text: &str, cuts: &[Range<usize>]) -> String {
    let bench = bench("a.conllu", text.as_bytes(), &ReadOptions::default(), 50);
    let out = bench.write(&RewriteOptions::default(), &|_, n| {
        if n == 1 {
            Edit::Cut(cuts.to_vec())
        } else {
            Edit::Keep
        }
    });
    String::from_utf8(out).unwrap()
}

#[test]
fn a_sentence_goes_with_its_comments_and_leaves_those_of_paragraph_and_document() {
    for end in ["\n", "\r\n"] {
        let text = sample().replace('\n', end);
        let parts: Vec<&str> = text.split_inclusive(end).collect();
        let without = |lines: &[Range<usize>]| -> String {
            (0..)
                .zip(&parts)
                .filter(|(at, _)| !lines.iter().any(|range| range.contains(at)))
                .map(|(_, line)| *line)
                .collect()
        };
        // "Vámonos al mar. Sí!\n\nFin": the first sentence, the second, the first paragraph, the
        // second.
        assert_eq!(cut(&text, &[0..16]), without(&[3..13]));
        assert_eq!(cut(&text, &[17..21]), without(&[13..18]));
        assert_eq!(cut(&text, &[0..21]), without(&[2..18]));
        assert_eq!(cut(&text, &[23..26]), without(&[18..22]));
        assert_eq!(cut(&text, &[0..16, 23..26]), without(&[3..13, 18..22]));
        // Anything smaller than a sentence is ignored.
        assert_eq!(cut(&text, &[1..16, 17..20]), text);
        // A document without sentences keeps its comments apart from the next one.
        assert_eq!(cut(&text, &[0..26]), without(&[2..12, 13..22]));
        let after = bench(
            "a.conllu",
            cut(&text, &[0..26]).as_bytes(),
            &ReadOptions::default(),
            50,
        );
        assert_eq!(after.texts(), ["", "Otro más"]);
    }
}

#[test]
fn what_is_left_of_a_cut_is_read_as_what_stayed() {
    for (cuts, texts) in [
        (vec![0..16], "Sí!\n\nFin"),
        (vec![17..21], "Vámonos al mar.\n\nFin"),
        (vec![0..21], "Fin"),
        (vec![23..26], "Vámonos al mar. Sí!"),
    ] {
        let after = bench(
            "a.conllu",
            cut(&sample(), &cuts).as_bytes(),
            &ReadOptions::default(),
            50,
        );
        assert_eq!(after.texts(), [texts, "Otro más"]);
        assert_eq!(after.read().ids, "ab");
    }
}

fn mark(text: &str, marks: &Marks, place: MarkPlace) -> String {
    let bench = bench("a.conllu", text.as_bytes(), &ReadOptions::default(), 50);
    let style = MarkStyle {
        place,
        ..MarkStyle::default()
    };
    let options = RewriteOptions {
        marks: true,
        style,
        threads: 1,
    };
    let edit = |_, n| {
        Edit::Mark(if n == 1 {
            marks.clone()
        } else {
            Marks::default()
        })
    };
    String::from_utf8(bench.write(&options, &edit)).unwrap()
}

#[test]
fn marks_are_comments_and_taken_out_again_nothing_is_left() {
    let whole = Marks {
        duplicate_of: Some("w|1\n".into()),
        duplicate_score: Some(0.5),
        cluster_id: Some("k".into()),
        spans: None,
        counts: Vec::new(),
    };
    let span = |text: Range<usize>| Marks {
        spans: Some(vec![SpanMark {
            text,
            duplicate_of: Some("w".into()),
            score: 1.0,
        }]),
        ..Marks::default()
    };
    for text in [sample(), sample().replace('\n', "\r\n")] {
        let end = if text.contains('\r') { "\r\n" } else { "\n" };
        let lines = |marked: &str| marked.replace('\n', end);
        for (marks, behind, added) in [
            (
                &whole,
                "# date = 1995-01-02\n",
                "# duplicate_of = w|1\\n\n# duplicate_score = 0.5\n# cluster_id = k\n",
            ),
            (
                &span(17..21),
                "# sent_id = 2\n",
                "# duplicate_of = w\n# duplicate_score = 1\n",
            ),
            (
                &span(0..21),
                "# newpar id = p1\n",
                "# duplicate_of = w\n# duplicate_score = 1\n",
            ),
        ] {
            let marked = mark(&text, marks, MarkPlace::Attribute);
            let behind = lines(behind);
            assert_eq!(
                show(marked.as_bytes()),
                show(
                    text.replace(&behind, &format!("{behind}{}", lines(added)))
                        .as_bytes()
                )
            );
            assert_eq!(marked.replace(&lines(added), ""), text);
            let after = bench("a.conllu", marked.as_bytes(), &ReadOptions::default(), 50);
            assert_eq!(after.texts(), ["Vámonos al mar. Sí!\n\nFin", "Otro más"]);
        }
    }
}

#[test]
fn marks_are_items_of_the_last_column() {
    let span = SpanMark {
        text: 17..21,
        duplicate_of: Some("a|b".into()),
        score: 0.75,
    };
    let marks = Marks {
        spans: Some(vec![span]),
        ..Marks::default()
    };
    let marked = mark(&sample(), &marks, MarkPlace::Misc);
    let item = "Duplicate=Yes|DuplicateOf=a\\pb|DuplicateScore=0.75";
    let expected = sample()
        .replace(
            &word("1", "Sí", "A=b|SpaceAfter=No"),
            &word("1", "Sí", &format!("A=b|SpaceAfter=No|{item}")),
        )
        .replace(
            &word("2", "!", "SpaceAfter=No"),
            &word("2", "!", &format!("SpaceAfter=No|{item}")),
        );
    assert_eq!(marked, expected);
    let whole = Marks {
        duplicate_score: Some(1.0),
        ..Marks::default()
    };
    let marked = mark(&sample(), &whole, MarkPlace::Misc);
    assert_eq!(
        marked.matches("Duplicate=Yes").count(),
        9,
        "words and tokens of several, no empty nodes"
    );
    assert!(marked.contains("oculto\t_\tX\t_\t_\t0\troot\t_\t_\n"));
    let back = marked
        .replace("|Duplicate=Yes|DuplicateScore=1", "")
        .replace("Duplicate=Yes|DuplicateScore=1", "_");
    assert_eq!(back, sample());
}

#[test]
fn marks_with_no_place_are_refused() {
    let attempt = |text: &str, place| {
        let bench = bench("a.conllu", text.as_bytes(), &ReadOptions::default(), 50);
        let options = RewriteOptions {
            marks: true,
            style: MarkStyle {
                place,
                ..MarkStyle::default()
            },
            threads: 1,
        };
        let marks = Marks {
            duplicate_of: Some("w".into()),
            ..Marks::default()
        };
        bench
            .write_as("out", &options, &|_, _| Edit::Mark(marks.clone()))
            .unwrap_err()
            .to_string()
    };
    assert!(attempt(&sample(), MarkPlace::FirstColumn).contains("attribute or misc"));
    let taken = sample().replace("# date", "# duplicate_of = x\n# date");
    assert!(attempt(&taken, MarkPlace::Attribute).contains("already has a field `duplicate_of`"));
    let taken = sample().replace("A=b", "DuplicateOf=x");
    assert!(attempt(&taken, MarkPlace::Misc).contains("already has a field `DuplicateOf`"));
}

#[test]
fn what_is_malformed_is_a_bad_document_with_its_line() {
    let first = format!("# newdoc id = a\n{}\n", word("1", "gut", "_"));
    let last = format!("# newdoc id = c\n{}\n", word("1", "auch", "_"));
    let cases = [
        (word("2", "x", "_"), "line 5: expected the id 1, found `2`"),
        (
            word("1", "x", "_") + &word("1", "y", "_"),
            "line 6: expected the id 2, found `1`",
        ),
        (
            word("1-1x", "x", "_"),
            "line 5: expected the id 1, found `1-1x`",
        ),
        (
            word("1-2", "xy", "_") + &word("1", "x", "_"),
            "line 6: expected the words of a token up to 2, found the sentence's end",
        ),
        (
            word("1.1", "x", "_"),
            "line 5: expected the id 1, found `1.1`",
        ),
        (
            word("1", "x", "_") + "# spät\n",
            "line 6: expected a token or a blank line, found a comment inside a sentence",
        ),
        (
            "1\tx\t_\n".into(),
            "line 5: expected 10 columns, separated by tabs, found 3",
        ),
        (
            "Wort\n".into(),
            "line 5: expected 10 columns, separated by tabs, found the line `Wort`",
        ),
        (
            word("1", "", "_"),
            "line 5: expected a form in the column FORM, found nothing",
        ),
        (
            word("1", "x", "_\t_"),
            "line 5: expected 10 columns, separated by tabs, found 11",
        ),
    ];
    for (lines, message) in cases {
        let text = format!("{first}# newdoc id = b\n{lines}\n{last}");
        for size in SIZES {
            let bench = bench("a.conllu", text.as_bytes(), &ReadOptions::default(), size);
            let batch = bench.read();
            assert_eq!((batch.ids.as_str(), batch.bad.len()), ("ac", 1));
            assert_eq!(
                (batch.bad[0].number, batch.bad[0].error.message().as_str()),
                (2, message),
                "size {size}"
            );
            bench.check_lossless(text.as_bytes());
        }
    }
}

/// The same documents in columns of another order and number.
fn plus() -> String {
    let mut out =
        String::from("# columns of our own\n# global.columns = PARSEME:MWE FORM UPOS ID MISC\n");
    for line in sample().lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        match cells[..] {
            [id, form, _, tag, .., misc] => {
                out.extend(["*\t", form, "\t", tag, "\t", id, "\t", misc, "\n"]);
            }
            _ => out.extend([line, "\n"]),
        }
    }
    out
}

#[test]
fn the_columns_of_conllu_plus_are_those_that_the_file_lists() {
    for size in SIZES {
        for text in [
            plus(),
            plus().replace('\n', "\r\n"),
            format!("\u{feff}{}", plus()),
        ] {
            for name in ["a.conllup", "a.cupt", "a.conllu", "words"] {
                let bench = bench(name, text.as_bytes(), &ReadOptions::default(), size);
                assert_eq!(bench.texts(), ["Vámonos al mar. Sí!\n\nFin", "Otro más"]);
                assert_eq!(bench.read().ids, "ab");
                bench.check_lossless(text.as_bytes());
            }
        }
    }
    let bench = bench("a.conllup", plus().as_bytes(), &ReadOptions::default(), 50);
    let second = bench.write(&RewriteOptions::default(), &|_, number| match number {
        1 => Edit::Drop,
        _ => Edit::Keep,
    });
    let listed = plus().find("# newdoc id = a").unwrap();
    let other = plus().find("# x\n").unwrap();
    assert_eq!(
        show(&second),
        show((plus()[..listed].to_owned() + &plus()[other..]).as_bytes()),
        "the list belongs to the file"
    );
}

#[test]
fn columns_that_are_missing_are_named() {
    let read = |text: &str| {
        let bench = bench("a.conllup", text.as_bytes(), &ReadOptions::default(), 50);
        let batch = bench.read();
        let bad = batch.bad.iter().map(|bad| bad.error.message());
        let texts = batch
            .records
            .iter()
            .map(|record| batch.text_of(record).to_owned());
        (texts.collect::<Vec<_>>(), bad.collect::<Vec<_>>())
    };
    let (texts, bad) = read("# global.columns = ID LEMMA\n1\ta\n\n# newdoc\n1\tb\n");
    assert!(texts.is_empty() && bad.len() == 2, "{bad:?}");
    assert!(
        bad[0].contains("line 2: expected a column FORM in `# global.columns`, found `ID LEMMA`"),
        "{bad:?}"
    );
    // Without ids and MISC, every line is a word followed by a space.
    let (texts, bad) = read("# global.columns = FORM UPOS\na\tX\nb\tX\n\nc\tX\n");
    assert_eq!((texts, bad), (vec!["a b c".to_owned()], Vec::new()));
    let (texts, bad) = read("# global.columns = ID FORM\n1\ta\tX\n");
    assert!(
        texts.is_empty() && bad[0].contains("expected 2 columns"),
        "{bad:?}"
    );
    let (texts, bad) = read(
        "# global.columns = ID FORM\n1\ta\n\n# newdoc\n# global.columns = ID FORM X\n1\tb\tX\n",
    );
    assert_eq!(texts, ["a"]);
    assert!(
        bad[0].contains("line 5: expected the columns of the file's beginning (ID FORM)"),
        "{bad:?}"
    );
    // A file without a list has the ten columns of CoNLL-U.
    let (texts, bad) = read("1\ta\n");
    assert!(
        texts.is_empty() && bad[0].contains("expected 10 columns"),
        "{bad:?}"
    );
}

#[test]
fn marks_need_a_column_misc() {
    let text = "# global.columns = ID FORM\n# newdoc\n1\ta\n";
    let bench = bench("a.conllup", text.as_bytes(), &ReadOptions::default(), 50);
    let options = RewriteOptions {
        marks: true,
        style: MarkStyle {
            place: MarkPlace::Misc,
            ..MarkStyle::default()
        },
        threads: 1,
    };
    let edit = |_, _| Edit::Mark(Marks::default());
    let error = bench.write_as("o.conllup", &options, &edit).unwrap_err();
    assert!(
        error.message().contains("expected a column MISC"),
        "{error}"
    );
}
