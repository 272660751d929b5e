//! What is cut out of TEI, and how it is marked.

use super::*;

fn cut(text: &str, cuts: &[Range<usize>]) -> String {
    let bench = bench("a.xml", text.as_bytes(), &ReadOptions::default(), 50);
    let out = bench.write(&RewriteOptions::default(), &|_, n| {
        if n == 1 {
            Edit::Cut(cuts.to_vec())
        } else {
            Edit::Keep
        }
    });
    well_formed(&out);
    String::from_utf8(out).unwrap()
}

/// The position of a part in a text.
fn place(text: &str, part: &str) -> Range<usize> {
    let at = text.find(part).unwrap();
    at..at + part.len()
}

#[test]
fn a_unit_goes_from_tag_to_tag() {
    for (unit, element) in [
        (
            "Grün ist die Hoffnung.\nAb.",
            "<p n='1'>Gr&uuml;n ist\n     die <hi>H</hi>offnung<note>nein</note>. <stage>Ab.</stage></p>",
        ),
        (
            "<b> & & A &auml;&far;",
            "<p><![CDATA[<b> & ]]>&amp; &#x41;<pb n=\"2\"/>&auml;&far;</p>",
        ),
        (
            "Erste Zeile,\nzweite.",
            "<lg><l>Erste Zeile,</l><l>zweite.</l></lg>",
        ),
        ("Allein", "<l>Allein</l>"),
        ("Ende.", "<s>Ende.</s>"),
    ] {
        assert_eq!(
            cut(PLAY, &[place(TEXT, unit)]),
            PLAY.replace(element, ""),
            "{unit}"
        );
    }
    // Sentences that the file does not mark are characters, and elements that lose all of theirs.
    assert_eq!(
        cut(PLAY, &[place(TEXT, "A &auml;")]),
        PLAY.replace("&#x41;", "").replace("&auml;", "")
    );
    assert_eq!(
        cut(PLAY, &[place(TEXT, "die Hoff")]),
        PLAY.replace("die <hi>H</hi>off", "")
    );
    assert_eq!(
        cut(PLAY, &[place(TEXT, "b> &")]),
        PLAY.replace("[<b> &", "[<")
    );
}

#[test]
fn a_cut_makes_no_markup_of_text() {
    for (text, part, left) in [
        ("<a><p>x]]y> z</p></a>", "y", "x]]> z"),
        ("<a><p><![CDATA[x]]y>]]></p></a>", "y", "x]]>"),
        ("<a><p>u]<hi>y</hi>]>v</p></a>", "y", "u]]>v"),
    ] {
        let whole = bench("a.xml", text.as_bytes(), &ReadOptions::default(), 50)
            .texts()
            .remove(0);
        let out = cut(text, &[place(&whole, part)]);
        assert_eq!(
            bench("a.xml", out.as_bytes(), &ReadOptions::default(), 50).texts(),
            [left],
            "{out}"
        );
    }
}

