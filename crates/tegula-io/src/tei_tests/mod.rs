//! TEI and I5 files: read, kept, cut and marked.
#![allow(
    clippy::single_range_in_vec_init,
    reason = "a list of cuts may hold one"
)]

mod edits;
mod words;

use crate::edit::{Edit, Marks, SpanMark};
use crate::encoding::encode;
use crate::options::{Needs, ReadOptions, Reading, TagOptions, TeiOptions};
use crate::outputs::Outputs;
use crate::rewrite::tests::{Bench, SIZES, bench, show};
use crate::rewrite::{MarkPlace, MarkStyle, RewriteOptions, rewrite};
use crate::target::Target;
use quick_xml::events::Event;
use std::ops::Range;

/// A play of one document.
pub(crate) const PLAY: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<?xml-model href='x.rng'?>\n\
<!DOCTYPE TEI [<!ENTITY uuml \"&#252;\"><!ENTITY far SYSTEM \"file:///etc/hostname\">]>\n<!-- <TEI> -->\n\
<TEI xmlns=\"http://www.tei-c.org/ns/1.0\" xml:id='ger1' rend = \"a &gt; b\"\n>\n <teiHeader><title>Kopf</title><date when=\"1835\">fr&uuml;h</date>\n\
  <author><name>B&#252;chner</name></author></teiHeader>\n <text><body>\n  <div><head>Erste Szene</head>\n\
   <sp who=\"#a\"><speaker>A.</speaker>\n    <p n='1'>Gr&uuml;n ist\n     die <hi>H</hi>offnung<note>nein</note>. <stage>Ab.</stage></p>\n\
    <p><![CDATA[<b> & ]]>&amp; &#x41;<pb n=\"2\"/>&auml;&far;</p>\n    <lg><l>Erste Zeile,</l><l>zweite.</l></lg></sp>\n\
   <sp><l>Allein</l><p/><ab>Zu<choice>\n <sic>lezt</sic> <corr>letzt</corr>\n</choice> <s>Ende.</s><s>Aus!</s></ab></sp></div>\n </body></text>\n</TEI>\n<!-- Schluss -->\n";

/// Its text.
const TEXT: &str = "Erste Szene\nA.\nGrün ist die Hoffnung.\nAb.\n<b> & & A &auml;&far;\nErste Zeile,\nzweite.\nAllein\nZuletzt Ende. Aus!";

/// A corpus of two documents.
pub(crate) const CORPUS: &str = "<?xml version='1.0'?><teiCorpus><teiHeader><p>no</p></teiHeader>\n<TEI xml:id='a'><text><p>Eins.</p></text></TEI> \
<TEI n='2'><teiHeader><idno>x</idno></teiHeader><text><p>Zwei.</p><p>Drei.</p></text></TEI>\n<TEI/></teiCorpus>\n";

/// Panics if the bytes are not well-formed XML, according to quick-xml.
fn well_formed(bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).unwrap();
    let mut reader = quick_xml::Reader::from_str(text);
    let (mut depth, mut roots) = (0, 0);
    loop {
        match reader
            .read_event()
            .unwrap_or_else(|error| panic!("{error}: {text}"))
        {
            Event::Start(tag) => {
                tag.attributes()
                    .for_each(|attribute| drop(attribute.unwrap()));
                roots += usize::from(depth == 0);
                depth += 1;
            }
            Event::Empty(_) => roots += usize::from(depth == 0),
            Event::End(_) => depth -= 1,
            Event::Text(text) => assert!(depth > 0 || text.trim().is_empty()),
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!((depth, roots), (0, 1), "{text}");
}

fn segments(bench: &Bench) -> Vec<String> {
    let batch = bench.read();
    let all = batch.records.iter().flat_map(|record| {
        batch
            .segments_of(record)
            .iter()
            .map(|segment| batch.text_of(record)[segment.text.clone()].to_owned())
    });
    all.collect()
}

#[test]
fn a_play_is_one_document_with_its_paragraphs_and_header() {
    for size in SIZES {
        for text in [
            PLAY.to_owned(),
            PLAY.replace('\n', "\r\n"),
            format!("\u{feff}{PLAY}"),
        ] {
            let fields = ["title", "date", "author", "rend", "who"]
                .map(str::to_owned)
                .to_vec();
            let options = ReadOptions {
                needs: Needs {
                    fields,
                    ..Needs::default()
                },
                ..ReadOptions::default()
            };
            let bench = bench("a.xml", text.as_bytes(), &options, size);
            assert_eq!(bench.texts(), [TEXT]);
            let batch = bench.read();
            assert_eq!(batch.ids, "ger1");
            let values: Vec<_> = batch.fields.iter().map(Option::as_deref).collect();
            assert_eq!(
                values,
                [
                    Some("Kopf"),
                    Some("1835"),
                    Some("Büchner"),
                    Some("a > b"),
                    None
                ]
            );
            assert_eq!(
                segments(&bench),
                [
                    "Grün ist die Hoffnung.\nAb.",
                    "<b> & & A &auml;&far;",
                    "Erste Zeile,\nzweite.",
                    "Allein",
                    "Zuletzt Ende. Aus!",
                    "Ende.",
                    "Aus!"
                ]
            );
            let out = bench.write(&RewriteOptions::default(), &|_, _| Edit::Keep);
            assert_eq!(show(&out), show(text.as_bytes()));
        }
    }
}

#[test]
fn a_document_that_is_the_file_goes_with_it() {
    let bench = bench("a.xml", PLAY.as_bytes(), &ReadOptions::default(), 100);
    let path = bench.dir.path().join("out/a.xml");
    let target = Target::resolve(&path, &bench.collection).unwrap();
    let keep = |edit: Edit| {
        let outputs = Outputs::default();
        let edits = move |_, _| edit.clone();
        rewrite(
            &bench.collection,
            (&outputs, &target),
            &edits,
            &RewriteOptions::default(),
            &|_| Ok(()),
        )
        .unwrap();
        outputs.publish().unwrap().named
    };
    assert_eq!(keep(Edit::Keep), [std::fs::canonicalize(&path).unwrap()]);
    assert!(keep(Edit::Drop).is_empty());
    assert!(!path.exists());
}

#[test]
fn a_corpus_holds_documents() {
    for size in SIZES {
        let bench = bench("a.xml", CORPUS.as_bytes(), &ReadOptions::default(), size);
        assert_eq!(bench.texts(), ["Eins.", "Zwei.\nDrei.", ""]);
        assert_eq!(bench.read().ids, "a");
        bench.check_lossless(CORPUS.as_bytes());
        let out = bench.write(&RewriteOptions::default(), &|_, _| Edit::Drop);
        well_formed(&out);
    }
}

#[test]
fn other_elements_can_be_documents_and_paragraphs() {
    let options = ReadOptions {
        tags: TagOptions {
            par_tag: Some("hi,stage".into()),
            ..TagOptions::default()
        },
        tei: TeiOptions {
            doc_element: Some("sp".into()),
            skip_element: vec!["speaker".into()],
            reading: Some(Reading::Original),
        },
        needs: Needs {
            fields: vec!["who".into()],
            ..Needs::default()
        },
        ..ReadOptions::default()
    };
    for size in SIZES {
        let bench = bench("a.xml", PLAY.as_bytes(), &options, size);
        assert_eq!(
            bench.texts(),
            [
                "Grün ist die\nH\noffnung\nnein\n.\nAb.\n<b> & & A &auml;&far;\nErste Zeile,\nzweite.",
                "Allein\nZulezt Ende. Aus!"
            ]
        );
        assert_eq!(segments(&bench), ["H", "Ab.", "Ende.", "Aus!"]);
        assert_eq!(bench.read().fields, [Some("#a".into()), None]);
        bench.check_lossless(PLAY.as_bytes());
        well_formed(&bench.write(&RewriteOptions::default(), &|_, _| Edit::Drop));
    }
    let none = ReadOptions {
        tei: TeiOptions {
            doc_element: Some("idsText".into()),
            ..TeiOptions::default()
        },
        ..ReadOptions::default()
    };
    let batch = bench("a.xml", PLAY.as_bytes(), &none, 50).read();
    assert!(
        batch.bad[0]
            .error
            .message()
            .ends_with("expected documents in <idsText>, found none in the file"),
        "{:?}",
        batch.bad
    );
}

#[test]
fn an_i5_text_has_its_sigle_for_an_id() {
    let text = "<idsCorpus><idsHeader><c.title>C</c.title></idsHeader><idsDoc><idsHeader/>\n<idsText id='T.1'><idsHeader><textSigle> T/1\n</textSigle>\
        <pubDate>2019</pubDate></idsHeader><text><p><s>Ein Satz.</s> <s>Noch einer.</s></p></text></idsText></idsDoc></idsCorpus>";
    let options = ReadOptions {
        needs: Needs {
            fields: vec!["pubDate".into(), "c.title".into()],
            ..Needs::default()
        },
        ..ReadOptions::default()
    };
    let bench = bench("a.i5.xml", text.as_bytes(), &options, 30);
    assert_eq!(bench.texts(), ["Ein Satz. Noch einer."]);
    let batch = bench.read();
    assert_eq!(
        (batch.ids.as_str(), &batch.fields[..]),
        ("T/1", &[Some("2019".into()), None][..])
    );
    assert_eq!(
        segments(&bench),
        ["Ein Satz. Noch einer.", "Ein Satz.", "Noch einer."]
    );
}

#[test]
fn declared_encodings_hold_and_bytes_stay() {
    for (label, declared) in [
        ("windows-1252", "iso-8859-1"),
        ("windows-1252", "Windows-1252"),
        ("utf-16le", "utf-16"),
        ("utf-16be", "UTF-16"),
        ("gb18030", "GB18030"),
    ] {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
        for text in [PLAY, CORPUS] {
            let text = text
                .replacen(" encoding=\"utf-8\"", "", 1)
                .replacen("?>", &format!(" encoding='{declared}'?>"), 1)
                .replace("Eins", "Größe");
            let mut bytes = Vec::new();
            encode(&text, encoding, |c| panic!("{c}"), &mut bytes);
            for size in SIZES {
                let (wide, narrow) = (
                    bench("a.xml", &bytes, &ReadOptions::default(), size),
                    bench(
                        "a.xml",
                        text.as_bytes(),
                        &ReadOptions {
                            encoding: Some("utf-8".into()),
                            ..ReadOptions::default()
                        },
                        size,
                    ),
                );
                assert_eq!(wide.texts(), narrow.texts(), "{label}");
                let edit = |_, number| match number {
                    1 => Edit::Mark(Marks {
                        cluster_id: Some("ü\u{1F600}".into()),
                        ..Marks::default()
                    }),
                    _ => Edit::Keep,
                };
                let edited =
                    String::from_utf8(narrow.write(&RewriteOptions::default(), &edit)).unwrap();
                let mut expected = Vec::new();
                encode(
                    &edited,
                    encoding,
                    |c| format!("&#{};", u32::from(c)),
                    &mut expected,
                );
                assert_eq!(
                    show(&wide.write(&RewriteOptions::default(), &edit)),
                    show(&expected)
                );
                if text.contains("teiCorpus") {
                    wide.check_lossless(&bytes);
                }
            }
        }
    }
}

#[test]
fn what_is_malformed_is_a_bad_document_with_its_place() {
    let deep = format!("{}x{}", "<a>".repeat(513), "</a>".repeat(513));
    let bomb = format!("<p>&b;</p><p>{}</p>", "&b;".repeat(64));
    let cases = [
        (
            "<p>x</q>",
            "line 3, column 8: ill-formed document: expected `</p>`, but `</q>` was found",
        ),
        (
            "<p>x",
            "line 3, column 8: ill-formed document: expected `</p>`, but `</TEI>` was found",
        ),
        (
            "x &#0; y",
            "line 3, column 6: expected a character or an entity, found the reference `&#0;`",
        ),
        ("ä & y", "line 3, column 6"),
        ("<p a=1>x</p>", "line 3, column 4: in the tag of <p>"),
        (
            "<p a='1' a='2'>x</p>",
            "line 3, column 4: in the tag of <p>",
        ),
        (
            "<1>x</1>",
            "line 3, column 4: expected the name of an element, found `1`",
        ),
        (
            "x ]]> y",
            "line 3, column 6: expected text, found `]]>` outside CDATA",
        ),
        (
            &deep,
            "line 3, column 1537: expected elements no more than 512 deep, found <a> deeper",
        ),
        (
            &bomb,
            "expected entities that expand to at most 1048576 bytes, found more in `&b;`",
        ),
    ];
    let big = "x".repeat(20_000);
    for (inner, message) in cases {
        let text = format!(
            "<!DOCTYPE teiCorpus [<!ENTITY b '{big}'>]><teiCorpus><TEI xml:id='a'><p>gut</p></TEI>\n<TEI>\n\u{e4}\u{e4} {inner}</TEI>\n<TEI xml:id='c'>x</TEI></teiCorpus>"
        );
        for size in [1, 333, 1 << 20] {
            let bench = bench("a.xml", text.as_bytes(), &ReadOptions::default(), size);
            let batch = bench.read();
            assert_eq!((batch.ids.as_str(), batch.bad.len()), ("ac", 1), "{inner}");
            assert!(
                batch.bad[0].error.message().contains(message),
                "{}",
                batch.bad[0].error
            );
            bench.check_lossless(text.as_bytes());
        }
    }
    for (text, message) in [
        ("<a>x", "line 1, column 5: expected </a>, found the end"),
        ("<a/><b/>", "line 1, column 5: expected the end of the file"),
        (
            "<a/>x",
            "line 1, column 5: expected nothing outside the root",
        ),
        ("<a>x<!-- y", "comment not closed"),
        (" \n", "line 2, column 1: expected an element, found none"),
    ] {
        let batch = bench("a.xml", text.as_bytes(), &ReadOptions::default(), 5).read();
        assert!(
            batch.bad[0].error.message().contains(message),
            "{}",
            batch.bad[0].error
        );
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(200))]

    #[test]
    fn any_cut_of_any_document_leaves_the_rest(
        pieces in proptest::collection::vec(proptest::sample::select(vec![
            "<p>", "<p n='1'>", "<s>", "<hi>", "<lb/>", "<note>", "<choice><sic>a</sic><corr>b</corr></choice>", "<!-- x -->", "<?x y?>",
            "<![CDATA[<]]>", "<![CDATA[ ]]]]>", "</>", "</>", "</>", "Wort", "ä ö", " ", "\r\n", "&lt;", "&auml;", "]", ">", "x. Y",
        ]), 0..40),
        from in 0_usize..60,
        len in 0_usize..30,
        size in 1_usize..50,
    ) {
        let mut text = String::from("<TEI>");
        let mut open = Vec::new();
        for piece in pieces {
            match piece {
                "</>" => if let Some(name) = open.pop() {
                    text.extend(["</", name, ">"]);
                },
                tag if tag.starts_with('<') && tag.ends_with('>') && !tag.contains('/') && !tag.contains("--") && !tag.contains('?') && !tag.contains('[') => {
                    open.push(tag.trim_matches(['<', '>']).split(' ').next().unwrap());
                    text.push_str(tag);
                }
                other => text.push_str(other),
            }
        }
        while let Some(name) = open.pop() {
            text.extend(["</", name, ">"]);
        }
        text.push_str("</TEI>");
        if text.contains("]]>") && text.replace("<![CDATA[<]]>", "").replace("<![CDATA[ ]]]]>", "").contains("]]>") {
            return Ok(());
        }
        let before = bench("a.xml", text.as_bytes(), &ReadOptions::default(), size);
        let whole = before.texts().remove(0);
        let mut borders: Vec<usize> = whole.char_indices().map(|(at, _)| at).collect();
        borders.push(whole.len());
        let start = borders[from.min(borders.len() - 1)];
        let end = borders[(from + len).min(borders.len() - 1)];
        let out = before.write(&RewriteOptions::default(), &|_, _| Edit::Cut(vec![start..end]));
        well_formed(&out);
        let after = bench("a.xml", &out, &ReadOptions::default(), size).texts().remove(0);
        // White space may remain where elements separated words, and a reference that is cut in two
        // is kept whole.
        let bare = |text: &str| text.split_ascii_whitespace().collect::<String>();
        if !whole.contains('&') {
            proptest::prop_assert_eq!(bare(&after), bare(&format!("{}{}", &whole[..start], &whole[end..])));
        }
        for segment in &before.read().segments {
            let marks = Marks { spans: Some(vec![SpanMark { text: segment.text.clone(), duplicate_of: None, score: 1.0 }]), ..Marks::default() };
            let marked = before.write(&RewriteOptions::default(), &|_, _| Edit::Mark(marks.clone()));
            well_formed(&marked);
            proptest::prop_assert_eq!(String::from_utf8(marked).unwrap().replace(" duplicate_score=\"1\"", ""), text.clone());
        }
    }
}
