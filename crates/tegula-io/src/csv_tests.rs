//! Dialects of CSV: read, kept byte for byte, edited, and refused where they do not fit.
#![allow(
    clippy::single_range_in_vec_init,
    reason = "a list of cuts may hold one"
)]

use crate::convert::FieldValue;
use crate::edit::Edit;
use crate::options::{CsvOptions, ReadOptions};
use crate::rewrite::RewriteOptions;
use crate::rewrite::tests::{SIZES, bench, marks};

fn plain() -> ReadOptions {
    ReadOptions::default()
}

/// The texts of a file at any size of blocks, which comes back as it is; of a long one in large blocks.
fn texts(text: &str, options: &ReadOptions) -> Vec<String> {
    let mut all = Vec::new();
    let least = text.len() / 8;
    for size in SIZES.into_iter().filter(|size| *size >= least) {
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
        csv: CsvOptions {
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
        csv: CsvOptions {
            quote: Some(tegula::declare::Character(0)),
            ..escaped.csv.clone()
        },
        ..escaped.clone()
    };
    assert_eq!(texts(bare, &options), ["a;b", "c\nd", "e"]);
    // What is not closed is refused, with its record.
    let open = "id,text\n1,\"a \\\"b\\\" c\"\n2,\"d \\\"\n";
    let quoted = ReadOptions {
        csv: CsvOptions {
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
fn a_quote_that_swallows_rows_makes_a_bad_record() {
    let table = "id,text\n1,\"one\ntwo\"\n2,\"open\n3,\"swallowed\"\n4,four\n";
    let (read, error) = refused(table, &plain());
    assert_eq!(read, 2);
    assert!(
        error.contains("a.csv: record 2: expected a delimiter or the end of the row"),
        "{error}"
    );
    // In one line it is careless, and swallows nothing; nor do spaces.
    let careless = "text,id\n\"one\" two,1\n\"three\nfour\" ,2\n";
    assert_eq!(texts(careless, &plain()), ["one two", "three\nfour "]);
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
        found.collection.passed_over()[0]
            .reasons()
            .collect::<Vec<_>>(),
        [("comment lines", 2)]
    );
    let named = ReadOptions {
        csv: CsvOptions {
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
        found.collection.passed_over()[0]
            .reasons()
            .collect::<Vec<_>>(),
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
        csv: CsvOptions {
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

/// The detected delimiter, and the number of columns.
fn columns(name: &str, text: &str, key: &str) -> (char, usize) {
    let options = ReadOptions {
        text_key: vec![key.into()],
        ..plain()
    };
    let found = bench(name, text.as_bytes(), &options, 1000);
    let dialect = found.collection.describe(0).unwrap().dialect.unwrap();
    (dialect.delimiter, dialect.columns.len())
}

#[test]
fn rare_delimiters_are_those_under_which_all_rows_agree() {
    for (table, delimiter, width) in [
        ("a#b#c\nd, e#f#g\nh#i#j\nk, l#m#n\no#p#q\n", '#', 3),
        ("a 1 b\nc 2 d\ne 3 f\ng 4 \"h i\"\nj 5 k\n", ' ', 3),
        (
            "root:x:0:root:/root:/bin/sh\nbin:x:1:::\nsys:x:3:a b::\nman:x:6:::\nlp:x:7:,,,::\n",
            ':',
            6,
        ),
    ] {
        assert_eq!(columns("a.csv", table, "1"), (delimiter, width), "{table}");
        let more = format!("{table}one of another width\n");
        assert_eq!(columns("a.csv", &more, "1").0, ',', "{more}");
    }
    assert_eq!(texts("id:text\n1:a\n2:b, c\n", &plain()), ["a", "b, c"]);
    assert_eq!(texts("id text\n1 \"a b\"\n2 c\n", &plain()), ["a b", "c"]);
    for prose in [
        // Few lines, two words each, and hashtags.
        "a b c\nd e f\ng h i\n",
        "Ann Lee\nBob Orr\nCid Poe\nDan Roe\nEve Sol\nFay Tor\n",
        "#a\n#b\n#c\n#d\n#e\n#f\n",
        "text\n12:30:15\n12:30:16\n12:30:17\n12:30:18\n",
        // The usual ones agree as well, or have more cells.
        "a,12:30:15\nb,12:30:16\nc,12:30:17\nd,12:30:18\ne,12:30:19\n",
        "a,b,c,12:30:15\nb,c,d,12:30:16\nc,d,e,12:30:17\nd,e,f,g,12:30:18\ne,f,g,12:30:19\n",
    ] {
        let key = if prose.starts_with("text") {
            "text"
        } else {
            "1"
        };
        assert_eq!(columns("a.csv", prose, key).0, ',', "{prose}");
    }
    let named = "a#b#c\nd#e#f\ng#h#i\nj#k#l\nm#n#o\n";
    assert_eq!(columns("a.tsv", named, "1").0, '\t');
    assert_eq!(columns("a.csv", &format!("sep=;\n{named}"), "1").0, ';');
}

#[test]
fn last_columns_may_be_missing_in_all_rows() {
    let table = "id,text,by,\n1,a\n2,b\n3,c\n";
    assert_eq!(texts(table, &plain()), ["a", "b", "c"]);
    let found = bench("a.csv", table.as_bytes(), &plain(), 1000);
    let style = RewriteOptions {
        marks: true,
        ..RewriteOptions::default()
    };
    let marked = found.write(&style, &|_, _| Edit::Mark(marks(false)));
    let marked = shown(&marked);
    let widths: Vec<usize> = marked
        .lines()
        .map(|line| line.matches(',').count())
        .collect();
    assert_eq!(widths, [6; 4], "{marked}");
    assert!(marked.contains("\n1,a,,,"), "{marked}");
    // A row may have all.
    let full = format!("{table}4,d,me,\n");
    let rows: String = (0..300).map(|at| at.to_string() + ",t\n").collect();
    let long = ["id,text,by\n", &rows, "300,u,me\n"].concat();
    assert_eq!(texts(&long, &plain())[300], "u");
    // Not where rows differ, where there are few, or where the text is missing.
    for (table, read, said) in [
        (full.as_str(), 1, "record 1: expected 4 cells, found 2"),
        ("id,text,by\n1,a\n2,b\n", 0, "expected 3 cells, found 2"),
        (
            "id,by,text\n1,a\n2,b\n3,c\n",
            0,
            "expected 3 cells, found 2",
        ),
        (
            "id,text,by\n1,a\n2,b\n3,c\n4\n",
            0,
            "expected 3 cells, found 2",
        ),
    ] {
        let (found, error) = refused(table, &plain());
        assert_eq!(found, read, "{table}");
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn characters_with_two_meanings_are_refused() {
    for options in [
        ReadOptions {
            csv: CsvOptions {
                escape: Some(tegula::declare::Character(b',')),
                delimiter: Some(tegula::declare::Character(b',')),
                ..plain().csv
            },
            ..plain()
        },
        ReadOptions {
            csv: CsvOptions {
                comment: Some(tegula::declare::Character(b'\n')),
                ..plain().csv
            },
            ..plain()
        },
        ReadOptions {
            csv: CsvOptions {
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
        csv: CsvOptions {
            escape: Some(tegula::declare::Character(b'"')),
            quote: Some(tegula::declare::Character(b'"')),
            ..plain().csv
        },
        ..plain()
    };
    assert_eq!(texts("id,text\n1,\"a \"\"b\"\"\"\n", &options), ["a \"b\""]);
}
