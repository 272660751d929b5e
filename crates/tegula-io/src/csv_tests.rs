//! Dialects of CSV: read, kept byte for byte, edited, and refused where they do not fit.
#![allow(
    clippy::single_range_in_vec_init,
    reason = "a list of cuts may hold one"
)]

use crate::convert::FieldValue;
use crate::edit::Edit;
use crate::options::ReadOptions;
use crate::rewrite::RewriteOptions;
use crate::rewrite::tests::{SIZES, bench, marks};

fn plain() -> ReadOptions {
    ReadOptions::default()
}

/// The texts of a file at any size of blocks, which comes back as it is.
fn texts(text: &str, options: &ReadOptions) -> Vec<String> {
    let mut all = Vec::new();
    for size in SIZES {
        let found = bench("a.csv", text.as_bytes(), options, size);
        let batch = found.read();
        assert!(batch.bad.is_empty(), "size {size}: {:?}", batch.bad);
        found.check_lossless(text.as_bytes());
        all.push(found.texts());
    }
    assert!(all.iter().all(|texts| *texts == all[0]));
    all.swap_remove(0)
}

fn shown(out: &[u8]) -> String {
    String::from_utf8(out.to_vec()).unwrap()
}

/// What is wrong with the first bad record, and how many are read.
fn refused(text: &str, options: &ReadOptions) -> (usize, String) {
    let batch = bench("a.csv", text.as_bytes(), options, 50).read();
    (batch.records.len(), batch.bad[0].error.to_string())
}

#[test]
fn a_quote_after_a_backslash_belongs_to_the_text() {
    let table = "id,text,n\n1,\"he said \\\"yes, I do\\\" and left\",5\n2,\"C:\\\\new\\name\",6\n3,plain,7\n";
    let expected = ["he said \"yes, I do\" and left", "C:\\new\\name", "plain"];
    assert_eq!(texts(table, &plain()), expected);
    let escaped = ReadOptions {
        csv: crate::options::CsvOptions {
            escape: Some(tegula::declare::Character(b'\\')),
            ..plain().csv
        },
        ..plain()
    };
    assert_eq!(texts(table, &escaped), expected);
    let found = bench("a.csv", table.as_bytes(), &plain(), 1000);
    let dialect = found.collection.describe(0).unwrap().dialect.unwrap();
    assert_eq!(dialect.escape, Some('\\'));
    // A cut text is escaped again, and a mark as well.
    let out = found.write(&RewriteOptions::default(), &|_, number| {
        if number == 1 {
            Edit::Cut(vec![0..3])
        } else {
            Edit::Keep
        }
    });
    assert!(
        shown(&out).contains("\"said \\\"yes, I do\\\" and left\""),
        "{}",
        shown(&out)
    );
    // Some programs escape both kinds of quotes.
    let both = "id,text\n1,\"can\\'t \\\"open\\\" it\"\n";
    assert_eq!(texts(both, &plain()), ["can't \"open\" it"]);
    // Without an escape, a backslash before a quote is the end of a text.
    let paths = "id,text,n\n1,\"C:\\\",5\n2,\"D:\\x\\\",6\n3,\"say \"\"a\"\"\",7\n";
    assert_eq!(texts(paths, &plain()), ["C:\\", "D:\\x\\", "say \"a\""]);
    // The first escape may be far down.
    let mut long = String::from("id,text\n");
    for at in 0..400 {
        long += &[at.to_string(), format!(",\"text {at}, of some words\"\n")].concat();
    }
    long.push_str("400,\"so \\\"it\\\", he said\"\n");
    assert_eq!(texts(&long, &plain())[400], "so \"it\", he said");
    // Without quotes, delimiters and line ends are escaped.
    let bare = "id;text\n1;a\\;b\n2;c\\\nd\n3;e\n";
    let options = ReadOptions {
        csv: crate::options::CsvOptions {
            quote: Some(tegula::declare::Character(0)),
            ..escaped.csv.clone()
        },
        ..escaped.clone()
    };
    assert_eq!(texts(bare, &options), ["a;b", "c\nd", "e"]);
    // What is not closed is refused, with its record.
    let open = "id,text\n1,\"a \\\"b\\\" c\"\n2,\"d \\\"\n";
    let quoted = ReadOptions {
        csv: crate::options::CsvOptions {
            quote: Some(tegula::declare::Character(b'"')),
            ..escaped.csv.clone()
        },
        ..escaped.clone()
    };
    let (read, error) = refused(open, &quoted);
    assert_eq!(read, 1);
    assert!(
        error.contains("a.csv: record 2: expected a closing quote"),
        "{error}"
    );
}

