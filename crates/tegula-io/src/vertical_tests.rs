//! Vertical files written with indentation, and columns that are named.
#![allow(
    clippy::single_range_in_vec_init,
    reason = "a list of cuts may hold one"
)]

use crate::edit::{Edit, Marks};
use crate::options::{Column, Needs, ReadOptions, VerticalOptions};
use crate::rewrite::tests::{Bench, SIZES, bench};
use crate::rewrite::{MarkPlace, MarkStyle, RewriteOptions};
use tegula::hash;

const FLAT: &str = "<doc id=\"a\" n=\"1\">\n<p>\n<s>\nDas\tART\nHaus\tN\n<g/>\n.\t$.\n</s>\n<s>\nEs\tP\n</s>\n</p>\n</doc>\n\
                    <doc id=\"b\">\n<p>\n<s>\nNichts\tP\n&lt;\tX\n</s>\n</p>\n</doc>\n";

/// The same with each line this far behind the one around it.
fn indented(step: &str) -> String {
    let mut depth = 0;
    let mut out = String::new();
    for line in FLAT.lines() {
        if line.starts_with("</") {
            depth -= 1;
        }
        out += &step.repeat(depth);
        out += line;
        out.push('\n');
        if line.starts_with('<') && !line.starts_with("</") && !line.ends_with("/>") {
            depth += 1;
        }
    }
    out
}

fn read(text: &str, options: &ReadOptions, size: usize) -> Bench {
    bench("a.vert", text.as_bytes(), options, size)
}

/// The fingerprints of the tokens that lines count as.
fn own(bench: &Bench) -> Vec<u64> {
    let tokens = bench.read().tokens;
    tokens
        .into_iter()
        .map(|token| token.fingerprint.id)
        .collect()
}

#[test]
fn indentation_is_no_part_of_tags_or_tokens() {
    let options = ReadOptions {
        needs: Needs {
            fields: vec!["n".into()],
            own_tokens: true,
            ..Needs::default()
        },
        ..ReadOptions::default()
    };
    let flat = read(FLAT, &options, 50);
    assert_eq!(flat.texts(), ["Das Haus. Es", "Nichts <"]);
    for step in ["\t", "  ", "    ", " \t"] {
        for size in SIZES {
            for text in [indented(step), indented(step).replace('\n', "\r\n")] {
                let bench = read(&text, &options, size);
                assert_eq!(bench.texts(), flat.texts(), "{text}");
                let (batch, expected) = (bench.read(), flat.read());
                assert_eq!(batch.segments, expected.segments);
                assert_eq!(
                    (&batch.ids, &batch.fields),
                    (&expected.ids, &expected.fields)
                );
                assert_eq!(own(&bench), own(&flat));
                bench.check_lossless(text.as_bytes());
            }
        }
    }
    let bare = bench("words", indented("\t").as_bytes(), &options, 50);
    assert_eq!(bare.texts(), flat.texts(), "recognised by its content");
}

#[test]
fn indented_lines_go_as_a_whole_and_are_marked_behind_their_indentation() {
    let text = indented("\t");
    let bench = read(&text, &ReadOptions::default(), 50);
    let cut = bench.write(&RewriteOptions::default(), &|_, number| match number {
        1 => Edit::Cut(vec![0..9]),
        _ => Edit::Keep,
    });
    let sentence = "\t\t<s>\n\t\t\tDas\tART\n\t\t\tHaus\tN\n\t\t\t<g/>\n\t\t\t.\t$.\n\t\t</s>\n";
    assert!(text.contains(sentence));
    assert_eq!(String::from_utf8(cut).unwrap(), text.replace(sentence, ""));
    let marked = |place| {
        let style = MarkStyle {
            place,
            ..MarkStyle::default()
        };
        let options = RewriteOptions {
            marks: true,
            style,
            threads: 1,
        };
        let edit = |_, number| {
            Edit::Mark(Marks {
                duplicate_of: (number == 2).then(|| "a".into()),
                ..Marks::default()
            })
        };
        String::from_utf8(bench.write(&options, &edit)).unwrap()
    };
    assert_eq!(
        marked(MarkPlace::Attribute),
        text.replace("<doc id=\"b\">", "<doc id=\"b\" duplicate_of=\"a\">")
    );
    let first = marked(MarkPlace::FirstColumn);
    assert!(first.contains("\t\t\t0\tDas\tART\n") && first.contains("\t\t\t1\tNichts\tP\n"));
    assert!(marked(MarkPlace::LastColumn).contains("\t\t\tNichts\tP\t1\n"));
    let options = ReadOptions {
        vertical: VerticalOptions {
            word_column: Some(Column::Number(2)),
            ..VerticalOptions::default()
        },
        ..ReadOptions::default()
    };
    assert_eq!(
        read(&first, &options, 50).texts(),
        ["Das Haus. Es", "Nichts <"]
    );
}

