#![allow(clippy::unwrap_used, reason = "in helpers of tests")]

use super::*;
use std::io::{Cursor, Write};
use zip::write::{SimpleFileOptions, ZipWriter};

/// One text saved by LibreOffice in each format.
const SAMPLES: [(DocumentKind, &[u8]); 5] = [
    (
        DocumentKind::Odt,
        include_bytes!("../../tests/documents/sample.odt"),
    ),
    (
        DocumentKind::Docx,
        include_bytes!("../../tests/documents/sample.docx"),
    ),
    (
        DocumentKind::Rtf,
        include_bytes!("../../tests/documents/sample.rtf"),
    ),
    (
        DocumentKind::Epub,
        include_bytes!("../../tests/documents/sample.epub"),
    ),
    (
        DocumentKind::Pdf,
        include_bytes!("../../tests/documents/sample.pdf"),
    ),
];

const BODY: &str = "The lamp room\n\n\
    Every evening the keeper climbed two hundred and twelve steps and wound the clockwork that turned the lens.\n\n\
    He wrote the weather down: “fog – then žltá hmla, Größe 3 & rising <wind>”.\n\n\
    Oil\t12 casks\nWicks   40\n\n\
    Night\n\nShips seen\n\nMonday\n\n80,000\n\n\
    Trim the wick.\n\nКлен и дуб стоят у воды.\n\n\
    The last paragraph ends here.";
const NOTE: &str = "As counted by the builder’s son in 1871.";

fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn text(kind: DocumentKind, bytes: &[u8]) -> String {
    read(kind, bytes).unwrap().text
}

fn refusal(kind: DocumentKind, bytes: &[u8]) -> String {
    read(kind, bytes).unwrap_err().to_string()
}

#[test]
fn a_text_is_the_same_in_the_formats_of_word_processors() {
    for (kind, bytes) in &SAMPLES[..3] {
        let document = read(*kind, bytes).unwrap();
        assert_eq!(document.text, format!("{BODY}\n\n{NOTE}"), "{kind:?}");
        assert_eq!(document.title.as_deref(), Some("The lamp room"));
        assert_eq!(document.author.as_deref(), Some("Clara Weiss"));
        let day = document.date.as_deref().map(|date| &date[..10]);
        assert_eq!(day, (*kind != DocumentKind::Rtf).then_some("2024-03-05"));
    }
}

#[test]
fn books_and_pages_have_the_words_that_they_show() {
    // What was deleted, and the marks of notes, are text there; pages repeat their heads.
    for (kind, bytes) in &SAMPLES[3..] {
        let document = read(*kind, bytes).unwrap();
        let words: Vec<_> = document.text.split_whitespace().collect();
        let words = words
            .join(" ")
            .replace("deleted words ", "")
            .replace("steps1", "steps");
        let sentences = BODY
            .split("\n\n")
            .filter(|line| line.len() > 20 && !line.contains('\t'));
        for sentence in sentences.chain([NOTE]) {
            assert!(words.contains(sentence), "{kind:?}: {sentence}: {words}");
        }
        assert_eq!(document.title.as_deref(), Some("The lamp room"));
        assert_eq!(document.author.as_deref(), Some("Clara Weiss"));
    }
}

#[test]
fn slides_come_in_their_order() {
    let pptx = text(
        DocumentKind::Pptx,
        include_bytes!("../../tests/documents/slides.pptx"),
    );
    let odp = text(
        DocumentKind::Odt,
        include_bytes!("../../tests/documents/slides.odp"),
    );
    assert_eq!(pptx, odp);
    assert!(pptx.starts_with("Slide 1\n\nThe quick brown fox"), "{pptx}");
    assert!(pptx.ends_with("Slide 3\n\nA third paragraph with a number: 80,000 of 1,234 items."));
}

#[test]
fn kinds_are_recognised_by_their_first_bytes() {
    for (kind, bytes) in SAMPLES {
        assert_eq!(DocumentKind::of_content(bytes), Some(kind));
    }
    assert_eq!(DocumentKind::of_content(b"PK\x03\x04"), None);
    assert_eq!(DocumentKind::of_content(b"text"), None);
}