#[test]
fn marks_are_attributes_and_taken_out_again_nothing_is_left() {
    let marks = |text: Range<usize>| Marks {
        cluster_id: Some("k".into()),
        spans: Some(vec![SpanMark {
            text,
            duplicate_of: Some("<w> \"1\"".into()),
            score: 0.5,
        }]),
        ..Marks::default()
    };
    let bench1 = bench("a.xml", PLAY.as_bytes(), &ReadOptions::default(), 50);
    let added = " duplicate_of=\"&lt;w&gt; &quot;1&quot;\" duplicate_score=\"0.5\"";
    for (unit, tag) in [
        ("Grün ist die Hoffnung.\nAb.", "<p n='1'"),
        ("Allein", "<l>Allein"),
        ("Aus!", "<s>Aus!"),
    ] {
        let marks = marks(place(TEXT, unit));
        let out = bench1.write(&RewriteOptions::default(), &|_, _| {
            Edit::Mark(marks.clone())
        });
        well_formed(&out);
        let out = String::from_utf8(out).unwrap();
        assert_eq!(
            out.replace(added, "").replace(" cluster_id=\"k\"", ""),
            PLAY
        );
        let name = tag.find('>').unwrap_or(tag.len());
        assert!(
            out.contains(&format!("{}{added}{}", &tag[..name], &tag[name..])),
            "{out}"
        );
        assert!(out.contains("rend = \"a &gt; b\" cluster_id=\"k\"\n>"));
    }
    let refused = |style: MarkStyle, marks: Marks| {
        let options = RewriteOptions {
            marks: true,
            style,
            threads: 1,
        };
        bench1
            .write_as("out", &options, &|_, _| Edit::Mark(marks.clone()))
            .unwrap_err()
            .to_string()
    };
    let plain = MarkStyle::default;
    // A unit without an element gets one around its characters.
    let out = bench1.write(&RewriteOptions::default(), &|_, _| {
        Edit::Mark(marks(place(TEXT, "offnung")))
    });
    well_formed(&out);
    let out = String::from_utf8(out).unwrap();
    let bare = out
        .replace(&format!("<seg{added}>"), "")
        .replace("</seg>", "")
        .replace(" cluster_id=\"k\"", "");
    assert!(
        out.contains(&format!("<seg{added}>offnung</seg>")) && bare == PLAY,
        "{out}"
    );
    assert!(
        refused(
            MarkStyle {
                place: MarkPlace::Misc,
                ..plain()
            },
            Marks::default()
        )
        .contains("expected attribute or standoff for TEI")
    );
    assert!(
        refused(
            MarkStyle {
                prefix: "x:".into(),
                ..plain()
            },
            Marks::default()
        )
        .contains("mark_prefix")
    );
    let taken = bench("a.xml", b"<a cluster_id='x'/>", &ReadOptions::default(), 50);
    let error = taken.write_as("out", &RewriteOptions::default(), &|_, _| {
        Edit::Mark(Marks {
            cluster_id: Some("k".into()),
            ..Marks::default()
        })
    });
    assert!(
        error
            .unwrap_err()
            .message()
            .contains("already has a field `cluster_id`")
    );
}

#[test]
fn marks_can_stand_in_a_file_beside() {
    let text = CORPUS
        .replace("<p>Drei", "<p xml:id='d'>Drei")
        .replace("id='a'", "id='ä &amp; b'");
    for (label, size) in [("utf-8", 1), ("utf-8", 1000), ("utf-16le", 60)] {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        encode(&text, encoding, |c| panic!("{c}"), &mut bytes);
        let bench = bench(
            "ein Text.xml",
            &bytes,
            &ReadOptions {
                encoding: Some(label.into()),
                ..ReadOptions::default()
            },
            size,
        );
        let style = MarkStyle {
            place: MarkPlace::Standoff,
            prefix: "t_".into(),
            ..MarkStyle::default()
        };
        let options = RewriteOptions {
            marks: true,
            style,
            threads: 2,
        };
        let span = |text: Range<usize>| SpanMark {
            text,
            duplicate_of: Some("<w>".into()),
            score: 1.0,
        };
        let edit = |_, number| {
            Edit::Mark(match number {
                1 => Marks {
                    cluster_id: Some("k".into()),
                    ..Marks::default()
                },
                2 => Marks {
                    spans: Some(vec![span(0..5), span(6..11)]),
                    ..Marks::default()
                },
                _ => Marks::default(),
            })
        };
        let out = bench.write_as("ein Text.xml", &options, &edit).unwrap();
        assert_eq!(show(&out), show(&bytes));
        let beside =
            std::fs::read_to_string(bench.dir.path().join("out/ein Text.xml.standoff")).unwrap();
        well_formed(beside.as_bytes());
        let spans: Vec<&str> = beside
            .lines()
            .filter(|line| line.starts_with("<span "))
            .collect();
        let (file, marks) = (
            "ein%20Text.xml",
            "<note type=\"t_duplicate_of\">&lt;w&gt;</note><note type=\"t_duplicate_score\">1</note></span>",
        );
        for (line, (target, element, marks)) in spans.iter().zip([
            (
                format!("{file}#ä &amp; b"),
                "<TEI xml:id='ä &amp; b'><text><p>Eins.</p></text></TEI>",
                "<note type=\"t_cluster_id\">k</note></span>",
            ),
            (file.to_owned(), "<p>Zwei.</p>", marks),
            (format!("{file}#d"), "<p xml:id='d'>Drei.</p>", marks),
        ]) {
            let mut element_bytes = Vec::new();
            encode(element, encoding, |c| panic!("{c}"), &mut element_bytes);
            let start = bytes
                .windows(element_bytes.len())
                .position(|window| window == element_bytes)
                .unwrap();
            let end = start + element_bytes.len();
            assert_eq!(
                *line,
                format!("<span target=\"{target}\" n=\"{start}-{end}\">{marks}")
            );
        }
        assert_eq!(spans.len(), 3);
    }
}
