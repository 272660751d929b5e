//! Documents of word processors, electronic books and PDF.

use crate::rig::Rig;
use std::io::Write as _;
use std::path::Path;

fn document(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tegula-io/tests/documents");
    std::fs::read(folder.join(name)).unwrap()
}

fn essays() -> Rig {
    let rig = Rig::new();
    for (name, of) in [
        ("anna.docx", "sample.docx"),
        ("boris.odt", "sample.odt"),
        ("clara.rtf", "sample.rtf"),
        ("dora.pdf", "sample.pdf"),
        ("other.docx", "letter.docx"),
    ] {
        rig.write(&format!("essays/{name}"), document(of));
    }
    rig
}

#[test]
fn kept_documents_are_copied_byte_for_byte() {
    let rig = essays();
    let ended = rig.run("dedup essays --recipe exact -o kept");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    for (name, of) in [
        ("anna.docx", "sample.docx"),
        ("dora.pdf", "sample.pdf"),
        ("other.docx", "letter.docx"),
    ] {
        assert_eq!(rig.read(&format!("kept/{name}")), document(of), "{name}");
    }
    assert!(!rig.path("kept/boris.odt").exists() && !rig.path("kept/clara.rtf").exists());
    let ended = rig.run("dedup essays --recipe exact -o kept.jsonl");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let kept = rig.text("kept.jsonl");
    assert!(
        kept.starts_with("{\"id\":\"anna.docx\",\"text\":\"The lamp room\\n\\nEvery evening"),
        "{kept}"
    );
    assert!(kept.contains("\"author\":\"Clara Weiss\""));
}

#[test]
fn documents_are_compared_whatever_their_formats() {
    let rig = essays();
    // Word leaves it beside a document that is open.
    rig.write("essays/~$anna.docx", b"\x04Anna\x00\x00");
    let ended = rig.run("compare essays --threshold 0.5");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let pairs = String::from_utf8(ended.stdout).unwrap();
    for pair in [
        "anna.docx  boris.odt",
        "boris.odt  clara.rtf",
        "anna.docx  dora.pdf",
    ] {
        assert!(pairs.contains(pair), "{pairs}");
    }
    assert!(!pairs.contains("other.docx"), "{pairs}");
    let flat = "dora.pdf: PDF is read without layout: headers, page numbers";
    assert!(ended.stderr.contains(flat), "{}", ended.stderr);
    let ended = rig.run("compare essays --ignore essays/dora.pdf");
    assert!(
        String::from_utf8(ended.stdout)
            .unwrap()
            .contains(" 0 pairs")
    );
    let ended = rig.run("dedup essays/anna.docx --against essays/boris.odt --recipe exact -o left");
    assert!(
        ended.stderr.contains("in the references             1"),
        "{}",
        ended.stderr
    );
}

#[test]
fn what_cannot_be_read_is_a_bad_record_that_says_why() {
    let rig = essays();
    rig.write("essays/locked.pdf", document("encrypted.pdf"))
        .write("essays/scan.pdf", document("scanned.pdf"))
        .write("essays/cut.docx", &document("sample.docx")[..4000])
        .write(
            "essays/old.docx",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more",
        );
    let ended = rig.run("dedup essays --recipe exact -o kept");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(!rig.path("kept").exists());
    let ended = rig.run("dedup essays --recipe exact --on-bad-record quarantine -o kept");
    for why in [
        "locked.pdf: record 1: the document is encrypted",
        "scan.pdf: record 1: expected text, found pages without any",
        "cut.docx: record 1: expected a document in a ZIP archive, found damage",
        "old.docx: record 1: the document is encrypted, or in an old format",
    ] {
        assert!(ended.stderr.contains(why), "{why}: {}", ended.stderr);
    }
    let planned = rig.ok("plan essays");
    let why = "4 records of the sample cannot be read; see --on-bad-record: essays/cut.docx: record 1: expected a document";
    assert!(planned.out().contains(why), "{}", planned.out());
    rig.ok("compare essays --on-bad-record skip -o all.html");
    let page = rig.text("all.html");
    assert!(page.contains("4 texts could not be read and were not compared"));
    assert!(page.contains("scan.pdf, record 1: expected text, found pages without any"));
}

#[test]
fn a_document_that_unpacks_to_more_than_fits_is_refused() {
    let rig = essays();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("content.xml", options).unwrap();
    let spaces = " ".repeat(1 << 20);
    for _ in 0..200 {
        zip.write_all(spaces.as_bytes()).unwrap();
    }
    rig.write("essays/bomb.odt", zip.finish().unwrap().into_inner());
    let ended = rig.run("dedup essays --recipe exact --memory 128M -o kept");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("bomb.odt"), "{}", ended.stderr);
    assert!(ended.stderr.contains("--memory"), "{}", ended.stderr);
}

#[test]
fn documents_are_not_written() {
    let rig = essays();
    let ended = rig.run("dedup essays/anna.docx essays/boris.odt --recipe exact -o kept.docx");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    rig.write("a.jsonl", "{\"text\":\"a\"}\n");
    for name in ["kept.docx", "kept.pdf", "kept.epub"] {
        let ended = rig.run(&format!("dedup a.jsonl -o {name}"));
        assert_eq!(ended.code, 2, "{name}: {}", ended.stderr);
    }
}