#[test]
fn encrypted_and_scanned_documents_say_why() {
    let encrypted = include_bytes!("../../tests/documents/encrypted.pdf");
    assert!(refusal(DocumentKind::Pdf, encrypted).contains("the document is encrypted"));
    let scanned = include_bytes!("../../tests/documents/scanned.pdf");
    assert!(refusal(DocumentKind::Pdf, scanned).contains("pages without any"));
    assert!(refusal(DocumentKind::Docx, OLE).contains("encrypted, or in an old format"));
    let manifest =
        "<m:manifest xmlns:m='m'><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>";
    let odt = archive(&[
        ("META-INF/manifest.xml", manifest),
        ("content.xml", "\u{1}"),
    ]);
    assert!(refusal(DocumentKind::Odt, &odt).contains("encrypted"));
    let book = archive(&[
        (
            "META-INF/container.xml",
            "<c><rootfile full-path='o/p.opf'/></c>",
        ),
        (
            "o/p.opf",
            "<package><manifest><item id='a' href='c%20d.html'/></manifest><spine><itemref idref='a'/></spine></package>",
        ),
        (
            "META-INF/encryption.xml",
            "<e><CipherReference URI='o/c%20d.html'/></e>",
        ),
        ("o/c d.html", "<p>a"),
    ]);
    assert!(refusal(DocumentKind::Epub, &book).contains("the book is encrypted"));
}

#[test]
fn parts_of_other_names_are_found_and_text_boxes_read_once() {
    let types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let relations =
        format!("<R><Relationship Id='r' Type='{types}/officeDocument' Target='/w/doc2.xml'/></R>");
    let body = "<d><p><r><t>a</t><AlternateContent><Choice><txbxContent><p><t>box</t></p></txbxContent></Choice>\
        <Fallback><txbxContent><p><t>box</t></p></txbxContent></Fallback></AlternateContent></r>\
        <del><r><delText>gone</delText></r></del><r><t>b &amp; c&#33;</t></r></p></d>";
    let docx = archive(&[("_rels/.rels", &relations), ("w/doc2.xml", body)]);
    assert_eq!(text(DocumentKind::Docx, &docx), "a\n\nbox\n\nb & c!");
}

#[test]
fn rich_text_has_escapes_code_pages_and_unicode() {
    for (rtf, wanted) in [
        (r"{\rtf1\ansi a\'e4\'df \u8211 ?b\{c\}\\}", "aäß –b{c}\\"),
        (r"{\rtf1\ansicpg1251 \'ca\'eb\'e5\'ed}", "Клен"),
        (
            r"{\rtf1{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset238 B;}}\f1 \'be\f0 \'be}",
            "ľ¾",
        ),
        (r"{\rtf1\uc2\u-10179 ??\u-8704 ??x}", "😀x"),
        (
            r"{\rtf1 a{\v hidden}b{\*\unknown c}d\par e{\footnote note}\par}",
            "abd\n\ne\n\nnote",
        ),
        (r"{\rtf1 a\bin3 }{\b}", "ab"),
        ("{\\rtf1 a\r\nb}", "ab"),
    ] {
        assert_eq!(text(DocumentKind::Rtf, rtf.as_bytes()), wanted, "{rtf}");
    }
    assert!(refusal(DocumentKind::Rtf, b"{\\rtf1 a").contains("ends too early"));
}

#[test]
fn what_a_document_unpacks_to_is_known_before() {
    let long = "a".repeat(1 << 20);
    let docx = archive(&[("word/document.xml", &long), ("image.png", &long)]);
    assert!(docx.len() < 10_000);
    assert_eq!(burden(DocumentKind::Docx, &docx), 4 << 20);
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    zlib.write_all(long.as_bytes()).unwrap();
    let stream = zlib.finish().unwrap();
    let pdf = [
        b"1 0 obj <</Filter /FlateDecode>> stream\n",
        &stream[..],
        b"\nendstream",
    ]
    .concat();
    assert!(burden(DocumentKind::Pdf, &pdf) >= 20 << 20);
}

#[test]
fn damage_is_an_error_and_no_panic() {
    for (kind, bytes) in SAMPLES {
        for at in (0..bytes.len()).step_by(bytes.len() / 60 + 1) {
            let _cut = read(kind, &bytes[..at]);
            let mut changed = bytes.to_vec();
            changed[at] ^= 0x55;
            let _changed = read(kind, &changed);
        }
    }
}