#[test]
fn an_empty_first_column_stays_one() {
    let text = "<doc>\n<s>\nDas\tART\n\t$,\nHaus\tN\n</s>\n</doc>\n";
    let of = |text: &str, column: Option<usize>| {
        let options = ReadOptions {
            vertical: VerticalOptions {
                word_column: column.map(Column::Number),
                ..VerticalOptions::default()
            },
            ..ReadOptions::default()
        };
        read(text, &options, 50).texts()
    };
    assert_eq!(of(text, None), ["Das  Haus"]);
    assert_eq!(of(text, Some(2)), ["ART $, N"]);
    // Tags with indentation and tokens without.
    let tags = text.replace("<s>", "\t<s>").replace("</s>", "\t</s>");
    assert_eq!(of(&tags, Some(2)), ["ART $, N"]);
    // All tokens begin with white space: the first column cannot be that of the words, unless
    // another is named.
    let all = "<doc>\n\tDas\tART\n\tHaus\tN\n</doc>\n";
    assert_eq!(of(all, None), ["Das Haus"]);
    assert_eq!(of(all, Some(2)), ["Das Haus"]);
    assert_eq!(of(all, Some(3)), ["ART N"]);
    // Lines of white space are no tokens.
    assert_eq!(of("<doc>\n \n\t\n  Das\n</doc>\n", None), ["Das"]);
}

#[test]
fn a_named_column_is_the_token_that_a_line_counts_as() {
    let tokens = |column: Option<usize>| {
        let options = ReadOptions {
            vertical: VerticalOptions {
                word_column: column.map(Column::Number),
                ..VerticalOptions::default()
            },
            needs: Needs {
                own_tokens: true,
                ..Needs::default()
            },
            ..ReadOptions::default()
        };
        own(&read(FLAT, &options, 50))
    };
    let hashes = |words: &[&str]| {
        let ids = words.iter().map(|word| hash::token(word.as_bytes()).id);
        ids.collect::<Vec<_>>()
    };
    let lines = [
        "Das\tART",
        "Haus\tN",
        ".\t$.",
        "Es\tP",
        "Nichts\tP",
        "&lt;\tX",
    ];
    assert_eq!(tokens(None), hashes(&lines));
    assert_eq!(
        tokens(Some(1)),
        hashes(&["Das", "Haus", ".", "Es", "Nichts", "&lt;"])
    );
    assert_eq!(tokens(Some(2)), hashes(&["ART", "N", "$.", "P", "P", "X"]));
    let as_is = ReadOptions {
        vertical: VerticalOptions {
            word_column: Some(Column::Number(2)),
            ..VerticalOptions::default()
        },
        needs: Needs {
            as_is: true,
            ..Needs::default()
        },
        ..ReadOptions::default()
    };
    assert_eq!(read(FLAT, &as_is, 50).texts(), ["ART\nN\n$.\nP", "P\nX"]);
    let beyond = ReadOptions {
        vertical: VerticalOptions {
            word_column: Some(Column::Number(3)),
            ..VerticalOptions::default()
        },
        needs: Needs {
            own_tokens: true,
            ..Needs::default()
        },
        ..ReadOptions::default()
    };
    let bad = read(FLAT, &beyond, 50).read().bad;
    assert_eq!(bad.len(), 2);
    assert!(bad[0].error.message().contains("at least 3 columns"));
}

#[test]
fn a_document_that_is_cut_off_is_read_with_a_warning() {
    let repaired = |text: &str, size: usize| {
        let bench = read(text, &ReadOptions::default(), size);
        assert_eq!(bench.texts().len(), 2, "{text}");
        bench.collection.repaired()
    };
    let cut_off = |text: &str| {
        let found = repaired(text, 50);
        for size in SIZES {
            assert_eq!(repaired(text, size), found, "{text} {size}");
        }
        !found.is_empty()
    };
    for end in [
        "</doc>\n",
        "</doc>",
        "</p>\n</doc",
        "</s>\n</p>\n</doc>\n",
        "\t$.\n</s>\n<s>\nEs",
        "<s>\nEs\tP\n",
    ] {
        let second = FLAT.find("<doc id=\"b\"").unwrap();
        let whole = format!("{}{}", &FLAT[second..], &FLAT[..second]);
        let at = whole.rfind(end).unwrap_or_else(|| panic!("{end}"));
        let whole_end = end.ends_with("</doc>\n") || end == "</doc>";
        assert_eq!(cut_off(&whole[..at + end.len()]), !whole_end, "{end}");
    }
    // Documents that no tag closes are not cut off.
    assert!(!cut_off("<doc>\na\n<doc>\n<p>\nb\n"));
}