#[test]
fn a_first_line_may_tell_the_delimiter() {
    for (line, delimiter) in [
        ("sep=;\r\n", ";"),
        ("SEP=|\n", "|"),
        ("\"sep=;\"\n", ";"),
        ("sep=\t\r\n", "\t"),
        ("\u{feff}sep=^\n", "^"),
    ] {
        let table = format!("{line}id;text;n\n1;a, b;2\n3;c, d;4\n").replace(';', delimiter);
        assert_eq!(texts(&table, &plain()), ["a, b", "c, d"], "{table}");
        let found = bench("a.csv", table.as_bytes(), &plain(), 8);
        let marked = found.write(
            &RewriteOptions {
                marks: true,
                ..RewriteOptions::default()
            },
            &|_, number| {
                if number == 1 {
                    Edit::Drop
                } else {
                    Edit::Mark(marks(false))
                }
            },
        );
        let marked = String::from_utf8(marked).unwrap();
        assert!(marked.starts_with(line), "{marked}");
        let header = marked.lines().nth(1).unwrap();
        assert!(
            header.starts_with("id") && header.contains("duplicate_of"),
            "{marked}"
        );
    }
    // A column of this name is none.
    assert_eq!(texts("sep=a,text\n1,x\n2,y\n", &plain()), ["x", "y"]);
}

#[test]
fn comments_before_the_header_and_named_ones_are_passed_over() {
    let table = "# made by hand, 2020; with care\n#\nid,text\n1,a\n2,#b\n#3,c\n";
    assert_eq!(texts(table, &plain()), ["a", "#b", "c"]);
    let found = bench("a.csv", table.as_bytes(), &plain(), 3);
    found.read();
    assert_eq!(
        found.collection.passed_over()[0].reasons,
        [("comment lines", 2)]
    );
    let named = ReadOptions {
        csv: crate::options::CsvOptions {
            comment: Some(tegula::declare::Character(b'#')),
            ..plain().csv
        },
        ..plain()
    };
    assert_eq!(texts(table, &named), ["a", "#b"]);
    let inside = "id,text\n# a comment, with \"quotes\n1,a\n#\n2,\"b\n# in it\"\n";
    assert_eq!(texts(inside, &named), ["a", "b\n# in it"]);
    let found = bench("a.csv", inside.as_bytes(), &named, 3);
    let out = found.write(&RewriteOptions::default(), &|_, number| {
        if number == 1 { Edit::Drop } else { Edit::Keep }
    });
    assert_eq!(shown(&out), inside.replace("1,a\n", ""));
    assert_eq!(
        found.collection.passed_over()[0].reasons,
        [("comment lines", 2)]
    );
    let (read, error) = refused("id,text\n1,a\n# a comment\n2,b\n", &plain());
    assert_eq!(read, 2);
    assert!(
        error.contains("record 2: expected 2 cells, found 1"),
        "{error}"
    );
    // A header or rows that begin so are none.
    assert_eq!(texts("#id,text\n1,a\n2,b\n", &plain()), ["a", "b"]);
    let options = ReadOptions {
        text_key: vec!["2".into()],
        csv: crate::options::CsvOptions {
            no_header: true,
            ..plain().csv
        },
        ..plain()
    };
    assert_eq!(texts("#x,a\n#y,b\nz,c\n", &options), ["a", "b", "c"]);
    let genomes = "\n##made 1\n\n##by x, y, z\n#id\ttext\n1\ta\n2\tb\n";
    assert_eq!(texts(genomes, &plain()), ["a", "b"]);
}

#[test]
fn columns_of_one_name_are_told_apart() {
    let table = "id,text,note,note,note_2\n1,a,x,y,z\n2,b,u,v,w\n";
    let found = bench("a.csv", table.as_bytes(), &plain(), 1000);
    let columns = found
        .collection
        .describe(0)
        .unwrap()
        .dialect
        .unwrap()
        .columns;
    assert_eq!(columns, ["id", "text", "note", "note_3", "note_2"]);
    assert_eq!(texts(table, &plain()), ["a", "b"]);
    for piece in found.collection.pieces(0, None) {
        let crate::block::Piece::Block(block) = piece.unwrap() else {
            panic!("a block");
        };
        let fields = block.plan.format.fields("1,a,x,y,z\n").unwrap();
        let names: std::collections::HashSet<_> = fields.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), fields.len());
        assert_eq!(fields[3].1, FieldValue::Text("y".into()));
    }
    let twice = "id,text,text\n1,a,b\n2,c,d\n";
    let (read, error) = refused(twice, &plain());
    assert_eq!(read, 0);
    assert!(
        error.contains("record 1: expected one column `text`, found several: columns 2, 3"),
        "{error}"
    );
    // A number is a column here, whatever the cells of the first row are.
    let numbers = ReadOptions {
        text_key: vec!["1".into()],
        ..plain()
    };
    assert_eq!(texts("1,1,x\n2,1,y\n", &numbers), ["1", "2"]);
    for (key, expected) in [("2", ["a", "c"]), ("3", ["b", "d"]), ("text_2", ["b", "d"])] {
        let options = ReadOptions {
            text_key: vec![key.into()],
            ..plain()
        };
        assert_eq!(texts(twice, &options), expected, "{key}");
    }
}

#[test]
fn dialects_that_people_meet_are_read() {
    for (table, expected) in [
        ("id\rtext\r", &[][..]),
        ("id,text\r1,a\r2,\"b\nc\"\r", &["a", "b\nc"]),
        ("\u{feff}id\ttext\r\n1\ta b\r\n2\tc\r\n", &["a b", "c"]),
        ("id|text|n\n1|a, b; c|2\n2|d|3\n", &["a, b; c", "d"]),
        (
            "\"id\";\"text\"\n\"1\";\"a; \"\"b\"\"\"\n\n\n\"2\";\"c\r\nd\"\n",
            &["a; \"b\"", "c\r\nd"],
        ),
        (",text,label\n0,a,x\n1,b,y\n", &["a", "b"]),
    ] {
        if !expected.is_empty() {
            assert_eq!(texts(table, &plain()), expected, "{table}");
        }
    }
    let (read, error) = refused("id,text\n1,a\n2\n3,b,c\n4,d\n", &plain());
    assert_eq!(read, 2);
    assert!(
        error.contains("record 2: expected 2 cells, found 1"),
        "{error}"
    );
}

#[test]
fn characters_with_two_meanings_are_refused() {
    for options in [
        ReadOptions {
            csv: crate::options::CsvOptions {
                escape: Some(tegula::declare::Character(b',')),
                delimiter: Some(tegula::declare::Character(b',')),
                ..plain().csv
            },
            ..plain()
        },
        ReadOptions {
            csv: crate::options::CsvOptions {
                comment: Some(tegula::declare::Character(b'\n')),
                ..plain().csv
            },
            ..plain()
        },
        ReadOptions {
            csv: crate::options::CsvOptions {
                comment: Some(tegula::declare::Character(b'"')),
                quote: Some(tegula::declare::Character(b'"')),
                ..plain().csv
            },
            ..plain()
        },
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.csv");
        std::fs::write(&file, "text\na\n").unwrap();
        let opened = crate::collection::Collection::open(&[file], &options, folder.path());
        assert_eq!(
            opened.err().unwrap().kind(),
            tegula::error::ErrorKind::Usage
        );
    }
    // Doubled quotes can be said in this way, too.
    let options = ReadOptions {
        csv: crate::options::CsvOptions {
            escape: Some(tegula::declare::Character(b'"')),
            quote: Some(tegula::declare::Character(b'"')),
            ..plain().csv
        },
        ..plain()
    };
    assert_eq!(texts("id,text\n1,\"a \"\"b\"\"\"\n", &options), ["a \"b\""]);
}
